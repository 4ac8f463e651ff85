//! Decompression of gzip and zstd, one step at a time.
//!
//! A compressed file is a sequence of parts: gzip members or zstd frames, each complete in itself. A codec starts a part,
//! turns some input into some output, and reports the end of the part and whether its checksum is right. It holds no input
//! and never makes more output than fits into the buffer it is given.

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// The largest zstd window accepted in files, as a power of two: `zstd --long=31` makes such files.
pub(crate) const FILE_WINDOW_LOG: u32 = 31;

/// How a file is compressed.
pub(crate) enum Codec {
    Plain,
    Gzip(Gzip),
    Zstd(Box<Decoder<'static>>),
}

/// What follows the end of a part.
pub(crate) enum Start {
    /// More bytes are needed to decide.
    NeedMore,
    /// A part, after a header of this many bytes.
    Part(usize),
    /// This many bytes that belong to no part: padding, or a skippable frame.
    Skip(u64),
    /// Not the start of a part, for this reason.
    Bad(&'static str),
}

/// The outcome of one step.
pub(crate) struct Step {
    pub(crate) used: usize,
    pub(crate) made: usize,
    pub(crate) ended: bool,
    /// Why the part cannot be read further.
    pub(crate) failed: Option<String>,
}

impl Codec {
    /// The codec for a file that starts with these bytes.
    pub(crate) fn of(first: &[u8]) -> io::Result<Codec> {
        if first.starts_with(&[0x1f, 0x8b]) {
            Ok(Codec::Gzip(Gzip::new()))
        } else if first.starts_with(ZSTD_MAGIC) || is_skippable(first) {
            Codec::zstd(&[])
        } else {
            Ok(Codec::Plain)
        }
    }

    /// A zstd codec with a dictionary, which may be empty.
    pub(crate) fn zstd(dictionary: &[u8]) -> io::Result<Codec> {
        let mut decoder = Decoder::with_dictionary(dictionary)?;
        decoder.set_parameter(zstd::zstd_safe::DParameter::WindowLogMax(FILE_WINDOW_LOG))?;
        Ok(Codec::Zstd(Box::new(decoder)))
    }

    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Codec::Plain)
    }

    /// The first bytes of every part.
    pub(crate) fn magic(&self) -> &'static [u8] {
        match self {
            Codec::Plain => b"",
            Codec::Gzip(_) => GZIP_MAGIC,
            Codec::Zstd(_) => ZSTD_MAGIC,
        }
    }

    /// How much input is certain to give the first output of a part: a zstd block is decoded as a whole.
    pub(crate) fn probe_bytes(&self) -> usize {
        match self {
            Codec::Plain | Codec::Gzip(_) => 1 << 10,
            Codec::Zstd(_) => 129 << 10,
        }
    }

    /// Looks at the end of a part and prepares for the part that follows.
    pub(crate) fn start(&mut self, input: &[u8]) -> Start {
        match self {
            Codec::Plain => Start::Part(0),
            Codec::Gzip(gzip) => gzip.start(input),
            Codec::Zstd(decoder) => {
                if input.len() < 8 && (is_skippable(input) || input.len() < 4) {
                    return Start::NeedMore;
                }
                if is_skippable(input) {
                    return Start::Skip(8 + u64::from(little_endian(&input[4..8])));
                }
                if !input.starts_with(ZSTD_MAGIC) {
                    return Start::Bad("no zstd frame starts here");
                }
                match decoder.reinit() {
                    Ok(()) => Start::Part(0),
                    Err(_) => Start::Bad("the zstd decoder cannot start"),
                }
            }
        }
    }

    /// Turns input into output. If nothing is used, made or ended, more input is needed.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        match self {
            Codec::Plain => {
                let count = input.len().min(output.len());
                output[..count].copy_from_slice(&input[..count]);
                Step { used: count, made: count, ended: false, failed: None }
            }
            Codec::Gzip(gzip) => gzip.step(input, output),
            Codec::Zstd(decoder) => {
                let mut from = InBuffer::around(input);
                let mut to = OutBuffer::around(output);
                let outcome = decoder.run(&mut from, &mut to);
                let failed = outcome.as_ref().err().map(|error| format!("broken zstd data: {error}"));
                Step { used: from.pos(), made: to.pos(), ended: outcome.is_ok_and(|left| left == 0), failed }
            }
        }
    }
}

