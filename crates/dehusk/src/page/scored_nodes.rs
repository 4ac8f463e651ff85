//! The nodes of a page that PageLevel scores, and the tree they form.

use crate::dom::{Document, NodeId};
use crate::features::nodes::{DescribeOptions, FeatureTable, describe};
use crate::layout::Layout;

/// Smaller nodes, in square pixels, are not scored (PageLevel §5.3).
pub const LEAST_AREA: f32 = 2_000.0;

/// The nodes of a page that are judged, and the tree they make.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JudgedPage {
    pub(super) table: FeatureTable,
    pub(super) areas: Vec<f32>,
    pub(super) page_area: f32,
    /// For each judged node, which judged node it stands in.
    pub(super) parents: Vec<u32>,
    /// One for itself and one for each small child.
    pub(super) weights: Vec<f32>,
    /// For each node of the document, the judged node it rides with, or `u32::MAX`.
    pub(super) rides: Vec<u32>,
}

impl JudgedPage {
    /// Describes the nodes of a page that are large enough to be judged.
    pub fn of(document: &Document, layout: &Layout, host: Option<&str>) -> JudgedPage {
        let table = describe(document, layout, DescribeOptions { least_area: LEAST_AREA, host });
        let areas = table.nodes().iter().map(|id| layout.node(*id).area()).collect();
        let (rides, parents) = rides(document, table.nodes());
        let weights = weights(document, layout, &rides, table.nodes());
        JudgedPage { table, areas, page_area: layout.area(), parents, weights, rides }
    }

    /// The features of the judged nodes, in page order; the first node is the body.
    pub fn table(&self) -> &FeatureTable {
        &self.table
    }

    /// The areas of the judged nodes.
    pub fn areas(&self) -> &[f32] {
        &self.areas
    }

    /// The judged node a node is, or rides with, by number.
    pub fn ride(&self, id: NodeId) -> Option<usize> {
        self.rides.get(id.index()).filter(|ride| **ride != u32::MAX).map(|ride| *ride as usize)
    }
}

/// For each node the judged node it is or stands in, and for each judged node the one around it.
fn rides(document: &Document, judged: &[NodeId]) -> (Vec<u32>, Vec<u32>) {
    let mut rides = vec![u32::MAX; document.len()];
    let mut parents = Vec::with_capacity(judged.len());
    let mut next = 0;
    for id in document.ids() {
        let around = document.parent(id).map_or(u32::MAX, |parent| rides[parent.index()]);
        rides[id.index()] = around;
        if judged.get(next) == Some(&id) {
            // The first judged node is the body, which holds all others.
            parents.push(if around == u32::MAX { 0 } else { around });
            rides[id.index()] = next as u32;
            next += 1;
        }
    }
    (rides, parents)
}

/// One for each judged node and one for each small child that rides with it.
fn weights(document: &Document, layout: &Layout, rides: &[u32], judged: &[NodeId]) -> Vec<f32> {
    let mut weights = vec![1.0; judged.len()];
    for id in document.ids().filter(|id| document.is_element(*id) && layout.node(*id).visible) {
        let ride = rides[id.index()];
        let is_small_child = ride != u32::MAX
            && judged[ride as usize] != id
            && document.parent(id).is_some_and(|parent| judged[ride as usize] == parent);
        if is_small_child && layout.node(id).area() > 0.0 {
            weights[ride as usize] += 1.0;
        }
    }
    weights
}
