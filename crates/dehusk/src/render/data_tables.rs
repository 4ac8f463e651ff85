//! Distinguishes data tables from layout tables.
//!
//! Input: a walk over the visible part of a page. Output: the shape of each data table. Layout tables are written as
//! plain blocks, which preserves paragraphs, code and nested tables in them.

use crate::dom::elements::{heading_level, is_preformatted};
use crate::dom::{Document, Name, NodeId};
use crate::read::table_grid::{Grid, MAX_COLUMNS, spans};
use crate::render::walk::{Event, Walk};
use std::ops::Range;

/// A cell with several blocks and more bytes of text than this makes a layout table. Cells of data tables in
/// encyclopedias and statistics rarely have more than a few lines.
const LONG_CELL: usize = 500;

/// The shape of a data table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Columns of the widest row.
    pub(crate) columns: usize,
    /// Whether the first row contains only heading cells, or only bold ones above others.
    pub(crate) header: bool,
}

/// The data tables of a page.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    shapes: Vec<(NodeId, Shape)>,
}

impl Tables {
    /// Finds the data tables among nodes, given how to walk over a range of them.
    pub(crate) fn new<'a>(document: &Document, nodes: Range<usize>, walk: impl Fn(Range<usize>) -> Walk<'a>) -> Tables {
        let mut tables = Tables::default();
        let mut next = nodes.start;
        // Only tables are walked over, because most of a page is outside of any.
        while next < nodes.end {
            let id = NodeId(next as u32);
            next += 1;
            if document.html_name(id) == Name::TABLE {
                next = document.end(id).index();
                let outer = document.ancestors(id).take_while(|outer| nodes.contains(&outer.index()));
                let preformatted = outer.filter(|outer| is_preformatted(document.html_name(*outer))).count();
                tables.read(document, preformatted, walk(document.subtree(id)));
            }
        }
        // Inner tables end first.
        tables.shapes.sort_unstable_by_key(|shape| shape.0);
        tables
    }

    /// Reads an outermost table and those in it, inside a number of elements that preserve white space.
    fn read(&mut self, document: &Document, mut preformatted: usize, walk: Walk<'_>) {
        let mut open: Vec<OpenTable> = Vec::new();
        for event in walk {
            match event {
                Event::Enter(id) => {
                    let name = document.html_name(id);
                    preformatted += is_preformatted(name) as usize;
                    if name == Name::TABLE {
                        if let Some(outer) = open.last_mut() {
                            outer.layout = true;
                        }
                        open.push(OpenTable::new(document, id, preformatted > 0));
                    } else if let Some(table) = open.last_mut() {
                        table.enter(document, id, name);
                    }
                }
                Event::Text(id) => {
                    if let Some(table) = open.last_mut() {
                        table.text(document.text(id).trim().len());
                    }
                }
                Event::Leave(id) => {
                    let name = document.html_name(id);
                    preformatted -= is_preformatted(name) as usize;
                    if name == Name::TABLE {
                        self.shapes.extend(open.pop().and_then(OpenTable::finish));
                    } else if let Some(table) = open.last_mut() {
                        table.leave(name);
                    }
                }
                Event::Gap(_) => {}
            }
        }
    }

    /// The shape of a data table. `None` for layout tables and other elements.
    pub(crate) fn shape(&self, id: NodeId) -> Option<Shape> {
        let at = self.shapes.binary_search_by_key(&id, |shape| shape.0).ok()?;
        Some(self.shapes[at].1)
    }
}

/// The measurements of a table during the walk.
struct OpenTable {
    id: NodeId,
    layout: bool,
    grid: Grid,
    rows: usize,
    cells: usize,
    /// Grid positions covered by cells and their spans.
    covered: usize,
    columns: usize,
    heading_cells: usize,
    first_row: (usize, usize),
    cell_blocks: usize,
    cell_text: usize,
    /// The number of open `<b>` and `<strong>` elements.
    bold: usize,
    /// Cells of the first row that begin with bold text.
    bold_cells: usize,
    /// Whether the first and the second row have text that is not bold.
    has_plain: [bool; 2],
}

impl OpenTable {
    fn new(document: &Document, id: NodeId, preformatted: bool) -> OpenTable {
        let similar = document.attribute(id, Name::ROLE).unwrap_or_default();
        OpenTable {
            id,
            layout: preformatted || matches!(similar, "presentation" | "none"),
            grid: Grid::default(),
            rows: 0,
            cells: 0,
            covered: 0,
            columns: 0,
            heading_cells: 0,
            first_row: (0, 0),
            cell_blocks: 0,
            cell_text: 0,
            bold: 0,
            bold_cells: 0,
            has_plain: [false; 2],
        }
    }

