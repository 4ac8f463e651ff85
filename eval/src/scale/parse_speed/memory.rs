//! The memory our parser uses, measured in a separate process that holds one page at a time.
//!
//! In the process that times the parsers, memory freed by others would be reused and not counted.

use super::send_pages;
use crate::Stop;
use crate::shared::machine::peak_memory;
use dehusk::dom::{Document, Parser};
use std::io::{Read, stdin};
use std::process::{Command, Stdio};

/// Peak memory of our parser on these pages, in bytes; `None` if the system does not report it.
pub(super) fn of_ours(pages: &[String]) -> Option<usize> {
    let mut process = Command::new(std::env::current_exe().ok()?)
        .arg("peak-memory")
        .arg(pages.iter().map(String::len).max()?.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let sent = process.stdin.take().map(|mut input| send_pages(pages, &mut input));
    let output = process.wait_with_output().ok()?;
    sent?.ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// Parses the pages from standard input and prints by how much the memory of this process grew.
pub(crate) fn measure(largest: usize) -> Result<(), Stop> {
    // Filled, so that the page buffer is counted before the parser runs, not as the parser's memory.
    let mut page = vec![1u8; largest];
    let mut parser = Parser::default();
    let mut document = Document::default();
    let absent = || Stop::Absent("the system does not report the memory of a process".into());
    let before = peak_memory().ok_or_else(absent)?;
    let mut input = stdin().lock();
    let mut length = [0u8; 8];
    while input.read_exact(&mut length).is_ok() {
        let page = &mut page[..u64::from_le_bytes(length) as usize];
        input.read_exact(page)?;
        let text = std::str::from_utf8(page).map_err(|error| Stop::Broken(error.to_string()))?;
        parser.parse_into(text, &mut document).map_err(|error| Stop::Broken(error.to_string()))?;
    }
    println!("{}", peak_memory().ok_or_else(absent)?.saturating_sub(before));
    Ok(())
}
