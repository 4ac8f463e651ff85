//! Escapes texts, link targets, titles and formulas so that they cannot become Markdown markup or HTML.
//!
//! A character is escaped only where CommonMark or GitHub's extensions could read it as markup, so that file names, prices and
//! formulas remain readable. What keeps HTML from being live must hold in every renderer and wherever it ends up:
//!
//! - `<` and `&` are written as character references. A backslash would not do: GitHub's extensions make links of bare URLs, and a
//!   backslash in such a URL is part of it.
//! - In a word with a URL, the other characters that open something get character references too.

/// Appends a run of text without white space. `next` is the character after the run, if known; from `url` on, a renderer may take the
/// run for a URL.
pub(super) fn append_text(run: &str, next: Option<char>, url: Option<usize>, out: &mut String) {
    let mut before = out.chars().next_back();
    let mut rest = run.char_indices().peekable();
    // Almost any character may begin an address, as in `<1@host.example>`.
    let last_at_sign = run.rfind('@').unwrap_or(0);
    while let Some((at, c)) = rest.next() {
        let after = rest.peek().map(|next| next.1).or(next);
        if needs_escape(c, before, after, &run[at..]) || (c == '<' && at < last_at_sign) {
            append_escaped(c, url.is_some_and(|url| at >= url), out);
        } else {
            out.push(c);
        }
        before = Some(c);
    }
}

fn append_escaped(c: char, in_url: bool, out: &mut String) {
    match c {
        '<' => out.push_str("&lt;"),
        '&' => out.push_str("&amp;"),
        '`' | '[' | ']' | '\\' if in_url => out.push_str(&format!("&#{};", c as u32)),
        _ => out.extend(['\\', c]),
    }
}

