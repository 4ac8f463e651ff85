//! Finds the records of a page: sets of elements of one kind that are filled alike.
//!
//! Input: a document and its texts. Output: sets of records, in page order. Elements are of one kind if they are similar siblings
//! (`regions.rs`), or have the same tag and class in places of the same kind, so that records may be wrapped singly, split over several lists
//! or nested in each other. A set is filled alike if most of its words are in places that most of its records have. Of sets inside each other
//! the outermost counts, unless it only wraps an inner one. Linear: every atom is read as often as it is in sets, up to a limit.

use super::columns::{AlikeSums, COMMON, MIN_SHARED, names};
use super::page_texts::PageTexts;
use super::regions::{MIN_RECORDS, SiblingFinder, can_be_record};
use crate::dom::elements::classes;
use crate::dom::hash::{NumberMap, mix};
use crate::dom::{Document, Name, NodeId};
use std::collections::HashMap;

/// A set only wraps an inner one if that has this share of its words and at least twice as many records.
const WRAPPED: f32 = 0.7;
/// A record of so many fields is more than a label and a value.
const RICH: usize = 3;
/// How often an atom is read at most, on average: sets are inside each other.
pub(crate) const MAX_WORK: usize = 24;

/// The paths of all nodes, such that the path between two nodes takes one step to compute.
#[derive(Debug)]
pub(crate) struct TagPaths {
    hashes: Vec<u64>,
    depths: Vec<u16>,
    powers: Vec<u64>,
    /// For each element its tag and first class.
    kinds: Vec<u64>,
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const CELL_FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

impl TagPaths {
    pub(crate) fn read(document: &Document) -> TagPaths {
        let mut paths = TagPaths {
            hashes: vec![0; document.len()],
            depths: vec![0; document.len()],
            powers: vec![1],
            kinds: vec![0; document.len()],
        };
        // Cells read of each row: cells are told apart by their number, since they rarely have classes.
        let mut cells = NumberMap::<u32, u64>::default();
        for id in document.ids().skip(1) {
            let parent = document.parent(id).unwrap_or_default();
            let (mut hash, mut depth) = (paths.hashes[parent.index()], paths.depths[parent.index()]);
            if document.is_element(id) {
                let name = document.html_name(id);
                let tag = u64::from(name.number()).wrapping_mul(FACTOR);
                let mut step = names(document, id, tag, 2);
                paths.kinds[id.index()] = names(document, id, tag, 1);
                if matches!(name, Name::TD | Name::TH) {
                    let cell = cells.entry(parent.0).or_default();
                    *cell += 1;
                    step = cell.wrapping_mul(CELL_FACTOR);
                }
                hash = hash.wrapping_mul(FACTOR).wrapping_add(step);
                depth = depth.saturating_add(1);
            }
            paths.hashes[id.index()] = hash;
            paths.depths[id.index()] = depth;
            while paths.powers.len() <= usize::from(depth) {
                paths.powers.push(paths.powers.last().map_or(1, |power| power.wrapping_mul(FACTOR)));
            }
        }
        paths
    }

    /// The path from an element to a node inside it.
    pub(crate) fn between(&self, outer: NodeId, inner: NodeId) -> u64 {
        let steps = self.depths[inner.index()].saturating_sub(self.depths[outer.index()]);
        self.hashes[inner.index()]
            .wrapping_sub(self.hashes[outer.index()].wrapping_mul(self.powers[usize::from(steps)]))
    }

    /// The tag and first class of an element.
    pub(crate) fn kind(&self, id: NodeId) -> u64 {
        self.kinds[id.index()]
    }

    /// The number of elements from the root to a node.
    pub(crate) fn depth(&self, id: NodeId) -> u16 {
        self.depths[id.index()]
    }
}

/// Elements of one kind, in page order; some may be inside others.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordSet {
    pub(crate) records: Vec<NodeId>,
    /// Words of all records; those of records inside others count again.
    pub(crate) words: u32,
    pub(crate) is_alike: bool,
    /// Whether its records are more than a label and a value: most have a link, or three fields.
    is_rich: bool,
    /// Whether it only wraps an inner set.
    pub(crate) is_wrapper: bool,
}

/// The sets of a page, and for each node that it is a record of: its set.
#[derive(Debug, Default)]
pub(crate) struct RecordSets {
    pub(crate) sets: Vec<RecordSet>,
    set_of: NumberMap<u32, u32>,
    /// How many atoms were read, each as often as it is in a set.
    pub(crate) work: usize,
    pub(crate) is_cut: bool,
}

