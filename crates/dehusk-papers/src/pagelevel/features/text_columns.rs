//! The columns about the text of a node: its amount, its share in links, and its style of writing.

use super::node_facts::{NodeFacts, flag};

pub(super) const COUNT: usize = 34;
pub(super) const NAMES: [&str; COUNT] = [
    "words_log",
    "word_share",
    "has_no_words",
    "links_per_word",
    "link_word_share",
    "is_all_links",
    "has_no_links",
    "link_words_mean_log",
    "outer_link_share",
    "void_link_share",
    "links_log",
    "link_share",
    "link_picture_share",
    "characters_per_byte",
    "word_length",
    "sentence_ends_per_word",
    "commas_per_word",
    "digit_share",
    "capital_share",
    "stop_word_excess",
    "prose_share",
    "prose_log",
    "text_words_mean_log",
    "title_word_share",
    "title_words_log",
    "marks_per_word",
    "has_legal_sign",
    "characters_per_area_log",
    "plain_words_log",
    "plain_share",
    "link_excess",
    "prose_excess",
    "plain_words_per_link_log",
    "short_links",
];

pub(super) fn values(node: &NodeFacts<'_>) -> [f32; COUNT] {
    let (counts, page) = (&node.counts, node.page);
    let whole = &page.counts;
    let words = counts.words as f32;
    let per_word = |count: u32| (count as f32 / words.max(1.0)).min(2.0);
    let share = |part: u32, all: u32| (part as f32 / all.max(1) as f32).clamp(0.0, 1.0);
    let log = |count: f32| count.max(0.0).ln_1p();
    let plain = counts.words.saturating_sub(counts.link_words);
    let link_words = share(counts.link_words, counts.words);
    let link_mean = counts.link_words as f32 / counts.links.max(1) as f32;
    let prose = share(counts.prose_words, counts.words);
    // The column is 0 if the language of the page is not one whose stop words are known.
    let page_stop_words = share(whole.stop_words, whole.words);
    let stop_word_excess = share(counts.stop_words, counts.words) - page_stop_words;
    [
        log(words),
        share(counts.words, whole.words),
        flag(counts.words == 0),
        per_word(counts.links),
        link_words,
        flag(counts.words > 0 && plain == 0),
        flag(counts.links == 0),
        log(link_mean),
        share(counts.external_links, counts.links),
        share(counts.void_links, counts.links),
        log(counts.links as f32),
        share(counts.links, whole.links),
        share(counts.linked_media, counts.links),
        (counts.characters as f32 / node.bytes.max(1) as f32).min(1.0),
        (counts.characters as f32 / words.max(1.0)).min(15.0) / 10.0,
        per_word(counts.sentence_ends).min(0.3),
        per_word(counts.commas).min(0.3),
        share(counts.digits, counts.characters),
        per_word(counts.capital_words).min(1.0),
        if page_stop_words > 0.02 && counts.words > 0 { stop_word_excess } else { 0.0 },
        prose,
        log(counts.prose_words as f32),
        log(words / counts.texts.max(1) as f32),
        per_word(counts.title_words).min(1.0),
        log(counts.title_words as f32),
        per_word(counts.marks).min(1.0),
        flag(counts.legal_signs > 0),
        log(counts.characters as f32 / (node.at.area() / 1_000.0).max(1.0)),
        log(plain as f32),
        share(plain, whole.words.saturating_sub(whole.link_words)),
        link_words - share(whole.link_words, whole.words),
        prose - share(whole.prose_words, whole.words),
        log(plain as f32 / counts.links.max(1) as f32),
        flag(counts.links >= 2 && link_mean <= 2.5),
    ]
}
