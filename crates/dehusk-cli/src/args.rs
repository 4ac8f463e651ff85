//! Every flag, defined once: help and completions derive from here.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use dehusk::{Limits, Options, OutputFormat, output::RenderOptions};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::GroupBy;
use std::path::PathBuf;

/// Removes the template around the content of web pages.
///
/// Pages of one site share a template: navigation, sidebars, footers. Dehusk learns it from a few pages of the
/// site and removes it, so that what is left is what each page has to say.
///
/// Clean a crawl:                  dehusk clean crawl.warc.gz -o pages.jsonl
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
    /// Learn every site of a crawl and clean its pages.
    Clean(Clean),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Print the content of a page as text, Markdown, HTML or JSON, or of all pages of a file or folder, each on its own.
///
/// IN is a page, or with -o anything `dehusk clean` takes: a folder, WARC, JSONL or Parquet. Pages are not compared with each
/// other here; `dehusk clean` does that.
#[derive(ClapArgs, Debug)]
pub(crate) struct Extract {
    /// A page, or - for standard input; with -o also folders, .warc, .jsonl and .parquet files.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) run: Run,
    /// Write here instead of to standard output: for one page a file; otherwise a .jsonl (also .gz, .zst) or .parquet file or a folder.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Go on with a run that was stopped.
    #[arg(long)]
    pub(crate) resume: bool,
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

/// Learn every site of a crawl and clean its pages.
///
/// IN is a folder of pages or of archives, WARC (.warc, .gz, .zst), JSON lines (.jsonl, .gz, .zst) or Parquet. The crawl is read twice:
/// to learn each host from a sample of its pages, and to write a record for each page in the order of the input. Memory does not grow
/// with the crawl. A run that is stopped goes on with --resume and ends with the same bytes.
///
/// A record has: id, url, host, title, text (or markdown, html, page), kept_characters, dropped_characters, template_pages, encoding,
/// flags, error, error_message, and the columns asked for with --carry. A page that cannot be read has a record with its error.
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
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Which pages are one site.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Those of one host: blog.a.example.
    Host,
    /// Those of one registered domain: a.example.
    Domain,
    /// Those of one host and first folder: a.example/blog.
    Path,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Columns {
    /// The column or key of JSONL and Parquet with the address of a page.
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Columns")]
    pub(crate) url_column: String,
    /// The column or key with the page.
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Columns")]
    pub(crate) html_column: String,
    /// The column or key with the id of a page, kept in the record.
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Columns")]
    pub(crate) id_column: String,
    /// A column, key or WARC header field to copy to the record; give it again for more.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub(crate) carry: Vec<String>,
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
    /// Say what the page says about itself: title, author, date, language, site, description, address, kind. In records and JSON these
    /// are fields; text and Markdown of a page start with them between lines of ---; HTML has none.
    #[arg(long, alias = "with-metadata")]
    pub(crate) metadata: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Reading {
    /// The HTTP header of that name, where it is known: its charset goes before what the page says.
    #[arg(long, value_name = "HEADER", help_heading = "Reading")]
    pub(crate) content_type: Option<String>,
    /// Read pages as a browser that runs scripts: do not look into `noscript` elements.
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
    /// Write what happened to this file: JSON, or for `clean` a page to look at where the name ends in .html.
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

impl Columns {
    pub(crate) fn options(&self, reading: &Reading) -> ReadOptions {
        ReadOptions::default()
            .with_url_column(&self.url_column)
            .with_html_column(&self.html_column)
            .with_id_column(&self.id_column)
            .with_carry(self.carry.clone())
            .with_max_bytes(reading.max_bytes as u64)
    }
}

impl Group {
    pub(crate) fn group_by(self) -> GroupBy {
        match self {
            Group::Host => GroupBy::Host,
            Group::Domain => GroupBy::Domain,
            Group::Path => GroupBy::Path,
        }
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
