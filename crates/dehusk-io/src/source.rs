//! Inputs of every kind as one run of records.
//!
//! The kind of a file is told by its first bytes, then by its name. Inputs come in the order given, folders
//! in the order of their paths, so that two readings of the same inputs give the same records.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::fault::{Fault, FaultKind};
use crate::html_dir::{Entry, Folder};
use crate::inflate::Tape;
use crate::jsonl::JsonLines;
use crate::options::ReadOptions;
use crate::parquet_read::ParquetRows;
use crate::place::{At, Place};
use crate::record::{Content, RawRecord, path_text};
use crate::spool::{Origin, Spool};
use crate::warc::WarcRecords;

/// A run of pages and faults. After a fault the next call goes on behind it.
pub trait Source: Send {
    /// The next page or fault, `None` at the end.
    fn next(&mut self) -> Option<Result<RawRecord, Fault>>;

    /// The bytes of the inputs used so far, as they lie on disk.
    fn bytes_read(&self) -> u64;

    /// The bytes of all inputs, where known without walking folders.
    fn bytes_total(&self) -> Option<u64>;
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Page,
    JsonLines,
    Warc,
    Parquet,
}

impl Kind {
    /// The kind a name promises.
    pub(crate) fn of_name(path: &Path) -> Option<Kind> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let packed = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst"));
        match packed.unwrap_or(&name).rsplit_once('.')?.1 {
            "html" | "htm" | "xhtml" => Some(Kind::Page),
            "jsonl" | "ndjson" | "json" => Some(Kind::JsonLines),
            "warc" => Some(Kind::Warc),
            "parquet" if packed.is_none() => Some(Kind::Parquet),
            _ => None,
        }
    }

    /// The kind of a file by its first inflated bytes and its name. Text that merely could be JSON or HTML
    /// counts less than the name: a page may start with a brace.
    fn of(first: &[u8], name: &Path) -> Option<Kind> {
        if first.starts_with(b"PAR1") {
            return Some(Kind::Parquet);
        }
        if first.starts_with(b"WARC/") {
            return Some(Kind::Warc);
        }
        let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
        Kind::of_name(name).or(match text.first() {
            Some(b'{') => Some(Kind::JsonLines),
            Some(b'<') => Some(Kind::Page),
            None if first.is_empty() && name.as_os_str() == "-" => Some(Kind::JsonLines),
            _ => None,
        })
    }
}

/// Opens files and folders, mixed; `-` is standard input, copied to a temporary file first.
///
/// A named input that does not exist is an error at once. Everything found later is a fault among the
/// records. To read standard input more than once, use [`Inputs`].
pub fn open(paths: &[PathBuf], options: &ReadOptions) -> Result<Box<dyn Source>, Fault> {
    Ok(Inputs::new(paths)?.open(options))
}

/// Inputs that can be read several times, standard input and pipes included.
#[derive(Clone, Debug)]
pub struct Inputs {
    inputs: Vec<Given>,
}

#[derive(Clone, Debug)]
enum Given {
    Folder(PathBuf),
    File { origin: Origin, bytes: u64 },
}

impl Inputs {
    /// Checks that every input exists and copies streams to temporary files.
    pub fn new(paths: &[PathBuf]) -> Result<Inputs, Fault> {
        let mut stdin: Option<Arc<Spool>> = None;
        let mut inputs = Vec::with_capacity(paths.len());
        for path in paths {
            let fault = |what: &str, error: io::Error| {
                Fault::new(Place::whole(path), FaultKind::CannotRead, format!("{what}: {error}"))
            };
            if path.as_os_str() == "-" {
                let spool = match stdin.take() {
                    Some(spool) => spool,
                    None => Arc::new(Spool::of_stdin().map_err(|e| fault("cannot be copied to a temporary file", e))?),
                };
                stdin = Some(spool.clone());
                inputs.push(Given::spooled(path, spool));
                continue;
            }
            let metadata = fs::metadata(path).map_err(|error| fault("cannot be read", error))?;
            if metadata.is_dir() {
                inputs.push(Given::Folder(path.clone()));
            } else if metadata.is_file() {
                inputs.push(Given::File { origin: Origin::File(path.clone()), bytes: metadata.len() });
            } else {
                let pipe = fs::File::open(path).map_err(|error| fault("cannot be read", error))?;
                let spool = Spool::copy_of(pipe).map_err(|e| fault("cannot be copied to a temporary file", e))?;
                inputs.push(Given::spooled(path, Arc::new(spool)));
            }
        }
        Ok(Inputs { inputs })
    }

