//! Trains the detector Block on a crawl with automatic labels.
//!
//! The crawl is read three times: for what its sites share, for the words of their blocks, and for the features of their blocks. The
//! log-odds of words that describe a row come from other folds of sites, as they will for sites never seen.

use crate::bayes::WordCounts;
use crate::bins::Bins;
use crate::boost::{BoostOptions, fit_boosted};
use crate::card::Provenance;
use crate::dataset::Dataset;
use crate::evaluate::Curve;
use crate::folds::fold_of_sites;
use crate::forest::{ForestOptions, fit_forest};
use crate::grow::GrowOptions;
use crate::label::{BlockLabel, Flavour, LabelOptions, LabelledPage, SiteCounts, count_sites, visit_pages};
use crate::logistic::{LogisticOptions, SparseRows, fit_logistic};
use crate::mdl::fit_mdl;
use dehusk::dom::NodeId;
use dehusk::methods::block::{BlockClassifier, BlockModel};
use dehusk::methods::features::block_elements::BlockNames;
use dehusk::methods::features::block_features::{BlockOdds, BlockScratch, FEATURES, describe_blocks};
use dehusk::methods::features::each_name_word;
use dehusk::methods::features::page_words::PageWords;
use dehusk::methods::model::{Discretizer, TreeScratch, sigmoid};
use dehusk_io::Error;
use dehusk_io::crawl::{Progress, SiteBy};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// The kind of the second stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BlockKind {
    /// Logistic regression on intervals.
    Maxent,
    /// A random forest.
    Forest,
    /// Boosted trees.
    Boosted,
    /// Logistic regression on intervals, trained as in the paper.
    PaperMaxent,
    /// A random forest on intervals, trained as in the paper.
    PaperForest,
}

impl BlockKind {
    /// Whether training is that of the paper (Block §3, §4.1): content blocks inside other content blocks are left out, equal rows count
    /// once, features are put into intervals by minimum description length, and rows that are equal then count once again.
    fn is_of_paper(self) -> bool {
        matches!(self, BlockKind::PaperMaxent | BlockKind::PaperForest)
    }
}

/// How the detector is trained.
#[derive(Clone, Debug)]
pub struct BlockTraining {
    /// What is read, and how it is labelled.
    pub labels: LabelOptions,
    /// What can be a block.
    pub names: BlockNames,
    /// The second stage.
    pub kind: BlockKind,
    /// Folds of sites.
    pub folds: usize,
    /// Where the pages come from and under which licence, for the model card.
    pub source: Option<String>,
}

impl BlockTraining {
    /// The usual training on some inputs.
    pub fn new(mut labels: LabelOptions, names: BlockNames) -> BlockTraining {
        labels.flavour = Flavour::Blocks(names);
        BlockTraining { labels, names, kind: BlockKind::Boosted, folds: 10, source: None }
    }
}

/// The rows of a crawl.
pub struct BlockTable {
    /// Rows of all labelled blocks; the label is 1 for template.
    pub data: Dataset,
    /// For each row whether the paper's test includes it: template, or content that is not inside another content block.
    pub topmost: Vec<bool>,
    /// For each row whether it is used for training: of the same block on many pages a few.
    pub trained: Vec<bool>,
    /// The names of the sites.
    pub sites: Vec<String>,
    /// The fold of each site.
    pub folds: Vec<usize>,
    /// The odds of words from all sites.
    pub odds: BlockOdds,
    /// Pages that were labelled.
    pub pages: u64,
}

/// What one page gives to the counts of words.
struct PageCounts {
    site: u32,
    /// Text fingerprint, words of the text and of the names, for template blocks; without fingerprint for content.
    blocks: Vec<(Option<u64>, Vec<u32>, Vec<u32>)>,
}

