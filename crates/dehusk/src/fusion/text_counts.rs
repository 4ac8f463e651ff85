//! Counts of a text: its words and characters, by kind.
//!
//! Input: one text. Output: its counts, which add up over texts. Counts of links, bold and code depend on the elements around the text;
//! the caller fills them in. Block and PageLevel have counters of their own (in `features`), because their models were fitted on
//! other definitions. They can be joined when the models are fitted anew.

use crate::dom::text::is_spaceless;

/// Counts of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextCounts {
    /// Characters that are not white space.
    pub(crate) characters: u32,
    pub(crate) words: u32,
    pub(crate) link_words: u32,
    pub(crate) link_characters: u32,
    pub(crate) digits: u32,
    pub(crate) capitals: u32,
    /// Words that start with an upper-case letter.
    pub(crate) capital_words: u32,
    /// Words of up to three characters.
    pub(crate) short_words: u32,
    /// Full stops, exclamation and question marks at the end of a word.
    pub(crate) sentence_ends: u32,
    pub(crate) commas: u32,
    /// ASCII punctuation.
    pub(crate) marks: u32,
    pub(crate) bold_characters: u32,
    pub(crate) code_characters: u32,
    /// Words that link to an anchor on the same page.
    pub(crate) inner_link_words: u32,
    /// Words that link to an absolute URL.
    pub(crate) outer_link_words: u32,
}

impl TextCounts {
    /// Counts a text.
    pub(crate) fn of(text: &str) -> TextCounts {
        if text.is_ascii() { count_ascii(text.as_bytes()) } else { count(text) }
    }

    pub(crate) fn add(&mut self, other: &TextCounts) {
        self.characters += other.characters;
        self.words += other.words;
        self.link_words += other.link_words;
        self.link_characters += other.link_characters;
        self.digits += other.digits;
        self.capitals += other.capitals;
        self.capital_words += other.capital_words;
        self.short_words += other.short_words;
        self.sentence_ends += other.sentence_ends;
        self.commas += other.commas;
        self.marks += other.marks;
        self.bold_characters += other.bold_characters;
        self.code_characters += other.code_characters;
        self.inner_link_words += other.inner_link_words;
        self.outer_link_words += other.outer_link_words;
    }
}

fn count(text: &str) -> TextCounts {
    let mut counts = TextCounts::default();
    let mut scan = Scan { in_word: false, length: 0, last: ' ' };
    text.chars().for_each(|character| scan.step(character, &mut counts));
    scan.step(' ', &mut counts);
    counts
}

/// The classes of each byte, one bit for each class below.
const CLASSES: [u8; 256] = {
    let mut classes = [INSIDE; 256];
    let mut byte = 0u8;
    while byte < 128 {
        let class = &mut classes[byte as usize];
        if matches!(byte, b'\t'..=b'\r' | b' ') {
            *class = 0;
        } else if byte.is_ascii_digit() {
            *class |= DIGIT;
        } else if byte.is_ascii_uppercase() {
            *class |= CAPITAL;
        } else if byte.is_ascii_punctuation() {
            *class |= MARK;
        }
        match byte {
            b',' => *class |= COMMA,
            b'.' | b'!' | b'?' => *class |= END,
            _ => {}
        }
        byte += 1;
    }
    classes
};
const INSIDE: u8 = 1;
const DIGIT: u8 = 2;
const CAPITAL: u8 = 4;
const COMMA: u8 = 8;
const MARK: u8 = 16;
const END: u8 = 32;

/// What each byte adds to five counts of 12 bits each: characters, digits, capitals, commas, marks.
const WEIGHTS: [u64; 256] = {
    let (mut weights, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let class = CLASSES[byte] as u64;
        let mut bit = 0;
        while bit < 5 {
            weights[byte] |= (class >> bit & 1) << (WIDTH * bit);
            bit += 1;
        }
        byte += 1;
    }
    weights
};
const WIDTH: u32 = 12;
/// Maximum number of bytes before a count could overflow.
const MAX_CHUNK_BYTES: usize = (1 << WIDTH) - 1;

/// [`count`] for ASCII, without branches, because a processor cannot predict where words end.
fn count_ascii(text: &[u8]) -> TextCounts {
    let mut counts = TextCounts::default();
    let (mut before, mut length) = (0u8, 0u32);
    for chunk in text.chunks(MAX_CHUNK_BYTES) {
        let mut sum = 0u64;
        for byte in chunk {
            let class = CLASSES[*byte as usize];
            let (begins, ends) = (class & !before & INSIDE, before & !class & INSIDE);
            sum += WEIGHTS[*byte as usize];
            counts.words += begins as u32;
            counts.capital_words += ((class / CAPITAL) & begins) as u32;
            counts.short_words += ends as u32 & (length <= 3) as u32;
            counts.sentence_ends += ((before / END) & ends) as u32;
            length = (length + 1) * (class & INSIDE) as u32;
            before = class;
        }
        let count = |number: u32| (sum >> (WIDTH * number)) as u32 & MAX_CHUNK_BYTES as u32;
        counts.characters += count(0);
        counts.digits += count(1);
        counts.capitals += count(2);
        counts.commas += count(3);
        counts.marks += count(4);
    }
    counts.short_words += (before & INSIDE) as u32 & (length <= 3) as u32;
    counts.sentence_ends += ((before / END) & 1) as u32;
    counts
}

/// Reads a text character by character.
struct Scan {
    in_word: bool,
    length: u32,
    last: char,
}

impl Scan {
    #[inline(always)]
    fn step(&mut self, character: char, counts: &mut TextCounts) {
        if character.is_whitespace() {
            if self.in_word {
                self.in_word = false;
                counts.short_words += (self.length <= 3) as u32;
                counts.sentence_ends += is_sentence_end(self.last) as u32;
            }
            return;
        }
        counts.characters += 1;
        let spaceless = !character.is_ascii() && is_spaceless(character);
        if spaceless || !self.in_word {
            counts.words += 1;
            counts.capital_words += (!spaceless && character.is_uppercase()) as u32;
            self.length = 0;
            self.in_word = true;
        }
        self.length += 1;
        if character.is_ascii() {
            counts.digits += character.is_ascii_digit() as u32;
            counts.capitals += character.is_ascii_uppercase() as u32;
            counts.commas += (character == ',') as u32;
            counts.marks += character.is_ascii_punctuation() as u32;
        } else {
            counts.capitals += character.is_uppercase() as u32;
            counts.commas += matches!(character, '、' | '，' | '،') as u32;
            // Full stops of scripts without spaces end a sentence anywhere, not only at the end of a word.
            counts.sentence_ends += matches!(character, '。' | '！' | '？') as u32;
        }
        self.last = character;
    }
}

pub(crate) fn is_sentence_end(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '…' | '։' | '؟' | '।' | '۔')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_counted_like_any_text() {
        let all: String = (0u8..128).map(char::from).collect();
        let mixed = "It is 7 a.m., said A. B! (Not C?) x, yy zzz four\tEnd.\u{b}a \u{1c}b";
        for text in [all.as_str(), mixed, "", " ", ".", "a", "ABC d.", "Four. Five5 ", &"A, 1.".repeat(3000)] {
            let (one, two) = (count_ascii(text.as_bytes()), count(text));
            assert_eq!(format!("{one:?}"), format!("{two:?}"), "{text:?}");
        }
    }
}
