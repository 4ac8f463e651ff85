//! What goes to standard error: warnings, notes, progress. And what a terminal must not be shown.

use dehusk_io::shortened;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::borrow::Cow;
use std::io::{IsTerminal, Write};

/// Says that something went wrong.
pub(crate) fn warn(message: &str) {
    note(&format!("dehusk: {message}"));
}

/// Says something, on one line. Messages quote addresses and texts of strangers, so they are made safe to show.
pub(crate) fn note(message: &str) {
    // Nothing is left to do where even standard error is closed.
    let _ = writeln!(std::io::stderr(), "{}", one_line(&short_words(message)));
}

/// Says something on several lines.
pub(crate) fn note_lines(lines: impl IntoIterator<Item = impl AsRef<str>>) {
    lines.into_iter().for_each(|line| note(line.as_ref()));
}

/// A number of things: `1 page`, `2 pages`.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The same with the verb to have: `1 page has`, `2 pages have`.
pub(crate) fn counted_have(count: u64, thing: &str) -> String {
    format!("{} {}", counted(count, thing), if count == 1 { "has" } else { "have" })
}

/// A text on one line, so that nothing in it passes for a line of the program.
pub(crate) fn one_line(text: &str) -> String {
    shown(&shortened(text, MAX_LINE)).replace('\n', "\\n")
}

/// A text without characters that a terminal would obey: controls, and marks that reverse the order of what is shown.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_obeyed(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_obeyed(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Standard output for JSON lines. They are the same JSON on a terminal, where what it would obey is escaped.
pub(crate) fn record_output() -> Box<dyn Write> {
    escaped_output(json_escape)
}

/// Standard output for other text, which has no escapes of its own.
pub(crate) fn text_output() -> Box<dyn Write> {
    escaped_output(|c| c.escape_default().to_string())
}

/// All characters that are escaped are below U+10000, so one escape of four digits is enough.
fn json_escape(c: char) -> String {
    format!("\\u{:04x}", u32::from(c))
}

fn escaped_output(escape: fn(char) -> String) -> Box<dyn Write> {
    let out = std::io::stdout();
    match out.is_terminal() {
        true => Box::new(Escaped { out, rest: Vec::new(), escape }),
        false => Box::new(out),
    }
}

/// Text with escapes for what a terminal would obey.
struct Escaped<W> {
    out: W,
    /// The start of a character whose end has yet to come.
    rest: Vec<u8>,
    escape: fn(char) -> String,
}

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let end = match std::str::from_utf8(&self.rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.rest.len(),
        };
        let mut escaped = String::with_capacity(end);
        for c in String::from_utf8_lossy(&self.rest[..end]).chars() {
            match is_obeyed(c) {
                true => escaped.push_str(&(self.escape)(c)),
                false => escaped.push(c),
            }
        }
        self.out.write_all(escaped.as_bytes())?;
        self.rest.drain(..end);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Characters of a word in a message, such as an address or a path; the rest is cut.
const MAX_WORD: usize = 400;
/// Characters of a line.
const MAX_LINE: usize = 2000;

/// A message whose words are not longer than a line or two: addresses can have any length.
fn short_words(message: &str) -> Cow<'_, str> {
    if message.split_whitespace().all(|word| word.len() <= MAX_WORD) {
        return Cow::Borrowed(message);
    }
    let mut out = String::new();
    for part in message.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        out += &shortened(word, MAX_WORD);
        out += &part[word.len()..];
    }
    Cow::Owned(out)
}

/// A progress bar that shows only on a terminal or when asked for.
pub(crate) fn progress(pages: usize, wanted: bool) -> ProgressBar {
    if !(wanted || std::io::stderr().is_terminal()) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(pages as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} pages, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// A progress bar over the bytes of a crawl.
pub(crate) fn byte_progress(bytes: Option<u64>, wanted: bool) -> ProgressBar {
    let bar = progress(0, wanted);
    let template = match bytes {
        Some(bytes) => {
            bar.set_length(bytes);
            "{prefix} {bar:24} {percent} %, {msg}, {eta} left"
        }
        None => "{prefix} {spinner} {msg}, {elapsed}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_safe_to_show() {
        assert_eq!(shown("plain, ünïcödé\n\ttext"), "plain, ünïcödé\n\ttext");
        assert_eq!(shown("a\x1b[2Jb\x07c\u{9b}d\u{202e}e"), "a\\u{1b}[2Jb\\u{7}c\\u{9b}d\\u{202e}e");
        let long = format!("page http://h/{} is long", "ä".repeat(100_000));
        let short = short_words(&long);
        assert!(
            short.len() < 1000
                && short.starts_with("page http://h/ä")
                && short.ends_with("(100009 characters) is long")
        );
        assert_eq!(short_words("short words stay"), "short words stay");
        assert_eq!(one_line("page\nwritten to b"), "page\\nwritten to b");
        assert!(one_line(&"x ".repeat(50_000)).len() < 2100);
    }

    #[test]
    fn records_on_a_terminal_are_safe_and_the_same_json() {
        let record = serde_json::json!({"id": "\u{9b}31mRED\u{202e}", "text": "ünïcödé \u{7f} 😀"});
        let line = format!("{record}\n");
        let mut escaped = Escaped { out: Vec::new(), rest: Vec::new(), escape: json_escape };
        // Characters may come in pieces.
        line.as_bytes().chunks(1).for_each(|byte| escaped.write_all(byte).unwrap());
        let text = String::from_utf8(escaped.out).unwrap();
        assert_eq!(text, "{\"id\":\"\\u009b31mRED\\u202e\",\"text\":\"ünïcödé \\u007f 😀\"}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), record);
    }
}
