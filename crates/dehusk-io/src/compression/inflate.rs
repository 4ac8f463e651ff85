//! A file as one stream of inflated bytes, read through a small moving window.
//!
//! The window holds what is inflated and not yet consumed, so memory does not depend on the inflated size of the file. The
//! start of every compressed part is marked: marks give a record its location and the reader the places where it can
//! continue after damage. This module knows nothing about records.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};

use memchr::memmem;

use crate::compression::codec::{Codec, Start, ZSTD_MAGIC};
use crate::fault::FaultKind;
use crate::location::Position;

/// Something that can be read and rewound: a file, or bytes in memory.
pub(crate) trait Input: Read + Seek + Send {}
impl<T: Read + Seek + Send> Input for T {}

/// The size of the window and of the input buffer: few system calls, and small enough for a processor cache.
const BUFFER: usize = 256 << 10;
/// The maximum length of a gzip header; the format has no limit.
const MAX_PART_HEADER: usize = 128 << 10;
/// A longer dictionary is treated as damage.
const MAX_DICTIONARY: u64 = 64 << 20;
/// The bytes of one file that may be read or inflated a second time to recover from damage. Without a limit, a file of
/// overlapping broken parts would take time quadratic in its length.
const REREAD_BUDGET: u64 = 1 << 30;

/// Why the stream ends before the file does, or before it should.
#[derive(Clone, Debug)]
pub(crate) struct StreamError {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
    /// The byte of the file at which the damaged part starts.
    pub(crate) part: u64,
}

/// Where a part starts, in the stream and in the file.
#[derive(Clone, Copy)]
struct Mark {
    at: u64,
    file: u64,
}

/// The stream.
pub(crate) struct InflatedStream {
    feed: Feed,
    codec: Codec,
    window: Vec<u8>,
    start: usize,
    end: usize,
    /// The offset in the stream of the first byte of the window.
    offset: u64,
    /// Starts of parts, the current one first.
    marks: VecDeque<Mark>,
    between_parts: bool,
    ended: bool,
    error: Option<StreamError>,
    reread_left: u64,
}

impl InflatedStream {
    /// Starts at the beginning of the input. Its first bytes show how it is compressed.
    pub(crate) fn new(input: Box<dyn Input>) -> io::Result<InflatedStream> {
        let mut feed = Feed::new(input);
        feed.fill(8)?;
        let mut codec = Codec::of(feed.data())?;
        if feed.data().starts_with(&[0x5d, 0x2a, 0x4d, 0x18])
            && let Some(dictionary) = warc_dictionary(&mut feed)?
        {
            codec = Codec::zstd(&dictionary)?;
        }
        // The frame of the dictionary is skippable, so the stream can start with it.
        feed.seek(0)?;
        let mut stream = InflatedStream {
            feed,
            codec,
            window: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            marks: VecDeque::new(),
            between_parts: true,
            ended: false,
            error: None,
            reread_left: REREAD_BUDGET,
        };
        if stream.codec.is_plain() {
            stream.marks.push_back(Mark { at: 0, file: 0 });
            stream.between_parts = false;
        }
        Ok(stream)
    }

    /// The inflated bytes in the window.
    pub(crate) fn data(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// Inflates until the window holds `count` bytes or the stream ends. Returns how many it holds.
    pub(crate) fn ensure(&mut self, count: usize) -> usize {
        while self.end - self.start < count && !self.ended && self.error.is_none() {
            self.make_room(count);
            if let Err(error) = self.inflate_some() {
                self.error = Some(error);
            }
        }
        self.pass_marks();
        self.end - self.start
    }

    /// Removes the first `count` bytes of the window.
    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count;
        self.offset += count as u64;
        self.pass_marks();
    }

    /// Makes the mark of the part that the next byte belongs to the first one.
    fn pass_marks(&mut self) {
        while self.marks.get(1).is_some_and(|mark| mark.at <= self.offset) {
            self.marks.pop_front();
        }
    }

    /// The offset of the next byte in the stream.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The position of the next byte in the file.
    pub(crate) fn position(&self) -> Position {
        match self.marks.front() {
            Some(mark) if !self.codec.is_plain() => match self.offset.saturating_sub(mark.at) {
                0 => Position::Byte(mark.file),
                offset => Position::Inflated { member: mark.file, offset },
            },
            _ => Position::Byte(self.offset),
        }
    }

