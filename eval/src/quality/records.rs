//! Whether repeated records are decided alike: fields that a page keeps in some records and drops in others.

use super::fusion::folds::Folds;
use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::{Results, table};
use dehusk::Detection;
use dehusk::Reason;
use dehusk::detect::fusion::{FusionPage, FusionSettings, detect_fusion};
use dehusk::dom::elements::classes;
use dehusk::dom::{Document, Name, NodeId, Parser};
use dehusk::settle::settle;
use dehusk_train::{NameChange, change_names, measure_words};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// A group has at least this many records, and a field at least this many and this share of them.
const MIN_RECORDS: usize = 4;
const MIN_SHARE: f64 = 0.6;
/// A field is torn if the share of the records that keep it is between these.
const TORN: std::ops::Range<f64> = 0.15..0.85;

/// What was found on some pages.
#[derive(Clone, Copy, Default)]
struct Torn {
    pages: usize,
    pages_with_groups: usize,
    torn_pages: usize,
    groups: usize,
    torn_groups: usize,
}

impl Torn {
    fn add(&mut self, other: Torn) {
        self.pages += other.pages;
        self.pages_with_groups += other.pages_with_groups;
        self.torn_pages += other.torn_pages;
        self.groups += other.groups;
        self.torn_groups += other.torn_groups;
    }

    fn row(&self, name: &str) -> Vec<String> {
        let share = |part: usize, all: usize| format!("{part} ({:.1} %)", 100.0 * part as f64 / all.max(1) as f64);
        vec![
            name.to_string(),
            self.pages.to_string(),
            self.pages_with_groups.to_string(),
            share(self.torn_pages, self.pages_with_groups),
            self.groups.to_string(),
            share(self.torn_groups, self.groups),
        ]
    }
}

pub(crate) fn run(data: &Data, results: &Results, models: &Path, verbose: bool) -> Result<(), Stop> {
    let folds = Folds::of(data, models)?;
    let mut rows = Vec::new();
    for (name, change) in [("as they are", None), ("classes and ids removed", Some(NameChange::Removed))] {
        let one = |number: usize| {
            let known = &folds.pages[number];
            let changed = change.map(|change| change_names(&known.html, change, number as u64));
            let document = Parser::default().parse(changed.as_ref().unwrap_or(&known.html)).ok()?;
            let settings = FusionSettings::default();
            let mut detection =
                detect_fusion(&document, folds.model(number), None, settings, &mut FusionPage::default());
            settle(&document, &mut detection);
            Some((known.page_type.clone(), known.id.clone(), torn_fields(&document, &detection)))
        };
        let pages: Vec<_> = folds.corpus("wcxb-dev").into_par_iter().filter_map(one).collect();
        let mut by_type: BTreeMap<String, Torn> = BTreeMap::new();
        for (page_type, id, (torn, fields)) in pages {
            by_type.entry(page_type).or_default().add(torn);
            by_type.entry(" all".into()).or_default().add(torn);
            if verbose && change.is_none() {
                fields.iter().for_each(|field| println!("{id}\t{field}"));
            }
        }
        rows.extend(by_type.iter().map(|(page_type, torn)| torn.row(&format!("{name}: {}", page_type.trim()))));
    }
    let heads = ["pages", "pages", "with groups", "with torn ones", "groups", "torn"];
    let body = format!(
        "{}\nA group: at least {MIN_RECORDS} siblings with the same tag and classes, something of which is kept. A field: a path of tags and \
         classes below the record that {MIN_SHARE} of the records have. Torn: {} to {} of them keep it. Copies of a text are left out. Each page \
         is classified by a model that has not seen its site.\n",
        table(&heads, &rows),
        TORN.start,
        TORN.end
    );
    results.publish("records", "Records that are decided as a whole", "wcxb-dev", &body)
}

/// A text below an element: the path to it, its words, and whether it is kept; `None` for a copy of another text.
#[derive(Clone)]
struct Field {
    path: String,
    words: usize,
    kept: Option<bool>,
    text: NodeId,
}

