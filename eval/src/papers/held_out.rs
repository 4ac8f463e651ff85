//! Compares the site-level methods on held-out pages: on the themes of `dup`, where the template is known, and on sites,
//! where the held-out pages show what is repeated.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::report::table;
use crate::shared::site_pages::{Page, Words, collapse, name_of, shuffled, text_of, words_of};
use dehusk::Detection;
use dehusk::dom::Parser;
use dehusk::render::{RenderOptions, render_text};
use dehusk::site::{SiteLevelLearner, SiteLevelTemplate};
use dehusk_papers::Rules;
use dehusk_papers::align::AlignSettings;
use dehusk_papers::align::{AlignLearner, AlignTemplate, detect_align};
use dehusk_papers::treemap::{TreeMapLearner, TreeMapSettings, TreeMapTemplates, detect_tree_map};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Samples drawn from each theme for each number of pages.
const DRAWS: usize = 5;
/// Test pages of a theme for each sample, none of them in it.
const TESTED: usize = 100;
/// Test pages of a site.
const TESTED_OF_SITE: usize = 20;
/// A text is template on a held-out page if it appears on this fraction of the other held-out pages, and on at least two.
const REPEATED: f64 = 0.1;

/// A site-level method with its settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    SiteLevel,
    TreeMap,
    /// Without the rules for slots and alternatives.
    TreeMapNoSlots,
    TreeMapPaper,
    /// With the share that the program uses: one fifth.
    AlignFifth,
    /// With the share of the paper, one half, and our rules.
    Align,
    /// The same without the rules for slots.
    AlignNoSlots,
    AlignPaper,
}

/// What a method learned of a site.
pub(crate) enum Learned {
    SiteLevel(SiteLevelTemplate),
    TreeMap(TreeMapTemplates),
    Align(AlignTemplate),
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::SiteLevel => "SITELEVEL",
            Method::TreeMap => "TreeMap",
            Method::TreeMapNoSlots => "TreeMap without slots and alternatives",
            Method::TreeMapPaper => "TreeMap as in the paper",
            Method::AlignFifth => "Align, share 0.2",
            Method::Align => "Align",
            Method::AlignNoSlots => "Align without slots",
            Method::AlignPaper => "Align as in the paper",
        }
    }

    /// The settings of a TreeMap method.
    fn tree_map(self) -> Option<TreeMapSettings> {
        let with = |rules: Rules| Some(TreeMapSettings { rules, ..TreeMapSettings::default() });
        match self {
            Method::TreeMap => with(Rules::All),
            Method::TreeMapNoSlots => with(Rules::NoSlots),
            Method::TreeMapPaper => Some(TreeMapSettings::as_in_paper()),
            _ => None,
        }
    }

    /// The settings of an Align method.
    pub(crate) fn align(self) -> Option<AlignSettings> {
        match self {
            Method::AlignFifth => Some(AlignSettings::sections()),
            Method::Align => Some(AlignSettings::default()),
            Method::AlignNoSlots => Some(AlignSettings { rules: Rules::NoSlots, ..AlignSettings::default() }),
            Method::AlignPaper => Some(AlignSettings::as_in_paper()),
            _ => None,
        }
    }

    /// Learns from the pages of a site, each with a key such as its URL. Of these, TreeMap maps and Align aligns `most`, or as many as they do
    /// by default.
    pub(crate) fn learn<'a>(
        self,
        pages: impl Iterator<Item = (String, &'a Page)>,
        most: Option<usize>,
    ) -> Result<Learned, Stop> {
        if let Some(mut settings) = self.tree_map() {
            settings.max_pages = most.map_or(settings.max_pages, |most| most as u32);
            settings.sample = settings.sample.max(settings.max_pages as usize);
            let mut learner = TreeMapLearner::new(settings);
            pages.for_each(|(key, page)| learner.observe(&key, &page.document));
            Ok(Learned::TreeMap(learner.finish(0)))
        } else if let Some(mut settings) = self.align() {
            settings.pages = most.unwrap_or(settings.pages);
            let mut learner = AlignLearner::new(settings).map_err(|error| Stop::Broken(error.to_string()))?;
            pages.for_each(|(key, page)| learner.observe(&page.document, &key));
            Ok(Learned::Align(learner.finish(0)))
        } else {
            let mut learner = SiteLevelLearner::new();
            pages.for_each(|(_, page)| learner.observe(&page.evidence()));
            Ok(Learned::SiteLevel(learner.finish()))
        }
    }

    /// Learns from all of the pages given. TreeMap maps at most 24 of them, as by default.
    fn learn_all<'a>(self, pages: impl ExactSizeIterator<Item = &'a Page>) -> Result<Learned, Stop> {
        let most = self.align().map(|_| pages.len());
        self.learn(pages.enumerate().map(|(number, page)| (number.to_string(), page)), most)
    }
}

