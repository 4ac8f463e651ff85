//! Trains the fusion model on pages with reference texts.
//!
//! Labels come from aligning the words of a page with those of its reference text. The second model is fitted on scores that the first
//! gave to pages it was not fitted on, and the third on such scores of the second, so that each sees its inputs as they are on new pages.

use crate::bins::Bins;
use crate::boost::{BoostOptions, Loss, fit_boosted};
use crate::card::Provenance;
use crate::evaluate::{measure_words, measures};
use crate::folds::fold_of_sites;
use crate::grow::GrowOptions;
use crate::reference::{ReferenceInputs, ReferencePage};
use dehusk::align::{Step, align};
use dehusk::dom::Parser;
use dehusk::fusion::{FusionModel, FusionPage, ODDS_SLOTS, Odds, WordOdds};
use dehusk::model::{TreeScratch, Trees};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The content of a page as a page of its own, with nothing around it: all of it, or its beginning. Crawls hardly have such pages, but
/// people do; without them a model drops a paragraph that is alone on its page.
fn bare_page(page: &ReferencePage, paragraphs: usize) -> Option<ReferencePage> {
    let kept: Vec<&str> =
        page.content.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).take(paragraphs).collect();
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let html: String = kept.iter().map(|text| format!("<p>{}</p>\n", escape(text))).collect();
    let id = format!("{}-bare", page.id);
    (!kept.is_empty()).then(|| ReferencePage { id, html, content: kept.join("\n\n"), ..page.clone() })
}

/// One page in so many is also shown bare, and as often its beginning alone.
const BARE: usize = 64;
/// Paragraphs that are a beginning.
const BEGINNING: usize = 2;

/// The examples of pages, and of some of them once more with nothing around their content; those have other names.
pub fn examples_of(pages: &[ReferencePage]) -> Vec<Example> {
    let bare = pages.iter().enumerate().filter_map(|(number, page)| match number % BARE {
        0 => bare_page(page, usize::MAX),
        1 => bare_page(page, BEGINNING),
        _ => None,
    });
    pages.iter().cloned().chain(bare).collect::<Vec<_>>().par_iter().filter_map(Example::of).collect()
}

/// A page with labels.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its name in the corpus.
    pub id: String,
    /// Its domain; pages of one domain are in one fold.
    pub site: String,
    /// Its source.
    html: String,
    /// The page, cut. Its rows depend on the odds of words.
    pub page: FusionPage,
    /// For each word of its text, and each of its names, the share of it that is in content.
    text_words: Vec<(u16, f32)>,
    name_words: Vec<(u16, f32)>,
    /// For each block the share of its words that are content.
    labels: Vec<f32>,
    /// The words of all blocks, as numbers.
    words: Vec<u32>,
    /// Where the words of each block begin.
    starts: Vec<usize>,
    /// How often each word stands in the content.
    wanted: Vec<u32>,
    wanted_total: usize,
}

/// The name under which pages of one site are kept together: the last parts of the host.
pub fn site_of(url: &str) -> String {
    let host = url.split("://").nth(1).unwrap_or(url).split(['/', '?', '#', ':']).next().unwrap_or_default();
    let parts: Vec<&str> = host.split('.').collect();
    // `example.co.uk` is a site, `co.uk` is none: ends of up to three letters before the last one belong to the ending.
    let keep = if parts.len() > 2 && parts[parts.len() - 2].len() <= 3 { 3 } else { 2 };
    parts[parts.len().saturating_sub(keep)..].join(".").to_lowercase()
}

