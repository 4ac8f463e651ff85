//! Every flag, defined once: help and completions derive from here.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use dehusk::{Limits, Options, OutputFormat, output::RenderOptions};
use std::path::PathBuf;

/// Removes the template around the content of web pages.
///
/// Pages of one site share a template: navigation, sidebars, footers. Dehusk learns it from a few pages of the
/// site and removes it, so that what is left is what each page has to say.
///
/// Clean a folder of sites:        dehusk clean crawl/ -o cleaned/
/// Learn one site and use it:      dehusk learn site/*.html -o site.husk
///                                 dehusk extract --template site.husk site/about.html
/// See why something was removed:  dehusk explain --template site.husk site/about.html
///
/// Results go to standard output or to -o, everything else to standard error. `-` is standard input.
#[derive(Parser, Debug)]
#[command(name = "dehusk", version, verbatim_doc_comment, max_term_width = 110)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Print the content of a page as text, Markdown, HTML or JSON.
    Extract(Extract),
    /// Print the original HTML of a page without its husk.
    Strip(Strip),
    /// Print what happens to each part of a page, and why.
    Explain(Explain),
    /// Learn the template of one site from its pages.
    Learn(Learn),
    /// Clean pages of one site with its template.
    Apply(Apply),
    /// Learn and clean a whole folder of sites.
    Clean(Clean),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Extract {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    #[command(flatten)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Print the original HTML of a page without its husk.
///
/// What stays is exactly as it was: nothing is rewritten and nothing is made safe. For safe HTML use
/// `dehusk extract --format html`.
#[derive(ClapArgs, Debug)]
pub(crate) struct Strip {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    #[command(flatten)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Explain {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    #[command(flatten)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How deep into the tree to go.
    #[arg(long, default_value_t = 64)]
    pub(crate) depth: usize,
    /// Characters of a line.
    #[arg(long, default_value_t = 120)]
    pub(crate) width: usize,
}

/// Learn the template of one site from its pages.
///
/// Give at least two pages, better twenty; folders are searched for .html and .htm files. Templates learned with
/// --partial can be given beside pages: learning a site in parts gives the same template as learning it at once.
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
    /// Keep all counts, so that the template can be merged with others.
    #[arg(long)]
    pub(crate) partial: bool,
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
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Learn and clean a whole folder of sites.
///
/// Each folder inside of FOLDER is one site; pages that stand in FOLDER itself are one more. Every site with at least
/// two pages is learned and its pages are written to the same path under OUT. The pages of a site with
/// a single page are written whole and counted as such.
#[derive(ClapArgs, Debug)]
pub(crate) struct Clean {
    /// A folder of sites.
    pub(crate) folder: PathBuf,
    /// The folder to write to.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Write the templates to this folder too, one file per site.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) templates: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Template {
    /// The template of the page's site, from `dehusk learn`. Without it nothing is known of the site and nothing is dropped.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: Judging,
}

#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct Judging {
    /// The share of a site's pages a part must stand on to be template.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    pub(crate) threshold: f64,
}

/// A format of the result.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Plain text.
    Text,
    /// Markdown with tables, lists, code and links.
    Markdown,
    /// HTML of a small, safe set of elements.
    Html,
    /// A record with every block, its place in the source and the reason for its fate.
    Json,
}

#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct Render {
    /// The format of the result.
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Write the words of links, but not their addresses.
    #[arg(long)]
    pub(crate) no_links: bool,
    /// Leave pictures out.
    #[arg(long)]
    pub(crate) no_images: bool,
    /// Write what the page hides, too.
    #[arg(long)]
    pub(crate) include_hidden: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Reading {
    /// The HTTP header of that name, where it is known: its charset goes before what the page says.
    #[arg(long, value_name = "HEADER", help_heading = "Reading")]
    pub(crate) content_type: Option<String>,
    /// Read pages as a browser that runs scripts: do not look into <noscript>.
    #[arg(long, help_heading = "Reading")]
    pub(crate) scripting: bool,
    /// Refuse pages of more bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes, help_heading = "Reading")]
    pub(crate) max_bytes: usize,
    /// Stop reading a page after so many nodes.
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes, help_heading = "Reading")]
    pub(crate) max_nodes: usize,
    /// Flatten what is nested deeper.
    #[arg(long, value_name = "ELEMENTS", default_value_t = Limits::default().depth, help_heading = "Reading")]
    pub(crate) max_depth: usize,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Run {
    /// Threads to use; 0 is one for each core. The result does not depend on it.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub(crate) threads: usize,
    /// End with exit code 1 when a page could not be read.
    #[arg(long, help_heading = "Run")]
    pub(crate) strict: bool,
    /// Show progress even when standard error is no terminal.
    #[arg(long, help_heading = "Run")]
    pub(crate) progress: bool,
    /// Write what happened to this JSON file.
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub(crate) report: Option<PathBuf>,
}

impl Reading {
    pub(crate) fn options(&self) -> Options {
        let limits =
            Limits { bytes: self.max_bytes, nodes: self.max_nodes, depth: self.max_depth, ..Limits::default() };
        Options::new().with_limits(limits).with_scripting(self.scripting)
    }
}

impl Render {
    pub(crate) fn options(self) -> RenderOptions {
        RenderOptions::default()
            .with_links(!self.no_links)
            .with_images(!self.no_images)
            .with_hidden(self.include_hidden)
    }
}

impl Format {
    pub(crate) fn output_format(self) -> OutputFormat {
        match self {
            Format::Text => OutputFormat::Text,
            Format::Markdown => OutputFormat::Markdown,
            Format::Html => OutputFormat::Html,
            Format::Json => OutputFormat::Json,
        }
    }

    /// The ending of files in this format.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Text => "txt",
            Format::Markdown => "md",
            Format::Html => "html",
            Format::Json => "json",
        }
    }
}
