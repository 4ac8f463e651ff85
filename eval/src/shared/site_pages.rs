//! Pages of sites whose template or content is known: parsed, with the words a method drops of template and of content (the themes of
//! `dup`), and the marked values it keeps (SWDE). Learns nothing itself.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use dehusk::dom::{Document, Fingerprints, Name, NodeId, Parser, Stats};
use dehusk::site::{SiteLevelSettings, SiteLevelTemplate, detect_site_level, page_evidence};
use dehusk::{Detection, ParsedPage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) type Bag = BTreeMap<String, i64>;

/// Numbers in a fixed pseudo-random order.
pub(crate) fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|number| {
        let mixed = (*number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    });
    order
}

pub(crate) fn text_of(record: &Value, key: &str) -> String {
    record[key].as_str().unwrap_or_default().to_string()
}

/// The name of a site or theme: that of its file.
pub(crate) fn name_of(file: &Path) -> String {
    file.file_name().map_or(String::new(), |name| name.to_string_lossy().replace(".jsonl.zst", ""))
}

/// A parsed page.
pub(crate) struct Page {
    pub(crate) document: Document,
    pub(crate) stats: Stats,
    fingerprints: Fingerprints,
}

impl Page {
    pub(crate) fn read(parser: &mut Parser, html: &str) -> Result<Page, Stop> {
        let document = parser.parse(html).map_err(|error| Stop::Broken(error.to_string()))?;
        let (stats, fingerprints) = (Stats::of(&document), Fingerprints::of(&document));
        Ok(Page { document, stats, fingerprints })
    }

    pub(crate) fn parsed(&self) -> ParsedPage<'_> {
        ParsedPage::new(&self.document, &self.stats, &self.fingerprints)
    }

    pub(crate) fn evidence(&self) -> Vec<u64> {
        page_evidence(&ParsedPage::new(&self.document, &self.stats, &self.fingerprints))
    }

    pub(crate) fn detect(&self, template: &SiteLevelTemplate, threshold: f64) -> Detection {
        detect_site_level(&self.document, &self.stats, &self.fingerprints, template, SiteLevelSettings { threshold })
    }

    /// The texts of the body, without scripts and similar elements.
    pub(crate) fn texts(&self) -> impl Iterator<Item = NodeId> + '_ {
        let body = self.document.find(Name::BODY).unwrap_or(NodeId::DOCUMENT);
        self.document
            .descendants(body)
            .filter(|id| self.stats.subtree(&self.document, *id).characters > 0 && self.document.is_text(*id))
    }
}

/// The words of a text in lower case, as the corpora define them: letters, digits and underscores.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn add_words(text: &str, bag: &mut Bag) {
    words(text).for_each(|word| *bag.entry(word).or_default() += 1);
}

pub(crate) fn words_of(text: &str) -> Bag {
    let mut bag = Bag::new();
    add_words(text, &mut bag);
    bag
}

#[derive(Default)]
pub(crate) struct Words {
    pub(crate) template: i64,
    pub(crate) dropped_template: i64,
    pub(crate) dropped_content: i64,
}

impl Words {
    pub(crate) fn precision(&self) -> f64 {
        let dropped = self.dropped_template + self.dropped_content;
        if dropped == 0 { 1.0 } else { self.dropped_template as f64 / dropped as f64 }
    }

    pub(crate) fn recall(&self) -> f64 {
        self.dropped_template as f64 / self.template.max(1) as f64
    }

    pub(crate) fn f(&self) -> f64 {
        2.0 * self.precision() * self.recall() / (self.precision() + self.recall()).max(f64::MIN_POSITIVE)
    }

    pub(crate) fn merge(&mut self, other: &Words) {
        self.template += other.template;
        self.dropped_template += other.dropped_template;
        self.dropped_content += other.dropped_content;
    }

    pub(crate) fn add(&mut self, page: &Page, record: &Value, detection: &Detection) {
        let (content, title) = (words_of(&text_of(record, "content")), words_of(&text_of(record, "title")));
        let (mut all, mut kept) = (Bag::new(), Bag::new());
        for id in page.texts() {
            add_words(page.document.text(id), &mut all);
            if !detection.is_dropped(id) {
                add_words(page.document.text(id), &mut kept);
            }
        }
        for (word, count) in all.iter().filter(|(word, _)| !title.contains_key(*word)) {
            let content = content.get(word).copied().unwrap_or(0).min(*count);
            let kept = kept.get(word).copied().unwrap_or(0);
            let lost = (content - kept).max(0);
            self.template += count - content;
            self.dropped_content += lost;
            self.dropped_template += count - kept - lost;
        }
    }
}

