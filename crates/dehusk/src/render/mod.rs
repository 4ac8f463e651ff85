//! Renders the kept part of a page in the format the caller wants.
//!
//! Every renderer takes a [`Document`] and a [`Detection`] and writes each kept text once, in page order, in
//! linear time. No renderer changes the document or decides what is kept.

pub(crate) mod elements;
pub(crate) mod explain;
pub(crate) mod glued_texts;
pub(crate) mod html;
pub(crate) mod json_record;
pub(crate) mod markdown;
pub(crate) mod page_blocks;
pub(crate) mod plain_text;
pub(crate) mod record_page;
pub(crate) mod render_options;
pub(crate) mod strip;
pub(crate) mod title;
pub(crate) mod walk;

use crate::detection::Detection;
use crate::dom::Document;
use crate::records::{find_records, render_records_json};

pub use explain::{ExplainOptions, append_explanation, render_explanation};
pub use html::{append_html, render_html};
pub use json_record::{append_json, render_json};
pub use markdown::{append_markdown, render_markdown};
pub use page_blocks::blocks;
pub use plain_text::{append_text, render_text};
pub use record_page::{content_records, render_records_markdown};
pub use render_options::{OutputFormat, RenderOptions};
pub use strip::{append_stripped, strip, stripped_spans};
pub use title::title;

/// Renders the kept part of a page in a format.
pub fn render(document: &Document, detection: &Detection, format: OutputFormat, options: RenderOptions<'_>) -> String {
    match format {
        OutputFormat::Text => render_text(document, detection, options),
        OutputFormat::Markdown => render_markdown(document, detection, options),
        OutputFormat::Html => render_html(document, detection, options),
        OutputFormat::Json => render_json(document, detection, options),
        OutputFormat::Records => {
            let records = find_records(document, detection, options.base.map(|base| base.as_str()));
            render_records_json(document, &content_records(records))
        }
    }
}

#[cfg(test)]
pub(crate) mod fixture {
    use crate::detection::Detection;
    use crate::detection::Detectors;
    use crate::dom::{Document, Limits, NodeKind, Parser};

    /// Parses a page and drops every element with a `data-drop` attribute.
    pub(crate) fn page(source: &str) -> (Document, Detection) {
        let document = Parser::new(Limits::default()).parse(source).expect("a small page parses");
        let mut detection = Detection::keep_all(Detectors::NONE, &document);
        for id in document.ids().filter(|id| document.kind(*id) == NodeKind::Element) {
            let marked = document.attributes(id).iter().any(|a| document.name_text(a.name) == "data-drop");
            if marked {
                detection.drop_subtree(&document, id);
            }
        }
        (document, detection)
    }
}
