//! The facts about a node and its page that the columns are computed from.

use crate::dom::Name;
use crate::page_counts::BaseCounts;
use dehusk::layout::NodeBox;
use dehusk::read::Hints;

/// Facts about the page as a whole.
pub(super) struct PageFacts {
    pub(super) width: f32,
    pub(super) height: f32,
    /// The font size of most words.
    pub(super) font_size: f32,
    pub(super) counts: BaseCounts,
}

/// Facts about one node.
pub(super) struct NodeFacts<'a> {
    pub(super) page: &'a PageFacts,
    pub(super) name: Name,
    pub(super) at: NodeBox,
    pub(super) counts: BaseCounts,
    /// Counts and area of the parent.
    pub(super) outer: BaseCounts,
    pub(super) outer_area: f32,
    pub(super) words_before: u32,
    pub(super) words_after: u32,
    pub(super) elements_before: f32,
    /// The length of its source, in bytes.
    pub(super) bytes: usize,
    pub(super) depth: usize,
    pub(super) surroundings: Surroundings,
}

/// Facts about an element and the elements next to, around and inside it.
#[derive(Clone, Copy, Default)]
pub(super) struct Surroundings {
    /// The number of its child elements.
    pub(super) children: u32,
    /// Its index among the child elements of its parent.
    pub(super) sibling: u32,
    /// The number of child elements of its parent, itself included.
    pub(super) siblings: u32,
    /// The number of siblings with the same name and class, itself included.
    pub(super) similar_siblings: u32,
    /// The size of the largest group of children with the same name and class.
    pub(super) similar_children: u32,
    /// The hints of its own names and of the landmark it is.
    pub(super) own_hints: Hints,
    /// Its own hints and those of its ancestors.
    pub(super) hints_around: Hints,
    /// The hints of its descendants.
    pub(super) hints_inside: Hints,
    /// Whether the previous sibling is a heading.
    pub(super) heading_before: bool,
}

/// A boolean as 0 or 1.
pub(super) fn flag(is: bool) -> f32 {
    is as u8 as f32
}
