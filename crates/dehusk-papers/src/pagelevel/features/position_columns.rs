//! The columns about the position of a node: by its box, and by the words before and after it, which do not depend on the
//! layout engine.

use super::node_facts::{NodeFacts, flag};
use dehusk::layout::VIEWPORT_HEIGHT;

pub(super) const COUNT: usize = 29;
pub(super) const NAMES: [&str; COUNT] = [
    "left_margin",
    "right_margin",
    "top_margin",
    "bottom_margin",
    "centre_distance",
    "centre_offset",
    "width_share",
    "height_share",
    "area_share",
    "area_log",
    "aspect_log",
    "top_log",
    "bottom_log",
    "near_top",
    "near_bottom",
    "is_wide",
    "left_column",
    "right_column",
    "in_first_screen",
    "words_before_share",
    "words_after_share",
    "words_before_log",
    "words_after_log",
    "no_words_before",
    "few_words_before",
    "few_words_after",
    "elements_before_share",
    "font_size_log",
    "is_bold",
];

/// The scale of "near", in pixels: about the height of a page header.
const NEAR: f32 = 250.0;
/// The scale of "few" words: about as many as in a menu or a footer.
const FEW_WORDS: f32 = 60.0;

pub(super) fn values(node: &NodeFacts<'_>) -> [f32; COUNT] {
    let (at, page) = (node.at, node.page);
    let (width, height) = (page.width.max(1.0), page.height.max(1.0));
    let share = |part: f32, whole: f32| (part / whole).clamp(0.0, 1.0);
    let right = (width - at.x - at.width).max(0.0);
    let bottom = (height - at.y - at.height).max(0.0);
    let middle = ((at.x + at.width / 2.0) / width - 0.5, (at.y + at.height / 2.0) / height - 0.5);
    let width_share = share(at.width, width);
    let is_column = width_share < 0.4;
    let (before, after) = (node.words_before as f32, node.words_after as f32);
    let words = (before + after + node.counts.words as f32).max(1.0);
    [
        share(at.x, width),
        share(right, width),
        share(at.y, height),
        share(bottom, height),
        middle.0.hypot(middle.1).min(1.0),
        middle.0.abs().min(1.0),
        width_share,
        share(at.height, height),
        share(at.area(), page.width * page.height),
        at.area().max(1.0).ln() / 10.0,
        (at.width.max(1.0) / at.height.max(1.0)).ln().clamp(-5.0, 5.0),
        (at.y.max(0.0) / 100.0).ln_1p(),
        (bottom / 100.0).ln_1p(),
        (-at.y.max(0.0) / NEAR).exp(),
        (-bottom / NEAR).exp(),
        flag(width_share > 0.85),
        flag(is_column && at.x + at.width < 0.5 * width),
        flag(is_column && at.x > 0.5 * width),
        flag(at.y + at.height / 2.0 < VIEWPORT_HEIGHT * 0.75),
        before / words,
        after / words,
        before.ln_1p(),
        after.ln_1p(),
        flag(before == 0.0),
        (-before / FEW_WORDS).exp(),
        (-after / FEW_WORDS).exp(),
        node.elements_before,
        (at.font_size.max(1.0) / page.font_size.max(1.0)).ln().clamp(-2.0, 2.0),
        flag(at.font_weight >= 600),
    ]
}
