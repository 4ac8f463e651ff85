//! Which rows of a table to show, and in which order.
//!
//! An answer holds a part of the rows. Only these are sorted; the others are merely compared with the ends of the part, so the work grows with
//! the number of rows and not faster.

use super::page_table::{PageRow, PageTable, share};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The number of rows of an answer: by default, and at most.
const USUAL_LIMIT: usize = 100;
const MAX_LIMIT: usize = 500;

/// The order of rows. What has no value is last in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    #[default]
    Asc,
    Desc,
}

/// What pages are sorted by; those that are equal come in the order of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PageSort {
    #[default]
    Confidence,
    Dropped,
    Words,
    Fit,
    Template,
    Type,
    Url,
    Title,
    Site,
    Error,
    Number,
}

/// What hosts are sorted by; those that are equal come in the order of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HostSort {
    #[default]
    Confidence,
    Name,
    Pages,
    Failed,
    Dropped,
    Templates,
    Unfit,
}

/// A query for pages, as the address of a request has it. All its conditions must hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PageQuery {
    pub(super) sort: PageSort,
    pub(super) order: Order,
    /// Text in the address or the title, regardless of case.
    pub(super) q: String,
    /// The site. An empty name is that of the pages without a host.
    pub(super) site: Option<String>,
    #[serde(rename = "type")]
    pub(super) page_type: String,
    pub(super) flag: String,
    /// Only pages with an error.
    #[serde(deserialize_with = "switch")]
    pub(super) errors: bool,
    /// The number of a template, or `none` for pages that fit none.
    #[serde(deserialize_with = "template")]
    pub(super) template: Option<TemplateChoice>,
    #[serde(deserialize_with = "number")]
    pub(super) min_confidence: Option<f64>,
    #[serde(deserialize_with = "number")]
    pub(super) max_confidence: Option<f64>,
    #[serde(deserialize_with = "number")]
    pub(super) min_dropped: Option<f64>,
    #[serde(deserialize_with = "number")]
    pub(super) max_dropped: Option<f64>,
    pub(super) offset: usize,
    #[serde(deserialize_with = "limit")]
    pub(super) limit: usize,
}

/// Which template pages must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateChoice {
    Number(u32),
    None,
}

impl Default for PageQuery {
    fn default() -> PageQuery {
        PageQuery {
            sort: PageSort::default(),
            order: Order::default(),
            q: String::new(),
            site: None,
            page_type: String::new(),
            flag: String::new(),
            errors: false,
            template: None,
            min_confidence: None,
            max_confidence: None,
            min_dropped: None,
            max_dropped: None,
            offset: 0,
            limit: USUAL_LIMIT,
        }
    }
}

/// A query for hosts.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct HostQuery {
    pub(super) sort: HostSort,
    pub(super) order: Order,
    /// Text in the name, regardless of case.
    pub(super) q: String,
    pub(super) offset: usize,
    #[serde(deserialize_with = "limit")]
    pub(super) limit: usize,
}

impl Default for HostQuery {
    fn default() -> HostQuery {
        let (sort, order) = (HostSort::default(), Order::default());
        HostQuery { sort, order, q: String::new(), offset: 0, limit: USUAL_LIMIT }
    }
}

/// What a row is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Number(u64),
    Text(&'a str),
    Missing,
}

impl Key<'_> {
    fn of_number(number: Option<impl Into<u64>>) -> Key<'static> {
        number.map_or(Key::Missing, |number| Key::Number(number.into()))
    }
}

/// The rows that a query asks for.
pub(crate) fn pages(table: &PageTable, query: &PageQuery) -> Value {
    let filter = Filter::new(table, query);
    let matching: Vec<(Key<'_>, usize)> = table
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| filter.as_ref().is_some_and(|filter| filter.accepts(row)))
        .map(|(number, row)| (page_key(table, query.sort, row, number), number))
        .collect();
    let count = matching.len();
    let shown = part(matching, query.offset, query.limit, |one, two| compare(query.order, one, two));
    json!({
        "total": table.rows.len(),
        "matching": count,
        "offset": query.offset,
        "rows": shown.into_iter().map(|(_, number)| table.row_json(number)).collect::<Vec<_>>(),
        "choices": choices(table),
    })
}

fn page_key<'a>(table: &'a PageTable, sort: PageSort, row: &'a PageRow, number: usize) -> Key<'a> {
    let text = |text: &'a str| if text.is_empty() { Key::Missing } else { Key::Text(text) };
    match sort {
        PageSort::Confidence => Key::of_number(row.confidence),
        PageSort::Dropped => Key::of_number(row.dropped_share()),
        PageSort::Words => Key::of_number(row.error.is_none().then_some(row.words)),
        PageSort::Fit => Key::of_number(row.fit),
        PageSort::Template => Key::of_number(row.template),
        PageSort::Type => row.page_type.map_or(Key::Missing, |number| text(&table.types.list[usize::from(number)])),
        PageSort::Url => text(&row.url),
        PageSort::Title => text(&row.title),
        PageSort::Site => text(&table.sites[row.site as usize].name),
        PageSort::Error => row.error.as_ref().map_or(Key::Missing, |error| text(&error.kind)),
        PageSort::Number => Key::Number(number as u64),
    }
}

