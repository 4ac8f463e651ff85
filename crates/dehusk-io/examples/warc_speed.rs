//! Reads WARC files and says what was in them and how fast; for a .warc.gz it also times bare inflation.
//!
//! Usage: `cargo run --release --example warc_speed -p dehusk-io -- FILE...`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::time::Instant;

use dehusk_io::{ReadOptions, RunOptions, open, run_ordered};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = ReadOptions::default();
    for path in std::env::args().skip(1).map(PathBuf::from) {
        let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let mut source = open(std::slice::from_ref(&path), &options)?;
        while let Some(item) = source.next() {
            let (word, bytes) = match item.and_then(|raw| raw.open(&options)) {
                Ok(record) => ("page".to_string(), record.html.len() as u64),
                Err(fault) => (fault.kind.name().to_string(), 0),
            };
            let count = counts.entry(word).or_default();
            *count = (count.0 + 1, count.1 + bytes);
        }
        println!("{}: {counts:?}", path.display());
        if path.to_string_lossy().ends_with(".warc.gz") {
            time(&path, &options)?;
        }
    }
    Ok(())
}

/// Takes turns between bare inflation, reading alone, and reading with all records opened.
fn time(path: &PathBuf, options: &ReadOptions) -> Result<(), Box<dyn std::error::Error>> {
    for round in 0..4 {
        let start = Instant::now();
        let file = BufReader::with_capacity(256 << 10, File::open(path)?);
        let mut inflate = flate2::bufread::MultiGzDecoder::new(file);
        let mut buffer = vec![0; 256 << 10];
        let mut bytes = 0;
        loop {
            match inflate.read(&mut buffer)? {
                0 => break,
                count => bytes += count,
            }
        }
        let bare = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut source = open(std::slice::from_ref(path), options)?;
        while source.next().is_some() {}
        let reading = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut source = open(std::slice::from_ref(path), options)?;
        let mut pages = 0u64;
        let take = |is_page: bool| {
            pages += u64::from(is_page);
            Ok::<(), ()>(())
        };
        let run = RunOptions::default().with_threads(1);
        let work = |(): &mut (), item: Result<dehusk_io::RawRecord, _>| item.and_then(|raw| raw.open(options)).is_ok();
        let _ = run_ordered(source.as_mut(), &run, || (), work, take);
        let opening = start.elapsed().as_secs_f64();

        let mb = bytes as f64 / 1e6;
        println!(
            "round {round}: {mb:.0} MB; bare {:.0} MB/s, records {:.0} MB/s ({:.2}x), opened on one thread {:.0} MB/s ({:.2}x), {pages} pages",
            mb / bare,
            mb / reading,
            bare / reading,
            mb / opening,
            bare / opening
        );
    }
    Ok(())
}
