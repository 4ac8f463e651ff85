//! Aligns the fields of similar siblings: the same place in each record is one column.
//!
//! Input: the texts of a page, as blocks or as text nodes. Output: for each text the column it is in, if it is in a record. A place is the path
//! of tags and classes from the record to the text, so that optional fields need no alignment and several texts of one place, such as the
//! paragraphs of a post, are in one column. Of nested regions the outermost counts whose records are alike. Linear: what cannot be decided
//! within a multiple of the nodes is left without columns.

use super::regions::{MIN_RECORDS, SiblingFinder, Siblings};
use crate::dom::elements::is_block;
use crate::dom::hash::NumberMap;
use crate::dom::{Document, Name, NodeId};
use std::ops::Range;

/// A column is decided as a whole if at least this share of the records have it, and is shared if most have it.
const MIN_PRESENT: f32 = 0.25;
pub(crate) const MIN_SHARED: f32 = 0.6;
/// Siblings are records if at least this share of their words or of their fields is in shared columns. Sections of a page have other paths
/// each. Posts have texts of any shape, but their other fields are the same.
const MIN_ALIKE: f32 = 0.5;
/// Minimum number of shared columns for siblings to be records by their fields, and of those that nearly all records have.
const MIN_FIELDS: usize = 3;
const MIN_COMMON: usize = 4;
pub(crate) const COMMON: f32 = 0.8;
/// How many nodes are read at most, as a multiple of those of the page: regions that are not alike are read again, one level below.
const MAX_WORK: usize = 6;

/// The column of a text that is in none.
const NO_COLUMN: u32 = u32::MAX;

/// A text of a page: its first node, and how much it counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) node: NodeId,
    pub(crate) weight: u32,
}

/// Which elements are steps of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Steps {
    /// Block-level elements: for texts that no block-level element interrupts.
    Blocks,
    /// All elements: for text nodes.
    All,
}

/// The columns of all regions of a page. Its buffers are reused for the next page.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordColumns {
    columns: Vec<Column>,
    /// For each set of similar siblings the number of its records.
    sets: Vec<u32>,
    /// For each text its column and its record.
    of_unit: Vec<(u32, NodeId)>,
    finder: SiblingFinder,
    /// For each node of the region that is being read the path from its record.
    paths: Vec<u64>,
    /// For each node whether it is a record of a region that was found.
    is_record: Vec<bool>,
    /// For each node the number of texts that start before it.
    units_before: Vec<u32>,
}

/// One field of the records of a region.
#[derive(Clone, Copy, Debug)]
struct Column {
    region: NodeId,
    /// The set of similar siblings whose field it is.
    set: u32,
    /// How many records have it, and the last of them.
    records: u32,
    last: NodeId,
    weight: u32,
    /// Whether enough records have it to decide it as a whole.
    is_pooled: bool,
}

/// Counts by which siblings are records or not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AlikeSums {
    weight: u64,
    shared_weight: u64,
    fields: u64,
    shared_fields: u64,
    /// How many columns most records have.
    pub(crate) shared: usize,
    common: usize,
}

impl AlikeSums {
    /// Adds a column: how many records have it, its weight, and whether most and nearly all records have it.
    pub(crate) fn add(&mut self, records: u32, weight: u32, is_shared: bool, is_common: bool) {
        self.weight += u64::from(weight);
        self.fields += u64::from(records);
        self.common += usize::from(is_common);
        if is_shared {
            self.shared_weight += u64::from(weight);
            self.shared_fields += u64::from(records);
            self.shared += 1;
        }
    }

    /// Whether the records are alike.
    pub(crate) fn is_alike(&self) -> bool {
        self.weight > 0
            && (self.shared_weight as f32 >= MIN_ALIKE * self.weight as f32
                || (self.shared >= MIN_FIELDS && self.shared_fields as f32 >= MIN_ALIKE * self.fields as f32)
                || self.common >= MIN_COMMON)
    }
}

/// Where a text is among the records of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub(crate) set: u32,
    pub(crate) column: u32,
    pub(crate) record: NodeId,
    /// Whether enough records have its column to decide it as a whole.
    pub(crate) is_pooled: bool,
}

/// The texts of a column that enough records have to decide it as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) column: u32,
    pub(crate) record: NodeId,
}

