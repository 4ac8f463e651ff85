//! The second pass of `best`: what the first pass says of the parts around a part.

use crate::segment::leaf_tree::LeafTree;

/// The number of columns for each output of the first pass.
const CONTEXT: usize = 10;

/// The outputs of the first pass, by name.
pub(crate) const FIRST_PASS: [&str; 3] = ["together", "uniform", "marked"];

/// Their columns.
const CONTEXT_COLUMNS: [&str; CONTEXT] =
    ["own", "children", "max_child", "min_child", "outer", "outer_outer", "siblings", "max_outer", "inside", "page"];

/// The names of the columns of the second pass, after the features of the part itself.
pub(crate) fn context_names() -> impl Iterator<Item = String> {
    FIRST_PASS.iter().flat_map(|output| CONTEXT_COLUMNS.iter().map(move |column| format!("{output}_{column}")))
}

/// What the first pass says of each part and of the parts around it.
pub(crate) struct PartContext {
    by_output: [Vec<[f32; CONTEXT]>; FIRST_PASS.len()],
}

impl PartContext {
    pub(crate) fn new(tree: &LeafTree, outputs: &[Vec<f32>; FIRST_PASS.len()]) -> PartContext {
        PartContext { by_output: outputs.each_ref().map(|scores| context(tree, scores)) }
    }

    /// Appends rows of the second pass: the features of each part, from part `start` on, and its context.
    pub(crate) fn append_rows(&self, start: usize, own: &[f32], width: usize, rows: &mut Vec<f32>) {
        for (at, row) in own.chunks(width).enumerate() {
            rows.extend_from_slice(row);
            self.by_output.iter().for_each(|context| rows.extend_from_slice(&context[start + at]));
        }
    }
}

fn context(tree: &LeafTree, scores: &[f32]) -> Vec<[f32; CONTEXT]> {
    const MISSING: f32 = -1.0;
    let count = tree.parts.len();
    let mean = |sum: f32, count: f32| if count > 0.0 { sum / count } else { MISSING };
    let mut inside = vec![(0.0_f32, 0.0_f32); count];
    let mut children = vec![(MISSING, MISSING, MISSING); count];
    for at in (0..count).rev() {
        let own = tree.children(at).iter().map(|child| scores[*child as usize]);
        let (mut sum, mut max, mut min, mut number) = (0.0, MISSING, f32::INFINITY, 0.0);
        for score in own {
            sum += score;
            max = f32::max(max, score);
            min = f32::min(min, score);
            number += 1.0;
        }
        children[at] = (mean(sum, number), max, if number > 0.0 { min } else { MISSING });
        if let Some(parent) = tree.parts[at].parent() {
            let (sum, number) = inside[at];
            inside[parent].0 += sum + scores[at];
            inside[parent].1 += number + 1.0;
        }
    }
    let weight = |at: usize| tree.parts[at].leaf_count() as f32;
    let (mut page, mut weights) = (0.0, 0.0);
    for at in (0..count).filter(|at| !tree.children(*at).is_empty()) {
        page += weight(at) * scores[at];
        weights += weight(at);
    }
    let page = mean(page, weights);
    let mut max_outer = vec![0.0_f32; count];
    let mut rows = Vec::with_capacity(count);
    for at in 0..count {
        let outer = tree.parts[at].parent();
        if let Some(outer) = outer {
            max_outer[at] = max_outer[outer].max(scores[outer]);
        }
        let outer_outer = outer.and_then(|outer| tree.parts[outer].parent());
        let (child_mean, max_child, min_child) = children[at];
        rows.push([
            scores[at],
            child_mean,
            max_child,
            min_child,
            outer.map_or(MISSING, |outer| scores[outer]),
            outer_outer.map_or(MISSING, |outer| scores[outer]),
            outer.map_or(MISSING, |outer| children[outer].0),
            max_outer[at],
            mean(inside[at].0, inside[at].1),
            page,
        ]);
    }
    rows
}