impl Example {
    /// Cuts and labels a page; none where it cannot be parsed.
    pub fn of(known: &ReferencePage) -> Option<Example> {
        let document = Parser::default().parse(&known.html).ok()?;
        let mut page = FusionPage::default();
        page.prepare(&document, &Odds::default());
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut number = |word: String| {
            let next = numbers.len() as u32;
            *numbers.entry(word).or_insert(next)
        };
        let content: Vec<u32> = measure_words(&known.content).into_iter().map(&mut number).collect();
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        for block in 0..page.len() {
            starts.push(words.len());
            words.extend(measure_words(&page.text(&document, block)).into_iter().map(&mut number));
        }
        starts.push(words.len());
        let mut wanted = vec![0; numbers.len()];
        content.iter().for_each(|word| wanted[*word as usize] += 1);
        let matched = matched_words(&words, &content);
        let mut labels: Vec<f32> = starts
            .windows(2)
            .map(|range| {
                let found = matched[range[0]..range[1]].iter().filter(|matched| **matched).count();
                found as f32 / (range[1] - range[0]).max(1) as f32
            })
            .collect();
        // The alignment can match but one of several copies; which of them is shown is decided later.
        for first in 0..page.len() {
            let best = page.copies_from(first).map(|at| labels[at]).fold(0.0, f32::max);
            page.copies_from(first).for_each(|at| labels[at] = best);
        }
        let site = site_of(&known.url);
        let (id, html) = (known.id.clone(), known.html.clone());
        let told =
            |block: &u32| (starts[*block as usize + 1] > starts[*block as usize]).then(|| labels[*block as usize]);
        let slots = page.word_slots(&document);
        let (text_words, name_words) = (shares(slots.text, told), shares(slots.names, told));
        let wanted_total = content.len();
        Some(Example {
            id,
            site,
            html,
            page,
            text_words,
            name_words,
            labels,
            words,
            starts,
            wanted,
            wanted_total,
        })
    }

    /// What the model sees of the page, given the odds of words.
    fn described(&self, odds: &Odds) -> FusionPage {
        let mut page = FusionPage::default();
        if let Ok(document) = Parser::default().parse(&self.html) {
            page.describe(&document, odds);
        }
        page
    }

    /// The share of a block's words that are content.
    pub fn label(&self, block: usize) -> f32 {
        self.labels[block]
    }

    /// How many words a block has.
    fn words_of(&self, block: usize) -> usize {
        self.starts[block + 1] - self.starts[block]
    }

    /// F measure, precision and recall of the words of the blocks that are kept.
    pub fn measure(&self, keep: impl Fn(usize) -> bool) -> [f64; 3] {
        let mut left = self.wanted.clone();
        let (mut kept, mut right) = (0usize, 0usize);
        for block in (0..self.page.len()).filter(|block| keep(*block)) {
            for word in &self.words[self.starts[block]..self.starts[block + 1]] {
                kept += 1;
                let left = &mut left[*word as usize];
                right += (*left > 0) as usize;
                *left = left.saturating_sub(1);
            }
        }
        measures(right, kept, self.wanted_total)
    }
}

/// Which words of a page are matched with its content.
fn matched_words(words: &[u32], content: &[u32]) -> Vec<bool> {
    let mut matched = Vec::with_capacity(words.len());
    for step in align(words, content).steps {
        match step {
            Step::Match => matched.push(true),
            Step::Mismatch | Step::First => matched.push(false),
            Step::Second => {}
        }
    }
    matched
}

/// For each place of the table the mean label of the blocks where a word of it stands.
fn shares(mut found: Vec<(u32, u16)>, label: impl Fn(&u32) -> Option<f32>) -> Vec<(u16, f32)> {
    found.sort_unstable_by_key(|(block, slot)| (*slot, *block));
    let mut shares = Vec::new();
    for run in found.chunk_by(|one, two| one.1 == two.1) {
        let (mut sum, mut count) = (0.0, 0u32);
        for label in run.iter().filter_map(|(block, _)| label(block)) {
            sum += label;
            count += 1;
        }
        if count > 0 {
            shares.push((run[0].1, sum / count as f32));
        }
    }
    shares
}

/// Pages' worth of the usual share that is added to each word: words of few pages say little.
const PRIOR_PAGES: f64 = 2.0;

/// Odds of words, from pages; each page counts once for each of its words.
fn fit_odds<'a>(examples: impl Iterator<Item = &'a Example> + Clone) -> Odds {
    Odds {
        text: fit_words(examples.clone().map(|example| &example.text_words)),
        names: fit_words(examples.map(|example| &example.name_words)),
    }
}

fn fit_words<'a>(pages: impl Iterator<Item = &'a Vec<(u16, f32)>>) -> WordOdds {
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
    WordOdds::new(counts.iter().map(odds))
}

/// Folds inside of which scores are made for the next model.
const INNER_FOLDS: usize = 4;
/// Blocks of fewer words are sampled: they are most of the blocks and weigh little.
const FEW_WORDS: usize = 4;
const SAMPLED: f32 = 0.35;

/// How fusion and page types are trained.
#[derive(Clone, Debug)]
pub struct FusionTraining {
    /// The pages.
    pub pages: ReferenceInputs,
    /// Where the pages come from and under which licence, for the model card.
    pub source: Option<String>,
    /// Chooses the folds and what trees are grown on.
    pub seed: u64,
}

