//! The pages of a crawl, each found again by its place in one temporary file.
//!
//! Pages of compressed files and tables cannot be reached without reading all that is before them, so every page is copied to the
//! temporary file when it is read, compressed by itself. Of a page that is a plain file, only its path is kept. The file has no name, so it
//! is gone when the process ends, in whatever way. It is in the system's folder for temporary files (`TMPDIR`).

use dehusk_io::{InputPage, Position};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Pages are compressed while others wait for them, so at the fastest level.
const LEVEL: i32 = 1;

/// Where something is in the temporary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    offset: u64,
    length: u32,
}

/// A page with what its container says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredPage {
    /// The page in its own character encoding.
    pub(crate) bytes: Vec<u8>,
    /// The address of the page; empty if it has none.
    pub(crate) url: String,
    /// The content type with its charset, as the server states it.
    pub(crate) content_type: Option<String>,
    /// Where it was read, for people.
    pub(crate) location: String,
    /// Whether this is only the start of the page.
    pub(crate) truncated: bool,
    /// The site of the page.
    pub(crate) site: String,
}

/// What is kept of a page besides its bytes.
#[derive(Serialize, Deserialize)]
struct Head {
    url: String,
    content_type: Option<String>,
    location: String,
    truncated: bool,
    site: String,
    /// The file that is the page, and its bytes. Nothing if the page follows.
    file: Option<(String, u64)>,
}

/// The temporary file.
pub(crate) struct PageStore {
    file: Mutex<Spool>,
}

struct Spool {
    file: File,
    end: u64,
}

impl PageStore {
    pub(crate) fn new() -> io::Result<PageStore> {
        Ok(PageStore { file: Mutex::new(Spool { file: tempfile::tempfile()?, end: 0 }) })
    }

    /// Adds bytes.
    pub(crate) fn add(&self, bytes: &[u8]) -> io::Result<Place> {
        let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut spool = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = spool.end;
        // Reading moves the position of the same file.
        spool.file.seek(SeekFrom::Start(offset))?;
        spool.file.write_all(bytes)?;
        spool.end += u64::from(length);
        Ok(Place { offset, length })
    }

    /// The bytes at a place.
    pub(crate) fn read(&self, place: Place) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; place.length as usize];
        let mut spool = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        spool.file.seek(SeekFrom::Start(place.offset))?;
        spool.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The page at a place.
    pub(crate) fn page(&self, place: Place) -> io::Result<StoredPage> {
        let packed = self.read(place)?;
        let mut bytes = zstd::decode_all(&*packed)?;
        let (length, rest) = bytes.split_first_chunk().ok_or(io::ErrorKind::InvalidData)?;
        let length = u32::from_le_bytes(*length) as usize;
        let head: Head = serde_json::from_slice(rest.get(..length).ok_or(io::ErrorKind::InvalidData)?)?;
        bytes.drain(..length + size_of::<u32>());
        let Head { url, content_type, location, truncated, site, file } = head;
        if let Some((path, length)) = file {
            bytes = read_unchanged(Path::new(&path), length)?;
        }
        Ok(StoredPage { bytes, url, content_type, location, truncated, site })
    }
}

/// A page in the form in which it is stored. This is the slow part, for worker threads.
pub(crate) fn pack(page: &InputPage, site: &str) -> io::Result<Vec<u8>> {
    let file = plain_file(page);
    let html: &[u8] = if file.is_some() { &[] } else { &page.html };
    let head = serde_json::to_vec(&Head {
        url: page.url.clone(),
        content_type: page.content_type.clone(),
        location: page.location.to_string(),
        truncated: page.truncated,
        site: site.to_string(),
        file,
    })?;
    let length = u32::try_from(head.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    zstd::bulk::compress(&[&length.to_le_bytes(), &*head, html].concat(), LEVEL)
}

/// The file of a page that is a whole file, as it is on disk.
fn plain_file(page: &InputPage) -> Option<(String, u64)> {
    let path = page.location.file();
    let length = page.html.len() as u64;
    // A compressed file has another length, and standard input is not a file.
    let is_plain = page.location.position() == Position::Whole
        && path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == length);
    if is_plain { Some((path.to_str()?.to_string(), length)) } else { None }
}

/// The bytes of a file that still has its length.
fn read_unchanged(path: &Path, length: u64) -> io::Result<Vec<u8>> {
    let fail = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    // A file that grew takes no more memory than it had.
    File::open(path).map_err(fail)?.take(length + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 != length {
        let message = "the file has changed since it was read: start the inspector again";
        return Err(fail(io::Error::new(io::ErrorKind::InvalidData, message)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_io::{ReadOptions, open};

    fn records(path: &Path) -> Vec<InputPage> {
        let options = ReadOptions::default();
        let mut source = open(&[path.to_path_buf()], &options).unwrap();
        std::iter::from_fn(|| source.next()).map(|raw| raw.unwrap().open(&options).unwrap()).collect()
    }

    #[test]
    fn pages_of_files_and_containers_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let html = "<p>Nets are mended in May.".repeat(50);
        let plain = folder.path().join("page.html");
        std::fs::write(&plain, &html).unwrap();
        let packed_page = folder.path().join("packed.html.zst");
        std::fs::write(&packed_page, zstd::bulk::compress(html.as_bytes(), 1).unwrap()).unwrap();
        let lines = folder.path().join("pages.jsonl");
        let line = |number: usize| serde_json::json!({ "url": format!("http://a.example/{number}"), "html": html });
        std::fs::write(&lines, format!("{}\n{}\n", line(1), line(2))).unwrap();

        let store = PageStore::new().unwrap();
        let records: Vec<InputPage> =
            [&plain, &packed_page, &lines].into_iter().flat_map(|path| records(path)).collect();
        let packed: Vec<Vec<u8>> = records.iter().map(|record| pack(record, "a.example").unwrap()).collect();
        let places: Vec<Place> = packed.iter().map(|packed| store.add(packed).unwrap()).collect();
        // In any order.
        for number in [3, 0, 2, 1] {
            let page = store.page(places[number]).unwrap();
            assert_eq!(page.bytes, html.as_bytes());
            assert_eq!(page.url, records[number].url);
            assert_eq!(page.location, records[number].location.to_string());
            assert_eq!((page.site.as_str(), page.truncated), ("a.example", false));
        }
        // Only the plain file is read again.
        std::fs::remove_file(&packed_page).unwrap();
        assert!(store.page(places[1]).is_ok());
        std::fs::write(&plain, "<p>other").unwrap();
        assert!(store.page(places[0]).unwrap_err().to_string().contains("has changed"));
        std::fs::remove_file(&plain).unwrap();
        assert!(store.page(places[0]).is_err());
        let beyond = Place { offset: 1 << 40, length: 10 };
        assert!(store.page(beyond).is_err());
    }
}
