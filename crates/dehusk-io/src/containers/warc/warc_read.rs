//! The records of a WARC file (ISO 28500), versions 1.0 and 1.1.
//!
//! Gives every `response` and `resource` record and skips the other types that the standard has; any other type is reported. A record whose
//! length is wrong or whose compressed member is damaged is one fault; reading continues with the next record. The content of a record is
//! parsed later, on the worker threads, except for records that are too large to hold in memory.

use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;

use crate::compression::InflatedStream;
use crate::containers::raw_page::{Content, RawPage};
use crate::containers::source::Source;
use crate::containers::warc::header_fields::{HeaderFields, header_end};
use crate::containers::warc::warc_page::{http_head, known_of, skip_reason, type_fault};
use crate::fault::{Fault, FaultKind, PageIdentity};
use crate::location::{Location, Position};
use crate::read_options::{ReadOptions, bytes_text};

/// The start of every record.
const MAGIC: &[u8] = b"WARC/";
/// The bytes of `WARC/1.`, which a record starts with.
const LINE_BYTES: usize = 7;
/// The bytes of a version line and the start of a field, which a search for the next record looks for.
const HEAD_BYTES: usize = "WARC/1.0\r\nWARC-".len();
/// The maximum length of a header; those of real crawls stay below 100 KiB.
const MAX_HEADER: usize = 1 << 20;
/// What a block may hold beyond the page: the HTTP head and the sizes of chunks.
const BLOCK_SLACK: u64 = 1 << 20;
/// How many bytes are inflated at once when searching.
const SEARCH_BYTES: usize = 64 << 10;

/// Reads a WARC from anything that can seek, such as bytes in memory. `name` is the file name in locations.
///
/// # Errors
/// If the reader cannot seek or its first bytes cannot be read.
pub fn warc_from_reader(
    reader: impl Read + Seek + Send + 'static,
    name: &Path,
    options: &ReadOptions,
) -> io::Result<Box<dyn Source>> {
    Ok(Box::new(WarcRecords::new(InflatedStream::new(Box::new(reader))?, name.into(), options)))
}

/// The records of one file.
pub(crate) struct WarcRecords {
    stream: InflatedStream,
    file: Arc<Path>,
    done: bool,
    max_bytes: u64,
    max_skip_bytes: u64,
    carry: Vec<String>,
    /// What the header of the current record says about its page.
    known: Option<PageIdentity>,
    /// The block of the last record that is not a page, held only to search it if its length is wrong.
    scratch: Vec<u8>,
}

/// Why a record cannot be read, and where to continue.
struct Broken {
    kind: FaultKind,
    message: String,
    next: Next,
}

enum Next {
    /// The next record starts right here.
    Here,
    /// Search from here.
    Search,
    /// Search from the start of the block, which these bytes are.
    SearchBlock { at: u64, held: Vec<u8> },
    /// Skip the rest of the compressed part and search for another.
    Part,
}

impl WarcRecords {
    pub(crate) fn new(stream: InflatedStream, file: Arc<Path>, options: &ReadOptions) -> Self {
        WarcRecords {
            stream,
            file,
            done: false,
            max_bytes: options.max_bytes,
            max_skip_bytes: options.max_skip_bytes,
            carry: options.carry.clone(),
            known: None,
            scratch: Vec::new(),
        }
    }

    fn location(&self) -> Location {
        Location::new(self.file.clone(), self.stream.position())
    }

    /// The next page; `Ok(None)` for a record that is not a page.
    fn read_record(&mut self) -> Result<Option<RawPage>, Broken> {
        let part = self.stream.part();
        let location = self.location();
        let header = self.read_header()?;
        let outcome = self.read_content(&header, part);
        if outcome.is_err() {
            self.known = Some(known_of(&header, &self.carry));
        }
        Ok(outcome?.map(|block| RawPage::new(location, Content::Warc { header, block })))
    }

    /// The block of a page; `Ok(None)` for a record that is not a page.
    fn read_content(&mut self, header: &HeaderFields, part: u64) -> Result<Option<Vec<u8>>, Broken> {
        let kind = header.first("warc-type").unwrap_or_default();
        let is_page = kind.eq_ignore_ascii_case("response") || kind.eq_ignore_ascii_case("resource");
        let Some(length) = header.first("content-length").and_then(|text| text.parse().ok()) else {
            return Err(broken("the record has no valid Content-Length", Next::Search));
        };
        if length > self.max_bytes.saturating_add(BLOCK_SLACK) {
            return self.skip_large(header, length, part, is_page).map(|()| None);
        }
        let mut block = if is_page { Vec::new() } else { std::mem::take(&mut self.scratch) };
        block.clear();
        let at = self.stream.offset();
        if let Err(mut broken) = self.read_block(length, part, Some(&mut block)).and_then(|()| self.check_end(part)) {
            if let Next::Search = broken.next {
                broken.next = Next::SearchBlock { at, held: block };
            }
            return Err(broken);
        }
        if is_page {
            return Ok(Some(block));
        }
        self.scratch = block;
        match type_fault(header) {
            None => Ok(None),
            Some((kind, message)) => Err(Broken { kind, message, next: Next::Here }),
        }
    }

