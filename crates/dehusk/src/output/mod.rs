//! What is left of a page, in the shape the caller wants.
//!
//! Every renderer takes a [`Document`] and a [`Detection`](crate::Detection) and writes the kept part once, in page order, in time
//! linear in the page. None of them changes the document, decides what is kept, or resolves relative URLs.

mod allowed;
mod blocks;
mod drawing;
mod explain;
mod formula;
mod html;
mod json;
mod jsonwriter;
mod markdown;
mod strip;
mod tables;
mod text;
mod urls;
mod walk;

use crate::dom::{Document, Name};

pub use blocks::blocks;
pub use drawing::render_templates;
pub use explain::{ExplainOptions, append_explanation, render_explanation};
pub use html::{append_html, render_html};
pub use json::{append_json, render_json};
pub(crate) use jsonwriter::JsonWriter;
pub use markdown::{append_markdown, render_markdown};
pub use strip::{append_stripped, strip, stripped_spans};
pub use text::{append_text, render_text};

/// What the renderers write beside the shown text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RenderOptions {
    hidden: bool,
    links: bool,
    images: bool,
}

impl Default for RenderOptions {
    fn default() -> RenderOptions {
        RenderOptions { hidden: false, links: true, images: true }
    }
}

impl RenderOptions {
    /// Whether to write what carries `hidden` or `style="display:none"`; off unless set.
    pub fn with_hidden(mut self, hidden: bool) -> RenderOptions {
        self.hidden = hidden;
        self
    }

    /// Whether Markdown and HTML keep the targets of links; on unless unset. Their text stays either way.
    pub fn with_links(mut self, links: bool) -> RenderOptions {
        self.links = links;
        self
    }

    /// Whether Markdown and HTML keep images; on unless unset.
    pub fn with_images(mut self, images: bool) -> RenderOptions {
        self.images = images;
        self
    }
}

/// The text of the page's `<title>`, white space collapsed; none where it is missing or empty.
pub fn title(document: &Document) -> Option<String> {
    let element = document.find(Name::TITLE)?;
    let mut title = String::new();
    for child in document.children(element) {
        for word in document.text(child).split_whitespace() {
            if !title.is_empty() {
                title.push(' ');
            }
            title.push_str(word);
        }
    }
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
pub(crate) mod fixture {
    use super::*;
    use crate::detection::Detection;
    use crate::dom::{NodeKind, Parser};
    use crate::limits::Limits;

    /// Parses a page and drops every element with a `data-drop` attribute.
    pub(crate) fn page(source: &str) -> (Document, Detection) {
        let document = Parser::new(Limits::default()).parse(source).expect("a small page parses");
        let mut detection = Detection::keep_all("test", &document);
        for id in document.ids().filter(|id| document.kind(*id) == NodeKind::Element) {
            let marked = document.attributes(id).iter().any(|a| document.name_text(a.name) == "data-drop");
            if marked {
                detection.drop_subtree(&document, id);
            }
        }
        (document, detection)
    }
}
