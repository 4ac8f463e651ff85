//! What is known of a node when its row is filled.

use super::counts::BaseCounts;
use super::hints::Jobs;
use crate::dom::Name;
use crate::layout::NodeBox;

/// What the page as a whole is.
pub(super) struct Page {
    pub(super) width: f32,
    pub(super) height: f32,
    /// The size most letters have.
    pub(super) font_size: f32,
    pub(super) counts: BaseCounts,
}

/// All that is known of a node when its row is filled.
pub(super) struct Node<'a> {
    pub(super) page: &'a Page,
    pub(super) name: Name,
    pub(super) at: NodeBox,
    pub(super) counts: BaseCounts,
    /// Counts and area of the parent.
    pub(super) outer: BaseCounts,
    pub(super) outer_area: f32,
    pub(super) words_before: u32,
    pub(super) words_after: u32,
    pub(super) elements_before: f32,
    /// Bytes of its source.
    pub(super) bytes: usize,
    pub(super) depth: usize,
    pub(super) children: u32,
    pub(super) sibling: u32,
    pub(super) siblings: u32,
    /// Siblings of the same name and class, itself included.
    pub(super) alike: u32,
    /// The most children of the same name and class.
    pub(super) alike_children: u32,
    pub(super) own_jobs: Jobs,
    pub(super) jobs_around: Jobs,
    pub(super) jobs_inside: Jobs,
    pub(super) heading_before: bool,
}

/// A yes or no as a number.
pub(super) fn flag(is: bool) -> f32 {
    is as u8 as f32
}
