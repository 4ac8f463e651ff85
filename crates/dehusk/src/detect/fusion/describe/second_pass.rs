//! The second pass (stacking): features of a block computed from the scores of the first pass.
//!
//! Input: the first scores of all blocks. Output: a row for each block: its own score, those of its neighbours, and means over the
//! chains and sets of similar blocks it belongs to.

use super::describe_block::{Describer, LEVELS};
use super::feature_sink::FeatureSink;
use super::page_parts::{PARTS, Parts, part_names};
use super::region_facts::{REGION_SCORE_NAMES, REGION_SCORES, RegionScores};
use super::similar_blocks::SIMILAR_DEPTHS;
use crate::read::text_blocks::PageBlocks;

/// The number of columns.
pub(crate) const SECOND_WIDTH: usize =
    1 + 2 * NEAR + LEVELS + MEANS + WINDOWS.len() + 11 + 3 * SIMILAR_DEPTHS + PARTS + REGION_SCORES;
/// Neighbours on each side.
const NEAR: usize = 5;
/// Levels of chains for which the plain mean is given in addition to the mean weighted by words.
const MEANS: usize = 5;
/// Neighbours on each side over which the mean is taken.
const WINDOWS: [usize; 3] = [3, 8, 20];

/// Prefix sums over blocks.
pub(crate) struct ScoreSums {
    pub(crate) words: Vec<f32>,
    /// Words times score.
    pub(crate) content: Vec<f32>,
    scores: Vec<f32>,
}

impl ScoreSums {
    pub(crate) fn of(page: &PageBlocks, scores: &[f32]) -> ScoreSums {
        let mut sums = ScoreSums { words: vec![0.0], content: vec![0.0], scores: vec![0.0] };
        let (mut words, mut content, mut plain) = (0.0f64, 0.0f64, 0.0f64);
        for (block, score) in page.blocks.iter().zip(scores) {
            let own = word_weight(block.counts.words);
            words += own as f64;
            content += (own * score) as f64;
            plain += *score as f64;
            sums.words.push(words as f32);
            sums.content.push(content as f32);
            sums.scores.push(plain as f32);
        }
        sums
    }

    fn mean_by_words(&self, start: usize, end: usize) -> f32 {
        (self.content[end] - self.content[start]) / (self.words[end] - self.words[start]).max(1e-3)
    }

    fn mean(&self, start: usize, end: usize) -> f32 {
        (self.scores[end] - self.scores[start]) / (end - start).max(1) as f32
    }
}

/// The weight of a block: its number of words. A block without words still has a small weight.
pub(crate) fn word_weight(words: u32) -> f32 {
    words as f32 + 1e-2
}

/// The best expected F1 (by words) over all thresholds, taking scores as probabilities. Half of it is the best threshold: for F1, a
/// block is worth keeping if its probability is more than half of the best F1.
pub(crate) fn best_expected_f1(page: &PageBlocks, scores: &[f32], order: &[u32], expected: f32) -> f32 {
    let (mut kept, mut content, mut best) = (0.0f32, 0.0f32, 0.0f32);
    for at in order {
        let words = word_weight(page.blocks[*at as usize].counts.words);
        kept += words;
        content += words * scores[*at as usize];
        best = best.max(2.0 * content / (kept + expected + 1e-6));
    }
    best
}

/// Blocks from the highest score to the lowest.
pub(crate) fn blocks_by_score(scores: &[f32]) -> Vec<u32> {
    // Scores are not negative, so their bits sort like their values. With the block number in the lower half, one comparison decides.
    let mut order: Vec<u64> =
        (0u64..).zip(scores).map(|(at, score)| u64::from(!score.max(0.0).to_bits()) << 32 | at).collect();
    order.sort_unstable();
    order.into_iter().map(|packed| packed as u32).collect()
}

/// The names of the columns, in the order of [`SecondPass::describe`].
pub(crate) fn second_names() -> Vec<String> {
    let mut names = vec!["score".to_string()];
    names.extend((1..=NEAR).flat_map(|step| [format!("neighbour_score[-{step}]"), format!("neighbour_score[{step}]")]));
    names.extend((0..LEVELS).map(|level| format!("group_score_by_words[{level}]")));
    names.extend((0..MEANS).map(|level| format!("group_score[{level}]")));
    names.extend(WINDOWS.map(|width| format!("window_score[{width}]")));
    let page = [
        "share_of_page_score_before",
        "page_score_by_words",
        "page_highest_score",
        "page_expected_content_words",
        "rank_on_page",
        "fading_highest_score_before",
        "fading_highest_score_after",
        "score_over_half_of_best_expected_f",
        "best_expected_f",
        "score_of_copy_before",
        "score_of_copy_after",
    ];
    names.extend(page.map(String::from));
    let similar = ["role_score_by_words", "role_score", "role_highest_score"];
    names.extend((0..SIMILAR_DEPTHS).flat_map(|depth| similar.map(|name| format!("{name}[{depth}]"))));
    names.extend(part_names());
    names.extend(REGION_SCORE_NAMES.map(String::from));
    names
}