    /// The fields of the header, without the version line.
    fn read_header(&mut self) -> Result<HeaderFields, Broken> {
        let mut wanted = 1024;
        let (end, body) = loop {
            let ready = self.stream.ensure(wanted);
            let data = self.stream.data();
            // A member that starts with a record cannot be the middle of another.
            let border = self.stream.next_part_start().filter(|&start| starts_like_record(&data[start..]));
            match (header_end(data), border) {
                (Some((end, body)), border) if border.is_none_or(|border| body <= border) => break (end, body),
                (_, Some(border)) => {
                    self.stream.consume(border);
                    return Err(broken("the record ends inside its header", Next::Here));
                }
                _ => {}
            }
            let reason = match self.stream.error() {
                Some(error) if ready < wanted => error.message.clone(),
                None if ready < wanted => "the file ends inside the header of a record".into(),
                _ if wanted >= MAX_HEADER => format!("the header is longer than {}", bytes_text(MAX_HEADER as u64)),
                _ => {
                    wanted *= 4;
                    continue;
                }
            };
            // Otherwise the search would find the start of this record.
            self.stream.consume(1);
            return Err(broken(reason, Next::Search));
        };
        let data = self.stream.data();
        let first = memchr::memchr(b'\n', data).map_or(end, |at| at + 1);
        let header = HeaderFields::parse(data[first..end].to_vec());
        self.stream.consume(body);
        Ok(header)
    }

    /// Reads a block of `length` bytes, into `held` if given.
    fn read_block(&mut self, length: u64, part: u64, mut held: Option<&mut Vec<u8>>) -> Result<(), Broken> {
        let goal = self.stream.offset().saturating_add(length);
        if let Some(held) = &mut held {
            // A wrong length must not reserve memory that the file never fills.
            held.reserve(usize::try_from(length).unwrap_or(0).min(1 << 20));
        }
        while self.stream.offset() < goal {
            if self.stream.ensure(1) == 0 {
                let left = goal - self.stream.offset();
                return Err(match self.stream.error() {
                    Some(error) => Broken { kind: error.kind, message: error.message.clone(), next: Next::Search },
                    None => broken(format!("the file ends {left} bytes before the record does"), Next::Search),
                });
            }
            if self.stream.is_part_start(0) && self.stream.part() != part {
                self.stream.ensure(LINE_BYTES);
                if starts_like_record(self.stream.data()) {
                    let left = goal - self.stream.offset();
                    let reason = format!("the compressed member ends {left} bytes before the record does");
                    return Err(broken(reason, Next::Here));
                }
            }
            let mut count =
                self.stream.data().len().min(usize::try_from(goal - self.stream.offset()).unwrap_or(usize::MAX));
            // Not past the start of a part, so that the check above sees each of them.
            if let Some(start) = self.stream.next_part_start() {
                count = count.min(start);
            }
            if let Some(held) = &mut held {
                held.extend_from_slice(&self.stream.data()[..count]);
            }
            self.stream.consume(count);
        }
        Ok(())
    }

    /// Whether a record may end here: at the end of the file, of the compressed part, or before the next one.
    fn check_end(&mut self, part: u64) -> Result<(), Broken> {
        let ready = self.stream.ensure(16);
        let data = self.stream.data();
        let blank = data.iter().take(ready).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let next = &data[blank..ready.min(blank + MAGIC.len()).max(blank)];
        if next.is_empty() {
            // The checksum of a member shows only at its end.
            return match self.stream.error() {
                Some(error) if error.part == part && !self.stream.is_plain() => {
                    Err(broken(error.message.clone(), Next::Part))
                }
                _ => Ok(()),
            };
        }
        if MAGIC.starts_with(next) || (0..=blank).any(|ahead| self.stream.is_part_start(ahead)) {
            return Ok(());
        }
        Err(broken("the record does not end where its Content-Length says", Next::Search))
    }

