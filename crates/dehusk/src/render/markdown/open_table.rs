//! The state of the data table that is being written.

use crate::dom::NodeId;
use crate::read::data_tables::TableShape;
use crate::read::table_grid::Grid;

/// The current data table.
pub(super) struct OpenTable {
    pub(super) id: NodeId,
    pub(super) shape: TableShape,
    pub(super) grid: Grid,
    pub(super) row: String,
    /// Columns of the row written so far.
    pub(super) columns: usize,
    pub(super) in_cell: bool,
    pub(super) started: bool,
}
