//! Where a page may be cut, and what each cut would keep.
//!
//! Takes the scores of all blocks and returns a row for each cut: how much it keeps and of what kind, what a somewhat lower cut would add
//! and what a somewhat higher one would lose. One pass over the blocks serves all cuts.

use super::blocks::{PageBlocks, TextBlock};
use super::page::PageFacts;
use super::second::{best_expected, by_score, words_of};
use std::sync::LazyLock;

/// Scores a page may be cut at.
pub(crate) const CUTS: [f32; 24] = [
    0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2, 0.24, 0.28, 0.32, 0.36, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8,
    0.85, 0.9, 0.94, 0.97,
];
const LAST: usize = CUTS.len() - 1;
/// Cuts between which blocks count as being at stake.
const NEAR: usize = 4;
/// Cuts above and below which blocks are all but decided.
const SURE: usize = 19;
const UNLIKELY: usize = 4;

/// Logarithms of small numbers, which most are.
static LOGS: LazyLock<[f64; 64]> = LazyLock::new(|| std::array::from_fn(|value| ((value + 1) as f64).log2()));

fn log(value: u32) -> f64 {
    LOGS.get(value as usize).copied().unwrap_or_else(|| ((value + 1) as f64).log2())
}

/// Sums over blocks.
#[derive(Clone, Copy, Default)]
struct Sums {
    blocks: f64,
    words: f64,
    right: f64,
    link_words: f64,
    sentences: f64,
    headings: f64,
    odds: f64,
    names: f64,
    alike: f64,
    hidden: f64,
    heard: f64,
}

impl Sums {
    fn add_block(&mut self, page: &PageBlocks, block: &TextBlock, score: f32) {
        let words = words_of(block.counts.words) as f64;
        self.blocks += 1.0;
        self.words += words;
        self.right += words * score as f64;
        self.link_words += block.counts.link_words as f64;
        self.sentences += block.counts.sentence_ends as f64;
        self.headings += (block.heading > 0) as u32 as f64;
        self.odds += words * block.odds.mean() as f64;
        self.names += words * block.names.mean() as f64;
        self.alike += words * log(page.groups[block.group as usize].alike);
        self.hidden += if block.hidden { words } else { 0.0 };
        self.heard += words * block.echo.before().max(0.0) as f64;
    }

    fn zip(&self, other: &Sums, with: impl Fn(f64, f64) -> f64) -> Sums {
        Sums {
            blocks: with(self.blocks, other.blocks),
            words: with(self.words, other.words),
            right: with(self.right, other.right),
            link_words: with(self.link_words, other.link_words),
            sentences: with(self.sentences, other.sentences),
            headings: with(self.headings, other.headings),
            odds: with(self.odds, other.odds),
            names: with(self.names, other.names),
            alike: with(self.alike, other.alike),
            hidden: with(self.hidden, other.hidden),
            heard: with(self.heard, other.heard),
        }
    }

    /// What is in these blocks and not in those of a higher cut.
    fn without(&self, higher: &Sums) -> Sums {
        self.zip(higher, |own, higher| own - higher)
    }

    fn mean(&self, sum: f64) -> f32 {
        if self.blocks < 0.5 { 0.0 } else { (sum / self.words.max(1e-3)) as f32 }
    }

    /// What kind of blocks these are.
    fn kind(&self) -> [f32; KIND_NAMES.len()] {
        [
            self.mean(self.link_words),
            self.mean(self.sentences),
            self.mean(self.odds),
            self.mean(self.names),
            self.mean(self.alike),
            self.mean(self.hidden),
            self.mean(self.heard),
            (self.words / (self.blocks + 1.0)) as f32,
        ]
    }
}

/// What each cut keeps.
struct Kept {
    /// All blocks, kept or not.
    all: Sums,
    sums: [Sums; CUTS.len()],
    /// Runs of neighbouring blocks.
    runs: [f32; CUTS.len()],
    start: [usize; CUTS.len()],
    end: [usize; CUTS.len()],
}

impl Kept {
    fn of(page: &PageBlocks, scores: &[f32]) -> Kept {
        let mut kept = Kept {
            all: Sums::default(),
            sums: [Sums::default(); CUTS.len()],
            runs: [0.0; CUTS.len()],
            start: [0; CUTS.len()],
            end: [0; CUTS.len()],
        };
        let (mut before, mut highest) = (0, 0);
        for (at, (block, score)) in page.blocks.iter().zip(scores).enumerate() {
            // The cuts that keep the block are the first so many.
            let keeping = CUTS.partition_point(|cut| cut <= score);
            let sums = keeping.checked_sub(1).map_or(&mut kept.all, |last| &mut kept.sums[last]);
            sums.add_block(page, block, *score);
            kept.runs[before.min(keeping)..keeping].iter_mut().for_each(|runs| *runs += 1.0);
            kept.start[highest.min(keeping)..keeping].iter_mut().for_each(|start| *start = at);
            kept.end[..keeping].iter_mut().for_each(|end| *end = at + 1);
            before = keeping;
            highest = highest.max(keeping);
        }
        for cut in (0..LAST).rev() {
            kept.sums[cut] = kept.sums[cut].zip(&kept.sums[cut + 1], |own, higher| own + higher);
        }
        kept.all = kept.all.zip(&kept.sums[0], |own, higher| own + higher);
        kept
    }
}

