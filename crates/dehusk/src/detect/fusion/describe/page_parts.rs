//! Parts of a page by where its content is: the smallest chains that hold most of it, and the side parts around them.
//!
//! A teaser of another story scores like a story, word by word. What gives it away is that it is in a part of the page that has little
//! of the page's content, and that consists of links for the rest. Input: prefix sums of words and of expected content words.
//! Output: some columns for each block.

use crate::read::text_blocks::PageBlocks;

/// Shares of the page's expected content that a main part holds at least.
const MAIN_SHARES: [f32; 2] = [0.5, 0.8];
/// Number of columns.
pub(crate) const PARTS: usize = 6 + 4 * MAIN_SHARES.len();

/// The parts of a page.
pub(crate) struct Parts<'a> {
    words: &'a [f32],
    content: &'a [f32],
    /// For each chain, its side part: the largest chain around it, or itself, with less than half of the content. The chain itself if
    /// it has more.
    side: Vec<u32>,
    /// For each share, the smallest chain that holds at least that much of the content.
    main: [u32; MAIN_SHARES.len()],
}

/// The names of the columns.
pub(crate) fn part_names() -> Vec<String> {
    let side = ["score", "share_of_content", "words", "share_of_parent", "similar_siblings", "blocks"];
    let main = ["inside", "blocks_before", "blocks_after", "score"];
    let main = MAIN_SHARES.iter().flat_map(|share| main.map(|name| format!("main_part_{name}[{share}]")));
    side.iter().map(|name| format!("side_part_{name}")).chain(main).collect()
}

impl<'a> Parts<'a> {
    /// Finds the parts, given prefix sums over the blocks of the page.
    pub(crate) fn of(page: &PageBlocks, words: &'a [f32], content: &'a [f32]) -> Parts<'a> {
        let mut parts = Parts { words, content, side: Vec::with_capacity(page.chains.len()), main: [0; 2] };
        let total = content[page.blocks.len()].max(1e-3);
        // Parents come before their children.
        for (at, chain) in page.chains.iter().enumerate() {
            let share = parts.share(page, at as u32, total);
            let above = parts.side.get(chain.parent as usize).copied().unwrap_or(0);
            let is_in_side_part = at > 0 && parts.share(page, above, total) < MAIN_SHARES[0];
            parts.side.push(if is_in_side_part { above } else { at as u32 });
            for (main, wanted) in parts.main.iter_mut().zip(MAIN_SHARES) {
                // The chains that hold more than half are nested, so the last one is the smallest.
                if share >= wanted {
                    *main = at as u32;
                }
            }
        }
        parts
    }

    /// The share of the content that a chain holds.
    fn share(&self, page: &PageBlocks, chain: u32, total: f32) -> f32 {
        let chain = &page.chains[chain as usize];
        self.content_of(chain.start, chain.end) / total
    }

    /// The blocks of the smallest part that holds most of the content.
    pub(crate) fn main_blocks(&self, page: &PageBlocks) -> std::ops::Range<usize> {
        // A page without text has no chains.
        let main = page.chains.get(self.main[1] as usize);
        main.map_or(0..0, |main| main.start as usize..main.end as usize)
    }

    fn content_of(&self, start: u32, end: u32) -> f32 {
        self.content[end as usize] - self.content[start as usize]
    }

    fn words_of(&self, start: u32, end: u32) -> f32 {
        self.words[end as usize] - self.words[start as usize]
    }

    /// The columns of a block.
    pub(crate) fn describe(&self, page: &PageBlocks, at: usize) -> [f32; PARTS] {
        let total = self.content[page.blocks.len()].max(1e-3);
        let side = &page.chains[self.side[page.blocks[at].chain as usize] as usize];
        let parent = &page.chains[side.parent as usize];
        let (words, content) = (self.words_of(side.start, side.end), self.content_of(side.start, side.end));
        let mut columns = [0.0; PARTS];
        columns[0] = content / words.max(1e-3);
        columns[1] = content / total;
        columns[2] = (words + 1.0).ln();
        columns[3] = words / self.words_of(parent.start, parent.end).max(1e-3);
        columns[4] = side.similar_siblings as f32;
        columns[5] = ((side.end - side.start) as f32).ln();
        for (columns, main) in columns[6..].chunks_exact_mut(4).zip(self.main) {
            let main = &page.chains[main as usize];
            let at = at as u32;
            columns[0] = (main.start..main.end).contains(&at) as u32 as f32;
            // How far the block is outside of the part: negative inside it.
            columns[1] = signed_log(main.start as f32 - at as f32);
            columns[2] = signed_log(at as f32 - (main.end as f32 - 1.0));
            columns[3] = self.content_of(main.start, main.end) / self.words_of(main.start, main.end).max(1e-3);
        }
        columns
    }
}

fn signed_log(value: f32) -> f32 {
    value.signum() * (value.abs() + 1.0).ln()
}
