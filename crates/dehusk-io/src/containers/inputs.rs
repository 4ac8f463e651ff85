//! Inputs of every kind as one sequence of pages.
//!
//! Inputs come in the order given and the files of a folder in the order of their paths, so that two passes over the same
//! inputs give the same pages.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{Field, FieldRef};

use crate::compression::InflatedStream;
use crate::containers::folder::folder_walk::{Entry, Folder};
use crate::containers::folder::path_url::path_url;
use crate::containers::format::InputFormat;
use crate::containers::input_file::{InputFile, TemporaryCopy};
use crate::containers::json_lines::jsonl_read::JsonLines;
use crate::containers::parquet::parquet_read::{ParquetRows, column_fields, value_columns};
use crate::containers::parquet::typed_column::{TypedColumn, common_type};
use crate::containers::raw_page::RawPage;
use crate::containers::source::Source;
use crate::containers::warc::warc_read::WarcRecords;
use crate::error::{Error, ErrorKind};
use crate::fault::{Fault, FaultKind};
use crate::hash::StreamHash;
use crate::location::Location;
use crate::read_options::ReadOptions;

/// Opens files and folders for one pass; `-` is standard input. For several passes, use [`Inputs`].
///
/// A named input that does not exist is an error. Whatever else cannot be read is a fault among the pages.
///
/// # Errors
/// If an input does not exist, or a stream cannot be copied.
pub fn open(paths: &[PathBuf], options: &ReadOptions) -> Result<Box<dyn Source>, Error> {
    Ok(Inputs::new(paths)?.open(options))
}

/// Inputs that can be read several times, standard input and pipes included.
#[derive(Clone, Debug)]
pub struct Inputs {
    inputs: Vec<Input>,
}

/// The files of inputs as they were at some time, to tell later whether one has changed.
#[derive(Clone, Debug)]
pub struct InputsSnapshot {
    /// A number for each file of each input.
    files: Vec<Vec<u64>>,
    /// Whether files of text were among them.
    texts: bool,
}

#[derive(Clone, Debug)]
enum Input {
    Folder(PathBuf),
    File { file: InputFile, bytes: u64 },
}

impl Inputs {
    /// Checks that every input exists and copies standard input and pipes to temporary files.
    ///
    /// # Errors
    /// If an input does not exist, or a stream cannot be copied.
    pub fn new(paths: &[PathBuf]) -> Result<Inputs, Error> {
        let mut stdin: Option<Arc<TemporaryCopy>> = None;
        let mut inputs = Vec::with_capacity(paths.len());
        for path in paths {
            let unreadable = |error| Error::read(path, error);
            let not_copied = |error| {
                let message = "cannot be copied to a temporary file";
                Error::new(ErrorKind::CannotRead, message).at(path).because(error)
            };
            if path.as_os_str() == "-" {
                // Standard input can be read only once, so every `-` shares one copy.
                let copy = match stdin.take() {
                    Some(copy) => copy,
                    None => Arc::new(TemporaryCopy::of_stdin().map_err(not_copied)?),
                };
                stdin = Some(copy.clone());
                inputs.push(Input::copied(path, copy));
                continue;
            }
            let metadata = fs::metadata(path).map_err(unreadable)?;
            if metadata.is_dir() {
                inputs.push(Input::Folder(path.clone()));
            } else if metadata.is_file() {
                inputs.push(Input::File { file: InputFile::OnDisk(path.clone()), bytes: metadata.len() });
            } else {
                let pipe = fs::File::open(path).map_err(unreadable)?;
                let copy = TemporaryCopy::of(pipe).map_err(not_copied)?;
                inputs.push(Input::copied(path, Arc::new(copy)));
            }
        }
        Ok(Inputs { inputs })
    }

    /// A source over all inputs, from the start.
    #[must_use]
    pub fn open(&self, options: &ReadOptions) -> Box<dyn Source> {
        let sizes = self.inputs.iter().map(|input| match input {
            Input::Folder(_) => None,
            Input::File { bytes, .. } => Some(*bytes),
        });
        Box::new(Chain {
            // `None` if there is a folder: its size is not known before it has been walked.
            bytes_total: sizes.sum(),
            waiting: self.inputs.iter().cloned().collect(),
            options: options.clone(),
            folder: None,
            container: None,
            bytes_done: 0,
        })
    }

