//! The format of an input file, by its first bytes and by its name.

use std::path::Path;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputFormat {
    Page,
    JsonLines,
    Warc,
    Parquet,
}

impl InputFormat {
    /// The format that a file name promises. Files of text are pages where texts are read.
    pub(crate) fn of_name(path: &Path, texts: bool) -> Option<InputFormat> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let compressed = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst"));
        match compressed.unwrap_or(&name).rsplit_once('.')?.1 {
            "html" | "htm" | "xhtml" if !texts => Some(InputFormat::Page),
            "txt" | "md" if texts => Some(InputFormat::Page),
            "jsonl" | "ndjson" | "json" => Some(InputFormat::JsonLines),
            "warc" => Some(InputFormat::Warc),
            "parquet" if compressed.is_none() => Some(InputFormat::Parquet),
            _ => None,
        }
    }

    /// The format of a file by its first inflated bytes and its name. The name outweighs text that merely could be JSON or
    /// HTML: a page may start with a brace.
    pub(crate) fn of(first: &[u8], name: &Path, texts: bool) -> Option<InputFormat> {
        if first.starts_with(b"PAR1") {
            return Some(InputFormat::Parquet);
        }
        if first.starts_with(b"WARC/") {
            return Some(InputFormat::Warc);
        }
        let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
        InputFormat::of_name(name, texts).or(match text.first() {
            Some(b'{') => Some(InputFormat::JsonLines),
            Some(b'<') if !texts => Some(InputFormat::Page),
            // A command that found nothing and feeds a pipe has no pages; that is not an unknown format.
            None if first.is_empty() && name.as_os_str() == "-" => Some(InputFormat::JsonLines),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_bytes_tell_the_format() {
        use InputFormat::{JsonLines, Page, Parquet, Warc};
        let by_name = |name: &str| InputFormat::of_name(Path::new(name), false);
        assert_eq!(
            ["a.HTML", "a.htm.gz", "a.jsonl.zst", "b/a.warc.gz"].map(by_name),
            [Page, Page, JsonLines, Warc].map(Some)
        );
        // Parquet compresses its columns itself.
        assert_eq!(["a.parquet", "a.parquet.gz", "a.txt", "html"].map(by_name), [Some(Parquet), None, None, None]);
        assert_eq!(InputFormat::of_name(Path::new("a.txt"), true), Some(Page));
        assert_eq!(InputFormat::of_name(Path::new("a.html"), true), None);
        let of = |first: &[u8], name: &str| InputFormat::of(first, Path::new(name), false);
        assert_eq!(of(b"PAR1", "a.html"), Some(Parquet));
        assert_eq!(of(b"WARC/1.0", "-"), Some(Warc));
        assert_eq!(of(b"{{ template }}", "a.html"), Some(Page));
        assert_eq!((of(b"\xef\xbb\xbf {", "-"), of(b" <p>", "-")), (Some(JsonLines), Some(Page)));
        assert_eq!((of(b"", "-"), of(b"", "a"), of(b"[1]", "-")), (Some(JsonLines), None, None));
    }
}
