//! The parts that all model cards share: where the pages come from and how to train the model again.

use std::fmt::Write as _;
use std::path::PathBuf;

/// More inputs than this are not named one by one.
const MAX_NAMES: usize = 12;

/// What a card says of the training data beside the counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Provenance<'a> {
    /// The command, such as `fusion` for `dehusk train fusion`.
    pub(crate) command: &'a str,
    /// The files and folders that were read.
    pub(crate) inputs: &'a [PathBuf],
    /// Where the pages come from and their licence, as the user put it.
    pub(crate) source: Option<&'a str>,
    /// The document with measurements.
    pub(crate) measured: &'a str,
}

impl Provenance<'_> {
    /// The names of the inputs, without their folders: the same data gives the same card wherever it is kept. Of many, the first, the
    /// last and their number.
    pub(crate) fn input_names(&self) -> String {
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match self.inputs {
            [first, .., last] if self.inputs.len() > MAX_NAMES => {
                format!("{} … {} ({} files)", name(first), name(last), self.inputs.len())
            }
            inputs => inputs.iter().map(name).collect::<Vec<_>>().join(" "),
        }
    }

    /// The last lines of a card.
    pub(crate) fn append(&self, card: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(card, "Source and licence of the pages: {}.", self.source.unwrap_or("not stated"));
        let _ =
            writeln!(card, "Rebuild: dehusk train {} {} (with the same options).", self.command, self.input_names());
        let _ = writeln!(card, "How models trained this way do on sites left out of training: {}.", self.measured);
    }
}