impl RecordColumns {
    /// Finds the columns of a page, given its texts in page order. Nodes in which there is nothing to decide are left out.
    pub(crate) fn find(
        &mut self,
        document: &Document,
        units: &[Unit],
        steps: Steps,
        is_decided: impl Fn(NodeId) -> bool,
    ) {
        self.columns.clear();
        self.sets.clear();
        self.of_unit.clear();
        self.of_unit.resize(units.len(), (NO_COLUMN, NodeId::DOCUMENT));
        let Some(body) = document.find(Name::BODY).filter(|_| units.len() >= MIN_RECORDS) else { return };
        self.count_units(document, units);
        self.paths.clear();
        self.paths.resize(document.len(), 0);
        self.is_record.clear();
        self.is_record.resize(document.len(), false);
        let mut finder = std::mem::take(&mut self.finder);
        let mut work = MAX_WORK * document.len();
        let mut at = body;
        while at < document.end(body) {
            // Inside a record already, too little text, or nothing to decide.
            if self.is_record[at.index()] || self.units_of(document, at).len() < MIN_RECORDS || is_decided(at) {
                at = document.end(at);
                continue;
            }
            for siblings in finder.find(document, at, |id| !self.units_of(document, id).is_empty()) {
                let nodes: usize = siblings.records.iter().map(|record| document.subtree(*record).len()).sum();
                if nodes > work {
                    break;
                }
                work -= nodes;
                if self.read(document, units, &siblings, steps) {
                    siblings.records.iter().for_each(|record| self.is_record[record.index()] = true);
                }
            }
            at.0 += 1;
        }
        self.finder = finder;
    }

    fn count_units(&mut self, document: &Document, units: &[Unit]) {
        self.units_before.clear();
        self.units_before.resize(document.len() + 1, 0);
        for unit in units {
            self.units_before[unit.node.index() + 1] += 1;
        }
        for at in 1..self.units_before.len() {
            self.units_before[at] += self.units_before[at - 1];
        }
    }

    /// The texts that start in a node.
    fn units_of(&self, document: &Document, id: NodeId) -> Range<usize> {
        self.units_before[id.index()] as usize..self.units_before[document.end(id).index()] as usize
    }

    /// Reads similar siblings. Returns whether they are alike, so that their columns count.
    fn read(&mut self, document: &Document, units: &[Unit], siblings: &Siblings<'_>, steps: Steps) -> bool {
        let (first, mut by_path) = (self.columns.len(), NumberMap::<u64, u32>::default());
        // Cells read of each row.
        let mut cells = NumberMap::<u32, u32>::default();
        for record in &siblings.records {
            let mut read_until = *record;
            self.paths[record.index()] = RECORD_PATH;
            for at in self.units_of(document, *record) {
                let unit = units[at];
                for node in (read_until.0 + 1..=unit.node.0).map(NodeId) {
                    let parent = document.parent(node).map_or(RECORD_PATH, |parent| self.paths[parent.index()]);
                    let mut path = step(document, node, parent, steps);
                    if matches!(document.html_name(node), Name::TD | Name::TH) {
                        let cell = cells.entry(document.parent(node).map_or(0, |row| row.0)).or_default();
                        *cell += 1;
                        path ^= u64::from(*cell).wrapping_mul(CELL_FACTOR);
                    }
                    self.paths[node.index()] = path;
                }
                read_until = read_until.max(unit.node);
                let next = self.columns.len() as u32;
                let column = *by_path.entry(self.paths[unit.node.index()]).or_insert(next);
                if column == next {
                    let region = siblings.parent;
                    let set = self.sets.len() as u32;
                    self.columns.push(Column { region, set, records: 0, last: region, weight: 0, is_pooled: false });
                }
                self.of_unit[at] = (column, *record);
                let column = &mut self.columns[column as usize];
                column.records += u32::from(column.last != *record);
                column.last = *record;
                column.weight += unit.weight;
            }
        }
        let at_least = |share: f32| (share * siblings.records.len() as f32).max(MIN_RECORDS as f32);
        let mut sums = AlikeSums::default();
        for column in &mut self.columns[first..] {
            let records = column.records as f32;
            column.is_pooled = records >= at_least(MIN_PRESENT);
            sums.add(column.records, column.weight, records >= at_least(MIN_SHARED), records >= at_least(COMMON));
        }
        // Records of a single text each are lines of a text or items of a list.
        let is_plain = self.columns.len() == first + 1 && by_path.contains_key(&RECORD_PATH);
        let is_alike = sums.is_alike() && !is_plain;
        if is_alike {
            self.sets.push(siblings.records.len() as u32);
        } else {
            self.columns.truncate(first);
            for record in &siblings.records {
                let units = self.units_of(document, *record);
                self.of_unit[units].fill((NO_COLUMN, NodeId::DOCUMENT));
            }
        }
        is_alike
    }

    /// The place of a text, if it is in a column that enough records have.
    pub(crate) fn place(&self, unit: usize) -> Option<Place> {
        let (column, record) = self.of_unit[unit];
        self.columns.get(column as usize).is_some_and(|column| column.is_pooled).then_some(Place { column, record })
    }

    /// Where a text is among the records of the page, if it is in one.
    pub(crate) fn cell(&self, unit: usize) -> Option<Cell> {
        let (column, record) = self.of_unit[unit];
        let Column { set, is_pooled, .. } = *self.columns.get(column as usize)?;
        Some(Cell { set, column, record, is_pooled })
    }

    /// For each set of similar siblings the number of its records.
    pub(crate) fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// The number of records that have a column.
    pub(crate) fn records_with(&self, column: u32) -> u32 {
        self.columns[column as usize].records
    }

    /// The element whose children are the records of a column.
    pub(crate) fn region(&self, column: u32) -> NodeId {
        self.columns[column as usize].region
    }

