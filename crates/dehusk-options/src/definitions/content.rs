//! Options that say what is written of a page.

use super::{EVERYWHERE, options};
use crate::definition::Command::{self, Apply, Clean, Extract, Inspect, Records};
use crate::definition::Topic::Content as Topic;
use crate::definition::{Choice, Definition, Kind};
use dehusk::{Comments, Heading, OutputFormat};
use dehusk_io::crawl::RecordFormat;

/// The commands that write the content of pages.
const WRITING: &[Command] = &[Extract, Apply, Clean, Inspect];
/// The commands for which it matters whether comments are content.
const WITH_COMMENTS: &[Command] = &[Extract, Apply, Clean, Inspect, Records];

options! {
    /// The formats of the content.
    FORMAT = Definition::new(
        Topic, "format", Kind::List(&Kind::Choice(formats)), WRITING,
        "Output format. Records can have several: repeat it, or separate formats by commas.",
    ).short('f').value("FORMAT").default("text").on(EVERYWHERE);
    /// The format of records.
    RECORD_FORMAT = Definition::new(
        Topic, "format", Kind::Choice(record_formats), &[Records],
        "Output format [default: as the name of the output says, otherwise jsonl].",
    ).short('f').value("FORMAT");
    /// All records, not only those that are content.
    ALL_RECORDS = Definition::new(
        Topic, "all", Kind::Flag, &[Records], "Also write records that are not content, such as menus and teasers of other articles.",
    );
    /// Whether the content begins with the main heading.
    HEADING = Definition::new(
        Topic, "heading", Kind::Choice(headings), WRITING,
        "Begin with the main heading of the page, whatever the detector decided; never twice.",
    ).value("WHEN").default("auto").on(EVERYWHERE);
    /// What happens to comments.
    COMMENTS = Definition::new(
        Topic, "comments", Kind::Choice(comments), WITH_COMMENTS, "What happens to the comments of readers. Default detector only.",
    ).value("WHAT").default("auto").on(EVERYWHERE);
    /// No targets of links.
    NO_LINKS = Definition::new(Topic, "no_links", Kind::Flag, WRITING, "Write the text of links, but not their targets.")
        .opposite("links").on(EVERYWHERE);
    /// No images.
    NO_IMAGES = Definition::new(Topic, "no_images", Kind::Flag, WRITING, "Leave images out.").opposite("images").on(EVERYWHERE);
    /// Hidden text, too.
    INCLUDE_HIDDEN = Definition::new(Topic, "include_hidden", Kind::Flag, WRITING, "Also write what the page hides.").on(EVERYWHERE);
    /// Whole addresses of links and images.
    ABSOLUTE_URLS = Definition::new(
        Topic, "absolute_urls", Kind::Flag, WRITING,
        "Make the URLs of links and images absolute, from the address of the page or its <base>. --url implies it, and so does a <base>.",
    ).on(EVERYWHERE);
    /// What the page says of itself.
    METADATA = Definition::new(
        Topic, "metadata", Kind::Flag, WRITING,
        "Collect metadata: title, author, date, language, site, description, URL, type. In records and JSON these are fields; files of \
         text and Markdown begin with them as front matter; HTML has none.",
    ).alias("with_metadata").on(EVERYWHERE);
}

fn formats() -> Vec<Choice> {
    let help = |format: OutputFormat| match format {
        OutputFormat::Text => "Plain text.",
        OutputFormat::Markdown => "Markdown with tables, lists, code and links.",
        OutputFormat::Html => "HTML of a small, safe set of elements.",
        OutputFormat::Json => "A record with every block, its position in the source, the decision and the reason.",
        OutputFormat::Records => {
            "The records of the page that are content (posts, cards, rows) with their fields, as JSON."
        }
        _ => "",
    };
    OutputFormat::ALL.map(|format| Choice { name: format.name(), help: help(format), is_hidden: false }).into()
}

fn record_formats() -> Vec<Choice> {
    let help = |format: RecordFormat| match format {
        RecordFormat::Jsonl => "JSON lines, one for each page, with its groups of records.",
        RecordFormat::Csv => "A row for each record, with a column for title, author, date, price, image and link.",
        RecordFormat::Parquet => "The same columns; `fields` is a map.",
        RecordFormat::Markdown => "A section for each page: tables, lists, or a heading and the text of each record.",
        _ => "",
    };
    RecordFormat::ALL.map(|format| Choice { name: format.name(), help: help(format), is_hidden: false }).into()
}

fn headings() -> Vec<Choice> {
    let help = |heading: Heading| match heading {
        Heading::Auto => "Markdown and HTML begin with it.",
        Heading::Keep => "All formats begin with it.",
        Heading::Drop => "No format has it.",
        _ => "",
    };
    Heading::ALL.map(|heading| Choice { name: heading.name(), help: help(heading), is_hidden: false }).into()
}

fn comments() -> Vec<Choice> {
    let help = |comments: Comments| match comments {
        Comments::Auto => {
            "As the detector decides: comments under an article are mostly dropped, the posts of a forum kept."
        }
        Comments::Keep => "Keep comments.",
        Comments::Drop => "Drop comments. The posts of a forum are not comments.",
        Comments::Only => "Keep only comments, and the posts of a forum.",
        _ => "",
    };
    Comments::ALL.map(|comments| Choice { name: comments.name(), help: help(comments), is_hidden: false }).into()
}
