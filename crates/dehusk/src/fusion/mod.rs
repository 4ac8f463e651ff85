//! Fusion: one model over the text blocks of a page.

mod blocks;
mod features;
mod hints;
mod lexicon;
mod page;

use crate::dom::{Document, NodeId};
use blocks::PageBlocks;
use features::{Describer, LEVELS, ROLE_DEPTHS};
use page::PageFacts;

/// The rows of a page, for training.
#[derive(Clone, Debug, Default)]
pub struct PageRows {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The numbers, row by row.
    pub values: Vec<f32>,
    /// For each block its first text node and the number after its last.
    pub spans: Vec<(NodeId, NodeId)>,
    /// For each block the ranges of blocks of the groups around it.
    pub ranges: Vec<[(u32, u32); LEVELS]>,
    /// For each block its roles.
    pub roles: Vec<[u32; ROLE_DEPTHS]>,
}

/// Describes the text blocks of a page.
pub fn page_rows(document: &Document) -> PageRows {
    let mut page = PageBlocks::default();
    page.cut(document);
    let facts = PageFacts::of(document, &page);
    let mut describer = Describer::default();
    describer.prepare(document, &page);
    let mut rows = PageRows::default();
    for (at, block) in page.blocks.iter().enumerate() {
        if at == 0 {
            describer.describe(document, &page, &facts, at, &mut rows.names);
        }
        describer.describe(document, &page, &facts, at, &mut rows.values);
        rows.spans.push((block.first, block.end));
        rows.roles.push(std::array::from_fn(|depth| describer.role_of[depth][at]));
        let mut group = block.group;
        rows.ranges.push(std::array::from_fn(|_| {
            let held = &page.groups[group as usize];
            group = held.parent;
            (held.start, held.end)
        }));
    }
    rows
}
