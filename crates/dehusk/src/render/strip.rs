//! The original source without the dropped nodes.
//!
//! Input: a document and a detection. Output: the page's own markup, byte for byte, without the ranges of dropped nodes.
//! Scripts, styles and event handlers of the kept part are kept, so the output is not safe to display.
//! [`render_html`](super::html::render_html) returns sanitized markup.

use crate::detection::Detection;
use crate::dom::Document;
use std::ops::Range;

/// The byte ranges of the source that belong to dropped nodes, sorted and merged.
pub fn stripped_spans(document: &Document, detection: &Detection) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for root in detection.dropped_roots(document) {
        document.append_own_spans(root, &mut spans);
    }
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ if span.is_empty() => {}
            _ => merged.push(span),
        }
    }
    merged
}

/// The source of the page without the dropped nodes: raw original markup, not sanitized.
pub fn strip(document: &Document, detection: &Detection) -> String {
    let mut out = String::new();
    append_stripped(document, detection, &mut out);
    out
}

/// Appends the source of the page without the dropped nodes: raw original markup, not sanitized.
pub fn append_stripped(document: &Document, detection: &Detection, out: &mut String) {
    let source = document.source();
    let mut kept_from = 0;
    for span in stripped_spans(document, detection) {
        out.push_str(&source[kept_from..span.start]);
        kept_from = span.end;
    }
    out.push_str(&source[kept_from..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;

    fn stripped(source: &str) -> String {
        let (document, detection) = page(source);
        strip(&document, &detection)
    }

    #[test]
    fn removes_exactly_the_dropped_nodes() {
        assert_eq!(
            stripped("<p>a<!-- c --><nav data-drop>x<b>y</b></nav><P CLASS=z>b&amp;c"),
            "<p>a<!-- c --><P CLASS=z>b&amp;c"
        );
        assert_eq!(stripped("a<i data-drop>x</i><b data-drop>y</b>c"), "ac");
        assert_eq!(stripped("<ul><li>a<li data-drop>b<li>c</ul>"), "<ul><li>a<li>c</ul>");
        assert_eq!(stripped("unchanged <p>page"), "unchanged <p>page");
    }

    #[test]
    fn text_the_parser_moved_out_of_a_table_is_kept() {
        assert_eq!(stripped("<table data-drop><tr>moved<td>x</table>z"), "movedz");
    }

    #[test]
    fn merges_spans() {
        let (document, detection) = page("a<i data-drop>x</i><b data-drop>y</b>c<i data-drop>z</i>");
        assert_eq!(stripped_spans(&document, &detection), [1..37, 38..56]);
    }
}
