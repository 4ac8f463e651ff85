//! Which nodes of a page are template: the contract of a detector, the detector of a site's templates, and the default detector.

mod detector;
pub mod fusion;
mod site_detector;

pub use detector::{Buffers, Detector, DetectorInput, KeepAll, SiteUse, other_model};
pub use fusion::Fusion;
pub use site_detector::SiteDetector;