    /// The number of columns, including those that few records have.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }
}

/// The cells of a row are told apart by their number: they rarely have classes.
const CELL_FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// The path of a record to itself.
const RECORD_PATH: u64 = 1;

/// The path of a node, given that of its parent: its tag and first classes.
fn step(document: &Document, id: NodeId, parent: u64, steps: Steps) -> u64 {
    let name = document.html_name(id);
    if !document.is_element(id) || (steps == Steps::Blocks && !is_block(name)) {
        return parent;
    }
    names(document, id, parent.rotate_left(7).wrapping_mul(FACTOR) ^ u64::from(name.number()), MAX_CLASSES)
}

/// Adds the first classes of an element to a hash.
pub(crate) fn names(document: &Document, id: NodeId, hash: u64, max_classes: usize) -> u64 {
    // The first two classes tell places apart, and those after them are mostly variants. Digits are left out: they number posts.
    let mut path = hash;
    let class = document.attribute(id, Name::CLASS).unwrap_or_default().trim_ascii_start();
    let mut classes = 0;
    for byte in class.bytes().take(MAX_CLASS_BYTES) {
        classes += usize::from(byte == b' ');
        if classes == max_classes {
            break;
        }
        if !byte.is_ascii_digit() {
            path = (path ^ u64::from(byte)).wrapping_mul(BYTE_FACTOR);
        }
    }
    path
}

/// Factors of hashes that need not be the same in another version: no path is stored.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const BYTE_FACTOR: u64 = 0x0000_0100_0000_01b3;
/// Classes of an element that are part of a path, and bytes of them that are read at most.
const MAX_CLASSES: usize = 2;
const MAX_CLASS_BYTES: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    /// For each text of a page its place as numbers of its column and record, in order of appearance.
    fn places(page: &str) -> Vec<Option<(usize, usize)>> {
        let document = Parser::default().parse(page).unwrap();
        let is_text = |id: &NodeId| document.is_text(*id) && !document.text(*id).trim().is_empty();
        let units: Vec<Unit> = document.ids().filter(is_text).map(|node| Unit { node, weight: 1 }).collect();
        let mut records = RecordColumns::default();
        records.find(&document, &units, Steps::All, |_| false);
        let places: Vec<Option<Place>> = (0..units.len()).map(|at| records.place(at)).collect();
        let mut columns: Vec<u32> = places.iter().flatten().map(|place| place.column).collect();
        let mut nodes: Vec<NodeId> = places.iter().flatten().map(|place| place.record).collect();
        columns.sort_unstable();
        columns.dedup();
        nodes.sort_unstable();
        nodes.dedup();
        let number =
            |place: Place| (columns.binary_search(&place.column).unwrap(), nodes.binary_search(&place.record).unwrap());
        places.into_iter().map(|place| place.map(number)).collect()
    }

    #[test]
    fn the_same_place_in_each_record_is_one_column() {
        let card = |price: &str| format!("<div class=card><h3>name</h3>{price}<p>text<p>more</div>");
        let page =
            [card("<b>1</b>"), "<hr>".into(), card(""), card("<b>3</b>"), card("<b>4</b>"), "<footer>end".into()]
                .concat();
        let expected = [
            (0, 0),
            (1, 0),
            (2, 0),
            (2, 0), //
            (0, 1),
            (2, 1),
            (2, 1), //
            (0, 2),
            (1, 2),
            (2, 2),
            (2, 2), //
            (0, 3),
            (1, 3),
            (2, 3),
            (2, 3),
        ];
        let expected: Vec<_> = expected.into_iter().map(Some).chain([None]).collect();
        assert_eq!(places(&page), expected);
    }

    #[test]
    fn a_field_of_few_records_is_no_column() {
        let page = "<ul><li><b>a</b>1<i>x</i><li><b>b</b>2<li><b>c</b>3<li><b>d</b>4</ul>";
        assert_eq!(places(page)[2], None);
        assert_eq!(places(page)[..2], [Some((0, 0)), Some((1, 0))]);
    }

    #[test]
    fn sections_and_plain_lines_are_no_records() {
        let sections =
            "<div><h2>a</h2><p>b</div><div><ul><li>c</ul></div><div><table><tr><td>d</table></div><div>e</div>";
        assert!(places(sections).iter().all(Option::is_none));
        assert!(places("<div>a</div><div>b</div><div>c</div>").iter().all(Option::is_none));
    }

    #[test]
    fn records_inside_sections_are_found() {
        let rows = "<li><b>a</b><i>b</i>".repeat(3);
        let found =
            places(&format!("<div><h2>a</h2><ul>{rows}</ul></div><div><p>x</div><div><table><tr><td>y</table></div>"));
        assert_eq!(found[1..7], [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)].map(Some));
    }

    #[test]
    fn nested_lists_take_bounded_work() {
        let mut page = "x".to_string();
        for level in 0..40 {
            page = format!("<ul><li><b{level}>t</b{level}>{page}<li>t<li><i>t</i></ul>");
        }
        assert!(!places(&page).is_empty());
    }
}
