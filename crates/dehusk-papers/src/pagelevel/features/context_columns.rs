//! The columns about the context of a node: what its names and those around it hint at, its share of its parent, and its page.
//!
//! Names are weak evidence: `content-widget-banner` may contain the article. Each hint is one column, and the model learns its weight.

use super::node_facts::{NodeFacts, flag};
use dehusk::read::{HINTS, Hints, hint_bit};
use std::sync::LazyLock;

/// Columns that are not hints of the node or around it.
const OTHER_NAMES: [&str; 15] = [
    "has_heading_before",
    "parent_word_share",
    "parent_area_share",
    "parent_link_share",
    "parent_link_excess",
    "parent_prose_share",
    "holds_nav",
    "holds_header",
    "holds_footer",
    "holds_sidebar",
    "holds_content",
    "page_words_log",
    "page_links_log",
    "page_link_share",
    "page_prose_share",
];
pub(super) const COUNT: usize = 2 * HINTS.len() + OTHER_NAMES.len();

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let hints =
        ["own", "in"].into_iter().flat_map(|place| HINTS.iter().map(move |(hint, _)| format!("{place}_{hint}")));
    hints.chain(OTHER_NAMES.iter().map(|name| name.to_string())).collect()
});

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(String::as_str)
}

pub(super) fn values(node: &NodeFacts<'_>) -> [f32; COUNT] {
    let share = |part: u32, all: u32| (part as f32 / all.max(1) as f32).clamp(0.0, 1.0);
    let (counts, outer, whole) = (&node.counts, &node.outer, &node.page.counts);
    let has = |hints: Hints, bit: usize| flag(hints.0 >> bit & 1 == 1);
    let holds = |hint: &str| has(node.surroundings.hints_inside, hint_bit(hint));
    let mut row = [0.0; COUNT];
    for bit in 0..HINTS.len() {
        row[bit] = has(node.surroundings.own_hints, bit);
        row[HINTS.len() + bit] = has(node.surroundings.hints_around, bit);
    }
    let link_share = share(counts.link_words, counts.words);
    let outer_link_share = share(outer.link_words, outer.words);
    let rest = [
        flag(node.surroundings.heading_before),
        share(counts.words, outer.words),
        (node.at.area() / node.outer_area.max(1.0)).min(1.0),
        outer_link_share,
        link_share - outer_link_share,
        share(outer.prose_words, outer.words),
        holds("nav"),
        holds("header"),
        holds("footer"),
        holds("sidebar"),
        holds("content"),
        (whole.words as f32).ln_1p(),
        (whole.links as f32).ln_1p(),
        share(whole.link_words, whole.words),
        share(whole.prose_words, whole.words),
    ];
    row[2 * HINTS.len()..].copy_from_slice(&rest);
    row
}
