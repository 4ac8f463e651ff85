//! The records of a WARC file (ISO 28500), versions 1.0 and 1.1.
//!
//! Gives every `response` and `resource` record as it stands and passes over all others. A record whose
//! length is wrong or whose compressed member is damaged is one fault; reading goes on at the next record.
//! What a record holds is not looked at here, save for records too large to hold.

use std::io;
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;

use crate::fault::{Fault, FaultKind};
use crate::fields::{head_end, quick_field};
use crate::inflate::{Input, Tape};
use crate::options::{ReadOptions, bytes_text};
use crate::place::Place;
use crate::record::{Content, RawRecord};
use crate::source::Source;
use crate::warc_page;

/// What every record starts with.
const MAGIC: &[u8] = b"WARC/";
/// The bytes of `WARC/1.`; the search behind damage wants the version too.
const LINE_BYTES: usize = 7;
/// The longest header of a record; the ones seen in crawls stay below 100 KiB.
const MAX_HEADER: usize = 1 << 20;
/// What a block may have beyond the page: the HTTP head and the sizes of chunks.
const BLOCK_SLACK: u64 = 1 << 20;
/// How much is inflated at once when searching.
const SEARCH: usize = 64 << 10;

/// Reads a WARC from anything that can seek, bytes in memory included. `name` stands in the places.
pub fn warc_from_reader(
    reader: impl Input + 'static,
    name: &Path,
    options: &ReadOptions,
) -> io::Result<Box<dyn Source>> {
    Ok(Box::new(WarcRecords::new(Tape::new(Box::new(reader))?, name.into(), options)))
}

/// The records of one file.
pub(crate) struct WarcRecords {
    tape: Tape,
    file: Arc<Path>,
    done: bool,
    max_bytes: u64,
    max_skip_bytes: u64,
    /// The block of the last record that is no page, held only to search it when its length proves wrong.
    scratch: Vec<u8>,
}

/// Why a record cannot be had, and how to go on.
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
    /// Give up the compressed part and search for another.
    Part,
}

impl WarcRecords {
    pub(crate) fn new(tape: Tape, file: Arc<Path>, options: &ReadOptions) -> Self {
        WarcRecords {
            tape,
            file,
            done: false,
            max_bytes: options.max_bytes,
            max_skip_bytes: options.max_skip_bytes,
            scratch: Vec::new(),
        }
    }

    fn place(&self) -> Place {
        Place::new(self.file.clone(), self.tape.position())
    }

    /// The next page; `Ok(None)` for a record that is none.
    fn read_record(&mut self) -> Result<Option<RawRecord>, Broken> {
        let part = self.tape.part();
        let place = self.place();
        let header = self.read_header()?;
        let kind = quick_field(&header, b"warc-type").unwrap_or_default();
        let is_page = kind.eq_ignore_ascii_case(b"response") || kind.eq_ignore_ascii_case(b"resource");
        let length =
            quick_field(&header, b"content-length").and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
        let Some(length) = length else {
            return Err(broken("the record has no valid Content-Length", Next::Search));
        };
        if length > self.max_bytes.saturating_add(BLOCK_SLACK) {
            return self.pass_large(&header, length, part, is_page);
        }
        let mut block = if is_page { Vec::new() } else { std::mem::take(&mut self.scratch) };
        block.clear();
        let at = self.tape.at();
        if let Err(mut broken) = self.walk_block(length, part, Some(&mut block)).and_then(|()| self.check_end(part)) {
            if let Next::Search = broken.next {
                broken.next = Next::SearchBlock { at, held: block };
            }
            return Err(broken);
        }
        if is_page {
            return Ok(Some(RawRecord::new(place, Content::Warc { header, block })));
        }
        self.scratch = block;
        Ok(None)
    }

