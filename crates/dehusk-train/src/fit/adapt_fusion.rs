//! Adapts a fusion model to corrected pages, without the pages it was trained on.
//!
//! The model keeps its trees. For blocks that are not decided as requested, small trees are added to the first set: each has a value where
//! leaves of several of the model's trees overlap around such a block (`learners/leaf_regions.rs`). The leaves are chosen so that the overlap
//! holds many of the blocks to be changed, and few of those to be left alone: the other blocks of the corrected pages, and a sample of blocks
//! of other sites (`data/block_sample.rs`). The values grow until the whole model, with its second pass and its choice of a threshold, decides
//! as requested. docs/training.md has the measurements.

use crate::data::block_sample::BlockSample;
use crate::data::corrected_pages::CorrectedPage;
use crate::fit::card::Provenance;
use crate::fit::fusion::Steps;
use crate::labels::requested_decisions::RequestedDecisions;
use crate::learners::leaf_regions::{LeafRegions, RowSet};
use dehusk::Decision;
use dehusk::detect::fusion::{FusionModel, FusionScores};
use dehusk::dom::random::SplitMix64;
use dehusk::model::{Trees, sigmoid};
use rayon::prelude::*;
use std::path::PathBuf;

/// How much the log-odds of a block are changed in a round.
const STEP: f32 = 2.0;
/// Log-odds beyond which a block is not pushed further: the second pass then has other reasons.
const FARTHEST: f32 = 6.0;
/// A block is decided as requested if its log-odds are on that side of the threshold by this much.
const MARGIN: f32 = 0.3;
/// Rounds of pushing. Blocks that are not decided as requested after them are given up, and the others get as many rounds again.
const ROUNDS: usize = 16;
/// The most trees for a block that is pushed, and the share of the model's trees that each of them may take leaves from. The trees take
/// different leaves, so that a block that is somewhat similar changes somewhat.
const TREES: usize = 4;
const TREE_SHARE: f64 = 0.3;
/// The fewest and the most leaves that overlap.
const MIN_LEAVES: usize = 2;
const MAX_LEAVES: usize = 5;
/// The most trees that are added: scoring a page takes as long for each of them as for a tree of the model.
const MAX_TREES: usize = 1500;
/// About one in six blocks that are not decided as requested needs trees of its own; the others are moved by the trees of similar blocks.
const BLOCKS_PER_PUSH: usize = 6;
/// What each block in an overlap costs that is to be left alone: on a corrected page, on other sites, and on other sites if it is already
/// decided that way. The first is added to the sum, so that an overlap without such blocks is not worth infinitely much.
const BASE_COST: f64 = 1.0;
const COST_ON_PAGE: f64 = 5.0;
const COST_ELSEWHERE: f64 = 1.0;
const COST_SAME_DECISION: f64 = 0.1;

/// What the model card says of an adaptation.
#[derive(Clone, Debug)]
pub struct Adaptation {
    /// The files with the corrections.
    pub inputs: Vec<PathBuf>,
    /// Where the pages come from and under which licence.
    pub source: Option<String>,
    /// Chooses the trees that the added ones take leaves from.
    pub seed: u64,
}

/// A corrected page while the model is adapted.
struct Page {
    requested: RequestedDecisions,
    /// The number of its first block among those of all pages.
    start: usize,
    /// Whether the model kept each block before.
    kept: Vec<bool>,
}

impl Page {
    /// What is to become of a block.
    fn wanted(&self, block: usize) -> Wanted {
        match self.requested.blocks[block] {
            Some(decision) => Wanted { keep: decision == Decision::Keep, is_requested: true },
            None => Wanted { keep: self.kept[block], is_requested: false },
        }
    }
}

/// What is to become of a block: what a correction requests, or what the model decided before.
#[derive(Clone, Copy)]
struct Wanted {
    keep: bool,
    is_requested: bool,
}

