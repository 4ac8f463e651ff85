//! Flags shared by several commands: what is read, what is written, how the job runs.

use crate::outcome::Failure;
use clap::{Args as ClapArgs, ValueEnum};
use dehusk::{Comments, Heading, Limits, Options, OutputFormat, Page, RenderOptions};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::GroupBy;
use std::path::PathBuf;

/// Which pages form one site.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Pages of one host: blog.a.example.
    Host,
    /// Pages of one registered domain: a.example.
    Domain,
    /// Pages of one host and first path segment: a.example/blog.
    Path,
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

#[derive(ClapArgs, Debug)]
pub(crate) struct Columns {
    /// Column or key of JSONL and Parquet with the URL of a page.
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Columns")]
    pub(crate) url_column: String,
    /// Column or key with the HTML of a page.
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Columns")]
    pub(crate) html_column: String,
    /// Column or key with the id of a page; copied to the record.
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Columns")]
    pub(crate) id_column: String,
    /// Column, key or WARC header field to copy to the record; can be repeated.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub(crate) carry: Vec<String>,
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

/// A format of the result.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Plain text.
    Text,
    /// Markdown with tables, lists, code and links.
    Markdown,
    /// HTML of a small, safe set of elements.
    Html,
    /// A record with every block, its position in the source, the decision and the reason.
    Json,
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

/// Whether the content begins with the main heading of the page.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadingName {
    /// Markdown and HTML begin with it.
    Auto,
    /// All formats begin with it.
    Keep,
    /// No format has it.
    Drop,
}

/// What happens to the comments of readers.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentsName {
    /// As the detector decides: comments under an article are mostly dropped, the posts of a forum kept.
    Auto,
    /// Keep comments.
    Keep,
    /// Drop comments. The posts of a forum are not comments.
    Drop,
    /// Keep only comments, and the posts of a forum.
    Only,
}

#[derive(ClapArgs, Debug, Clone)]
pub(crate) struct Render {
    /// Output format. Records can have several: repeat it, or separate formats by commas.
    #[arg(short, long = "format", value_name = "FORMAT", value_enum, value_delimiter = ',', default_value = "text")]
    pub(crate) formats: Vec<Format>,
    /// Begin with the main heading of the page, whatever the detector decided; never twice.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = HeadingName::Auto)]
    pub(crate) heading: HeadingName,
    /// What happens to the comments of readers. Default detector only.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = CommentsName::Auto)]
    pub(crate) comments: CommentsName,
    /// Write the text of links, but not their targets.
    #[arg(long)]
    pub(crate) no_links: bool,
    /// Leave images out.
    #[arg(long)]
    pub(crate) no_images: bool,
    /// Also write what the page hides.
    #[arg(long)]
    pub(crate) include_hidden: bool,
    /// Make the URLs of links and images absolute, from the address of the page or its <base>. --url implies it, and so does a <base>.
    #[arg(long)]
    pub(crate) absolute_urls: bool,
    /// Collect metadata: title, author, date, language, site, description, URL, type. In records and JSON these are fields; files of text and
    /// Markdown begin with them as front matter; HTML has none.
    #[arg(long, alias = "with-metadata")]
    pub(crate) metadata: bool,
}

impl Render {
    /// The format of a result that can have only one.
    pub(crate) fn format(&self) -> Result<Format, Failure> {
        match self.output_formats()[..] {
            [_] => Ok(self.formats[0]),
            _ => Err(Failure::new(
                "several formats need records or files: use -o with a .jsonl or .parquet file or a folder",
            )),
        }
    }

    /// The formats of a record, each once.
    pub(crate) fn output_formats(&self) -> Vec<OutputFormat> {
        let mut formats = Vec::new();
        for format in self.formats.iter().map(|format| format.output_format()) {
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        formats
    }

    /// Adds how results are written to options.
    pub(crate) fn add_to(&self, options: Options) -> Options {
        let render = RenderOptions::default().with_links(!self.no_links).with_images(!self.no_images);
        let render = if self.include_hidden { render.with_hidden(true) } else { render };
        let heading = match self.heading {
            HeadingName::Auto => Heading::Auto,
            HeadingName::Keep => Heading::Keep,
            HeadingName::Drop => Heading::Drop,
        };
        let comments = match self.comments {
            CommentsName::Auto => Comments::Auto,
            CommentsName::Keep => Comments::Keep,
            CommentsName::Drop => Comments::Drop,
            CommentsName::Only => Comments::Only,
        };
        let options = options.with_render(render).with_heading(heading).with_comments(comments);
        options.with_metadata(self.metadata).with_absolute_urls(self.absolute_urls)
    }
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Reading {
    /// Value of the HTTP header Content-Type, if known: its charset takes precedence over the page's own.
    #[arg(long, value_name = "HEADER", help_heading = "Reading")]
    pub(crate) content_type: Option<String>,
    /// Read pages as a browser that runs scripts does: ignore `noscript` elements.
    #[arg(long, help_heading = "Reading")]
    pub(crate) scripting: bool,
    /// Refuse pages with more bytes than this.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes, help_heading = "Reading")]
    pub(crate) max_bytes: usize,
    /// Stop reading a page after this many nodes.
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes, help_heading = "Reading")]
    pub(crate) max_nodes: usize,
    /// Flatten elements that are nested deeper than this.
    #[arg(long, value_name = "ELEMENTS", default_value_t = Limits::default().depth, help_heading = "Reading")]
    pub(crate) max_depth: usize,
}

impl Reading {
    /// A page with the content type that was given.
    pub(crate) fn page<'a>(&'a self, bytes: &'a [u8]) -> Page<'a> {
        Page::new(bytes).with_content_type(self.content_type.as_deref())
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { bytes: self.max_bytes, nodes: self.max_nodes, depth: self.max_depth, ..Limits::default() }
    }

    pub(crate) fn options(&self) -> Options {
        Options::new().with_limits(self.limits()).with_scripting(self.scripting)
    }
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Run {
    /// Number of threads; 0 means one per core. The result does not depend on it.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub(crate) threads: usize,
    /// Exit with code 1 if a page could not be read. If no page could be read at all, the code is 2 in any case.
    #[arg(long, help_heading = "Run")]
    pub(crate) strict: bool,
    /// Show progress even if standard error is not a terminal.
    #[arg(long, help_heading = "Run")]
    pub(crate) progress: bool,
    /// Write a report to this file: JSON, or for `clean` and the uses of clean text an HTML page if the name ends in .html.
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub(crate) report: Option<PathBuf>,
}

/// What to do with what an earlier run has left.
#[derive(ClapArgs, Debug)]
pub(crate) struct Again {
    /// Continue a run that was interrupted.
    #[arg(long, help_heading = "Run")]
    pub(crate) resume: bool,
    /// Write to a folder that is not empty: files of the same names are replaced, others stay.
    #[arg(long, help_heading = "Run", conflicts_with = "resume")]
    pub(crate) overwrite: bool,
}
