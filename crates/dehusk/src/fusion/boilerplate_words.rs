//! Words typical of boilerplate: notices, sharing buttons, menus, bylines.
//!
//! Each list is one feature, next to several hundred that do not depend on words, so pages in other languages lose little.

use super::text_blocks::TextBlock;
use super::word_hash::WordHash;
use super::word_sets::WordSets;
use crate::dom::{Document, NodeId};
use std::sync::LazyLock;

/// The lists: a name and its words.
pub(crate) const BOILERPLATE: [(&str, &str); 10] = [
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

static WORDS: LazyLock<WordSets> = LazyLock::new(|| WordSets::new(BOILERPLATE.iter().map(|list| list.1), 512));

/// Maximum number of words of a block that are looked up. Other features describe longer texts.
const MAX_WORDS: usize = 12;
/// Maximum length of a word that is looked up.
const MAX_WORD_BYTES: usize = 14;

/// Counts how many of the first words of a block are in each list.
///
/// Words here are runs of letters, and any byte that is not ASCII counts as a letter. Titles (`page_facts.rs`) and log-odds
/// (`word_odds.rs`) split texts differently. One splitter would change the features, so that waits until the model is fitted anew.
pub(crate) fn boilerplate_counts(document: &Document, block: &TextBlock) -> [u8; BOILERPLATE.len()] {
    let mut found = [0; BOILERPLATE.len()];
    if block.counts.words as usize > 2 * MAX_WORDS {
        return found;
    }
    let mut seen = 0;
    for id in (block.first.0..block.end.0).map(NodeId).filter(|id| document.is_text(*id)) {
        let (mut word, mut length) = (WordHash::START, 0);
        for byte in document.text(id).bytes().chain(std::iter::once(b' ')) {
            if byte.is_ascii_alphabetic() || byte >= 128 {
                word.push(byte.to_ascii_lowercase());
                length += 1;
                continue;
            }
            if length > 0 && length <= MAX_WORD_BYTES {
                let mut lists = WORDS.lists_of(word);
                while lists != 0 {
                    found[lists.trailing_zeros() as usize] += 1;
                    lists &= lists - 1;
                }
            }
            seen += (length > 0) as usize;
            (word, length) = (WordHash::START, 0);
            if seen >= MAX_WORDS {
                return found;
            }
        }
    }
    found
}
