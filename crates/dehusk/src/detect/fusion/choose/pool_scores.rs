//! Decides a field of similar records as one: the blocks of a column get the same score.

use crate::read::text_blocks::TextBlock;
use crate::records::columns::RecordColumns;

/// Longer texts count as much as one of this many words: one long post says little about the others.
const MAX_WEIGHT: u32 = 30;

/// Replaces the scores of the blocks of each column by their mean. Blocks that are copies of others have the score 0, which no other block
/// has, and stay as they are.
pub(crate) fn pool_scores(records: &RecordColumns, blocks: &[TextBlock], scores: &mut [f32]) {
    let mut sums = vec![(0.0f32, 0.0f32); records.len()];
    for (block, score) in scores.iter().enumerate().filter(|(_, score)| **score > 0.0) {
        if let Some(place) = records.place(block) {
            let weight = 1.0 + blocks[block].counts.words.min(MAX_WEIGHT) as f32;
            let sum = &mut sums[place.column as usize];
            *sum = (sum.0 + weight * score, sum.1 + weight);
        }
    }
    for (block, score) in scores.iter_mut().enumerate().filter(|(_, score)| **score > 0.0) {
        if let Some(place) = records.place(block) {
            let (sum, weight) = sums[place.column as usize];
            *score = sum / weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::detect::fusion::{FusionPage, Odds};
    use crate::dom::Parser;

    #[test]
    fn a_field_has_one_score_and_other_text_keeps_its_own() {
        let card = "<div class=card><h3>Net</h3><p>is mended</div>";
        let document = Parser::default().parse(format!("<h1>Nets</h1>{}<p>the end", card.repeat(3))).unwrap();
        let mut page = FusionPage::default();
        page.prepare(&document, &Odds::default());
        let mut scores = [0.9, 0.2, 0.8, 0.4, 0.8, 0.6, 0.5, 0.1];
        page.pool_records(&mut scores);
        let expected = [0.9, 0.4, 0.7, 0.4, 0.7, 0.4, 0.7, 0.1];
        assert!(scores.iter().zip(expected).all(|(score, expected)| (score - expected).abs() < 1e-6), "{scores:?}");
    }
}
