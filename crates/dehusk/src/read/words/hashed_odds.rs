//! Log-odds of words in content vs. elsewhere: for words of the text, and for words of class and id names.
//!
//! They are fitted on pages with known content and stored in tables indexed by hash, so the tables contain no text of any page. A
//! word that was not seen in training has log-odds 0. Input: texts and names. Output: log-odds, which are features for the trees.

use crate::error::Error;
use crate::model::{Array, ModelFile};
use crate::read::words::word_hash::WordHash;
use xxhash_rust::xxh3::xxh3_64;

/// Slots of a table. Few frequent words share one: the training pages have some 200,000 distinct words, most of which occur once.
pub const ODDS_SLOTS: usize = 1 << 16;
/// Quantization steps per unit of log-odds.
const STEPS: f32 = 24.0;
/// Weight of the names of an element for its children. It decays by this factor with each level.
const DECAY: f32 = 0.7;

/// Log-odds of words in a table indexed by hash. Words in the same slot share a value.
#[derive(Clone, PartialEq, Debug)]
pub struct HashedOdds {
    slots: Vec<i8>,
    /// A hash of the slots, which identifies the table to caches.
    id: u64,
}

impl Default for HashedOdds {
    /// All log-odds are 0.
    fn default() -> HashedOdds {
        HashedOdds::of_slots(vec![0; ODDS_SLOTS])
    }
}

impl HashedOdds {
    /// A table of the given log-odds, one for each of [`ODDS_SLOTS`].
    pub fn new(odds: impl Iterator<Item = f32>) -> HashedOdds {
        let mut slots: Vec<i8> = odds.take(ODDS_SLOTS).map(|odds| (odds * STEPS).round() as i8).collect();
        slots.resize(ODDS_SLOTS, 0);
        HashedOdds::of_slots(slots)
    }

    fn of_slots(slots: Vec<i8>) -> HashedOdds {
        let bytes: Vec<u8> = slots.iter().map(|slot| *slot as u8).collect();
        HashedOdds { id: xxh3_64(&bytes), slots }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// How many slots have log-odds other than 0.
    pub fn known(&self) -> usize {
        self.slots.iter().filter(|slot| **slot != 0).count()
    }

    /// The log-odds of a word, 0 if it was not seen in training.
    #[inline(always)]
    pub fn of(&self, slot: u16) -> f32 {
        self.slots[slot as usize] as f32 / STEPS
    }

    /// Adds the table to a file, as an array of this name.
    pub fn write(&self, name: &str, file: &mut ModelFile) {
        file.set(name, Array::U8(self.slots.iter().map(|slot| *slot as u8).collect()));
    }

    /// Reads a table.
    ///
    /// # Errors
    /// If the file has no such array.
    pub fn read(name: &str, file: &ModelFile) -> Result<HashedOdds, Error> {
        let mut slots: Vec<i8> = file.u8s(name)?.iter().map(|slot| *slot as i8).collect();
        slots.resize(ODDS_SLOTS, 0);
        Ok(HashedOdds::of_slots(slots))
    }
}

/// The log-odds tables of a fusion model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Odds {
    /// Words of the text.
    pub text: HashedOdds,
    /// Words of class and id names.
    pub names: HashedOdds,
}

impl Odds {
    pub(crate) fn write(&self, file: &mut ModelFile) {
        self.text.write("odds.text", file);
        self.names.write("odds.names", file);
    }

    pub(crate) fn read(file: &ModelFile) -> Result<Odds, Error> {
        Ok(Odds { text: HashedOdds::read("odds.text", file)?, names: HashedOdds::read("odds.names", file)? })
    }
}

/// Log-odds of the words of a text block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextOdds {
    words: u16,
    sum: f32,
    /// The sum with each word clipped to -2 to 2.
    clipped: f32,
}

impl TextOdds {
    #[inline(always)]
    pub(crate) fn add_word(&mut self, slot: u16, odds: &HashedOdds) {
        let odds = odds.of(slot);
        self.words += 1;
        self.sum += odds;
        self.clipped += odds.clamp(-2.0, 2.0);
    }

    /// Adds a word that says nothing.
    pub(crate) fn add_neutral(&mut self) {
        self.words += 1;
    }

    pub(crate) fn mean(&self) -> f32 {
        self.sum / self.words.max(1) as f32
    }

    pub(crate) fn clipped(&self) -> f32 {
        self.clipped
    }
}

/// Log-odds of the names of one element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementOdds {
    count: f32,
    sum: f32,
    lowest: f32,
}

impl ElementOdds {
    pub(crate) fn add(&mut self, word: WordHash, odds: &HashedOdds) {
        let odds = odds.of(word.slot16());
        self.count += 1.0;
        self.sum += odds;
        self.lowest = self.lowest.min(odds);
    }
}

/// Log-odds of the names of an element and its ancestors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameOdds {
    count: f32,
    sum: f32,
    pub(crate) lowest: f32,
    /// The mean of the element itself, and that of its parent.
    pub(crate) own: f32,
    pub(crate) above: f32,
}

impl NameOdds {
    /// The log-odds of an element inside another.
    pub(crate) fn inside(outer: &NameOdds, own: ElementOdds) -> NameOdds {
        NameOdds {
            count: own.count + DECAY * outer.count,
            sum: own.sum + DECAY * outer.sum,
            lowest: own.lowest.min(outer.lowest),
            own: own.sum / own.count.max(1.0),
            above: outer.own,
        }
    }

    pub(crate) fn mean(&self) -> f32 {
        self.sum / self.count.max(0.01)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_names_decay_with_depth() {
        let odds = HashedOdds::new((0..ODDS_SLOTS).map(|_| 1.0));
        let mut own = ElementOdds::default();
        own.add(WordHash::START, &odds);
        let outer = NameOdds::inside(&NameOdds::default(), own);
        let inner = NameOdds::inside(&outer, ElementOdds::default());
        assert_eq!((outer.mean(), outer.own, outer.above), (1.0, 1.0, 0.0));
        assert_eq!((inner.own, inner.above), (0.0, 1.0));
        let unknown = HashedOdds::default();
        own.add(WordHash::START, &unknown);
        assert!(NameOdds::inside(&NameOdds::default(), own).mean() < 1.0);
    }
}
