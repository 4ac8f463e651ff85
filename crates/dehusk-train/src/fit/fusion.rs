//! Trains the fusion model on pages with reference texts.
//!
//! Three sets of trees. The second is fitted on scores that the first gave to pages it was not fitted on, and the third on such scores of
//! the second, so that each sees its inputs as they are on new pages. That takes models fitted without a part of the sites each, which page
//! types and measurements need, too: all come from one fit.

use crate::data::corrected_pages::CorrectedPage;
use crate::data::reference::{ReferenceInputs, ReferencePage};
use crate::fit::card::Provenance;
use crate::fit::fusion_parts::{FUSION_FOLDS, SiteParts, write_parts};
use crate::labels::fusion_examples::{Example, examples_of};
use crate::labels::requested_decisions::RequestedDecisions;
use crate::learners::bins::Bins;
use crate::learners::boost::{BoostOptions, Loss, fit_boosted};
use crate::learners::tree_growth::TreeLimits;
use dehusk::detect::fusion::{FusionModel, FusionPage, HashedOdds, ODDS_SLOTS, Odds};
use dehusk::model::{TreeScratch, Trees};
use dehusk_io::Error;
use rayon::prelude::*;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Each word is counted as if this many more pages had it, with the usual share of content: words of few pages say little. With fewer
/// such pages, all words of a rare language look like template, since most of them are in lists of languages.
const PRIOR_PAGES: f64 = 6.0;

/// Odds of words, from pages; each page counts once for each of its words.
fn fit_odds<'a>(examples: impl Iterator<Item = &'a Example> + Clone) -> Odds {
    Odds {
        text: fit_words(examples.clone().map(|example| &example.text_words)),
        names: fit_words(examples.map(|example| &example.name_words)),
    }
}

