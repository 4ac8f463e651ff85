//! The front door of segmentation: a page in, its segments out, by any segmenter.

use super::page_segments::Segmentation;
use crate::dom::elements::{begins_word, is_block};
use crate::dom::{Document, Limits, Name, NodeId, Parser, decode};
use crate::error::Error;
use crate::flags::Flag;
use crate::layout::Layout;
use crate::page::Page;
use std::fmt;
use std::sync::Arc;

/// A method that splits a page into segments.
///
/// Its `Debug` output shows everything its results depend on.
pub trait Segmenter: Send + Sync + fmt::Debug {
    /// The name in flags and rows, such as `best`.
    fn name(&self) -> &'static str;

    /// Splits a parsed page into segments. Returns also the layout it used: that of the boxes given with the page, or an estimate.
    ///
    /// # Errors
    /// If boxes were given that do not belong to the page.
    fn segment(&self, document: &Document, page: &Page<'_>) -> Result<(Layout, Segmentation), Error>;
}

/// Reads pages and splits them into segments.
#[derive(Clone, Debug)]
pub struct PageSegmenter {
    segmenter: Arc<dyn Segmenter>,
    limits: Limits,
    scripting: bool,
}

/// A page and its segments.
#[derive(Clone, Debug)]
pub struct SegmentedPage {
    /// The tree.
    pub document: Document,
    /// Its boxes.
    pub layout: Layout,
    /// The segments.
    pub segmentation: Segmentation,
    /// The name of the segmenter that found them.
    pub method: &'static str,
}

impl PageSegmenter {
    /// Splits pages by this method.
    #[must_use]
    pub fn new(segmenter: Arc<dyn Segmenter>) -> PageSegmenter {
        PageSegmenter { segmenter, limits: Limits::default(), scripting: false }
    }

    /// Sets what one page may cost.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> PageSegmenter {
        self.limits = limits;
        self
    }

    /// Sets whether to read pages as a browser that runs scripts does, which ignores `noscript` elements.
    #[must_use]
    pub fn with_scripting(mut self, scripting: bool) -> PageSegmenter {
        self.scripting = scripting;
        self
    }

    /// The method.
    #[must_use]
    pub fn segmenter(&self) -> &Arc<dyn Segmenter> {
        &self.segmenter
    }

    /// Splits a page into segments.
    ///
    /// # Errors
    /// If the bytes are not a page, such as an image, or exceed a limit, or if boxes were given that do not belong to the page.
    pub fn segment<'p>(&self, page: impl Into<Page<'p>>) -> Result<SegmentedPage, Error> {
        let page = page.into();
        let decoded = decode(page.bytes, page.content_type, &self.limits)?;
        let document = Parser::new(self.limits).with_scripting(self.scripting).parse(decoded.text)?;
        let (layout, segmentation) = self.segmenter.segment(&document, &page)?;
        Ok(SegmentedPage { document, layout, segmentation, method: self.segmenter.name() })
    }
}

/// The nodes between two texts that are searched for a line break.
const MAX_NODES_BETWEEN: usize = 8;

impl SegmentedPage {
    /// The limits that the page hit, as flags: the segments are those of a part of the page.
    pub fn flags(&self) -> Vec<Flag> {
        self.document.limits_hit().iter().map(Flag::LimitHit).collect()
    }

    /// The text of a segment, in the order of the page, with a line for each block.
    pub fn text(&self, segment: usize) -> String {
        let document = &self.document;
        let leaves = self.segmentation.segments[segment].leaves.iter();
        let mut nodes: Vec<NodeId> =
            leaves.flat_map(|leaf| document.children(*leaf).filter(|child| document.is_text(*child))).collect();
        nodes.sort_unstable();
        let mut text = String::new();
        let mut before: Option<NodeId> = None;
        for id in nodes {
            let own = document.text(id);
            let mut words = own.split_whitespace().peekable();
            if words.peek().is_none() {
                // Spaces between two elements separate their words.
                if !text.is_empty() && !text.ends_with(char::is_whitespace) {
                    text.push(' ');
                }
                continue;
            }
            if before.is_some_and(|before| self.is_block_between(before, id)) {
                text.truncate(text.trim_end().len());
                text.push('\n');
            } else if !text.is_empty()
                && !text.ends_with(char::is_whitespace)
                && (own.starts_with(char::is_whitespace) || before.is_some_and(|before| self.is_new_word(before, id)))
            {
                text.push(' ');
            }
            for (number, word) in words.enumerate() {
                if number > 0 {
                    text.push(' ');
                }
                text.push_str(word);
            }
            if own.ends_with(char::is_whitespace) {
                text.push(' ');
            }
            before = Some(id);
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Whether the second of two texts in a line begins a word, though there is no space between them.
    fn is_new_word(&self, one: NodeId, two: NodeId) -> bool {
        let document = &self.document;
        let mut opened = document.ancestors(two).take_while(|around| !document.contains(*around, one));
        opened.any(|id| begins_word(document, one, id))
    }

    /// Whether a block begins or ends, or a line is broken, between two texts.
    fn is_block_between(&self, one: NodeId, two: NodeId) -> bool {
        let document = &self.document;
        let breaks = |id: NodeId| is_block(document.html_name(id)) || document.html_name(id) == Name::BR;
        let ends = document.ancestors(one).take_while(|around| !document.contains(*around, two)).any(breaks);
        // Only the elements around the second text, and a few before it, can begin a line.
        let begins = document.ancestors(two).take_while(|around| !document.contains(*around, one)).any(breaks);
        ends || begins || (one.0 + 1..two.0).take(MAX_NODES_BETWEEN).any(|at| breaks(NodeId(at)))
    }
}
