//! The candidate thresholds of a page, and what each would keep.
//!
//! Input: the scores of all blocks. Output: a row of features for each candidate, from which a model estimates its F1: how much it
//! keeps and what that is like, what a somewhat lower threshold would add and what a somewhat higher one would lose. One pass over the
//! blocks serves all candidates.

use crate::detect::fusion::describe::page_facts::PageFacts;
use crate::detect::fusion::describe::page_parts::Parts;
use crate::detect::fusion::describe::scale::log;
use crate::detect::fusion::describe::second_pass::{ScoreSums, best_expected_f1, blocks_by_score, word_weight};
use crate::read::text_blocks::{PageBlocks, TextBlock};

/// The candidates: lowest score that is kept.
pub(crate) const THRESHOLDS: [f32; 24] = [
    0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2, 0.24, 0.28, 0.32, 0.36, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8,
    0.85, 0.9, 0.94, 0.97,
];
const LAST: usize = THRESHOLDS.len() - 1;
/// How many candidates up or down count as somewhat higher or lower.
const NEAR: usize = 4;
/// The candidate above which blocks are almost certainly kept, and the one below which they are almost certainly dropped.
const SURE: usize = 19;
const UNLIKELY: usize = 4;

/// Sums over blocks. Most are weighted by words.
#[derive(Clone, Copy, Default)]
struct Sums {
    blocks: f64,
    words: f64,
    /// Expected number of content words.
    content: f64,
    link_words: f64,
    sentences: f64,
    headings: f64,
    odds: f64,
    names: f64,
    similar_siblings: f64,
    hidden: f64,
    /// Trigrams seen earlier on the page.
    repeated: f64,
    /// In the part of the page with most of its content.
    in_main_part: f64,
}

impl Sums {
    fn add_block(&mut self, page: &PageBlocks, block: &TextBlock, score: f32, in_main_part: bool) {
        let words = word_weight(block.counts.words) as f64;
        self.blocks += 1.0;
        self.words += words;
        self.content += words * score as f64;
        self.link_words += block.counts.link_words as f64;
        self.sentences += block.counts.sentence_ends as f64;
        self.headings += (block.heading > 0) as u32 as f64;
        self.odds += words * block.words.odds.mean() as f64;
        self.names += words * block.names.mean() as f64;
        self.similar_siblings += words * log(page.chains[block.chain as usize].similar_siblings) as f64;
        self.hidden += if block.hidden { words } else { 0.0 };
        self.repeated += words * block.words.overlap.before().max(0.0) as f64;
        self.in_main_part += if in_main_part { words } else { 0.0 };
    }

    fn zip(&self, other: &Sums, with: impl Fn(f64, f64) -> f64) -> Sums {
        Sums {
            blocks: with(self.blocks, other.blocks),
            words: with(self.words, other.words),
            content: with(self.content, other.content),
            link_words: with(self.link_words, other.link_words),
            sentences: with(self.sentences, other.sentences),
            headings: with(self.headings, other.headings),
            odds: with(self.odds, other.odds),
            names: with(self.names, other.names),
            similar_siblings: with(self.similar_siblings, other.similar_siblings),
            hidden: with(self.hidden, other.hidden),
            repeated: with(self.repeated, other.repeated),
            in_main_part: with(self.in_main_part, other.in_main_part),
        }
    }

    /// The blocks that a higher threshold does not keep.
    fn without(&self, higher: &Sums) -> Sums {
        self.zip(higher, |own, higher| own - higher)
    }

    fn mean(&self, sum: f64) -> f32 {
        if self.blocks < 0.5 { 0.0 } else { (sum / self.words.max(1e-3)) as f32 }
    }

    /// What these blocks are like, in the order of `PROFILE_NAMES`.
    fn profile(&self) -> [f32; PROFILE_NAMES.len()] {
        [
            self.mean(self.link_words),
            self.mean(self.sentences),
            self.mean(self.odds),
            self.mean(self.names),
            self.mean(self.similar_siblings),
            self.mean(self.hidden),
            self.mean(self.repeated),
            self.mean(self.in_main_part),
            (self.words / (self.blocks + 1.0)) as f32,
        ]
    }
}

