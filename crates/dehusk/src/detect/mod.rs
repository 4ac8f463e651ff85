//! Which nodes of a page are template: the contract of a detector, its result, and the default detector.

pub(crate) mod comments;
pub(crate) mod detection;
pub(crate) mod detector;
pub(crate) mod detectors;
pub(crate) mod focus;
pub mod fusion;
pub(crate) mod page_type;

pub use comments::Comments;
pub use detection::{Decision, Detection, PageVerdict, Reason, TemplateFit};
pub use detector::{Buffers, Detector, DetectorInput, KeepAll, SiteUse, other_model};
pub use detectors::Detectors;
pub use focus::Focus;
pub use fusion::Fusion;
pub use page_type::PageType;
