//! Options that say how pages are read: columns of the input, limits, encoding, boxes.

use super::{EVERYWHERE, OWN_MACHINE, options};
use crate::definition::Command::{
    self, Apply, Clean, Corpus, Drift, Explain, Extract, Features, Inspect, Label, Learn, Records, Segment, Serve,
    Strip,
};
use crate::definition::{Definition, Kind, Surface, Topic};
use dehusk::Limits;

/// The commands that read pages by the user's own limits.
const READING: &[Command] =
    &[Extract, Strip, Explain, Segment, Records, Learn, Apply, Clean, Drift, Inspect, Features, Label];
/// The commands that read pages by limits; the service has its own.
const LIMITED: &[Command] =
    &[Extract, Strip, Explain, Segment, Records, Learn, Apply, Clean, Drift, Inspect, Features, Label, Serve];
/// The commands that read containers with columns.
const READING_COLUMNS: &[Command] = &[Extract, Segment, Records, Clean, Inspect, Corpus, Label];
/// The commands that can take boxes from a browser.
const WITH_BOXES: &[Command] = &[Extract, Strip, Explain, Segment, Features];

/// Where the columns of a table have names.
const TABLES: &[Surface] = &[Surface::Python, Surface::Spark];

options! {
    /// The column of addresses.
    URL_COLUMN = Definition::new(
        Topic::Columns, "url_column", Kind::Text, READING_COLUMNS, "Column or key of JSONL and Parquet with the URL of a page.",
    ).value("NAME").default("url").on(TABLES);
    /// The column of pages.
    HTML_COLUMN = Definition::new(Topic::Columns, "html_column", Kind::Text, READING_COLUMNS, "Column or key with the HTML of a page.")
        .value("NAME").default("html").on(TABLES);
    /// The column of ids.
    ID_COLUMN = Definition::new(
        Topic::Columns, "id_column", Kind::Text, READING_COLUMNS, "Column or key with the id of a page; copied to the record.",
    ).value("NAME").default("id").on(TABLES);
    /// Columns that are copied.
    CARRY = Definition::new(
        Topic::Columns, "carry", Kind::List(&Kind::Text), READING_COLUMNS,
        "Column, key or WARC header field to copy to the record; can be repeated.",
    ).value("NAME").on(TABLES);
    /// The header of the answer that the page came with.
    CONTENT_TYPE = Definition::new(
        Topic::Reading, "content_type", Kind::Text, READING,
        "Value of the HTTP header Content-Type, if known: its charset takes precedence over the page's own.",
    ).value("HEADER");
    /// As with scripts.
    SCRIPTING = Definition::new(
        Topic::Reading, "scripting", Kind::Flag, READING,
        "Read pages as a browser that runs scripts does: ignore `noscript` elements.",
    ).on(EVERYWHERE);
    /// The largest page.
    MAX_BYTES = Definition::new(Topic::Reading, "max_bytes", Kind::Whole, LIMITED, "Refuse pages with more bytes than this.")
        .value("BYTES").default_whole(|| Limits::default().bytes as u64).on(OWN_MACHINE);
    /// The most nodes.
    MAX_NODES = Definition::new(Topic::Reading, "max_nodes", Kind::Whole, LIMITED, "Stop reading a page after this many nodes.")
        .value("NODES").default_whole(|| Limits::default().nodes as u64).on(EVERYWHERE);
    /// The deepest nesting.
    MAX_DEPTH = Definition::new(
        Topic::Reading, "max_depth", Kind::Whole, LIMITED, "Flatten elements that are nested deeper than this.",
    ).value("ELEMENTS").default_whole(|| Limits::default().depth as u64).on(EVERYWHERE);
    /// Where boxes come from.
    LAYOUT = Definition::new(
        Topic::Layout, "layout", Kind::Path, WITH_BOXES,
        "For pagelevel and `dehusk segment`: boxes by `estimate` from the page alone, `chromium` if it is on the PATH, or a .json file of \
         boxes (docs/layout.md).",
    ).value("HOW").default("estimate");
    /// Scripts in the browser.
    LAYOUT_SCRIPTS = Definition::new(
        Topic::Layout, "layout_scripts", Kind::Flag, WITH_BOXES, "Let Chromium run the scripts of the page.",
    );
    /// The network of the browser.
    LAYOUT_NETWORK = Definition::new(
        Topic::Layout, "layout_network", Kind::Flag, WITH_BOXES, "Let Chromium fetch what the page links to.",
    );
}
