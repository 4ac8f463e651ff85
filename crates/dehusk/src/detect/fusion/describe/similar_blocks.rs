//! Sets of similar blocks: the blocks of a page that are the same part of similar cards, posts or rows.

use super::hash_order::{HashedIndex, equal_hashes};
use crate::read::text_blocks::PageBlocks;
use crate::read::words::text_counts::TextCounts;

/// Blocks are similar if the element chains around them have the same shapes. Sets are found by the 1 to this many innermost
/// chains.
pub(crate) const SIMILAR_DEPTHS: usize = 3;

/// What the blocks of one set add up to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SimilarFacts {
    pub(crate) blocks: u32,
    pub(crate) counts: TextCounts,
    /// Blocks whose text appears once on the page.
    pub(crate) unique: u32,
    /// The first and last block of the set.
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The sets of similar blocks of a page, by depth.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimilarBlocks {
    pub(crate) facts: [Vec<SimilarFacts>; SIMILAR_DEPTHS],
    /// For each block the number of its set.
    pub(crate) of_block: [Vec<u32>; SIMILAR_DEPTHS],
    order: Vec<HashedIndex>,
}

impl SimilarBlocks {
    /// Finds the sets of a page. `is_unique` returns whether the text of a block appears once.
    pub(crate) fn find(&mut self, page: &PageBlocks, is_unique: impl Fn(usize) -> bool) {
        for depth in 0..SIMILAR_DEPTHS {
            let (similar, of_block) = (&mut self.facts[depth], &mut self.of_block[depth]);
            similar.clear();
            of_block.clear();
            of_block.resize(page.blocks.len(), 0);
            let hashes = page.blocks.iter().map(|block| {
                let (mut chain, mut hash) = (block.chain, block.heading as u64);
                for _ in 0..=depth {
                    let current = &page.chains[chain as usize];
                    hash = hash.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ current.shape;
                    chain = current.parent;
                }
                hash
            });
            for run in equal_hashes(&mut self.order, hashes) {
                let mut facts = SimilarFacts {
                    first: run[0].index() as u32,
                    last: run[run.len() - 1].index() as u32,
                    ..SimilarFacts::default()
                };
                for at in run {
                    facts.blocks += 1;
                    facts.counts.add(&page.blocks[at.index()].counts);
                    facts.unique += is_unique(at.index()) as u32;
                    of_block[at.index()] = similar.len() as u32;
                }
                similar.push(facts);
            }
        }
    }
}