    /// For each input a text that changes when the input does: the size and modification time of a file, the same of all
    /// files in a folder, a hash of the content of a stream.
    pub(crate) fn stamps(&self) -> Vec<String> {
        self.inputs.iter().map(Input::stamp).collect()
    }

    /// The files that are read with these options as they are now, to be compared later by [`Inputs::check_unchanged`].
    #[must_use]
    pub fn snapshot(&self, options: &ReadOptions) -> InputsSnapshot {
        let texts = options.texts;
        let files = self.inputs.iter().map(|input| input.file_states(texts).map(|(_, state)| state).collect());
        InputsSnapshot { files: files.collect(), texts }
    }

    /// For work that reads the inputs several times: fails if a file has changed, appeared or disappeared since the snapshot. `advice`
    /// completes the message.
    ///
    /// # Errors
    /// [`ErrorKind::InputChanged`], with the path of the file.
    pub fn check_unchanged(&self, before: &InputsSnapshot, advice: &str) -> Result<(), Error> {
        for (input, files) in self.inputs.iter().zip(&before.files) {
            let mut files = files.iter();
            let mut last = input.name().to_path_buf();
            let changed = |path: &Path, what: &str| {
                let message = format!("{what} during the run, whose pages no longer fit together{advice}");
                Err(Error::new(ErrorKind::InputChanged, message).at(path))
            };
            for (path, state) in input.file_states(before.texts) {
                match files.next() {
                    Some(then) if *then == state => last = path,
                    Some(_) if !path.exists() => return changed(&path, "this input has disappeared"),
                    Some(_) if matches!(input, Input::File { .. }) => return changed(&path, "this input has changed"),
                    // In a folder, the file may only be the one that followed.
                    Some(_) => return changed(&path, "this file, or the one before it, has changed"),
                    None => return changed(&path, "this input has appeared"),
                }
            }
            if files.next().is_some() {
                return changed(&last, "a file after this one has disappeared");
            }
        }
        Ok(())
    }

    /// The types of the id and the carried columns, in this order, if all inputs are Parquet: for each a type that holds the values of every
    /// file, or `None` if no type does.
    pub(crate) fn typed_columns(&self, options: &ReadOptions) -> Vec<Option<TypedColumn>> {
        let mut fields: Vec<ColumnField> = value_columns(options).iter().map(|_| ColumnField::Unknown).collect();
        let mut add = |file: &InputFile| -> bool {
            // A file that cannot be read gives faults and no values.
            let Ok(opened) = file.open() else { return true };
            let Ok((_, format)) = sniff(file, options) else { return true };
            if format == Some(InputFormat::Parquet)
                && let Some(found) = column_fields(opened, options)
            {
                fields.iter_mut().zip(found).for_each(|(field, found)| field.add(found));
            }
            matches!(format, None | Some(InputFormat::Parquet))
        };
        // Only Parquet has types to take over, so one other file makes all columns untyped.
        let all_parquet = self.inputs.iter().all(|input| match input {
            Input::File { file, .. } => add(file),
            Input::Folder(root) => {
                let mut folder = Folder::new(root, options.texts);
                loop {
                    match folder.next() {
                        None => break true,
                        Some(Err(_)) => {}
                        Some(Ok(Entry::Page { .. })) => break false,
                        Some(Ok(Entry::Container { path, .. })) if add(&InputFile::OnDisk(path.clone())) => {}
                        Some(Ok(Entry::Container { .. })) => break false,
                    }
                }
            }
        });
        let typed = |field: ColumnField| match field {
            ColumnField::Common(field) if all_parquet => TypedColumn::new(&field),
            _ => None,
        };
        fields.into_iter().map(typed).collect()
    }

    /// The bytes of a file among the inputs, as it is stored.
    pub(crate) fn bytes_of(&self, name: &Path) -> u64 {
        let named = self.inputs.iter().find_map(|input| match input {
            Input::File { file, bytes } if file.name() == name => Some(*bytes),
            _ => None,
        });
        named.or_else(|| Some(fs::metadata(name).ok()?.len())).unwrap_or_default()
    }