    /// The header lines, without the version line and the empty line.
    fn read_header(&mut self) -> Result<Vec<u8>, Broken> {
        let mut wanted = 1024;
        let (end, body) = loop {
            let ready = self.tape.ensure(wanted);
            let data = self.tape.data();
            // A member that starts with a record cannot be the middle of another.
            let border = self.tape.next_part_start().filter(|&start| starts_like_record(&data[start..]));
            match (head_end(data), border) {
                (Some((end, body)), border) if border.is_none_or(|border| body <= border) => break (end, body),
                (_, Some(border)) => {
                    self.tape.consume(border);
                    return Err(broken("the record ends inside its header", Next::Here));
                }
                _ => {}
            }
            let reason = match self.tape.trouble() {
                Some(trouble) if ready < wanted => trouble.message.clone(),
                None if ready < wanted => "the file ends inside the header of a record".into(),
                _ if wanted >= MAX_HEADER => format!("the header is longer than {}", bytes_text(MAX_HEADER as u64)),
                _ => {
                    wanted *= 4;
                    continue;
                }
            };
            // So that the search does not find the start of this record.
            self.tape.consume(1);
            return Err(broken(reason, Next::Search));
        };
        let data = self.tape.data();
        let first = memchr::memchr(b'\n', data).map_or(end, |at| at + 1);
        let header = data[first..end].to_vec();
        self.tape.consume(body);
        Ok(header)
    }

    /// Passes a block of `length` bytes, into `held` if given.
    fn walk_block(&mut self, length: u64, part: u64, mut held: Option<&mut Vec<u8>>) -> Result<(), Broken> {
        let goal = self.tape.at().saturating_add(length);
        if let Some(held) = &mut held {
            // A false length must not reserve what the file never fills.
            held.reserve(usize::try_from(length).unwrap_or(0).min(1 << 20));
        }
        while self.tape.at() < goal {
            if self.tape.ensure(1) == 0 {
                let left = goal - self.tape.at();
                return Err(match self.tape.trouble() {
                    Some(trouble) => {
                        Broken { kind: trouble.kind, message: trouble.message.clone(), next: Next::Search }
                    }
                    None => broken(format!("the file ends {left} bytes before the record does"), Next::Search),
                });
            }
            if self.tape.is_part_start(0) && self.tape.part() != part {
                self.tape.ensure(LINE_BYTES);
                if starts_like_record(self.tape.data()) {
                    let left = goal - self.tape.at();
                    let reason = format!("the compressed member ends {left} bytes before the record does");
                    return Err(broken(reason, Next::Here));
                }
            }
            let mut count = self.tape.data().len().min(usize::try_from(goal - self.tape.at()).unwrap_or(usize::MAX));
            if let Some(start) = self.tape.next_part_start() {
                count = count.min(start);
            }
            if let Some(held) = &mut held {
                held.extend_from_slice(&self.tape.data()[..count]);
            }
            self.tape.consume(count);
        }
        Ok(())
    }

    /// Whether a record may end here: at the end of the file, of the compressed part, or before the next one.
    fn check_end(&mut self, part: u64) -> Result<(), Broken> {
        let ready = self.tape.ensure(16);
        let data = self.tape.data();
        let blank = data.iter().take(ready).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let next = &data[blank..ready.min(blank + MAGIC.len()).max(blank)];
        if next.is_empty() {
            // The checksum of a member shows only at its end.
            return match self.tape.trouble() {
                Some(trouble) if trouble.part == part && !self.tape.is_plain() => {
                    Err(broken(trouble.message.clone(), Next::Part))
                }
                _ => Ok(()),
            };
        }
        if MAGIC.starts_with(next) || (0..=blank).any(|ahead| self.tape.is_part_start(ahead)) {
            return Ok(());
        }
        Err(broken("the record does not end where its Content-Length says", Next::Search))
    }

    /// Gets behind a record that is too large to hold.
    fn pass_large(
        &mut self,
        header: &[u8],
        length: u64,
        part: u64,
        is_page: bool,
    ) -> Result<Option<RawRecord>, Broken> {
        self.tape.ensure(16 << 10);
        let skip_reason = warc_page::skip_reason(header, self.tape.data());
        let limit = bytes_text(self.max_bytes);
        let mut message = format!("the record has {length} bytes, more than the limit of {limit}");
        let at = self.tape.at();
        if self.tape.is_plain() {
            if self.tape.skip(length) < length || self.check_end(part).is_err() {
                let reason = format!("the record claims {length} bytes but does not end there");
                return Err(broken(reason, Next::SearchBlock { at, held: Vec::new() }));
            }
        } else if length > self.max_skip_bytes {
            // A false length shows when the next member turns up on the way.
            self.walk_block(self.max_skip_bytes, part, None)?;
            let cap = bytes_text(self.max_skip_bytes);
            message.push_str(&format!(" and than the {cap} passed over at most; the rest of its member is given up"));
            return Err(Broken { kind: FaultKind::TooLarge, message, next: Next::Part });
        } else {
            self.walk_block(length, part, None)?;
            self.check_end(part)?;
        }
        match skip_reason {
            _ if !is_page => Ok(None),
            Some((kind, reason)) => Err(Broken { kind, message: reason, next: Next::Here }),
            None => Err(Broken { kind: FaultKind::TooLarge, message, next: Next::Here }),
        }
    }

