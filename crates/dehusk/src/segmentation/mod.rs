//! Pages split into segments: the contract of a segmenter, its result, and how that is shown.

mod page_segmenter;
pub(crate) mod page_segments;
pub(crate) mod segment_json;
pub(crate) mod segment_picture;
pub(crate) mod segment_role;

pub use page_segmenter::{PageSegmenter, SegmentedPage, Segmenter};
pub use page_segments::{Segment, SegmentLeaf, Segmentation};
pub use segment_role::{SegmentRole, declared_role};
