//! Near-duplicates among texts.

use crate::errors::Problem;
use dehusk_corpus::duplicates::{DuplicateFinder, DuplicateOptions, Signer};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

/// Texts between two looks at whether the user wants to stop.
const TEXTS_AT_ONCE: usize = 1000;

/// Pairs of texts with the hashes they share, and for each text the first of its cluster.
type Pairs = (Vec<(u32, u32, u8)>, Vec<u32>);

#[pyfunction]
pub(crate) fn duplicates(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    shingle_words: usize,
    hashes: usize,
    shared: usize,
) -> PyResult<Pairs> {
    let fails = |error: std::io::Error| Problem::new("cannot_write", format!("temporary files: {error}"));
    let options = DuplicateOptions::default().with_shingle_words(shingle_words).with_hashes(hashes, shared);
    let folder = tempfile::tempdir().map_err(fails)?;
    let mut finder = DuplicateFinder::new(options, folder.path()).map_err(fails)?;
    let mut signer = Signer::new(options);
    let mut texts = texts.try_iter()?;
    loop {
        let taken: Vec<PyBackedStr> =
            texts.by_ref().take(TEXTS_AT_ONCE).map(|text| text?.extract()).collect::<PyResult<_>>()?;
        if taken.is_empty() {
            break;
        }
        py.detach(|| taken.iter().try_for_each(|text| finder.add(&signer.sign(text)))).map_err(fails)?;
        py.check_signals()?;
    }
    let found = py.detach(|| {
        let mut found = finder.finish()?;
        let clusters = found.clusters();
        let pairs = found.pairs().map(|pair| pair.map(|pair| (pair.a, pair.b, pair.shared as u8)));
        Ok((pairs.collect::<std::io::Result<Vec<_>>>()?, clusters))
    });
    Ok(found.map_err(fails)?)
}
