//! Sample pages to learn from: their source without what no method reads.
//!
//! A source is smaller than any tree built from it, compresses well and is quickly parsed again. Samples can
//! therefore be stored in files and stores, and serve every method.

use super::page_shape::Shape;
use crate::dom::elements::is_unseen;
use crate::dom::{Document, Fingerprints, NodeId, NodeKind, Parser, Stats};
use crate::read::parsed_page::ParsedPage;
use crate::site::mapping::page_tree::PageTree;
use crate::site::templates::sitelevel::page_evidence;
use std::ops::Range;

/// Larger pages are counted but not stored. In bytes; fewer than one in a hundred pages of the open web is larger.
const MAX_BYTES: usize = 256 << 10;
/// Replaces what is left out, so that the texts on both sides of it remain two.
const PLACEHOLDER: &str = "<!---->";

/// Returns the source of a page without scripts, styles and comments, or `None` if it is too large.
pub fn page_source(document: &Document) -> Option<String> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = NodeId::DOCUMENT;
    while at.index() < document.len() {
        let left_out = match document.kind(at) {
            NodeKind::Comment | NodeKind::ProcessingInstruction => true,
            NodeKind::Element => is_unseen(document.html_name(at)) && document.html_name(at) != crate::dom::Name::HEAD,
            _ => false,
        };
        if left_out {
            document.append_own_spans(at, &mut spans);
            at = document.end(at);
        } else {
            at.0 += 1;
        }
    }
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let source = document.source();
    let mut out = String::with_capacity(source.len().min(MAX_BYTES));
    let mut done = 0;
    for span in spans.into_iter().filter(|span| span.len() > PLACEHOLDER.len()) {
        if span.start >= done {
            out.push_str(source.get(done..span.start)?);
            out.push_str(PLACEHOLDER);
            done = span.end;
        }
    }
    out.push_str(source.get(done..)?);
    (out.len() <= MAX_BYTES).then_some(out)
}

/// A parsed page of the sample.
pub(crate) struct SamplePage {
    /// Identifies the page within its site.
    pub(crate) key: String,
    pub(crate) document: Document,
    pub(crate) stats: Stats,
    pub(crate) fingerprints: Fingerprints,
    pub(crate) evidence: Vec<u64>,
    pub(crate) shape: Shape,
    pub(crate) tree: PageTree,
}

impl SamplePage {
    /// Parses a page, or returns `None` if that fails.
    pub(crate) fn parse(key: u64, source: &str, parser: &mut Parser) -> Option<SamplePage> {
        let document = parser.parse(source).ok()?;
        let stats = Stats::of(&document);
        let mut fingerprints = Fingerprints::default();
        fingerprints.compute(&document);
        let evidence = page_evidence(&ParsedPage::new(&document, &stats, &fingerprints));
        let shape = Shape::of(&document, &stats);
        let tree = PageTree::of(&document);
        Some(SamplePage { key: format!("{key:016x}"), document, stats, fingerprints, evidence, shape, tree })
    }

    pub(crate) fn parsed(&self) -> ParsedPage<'_> {
        ParsedPage::new(&self.document, &self.stats, &self.fingerprints)
    }
}
