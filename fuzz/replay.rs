//! Replays the corpus of a fuzz target in a test.

use std::path::Path;

/// A corpus reduced to what reaches most code has at least so many inputs.
const MIN_INPUTS: usize = 12;

/// Runs every input of `fuzz/regressions/<target>`. Fails where the folder holds too few, or nothing the target accepts.
pub(crate) fn replay(target: &str, body: fn(&[u8]) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions").join(target);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let accepted = paths.iter().filter(|path| body(&std::fs::read(path).unwrap())).count();
    assert!(paths.len() >= MIN_INPUTS, "{} holds {} inputs", folder.display(), paths.len());
    assert!(accepted > 0, "no input of {} is accepted", folder.display());
}
