//! Computes the heights of nodes and their positions within their parents: lines of text and boxes, stacked blocks, floats at the
//! sides, rows of cells. Goes from the leaves to the root and visits each node once as itself and once as a child.

use super::intrinsic_widths::IntrinsicWidth;
use super::style::{Side, Style, replaced_size};
use super::widths::content_width;
use crate::dom::{Document, Name, NodeId};
use dehusk::layout::Display;

/// The height of a line as a multiple of the font size.
const LINE_HEIGHT: f32 = 1.17;

/// The position of a node within its parent, and its height.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Placement {
    /// The distance from the left edge of the parent.
    pub(super) x: f32,
    /// The distance from the top edge of the parent.
    pub(super) y: f32,
    pub(super) height: f32,
}

/// The page and the results of the earlier passes.
#[derive(Clone, Copy)]
pub(super) struct Flow<'a> {
    pub(super) document: &'a Document,
    pub(super) styles: &'a [Style],
    pub(super) intrinsic: &'a [IntrinsicWidth],
    pub(super) widths: &'a [f32],
}

/// Places all nodes.
pub(super) fn place_nodes(flow: Flow<'_>) -> Vec<Placement> {
    let mut placed = vec![Placement::default(); flow.document.len()];
    for id in flow.document.ids().rev() {
        let style = &flow.styles[id.index()];
        if style.display == Display::None {
            continue;
        }
        let inner = if flow.document.is_text(id) {
            flow.text_height(id)
        } else if let Some((_, height)) = replaced_size(flow.document, id, style.font_size) {
            height
        } else {
            match style.display {
                Display::Row => flow.place_row(id, &mut placed),
                Display::Flex if !style.column => flow.place_row(id, &mut placed),
                _ => BlockFlow::new(flow, id).place(&mut placed),
            }
        };
        placed[id.index()].height = own_height(style, inner);
    }
    placed
}

fn own_height(style: &Style, inner: f32) -> f32 {
    let padding = style.padding[0] + style.padding[2];
    if style.display == Display::Inline {
        return inner + padding;
    }
    // Percentages of a height that is not set count as automatic.
    let height = match style.height {
        super::style::Length::Px(height) => match style.display {
            Display::Cell | Display::Row | Display::Table => height.max(inner),
            _ => height,
        },
        _ => inner,
    };
    let min_height = match style.min_height {
        super::style::Length::Px(height) => height,
        _ => 0.0,
    };
    (height.max(min_height) + padding).clamp(0.0, 10_000_000.0)
}

impl Flow<'_> {
    fn is_shown(&self, id: NodeId) -> bool {
        self.styles[id.index()].display != Display::None
    }

    fn text_height(&self, id: NodeId) -> f32 {
        let (natural, width) = (self.intrinsic[id.index()], self.widths[id.index()]);
        if natural.max_content == 0.0 {
            return 0.0;
        }
        line_count(natural.max_content, width) * self.styles[id.index()].font_size * LINE_HEIGHT
    }

    /// Places the children of a row side by side. Returns the height of the row.
    fn place_row(&self, id: NodeId, placed: &mut [Placement]) -> f32 {
        let own = &self.styles[id.index()];
        let room = content_width(own, self.widths[id.index()]);
        let (mut x, mut height) = (own.padding[3], 0.0_f32);
        for child in self.document.children(id).filter(|child| self.is_shown(*child)) {
            let style = &self.styles[child.index()];
            let at = &mut placed[child.index()];
            (at.x, at.y) = (x + style.margin(3, room), own.padding[0] + style.margin(0, room));
            if style.out_of_flow {
                continue;
            }
            x += self.widths[child.index()] + style.margin(1, room) + style.margin(3, room);
            height = height.max(at.height + style.margin(0, room) + style.margin(2, room));
        }
        if own.display == Display::Row {
            // Cells are as high as their row.
            for child in self.document.children(id).filter(|child| self.is_shown(*child)) {
                if self.styles[child.index()].display == Display::Cell {
                    placed[child.index()].height = height;
                }
            }
        }
        height
    }
}

/// The number of lines that a run of text takes.
fn line_count(length: f32, width: f32) -> f32 {
    if length <= width + 0.5 { 1.0 } else { (length / width.max(1.0)).ceil().min(100_000.0) }
}

