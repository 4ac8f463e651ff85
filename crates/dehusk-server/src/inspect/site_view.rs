//! A site as JSON: its kinds of pages, how well its pages fit them, and whether templates of an earlier run still do.

use super::page_table::{PageRow, PageTable, share};
use super::row_query::HostCounts;
use dehusk::SiteTemplates;
use dehusk::details::TemplateFit;
use dehusk::site::{Drift, DriftCounter};
use serde_json::{Value, json};

/// Pages of each kind that are named.
const EXAMPLES: usize = 3;
/// The bars of the histogram of fits.
const BARS: usize = 20;

/// What is known of the templates of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteState {
    /// The crawl is still being read or learned.
    Waiting,
    /// Pages are looked at by themselves.
    NotAsked,
    /// Learned from these pages, if there were enough.
    OfCrawl,
    /// Learned by an earlier run, from other pages.
    OfStore,
}

impl SiteState {
    fn name(self) -> &'static str {
        match self {
            SiteState::Waiting => "waiting",
            SiteState::NotAsked => "not_asked",
            SiteState::OfCrawl => "crawl",
            SiteState::OfStore => "store",
        }
    }
}

/// The view of a site. The rows of its pages are requested separately.
pub(super) fn site_json(table: &PageTable, site: u32, templates: Option<&SiteTemplates>, state: SiteState) -> Value {
    let mut counts = HostCounts::default();
    let mut fits = Fits::new(templates.map_or(0, |templates| templates.templates().len()));
    for (number, row) in table.rows.iter().enumerate().filter(|(_, row)| row.site == site) {
        counts.add(row);
        fits.add(number, row);
    }
    let drift = match templates {
        Some(templates) if state == SiteState::OfStore && !templates.templates().is_empty() && fits.is_any() => {
            drift_json(&fits.counter.finish(templates))
        }
        _ => Value::Null,
    };
    json!({
        "name": table.sites[site as usize].name,
        "state": state.name(),
        "pages": counts.pages,
        "failed": counts.failed,
        "confidence": counts.mean_confidence().map(share),
        "dropped": counts.dropped_share().map(share),
        "templates": templates.map(templates_json),
        "kinds": templates.map_or_else(Vec::new, |templates| fits.kinds(table, templates)),
        "unfit": { "pages": fits.unfit.pages, "examples": fits.unfit.examples(table) },
        "histogram": { "fitting": fits.fitting_bars, "unfit": fits.unfit_bars },
        "drift": drift,
    })
}

/// What the templates are learned from, and how.
fn templates_json(templates: &SiteTemplates) -> Value {
    let (grouped, single) = (templates.sampled_pages(), templates.pages_of_no_kind());
    let agreement: Vec<Value> = templates
        .agreement()
        .map(|(combination, agreement)| json!({ "combination": combination.to_string(), "agreement": rounded(agreement) }))
        .collect();
    json!({
        "learned": templates.learned(),
        "method": templates.method().name(),
        "combination": templates.combination().to_string(),
        "pages": templates.pages(),
        "shared_parts": templates.counts().len(),
        "grouped": grouped,
        "single": single,
        "agreement": agreement,
    })
}

fn drift_json(drift: &Drift) -> Value {
    let templates: Vec<Value> = (drift.templates.iter().enumerate())
        .map(|(number, template)| {
            json!({
                "number": number,
                "learned_pages": template.learned_pages,
                "usual_fit": rounded(template.usual_fit),
                "pages": template.pages,
                "fit": if template.pages > 0 { Some(rounded(template.fit)) } else { None },
                "verdict": template.verdict.name(),
            })
        })
        .collect();
    json!({
        "drifted": drift.has_drifted(),
        "findings": drift.findings(),
        "pages": drift.pages,
        "unfit": drift.unfit,
        "usual_unfit": rounded(drift.usual_unfit),
        "templates": templates,
    })
}

/// How well the pages of a site fit its templates.
struct Fits {
    kinds: Vec<Kind>,
    unfit: Kind,
    counter: DriftCounter,
    fitting_bars: [u32; BARS],
    unfit_bars: [u32; BARS],
}

/// The pages of one template.
#[derive(Clone, Default)]
struct Kind {
    pages: u32,
    fit_sum: u64,
    /// The pages that fit best: fit and number, best first.
    best: Vec<(u16, usize)>,
}

impl Fits {
    fn new(templates: usize) -> Fits {
        Fits {
            kinds: vec![Kind::default(); templates],
            unfit: Kind::default(),
            counter: DriftCounter::default(),
            fitting_bars: [0; BARS],
            unfit_bars: [0; BARS],
        }
    }

    fn add(&mut self, number: usize, row: &PageRow) {
        let Some(fit) = row.fit else { return };
        self.counter.observe(TemplateFit { template: row.template, fit: share(fit) as f32 });
        let bar = (usize::from(fit) * BARS / 1000).min(BARS - 1);
        match row.template {
            None => {
                self.unfit_bars[bar] += 1;
                self.unfit.add(number, fit);
            }
            Some(template) => {
                self.fitting_bars[bar] += 1;
                if let Some(kind) = self.kinds.get_mut(template as usize) {
                    kind.add(number, fit);
                }
            }
        }
    }

    fn is_any(&self) -> bool {
        self.counter != DriftCounter::default()
    }

    fn kinds(&self, table: &PageTable, templates: &SiteTemplates) -> Vec<Value> {
        (templates.templates().iter().zip(&self.kinds).enumerate())
            .map(|(number, (template, kind))| {
                json!({
                    "number": number,
                    "learned_pages": template.pages(),
                    "usual_fit": rounded(template.usual_fit()),
                    "min_fit": rounded(template.min_fit()),
                    "pages": kind.pages,
                    "fit": (kind.pages > 0).then(|| kind.fit_sum as f64 / f64::from(kind.pages) / 1000.0).map(to_three_digits),
                    "examples": kind.examples(table),
                })
            })
            .collect()
    }
}

impl Kind {
    fn add(&mut self, number: usize, fit: u16) {
        self.pages += 1;
        self.fit_sum += u64::from(fit);
        let at = self.best.partition_point(|(better, _)| *better >= fit);
        if at < EXAMPLES {
            self.best.insert(at, (fit, number));
            self.best.truncate(EXAMPLES);
        }
    }

    fn examples(&self, table: &PageTable) -> Vec<Value> {
        let example = |(fit, number): &(u16, usize)| {
            let row = &table.rows[*number];
            json!({ "number": number, "url": row.url, "title": row.title, "fit": share(*fit) })
        };
        self.best.iter().map(example).collect()
    }
}

fn rounded(number: f32) -> f64 {
    to_three_digits(f64::from(number))
}

fn to_three_digits(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
