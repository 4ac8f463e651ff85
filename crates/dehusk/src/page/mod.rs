//! Detectors that need nothing but the page.

mod isotonic;

pub use isotonic::{LEVELS, ScoredTree, smooth_exact, smooth_quantized};
