//! Features of blocks.
