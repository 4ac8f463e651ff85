//! Fusion with and without site evidence: on pages of `dup` and wcxb-dev, whose content is known, and on held-out pages of
//! `sites`, which show what is repeated. Weights are chosen on half of the sites and reported on the other half.

use crate::Stop;
use crate::quality::fusion::folds::Folds;
use crate::quality::methods::{RepeatedTexts, learn};
use crate::shared::corpus::{Data, read_records};
use crate::shared::methods::SITE_METHODS;
use crate::shared::report::{Results, table};
use crate::shared::site_pages::{Page, collapse, name_of, read_truth, shuffled, text_of};
use dehusk::SiteTemplates;
use dehusk::detect::fusion::{EvidenceWeights, FusionModel, FusionPage, FusionScores, SiteEvidence};
use dehusk::dom::{Document, NodeId, Parser};
use dehusk::site::SiteLevelSettings;
use dehusk_train::{WordMeasures, measure_words};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Training pages of a site; for a small site, half of its pages.
const LEARNED: usize = 24;
/// Test pages of a site, none of them a training page.
const TESTED: usize = 8;
/// Hosts of wcxb-dev with fewer pages are left out: there is too little to compare.
const LEAST_PAGES: usize = 3;
const CLAIMED: [f32; 4] = [1.5, 2.0, 3.0, 4.0];
const OWN: [f32; 4] = [0.0, 1.0, 2.0, 3.0];

/// The columns of all tables after those that say what was measured.
const FIGURES: [&str; 8] = ["F1", "precision", "recall", "F1 by page", "values kept", "worse", "better", "worst site"];

/// Which words of a page are content.
enum Truth {
    /// The words of each block as numbers, and how often each occurs in the reference. The measure of wcxb-dev.
    Words { blocks: Vec<Vec<u32>>, wanted: Vec<u32>, total: usize },
    /// The words of each block, and those of them that are not repeated on held-out pages.
    Counts(Vec<(usize, usize)>),
}

impl Truth {
    /// Content is the words of a text; words that are not counted are left out.
    fn of_text(document: &Document, page: &FusionPage, content: &str, neither: &str) -> Truth {
        let neither: BTreeSet<String> = measure_words(neither).into_iter().collect();
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        let mut number = |text: &str| -> Vec<u32> {
            let words = measure_words(text).into_iter().filter(|word| !neither.contains(word));
            words
                .map(|word| {
                    let next = numbers.len() as u32;
                    *numbers.entry(word).or_insert(next)
                })
                .collect()
        };
        let content = number(content);
        let blocks: Vec<Vec<u32>> = (0..page.len()).map(|block| number(&page.text(document, block))).collect();
        let mut wanted = vec![0; numbers.len()];
        content.iter().for_each(|word| wanted[*word as usize] += 1);
        Truth::Words { blocks, wanted, total: content.len() }
    }

    fn of_repeated(page: &FusionPage, tested: &[(NodeId, usize, bool)]) -> Truth {
        let count = |block: usize| {
            let (first, end) = page.span(block);
            let start = tested.partition_point(|(node, ..)| *node < first);
            let mut counts = (0, 0);
            for (_, words, is_template) in tested[start..].iter().take_while(|(node, ..)| *node < end) {
                counts.0 += words;
                counts.1 += if *is_template { 0 } else { *words };
            }
            counts
        };
        Truth::Counts((0..page.len()).map(count).collect())
    }

    /// F1, precision and recall of the kept blocks.
    fn measure(&self, keep: impl Fn(usize) -> bool) -> [f64; 3] {
        match self {
            Truth::Words { blocks, wanted, total } => {
                let mut left = wanted.clone();
                let (mut kept, mut right) = (0, 0);
                for word in blocks.iter().enumerate().filter(|(at, _)| keep(*at)).flat_map(|(_, words)| words) {
                    kept += 1;
                    right += (left[*word as usize] > 0) as usize;
                    left[*word as usize] = left[*word as usize].saturating_sub(1);
                }
                WordMeasures::of_counts(right, kept, *total).to_array()
            }
            Truth::Counts(blocks) => {
                let kept = || blocks.iter().enumerate().filter(|(at, _)| keep(*at)).map(|(_, counts)| counts);
                let wanted: usize = blocks.iter().map(|counts| counts.1).sum();
                let (right, all) = (kept().map(|counts| counts.1).sum(), kept().map(|counts| counts.0).sum());
                WordMeasures::of_counts(right, all, wanted).to_array()
            }
        }
    }
}