    /// The byte of the file at which the part of the next byte starts.
    pub(crate) fn part(&self) -> u64 {
        self.marks.front().map_or(0, |mark| mark.file)
    }

    /// Whether a part starts `ahead` bytes after the next byte.
    pub(crate) fn is_part_start(&self, ahead: usize) -> bool {
        self.marks.iter().any(|mark| mark.at == self.offset + ahead as u64)
    }

    /// The distance to the next start of a part, if there is one in the window.
    pub(crate) fn next_part_start(&self) -> Option<usize> {
        self.marks.iter().find(|mark| mark.at > self.offset).map(|mark| (mark.at - self.offset) as usize)
    }

    /// Why the stream ends after the window, if not because the file ends.
    pub(crate) fn error(&self) -> Option<&StreamError> {
        self.error.as_ref()
    }

    /// The bytes of the file read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        if self.codec.is_plain() { self.offset } else { self.feed.offset() }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.codec.is_plain()
    }

    /// Skips `count` bytes without holding them. Returns how many were skipped.
    pub(crate) fn skip(&mut self, count: u64) -> u64 {
        // The length is checked because seeking beyond the end of a file succeeds.
        let goal = self.offset.saturating_add(count);
        if self.codec.is_plain()
            && count > BUFFER as u64
            && let Ok(length) = self.feed.length()
            && goal <= length
            && self.feed.seek(goal).is_ok()
        {
            (self.start, self.end, self.offset) = (0, 0, goal);
            self.ended = false;
            return count;
        }
        let from = self.offset;
        while self.offset < goal {
            let ready = self.ensure(1);
            if ready == 0 {
                break;
            }
            self.consume(ready.min(usize::try_from(goal - self.offset).unwrap_or(usize::MAX)));
        }
        self.offset - from
    }

    /// Goes back to the offset `at`. `held` ends with the bytes consumed since; without them only a plain file can go back.
    /// False if that is not possible, or too much was read twice already.
    pub(crate) fn rewind(&mut self, at: u64, held: &[u8]) -> bool {
        let count = self.offset - at;
        if count > self.reread_left {
            return false;
        }
        if self.codec.is_plain() {
            if self.feed.seek(at).is_err() {
                return false;
            }
            (self.start, self.end, self.offset) = (0, 0, at);
            self.ended = false;
            self.error = None;
        } else {
            let Some(from) = held.len().checked_sub(count as usize) else { return false };
            let mut window = held[from..].to_vec();
            window.extend_from_slice(self.data());
            (self.start, self.end, self.offset) = (0, window.len(), at);
            self.window = window;
        }
        self.reread_left -= count;
        true
    }

    /// Skips the rest of the current part and continues with the next one whose content starts with `prefix`. False if there
    /// is no such part.
    ///
    /// The decoder of a truncated part reads on into the next parts, and the error may show late. So the search starts just
    /// after the start of the damaged part, as long as the budget for reading twice lasts.
    pub(crate) fn recover(&mut self, prefix: &[u8]) -> bool {
        let broken = self.error.take();
        let next_part = self.marks.iter().find(|mark| mark.at > self.offset).map(|mark| mark.file);
        self.offset += (self.end - self.start) as u64;
        (self.start, self.end) = (0, 0);
        self.ended = true;
        // A plain file has no parts to continue with, and one that cannot be read will not become readable further on.
        if self.codec.is_plain() || broken.as_ref().is_some_and(|error| error.kind == FaultKind::CannotRead) {
            return false;
        }
        let reached = self.feed.offset();
        let from = match broken {
            // The error, if any, is in a later part and will show again.
            _ if next_part.is_some() => next_part.unwrap_or(reached),
            None => reached,
            Some(StreamError { part, .. }) => {
                let inflated = self.marks.iter().find(|mark| mark.file == part).map_or(0, |mark| self.offset - mark.at);
                let cost = inflated.max(reached.saturating_sub(part));
                let near = cost <= self.reread_left;
                self.reread_left = self.reread_left.saturating_sub(cost);
                if near { part + 1 } else { reached.max(part + 1) }
            }
        };
        self.marks.clear();
        if !self.find_part(from, prefix).unwrap_or(false) {
            return false;
        }
        self.ended = false;
        self.between_parts = true;
        true
    }

    /// Looks for a part whose content starts with `prefix`, from byte `from` of the file.
    fn find_part(&mut self, from: u64, prefix: &[u8]) -> io::Result<bool> {
        let finder = memmem::Finder::new(self.codec.magic());
        let probe_bytes = self.codec.probe_bytes();
        let mut first_output = [0; 16];
        self.feed.seek(from)?;
        loop {
            let ready = self.feed.fill(BUFFER)?;
            if ready < self.codec.magic().len() {
                return Ok(false);
            }
            let Some(found) = finder.find(self.feed.data()) else {
                // The last bytes may be the beginning of a magic number that continues after the buffer.
                self.feed.consume(ready + 1 - self.codec.magic().len());
                continue;
            };
            self.feed.consume(found);
            self.feed.fill(probe_bytes)?;
            let input = &self.feed.data()[..self.feed.data().len().min(probe_bytes)];
            if probe(&mut self.codec, input, &mut first_output).starts_with(prefix) {
                return Ok(true);
            }
            // Every false start is charged, since a file can be full of magic numbers.
            let Some(left) = self.reread_left.checked_sub(input.len() as u64) else { return Ok(false) };
            self.reread_left = left;
            self.feed.consume(1);
        }
    }

    /// Makes the window large enough for `count` bytes, with room for more after those it holds.
    fn make_room(&mut self, count: usize) {
        // Held bytes are moved to the front only when little room is left, so a byte is rarely moved twice.
        let held_bytes = self.end - self.start;
        if self.start > 0 && (held_bytes == 0 || self.window.len() - self.end < BUFFER / 4) {
            self.window.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, held_bytes);
        }
        let needed = BUFFER.max(count + BUFFER / 4);
        if self.window.len() < needed && self.window.len() - self.end < BUFFER / 4 {
            self.window.resize(needed.max(held_bytes + BUFFER / 4), 0);
        }
    }

    /// Adds at least one byte to the window, or finds the end of the file.
    fn inflate_some(&mut self) -> Result<(), StreamError> {
        let part = self.marks.back().map_or(0, |mark| mark.file);
        let unreadable =
            |error: io::Error| StreamError { kind: FaultKind::CannotRead, message: error.to_string(), part };
        let damaged = |message: String, part| StreamError { kind: FaultKind::DamagedArchive, message, part };
        if self.codec.is_plain() {
            // Straight into the window: without a codec, the buffer of the feed would only be one more copy.
            let count = self.feed.read_past(&mut self.window[self.end..]).map_err(unreadable)?;
            self.end += count;
            self.ended = count == 0;
            return Ok(());
        }
        loop {
            if self.between_parts && !self.start_part()? {
                self.ended = true;
                return Ok(());
            }
            let part = self.marks.back().map_or(0, |mark| mark.file);
            let ready = self.feed.fill(1).map_err(unreadable)?;
            let step = self.codec.step(self.feed.data(), &mut self.window[self.end..]);
            self.feed.consume(step.used);
            self.end += step.made;
            if let Some(message) = step.failed {
                return Err(damaged(message, part));
            }
            self.between_parts = step.ended;
            if step.made > 0 {
                return Ok(());
            }
            if step.used == 0 && !step.ended {
                let reason = if ready == 0 {
                    "the compressed data is truncated"
                } else {
                    "the compressed data cannot be read further"
                };
                return Err(damaged(reason.into(), part));
            }
        }
    }

    /// Skips the header of the next part and marks its start. False at the end of the file.
    fn start_part(&mut self) -> Result<bool, StreamError> {
        let mut wanted = 18;
        loop {
            let part = self.feed.offset();
            let unreadable =
                |error: io::Error| StreamError { kind: FaultKind::CannotRead, message: error.to_string(), part };
            let bad = |message: &str| StreamError { kind: FaultKind::DamagedArchive, message: message.into(), part };
            let ready = self.feed.fill(wanted).map_err(unreadable)?;
            if ready == 0 {
                return Ok(false);
            }
            match self.codec.start(self.feed.data()) {
                Start::Part(header) => {
                    self.feed.consume(header);
                    self.marks.push_back(Mark { at: self.offset + (self.end - self.start) as u64, file: part });
                    self.between_parts = false;
                    return Ok(true);
                }
                Start::Skip(count) if count <= ready as u64 => self.feed.consume(count as usize),
                // Seeking beyond the end succeeds, and would pass for a file that ends properly.
                Start::Skip(count) if part.saturating_add(count) > self.feed.length().map_err(unreadable)? => {
                    return Err(bad("a skippable zstd frame is longer than the rest of the file"));
                }
                Start::Skip(count) => self.feed.seek(part + count).map_err(unreadable)?,
                Start::NeedMore if ready < wanted => return Err(bad("the compressed data is truncated")),
                Start::NeedMore if wanted >= MAX_PART_HEADER => {
                    return Err(bad("the header of a gzip member is too long"));
                }
                // The length of a gzip header shows only at its end, so it is read with growing buffers.
                Start::NeedMore => wanted *= 2,
                Start::Bad(message) => return Err(bad(message)),
            }
        }
    }
}