    /// A source over all inputs from their start.
    pub fn open(&self, options: &ReadOptions) -> Box<dyn Source> {
        let sizes = self.inputs.iter().map(|input| match input {
            Given::Folder(_) => None,
            Given::File { bytes, .. } => Some(*bytes),
        });
        Box::new(Chain {
            bytes_total: sizes.sum(),
            waiting: self.inputs.iter().cloned().collect(),
            options: options.clone(),
            folder: None,
            container: None,
            bytes_done: 0,
        })
    }
}

impl Inputs {
    /// For each input a text that changes when the input does: size and time of change of a file, the same of all
    /// files in a folder, a hash of what a stream gave.
    pub(crate) fn stamps(&self) -> Vec<String> {
        self.inputs.iter().map(Given::stamp).collect()
    }

    /// The folders among the inputs.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.inputs.iter().filter_map(|input| match input {
            Given::Folder(path) => Some(path.as_path()),
            Given::File { .. } => None,
        })
    }
}

impl Given {
    fn stamp(&self) -> String {
        match self {
            Given::File { origin: Origin::File(path), bytes } => format!("{bytes} bytes of {}", time_of_change(path)),
            Given::File { origin: Origin::Spool { spool, .. }, bytes } => {
                format!("{bytes} bytes with the hash {:016x}", spool.digest())
            }
            Given::Folder(root) => {
                let (mut files, mut hash) = (0_u64, Xxh3::new());
                let mut folder = Folder::new(root);
                while let Some(entry) = folder.next() {
                    // What cannot be read shows as a fault when it is its turn.
                    let Ok(Entry::Page { path, bytes, .. } | Entry::Container { path, bytes }) = entry else {
                        continue;
                    };
                    files += 1;
                    hash.update(path.to_string_lossy().as_bytes());
                    hash.update(format!(" {bytes} {}\n", time_of_change(&path)).as_bytes());
                }
                format!("{files} files with the hash {:016x}", hash.digest())
            }
        }
    }

    fn spooled(name: &Path, spool: Arc<Spool>) -> Given {
        Given::File { bytes: spool.bytes(), origin: Origin::Spool { name: name.into(), spool } }
    }
}

/// The time of change of a file in nanoseconds, 0 where it is not known.
fn time_of_change(path: &Path) -> u128 {
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |time| time.as_nanos())
}

/// Inputs one after the other.
struct Chain {
    options: ReadOptions,
    waiting: VecDeque<Given>,
    folder: Option<Folder>,
    /// The container being read, and its length.
    container: Option<(Box<dyn Source>, u64)>,
    bytes_done: u64,
    bytes_total: Option<u64>,
}

impl Chain {
    /// Starts a file: a container becomes the current one, a page or a fault is the next item.
    fn start(&mut self, origin: Origin, bytes: u64) -> Option<Result<RawRecord, Fault>> {
        match open_file(&origin, bytes, &self.options) {
            Ok(Opened::Container(source)) => {
                self.container = Some((source, bytes));
                None
            }
            Ok(Opened::Page(record)) => {
                self.bytes_done += bytes;
                Some(Ok(record))
            }
            Err(fault) => {
                self.bytes_done += bytes;
                Some(Err(fault))
            }
        }
    }
}