/// What the rows of all blocks need, computed once per page.
pub(crate) struct SecondPass<'a> {
    page: &'a PageBlocks,
    describer: &'a Describer,
    scores: &'a [f32],
    sums: &'a ScoreSums,
    /// For each block its place among all by score, 0 to 1.
    rank: Vec<f32>,
    /// For each block the highest score before it, and from the last block on after it. They fade with distance.
    highest_before: Vec<f32>,
    highest_after: Vec<f32>,
    /// For each set of similar blocks its scores, by depth.
    similar: [Vec<[f32; 3]>; SIMILAR_DEPTHS],
    parts: Parts<'a>,
    regions: RegionScores,
    best_expected_f1: f32,
    highest: f32,
}

impl<'a> SecondPass<'a> {
    /// Prepares the rows, given the first scores and their sums. The page must have a block.
    pub(crate) fn new(
        page: &'a PageBlocks,
        describer: &'a Describer,
        scores: &'a [f32],
        sums: &'a ScoreSums,
    ) -> SecondPass<'a> {
        let blocks = page.blocks.len();
        let order = blocks_by_score(scores);
        let mut rank = vec![0.0f32; blocks];
        for (position, at) in order.iter().enumerate() {
            rank[*at as usize] = position as f32 / blocks as f32;
        }
        SecondPass {
            page,
            describer,
            scores,
            sums,
            rank,
            highest_before: decaying_maximum(scores.iter().copied()),
            highest_after: decaying_maximum(scores.iter().rev().copied()),
            similar: std::array::from_fn(|depth| similar_means(page, describer, scores, depth)),
            parts: Parts::of(page, &sums.words, &sums.content),
            regions: describer.regions.mean_scores(page, scores),
            best_expected_f1: best_expected_f1(page, scores, &order, sums.content[blocks]),
            highest: scores.iter().copied().fold(0.0, f32::max),
        }
    }

    /// Adds the row of a block.
    pub(crate) fn describe(&self, at: usize, out: &mut impl FeatureSink) {
        let SecondPass { page, scores, sums, .. } = self;
        let blocks = page.blocks.len();
        out.add_value(scores[at]);
        for step in 1..=NEAR {
            out.add_value(at.checked_sub(step).map_or(-1.0, |at| scores[at]));
            out.add_value(scores.get(at + step).copied().unwrap_or(-1.0));
        }
        let mut chain = page.blocks[at].chain;
        let mut plain = [0.0; MEANS];
        for level in 0..LEVELS {
            let current = &page.chains[chain as usize];
            let (start, end) = (current.start as usize, current.end as usize);
            out.add_value(sums.mean_by_words(start, end));
            if let Some(mean) = plain.get_mut(level) {
                *mean = sums.mean(start, end);
            }
            chain = current.parent;
        }
        add_all(plain, out);
        for width in WINDOWS {
            out.add_value(sums.mean_by_words(at.saturating_sub(width), (at + width + 1).min(blocks)));
        }
        let expected = sums.content[blocks];
        let copies = &self.describer.copies.of_block[at];
        let score_of = |copy: Option<u32>| copy.map_or(-1.0, |copy| scores[copy as usize]);
        let about_page: [f32; 11] = [
            sums.content[at] / expected.max(1e-3),
            expected / sums.words[blocks],
            self.highest,
            (expected + 1.0).ln(),
            self.rank[at],
            self.highest_before[at],
            self.highest_after[blocks - 1 - at],
            scores[at] - self.best_expected_f1 / 2.0,
            self.best_expected_f1,
            score_of(copies.before),
            score_of(copies.after),
        ];
        add_all(about_page, out);
        for (similar, of_block) in self.similar.iter().zip(&self.describer.similar.of_block) {
            add_all(similar[of_block[at] as usize], out);
        }
        add_all(self.parts.describe(page, at), out);
        add_all(self.describer.regions.scores_of(&self.regions, at), out);
    }
}

#[inline(always)]
fn add_all<const COUNT: usize>(values: [f32; COUNT], out: &mut impl FeatureSink) {
    for value in &values {
        out.add_value(*value);
    }
}

/// For each block the highest score so far, which decays with distance.
fn decaying_maximum(scores: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut maximum = 0.0f32;
    scores
        .map(|score| {
            maximum = score.max(maximum * 0.8);
            maximum
        })
        .collect()
}

/// For each set of similar blocks the mean score weighted by words, the plain mean and the maximum.
fn similar_means(page: &PageBlocks, describer: &Describer, scores: &[f32], depth: usize) -> Vec<[f32; 3]> {
    let similar = describer.similar.facts[depth].len();
    let mut sums = vec![[0.0f32; 5]; similar];
    for (at, block) in page.blocks.iter().enumerate() {
        let sum = &mut sums[describer.similar.of_block[depth][at] as usize];
        let words = word_weight(block.counts.words);
        sum[0] += words;
        sum[1] += words * scores[at];
        sum[2] += 1.0;
        sum[3] += scores[at];
        sum[4] = sum[4].max(scores[at]);
    }
    sums.iter().map(|sum| [sum[1] / sum[0].max(1e-3), sum[3] / sum[2].max(1.0), sum[4]]).collect()
}
