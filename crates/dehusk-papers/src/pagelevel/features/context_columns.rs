//! The columns about the context of a node: the roles its names hint at, its share of its parent, and its page.

use super::node_facts::{NodeFacts, flag};
use super::role_hints::ROLES;

const AROUND: usize = 15;
pub(super) const COUNT: usize = 2 * ROLES.len() + AROUND;
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

pub(super) fn values(node: &NodeFacts<'_>) -> [f32; COUNT] {
    let share = |part: u32, all: u32| (part as f32 / all.max(1) as f32).clamp(0.0, 1.0);
    let (counts, outer, whole) = (&node.counts, &node.outer, &node.page.counts);
    let has = |roles: u16, role: usize| flag(roles >> role & 1 == 1);
    let mut row = [0.0; COUNT];
    for role in 0..ROLES.len() {
        row[role] = has(node.surroundings.own_roles, role);
        row[ROLES.len() + role] = has(node.surroundings.roles_around, role);
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
        has(node.surroundings.roles_inside, 0),
        has(node.surroundings.roles_inside, 1),
        has(node.surroundings.roles_inside, 2),
        has(node.surroundings.roles_inside, 3),
        has(node.surroundings.roles_inside, 9),
        (whole.words as f32).ln_1p(),
        (whole.links as f32).ln_1p(),
        share(whole.link_words, whole.words),
        share(whole.prose_words, whole.words),
    ];
    row[2 * ROLES.len()..].copy_from_slice(&rest);
    row
}
