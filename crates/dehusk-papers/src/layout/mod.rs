//! The layout of a page, estimated from the page alone: without fonts, images or linked style sheets.

mod declaration;
mod estimate;
mod flow;
mod intrinsic_widths;
mod selector_matching;
mod style;
mod style_sheet;
mod widths;

pub use dehusk::layout::*;
pub use estimate::estimate;