fn compare(order: Order, one: &(Key<'_>, usize), two: &(Key<'_>, usize)) -> Ordering {
    // `Missing` is the last of the keys, so the ascending order puts it last in both.
    let keys = match (one.0, two.0, order) {
        (Key::Missing, _, _) | (_, Key::Missing, _) | (_, _, Order::Asc) => one.0.cmp(&two.0),
        (_, _, Order::Desc) => two.0.cmp(&one.0),
    };
    keys.then(one.1.cmp(&two.1))
}

/// A part of the items in their order.
fn part<T>(mut items: Vec<T>, offset: usize, limit: usize, mut compare: impl FnMut(&T, &T) -> Ordering) -> Vec<T> {
    let end = offset.saturating_add(limit).min(items.len());
    if offset >= end {
        return Vec::new();
    }
    if end < items.len() {
        items.select_nth_unstable_by(end, &mut compare);
        items.truncate(end);
    }
    if offset > 0 {
        items.select_nth_unstable_by(offset, &mut compare);
        items.drain(..offset);
    }
    items.sort_unstable_by(compare);
    items
}

/// What rows must have.
struct Filter<'a> {
    query: &'a PageQuery,
    /// The text in lower case.
    text: String,
    site: Option<u32>,
    page_type: Option<u8>,
    flag: Option<u8>,
}

impl<'a> Filter<'a> {
    /// Nothing if the query names something that no page has.
    fn new(table: &PageTable, query: &'a PageQuery) -> Option<Filter<'a>> {
        let named = |names: &super::page_table::Names, name: &str| match name {
            "" => Some(None),
            name => names.find(name).map(Some),
        };
        let site = match &query.site {
            None => None,
            Some(name) => Some(table.site(name)?),
        };
        let page_type = named(&table.types, &query.page_type)?;
        let flag = named(&table.flags, &query.flag)?;
        Some(Filter { query, text: query.q.trim().to_lowercase(), site, page_type, flag })
    }

    fn accepts(&self, row: &PageRow) -> bool {
        let PageQuery { errors, template, min_confidence, max_confidence, min_dropped, max_dropped, .. } = self.query;
        self.site.is_none_or(|site| row.site == site)
            && self.page_type.is_none_or(|wanted| row.page_type == Some(wanted))
            && self.flag.is_none_or(|bit| row.flags >> bit & 1 == 1)
            && (!errors || row.error.is_some())
            && template.is_none_or(|template| match template {
                TemplateChoice::Number(number) => row.template == Some(number),
                TemplateChoice::None => row.fit.is_some() && row.template.is_none(),
            })
            && is_between(row.confidence.map(share), *min_confidence, *max_confidence)
            && is_between(row.dropped_share().map(share), *min_dropped, *max_dropped)
            && (self.text.is_empty() || has_text(&row.url, &self.text) || has_text(&row.title, &self.text))
    }
}

/// Whether a value is in a range. A missing value is only in the range without ends.
fn is_between(value: Option<f64>, min: Option<f64>, max: Option<f64>) -> bool {
    match value {
        None => min.is_none() && max.is_none(),
        Some(value) => min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max),
    }
}

/// The characters that addresses and titles have most of, the most frequent first.
const FREQUENT: &[u8] = b"et/aois-nrplhmcd.ugwbyfkv";

/// Whether a text contains another one, which is in lower case.
fn has_text(text: &str, wanted: &str) -> bool {
    if !wanted.is_ascii() {
        return !text.is_ascii() && text.to_lowercase().contains(wanted);
    }
    // No lower-case copy of each text, and a search for the rarest byte: this is most of the work for a hundred thousand rows.
    let (text, wanted) = (text.as_bytes(), wanted.as_bytes());
    let frequency = |byte: &u8| FREQUENT.iter().position(|frequent| frequent == byte).unwrap_or(FREQUENT.len());
    let Some((place, rarest)) = wanted.iter().enumerate().max_by_key(|(_, byte)| frequency(byte)) else { return true };
    memchr::memchr2_iter(*rarest, rarest.to_ascii_uppercase(), text).any(|found| {
        let part = found.checked_sub(place).and_then(|start| text[start..].get(..wanted.len()));
        part.is_some_and(|part| part.eq_ignore_ascii_case(wanted))
    })
}

/// The types, flags and errors that rows can be filtered by, each with the number of its pages.
fn choices(table: &PageTable) -> Value {
    let mut types = vec![0usize; table.types.list.len()];
    let mut flags = vec![0usize; table.flags.list.len()];
    let mut errors: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &table.rows {
        if let Some(number) = row.page_type {
            types[usize::from(number)] += 1;
        }
        for (bit, count) in flags.iter_mut().enumerate() {
            *count += (row.flags >> bit & 1) as usize;
        }
        if let Some(error) = &row.error {
            *errors.entry(&error.kind).or_default() += 1;
        }
    }
    // Names are numbered as they come, and the figures of pages are replaced, so some names may have no page any more.
    let sorted = |names: &[String], counts: Vec<usize>| {
        let counted = names.iter().cloned().zip(counts).filter(|(_, count)| *count > 0);
        counted.collect::<BTreeMap<_, _>>()
    };
    json!({
        "types": sorted(&table.types.list, types),
        "flags": sorted(&table.flags.list, flags),
        "errors": errors,
    })
}

