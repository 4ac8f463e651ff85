//! Trains the detector PageLevel on a crawl with automatic labels.
//!
//! A crawl is read twice: what its sites share, then the features of the nodes of some pages of each site. Each fold of sites is
//! scored by a model fitted on the others, and the threshold is the one that does best there. The model that is kept is fitted
//! on all sites.

use crate::data::folds::fold_of_sites;
use crate::fit::card::Provenance;
use crate::labels::site_labels::{Flavour, LabelOptions, LabelledPage, count_sites, visit_pages};
use crate::learners::logistic::{LogisticOptions, SparseRows, fit_logistic};
use dehusk::dom::{Document, Name, NodeId};
use dehusk::model::{Discretizer, Logistic};
use dehusk_io::Error;
use dehusk_io::crawl::Progress;
use dehusk_papers::layout::estimate;
use dehusk_papers::pagelevel::features::{COLUMNS, column_names, host_of};
use dehusk_papers::pagelevel::{BANDS, ModelSettings, PageLevelModel, ScoredNodes};
use rayon::prelude::*;
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

/// How PageLevel is trained.
#[derive(Clone, Debug)]
pub struct PageLevelTraining {
    /// What is read, and how it is labelled.
    pub labels: LabelOptions,
    /// About how many pages of a site are used; all are counted.
    pub pages: u32,
    /// Features that are left out of the model, by name. By absolute places and sizes a model recognizes the sites it was trained on. On
    /// other sites, models without them that also subtract a part of the page's mean do better: mean F-measure of words 0.71 instead of 0.69
    /// (0.68 without them alone).
    pub ignored: Vec<String>,
    /// Intervals of a feature. Few, because fine cuts do worse on sites and kinds of pages that training has not seen.
    pub intervals: usize,
    /// The penalty of a new section (PageLevel §5.3).
    pub penalty: f32,
    /// The penalty on large weights.
    pub l2: f64,
    /// Folds of sites, each left out once to choose the threshold.
    pub folds: usize,
    /// Where the pages come from and under which licence, for the model card.
    pub source: Option<String>,
}

impl PageLevelTraining {
    /// The usual training.
    #[must_use]
    pub fn new(mut labels: LabelOptions) -> PageLevelTraining {
        labels.flavour = Flavour::Nodes;
        let ignored = PLACES_AND_SIZES.map(String::from).to_vec();
        PageLevelTraining { labels, pages: 20, ignored, intervals: 4, penalty: 0.01, l2: 1e-3, folds: 5, source: None }
    }
}

/// The features that say where on the page a node is, how large it is, and how much is in it or on the page. Means and ratios, such as
/// the words of a link or the shape of a box, are not sizes: they are the same for a short and a long menu.
const PLACES_AND_SIZES: [&str; 32] = [
    "left_margin",
    "right_margin",
    "top_margin",
    "bottom_margin",
    "centre_distance",
    "centre_offset",
    "height_share",
    "area_share",
    "area_log",
    "top_log",
    "bottom_log",
    "words_before_log",
    "words_after_log",
    "words_log",
    "links_log",
    "prose_log",
    "title_words_log",
    "characters_per_area_log",
    "plain_words_log",
    "pictures_log",
    "items_log",
    "headings_log",
    "paragraphs_log",
    "cells_log",
    "controls_log",
    "breaks_log",
    "elements_log",
    "children_log",
    "siblings_log",
    "like_siblings_log",
    "page_words_log",
    "page_links_log",
];

/// What is counted of a page: words, words in links, links.
const MEASURES: usize = 3;

/// A page of a site: its scored nodes, their labels, and what belongs to each.
struct TrainingPage {
    site: usize,
    page: ScoredNodes,
    /// For each scored node whether it is template; nothing for those that show nothing.
    labels: Vec<Option<bool>>,
    /// For each scored node how much template and how much content belongs to it.
    amounts: Vec<[[f32; 2]; MEASURES]>,
}

/// Trains a model.
///
/// # Errors
/// If an input cannot be read or changes while it is read, or if there are fewer than two sites with enough pages.
pub fn train_page_level(training: &PageLevelTraining, progress: &dyn Progress) -> Result<PageLevelModel, Error> {
    let counts = count_sites(&training.labels, progress)?;
    let sites = counts.names();
    if sites.len() < 2 {
        return Err(Error::other("training needs at least two sites of at least eight pages each"));
    }
    let mut pages: Vec<TrainingPage> = Vec::new();
    visit_pages(
        &training.labels,
        &counts,
        progress,
        || (),
        |(), page| training_page(training, page),
        |page| {
            pages.extend(page);
            Ok(())
        },
    )?;
    if pages.is_empty() {
        return Err(Error::other("no page could be labelled"));
    }
    let margins = margins_left_out(training, &sites, &pages)?;
    let (settings, measured) = choose_settings(&pages, &margins, training.penalty);
    let all: Vec<&TrainingPage> = pages.iter().collect();
    let card = card(training, &sites, &all, settings, measured);
    fit(training, &all, settings, card)
}

