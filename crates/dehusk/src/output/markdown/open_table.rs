//! The state of the data table that is being written.

use super::super::data_tables::Shape;
use crate::dom::NodeId;
use crate::table_grid::Grid;

/// The current data table.
pub(super) struct OpenTable {
    pub(super) id: NodeId,
    pub(super) shape: Shape,
    pub(super) grid: Grid,
    pub(super) row: String,
    /// Columns of the row written so far.
    pub(super) columns: usize,
    pub(super) in_cell: bool,
    pub(super) started: bool,
}
