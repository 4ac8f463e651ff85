//! The layout of a page: a box and a basic style for every node.
//!
//! [`SuppliedBoxes`] converts boxes that a real engine has measured. Detectors and segmenters that need a layout and are given
//! none estimate it themselves.

pub(crate) mod color;
pub(crate) mod font_family;
pub(crate) mod node_box;
pub(crate) mod supplied_boxes;

pub use color::Color;
pub use font_family::{FontFamily, GenericFamily};
pub use node_box::{Display, Layout, NodeBox, VIEWPORT_HEIGHT, VIEWPORT_WIDTH};
pub use supplied_boxes::{ElementBox, SuppliedBoxes, body_elements};
