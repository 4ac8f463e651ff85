//! Recognizes strings of prose in data and converts them to HTML.

use crate::dom::text::count_text;

/// Minimum number of words of a string of prose. Labels and messages of programs are mostly shorter.
const MIN_PROSE_WORDS: usize = 12;

/// Counts words; each character of a script written without spaces counts as one.
pub(super) fn count_words(text: &str) -> usize {
    count_text(text).1 as usize
}

/// Whether a string is text for readers, as plain text or as HTML: enough words and hardly any code punctuation.
pub(super) fn is_prose(text: &str) -> bool {
    let (mut letters, mut symbols, mut spaces, mut others) = (0usize, 0usize, 0usize, 0usize);
    let mut words = String::new();
    let mut rest = text;
    let after_last_tag = text.len() - text.rfind('>').unwrap_or(0);
    // Tags are not part of the text.
    while let Some(at) = rest.find('<') {
        words.push_str(&rest[..at]);
        rest = &rest[at..];
        // There are no tags after the last `>`; searching for one from each `<` would take quadratic time.
        if rest.len() <= after_last_tag {
            break;
        }
        match tag_length(rest) {
            Some(length) => {
                words.push(' ');
                rest = &rest[length..];
            }
            None => {
                words.push('<');
                rest = &rest[1..];
            }
        }
    }
    words.push_str(rest);
    for c in words.chars() {
        match c {
            _ if c.is_alphabetic() => letters += 1,
            _ if c.is_whitespace() => spaces += 1,
            '{' | '}' | '<' | '>' | '=' | '_' | '\\' | '|' | '[' | ']' | '$' | '#' | '@' | '/' | '+' | '*' | '^'
            | '~' | '`' => symbols += 1,
            _ => others += 1,
        }
    }
    let count = count_words(&words);
    // Scripts written without spaces have many words per letter; all others have spaces between words.
    let spaced = spaces * 25 >= letters || count * 4 >= letters;
    count >= MIN_PROSE_WORDS
        && spaced
        && symbols * 25 <= letters
        && letters * 2 >= letters + others + symbols
        && letters <= 20 * count
}

/// The length of the tag or comment a text starts with. `None` if the `<` is literal.
fn tag_length(text: &str) -> Option<usize> {
    let first = text.as_bytes().get(1)?;
    (first.is_ascii_alphabetic() || matches!(first, b'/' | b'!')).then_some(())?;
    text.find('>').map(|at| at + 1)
}

/// Whether a text contains tags.
fn has_tags(text: &str) -> bool {
    text.match_indices('<').take(64).any(|(at, _)| tag_length(&text[at..]).is_some())
}

/// Appends a string as HTML: unchanged if it contains tags, unescaped if it contains escaped tags, and as paragraphs if it is
/// plain text.
pub(super) fn append_html(text: &str, out: &mut String) {
    if has_tags(text) {
        out.push_str("<div>");
        out.push_str(text);
        out.push_str("</div>\n");
        return;
    }
    if text.contains("&lt;") && text.contains("&gt;") {
        let unescaped = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
        if has_tags(&unescaped) {
            return append_html(&unescaped, out);
        }
    }
    // Character references are kept: plain text that contains them was meant for HTML.
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        out.push_str("<p>");
        out.push_str(&line.replace('<', "&lt;"));
        out.push_str("</p>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_distinguished_from_code() {
        let prose = "The nets are mended in May, when the boats are on land and the days are long enough.";
        assert!(is_prose(prose));
        assert!(is_prose(&format!("<p class=\"x\" data-a='b'>{prose}</p><p><a href=/x>More</a></p>")));
        assert!(is_prose("網は五月に修理される。船が陸にあり、日が長いからだ。"));
        for code in [
            "Add to cart",
            "M12 4c2.1 0 4 1.9 4 4s-1.9 4-4 4 1.9-4 4-4z M0 0h24v24H0z M1 2 3 4 5 6 7 8 9 10 11 12 13",
            "function(a,b){return a+b} var x = {a:1}; if (x) { y(); } else { z(); } for (;;) { w(); } var q = 1;",
            "px-4 md:flex lg_grid {a} {b} {c} <% x %> [[y]] $z #w @v a/b/c/d/e f/g/h/i/j k=l m=n o=p q=r s=t u=v",
            "https://a.example/a/very/long/address/without/any/blank/in/it/that/goes/on/and/on/and/on/and/on/and/on",
        ] {
            assert!(!is_prose(code), "{code}");
        }
    }

    #[test]
    fn plain_text_and_escaped_html_become_html() {
        let html = |text| {
            let mut out = String::new();
            append_html(text, &mut out);
            out
        };
        assert_eq!(html("a < b &amp; c\n\nd"), "<p>a &lt; b &amp; c</p>\n<p>d</p>\n");
        assert_eq!(html("<b>x</b>"), "<div><b>x</b></div>\n");
        assert_eq!(html("&lt;b&gt;x&lt;/b&gt;"), "<div><b>x</b></div>\n");
    }
}
