//! The records of a page as a value: groups of records, the fields of each, and the names of their columns.
//!
//! Input: a document and the settled decisions about it. Output: [`PageRecords`]. Records are found whether they are content or not;
//! [`RecordGroup::is_content`] says what was decided about them.

use super::columns::{RecordColumns, Region, Steps, Unit};
use super::shown_texts::ShownTexts;
use crate::detection::Detection;
use crate::dom::elements::heading_level;
use crate::dom::{Document, Name, NodeId};
use std::ops::Range;
use url::Url;

/// What a page repeats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PageRecords {
    /// The groups of similar records, in page order.
    pub groups: Vec<RecordGroup>,
    /// Whether records or fields were left out because a limit was hit.
    pub is_cut: bool,
}

/// Similar records.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RecordGroup {
    /// What the records are.
    pub kind: RecordKind,
    /// The element around the records.
    pub node: NodeId,
    /// Whether most of the text of the records is kept.
    pub is_content: bool,
    /// The names of the columns, no two alike. `title`, `url`, `image`, `price`, `author`, `date` and `text` have a known meaning; others are
    /// named by their label, or by their place in the record.
    pub columns: Vec<String>,
    /// The records, in page order.
    pub records: Vec<Record>,
}

/// What the records of a group are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum RecordKind {
    /// What people wrote, with their name or a date: posts of a thread, comments, reviews.
    Posts,
    /// Things with several fields: products, events, teasers.
    Items,
    /// Rows of a table.
    Rows,
    /// Little more than links: menus, indexes.
    Links,
}

impl RecordKind {
    /// The name in output: `posts`, `items`, `rows`, `links`.
    pub fn name(self) -> &'static str {
        match self {
            RecordKind::Posts => "posts",
            RecordKind::Items => "items",
            RecordKind::Rows => "rows",
            RecordKind::Links => "links",
        }
    }
}

/// One of several similar parts of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Record {
    /// Its elements in page order; mostly one.
    pub nodes: Vec<NodeId>,
    /// Its shown text, a line for each block, without that of records inside it.
    pub text: String,
    /// Its fields, in the order of the columns.
    pub fields: Vec<Field>,
}

impl Record {
    /// The values of a column, by its number.
    pub fn values(&self, column: usize) -> &[String] {
        let found = self.fields.iter().find(|field| field.column == column);
        found.map_or(&[], |field| &field.values)
    }
}

/// What a record has in a column.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The number of the column.
    pub column: usize,
    /// Its values, at least one.
    pub values: Vec<String>,
}

/// Finds the records of a page.
///
/// The detection should be settled, as that of an extraction is. Links are made absolute with the URL of the page, if it is given.
///
/// ```
/// use dehusk::records::find_records;
///
/// let card = |name: &str, price: &str| format!("<li><h3>{name}</h3><p>made of hemp, knotted by hand</p><b>{price}</b></li>");
/// let cards = [card("Cod net", "€ 40"), card("Herring net", "€ 35"), card("Eel trap", "€ 28")].concat();
/// let page = dehusk::extract(&format!("<h1>Shop</h1><ul>{cards}</ul>"))?;
/// let found = find_records(page.document(), page.detection(), None);
/// let group = &found.groups[0];
/// let title = group.columns.iter().position(|column| column == "title").unwrap();
/// assert_eq!(group.records[1].values(title), ["Herring net"]);
/// # Ok::<(), dehusk::Error>(())
/// ```
pub fn find_records(document: &Document, detection: &Detection, url: Option<&str>) -> PageRecords {
    let texts = ShownTexts::read(document);
    let weight = |node: NodeId| document.text(node).trim().len().min(u32::MAX as usize) as u32;
    let units: Vec<Unit> = texts.texts.iter().map(|text| Unit { node: text.node, weight: weight(text.node) }).collect();
    let mut columns = RecordColumns::default();
    columns.find(document, &units, Steps::All, |_| false);
    let base = url.and_then(|url| Url::parse(url).ok());
    let reader = Reader { document, detection, texts: &texts, units: &units, columns: &columns, base };
    let groups = columns.regions().iter().map(|region| reader.read(region)).collect();
    PageRecords { groups, is_cut: false }
}

/// Reads the records of regions.
struct Reader<'a> {
    document: &'a Document,
    detection: &'a Detection,
    texts: &'a ShownTexts,
    units: &'a [Unit],
    columns: &'a RecordColumns,
    base: Option<Url>,
}

