//! The roles of segments compared with the names of the marks.

use super::methods::Folds;
use crate::shared::report::table;
use dehusk::SegmentRole;
use dehusk_papers::segment::SegmentPage;
use dehusk_train::{Boxes, MarkedPage};

/// Precision and recall of each role, by leaf, over pages the trees have not seen.
pub(super) fn report(pages: &[MarkedPage], folds: &Folds) -> String {
    let mut text =
        String::from("## Roles\n\nOver shown leaves of all pages, each leaf with the role of its segment.\n\n");
    let mut rows = Vec::new();
    for boxes in [Boxes::Real, Boxes::Estimated] {
        let mut counts = [[0.0_f64; 3]; SegmentRole::ALL.len()];
        for page in pages {
            let real = SegmentPage::new(&page.document, page.layout(Boxes::Real));
            let split = SegmentPage::new(&page.document, page.layout(boxes));
            let (trees, parts) = (folds.trees(pages, page), split.part_table());
            let found = split.segmentation(&split.best(trees, &parts), trees, &parts);
            for marked in page.marked_leaves(&real) {
                let node = real.tree.leaves[marked.leaf].node;
                let Some(role) = page.roles[node.index()] else { continue };
                let Some(segment) = found.leaf_segment(node) else { continue };
                let number = |role: SegmentRole| SegmentRole::ALL.iter().position(|other| *other == role).unwrap_or(0);
                let (truth, said) = (number(role), number(found.segments[segment].role));
                counts[truth][1] += 1.0;
                counts[said][2] += 1.0;
                counts[truth][0] += f64::from(u8::from(truth == said));
            }
        }
        for (role, [hits, truth, said]) in SegmentRole::ALL.iter().zip(counts) {
            rows.push(vec![
                format!("{boxes:?}"),
                role.to_string(),
                format!("{truth:.0}"),
                format!("{:.3}", hits / said.max(1.0)),
                format!("{:.3}", hits / truth.max(1.0)),
            ]);
        }
    }
    text += &table(&["boxes", "role", "leaves", "precision", "recall"], &rows);
    text + "\n"
}
