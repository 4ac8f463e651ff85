//! Model files that options name.

use crate::error::OptionError;
use dehusk::model::ModelFile;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// No model file is larger.
const MAX_MODEL_BYTES: u64 = 1 << 30;

/// The name that stands for the model in this program.
const BUILTIN: &str = "builtin";

/// Whether a path names a model file, and not the model in this program.
pub fn is_model_file(path: &Path) -> bool {
    path != Path::new(BUILTIN)
}

/// The model of a file, of any kind; `-` is standard input.
///
/// # Errors
/// If it cannot be read or is not a model.
pub fn read_model(path: &Path) -> Result<ModelFile, OptionError> {
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().lock().take(MAX_MODEL_BYTES + 1).read_to_end(&mut bytes),
        false => File::open(path).and_then(|file| file.take(MAX_MODEL_BYTES + 1).read_to_end(&mut bytes)),
    };
    let about = |what: &dyn std::fmt::Display| OptionError::new(format!("{}: {what}", path.display()));
    match read {
        Ok(length) if length as u64 > MAX_MODEL_BYTES => Err(about(&format!("more than {MAX_MODEL_BYTES} bytes"))),
        Ok(_) => ModelFile::from_bytes(&bytes).map_err(|error| about(&error)),
        Err(error) => Err(about(&error)),
    }
}
