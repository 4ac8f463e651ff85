//! The box of a node, and the boxes of all nodes of a page.

use super::color::Color;
use super::font_family::FontFamily;
use crate::dom::NodeId;

/// How a node takes part in the layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Display {
    /// Neither the node nor its descendants are shown.
    None,
    /// Part of a line.
    #[default]
    Inline,
    /// A box in a line.
    InlineBlock,
    /// A box as wide as its parent.
    Block,
    /// A box whose children are side by side.
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

/// The position, size and basic style of a node. Lengths are CSS pixels; positions are relative to the page.
///
/// ```
/// use dehusk::layout::{Display, NodeBox};
///
/// let cell = NodeBox::new(8.0, 120.0, 300.0, 40.0).with_font(13.0, 700).with_display(Display::Cell);
/// assert_eq!(cell.area(), 12_000.0);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct NodeBox {
    /// The distance from the left edge of the page.
    pub x: f32,
    /// The distance from the top of the page.
    pub y: f32,
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
    /// The size of its font.
    pub font_size: f32,
    /// The weight of its font: 400 is normal, 700 is bold.
    pub font_weight: u16,
    /// Whether its font is italic or oblique.
    pub italic: bool,
    /// The family of its font.
    pub font_family: FontFamily,
    /// The colour of its text.
    pub color: Color,
    /// The background colour of the nearest of the node and its ancestors that has one. Background images do not count.
    pub background: Color,
    /// Whether it is shown: neither it nor an ancestor is hidden or outside the page.
    pub visible: bool,
    /// How it takes part in the layout.
    pub display: Display,
}

impl Default for NodeBox {
    /// A node that is not shown.
    fn default() -> NodeBox {
        NodeBox {
            x: 0.0,
            y: 0.0,
            width: 0.0,
            height: 0.0,
            font_size: 0.0,
            font_weight: 0,
            italic: false,
            font_family: FontFamily::default(),
            color: Color::BLACK,
            background: Color::WHITE,
            visible: false,
            display: Display::Inline,
        }
    }
}

impl NodeBox {
    /// A visible block at a position, with black text on white, in an upright font of 16 pixels and normal weight.
    pub fn new(x: f32, y: f32, width: f32, height: f32) -> NodeBox {
        let font = NodeBox::default().with_font(16.0, 400);
        NodeBox { x, y, width, height, visible: true, display: Display::Block, ..font }
    }

    /// Sets the size of the font, in pixels, and its weight.
    pub fn with_font(self, font_size: f32, font_weight: u16) -> NodeBox {
        NodeBox { font_size, font_weight, ..self }
    }

    /// Sets the family of the font.
    pub fn with_font_family(self, font_family: FontFamily) -> NodeBox {
        NodeBox { font_family, ..self }
    }

    /// Sets whether the font is italic.
    pub fn with_italic(self, italic: bool) -> NodeBox {
        NodeBox { italic, ..self }
    }

    /// Sets the colours of the text and of the background.
    pub fn with_colors(self, color: Color, background: Color) -> NodeBox {
        NodeBox { color, background, ..self }
    }

    /// Sets whether the node is shown.
    pub fn with_visible(self, visible: bool) -> NodeBox {
        NodeBox { visible, ..self }
    }

    /// Sets how the node takes part in the layout.
    pub fn with_display(self, display: Display) -> NodeBox {
        NodeBox { display, ..self }
    }

    /// Its area; 0 if it is not shown.
    pub fn area(&self) -> f32 {
        if self.visible { self.width.max(0.0) * self.height.max(0.0) } else { 0.0 }
    }
}

/// The layout of one page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    boxes: Vec<NodeBox>,
    /// The width of the page.
    pub width: f32,
    /// The height of the page.
    pub height: f32,
}

/// The width of the window that pages are laid out for.
pub const VIEWPORT_WIDTH: f32 = 1280.0;
/// The height of that window.
pub const VIEWPORT_HEIGHT: f32 = 1024.0;

impl Layout {
    /// A layout from the box of each node. The page is as large as its visible nodes, and at least as wide as the window.
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
