//! Comments of readers: which blocks they are, and which blocks are kept because of that.

use crate::comments::Comments;
use crate::detect::fusion::fusion_model::FusionModel;
use crate::detect::fusion::fusion_page::FusionPage;
use crate::detect::fusion::fusion_scores::FusionScores;

/// A block is a comment if it has at least this probability.
const MIN_PROBABILITY: f32 = 0.5;

/// For each block whether it is a comment of a reader. Empty if nothing depends on it.
pub(crate) fn find_comments(model: &FusionModel, page: &mut FusionPage, option: Comments) -> Vec<bool> {
    if option == Comments::Auto {
        return Vec::new();
    }
    model.score_comments(page).into_iter().map(|probability| probability >= MIN_PROBABILITY).collect()
}

/// Changes which blocks are kept by the option.
pub(crate) fn revise_kept(
    kept: &mut [bool],
    page: &FusionPage,
    scores: &FusionScores,
    is_comment: &[bool],
    option: Comments,
) {
    if option == Comments::Auto {
        return;
    }
    let words = |counts: &dyn Fn(usize) -> bool| -> u32 {
        (0..kept.len()).filter(|block| counts(*block)).map(|block| page.words(block)).sum()
    };
    let comment = |block: usize| is_comment.get(block).copied().unwrap_or(false);
    // If most of the content looks like comments, they are the posts of a thread.
    let is_thread = 2 * words(&|block| kept[block] && comment(block)) > words(&|block| kept[block]);
    let mut is_copy = vec![false; kept.len()];
    for (copy, _) in &scores.copies {
        is_copy[*copy as usize] = true;
    }
    for (block, kept) in kept.iter_mut().enumerate() {
        *kept = match option {
            Comments::Auto => *kept,
            Comments::Keep => *kept || (comment(block) && !is_copy[block]),
            Comments::Drop => *kept && (is_thread || !comment(block)),
            Comments::Only => comment(block) && !is_copy[block],
        };
    }
}
