//! What is known about each place of the records of a group: how many records have it, and what its texts are like.

use super::field_hints::FieldHints;
use super::page_texts::Atom;

/// What the text of an atom looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) is_date: bool,
    pub(crate) is_price: bool,
    pub(crate) is_name: bool,
}

/// What is known about one place of the records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) records: u32,
    pub(crate) last: u32,
    pub(crate) atoms: u32,
    pub(crate) words: u32,
    pub(crate) dates: u32,
    pub(crate) prices: u32,
    pub(crate) names: u32,
    pub(crate) links: u32,
    pub(crate) in_heading: u32,
    pub(crate) in_body: u32,
    pub(crate) author: i32,
    pub(crate) date: i32,
    pub(crate) price: i32,
    pub(crate) title: i32,
    pub(crate) first: usize,
    /// The value that came first, and whether another one came.
    pub(crate) value: u64,
    pub(crate) varies: bool,
}

impl Place {
    /// Adds an atom; inside the body of a record it has no shape.
    pub(crate) fn add(&mut self, record: u32, shape: Option<Shape>, hash: u64, hints: FieldHints, atom: &Atom) {
        self.records += u32::from(self.last != record);
        self.last = record;
        self.atoms += 1;
        self.words += atom.words;
        self.links += u32::from(atom.link.is_some());
        self.in_heading += u32::from(atom.is_in_heading);
        self.in_body += u32::from(shape.is_none());
        self.varies |= hash != self.value;
        if let Some(shape) = shape {
            self.dates += u32::from(shape.is_date);
            self.prices += u32::from(shape.is_price);
            self.names += u32::from(shape.is_name);
            self.author += i32::from(hints.author);
            self.date += i32::from(hints.date);
            self.price += i32::from(hints.price);
            self.title += i32::from(hints.title);
        }
    }

    pub(crate) fn share(&self, part: u32) -> f32 {
        part as f32 / self.atoms.max(1) as f32
    }

    pub(crate) fn share_of(&self, sum: i32) -> f32 {
        sum as f32 / self.atoms.max(1) as f32
    }

    pub(crate) fn is_in_body(&self) -> bool {
        2 * self.in_body > self.atoms
    }
}

/// The place with the highest score, the first of several.
pub(crate) fn best(places: &[Place], mut score: impl FnMut(&Place) -> Option<f32>) -> Option<usize> {
    let mut best: Option<(f32, usize)> = None;
    for (number, place) in places.iter().enumerate() {
        if let Some(score) = score(place)
            && best.is_none_or(|best| score > best.0)
        {
            best = Some((score, number));
        }
    }
    best.map(|best| best.1)
}
