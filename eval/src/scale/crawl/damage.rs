//! Damaged and hostile inputs, small on disk whatever size they claim or decompress to.

use super::inputs::{Page, gzip, warc_head, warc_record};
use crate::Stop;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// Decompressed size of the bombs, in bytes.
pub(super) const BOMB: u64 = 10 << 30;
/// Bytes of the record that is too large.
pub(super) const LARGE_RECORD: u64 = 3 << 30;
/// Bytes of the line that is too long.
pub(super) const LONG_LINE: usize = 200 << 20;

/// Chunk size for making bombs.
const STEP: u64 = 1 << 20;

/// One gzip member that inflates to some bytes, then `BOMB` times the letter a, then some bytes.
pub(super) fn gzip_bomb(before: &[u8], after: &[u8]) -> Result<Vec<u8>, Stop> {
    let filler = vec![b'a'; STEP as usize];
    // A block that ends on a byte boundary and has no back-references can be repeated any number of times.
    let block = |bytes: &[u8]| -> Result<(Vec<u8>, flate2::Crc), Stop> {
        let mut deflate = flate2::Compress::new(flate2::Compression::best(), false);
        let mut out = Vec::with_capacity(bytes.len() + 1024);
        deflate
            .compress_vec(bytes, &mut out, flate2::FlushCompress::Full)
            .map_err(|error| Stop::Broken(error.to_string()))?;
        let mut sum = flate2::Crc::new();
        sum.update(bytes);
        Ok((out, sum))
    };
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let (first, mut sum) = block(before)?;
    let (middle, middle_sum) = block(&filler)?;
    let (last, last_sum) = block(after)?;
    out.extend(first);
    for _ in 0..BOMB / STEP {
        out.extend_from_slice(&middle);
        sum.combine(&middle_sum);
    }
    out.extend(last);
    sum.combine(&last_sum);
    // An empty last block, the checksum and the length.
    out.extend_from_slice(&[3, 0]);
    out.extend_from_slice(&sum.sum().to_le_bytes());
    out.extend_from_slice(&((before.len() as u64 + BOMB + after.len() as u64) as u32).to_le_bytes());
    Ok(out)
}

/// The same as a zstd frame.
pub(super) fn zstd_bomb(before: &[u8], after: &[u8]) -> Result<Vec<u8>, Stop> {
    let filler = vec![b'a'; STEP as usize];
    let mut encoder = zstd::Encoder::new(Vec::new(), 1)?;
    encoder.write_all(before)?;
    for _ in 0..BOMB / STEP {
        encoder.write_all(&filler)?;
    }
    encoder.write_all(after)?;
    Ok(encoder.finish()?)
}

/// Gzip members of records, with `damage` done to the one in the middle.
pub(super) fn damaged_warc(pages: &[Page], damage: impl FnOnce(&mut Vec<u8>)) -> Result<Vec<u8>, Stop> {
    let mut members = pages.iter().map(|page| gzip(&page.record())).collect::<Result<Vec<_>, Stop>>()?;
    let middle = members.len() / 2;
    damage(&mut members[middle]);
    Ok(members.concat())
}

/// A WARC of gzip members whose middle record holds a page in a content encoding.
pub(super) fn warc_with_encoded(pages: &[Page], encoding: &str, body: &[u8]) -> Result<Vec<u8>, Stop> {
    let head = format!("Content-Encoding: {encoding}\r\n");
    let page = &pages[pages.len() / 2];
    let member = gzip(&warc_record(&page.url, &page.id, &head, body))?;
    damaged_warc(pages, |middle| *middle = member)
}

/// A WARC of gzip members whose middle one is a record of `BOMB` bytes.
pub(super) fn warc_with_bomb_member(pages: &[Page]) -> Result<Vec<u8>, Stop> {
    let page = &pages[pages.len() / 2];
    let member = gzip_bomb(&warc_head(&page.url, &page.id, "", BOMB), b"\r\n\r\n")?;
    damaged_warc(pages, |middle| *middle = member)
}

/// A plain WARC whose middle record is too large, most of it a hole on disk.
pub(super) fn sparse_warc(path: &Path, pages: &[Page]) -> Result<(), Stop> {
    let mut out = BufWriter::new(File::create(path)?);
    for (number, page) in pages.iter().enumerate() {
        if number == pages.len() / 2 {
            out.write_all(&warc_head(&page.url, &page.id, "", LARGE_RECORD))?;
            out.seek(SeekFrom::Current(LARGE_RECORD as i64))?;
            out.write_all(b"\r\n\r\n")?;
        } else {
            out.write_all(&page.record())?;
        }
    }
    Ok(out.flush()?)
}

/// JSON lines whose middle one is replaced.
pub(super) fn lines_with(pages: &[Page], middle: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        match number == pages.len() / 2 {
            true => out.extend_from_slice(middle),
            false => out.extend(page.line()),
        }
    }
    out
}