    /// Skips a record that is too large to hold in memory.
    fn skip_large(&mut self, header: &HeaderFields, length: u64, part: u64, is_page: bool) -> Result<(), Broken> {
        self.stream.ensure(16 << 10);
        // Found out first: after skipping, the head of the response is gone.
        let skip_reason = skip_reason(header, http_head(header, self.stream.data()).as_ref());
        let limit = bytes_text(self.max_bytes);
        let mut message = format!("the record has {length} bytes, more than the limit of {limit}");
        let at = self.stream.offset();
        if self.stream.is_plain() {
            if self.stream.skip(length) < length || self.check_end(part).is_err() {
                let reason = format!("the record claims {length} bytes but does not end there");
                return Err(broken(reason, Next::SearchBlock { at, held: Vec::new() }));
            }
        } else if length > self.max_skip_bytes {
            // A wrong length shows when the next member appears on the way.
            self.read_block(self.max_skip_bytes, part, None)?;
            let cap = bytes_text(self.max_skip_bytes);
            message.push_str(&format!(" and than the {cap} that are skipped at most; the rest of its member is lost"));
            return Err(Broken { kind: FaultKind::TooLarge, message, next: Next::Part });
        } else {
            self.read_block(length, part, None)?;
            self.check_end(part)?;
        }
        match skip_reason {
            _ if !is_page => match type_fault(header) {
                None => Ok(()),
                Some((kind, message)) => Err(Broken { kind, message, next: Next::Here }),
            },
            Some((kind, reason)) => Err(Broken { kind, message: reason, next: Next::Here }),
            None => Err(Broken { kind: FaultKind::TooLarge, message, next: Next::Here }),
        }
    }

    /// Moves to where reading continues after a broken record.
    fn move_to(&mut self, next: Next, part: u64) {
        match next {
            Next::Here => {}
            Next::Search => self.search(part),
            Next::SearchBlock { at, held } => {
                self.stream.rewind(at, &held);
                self.search(part);
            }
            Next::Part => self.done = !self.stream.recover(MAGIC),
        }
    }

    /// Moves to the next line, or the next compressed part, that starts like a record. A record that was cut may end inside a line, so the
    /// start of a header counts anywhere.
    fn search(&mut self, part: u64) {
        let finder = memmem::Finder::new(MAGIC);
        // The search starts at a line; the first byte of a later round was checked in the one before.
        let mut at_line = true;
        loop {
            let ready = self.stream.ensure(SEARCH_BYTES);
            if ready == 0 {
                // Damage to the part already reported is skipped; other damage has yet to be reported.
                match self.stream.error() {
                    Some(error) if error.part == part => self.done = !self.stream.recover(MAGIC),
                    Some(_) => {}
                    None => self.done = true,
                }
                return;
            }
            let data = self.stream.data();
            let starts_line = |at: usize| match at {
                0 => at_line || self.stream.is_part_start(0),
                _ => data[at - 1] == b'\n' || self.stream.is_part_start(at),
            };
            if let Some(found) = finder
                .find_iter(data)
                .find(|&at| starts_like_header(&data[at..]) || (starts_line(at) && starts_like_record(&data[at..])))
            {
                self.stream.consume(found);
                return;
            }
            // A start may extend past the end of the window.
            let keep = if ready < SEARCH_BYTES { 0 } else { HEAD_BYTES };
            self.stream.consume(ready - keep);
            at_line = false;
        }
    }
}

/// Whether a version line starts here: `WARC/1.0`, `WARC/1.1`, or `WARC/0.18` of older crawls.
fn starts_like_record(data: &[u8]) -> bool {
    matches!(data.strip_prefix(MAGIC), Some([digit, b'.', ..]) if digit.is_ascii_digit())
}

/// Whether a version line and a field of WARC start here, as they hardly do in a page.
fn starts_like_header(data: &[u8]) -> bool {
    starts_like_record(data) && data.get(LINE_BYTES + 1..HEAD_BYTES).is_some_and(|rest| rest == b"\r\nWARC-")
}

fn broken(message: impl Into<String>, next: Next) -> Broken {
    Broken { kind: FaultKind::DamagedArchive, message: message.into(), next }
}

impl Source for WarcRecords {
    fn next(&mut self) -> Option<Result<RawPage, Fault>> {
        while !self.done {
            // Records end with two line ends, but some writers write more, or none.
            while self.stream.ensure(1) > 0 && matches!(self.stream.data()[0], b'\r' | b'\n') {
                self.stream.consume(1);
            }
            if self.stream.ensure(MAGIC.len()) == 0 {
                let error = self.stream.error()?.clone();
                let location = Location::new(self.file.clone(), Position::Byte(error.part));
                self.done = !self.stream.recover(MAGIC);
                return Some(Err(Fault::new(location, error.kind, error.message)));
            }
            let (location, part) = (self.location(), self.stream.part());
            let outcome = if self.stream.data().starts_with(MAGIC) {
                self.read_record()
            } else {
                let reason = self.stream.error().filter(|_| self.stream.data().len() < MAGIC.len());
                let reason = reason.map_or("no WARC record starts here", |error| &error.message).to_string();
                Err(broken(reason, Next::Search))
            };
            match outcome {
                Ok(Some(record)) => return Some(Ok(record)),
                Ok(None) => {}
                Err(broken) => {
                    self.move_to(broken.next, part);
                    let fault = Fault::new(location, broken.kind, broken.message);
                    return Some(Err(match self.known.take() {
                        Some(known) => fault.of_page(known),
                        None => fault,
                    }));
                }
            }
        }
        None
    }

    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }
}
