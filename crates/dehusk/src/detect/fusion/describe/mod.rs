//! The features of text blocks: rows of numbers for the first and for the second pass of the model.

pub(crate) mod copies;
#[cfg(test)]
mod copies_tests;
pub(crate) mod describe_block;
pub(crate) mod feature_sink;
#[cfg(test)]
mod features_tests;
pub(crate) mod hash_order;
pub(crate) mod page_facts;
pub(crate) mod page_parts;
pub(crate) mod region_facts;
pub(crate) mod scale;
pub(crate) mod second_pass;
#[cfg(test)]
mod second_tests;
pub(crate) mod similar_blocks;