/// The log odds of the nodes of all pages, each by a model fitted without the fold of its site.
fn margins_left_out(
    training: &PageLevelTraining,
    sites: &[String],
    pages: &[TrainingPage],
) -> Result<Vec<Vec<f32>>, Error> {
    let folds = fold_of_sites(sites, training.folds.max(2), training.labels.seed);
    let settings = ModelSettings { threshold: 0.5, penalty: training.penalty, relative: 0.0 };
    let mut margins = vec![Vec::new(); pages.len()];
    for fold in 0..training.folds.max(2) {
        let used: Vec<&TrainingPage> = pages.iter().filter(|page| folds[page.site] != fold).collect();
        if used.len() == pages.len() || used.is_empty() {
            continue;
        }
        let model = fit(training, &used, settings, String::new())?;
        margins.par_iter_mut().zip(pages).filter(|(_, page)| folds[page.site] == fold).for_each(|(margins, page)| {
            *margins = model.margins(&page.page);
        });
    }
    Ok(margins)
}

/// The labelled nodes of a page, if it is one of those that are used.
fn training_page(training: &PageLevelTraining, page: &LabelledPage<'_>) -> Option<TrainingPage> {
    // The address alone decides which pages are used, so that neither the order nor other pages matter.
    let chance = (xxh3_64(page.url.as_bytes()) >> 32) * u64::from(page.counts.pages());
    if chance >> 32 >= u64::from(training.pages) {
        return None;
    }
    let document = page.page.document;
    let layout = estimate(document);
    let scored = ScoredNodes::of(document, &layout, host_of(page.url));
    let by_node = page.node_labels().is_template;
    let mut labels: Vec<Option<bool>> = scored.table().nodes().iter().map(|id| by_node[id.index()]).collect();
    // The body holds all of the page, so that its label says nothing about a part.
    if let Some(body) = labels.first_mut() {
        *body = None;
    }
    let mut amounts = vec![[[0.0; 2]; MEASURES]; labels.len()];
    let covered = covered(document, &by_node);
    let mut link_until = NodeId(0);
    for id in document.ids() {
        let is_link = document.html_name(id) == Name::A;
        if is_link {
            link_until = link_until.max(document.end(id));
        }
        let Some(owner) = scored.owner(id) else { continue };
        let side = usize::from(!covered[id.index()]);
        if is_link {
            amounts[owner][2][side] += 1.0;
        } else if document.is_text(id) {
            let words = page.page.stats().subtree(document, id).words as f32;
            amounts[owner][0][side] += words;
            if id < link_until {
                amounts[owner][1][side] += words;
            }
        }
    }
    Some(TrainingPage { site: page.site_number as usize, page: scored, labels, amounts })
}

/// Which nodes are template nodes or inside one.
fn covered(document: &Document, is_template: &[Option<bool>]) -> Vec<bool> {
    let mut covered = vec![false; document.len()];
    for id in document.ids() {
        let above = document.parent(id).is_some_and(|parent| covered[parent.index()]);
        covered[id.index()] = above || is_template[id.index()] == Some(true);
    }
    covered
}

/// Fits the cuts and the four regressions.
fn fit(
    training: &PageLevelTraining,
    pages: &[&TrainingPage],
    settings: ModelSettings,
    card: String,
) -> Result<PageLevelModel, Error> {
    let mut areas: Vec<f32> = labelled(pages).map(|(page, node, _)| page.page.areas()[node]).collect();
    if areas.is_empty() {
        return Err(Error::other("no page has a node that can be scored"));
    }
    areas.sort_by(f32::total_cmp);
    let quartile = |number: usize| areas[areas.len() * number / BANDS];
    let limits = [quartile(1), quartile(2), quartile(3)];
    let cuts = fit_cuts(training, pages);
    let options = LogisticOptions { l2: training.l2, steps: 60, ..LogisticOptions::default() };
    let band = |band: usize| -> Logistic {
        let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (page, node, label) in labelled(pages) {
            let area = page.page.areas()[node];
            if limits.iter().filter(|limit| area >= **limit).count() == band {
                rows.extend_from_slice(page.page.table().row(node));
                labels.push(f32::from(u8::from(label)));
                // Each page counts alike, however many nodes it has.
                weights.push(1.0 / (page.labels.len() as f32).max(20.0));
            }
        }
        fit_logistic(&SparseRows::of(&cuts, &rows), &labels, &weights, options)
    };
    let bands: Vec<Logistic> = (0..BANDS).map(band).collect();
    let bands: [Logistic; BANDS] = bands.try_into().map_err(|_| Error::other("not one regression a band"))?;
    PageLevelModel::new(limits, cuts.clone(), bands, settings, card).map_err(Error::other)
}

