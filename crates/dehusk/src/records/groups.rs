//! Chooses the groups of a page among its sets of records, and puts threads together.
//!
//! Input: the sets of a page. Output: groups with their fields. Posts in posts, such as comments under answers, are one group with them, in
//! page order; a first post that is marked in another way than its answers is found by the element that holds their text.

use super::column_names::{KNOWN, MAX_COLUMNS};
use super::fields::{Draft, FieldReader, GroupFields};
use super::page_texts::PageTexts;
use super::record_kind::RecordKind;
use super::record_sets::{RecordSets, TagPaths, own_atoms};
use super::regions::MIN_RECORDS;
use super::table_rows::is_head_row;
use crate::dom::elements::{classes, is_block};
use crate::dom::{Document, Name, NodeId};
use std::collections::{BTreeSet, HashMap};

/// A set inside records is a part of them if this share of the records have it exactly once.
const PART: f32 = 0.8;
/// Records of a group have at least so many words, on average.
const MIN_WORDS: u32 = 2;
/// Inline elements are records if they have at least so many texts, on average.
const MIN_INLINE: usize = 3;
/// Posts have at least so many words with all that is around them, on average.
const MIN_POST_WORDS: u32 = 5;
/// Posts of a thread that are outside of its list, and how many elements are tried.
const MAX_FIRST_POSTS: usize = 4;
const MAX_TRIES: usize = 8;
/// How often an atom is read at most to find answers, on average.
const MAX_WORK: usize = 12;

/// A group with the fields of its records.
#[derive(Debug)]
pub(crate) struct FoundGroup {
    pub(crate) kind: RecordKind,
    pub(crate) columns: Vec<String>,
    pub(crate) records: Vec<FoundRecord>,
    pub(crate) is_cut: bool,
}

#[derive(Debug)]
pub(crate) struct FoundRecord {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) atoms: Vec<usize>,
    pub(crate) fields: Vec<(usize, Vec<String>)>,
}

/// Records of one kind: a group, or the answers of one level of a thread.
struct Layer {
    records: Vec<NodeId>,
    /// The layer whose records are around these.
    outer: Option<usize>,
    /// Whether the records are posts, if that was asked.
    is_post: Option<bool>,
}

/// Finds the groups of a page, and says whether some were left out.
pub(crate) fn find_groups(
    document: &Document,
    texts: &PageTexts,
    paths: &TagPaths,
    sets: &RecordSets,
) -> (Vec<FoundGroup>, bool) {
    let mut finder = GroupFinder {
        document,
        texts,
        reader: FieldReader::new(document, texts, paths),
        layers: Vec::new(),
        layer_of: vec![0; document.len()],
        starts: BTreeSet::new(),
        work: MAX_WORK * texts.atoms.len(),
        is_cut: sets.is_cut,
    };
    finder.choose(sets);
    let mut groups: Vec<FoundGroup> = Vec::new();
    // Posts of one kind are one thread, also if they are in several lists.
    let mut threads: HashMap<u64, usize> = HashMap::new();
    for number in 0..finder.layers.len() {
        if finder.layers[number].outer.is_some() {
            continue;
        }
        let group = finder.read(number);
        // Lines of a text are no records.
        if group.columns.len() < 2 && !group.columns.iter().any(|name| KNOWN.contains(&name.as_str())) {
            continue;
        }
        let kind = paths.kind(finder.layers[number].records[0]);
        match threads.get(&kind).filter(|_| group.kind == RecordKind::Posts) {
            Some(thread) => groups[*thread].merge(group),
            None => {
                if group.kind == RecordKind::Posts
                    && classes(document, finder.layers[number].records[0]).next().is_some()
                {
                    threads.insert(kind, groups.len());
                }
                groups.push(group);
            }
        }
    }
    (groups, finder.is_cut)
}

struct GroupFinder<'a> {
    document: &'a Document,
    texts: &'a PageTexts,
    reader: FieldReader<'a>,
    layers: Vec<Layer>,
    /// For each node the layer whose record is the innermost around it, from 1.
    layer_of: Vec<u32>,
    /// All records of all layers.
    starts: BTreeSet<u32>,
    /// How many atoms may still be read to find answers.
    work: usize,
    is_cut: bool,
}