/// Called with a short message after each step of a long fit.
pub type Steps<'a> = &'a (dyn Fn(&str) + Sync);

/// Trains the fusion model on all pages. The same pages and seed give the same bytes at any number of threads.
pub fn train_fusion(training: &FusionTraining, pages: &[ReferencePage], steps: Steps<'_>) -> FusionModel {
    let examples = examples_of(pages);
    let fitted = fit_fusion(&examples.iter().collect::<Vec<&Example>>(), training.seed, steps);
    FusionModel { card: card(training, pages.len()), ..fitted }
}

fn card(training: &FusionTraining, pages: usize) -> String {
    let provenance = Provenance {
        command: FusionModel::KIND,
        inputs: &training.pages.inputs,
        source: training.source.as_deref(),
        measured: "docs/fusion.md",
    };
    let mut card = format!(
        "Fusion: separates the content of a page from everything around it, by that page alone.\n\
         Trained on {pages} pages with reference texts, read from {}: a block is labelled by the share of its words that align with the \
         reference text of its page; seed {}.\n\
         It holds thresholds and weights of features, and log-odds of hashed words: no text of any page.\n",
        provenance.input_names(),
        training.seed
    );
    provenance.append(&mut card);
    card
}

/// Fits the model. Each example should be of another page; those of one site are kept together.
pub fn fit_fusion(examples: &[&Example], seed: u64, steps: Steps<'_>) -> FusionModel {
    let mut sites: Vec<String> = examples.iter().map(|example| example.site.clone()).collect();
    sites.sort();
    sites.dedup();
    let folds = fold_of_sites(&sites, INNER_FOLDS, seed);
    let fold_of = |example: &Example| folds[sites.binary_search(&example.site).unwrap_or(0)];
    let fold: Vec<usize> = examples.iter().map(|example| fold_of(example)).collect();

    // The odds a page is described by come from other sites, as they will for new pages.
    let odds: Vec<Odds> = (0..INNER_FOLDS)
        .map(|left_out| {
            fit_odds(
                examples.iter().zip(&fold).filter(move |(_, fold)| **fold != left_out).map(|(example, _)| *example),
            )
        })
        .collect();
    let pages: Vec<FusionPage> =
        examples.par_iter().zip(&fold).map(|(example, fold)| example.described(&odds[*fold])).collect();
    steps("described the pages by words of other sites");
    let looks: Vec<&[f32]> = pages.iter().map(FusionPage::rows).collect();
    let (first, scores) = fit_stage(examples, &looks, &fold, FusionPage::column_names().first.len(), first_options(seed), steps);
    let second_rows: Vec<Vec<f32>> =
        pages.par_iter().zip(&scores).map(|(page, scores)| page.second_rows(scores)).collect();
    let looks: Vec<&[f32]> = second_rows.iter().map(|rows| &rows[..]).collect();
    let (second, mut scores) =
        fit_stage(examples, &looks, &fold, FusionPage::column_names().second.len(), second_options(seed), steps);
    scores.par_iter_mut().zip(&pages).for_each(|(scores, page)| {
        page.silence_copies(scores);
    });
    let cuts = fit_cuts(examples, &pages, &scores, seed);
    steps("fitted the choice of the cut");
    FusionModel { odds: fit_odds(examples.iter().copied()), first, second, cuts, card: String::new() }
}

/// Fits a model of blocks on all examples, and gives each block the score of a model that has not seen its site.
fn fit_stage(
    examples: &[&Example],
    looks: &[&[f32]],
    fold: &[usize],
    width: usize,
    options: BoostOptions,
    steps: Steps<'_>,
) -> (Trees, Vec<Vec<f32>>) {
    let all = fit_blocks(examples, looks, width, options, |_| true);
    let mut scores = vec![Vec::new(); examples.len()];
    for left_out in 0..INNER_FOLDS {
        let model = fit_blocks(examples, looks, width, options, |at| fold[at] != left_out);
        scores.par_iter_mut().enumerate().filter(|(at, _)| fold[*at] == left_out).for_each(|(at, scores)| {
            model.score_into(looks[at], &mut TreeScratch::default(), scores);
        });
        steps(&format!("fitted part {} of {INNER_FOLDS} on {width} features", left_out + 1));
    }
    (all, scores)
}

