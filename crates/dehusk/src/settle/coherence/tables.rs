//! Tables keep their shape, and data tables their labels.

use super::revision::Revision;
use crate::detection::Reason;
use crate::dom::elements::heading_level;
use crate::dom::{Name, NodeId};
use crate::read::data_tables::shape_of;
use crate::read::table_grid::{Grid, spans};

/// A dropped data table is kept if at least this share of the text around it is.
const MIN_KEPT_AROUND: f32 = 0.7;

/// Keeps the shape of tables: a dropped cell of a kept row becomes an empty cell. In a data table, a kept value keeps its label and its
/// column heading, no cell is dropped as a copy, and if most cells are kept, all are. A data table between kept paragraphs is kept.
pub(super) fn keep_tables_in_shape(page: &mut Revision<'_>) {
    let document = page.document;
    let tables = std::mem::take(&mut page.elements.tables);
    for (number, id) in tables.iter().copied().enumerate() {
        // The cells of a nested table are read with that table.
        let has_table = tables.get(number + 1).is_some_and(|next| *next < document.end(id));
        let (text, kept) = (page.text(id), page.kept_text(id));
        if has_table || kept == text {
            continue;
        }
        let is_framed = is_framed(page, id);
        if kept == 0 && !is_framed {
            continue;
        }
        if let Some(table) = Table::read(page, id) {
            match is_framed {
                true => table.keep_all(page),
                false => table.keep_labels(page),
            }
        }
    }
    keep_empty_cells(page);
}

/// Whether a dropped table is beside kept text, in a part of the page that is mostly kept.
fn is_framed(page: &Revision<'_>, id: NodeId) -> bool {
    let document = page.document;
    // The outermost element that contains the table and no other text.
    let outer = document.ancestors(id).take_while(|outer| page.text(*outer) == page.text(id)).last().unwrap_or(id);
    let Some(parent) = document.parent(outer).filter(|parent| *parent >= page.body) else { return false };
    let (around, kept) = (page.text(parent) - page.text(outer), page.kept_text(parent) - page.kept_text(outer));
    let is_kept =
        |text: Option<NodeId>| text.is_some_and(|text| document.contains(parent, text) && !page.is_dropped(text));
    kept as f32 >= MIN_KEPT_AROUND * around as f32
        && kept > 0
        && is_kept(text_above(page, outer))
        && (is_kept(page.text_from(document.end(outer)))
            || page.text_between(document.end(outer), document.end(parent)) == 0)
}

/// The last text before an element. A heading right above it belongs to it, and goes with it later.
fn text_above(page: &Revision<'_>, id: NodeId) -> Option<NodeId> {
    let document = page.document;
    let text = page.text_ahead_of(id)?;
    let heading = document.ancestors(text).find(|outer| heading_level(document.html_name(*outer)).is_some());
    match heading {
        Some(heading) if page.is_dropped(text) => page.text_ahead_of(heading),
        _ => Some(text),
    }
}

