//! Words typical of boilerplate: notices, sharing buttons, menus, bylines.
//!
//! Each list is one feature, next to several hundred that do not depend on words, so pages in other languages lose little.

use super::word_hash::WordHash;
use crate::read::words::word_sets::WordSets;
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

/// The lists a word is in, one bit for each.
#[inline(always)]
pub(crate) fn boilerplate_lists(word: WordHash) -> u64 {
    WORDS.lists_of(word)
}
