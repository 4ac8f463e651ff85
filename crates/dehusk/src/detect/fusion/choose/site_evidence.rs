//! Evidence from other pages of the site, combined with the model's scores of a page.
//!
//! Input: the detection of a site-level method. Output: for each text block, how much of its text is in the site's template and how
//! much is on no other page. Both shift the log-odds of the block's probability. No decision is made here.

use crate::detect::fusion::fusion_page::FusionPage;
use crate::detect::fusion::fusion_scores::FusionScores;
use crate::detection::{Detection, Reason};
use crate::dom::{Document, NodeId};

/// What is known from its site about the text blocks of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteEvidence {
    /// Number of pages of the site that were seen.
    pub pages: u32,
    /// For each block the share of its text that is in the site's template. Text on few pages counts less.
    pub template: Vec<f32>,
    /// For each block the share of its text that is on no other page of the site.
    pub unique: Vec<f32>,
    /// For each block whether it is the value of a label: the label is on many pages, the value on few of these.
    pub value: Vec<bool>,
}

/// A result is scraps if it has less than one in this many of the words that the model alone would keep. Sites that repeat a whole text
/// have it on several pages, so it looks like template, and only a date and a name would be left of such a page.
const SCRAPS: u32 = 5;
/// Minimum number of words of a plausible text.
const PLAUSIBLE_WORDS: u32 = 20;
/// A block is unique to its page if at least this share of its text is.
const MOSTLY: f32 = 0.5;

/// The most words of a label, and of a value.
const MAX_LABEL_WORDS: u32 = 6;
const MAX_VALUE_WORDS: u32 = 30;
/// A value is on at most this share of the pages with its label.
const MAX_VALUE_SHARE: f32 = 0.6;

/// How far evidence shifts the log-odds of a block that is all template, or all unique, if many pages were seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EvidenceWeights {
    /// Shift down if all of it is template. Half of this with eight pages.
    pub template: f32,
    /// Shift up if none of it is on any other page. Zero up to eight pages, half of this with sixteen. Less the surer the model is of the
    /// page: where it is sure, what else is unique are dates, names and titles of other pages.
    pub unique: f32,
    /// Shift up of the value of a label, whatever the model thinks of the page. With few pages like `unique`.
    pub value: f32,
}

/// The confidence at and above which text that is unique to a page is no evidence, and that at and below which it counts in full.
const SURE_CONFIDENCE: f32 = 0.93;
const UNSURE_CONFIDENCE: f32 = 0.75;

/// Up to this number of pages, the evidence is weak.
const FEW_PAGES: f32 = 8.0;
/// Text on at least this share of the pages is certainly template. Below it, certainty is proportional to the share.
const CERTAIN_SHARE: f32 = 0.3;

impl EvidenceWeights {
    /// Chosen on half of the sites and measured on the other half: docs/results/evidence.md.
    pub const DEFAULT: EvidenceWeights = EvidenceWeights { template: 3.0, unique: 2.0, value: 3.0 };
}

impl SiteEvidence {
    /// Collects the evidence of a site-level detection for each block.
    pub fn of(document: &Document, page: &FusionPage, site: &Detection) -> SiteEvidence {
        let mut evidence = SiteEvidence { pages: pages_seen(document, site), ..SiteEvidence::default() };
        let mut shares = Vec::with_capacity(page.len());
        for block in 0..page.len() {
            let (first, end) = page.span(block);
            let (mut all, mut template, mut unique, mut share) = (0.0, 0.0, 0.0, 0.0);
            for id in (first.0..end.0).map(NodeId).filter(|id| document.is_text(*id)) {
                let length = document.text(id).trim().len() as f32;
                all += length;
                if site.is_dropped(id) {
                    share += length * site.score(id);
                    template += length * template_certainty(site.score(id));
                } else if matches!(site.reason(id), Reason::NoEvidence | Reason::Repeated { pages: 0..=1, .. }) {
                    unique += length;
                }
            }
            evidence.template.push(template / f32::max(all, 1.0));
            evidence.unique.push(unique / f32::max(all, 1.0));
            shares.push(share / f32::max(all, 1.0));
        }
        evidence.find_values(page, &shares);
        evidence
    }

