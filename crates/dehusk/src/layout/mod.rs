//! Where things stand on a page: a box and a basic style for every node.
//!
//! [`estimate()`] works a layout out from the page alone, without fonts, pictures or linked style sheets; [`Supplied`] takes
//! boxes that a real engine has measured. Both give the same [`Layout`], and what reads it does not know which it was.

mod declaration;
mod estimate;
mod flow;
mod intrinsic;
mod matching;
mod sheet;
mod style;
mod supplied;
mod widths;

use crate::dom::NodeId;

pub use estimate::estimate;
pub use supplied::{ElementBox, Supplied, element_indexes};

/// How a node takes part in the layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Display {
    /// It is not shown, and nothing in it is.
    None,
    /// Part of a line.
    #[default]
    Inline,
    /// A box in a line.
    InlineBlock,
    /// A box over the whole width.
    Block,
    /// A box whose children stand side by side.
    Flex,
    /// A table.
    Table,
    /// The head, body or foot of a table.
    RowGroup,
    /// A row of a table.
    Row,
    /// A cell of a table.
    Cell,
}

/// Where a node stands and how it looks. Lengths are CSS pixels, positions those of the whole page.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct NodeBox {
    /// Distance from the left edge of the page.
    pub x: f32,
    /// Distance from the top of the page.
    pub y: f32,
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
    /// The size of its font.
    pub font_size: f32,
    /// The weight of its font: 400 is normal, 700 is bold.
    pub font_weight: u16,
    /// Whether it is shown: not when it or what it stands in is hidden or outside of the page.
    pub visible: bool,
    /// How it takes part in the layout.
    pub display: Display,
}

impl NodeBox {
    /// Its area, 0 where it is not shown.
    pub fn area(&self) -> f32 {
        if self.visible { self.width.max(0.0) * self.height.max(0.0) } else { 0.0 }
    }
}

/// The layout of one page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    boxes: Vec<NodeBox>,
    /// Width of the page.
    pub width: f32,
    /// Height of the page.
    pub height: f32,
}

/// The width of the window pages are laid out for.
pub const VIEWPORT_WIDTH: f32 = 1280.0;
/// The height of that window; pages are at least as high.
pub const VIEWPORT_HEIGHT: f32 = 1024.0;

impl Layout {
    /// A layout of boxes by node. The page is as large as what is shown on it, and as the window.
    pub fn new(boxes: Vec<NodeBox>) -> Layout {
        let (mut width, mut height) = (VIEWPORT_WIDTH, 1.0_f32);
        for shown in boxes.iter().filter(|shown| shown.visible) {
            width = width.max((shown.x + shown.width).min(8.0 * VIEWPORT_WIDTH));
            height = height.max(shown.y + shown.height);
        }
        Layout { boxes, width, height }
    }

    /// The box of a node.
    pub fn node(&self, id: NodeId) -> &NodeBox {
        &self.boxes[id.index()]
    }

    /// The boxes of all nodes.
    pub fn boxes(&self) -> &[NodeBox] {
        &self.boxes
    }

    /// The area of the page.
    pub fn area(&self) -> f32 {
        self.width * self.height
    }
}
