//! Checks the source spans of a parsed page.

use dehusk_dom::tokens::{PageToken, State, tokenize};
use dehusk_dom::{Document, NodeId, NodeKind, Placement};
use std::ops::Range;

/// Counts of nodes by placement and by special cases.
#[derive(Default, Clone, Debug)]
pub(crate) struct Counts {
    /// Nodes with placement source, moved, copied, invented.
    pub(crate) placements: [u64; 4],
    /// Nodes whose span contains bytes of other nodes.
    pub(crate) shared_spans: u64,
    /// Texts joined from several source ranges.
    pub(crate) scattered: u64,
    /// Elements with an end tag of their own.
    pub(crate) closed: u64,
}

/// Checks all spans of a document. Returns the counts and a list of errors.
pub(crate) fn check(document: &Document, counts: &mut Counts) -> Vec<String> {
    let mut wrong = Vec::new();
    for id in document.ids() {
        let placement = document.placement(id);
        counts.placements[placement as usize] += 1;
        let Some(span) = document.span(id) else { continue };
        counts.shared_spans += u64::from(!document.owns_span(id));
        let mut report =
            |problem: &str| wrong.push(format!("{id:?} {:?} {placement:?} {span:?}: {problem}", document.kind(id)));
        let Some(slice) = document.source().get(span.clone()) else {
            report("is not a range of the source");
            continue;
        };
        match document.kind(id) {
            NodeKind::Element => {
                let inner = document.inner_span(id).unwrap_or_default();
                counts.closed += u64::from(inner.end < span.end);
                check_element(document, id, slice, &span, &inner, &mut report);
            }
            NodeKind::Text => check_text(document, id, slice, counts, &mut report),
            NodeKind::Comment | NodeKind::ProcessingInstruction | NodeKind::Doctype => {
                if !["<!", "<?", "</"].iter().any(|start| slice.starts_with(start)) {
                    report("does not start like a comment");
                }
            }
            _ => report("should have no span"),
        }
        if placement == Placement::Source {
            check_nesting(document, id, &span, &mut report);
        }
    }
    check_siblings(document, &mut wrong);
    wrong
}

fn check_element(
    document: &Document,
    id: NodeId,
    slice: &str,
    span: &Range<usize>,
    inner: &Range<usize>,
    report: &mut impl FnMut(&str),
) {
    let name = document.name_text(document.name(id));
    let start = slice.as_bytes();
    let has_name = |name: &str| {
        // A NUL byte in a name is a replacement character in the tree.
        let name = name.split('\u{fffd}').next().unwrap_or_default().as_bytes();
        start.len() > name.len() && start[0] == b'<' && start[1..=name.len()].eq_ignore_ascii_case(name)
    };
    let is_image = name == "img" && has_name("image");
    if !is_image && !has_name(name) {
        report(&format!("does not start with the tag <{name}"));
    }
    if !(span.start < inner.start && inner.start <= inner.end && inner.end <= span.end) {
        report(&format!("does not contain its inner span {inner:?}"));
        return;
    }
    if document.source().as_bytes()[inner.start - 1] != b'>' {
        report("its start tag does not end with >");
    }
    if inner.end < span.end {
        let close = &document.source()[inner.end..span.end];
        if !(close.starts_with("</") && close.ends_with('>')) {
            report(&format!("{close:?} is not an end tag"));
        }
    }
}

/// Checks that a text equals its decoded bytes; if it was joined from several ranges, the decoded pieces.
fn check_text(document: &Document, id: NodeId, slice: &str, counts: &mut Counts, report: &mut impl FnMut(&str)) {
    let text = document.text(id);
    if document.owns_span(id) {
        if slice != text && !readings(slice).contains(&text.to_string()) {
            report(&format!("{slice:?} does not decode to {text:?}"));
        }
        return;
    }
    counts.scattered += 1;
    let mut own = Vec::new();
    document.append_own_spans(id, &mut own);
    // Positions in the text where the pieces so far may end: a piece such as `&amp` can be read in two ways.
    let mut ends = vec![0];
    for range in &own {
        let readings = readings(&document.source()[range.clone()]);
        let mut next = Vec::new();
        for end in ends {
            let fitting = readings.iter().filter(|reading| text[end..].starts_with(reading.as_str()));
            next.extend(fitting.map(|reading| end + reading.len()));
        }
        next.sort_unstable();
        next.dedup();
        ends = next;
    }
    if !ends.contains(&text.len()) {
        report(&format!("its pieces {own:?} do not decode to {text:?}"));
    }
}

/// A slice decoded as ordinary text, as RCDATA and as raw text; the element decides which one applies.
fn readings(slice: &str) -> Vec<String> {
    let read = |state| {
        let mut out = String::new();
        for token in tokenize(slice, state, None) {
            match token {
                PageToken::Text(text) => out.push_str(&text),
                _ => return None,
            }
        }
        // A NUL byte that the tree builder drops is not part of a span; one that it keeps is replaced.
        Some(out.replace('\0', "\u{fffd}"))
    };
    [State::Data, State::Rcdata, State::Rawtext].into_iter().filter_map(read).collect()
}

fn check_nesting(document: &Document, id: NodeId, span: &Range<usize>, report: &mut impl FnMut(&str)) {
    let outer =
        document.ancestors(id).find_map(|ancestor| document.inner_span(ancestor).map(|inner| (ancestor, inner)));
    if let Some((ancestor, inner)) = outer
        && !(inner.start <= span.start && span.end <= inner.end)
    {
        report(&format!("is not inside {ancestor:?} {inner:?}"));
    }
}

/// Checks that siblings with placement `Source` are in source order.
fn check_siblings(document: &Document, wrong: &mut Vec<String>) {
    let mut ends = vec![0usize; document.len()];
    for id in document.ids().skip(1) {
        if document.placement(id) != Placement::Source {
            continue;
        }
        let (Some(parent), Some(span)) = (document.parent(id), document.span(id)) else { continue };
        let end = &mut ends[parent.index()];
        if span.start < *end {
            wrong.push(format!("{id:?} {span:?}: overlaps a sibling that ends at {end}"));
        }
        *end = span.end;
    }
}
