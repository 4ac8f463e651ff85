//! Compares all methods: on the themes of `dup`, where the template is known, and on all sites, where the held-out pages show
//! what is repeated.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::methods::{SITE_METHODS, site_method};
use crate::shared::report::{Results, median, table};
use crate::shared::site_pages::{Page, Survival, Words, name_of, read_truth, shuffled, text_of};
use dehusk::dom::{Document, Name, NodeId, Parser};
use dehusk::site::SiteLevelSettings;
use dehusk::{Detection, Extractor, Options, Scratch, SiteLearner, SiteTemplates};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

/// Training pages, for themes and for sites; for a small site, half of its pages.
const LEARNED: usize = 24;
/// Test pages of a theme.
const TESTED: usize = 200;
/// A text on this fraction of the other held-out pages is template.
const REPEATED: f64 = 0.1;

pub(crate) fn run(data: &Data, results: &Results, site: Option<&str>) -> Result<(), Stop> {
    let mut body = String::from("## Template words of `dup`\n\n");
    let mut rows = Vec::new();
    for file in data.list("dup", ".jsonl.zst")? {
        rows.extend(measure_theme(&file)?);
    }
    body += &table(&["theme", "method", "rule", "templates", "precision", "recall", "F1", "content words lost"], &rows);
    body += &format!(
        "\nLearned from {LEARNED} pages, tested on {TESTED} others (or as many as there are). Words outside the content region are \
         template; words of the title are not counted.\n\n"
    );
    let truth = read_truth(data)?;
    let mut sites = Vec::new();
    for file in data.list("sites", ".jsonl.zst")? {
        let name = name_of(&file);
        if site.is_none_or(|site| name.contains(site)) {
            sites.push(measure_site(&file, truth.get(&name))?);
        }
    }
    body += &summary(&sites);
    body += &by_site(&sites);
    match site {
        Some(_) => print!("{body}"),
        None => results.publish("methods", "The methods compared", "dup, sites", &body)?,
    }
    Ok(())
}

pub(crate) fn learn(method: &str, records: &[&Value]) -> Result<(SiteTemplates, f64), Stop> {
    let broken = |error: dehusk::Error| Stop::Broken(error.to_string());
    let extractor = Extractor::new(Options::new()).map_err(broken)?;
    let mut scratch = Scratch::default();
    let start = Instant::now();
    let mut learner = SiteLearner::new(site_method(method)?);
    for record in records {
        let html = text_of(record, "html");
        let page = extractor.parse(&html, &mut scratch).map_err(broken)?;
        learner.observe(&text_of(record, "url"), &page);
    }
    let templates = learner.finish(0);
    Ok((templates, start.elapsed().as_secs_f64() * 1e3))
}

fn measure_theme(file: &Path) -> Result<Vec<Vec<String>>, Stop> {
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    let order = shuffled(records.len());
    let learned: Vec<&Value> = order.iter().take(LEARNED).map(|number| &records[*number]).collect();
    let mut parser = Parser::default();
    let mut tested = Vec::new();
    for number in order.iter().skip(LEARNED).take(TESTED) {
        tested.push((Page::read(&mut parser, &text_of(&records[*number], "html"))?, &records[*number]));
    }
    let mut rows = Vec::new();
    for method in SITE_METHODS {
        let (templates, _) = learn(method, &learned)?;
        let mut sum = Words::default();
        for (page, record) in &tested {
            sum.add(page, record, &templates.detect(&page.parsed(), None, SiteLevelSettings::default()));
        }
        rows.push(vec![
            name_of(file),
            method.to_string(),
            templates.combination().to_string(),
            templates.templates().len().to_string(),
            format!("{:.4}", sum.precision()),
            format!("{:.4}", sum.recall()),
            format!("{:.4}", sum.f()),
            sum.dropped_content.to_string(),
        ]);
    }
    Ok(rows)
}

fn harmonic(precision: f64, recall: f64) -> f64 {
    2.0 * precision * recall / (precision + recall).max(1e-9)
}

/// The result of one method on one site.
#[derive(Default)]
struct Outcome {
    rule: String,
    precision: f64,
    recall: f64,
    milliseconds: f64,
    kilobytes: f64,
    survival: Survival,
    /// Held-out pages that fit no template.
    unfit: usize,
    templates: usize,
}

impl Outcome {
    fn f(&self) -> f64 {
        harmonic(self.precision, self.recall)
    }
}

struct Site {
    name: String,
    learned: usize,
    tested: usize,
    outcomes: Vec<Outcome>,
}

