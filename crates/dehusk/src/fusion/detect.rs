//! From chances of blocks to what is kept of a page.

use super::{FusionModel, FusionPage, FusionScores};
use crate::detection::{Detection, Reason};
use crate::dom::{Document, Name, NodeId};
use crate::error::{Error, ErrorKind};

/// From precision (0) to recall (1). More keeps all that less keeps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Focus(f32);

impl Focus {
    /// Rather too little than anything wrong.
    pub const PRECISION: Focus = Focus(0.25);
    /// The best of both.
    pub const BALANCED: Focus = Focus(0.5);
    /// Rather too much than anything lost.
    pub const RECALL: Focus = Focus(0.75);
    /// How far the log-odds of the cut move from one end to the other.
    const RANGE: f32 = 10.0;

    /// A focus between 0 and 1.
    pub fn new(focus: f32) -> Result<Focus, Error> {
        match (0.0..=1.0).contains(&focus) {
            true => Ok(Focus(focus)),
            false => Err(Error::new(ErrorKind::BadOptions, format!("the focus is {focus}, it must be 0 to 1"))),
        }
    }

    /// The chance from which on blocks are kept, where the best cut is `cut`.
    fn cut(self, cut: f32) -> f32 {
        if self == Focus::BALANCED {
            return cut;
        }
        let odds = (cut / (1.0 - cut).max(1e-6)).ln() + (0.5 - self.0) * Focus::RANGE;
        1.0 / (1.0 + (-odds).exp())
    }
}

impl Default for Focus {
    fn default() -> Focus {
        Focus::BALANCED
    }
}

/// What fusion says of a page.
#[derive(Clone, Debug, Default)]
pub struct Fusion {
    /// What is kept and dropped.
    pub detection: Detection,
    /// How good the result is guessed to be, as an F measure, 0 to 1.
    pub confidence: f32,
}

/// Finds the content of a page by the model that comes with the program.
pub fn detect_fusion(document: &Document, focus: Focus, page: &mut FusionPage) -> Fusion {
    let model = FusionModel::builtin();
    page.prepare(document, &model.odds);
    let scores = model.score(page);
    Fusion { detection: fuse(document, page, &scores, focus), confidence: scores.confidence }
}

/// Decides by given scores.
pub fn fuse(document: &Document, page: &FusionPage, scores: &FusionScores, focus: Focus) -> Detection {
    let mut detection = Detection::keep_all("fusion", document);
    detection.judges_hidden = true;
    let cut = focus.cut(scores.cut);
    let blocks = page.len();
    // Blocks that begin before each node, and how many of the blocks before each block are kept.
    let mut kept_before = Vec::with_capacity(blocks + 1);
    kept_before.push(0u32);
    for chance in &scores.blocks {
        kept_before.push(kept_before[kept_before.len() - 1] + (*chance >= cut) as u32);
    }
    let is_kept = |block: usize| kept_before[block + 1] > kept_before[block];
    let mut begun = vec![0u32; document.len() + 1];
    for block in 0..blocks {
        begun[page.span(block).0.index() + 1] += 1;
    }
    for at in 1..begun.len() {
        begun[at] += begun[at - 1];
    }
    // Only what is shown is judged; the head stays as it is.
    let Some(body) = document.find(Name::BODY) else { return detection };
    let mut at = body.index() + 1;
    while at < document.end(body).index() {
        let id = NodeId(at as u32);
        let end = document.end(id).index();
        let (first, last) = (begun[at] as usize, begun[end] as usize);
        // The block that is still going on where the node begins.
        let open = first.checked_sub(1).filter(|open| page.span(*open).1.index() > at);
        let kept = match (first < last, open) {
            (true, _) => kept_before[last] > kept_before[first] || open.is_some_and(&is_kept),
            (false, Some(open)) => is_kept(open),
            // Nothing to read: a picture stays between blocks that do.
            (false, None) => (first == 0 || is_kept(first - 1)) && (first == blocks || is_kept(first)),
        };
        let chance = match (first < last, open) {
            (true, _) => scores.blocks[first..last].iter().copied().fold(0.0, f32::max),
            (false, Some(open)) => scores.blocks[open],
            (false, None) => kept as u32 as f32,
        };
        detection.set_evidence(id, 1.0 - chance, Reason::Scored { score: 1.0 - chance });
        if !kept && blocks > 0 {
            detection.drop_subtree(document, id);
            at = end;
        } else {
            at += 1;
        }
    }
    detection
}