/// A tree that is being added.
struct Added {
    /// The block it was made for.
    row: usize,
    leaves: Vec<(usize, u32)>,
    rows: RowSet,
    value: f32,
}

/// A block that is to move.
#[derive(Clone, Copy)]
struct Push {
    row: usize,
    keep: bool,
    /// The log-odds it is to have.
    target: f32,
    words: u32,
    /// Whether it is on the right side of the threshold, if only by less than the margin.
    is_decided: bool,
}

/// Adapts a model to corrected pages. The same pages and seed give the same bytes at any number of threads.
#[must_use]
pub fn adapt_fusion(
    base: &FusionModel,
    corrected: &[CorrectedPage],
    adaptation: &Adaptation,
    steps: Steps<'_>,
) -> FusionModel {
    let mut work = Work::new(base, corrected, adaptation.seed);
    work.trees = (MAX_TREES * BLOCKS_PER_PUSH / work.wrong().len().max(1)).clamp(1, TREES);
    steps(&format!("read {} blocks of text of {} corrected pages", work.sums.len(), work.pages.len()));
    if work.push_rounds() {
        work.give_up();
        work.push_rounds();
    }
    let trees = work.added.iter().filter(|added| added.value != 0.0).count();
    steps(&format!("added {trees} small trees"));
    let corrections = corrected.iter().map(|page| page.corrections.len()).sum();
    let first = work.finish();
    FusionModel { first, card: card(base, adaptation, corrected.len(), corrections, trees), ..base.clone() }
}

fn card(base: &FusionModel, adaptation: &Adaptation, pages: usize, corrections: usize, trees: usize) -> String {
    let inputs = Provenance {
        command: FusionModel::KIND,
        inputs: &adaptation.inputs,
        source: adaptation.source.as_deref(),
        measured: "docs/training.md",
    };
    format!(
        "{}Then adapted to {pages} corrected pages with {corrections} corrections, read from {}: {trees} small trees were added; seed {}. \
         Source and licence of these pages: {}. Measured in {}.\n",
        base.card,
        inputs.input_names(),
        adaptation.seed,
        inputs.source.unwrap_or("not stated"),
        inputs.measured
    )
}

/// All blocks, their leaves and what becomes of them.
struct Work<'a> {
    base: &'a FusionModel,
    seed: u64,
    pages: Vec<Page>,
    regions: LeafRegions,
    /// The log-odds of the blocks of the corrected pages, as the model has them and now.
    before: Vec<f32>,
    sums: Vec<f32>,
    /// Blocks that cannot be decided as requested.
    given_up: Vec<bool>,
    /// For pushes towards drop and towards keep the blocks that are to be left alone: of the pages, of others, and those of others that
    /// are already decided that way.
    spared: [[RowSet; 3]; 2],
    /// All rows: the blocks of the pages, then the others.
    rows: usize,
    added: Vec<Added>,
    /// How many trees a block gets that is pushed: fewer if there are many.
    trees: usize,
}

