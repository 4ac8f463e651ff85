//! A report for people: the tree of a page with the decision, score and reason of each node.
//!
//! Input: a document and a detection. Output: one line per node, indented by depth. A subtree with one decision for all its
//! nodes is one line with the start of its text. The report only shows what the detection contains.

use super::render_options::RenderOptions;
use super::walk::{Event, Walk};
use crate::detection::Detection;
use crate::dom::{Document, Name, NodeId, NodeKind};
use std::fmt::Write;

/// The extent of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExplainOptions {
    depth: usize,
    width: usize,
}

impl Default for ExplainOptions {
    fn default() -> ExplainOptions {
        ExplainOptions { depth: 64, width: 40 }
    }
}

impl ExplainOptions {
    /// Sets the depth below which a subtree is one line even if only a part of it is dropped; 64 by default.
    pub fn with_depth(mut self, depth: usize) -> ExplainOptions {
        self.depth = depth;
        self
    }

    /// Sets the number of characters shown of a node's text; 40 by default. The rest of the line is not limited.
    pub fn with_width(mut self, width: usize) -> ExplainOptions {
        self.width = width;
        self
    }
}

/// Renders the report on a page.
pub fn render_explanation(document: &Document, detection: &Detection, options: ExplainOptions) -> String {
    let mut out = String::new();
    append_explanation(document, detection, options, &mut out);
    out
}

/// Appends the report on a page.
pub fn append_explanation(document: &Document, detection: &Detection, options: ExplainOptions, out: &mut String) {
    let dropped = dropped_before(document, detection);
    let mut next = 1;
    while next < document.len() {
        let id = NodeId(next as u32);
        let subtree = document.subtree(id);
        let count = (dropped[subtree.end] - dropped[subtree.start]) as usize;
        let decision = match count {
            0 => SubtreeDecision::Kept,
            _ if detection.is_dropped(id) => SubtreeDecision::Dropped,
            _ => SubtreeDecision::Mixed,
        };
        let deep = document.depth(id) > options.depth;
        if is_reported(document, id) {
            append_line(document, detection, options, id, decision, out);
            if decision == SubtreeDecision::Mixed && deep {
                let _ = write!(out, "  {count} of {} nodes in it are dropped", subtree.len());
            }
            out.push('\n');
        }
        next = if decision == SubtreeDecision::Mixed && !deep { next + 1 } else { subtree.end };
    }
    if detection.details_are_cut() {
        out.push_str("The page has too many nodes to show the features of each.\n");
    }
}

/// The decision about a whole subtree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SubtreeDecision {
    Kept,
    Dropped,
    Mixed,
}

/// For each node and the end, the number of dropped nodes before it.
fn dropped_before(document: &Document, detection: &Detection) -> Vec<u32> {
    let mut total = 0;
    let before = document.ids().map(|id| {
        total += detection.is_dropped(id) as u32;
        total
    });
    std::iter::once(0).chain(before).collect()
}

/// Whether a node has a line of its own: elements, and texts that are not only white space.
fn is_reported(document: &Document, id: NodeId) -> bool {
    match document.kind(id) {
        NodeKind::Element => true,
        NodeKind::Text => !document.text(id).trim().is_empty(),
        _ => false,
    }
}

fn append_line(
    document: &Document,
    detection: &Detection,
    options: ExplainOptions,
    id: NodeId,
    decision: SubtreeDecision,
    out: &mut String,
) {
    let word = match decision {
        SubtreeDecision::Kept => "keep",
        SubtreeDecision::Dropped => "drop",
        SubtreeDecision::Mixed => "part",
    };
    out.extend(std::iter::repeat_n("  ", document.depth(id).saturating_sub(1)));
    let _ = write!(out, "{word} {:.2} ", detection.score(id));
    append_name(document, id, out);
    if decision != SubtreeDecision::Mixed {
        append_text_start(document, id, options.width, out);
    }
    let _ = write!(out, "  {}", detection.reason(id));
    if let Some(detail) = detection.detail(id).filter(|_| decision != SubtreeDecision::Mixed) {
        let _ = write!(out, " ({detail})");
    }
}

/// Appends the name of a node as in `<nav> nav#menu.main`.
fn append_name(document: &Document, id: NodeId, out: &mut String) {
    if !document.is_element(id) {
        return out.push_str("text");
    }
    let name = document.name_text(document.name(id));
    let _ = write!(out, "<{name}> {name}");
    if let Some(id) = document.attribute(id, Name::ID).map(str::trim).filter(|id| !id.is_empty()) {
        out.push('#');
        append_short(id, out);
    }
    for class in document.attribute(id, Name::CLASS).unwrap_or_default().split_ascii_whitespace().take(3) {
        out.push('.');
        append_short(class, out);
    }
}

/// Appends at most 40 characters of a name: generated names can be as long as the page.
fn append_short(text: &str, out: &mut String) {
    out.extend(text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }));
}

/// Appends the first `width` characters of the text of a subtree, in quotes.
fn append_text_start(document: &Document, id: NodeId, width: usize, out: &mut String) {
    let walk = Walk::within(document, None, RenderOptions::default().with_hidden(true), document.subtree(id));
    let texts = walk.filter_map(|event| match event {
        Event::Text(id) => Some(document.text(id)),
        _ => None,
    });
    let mut left = width;
    let mut open = false;
    for word in texts.flat_map(str::split_whitespace) {
        out.push_str(if open { " " } else { "  \"" });
        left = left.saturating_sub(open as usize);
        open = true;
        for c in word.chars() {
            if left == 0 {
                out.push_str("…\"");
                return;
            }
            out.push(c);
            left -= 1;
        }
    }
    if open {
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::Reason;
    use crate::render::fixture::page;

    #[test]
    fn one_line_for_one_decision() {
        let source = "<nav id=menu class='main x' data-drop><a>Home</a> <a>About</a> <a>Contact</a></nav><p>Some <b>text</b></p>";
        let (document, mut detection) = page(source);
        let nav = detection.dropped_roots(&document).next().expect("the dropped node");
        detection.set_evidence(nav, 0.92, Reason::Repeated { pages: 11, of: 12 });
        let report = render_explanation(&document, &detection, ExplainOptions::default().with_width(14));
        let expected = "part 0.00 <html> html  no evidence\n\
            \x20 keep 0.00 <head> head  no evidence\n\
            \x20 part 0.00 <body> body  no evidence\n\
            \x20   drop 0.92 <nav> nav#menu.main.x  \"Home About Con…\"  repeated on 11 of 12 pages\n\
            \x20   keep 0.00 <p> p  \"Some text\"  no evidence\n";
        assert_eq!(report, expected);
        let report = render_explanation(&document, &detection, ExplainOptions::default().with_depth(0));
        assert_eq!(report, "part 0.00 <html> html  no evidence  9 of 16 nodes in it are dropped\n");
    }
}
