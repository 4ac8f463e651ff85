//! What the fusion model returns for a page.

/// The scores of a page.
#[derive(Clone, Debug, Default)]
pub struct FusionScores {
    /// For each block the probability that it is content.
    pub blocks: Vec<f32>,
    /// Blocks that repeat the text of a higher-scoring block, each with that block. Their probability is 0.
    pub copies: Vec<(u32, u32)>,
    /// The best threshold for the page: blocks with at least this probability are kept.
    pub threshold: f32,
    /// Estimated F1 of the result, 0 to 1.
    pub confidence: f32,
    /// The row of the chosen threshold, from which the page type is predicted.
    pub threshold_row: Vec<f32>,
}
