//! The lines of a file of JSON lines, plain or compressed.
//!
//! The reading thread only splits lines; `json_line` parses them.

use std::path::Path;
use std::sync::Arc;

use crate::compression::InflatedStream;
use crate::containers::raw_page::{Content, RawPage};
use crate::containers::source::Source;
use crate::fault::{Fault, FaultKind};
use crate::location::{Location, Position};
use crate::read_options::{ReadOptions, bytes_text};

/// The lines of one file.
pub(crate) struct JsonLines {
    stream: InflatedStream,
    file: Arc<Path>,
    line: u64,
    done: bool,
    max_line_bytes: usize,
    max_skip_bytes: u64,
}

impl JsonLines {
    pub(crate) fn new(stream: InflatedStream, file: Arc<Path>, options: &ReadOptions) -> Self {
        JsonLines {
            stream,
            file,
            line: 0,
            done: false,
            max_line_bytes: usize::try_from(options.max_line_bytes).unwrap_or(usize::MAX),
            max_skip_bytes: options.max_skip_bytes,
        }
    }

    fn location(&self) -> Location {
        Location::new(self.file.clone(), Position::Line(self.line))
    }

    /// The next line without its end, `None` at the end of the file.
    fn next_line(&mut self) -> Option<Result<Vec<u8>, Fault>> {
        let mut line = Vec::new();
        self.line += 1;
        loop {
            if self.stream.ensure(1) == 0 {
                self.done = true;
                if let Some(error) = self.stream.error() {
                    let message = format!("{}; the lines from here on are lost", error.message);
                    return Some(Err(Fault::new(self.location(), error.kind, message)));
                }
                return (!line.is_empty()).then_some(Ok(line));
            }
            let data = self.stream.data();
            let end = memchr::memchr(b'\n', data);
            let count = end.unwrap_or(data.len());
            if line.len() + count > self.max_line_bytes {
                return Some(Err(self.skip_line()));
            }
            line.extend_from_slice(&data[..count]);
            self.stream.consume(count + usize::from(end.is_some()));
            if end.is_some() {
                return Some(Ok(line));
            }
        }
    }

    /// Skips the rest of a line that is too long. Returns its fault.
    fn skip_line(&mut self) -> Fault {
        let limit = bytes_text(self.max_line_bytes as u64);
        let mut message = format!("the line is longer than the limit of {limit}");
        let from = self.stream.offset();
        while self.stream.ensure(1) > 0 {
            let data = self.stream.data();
            if let Some(end) = memchr::memchr(b'\n', data) {
                self.stream.consume(end + 1);
                break;
            }
            self.stream.consume(data.len());
            // A few compressed bytes can inflate to a line without end; a plain line is at most as long as its file.
            if !self.stream.is_plain() && self.stream.offset() - from > self.max_skip_bytes {
                let cap = bytes_text(self.max_skip_bytes);
                message.push_str(&format!("; it does not end within {cap}, so the rest of the file is skipped"));
                self.done = true;
                break;
            }
        }
        Fault::new(self.location(), FaultKind::TooLarge, message)
    }
}

impl Source for JsonLines {
    fn next(&mut self) -> Option<Result<RawPage, Fault>> {
        while !self.done {
            match self.next_line()? {
                // Blank lines are counted, so that the numbers in messages are those of an editor.
                Ok(line) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(line) => return Some(Ok(RawPage::new(self.location(), Content::JsonLine(line)))),
                Err(fault) => return Some(Err(fault)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::containers::inputs::test_source;

    #[test]
    fn bad_lines_cost_only_themselves() {
        let good = r#"{"url":"u","html":"x"}"#;
        let long = format!(r#"{{"url":"u","html":"{}"}}"#, "y".repeat(5000));
        let text = format!("\u{feff}{good}\r\n\n{{bad\n\0\0\n{long}\n[1]\n{good} x\n   \n{good}");
        let options = ReadOptions::default().with_max_line_bytes(1000);
        let seen = test_source("x.jsonl", text.as_bytes(), &options);
        let summary: Vec<_> = seen
            .iter()
            .map(|item| match item {
                Ok(record) => record.location.to_string(),
                Err(fault) => format!("{} {}", fault.location, fault.kind.name()),
            })
            .collect();
        assert_eq!(
            summary,
            [
                "x.jsonl line 1",
                "x.jsonl line 3 bad_json",
                "x.jsonl line 4 bad_json",
                "x.jsonl line 5 too_large",
                "x.jsonl line 6 bad_json",
                "x.jsonl line 7 bad_json",
                "x.jsonl line 9"
            ]
        );
    }
}
