//! Runs one extractor over the pages of a JSON-lines file: a line with id, text, processor time and peak memory for each page.
//!
//! Ours and the peers written in Rust are measured by this file, those in Python by `extract.py`, which does the same. Only the
//! calls of the extractor are timed; reading JSON and what an extractor sets up at its first call are not.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Stack of the extraction: some extractors recurse over the page. Only what is touched becomes memory.
const STACK: usize = 1 << 29;

/// Extracts the pages from number `first` on and appends the results to a file, each as soon as it is there. `extract` takes
/// address and source of a page and returns its text, or why there is none.
pub(crate) fn run(
    pages: &Path,
    out: &Path,
    first: usize,
    mut extract: impl FnMut(&str, &str) -> Result<String, String> + Send,
) -> Result<(), String> {
    let input = BufReader::with_capacity(1 << 16, File::open(pages).map_err(|error| error.to_string())?);
    let mut out = OpenOptions::new().create(true).append(true).open(out).map_err(|error| error.to_string())?;
    std::panic::set_hook(Box::new(|_| {}));
    let work = move || {
        let mut warm = false;
        for line in input.lines().skip(first) {
            let page = line.map_err(|error| error.to_string())?;
            let page: serde_json::Value = serde_json::from_str(&page).map_err(|error| error.to_string())?;
            let text = |key: &str| page[key].as_str().unwrap_or_default();
            let (url, html) = (text("url"), text("html"));
            let mut once = || catch_unwind(AssertUnwindSafe(|| extract(url, html))).unwrap_or(Err("panic".into()));
            if !std::mem::replace(&mut warm, true) {
                let _ = once();
            }
            let start = processor_seconds();
            let result = once();
            let seconds = processor_seconds() - start;
            let mut record = serde_json::json!({"id": page["id"], "seconds": seconds, "peak": peak_memory()});
            match result {
                Ok(text) => record["text"] = text.into(),
                Err(reason) => record["failed"] = reason.into(),
            }
            writeln!(out, "{record}").map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map_err(|error| error.to_string())?.join().unwrap_or(Err("panic".into()))
    })
}

/// Seconds all threads of this process were on a processor.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most memory this process had so far, in bytes (Linux; elsewhere none).
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