/// The counts of a site.
#[derive(Clone, Debug, Default)]
pub(super) struct HostCounts {
    pub(super) pages: u64,
    pub(super) failed: u64,
    characters: u64,
    dropped: u64,
    rated: u64,
    confidence: u64,
    /// Pages that fit none of its templates.
    pub(super) unfit: u64,
}

impl HostCounts {
    pub(super) fn add(&mut self, row: &PageRow) {
        self.pages += 1;
        self.failed += u64::from(row.error.is_some());
        self.characters += u64::from(row.kept) + u64::from(row.dropped);
        self.dropped += u64::from(row.dropped);
        self.rated += u64::from(row.confidence.is_some());
        self.confidence += row.confidence.map_or(0, u64::from);
        self.unfit += u64::from(row.fit.is_some() && row.template.is_none());
    }

    /// The mean confidence of its pages, in thousandths.
    pub(super) fn mean_confidence(&self) -> Option<u32> {
        (self.rated > 0).then(|| (self.confidence as f64 / self.rated as f64).round() as u32)
    }

    /// The share of its text that was dropped, in thousandths.
    pub(super) fn dropped_share(&self) -> Option<u32> {
        (self.characters > 0).then(|| (self.dropped as f64 * 1000.0 / self.characters as f64).round() as u32)
    }
}

/// The hosts that a query asks for.
pub(crate) fn hosts(table: &PageTable, query: &HostQuery) -> Value {
    let mut counts = vec![HostCounts::default(); table.sites.len()];
    table.rows.iter().for_each(|row| counts[row.site as usize].add(row));
    let text = query.q.trim().to_lowercase();
    let matching: Vec<(Key<'_>, usize)> = (table.sites.iter().zip(&counts).enumerate())
        .filter(|(_, (site, _))| text.is_empty() || has_text(&site.name, &text))
        .map(|(number, (site, counts))| {
            let key = match query.sort {
                HostSort::Confidence => Key::of_number(counts.mean_confidence()),
                HostSort::Name => Key::Text(&site.name),
                HostSort::Pages => Key::Number(counts.pages),
                HostSort::Failed => Key::Number(counts.failed),
                HostSort::Dropped => Key::of_number(counts.dropped_share()),
                HostSort::Templates => Key::Number(site.templates.into()),
                HostSort::Unfit => Key::Number(counts.unfit),
            };
            (key, number)
        })
        .collect();
    let count = matching.len();
    let shown = part(matching, query.offset, query.limit, |one, two| compare(query.order, one, two));
    let rows: Vec<Value> = shown
        .into_iter()
        .map(|(_, number)| {
            let (site, counts) = (&table.sites[number], &counts[number]);
            json!({
                "name": site.name,
                "pages": counts.pages,
                "failed": counts.failed,
                "confidence": counts.mean_confidence().map(share),
                "dropped": counts.dropped_share().map(share),
                "template_pages": site.template_pages,
                "templates": site.templates,
                "unfit": counts.unfit,
            })
        })
        .collect();
    json!({ "total": table.sites.len(), "matching": count, "offset": query.offset, "rows": rows })
}

/// A number that may be left empty, as forms do.
fn number<'de, D: Deserializer<'de>>(text: D) -> Result<Option<f64>, D::Error> {
    let text = String::deserialize(text)?;
    let wrong = || de::Error::custom(format!("`{text}` is not a number between 0 and 1"));
    match text.trim() {
        "" => Ok(None),
        text => text.parse().ok().filter(|number| (0.0..=1.0).contains(number)).ok_or_else(wrong).map(Some),
    }
}

fn limit<'de, D: Deserializer<'de>>(text: D) -> Result<usize, D::Error> {
    let text = String::deserialize(text)?;
    let wrong = || de::Error::custom(format!("the limit `{text}` is not a number from 0 to {MAX_LIMIT}"));
    text.parse().ok().filter(|limit| *limit <= MAX_LIMIT).ok_or_else(wrong)
}

fn switch<'de, D: Deserializer<'de>>(text: D) -> Result<bool, D::Error> {
    match &*String::deserialize(text)? {
        "" | "0" | "false" => Ok(false),
        "1" | "true" => Ok(true),
        other => Err(de::Error::custom(format!("`{other}` is neither 0 nor 1"))),
    }
}

fn template<'de, D: Deserializer<'de>>(text: D) -> Result<Option<TemplateChoice>, D::Error> {
    let text = String::deserialize(text)?;
    let wrong = |_| de::Error::custom(format!("`{text}` is neither the number of a template nor `none`"));
    match &*text {
        "" => Ok(None),
        "none" => Ok(Some(TemplateChoice::None)),
        text => text.parse().map(|number| Some(TemplateChoice::Number(number))).map_err(wrong),
    }
}

#[cfg(test)]
#[path = "row_query_tests.rs"]
mod tests;