/// Reads a crawl and makes its table.
pub fn gather_blocks(training: &BlockTraining, progress: &dyn Progress) -> Result<BlockTable, Error> {
    let counts = count_sites(&training.labels, progress)?;
    if counts.len() < 2 {
        return Err(Error::other("training needs at least two sites of at least eight pages each"));
    }
    let sites = counts.names();
    let folds = folds_by_domain(&sites, training.folds, training.labels.seed);
    let words = count_words(training, &counts, progress)?;
    let odds_without = |fold: usize| BlockOdds {
        text: words[0].odds(|site| folds[site as usize] != fold),
        names: words[1].odds(|site| folds[site as usize] != fold),
    };
    let by_fold: Vec<BlockOdds> = (0..training.folds).map(odds_without).collect();
    let odds = odds_without(usize::MAX);
    drop(words);
    let mut table = BlockTable {
        data: Dataset::new(FEATURES.len()),
        topmost: Vec::new(),
        trained: Vec::new(),
        sites,
        folds,
        odds,
        pages: 0,
    };
    let folds = table.folds.clone();
    let mut seen: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    visit_pages(
        &training.labels,
        &counts,
        progress,
        Default::default,
        |state, page| rows_of(training, &by_fold[folds[page.site_number as usize]], state, page),
        |rows: PageRows| {
            table.pages += 1;
            for (number, (text, label, topmost)) in rows.labels.iter().enumerate() {
                let row = &rows.rows[number * FEATURES.len()..(number + 1) * FEATURES.len()];
                table.data.push(row, f32::from(u8::from(*label)), 1.0, rows.site);
                table.topmost.push(*topmost);
                let times = seen.entry((rows.site, *text)).or_default();
                *times += 1;
                // The first, second, fourth, eighth, … page with the block.
                table.trained.push(times.is_power_of_two());
            }
            Ok(())
        },
    )?;
    if table.pages == 0 {
        return Err(Error::other("no page could be labelled"));
    }
    Ok(table)
}

/// Folds of sites; those of one registered domain are in the same fold.
fn folds_by_domain(sites: &[String], folds: usize, seed: u64) -> Vec<usize> {
    let domain = |site: &String| SiteBy::Domain.site_key(&format!("https://{site}/"));
    let mut domains: Vec<String> = sites.iter().map(domain).collect();
    domains.sort();
    domains.dedup();
    let of_domain = fold_of_sites(&domains, folds, seed);
    let place = |site: &String| domains.binary_search(&domain(site)).unwrap_or(0);
    sites.iter().map(|site| of_domain[place(site)]).collect()
}

fn distinct(words: &[u32]) -> Vec<u32> {
    let mut words = words.to_vec();
    words.sort_unstable();
    words.dedup();
    words
}

/// The second pass: the words of texts and those of class names.
fn count_words(
    training: &BlockTraining,
    counts: &SiteCounts,
    progress: &dyn Progress,
) -> Result<[WordCounts; 2], Error> {
    let work = |words: &mut PageWords, page: &LabelledPage<'_>| {
        let document = page.page.document;
        words.fill(document);
        let labels = page.block_labels(words, training.names);
        let mut blocks = Vec::new();
        let mut template_until = NodeId(0);
        for (id, label) in labels.blocks.iter().zip(&labels.labels) {
            let text = match label {
                // Words of a template block count once, not again for each block in it.
                BlockLabel::Template if *id >= template_until => {
                    template_until = document.end(*id);
                    distinct(words.subtree(document, *id))
                }
                BlockLabel::Content { topmost: true } => distinct(words.subtree(document, *id)),
                BlockLabel::Unknown => continue,
                _ => Vec::new(),
            };
            let mut names = Vec::new();
            each_name_word(document, *id, |word| names.push(word));
            let fingerprint = (*label == BlockLabel::Template).then(|| page.texts.text[id.index()]);
            blocks.push((fingerprint, text, distinct(&names)));
        }
        PageCounts { site: page.site_number, blocks }
    };
    let mut words = [WordCounts::default(), WordCounts::default()];
    let mut seen: FxHashMap<(u32, u64), ()> = FxHashMap::default();
    visit_pages(&training.labels, counts, progress, PageWords::default, work, |page: PageCounts| {
        for (fingerprint, text, names) in page.blocks {
            // The same template block of a site counts once.
            if fingerprint.is_some_and(|text| seen.insert((page.site, text), ()).is_some()) {
                continue;
            }
            words[0].add(page.site, &text, fingerprint.is_some());
            words[1].add(page.site, &names, fingerprint.is_some());
        }
        Ok(())
    })?;
    Ok(words)
}

/// The rows of a page's labelled blocks: text fingerprint, label, whether it is in the paper's test.
struct PageRows {
    site: u32,
    rows: Vec<f32>,
    labels: Vec<(u64, bool, bool)>,
}

