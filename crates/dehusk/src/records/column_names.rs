//! Names the columns of a group: by their meaning, by their label, or by their place in the record.
//!
//! Input: what a column is, in the order in which values are met. Output: the names, no two alike, those with a known meaning first.

use super::page_texts::PageTexts;
use crate::dom::elements::classes;
use crate::dom::{Document, NodeId};
use std::collections::HashMap;

/// Columns that a group has at most.
pub(crate) const MAX_COLUMNS: usize = 100;
/// Longest name, in characters.
const MAX_NAME: usize = 40;
/// Elements around a text that are asked for a class.
const MAX_LEVELS: usize = 4;

/// Columns with a known meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Role {
    Title,
    Url,
    Image,
    Price,
    Author,
    Date,
    Text,
}

/// What a column is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Role(u8),
    Label(u64),
    Place(usize),
    Cell(usize),
}

pub(crate) struct ColumnNames<'a> {
    document: &'a Document,
    texts: &'a PageTexts,
    by_key: HashMap<Key, usize>,
    names: Vec<(Key, String)>,
    /// Whether columns were left out.
    pub(crate) is_cut: bool,
}

impl<'a> ColumnNames<'a> {
    pub(crate) fn new(document: &'a Document, texts: &'a PageTexts) -> ColumnNames<'a> {
        ColumnNames { document, texts, by_key: HashMap::new(), names: Vec::new(), is_cut: false }
    }

    /// The number of a column, if there is room for it. Columns with a known meaning always have it.
    fn column(&mut self, key: Key, name: impl FnOnce(&Self) -> String) -> Option<usize> {
        if let Some(column) = self.by_key.get(&key) {
            return Some(*column);
        }
        if self.names.len() >= MAX_COLUMNS - KNOWN.len() && !matches!(key, Key::Role(_)) {
            self.is_cut = true;
            return None;
        }
        let name = name(self);
        self.by_key.insert(key, self.names.len());
        self.names.push((key, name));
        Some(self.names.len() - 1)
    }

    /// The column of a known meaning.
    pub(crate) fn role(&mut self, role: Role) -> Option<usize> {
        let name = match role {
            Role::Title => "title",
            Role::Url => "url",
            Role::Image => "image",
            Role::Price => "price",
            Role::Author => "author",
            Role::Date => "date",
            Role::Text => "text",
        };
        self.column(Key::Role(role as u8), |_| name.to_string())
    }

    /// The column of what follows a label, given the hash of the label.
    pub(crate) fn label(&mut self, label: u64, text: impl FnOnce() -> String) -> Option<usize> {
        self.column(Key::Label(label), |_| short(&text()))
    }

    /// The column of a place, given a text there and its record.
    pub(crate) fn place(&mut self, place: usize, atom: usize, root: NodeId) -> Option<usize> {
        self.column(Key::Place(place), |names| names.place_name(atom, root))
    }

    /// The column of a cell, given the text of its head.
    pub(crate) fn cell(&mut self, number: usize, head: String) -> Option<usize> {
        self.column(
            Key::Cell(number),
            |_| if head.is_empty() { format!("column {}", number + 1) } else { short(&head) },
        )
    }

    /// The class of the nearest element that has one, or the tag.
    fn place_name(&self, atom: usize, root: NodeId) -> String {
        let node = self.texts.atoms[atom].node;
        let own = self.document.is_element(node).then_some(node);
        let around =
            || own.into_iter().chain(self.document.ancestors(node)).take_while(|id| *id > root).take(MAX_LEVELS);
        let class = around().find_map(|id| {
            let class = classes(self.document, id).next()?;
            let plain: String = class.chars().filter(|c| !c.is_ascii_digit()).collect();
            let plain = plain.trim_matches(|c: char| !c.is_alphanumeric()).to_string();
            (plain.len() > 2).then_some(plain)
        });
        let tag = || around().next().map(|id| self.document.name_text(self.document.name(id)).to_string());
        short(&class.or_else(tag).unwrap_or_else(|| "own text".to_string()))
    }

    /// The names in their final order, and for each column its number in that order.
    pub(crate) fn finish(self) -> (Vec<String>, Vec<usize>) {
        let rank = |key: &Key| match key {
            Key::Role(role) => usize::from(*role),
            _ => usize::MAX,
        };
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|column| (rank(&self.names[*column].0), *column));
        let mut numbers = vec![0; order.len()];
        let mut names: Vec<String> = Vec::new();
        for (number, column) in order.into_iter().enumerate() {
            numbers[column] = number;
            let (key, name) = &self.names[column];
            // Names with a meaning are kept for what has it.
            let is_taken = |name: &str, names: &[String]| {
                names.iter().any(|other| other == name) || (!matches!(key, Key::Role(_)) && KNOWN.contains(&name))
            };
            let mut unique = name.clone();
            let mut count = 2;
            while is_taken(&unique, &names) {
                unique = format!("{name} {count}");
                count += 1;
            }
            names.push(unique);
        }
        (names, numbers)
    }
}

/// Names of columns with a known meaning.
pub(crate) const KNOWN: [&str; 7] = ["title", "url", "image", "price", "author", "date", "text"];

/// A label without the colon and white space around it.
pub(crate) fn clean_label(text: &str) -> &str {
    text.trim().trim_end_matches(':').trim()
}

fn short(name: &str) -> String {
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    name.chars().take(MAX_NAME).collect()
}
