//! The layout of a page: a box and a basic style for every node.
//!
//! [`estimate()`] estimates the layout from the page alone, without fonts, images or linked style sheets. [`SuppliedBoxes`]
//! converts boxes that a real engine has measured. Both return a [`Layout`], and its readers do not depend on which it was.

mod color;
mod declaration;
mod estimate;
mod flow;
mod font_family;
mod intrinsic_widths;
mod node_box;
mod selector_matching;
mod style;
mod style_sheet;
mod supplied_boxes;
mod widths;

pub use color::Color;
pub use estimate::estimate;
pub use font_family::{FontFamily, GenericFamily};
pub use node_box::{Display, Layout, NodeBox, VIEWPORT_HEIGHT, VIEWPORT_WIDTH};
pub use supplied_boxes::{ElementBox, SuppliedBoxes, body_elements};
