//! Chooses the groups of a page among its sets of records, and puts threads together.
//!
//! Input: the sets of a page. Output: groups with their fields. Posts in posts, such as comments under answers, are one group with them, in
//! page order; a first post that is marked in another way than its answers is found by the element that holds their text.

use super::fields::{Draft, FieldReader, GroupFields, is_head_row};
use super::page_texts::PageTexts;
use super::record_kind::RecordKind;
use super::record_sets::{RecordSets, TagPaths, own_atoms};
use super::regions::MIN_RECORDS;
use crate::dom::elements::classes;
use crate::dom::{Document, Name, NodeId};
use std::collections::HashMap;

/// A set inside records is a part of them if this share of the records have it exactly once.
const PART: f32 = 0.8;
/// Records of a group have at least so many words, on average.
const MIN_WORDS: u32 = 2;
/// Posts of a thread that are outside of its list.
const MAX_FIRST_POSTS: usize = 4;

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
    };
    finder.choose(sets);
    let mut groups = Vec::new();
    for number in 0..finder.layers.len() {
        if finder.layers[number].outer.is_none() {
            groups.extend(finder.read(number));
        }
    }
    (groups, sets.is_cut)
}

struct GroupFinder<'a> {
    document: &'a Document,
    texts: &'a PageTexts,
    reader: FieldReader<'a>,
    layers: Vec<Layer>,
    /// For each node the layer whose record is the innermost around it, from 1.
    layer_of: Vec<u32>,
}

impl GroupFinder<'_> {
    /// Chooses the outermost sets, and of those inside their records the ones that are posts, too.
    fn choose(&mut self, sets: &RecordSets) {
        let mut order: Vec<usize> = (0..sets.sets.len())
            .filter(|number| {
                let set = &sets.sets[*number];
                set.is_alike && !set.is_wrapper && set.words >= MIN_WORDS * set.records.len() as u32
            })
            .collect();
        order.sort_by_key(|number| (sets.sets[*number].records[0], *number));
        for number in order {
            let all = &sets.sets[number].records;
            let inside: Vec<NodeId> = all.iter().copied().filter(|record| self.layer_of[record.index()] > 0).collect();
            let outer = inside.first().map(|record| self.layer_of[record.index()] as usize - 1);
            if 2 * inside.len() <= all.len() {
                let mut records: Vec<NodeId> =
                    all.iter().copied().filter(|record| self.layer_of[record.index()] == 0).collect();
                records.retain(|record| !is_head_row(self.document, *record));
                if records.len() >= MIN_RECORDS {
                    self.add(records, None);
                }
            } else if let Some(outer) = outer
                && self.is_answers(outer, &inside)
            {
                self.add(inside, Some(outer));
            }
        }
    }

    fn add(&mut self, records: Vec<NodeId>, outer: Option<usize>) {
        let number = self.layers.len() as u32 + 1;
        for record in &records {
            self.layer_of[self.document.subtree(*record)].fill(number);
        }
        self.layers.push(Layer { records, outer });
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
        let answers = self.reader.read(&self.drafts(inside, inside));
        if !is_post(&answers) {
            return false;
        }
        let around = self.reader.read(&self.drafts(&outer_records, inside));
        is_post(&around)
    }

    /// The records with their atoms, without those of other records inside them.
    fn drafts(&self, records: &[NodeId], others: &[NodeId]) -> Vec<Draft> {
        let mut all: Vec<NodeId> = records.iter().chain(others).copied().collect();
        all.sort_unstable();
        all.dedup();
        let mut drafts = Vec::with_capacity(records.len());
        for record in records {
            let number = all.partition_point(|other| other < record);
            let atoms = own_atoms(self.document, self.texts, &all, number).collect();
            drafts.push(Draft { nodes: vec![*record], root: *record, atoms });
        }
        drafts
    }

    /// The group of an outermost layer and the layers inside it.
    fn read(&mut self, first: usize) -> Option<FoundGroup> {
        let mut members = vec![first];
        for number in first + 1..self.layers.len() {
            if self.layers[number].outer.is_some_and(|outer| members.contains(&outer)) {
                members.push(number);
            }
        }
        let all: Vec<NodeId> = members.iter().flat_map(|layer| self.layers[*layer].records.iter().copied()).collect();
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
        Some(FoundGroup { kind, columns: merged.columns, records: merged.records, is_cut: merged.is_cut })
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
        let mut found = Vec::new();
        for id in document.descendants(body) {
            let is_outside = self.reader.paths.kind(id) == kind && self.layer_of[id.index()] == 0;
            if found.len() < MAX_FIRST_POSTS && is_outside && !self.texts.atoms_of(document, id).is_empty() {
                found.extend(self.post_around(id, all));
            }
        }
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
            let others: Vec<NodeId> = all.iter().copied().filter(|record| document.contains(outer, *record)).collect();
            let own: Vec<usize> =
                atoms.filter(|atom| self.layer_of[self.texts.atoms[*atom].node.index()] == 0).collect();
            let own_words: u32 = own.iter().map(|atom| self.texts.atoms[*atom].words).sum();
            if own_words > 2 * words + 60 {
                return None;
            }
            let draft = Draft { nodes: vec![outer], root: outer, atoms: own };
            if self.reader.has_author(&draft, body) {
                return (others.len() < all.len()).then_some((draft, body));
            }
        }
        None
    }
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
        self.is_cut |= fields.is_cut;
        let mut numbers = Vec::with_capacity(fields.columns.len());
        for name in fields.columns {
            let known = self.columns.iter().position(|column| *column == name);
            numbers.push(known.unwrap_or_else(|| {
                self.columns.push(name);
                self.columns.len() - 1
            }));
        }
        for (draft, mut own) in drafts.into_iter().zip(fields.records) {
            own.iter_mut().for_each(|field| field.0 = numbers[field.0]);
            own.sort_by_key(|field| field.0);
            self.records.push(FoundRecord { nodes: draft.nodes, atoms: draft.atoms, fields: own });
        }
    }
}