/// What each candidate keeps.
struct Kept {
    /// All blocks, kept or not.
    all: Sums,
    sums: [Sums; THRESHOLDS.len()],
    /// Number of runs of adjacent kept blocks.
    runs: [f32; THRESHOLDS.len()],
    /// The first kept block, and the one after the last.
    start: [usize; THRESHOLDS.len()],
    end: [usize; THRESHOLDS.len()],
}

impl Kept {
    fn of(page: &PageBlocks, scores: &[f32]) -> Kept {
        let mut kept = Kept {
            all: Sums::default(),
            sums: [Sums::default(); THRESHOLDS.len()],
            runs: [0.0; THRESHOLDS.len()],
            start: [0; THRESHOLDS.len()],
            end: [0; THRESHOLDS.len()],
        };
        let sums = ScoreSums::of(page, scores);
        let main_part = Parts::of(page, &sums.words, &sums.content).main_blocks(page);
        let (mut before, mut highest) = (0, 0);
        for (at, (block, score)) in page.blocks.iter().zip(scores).enumerate() {
            // The first `keeping` candidates keep the block.
            let keeping = THRESHOLDS.partition_point(|threshold| threshold <= score);
            let sums = keeping.checked_sub(1).map_or(&mut kept.all, |last| &mut kept.sums[last]);
            sums.add_block(page, block, *score, main_part.contains(&at));
            kept.runs[before.min(keeping)..keeping].iter_mut().for_each(|runs| *runs += 1.0);
            kept.start[highest.min(keeping)..keeping].iter_mut().for_each(|start| *start = at);
            kept.end[..keeping].iter_mut().for_each(|end| *end = at + 1);
            before = keeping;
            highest = highest.max(keeping);
        }
        for number in (0..LAST).rev() {
            kept.sums[number] = kept.sums[number].zip(&kept.sums[number + 1], |own, higher| own + higher);
        }
        kept.all = kept.all.zip(&kept.sums[0], |own, higher| own + higher);
        kept
    }
}

/// The column of the expected F1 of the candidate, taking scores as probabilities.
pub(crate) const EXPECTED_F1: usize = 1;
/// The column of the best expected F1 over all thresholds.
pub(crate) const BEST_EXPECTED_F1: usize = 2;

/// The names of the first columns.
const COLUMN_NAMES: [&str; 26] = [
    "threshold",
    "expected_f",
    "best_expected_f",
    "threshold_over_half_of_best_expected_f",
    "kept_words",
    "kept_share",
    "kept_mean_score",
    "lost_share_of_expected_content",
    "dropped_mean_score",
    "words_added_by_next_lower_threshold",
    "words_added_by_third_lower_threshold",
    "words_lost_by_next_higher_threshold",
    "words_lost_by_third_higher_threshold",
    "kept_blocks",
    "runs_per_kept_block",
    "kept_runs",
    "kept_share_of_kept_range",
    "headings_per_kept_block",
    "kept_range_start",
    "kept_range_end",
    "share_kept_by_threshold[4]",
    "share_kept_by_threshold[8]",
    "share_kept_by_threshold[13]",
    "share_kept_by_threshold[19]",
    "words_kept_by_threshold[13]",
    "page_mean_score",
];
/// The names of the columns of `Sums::profile`.
const PROFILE_NAMES: [&str; 9] = [
    "link_share",
    "sentences_per_word",
    "word_odds",
    "name_odds",
    "like_siblings",
    "hidden_share",
    "said_before_share",
    "in_main_part_share",
    "words_per_block",
];
/// The sets of blocks whose profile is in a row.
const PROFILED: [&str; 5] = ["kept", "lost_by_higher_threshold", "added_by_lower_threshold", "sure", "open"];

/// The names of the columns, in the order of [`append_threshold_rows`].
pub(crate) fn threshold_names(facts: &PageFacts) -> Vec<String> {
    let mut names: Vec<String> = COLUMN_NAMES.map(String::from).to_vec();
    names.extend(PROFILED.iter().flat_map(|blocks| PROFILE_NAMES.map(|name| format!("{name}[{blocks}]"))));
    facts.describe(&mut names);
    names
}

