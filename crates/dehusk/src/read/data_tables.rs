//! Distinguishes data tables from layout tables: the one rule for renderers, for coherence and for the units of a site.
//!
//! Input: the nodes of a table, one by one, as much of it as the caller sees. Output: its shape if it shows data. The cells of a layout
//! table are parts of a page, with paragraphs, code and tables of their own.

use super::table_grid::{Grid, MAX_COLUMNS, spans};
use crate::dom::elements::{heading_level, is_preformatted};
use crate::dom::{Document, Name, NodeId, NodeKind};

/// A cell with several blocks and more bytes of text than this makes a layout table. Cells of data tables in
/// encyclopedias and statistics rarely have more than a few lines.
const LONG_CELL: usize = 500;

/// The shape of a data table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableShape {
    /// Columns of the widest row.
    pub(crate) columns: usize,
    /// Whether the first row contains only heading cells, or only bold ones above others.
    pub(crate) header: bool,
}

/// The shape of a table as its source has it, if it is a data table. One that contains another is none.
pub(crate) fn shape_of(document: &Document, table: NodeId) -> Option<TableShape> {
    let mut reader = TableReader::new(document, table, false);
    let mut open: Vec<NodeId> = Vec::new();
    for at in document.descendants(table) {
        while let Some(inner) = open.pop_if(|inner| document.end(*inner) <= at) {
            reader.leave(document.html_name(inner));
        }
        match document.kind(at) {
            NodeKind::Text => reader.text(document.text(at).trim().len()),
            NodeKind::Element => {
                reader.enter(document, at, document.html_name(at));
                open.push(at);
            }
            _ => {}
        }
        if reader.layout {
            return None;
        }
    }
    open.into_iter().rev().for_each(|inner| reader.leave(document.html_name(inner)));
    reader.finish().map(|(_, shape)| shape)
}

/// A table of which the nodes are read in page order.
pub(crate) struct TableReader {
    id: NodeId,
    /// Whether something was read that data tables do not have.
    pub(crate) layout: bool,
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

impl TableReader {
    pub(crate) fn new(document: &Document, id: NodeId, preformatted: bool) -> TableReader {
        let role = document.attribute(id, Name::ROLE).unwrap_or_default();
        TableReader {
            id,
            layout: preformatted || matches!(role, "presentation" | "none"),
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

    pub(crate) fn text(&mut self, length: usize) {
        if length > 0 && self.bold == 0 {
            if let Some(has_plain) = self.has_plain.get_mut(self.rows) {
                *has_plain = true;
            }
        } else if length > 0 && self.rows == 0 && self.cell_text == 0 {
            self.bold_cells += 1;
        }
        self.cell_text += length;
    }

    pub(crate) fn enter(&mut self, document: &Document, id: NodeId, name: Name) {
        match name {
            Name::TABLE => self.layout = true,
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

    pub(crate) fn leave(&mut self, name: Name) {
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

    pub(crate) fn finish(self) -> Option<(NodeId, TableShape)> {
        let sparse = self.columns * self.rows > 8 * self.cells + 64;
        let is_bold = self.bold_cells > 1 && self.has_plain == [false, true];
        let header = is_bold || (self.first_row.0 > 0 && self.first_row.0 == self.first_row.1);
        // A single column is layout, unless it has a heading.
        let is_wide = self.columns > 1 && (self.rows > 1 || self.heading_cells > 0);
        let data = !self.layout && !sparse && (is_wide || (header && self.rows > 1));
        data.then_some((self.id, TableShape { columns: self.columns, header }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn shape(source: &str) -> Option<TableShape> {
        let document = Parser::default().parse(source).unwrap();
        shape_of(&document, document.find(Name::TABLE).expect("a table"))
    }

    #[test]
    fn data_tables_have_a_shape() {
        let table = shape("<table><tr><th>a<th>b<tr><td>1<td>2</table>");
        assert_eq!(table, Some(TableShape { columns: 2, header: true }));
        let table = shape("<table><tr><th>a<tr><td>1<tr><td>2</table>");
        assert_eq!(table, Some(TableShape { columns: 1, header: true }));
        let table = shape("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>1<td>2</table>");
        assert_eq!(table, Some(TableShape { columns: 3, header: false }));
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