fn fit_words<'a>(pages: impl Iterator<Item = &'a Vec<(u16, f32)>>) -> HashedOdds {
    let mut counts = vec![(0.0f64, 0.0f64); ODDS_SLOTS];
    for (slot, share) in pages.flatten() {
        let count = &mut counts[*slot as usize];
        count.0 += *share as f64;
        count.1 += 1.0;
    }
    let (content, all) = counts.iter().fold((0.0, 0.0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let usual = ((content + 1.0) / (all + 2.0)).clamp(1e-3, 1.0 - 1e-3);
    let odds = |(content, all): &(f64, f64)| {
        let (inside, outside) = (content + PRIOR_PAGES * usual, all - content + PRIOR_PAGES * (1.0 - usual));
        ((inside / outside).ln() - (usual / (1.0 - usual)).ln()) as f32
    };
    HashedOdds::new(counts.iter().map(odds))
}

/// Blocks of fewer words are sampled: they are most of the blocks and weigh little.
const FEW_WORDS: usize = 4;
const SAMPLED: f32 = 0.35;
/// On pages with more blocks than this, blocks of fewer words than the other number are sampled: every page weighs the same, so that each row of
/// such a page says little.
const MANY_BLOCKS: usize = 300;
const LONG_BLOCK: usize = 20;
/// How much more a block counts that a person clicked than one that was left alone.
const CLICKED_WEIGHT: f32 = 3.0;

/// How fusion and page types are trained.
#[derive(Clone, Debug)]
pub struct FusionTraining {
    /// The pages.
    pub pages: ReferenceInputs,
    /// Where the pages come from and under which licence, for the model card.
    pub source: Option<String>,
    /// Chooses the folds and what trees are grown on.
    pub seed: u64,
    /// The share of pages that also become examples with arbitrary class names, 0 to 1.
    pub renamed: f64,
    /// How many of the pages are pages of sites whose content was replaced, for the model card.
    pub replaced_content: usize,
    /// How many of the pages are data pages with automatic references, for the model card.
    pub data_pages: usize,
    /// How much a corrected page counts. A page with a page type counts 1.
    pub more_weight: f32,
    /// A folder for the models that are fitted without a part of the sites each. Page types need them, and read them from there if they exist.
    pub fold_models: Option<PathBuf>,
}

/// Called with a short message after each step of a long fit.
pub type Steps<'a> = &'a (dyn Fn(&str) + Sync);

/// Trains the fusion model on all pages and on corrected ones. The same pages and seed give the same bytes at any number of threads.
///
/// # Errors
/// If a model that was fitted without a part of the sites cannot be written to its folder.
pub fn train_fusion(
    training: &FusionTraining,
    pages: &[ReferencePage],
    more: &[CorrectedPage],
    steps: Steps<'_>,
) -> Result<FusionModel, Error> {
    let mut examples = examples_of(pages, training.renamed);
    let corrected = |page| corrected_example(page, training.more_weight);
    examples.extend(more.par_iter().filter_map(corrected).collect::<Vec<_>>());
    let sites = pages.iter().chain(more.iter().map(|corrected| &corrected.page)).map(ReferencePage::site);
    let fitted = fit_fusion(&examples, &SiteParts::new(sites, training.seed), training.seed, steps);
    if let Some(folder) = &training.fold_models {
        write_parts(folder, &fitted.parts)?;
    }
    Ok(FusionModel { card: card(training, pages.len(), more.len()), ..fitted.whole })
}

/// A corrected page as an example that counts this much, whether its type is known or not.
fn corrected_example(corrected: &CorrectedPage, weight: f32) -> Option<Example> {
    let example = Example::of(&corrected.page)?;
    let clicks = match corrected.corrections.is_empty() {
        true => Vec::new(),
        false => RequestedDecisions::of(corrected, &Odds::default())?.blocks,
    };
    Some(example.with_clicks(weight, &clicks))
}

fn card(training: &FusionTraining, pages: usize, corrected: usize) -> String {
    let provenance = Provenance {
        command: FusionModel::KIND,
        inputs: &training.pages.inputs,
        source: training.source.as_deref(),
        measured: "docs/fusion.md",
    };
    let mut card = format!(
        "Fusion: separates the content of a page from everything around it, by that page alone.\n\
         Trained on {pages} pages with reference texts, read from {}: a block is labelled by the share of its words that align with the \
         reference text of its page; seed {}{}{}.\n\
         It holds thresholds and weights of features, and log-odds of hashed words: no text of any page.\n",
        provenance.input_names(),
        training.seed,
        training.variants(),
        match corrected {
            0 => String::new(),
            pages => format!("; {pages} corrected pages of weight {} beside them", training.more_weight),
        }
    );
    provenance.append(&mut card);
    card
}

impl FusionTraining {
    /// What the card says of pages that were made for training.
    fn variants(&self) -> String {
        let mut text = String::new();
        if self.renamed > 0.0 {
            text += &format!("; {:.0} % of the pages also with arbitrary class names", self.renamed * 100.0);
        }
        if self.replaced_content > 0 {
            text += &format!(
                "; {} of the pages are pages of sites whose content was replaced by other texts",
                self.replaced_content
            );
        }
        if self.data_pages > 0 {
            text += &format!(
                "; {} are data pages whose reference is what hardly any other page of their site has",
                self.data_pages
            );
        }
        text
    }
}

/// A model of all sites, and for each part of the sites one that was fitted without it.
pub(crate) struct FittedFusion {
    pub(crate) whole: FusionModel,
    pub(crate) parts: Vec<FusionModel>,
}

/// One thing that was fitted on all sites, and without each part of them.
struct Fitted<T> {
    whole: T,
    parts: Vec<T>,
}

impl<T> Fitted<T> {
    /// Fits on the examples that `is_used`, given by their number, leaves.
    fn new(part: &[usize], mut fit: impl FnMut(&dyn Fn(usize) -> bool) -> T) -> Fitted<T> {
        let parts = (0..FUSION_FOLDS).map(|left_out| fit(&|at| part[at] != left_out)).collect();
        Fitted { whole: fit(&|_| true), parts }
    }
}

/// Fits the models. Pages of one site are in one part.
pub(crate) fn fit_fusion(examples: &[Example], sites: &SiteParts, seed: u64, steps: Steps<'_>) -> FittedFusion {
    let part: Vec<usize> = examples.iter().map(|example| sites.part(&example.site)).collect();
    let used = |is_used: &dyn Fn(usize) -> bool| -> Vec<&Example> {
        examples.iter().enumerate().filter(|(at, _)| is_used(*at)).map(|(_, example)| example).collect()
    };
    // The odds a page is described by come from other sites, as they will for new pages.
    let odds = Fitted::new(&part, |is_used| fit_odds(used(is_used).into_iter()));
    let pages: Vec<FusionPage> =
        examples.par_iter().zip(&part).map(|(example, part)| example.described(&odds.parts[*part])).collect();
    steps("described the pages, by words of other sites");
    let names = FusionPage::column_names();
    let page_rows: Vec<&[f32]> = pages.iter().map(FusionPage::rows).collect();
    let comments = Fitted::new(&part, |is_used| fit_comments(examples, &page_rows, names.first.len(), seed, is_used));
    let first = fit_stage("first", examples, &page_rows, &part, names.first.len(), first_options(seed), steps);
    let scores = scores_by_others(&first, &page_rows, &part);
    let second_rows: Vec<Vec<f32>> =
        pages.par_iter().zip(&scores).map(|(page, scores)| page.second_rows(scores)).collect();
    let page_rows: Vec<&[f32]> = second_rows.iter().map(|rows| &rows[..]).collect();
    let second = fit_stage("second", examples, &page_rows, &part, names.second.len(), second_options(seed), steps);
    let mut scores = scores_by_others(&second, &page_rows, &part);
    scores.par_iter_mut().zip(&pages).for_each(|(scores, page)| {
        page.drop_copies(scores);
        page.pool_records(scores);
    });
    let candidates = candidates_of(examples, &pages, &scores);
    let thresholds = Fitted::new(&part, |is_used| fit_thresholds(examples, &candidates, seed, is_used));
    steps("fitted the choice of the threshold");
    let model = |odds, first, second, thresholds, comments| FusionModel {
        odds,
        first,
        second,
        thresholds,
        comments,
        card: String::new(),
    };
    let mut parts = Vec::new();
    let all = odds.parts.into_iter().zip(first.parts).zip(second.parts).zip(thresholds.parts).zip(comments.parts);
    for ((((odds, first), second), thresholds), comments) in all {
        parts.push(model(odds, first, second, thresholds, comments));
    }
    FittedFusion { whole: model(odds.whole, first.whole, second.whole, thresholds.whole, comments.whole), parts }
}

/// Fits a set of trees.
fn fit_stage(
    name: &str,
    examples: &[Example],
    page_rows: &[&[f32]],
    part: &[usize],
    width: usize,
    options: BoostOptions,
    steps: Steps<'_>,
) -> Fitted<Trees> {
    let mut done = 0;
    Fitted::new(part, |is_used| {
        let label = |at: usize, block: usize| examples[at].label(block);
        let fitted = fit_labels(examples, page_rows, width, options, is_used, label);
        done += 1;
        steps(&format!("fitted the {name} set of trees, {done} of {}", FUSION_FOLDS + 1));
        fitted
    })
}

/// Gives each block the score of trees that have not seen its site.
fn scores_by_others(fitted: &Fitted<Trees>, page_rows: &[&[f32]], part: &[usize]) -> Vec<Vec<f32>> {
    let score = |(rows, part): (&&[f32], &usize)| {
        let mut scores = Vec::new();
        fitted.parts[*part].score_into(rows, &mut TreeScratch::default(), &mut scores);
        scores
    };
    page_rows.par_iter().zip(part).map(score).collect()
}

/// Fits which blocks are comments of readers, on the pages of which that is known; none if there are none.
fn fit_comments(
    examples: &[Example],
    page_rows: &[&[f32]],
    width: usize,
    seed: u64,
    is_used: &dyn Fn(usize) -> bool,
) -> Option<Trees> {
    let labels = |at: usize| if is_used(at) { examples[at].comment_labels() } else { None };
    let is_known =
        (0..examples.len()).any(|at| labels(at).is_some_and(|labels| labels.iter().any(|label| *label > 0.5)));
    let fit = || {
        let label = |at: usize, block: usize| labels(at).map_or(0.0, |labels| labels[block]);
        fit_labels(examples, page_rows, width, comment_options(seed), |at| labels(at).is_some(), label)
    };
    is_known.then(fit)
}

fn fit_labels(
    examples: &[Example],
    page_rows: &[&[f32]],
    width: usize,
    options: BoostOptions,
    used: impl Fn(usize) -> bool,
    label: impl Fn(usize, usize) -> f32,
) -> Trees {
    let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (at, example) in examples.iter().enumerate().filter(|(at, _)| used(*at)) {
        // Pages weigh the same, however long they are: pages are what is measured.
        let page_weight = example.weight * 100.0 / example.words().max(50) as f32;
        for block in 0..example.page.len() {
            let words = example.words_of(block);
            if words == 0 {
                continue;
            }
            let mut share = 1.0;
            let is_clicked = example.is_clicked(block);
            if words < FEW_WORDS && !is_clicked {
                share *= SAMPLED;
            }
            if words < LONG_BLOCK && !is_clicked {
                share *= (MANY_BLOCKS as f32 / example.page.len() as f32).min(1.0);
            }
            let hash = xxh3_64_with_seed(example.id.as_bytes(), block as u64);
            if (hash >> 40) as f32 / (1u64 << 24) as f32 >= share {
                continue;
            }
            let clicked = if is_clicked { CLICKED_WEIGHT } else { 1.0 };
            let weight = clicked * (words as f32 * page_weight + 0.02 * example.weight) / share;
            rows.extend_from_slice(&page_rows[at][block * width..(block + 1) * width]);
            labels.push(label(at, block));
            weights.push(weight);
        }
    }
    fit_boosted(&Bins::new(&rows, width, 63), &labels, &weights, options)
}

fn first_options(seed: u64) -> BoostOptions {
    let limits = TreeLimits { leaves: 31, depth: 8, min_rows: 50, ..TreeLimits::default() };
    BoostOptions { loss: Loss::Logistic, rounds: 170, rate: 0.1, limits, rows: 0.7, features: 0.3, seed }
}

fn second_options(seed: u64) -> BoostOptions {
    let limits = TreeLimits { leaves: 15, depth: 6, min_rows: 50, ..TreeLimits::default() };
    BoostOptions { loss: Loss::Logistic, rounds: 80, rate: 0.07, limits, rows: 0.7, features: 0.3, seed }
}

fn comment_options(seed: u64) -> BoostOptions {
    let limits = TreeLimits { leaves: 15, depth: 6, min_rows: 50, ..TreeLimits::default() };
    BoostOptions { loss: Loss::Logistic, rounds: 80, rate: 0.1, limits, rows: 0.7, features: 0.3, seed }
}

/// The candidate thresholds of a page: a row for each, and the F1 of what it keeps.
struct Candidates {
    rows: Vec<f32>,
    f1: Vec<f32>,
}

fn candidates_of(examples: &[Example], pages: &[FusionPage], scores: &[Vec<f32>]) -> Vec<Candidates> {
    let of_page = |((example, page), scores): ((&Example, &FusionPage), &Vec<f32>)| {
        let keeps = |threshold: &f32| example.measure(|block| scores[block] >= *threshold).f1 as f32;
        Candidates { rows: page.threshold_rows(scores), f1: FusionPage::thresholds().iter().map(keeps).collect() }
    };
    examples.par_iter().zip(pages).zip(scores).map(of_page).collect()
}

/// Fits how well a threshold does: the F1 of what it keeps.
fn fit_thresholds(examples: &[Example], pages: &[Candidates], seed: u64, is_used: &dyn Fn(usize) -> bool) -> Trees {
    let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (_, (example, page)) in examples.iter().zip(pages).enumerate().filter(|(at, _)| is_used(*at)) {
        rows.extend_from_slice(&page.rows);
        labels.extend_from_slice(&page.f1);
        weights.resize(labels.len(), example.weight);
    }
    let limits = TreeLimits { leaves: 15, depth: 6, min_rows: 60, l2: 5.0, ..TreeLimits::default() };
    let options = BoostOptions { loss: Loss::Squared, rounds: 200, rate: 0.05, limits, rows: 0.7, features: 0.4, seed };
    fit_boosted(&Bins::new(&rows, FusionPage::column_names().threshold.len(), 63), &labels, &weights, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::corrected_pages::Correction;
    use crate::labels::fusion_examples::made_up_pages;
    use dehusk::Decision;
    use dehusk::dom::Parser;

    #[test]
    fn corrected_pages_have_their_weight_and_the_labels_of_the_clicks() {
        let page = ReferencePage { page_type: String::new(), ..made_up_pages(1).remove(0) };
        let click = |decision, xpath: &str| Correction { decision, xpath: xpath.into(), ..Correction::default() };
        let corrections = vec![
            click(Decision::Keep, "/html[1]/body[1]/div[1]"),
            click(Decision::Keep, "/html[1]/body[1]/div[2]"),
            click(Decision::Drop, "/html[1]/body[1]/div[2]/p[2]"),
        ];
        let corrected = CorrectedPage { page, corrections, ..CorrectedPage::default() };
        let example = corrected_example(&corrected, 4.0).unwrap();
        assert_eq!(example.weight, 4.0);
        assert_eq!((0..4).map(|block| example.label(block)).collect::<Vec<_>>(), [1.0, 1.0, 0.0, 1.0]);
        assert!((0..4).all(|block| example.is_clicked(block)));
        let plain = CorrectedPage { corrections: Vec::new(), ..corrected };
        let example = corrected_example(&plain, 4.0).unwrap();
        assert_eq!((0..4).map(|block| example.label(block)).collect::<Vec<_>>(), [0.0, 1.0, 1.0, 1.0]);
        assert!(!(0..4).any(|block| example.is_clicked(block)));
    }

    #[test]
    fn words_and_names_of_content_have_better_odds_than_those_around_it() {
        let pages = made_up_pages(20);
        let examples: Vec<Example> = pages.iter().filter_map(Example::of).collect();
        let odds = fit_odds(examples.iter());
        let document = Parser::default().parse(&pages[0].html).unwrap();
        let column = |odds: &Odds, name: &str| -> Vec<f32> {
            let mut page = FusionPage::default();
            page.describe(&document, odds);
            let at = FusionPage::column_names().first.iter().position(|own| own == name).unwrap();
            page.rows().chunks(FusionPage::column_names().first.len()).map(|row| row[at]).collect()
        };
        for name in ["word_odds", "name_odds"] {
            let values = column(&odds, name);
            assert!(values[0] < 0.0 && values[1..].iter().all(|odds| *odds > 0.0), "{name}: {values:?}");
            assert!(column(&Odds::default(), name).iter().all(|odds| *odds == 0.0));
        }
    }
}
