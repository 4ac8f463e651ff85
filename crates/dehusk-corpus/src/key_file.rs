//! The keys of documents, kept in a file: there may be more than fit into memory.

use dehusk_io::InputValue;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Takes the keys of documents in order.
#[derive(Debug)]
pub struct KeyWriter {
    file: BufWriter<File>,
    ends: Vec<u64>,
}

impl KeyWriter {
    /// Writes to an unnamed file of a folder.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn new(folder: &Path) -> io::Result<KeyWriter> {
        Ok(KeyWriter { file: BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?), ends: Vec::new() })
    }

    /// Adds the key of the next document.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, key: &InputValue) -> io::Result<()> {
        let text = key.to_string();
        self.file.write_all(text.as_bytes())?;
        self.ends.push(self.ends.last().unwrap_or(&0) + text.len() as u64);
        Ok(())
    }

    /// The keys, to be read.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> io::Result<Keys> {
        let file = self.file.into_inner().map_err(|error| error.into_error())?;
        Ok(Keys { file: BufReader::with_capacity(1 << 12, file), at: None, ends: self.ends })
    }
}

/// Gives the key of a document by its number.
#[derive(Debug)]
pub struct Keys {
    file: BufReader<File>,
    /// Where the next byte comes from, once something was read.
    at: Option<u64>,
    ends: Vec<u64>,
}

impl Keys {
    /// The number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The key of a document.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn get(&mut self, document: u32) -> io::Result<InputValue> {
        let document = document as usize;
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        match self.at {
            // Keys next to each other are in the buffer.
            Some(at) => self.file.seek_relative(start as i64 - at as i64)?,
            None => drop(self.file.seek(SeekFrom::Start(start))?),
        }
        let mut text = vec![0; (self.ends[document] - start) as usize];
        self.file.read_exact(&mut text)?;
        self.at = Some(self.ends[document]);
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        InputValue::from_json(&text).ok_or_else(|| io::Error::other("a key is not JSON"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_in_any_order_with_their_types() {
        let keys: Vec<InputValue> = vec!["é".into(), 7.into(), "".into(), "http://a.example/\n".into()];
        let mut writer = KeyWriter::new(&std::env::temp_dir()).unwrap();
        keys.iter().for_each(|key| writer.add(key).unwrap());
        let mut read = writer.finish().unwrap();
        for document in [3, 0, 2, 1, 1, 3] {
            assert_eq!(read.get(document).unwrap(), keys[document as usize]);
        }
    }
}
