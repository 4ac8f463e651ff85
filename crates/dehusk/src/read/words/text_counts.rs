//! Counts of a text: its words and characters, by kind.
//!
//! Input: one text. Output: its counts, which add up over texts. Counts of links, bold and code depend on the elements around the text;
//! the caller fills them in.

use crate::dom::text::is_spaceless;

/// Counts of a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextCounts {
    /// Characters that are not white space.
    pub characters: u32,
    /// Runs of characters between white space; each character of a script without spaces is one.
    pub words: u32,
    /// Words in links.
    pub link_words: u32,
    /// Characters in links.
    pub link_characters: u32,
    /// ASCII digits.
    pub digits: u32,
    /// Upper-case letters.
    pub capitals: u32,
    /// Words that start with an upper-case letter.
    pub capital_words: u32,
    /// Words of up to three characters.
    pub short_words: u32,
    /// Full stops, exclamation and question marks at the end of a word.
    pub sentence_ends: u32,
    /// Commas of all scripts.
    pub commas: u32,
    /// ASCII punctuation.
    pub marks: u32,
    /// Signs of copyright and trademarks.
    pub legal_signs: u32,
    /// Characters in bold.
    pub bold_characters: u32,
    /// Characters in code.
    pub code_characters: u32,
    /// Words that link to an anchor on the same page.
    pub inner_link_words: u32,
    /// Words that link to an absolute URL.
    pub outer_link_words: u32,
}

impl TextCounts {
    /// Counts a text.
    pub fn of(text: &str) -> TextCounts {
        if text.is_ascii() { count_ascii(text.as_bytes()) } else { count(text) }
    }

    /// Adds the counts of another text.
    pub fn add(&mut self, other: &TextCounts) {
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
        self.legal_signs += other.legal_signs;
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

/// [`count`] for ASCII. Words are found in sets of positions, 64 bytes at a time, because a processor cannot predict where words end.
fn count_ascii(text: &[u8]) -> TextCounts {
    let mut counts = TextCounts::default();
    let mut before = Positions::default();
    let (chunks, rest) = text.as_chunks::<CHUNK>();
    for chunk in chunks {
        before = count_chunk(chunk, before, &mut counts);
    }
    // The rest is shorter than a chunk, even if it is empty, so the last word ends in it.
    count_chunk(rest, before, &mut counts);
    counts
}

/// Counts up to 64 bytes, given the positions of the 64 bytes before them, and returns their positions.
fn count_chunk(chunk: &[u8], before: Positions, counts: &mut TextCounts) -> Positions {
    let mut classes = [0; CHUNK];
    let mut sum = 0u64;
    for (class, byte) in classes.iter_mut().zip(chunk) {
        *class = CLASSES[*byte as usize];
        sum += WEIGHTS[*byte as usize];
    }
    let count = |number: u32| (sum >> (WIDTH * number)) as u32 & ((1 << WIDTH) - 1);
    counts.characters += count(0);
    counts.digits += count(1);
    counts.capitals += count(2);
    counts.commas += count(3);
    counts.marks += count(4);
    let own = Positions::of(&classes, chunk.len());
    // The positions that come this many bytes after one that is inside a word.
    let after_inside = |bytes: u32| own.inside << bytes | before.inside >> (CHUNK as u32 - bytes);
    let begins = own.inside & !after_inside(1);
    let ends = !own.inside & after_inside(1);
    let after_long = after_inside(1) & after_inside(2) & after_inside(3) & after_inside(4);
    let after_end = own.end << 1 | before.end >> (CHUNK - 1);
    counts.words += begins.count_ones();
    counts.capital_words += (begins & own.capital).count_ones();
    counts.short_words += (ends & !after_long).count_ones();
    counts.sentence_ends += (ends & after_end).count_ones();
    own
}

/// The number of bytes that are counted at once.
const CHUNK: usize = 64;

/// Sets of positions in a chunk, by the class of the byte.
#[derive(Clone, Copy, Default)]
struct Positions {
    inside: u64,
    capital: u64,
    end: u64,
}

impl Positions {
    fn of(classes: &[u8; CHUNK], length: usize) -> Positions {
        let mut own = Positions::default();
        for (at, classes) in classes.as_chunks::<8>().0[..length.div_ceil(8)].iter().enumerate() {
            let classes = u64::from_le_bytes(*classes);
            // The lowest bits of eight bytes, side by side.
            let gathered = |class: u8| {
                let bits = classes >> class.trailing_zeros() & 0x0101_0101_0101_0101;
                (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at)
            };
            own.inside |= gathered(INSIDE);
            own.capital |= gathered(CAPITAL);
            own.end |= gathered(END);
        }
        own
    }
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
        let class = if character.is_ascii() { CLASSES[character as usize] } else { class_of(character) };
        if class & INSIDE == 0 {
            if self.in_word {
                self.in_word = false;
                counts.short_words += (self.length <= 3) as u32;
                counts.sentence_ends += is_sentence_end(self.last) as u32;
            }
            return;
        }
        let has = |wanted: u8| (class & wanted != 0) as u32;
        counts.characters += 1;
        let spaceless = !character.is_ascii() && is_spaceless(character);
        if spaceless || !self.in_word {
            counts.words += 1;
            counts.capital_words += if spaceless { 0 } else { has(CAPITAL) };
            self.length = 0;
            self.in_word = true;
        }
        self.length += 1;
        counts.digits += has(DIGIT);
        counts.capitals += has(CAPITAL);
        counts.commas += has(COMMA);
        counts.marks += has(MARK);
        // Full stops of scripts without spaces end a sentence anywhere, not only at the end of a word.
        counts.sentence_ends += matches!(character, '。' | '！' | '？') as u32;
        counts.legal_signs += matches!(character, '©' | '®' | '™') as u32;
        self.last = character;
    }
}

/// The classes of a character that is not ASCII.
fn class_of(character: char) -> u8 {
    match character {
        '、' | '，' | '،' => INSIDE | COMMA,
        _ if character.is_whitespace() => 0,
        _ if character.is_uppercase() => INSIDE | CAPITAL,
        _ => INSIDE,
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
