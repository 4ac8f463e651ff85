//! Reading WARC compared with decompressing the same file: the extra cost of finding and parsing records.

use super::inputs::Corpus;
use super::{Section, megabytes};
use crate::Stop;
use crate::shared::machine::processor_seconds;
use crate::shared::program::Program;
use crate::shared::report::table;
use dehusk_io::{ReadOptions, open};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

const ROUNDS: usize = 5;
/// Minimum speed as a fraction of decompression alone.
const LEAST_RATIO: f64 = 0.8;

pub(super) fn measure(_: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let path = corpus.warc()?;
    let (mut inflating, mut reading) = (f64::INFINITY, f64::INFINITY);
    let (mut inflated, mut html, mut pages) = (0, 0, 0);
    for _ in 0..ROUNDS {
        inflating = inflating.min(time(|| {
            inflated = inflate(&path)?;
            Ok(())
        })?);
        reading = reading.min(time(|| {
            (pages, html) = read(&path)?;
            Ok(())
        })?);
    }
    let ratio = inflating / reading;
    let row = |name: &str, seconds: f64, what: String| {
        vec![name.to_string(), format!("{seconds:.2}"), format!("{:.0}", inflated as f64 / 1e6 / seconds), what]
    };
    let rows = [
        row("flate2, output discarded", inflating, format!("{} MB", megabytes(inflated))),
        row("WARC records, parsed", reading, format!("{pages} pages, {} MB", megabytes(html))),
    ];
    let mut section = Section::default();
    section.expect(ratio >= LEAST_RATIO, || format!("WARC is read at {ratio:.2} of the speed of inflating"));
    section.text = format!(
        "One thread, CPU time, best of {ROUNDS} rounds, interleaved. WARC is read at {ratio:.2} of the speed of decompression alone \
         (required: {LEAST_RATIO}).\n\n{}",
        table(&["what", "seconds", "decompressed MB/s", "result"], &rows)
    );
    Ok(section)
}

fn inflate(path: &Path) -> Result<u64, Stop> {
    let input = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut inflated = flate2::bufread::MultiGzDecoder::new(input);
    // `io::copy` would go through 8 KiB at a time, which is slower.
    let (mut buffer, mut bytes) = (vec![0; 1 << 18], 0);
    loop {
        match inflated.read(&mut buffer)? {
            0 => return Ok(bytes),
            count => bytes += count as u64,
        }
    }
}

/// Pages, and bytes of their HTML.
fn read(path: &Path) -> Result<(u64, u64), Stop> {
    let options = ReadOptions::default();
    let broken = |error: &dyn std::error::Error| Stop::Broken(error.to_string());
    let mut source = open(&[path.to_path_buf()], &options).map_err(|error| broken(&error))?;
    let (mut pages, mut bytes) = (0, 0);
    while let Some(raw) = source.next() {
        let record = raw.and_then(|raw| raw.open(&options)).map_err(|fault| broken(&fault))?;
        pages += 1;
        bytes += record.html.len() as u64;
    }
    Ok((pages, bytes))
}

/// CPU seconds.
fn time(work: impl FnOnce() -> Result<(), Stop>) -> Result<f64, Stop> {
    let start = processor_seconds();
    work()?;
    Ok(processor_seconds() - start)
}
