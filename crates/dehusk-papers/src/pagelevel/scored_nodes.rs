//! Selects the nodes of a page that PageLevel scores, and the tree they form.

use crate::dom::{Document, NodeId};
use crate::pagelevel::features::describe;
use crate::pagelevel::features::{DescribeOptions, FeatureTable};
use dehusk::layout::Layout;

/// The minimum area of a scored node, in square pixels (PageLevel §5.3).
pub const MIN_AREA: f32 = 2_000.0;

/// The nodes of a page that PageLevel scores, with their features and the tree they form.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScoredNodes {
    pub(crate) table: FeatureTable,
    pub(crate) areas: Vec<f32>,
    pub(crate) page_area: f32,
    /// For each scored node, the number of its nearest scored ancestor.
    pub(crate) parents: Vec<u32>,
    /// For each scored node, one for itself and one for each small child.
    pub(crate) weights: Vec<f32>,
    /// For each node of the document, the number of the scored node it is or is assigned to, or `u32::MAX`.
    pub(crate) owners: Vec<u32>,
}

impl ScoredNodes {
    /// Describes the nodes of a page that are large enough to be scored.
    ///
    /// `host` is the host of the page, if known: links to it are not external.
    pub fn of(document: &Document, layout: &Layout, host: Option<&str>) -> ScoredNodes {
        let table = describe(document, layout, DescribeOptions { min_area: MIN_AREA, host });
        let areas = table.nodes().iter().map(|id| layout.node(*id).area()).collect();
        let (owners, parents) = owners(document, table.nodes());
        let weights = weights(document, layout, &owners, table.nodes());
        ScoredNodes { table, areas, page_area: layout.area(), parents, weights, owners }
    }

    /// The features of the scored nodes, in page order; the first node is the body.
    pub fn table(&self) -> &FeatureTable {
        &self.table
    }

    /// The areas of the scored nodes.
    pub fn areas(&self) -> &[f32] {
        &self.areas
    }

    /// The area of the page.
    pub fn page_area(&self) -> f32 {
        self.page_area
    }

    /// For each scored node, the number of its nearest scored ancestor; that of the first, the body, is 0.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// The scored node that decides about a node: itself or its nearest scored ancestor, by number. `None` outside the body.
    pub fn owner(&self, id: NodeId) -> Option<usize> {
        self.owners.get(id.index()).filter(|owner| **owner != u32::MAX).map(|owner| *owner as usize)
    }
}

/// Returns for each node the scored node it is or is assigned to, and for each scored node its nearest scored ancestor.
fn owners(document: &Document, scored: &[NodeId]) -> (Vec<u32>, Vec<u32>) {
    let mut owners = vec![u32::MAX; document.len()];
    let mut parents = Vec::with_capacity(scored.len());
    let mut next = 0;
    for id in document.ids() {
        let around = document.parent(id).map_or(u32::MAX, |parent| owners[parent.index()]);
        owners[id.index()] = around;
        if scored.get(next) == Some(&id) {
            // The first scored node is the body, the ancestor of all others.
            parents.push(if around == u32::MAX { 0 } else { around });
            owners[id.index()] = next as u32;
            next += 1;
        }
    }
    (owners, parents)
}

/// One for each scored node and one for each small child that is assigned to it.
fn weights(document: &Document, layout: &Layout, owners: &[u32], scored: &[NodeId]) -> Vec<f32> {
    let mut weights = vec![1.0; scored.len()];
    for id in document.ids().filter(|id| document.is_element(*id) && layout.node(*id).visible) {
        let owner = owners[id.index()];
        let is_small_child = owner != u32::MAX
            && scored[owner as usize] != id
            && document.parent(id).is_some_and(|parent| scored[owner as usize] == parent);
        if is_small_child && layout.node(id).area() > 0.0 {
            weights[owner as usize] += 1.0;
        }
    }
    weights
}
