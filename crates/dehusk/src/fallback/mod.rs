//! The fallback for pages with hardly any visible text: content in JSON-LD, `<noscript>`, `<template>` or the data that scripts
//! render the page from.
//!
//! Input: a [`Document`]. Output: the content of one of these sources as HTML and as text. It does not depend on the visible
//! text; [`fallback_content`] decides when to use it. Work and memory are bounded by constants; no script is run.

mod data_islands;
mod json_ld_bodies;
mod prose;

use crate::detection::Detection;
use crate::detection::Detectors;
use crate::dom::Limits;
use crate::dom::{Document, Name, NodeId, NodeKind, Parser};
use crate::fallback_source::FallbackSource;
use crate::render;
use crate::render::render_options::{OutputFormat, RenderOptions};
use prose::count_words;

/// A page with fewer visible words is nearly empty: it shows a title, a cookie notice, "please wait".
pub(crate) const MIN_VISIBLE_WORDS: usize = 50;

/// A page that shows this many words, menus included, is not waiting for a script. What its scripts hold besides is settings and messages.
pub(crate) const MAX_SHOWN_WORDS: usize = 250;

/// The fallback must have at least this many times the words of the visible content; otherwise a short page would be replaced.
const MIN_RATIO: usize = 3;

/// Content of at least this many words is not replaced by data of scripts: a table of results is short.
const MIN_KEPT_WORDS: usize = 20;

/// Minimum number of words of a paragraph in data of scripts.
const PARAGRAPH_WORDS: usize = 30;

/// Maximum size of the fallback content in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Content from outside the visible text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FallbackContent {
    /// Its source on the page.
    pub source: FallbackSource,
    /// The content as plain text.
    pub text: String,
    /// The content as HTML as the page has it: neither complete nor safe. [`FallbackContent::render`] returns safe HTML.
    pub html: String,
    /// Number of words of the text.
    pub words: usize,
}

impl FallbackContent {
    /// Returns `None` if the HTML contains no words.
    fn new(source: FallbackSource, mut html: String) -> Option<FallbackContent> {
        let mut end = html.len().min(MAX_BYTES);
        while !html.is_char_boundary(end) {
            end -= 1;
        }
        html.truncate(end);
        let text = render(&html, OutputFormat::Text, RenderOptions::default());
        let words = count_words(&text);
        (words > 0).then_some(FallbackContent { source, text, html, words })
    }

    /// Renders the content in a format. As JSON it is one record, like that of a page.
    pub fn render(&self, format: OutputFormat, options: RenderOptions) -> String {
        render(&self.html, format, options)
    }
}

fn render(html: &str, format: OutputFormat, options: RenderOptions) -> String {
    let Ok(document) = Parser::new(Limits::default()).parse(html) else { return String::new() };
    let detection = Detection::keep_all(Detectors::NONE, &document);
    render::render(&document, &detection, format, options)
}

/// The fallback for a page that shows `shown_words` in all, `kept_words` of them content.
///
/// `None` unless the content is nearly empty (under 50 words). Otherwise the first source, in the order of [`FallbackSource::ALL`],
/// with at least 50 words and at least three times as many as the content. A page that shows a lot of text is no empty shell, so there
/// only JSON-LD is used, which says itself that it is the content. A description is about the content and is not
/// the content itself, so it is never used: of the 8 pages of wcxb-dev it would be used for, it contained half of the reference on
/// none, and 2 have no content.
pub fn fallback_content(document: &Document, kept_words: usize, shown_words: usize) -> Option<FallbackContent> {
    if kept_words >= MIN_VISIBLE_WORDS {
        return None;
    }
    let enough = MIN_VISIBLE_WORDS.max(MIN_RATIO * kept_words);
    let is_used = |source: &FallbackSource| match source {
        FallbackSource::Description => false,
        FallbackSource::JsonLd => true,
        FallbackSource::DataIsland => shown_words < MAX_SHOWN_WORDS && kept_words < MIN_KEPT_WORDS,
        _ => shown_words < MAX_SHOWN_WORDS,
    };
    let sources = FallbackSource::ALL.into_iter().filter(is_used);
    let is_content = |content: &FallbackContent| {
        content.words >= enough && (content.source != FallbackSource::DataIsland || has_paragraphs(&content.text))
    };
    sources.filter_map(|source| fallback_from(document, source)).find(is_content)
}

/// Whether half of a text is in paragraphs. Settings and messages of programs are a sentence each.
fn has_paragraphs(text: &str) -> bool {
    let words = |long_only: bool| -> usize {
        let counts = text.lines().map(count_words);
        counts.filter(|words| !long_only || *words >= PARAGRAPH_WORDS).sum()
    };
    2 * words(true) >= words(false)
}

/// The content of one source, regardless of its length. `None` if it contains no words.
pub fn fallback_from(document: &Document, source: FallbackSource) -> Option<FallbackContent> {
    let html = match source {
        FallbackSource::JsonLd => json_ld_bodies::bodies(document),
        FallbackSource::Description => json_ld_bodies::description(document),
        FallbackSource::Noscript => noscript(document),
        FallbackSource::Template => templates(document),
        FallbackSource::DataIsland => data_islands::prose(document),
    };
    FallbackContent::new(source, html)
}

/// The source of all `<noscript>` elements. Parsed with scripting on they contain a text, with scripting off nodes; the source is
/// the same.
fn noscript(document: &Document) -> String {
    sources(document, |id| document.html_name(id) == Name::NOSCRIPT)
}

/// The source of the contents of all `<template>` elements.
fn templates(document: &Document) -> String {
    sources(document, |id| document.html_name(id) == Name::TEMPLATE)
}

/// The source between the tags of the outermost wanted elements, in page order.
fn sources(document: &Document, is_wanted: impl Fn(NodeId) -> bool) -> String {
    let mut out = String::new();
    let mut next = NodeId(0);
    while next.index() < document.len() && out.len() < MAX_BYTES {
        let id = next;
        let wanted = document.is_element(id) && is_wanted(id);
        // The contents of a template count only as a template.
        let skip = wanted || document.kind(id) == NodeKind::Fragment;
        next = if skip { document.end(id) } else { NodeId(id.0 + 1) };
        if let Some(inner) = document.inner_span(id).filter(|_| wanted)
            && let Some(source) = document.source().get(inner)
        {
            // In a block of its own, so that neither words nor open elements run into the next one.
            out.push_str("<div>");
            out.push_str(source);
            out.push_str("</div>\n");
        }
    }
    out
}

#[cfg(test)]
mod tests;
