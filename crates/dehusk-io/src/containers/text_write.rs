//! The contents of rows in one file, one after another.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::containers::chunks::for_each_object;
use crate::containers::schema::OutputSchema;
use crate::error::Error;

/// Writes the texts that would be files in a folder, with an empty line between them. Rows without text are left out.
pub(crate) fn write_texts(
    chunks: &[PathBuf],
    writer: &mut impl Write,
    output: &Path,
    schema: &OutputSchema,
) -> Result<(), Error> {
    let mut is_first = true;
    for_each_object(chunks, |object, _, _| {
        for (key, _) in &schema.files {
            let text = object.get(key.as_str()).and_then(|value| serde_json::from_str::<String>(value.get()).ok());
            let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
            let gap = if is_first { "" } else { "\n" };
            writeln!(writer, "{gap}{}", text.trim_end()).map_err(|error| Error::write(output, error))?;
            is_first = false;
        }
        Ok(())
    })
}
