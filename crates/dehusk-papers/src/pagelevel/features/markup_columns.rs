//! The columns about the markup of a node: its descendants, its own element, and its similarity to its siblings.

use super::node_facts::{NodeFacts, flag};
use crate::dom::Name;
use crate::dom::elements::heading_level;

pub(super) const COUNT: usize = 37;
pub(super) const NAMES: [&str; COUNT] = [
    "pictures_log",
    "picture_area_share",
    "items_log",
    "item_share",
    "headings_log",
    "has_main_heading",
    "paragraphs_log",
    "paragraph_share",
    "cells_log",
    "controls_log",
    "control_share",
    "breaks_log",
    "elements_log",
    "words_per_element_log",
    "block_share",
    "depth",
    "children_log",
    "sibling_share",
    "siblings_log",
    "is_first",
    "is_last",
    "like_siblings",
    "like_children",
    "like_siblings_log",
    "is_div",
    "is_table",
    "is_row",
    "is_cell",
    "is_list",
    "is_item",
    "is_paragraph",
    "is_heading",
    "is_link",
    "is_inline",
    "is_form",
    "is_section",
    "is_picture",
];

pub(super) fn values(node: &NodeFacts<'_>) -> [f32; COUNT] {
    let counts = &node.counts;
    let log = |count: u32| (count as f32).ln_1p();
    let share = |part: u32, all: u32| (part as f32 / all.max(1) as f32).clamp(0.0, 1.0);
    let is = |names: &[Name]| flag(names.contains(&node.name));
    let is_heading = heading_level(node.name).is_some();
    let is_block = crate::dom::elements::is_block(node.name);
    [
        log(counts.media),
        (counts.media_area as f32 / node.at.area().max(1.0)).min(1.0),
        log(counts.items),
        share(counts.items, counts.elements),
        log(counts.headings),
        flag(counts.main_headings > 0),
        log(counts.paragraphs),
        share(counts.paragraphs, counts.elements),
        log(counts.cells),
        log(counts.controls),
        share(counts.controls, counts.elements),
        log(counts.breaks),
        log(counts.elements),
        (counts.words as f32 / counts.elements.max(1) as f32).ln_1p(),
        share(counts.blocks, counts.elements),
        (node.depth as f32 / 20.0).min(2.0),
        log(node.surroundings.children),
        node.surroundings.sibling as f32 / node.surroundings.siblings.max(1) as f32,
        log(node.surroundings.siblings),
        flag(node.surroundings.sibling == 0),
        flag(node.surroundings.sibling + 1 == node.surroundings.siblings),
        share(node.surroundings.similar_siblings.saturating_sub(1), node.surroundings.siblings.saturating_sub(1)),
        share(node.surroundings.similar_children, node.surroundings.children),
        log(node.surroundings.similar_siblings),
        is(&[Name::DIV, Name::CENTER]),
        is(&[Name::TABLE, Name::TBODY]),
        is(&[Name::TR]),
        is(&[Name::TD, Name::TH]),
        is(&[Name::UL, Name::OL, Name::DL, Name::MENU]),
        is(&[Name::LI, Name::DT, Name::DD]),
        is(&[Name::P, Name::BLOCKQUOTE, Name::PRE]),
        flag(is_heading),
        is(&[Name::A]),
        flag(!is_block && node.name != Name::A),
        is(&[Name::FORM, Name::FIELDSET]),
        is(&[Name::SECTION, Name::ARTICLE, Name::MAIN]),
        is(&[Name::IMG, Name::IFRAME, Name::OBJECT, Name::EMBED, Name::VIDEO]),
    ]
}
