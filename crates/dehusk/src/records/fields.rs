//! Aligns the fields of the records of a group, and says which of them have a known meaning.
//!
//! Input: the records of a group with their atoms. Output: the columns, and for each record its values. The same place in each record is one
//! column; a label that records share is the name of the column of what follows it. Author, date, price and title are found by what elements
//! say, by the shape of texts, and by how they vary over the records; the text of a record is the element that holds most of its sentences.

use super::column_names::{ColumnNames, Role, clean_label};
use super::field_hints::{FieldHints, field_hints};
use super::page_texts::{Atom, Gap, PageTexts};
use super::places::{Place, Shape, best};
use super::record_sets::TagPaths;
use super::regions::MIN_RECORDS;
use super::text_shapes::{MAX_LABEL, is_about_editing, is_about_joining, is_date, is_name, is_price, split_label};
use crate::dom::hash::{NumberMap, mix};
use crate::dom::{Document, Name, NodeId};
use xxhash_rust::xxh3::xxh3_64;

/// A record before its fields are known.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The elements of the record, in page order.
    pub(crate) nodes: Vec<NodeId>,
    /// The element from which paths start: the record, or what is around its elements.
    pub(crate) root: NodeId,
    pub(crate) atoms: Vec<usize>,
}

/// A field needs this share of the records to be one of a known meaning.
const MIN_PRESENT: f32 = 0.5;
/// An atom of at least this many words that is no link is a sentence.
const SENTENCE: u32 = 5;
/// The text of a record has this share of the words of sentences.
const MIN_BODY: f32 = 0.55;
/// How many elements around an atom are asked for hints.
const MAX_HINTS: usize = 6;

/// One value of a record: its place, its text, and the atom it begins with.
#[derive(Clone, Debug)]
struct Value {
    place: usize,
    text: String,
    hash: u64,
    atom: usize,
    is_in_body: bool,
    /// A label, an action or the like.
    is_constant: bool,
    /// The label before it.
    label: Option<u64>,
}

/// The fields of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupFields {
    pub(crate) columns: Vec<String>,
    /// For each record its columns and values, by column.
    pub(crate) records: Vec<Vec<(usize, Vec<String>)>>,
    pub(crate) has_author: bool,
    pub(crate) has_text: bool,
    pub(crate) has_linked_title: bool,
    pub(crate) is_cut: bool,
}

/// Reads the fields of groups.
pub(crate) struct FieldReader<'a> {
    pub(crate) document: &'a Document,
    pub(crate) texts: &'a PageTexts,
    pub(crate) paths: &'a TagPaths,
    hints: Vec<Option<FieldHints>>,
    /// For each atom what its text looks like, once it was asked.
    shapes: Vec<Option<Shape>>,
}

