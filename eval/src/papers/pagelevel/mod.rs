//! PageLevel on hand-labelled home pages: template words, words in links and links found, with and without smoothing;
//! sections compared with human annotations; the penalty; and the effect of estimated geometry.

mod errors;
pub(crate) mod experiments;
pub(crate) mod isotonic;
pub(crate) mod layout;
pub(crate) mod pages;
pub(crate) mod sections;

use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::plot::{Axis, Line, plot};
use crate::shared::report::{Results, table};
use dehusk::dom::NodeId;
use dehusk_papers::layout::estimate;
use dehusk_papers::pagelevel::features::host_of;
use dehusk_papers::pagelevel::{PageLevelModel, PageLevelSettings, PageScores, detect_page_level, score_page};
use pages::{HandLabelled, Truth, read_part};
use rayon::prelude::*;

pub(crate) const PARTS: [&str; 2] = ["random", "popular"];
/// Factors of the penalty, as in figures 2 and 3 of the paper.
pub(crate) const FACTORS: [f32; 11] = [0.0, 0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 10.0, 30.0, 100.0];

/// The columns that [`Found::cells`] fills.
const FIGURES: [&str; 7] =
    ["words", "anchor words", "links", "words P / R", "words, by page", "anchor words, by page", "links, by page"];

/// True positives, false positives, false negatives and true negatives.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    hit: f64,
    alarm: f64,
    miss: f64,
    kept: f64,
}

impl Tally {
    fn add(&mut self, is_template: bool, said: bool, count: f64) {
        match (is_template, said) {
            (true, true) => self.hit += count,
            (false, true) => self.alarm += count,
            (true, false) => self.miss += count,
            (false, false) => self.kept += count,
        }
    }

    fn f_measure(self) -> f64 {
        2.0 * self.hit / (2.0 * self.hit + self.alarm + self.miss).max(1e-9)
    }

    fn precision(self) -> f64 {
        self.hit / (self.hit + self.alarm).max(1e-9)
    }

    fn recall(self) -> f64 {
        self.hit / (self.hit + self.miss).max(1e-9)
    }
}

/// Words, words in links, links: over all pages together, and the mean over pages that have such template parts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Found {
    pooled: [Tally; 3],
    sums: [(f64, f64); 3],
}

impl Found {
    /// Adds a page; `said` says which texts and links are template.
    fn add(&mut self, page: &HandLabelled, said: &dyn Fn(NodeId) -> bool) {
        let mut own = [Tally::default(); 3];
        let truth = |id: NodeId| match page.truth[id.index()] {
            Truth::Template => Some(true),
            Truth::Content => Some(false),
            Truth::Unlabelled | Truth::Ambiguous => None,
        };
        for (id, words, in_link) in page.texts() {
            let Some(truth) = truth(id) else { continue };
            own[0].add(truth, said(id), f64::from(words));
            if in_link {
                own[1].add(truth, said(id), f64::from(words));
            }
        }
        for id in page.links() {
            if let Some(truth) = truth(id) {
                own[2].add(truth, said(id), 1.0);
            }
        }
        for (kind, tally) in own.iter().enumerate() {
            self.pooled[kind].hit += tally.hit;
            self.pooled[kind].alarm += tally.alarm;
            self.pooled[kind].miss += tally.miss;
            self.pooled[kind].kept += tally.kept;
            if tally.hit + tally.miss > 0.0 {
                self.sums[kind] = (self.sums[kind].0 + tally.f_measure(), self.sums[kind].1 + 1.0);
            }
        }
    }

    pub(crate) fn pooled(&self) -> [f64; 3] {
        self.pooled.map(Tally::f_measure)
    }

    pub(crate) fn by_page(&self) -> [f64; 3] {
        self.sums.map(|(sum, count)| sum / f64::max(count, 1.0))
    }

    fn cells(&self) -> Vec<String> {
        let mut cells: Vec<String> = self.pooled().iter().map(|value| format!("{value:.3}")).collect();
        cells.push(format!("{:.2} / {:.2}", self.pooled[0].precision(), self.pooled[0].recall()));
        cells.extend(self.by_page().iter().map(|value| format!("{value:.3}")));
        cells
    }
}

/// The scores of pages by the shipped model.
pub(crate) fn score_all(pages: &[HandLabelled], penalty: f32, measured: bool) -> Vec<PageScores> {
    let model = PageLevelModel::builtin();
    pages
        .par_iter()
        .map(|page| {
            let settings =
                PageLevelSettings { penalty: Some(penalty), threshold: None, host: host_of(&page.url), basic: false };
            let layout = if measured { page.measured.clone() } else { estimate(&page.document) };
            score_page(&page.document, &layout, model, settings)
        })
        .collect()
}

/// Whether a node is called template, by its smoothed score or by its own (`Basic`).
fn said(scores: &PageScores, id: NodeId, smooth: bool, threshold: f32) -> bool {
    if smooth {
        return scores.is_template(id, threshold);
    }
    scores.owner(id).is_some_and(|owner| scores.raw()[owner] >= threshold)
}