/// The nodes with a label.
fn labelled<'a>(pages: &'a [&'a TrainingPage]) -> impl Iterator<Item = (&'a TrainingPage, usize, bool)> {
    pages.iter().flat_map(|page| {
        page.labels.iter().enumerate().filter_map(|(node, label)| label.map(|label| (*page, node, label)))
    })
}

/// Every seventh node is enough to choose cuts.
const CUT_STEP: usize = 7;

/// Cuts each feature into intervals of about the same number of nodes. Where most nodes have the lowest value, that is an
/// interval of its own.
fn fit_cuts(training: &PageLevelTraining, pages: &[&TrainingPage]) -> Discretizer {
    let intervals = training.intervals;
    let rows: Vec<&[f32]> =
        labelled(pages).step_by(CUT_STEP).map(|(page, node, _)| page.page.table().row(node)).collect();
    let names: Vec<&str> = column_names().collect();
    let cuts_of = |feature: usize| {
        // A feature without cuts is the same for all nodes, and weighs nothing.
        if training.ignored.iter().any(|name| name == names[feature]) {
            return Vec::new();
        }
        let mut values: Vec<f32> = rows.iter().map(|row| row[feature]).collect();
        values.sort_by(f32::total_cmp);
        let mut cuts: Vec<f32> = Vec::new();
        for number in 1..intervals {
            let value = values[values.len() * number / intervals];
            let above = values.partition_point(|other| *other <= values[0]);
            let cut = if value > values[0] { Some(value) } else { values.get(above).copied() };
            cuts.extend(cut);
        }
        cuts.dedup();
        cuts
    };
    let cuts: Vec<Vec<f32>> = (0..COLUMNS).into_par_iter().map(cuts_of).collect();
    Discretizer::new(&cuts)
}

/// True positives, false positives, false negatives and true negatives; template is positive.
#[derive(Clone, Copy, Default)]
struct Tally {
    hit: f64,
    alarm: f64,
    miss: f64,
    kept: f64,
}

impl Tally {
    fn add(&mut self, [template, other]: [f32; 2], said: bool) {
        if said {
            self.hit += f64::from(template);
            self.alarm += f64::from(other);
        } else {
            self.miss += f64::from(template);
            self.kept += f64::from(other);
        }
    }

    /// The mean of the F-measures of template and of content, where there are both. Template alone would be found best by dropping
    /// too much on sites with a lot of it.
    fn f_measure(self) -> Option<f64> {
        let errors = self.alarm + self.miss;
        let f = |right: f64| 2.0 * right / (2.0 * right + errors);
        (self.hit + self.miss > 0.0 && self.kept + self.alarm > 0.0).then(|| (f(self.hit) + f(self.kept)) / 2.0)
    }
}

/// How far scores may be relative to their page.
const RELATIVE: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Thresholds that are tried: 5/32 to 25/32. They are between two levels of the smoothing, so that rounding to levels moves no node
/// across a threshold.
const THRESHOLDS: std::ops::RangeInclusive<u16> = 5..=25;

/// The threshold and the part of the page's mean that do best on pages of sites left out, by the F-measure of words; and the means over
/// sites of the F-measures of words, words in links and links.
///
/// Words are what is kept or dropped. A sum of the three measures would count the words of links more than once, and links do
/// best at a higher threshold. Around its maximum the measure hardly changes, so that chance would choose the threshold: each is
/// judged together with its neighbours.
fn choose_settings(pages: &[TrainingPage], margins: &[Vec<f32>], penalty: f32) -> (ModelSettings, [f64; MEASURES]) {
    let mut best = (f64::NEG_INFINITY, ModelSettings { threshold: 0.5, penalty, relative: 0.0 }, [0.0; MEASURES]);
    for relative in RELATIVE {
        let settings = ModelSettings { threshold: 0.5, penalty, relative };
        let smoothed: Vec<Vec<f32>> = pages
            .par_iter()
            .zip(margins)
            .map(|(page, margins)| page.page.smooth(&settings.scores(margins), penalty))
            .collect();
        let thresholds: Vec<f32> = THRESHOLDS.map(|step| f32::from(step) / 32.0).collect();
        let measured: Vec<[f64; MEASURES]> =
            thresholds.par_iter().map(|threshold| measure(pages, &smoothed, *threshold)).collect();
        let words: Vec<f64> = measured.iter().map(|measures| measures[0]).collect();
        for (number, judged) in judge_with_neighbours(&words).into_iter().enumerate() {
            if judged > best.0 {
                best = (judged, ModelSettings { threshold: thresholds[number], ..settings }, measured[number]);
            }
        }
    }
    (best.1, best.2)
}

