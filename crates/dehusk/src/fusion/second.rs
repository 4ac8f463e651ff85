//! The second look: what the first scores say together, around each block and over the page.
//!
//! Takes the first model's scores of all blocks and returns a row for each: the block's own score, those of its neighbours, means over
//! the groups and roles it belongs to.

use super::blocks::PageBlocks;
use super::features::{Describer, LEVELS};
use super::kin::ROLE_DEPTHS;

/// Numbers in a row of the second look.
pub(crate) const SECOND: usize = 1 + 2 * NEAR + LEVELS + MEANS + WINDOWS.len() + 11 + 3 * ROLE_DEPTHS;
const NEAR: usize = 5;
/// Levels of groups whose plain mean is given beside the mean by words.
const MEANS: usize = 5;
const WINDOWS: [usize; 3] = [3, 8, 20];

/// Sums over blocks before each block.
struct Sums {
    words: Vec<f32>,
    weighed: Vec<f32>,
    scores: Vec<f32>,
}

impl Sums {
    fn of(page: &PageBlocks, scores: &[f32]) -> Sums {
        let mut sums = Sums { words: vec![0.0], weighed: vec![0.0], scores: vec![0.0] };
        let (mut words, mut weighed, mut plain) = (0.0f64, 0.0f64, 0.0f64);
        for (block, score) in page.blocks.iter().zip(scores) {
            let own = words_of(block.counts.words);
            words += own as f64;
            weighed += (own * score) as f64;
            plain += *score as f64;
            sums.words.push(words as f32);
            sums.weighed.push(weighed as f32);
            sums.scores.push(plain as f32);
        }
        sums
    }

    fn mean_by_words(&self, start: usize, end: usize) -> f32 {
        (self.weighed[end] - self.weighed[start]) / (self.words[end] - self.words[start]).max(1e-3)
    }

    fn mean(&self, start: usize, end: usize) -> f32 {
        (self.scores[end] - self.scores[start]) / (end - start).max(1) as f32
    }
}

/// A block without words still weighs a little.
pub(crate) fn words_of(words: u32) -> f32 {
    words as f32 + 1e-2
}

/// The best share of words that could be right, over all cuts, if scores are chances: its half is where to cut (for the F measure a
/// block is worth keeping when its chance is more than half of the best F).
pub(crate) fn best_expected(page: &PageBlocks, scores: &[f32], order: &[u32], expected: f32) -> f32 {
    let (mut kept, mut right, mut best) = (0.0f32, 0.0f32, 0.0f32);
    for at in order {
        let words = words_of(page.blocks[*at as usize].counts.words);
        kept += words;
        right += words * scores[*at as usize];
        best = best.max(2.0 * right / (kept + expected + 1e-6));
    }
    best
}

/// Blocks from the highest score to the lowest.
pub(crate) fn by_score(scores: &[f32]) -> Vec<u32> {
    // Scores are not below zero, so that their bits are in the same order; with the number beside them, one comparison does.
    let mut order: Vec<u64> =
        (0u64..).zip(scores).map(|(at, score)| u64::from(!score.max(0.0).to_bits()) << 32 | at).collect();
    order.sort_unstable();
    order.into_iter().map(|place| place as u32).collect()
}

/// The names of the numbers in a row, in the order of [`second_rows`].
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
    names
}

/// Appends a row for each block.
pub(crate) fn second_rows(page: &PageBlocks, describer: &Describer, scores: &[f32], out: &mut Vec<f32>) {
    let blocks = page.blocks.len();
    if blocks == 0 {
        return;
    }
    let sums = Sums::of(page, scores);
    let order = by_score(scores);
    let expected = sums.weighed[blocks];
    let best = best_expected(page, scores, &order, expected);
    let mut rank = vec![0.0f32; blocks];
    for (place, at) in order.iter().enumerate() {
        rank[*at as usize] = place as f32 / blocks as f32;
    }
    let (left, right) = (fading(scores.iter().copied()), fading(scores.iter().rev().copied()));
    let roles: Vec<Vec<[f32; 3]>> = (0..ROLE_DEPTHS).map(|depth| role_means(page, describer, scores, depth)).collect();
    let highest = scores.iter().copied().fold(0.0, f32::max);
    for at in 0..blocks {
        out.push(scores[at]);
        for step in 1..=NEAR {
            out.push(at.checked_sub(step).map_or(-1.0, |at| scores[at]));
            out.push(scores.get(at + step).copied().unwrap_or(-1.0));
        }
        let mut group = page.blocks[at].group;
        let mut plain = [0.0; MEANS];
        for level in 0..LEVELS {
            let held = &page.groups[group as usize];
            let (start, end) = (held.start as usize, held.end as usize);
            out.push(sums.mean_by_words(start, end));
            if let Some(mean) = plain.get_mut(level) {
                *mean = sums.mean(start, end);
            }
            group = held.parent;
        }
        out.extend(plain);
        for width in WINDOWS {
            out.push(sums.mean_by_words(at.saturating_sub(width), (at + width + 1).min(blocks)));
        }
        out.push(sums.weighed[at] / expected.max(1e-3));
        out.push(expected / sums.words[blocks]);
        out.push(highest);
        out.push((expected + 1.0).ln());
        out.push(rank[at]);
        out.push(left[at]);
        out.push(right[blocks - 1 - at]);
        out.push(scores[at] - best / 2.0);
        out.push(best);
        let copies = &describer.kin.copies[at];
        out.push(copies.before.map_or(-1.0, |before| scores[before as usize]));
        out.push(copies.after.map_or(-1.0, |after| scores[after as usize]));
        for (depth, roles) in roles.iter().enumerate() {
            out.extend(roles[describer.kin.role_of[depth][at] as usize]);
        }
    }
}

/// For each place the highest score so far, fading with distance.
fn fading(scores: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut held = 0.0f32;
    scores
        .map(|score| {
            held = score.max(held * 0.8);
            held
        })
        .collect()
}

/// For each role the mean score by words, the plain mean and the highest.
fn role_means(page: &PageBlocks, describer: &Describer, scores: &[f32], depth: usize) -> Vec<[f32; 3]> {
    let roles = describer.kin.roles[depth].len();
    let mut sums = vec![[0.0f32; 5]; roles];
    for (at, block) in page.blocks.iter().enumerate() {
        let sum = &mut sums[describer.kin.role_of[depth][at] as usize];
        let words = words_of(block.counts.words);
        sum[0] += words;
        sum[1] += words * scores[at];
        sum[2] += 1.0;
        sum[3] += scores[at];
        sum[4] = sum[4].max(scores[at]);
    }
    sums.iter().map(|sum| [sum[1] / sum[0].max(1e-3), sum[3] / sum[2].max(1.0), sum[4]]).collect()
}
