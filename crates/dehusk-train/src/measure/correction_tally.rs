//! How many corrections a model follows, and why it does not follow the others.

use crate::data::corrected_pages::{CorrectedPage, Correction};
use crate::labels::requested_decisions::RequestedDecisions;
use dehusk::Decision;
use dehusk::detect::fusion::FusionModel;
use rayon::prelude::*;

/// How many corrections a model follows.
#[derive(Clone, Debug, Default)]
pub struct CorrectionTally {
    /// Pages that were looked at.
    pub pages: usize,
    /// Corrections on them.
    pub corrections: usize,
    /// Corrections that are followed: all their blocks are decided as requested.
    pub followed: usize,
    /// Blocks with a requested decision, by corrections or, on pages without corrections, by the reference text.
    pub blocks: usize,
    /// Blocks that are decided as requested.
    pub blocks_followed: usize,
    /// The corrections that are not followed, page by page.
    pub unfollowed: Vec<UnfollowedCorrection>,
}

/// A correction that a model does not follow.
#[derive(Clone, Debug)]
pub struct UnfollowedCorrection {
    /// The address or id of the page.
    pub page: String,
    /// The correction.
    pub correction: Correction,
    /// Why, in words.
    pub why: String,
}

/// Counts the corrections that a model follows on those pages that have any; none if no page has.
#[must_use]
pub fn tally_corrections(model: &FusionModel, pages: &[CorrectedPage]) -> Option<CorrectionTally> {
    let corrected: Vec<CorrectedPage> = pages.iter().filter(|page| !page.corrections.is_empty()).cloned().collect();
    (!corrected.is_empty()).then(|| CorrectionTally::of(model, &corrected))
}

impl CorrectionTally {
    /// Counts what a model decides on corrected pages. On pages without corrections the reference text says what is requested.
    #[must_use]
    pub fn of(model: &FusionModel, pages: &[CorrectedPage]) -> CorrectionTally {
        let one = |corrected: &CorrectedPage| match RequestedDecisions::of(corrected, &model.odds) {
            Some(requested) => tally_page(&requested, corrected, &requested.kept_by(model)),
            None => unreadable(corrected),
        };
        let mut sum = CorrectionTally::default();
        for page in pages.par_iter().map(one).collect::<Vec<_>>() {
            sum.pages += page.pages;
            sum.corrections += page.corrections;
            sum.followed += page.followed;
            sum.blocks += page.blocks;
            sum.blocks_followed += page.blocks_followed;
            sum.unfollowed.extend(page.unfollowed);
        }
        sum
    }
}

/// A page that cannot be parsed: none of its corrections is followed.
fn unreadable(corrected: &CorrectedPage) -> CorrectionTally {
    let unfollowed = corrected.corrections.iter().map(|correction| UnfollowedCorrection {
        page: corrected.name().to_string(),
        correction: correction.clone(),
        why: "the page cannot be parsed".to_string(),
    });
    CorrectionTally {
        pages: 1,
        corrections: corrected.corrections.len(),
        unfollowed: unfollowed.collect(),
        ..CorrectionTally::default()
    }
}

/// The corrections of a page that are followed if these blocks are kept.
fn tally_page(requested: &RequestedDecisions, corrected: &CorrectedPage, kept: &[bool]) -> CorrectionTally {
    let is_followed =
        |block: usize| requested.blocks[block].map(|decision| (decision == Decision::Keep) == kept[block]);
    let mut tally =
        CorrectionTally { pages: 1, corrections: corrected.corrections.len(), ..CorrectionTally::default() };
    tally.blocks = requested.blocks.iter().flatten().count();
    tally.blocks_followed = (0..kept.len()).filter(|block| is_followed(*block) == Some(true)).count();
    for (number, correction) in corrected.corrections.iter().enumerate() {
        let own = (0..kept.len()).filter(|block| requested.corrections[*block] == Some(number));
        let (mut all, mut wrong) = (0, 0);
        for block in own {
            all += 1;
            wrong += usize::from(is_followed(block) == Some(false));
        }
        let why = match requested.without_effect[number] {
            Some(why) => why.to_string(),
            None if wrong == 0 => {
                tally.followed += 1;
                continue;
            }
            None if wrong == all => "the model decides otherwise".to_string(),
            None => format!("the model decides otherwise about {wrong} of its {all} blocks of text"),
        };
        let page = corrected.name().to_string();
        tally.unfollowed.push(UnfollowedCorrection { page, correction: correction.clone(), why });
    }
    tally
}