    fn text(&mut self, length: usize) {
        if length > 0 && self.bold == 0 {
            if let Some(has_plain) = self.has_plain.get_mut(self.rows) {
                *has_plain = true;
            }
        } else if length > 0 && self.rows == 0 && self.cell_text == 0 {
            self.bold_cells += 1;
        }
        self.cell_text += length;
    }

    fn enter(&mut self, document: &Document, id: NodeId, name: Name) {
        match name {
            Name::TR => self.grid.start_row(),
            Name::TD | Name::TH => {
                self.cells += 1;
                self.heading_cells += (name == Name::TH) as usize;
                (self.cell_blocks, self.cell_text) = (0, 0);
                if !self.layout {
                    let (columns, rows) = spans(document, id);
                    self.grid.place(columns, rows);
                }
            }
            Name::P | Name::DIV | Name::BR | Name::SECTION | Name::ARTICLE => self.cell_blocks += 1,
            Name::B | Name::STRONG => self.bold += 1,
            Name::BLOCKQUOTE | Name::HR | Name::FORM | Name::DL => self.layout = true,
            _ if heading_level(name).is_some() || is_preformatted(name) => self.layout = true,
            _ => {}
        }
    }

    fn leave(&mut self, name: Name) {
        match name {
            Name::TD | Name::TH => self.layout |= self.cell_blocks > 1 && self.cell_text > LONG_CELL,
            Name::B | Name::STRONG => self.bold = self.bold.saturating_sub(1),
            Name::TR if !self.layout => {
                self.covered += self.grid.finish_row();
                self.columns = self.columns.max(self.grid.columns());
                if self.rows == 0 {
                    self.first_row = (self.cells, self.heading_cells);
                }
                self.rows += 1;
                // Spans can turn a small page into a huge grid; such a table is written cell by cell.
                self.layout |= self.covered > 8 * self.cells + 64 || self.columns > MAX_COLUMNS;
            }
            _ => {}
        }
    }

    fn finish(self) -> Option<(NodeId, Shape)> {
        let sparse = self.columns * self.rows > 8 * self.cells + 64;
        let is_bold = self.bold_cells > 1 && self.has_plain == [false, true];
        let header = is_bold || (self.first_row.0 > 0 && self.first_row.0 == self.first_row.1);
        // A single column is layout, unless it has a heading.
        let is_wide = self.columns > 1 && (self.rows > 1 || self.heading_cells > 0);
        let data = !self.layout && !sparse && (is_wide || (header && self.rows > 1));
        data.then_some((self.id, Shape { columns: self.columns, header }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;
    use crate::render::render_options::RenderOptions;

    fn shape(source: &str) -> Option<Shape> {
        let (document, detection) = page(source);
        let tables = Tables::new(&document, 0..document.len(), |nodes| {
            Walk::within(&document, Some(&detection), RenderOptions::default(), nodes)
        });
        tables.shape(document.find(Name::TABLE).expect("a table"))
    }

    #[test]
    fn data_tables_have_a_shape() {
        let table = shape("<table><tr><th>a<th>b<tr><td>1<td>2</table>");
        assert_eq!(table, Some(Shape { columns: 2, header: true }));
        let table = shape("<table><tr><th>a<tr><td>1<tr><td>2</table>");
        assert_eq!(table, Some(Shape { columns: 1, header: true }));
        let table = shape("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>1<td>2</table>");
        assert_eq!(table, Some(Shape { columns: 3, header: false }));
    }

    #[test]
    fn layout_tables_have_none() {
        assert_eq!(shape("<table><tr><td>only<tr><td>one column</table>"), None);
        assert_eq!(shape("<table><tr><td>a<td><table><tr><td>x<td>y<tr><td>1<td>2</table></table>"), None);
        assert_eq!(shape("<table><tr><td>1<td><pre>code</pre><tr><td>2<td>3</table>"), None);
        assert_eq!(shape("<table role=presentation><tr><td>1<td>2<tr><td>3<td>4</table>"), None);
        let long = "long text ".repeat(60);
        assert_eq!(shape(&format!("<table><tr><td>menu<td><p>{long}<p>{long}<tr><td>a<td>b</table>")), None);
    }

    #[test]
    fn spans_cannot_blow_up_the_grid() {
        let rows = "<tr><td>x".repeat(100);
        assert_eq!(shape(&format!("<table><tr><td colspan=1000 rowspan=65534>a<td>b{rows}</table>")), None);
    }
}
