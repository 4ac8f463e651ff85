//! Flags of the commands for sites and crawls.

use super::table::{ApplyOptions, CleanOptions, DriftOptions, LearnOptions};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Learn the template of one site from its pages.
///
/// Needs at least two pages; twenty are better. Folders are searched for .html and .htm files. Templates learned with --partial can be
/// given together with pages: learning a site in parts gives the same template as learning it at once.
///
/// Pages of different kinds (articles, lists, products) are recognized by their structure, and each kind gets its own template.
/// `dehusk show-template` draws them.
#[derive(ClapArgs, Debug)]
pub(crate) struct Learn {
    /// Pages, folders of pages, or partial templates (.husk).
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    /// The template file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Name of the site [default: the folder of the first page].
    #[arg(long, value_name = "NAME")]
    pub(crate) site: Option<String>,
    /// Keep all counts and the sampled pages, so that the template can be merged with others.
    #[arg(long)]
    pub(crate) partial: bool,
    #[command(flatten)]
    pub(crate) options: LearnOptions,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Apply {
    /// Pages or folders of pages of the site.
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    /// Template of their site, from `dehusk learn`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) template: PathBuf,
    /// Output folder; a single page can also go to standard output.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: ApplyOptions,
}

/// Learn every site of a crawl and clean its pages.
///
/// IN is a folder of pages or of archives, WARC (.warc, .gz, .zst), JSON lines (.jsonl, .gz, .zst) or Parquet. The crawl is read twice:
/// first to learn each host from a sample of its pages, then to write a record for each page, in input order. Memory does not grow
/// with the size of the crawl. An interrupted run continues with --resume and ends with the same bytes.
///
/// Each page is classified by a model that uses the template of its host as evidence. With --detector sitelevel, treemap, align or auto,
/// the template is dropped and everything else is kept.
///
/// A record has: id, url, host, title, text (or markdown, html, page), confidence, page_type, kept_characters, dropped_characters,
/// template_pages, template, template_fit, encoding, flags, error, error_message, and the columns asked for with --carry. A page that cannot be read gets a record with its error.
#[derive(ClapArgs, Debug)]
pub(crate) struct Clean {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Output: a .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file; any other name is a folder with one file per page.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) options: CleanOptions,
}

/// Check whether recent pages of a site still fit its templates.
///
/// For each template: how many of the pages match it and how well they fit, compared with the pages it was learned from. A template no
/// longer fits if no page matches it although at least five should; it is weaker if the pages that match it fit worse by 0.1.
/// Exits with code 1 if the site should be learned again.
#[derive(ClapArgs, Debug)]
pub(crate) struct Drift {
    /// The template of the site, from `dehusk learn`.
    pub(crate) template: PathBuf,
    /// Recent pages, or folders of pages.
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) options: DriftOptions,
}

/// Draw the templates of a site as an HTML page.
///
/// Template text is shown as it is, in a stronger colour the more pages have it; slots mark where pages have their own content. The
/// page is self-contained and runs no script.
#[derive(ClapArgs, Debug)]
pub(crate) struct ShowTemplate {
    /// Template file from `dehusk learn`, or, with --templates, the name of a site.
    #[arg(value_name = "SITE")]
    pub(crate) site: String,
    /// Template store written by `dehusk clean --templates`.
    #[arg(long, value_name = "FILE")]
    pub(crate) templates: Option<PathBuf>,
    /// Output file [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