    /// The folders among the inputs.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.inputs.iter().filter_map(|input| match input {
            Input::Folder(path) => Some(path.as_path()),
            Input::File { .. } => None,
        })
    }
}

impl Input {
    fn stamp(&self) -> String {
        match self {
            Input::File { file: InputFile::OnDisk(path), bytes } => {
                format!("{bytes} bytes of {}", modification_time(path))
            }
            // A copy was hashed while it was written; a file would have to be read once more for that.
            Input::File { file: InputFile::Copied { copy, .. }, bytes } => {
                format!("{bytes} bytes with the hash {:016x}", copy.hash())
            }
            Input::Folder(root) => {
                let (mut files, mut hash) = (0_u64, StreamHash::default());
                let mut folder = Folder::new(root, false);
                while let Some(entry) = folder.next() {
                    // What cannot be read becomes a fault during the pass.
                    let Ok(Entry::Page { path, bytes, .. } | Entry::Container { path, bytes }) = entry else {
                        continue;
                    };
                    files += 1;
                    hash.update(path.to_string_lossy().as_bytes());
                    hash.update(format!(" {bytes} {}\n", modification_time(&path)).as_bytes());
                }
                format!("{files} files with the hash {:016x}", hash.finish())
            }
        }
    }

    fn name(&self) -> &Path {
        match self {
            Input::File { file, .. } => file.name(),
            Input::Folder(root) => root,
        }
    }

    /// The files of the input, with a number for each that changes when the file does. A copy does not change.
    fn file_states(&self, texts: bool) -> Box<dyn Iterator<Item = (PathBuf, u64)>> {
        match self {
            Input::File { file: InputFile::OnDisk(path), .. } => {
                Box::new(std::iter::once((path.clone(), file_state(path))))
            }
            Input::File { .. } => Box::new(std::iter::empty()),
            Input::Folder(root) => {
                let mut folder = Folder::new(root, texts);
                Box::new(std::iter::from_fn(move || {
                    loop {
                        // What cannot be read becomes a fault during the pass.
                        if let Ok(Entry::Page { path, .. } | Entry::Container { path, .. }) = folder.next()? {
                            let state = file_state(&path);
                            return Some((path, state));
                        }
                    }
                }))
            }
        }
    }

    fn copied(name: &Path, copy: Arc<TemporaryCopy>) -> Input {
        Input::File { bytes: copy.bytes(), file: InputFile::Copied { name: name.into(), copy } }
    }
}

/// A number that changes when a file does: its path, its size, when it was modified and, where the system says so, which file it is and when
/// anything about it was last changed, which no program can set back.
fn file_state(path: &Path) -> u64 {
    let mut hash = StreamHash::default();
    hash.update(path.as_os_str().as_encoded_bytes());
    match fs::metadata(path) {
        Ok(metadata) => {
            hash.update(format!(" {} {}", metadata.len(), modification_time(path)).as_bytes());
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                let (ino, seconds, nanoseconds) = (metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
                hash.update(format!(" {ino} {seconds} {nanoseconds}").as_bytes());
            }
        }
        Err(_) => hash.update(b" gone"),
    }
    hash.finish()
}

/// The type of a column of several files.
enum ColumnField {
    /// No file has had the column yet.
    Unknown,
    /// A type that holds the values of all files so far.
    Common(FieldRef),
    /// The files have types that have nothing in common.
    Mixed,
}

impl ColumnField {
    fn add(&mut self, found: Option<FieldRef>) {
        let Some(found) = found else { return };
        *self = match self {
            ColumnField::Unknown => ColumnField::Common(found),
            ColumnField::Common(field) => match common_type(field.data_type(), found.data_type()) {
                Some(kind) if kind == *field.data_type() => return,
                Some(kind) => ColumnField::Common(Arc::new(Field::new(field.name(), kind, true))),
                None => ColumnField::Mixed,
            },
            ColumnField::Mixed => return,
        };
    }
}

/// The modification time of a file in nanoseconds, 0 if it is unknown.
fn modification_time(path: &Path) -> u128 {
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |time| time.as_nanos())
}