impl<'a> Work<'a> {
    fn new(base: &'a FusionModel, corrected: &[CorrectedPage], seed: u64) -> Work<'a> {
        let mut regions = LeafRegions::of(&base.first);
        let others = BlockSample::builtin();
        let width = base.first.features().max(1);
        let read = |page: &CorrectedPage| {
            let mut requested = RequestedDecisions::of(page, &base.odds)?;
            let leaves: Vec<u32> =
                requested.page.rows().chunks_exact(width).flat_map(|row| regions.leaves_of(row)).collect();
            let scores = base.score(&mut requested.page);
            let kept = scores.blocks.iter().map(|score| *score >= scores.threshold).collect();
            Some((Page { requested, start: 0, kept }, leaves))
        };
        let found: Vec<(Page, Vec<u32>)> = corrected.par_iter().filter_map(read).collect();
        let (mut pages, mut leaves) = (Vec::with_capacity(found.len()), Vec::new());
        let mut start = 0;
        for (page, own) in found {
            let count = page.kept.len();
            pages.push(Page { start, ..page });
            leaves.extend(own);
            start += count;
        }
        let margin = base.first.base().first().copied().unwrap_or(0.0);
        let before: Vec<f32> =
            leaves.chunks_exact(regions.trees().max(1)).map(|leaves| margin + regions.sum(leaves)).collect();
        let rows = start + others.len();
        others.rows().for_each(|row| leaves.extend(regions.leaves_of(&row)));
        regions.fill(leaves);
        let spared = [false, true].map(|keep| {
            let mut sets = [(); 3].map(|()| RowSet::none(rows));
            for page in &pages {
                let blocks = (0..page.kept.len()).filter(|block| page.wanted(*block).keep != keep);
                blocks.for_each(|block| sets[0].insert(page.start + block));
            }
            for block in 0..others.len() {
                sets[if others.is_kept(block) == keep { 2 } else { 1 }].insert(start + block);
            }
            sets
        });
        let (sums, given_up) = (before.clone(), vec![false; start]);
        Work { base, seed, pages, regions, before, sums, given_up, spared, rows, added: Vec::new(), trees: TREES }
    }

    /// Scores all pages with the trees added so far.
    fn scores(&mut self) -> Vec<FusionScores> {
        let (base, sums) = (self.base, &self.sums);
        let score = |page: &mut Page| {
            let own = &sums[page.start..page.start + page.kept.len()];
            let first: Vec<f32> = own.iter().map(|sum| sigmoid(*sum)).collect();
            base.score_second(&mut page.requested.page, &first)
        };
        self.pages.par_iter_mut().map(score).collect()
    }

    /// The blocks that are not decided as requested, or not as before where nothing is requested.
    fn wrong(&mut self) -> Vec<Push> {
        let scores = self.scores();
        let mut pushes = Vec::new();
        for (page, scores) in self.pages.iter().zip(&scores) {
            for block in (0..page.kept.len()).filter(|block| !self.given_up[page.start + block]) {
                let Wanted { keep, is_requested } = page.wanted(block);
                let beyond = log_odds(scores.blocks[block]) - log_odds(scores.threshold);
                let is_decided = (scores.blocks[block] >= scores.threshold) == keep;
                if is_decided && (!is_requested || beyond.abs() >= MARGIN) {
                    continue;
                }
                let row = page.start + block;
                let way = if keep { STEP } else { -STEP };
                let target = match (is_requested, keep) {
                    (true, _) => (self.sums[row] + way).clamp(-FARTHEST, FARTHEST),
                    // Back to where it was, and no further.
                    (false, true) => (self.sums[row] + way).min(self.before[row]),
                    (false, false) => (self.sums[row] + way).max(self.before[row]),
                };
                pushes.push(Push { row, keep, target, words: page.requested.page.words(block), is_decided });
            }
        }
        pushes
    }

    /// Pushes in rounds until every block is decided as requested. Returns whether some are not in the end.
    fn push_rounds(&mut self) -> bool {
        !(0..ROUNDS).any(|_| !self.push_all())
    }

    /// Pushes every block that is not decided as requested, and says whether there was one.
    fn push_all(&mut self) -> bool {
        let mut pushes = self.wrong();
        let mut wrong = [RowSet::none(self.rows), RowSet::none(self.rows)];
        pushes.iter().for_each(|push| wrong[usize::from(push.keep)].insert(push.row));
        // Long blocks first: the number of trees is limited.
        pushes.sort_by_key(|push| (std::cmp::Reverse(push.words), push.row));
        for push in &pushes {
            let way = if push.keep { 1.0 } else { -1.0 };
            // The trees of blocks like this one may have moved it already.
            let missing = push.target - self.sums[push.row];
            if missing * way <= 0.05 {
                continue;
            }
            let mut own: Vec<usize> = (0..self.added.len()).filter(|at| self.added[*at].row == push.row).collect();
            let is_possible = self.regions.trees() > 0;
            if own.is_empty() && is_possible && self.added.len() + self.trees <= MAX_TREES {
                for number in 0..self.trees {
                    own.push(self.added.len());
                    let added = self.overlap(push, number, &wrong[usize::from(push.keep)]);
                    self.added.push(added);
                }
            }
            let share = missing / own.len().max(1) as f32;
            own.into_iter().for_each(|at| self.change(at, share));
        }
        !pushes.is_empty()
    }

    fn change(&mut self, added: usize, by: f32) {
        let added = &mut self.added[added];
        added.value += by;
        // The other blocks have no sums: they only helped to choose.
        let rows = self.sums.len();
        for row in added.rows.iter().take_while(|row| *row < rows) {
            self.sums[row] += by;
        }
    }

    /// Chooses leaves around a block, one after the other, as long as their overlap gets better.
    fn overlap(&self, push: &Push, number: usize, wrong: &RowSet) -> Added {
        let mut random = SplitMix64::part(self.seed.wrapping_add(number as u64), push.row as u64);
        let trees = self.regions.trees();
        let mut open = random.choose(trees, (trees as f64 * TREE_SHARE).ceil() as usize);
        let [on_page, elsewhere, same_decision] = &self.spared[usize::from(push.keep)];
        let worth = |rows: &RowSet| {
            let cost = BASE_COST
                + COST_ON_PAGE * f64::from(rows.shared(on_page))
                + COST_ELSEWHERE * f64::from(rows.shared(elsewhere))
                + COST_SAME_DECISION * f64::from(rows.shared(same_decision));
            f64::from(rows.shared(wrong)).sqrt() / cost
        };
        let mut added = Added { row: push.row, leaves: Vec::new(), rows: RowSet::all(self.rows), value: 0.0 };
        let mut best_worth = 0.0;
        while added.leaves.len() < MAX_LEAVES {
            let with = |tree: &usize| Some(added.rows.and(self.regions.beside(push.row, *tree)?));
            let candidates = open.iter().enumerate().filter_map(|(at, tree)| {
                let rows = with(tree)?;
                Some((worth(&rows), at, rows))
            });
            let better = |one: (f64, usize, RowSet), two: (f64, usize, RowSet)| if two.0 > one.0 { two } else { one };
            let Some((now, at, rows)) = candidates.reduce(better) else { break };
            if now <= best_worth && added.leaves.len() >= MIN_LEAVES {
                break;
            }
            let tree = open.remove(at);
            added.leaves.push((tree, self.regions.leaf(push.row, tree)));
            (added.rows, best_worth) = (rows, now);
        }
        added
    }

    /// Takes back what was done for blocks that are still not decided as requested: it would change other pages for nothing.
    fn give_up(&mut self) {
        for push in self.wrong().into_iter().filter(|push| !push.is_decided) {
            self.given_up[push.row] = true;
            for at in (0..self.added.len()).filter(|at| self.added[*at].row == push.row).collect::<Vec<_>>() {
                self.change(at, -self.added[at].value);
            }
        }
        let Work { added, given_up, .. } = self;
        added.retain(|added| !given_up[added.row]);
    }

    /// The trees of the model with those that were added.
    fn finish(self) -> Trees {
        let own = &self.base.first;
        let added = self.added.iter().filter(|added| added.value != 0.0);
        let added: Vec<_> = added.map(|added| self.regions.tree(&added.leaves, added.value)).collect();
        let mut trees = self.regions.into_trees();
        trees.extend(added);
        Trees::build(own.features(), own.link(), own.base().to_vec(), &trees)
    }
}

fn log_odds(probability: f32) -> f32 {
    let probability = probability.clamp(1e-6, 1.0 - 1e-6);
    (probability / (1.0 - probability)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::corrected_pages::Correction;
    use crate::data::reference::ReferencePage;
    use crate::measure::correction_tally::CorrectionTally;
    use dehusk::{Extractor, Options};

    const PAGE: &str = "<html><head><title>The boats of May</title></head><body><nav class=menu><a href=/>Home</a> <a href=/b>Boats</a>\
        </nav><main><h1>The boats of May</h1><p>The boats came home late this year, and their nets were mended on the quay while it \
        rained for a week.</p><p>Then the wind turned, the harbour dried, and the crews went out again before the nights grew \
        short.</p></main><div class=\"widget opening-hours\"><h4>Opening hours</h4><ul><li>Monday: closed</li><li>Tuesday: nine to \
        five</li></ul></div><footer><p>Copyright 2026 Harbour Notes</p></footer></body></html>";
    const HOURS: &str = "/html[1]/body[1]/div[1]";

    fn corrected(decision: Decision, xpath: &str) -> CorrectedPage {
        let page = ReferencePage { id: "1".into(), html: PAGE.into(), ..ReferencePage::default() };
        let correction = Correction { decision, xpath: xpath.into(), ..Correction::default() };
        CorrectedPage { page, corrections: vec![correction], ..CorrectedPage::default() }
    }

    fn adapt(pages: &[CorrectedPage]) -> FusionModel {
        let adaptation = Adaptation { inputs: vec!["corrections.jsonl".into()], source: None, seed: 0 };
        adapt_fusion(FusionModel::builtin(), pages, &adaptation, &|_| {})
    }

    fn text(model: &FusionModel) -> String {
        let extractor = Extractor::new(Options::new()).unwrap();
        let extractor = extractor.with_detector(dehusk::detect::Fusion::new(model.clone())).unwrap();
        extractor.extract_owned(PAGE).unwrap().text()
    }

    #[test]
    fn a_page_is_decided_as_requested_and_the_rest_of_it_as_before() {
        let before = text(FusionModel::builtin());
        assert!(before.contains("nets were mended") && before.contains("wind turned"), "{before}");
        let is_kept = before.contains("nine to");
        // What is kept is dropped, and what is dropped is kept.
        let decision = if is_kept { Decision::Drop } else { Decision::Keep };
        let pages = [corrected(decision, HOURS)];
        let model = adapt(&pages);
        let after = text(&model);
        assert_eq!(after.contains("nine to"), !is_kept, "{after}");
        assert!(after.contains("nets were mended") && after.contains("wind turned") && !after.contains("Copyright"));
        assert!(model.card.contains("adapted to 1 corrected pages with 1 corrections, read from corrections.jsonl"));
        assert_eq!(FusionModel::from_bytes(&model.to_bytes()).unwrap(), model);
        let tally = CorrectionTally::of(&model, &pages);
        assert_eq!((tally.followed, tally.corrections), (1, 1));
        assert_eq!(tally.blocks, tally.blocks_followed);
        // Requesting what the model decides anyway adds nothing.
        let same = adapt(&[corrected(if is_kept { Decision::Keep } else { Decision::Drop }, HOURS)]);
        assert_eq!(same.first, FusionModel::builtin().first);
    }

    #[test]
    fn threads_do_not_matter() {
        let pages = [corrected(Decision::Keep, HOURS), corrected(Decision::Keep, "/html[1]/body[1]/footer[1]")];
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| adapt(&pages)).to_bytes()
        };
        assert!(with(1) == with(4));
    }

    #[test]
    fn corrections_without_effect_are_named() {
        let pages = [
            corrected(Decision::Keep, "/html[1]/body[1]/div[9]"),
            corrected(Decision::Drop, "/html[1]/head[1]"),
            CorrectedPage::default(),
        ];
        let model = adapt(&pages);
        assert_eq!(model.first, FusionModel::builtin().first);
        let why: Vec<String> =
            CorrectionTally::of(&model, &pages).unfollowed.into_iter().map(|unfollowed| unfollowed.why).collect();
        assert_eq!(why, ["it is not on the page", "it has no visible text"]);
    }
}