impl<'a> FieldReader<'a> {
    pub(crate) fn new(document: &'a Document, texts: &'a PageTexts, paths: &'a TagPaths) -> FieldReader<'a> {
        FieldReader { document, texts, paths, hints: vec![None; document.len()], shapes: vec![None; texts.atoms.len()] }
    }

    fn shape(&mut self, atom: usize, text: &str) -> Shape {
        *self.shapes[atom].get_or_insert_with(|| {
            let is_date = is_date(text);
            Shape { is_date, is_price: is_price(text), is_name: !is_date && is_name(text) }
        })
    }

    /// The hints of an atom: those of the elements around it inside the record, the nearest first.
    pub(crate) fn atom_hints(&mut self, atom: usize, root: NodeId) -> FieldHints {
        let node = self.texts.atoms[atom].node;
        let mut sum = FieldHints::default();
        let mut next = Some(node);
        for _ in 0..MAX_HINTS {
            let Some(id) = next.filter(|id| *id > root) else { break };
            if self.document.is_element(id) {
                let document = self.document;
                let own = *self.hints[id.index()].get_or_insert_with(|| field_hints(document, id));
                // What is nearer to the text says more.
                let take = |sum: &mut i8, own: i8| {
                    if *sum == 0 || (own > *sum && *sum > 0) {
                        *sum = own;
                    }
                };
                take(&mut sum.author, own.author);
                take(&mut sum.date, own.date);
                take(&mut sum.price, own.price);
                take(&mut sum.title, own.title);
            }
            next = self.document.parent(id);
        }
        sum
    }

    /// Aligns the fields of records.
    pub(crate) fn read(&mut self, drafts: &[Draft]) -> GroupFields {
        if drafts.iter().all(|draft| self.document.html_name(draft.root) == Name::TR) {
            return self.read_rows(drafts);
        }
        let body = self.body_path(drafts);
        let (mut values, places) = self.values(drafts, body);
        self.find_labels(&mut values);
        let enough = (MIN_PRESENT * drafts.len() as f32).max(2.0);
        let author = self.author_place(&places, enough);
        let date = self.date_place(&values, &places, enough);
        let price = best(&places, |place| {
            let score = (2.0 * place.share(place.prices) + place.share_of(place.price)) * place.share(place.prices);
            (place.share(place.prices) >= 0.5 && place.records as f32 >= enough / 2.0).then_some(score)
        });
        let is_post = author.is_some() && body.is_some();
        let title = self.title_place(&places, enough, is_post).filter(|title| Some(*title) != author);
        self.assemble(drafts, &values, &places, Roles { author, date, price, title, is_post })
    }

    /// The path of the element that holds most of the sentences of each record, if there is one.
    pub(crate) fn body_path(&self, drafts: &[Draft]) -> Option<u64> {
        #[derive(Default)]
        struct Found {
            records: u32,
            last: u32,
            count: u32,
            words: u32,
            depth: u16,
        }
        let mut by_path = NumberMap::<u64, Found>::default();
        let mut total = 0;
        for (number, draft) in drafts.iter().enumerate() {
            let number = number as u32 + 1;
            // Elements around the last sentence; those of the next one that are the same are not counted again.
            let mut last: Option<NodeId> = None;
            for atom in draft.atoms.iter().map(|atom| &self.texts.atoms[*atom]) {
                if atom.words < SENTENCE || atom.link.is_some() || self.is_date_atom(atom) {
                    continue;
                }
                total += atom.words;
                for outer in
                    self.document.ancestors(atom.node).take_while(|outer| *outer > draft.root).take(MAX_BODY_DEPTH)
                {
                    let found = by_path.entry(self.paths.between(draft.root, outer)).or_default();
                    found.words += atom.words;
                    found.depth = self.paths.depth(outer) - self.paths.depth(draft.root);
                    if found.last != number {
                        found.records += 1;
                        found.last = number;
                    }
                    if last.is_none_or(|last| !self.document.contains(outer, last)) {
                        found.count += 1;
                    }
                }
                last = Some(atom.node);
            }
        }
        let is_body = |found: &&(&u64, &Found)| {
            found.1.words as f32 >= MIN_BODY * total as f32 && found.1.count as f32 <= 1.15 * found.1.records as f32
        };
        let found = by_path.iter().collect::<Vec<_>>();
        found
            .iter()
            .filter(is_body)
            .max_by_key(|(path, found)| (found.depth, found.words, **path))
            .map(|(path, _)| **path)
    }

    /// Whether an atom is one text that is a date, such as `answered May 2, 2009 at 0:09`.
    fn is_date_atom(&self, atom: &Atom) -> bool {
        let text = self.texts.texts[atom.texts.start as usize].node;
        atom.words <= 10 && is_date(self.document.text(text))
    }

    /// The values of all records, and what is known about each place.
    fn values(&mut self, drafts: &[Draft], body: Option<u64>) -> (Vec<Vec<Value>>, Vec<Place>) {
        let mut by_path = NumberMap::<u64, usize>::default();
        let mut places: Vec<Place> = Vec::new();
        let mut all = Vec::with_capacity(drafts.len());
        for (number, draft) in drafts.iter().enumerate() {
            let mut values = Vec::with_capacity(draft.atoms.len());
            let mut body_end: Option<NodeId> = None;
            for atom in draft.atoms.iter().copied() {
                let node = self.texts.atoms[atom].node;
                if body_end.is_none_or(|end| node >= end) {
                    body_end = body.and_then(|body| self.body_around(node, draft.root, body));
                }
                let is_in_body = body_end.is_some();
                // Texts of the body are not compared, and are written once, as a whole.
                let text = if is_in_body { String::new() } else { self.texts.text(self.document, atom) };
                let hash = if is_in_body { atom as u64 } else { xxh3_64(text.as_bytes()) };
                let place = *by_path.entry(self.paths.between(draft.root, node)).or_insert_with(|| {
                    places.push(Place { first: atom, value: hash, ..Place::default() });
                    places.len() - 1
                });
                let hints = if is_in_body { FieldHints::default() } else { self.atom_hints(atom, draft.root) };
                let shape = (!is_in_body).then(|| self.shape(atom, &text));
                places[place].add(number as u32 + 1, shape, hash, hints, &self.texts.atoms[atom]);
                values.push(Value { place, text, hash, atom, is_in_body, is_constant: false, label: None });
            }
            all.push(values);
        }
        (all, places)
    }

    /// The end of the element with the body of a record, if it is around a node.
    fn body_around(&self, node: NodeId, root: NodeId, body: u64) -> Option<NodeId> {
        let around = self.document.ancestors(node).take_while(|outer| *outer > root).take(MAX_BODY_DEPTH);
        around.filter(|outer| self.paths.between(root, *outer) == body).map(|outer| self.document.end(outer)).next()
    }

    /// Finds texts that records share: labels, actions, separators.
    fn find_labels(&self, values: &mut [Vec<Value>]) {
        let mut counts = NumberMap::<u64, (u32, u32)>::default();
        for (number, record) in values.iter().enumerate() {
            for value in record.iter().filter(|value| !value.is_in_body) {
                let mut count = |hash: u64| {
                    let count = counts.entry(hash).or_default();
                    count.0 += u32::from(count.1 != number as u32 + 1);
                    count.1 = number as u32 + 1;
                };
                count(mix(value.hash, value.place as u64));
                if let Some((label, _)) = split_label(&value.text) {
                    count(xxh3_64(label.as_bytes()));
                }
            }
        }
        let all = values.len() as f32;
        let is_shared = |hash: u64, share: f32| {
            counts.get(&hash).is_some_and(|count| count.0 as f32 >= (share * all).max(MIN_RECORDS as f32))
        };
        for record in values.iter_mut() {
            let mut label: Option<u64> = None;
            for at in 0..record.len() {
                let gap_after = record.get(at + 1).map_or(Gap::Line, |next| self.texts.gap(next.atom));
                let value = &mut record[at];
                if value.is_in_body {
                    label = None;
                    continue;
                }
                let is_known = self.shapes[value.atom].is_some_and(|shape| shape.is_price);
                let is_link = self.texts.atoms[value.atom].link.is_some();
                let is_constant = is_shared(mix(value.hash, value.place as u64), 0.5) && !is_known;
                let is_label = is_constant && value.text.len() <= MAX_LABEL && self.is_label(value.atom, &value.text);
                let is_separator = !value.text.chars().any(char::is_alphanumeric);
                if is_label {
                    label = Some(xxh3_64(clean_label(&value.text).as_bytes()));
                    value.is_constant = true;
                } else if is_separator {
                    value.is_constant = true;
                } else if is_constant && (is_link || gap_after != Gap::Line) {
                    value.is_constant = true;
                    label = None;
                } else if let Some((name, rest)) = split_label(&value.text)
                    && is_shared(xxh3_64(name.as_bytes()), 0.5)
                {
                    value.label = Some(xxh3_64(name.as_bytes()));
                    value.text = rest.to_string();
                    label = None;
                } else {
                    value.label = label.take();
                }
            }
        }
    }

    /// Whether a text that records share names what follows it.
    fn is_label(&self, atom: usize, text: &str) -> bool {
        let node = self.texts.atoms[atom].node;
        let mut around = self.document.ancestors(node).take(2);
        text.ends_with(':')
            || around.any(|outer| matches!(self.document.html_name(outer), Name::DT | Name::TH | Name::LABEL))
    }

    fn author_place(&self, places: &[Place], enough: f32) -> Option<usize> {
        best(places, |place| {
            let hint = place.share_of(place.author);
            let is_name = place.share(place.names) >= 0.7 && place.share(place.dates) < 0.3;
            let is_possible =
                is_name && place.records as f32 >= enough && place.varies && !place.is_in_body() && hint >= 1.0;
            let single = place.records as f32 / place.atoms as f32;
            is_possible.then_some(hint + 0.5 * place.share(place.links) + single)
        })
    }

    fn date_place(&self, values: &[Vec<Value>], places: &[Place], enough: f32) -> Option<usize> {
        // Dates of users: what is before them, or they themselves, say that it is when they joined.
        let mut of_user = vec![0u32; places.len()];
        for record in values {
            for (at, value) in record.iter().enumerate() {
                if !self.shapes[value.atom].is_some_and(|shape| shape.is_date) {
                    continue;
                }
                // A date before it is another field, and no label.
                let before = at.checked_sub(1).map(|before| &record[before]);
                let before = before.filter(|before| !self.shapes[before.atom].is_some_and(|shape| shape.is_date));
                let before = before.map_or("", |before| before.text.as_str());
                of_user[value.place] += u32::from(is_about_joining(&value.text) || is_about_joining(before));
            }
        }
        let mut number = 0;
        best(places, |place| {
            let joined = of_user[number];
            number += 1;
            let share = place.share(place.dates);
            let hint = place.share_of(place.date);
            let is_possible = (share >= 0.6 || hint >= 3.0) && place.records as f32 >= enough && !place.is_in_body();
            let single = place.records as f32 / place.atoms as f32;
            (is_possible && 2 * joined < place.atoms && hint > -1.0).then_some(share + hint + single)
        })
    }

    fn title_place(&self, places: &[Place], enough: f32, is_post: bool) -> Option<usize> {
        best(places, |place| {
            let single = place.records as f32 / place.atoms as f32;
            let is_possible = place.records as f32 >= enough
                && place.varies
                && place.share(place.dates) < 0.3
                && place.share(place.prices) < 0.3;
            let heading = place.share(place.in_heading);
            let link = place.share(place.links);
            // A post has a title only in a heading; other records may be named by a link.
            let hint = (0.5 * place.share_of(place.title)).clamp(0.0, 1.0);
            let named = if is_post { heading } else { heading.max(0.5 * link).max(hint) };
            (is_possible && named >= 0.4 && !(place.is_in_body() && is_post)).then(|| {
                2.0 * heading + hint + link + single + (place.words as f32 / place.atoms as f32).min(8.0) / 8.0
            })
        })
    }

    /// Makes columns of places and labels, and gives each record its values.
    fn assemble(&mut self, drafts: &[Draft], values: &[Vec<Value>], places: &[Place], roles: Roles) -> GroupFields {
        let mut names = ColumnNames::new(self.document, self.texts);
        let mut fields = GroupFields { has_author: roles.author.is_some(), ..GroupFields::default() };
        let at_least = (0.1 * drafts.len() as f32).max(2.0);
        let mut records: Vec<Vec<(usize, Vec<String>)>> = Vec::with_capacity(drafts.len());
        for (draft, record) in drafts.iter().zip(values) {
            let mut own: Vec<(usize, Vec<String>)> = Vec::new();
            let mut put = |column: Option<usize>, text: String| {
                let Some(column) = column else { return };
                match own.iter_mut().find(|field| field.0 == column) {
                    Some(field) => field.1.push(text),
                    None => own.push((column, vec![text])),
                }
            };
            let author =
                self.choose(record, roles.author, |value| is_name(&value.text), draft.root, |hints| hints.author);
            let date = self.choose(record, roles.date, |value| is_date(&value.text), draft.root, |hints| hints.date);
            let title = record.iter().position(|value| Some(value.place) == roles.title);
            let is_price = |value: &Value| self.shapes[value.atom].is_some_and(|shape| shape.is_price);
            let price = roles.price.and_then(|place| {
                let own = record.iter().position(|value| value.place == place);
                own.or_else(|| record.iter().position(is_price))
            });
            for (role, at) in [(Role::Author, author), (Role::Date, date), (Role::Title, title), (Role::Price, price)] {
                if let Some(at) = at {
                    let text = match record[at].is_in_body {
                        true => self.texts.text(self.document, record[at].atom),
                        false => record[at].text.clone(),
                    };
                    put(names.role(role), text);
                }
            }
            if let Some(at) = title
                && let Some(link) = self.texts.atoms[record[at].atom].link
            {
                fields.has_linked_title = true;
                put(names.role(Role::Url), self.href(link));
            }
            let mut body = Vec::new();
            for (at, value) in record.iter().enumerate() {
                if [author, date, title, price].contains(&Some(at)) {
                    continue;
                }
                let place = &places[value.place];
                if value.is_in_body {
                    body.push(value.atom);
                } else if value.is_constant || Some(value.place) == roles.author || Some(value.place) == roles.date {
                    continue;
                } else if let Some(label) = value.label {
                    let label_of = |value: &Value| self.label_before(record, value);
                    put(names.label(label, || label_of(value)), value.text.clone());
                } else if place.records as f32 >= at_least {
                    put(names.place(value.place, place.first, draft.root), value.text.clone());
                }
            }
            if !body.is_empty() {
                let mut text = String::new();
                self.texts.append(self.document, body.into_iter(), &mut text);
                fields.has_text = true;
                put(names.role(Role::Text), text);
            }
            if !roles.is_post {
                if title.is_none_or(|at| self.texts.atoms[record[at].atom].link.is_none())
                    && let Some(link) = self.first_link(draft)
                {
                    put(names.role(Role::Url), self.href(link));
                }
                if let Some(image) = self.first_image(draft) {
                    put(names.role(Role::Image), image);
                }
            }
            records.push(own);
        }
        fields.is_cut = names.is_cut;
        (fields.columns, fields.records) = in_order(names, records);
        fields
    }

    /// The value of a role in a record: that of the column, or the value that elements say it is.
    fn choose(
        &mut self,
        record: &[Value],
        place: Option<usize>,
        fits: impl Fn(&Value) -> bool,
        root: NodeId,
        hint: impl Fn(FieldHints) -> i8,
    ) -> Option<usize> {
        let place = place?;
        // Of the one who wrote it and the one who edited it, the first counts.
        let mut own = (0..record.len()).filter(|at| record[*at].place == place);
        let first = own.clone().next();
        let found = own.find(|at| !self.is_edited(record, *at)).or(first);
        found.or_else(|| {
            let mut best: Option<(i8, usize)> = None;
            for (at, value) in record.iter().enumerate() {
                if value.is_in_body || value.is_constant || !fits(value) {
                    continue;
                }
                let score = hint(self.atom_hints(value.atom, root));
                if score >= 1 && best.is_none_or(|best| score > best.0) {
                    best = Some((score, at));
                }
            }
            best.map(|best| best.1)
        })
    }

    /// Whether a value is about a later change of the record: it or the date before it says so.
    fn is_edited(&self, record: &[Value], at: usize) -> bool {
        let mut before = record[..at].iter().rev().take(MAX_BEFORE);
        let date = before.find(|value| self.shapes[value.atom].is_some_and(|shape| shape.is_date));
        is_about_editing(&record[at].text) || date.is_some_and(|date| is_about_editing(&date.text))
    }

    fn label_before(&self, record: &[Value], value: &Value) -> String {
        let original = self.texts.text(self.document, value.atom);
        if let Some((label, rest)) = split_label(&original)
            && rest == value.text
        {
            return label.to_string();
        }
        let at = record.iter().position(|other| other.atom == value.atom).unwrap_or_default();
        let label = record[..at].iter().rev().find(|other| other.is_constant && other.label.is_none());
        label.map_or_else(String::new, |label| clean_label(&label.text).to_string())
    }

    fn href(&self, link: NodeId) -> String {
        self.document.attribute(link, Name::HREF).unwrap_or_default().trim().to_string()
    }

    fn first_link(&self, draft: &Draft) -> Option<NodeId> {
        let is_link = |id: &NodeId| {
            self.document.html_name(*id) == Name::A && self.document.attribute(*id, Name::HREF).is_some_and(is_address)
        };
        let around = self.document.ancestors(draft.root).take(2);
        draft
            .nodes
            .iter()
            .flat_map(|node| self.document.subtree(*node))
            .map(|at| NodeId(at as u32))
            .find(is_link)
            .or_else(|| {
                let mut around = around;
                around.find(is_link)
            })
    }

    fn first_image(&self, draft: &Draft) -> Option<String> {
        draft.nodes.iter().find_map(|node| {
            let first = self.texts.images.partition_point(|image| image < node);
            let images = self.texts.images[first..].iter().take_while(|image| **image < self.document.end(*node));
            images.take(MAX_IMAGES).find_map(|image| {
                let source = |name: &str| {
                    let name = self.document.name_of(name)?;
                    self.document.attribute(*image, name).map(str::trim).filter(|source| is_address(source))
                };
                // Images that are loaded later have another one in their place.
                let names = ["data-src", "data-lazy-src", "data-original", "src"];
                names.into_iter().find_map(source).map(str::to_string)
            })
        })
    }
}

/// The fields of a record: columns and values.
pub(crate) type RecordFields = Vec<(usize, Vec<String>)>;

/// The names of the columns in their final order, and the fields of all records in that order.
pub(crate) fn in_order(names: ColumnNames<'_>, mut records: Vec<RecordFields>) -> (Vec<String>, Vec<RecordFields>) {
    let (columns, numbers) = names.finish();
    for record in &mut records {
        record.iter_mut().for_each(|field| field.0 = numbers[field.0]);
        record.sort_by_key(|field| field.0);
    }
    (columns, records)
}

/// How many values before another one are searched for its date.
const MAX_BEFORE: usize = 3;
const MAX_IMAGES: usize = 4;
/// How many elements around a text are asked whether they hold the text of a record.
pub(crate) const MAX_BODY_DEPTH: usize = 24;

/// Whether an attribute is an address, and not a script, a place on the page or data.
fn is_address(href: &str) -> bool {
    let href = href.trim();
    !href.is_empty()
        && !href.starts_with('#')
        && !["javascript:", "data:", "mailto:", "tel:"].iter().any(|scheme| href.starts_with(scheme))
}

struct Roles {
    author: Option<usize>,
    date: Option<usize>,
    price: Option<usize>,
    title: Option<usize>,
    is_post: bool,
}
