//! What words say of where they stand: for words of the text, and for words of class and id, how much oftener they stand in content
//! than outside of it.
//!
//! Learned from pages whose content is known, kept as a table of hashes, so that no text of any page is in it. A word that was never
//! seen says nothing. Takes texts and names, returns log-odds; other features and the trees weigh them.

use super::word_key::Key;
use crate::dom::text::is_spaceless;
use crate::error::Error;
use crate::model::{Array, ModelFile};
use xxhash_rust::xxh3::xxh3_64;

/// Places of a table. Few words share one: pages of the corpora hold some 200,000 words, most of them once.
pub const SLOTS: usize = 1 << 16;
/// Steps per unit of log-odds.
const STEPS: f32 = 24.0;
/// Words of a block that are looked up; what follows in a longer text adds little.
pub(crate) const MOST_WORDS: usize = 60;
/// How much the names of an element count for the elements in it, from each to the next.
const FADING: f32 = 0.7;

/// Log-odds of words, by hash.
#[derive(Clone, PartialEq, Debug)]
pub struct WordOdds {
    slots: Vec<i8>,
    /// A hash of them, by which what was looked up before is known to be still right.
    id: u64,
}

impl Default for WordOdds {
    /// Nothing is known.
    fn default() -> WordOdds {
        WordOdds::of_slots(vec![0; SLOTS])
    }
}

impl WordOdds {
    /// A table of given log-odds, one for each of [`SLOTS`].
    pub fn new(odds: impl Iterator<Item = f32>) -> WordOdds {
        let mut slots: Vec<i8> = odds.take(SLOTS).map(|odds| (odds * STEPS).round() as i8).collect();
        slots.resize(SLOTS, 0);
        WordOdds::of_slots(slots)
    }

    fn of_slots(slots: Vec<i8>) -> WordOdds {
        let bytes: Vec<u8> = slots.iter().map(|slot| *slot as u8).collect();
        WordOdds { id: xxh3_64(&bytes), slots }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    #[inline(always)]
    pub(crate) fn of(&self, slot: u16) -> f32 {
        self.slots[slot as usize] as f32 / STEPS
    }

    fn write(&self, name: &str, file: &mut ModelFile) {
        file.set(name, Array::U8(self.slots.iter().map(|slot| *slot as u8).collect()));
    }

    fn read(name: &str, file: &ModelFile) -> Result<WordOdds, Error> {
        let mut slots: Vec<i8> = file.u8s(name)?.iter().map(|slot| *slot as i8).collect();
        slots.resize(SLOTS, 0);
        Ok(WordOdds::of_slots(slots))
    }
}

/// Both tables.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Odds {
    /// Words of the text.
    pub text: WordOdds,
    /// Words of class and id.
    pub names: WordOdds,
}

impl Odds {
    pub(crate) fn write(&self, file: &mut ModelFile) {
        self.text.write("odds.text", file);
        self.names.write("odds.names", file);
    }

    pub(crate) fn read(file: &ModelFile) -> Result<Odds, Error> {
        Ok(Odds { text: WordOdds::read("odds.text", file)?, names: WordOdds::read("odds.names", file)? })
    }
}

/// What the words of a text block say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextOdds {
    words: u16,
    sum: f32,
    clipped: f32,
}

impl TextOdds {
    /// Adds a text of the block, and gives the places of its words.
    pub(crate) fn add(&mut self, text: &str, odds: &WordOdds, mut each: impl FnMut(u16)) {
        each_text_word(text, MOST_WORDS - self.words as usize, |slot| {
            let odds = odds.of(slot);
            self.words += 1;
            self.sum += odds;
            self.clipped += odds.clamp(-2.0, 2.0);
            each(slot);
        });
    }

    pub(crate) fn mean(&self) -> f32 {
        self.sum / self.words.max(1) as f32
    }

    pub(crate) fn clipped(&self) -> f32 {
        self.clipped
    }
}

/// What the names of one element say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnNames {
    count: f32,
    sum: f32,
    lowest: f32,
}