impl Learned {
    /// The text of a page without its template.
    pub(crate) fn kept_text(&self, page: &Page) -> String {
        render_text(&page.document, &self.detect(page), RenderOptions::default())
    }

    pub(crate) fn detect(&self, page: &Page) -> Detection {
        match self {
            Learned::SiteLevel(template) => page.detect(template, 0.1),
            Learned::TreeMap(templates) => detect_tree_map(&page.document, &page.stats, templates),
            Learned::Align(template) => detect_align(&page.document, &page.stats, template),
        }
    }
}

/// Methods compared on themes and on sites, by the number of pages they learn from: two sections of a report.
pub(crate) fn report(data: &Data, counts: &[usize], methods: &[Method]) -> Result<String, Stop> {
    Ok(format!(
        "## Template words of `dup`, on held-out pages\n\n{}\n{THEME_NOTE}\n\
         ## Template words of sites, measured on held-out pages\n\n{}\n{SITE_NOTE}\n",
        table(&THEME_HEAD, &measure_themes(data, counts, methods)?),
        table(&SITE_HEAD, &measure_sites(data, counts, methods)?)
    ))
}

const THEME_HEAD: [&str; 9] =
    ["theme", "pages", "method", "precision", "recall", "F1", "lowest F1", "content words lost", "of"];

/// One row for each number of pages and method: sums over all samples, and the F1 of the worst sample.
fn measure_themes(data: &Data, counts: &[usize], methods: &[Method]) -> Result<Vec<Vec<String>>, Stop> {
    let mut rows = Vec::new();
    for file in data.list("dup", ".jsonl.zst")? {
        let theme = name_of(&file);
        let (pages, records) = read_site(&file)?;
        let order = shuffled(pages.len());
        for count in counts {
            for method in methods {
                let (mut sum, mut lowest, mut content) = (Words::default(), 1f64, 0);
                for draw in 0..DRAWS {
                    let at = |place: usize| order[(place + draw * 61) % order.len()];
                    let learned = method.learn_all((0..*count).map(|place| &pages[at(place)]))?;
                    let mut words = Words::default();
                    for number in (*count..*count + TESTED).map(at) {
                        words.add(&pages[number], &records[number], &learned.detect(&pages[number]));
                        content += words_of(&text_of(&records[number], "content")).values().sum::<i64>();
                    }
                    lowest = lowest.min(words.f());
                    sum.merge(&words);
                }
                rows.push(vec![
                    theme.clone(),
                    count.to_string(),
                    method.name().to_string(),
                    format!("{:.4}", sum.precision()),
                    format!("{:.4}", sum.recall()),
                    format!("{:.4}", sum.f()),
                    format!("{lowest:.4}"),
                    sum.dropped_content.to_string(),
                    content.to_string(),
                ]);
            }
        }
    }
    Ok(rows)
}

/// What [`measure_themes`] measures, in words.
const THEME_NOTE: &str = "Words outside the content region are template; words of the title are not counted. Precision: \
                                     share of dropped words that are template. Recall: share of template words that are dropped. Five \
                                     samples are drawn from each theme with a fixed seed. Each is tested on 100 pages outside the \
                                     sample, and the words of all five are summed; `lowest F1` is that of the worst sample. All methods \
                                     use the same pages and their default settings.\n";

fn read_site(file: &Path) -> Result<(Vec<Page>, Vec<Value>), Stop> {
    let (mut pages, mut records) = (Vec::new(), Vec::new());
    read_records(file, |record| records.push(record))?;
    let mut parser = Parser::default();
    for record in &records {
        pages.push(Page::read(&mut parser, &text_of(record, "html"))?);
    }
    Ok((pages, records))
}

const SITE_HEAD: [&str; 10] = [
    "pages",
    "method",
    "sites",
    "precision",
    "recall",
    "F1",
    "F1, lower quartile",
    "median",
    "upper quartile",
    "precision, lower quartile",
];

/// The columns of precision and recall in [`SITE_HEAD`].
pub(crate) const SITE_PRECISION: usize = 3;
pub(crate) const SITE_RECALL: usize = 4;

