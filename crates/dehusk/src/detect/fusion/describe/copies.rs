//! Blocks of a page that have the same text, and which of them is kept.

use crate::detect::fusion::describe::hash_order::{HashedIndex, equal_hashes};
use crate::detect::fusion::describe::similar_blocks::{SIMILAR_DEPTHS, SimilarBlocks};
use crate::dom::Name;
use crate::read::name_hints::hint_bit;
use crate::read::text_blocks::PageBlocks;

/// Minimum number of words for a repeated text to be a copy. Shorter texts (dates, buttons) repeat by accident.
const MIN_COPY_WORDS: u32 = 6;
/// Factor of the score of a quote beside what it quotes: an answer that scores somewhat higher must not replace the question.
const QUOTE_WEIGHT: f32 = 0.5;
/// Number of chains around a block, from the innermost outwards, of which one may be a quote.
const QUOTE_GROUPS: usize = 6;

/// The copies of one block: blocks with the same text, itself included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockCopies {
    pub(crate) count: u16,
    /// How many of them come before this block.
    pub(crate) earlier: u16,
    /// The nearest one before.
    pub(crate) before: Option<u32>,
    /// The nearest one after.
    pub(crate) after: Option<u32>,
}

/// The copies of all blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    pub(crate) of_block: Vec<BlockCopies>,
    order: Vec<HashedIndex>,
}

impl Copies {
    /// Finds the copies on a page.
    pub(crate) fn find(&mut self, page: &PageBlocks) {
        self.of_block.clear();
        self.of_block.resize(page.blocks.len(), BlockCopies::default());
        for run in equal_hashes(&mut self.order, page.blocks.iter().map(|block| block.hash)) {
            let block = |number: Option<usize>| number.and_then(|number| run.get(number)).map(|at| at.index() as u32);
            for (number, at) in run.iter().enumerate() {
                self.of_block[at.index()] = BlockCopies {
                    count: run.len().min(999) as u16,
                    earlier: number.min(999) as u16,
                    before: block(number.checked_sub(1)),
                    after: block(Some(number + 1)),
                };
            }
        }
    }

    /// Whether no other block has the text of this one.
    pub(crate) fn is_unique(&self, block: usize) -> bool {
        self.of_block[block].count == 1
    }

    /// The blocks with the same text as this one, itself included, if it is the first of them and is long enough. Empty otherwise.
    pub(crate) fn copies_from(&self, page: &PageBlocks, first: usize) -> impl Iterator<Item = usize> + use<'_> {
        let copies = &self.of_block[first];
        let repeated = copies.earlier == 0 && copies.count > 1 && page.blocks[first].counts.words >= MIN_COPY_WORDS;
        let start = repeated.then_some(first as u32);
        std::iter::successors(start, |at| self.of_block[*at as usize].after).map(|at| at as usize)
    }

    /// Sets the score of blocks to 0 if a higher-scoring block has the same text; among equal scores the first block wins. Returns
    /// each dropped block with the one that is kept. Copies in the same similar are all kept, because rows of tables and entries of
    /// a reference repeat each other for good reason. So are headings, unless one directly follows the other. A quote is
    /// dropped rather than what it quotes.
    pub(crate) fn drop_copies(
        &self,
        page: &PageBlocks,
        similar: &SimilarBlocks,
        scores: &mut [f32],
    ) -> Vec<(u32, u32)> {
        let similar = &similar.of_block[SIMILAR_DEPTHS - 1];
        let mut dropped = Vec::new();
        for first in 0..page.blocks.len() {
            let weight = |at: usize| if is_quoted(page, at) { scores[at] * QUOTE_WEIGHT } else { scores[at] };
            let higher = |best: usize, at: usize| if weight(at) > weight(best) { at } else { best };
            let Some(best) = self.copies_from(page, first).reduce(higher) else { continue };
            for at in self.copies_from(page, first) {
                if similar[at] != similar[best] && page.blocks[at].heading == 0 {
                    scores[at] = 0.0;
                    dropped.push((at as u32, best as u32));
                }
            }
        }
        // Two headings in a row that say the same are one for wide screens and one for small ones.
        let mut first = 0;
        for run in page.blocks.chunk_by(|one, two| one.heading > 0 && two.heading > 0 && one.hash == two.hash) {
            let end = first + run.len();
            let best = (first + 1..end).fold(first, |best, at| if scores[at] > scores[best] { at } else { best });
            for at in (first..end).filter(|at| *at != best) {
                scores[at] = 0.0;
                dropped.push((at as u32, best as u32));
            }
            first = end;
        }
        dropped
    }
}

/// Whether a block is in a quote, as tags and names show.
fn is_quoted(page: &PageBlocks, block: usize) -> bool {
    let mut chain = page.blocks[block].chain;
    (0..QUOTE_GROUPS).any(|_| {
        let current = &page.chains[chain as usize];
        chain = current.parent;
        current.tags.has(Name::BLOCKQUOTE) || current.hints.0 >> hint_bit("quote") & 1 == 1
    })
}
