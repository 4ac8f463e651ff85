//! Words that short texts of page furniture use: notices, sharing, menus, bylines.
//!
//! One feature for each list, next to some hundred that know no words, so that pages in other languages lose little. Takes a
//! block, returns how many of its first words are in each list.

use super::blocks::TextBlock;
use crate::dom::Document;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The lists.
pub(crate) const LEXICON: [&str; 10] = [
    "cookie cookies privacy policy terms conditions copyright rights reserved disclaimer legal gdpr imprint impressum datenschutz",
    "share tweet facebook twitter pinterest linkedin whatsapp instagram youtube follow email print copy link reddit telegram",
    "subscribe newsletter signup sign login log register account password email join free trial download anmelden",
    "comment comments reply replies respond leave answer answers posted wrote said quote kommentare",
    "related more also read popular recommended latest trending next previous you might may like articles posts stories similar mehr",
    "menu home search skip navigation close open toggle show hide back top main view all contact about us faq help",
    "cart buy price shipping add checkout stock order quantity wishlist compare sale delivery returns warranty",
    "by author published updated date min minutes ago january february march april may june july august september october november december",
    "tags tag categories category filed under topics sort filter results showing page items",
    "advertisement ad sponsored promoted loading error javascript enable browser image photo video play",
];

static WORDS: LazyLock<FxHashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static str, u16> = FxHashMap::default();
    for (bit, list) in LEXICON.iter().enumerate() {
        for word in list.split(' ') {
            *words.entry(word).or_default() |= 1 << bit;
        }
    }
    words
});

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
    let mut word = [0u8; LONGEST_WORD];
    for at in block.first.0..block.end.0 {
        let id = crate::dom::NodeId(at);
        if !document.is_text(id) {
            continue;
        }
        let mut length = 0;
        for byte in document.text(id).bytes().chain(std::iter::once(b' ')) {
            if byte.is_ascii_alphabetic() || byte >= 128 {
                if length < LONGEST_WORD {
                    word[length] = byte.to_ascii_lowercase();
                }
                length += 1;
                continue;
            }
            if length > 0 && length <= LONGEST_WORD {
                let bits = std::str::from_utf8(&word[..length]).ok().and_then(|word| WORDS.get(word));
                if let Some(bits) = bits {
                    (0..LEXICON.len()).for_each(|bit| found[bit] += (bits >> bit & 1) as u8);
                }
            }
            seen += (length > 0) as usize;
            length = 0;
            if seen >= MOST_WORDS {
                return found;
            }
        }
    }
    found
}