/// What [`measure_sites`] measures, in words.
const SITE_NOTE: &str = "The pages of each site are split into two halves with a fixed seed. Methods learn from pages of the \
                                    first half and are tested on up to 20 pages of the second. The reference comes from the second half \
                                    alone: a text of a page is template if it appears on at least 10 % of the other pages of that half, \
                                    and on at least two. Words are counted. Means are over sites; each site counts once. Template that \
                                    the reference misses (a date, a list that differs from page to page) counts as an error here, so \
                                    true precision may be higher.\n";

/// One row for each number of pages and method, averaged over all sites that have enough pages.
pub(crate) fn measure_sites(data: &Data, counts: &[usize], methods: &[Method]) -> Result<Vec<Vec<String>>, Stop> {
    let files = data.list("sites", ".jsonl.zst")?;
    let by_site: Vec<SiteScores> =
        files.par_iter().map(|file| measure_site(file, counts, methods)).collect::<Result<_, Stop>>()?;
    let mut scores: BTreeMap<(usize, usize), Vec<Score>> = BTreeMap::new();
    for (key, score) in by_site.into_iter().flatten() {
        scores.entry(key).or_default().push(score);
    }
    Ok(scores.into_iter().map(|((at, which), scores)| site_row(counts[at], methods[which], &scores)).collect())
}

/// Precision, recall and F1 of a site.
type Score = (f64, f64, f64);
/// The scores of a site by number of pages and method.
type SiteScores = Vec<((usize, usize), Score)>;

fn measure_site(file: &Path, counts: &[usize], methods: &[Method]) -> Result<SiteScores, Stop> {
    let (pages, _) = read_site(file)?;
    let order = shuffled(pages.len());
    let (first, second) = order.split_at(pages.len() / 2);
    let truth = Truth::of(second.iter().map(|number| &pages[*number]));
    let mut scores = Vec::new();
    for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count <= first.len()) {
        for (which, method) in methods.iter().enumerate() {
            let learned = method.learn_all(first[..*count].iter().map(|number| &pages[*number]))?;
            let mut words = Words::default();
            for number in second.iter().take(TESTED_OF_SITE) {
                truth.compare(&pages[*number], &learned.detect(&pages[*number]), &mut words);
            }
            scores.push(((at, which), (words.precision(), words.recall(), words.f())));
        }
    }
    Ok(scores)
}

fn site_row(count: usize, method: Method, scores: &[Score]) -> Vec<String> {
    let mean = |part: fn(&Score) -> f64| scores.iter().map(part).sum::<f64>() / scores.len().max(1) as f64;
    let sorted = |part: fn(&Score) -> f64| {
        let mut list: Vec<f64> = scores.iter().map(part).collect();
        list.sort_by(f64::total_cmp);
        list
    };
    let (by_f, by_precision) = (sorted(|score| score.2), sorted(|score| score.0));
    let quarter = |list: &[f64], part: usize| list[(list.len() - 1) * part / 4];
    let numbers = [
        mean(|score| score.0),
        mean(|score| score.1),
        mean(|score| score.2),
        quarter(&by_f, 1),
        quarter(&by_f, 2),
        quarter(&by_f, 3),
        quarter(&by_precision, 1),
    ];
    let head = [count.to_string(), method.name().to_string(), scores.len().to_string()];
    head.into_iter().chain(numbers.map(|number| format!("{number:.3}"))).collect()
}

/// The number of held-out pages that contain each text.
struct Truth {
    pages: usize,
    pages_with: BTreeMap<String, usize>,
}

impl Truth {
    fn of<'a>(pages: impl Iterator<Item = &'a Page>) -> Truth {
        let mut truth = Truth { pages: 0, pages_with: BTreeMap::new() };
        for page in pages {
            truth.pages += 1;
            let texts: BTreeSet<String> = page.texts().map(|id| plain(page.document.text(id))).collect();
            for text in texts {
                *truth.pages_with.entry(text).or_default() += 1;
            }
        }
        truth
    }

    fn compare(&self, page: &Page, detection: &Detection, words: &mut Words) {
        let least = (REPEATED * (self.pages - 1) as f64).max(2.0);
        for id in page.texts() {
            let text = plain(page.document.text(id));
            let count = words_of(&text).values().sum::<i64>();
            // The page itself does not count.
            let is_template = (self.pages_with[&text] - 1) as f64 >= least;
            let dropped = if detection.is_dropped(id) { count } else { 0 };
            if is_template {
                words.template += count;
                words.dropped_template += dropped;
            } else {
                words.dropped_content += dropped;
            }
        }
    }
}

fn plain(text: &str) -> String {
    collapse(text).to_lowercase()
}
