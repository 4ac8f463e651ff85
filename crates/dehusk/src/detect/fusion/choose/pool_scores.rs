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
