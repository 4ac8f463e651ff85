//! The lines of a body, one at a time: memory is bounded by the longest line, not by the body.

use crate::problem::Problem;
use crate::serve::request::held_bytes::{Held, HeldBytes};
use crate::serve::request::request_body::RequestBody;
use axum::body::Bytes;
use std::time::Duration;
use tokio::time::timeout;

/// A line that is not blank.
pub(crate) struct Line {
    /// Counted from 1.
    pub(crate) number: u64,
    /// Nothing if the line is too long.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) held: Held,
}

/// Splits a body into lines.
pub(crate) struct Lines {
    body: RequestBody,
    held: HeldBytes,
    max_bytes: usize,
    /// How long to wait for memory that other requests hold.
    patience: Duration,
    /// What arrived and is in no line yet.
    rest: Bytes,
    number: u64,
}

impl Lines {
    pub(crate) fn new(body: RequestBody, held: HeldBytes, max_bytes: usize, patience: Duration) -> Lines {
        Lines { body, held, max_bytes, patience, rest: Bytes::new(), number: 0 }
    }

    /// The bytes that arrived.
    pub(crate) fn received(&self) -> u64 {
        self.body.received()
    }

    /// The next line; nothing at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Line>, Problem> {
        let (mut line, mut held, mut is_too_long, mut has_begun) = (Vec::new(), Held::default(), false, false);
        self.number += 1;
        loop {
            if self.rest.is_empty() {
                match self.body.next().await? {
                    Some(bytes) => self.rest = bytes,
                    None if !has_begun => return Ok(None),
                    None => return Ok(self.finish(line, held, is_too_long)),
                }
            }
            has_begun = true;
            let end = self.rest.iter().position(|byte| *byte == b'\n');
            let part = self.rest.split_to(end.unwrap_or(self.rest.len()));
            // The rest of a line that is too long is read to find its end, but not held.
            if is_too_long || line.len() + part.len() > self.max_bytes {
                (is_too_long, line, held) = (true, Vec::new(), Held::default());
            } else {
                match timeout(self.patience, self.held.add(&mut held, part.len())).await {
                    Ok(true) => line.extend_from_slice(&part),
                    Ok(false) => (is_too_long, line, held) = (true, Vec::new(), Held::default()),
                    Err(_) => return Err(Problem::overloaded("other requests fill the memory for bodies")),
                }
            }
            if end.is_some() {
                let _ = self.rest.split_to(1);
                if is_too_long || !line.iter().all(u8::is_ascii_whitespace) {
                    return Ok(self.finish(line, held, is_too_long));
                }
                // Blank lines are skipped, but counted.
                (line, held, has_begun) = (Vec::new(), Held::default(), false);
                self.number += 1;
            }
        }
    }

    fn finish(&self, line: Vec<u8>, held: Held, is_too_long: bool) -> Option<Line> {
        if !is_too_long && line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        Some(Line { number: self.number, bytes: (!is_too_long).then_some(line), held })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::HeaderMap;

    async fn split(text: &'static str, step: usize) -> Vec<(u64, Option<String>)> {
        let parts = text.as_bytes().chunks(step).map(|part| Ok::<_, std::io::Error>(Bytes::from_static(part)));
        let body = Body::from_stream(tokio_stream::iter(parts));
        let body = RequestBody::new(&HeaderMap::new(), body, Duration::from_secs(1));
        let mut lines = Lines::new(body, HeldBytes::new(16), 8, Duration::from_secs(1));
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push((line.number, line.bytes.map(|bytes| String::from_utf8(bytes).unwrap())));
        }
        assert_eq!(lines.received(), text.len() as u64);
        found
    }

    #[tokio::test(start_paused = true)]
    async fn lines_do_not_depend_on_how_they_arrive() {
        let text = "\n \none\r\n123456789\n\ntwo\n12345678\nthree";
        let some = |text: &str| Some(text.to_string());
        let expected = [(3, some("one\r")), (4, None), (6, some("two")), (7, some("12345678")), (8, some("three"))];
        for step in 1..=text.len() {
            assert_eq!(split(text, step).await, expected, "in steps of {step}");
        }
        assert_eq!(split("", 1).await, []);
        assert_eq!(split("\n\n  ", 2).await, []);
        assert_eq!(split("a\n", 2).await, [(1, some("a"))]);
    }

    #[tokio::test(start_paused = true)]
    async fn memory_that_others_hold_is_waited_for_but_not_forever() {
        let held = HeldBytes::new(16);
        let mut other = Held::default();
        assert!(held.try_add(&mut other, 12));
        let body = RequestBody::new(&HeaderMap::new(), Body::from("123456\n12\n"), Duration::from_secs(1));
        let mut lines = Lines::new(body, held.clone(), 8, Duration::from_secs(5));
        assert_eq!(lines.next().await.err().unwrap().kind, "overloaded");
        drop(other);
        assert_eq!(held.now(), 0);
    }
}
