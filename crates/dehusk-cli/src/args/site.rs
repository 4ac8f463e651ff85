//! The flags of commands for sites and crawls.

use super::{Columns, DetectorArgs, Group, MethodArgs, MethodName, Reading, Render, Run};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Learn the template of one site from its pages.
///
/// Give at least two pages, better twenty; folders are searched for .html and .htm files. Templates learned with
/// --partial can be given beside pages: learning a site in parts gives the same template as learning it at once.
///
/// Pages of different kinds (articles, lists, products) are told apart by their structure, and each kind gets a template of its
/// own. `dehusk show-template` draws them.
#[derive(ClapArgs, Debug)]
pub(crate) struct Learn {
    /// Pages, folders of pages, or partial templates (.husk).
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    /// The template file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The name of the site; without it, that of the folder of the first page.
    #[arg(long, value_name = "NAME")]
    pub(crate) site: Option<String>,
    /// Keep all counts and the pages learned from, so that the template can be merged with others.
    #[arg(long)]
    pub(crate) partial: bool,
    /// How to find what pages share.
    #[arg(long, value_enum, default_value_t = MethodName::Sitelevel, value_name = "METHOD")]
    pub(crate) method: MethodName,
    /// The order in which pages are looked at.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Apply {
    /// Pages or folders of pages of the site.
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    /// The template of their site, from `dehusk learn`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) template: PathBuf,
    /// The folder to write to; one page may also go to standard output.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) detector: DetectorArgs,
    #[command(flatten)]
    pub(crate) used: MethodArgs,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Learn every site of a crawl and clean its pages.
///
/// IN is a folder of pages or of archives, WARC (.warc, .gz, .zst), JSON lines (.jsonl, .gz, .zst) or Parquet. The crawl is read twice:
/// to learn each host from a sample of its pages, and to write a record for each page in the order of the input. Memory does not grow
/// with the crawl. A run that is stopped goes on with --resume and ends with the same bytes.
///
/// Each page is judged by a model that takes the template of its host as evidence; with --detector sitelevel, treemap, align or auto what is
/// template goes and all else stays.
///
/// A record has: id, url, host, title, text (or markdown, html, page), confidence, page_type, kept_characters, dropped_characters,
/// template_pages, template, template_fit, encoding, flags, error, error_message, and the columns asked for with --carry. A page that cannot be read has a record with its error.
#[derive(ClapArgs, Debug)]
pub(crate) struct Clean {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// A .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file; any other name is a folder with one file per page.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// A file that keeps templates from crawl to crawl: this run starts from what it knows and adds to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) templates: Option<PathBuf>,
    /// Use the templates of --templates as they are, and read the crawl once.
    #[arg(long, requires = "templates")]
    pub(crate) no_learn: bool,
    /// How to find what the pages of a site share.
    #[arg(long, value_enum, default_value_t = MethodName::Sitelevel, value_name = "METHOD")]
    pub(crate) method: MethodName,
    /// Which pages are one site.
    #[arg(long, value_enum, default_value_t = Group::Host, value_name = "WHAT")]
    pub(crate) group_by: Group,
    /// Go on with a run that was stopped.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Chooses the sample of pages each site is learned from.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) detector: DetectorArgs,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Say whether recent pages of a site still fit its templates.
///
/// For each template: how many of the pages have it and how well they fit it, beside the pages it was learned from. A template has
/// stopped fitting when none of the pages has it though five should; it is weaker when those that have it fit worse by 0.1.
/// Ends with exit code 1 when the site should be learned again.
#[derive(ClapArgs, Debug)]
pub(crate) struct Drift {
    /// The template of the site, from `dehusk learn`.
    pub(crate) template: PathBuf,
    /// Recent pages, or folders of pages.
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Draw the templates of a site as a page to look at.
///
/// What is template is shown as it is, the stronger the colour the more pages have it; slots show where pages have something of
/// their own. The page needs nothing else and runs no script.
#[derive(ClapArgs, Debug)]
pub(crate) struct ShowTemplate {
    /// A template file from `dehusk learn`, or with --templates the name of a site.
    #[arg(value_name = "SITE")]
    pub(crate) site: String,
    /// The template store of `dehusk clean --templates` to look in.
    #[arg(long, value_name = "FILE")]
    pub(crate) templates: Option<PathBuf>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