/// A text with single spaces between its words.
pub(crate) fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The reference values of one page.
type Values = Vec<String>;

pub(crate) fn read_truth(data: &Data) -> Result<BTreeMap<String, BTreeMap<String, Values>>, Stop> {
    let mut truth: BTreeMap<String, BTreeMap<String, Values>> = BTreeMap::new();
    for line in std::fs::read_to_string(data.find("sites/swde-truth.jsonl")?)?.lines() {
        let record: Value = serde_json::from_str(line).map_err(|error| Stop::Broken(error.to_string()))?;
        let mut values = Values::new();
        for list in record["attrs"].as_object().into_iter().flat_map(|attributes| attributes.values()) {
            values.extend(list.as_array().into_iter().flatten().filter_map(Value::as_str).map(collapse));
        }
        truth.entry(text_of(&record, "site")).or_default().insert(text_of(&record, "url"), values);
    }
    Ok(truth)
}

#[derive(Default)]
pub(crate) struct Survival {
    pub(crate) values: usize,
    pub(crate) survive: usize,
    lost_shared: usize,
    characters: u64,
    kept: u64,
    sites: Vec<(f64, String)>,
}

pub(crate) const SURVIVAL_HEAD: [&str; 7] =
    ["setting", "values", "kept", "lost, on ≥ 10 % of pages", "lost, others", "text kept", "worst sites"];

/// How many SWDE values a method keeps, by its setting. A value counts as shared if it appears on at least the given fraction
/// of the pages, or the fraction of the setting itself.
pub(crate) fn measure_survival(
    data: &Data,
    settings: &[f64],
    shared_from: Option<f64>,
    method: impl Fn(&[(Page, String)], f64) -> Result<Vec<Detection>, Stop>,
) -> Result<Vec<Vec<String>>, Stop> {
    let mut sums: Vec<Survival> = settings.iter().map(|_| Survival::default()).collect();
    let mut parser = Parser::default();
    for (site, truth) in read_truth(data)? {
        let mut records = Vec::new();
        read_records(&data.find(&format!("sites/{site}.jsonl.zst"))?, |record| records.push(record))?;
        let mut pages = Vec::new();
        for record in &records {
            pages.push((Page::read(&mut parser, &text_of(record, "html"))?, text_of(record, "url")));
        }
        let mut pages_with: BTreeMap<&str, usize> = BTreeMap::new();
        for value in truth.values().flatten() {
            *pages_with.entry(value).or_default() += 1;
        }
        for (sum, setting) in sums.iter_mut().zip(settings) {
            let (before, survived) = (sum.values, sum.survive);
            let least = shared_from.unwrap_or(*setting) * pages.len() as f64;
            for ((page, address), detection) in pages.iter().zip(method(&pages, *setting)?) {
                let values: &[String] = truth.get(address).map_or(&[], |values| values);
                sum.add(page, values, &detection, |value| pages_with[value] as f64 >= least);
            }
            let share = (sum.survive - survived) as f64 / (sum.values - before).max(1) as f64;
            sum.sites.push((share, site.clone()));
        }
    }
    Ok(sums.into_iter().zip(settings).map(|(sum, setting)| sum.row(*setting)).collect())
}

impl Survival {
    pub(crate) fn add(&mut self, page: &Page, values: &[String], detection: &Detection, shared: impl Fn(&str) -> bool) {
        let (mut all, mut kept) = (String::new(), String::new());
        for id in page.texts() {
            all = all + page.document.text(id) + " ";
            if !detection.is_dropped(id) {
                kept = kept + page.document.text(id) + " ";
            }
        }
        let (all, kept) = (collapse(&all), collapse(&kept));
        self.characters += all.len() as u64;
        self.kept += kept.len() as u64;
        for value in values.iter().filter(|value| all.contains(value.as_str())) {
            self.values += 1;
            if kept.contains(value.as_str()) {
                self.survive += 1;
            } else if shared(value) {
                self.lost_shared += 1;
            }
        }
    }

    fn row(mut self, threshold: f64) -> Vec<String> {
        self.sites.sort_by(|one, two| one.0.total_cmp(&two.0));
        let worst: Vec<String> = self.sites.iter().take(3).map(|(share, site)| format!("{site} {share:.2}")).collect();
        vec![
            threshold.to_string(),
            self.values.to_string(),
            format!("{:.4}", self.survive as f64 / self.values.max(1) as f64),
            self.lost_shared.to_string(),
            (self.values - self.survive - self.lost_shared).to_string(),
            format!("{:.3}", self.kept as f64 / self.characters.max(1) as f64),
            worst.join(", "),
        ]
    }
}
