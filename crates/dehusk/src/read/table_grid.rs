//! Places the cells of a table on its grid.

use crate::dom::{Document, Name, NodeId};

/// Maximum number of columns: no reader could use a wider table.
pub(crate) const MAX_COLUMNS: usize = 1000;

/// How many columns and rows a cell spans.
pub(crate) fn spans(document: &Document, id: NodeId) -> (usize, usize) {
    let number = |name| document.attribute(id, name).and_then(|value| value.trim().parse::<usize>().ok()).unwrap_or(1);
    (number(Name::COLSPAN).clamp(1, MAX_COLUMNS), number(Name::ROWSPAN).clamp(1, 65534))
}

/// Places cells of a table on its grid, row by row.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// For each column, the number of further rows that a cell above spans.
    remaining_rows: Vec<usize>,
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

    /// Places a cell and returns the number of columns right before it that cells above cover.
    pub(crate) fn place(&mut self, columns: usize, rows: usize) -> usize {
        let before = self.column;
        while self.remaining_rows.get(self.column).is_some_and(|rows| *rows > 0) {
            self.remaining_rows[self.column] -= 1;
            self.column += 1;
        }
        let covered = self.column - before;
        // One column too many says that the table is too wide; all that a hostile row spans would take 8,000 bytes for each cell.
        let end = (self.column + columns).min(MAX_COLUMNS + 1);
        if self.remaining_rows.len() < end {
            self.remaining_rows.resize(end, 0);
        }
        self.remaining_rows[self.column..end].fill(rows - 1);
        self.column = end;
        covered
    }

    /// Ends a row and returns the number of its columns that are covered.
    pub(crate) fn finish_row(&mut self) -> usize {
        let mut covered = self.column;
        for rows in &mut self.remaining_rows[self.column..] {
            covered += (*rows > 0) as usize;
            *rows = rows.saturating_sub(1);
        }
        covered
    }

    /// Columns of the widest row so far. More than [`MAX_COLUMNS`] are not counted.
    pub(crate) fn columns(&self) -> usize {
        self.remaining_rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_cannot_blow_up_the_grid() {
        let mut grid = Grid::default();
        for _ in 0..2 {
            grid.start_row();
            (0..10).for_each(|_| assert_eq!(grid.place(MAX_COLUMNS, 1), 0));
            assert_eq!(grid.finish_row(), MAX_COLUMNS + 1);
        }
        grid.start_row();
        (0..10).for_each(|_| assert_eq!(grid.place(MAX_COLUMNS, 65534), 0));
        grid.finish_row();
        grid.start_row();
        assert_eq!(grid.place(1, 1), MAX_COLUMNS + 1);
        assert_eq!(grid.columns(), MAX_COLUMNS + 1);
    }
}