fn rows_of(
    training: &BlockTraining,
    odds: &BlockOdds,
    (words, scratch): &mut (PageWords, BlockScratch),
    page: &LabelledPage<'_>,
) -> PageRows {
    let (document, stats, fingerprints) = (page.page.document, page.page.stats(), page.page.fingerprints());
    words.fill(document);
    let labels = page.block_labels(words, training.names);
    let mut all = Vec::new();
    describe_blocks(document, stats, fingerprints, words, &labels.blocks, odds, scratch, &mut all);
    let mut found = PageRows { site: page.site_number, rows: Vec::new(), labels: Vec::new() };
    for ((id, label), row) in labels.blocks.iter().zip(&labels.labels).zip(all.chunks(FEATURES.len())) {
        let (template, topmost) = match label {
            BlockLabel::Unknown => continue,
            BlockLabel::Template => (true, true),
            BlockLabel::Content { topmost } => (false, *topmost),
        };
        found.rows.extend(row);
        found.labels.push((page.texts.text[id.index()], template, topmost));
    }
    found
}

impl BlockTable {
    /// The numbers of the rows to train on, without those of a fold.
    pub fn training_rows(&self, kind: BlockKind, without: Option<usize>) -> Vec<usize> {
        let fold = |row: usize| self.folds[self.data.sites()[row] as usize];
        let is_used = |row: usize| if kind.is_of_paper() { self.topmost[row] } else { self.trained[row] };
        (0..self.data.len()).filter(|row| is_used(*row) && Some(fold(*row)) != without).collect()
    }

    /// The numbers of the rows of a fold.
    pub fn test_rows(&self, fold: usize) -> Vec<usize> {
        (0..self.data.len()).filter(|row| self.folds[self.data.sites()[*row] as usize] == fold).collect()
    }

    /// The scores of all rows, each by a classifier its fold had no part in.
    pub fn cross_validate(&self, kind: BlockKind, folds: usize, seed: u64) -> Vec<f32> {
        let mut scores = vec![0.0; self.data.len()];
        for fold in 0..folds {
            let classifier = fit_classifier(&self.data, &self.training_rows(kind, Some(fold)), kind, seed);
            let test = self.test_rows(fold);
            let rows = self.data.select(test.iter().copied());
            for (row, score) in test.into_iter().zip(scores_of(&classifier, rows.rows())) {
                scores[row] = score;
            }
        }
        scores
    }

    /// Precision and recall of scores on the paper's test rows, or on all.
    pub fn curve(&self, scores: &[f32], topmost: bool) -> Curve {
        let rows: Vec<usize> = (0..self.data.len()).filter(|row| !topmost || self.topmost[*row]).collect();
        let labels: Vec<f32> = rows.iter().map(|row| self.data.labels()[*row]).collect();
        let scores: Vec<f32> = rows.iter().map(|row| scores[*row]).collect();
        Curve::of(&scores, &labels, &vec![1.0; labels.len()])
    }
}

/// Fits the second stage on some rows of a table. Equal rows count once.
pub(crate) fn fit_classifier(data: &Dataset, rows: &[usize], kind: BlockKind, seed: u64) -> BlockClassifier {
    let data = data.select(rows.iter().copied());
    let distinct = data.distinct();
    let mut data = data.select(distinct.into_iter());
    let cuts = match kind {
        BlockKind::Forest | BlockKind::Boosted => Discretizer::new(&[]),
        _ => fit_mdl(data.rows(), FEATURES.len(), data.labels()),
    };
    if kind.is_of_paper() {
        let distinct = distinct_intervals(&data, &cuts);
        data = data.select(distinct.into_iter());
    }
    let (labels, weights) = (data.labels(), data.weights());
    match kind {
        BlockKind::Maxent | BlockKind::PaperMaxent => {
            let sparse = SparseRows::of(&cuts, data.rows());
            let options = LogisticOptions { l2: 1e-5, ..LogisticOptions::default() };
            BlockClassifier::Maxent { weights: fit_logistic(&sparse, labels, weights, options), bins: cuts }
        }
        BlockKind::Forest | BlockKind::PaperForest => {
            let bins = match kind {
                BlockKind::Forest => Bins::new(data.rows(), FEATURES.len(), 128),
                _ => Bins::with_cuts(data.rows(), cuts),
            };
            let grow = GrowOptions { min_rows: 3, ..ForestOptions::default().grow };
            let options = ForestOptions { trees: 60, rows: 0.4, grow, seed };
            BlockClassifier::Trees(fit_forest(&bins, labels, weights, options))
        }
        BlockKind::Boosted => {
            let bins = Bins::new(data.rows(), FEATURES.len(), 255);
            let grow = GrowOptions { leaves: 48, depth: 7, min_rows: 40, l2: 5.0, ..GrowOptions::default() };
            let options = BoostOptions {
                rounds: 200,
                rate: 0.08,
                grow,
                rows: 0.6,
                features: 0.5,
                seed,
                ..BoostOptions::default()
            };
            BlockClassifier::Trees(fit_boosted(&bins, labels, weights, options))
        }
    }
}