/// Appends a row for each of [`THRESHOLDS`].
pub(crate) fn append_threshold_rows(page: &PageBlocks, facts: &PageFacts, scores: &[f32], out: &mut Vec<f32>) {
    let blocks = page.blocks.len();
    let mut before = Vec::with_capacity(blocks + 1);
    let mut words = 0.0f64;
    before.push(words);
    for block in &page.blocks {
        words += word_weight(block.counts.words) as f64;
        before.push(words);
    }
    let kept = Kept::of(page, scores);
    let (total, expected) = (kept.all.words.max(1e-3), kept.all.content);
    let best = best_expected_f1(page, scores, &blocks_by_score(scores), expected as f32);
    let words = |number: usize| (kept.sums[number.min(LAST)].words as f32 + 1.0).ln();
    let share = |number: usize| (kept.sums[number].words / total) as f32;
    let sure = kept.sums[SURE].profile();
    let open = kept.sums[UNLIKELY].without(&kept.sums[SURE]).profile();
    for (number, threshold) in THRESHOLDS.iter().enumerate() {
        let own = &kept.sums[number];
        let count = own.blocks.max(1.0) as f32;
        let (start, end, runs) = (kept.start[number], kept.end[number], kept.runs[number]);
        let row: [f32; COLUMN_NAMES.len()] = [
            *threshold,
            (2.0 * own.content / (own.words + expected + 1e-6)) as f32,
            best,
            threshold - best / 2.0,
            words(number),
            share(number),
            own.mean(own.content),
            ((expected - own.content) / expected.max(1e-3)) as f32,
            ((expected - own.content) / (total - own.words).max(1e-3)) as f32,
            words(number.saturating_sub(1)) - words(number),
            words(number.saturating_sub(3)) - words(number),
            words(number) - words(number + 1),
            words(number) - words(number + 3),
            (own.blocks as f32 + 1.0).ln(),
            runs / count,
            (runs + 1.0).ln(),
            (own.words / (before[end] - before[start]).max(1e-3)) as f32,
            own.headings as f32 / count,
            start as f32 / blocks.max(1) as f32,
            end as f32 / blocks.max(1) as f32,
            share(4),
            share(8),
            share(13),
            share(19),
            words(13),
            (expected / total) as f32,
        ];
        out.extend(row);
        out.extend(own.profile());
        out.extend(own.without(&kept.sums[(number + NEAR).min(LAST)]).profile());
        out.extend(kept.sums[number.saturating_sub(NEAR)].without(own).profile());
        out.extend(sure);
        out.extend(open);
        facts.describe(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::fusion::fusion_page::FusionPage;
    use crate::dom::Parser;
    use crate::read::words::hashed_odds::Odds;

    #[test]
    fn one_pass_keeps_what_each_threshold_keeps() {
        let html: String = (0..40).map(|n| format!("<p>{}</p>", "word ".repeat(n % 7 + 1))).collect();
        let document = Parser::default().parse(&html).expect("a page");
        let mut page = FusionPage::default();
        page.prepare(&document, &Odds::default());
        let scores: Vec<f32> = (0..page.len()).map(|at| (at * 37 % 41) as f32 / 40.0).collect();
        let kept = Kept::of(&page.page, &scores);
        for (number, threshold) in THRESHOLDS.iter().enumerate() {
            let keeps: Vec<bool> = scores.iter().map(|score| score >= threshold).collect();
            let mut sums = Sums::default();
            for (at, block) in page.page.blocks.iter().enumerate().filter(|(at, _)| keeps[*at]) {
                sums.add_block(&page.page, block, scores[at], false);
            }
            assert!((sums.words - kept.sums[number].words).abs() < 1e-6, "{threshold}");
            assert!((sums.content - kept.sums[number].content).abs() < 1e-6, "{threshold}");
            let runs = (0..keeps.len()).filter(|at| keeps[*at] && (*at == 0 || !keeps[at - 1])).count();
            assert_eq!(kept.runs[number], runs as f32, "{threshold}");
            assert_eq!(kept.start[number], keeps.iter().position(|keep| *keep).unwrap_or(0), "{threshold}");
            assert_eq!(kept.end[number], keeps.iter().rposition(|keep| *keep).map_or(0, |at| at + 1), "{threshold}");
        }
    }
}