/// A page with its scores from fusion alone and the evidence of its site.
struct Case {
    page: FusionPage,
    alone: FusionScores,
    evidence: SiteEvidence,
    /// Whether a block is kept by the site's template alone.
    site_keeps: Vec<bool>,
    truth: Truth,
    /// Values to keep, and the text of each block.
    values: Vec<String>,
    texts: Vec<String>,
}

struct Site {
    corpus: &'static str,
    name: String,
    learned: usize,
    cases: Vec<Case>,
}

impl Site {
    /// Whether the site is one of the half of its corpus on which the weights are chosen.
    fn chooses(&self) -> bool {
        self.name.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte as u32)).is_multiple_of(2)
    }
}

/// How a page is classified.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Alone,
    Site,
    /// With evidence.
    Fused(EvidenceWeights),
}

impl Case {
    fn of(page: &Page, model: &FusionModel, site: &SiteTemplates, truth: TruthSource<'_>) -> Case {
        let detection = site.detect(&page.parsed(), None, SiteLevelSettings::default());
        let document = &page.document;
        let mut cut = FusionPage::default();
        cut.prepare(document, &model.odds);
        let alone = model.score(&mut cut);
        let evidence = SiteEvidence::of(document, &cut, &detection);
        let site_keeps = (0..cut.len()).map(|block| !detection.is_dropped(cut.span(block).0)).collect();
        let (truth, values) = match truth {
            TruthSource::Text(content, neither) => (Truth::of_text(document, &cut, content, neither), Vec::new()),
            TruthSource::Repeated(tested, values) => (Truth::of_repeated(&cut, tested), values.to_vec()),
        };
        let texts = match values.is_empty() {
            true => Vec::new(),
            false => (0..cut.len()).map(|block| collapse(&cut.text(document, block))).collect(),
        };
        Case { page: cut, alone, evidence, site_keeps, truth, values, texts }
    }

    fn kept(&self, way: Way) -> Vec<bool> {
        let above = |scores: &FusionScores| scores.blocks.iter().map(|chance| *chance >= scores.threshold).collect();
        match way {
            Way::Alone => above(&self.alone),
            Way::Site => self.site_keeps.clone(),
            Way::Fused(weights) => above(&self.evidence.combine(&self.page, self.alone.clone(), weights).0),
        }
    }

    fn measure(&self, kept: &[bool]) -> [f64; 3] {
        self.truth.measure(|block| kept[block])
    }

    /// Number of values on the page, and how many of them are kept.
    fn survival(&self, kept: &[bool]) -> (usize, usize) {
        if self.values.is_empty() {
            return (0, 0);
        }
        let all = self.texts.join(" ");
        let left: Vec<&str> =
            self.texts.iter().zip(kept).filter(|(_, kept)| **kept).map(|(text, _)| text.as_str()).collect();
        let left = left.join(" ");
        let on_page = self.values.iter().filter(|value| all.contains(value.as_str()));
        let survive = on_page.clone().filter(|value| left.contains(value.as_str())).count();
        (on_page.count(), survive)
    }
}

enum TruthSource<'a> {
    Text(&'a str, &'a str),
    Repeated(&'a [(NodeId, usize, bool)], &'a [String]),
}

fn read_theme(file: &Path, method: &str) -> Result<Site, Stop> {
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    let order = shuffled(records.len());
    let learned: Vec<&Value> = order.iter().take(LEARNED).map(|number| &records[*number]).collect();
    let (templates, _) = learn(method, &learned)?;
    let mut parser = Parser::default();
    let mut cases = Vec::new();
    for number in order.iter().skip(LEARNED).take(10 * TESTED) {
        let record = &records[*number];
        let page = Page::read(&mut parser, &text_of(record, "html"))?;
        let (content, title) = (text_of(record, "content"), text_of(record, "title"));
        let truth = TruthSource::Text(&content, &title);
        cases.push(Case::of(&page, FusionModel::builtin(), &templates, truth));
    }
    Ok(Site { corpus: "dup", name: format!("{}, {}", name_of(file), method), learned: learned.len(), cases })
}

fn read_site(file: &Path, values: Option<&BTreeMap<String, Vec<String>>>) -> Result<Site, Stop> {
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    let order = shuffled(records.len());
    let count = LEARNED.min(records.len() / 2);
    let learned: Vec<&Value> = order.iter().take(count).map(|number| &records[*number]).collect();
    let (templates, _) = learn("sitelevel", &learned)?;
    let mut parser = Parser::default();
    let mut tested = Vec::new();
    for number in order.iter().skip(count) {
        tested.push((Page::read(&mut parser, &text_of(&records[*number], "html"))?, &records[*number]));
    }
    let repeated = RepeatedTexts::of(tested.iter().map(|(page, _)| &page.document));
    let cases = tested.iter().zip(&repeated.pages).take(TESTED).map(|((page, record), told)| {
        let values = values.and_then(|values| values.get(&text_of(record, "url")));
        let truth = TruthSource::Repeated(told, values.map_or(&[], |values| values));
        Case::of(page, FusionModel::builtin(), &templates, truth)
    });
    Ok(Site { corpus: "sites", name: name_of(file), learned: count, cases: cases.collect() })
}

