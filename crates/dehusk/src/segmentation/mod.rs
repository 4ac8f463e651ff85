//! Pages split into segments: the contract of a segmenter, its result, and how that is shown.

mod page_segmenter;
pub(crate) mod segment_json;
pub(crate) mod segment_picture;
pub(crate) mod segment_role;
pub(crate) mod segmentation;

pub use page_segmenter::{PageSegmenter, SegmentedPage, Segmenter};
pub use segment_role::{SegmentRole, declared_role};
pub use segmentation::{Segment, SegmentLeaf, Segmentation};