impl GroupFinder<'_> {
    /// Chooses the outermost sets, and of those inside their records the ones that are posts, too.
    fn choose(&mut self, sets: &RecordSets) {
        let mut order: Vec<usize> = (0..sets.sets.len())
            .filter(|number| {
                let set = &sets.sets[*number];
                set.is_alike
                    && !set.is_wrapper
                    && set.words >= MIN_WORDS * set.records.len() as u32
                    && self.are_things(&set.records)
            })
            .collect();
        // From the outside inwards: what is inside records is deeper than they are, but for a few.
        let depth = |number: &usize| {
            let records = &sets.sets[*number].records;
            let mut depths: Vec<u16> = records.iter().map(|record| self.reader.paths.depth(*record)).collect();
            let middle = depths.len() / 2;
            (*depths.select_nth_unstable(middle).1, records[0])
        };
        order.sort_by_cached_key(depth);
        for number in order {
            let all = &sets.sets[number].records;
            let inside: Vec<NodeId> = all.iter().copied().filter(|record| self.layer_of[record.index()] > 0).collect();
            let outer = inside.first().map(|record| self.layer_of[record.index()] as usize - 1);
            if let Some(outer) = outer
                && 4 * inside.len() >= all.len()
                && sets.sets[number].words >= MIN_POST_WORDS * all.len() as u32
                && self.is_answers(outer, &inside)
            {
                self.add(all.clone(), Some(outer));
            } else if 2 * inside.len() <= all.len() {
                let mut records = all.clone();
                records.retain(|record| {
                    self.layer_of[record.index()] == 0
                        && !self.holds_record(*record)
                        && !is_head_row(self.document, *record)
                });
                if records.len() >= MIN_RECORDS && 2 * records.len() > all.len() {
                    self.add(records, None);
                }
            }
        }
    }

    /// Whether elements may be things, and not parts of a line: blocks and links, or inline elements around several texts.
    fn are_things(&self, records: &[NodeId]) -> bool {
        let name = self.document.html_name(records[0]);
        let atoms = || records.iter().map(|record| self.texts.atoms_of(self.document, *record).len()).sum::<usize>();
        is_block(name) || name == Name::A || !name.is_known() || atoms() >= MIN_INLINE * records.len()
    }

    /// Whether a record that was found is inside an element.
    fn holds_record(&self, id: NodeId) -> bool {
        self.starts.range(id.0..self.document.end(id).0).next().is_some()
    }

    fn add(&mut self, records: Vec<NodeId>, outer: Option<usize>) {
        let number = self.layers.len() as u32 + 1;
        let mut end = NodeId::DOCUMENT;
        for record in &records {
            // What is inside a record of the same layer is marked already.
            if *record >= end {
                end = self.document.end(*record);
                self.layer_of[self.document.subtree(*record)].fill(number);
            }
            self.starts.insert(record.0);
        }
        self.layers.push(Layer { records, outer, is_post: None });
    }

    /// Whether records inside those of a layer are posts that answer them, and not a part of them.
    fn is_answers(&mut self, outer: usize, inside: &[NodeId]) -> bool {
        let mut counts: HashMap<usize, u32> = HashMap::new();
        let outer_records = &self.layers[outer].records;
        for record in inside {
            *counts.entry(outer_records.partition_point(|outer| outer <= record)).or_default() += 1;
        }
        let single = counts.values().filter(|count| **count == 1).count();
        if single as f32 >= PART * outer_records.len() as f32 {
            return false;
        }
        let outer_records = outer_records.clone();
        let atoms = |records: &[NodeId]| -> usize {
            records.iter().map(|record| self.texts.atoms_of(self.document, *record).len()).sum()
        };
        let work = 2 * atoms(&outer_records) + atoms(inside);
        if work > self.work {
            self.is_cut = true;
            return false;
        }
        self.work -= work;
        let is_known = self.layers[outer].is_post;
        let is_outer = is_known.unwrap_or_else(|| {
            let drafts = self.drafts(&outer_records, &outer_records);
            is_post(&self.reader.read(&drafts))
        });
        self.layers[outer].is_post = Some(is_outer);
        if !is_outer || !is_post(&self.reader.read(&self.drafts(inside, inside))) {
            return false;
        }
        let both = sorted(outer_records.iter().chain(inside).copied().collect());
        is_post(&self.reader.read(&self.drafts(&outer_records, &both)))
    }

    /// The records with their atoms, without those of other records inside them, given all records in page order.
    fn drafts(&self, records: &[NodeId], all: &[NodeId]) -> Vec<Draft> {
        let draft = |record: &NodeId| {
            let number = all.partition_point(|other| other < record);
            let atoms = own_atoms(self.document, self.texts, all, number).collect();
            Draft { nodes: vec![*record], root: *record, atoms }
        };
        records.iter().map(draft).collect()
    }

    /// The group of an outermost layer and the layers inside it.
    fn read(&mut self, first: usize) -> FoundGroup {
        let mut members = vec![first];
        for number in first + 1..self.layers.len() {
            if self.layers[number].outer.is_some_and(|outer| members.contains(&outer)) {
                members.push(number);
            }
        }
        let all = members.iter().flat_map(|layer| self.layers[*layer].records.iter().copied());
        let all = sorted(all.collect());
        let mut merged = Merged::default();
        let mut kind = RecordKind::Items;
        for layer in members {
            let records = self.layers[layer].records.clone();
            let drafts = self.drafts(&records, &all);
            let fields = self.reader.read(&drafts);
            if layer == first {
                kind = self.kind(&drafts, &fields);
            }
            if kind == RecordKind::Posts
                && layer == first
                && let Some((drafts, fields)) = self.first_posts(&drafts, &all)
            {
                merged.add(drafts, fields);
            }
            merged.add(drafts, fields);
        }
        merged.records.sort_by_key(|record| record.nodes.first().copied());
        FoundGroup { kind, columns: merged.columns, records: merged.records, is_cut: merged.is_cut }
    }

    fn kind(&self, drafts: &[Draft], fields: &GroupFields) -> RecordKind {
        let (mut words, mut in_links) = (0, 0);
        for atom in drafts.iter().flat_map(|draft| &draft.atoms).map(|atom| &self.texts.atoms[*atom]) {
            words += atom.words;
            in_links += if atom.link.is_some() { atom.words } else { 0 };
        }
        match () {
            () if drafts.iter().all(|draft| self.document.html_name(draft.root) == Name::TR) => RecordKind::Rows,
            () if is_post(fields) && !fields.has_linked_title => RecordKind::Posts,
            () if 10 * in_links >= 9 * words => RecordKind::Links,
            () => RecordKind::Items,
        }
    }

    /// Posts outside of the list that have the same element around their text as those in it.
    fn first_posts(&mut self, drafts: &[Draft], all: &[NodeId]) -> Option<(Vec<Draft>, GroupFields)> {
        let document = self.document;
        let bodies = self.reader.bodies(drafts);
        let kind = bodies.first().map(|body| self.reader.paths.kind(*body))?;
        classes(document, bodies[0]).next()?;
        let body = document.find(Name::BODY)?;
        let is_outside = |id: &NodeId| {
            self.reader.paths.kind(*id) == kind
                && self.layer_of[id.index()] == 0
                && !self.texts.atoms_of(document, *id).is_empty()
        };
        let tried: Vec<NodeId> = document.descendants(body).filter(is_outside).take(MAX_TRIES).collect();
        let mut found: Vec<(Draft, NodeId)> = tried.into_iter().filter_map(|id| self.post_around(id, all)).collect();
        found.truncate(MAX_FIRST_POSTS);
        found.dedup_by_key(|draft: &mut (Draft, NodeId)| draft.0.root);
        if found.is_empty() {
            return None;
        }
        let fields = self.reader.read_alone(&found);
        Some((found.into_iter().map(|(draft, _)| draft).collect(), fields))
    }

    /// The smallest element around a text that has an author, if it holds no record.
    fn post_around(&mut self, body: NodeId, all: &[NodeId]) -> Option<(Draft, NodeId)> {
        let document = self.document;
        let words = self.texts.words(self.texts.atoms_of(document, body));
        for outer in document.ancestors(body).take(8) {
            let atoms = self.texts.atoms_of(document, outer);
            let first = all.partition_point(|record| *record < outer);
            let holds_all = first == 0 && all.last().is_some_and(|last| document.contains(outer, *last));
            let own: Vec<usize> =
                atoms.filter(|atom| self.layer_of[self.texts.atoms[*atom].node.index()] == 0).collect();
            let own_words: u32 = own.iter().map(|atom| self.texts.atoms[*atom].words).sum();
            if own_words > 2 * words + 60 {
                return None;
            }
            let draft = Draft { nodes: vec![outer], root: outer, atoms: own };
            if self.reader.has_author(&draft, body) {
                return (!holds_all).then_some((draft, body));
            }
        }
        None
    }
}