fn needs_escape(c: char, before: Option<char>, after: Option<char>, rest: &str) -> bool {
    let is = |c: Option<char>, test: fn(char) -> bool| c.is_some_and(test);
    // At the start of a line, a spaced asterisk begins a list item.
    let spaced = || is(before, |c| c.is_whitespace() && c != '\n') && is(after, char::is_whitespace);
    match c {
        '`' | '[' | ']' => true,
        // In the text of a link, Marked ignores the backslashes before brackets.
        '(' => before == Some(']'),
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

/// Maximum number of bytes of a paragraph that is copied for the sake of its backslashes.
const MAX_PARAGRAPH: usize = 1 << 16;

/// Removes backslashes that are not needed, which only the whole paragraph shows: before asterisks, underscores and tildes of which none
/// that could open something comes before one that could close it, and before brackets that are neither a link nor a footnote, a task or
/// the definition of a link.
///
/// Paragraphs with code, formulas, links or images stay as they are: in these, backslashes mean something else. So do very long ones, of which
/// a copy would count.
pub(super) fn remove_needless(text: &mut String) {
    if text.len() > MAX_PARAGRAPH || !text.contains('\\') || text.contains(['`', '$']) || text.contains("](") {
        return;
    }
    for c in ['*', '_', '~'] {
        let escaped = format!("\\{c}");
        if text.contains(&escaped) && !could_pair(text, c) {
            *text = text.replace(&escaped, &escaped[1..]);
        }
    }
    if text.contains("\\[") {
        *text = with_plain_brackets(text);
    }
}

/// A paragraph without the backslashes of brackets that need none.
fn with_plain_brackets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut from, mut copied) = (0, 0);
    while let Some(start) = text[from..].find("\\[").map(|at| from + at) {
        from = start + 2;
        let Some(end) = text[from..].find(['[', ']']).map(|at| from + at) else { break };
        let Some(inner) = text[from..end].strip_suffix('\\').filter(|_| text[end..].starts_with(']')) else { continue };
        let before = text[..start].chars().next_back();
        let after = text[end + 1..].chars().next();
        let begins_line = before.is_none_or(|c| c == '\n');
        let is_markup = inner.starts_with(['^', '!'])
            || inner.trim().is_empty()
            || (begins_line && inner.len() == 1)
            || before.is_some_and(|c| matches!(c, '!' | '^' | ']' | '\\'))
            || after.is_some_and(|c| matches!(c, '(' | '[' | ':' | '\\' | '{'));
        if !is_markup {
            out.extend([&text[copied..start], "[", inner, "]"]);
            (from, copied) = (end + 1, end + 1);
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// What is beside a delimiter. Renderers differ in what else they take for punctuation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Space,
    Word,
    Punctuation,
    Other,
}

impl Beside {
    fn of(c: Option<char>) -> Beside {
        match c {
            None => Beside::Space,
            Some(c) if c.is_whitespace() => Beside::Space,
            Some(c) if c.is_alphanumeric() => Beside::Word,
            Some(c) if c.is_ascii_punctuation() => Beside::Punctuation,
            Some(_) => Beside::Other,
        }
    }

    /// Whether a delimiter with this on its inner side and `outer` on the other may open or close something.
    fn may_mark(self, outer: Beside, c: char) -> bool {
        let flanks = match self {
            Beside::Space => false,
            Beside::Word | Beside::Other => true,
            Beside::Punctuation => outer != Beside::Word,
        };
        flanks && (c != '_' || outer != Beside::Word)
    }
}

/// Whether some of the delimiters of a paragraph, without their backslashes, might be markup: one that may open something comes before
/// one that may close it, or one begins a list item or is in a line of nothing else.
fn could_pair(text: &str, c: char) -> bool {
    let is_rule = |line: &str| line.chars().all(|own| own == c || own == '\\' || own.is_whitespace());
    if text.lines().any(|line| line.contains(c) && is_rule(line)) {
        return true;
    }
    let mut is_open = false;
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(own) = rest.next() {
        if own == '\\' && rest.peek() == Some(&c) {
            continue;
        }
        if own == c {
            let begins_line = before.is_none_or(|before| before == '\n');
            let (left, right) = (Beside::of(before), Beside::of(rest.peek().copied()));
            if (is_open && left.may_mark(right, c)) || (begins_line && right == Beside::Space) {
                return true;
            }
            is_open |= right.may_mark(left, c);
        }
        before = Some(own);
    }
    false
}

/// Where renderers may begin to read a word as a URL: GitHub's extensions make links of `http://…` and `www.…`. Letters before the
/// position may belong to it.
pub(super) fn url_start(word: &[u8]) -> Option<usize> {
    let is_start = |at: &usize| {
        let rest = &word[*at..];
        rest.starts_with(b"://") || rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"www."))
    };
    (0..word.len()).find(is_start)
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

/// Appends a link target. White space and characters that could end the target or start other markup are percent-encoded. A target in
/// a link that failed, say because of a bracket in a formula, is text, so it must not contain another link.
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
            ']' if url[at..].starts_with("](") => out.push_str("%5D"),
            // A reference to a number needs no semicolon in HTML, and not every renderer escapes it.
            '&' if is_reference(&url[at..]) || url[at..].starts_with("&#") => out.push_str("&amp;"),
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

/// Appends a link title in double quotes. As with targets, it must be harmless as text.
pub(super) fn append_title(title: &str, out: &mut String) {
    out.push('"');
    for (number, word) in title.split_whitespace().enumerate() {
        if number > 0 {
            out.push(' ');
        }
        for (at, c) in word.char_indices() {
            match c {
                '<' | '`' => append_escaped(c, true, out),
                ']' if word[at..].starts_with("](") => append_escaped(c, true, out),
                '&' if is_reference(&word[at..]) => append_escaped(c, true, out),
                '"' | '\\' => append_escaped(c, false, out),
                _ => out.push(c),
            }
        }
    }
    out.push('"');
}

/// Appends TeX so that it means the same in a renderer that reads it as TeX and is harmless text in one that does not. In a cell of a
/// table, bars would end it.
pub(super) fn append_tex(tex: &str, in_cell: bool, out: &mut String) {
    let mut rest = tex.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        match c {
            // A space means nothing in a formula, and with it there is no tag.
            '<' if after.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)) => out.push_str("< "),
            ']' if after == Some('(') => out.push_str("] "),
            // The character that it stands for. A backtick would end, or begin, the next code span.
            '`' => out.push('‘'),
            '|' if in_cell => out.push_str("\\vert "),
            '\\' if in_cell && after == Some('|') => {
                rest.next();
                out.push_str("\\Vert ");
            }
            '\\' if after == Some('\\') => {
                rest.next();
                out.push_str("\\\\");
            }
            _ => out.push(c),
        }
    }
}

