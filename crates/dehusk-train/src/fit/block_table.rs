//! The table of blocks that the detector Block is fitted on: a crawl in, rows of features with automatic labels out.
//!
//! The crawl is read three times: for what its sites share, for the words of their blocks, and for the features of their blocks. The
//! log-odds of words that describe a row come from other folds of sites, as they will for sites never seen.

use crate::data::folds::fold_of_sites;
use crate::labels::site_labels::{
    BlockLabel, Flavour, LabelOptions, LabelledPage, SiteCounts, count_sites, visit_pages,
};
use crate::learners::bayes::WordCounts;
use crate::learners::dataset::Dataset;
use crate::measure::curve::Curve;
use dehusk::dom::NodeId;
use dehusk::read::WordHash;
use dehusk_io::Error;
use dehusk_io::crawl::{Progress, SiteBy};
use dehusk_papers::block::each_name_word;
use dehusk_papers::block::elements::BlockNames;
use dehusk_papers::block::features::{BlockOdds, BlockScratch, FEATURES, describe_blocks};
use dehusk_papers::block::page_words::PageWords;
use rustc_hash::FxHashMap;

/// The kind of the second stage, which classifies blocks by their features.
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
    pub(crate) fn is_of_paper(self) -> bool {
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
    /// The usual training.
    #[must_use]
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
    /// For each row whether it is used for training: only a few of the copies of a block on many pages are.
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

/// What one page adds to the counts of words.
struct PageCounts {
    site: u32,
    blocks: Vec<CountedBlock>,
}

/// The words of a block, each once.
struct CountedBlock {
    /// The fingerprint of the text of a template block; none for content.
    template: Option<u64>,
    text: Vec<u16>,
    names: Vec<u16>,
}

/// Reads a crawl and makes its table.
///
/// # Errors
/// If an input cannot be read or changes while it is read, or if there are fewer than two sites with enough pages.
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
            for (number, label) in rows.labels.iter().enumerate() {
                let row = &rows.rows[number * FEATURES.len()..(number + 1) * FEATURES.len()];
                table.data.push(row, f32::from(u8::from(label.is_template)), 1.0, rows.site);
                table.topmost.push(label.is_topmost);
                let times = seen.entry((rows.site, label.text)).or_default();
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

/// The slots of some words, each once.
fn distinct(words: &[WordHash]) -> Vec<u16> {
    let mut words: Vec<u16> = words.iter().map(|word| word.slot16()).collect();
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
            blocks.push(CountedBlock { template: fingerprint, text, names: distinct(&names) });
        }
        PageCounts { site: page.site_number, blocks }
    };
    let mut words = [WordCounts::default(), WordCounts::default()];
    let mut seen: FxHashMap<(u32, u64), ()> = FxHashMap::default();
    visit_pages(&training.labels, counts, progress, PageWords::default, work, |page: PageCounts| {
        for CountedBlock { template, text, names } in page.blocks {
            // The same template block of a site counts once.
            if template.is_some_and(|text| seen.insert((page.site, text), ()).is_some()) {
                continue;
            }
            words[0].add(page.site, &text, template.is_some());
            words[1].add(page.site, &names, template.is_some());
        }
        Ok(())
    })?;
    Ok(words)
}

/// The rows of a page's labelled blocks.
pub(crate) struct PageRows {
    site: u32,
    pub(crate) rows: Vec<f32>,
    pub(crate) labels: Vec<RowLabel>,
}

/// The label of a row.
#[derive(Clone, Copy)]
pub(crate) struct RowLabel {
    /// The fingerprint of the text of its block.
    text: u64,
    pub(crate) is_template: bool,
    /// Whether the paper's test includes it.
    pub(crate) is_topmost: bool,
}

/// The rows of the labelled blocks of a page, with the odds of words from other sites.
pub(crate) fn rows_of(
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
        let text = page.texts.text[id.index()];
        found.labels.push(RowLabel { text, is_template: template, is_topmost: topmost });
    }
    found
}

impl BlockTable {
    /// The numbers of the rows to train on, without those of a fold.
    #[must_use]
    pub fn training_rows(&self, kind: BlockKind, without: Option<usize>) -> Vec<usize> {
        let fold = |row: usize| self.folds[self.data.sites()[row] as usize];
        let is_used = |row: usize| if kind.is_of_paper() { self.topmost[row] } else { self.trained[row] };
        (0..self.data.len()).filter(|row| is_used(*row) && Some(fold(*row)) != without).collect()
    }

    /// The numbers of the rows of a fold.
    #[must_use]
    pub fn test_rows(&self, fold: usize) -> Vec<usize> {
        (0..self.data.len()).filter(|row| self.folds[self.data.sites()[*row] as usize] == fold).collect()
    }

    /// Precision and recall of scores on the paper's test rows, or on all.
    #[must_use]
    pub fn curve(&self, scores: &[f32], topmost: bool) -> Curve {
        let rows: Vec<usize> = (0..self.data.len()).filter(|row| !topmost || self.topmost[*row]).collect();
        let labels: Vec<f32> = rows.iter().map(|row| self.data.labels()[*row]).collect();
        let scores: Vec<f32> = rows.iter().map(|row| scores[*row]).collect();
        Curve::of(&scores, &labels, &vec![1.0; labels.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

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
                let text: Vec<String> = (0..8).map(|number| word("text", number + page, 2)).collect();
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
        assert!(table.odds.text.known() > 0, "with all folds, the words are known");
        let templates: Vec<usize> = (0..table.data.len()).filter(|row| table.data.labels()[*row] > 0.5).collect();
        assert_eq!(templates.len(), SITES * 8);
        let odds = |row: usize| &table.data.row(row)[..2];
        assert!(templates.iter().all(|row| *odds(*row) == [0.0, 0.0]), "{:?}", odds(templates[0]));
    }
}
