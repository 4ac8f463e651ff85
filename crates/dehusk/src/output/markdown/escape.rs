//! Escapes texts, link targets and titles so that they cannot become Markdown markup.
//!
//! A character is escaped only where CommonMark or a GFM table could read it as markup, so that file names, prices and
//! formulas remain readable.

/// Appends a run of text without white space. `next` is the character after the run, if known.
pub(super) fn append_text(run: &str, next: Option<char>, out: &mut String) {
    let mut before = out.chars().next_back();
    let mut rest = run.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let after = rest.peek().map(|next| next.1).or(next);
        if needs_escape(c, before, after, &run[at..]) {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
}

fn needs_escape(c: char, before: Option<char>, after: Option<char>, rest: &str) -> bool {
    let is = |c: Option<char>, test: fn(char) -> bool| c.is_some_and(test);
    let spaced = || is(before, char::is_whitespace) && is(after, char::is_whitespace);
    match c {
        '`' | '[' | ']' => true,
        '*' => !spaced(),
        '_' => {
            let in_word = is(before, char::is_alphanumeric) && is(after, char::is_alphanumeric);
            !in_word && !spaced()
        }
        '\\' => after.is_none_or(|c| c.is_ascii_punctuation()),
        '<' => after.is_none_or(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
        // Only a tilde after a word can end a deletion; one before a number is harmless.
        '~' => after == Some('~') || before.is_some_and(|c| !c.is_whitespace()),
        '&' => after.is_none() || is_reference(rest),
        _ => false,
    }
}

/// Whether a text starts with something that looks like a character reference.
fn is_reference(text: &str) -> bool {
    // The longest name in HTML has 31 letters.
    let name = text.as_bytes()[1..].iter().take(33).position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#');
    name.is_some_and(|length| length > 0 && text.as_bytes()[1 + length] == b';')
}

/// The position where a line of a paragraph needs a backslash so that it does not start a block.
pub(super) fn line_start(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let blank_at = |at: usize| bytes.get(at).is_none_or(|byte| *byte == b' ');
    let only = |set: &[u8]| bytes.iter().all(|byte| set.contains(byte));
    let starts = match *bytes.first()? {
        b'>' | b'|' => true,
        b'#' => {
            let level = bytes.iter().take_while(|byte| **byte == b'#').count();
            level <= 6 && blank_at(level)
        }
        b'-' => blank_at(1) || only(b"-:| "),
        b'+' => blank_at(1),
        b'=' => only(b"= "),
        b':' => blank_at(1) || only(b"-:| "),
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = digits <= 9 && bytes.get(digits).is_some_and(|byte| b".)".contains(byte));
            return (number && blank_at(digits + 1)).then_some(digits);
        }
        _ => false,
    };
    starts.then_some(0)
}

/// The position where a heading needs a backslash so that number signs at its end are not read as a closing sequence.
pub(super) fn heading_end(line: &str) -> Option<usize> {
    let text = line.trim_end_matches('#');
    (text.len() < line.len() && (text.is_empty() || text.ends_with(' '))).then_some(text.len())
}

/// Appends a link target. White space and characters that could end the target or start other markup are percent-encoded.
pub(super) fn append_url(url: &str, out: &mut String) {
    let balanced = has_balanced_parentheses(url);
    for (at, c) in url.char_indices() {
        match c {
            '<' | '>' | '`' | '|' | '\\' | '\0'..=' ' => out.push_str(&format!("%{:02X}", c as u32)),
            _ if c.is_whitespace() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            '(' | ')' if !balanced => out.extend(['\\', c]),
            '&' if is_reference(&url[at..]) => out.push_str("&amp;"),
            _ => out.push(c),
        }
    }
}

fn has_balanced_parentheses(url: &str) -> bool {
    let mut open = 0_i32;
    for byte in url.bytes() {
        open += (byte == b'(') as i32 - (byte == b')') as i32;
        // Parsers may refuse more than 32 levels.
        if !(0..32).contains(&open) {
            return false;
        }
    }
    open == 0
}

/// Appends a link title in double quotes.
pub(super) fn append_title(title: &str, out: &mut String) {
    out.push('"');
    for (number, word) in title.split_whitespace().enumerate() {
        if number > 0 {
            out.push(' ');
        }
        for (at, c) in word.char_indices() {
            if matches!(c, '"' | '\\' | '`' | '<') || (c == '&' && is_reference(&word[at..])) {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out.push('"');
}

/// The length of the longest run of a character in a text.
pub(super) fn longest_run(text: &str, c: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for own in text.chars() {
        run = if own == c { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(run: &str) -> String {
        let mut out = String::new();
        append_text(run, Some(' '), &mut out);
        out
    }

    #[test]
    fn escapes_markup_and_nothing_else() {
        assert_eq!(escaped("snake_case"), "snake_case");
        assert_eq!(escaped("_x_"), "\\_x\\_");
        assert_eq!(escaped("a*b"), "a\\*b");
        assert_eq!(escaped("[x](y)"), "\\[x\\](y)");
        assert_eq!(escaped("C:\\dir"), "C:\\dir");
        assert_eq!(escaped("\\*"), "\\\\\\*");
        assert_eq!(escaped("a<b"), "a\\<b");
        assert_eq!(escaped("1<2"), "1<2");
        assert_eq!(escaped("&amp;"), "\\&amp;");
        assert_eq!(escaped("a&b&"), "a&b&");
        assert_eq!(escaped("~5"), "~5");
        assert_eq!(escaped("~~x~~"), "\\~\\~x\\~\\~");
    }

    #[test]
    fn line_starts_that_would_be_blocks() {
        for (line, at) in
            [("# x", 0), ("> x", 0), ("- x", 0), ("---", 0), ("+", 0), ("===", 0), ("12. x", 2), ("1)", 1)]
        {
            assert_eq!(line_start(line), Some(at), "{line}");
        }
        for line in ["#hash", "-5 degrees", "--flag", "1.5 x", "=x", "2024", ""] {
            assert_eq!(line_start(line), None, "{line}");
        }
        assert_eq!(heading_end("C #"), Some(2));
        assert_eq!(heading_end("C#"), None);
    }

    #[test]
    fn urls_and_titles() {
        let mut out = String::new();
        append_url("/a b_(c)?x=1&y=2&lt;<", &mut out);
        assert_eq!(out, "/a%20b_(c)?x=1&y=2&amp;lt;%3C");
        out.clear();
        append_url("/a(b", &mut out);
        assert_eq!(out, "/a\\(b");
        out.clear();
        append_title("say \"x\"\n\n y", &mut out);
        assert_eq!(out, "\"say \\\"x\\\" y\"");
    }
}