/// The place in a row of the F measure to be expected if scores are chances.
pub(crate) const EXPECTED: usize = 1;
/// The place of the best such F measure over all cuts.
pub(crate) const BEST_EXPECTED: usize = 2;

/// The names of the first numbers in a row.
const CUT_NAMES: [&str; 26] = [
    "cut",
    "expected_f",
    "best_expected_f",
    "cut_over_half_of_best_expected_f",
    "kept_words",
    "kept_share",
    "kept_mean_score",
    "lost_share_of_expected_content",
    "dropped_mean_score",
    "words_added_by_next_lower_cut",
    "words_added_by_third_lower_cut",
    "words_lost_by_next_higher_cut",
    "words_lost_by_third_higher_cut",
    "kept_blocks",
    "runs_per_kept_block",
    "kept_runs",
    "kept_share_of_kept_range",
    "headings_per_kept_block",
    "kept_range_start",
    "kept_range_end",
    "share_kept_by_cut[4]",
    "share_kept_by_cut[8]",
    "share_kept_by_cut[13]",
    "share_kept_by_cut[19]",
    "words_kept_by_cut[13]",
    "page_mean_score",
];
/// The names of the numbers that say what some blocks are like, in the order of `Sums::kind`, and which blocks these are.
const KIND_NAMES: [&str; 8] = [
    "link_share",
    "sentences_per_word",
    "word_odds",
    "name_odds",
    "like_siblings",
    "hidden_share",
    "said_before_share",
    "words_per_block",
];
const DESCRIBED: [&str; 5] = ["kept", "lost_by_higher_cut", "added_by_lower_cut", "sure", "open"];

/// The names of the numbers in a row, in the order of [`cut_rows`].
pub(crate) fn cut_names(facts: &PageFacts) -> Vec<String> {
    let mut names: Vec<String> = CUT_NAMES.map(String::from).to_vec();
    names.extend(DESCRIBED.iter().flat_map(|blocks| KIND_NAMES.map(|name| format!("{name}[{blocks}]"))));
    facts.describe(&mut names);
    names
}

/// Appends a row for each of [`CUTS`].
pub(crate) fn cut_rows(page: &PageBlocks, facts: &PageFacts, scores: &[f32], out: &mut Vec<f32>) {
    let blocks = page.blocks.len();
    let mut before = Vec::with_capacity(blocks + 1);
    let mut words = 0.0f64;
    before.push(words);
    for block in &page.blocks {
        words += words_of(block.counts.words) as f64;
        before.push(words);
    }
    let kept = Kept::of(page, scores);
    let (total, expected) = (kept.all.words.max(1e-3), kept.all.right);
    let best = best_expected(page, scores, &by_score(scores), expected as f32);
    let words = |number: usize| (kept.sums[number.min(LAST)].words as f32 + 1.0).ln();
    let share = |number: usize| (kept.sums[number].words / total) as f32;
    let sure = kept.sums[SURE].kind();
    let open = kept.sums[UNLIKELY].without(&kept.sums[SURE]).kind();
    for (number, cut) in CUTS.iter().enumerate() {
        let own = &kept.sums[number];
        let count = own.blocks.max(1.0) as f32;
        let (start, end, runs) = (kept.start[number], kept.end[number], kept.runs[number]);
        let row: [f32; CUT_NAMES.len()] = [
            *cut,
            (2.0 * own.right / (own.words + expected + 1e-6)) as f32,
            best,
            cut - best / 2.0,
            words(number),
            share(number),
            own.mean(own.right),
            ((expected - own.right) / expected.max(1e-3)) as f32,
            ((expected - own.right) / (total - own.words).max(1e-3)) as f32,
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
        out.extend(own.kind());
        out.extend(own.without(&kept.sums[(number + NEAR).min(LAST)]).kind());
        out.extend(kept.sums[number.saturating_sub(NEAR)].without(own).kind());
        out.extend(sure);
        out.extend(open);
        facts.describe(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use crate::fusion::{FusionPage, Odds};

    #[test]
    fn all_cuts_at_once_keep_what_each_keeps_alone() {
        let html: String = (0..40).map(|n| format!("<p>{}</p>", "word ".repeat(n % 7 + 1))).collect();
        let document = Parser::default().parse(&html).expect("a page");
        let mut page = FusionPage::default();
        page.prepare(&document, &Odds::default());
        let scores: Vec<f32> = (0..page.len()).map(|at| (at * 37 % 41) as f32 / 40.0).collect();
        let kept = Kept::of(&page.page, &scores);
        for (number, cut) in CUTS.iter().enumerate() {
            let keeps: Vec<bool> = scores.iter().map(|score| score >= cut).collect();
            let mut sums = Sums::default();
            for (at, block) in page.page.blocks.iter().enumerate().filter(|(at, _)| keeps[*at]) {
                sums.add_block(&page.page, block, scores[at]);
            }
            assert!((sums.words - kept.sums[number].words).abs() < 1e-6, "{cut}");
            assert!((sums.right - kept.sums[number].right).abs() < 1e-6, "{cut}");
            let runs = (0..keeps.len()).filter(|at| keeps[*at] && (*at == 0 || !keeps[at - 1])).count();
            assert_eq!(kept.runs[number], runs as f32, "{cut}");
            assert_eq!(kept.start[number], keeps.iter().position(|keep| *keep).unwrap_or(0), "{cut}");
            assert_eq!(kept.end[number], keeps.iter().rposition(|keep| *keep).map_or(0, |at| at + 1), "{cut}");
        }
    }
}
