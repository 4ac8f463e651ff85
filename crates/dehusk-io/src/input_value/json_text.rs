//! JSON text in one form: without white space, strings with no more escapes than they need, numbers as they are.

/// Rewrites valid JSON. A string that no Rust string can hold, because of half a surrogate pair, stays as it is.
pub(super) fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let string = &text[at..end];
                match string.contains('\\').then(|| serde_json::from_str::<String>(string)) {
                    Some(Ok(plain)) => out.push_str(&serde_json::Value::String(plain).to_string()),
                    Some(Err(_)) | None => out.push_str(string),
                }
                at = end;
            }
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                let end = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b' ' | b'\t' | b'\n' | b'\r'));
                let end = end.map_or(bytes.len(), |length| at + length);
                out.push_str(&text[at..end]);
                at = end;
            }
        }
    }
    out
}

/// The end of the string that starts at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_strings_lose_needless_escapes() {
        let text = r#" { "a" : [ 1e400 , -0, 1.0,18446744073709551616 ], "\u0061\"\\" :"\u00e9\/ é", "x":null} "#;
        assert_eq!(compact(text), r#"{"a":[1e400,-0,1.0,18446744073709551616],"a\"\\":"é/ é","x":null}"#);
        assert_eq!(compact(r#""\udce9\u0061""#), r#""\udce9\u0061""#);
        assert_eq!(compact("0.10"), "0.10");
    }
}