fn fit_blocks(
    examples: &[&Example],
    looks: &[&[f32]],
    width: usize,
    options: BoostOptions,
    used: impl Fn(usize) -> bool,
) -> Trees {
    let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (at, example) in examples.iter().enumerate().filter(|(at, _)| used(*at)) {
        // Every page weighs about the same, however long it is: pages are what is measured.
        let page_weight = 100.0 / example.words.len().max(50) as f32;
        for block in 0..example.page.len() {
            let words = example.words_of(block);
            if words == 0 {
                continue;
            }
            let mut weight = words as f32 * page_weight + 0.02;
            if words < FEW_WORDS {
                let hash = xxh3_64_with_seed(example.id.as_bytes(), block as u64);
                if (hash >> 40) as f32 / (1u64 << 24) as f32 >= SAMPLED {
                    continue;
                }
                weight /= SAMPLED;
            }
            rows.extend_from_slice(&looks[at][block * width..(block + 1) * width]);
            labels.push(example.labels[block]);
            weights.push(weight);
        }
    }
    fit_boosted(&Bins::new(&rows, width, 63), &labels, &weights, options)
}

fn first_options(seed: u64) -> BoostOptions {
    let grow = GrowOptions { leaves: 31, depth: 8, least_rows: 50, ..GrowOptions::default() };
    BoostOptions { loss: Loss::Logistic, rounds: 240, rate: 0.07, grow, rows: 0.7, features: 0.3, seed }
}

fn second_options(seed: u64) -> BoostOptions {
    let grow = GrowOptions { leaves: 15, depth: 6, least_rows: 50, ..GrowOptions::default() };
    BoostOptions { loss: Loss::Logistic, rounds: 80, rate: 0.07, grow, rows: 0.7, features: 0.3, seed }
}

/// Fits how well a cut does: the F measure of what it keeps.
fn fit_cuts(examples: &[&Example], pages: &[FusionPage], scores: &[Vec<f32>], seed: u64) -> Trees {
    let made: Vec<(Vec<f32>, Vec<f32>)> = examples
        .par_iter()
        .zip(pages)
        .zip(scores)
        .map(|((example, page), scores)| {
            let keeps = |cut: &f32| example.measure(|block| scores[block] >= *cut)[0] as f32;
            (page.cut_rows(scores), FusionPage::cuts().iter().map(keeps).collect())
        })
        .collect();
    let rows: Vec<f32> = made.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
    let labels: Vec<f32> = made.iter().flat_map(|(_, labels)| labels.iter().copied()).collect();
    let grow = GrowOptions { leaves: 15, depth: 6, least_rows: 60, l2: 5.0, ..GrowOptions::default() };
    let options = BoostOptions { loss: Loss::Squared, rounds: 200, rate: 0.05, grow, rows: 0.7, features: 0.4, seed };
    fit_boosted(&Bins::new(&rows, FusionPage::column_names().cut.len(), 63), &labels, &vec![1.0; labels.len()], options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<ReferencePage> {
        let page = |number: usize| {
            let content =
                format!("The boat number {number} came home.\n\nIts nets were mended on the quay.\n\nThen it rained.");
            let paragraphs: String = content.split("\n\n").map(|text| format!("<p>{text}</p>")).collect();
            let html = format!("<div class=topmenu>cart login imprint</div><div class=story>{paragraphs}</div>");
            let url = format!("https://site{number}.example/");
            ReferencePage { id: format!("{number}"), url, page_type: "article".into(), html, content }
        };
        (0..2 * BARE).map(page).collect()
    }

    #[test]
    fn words_and_names_of_content_have_better_odds_than_those_around_it() {
        let pages = pages();
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
            let told = column(&odds, name);
            assert!(told[0] < 0.0 && told[1..].iter().all(|odds| *odds > 0.0), "{name}: {told:?}");
            assert!(column(&Odds::default(), name).iter().all(|odds| *odds == 0.0));
        }
    }

    #[test]
    fn some_pages_are_also_shown_bare() {
        let pages = pages();
        let examples = examples_of(&pages);
        let bare: Vec<&Example> = examples.iter().filter(|example| example.id.ends_with("-bare")).collect();
        assert_eq!((examples.len() - bare.len(), bare.len()), (pages.len(), 4));
        for example in &bare {
            assert!(example.labels.iter().all(|label| *label == 1.0));
            assert_eq!(example.measure(|_| true), [1.0; 3]);
        }
        let blocks: Vec<usize> = bare.iter().map(|example| example.page.len()).collect();
        assert_eq!(blocks, [3, BEGINNING, 3, BEGINNING]);
    }
}
