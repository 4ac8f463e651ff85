//! What is known of a page's site, joined with what the model says of the page alone.
//!
//! Takes the detection of a site-level method and returns, for each text block, how much of its text the template of the site claims and
//! how much no other page was seen to have. Both move the log-odds of the block's chance. Decides nothing.

use super::{FusionPage, FusionScores};
use crate::detection::{Detection, Reason};
use crate::dom::{Document, NodeId};

/// What a site says of the text blocks of one of its pages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteEvidence {
    /// How many pages of the site were seen.
    pub pages: u32,
    /// For each block the share of its text that is template of the site; what stands on few pages counts less.
    pub claimed: Vec<f32>,
    /// For each block the share of its text that no other page of the site was seen to have.
    pub own: Vec<f32>,
}

/// Less than one word in so many of what the page alone would keep is scraps: a site that repeats a whole text has it on several pages, and a
/// page that loses its text to the template would keep a date and a name.
const SCRAPS: u32 = 5;
/// So many words are a text.
const PLAUSIBLE_WORDS: u32 = 20;
/// From this share on a block is the page's own.
const MOSTLY: f32 = 0.5;

/// How much evidence of the site moves the log-odds of a block that is all template, or all its own, where many pages were seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EvidenceWeights {
    /// Down, where all of it is template. Half of it where eight pages were seen.
    pub claimed: f32,
    /// Up, where none of it stands on any other page. Nothing up to eight pages, half of it where sixteen were seen.
    pub own: f32,
}

/// The number of pages from which on what a site says is more than a hint.
const FEW_PAGES: f32 = 8.0;
/// What stands on this share of the pages, or more, is claimed without doubt; what stands on fewer, as much less.
const SURE_SHARE: f32 = 0.3;

impl EvidenceWeights {
    /// Chosen on half of the sites and measured on the other half: docs/results/evidence.md.
    pub const DEFAULT: EvidenceWeights = EvidenceWeights { claimed: 3.0, own: 2.0 };
}

impl SiteEvidence {
    /// Reads what a site-level detection says of each block.
    pub fn of(document: &Document, page: &FusionPage, site: &Detection) -> SiteEvidence {
        let mut evidence = SiteEvidence { pages: pages_seen(document, site), ..SiteEvidence::default() };
        for block in 0..page.len() {
            let (first, end) = page.span(block);
            let (mut all, mut claimed, mut own) = (0.0, 0.0, 0.0);
            for id in (first.0..end.0).map(NodeId).filter(|id| document.is_text(*id)) {
                let length = document.text(id).trim().len() as f32;
                all += length;
                if site.is_dropped(id) {
                    claimed += length * claim(site.score(id));
                } else if matches!(site.reason(id), Reason::NoEvidence | Reason::Repeated { pages: 0..=1, .. }) {
                    own += length;
                }
            }
            evidence.claimed.push(claimed / f32::max(all, 1.0));
            evidence.own.push(own / f32::max(all, 1.0));
        }
        evidence
    }

    /// The chances of the blocks with this evidence.
    pub fn weigh(&self, chances: &[f32], weights: EvidenceWeights) -> Vec<f32> {
        let pages = self.pages as f32;
        let down = weights.claimed * pages / (pages + FEW_PAGES);
        let up = weights.own * (1.0 - FEW_PAGES / pages.max(FEW_PAGES));
        let moved = self.claimed.iter().zip(&self.own).map(|(claimed, own)| up * own - down * claimed);
        chances.iter().zip(moved).map(|(chance, moved)| move_odds(*chance, moved)).collect()
    }
}

/// How sure it is that a text is template which stands on this share of the pages.
fn claim(share: f32) -> f32 {
    (share / SURE_SHARE).clamp(0.0, 1.0)
}

/// The pages a detection was learned from, as its reasons say.
fn pages_seen(document: &Document, site: &Detection) -> u32 {
    let of = |id| match site.reason(id) {
        Reason::Repeated { of, .. } | Reason::InTemplate { of, .. } | Reason::Aligned { of, .. } => of,
        _ => 0,
    };
    document.ids().map(of).max().unwrap_or(0)
}

