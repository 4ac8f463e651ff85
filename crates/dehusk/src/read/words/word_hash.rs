//! The hash of a word, for words of texts, titles and class names, and the words of a text.

use crate::dom::text::is_spaceless;

/// A word as a number: the FNV-1a hash of its lower-case letters. It is computed byte by byte while a text is split into words, so no
/// word is ever copied. Slots of words are stored in model files, so the hash cannot change without fitting the models again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WordHash(pub u64);

impl WordHash {
    /// The hash of no letters.
    pub(crate) const START: WordHash = WordHash(0xcbf2_9ce4_8422_2325);

    /// The hash of a word in lower case.
    pub fn of(word: &str) -> WordHash {
        let mut hash = WordHash::START;
        for character in word.chars() {
            match u8::try_from(character) {
                Ok(byte) if byte.is_ascii() => hash.push(byte),
                _ => hash.push_wide(character),
            }
        }
        hash
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// Pushes a lower-case character that is not ASCII.
    #[inline(always)]
    pub(crate) fn push_wide(&mut self, character: char) {
        (character as u32).to_le_bytes().into_iter().for_each(|byte| self.push(byte));
    }

    /// The word's slot among 65,536.
    #[inline(always)]
    pub fn slot16(self) -> u16 {
        ((self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
    }
}

/// Bytes of words in lower case, 0 for other bytes.
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

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordKind {
    /// A run of letters, digits and underscores.
    Word,
    /// A character of a script without spaces.
    Character,
}

/// Calls `each` with each of the first `limit` words, by which texts are compared with others and looked up in lists. Words are runs of letters, digits and underscores in lower case,
/// and single characters of scripts without spaces.
pub fn each_word(text: &str, limit: usize, mut each: impl FnMut(WordHash, WordKind)) {
    let mut left = limit;
    let (mut word, mut inside) = (WordHash::START, false);
    let mut bytes = text.as_bytes();
    while left > 0
        && let Some(byte) = bytes.first().copied()
    {
        let letter = LETTERS[byte as usize];
        if letter != 0 {
            word.push(letter);
            inside = true;
            bytes = &bytes[1..];
            continue;
        }
        if byte.is_ascii() {
            if inside {
                each(word, WordKind::Word);
                (word, inside, left) = (WordHash::START, false, left - 1);
            }
            bytes = &bytes[1..];
            continue;
        }
        let Some(character) = text[text.len() - bytes.len()..].chars().next() else { break };
        let spaceless = is_spaceless(character);
        if inside && (spaceless || !character.is_alphanumeric()) {
            each(word, WordKind::Word);
            (word, inside, left) = (WordHash::START, false, left - 1);
            continue;
        }
        bytes = &bytes[character.len_utf8()..];
        if character.is_alphanumeric() {
            for lower in character.to_lowercase() {
                word.push_wide(lower);
            }
            inside = true;
            if spaceless {
                each(word, WordKind::Character);
                (word, inside, left) = (WordHash::START, false, left - 1);
            }
        }
    }
    if inside && left > 0 {
        each(word, WordKind::Word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<WordHash> {
        let mut words = Vec::new();
        each_word(text, 60, |word, _| words.push(word));
        words
    }

    #[test]
    fn words_are_found_regardless_of_punctuation() {
        assert_eq!(words("Add to cart!"), words(" add (TO)  CART"));
        assert_eq!(words("Über uns"), words("über-uns"));
        assert_eq!(words("新着情報").len(), 4);
        assert_eq!(words("").len(), 0);
        assert_ne!(words("cart"), words("card"));
        assert_eq!(words("Größe, 港!"), [WordHash::of("größe"), WordHash::of("港")]);
        assert_eq!(words(&"word ".repeat(99)).len(), 60);
    }
}