    /// Moves on as the broken record advises.
    fn go_on(&mut self, next: Next, part: u64) {
        match next {
            Next::Here => {}
            Next::Search => self.search(part),
            Next::SearchBlock { at, held } => {
                self.tape.rewind(at, &held);
                self.search(part);
            }
            Next::Part => self.done = !self.tape.recover(MAGIC),
        }
    }

    /// Moves to the next line, or the next compressed part, that starts like a record.
    fn search(&mut self, part: u64) {
        let finder = memmem::Finder::new(MAGIC);
        // The search starts at a line; the first byte of a later round was looked at in the one before.
        let mut at_line = true;
        loop {
            let ready = self.tape.ensure(SEARCH);
            if ready == 0 {
                // Trouble in the part already reported is passed; other trouble is left to be reported.
                match self.tape.trouble() {
                    Some(trouble) if trouble.part == part => self.done = !self.tape.recover(MAGIC),
                    Some(_) => {}
                    None => self.done = true,
                }
                return;
            }
            let data = self.tape.data();
            let starts_line = |at: usize| match at {
                0 => at_line || self.tape.is_part_start(0),
                _ => data[at - 1] == b'\n' || self.tape.is_part_start(at),
            };
            if let Some(found) = finder.find_iter(data).find(|&at| starts_line(at) && starts_like_record(&data[at..])) {
                self.tape.consume(found);
                return;
            }
            // A start may lie across the end of what is at hand.
            let keep = if ready < SEARCH { 0 } else { LINE_BYTES };
            self.tape.consume(ready - keep);
            at_line = false;
        }
    }
}

/// Whether a version line starts here: `WARC/1.0`, `WARC/1.1`, and `WARC/0.18` of older crawls.
fn starts_like_record(data: &[u8]) -> bool {
    matches!(data.strip_prefix(MAGIC), Some([digit, b'.', ..]) if digit.is_ascii_digit())
}

fn broken(message: impl Into<String>, next: Next) -> Broken {
    Broken { kind: FaultKind::DamagedArchive, message: message.into(), next }
}

impl Source for WarcRecords {
    fn next(&mut self) -> Option<Result<RawRecord, Fault>> {
        while !self.done {
            while self.tape.ensure(1) > 0 && matches!(self.tape.data()[0], b'\r' | b'\n') {
                self.tape.consume(1);
            }
            if self.tape.ensure(MAGIC.len()) == 0 {
                let trouble = self.tape.trouble()?.clone();
                let place = Place::new(self.file.clone(), crate::place::At::Byte(trouble.part));
                self.done = !self.tape.recover(MAGIC);
                return Some(Err(Fault::new(place, trouble.kind, trouble.message)));
            }
            let (place, part) = (self.place(), self.tape.part());
            let outcome = if self.tape.data().starts_with(MAGIC) {
                self.read_record()
            } else {
                let reason = self.tape.trouble().filter(|_| self.tape.data().len() < MAGIC.len());
                let reason = reason.map_or("no WARC record starts here", |trouble| &trouble.message).to_string();
                Err(broken(reason, Next::Search))
            };
            match outcome {
                Ok(Some(record)) => return Some(Ok(record)),
                Ok(None) => {}
                Err(broken) => {
                    self.go_on(broken.next, part);
                    return Some(Err(Fault::new(place, broken.kind, broken.message)));
                }
            }
        }
        None
    }

    fn bytes_read(&self) -> u64 {
        self.tape.bytes_read()
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }
}