/// The first inflated bytes of a part at the start of `input`, or nothing.
fn probe<'a>(codec: &mut Codec, input: &[u8], output: &'a mut [u8; 16]) -> &'a [u8] {
    let Start::Part(mut used) = codec.start(input) else { return &[] };
    let mut made = 0;
    while made < output.len() {
        let step = codec.step(&input[used..], &mut output[made..]);
        used += step.used;
        made += step.made;
        if step.ended || step.failed.is_some() || step.used + step.made == 0 {
            break;
        }
    }
    &output[..made]
}

/// The dictionary in the first frame of a .warc.zst file, which may be compressed itself
/// (<https://iipc.github.io/warc-specifications/specifications/warc-zstd/>).
fn warc_dictionary(feed: &mut Feed) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = feed.data().get(4..8) else { return Ok(None) };
    let length = length.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    if length > MAX_DICTIONARY {
        return Ok(None);
    }
    feed.consume(8);
    let mut frame = Vec::new();
    while (frame.len() as u64) < length && feed.fill(1)? > 0 {
        let count = feed.data().len().min(length as usize - frame.len());
        frame.extend_from_slice(&feed.data()[..count]);
        feed.consume(count);
    }
    if !frame.starts_with(ZSTD_MAGIC) {
        return Ok(Some(frame));
    }
    let mut dictionary = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(&frame[..])?;
    // A small frame can inflate to any size.
    match decoder.take(MAX_DICTIONARY).read_to_end(&mut dictionary) {
        Ok(_) => Ok(Some(dictionary)),
        // The first record will then give a fault.
        Err(_) => Ok(None),
    }
}