pub(crate) const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 0x08];

/// Whether a skippable zstd frame, which holds user data, starts here.
pub(crate) fn is_skippable(input: &[u8]) -> bool {
    input.len() >= 4 && input[0] & 0xf0 == 0x50 && input[1..4] == [0x2a, 0x4d, 0x18]
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// One gzip member at a time. The state is reused for the next member: a new one costs more than inflating a small
/// record.
pub(crate) struct Gzip {
    inflate: Decompress,
    crc: Crc,
    trailer: Vec<u8>,
    in_trailer: bool,
}

impl Gzip {
    pub(crate) fn new() -> Self {
        // `false`: the data has no zlib header; the header and the checksum are those of gzip, which are read here.
        Gzip { inflate: Decompress::new(false), crc: Crc::new(), trailer: Vec::with_capacity(8), in_trailer: false }
    }

    fn start(&mut self, input: &[u8]) -> Start {
        // Tape drives and some disks pad files with zeros.
        let zeros = input.iter().take_while(|&&byte| byte == 0).count();
        if zeros > 0 {
            return Start::Skip(zeros as u64);
        }
        let start = gzip_header(input);
        if let Start::Part(_) = start {
            self.inflate.reset(false);
            self.crc.reset();
            self.trailer.clear();
            self.in_trailer = false;
        }
        start
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        if self.in_trailer {
            let used = input.len().min(8 - self.trailer.len());
            self.trailer.extend_from_slice(&input[..used]);
            let ended = self.trailer.len() == 8;
            // The length in the trailer and `amount` are both modulo 2^32, so members beyond 4 GiB match, too.
            let failed = if ended && little_endian(&self.trailer[..4]) != self.crc.sum() {
                Some("the checksum of a gzip member is wrong".into())
            } else if ended && little_endian(&self.trailer[4..]) != self.crc.amount() {
                Some("the length of a gzip member is wrong".into())
            } else {
                None
            };
            return Step { used, made: 0, ended, failed };
        }
        // The totals tell what a call used even if it failed.
        let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
        let outcome = self.inflate.decompress(input, output, FlushDecompress::None);
        let used = (self.inflate.total_in() - before_in) as usize;
        let made = (self.inflate.total_out() - before_out) as usize;
        self.crc.update(&output[..made]);
        self.in_trailer = matches!(outcome, Ok(Status::StreamEnd));
        let failed = outcome.is_err().then(|| "the data of a gzip member is broken".into());
        Step { used, made, ended: false, failed }
    }
}

/// Measures the header of a gzip member (RFC 1952, section 2.3).
fn gzip_header(input: &[u8]) -> Start {
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const HEADER_CRC: u8 = 2;
    let known = input.len().min(GZIP_MAGIC.len());
    if input[..known] != GZIP_MAGIC[..known] {
        return Start::Bad("no gzip member starts here");
    }
    if input.len() < 10 {
        return Start::NeedMore;
    }
    let flags = input[3];
    // The reserved bits must be zero; they could stand for fields of unknown length.
    if flags & 0xe0 != 0 {
        return Start::Bad("the header of a gzip member is broken");
    }
    let mut at = 10;
    if flags & EXTRA != 0 {
        let Some(length) = input.get(at..at + 2) else { return Start::NeedMore };
        at += 2 + little_endian(length) as usize;
    }
    for flag in [NAME, COMMENT] {
        if flags & flag != 0 {
            let Some(end) = input.get(at..).and_then(|rest| memchr::memchr(0, rest)) else { return Start::NeedMore };
            at += end + 1;
        }
    }
    if flags & HEADER_CRC != 0 {
        at += 2;
    }
    if input.len() < at { Start::NeedMore } else { Start::Part(at) }
}