/// The hosts of wcxb-dev with several pages: each page is classified with a template learned from the others.
fn read_hosts(folds: &Folds) -> Result<Vec<Site>, Stop> {
    let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, page) in folds.corpus("wcxb-dev").map(|number| (number, &folds.pages[number])) {
        let host = page.url.split("://").nth(1).unwrap_or_default().split('/').next().unwrap_or_default();
        hosts.entry(host).or_default().push(number);
    }
    let mut sites = Vec::new();
    let mut parser = Parser::default();
    for (host, numbers) in hosts.into_iter().filter(|(host, pages)| !host.is_empty() && pages.len() >= LEAST_PAGES) {
        let mut cases = Vec::new();
        for number in &numbers {
            let known = &folds.pages[*number];
            let others = numbers.iter().filter(|other| *other != number).map(|other| &folds.pages[*other]);
            let records: Vec<Value> =
                others.map(|page| serde_json::json!({"url": page.url, "html": page.html})).collect();
            let (templates, _) = learn("sitelevel", &records.iter().collect::<Vec<_>>())?;
            let page = Page::read(&mut parser, &known.html)?;
            let truth = TruthSource::Text(&known.content, "");
            cases.push(Case::of(&page, folds.model(*number), &templates, truth));
        }
        sites.push(Site { corpus: "wcxb-dev", name: host.to_string(), learned: numbers.len() - 1, cases });
    }
    Ok(sites)
}

pub(crate) fn run(data: &Data, results: &Results, models: &Path) -> Result<(), Stop> {
    let folds = Folds::of(data, models)?;
    let mut sites = read_hosts(&folds)?;
    for file in data.list("dup", ".jsonl.zst")? {
        for method in SITE_METHODS {
            sites.push(read_theme(&file, method)?);
        }
    }
    let values = read_truth(data)?;
    for file in data.list("sites", ".jsonl.zst")? {
        sites.push(read_site(&file, values.get(&name_of(&file)))?);
    }
    let measured = Measured { sites: &sites };
    let mut body = measured.summary();
    body += &measured.grid();
    body += &measured.by_site();
    results.publish("evidence", "Fusion with site evidence", "wcxb-dev, dup, sites", &body)
}

/// As in the library.
const FUSED: Way = Way::Fused(EvidenceWeights::DEFAULT);

struct Measured<'a> {
    sites: &'a [Site],
}

