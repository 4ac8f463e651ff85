//! What a node's names hint at, what it is to the node it stands in, and what page it is on.

use super::hints::JOBS;
use super::node::{Node, flag};

const AROUND: usize = 15;
pub(super) const COUNT: usize = 2 * JOBS.len() + AROUND;
pub(super) const NAMES: [&str; COUNT] = [
    "own_navigation",
    "own_header",
    "own_footer",
    "own_side",
    "own_advert",
    "own_social",
    "own_search",
    "own_account",
    "own_related",
    "own_content",
    "own_comment",
    "own_item",
    "in_navigation",
    "in_header",
    "in_footer",
    "in_side",
    "in_advert",
    "in_social",
    "in_search",
    "in_account",
    "in_related",
    "in_content",
    "in_comment",
    "in_item",
    "has_heading_before",
    "parent_word_share",
    "parent_area_share",
    "parent_link_share",
    "parent_link_excess",
    "parent_prose_share",
    "holds_navigation",
    "holds_header",
    "holds_footer",
    "holds_side",
    "holds_content",
    "page_words_log",
    "page_links_log",
    "page_link_share",
    "page_prose_share",
];

pub(super) fn values(node: &Node<'_>) -> [f32; COUNT] {
    let share = |part: u32, all: u32| (part as f32 / all.max(1) as f32).clamp(0.0, 1.0);
    let (counts, outer, whole) = (&node.counts, &node.outer, &node.page.counts);
    let has = |jobs: u16, job: usize| flag(jobs >> job & 1 == 1);
    let mut row = [0.0; COUNT];
    for job in 0..JOBS.len() {
        row[job] = has(node.own_jobs, job);
        row[JOBS.len() + job] = has(node.jobs_around, job);
    }
    let link_share = share(counts.link_words, counts.words);
    let outer_link_share = share(outer.link_words, outer.words);
    let rest = [
        flag(node.heading_before),
        share(counts.words, outer.words),
        (node.at.area() / node.outer_area.max(1.0)).min(1.0),
        outer_link_share,
        link_share - outer_link_share,
        share(outer.prose_words, outer.words),
        has(node.jobs_inside, 0),
        has(node.jobs_inside, 1),
        has(node.jobs_inside, 2),
        has(node.jobs_inside, 3),
        has(node.jobs_inside, 9),
        (whole.words as f32).ln_1p(),
        (whole.links as f32).ln_1p(),
        share(whole.link_words, whole.words),
        share(whole.prose_words, whole.words),
    ];
    row[2 * JOBS.len()..].copy_from_slice(&rest);
    row
}