/// How well scores find the template: those of single nodes (`Basic`), or the smoothed ones.
pub(crate) fn find(pages: &[HandLabelled], scored: &[PageScores], smooth: bool, threshold: f32) -> Found {
    let mut found = Found::default();
    for (page, scores) in pages.iter().zip(scored) {
        found.add(page, &|id| said(scores, id, smooth, threshold));
    }
    found
}

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let model = PageLevelModel::builtin();
    let (threshold, penalty) = (model.threshold(), model.penalty());
    let (mut quality, mut sectioning, mut sweep, mut lines) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut errors, mut by_mark, mut with_content) = (Vec::new(), Vec::new(), Vec::new());
    for part in PARTS {
        let pages = read_part(data, part)?;
        for measured in [false, true] {
            let scored = score_all(&pages, penalty, measured);
            let layout = if measured { "Chromium's" } else { "estimated" };
            let mut row = |name: &str, found: Found| {
                let mut cells = vec![part.to_string(), layout.to_string(), name.to_string()];
                cells.extend(found.cells());
                quality.push(cells);
            };
            row("Basic", find(&pages, &scored, false, threshold));
            row("Smooth", find(&pages, &scored, true, threshold));
            if !measured {
                row("Smooth, units decided as a whole", detected(&pages, &scored));
                let mut all = Found::default();
                pages.iter().for_each(|page| all.add(page, &|_| true));
                row("all dropped", all);
                let mut cells = vec![part.to_string()];
                cells.extend(sections::Sectioning::of(&pages, &scored).cells());
                sectioning.push(cells);
                errors.extend(errors::worst(&pages, &scored, threshold));
                by_mark.extend(errors::by_mark(part, &pages, &scored, threshold));
                for (name, smooth) in [("Basic", false), ("Smooth", true)] {
                    let mut cells = vec![part.to_string(), name.to_string()];
                    cells.extend(errors::with_content(&pages, &scored, smooth, threshold));
                    with_content.push(cells);
                }
            }
        }
        let (mut points, mut rand_points) = (Vec::new(), Vec::new());
        for factor in FACTORS {
            let scored = score_all(&pages, factor * penalty, false);
            let found = find(&pages, &scored, true, threshold);
            let rand = sections::mean_rand(&pages, |page| sections::smooth_groups(&pages[page], &scored[page]));
            let f = found.pooled();
            sweep.push(vec![
                part.to_string(),
                factor.to_string(),
                format!("{:.3}", f[0]),
                format!("{:.3}", f[1]),
                format!("{:.3}", f[2]),
                format!("{rand:.3}"),
            ]);
            let at = f64::from(factor).max(0.01).log10();
            points.push((at, f[0]));
            rand_points.push((at, rand));
        }
        lines.push(Line { name: format!("F of template words, {part}"), points });
        lines.push(Line { name: format!("adjusted Rand, {part}"), points: rand_points });
    }
    let axes = (
        Axis { name: "factor of the penalty, log10 (0 at the left edge)", from: -2.0, to: 2.0 },
        Axis { name: "F-measure, adjusted Rand", from: 0.0, to: 1.0 },
    );
    results.publish_file("pagelevel-penalty.svg", &plot("PageLevel by penalty", &axes.0, &axes.1, &lines))?;
    let head = [&["pages", "layout", "method"][..], &FIGURES].concat();
    let mut body = format!(
        "## Template found\n\nF1 over all pages of a set together, and the mean F1 of the pages. Threshold {threshold} and \
         penalty {penalty} come with the model, which has seen neither these pages nor any hand-made label.\n\n"
    );
    body += &table(&head, &quality);
    body += "\nPaper (other pages): Basic 0.63, 0.71, 0.75 and Smooth 0.66, 0.73, 0.77 on random pages; Basic 0.56, 0.65, 0.69 and Smooth \
             0.60, 0.71, 0.73 on popular ones (words, anchor words, links). Lists of links inside content are ambiguous and are not \
             counted; neither is text that no annotation covers.\n\n## Pages with annotated content\n\nSome pages have no annotated \
             content at all. Their lists of news or offers are inside no annotation that would make them ambiguous, so they count as \
             template. This table leaves those pages out; estimated layout.\n\n";
    let head = [&["pages", "method", "pages with content"][..], &FIGURES].concat();
    body += &table(&head, &with_content);
    body += "\n## Sections\n\nMean adjusted Rand index over the visible texts: grouped by section against grouped by annotation.\n\n";
    body += &table(&["pages", "Basic", "Basic + Merge", "best δ", "Smooth"], &sectioning);
    body += "\n## Penalty\n\n![by penalty](pagelevel-penalty.svg)\n\n";
    body += &table(&["pages", "factor", "words", "anchor words", "links", "adjusted Rand"], &sweep);
    body += "\n## Pages with the most errors\n\nWords, Smooth, estimated layout.\n\n";
    body += &table(&["page", "template found", "content dropped", "template missed", "content kept"], &errors);
    body += "\n## Errors by annotation\n\nWords by their innermost annotation, Smooth, estimated layout.\n\n";
    let head = ["pages", "annotation", "template found", "template missed", "content dropped", "content kept"];
    body += &table(&head, &by_mark);
    results.publish("pagelevel", "PageLevel on hand-labelled pages", "segments", &body)
}

/// Results if paragraphs, lists and tables are kept or dropped as a whole, as in the output.
fn detected(pages: &[HandLabelled], scored: &[PageScores]) -> Found {
    let model = PageLevelModel::builtin();
    let mut found = Found::default();
    for (page, scores) in pages.iter().zip(scored) {
        let detection = detect_page_level(&page.document, &page.stats, scores, model, PageLevelSettings::default());
        found.add(page, &|id| detection.is_dropped(id));
    }
    found
}
