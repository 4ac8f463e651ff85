//! Which features weighed in the scores of the fusion detector, for `explain`.

use super::fusion_model::FusionModel;
use super::fusion_page::FusionPage;
use super::fusion_schema::column_names;
use crate::detection::Detection;
use crate::dom::Document;
use crate::model::Trees;

/// Number of features shown of each pass.
const SHOWN: usize = 3;
/// The maximum number of text blocks of a page with details: all features of all blocks are in memory at once, and the trees
/// are walked feature by feature.
const MAX_BLOCKS: usize = 50_000;

/// Adds to each node the features with the largest contribution to the score of its text block. A node with several blocks gets
/// those of the block that is most probably content, which also gives it its score. A positive value means template.
pub fn append_fusion_details(
    document: &Document,
    model: &FusionModel,
    page: &mut FusionPage,
    detection: &mut Detection,
) {
    if page.len() > MAX_BLOCKS {
        return detection.cut_details();
    }
    page.describe(document, &model.odds);
    if page.is_empty() {
        return;
    }
    let names = column_names();
    let rows: Vec<&[f32]> = page.rows().chunks_exact(names.first.len()).collect();
    let first: Vec<f32> = rows.iter().map(|row| model.first.score(row)).collect();
    let second_rows = page.second_rows(&first);
    let second_rows: Vec<&[f32]> = second_rows.chunks_exact(names.second.len()).collect();
    let mut strongest: Vec<Option<(f32, usize)>> = vec![None; document.len()];
    for (block, row) in second_rows.iter().enumerate() {
        let probability = model.second.score(row);
        let text = page.span(block).0;
        for node in std::iter::once(text).chain(document.ancestors(text)) {
            let best = &mut strongest[node.index()];
            // The ancestors of a node have at least as strong a block.
            if best.is_some_and(|(other, _)| other >= probability) {
                break;
            }
            *best = Some((probability, block));
        }
    }
    for id in document.ids() {
        let Some((_, block)) = strongest[id.index()] else { continue };
        let own = shown(&model.first, &names.first, rows[block]);
        let around = shown(&model.second, &names.second, second_rows[block]);
        let text = format!("its features {:.2}: {own}; with its surroundings: {around}", 1.0 - first[block]);
        if !detection.set_detail(id, text) {
            break;
        }
    }
}

/// The features of a row with the largest contributions, with their values.
fn shown(trees: &Trees, names: &[String], row: &[f32]) -> String {
    let contributions = trees.contributions(row, 0);
    let mut order: Vec<usize> = (0..contributions.len()).filter(|at| contributions[*at] != 0.0).collect();
    order.sort_by(|one, two| contributions[*two].abs().total_cmp(&contributions[*one].abs()).then(one.cmp(two)));
    let one = |at: &usize| format!("{} {:.2}: {:+.1}", names[*at], row[*at], -contributions[*at]);
    order.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ")
}