impl Source for Chain {
    fn next(&mut self) -> Option<Result<RawRecord, Fault>> {
        loop {
            if let Some((source, bytes)) = &mut self.container {
                if let Some(item) = source.next() {
                    return Some(item);
                }
                self.bytes_done += *bytes;
                self.container = None;
            }
            let found = match &mut self.folder {
                Some(folder) => folder.next(),
                None => None,
            };
            let started = match found {
                Some(Err(fault)) => return Some(Err(fault)),
                Some(Ok(Entry::Page { path, url, bytes })) => {
                    self.bytes_done += bytes;
                    return Some(Ok(page(Origin::File(path), url, bytes)));
                }
                Some(Ok(Entry::Container { path, bytes })) => self.start(Origin::File(path), bytes),
                None => {
                    self.folder = None;
                    match self.waiting.pop_front()? {
                        Given::Folder(path) => {
                            self.folder = Some(Folder::new(&path));
                            None
                        }
                        Given::File { origin, bytes } => self.start(origin, bytes),
                    }
                }
            };
            if started.is_some() {
                return started;
            }
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_done + self.container.as_ref().map_or(0, |(source, bytes)| source.bytes_read().min(*bytes))
    }

    fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }
}

enum Opened {
    Container(Box<dyn Source>),
    Page(RawRecord),
}

fn page(origin: Origin, url: String, bytes: u64) -> RawRecord {
    let place = Place::whole(origin.name());
    RawRecord::new(place, Content::File { origin, url, bytes })
}

fn open_file(origin: &Origin, bytes: u64, options: &ReadOptions) -> Result<Opened, Fault> {
    let name = origin.name();
    let unreadable =
        |error: io::Error| Fault::new(Place::whole(name), FaultKind::CannotRead, format!("cannot be read: {error}"));
    let mut tape = Tape::new(Box::new(origin.open().map_err(unreadable)?)).map_err(unreadable)?;
    tape.ensure(512);
    let file: Arc<Path> = name.into();
    Ok(Opened::Container(match Kind::of(tape.data(), name) {
        Some(Kind::Page) => {
            let url = crate::html_dir::page_url(Path::new(&path_text(name)));
            return Ok(Opened::Page(page(origin.clone(), url, bytes)));
        }
        Some(Kind::JsonLines) => Box::new(JsonLines::new(tape, file, options)),
        Some(Kind::Warc) => Box::new(WarcRecords::new(tape, file, options)),
        Some(Kind::Parquet) => Box::new(ParquetRows::new(origin.open().map_err(unreadable)?, file, options)?),
        None => return Err(unknown(&tape, file)),
    }))
}

/// Says what the file is not, and what it may be instead.
fn unknown(tape: &Tape, file: Arc<Path>) -> Fault {
    let place = Place::new(file, At::Whole);
    if let Some(trouble) = tape.trouble() {
        return Fault::new(place, trouble.kind, format!("cannot be inflated: {}", trouble.message));
    }
    let hint = match tape.data() {
        [] => " (it is empty)",
        [b'[', ..] => " (it starts like one JSON array; JSON lines have one object per line)",
        _ => "",
    };
    let message = format!("is neither WARC nor JSON lines nor Parquet nor HTML, by its content and by its name{hint}");
    Fault::new(place, FaultKind::UnknownFormat, message)
}

/// Reads bytes under a name as `open` would read a file, and opens every record. For tests.
#[cfg(test)]
pub(crate) fn test_source(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
) -> Vec<Result<crate::record::Record, Fault>> {
    let spool = Arc::new(Spool::copy_of(bytes).unwrap());
    let inputs = Inputs { inputs: vec![Given::spooled(Path::new(name), spool)] };
    let mut source = inputs.open(options);
    let mut items = Vec::new();
    while let Some(item) = source.next() {
        items.push(item.and_then(|raw| raw.open(options)));
    }
    items
}