/// Keeps dropped cells of kept rows as empty cells, and dropped rows whose cells reach into kept rows as empty rows. Those of layout tables
/// too: without what was dropped, one can look like data.
fn keep_empty_cells(page: &mut Revision<'_>) {
    let document = page.document;
    let is_row = |id: NodeId| document.html_name(id) == Name::TR;
    for group in std::mem::take(&mut page.elements.row_groups) {
        if page.is_dropped(group) {
            continue;
        }
        let rows: Vec<NodeId> = document.children(group).filter(|row| is_row(*row)).collect();
        let mut rows_to_kept = usize::MAX;
        for row in rows.into_iter().rev() {
            let is_cell = |cell: &NodeId| matches!(document.html_name(*cell), Name::TD | Name::TH);
            let cells: Vec<NodeId> = document.children(row).filter(is_cell).collect();
            let reach = cells.iter().map(|cell| spans(document, *cell).1).max().unwrap_or(1);
            rows_to_kept = rows_to_kept.saturating_add(1);
            if page.is_dropped(row) && rows_to_kept >= reach {
                continue;
            }
            rows_to_kept = 0;
            for cell in cells {
                page.keep_empty(cell, row);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Cell {
    id: NodeId,
    row: u32,
    /// The first of its columns, and the one after the last.
    column: usize,
    end: usize,
    heading: bool,
}

/// The cells of a data table.
struct Table {
    id: NodeId,
    cells: Vec<Cell>,
    /// For each row its node and the cell in its first column, which can belong to a row above.
    rows: Vec<(NodeId, Option<u32>)>,
    columns: usize,
}

impl Table {
    /// The cells of a data table.
    fn read(page: &Revision<'_>, id: NodeId) -> Option<Table> {
        let document = page.document;
        let mut table = Table { id, cells: Vec::new(), rows: Vec::new(), columns: shape_of(document, id)?.columns };
        let (mut grid, mut label) = (Grid::default(), None);
        for at in document.descendants(id) {
            let name = document.html_name(at);
            match name {
                Name::TR => {
                    if !table.rows.is_empty() {
                        grid.finish_row();
                    }
                    grid.start_row();
                    table.rows.push((at, None));
                }
                Name::TD | Name::TH => {
                    let row = table.rows.len().checked_sub(1)?;
                    let (columns, rows) = spans(document, at);
                    let column = grid.place(columns, rows) + table.next_column(row as u32);
                    let number = table.cells.len() as u32;
                    if column == 0 {
                        label = Some((number, row + rows));
                    }
                    if table.rows[row].1.is_none() {
                        table.rows[row].1 = label.filter(|label| row < label.1).map(|label| label.0);
                    }
                    let heading = name == Name::TH;
                    table.cells.push(Cell { id: at, row: row as u32, column, end: column + columns, heading });
                }
                _ => {}
            }
        }
        table.columns = table.columns.max(grid.columns());
        Some(table)
    }

    /// The column after the last cell of a row.
    fn next_column(&self, row: u32) -> usize {
        self.cells.last().filter(|cell| cell.row == row).map_or(0, |cell| cell.end)
    }

    fn keep_all(&self, page: &mut Revision<'_>) {
        for (row, _) in &self.rows {
            page.keep(*row, self.id);
        }
    }

    fn keep_labels(&self, page: &mut Revision<'_>) {
        let has_text = |cell: &&Cell| page.text(cell.id) > 0;
        let is_kept = |cell: &&Cell| page.kept_text(cell.id) > 0;
        let filled = self.cells.iter().filter(has_text).count();
        let kept: Vec<Cell> = self.cells.iter().filter(is_kept).copied().collect();
        if 2 * kept.len() > filled {
            return self.keep_all(page);
        }
        // Column headings: the rows at the top that have only heading cells.
        let first_value = self.cells.iter().position(|cell| !cell.heading).unwrap_or(0);
        let heading_rows = self.cells.get(first_value).map_or(0, |cell| cell.row);
        let mut columns = vec![false; self.columns];
        let mut last_label = None;
        for cell in &kept {
            if cell.row >= heading_rows {
                columns[cell.column..cell.end].fill(true);
                // A label of many rows is kept once.
                let label = self.rows[cell.row as usize].1;
                if let Some(label) = label.filter(|_| label != last_label) {
                    columns[0] = true;
                    page.keep(self.cells[label as usize].id, self.id);
                }
                last_label = label;
            }
        }
        for cell in self.cells.iter().take_while(|cell| cell.row < heading_rows) {
            if columns[cell.column..cell.end].contains(&true) {
                page.keep(cell.id, self.id);
            }
        }
        for cell in &self.cells {
            let copies = page.document.subtree(cell.id).map(|at| NodeId(at as u32));
            if page.is_dropped(cell.id) || page.kept_text(cell.id) < page.text(cell.id) {
                for id in copies {
                    if page.is_dropped(id) && matches!(page.reason(id), Reason::CopyOf(_)) {
                        page.keep(id, self.id);
                    }
                }
            }
        }
    }
}