/// What elements of one kind have in common: tag, class, and the place they are in.
type KindKey<'d> = (Name, &'d str, u64);

impl RecordSets {
    /// Finds the sets of a page and says which of them are alike.
    pub(crate) fn find(document: &Document, texts: &PageTexts, paths: &TagPaths) -> RecordSets {
        let mut sets = RecordSets::default();
        let Some(body) = document.find(Name::BODY).filter(|_| texts.atoms.len() >= MIN_RECORDS) else { return sets };
        sets.collect(document, texts, paths, body);
        let limit = MAX_WORK * texts.atoms.len();
        let mut by_path = NumberMap::<u64, (u32, u32, u32)>::default();
        for set in sets.sets.iter_mut().filter(|set| set.records.len() >= MIN_RECORDS) {
            let atoms: usize = set.records.iter().map(|record| texts.atoms_of(document, *record).len()).sum();
            if sets.work + atoms > limit {
                sets.is_cut = true;
                continue;
            }
            sets.work += atoms;
            measure(document, texts, paths, set, &mut by_path);
        }
        sets.find_wrappers(document);
        sets
    }

    /// Collects the elements of each kind.
    fn collect(&mut self, document: &Document, texts: &PageTexts, paths: &TagPaths, body: NodeId) {
        let mut by_kind: HashMap<KindKey<'_>, u32> = HashMap::new();
        let mut finder = SiblingFinder::default();
        let has_text = |id: NodeId| !texts.atoms_of(document, id).is_empty();
        let mut at = body;
        while at < document.end(body) {
            if texts.atoms_of(document, at).len() < MIN_RECORDS {
                at = document.end(at);
                continue;
            }
            for siblings in finder.find(document, at, has_text) {
                let name = document.html_name(siblings.records[0]);
                let key = kind_key(document, paths, at, name, siblings.class);
                let set = self.set(&mut by_kind, key);
                for record in siblings.records {
                    self.set_of.insert(record.0, set);
                    self.sets[set as usize].records.push(record);
                }
            }
            at.0 += 1;
        }
        for id in document.descendants(body).filter(|id| document.is_element(*id) && has_text(*id)) {
            let name = document.html_name(id);
            if !can_be_record(name) || self.set_of.contains_key(&id.0) {
                continue;
            }
            let Some(parent) = document.parent(id) else { continue };
            let class = classes(document, id).next().unwrap_or_default();
            let set = self.set(&mut by_kind, kind_key(document, paths, parent, name, class));
            self.set_of.insert(id.0, set);
            self.sets[set as usize].records.push(id);
        }
        self.join_lists(document, paths);
        for set in &mut self.sets {
            set.records.sort_unstable();
            set.words = set.records.iter().map(|record| texts.words(texts.atoms_of(document, *record))).sum();
        }
    }

    fn set<'d>(&mut self, by_kind: &mut HashMap<KindKey<'d>, u32>, key: KindKey<'d>) -> u32 {
        *by_kind.entry(key).or_insert_with(|| {
            self.sets.push(RecordSet::default());
            self.sets.len() as u32 - 1
        })
    }

    /// Joins sets of one tag and class if one is in the list of the other: replies inside what they answer, or in elements of their own
    /// between the other records.
    fn join_lists(&mut self, document: &Document, paths: &TagPaths) {
        let mut by_kind: NumberMap<u64, Vec<u32>> = NumberMap::default();
        for (number, set) in self.sets.iter().enumerate() {
            let Some(first) = set.records.first() else { continue };
            if classes(document, *first).next().is_some() {
                by_kind.entry(paths.kinds[first.index()]).or_default().push(number as u32);
            }
        }
        let mut kinds: Vec<Vec<u32>> = by_kind.into_values().filter(|sets| sets.len() > 1).collect();
        kinds.sort_unstable();
        for sets in kinds {
            let first = |set: u32| self.sets[set as usize].records[0];
            let outermost = sets.iter().copied().min_by_key(|set| (paths.depth(first(*set)), first(*set)));
            let Some((outer, list)) = outermost.and_then(|outer| Some((outer, document.parent(first(outer))?))) else {
                continue;
            };
            let inner = sets.into_iter().filter(|set| *set != outer && document.contains(list, first(*set)));
            for inner in inner.collect::<Vec<u32>>() {
                let records = std::mem::take(&mut self.sets[inner as usize].records);
                for record in &records {
                    self.set_of.insert(record.0, outer);
                }
                self.sets[outer as usize].records.extend(records);
            }
        }
    }

    /// Says which sets only wrap an inner one.
    fn find_wrappers(&mut self, document: &Document) {
        for inner in 0..self.sets.len() {
            let (count, words) = (self.sets[inner].records.len(), self.sets[inner].words);
            if !self.sets[inner].is_alike || !self.sets[inner].is_rich {
                continue;
            }
            for outer in document.ancestors(self.sets[inner].records[0]).take(MAX_NESTING) {
                let Some(set) = self.set_of.get(&outer.0).filter(|set| **set as usize != inner) else { continue };
                let set = &mut self.sets[*set as usize];
                set.is_wrapper |= set.is_alike
                    && count >= 2 * set.records.len()
                    && words as f32 >= WRAPPED * set.words as f32
                    && words <= set.words;
            }
        }
    }
}