/// The measure at each threshold, averaged with those at the thresholds beside it.
fn judge_with_neighbours(measured: &[f64]) -> Vec<f64> {
    let last = measured.len().saturating_sub(1);
    let judge = |at: usize| (measured[at.saturating_sub(1)] + 2.0 * measured[at] + measured[(at + 1).min(last)]) / 4.0;
    (0..measured.len()).map(judge).collect()
}

/// The means over pages of their F-measures; each site weighs the same.
fn measure(pages: &[TrainingPage], scores: &[Vec<f32>], threshold: f32) -> [f64; MEASURES] {
    let sites = pages.iter().map(|page| page.site + 1).max().unwrap_or(0);
    let mut means = vec![[(0.0, 0.0); MEASURES]; sites];
    for (page, scores) in pages.iter().zip(scores) {
        for (kind, mean) in means[page.site].iter_mut().enumerate() {
            let mut tally = Tally::default();
            for (amounts, score) in page.amounts.iter().zip(scores) {
                // The section of the body, which has the lowest score, is never template.
                tally.add(amounts[kind], *score >= threshold && *score > scores[0]);
            }
            if let Some(measure) = tally.f_measure() {
                *mean = (mean.0 + measure, mean.1 + 1.0);
            }
        }
    }
    std::array::from_fn(|kind| {
        let (mut sum, mut count) = (0.0, 0.0);
        for (total, pages) in means.iter().map(|site| site[kind]).filter(|mean| mean.1 > 0.0) {
            sum += total / pages;
            count += 1.0;
        }
        sum / f64::max(count, 1.0)
    })
}

fn card(
    training: &PageLevelTraining,
    sites: &[String],
    pages: &[&TrainingPage],
    settings: ModelSettings,
    measured: [f64; MEASURES],
) -> String {
    let templates = labelled(pages).filter(|(_, _, label)| *label).count();
    let nodes = labelled(pages).count();
    let provenance = Provenance {
        command: PageLevelModel::KIND,
        inputs: &training.labels.inputs,
        source: training.source.as_deref(),
        measured: "docs/pagelevel.md",
    };
    let mut card = String::from("PageLevel: separates template nodes from content nodes on a page of any site.\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        card,
        "Trained on {} pages of {} sites, read from {}: {templates} template and {} other nodes; layout estimated. Labels are automatic: a node is \
         template where it appears on a share of at least {} of the pages of its site, so repeated content counts as template and template of a \
         single page as content.",
        pages.len(),
        sites.len(),
        provenance.input_names(),
        nodes - templates,
        training.labels.threshold,
    );
    let _ = writeln!(
        card,
        "Four logistic regressions by node area, features in {} intervals at most, without {} of places and sizes; penalty on weights {}, seed {}.",
        training.intervals,
        training.ignored.len(),
        training.l2,
        training.labels.seed
    );
    let _ = writeln!(
        card,
        "Threshold {} and {} of the page's mean taken off, chosen by words on sites left out of the fit ({} folds): mean F-measure of template and \
         content {:.3} for words, {:.3} for words in links, {:.3} for links, against the same kind of labels.",
        settings.threshold, settings.relative, training.folds, measured[0], measured[1], measured[2]
    );
    provenance.append(&mut card);
    card
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_papers::pagelevel::LEVELS;

    #[test]
    fn places_and_sizes_are_left_out_and_nothing_else() {
        let names: Vec<&str> = column_names().collect();
        assert!(PLACES_AND_SIZES.iter().all(|name| names.contains(name)), "a feature was renamed");
        let training = PageLevelTraining::new(LabelOptions::new(Vec::new(), Flavour::Nodes));
        // The mean length of links is one of the paper's most important features.
        for kept in ["link_words_mean_log", "text_words_mean_log", "aspect_log", "font_size_log", "picture_area_share"]
        {
            assert!(names.contains(&kept) && !training.ignored.iter().any(|name| name == kept), "{kept}");
        }
    }

    #[test]
    fn a_threshold_is_judged_with_its_neighbours() {
        let judged = judge_with_neighbours(&[0.60, 0.69, 0.70, 0.69, 0.60, 0.705, 0.50]);
        let best = (0..judged.len()).max_by(|one, two| judged[*one].total_cmp(&judged[*two]));
        assert_eq!(best, Some(2), "a plateau is better than a single peak");
        assert!(judge_with_neighbours(&[]).is_empty());
    }

    #[test]
    fn thresholds_are_between_levels() {
        for step in THRESHOLDS {
            assert_eq!((f32::from(step) / 32.0 * LEVELS as f32).fract(), 0.0);
        }
    }
}
