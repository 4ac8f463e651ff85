//! The threshold of a page for a focus: what `precision` leaves out and `recall` adds.
//!
//! The focus shifts the log-odds of the page's best threshold. That alone would empty pages with low probabilities, and flood others. So
//! towards precision at most a share of the expected content is lost, and towards recall at most a share of words is added.
//! Input: probabilities of blocks and their words. Output: a threshold that falls as the focus rises.

use crate::detect::fusion::describe::second_pass::{blocks_by_score, word_weight};
use crate::detect::fusion::fusion_scores::FusionScores;
use crate::focus::Focus;
use crate::read::text_blocks::PageBlocks;

/// How far the log-odds of the threshold move between focus 0 and focus 1.
const RANGE: f32 = 8.0;
/// The share of the expected content that may be lost at focus 0. Less, by the square, towards balanced.
const MOST_LOST: f32 = 0.5;
/// Words that may be added at focus 1, as a share of what balanced keeps.
const MOST_ADDED: f32 = 2.0;
/// Words that may always be added: on a page of two sentences, one more sentence is not too much.
const ALWAYS_ADDED: f32 = 100.0;

/// The lowest probability at which blocks of a page are kept.
pub(crate) fn focus_threshold(page: &PageBlocks, scores: &FusionScores, focus: Focus) -> f32 {
    let best = scores.threshold;
    let way = 2.0 * (focus.0 - Focus::BALANCED.0);
    if way == 0.0 || scores.blocks.is_empty() {
        return best;
    }
    let odds = (best / (1.0 - best).max(1e-6)).ln() - 0.5 * RANGE * way;
    let shifted = 1.0 / (1.0 + (-odds).exp());
    let order = blocks_by_score(&scores.blocks);
    let words = |at: usize| word_weight(page.blocks[at].counts.words);
    let kept = order.iter().map(|at| *at as usize).take_while(|at| scores.blocks[*at] >= best);
    if way < 0.0 {
        let content = |at: usize| words(at) * scores.blocks[at];
        let needed = (1.0 - MOST_LOST * way * way) * kept.clone().map(content).sum::<f32>();
        let mut sum = 0.0;
        let last = kept.clone().find(|at| {
            sum += content(*at);
            sum >= needed
        });
        last.map_or(best, |at| shifted.min(scores.blocks[at])).max(best)
    } else if focus.0 < 1.0 {
        let most = ALWAYS_ADDED * way + MOST_ADDED * way * way * kept.map(words).sum::<f32>();
        let mut added = 0.0;
        let below = order.iter().map(|at| *at as usize).skip_while(|at| scores.blocks[*at] >= best);
        let first_too_many = below.into_iter().find(|at| {
            added += words(*at);
            added > most
        });
        // Blocks with that probability are left out.
        first_too_many.map_or(shifted, |at| shifted.max(scores.blocks[at].next_up())).min(best)
    } else {
        shifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::fusion::fusion_page::FusionPage;
    use crate::dom::Parser;
    use crate::read::words::hashed_odds::Odds;

    fn threshold(blocks: &[f32], best: f32, focus: f32) -> f32 {
        let html: String = blocks.iter().map(|_| "<p>one two three four five six seven eight nine ten").collect();
        let document = Parser::default().parse(&html).unwrap();
        let mut page = FusionPage::default();
        page.prepare(&document, &Odds::default());
        let scores = FusionScores { blocks: blocks.to_vec(), threshold: best, ..FusionScores::default() };
        focus_threshold(&page.page, &scores, Focus::new(focus).unwrap())
    }

    #[test]
    fn a_higher_focus_never_has_a_higher_threshold() {
        let blocks: Vec<f32> = (0..60).map(|at| ((at * 37 % 60) as f32 + 0.5) / 60.0).collect();
        for best in [0.05, 0.3, 0.6] {
            let all: Vec<f32> = (0..=20).map(|step| threshold(&blocks, best, step as f32 / 20.0)).collect();
            assert!(all.windows(2).all(|pair| pair[0] >= pair[1]), "{all:?}");
            assert_eq!(all[10], best);
        }
    }

    #[test]
    fn precision_empties_no_page_and_recall_floods_none() {
        // All of it is uncertain: precision keeps most of it all the same.
        let kept = |blocks: &[f32], best, focus| {
            let threshold = threshold(blocks, best, focus);
            blocks.iter().filter(|score| **score >= threshold).count()
        };
        assert!(kept(&[0.3, 0.32, 0.34, 0.36, 0.38], 0.25, 0.25) >= 4);
        assert!(kept(&[0.3, 0.32, 0.34, 0.36, 0.38], 0.25, 0.0) >= 2);
        // Certain blocks are not dropped because others are more certain.
        assert_eq!(kept(&[0.99, 0.98, 0.97, 0.2], 0.4, 0.25), 3);
        // A menu of a hundred links that might be content.
        let flood: Vec<f32> = [0.9; 10].into_iter().chain([0.15; 100]).collect();
        assert!(kept(&flood, 0.4, 0.75) < 60);
        assert_eq!(kept(&flood, 0.4, 1.0), 110);
    }
}
