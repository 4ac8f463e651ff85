//! Tells tables of data from tables that only lay out a page, and places cells on the grid of a table.
//!
//! Takes the shown part of a page and returns the shape of each table. Layout tables are then written as plain
//! blocks, so that paragraphs, code and nested tables in them survive.

use super::walk::{Event, Walk};
use crate::dom::elements::{heading_level, is_preformatted};
use crate::dom::{Document, Name, NodeId};

/// A cell with several blocks and more text than this, in bytes, lays out a page. Cells of data tables in
/// encyclopedias and statistics rarely hold more than a few lines.
const LONG_CELL: usize = 500;
/// More columns than this are no table a reader could use.
const MAX_COLUMNS: usize = 1000;

/// The shape of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Columns of the widest row.
    pub(crate) columns: usize,
    /// Whether the first row holds headings only.
    pub(crate) header: bool,
}

/// The data tables of a page.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    shapes: Vec<(NodeId, Shape)>,
}

impl Tables {
    /// Looks at all tables a walk comes by.
    pub(crate) fn new(document: &Document, walk: Walk<'_>) -> Tables {
        let mut tables = Tables::default();
        // Most blocks hold no table; this spares them the walk.
        if !walk.range().any(|id| document.html_name(id) == Name::TABLE) {
            return tables;
        }
        let mut open: Vec<Draft> = Vec::new();
        let mut preformatted = 0_usize;
        for event in walk {
            match event {
                Event::Enter(id) => {
                    let name = document.html_name(id);
                    preformatted += is_preformatted(name) as usize;
                    if name == Name::TABLE {
                        if let Some(outer) = open.last_mut() {
                            outer.layout = true;
                        }
                        open.push(Draft::new(document, id, preformatted > 0));
                    } else if let Some(draft) = open.last_mut() {
                        draft.enter(document, id, name);
                    }
                }
                Event::Text(id) => {
                    if let Some(draft) = open.last_mut() {
                        draft.cell_text += document.text(id).trim().len();
                    }
                }
                Event::Leave(id) => {
                    let name = document.html_name(id);
                    preformatted -= is_preformatted(name) as usize;
                    if name == Name::TABLE {
                        tables.shapes.extend(open.pop().and_then(Draft::finish));
                    } else if let Some(draft) = open.last_mut() {
                        draft.leave(name);
                    }
                }
                Event::Gap(_) => {}
            }
        }
        // Inner tables end first.
        tables.shapes.sort_unstable_by_key(|shape| shape.0);
        tables
    }

    /// The shape of a table of data; none for layout tables and other elements.
    pub(crate) fn shape(&self, id: NodeId) -> Option<Shape> {
        let at = self.shapes.binary_search_by_key(&id, |shape| shape.0).ok()?;
        Some(self.shapes[at].1)
    }
}

/// What is known of a table while the walk is in it.
struct Draft {
    id: NodeId,
    layout: bool,
    grid: Grid,
    rows: usize,
    cells: usize,
    /// Places of the grid that were taken by cells or reached over by spans.
    places: usize,
    columns: usize,
    heading_cells: usize,
    first_row: (usize, usize),
    cell_blocks: usize,
    cell_text: usize,
}

impl Draft {
    fn new(document: &Document, id: NodeId, preformatted: bool) -> Draft {
        let role = document.attribute(id, Name::ROLE).unwrap_or_default();
        Draft {
            id,
            layout: preformatted || matches!(role, "presentation" | "none"),
            grid: Grid::default(),
            rows: 0,
            cells: 0,
            places: 0,
            columns: 0,
            heading_cells: 0,
            first_row: (0, 0),
            cell_blocks: 0,
            cell_text: 0,
        }
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
            Name::BLOCKQUOTE | Name::HR | Name::FORM | Name::DL => self.layout = true,
            _ if heading_level(name).is_some() || is_preformatted(name) => self.layout = true,
            _ => {}
        }
    }

    fn leave(&mut self, name: Name) {
        match name {
            Name::TD | Name::TH => self.layout |= self.cell_blocks > 1 && self.cell_text > LONG_CELL,
            Name::TR if !self.layout => {
                self.places += self.grid.finish_row();
                self.columns = self.columns.max(self.grid.columns());
                if self.rows == 0 {
                    self.first_row = (self.cells, self.heading_cells);
                }
                self.rows += 1;
                // Spans can make a small page a huge grid; such a table is written cell by cell.
                self.layout |= self.places > 8 * self.cells + 64 || self.columns > MAX_COLUMNS;
            }
            _ => {}
        }
    }

    fn finish(self) -> Option<(NodeId, Shape)> {
        let sparse = self.columns * self.rows > 8 * self.cells + 64;
        let data = !self.layout && !sparse && self.columns > 1 && (self.rows > 1 || self.heading_cells > 0);
        let header = self.first_row.0 > 0 && self.first_row.0 == self.first_row.1;
        data.then_some((self.id, Shape { columns: self.columns, header }))
    }
}

/// How many columns and rows a cell spans.
pub(crate) fn spans(document: &Document, id: NodeId) -> (usize, usize) {
    let number = |name| document.attribute(id, name).and_then(|value| value.trim().parse::<usize>().ok()).unwrap_or(1);
    (number(Name::COLSPAN).clamp(1, MAX_COLUMNS), number(Name::ROWSPAN).clamp(1, 65534))
}

/// Places cells of a table on its grid, row by row.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// For each column, how many further rows a cell above reaches down.
    reach: Vec<usize>,
    column: usize,
}

impl Grid {
    pub(crate) fn start_row(&mut self) {
        self.column = 0;
    }

    /// Whether no cell of this row was placed yet.
    pub(crate) fn is_row_start(&self) -> bool {
        self.column == 0
    }

    /// Places a cell and returns how many places before it are taken by cells above.
    pub(crate) fn place(&mut self, columns: usize, rows: usize) -> usize {
        let before = self.column;
        while self.reach.get(self.column).is_some_and(|reach| *reach > 0) {
            self.reach[self.column] -= 1;
            self.column += 1;
        }
        let taken = self.column - before;
        let end = self.column + columns;
        if self.reach.len() < end {
            self.reach.resize(end, 0);
        }
        self.reach[self.column..end].fill(rows - 1);
        self.column = end;
        taken
    }

    /// Ends a row and returns how many places of it are taken.
    pub(crate) fn finish_row(&mut self) -> usize {
        let mut places = self.column;
        for reach in &mut self.reach[self.column..] {
            places += (*reach > 0) as usize;
            *reach = reach.saturating_sub(1);
        }
        places
    }

    /// Columns of the widest row so far.
    pub(crate) fn columns(&self) -> usize {
        self.reach.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::render_options::RenderOptions;
    use super::*;

    fn shape(source: &str) -> Option<Shape> {
        let (document, detection) = page(source);
        let tables = Tables::new(&document, Walk::new(&document, &detection, RenderOptions::default()));
        tables.shape(document.find(Name::TABLE).expect("a table"))
    }

    #[test]
    fn data_tables_have_a_shape() {
        let table = shape("<table><tr><th>a<th>b<tr><td>1<td>2</table>");
        assert_eq!(table, Some(Shape { columns: 2, header: true }));
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