    /// Finds labels and their values. A label belongs to its value, so being on many pages says nothing against it; and a value such as
    /// "red" or a date is on several pages, but on far fewer than its label.
    fn find_values(&mut self, page: &FusionPage, shares: &[f32]) {
        self.value = vec![false; page.len()];
        for label in 0..page.len().saturating_sub(1) {
            let value = label + 1;
            let is_label = shares[label] >= CERTAIN_SHARE && page.is_short_text(label, MAX_LABEL_WORDS);
            let is_value = shares[value] <= MAX_VALUE_SHARE * shares[label] && page.words(value) <= MAX_VALUE_WORDS;
            if is_label && is_value && page.is_beside(label, value) {
                (self.template[label], self.template[value]) = (0.0, 0.0);
                self.value[value] = true;
            }
        }
    }

    /// Shifts the probabilities of the blocks by this evidence.
    pub fn shift(&self, probabilities: &[f32], confidence: f32, weights: EvidenceWeights) -> Vec<f32> {
        let pages = self.pages as f32;
        let down = weights.template * pages / (pages + FEW_PAGES);
        let unsure = ((SURE_CONFIDENCE - confidence) / (SURE_CONFIDENCE - UNSURE_CONFIDENCE)).clamp(0.0, 1.0);
        let many = 1.0 - FEW_PAGES / pages.max(FEW_PAGES);
        let (up, up_value) = (weights.unique * unsure * many, weights.value * many);
        let shift = |at: usize| {
            let own = f32::max(up * self.unique[at], if self.value[at] { up_value } else { 0.0 });
            own - down * self.template[at]
        };
        (0..probabilities.len()).map(|at| shift_log_odds(probabilities[at], shift(at))).collect()
    }

    /// Combines the model's scores of the page with this evidence. If the two together keep nothing or only scraps, although one of
    /// them alone keeps a plausible text, returns the scores of that one and `true` (disputed). The focus has no influence.
    pub fn combine(&self, page: &FusionPage, alone: FusionScores, weights: EvidenceWeights) -> (FusionScores, bool) {
        let blocks = self.shift(&alone.blocks, alone.confidence, weights);
        let combined = FusionScores { blocks, ..alone.clone() };
        let words = |keeps: &dyn Fn(usize) -> bool| -> u32 {
            (0..page.len()).filter(|block| keeps(*block)).map(|block| page.words(block)).sum()
        };
        let kept = |scores: &FusionScores| words(&|block| scores.blocks[block] >= scores.threshold);
        let (kept_combined, kept_alone) = (kept(&combined), kept(&alone));
        if kept_combined < kept_alone / SCRAPS && kept_alone >= PLAUSIBLE_WORDS {
            return (alone, true);
        }
        if kept_combined > 0 {
            return (combined, false);
        }
        let unique = |block: usize| self.unique[block] >= MOSTLY;
        if self.pages as f32 > FEW_PAGES && words(&unique) >= PLAUSIBLE_WORDS {
            return (FusionScores { blocks: self.unique.clone(), threshold: MOSTLY, ..alone }, true);
        }
        (combined, false)
    }
}

/// How certain it is that text on this share of the pages is template, 0 to 1.
fn template_certainty(share: f32) -> f32 {
    (share / CERTAIN_SHARE).clamp(0.0, 1.0)
}

/// The number of pages that a detection is based on, according to its reasons.
fn pages_seen(document: &Document, site: &Detection) -> u32 {
    let of = |id| match site.reason(id) {
        Reason::Repeated { of, .. } | Reason::InTemplate { of, .. } | Reason::Aligned { of, .. } => of,
        _ => 0,
    };
    document.ids().map(of).max().unwrap_or(0)
}