impl SiteEvidence {
    /// Joins what the model says of the page alone with this evidence, and says whether the two left nothing together, or scraps, though one
    /// of them alone leaves a text: then that one is believed. Nothing of this depends on the focus.
    pub fn join(&self, page: &FusionPage, alone: FusionScores, weights: EvidenceWeights) -> (FusionScores, bool) {
        let blocks = self.weigh(&alone.blocks, weights);
        let joined = FusionScores { blocks, ..alone.clone() };
        let words = |keeps: &dyn Fn(usize) -> bool| -> u32 {
            (0..page.len()).filter(|block| keeps(*block)).map(|block| page.words(block)).sum()
        };
        let (kept_both, kept_alone) =
            (words(&|block| joined.blocks[block] >= joined.cut), words(&|block| alone.blocks[block] >= alone.cut));
        if kept_both < kept_alone / SCRAPS && kept_alone >= PLAUSIBLE_WORDS {
            return (alone, true);
        }
        if kept_both > 0 {
            return (joined, false);
        }
        let own = |block: usize| self.own[block] >= MOSTLY;
        if self.pages as f32 > FEW_PAGES && words(&own) >= PLAUSIBLE_WORDS {
            return (FusionScores { blocks: self.own.clone(), cut: MOSTLY, ..alone }, true);
        }
        (joined, false)
    }
}

/// A chance whose log-odds moved.
fn move_odds(chance: f32, by: f32) -> f32 {
    // No chance at all is that of a copy, which no evidence brings back.
    if by == 0.0 || chance == 0.0 {
        return chance;
    }
    let chance = chance.clamp(1e-5, 1.0 - 1e-5);
    let odds = (chance / (1.0 - chance)).ln() + by;
    1.0 / (1.0 + (-odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn evidence(pages: u32) -> SiteEvidence {
        SiteEvidence { pages, claimed: vec![1.0, 0.0, 0.0], own: vec![0.0, 1.0, 0.0] }
    }

    #[test]
    fn evidence_weighs_more_the_more_pages_were_seen() {
        let chances = [0.5, 0.5, 0.5];
        assert_eq!(evidence(0).weigh(&chances, EvidenceWeights::DEFAULT), chances);
        let few = evidence(3).weigh(&chances, EvidenceWeights::DEFAULT);
        let many = evidence(100).weigh(&chances, EvidenceWeights::DEFAULT);
        assert!(few[0] < 0.5 && many[0] < few[0]);
        // That no other page has it says nothing where hardly any was seen.
        assert!(few[1] == 0.5 && many[1] > 0.5);
        assert_eq!((few[2], many[2]), (0.5, 0.5));
    }

    #[test]
    fn what_would_be_emptied_is_left_to_one_of_the_two() {
        let words = "one two three four five six seven ".repeat(4);
        let document = Parser::default().parse(format!("<p>{words}</p><div>{words}</div>")).unwrap();
        let mut page = FusionPage::default();
        page.prepare(&document, &crate::fusion::Odds::default());
        let scores = |blocks: [f32; 2]| FusionScores { blocks: blocks.to_vec(), cut: 0.6, ..FusionScores::default() };
        let kept = |scores: &FusionScores| scores.blocks.iter().map(|chance| *chance >= scores.cut).collect::<Vec<_>>();
        let evidence = SiteEvidence { pages: 30, claimed: vec![1.0, 0.0], own: vec![0.0, 1.0] };
        let (joined, disputed) = evidence.join(&page, scores([0.9, 0.5]), EvidenceWeights::DEFAULT);
        assert_eq!((kept(&joined), disputed), (vec![false, true], false));
        let (joined, disputed) = evidence.join(&page, scores([0.9, 0.01]), EvidenceWeights::DEFAULT);
        assert_eq!((kept(&joined), disputed), (vec![true, false], true));
        let (joined, disputed) = evidence.join(&page, scores([0.01, 0.01]), EvidenceWeights::DEFAULT);
        assert_eq!((kept(&joined), disputed), (vec![false, true], true));
    }
}
