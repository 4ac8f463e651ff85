//! Finds the template of a site on a page, by one more alignment.
//!
//! Input: a page and the template. Output: a detection. A text or image is template if its token is matched. A node
//! is template if all texts and images in it are. `decide.rs` turns this into decisions, so that units are kept or
//! dropped as a whole; as in the paper, exactly what matches is dropped.

use super::align_learner::{AlignTemplate, name};
use super::page_tokens::{PageTokens, TokenKind};
use super::pairwise::align;
use super::steps::Step;
use crate::dom::elements::is_media_or_control;
use crate::dom::{Document, NodeId, Stats};
use crate::rules::{Rules, drop_nodes};
use dehusk::detection::{Detection, Reason};
use dehusk::site::decide;
use dehusk::site::{Filled, FilledText, match_filled_blocks};

/// Finds the content of a page that matches an Align template.
pub fn detect_align(document: &Document, stats: &Stats, template: &AlignTemplate) -> Detection {
    let mut detection = Detection::keep_all(name(template.rules), document);
    if template.is_empty() {
        return detection;
    }
    let support = support(document, stats, template);
    let of = template.pages();
    for id in document.ids() {
        let pages = support[id.index()];
        if pages > 0 {
            detection.set_evidence(id, pages as f32 / of as f32, Reason::Aligned { pages, of });
        }
    }
    let is_template = |id: NodeId| support[id.index()] > 0;
    match template.rules {
        Rules::Paper => drop_nodes(document, &is_template, &mut detection),
        _ => decide(document, stats, &is_template, &mut detection),
    }
    detection
}

/// Returns for each node the number of pages that contain its rarest text or image. 0 if the node has none, or if one
/// of them is not in the template.
fn support(document: &Document, stats: &Stats, template: &AlignTemplate) -> Vec<u32> {
    let matched = matched_nodes(document, stats, template);
    /// The visible content of a subtree, accumulated from the last descendant.
    #[derive(Clone, Copy, PartialEq)]
    enum Content {
        Nothing,
        Template(u32),
        Own,
    }
    let join = |one: Content, two: Content| match (one, two) {
        (Content::Own, _) | (_, Content::Own) => Content::Own,
        (Content::Nothing, other) | (other, Content::Nothing) => other,
        (Content::Template(one), Content::Template(two)) => Content::Template(one.min(two)),
    };
    let mut content = vec![Content::Nothing; document.len()];
    for id in document.ids().rev() {
        let at = id.index();
        let counts = stats.subtree(document, id);
        let shows = match document.is_text(id) {
            true => counts.characters > 0,
            false => counts.pictures > 0 && is_media_or_control(document.html_name(id), document.name(id)),
        };
        if shows {
            let own = if matched[at] > 0 { Content::Template(matched[at]) } else { Content::Own };
            content[at] = join(content[at], own);
        }
        if let Some(parent) = document.parent(id) {
            content[parent.index()] = join(content[parent.index()], content[at]);
        }
    }
    let pages = |content: &Content| if let Content::Template(pages) = content { *pages } else { 0 };
    content.iter().map(pages).collect()
}

/// Returns the number of supporting pages for each node whose text or start tag is matched, or whose text is in a
/// slot that the template fills. 0 for all other nodes.
fn matched_nodes(document: &Document, stats: &Stats, template: &AlignTemplate) -> Vec<u32> {
    let page = PageTokens::with(document, template.rules);
    let own: Vec<u32> = page.tokens.iter().map(|token| template.id(token.hash)).collect();
    let common: Vec<u32> = template.tokens().iter().map(|hash| template.id(*hash)).collect();
    let mut tokens = page.tokens.iter();
    let mut texts = page.texts.iter();
    let mut two = 0;
    let mut pages = vec![0; document.len()];
    let mut is_matched = vec![false; document.len()];
    let mut filled = Vec::new();
    for step in align(&own, &common).steps {
        if step != Step::Second
            && let Some(token) = tokens.next()
        {
            let text = if token.kind == TokenKind::Text { texts.next() } else { None };
            let is_filled = text.map_or(Filled::No, |text| text.filled(template.slots()));
            if step == Step::Match && token.kind != TokenKind::End {
                pages[token.node.index()] = template.counts()[two];
            } else if let Some(text) = text
                && is_filled != Filled::No
            {
                filled.push(FilledText { node: token.node, slot: text.slot });
            }
            is_matched[token.node.index()] |= pages[token.node.index()] > 0 || is_filled == Filled::Yes;
        }
        two += (step != Step::First) as usize;
    }
    match_filled_blocks(document, stats, &filled, &mut is_matched);
    for text in filled.iter().filter(|text| is_matched[text.node.index()]) {
        pages[text.node.index()] = template.pages();
    }
    pages
}