impl Reader<'_> {
    fn read(&self, region: &Region) -> RecordGroup {
        let names = self.name_columns(region);
        let (mut all, mut kept, mut in_links) = (0u64, 0u64, 0u64);
        let mut records = Vec::new();
        for record in &region.records {
            let units = self.units_of(*record);
            for at in units.clone() {
                let Unit { node, weight } = self.units[at];
                all += u64::from(weight);
                kept += if self.detection.is_dropped(node) { 0 } else { u64::from(weight) };
                in_links += if self.is_link(node, *record) { u64::from(weight) } else { 0 };
            }
            let mut text = String::new();
            self.texts.append(self.document, units.clone(), &mut text);
            let mut fields: Vec<Field> = Vec::new();
            for at in units {
                let Some(place) = self.columns.any_place(at) else { continue };
                let column = (place.column - region.columns.start) as usize;
                let mut value = String::new();
                self.texts.append(self.document, [at].into_iter(), &mut value);
                match fields.iter_mut().find(|field| field.column == column) {
                    Some(field) => field.values.push(value),
                    None => fields.push(Field { column, values: vec![value] }),
                }
            }
            if let Some(url) = self.link_of(*record) {
                fields.push(Field { column: names.len() - 1, values: vec![url] });
            }
            fields.sort_by_key(|field| field.column);
            records.push(Record { nodes: vec![*record], text, fields });
        }
        let is_row = region.records.iter().all(|record| self.document.html_name(*record) == Name::TR);
        let kind = match () {
            () if is_row => RecordKind::Rows,
            () if 10 * in_links >= 9 * all => RecordKind::Links,
            () if names.iter().any(|name| name == "author") => RecordKind::Posts,
            () => RecordKind::Items,
        };
        RecordGroup { kind, node: region.node, is_content: 2 * kept > all, columns: names, records }
    }

    fn units_of(&self, id: NodeId) -> Range<usize> {
        let first = self.units.partition_point(|unit| unit.node < id);
        first..self.units.partition_point(|unit| unit.node < self.document.end(id))
    }

    fn is_link(&self, node: NodeId, record: NodeId) -> bool {
        let mut around = self.document.ancestors(node).take_while(|outer| *outer >= record);
        around.any(|outer| self.document.html_name(outer) == Name::A)
    }

    fn link_of(&self, record: NodeId) -> Option<String> {
        let mut links = self.document.subtree(record).map(|at| NodeId(at as u32));
        let href = links.find_map(|id| {
            (self.document.html_name(id) == Name::A).then(|| self.document.attribute(id, Name::HREF)).flatten()
        })?;
        let absolute = self.base.as_ref().and_then(|base| base.join(href).ok()).map(String::from);
        Some(absolute.unwrap_or_else(|| href.to_string()))
    }

    /// The names of the columns of a region, and `url` for that of the links.
    fn name_columns(&self, region: &Region) -> Vec<String> {
        let mut first_texts = vec![None; region.columns.len()];
        for record in &region.records {
            for at in self.units_of(*record) {
                if let Some(place) = self.columns.any_place(at) {
                    first_texts[(place.column - region.columns.start) as usize].get_or_insert((at, *record));
                }
            }
        }
        let mut names: Vec<String> = Vec::new();
        for first in first_texts {
            let name = first.map_or_else(String::new, |(at, record)| self.name_of(self.units[at].node, record));
            let count = names.iter().filter(|other| other.split(' ').next() == Some(&name)).count();
            names.push(if count == 0 { name } else { format!("{name} {}", count + 1) });
        }
        names.push("url".into());
        names
    }

    fn name_of(&self, text: NodeId, record: NodeId) -> String {
        let document = self.document;
        let around: Vec<NodeId> = document.ancestors(text).take_while(|outer| *outer >= record).collect();
        if around.iter().any(|id| heading_level(document.html_name(*id)).is_some()) {
            return "title".into();
        }
        if around.iter().any(|id| document.html_name(*id) == Name::TIME) {
            return "date".into();
        }
        let classes = around.iter().filter_map(|id| document.attribute(*id, Name::CLASS)).collect::<Vec<_>>().join(" ");
        for name in ["author", "date", "price"] {
            if classes.contains(name) {
                return name.into();
            }
        }
        around.first().map_or("text", |id| document.name_text(document.html_name(*id))).to_string()
    }
}
