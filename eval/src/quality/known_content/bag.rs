//! Things counted without order.

use std::collections::BTreeMap;

/// A multiset of texts.
#[derive(Default)]
pub(super) struct Bag(BTreeMap<String, usize>);

impl Bag {
    pub(super) fn add(&mut self, item: String) {
        *self.0.entry(item).or_default() += 1;
    }

    /// Takes an item out once, if it is there.
    pub(super) fn remove(&mut self, item: &str) {
        if let Some(count) = self.0.get_mut(item) {
            *count = count.saturating_sub(1);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.values().sum()
    }

    pub(super) fn count(&self, item: &str) -> usize {
        self.0.get(item).copied().unwrap_or_default()
    }

    /// How many things are in both.
    pub(super) fn shared(&self, other: &Bag) -> usize {
        self.0.iter().map(|(item, count)| other.count(item).min(*count)).sum()
    }
}

impl FromIterator<String> for Bag {
    fn from_iter<I: IntoIterator<Item = String>>(items: I) -> Bag {
        let mut bag = Bag::default();
        items.into_iter().for_each(|item| bag.add(item));
        bag
    }
}