/// One input after the other.
struct Chain {
    options: ReadOptions,
    waiting: VecDeque<Input>,
    folder: Option<Folder>,
    /// The container being read, and its length.
    container: Option<(Box<dyn Source>, u64)>,
    bytes_done: u64,
    bytes_total: Option<u64>,
}

impl Chain {
    /// Starts a file: a container becomes the current one, a page or a fault is the next item.
    fn start(&mut self, file: InputFile, bytes: u64) -> Option<Result<RawPage, Fault>> {
        match open_file(&file, bytes, &self.options) {
            Ok(Opened::Container(source)) => {
                self.container = Some((source, bytes));
                None
            }
            Ok(Opened::Page(page)) => {
                self.bytes_done += bytes;
                Some(Ok(page))
            }
            Err(fault) => {
                self.bytes_done += bytes;
                Some(Err(fault))
            }
        }
    }
}

impl Source for Chain {
    fn next(&mut self) -> Option<Result<RawPage, Fault>> {
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
                    return Some(Ok(RawPage::file(InputFile::OnDisk(path), url, bytes)));
                }
                Some(Ok(Entry::Container { path, bytes })) => self.start(InputFile::OnDisk(path), bytes),
                None => {
                    self.folder = None;
                    match self.waiting.pop_front()? {
                        Input::Folder(path) => {
                            self.folder = Some(Folder::new(&path, self.options.texts));
                            None
                        }
                        Input::File { file, bytes } => self.start(file, bytes),
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
    Page(RawPage),
}

/// The content of a file and its format.
fn sniff(file: &InputFile, options: &ReadOptions) -> io::Result<(InflatedStream, Option<InputFormat>)> {
    let mut stream = InflatedStream::new(Box::new(file.open()?))?;
    stream.ensure(512);
    let format = InputFormat::of(stream.data(), file.name(), options.texts);
    Ok((stream, format))
}

fn open_file(file: &InputFile, bytes: u64, options: &ReadOptions) -> Result<Opened, Fault> {
    let name = file.name();
    let unreadable = |error| Fault::cannot_read(Location::whole_file(name), &error);
    let (stream, format) = sniff(file, options).map_err(unreadable)?;
    let path: Arc<Path> = name.into();
    Ok(Opened::Container(match format {
        Some(InputFormat::Page) => {
            return Ok(Opened::Page(RawPage::file(file.clone(), path_url(name), bytes)));
        }
        Some(InputFormat::JsonLines) => Box::new(JsonLines::new(stream, path, options)),
        Some(InputFormat::Warc) => Box::new(WarcRecords::new(stream, path, options)),
        // The index of a Parquet file is at its end, so it is read from the file and not from the stream.
        Some(InputFormat::Parquet) => Box::new(ParquetRows::new(file.open().map_err(unreadable)?, path, options)?),
        None => return Err(unknown_format(&stream, name)),
    }))
}

/// The fault of a file of unknown format, with a hint at what it may be.
fn unknown_format(stream: &InflatedStream, name: &Path) -> Fault {
    let location = Location::whole_file(name);
    if let Some(error) = stream.error() {
        return Fault::new(location, error.kind, format!("cannot be inflated: {}", error.message));
    }
    let hint = match stream.data() {
        [] => " (it is empty)",
        [b'[', ..] => " (it starts like one JSON array; JSON lines have one object per line)",
        _ => "",
    };
    let message = format!("is neither WARC nor JSON lines nor Parquet nor HTML, by its content and by its name{hint}");
    Fault::new(location, FaultKind::UnknownFormat, message)
}

/// Reads bytes as a file of this name and opens every page.
#[cfg(test)]
pub(crate) fn test_source(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
) -> Vec<Result<crate::input_page::InputPage, Fault>> {
    let copy = Arc::new(TemporaryCopy::of(bytes).unwrap());
    let inputs = Inputs { inputs: vec![Input::copied(Path::new(name), copy)] };
    let mut source = inputs.open(options);
    let mut items = Vec::new();
    while let Some(item) = source.next() {
        items.push(item.and_then(|raw| raw.open(options)));
    }
    items
}