/// Appends a line of a formula of several lines. Behind empty braces it cannot start a block.
pub(super) fn append_tex_line(line: &str, out: &mut String) {
    let starts = line_start(line).is_some() || line.starts_with(['*', '_', '~', '[']);
    out.push_str(if starts { "{}" } else { "" });
    append_tex(line, false, out);
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
        append_text(run, Some(' '), url_start(run.as_bytes()), &mut out);
        out
    }

    #[test]
    fn escapes_markup_and_nothing_else() {
        assert_eq!(escaped("snake_case"), "snake_case");
        assert_eq!(escaped("_x_"), "\\_x\\_");
        assert_eq!(escaped("a*b"), "a\\*b");
        assert_eq!(escaped("[x](y)"), "\\[x\\]\\(y)");
        assert_eq!(escaped("C:\\dir"), "C:\\dir");
        assert_eq!(escaped("\\*"), "\\\\\\*");
        assert_eq!(escaped("a<b"), "a&lt;b");
        assert_eq!(escaped("1<2"), "1<2");
        assert_eq!(escaped("&amp;"), "&amp;amp;");
        assert_eq!(escaped("a&b&"), "a&b&");
        assert_eq!(escaped("[http://a/[`]"), "\\[http://a/&#91;&#96;&#93;");
        assert_eq!(escaped("<1@a.example>"), "&lt;1@a.example>");
        assert_eq!(escaped("~5"), "~5");
        assert_eq!(escaped("~~x~~"), "\\~\\~x\\~\\~");
    }

    #[test]
    fn backslashes_that_the_whole_paragraph_makes_needless() {
        for (escaped, wanted) in [
            ("Sunscreen\\*", "Sunscreen*"),
            ("\\*Prices", "*Prices"),
            ("\\* Prices", "\\* Prices"),
            ("a\\\n\\* b", "a\\\n\\* b"),
            ("a\\*b\\*c", "a\\*b\\*c"),
            ("http://a/Rust\\_(language) and b\\_", "http://a/Rust_(language) and b_"),
            ("(a)\\_x\\_", "(a)\\_x\\_"),
            ("\\_a\\_", "\\_a\\_"),
            ("a\\* b\\* c\\*", "a* b* c*"),
            ("a\\\n\\_ _ \\_", "a\\\n\\_ _ \\_"),
            ("**a** b\\*", "**a** b\\*"),
            ("a \\\\\\*", "a \\\\*"),
            ("x \\[sic\\] y \\[z\\]", "x [sic] y [z]"),
            ("\\[x\\] task", "\\[x\\] task"),
            ("\\[x\\]: /url", "\\[x\\]: /url"),
            ("\\[x\\]\\(/url)", "\\[x\\]\\(/url)"),
            ("a\\[^1\\]", "a\\[^1\\]"),
            ("\\[\\[a\\]\\]", "\\[\\[a\\]\\]"),
            ("`a\\*`", "`a\\*`"),
            ("[a](/b) \\[c\\]", "[a](/b) \\[c\\]"),
        ] {
            let mut text = escaped.to_owned();
            remove_needless(&mut text);
            assert_eq!(text, wanted, "{escaped}");
        }
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
        out.clear();
        append_url("javascript&#58alert(1)/[x](y)", &mut out);
        append_title("<b> ` [x](y)", &mut out);
        assert_eq!(out, "javascript&amp;#58alert(1)/[x%5D(y)\"&lt;b> &#96; [x&#93;(y)\"");
    }

    #[test]
    fn formulas_mean_the_same() {
        let written = |tex: &str, in_cell: bool| {
            let mut out = String::new();
            append_tex(tex, in_cell, &mut out);
            out
        };
        assert_eq!(written("a<b, 1<2, c</d", false), "a< b, 1<2, c< /d");
        assert_eq!(written("\\text{`a'} [x](y) \\|z\\|", false), "\\text{‘a'} [x] (y) \\|z\\|");
        assert_eq!(written("|x| \\|y\\| \\\\|", true), "\\vert x\\vert  \\Vert y\\Vert  \\\\\\vert ");
        for (line, wanted) in
            [("= b", "= b"), ("=", "{}="), ("- b", "{}- b"), ("> b", "{}> b"), ("[^1]: b", "{}[^1]: b")]
        {
            let mut out = String::new();
            append_tex_line(line, &mut out);
            assert_eq!(out, wanted);
        }
    }
}