/// The rows that are the first of their kind when features are in intervals.
fn distinct_intervals(data: &Dataset, cuts: &Discretizer) -> Vec<usize> {
    let mut intervals = Dataset::new(data.features());
    for number in 0..data.len() {
        let row: Vec<f32> =
            data.row(number).iter().enumerate().map(|(feature, value)| cuts.bin(feature, *value) as f32).collect();
        intervals.push(&row, data.labels()[number], 1.0, 0);
    }
    intervals.distinct()
}

/// Scores rows, given one after the other.
pub(crate) fn scores_of(classifier: &BlockClassifier, rows: &[f32]) -> Vec<f32> {
    let mut scores = Vec::new();
    match classifier {
        BlockClassifier::Maxent { bins, weights } => {
            let score = |row| sigmoid(weights.margin_of(bins.columns_of(row)));
            scores.extend(rows.chunks(FEATURES.len()).map(score));
        }
        BlockClassifier::Trees(trees) => trees.score_into(rows, &mut TreeScratch::default(), &mut scores),
        _ => {}
    }
    scores
}

/// Trains a detector: its operating points are measured by cross-validation, its weights come from all sites.
pub fn train_block(training: &BlockTraining, progress: &dyn Progress) -> Result<BlockModel, Error> {
    let table = gather_blocks(training, progress)?;
    let seed = training.labels.seed;
    let scores = table.cross_validate(training.kind, training.folds, seed);
    let curve = table.curve(&scores, false);
    let classifier = fit_classifier(&table.data, &table.training_rows(training.kind, None), training.kind, seed);
    let card = card(training, &table, &curve, &table.curve(&scores, true));
    Ok(BlockModel { classifier, names: training.names, curve: curve.thinned(200), card, odds: table.odds })
}

fn card(training: &BlockTraining, table: &BlockTable, all: &Curve, topmost: &Curve) -> String {
    let labels = table.data.labels();
    let templates = labels.iter().filter(|label| **label > 0.5).count();
    let provenance = Provenance {
        command: BlockModel::KIND,
        inputs: &training.labels.inputs,
        source: training.source.as_deref(),
        measured: "docs/block.md",
    };
    let mut card = String::from("Block: separates template blocks from content blocks on pages of any site.\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        card,
        "Trained on {} pages of {} sites, read from {}: {} template and {} content blocks, {} of them used for fitting. Labels are automatic: a \
         block is template where its text appears on a share of at least {} of the pages of its site, so repeated content counts as template and \
         template of a single page as content.",
        table.pages,
        table.sites.len(),
        provenance.input_names(),
        templates,
        labels.len() - templates,
        table.training_rows(training.kind, None).len(),
        training.labels.threshold,
    );
    let _ = writeln!(
        card,
        "Words: {} of texts and {} of class names, as hashes with their log-odds; words of fewer than three sites are not in it.",
        table.odds.text.len(),
        table.odds.names.len()
    );
    let _ = writeln!(card, "Classifier: {:?}, seed {}.", training.kind, training.labels.seed);
    for (name, curve) in [("all labelled blocks", all), ("template blocks and topmost content blocks", topmost)] {
        let _ = writeln!(
            card,
            "Cross-validated over {} folds of sites, {name}: recall {:.3} at precision 0.90, {:.3} at 0.95; area under ROC {:.4}.",
            training.folds,
            curve.recall_at(0.9),
            curve.recall_at(0.95),
            curve.roc_area()
        );
    }
    provenance.append(&mut card);
    card
}

/// How well a model does on the labelled blocks of a crawl.
pub struct BlockMeasures {
    /// Pages that were labelled.
    pub pages: u64,
    /// Sites with enough pages.
    pub sites: usize,
    /// On template blocks and content blocks that are not inside another.
    pub topmost: Curve,
    /// On all labelled blocks.
    pub all: Curve,
}

