//! Words that short texts of page furniture use: notices, sharing, menus, bylines.
//!
//! One feature for each list, next to some hundred that know no words, so that pages in other languages lose little. Takes a
//! block, returns how many of its first words are in each list.

use super::blocks::TextBlock;
use crate::dom::Document;
use std::sync::LazyLock;

/// The lists, each with its name.
pub(crate) const LEXICON: [(&str, &str); 10] = [
    (
        "legal",
        "cookie cookies privacy policy terms conditions copyright rights reserved disclaimer legal gdpr imprint impressum datenschutz",
    ),
    (
        "sharing",
        "share tweet facebook twitter pinterest linkedin whatsapp instagram youtube follow email print copy link reddit telegram",
    ),
    (
        "account",
        "subscribe newsletter signup sign login log register account password email join free trial download anmelden",
    ),
    ("comments", "comment comments reply replies respond leave answer answers posted wrote said quote kommentare"),
    (
        "related",
        "related more also read popular recommended latest trending next previous you might may like articles posts stories similar mehr",
    ),
    (
        "navigation",
        "menu home search skip navigation close open toggle show hide back top main view all contact about us faq help",
    ),
    (
        "shopping",
        "cart buy price shipping add checkout stock order quantity wishlist compare sale delivery returns warranty",
    ),
    (
        "byline",
        "by author published updated date min minutes ago january february march april may june july august september october november december",
    ),
    ("tags", "tags tag categories category filed under topics sort filter results showing page items"),
    ("notices", "advertisement ad sponsored promoted loading error javascript enable browser image photo video play"),
];

/// The words with the lists they are in, in an open table of which a third is filled.
static WORDS: LazyLock<Vec<(Word, u16)>> = LazyLock::new(|| {
    let mut slots = vec![(Word::default(), 0); SLOTS];
    for (bit, (_, list)) in LEXICON.iter().enumerate() {
        for text in list.split(' ') {
            let mut word = Word::default();
            text.bytes().for_each(|byte| word.push(byte));
            let mut at = word.slot();
            while slots[at].1 != 0 && slots[at].0 != word {
                at = (at + 1) % SLOTS;
            }
            slots[at] = (word, slots[at].1 | 1 << bit);
        }
    }
    slots
});

const SLOTS: usize = 512;

/// A word as a number: a hash of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Word(u64);

impl Word {
    #[inline(always)]
    fn push(&mut self, byte: u8) {
        self.0 = (self.0.rotate_left(5) ^ byte as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn slot(self) -> usize {
        (self.0 >> 48) as usize % SLOTS
    }

    /// The lists a word is in, one bit for each.
    fn lists(self) -> u16 {
        let mut at = self.slot();
        loop {
            let (word, lists) = WORDS[at];
            if word == self || lists == 0 {
                return lists;
            }
            at = (at + 1) % SLOTS;
        }
    }
}

/// Words of a block that are looked at; what longer texts are about is seen elsewhere.
const MOST_WORDS: usize = 12;
const LONGEST_WORD: usize = 14;

/// How many of the first words of a block are in each list.
pub(crate) fn lexicon_counts(document: &Document, block: &TextBlock) -> [u8; LEXICON.len()] {
    let mut found = [0; LEXICON.len()];
    if block.counts.words as usize > 2 * MOST_WORDS {
        return found;
    }
    let mut seen = 0;
    for at in block.first.0..block.end.0 {
        let id = crate::dom::NodeId(at);
        if !document.is_text(id) {
            continue;
        }
        let (mut word, mut length) = (Word::default(), 0);
        for byte in document.text(id).bytes().chain(std::iter::once(b' ')) {
            if byte.is_ascii_alphabetic() || byte >= 128 {
                word.push(byte.to_ascii_lowercase());
                length += 1;
                continue;
            }
            if length > 0 && length <= LONGEST_WORD {
                let mut lists = word.lists();
                while lists != 0 {
                    found[lists.trailing_zeros() as usize] += 1;
                    lists &= lists - 1;
                }
            }
            seen += (length > 0) as usize;
            (word, length) = (Word::default(), 0);
            if seen >= MOST_WORDS {
                return found;
            }
        }
    }
    found
}
