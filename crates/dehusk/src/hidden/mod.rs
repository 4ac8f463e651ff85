//! Content that is not in the visible text of a page: in JSON-LD, `<noscript>`, `<template>` and the data scripts draw it from.
//!
//! Takes a [`Document`] and returns what such a place holds, as HTML and as text, with the place it is from. It is a fallback: it
//! says nothing about what is visible, and the caller uses it only where that is nearly empty ([`fallback`]). Work and memory
//! are bounded by constants; no script is run.

mod islands;
mod jsonld;
mod prose;

use crate::detection::Detection;
use crate::detector::Detector;
use crate::dom::Limits;
use crate::dom::{Document, Name, NodeId, NodeKind, Parser};
use crate::hidden_source::HiddenSource;
use crate::output::{self, OutputFormat, RenderOptions};
use prose::count_words;

/// Fewer words than these, and what was found on a page is nearly nothing: a title, a cookie notice, "please wait".
pub(crate) const NEARLY_EMPTY: usize = 50;

/// Hidden content has to hold so many times the words of what is visible, so that a short page stays what it is.
const TIMES_AS_MANY: usize = 3;

/// Bytes of hidden content that are handed on.
const MOST_BYTES: usize = 4 << 20;

/// Content that is not in the visible text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HiddenContent {
    /// Where it was found.
    pub source: HiddenSource,
    /// It as plain text.
    pub text: String,
    /// It as HTML, as the page wrote it: neither complete nor safe. [`HiddenContent::render`] gives safe HTML.
    pub html: String,
    /// Words of the text.
    pub words: usize,
}

impl HiddenContent {
    /// None where the HTML holds no words.
    fn new(source: HiddenSource, mut html: String) -> Option<HiddenContent> {
        let mut end = html.len().min(MOST_BYTES);
        while !html.is_char_boundary(end) {
            end -= 1;
        }
        html.truncate(end);
        let text = render(&html, OutputFormat::Text, RenderOptions::default());
        let words = count_words(&text);
        (words > 0).then_some(HiddenContent { source, text, html, words })
    }

    /// It in a format of the result. As JSON it is one record like that of a page.
    pub fn render(&self, format: OutputFormat, options: RenderOptions) -> String {
        render(&self.html, format, options)
    }
}

fn render(html: &str, format: OutputFormat, options: RenderOptions) -> String {
    let Ok(document) = Parser::new(Limits::default()).parse(html) else { return String::new() };
    let detection = Detection::keep_all(Detector::None, &document);
    output::render(&document, &detection, format, options)
}

/// The hidden content to use for a page whose visible content has so many words.
///
/// None unless that is nearly empty (under 50 words). Then the first source, in the order of [`HiddenSource::ALL`], that holds at
/// least 50 words and three times as many as the visible content. A description is about the content and not the content, so that it
/// is never used: of the 8 pages of wcxb-dev it would be used for, it held half of the reference on none, and 2 have no content.
pub fn fallback(document: &Document, visible_words: usize) -> Option<HiddenContent> {
    if visible_words >= NEARLY_EMPTY {
        return None;
    }
    let enough = NEARLY_EMPTY.max(TIMES_AS_MANY * visible_words);
    let sources = HiddenSource::ALL.into_iter().filter(|source| *source != HiddenSource::Description);
    sources.filter_map(|source| hidden_content(document, source)).find(|content| content.words >= enough)
}

/// What one source holds, however little; none where it holds no words.
pub fn hidden_content(document: &Document, source: HiddenSource) -> Option<HiddenContent> {
    let html = match source {
        HiddenSource::JsonLd => jsonld::bodies(document),
        HiddenSource::Description => jsonld::description(document),
        HiddenSource::Noscript => noscript(document),
        HiddenSource::Template => templates(document),
        HiddenSource::DataIsland => islands::prose(document),
    };
    HiddenContent::new(source, html)
}

/// The words in the `<noscript>` elements of a page, which are part of its visible text unless it was parsed as by a browser
/// that runs scripts.
pub fn noscript_words(document: &Document) -> usize {
    hidden_content(document, HiddenSource::Noscript).map_or(0, |content| content.words)
}

/// The sources of all `<noscript>` elements. With scripts on, they hold their source as a text; with scripts off, nodes.
fn noscript(document: &Document) -> String {
    sources(document, |id| document.html_name(id) == Name::NOSCRIPT)
}

/// The sources of the contents of all `<template>` elements.
fn templates(document: &Document) -> String {
    sources(document, |id| document.html_name(id) == Name::TEMPLATE)
}

/// What stands between the tags of the outermost elements of a kind, in page order.
fn sources(document: &Document, is_wanted: impl Fn(NodeId) -> bool) -> String {
    let mut out = String::new();
    let mut next = NodeId(0);
    while next.index() < document.len() && out.len() < MOST_BYTES {
        let id = next;
        let wanted = document.is_element(id) && is_wanted(id);
        // What a template holds is asked for as a template or not at all.
        let skip = wanted || document.kind(id) == NodeKind::Fragment;
        next = if skip { document.end(id) } else { NodeId(id.0 + 1) };
        if let Some(inner) = document.inner_span(id).filter(|_| wanted)
            && let Some(source) = document.source().get(inner)
        {
            // A block of its own, so that neither words nor open elements run into the next.
            out.push_str("<div>");
            out.push_str(source);
            out.push_str("</div>\n");
        }
    }
    out
}

#[cfg(test)]
mod tests;
