//! Writes data tables as GitHub Flavored Markdown tables.
//!
//! Cells are placed on the grid, with empty cells where others span columns or rows. A table without a heading row
//! gets an empty one, since Markdown requires one.

use super::inline::Feed;
use super::open_table::OpenTable;
use crate::dom::{Name, NodeId};
use crate::read::table_grid::{Grid, spans};
use crate::render::markdown::MarkdownWriter;

impl MarkdownWriter<'_> {
    pub(super) fn is_in_cell(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.in_cell)
    }

    pub(super) fn start_table(&mut self, id: NodeId) {
        self.table = self.tables.shape(id).map(|shape| OpenTable {
            id,
            shape,
            grid: Grid::default(),
            row: String::new(),
            columns: 0,
            in_cell: false,
            started: false,
        });
    }

    /// Enters a row, cell or row group of the open table. Returns false for other elements, such as those in the caption.
    pub(super) fn enter_table_part(&mut self, id: NodeId, name: Name) -> bool {
        let Some(table) = &mut self.table else { return false };
        match name {
            Name::TR => {
                table.grid.start_row();
                table.row.clear();
                table.columns = 0;
            }
            Name::TD | Name::TH => {
                let (columns, rows) = spans(self.document, id);
                let covered = table.grid.place(columns, rows);
                table.append_empty(covered);
                table.in_cell = true;
                self.line.set_feed(Feed::Tag);
            }
            Name::TBODY | Name::THEAD | Name::TFOOT => {}
            _ => return false,
        }
        true
    }

    /// Leaves a part of the open table. Returns false for elements inside a cell or the caption.
    pub(super) fn leave_table_part(&mut self, id: NodeId, name: Name) -> bool {
        let Some(table) = &mut self.table else { return false };
        match name {
            Name::TD | Name::TH => {
                table.in_cell = false;
                table.append_cell(&self.line.take());
                table.append_empty(spans(self.document, id).0 - 1);
                self.line.set_feed(Feed::Hard);
            }
            Name::TR => {
                table.grid.finish_row();
                self.write_row();
            }
            Name::CAPTION => {
                // Rows after it would be read as part of its paragraph.
                table.started = false;
                self.end_paragraph();
            }
            Name::TABLE if table.id == id => self.table = None,
            Name::TBODY | Name::THEAD | Name::TFOOT => {}
            _ => return false,
        }
        true
    }

    fn write_row(&mut self) {
        let Some(table) = &mut self.table else { return };
        if table.columns == 0 {
            return;
        }
        let missing = table.shape.columns.saturating_sub(table.columns);
        table.append_empty(missing);
        if !table.started {
            let out = self.blocks.begin();
            if table.shape.header {
                out.push_str(&table.row);
            } else {
                out.extend(std::iter::repeat_n("|  ", table.shape.columns));
            }
            out.push('|');
            let out = self.blocks.next_line();
            out.extend(std::iter::repeat_n("| --- ", table.shape.columns));
            out.push('|');
        }
        if table.started || !table.shape.header {
            let out = self.blocks.next_line();
            out.push_str(&table.row);
            out.push('|');
        }
        // Headings are written once, even if a caption splits the table.
        table.shape.header = false;
        table.started = true;
    }
}

impl OpenTable {
    fn append_cell(&mut self, text: &str) {
        self.row.push_str("| ");
        self.row.push_str(&text.replace('|', "\\|"));
        self.row.push(' ');
        self.columns += 1;
    }

    fn append_empty(&mut self, cells: usize) {
        self.row.extend(std::iter::repeat_n("|  ", cells));
        self.columns += cells;
    }
}
