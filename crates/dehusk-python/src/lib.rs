//! The part of the Python package `dehusk` that is written in Rust: `dehusk._native`.
//!
//! It holds no logic of its own. Values of Python become pages, options are checked by the table that the program has too, work is done without
//! Python's lock, and what is wrong becomes an exception of the family `dehusk.DehuskError`.

mod arrow_pages;
mod clean;
mod cleaner;
mod duplicates;
mod errors;
mod extraction;
mod extractor;
mod many;
mod options;
mod page_input;
mod pages;
mod segmenter;
mod site;
mod templates;
mod workers;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::clean::clean;
    #[pymodule_export]
    use crate::cleaner::{Cleaner, Merger, Sampler};
    #[pymodule_export]
    use crate::duplicates::duplicates;
    #[pymodule_export]
    use crate::extraction::Extraction;
    #[pymodule_export]
    use crate::extractor::Extractor;
    #[pymodule_export]
    use crate::many::Many;
    #[pymodule_export]
    use crate::options::spark_options;
    #[pymodule_export]
    use crate::pages::Pages;
    #[pymodule_export]
    use crate::segmenter::Segmenter;
    #[pymodule_export]
    use crate::site::Site;
    #[pymodule_export]
    use crate::templates::Templates;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