impl OwnNames {
    pub(crate) fn add(&mut self, key: Key, odds: &WordOdds) {
        let odds = odds.of(key.slot16());
        self.count += 1.0;
        self.sum += odds;
        self.lowest = self.lowest.min(odds);
    }
}

/// What the names of an element and of those around it say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NameOdds {
    count: f32,
    sum: f32,
    pub(crate) lowest: f32,
    pub(crate) own: f32,
    pub(crate) above: f32,
}

impl NameOdds {
    /// An element in another.
    pub(crate) fn inside(outer: &NameOdds, own: OwnNames) -> NameOdds {
        NameOdds {
            count: own.count + FADING * outer.count,
            sum: own.sum + FADING * outer.sum,
            lowest: own.lowest.min(outer.lowest),
            own: own.sum / own.count.max(1.0),
            above: outer.own,
        }
    }

    pub(crate) fn mean(&self) -> f32 {
        self.sum / self.count.max(0.01)
    }
}

/// Bytes of words as small letters, others as 0.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            letters[byte as usize] = byte | 0x20;
        }
        byte += 1;
    }
    letters
};

/// Calls for the place of each of the first `most` words: runs of letters, digits and underscores in small letters, and single
/// characters of scripts that write no spaces.
pub(crate) fn each_text_word(text: &str, most: usize, mut each: impl FnMut(u16)) {
    let mut left = most;
    let (mut key, mut inside) = (Key::START, false);
    let mut bytes = text.as_bytes();
    while left > 0
        && let Some(byte) = bytes.first().copied()
    {
        let letter = LETTERS[byte as usize];
        if letter != 0 {
            key.push(letter);
            inside = true;
            bytes = &bytes[1..];
            continue;
        }
        if byte.is_ascii() {
            if inside {
                each(key.slot16());
                (key, inside, left) = (Key::START, false, left - 1);
            }
            bytes = &bytes[1..];
            continue;
        }
        let Some(character) = text[text.len() - bytes.len()..].chars().next() else { break };
        let spaceless = is_spaceless(character);
        if inside && (spaceless || !character.is_alphanumeric()) {
            each(key.slot16());
            (key, inside, left) = (Key::START, false, left - 1);
            continue;
        }
        bytes = &bytes[character.len_utf8()..];
        if character.is_alphanumeric() {
            for lower in character.to_lowercase() {
                (lower as u32).to_le_bytes().into_iter().for_each(|byte| key.push(byte));
            }
            inside = true;
            if spaceless {
                each(key.slot16());
                (key, inside, left) = (Key::START, false, left - 1);
            }
        }
    }
    if inside && left > 0 {
        each(key.slot16());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(text: &str) -> Vec<u16> {
        let mut slots = Vec::new();
        each_text_word(text, MOST_WORDS, |slot| slots.push(slot));
        slots
    }

    #[test]
    fn words_are_found_whatever_stands_around_them() {
        assert_eq!(slots("Add to cart!"), slots(" add (TO)  CART"));
        assert_eq!(slots("Über uns"), slots("über-uns"));
        assert_eq!(slots("新着情報").len(), 4);
        assert_eq!(slots("").len(), 0);
        assert_ne!(slots("cart"), slots("card"));
        assert_eq!(slots(&"word ".repeat(99)).len(), MOST_WORDS);
    }

    #[test]
    fn names_fade_from_outside_in() {
        let odds = WordOdds::new((0..SLOTS).map(|_| 1.0));
        let mut own = OwnNames::default();
        own.add(Key::START, &odds);
        let outer = NameOdds::inside(&NameOdds::default(), own);
        let inner = NameOdds::inside(&outer, OwnNames::default());
        assert_eq!((outer.mean(), outer.own, outer.above), (1.0, 1.0, 0.0));
        assert_eq!((inner.own, inner.above), (0.0, 1.0));
        let silent = WordOdds::default();
        own.add(Key::START, &silent);
        assert!(NameOdds::inside(&NameOdds::default(), own).mean() < 1.0);
    }
}