/// The compressed bytes, buffered.
struct Feed {
    input: Box<dyn Input>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The offset in the file of the end of the buffer.
    read_to: u64,
}

impl Feed {
    fn new(input: Box<dyn Input>) -> Self {
        Feed { input, buffer: vec![0; BUFFER], start: 0, end: 0, read_to: 0 }
    }

    fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
    }

    /// The offset in the file of the next byte.
    fn offset(&self) -> u64 {
        self.read_to - (self.end - self.start) as u64
    }

    /// Reads until the buffer holds `count` bytes (at most its size) or the file ends. Returns how many it holds.
    fn fill(&mut self, count: usize) -> io::Result<usize> {
        if self.end - self.start >= count {
            return Ok(self.end - self.start);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        while self.end < count.min(BUFFER) {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => {
                    self.end += read;
                    self.read_to += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end)
    }

    /// Reads past the buffer, after what the buffer holds.
    fn read_past(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if self.start < self.end {
            let count = output.len().min(self.end - self.start);
            output[..count].copy_from_slice(&self.buffer[self.start..self.start + count]);
            self.start += count;
            return Ok(count);
        }
        loop {
            match self.input.read(output) {
                Ok(count) => {
                    self.read_to += count as u64;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn seek(&mut self, to: u64) -> io::Result<()> {
        self.input.seek(SeekFrom::Start(to))?;
        (self.start, self.end, self.read_to) = (0, 0, to);
        Ok(())
    }

    fn length(&mut self) -> io::Result<u64> {
        let length = self.input.seek(SeekFrom::End(0))?;
        self.input.seek(SeekFrom::Start(self.read_to))?;
        Ok(length)
    }
}

#[cfg(test)]
#[path = "inflate_tests.rs"]
mod tests;