impl Measured<'_> {
    /// The mean F1 of a site's pages, its number of values, and how many are kept.
    fn site(&self, site: &Site, way: Way) -> ([f64; 3], usize, usize) {
        let (mut sums, mut values, mut survive) = ([0.0; 3], 0, 0);
        for case in &site.cases {
            let kept = case.kept(way);
            let measured = case.measure(&kept);
            sums.iter_mut().zip(measured).for_each(|(sum, value)| *sum += value / site.cases.len() as f64);
            let (on_page, left) = case.survival(&kept);
            (values, survive) = (values + on_page, survive + left);
        }
        (sums, values, survive)
    }

    fn summary(&self) -> String {
        let mut rows = Vec::new();
        for corpus in ["wcxb-dev", "dup", "sites"] {
            for chooses in [true, false] {
                let sites: Vec<&Site> = self
                    .sites
                    .iter()
                    .filter(|site| site.corpus == corpus && site.chooses() == chooses && corpus != "dup")
                    .chain(self.sites.iter().filter(|site| corpus == "dup" && site.corpus == corpus && !chooses))
                    .collect();
                if sites.is_empty() {
                    continue;
                }
                let alone: Vec<f64> = sites.iter().map(|site| self.site(site, Way::Alone).0[0]).collect();
                for (name, way) in [("page alone", Way::Alone), ("template alone", Way::Site), ("both", FUSED)] {
                    let half = if corpus == "dup" {
                        "all"
                    } else if chooses {
                        "tuning"
                    } else {
                        "held out"
                    };
                    let mut row = vec![corpus.to_string(), half.to_string(), sites.len().to_string(), name.to_string()];
                    row.extend(self.row(&sites, way, &alone));
                    rows.push(row);
                }
            }
        }
        let head = [&["corpus", "set", "sites", "classified by"][..], &FIGURES].concat();
        format!(
            "## With and without site evidence\n\n{}\nEach page is classified with a template learned from other pages of its site, \
             never from the page itself. \
             wcxb-dev: hosts with at least {LEAST_PAGES} pages; the template is learned from the other pages of the host, and the model \
             has not seen the domain; the content is known. \
             dup: {LEARNED} training pages, content known, words of the title not counted; each template method is a row below. sites: \
             {LEARNED} training pages (half of the pages on small sites), {TESTED} others tested; content is what at least nine tenths \
             of the other held-out pages do not have. So all text that a site shows once counts as content: this measures what the \
             template adds, not how good the extracted content is. Values kept: share of SWDE attribute values kept. Means are over \
             sites. Worse, better: number of sites whose F1 changes by more than 0.005 against the page alone. The weights were chosen \
             on the sites marked `tuning`.\n\n",
            table(&head, &rows)
        )
    }

    /// F1, precision and recall over sites, F1 over pages, the share of values kept, numbers of worse and better sites, the
    /// worst site.
    fn row(&self, sites: &[&Site], way: Way, alone: &[f64]) -> Vec<String> {
        let told: Vec<_> = sites.iter().map(|site| self.site(site, way)).collect();
        let mean = |at: usize| told.iter().map(|site| site.0[at]).sum::<f64>() / told.len().max(1) as f64;
        let pages: usize = sites.iter().map(|site| site.cases.len()).sum();
        let by_page: f64 = told.iter().zip(sites).map(|(told, site)| told.0[0] * site.cases.len() as f64).sum();
        let (values, survive) = told.iter().fold((0, 0), |sum, site| (sum.0 + site.1, sum.1 + site.2));
        let change = || told.iter().zip(alone).map(|(told, alone)| told.0[0] - alone);
        let worst = change().zip(sites).min_by(|one, two| one.0.total_cmp(&two.0));
        vec![
            format!("{:.4}", mean(0)),
            format!("{:.4}", mean(1)),
            format!("{:.4}", mean(2)),
            format!("{:.4}", by_page / pages.max(1) as f64),
            if values > 0 { format!("{:.4}", survive as f64 / values as f64) } else { String::new() },
            change().filter(|change| *change < -0.005).count().to_string(),
            change().filter(|change| *change > 0.005).count().to_string(),
            worst.map_or(String::new(), |(change, site)| format!("{change:+.4} {}", site.name)),
        ]
    }

    fn by_site(&self) -> String {
        let mut rows = Vec::new();
        for site in self.sites {
            let f = |way| self.site(site, way).0[0];
            let (alone, template, both) = (f(Way::Alone), f(Way::Site), f(FUSED));
            rows.push((
                both - alone,
                vec![
                    site.corpus.to_string(),
                    site.name.clone(),
                    if site.corpus != "dup" && site.chooses() { "tuning".into() } else { "held out".into() },
                    format!("{}/{}", site.learned, site.cases.len()),
                    format!("{alone:.3}"),
                    format!("{template:.3}"),
                    format!("{both:.3}"),
                    format!("{:+.3}", both - alone),
                ],
            ));
        }
        rows.sort_by(|one, two| one.0.total_cmp(&two.0));
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
        let head = ["corpus", "site", "set", "training/test", "page alone", "template alone", "both", "change"];
        format!("## By site\n\nF1, sorted from the worst change to the best.\n\n{}", table(&head, &rows))
    }

    /// Results of other weights on the tuning half.
    fn grid(&self) -> String {
        let mut out = String::from("## Weights, on the tuning sites\n\n");
        for corpus in ["wcxb-dev", "sites"] {
            let sites: Vec<&Site> = self.sites.iter().filter(|site| site.corpus == corpus && site.chooses()).collect();
            let alone: Vec<f64> = sites.iter().map(|site| self.site(site, Way::Alone).0[0]).collect();
            let mut rows = Vec::new();
            for (claimed, own) in CLAIMED.iter().flat_map(|claimed| OWN.iter().map(move |own| (*claimed, *own))) {
                let mut row = vec![corpus.to_string(), claimed.to_string(), own.to_string()];
                row.extend(self.row(
                    &sites,
                    Way::Fused(EvidenceWeights { template: claimed, unique: own, ..EvidenceWeights::DEFAULT }),
                    &alone,
                ));
                rows.push(row);
            }
            let head = [&["corpus", "template", "own"][..], &FIGURES].concat();
            out += &table(&head, &rows);
            out.push('\n');
        }
        out
    }
}