fn measure_site(file: &Path, truth: Option<&BTreeMap<String, Vec<String>>>) -> Result<Site, Stop> {
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    let order = shuffled(records.len());
    let count = LEARNED.min(records.len() / 2);
    let learned: Vec<&Value> = order.iter().take(count).map(|number| &records[*number]).collect();
    let mut parser = Parser::default();
    let mut tested = Vec::new();
    for number in order.iter().skip(count) {
        tested.push((Page::read(&mut parser, &text_of(&records[*number], "html"))?, text_of(&records[*number], "url")));
    }
    let repeated = RepeatedTexts::of(tested.iter().map(|(page, _)| &page.document));
    let mut outcomes = Vec::new();
    let mut detections: Vec<Vec<Detection>> = Vec::new();
    for method in SITE_METHODS {
        let (templates, milliseconds) = learn(method, &learned)?;
        let mut outcome = Outcome {
            rule: templates.combination().to_string(),
            milliseconds,
            kilobytes: templates.to_bytes().len() as f64 / 1e3,
            templates: templates.templates().len(),
            ..Outcome::default()
        };
        let detected: Vec<Detection> = tested
            .iter()
            .map(|(page, _)| templates.detect(&page.parsed(), None, SiteLevelSettings::default()))
            .collect();
        for ((page, url), detection) in tested.iter().zip(&detected) {
            outcome.unfit += detection.fit.is_some_and(|fit| fit.template.is_none()) as usize;
            if let Some(values) = truth.and_then(|truth| truth.get(url)) {
                outcome.survival.add(page, values, detection, |_| false);
            }
        }
        (outcome.precision, outcome.recall) = repeated.measure(|page, node| detected[page].is_dropped(node));
        outcomes.push(outcome);
        detections.push(detected);
    }
    for (_, methods, votes) in JOINED {
        let mut outcome = Outcome::default();
        (outcome.precision, outcome.recall) = repeated.measure(|page, node| {
            methods.iter().filter(|method| detections[**method][page].is_dropped(node)).count() >= votes
        });
        outcomes.push(outcome);
    }
    Ok(Site { name: name_of(file), learned: learned.len(), tested: tested.len(), outcomes })
}

/// Methods combined the same way on all sites, for comparison: their indexes in [`SITE_METHODS`], and how many must agree.
const JOINED: [(&str, &[usize], usize); 2] = [("any of the three", &[0, 1, 2], 1), ("two of the three", &[0, 1, 2], 2)];

/// The text nodes of a block with their words, and its words as one text.
type Block = (Vec<(NodeId, usize)>, String);

/// What held-out pages repeat of each other. Shares no code with the library: texts between block-level tags, as words.
pub(crate) struct RepeatedTexts {
    /// Of each page, its texts: node, words, whether they are template.
    pub(crate) pages: Vec<Vec<(NodeId, usize, bool)>>,
}

impl RepeatedTexts {
    pub(crate) fn of<'a>(documents: impl Iterator<Item = &'a Document>) -> RepeatedTexts {
        let pages: Vec<Vec<Block>> = documents.map(blocks_of).collect();
        let mut on: BTreeMap<&str, usize> = BTreeMap::new();
        for page in &pages {
            for text in page.iter().map(|(_, text)| text.as_str()).collect::<BTreeSet<_>>() {
                *on.entry(text).or_default() += 1;
            }
        }
        let least = ((REPEATED * pages.len().saturating_sub(1) as f64).ceil() as usize).max(1) + 1;
        let tell = |page: &Vec<Block>| {
            let told = page.iter().flat_map(|(nodes, text)| {
                let is_template = on[text.as_str()] >= least;
                nodes.iter().map(move |(node, words)| (*node, *words, is_template))
            });
            told.collect()
        };
        let pages = pages.iter().map(tell).collect();
        RepeatedTexts { pages }
    }

    /// Precision and recall over all pages.
    fn measure(&self, is_dropped: impl Fn(usize, NodeId) -> bool) -> (f64, f64) {
        let mut sums = [0; 3];
        for page in 0..self.pages.len() {
            let counts = self.compare(page, |node| is_dropped(page, node));
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        (sums[0] as f64 / sums[1].max(1) as f64, sums[0] as f64 / sums[2].max(1) as f64)
    }

    /// Words that are dropped and template, dropped, template.
    fn compare(&self, page: usize, is_dropped: impl Fn(NodeId) -> bool) -> [u64; 3] {
        let mut counts = [0; 3];
        for (node, words, is_template) in &self.pages[page] {
            let dropped = is_dropped(*node);
            counts[0] += (*words as u64) * u64::from(dropped && *is_template);
            counts[1] += (*words as u64) * u64::from(dropped);
            counts[2] += (*words as u64) * u64::from(*is_template);
        }
        counts
    }
}