/// Measures a model on the automatic labels of a crawl, which should have no site in common with its training.
pub fn evaluate_block(
    model: &BlockModel,
    labels: &LabelOptions,
    progress: &dyn Progress,
) -> Result<BlockMeasures, Error> {
    let training = BlockTraining::new(labels.clone(), model.names);
    let counts = count_sites(&training.labels, progress)?;
    counts.check_any()?;
    let (mut scores, mut truth, mut topmost, mut pages) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let work = |state: &mut _, page: &LabelledPage<'_>| {
        let found = rows_of(&training, &model.odds, state, page);
        (scores_of(&model.classifier, &found.rows), found.labels)
    };
    visit_pages(&training.labels, &counts, progress, Default::default, work, |(found, labels)| {
        pages += 1;
        scores.extend(found);
        truth.extend(labels.iter().map(|label| f32::from(u8::from(label.1))));
        topmost.extend(labels.iter().map(|label| f32::from(u8::from(label.2))));
        Ok(())
    })?;
    Ok(BlockMeasures {
        pages,
        sites: counts.len(),
        topmost: Curve::of(&scores, &truth, &topmost),
        all: Curve::of(&scores, &truth, &vec![1.0; truth.len()]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_row_have_not_seen_its_own_fold() {
        const SITES: usize = 12;
        let sites: Vec<String> = (0..SITES).map(|site| format!("s{site:02}.example")).collect();
        let folds = folds_by_domain(&sites, 2, 0);
        assert!(
            (0..2).all(|fold| folds.iter().filter(|own| **own == fold).count() >= 3),
            "words of fewer sites do not count"
        );
        // The template of a site has words that are on sites of its own fold only.
        let word = |kind: &str, number: usize, fold: usize| {
            let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
            format!("{kind}{}{}", letter(fold), letter(number))
        };
        let mut lines = String::new();
        for (site, name) in sites.iter().enumerate() {
            let menu: Vec<String> = (0..8).map(|number| word("menu", number, folds[site])).collect();
            for page in 0..8 {
                let text: Vec<String> = (0..8).map(|number| word("text", number + page, site)).collect();
                let html = format!("<body><div>{}</div><div>{}</div>", menu.join(" "), text.join(" "));
                let record = serde_json::json!({"url": format!("https://{name}/{page}"), "html": html});
                writeln!(lines, "{record}").unwrap();
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("crawl.jsonl");
        std::fs::write(&file, lines).unwrap();
        let labels = LabelOptions::new(vec![file], Flavour::Blocks(BlockNames::Html5));
        let training = BlockTraining { folds: 2, ..BlockTraining::new(labels, BlockNames::Html5) };
        let table = gather_blocks(&training, &()).unwrap();
        assert!(!table.odds.text.is_empty(), "with all folds, the words are known");
        let templates: Vec<usize> = (0..table.data.len()).filter(|row| table.data.labels()[*row] > 0.5).collect();
        assert_eq!(templates.len(), SITES * 8);
        let odds = |row: usize| &table.data.row(row)[..2];
        assert!(templates.iter().all(|row| *odds(*row) == [0.0, 0.0]), "{:?}", odds(templates[0]));
    }

    #[test]
    fn the_papers_training_leaves_out_nested_content_and_counts_equal_intervals_once() {
        let mut data = Dataset::new(FEATURES.len());
        // Template from 0.5 on, content below; every row differs a little from the others.
        for number in 0..400 {
            let value = number as f32 / 400.0;
            let mut row = vec![0.0; FEATURES.len()];
            row[0] = value;
            data.push(&row, f32::from(u8::from(value >= 0.5)), 1.0, number % 4);
        }
        let topmost: Vec<bool> = (0..400).map(|number| number % 8 != 0).collect();
        let (trained, sites, folds) = (vec![true; 400], vec![String::new(); 4], vec![0, 0, 1, 1]);
        let table = BlockTable { data, topmost, trained, sites, folds, odds: BlockOdds::default(), pages: 1 };
        assert_eq!(table.training_rows(BlockKind::Boosted, Some(0)).len(), 200);
        assert_eq!(table.training_rows(BlockKind::Boosted, None).len(), 400);
        assert_eq!(table.training_rows(BlockKind::PaperForest, None).len(), 350);
        let cuts = Discretizer::new(&{
            let mut cuts = vec![Vec::new(); FEATURES.len()];
            cuts[0] = vec![0.5];
            cuts
        });
        assert_eq!(distinct_intervals(&table.data, &cuts), [0, 200], "two intervals, two rows");
        let scores = table.cross_validate(BlockKind::PaperMaxent, 2, 0);
        assert!(scores[10] < 0.5 && scores[390] > 0.5, "{} {}", scores[10], scores[390]);
    }
}