/// The state of a block while its children are placed in order.
struct BlockFlow<'a> {
    flow: Flow<'a>,
    id: NodeId,
    width: f32,
    /// The top of the current line, from the top of the content.
    y: f32,
    /// The used width of the current line.
    line: f32,
    line_height: f32,
    /// The first node of the current line; its nodes are moved if the line is centred.
    line_start: Option<NodeId>,
    /// The margin below the last block, which collapses with the next one.
    margin: f32,
    /// The width used by floats at each side, and the bottom of those floats.
    left: (f32, f32),
    right: (f32, f32),
}

impl<'a> BlockFlow<'a> {
    fn new(flow: Flow<'a>, id: NodeId) -> BlockFlow<'a> {
        let width = content_width(&flow.styles[id.index()], flow.widths[id.index()]);
        BlockFlow {
            flow,
            id,
            width,
            y: 0.0,
            line: 0.0,
            line_height: 0.0,
            line_start: None,
            margin: 0.0,
            left: (0.0, 0.0),
            right: (0.0, 0.0),
        }
    }

    /// Places the children. Returns the height of the content.
    fn place(mut self, placed: &mut [Placement]) -> f32 {
        let document = self.flow.document;
        let mut child = NodeId(self.id.0 + 1);
        let end = document.end(self.id);
        while child < end {
            let style = &self.flow.styles[child.index()];
            if style.display != Display::None {
                if style.out_of_flow {
                    self.put(child, style.left.resolve(self.width).unwrap_or(0.0), placed);
                    placed[child.index()].y = style.top.resolve(0.0).unwrap_or(self.y);
                } else if style.float != Side::None {
                    self.place_float(child, style, placed);
                } else if style.is_inline() {
                    self.place_inline(child, style, placed);
                } else {
                    self.place_block(child, style, placed);
                }
            }
            child = document.end(child);
        }
        self.end_line(document.end(self.id), placed);
        let (x, y) = {
            let own = &self.flow.styles[self.id.index()];
            (own.padding[3], own.padding[0])
        };
        if x != 0.0 || y != 0.0 {
            for child in document.children(self.id) {
                placed[child.index()].x += x;
                placed[child.index()].y += y;
            }
        }
        (self.y + self.margin).max(self.left.1).max(self.right.1)
    }

    /// Sets the position of a child on the current line.
    fn put(&self, child: NodeId, x: f32, placed: &mut [Placement]) {
        (placed[child.index()].x, placed[child.index()].y) = (x, self.y);
    }

    /// The widths used by the left and right floats next to the current line.
    fn sides(&self) -> (f32, f32) {
        let used = |side: (f32, f32)| if self.y < side.1 { side.0 } else { 0.0 };
        (used(self.left), used(self.right))
    }

    fn end_line(&mut self, next: NodeId, placed: &mut [Placement]) {
        let Some(start) = self.line_start.take() else { return };
        if self.flow.styles[self.id.index()].centered {
            let (left, right) = self.sides();
            let shift = (self.width - left - right - self.line) / 2.0;
            let mut child = start;
            while shift > 0.0 && child < next {
                let style = &self.flow.styles[child.index()];
                if style.is_inline() {
                    placed[child.index()].x += shift;
                }
                child = self.flow.document.end(child);
            }
        }
        self.y += self.line_height;
        (self.line, self.line_height) = (0.0, 0.0);
    }

    fn place_inline(&mut self, child: NodeId, style: &Style, placed: &mut [Placement]) {
        if self.flow.document.html_name(child) == Name::BR {
            self.put(child, self.line, placed);
            placed[child.index()].height = style.font_size * LINE_HEIGHT;
            self.line_start.get_or_insert(child);
            self.line_height = self.line_height.max(style.font_size * LINE_HEIGHT);
            return self.end_line(child, placed);
        }
        let height = placed[child.index()].height;
        let (left, right) = self.sides();
        let room = (self.width - left - right).max(1.0);
        let margins = style.margin(1, self.width) + style.margin(3, self.width);
        let width = self.flow.widths[child.index()] + margins;
        let length = self.flow.intrinsic[child.index()].max_content.max(width);
        if length <= 0.0 && height == 0.0 {
            self.put(child, left + self.line, placed);
            return;
        }
        self.flush_margin();
        if self.line + length <= room + 0.5 {
            self.line_start.get_or_insert(child);
            self.put(child, left + self.line + style.margin(3, self.width), placed);
            self.line += length;
            self.line_height = self.line_height.max(height);
        } else if style.display == Display::InlineBlock || height > 2.5 * style.font_size * LINE_HEIGHT {
            // A box, or an element that has several lines itself, starts a new line.
            self.end_line(child, placed);
            self.line_start = Some(child);
            self.put(child, self.sides().0 + style.margin(3, self.width), placed);
            (self.line, self.line_height) = (width.min(room), height);
        } else {
            // Text continues on the next lines.
            self.line_start.get_or_insert(child);
            self.put(child, left, placed);
            let one = style.font_size * LINE_HEIGHT;
            let count = line_count(self.line + length, room);
            let first = self.line_height.max(one);
            placed[child.index()].height = first + (count - 1.0) * one;
            self.line_height = first;
            self.end_line(child, placed);
            self.y += (count - 2.0).max(0.0) * one;
            self.line_start = Some(self.flow.document.end(child));
            (self.line, self.line_height) = ((length + self.line) % room, one);
        }
    }

    /// Applies the margin below the last block, now that something follows it.
    fn flush_margin(&mut self) {
        self.y += std::mem::take(&mut self.margin);
    }

    fn clear(&mut self, side: Side) {
        if matches!(side, Side::Left | Side::Both) {
            self.y = self.y.max(self.left.1);
        }
        if matches!(side, Side::Right | Side::Both) {
            self.y = self.y.max(self.right.1);
        }
    }

    fn place_block(&mut self, child: NodeId, style: &Style, placed: &mut [Placement]) {
        self.end_line(child, placed);
        let top = style.margin(0, self.width);
        self.y += top.max(self.margin).max(0.0) + top.min(0.0);
        self.margin = 0.0;
        self.clear(style.clear);
        let width = self.flow.widths[child.index()];
        let (left, right) = self.sides();
        // A table that does not fit next to floats is placed below them; the text of other blocks flows next to them.
        if (left > 0.0 || right > 0.0) && style.display == Display::Table && width > self.width - left - right {
            self.y = self.left.1.max(self.right.1);
        }
        let free = (self.width - width - style.margin(1, self.width) - style.margin(3, self.width)).max(0.0);
        let outer = &self.flow.styles[self.id.index()];
        let x = match (style.margin[3].is_auto(), style.margin[1].is_auto()) {
            (true, true) => free / 2.0,
            (true, false) => free,
            _ if outer.centered && style.display == Display::Table => free / 2.0,
            _ => style.margin(3, self.width),
        };
        self.put(child, x, placed);
        self.y += placed[child.index()].height;
        self.margin = style.margin(2, self.width).max(0.0);
    }

    fn place_float(&mut self, child: NodeId, style: &Style, placed: &mut [Placement]) {
        self.flush_margin();
        self.clear(style.clear);
        let width = self.flow.widths[child.index()] + style.margin(1, self.width) + style.margin(3, self.width);
        let height = placed[child.index()].height + style.margin(0, self.width) + style.margin(2, self.width);
        let (mut left, mut right) = self.sides();
        let mut y = self.y;
        if left + right + width > self.width + 1.0 && left + right > 0.0 {
            // No room next to the other floats: place it below them.
            y = self.left.1.max(self.right.1);
            (left, right) = (0.0, 0.0);
        }
        let (x, side) = match style.float {
            Side::Right => ((self.width - right - width).max(0.0), &mut self.right),
            _ => (left, &mut self.left),
        };
        let at = &mut placed[child.index()];
        (at.x, at.y) = (x + style.margin(3, self.width), y + style.margin(0, self.width));
        let used = if style.float == Side::Right { right } else { left };
        let bottom = if used > 0.0 { side.1.max(y + height) } else { y + height };
        *side = (used + width, bottom);
        if y > self.y && self.line == 0.0 {
            self.y = y;
        }
    }
}