/// The texts of a page between block-level tags: the text nodes of each with their words, and all words.
fn blocks_of(document: &Document) -> Vec<Block> {
    const INLINE: [Name; 24] = [
        Name::A,
        Name::ABBR,
        Name::B,
        Name::BDI,
        Name::BDO,
        Name::CITE,
        Name::CODE,
        Name::DFN,
        Name::EM,
        Name::FONT,
        Name::I,
        Name::KBD,
        Name::LABEL,
        Name::MARK,
        Name::Q,
        Name::S,
        Name::SAMP,
        Name::SMALL,
        Name::SPAN,
        Name::STRONG,
        Name::SUB,
        Name::SUP,
        Name::TIME,
        Name::U,
    ];
    const UNSEEN: [Name; 6] = [Name::SCRIPT, Name::STYLE, Name::TEMPLATE, Name::IFRAME, Name::NOEMBED, Name::NOFRAMES];
    let Some(body) = document.find(Name::BODY) else { return Vec::new() };
    let mut blocks: Vec<Block> = Vec::new();
    let mut of_block: Option<NodeId> = None;
    let mut unseen_until = body;
    for id in document.descendants(body) {
        if id < unseen_until {
            continue;
        }
        if document.is_element(id) && UNSEEN.contains(&document.html_name(id)) {
            unseen_until = document.end(id);
            continue;
        }
        if document.is_element(id) && !INLINE.contains(&document.html_name(id)) {
            of_block = None;
            continue;
        }
        if !document.is_text(id) || document.text(id).trim().is_empty() {
            continue;
        }
        let block = document.ancestors(id).find(|above| !INLINE.contains(&document.html_name(*above)));
        if of_block.is_none() || of_block != block {
            blocks.push(Default::default());
            of_block = block;
        }
        if let Some((nodes, text)) = blocks.last_mut() {
            let words = document.text(id).split_whitespace();
            nodes.push((id, words.clone().count()));
            for word in words {
                text.push_str(&word.to_lowercase());
                text.push(' ');
            }
        }
    }
    blocks
}

fn summary(sites: &[Site]) -> String {
    let mut rows = Vec::new();
    let names = SITE_METHODS.into_iter().chain(JOINED.iter().map(|(name, ..)| *name));
    for (number, name) in names.enumerate() {
        let of =
            |pick: &dyn Fn(&Outcome) -> f64| sites.iter().map(|site| pick(&site.outcomes[number])).collect::<Vec<_>>();
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let best = |site: &Site| site.outcomes[..3].iter().map(Outcome::f).fold(0.0, f64::max);
        let as_good = sites.iter().filter(|site| site.outcomes[number].f() >= best(site) - 0.005).count();
        let values: usize = sites.iter().map(|site| site.outcomes[number].survival.values).sum();
        let survive: usize = sites.iter().map(|site| site.outcomes[number].survival.survive).sum();
        let tested: usize = sites.iter().map(|site| site.tested).sum();
        let unfit: usize = sites.iter().map(|site| site.outcomes[number].unfit).sum();
        rows.push(vec![
            name.to_string(),
            format!("{:.4}", mean(of(&|outcome| outcome.precision))),
            format!("{:.4}", mean(of(&|outcome| outcome.recall))),
            format!("{:.4}", mean(of(&Outcome::f))),
            format!("{:.4}", median(of(&Outcome::f))),
            format!("{as_good} of {}", sites.len()),
            if values > 0 { format!("{:.4}", survive as f64 / values as f64) } else { String::new() },
        ]);
        if number < SITE_METHODS.len()
            && let Some(row) = rows.last_mut()
        {
            row.push(format!("{:.1} %", 100.0 * unfit as f64 / tested.max(1) as f64));
            row.push(format!("{:.0}", median(of(&|outcome| outcome.milliseconds))));
            row.push(format!("{:.0}", of(&|outcome| outcome.milliseconds).into_iter().fold(0.0, f64::max)));
            row.push(format!("{:.0}", median(of(&|outcome| outcome.kilobytes))));
            row.push(format!("{:.0}", of(&|outcome| outcome.kilobytes).into_iter().fold(0.0, f64::max)));
        }
    }
    rows.iter_mut().for_each(|row| row.resize(12, String::new()));
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for site in sites {
        *rules.entry(&site.outcomes[3].rule).or_default() += 1;
    }
    let rules: Vec<String> = rules.iter().map(|(rule, sites)| format!("{rule} {sites}")).collect();
    let head = [
        "method",
        "precision",
        "recall",
        "F1, mean",
        "F1, median",
        "as good as the best single method",
        "SWDE values kept",
        "no template fits",
        "learning, ms",
        "max ms",
        "file, KB",
        "max KB",
    ];
    format!(
        "## Sites, measured on held-out pages\n\n{}\nLearned from {LEARNED} pages of a site (half of its pages if it has fewer than \
         {}). On each other page, texts that appear on at least a tenth of the other held-out pages are template; words are counted. \
         Means are over sites. As good: F1 at most 0.005 below the best of sitelevel, treemap and align. Learning includes parsing; one \
         thread. `auto` chose: {}.\n\n",
        table(&head, &rows),
        2 * LEARNED,
        rules.join(", ")
    )
}

fn by_site(sites: &[Site]) -> String {
    let mut rows = Vec::new();
    for site in sites {
        let mut row = vec![site.name.clone(), format!("{}/{}", site.learned, site.tested)];
        row.push(site.outcomes[3].templates.to_string());
        row.extend(
            site.outcomes[..4]
                .iter()
                .map(|outcome| format!("{:.3} ({:.2}/{:.2})", outcome.f(), outcome.precision, outcome.recall)),
        );
        row.push(site.outcomes[3].rule.clone());
        row.push(format!("{:.0}", site.outcomes[3].milliseconds));
        rows.push(row);
    }
    let head = ["site", "pages", "templates", "sitelevel", "treemap", "align", "auto", "auto chose", "ms"];
    format!("## By site\n\nF1 (precision/recall).\n\n{}", table(&head, &rows))
}
