//! The records of a page as a value: groups of records, the fields of each, and the names of their columns.
//!
//! Input: a document and the settled decisions about it. Output: [`PageRecords`]. Records are found whether they are content or not;
//! [`RecordGroup::is_content`] says what was decided about them.

use super::groups::{FoundGroup, find_groups};
use super::page_texts::PageTexts;
use super::record_kind::RecordKind;
use super::record_sets::{RecordSets, TagPaths};
use crate::detection::Detection;
use crate::dom::{Document, Name, NodeId};
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
    let texts = PageTexts::read(document);
    let paths = TagPaths::read(document);
    let sets = RecordSets::find(document, &texts, &paths);
    let (found, mut is_cut) = find_groups(document, &texts, &paths, &sets);
    let mut urls = UrlWriter::new(document, url);
    let mut groups = Vec::with_capacity(found.len());
    for group in found {
        is_cut |= group.is_cut;
        groups.push(finish_group(document, detection, &texts, group, &mut urls));
    }
    groups.sort_by_key(|group: &RecordGroup| group.records.first().and_then(|record| record.nodes.first().copied()));
    PageRecords { groups, is_cut: is_cut || urls.is_cut }
}

/// The group as it is handed out: with texts and absolute addresses.
fn finish_group(
    document: &Document,
    detection: &Detection,
    texts: &PageTexts,
    group: FoundGroup,
    urls: &mut UrlWriter,
) -> RecordGroup {
    let is_address: Vec<bool> = group.columns.iter().map(|name| matches!(name.as_str(), "url" | "image")).collect();
    let (mut all, mut kept) = (0u64, 0u64);
    let mut records = Vec::with_capacity(group.records.len());
    for record in group.records {
        for atom in record.atoms.iter().map(|atom| &texts.atoms[*atom]) {
            all += u64::from(atom.words);
            let first = texts.texts[atom.texts.start as usize].node;
            kept += if detection.is_dropped(first) { 0 } else { u64::from(atom.words) };
        }
        let mut text = String::new();
        texts.append(document, record.atoms.iter().copied(), &mut text);
        let mut fields: Vec<Field> =
            record.fields.into_iter().map(|(column, values)| Field { column, values }).collect();
        for field in fields.iter_mut().filter(|field| is_address[field.column]) {
            field.values.iter_mut().for_each(|value| urls.make_absolute(value));
        }
        records.push(Record { nodes: record.nodes, text, fields });
    }
    let node = element_around(document, &records);
    RecordGroup { kind: group.kind, node, is_content: 2 * kept > all, columns: group.columns, records }
}

/// The innermost element around all records.
fn element_around(document: &Document, records: &[Record]) -> NodeId {
    let first = records.first().and_then(|record| record.nodes.first()).copied().unwrap_or_default();
    let last = records.last().and_then(|record| record.nodes.last()).copied().unwrap_or_default();
    document.ancestors(first).find(|outer| document.contains(*outer, last)).unwrap_or_default()
}

/// Maximum number of bytes that addresses are made longer by, per byte of the page, and what any page may have: a long base is repeated
/// for each address.
const URL_BYTES_PER_BYTE: usize = 2;
const URL_BYTES: usize = 64 << 10;

/// Makes addresses absolute until there is no more room.
struct UrlWriter {
    base: Option<Url>,
    room: usize,
    is_cut: bool,
}

impl UrlWriter {
    fn new(document: &Document, url: Option<&str>) -> UrlWriter {
        let own = url.and_then(|url| Url::parse(url).ok());
        let declared = document.find(Name::BASE).and_then(|base| document.attribute(base, Name::HREF));
        let declared = declared.and_then(|href| Url::options().base_url(own.as_ref()).parse(href.trim()).ok());
        let room = URL_BYTES + URL_BYTES_PER_BYTE * document.source().len();
        UrlWriter { base: declared.or(own), room, is_cut: false }
    }

    fn make_absolute(&mut self, address: &mut String) {
        let Some(base) = self.base.as_ref().filter(|base| matches!(base.scheme(), "http" | "https")) else { return };
        let added = base.as_str().len();
        if added > self.room {
            self.is_cut = true;
        } else if let Ok(absolute) = base.join(address) {
            self.room -= added;
            *address = absolute.into();
        }
    }
}