fn sorted(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Whether records are what people wrote: they have an author and a text.
fn is_post(fields: &GroupFields) -> bool {
    fields.has_author && fields.has_text
}

/// The records of several layers with their columns by name.
#[derive(Default)]
struct Merged {
    columns: Vec<String>,
    records: Vec<FoundRecord>,
    is_cut: bool,
}

impl Merged {
    fn add(&mut self, drafts: Vec<Draft>, fields: GroupFields) {
        let numbers = merge_columns(&mut self.columns, fields.columns);
        self.is_cut |= fields.is_cut || numbers.contains(&None);
        for (draft, mut own) in drafts.into_iter().zip(fields.records) {
            renumber(&mut own, &numbers);
            self.records.push(FoundRecord { nodes: draft.nodes, atoms: draft.atoms, fields: own });
        }
    }
}

impl FoundGroup {
    fn merge(&mut self, other: FoundGroup) {
        let numbers = merge_columns(&mut self.columns, other.columns);
        self.is_cut |= other.is_cut || numbers.contains(&None);
        for mut record in other.records {
            renumber(&mut record.fields, &numbers);
            self.records.push(record);
        }
        self.records.sort_by_key(|record| record.nodes.first().copied());
    }
}

/// Adds the columns that are new, and returns the number of each; those beyond the limit have none.
fn merge_columns(columns: &mut Vec<String>, others: Vec<String>) -> Vec<Option<usize>> {
    let mut numbers = Vec::with_capacity(others.len());
    for name in others {
        let known = columns.iter().position(|column| *column == name);
        numbers.push(known.or_else(|| {
            (columns.len() < MAX_COLUMNS).then(|| {
                columns.push(name);
                columns.len() - 1
            })
        }));
    }
    numbers
}

fn renumber(fields: &mut Vec<(usize, Vec<String>)>, numbers: &[Option<usize>]) {
    fields.retain_mut(|field| match numbers[field.0] {
        Some(number) => {
            field.0 = number;
            true
        }
        None => false,
    });
    fields.sort_by_key(|field| field.0);
}