/// Counts the groups of a page, and names its torn fields.
fn torn_fields(document: &Document, detection: &Detection) -> (Torn, Vec<String>) {
    let mut torn = Torn { pages: 1, ..Torn::default() };
    let mut shown = Vec::new();
    if let Some(body) = document.find(Name::BODY) {
        read(document, detection, body, &mut torn, &mut shown);
    }
    torn.pages_with_groups = usize::from(torn.groups > 0);
    torn.torn_pages = usize::from(torn.torn_groups > 0);
    (torn, shown)
}

fn is_skipped(name: Name) -> bool {
    matches!(
        name,
        Name::SCRIPT
            | Name::STYLE
            | Name::NOSCRIPT
            | Name::TEMPLATE
            | Name::SVG
            | Name::IFRAME
            | Name::SELECT
            | Name::TEXTAREA
            | Name::BUTTON
    )
}

/// The fields below an element, which is at most as deep as the parser allows.
fn read(
    document: &Document,
    detection: &Detection,
    id: NodeId,
    torn: &mut Torn,
    shown: &mut Vec<String>,
) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut groups: BTreeMap<String, Vec<Vec<Field>>> = BTreeMap::new();
    for child in document.children(id) {
        if document.is_text(child) {
            let words = measure_words(document.text(child)).len();
            if words > 0 {
                let kept = match detection.reason(child) {
                    Reason::CopyOf(_) => None,
                    Reason::Inside(outer) if matches!(detection.reason(outer), Reason::CopyOf(_)) => None,
                    _ => Some(!detection.is_dropped(child)),
                };
                fields.push(Field { path: String::new(), words, kept, text: child });
            }
        } else if document.is_element(child) && !is_skipped(document.name(child)) {
            let below = read(document, detection, child, torn, shown);
            let mut names: Vec<&str> = classes(document, child).collect();
            names.sort_unstable();
            let tag = document.name_text(document.name(child));
            let step = format!("{tag}.{}", names[..names.len().min(2)].join("."));
            let path = |field: &Field| Field { path: format!("{step}/{}", field.path), ..field.clone() };
            fields.extend(below.iter().map(path));
            if !below.is_empty() {
                groups.entry(format!("{tag} {}", names[..names.len().min(6)].join(" "))).or_default().push(below);
            }
        }
    }
    for (name, records) in groups {
        let words: usize = records.iter().flatten().map(|field| field.words).sum();
        let any_kept = records.iter().flatten().any(|field| field.kept == Some(true));
        if records.len() < MIN_RECORDS || words < 3 * records.len() || !any_kept {
            continue;
        }
        torn.groups += 1;
        if let Some((path, share, text)) = torn_field(&records) {
            torn.torn_groups += 1;
            let text: String = document.text(text).trim().chars().take(40).collect();
            shown.push(format!("{} × <{name}>\t{path}\t{share:.2}\t{text}", records.len()));
        }
    }
    fields
}

/// The first torn field of some records.
fn torn_field(records: &[Vec<Field>]) -> Option<(&str, f64, NodeId)> {
    // By path and record: words, kept words.
    let mut columns: BTreeMap<&str, BTreeMap<usize, (usize, usize, NodeId)>> = BTreeMap::new();
    for (number, record) in records.iter().enumerate() {
        for field in record {
            let Some(kept) = field.kept else { continue };
            let cell = columns.entry(&field.path).or_default().entry(number).or_insert((0, 0, field.text));
            cell.0 += field.words;
            cell.1 += field.words * usize::from(kept);
        }
    }
    columns.into_iter().find_map(|(path, cells)| {
        let enough = (MIN_SHARE * records.len() as f64).max(MIN_RECORDS as f64);
        let kept = cells.values().filter(|cell| 2 * cell.1 > cell.0).count();
        let share = kept as f64 / cells.len() as f64;
        let first = cells.values().next()?.2;
        (cells.len() as f64 >= enough && share > TORN.start && share < TORN.end).then_some((path, share, first))
    })
}
