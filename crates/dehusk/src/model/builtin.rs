//! The models that come with the library, read when they are first asked for.
//!
//! They were trained on automatic labels only; `docs/training.md` says how to make them again. Texts of pages are not in them.

use crate::error::Error;
use crate::page::BlockModel;
use std::sync::LazyLock;

static BLOCK: LazyLock<Result<BlockModel, Error>> =
    LazyLock::new(|| BlockModel::from_bytes(include_bytes!("../../models/block.model")));

/// The block detector's model.
pub fn builtin_block() -> Result<&'static BlockModel, Error> {
    BLOCK.as_ref().map_err(Error::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_fit_this_version() {
        let model = builtin_block().unwrap();
        assert!(model.odds.text.len() > 1000 && model.card.contains("Trained on"));
        assert!(model.curve.len() > 50);
    }
}