/// Shifts the log-odds of a probability.
fn shift_log_odds(probability: f32, shift: f32) -> f32 {
    // A copy has probability 0 and is dropped regardless of the evidence.
    if shift == 0.0 || probability == 0.0 {
        return probability;
    }
    let probability = probability.clamp(1e-5, 1.0 - 1e-5);
    let odds = (probability / (1.0 - probability)).ln() + shift;
    1.0 / (1.0 + (-odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn evidence(pages: u32) -> SiteEvidence {
        SiteEvidence { pages, template: vec![1.0, 0.0, 0.0], unique: vec![0.0, 1.0, 0.0], value: vec![false; 3] }
    }

    #[test]
    fn more_pages_shift_probabilities_further() {
        let probabilities = [0.5, 0.5, 0.5];
        assert_eq!(evidence(0).shift(&probabilities, 0.5, EvidenceWeights::DEFAULT), probabilities);
        let few = evidence(3).shift(&probabilities, 0.5, EvidenceWeights::DEFAULT);
        let many = evidence(100).shift(&probabilities, 0.5, EvidenceWeights::DEFAULT);
        assert!(few[0] < 0.5 && many[0] < few[0]);
        // With few pages, text that is on no other page is no evidence.
        assert!(few[1] == 0.5 && many[1] > 0.5);
        assert_eq!((few[2], many[2]), (0.5, 0.5));
    }

    #[test]
    fn labels_and_their_values_stay_together() {
        let html = "<table><tr><td>Colour<td>red<tr><td>Price<td>12</table><ul><li>Home<li>Cart</ul>";
        let document = Parser::default().parse(html).unwrap();
        let mut page = FusionPage::default();
        page.prepare(&document, &crate::read::words::hashed_odds::Odds::default());
        let template = vec![1.0, 0.8, 1.0, 0.0, 1.0, 1.0];
        let mut evidence = SiteEvidence { pages: 40, template, unique: vec![0.0; 6], value: Vec::new() };
        // "red" is on four pages in ten, its label on all.
        evidence.find_values(&page, &[1.0, 0.4, 1.0, 0.0, 1.0, 1.0]);
        assert_eq!(evidence.value, [false, true, false, true, false, false]);
        assert_eq!(evidence.template, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        let shifted = evidence.shift(&[0.5; 6], 0.99, EvidenceWeights::DEFAULT);
        assert!(shifted[0] == 0.5 && shifted[1] > 0.5 && shifted[4] < 0.5);
    }

    #[test]
    fn what_is_unique_counts_on_pages_the_model_is_unsure_of() {
        let up = |confidence: f32| evidence(100).shift(&[0.5; 3], confidence, EvidenceWeights::DEFAULT)[1];
        assert!(up(0.5) > up(0.9) && up(0.9) > up(0.98));
        assert_eq!(up(0.98), 0.5);
    }

    #[test]
    fn an_empty_combination_falls_back_to_one_source() {
        let words = "one two three four five six seven ".repeat(4);
        let document = Parser::default().parse(format!("<p>{words}</p><div>{words}</div>")).unwrap();
        let mut page = FusionPage::default();
        page.prepare(&document, &crate::read::words::hashed_odds::Odds::default());
        let scores =
            |blocks: [f32; 2]| FusionScores { blocks: blocks.to_vec(), threshold: 0.6, ..FusionScores::default() };
        let kept =
            |scores: &FusionScores| scores.blocks.iter().map(|score| *score >= scores.threshold).collect::<Vec<_>>();
        let evidence =
            SiteEvidence { pages: 30, template: vec![1.0, 0.0], unique: vec![0.0, 1.0], value: vec![false; 2] };
        let (combined, disputed) = evidence.combine(&page, scores([0.9, 0.5]), EvidenceWeights::DEFAULT);
        assert_eq!((kept(&combined), disputed), (vec![false, true], false));
        let (combined, disputed) = evidence.combine(&page, scores([0.9, 0.01]), EvidenceWeights::DEFAULT);
        assert_eq!((kept(&combined), disputed), (vec![true, false], true));
        let (combined, disputed) = evidence.combine(&page, scores([0.01, 0.01]), EvidenceWeights::DEFAULT);
        assert_eq!((kept(&combined), disputed), (vec![false, true], true));
    }
}
