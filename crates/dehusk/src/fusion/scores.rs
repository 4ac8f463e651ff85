//! What the fusion model returns for a page.

/// What the model says of a page.
#[derive(Clone, Debug, Default)]
pub struct FusionScores {
    /// For each block the chance that it is content.
    pub blocks: Vec<f32>,
    /// Blocks that say the same as a likelier one and so have no chance of their own, each with that one.
    pub copies: Vec<(u32, u32)>,
    /// Where the page is best cut: blocks from this chance on are kept.
    pub cut: f32,
    /// How good the cut is guessed to be, as an F measure, 0 to 1.
    pub confidence: f32,
    /// The row of the cut, by which the kind of the page is told.
    pub row: Vec<f32>,
}
