//! The second pass (stacking): features of a block computed from the scores of the first pass.
//!
//! Input: the first scores of all blocks. Output: a row for each block: its own score, those of its neighbours, and means over the
//! groups and roles it belongs to.

use super::block_features::{Describer, LEVELS};
use super::page_parts::{PARTS, Parts, part_names};
use super::roles::ROLE_DEPTHS;
use super::text_blocks::PageBlocks;

/// The number of columns.
pub(crate) const SECOND_WIDTH: usize = 1 + 2 * NEAR + LEVELS + MEANS + WINDOWS.len() + 11 + 3 * ROLE_DEPTHS + PARTS;
/// Neighbours on each side.
const NEAR: usize = 5;
/// Levels of groups for which the plain mean is given in addition to the mean weighted by words.
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

/// The names of the columns, in the order of [`append_second_rows`].
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
    let role = ["role_score_by_words", "role_score", "role_highest_score"];
    names.extend((0..ROLE_DEPTHS).flat_map(|depth| role.map(|name| format!("{name}[{depth}]"))));
    names.extend(part_names());
    names
}

/// Appends a row for each block.
pub(crate) fn append_second_rows(page: &PageBlocks, describer: &Describer, scores: &[f32], out: &mut Vec<f32>) {
    let blocks = page.blocks.len();
    if blocks == 0 {
        return;
    }
    let sums = ScoreSums::of(page, scores);
    let order = blocks_by_score(scores);
    let expected = sums.content[blocks];
    let best = best_expected_f1(page, scores, &order, expected);
    let mut rank = vec![0.0f32; blocks];
    for (position, at) in order.iter().enumerate() {
        rank[*at as usize] = position as f32 / blocks as f32;
    }
    let (left, right) = (decaying_maximum(scores.iter().copied()), decaying_maximum(scores.iter().rev().copied()));
    let roles: Vec<Vec<[f32; 3]>> = (0..ROLE_DEPTHS).map(|depth| role_means(page, describer, scores, depth)).collect();
    let highest = scores.iter().copied().fold(0.0, f32::max);
    let parts = Parts::of(page, &sums.words, &sums.content);
    for at in 0..blocks {
        out.push(scores[at]);
        for step in 1..=NEAR {
            out.push(at.checked_sub(step).map_or(-1.0, |at| scores[at]));
            out.push(scores.get(at + step).copied().unwrap_or(-1.0));
        }
        let mut group = page.blocks[at].group;
        let mut plain = [0.0; MEANS];
        for level in 0..LEVELS {
            let current = &page.groups[group as usize];
            let (start, end) = (current.start as usize, current.end as usize);
            out.push(sums.mean_by_words(start, end));
            if let Some(mean) = plain.get_mut(level) {
                *mean = sums.mean(start, end);
            }
            group = current.parent;
        }
        out.extend(plain);
        for width in WINDOWS {
            out.push(sums.mean_by_words(at.saturating_sub(width), (at + width + 1).min(blocks)));
        }
        out.push(sums.content[at] / expected.max(1e-3));
        out.push(expected / sums.words[blocks]);
        out.push(highest);
        out.push((expected + 1.0).ln());
        out.push(rank[at]);
        out.push(left[at]);
        out.push(right[blocks - 1 - at]);
        out.push(scores[at] - best / 2.0);
        out.push(best);
        let copies = &describer.copies.of_block[at];
        out.push(copies.before.map_or(-1.0, |before| scores[before as usize]));
        out.push(copies.after.map_or(-1.0, |after| scores[after as usize]));
        for (depth, roles) in roles.iter().enumerate() {
            out.extend(roles[describer.roles.of_block[depth][at] as usize]);
        }
        out.extend(parts.describe(page, at));
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

/// For each role the mean score weighted by words, the plain mean and the maximum.
fn role_means(page: &PageBlocks, describer: &Describer, scores: &[f32], depth: usize) -> Vec<[f32; 3]> {
    let roles = describer.roles.facts[depth].len();
    let mut sums = vec![[0.0f32; 5]; roles];
    for (at, block) in page.blocks.iter().enumerate() {
        let sum = &mut sums[describer.roles.of_block[depth][at] as usize];
        let words = word_weight(block.counts.words);
        sum[0] += words;
        sum[1] += words * scores[at];
        sum[2] += 1.0;
        sum[3] += scores[at];
        sum[4] = sum[4].max(scores[at]);
    }
    sums.iter().map(|sum| [sum[1] / sum[0].max(1e-3), sum[3] / sum[2].max(1.0), sum[4]]).collect()
}