/// Maximum number of elements around a record that are searched for others.
const MAX_NESTING: usize = 48;

/// The kind of the children of an element: with a class by the two elements around them, and otherwise by all of them. Rows are of one kind
/// only in one table.
fn kind_key<'d>(document: &Document, paths: &TagPaths, parent: NodeId, name: Name, class: &'d str) -> KindKey<'d> {
    let mut place = paths.hashes[parent.index()];
    if matches!(name, Name::TR | Name::TBODY) {
        let table = document.ancestors(parent).take(2).find(|outer| document.html_name(*outer) == Name::TABLE);
        let table = if document.html_name(parent) == Name::TABLE { parent } else { table.unwrap_or(parent) };
        place = mix(place, u64::from(table.0));
    } else if !class.is_empty() {
        let around = document.parent(parent).and_then(|outer| document.parent(outer)).unwrap_or_default();
        place = paths.between(around, parent);
    }
    (name, class, place)
}

/// Says whether the records of a set are filled alike.
fn measure(
    document: &Document,
    texts: &PageTexts,
    paths: &TagPaths,
    set: &mut RecordSet,
    by_path: &mut NumberMap<u64, (u32, u32, u32)>,
) {
    by_path.clear();
    let (mut linked, mut last_linked) = (0, None);
    for (number, record) in set.records.iter().enumerate() {
        for atom in own_atoms(document, texts, &set.records, number) {
            let words = texts.atoms[atom].words.max(1);
            if texts.atoms[atom].link.is_some() && last_linked != Some(number) {
                (linked, last_linked) = (linked + 1, Some(number));
            }
            let place = by_path.entry(paths.between(*record, texts.atoms[atom].node)).or_default();
            place.0 += u32::from(place.1 != number as u32 + 1);
            place.1 = number as u32 + 1;
            place.2 += words;
        }
    }
    let at_least = |share: f32| (share * set.records.len() as f32).max(MIN_RECORDS as f32);
    let mut sums = AlikeSums::default();
    #[allow(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
    for (records, _, words) in by_path.values() {
        let count = *records as f32;
        sums.add(*records, *words, count >= at_least(MIN_SHARED), count >= at_least(COMMON));
    }
    // Records of a single text each are lines of a text or items of a list, unless these are links.
    let is_plain = by_path.len() == 1 && by_path.contains_key(&0);
    set.is_alike = sums.is_alike() && !is_plain;
    set.is_rich = linked as f32 >= at_least(MIN_SHARED) || sums.shared >= RICH;
}

/// The atoms of a record of a set without those of records of the set inside it.
pub(crate) fn own_atoms<'a>(
    document: &'a Document,
    texts: &'a PageTexts,
    records: &'a [NodeId],
    number: usize,
) -> impl Iterator<Item = usize> + 'a {
    let record = records[number];
    let mut next = number + 1;
    let mut atoms = texts.atoms_of(document, record);
    std::iter::from_fn(move || {
        loop {
            // The next record, if it is inside this one.
            let inner = records.get(next).copied().filter(|inner| *inner < document.end(record));
            match inner {
                Some(inner) if atoms.start >= texts.atoms_between(inner, inner).start => {
                    atoms.start = atoms.start.max(texts.atoms_of(document, inner).end);
                    while records.get(next).is_some_and(|other| *other < document.end(inner)) {
                        next += 1;
                    }
                }
                _ => return atoms.next(),
            }
        }
    })
}
