//! The data table that is being written.

use super::super::data_tables::{Grid, Shape};
use crate::dom::NodeId;

/// A data table the walk is in.
pub(super) struct OpenTable {
    pub(super) id: NodeId,
    pub(super) shape: Shape,
    pub(super) grid: Grid,
    pub(super) row: String,
    /// Places of the row that were written.
    pub(super) places: usize,
    pub(super) in_cell: bool,
    pub(super) started: bool,
}
