//! A file per page, under a name made from its path or url.
//!
//! Names are safe on every common system: no way out of the folder, no characters a file system refuses, no
//! two names that differ only in case. The same lines give the same names.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::assemble::{Layout, cannot_write, for_each_object, temporary_beside};
use crate::write_error::WriteError;

/// The longest part of a path, in bytes; file systems allow 255, and numbers and suffixes come on top.
const MAX_PART: usize = 180;
/// Deeper paths are cut; systems allow about 4096 bytes in all.
const MAX_PARTS: usize = 16;

/// Writes the files, each complete or not at all.
pub(crate) fn write_folder(segments: &[PathBuf], output: &Path, layout: &Layout) -> Result<(), WriteError> {
    fs::create_dir_all(output).map_err(|error| cannot_write(output, &error))?;
    let mut names = Names::default();
    let mut made = String::new();
    for_each_object(segments, |object, segment, number| {
        let contents = match object.get(&layout.contents_key) {
            Some(Value::String(contents)) => Cow::Borrowed(contents.as_str()),
            Some(Value::Null) => Cow::Borrowed(""),
            // A record inside of the record: its own JSON.
            Some(other) => Cow::Owned(other.to_string()),
            None => {
                let key = &layout.contents_key;
                return Err(WriteError::segment(segment, format!("line {number} has nothing under \"{key}\"")));
            }
        };
        let text = |key| object.get(key).and_then(Value::as_str);
        let wanted = match (text("path"), text("url")) {
            (Some(path), _) => safe_parts(path),
            (None, Some(url)) => url_parts(url, &layout.suffix),
            (None, None) => vec![format!("page{}", layout.suffix)],
        };
        let name = names.give(wanted);
        let path = output.join(&name);
        let failed = |error: std::io::Error| cannot_write(&path, &error);
        let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
        // Pages of one site come together, so most files need no new folder.
        if parent != made {
            fs::create_dir_all(output.join(parent)).map_err(failed)?;
            made = parent.to_string();
        }
        let temporary = temporary_beside(&path).map_err(failed)?;
        temporary.as_file().write_all(contents.as_bytes()).map_err(failed)?;
        temporary.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    })
}

/// The parts of a path, made safe. Never empty.
fn safe_parts(path: &str) -> Vec<String> {
    let parts = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && *part != "..");
    let mut parts: Vec<String> = parts.map(safe_part).collect();
    if parts.len() > MAX_PARTS {
        let last = parts.pop();
        parts.truncate(MAX_PARTS - 1);
        parts.extend(last);
    }
    if parts.is_empty() {
        parts.push("page".into());
    }
    parts
}

/// `http://host/a/b?q` as host, a, and b?q with the suffix.
fn url_parts(url: &str, suffix: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let rest = if rest.ends_with('/') || !rest.contains('/') { format!("{rest}/index") } else { rest.to_string() };
    // A slash in the query is no folder.
    let (path, query) = rest.split_once('?').map_or((rest.as_str(), None), |(path, query)| (path, Some(query)));
    let mut parts = safe_parts(path);
    if let Some(last) = parts.last_mut() {
        if let Some(query) = query {
            *last = safe_part(&format!("{last}?{query}"));
        }
        last.push_str(suffix);
    }
    parts
}

/// One part of a path with everything a file system may refuse written as %XX.
fn safe_part(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let last = part.len() - part.chars().next_back().map_or(0, char::len_utf8);
    for (at, c) in part.char_indices() {
        let refused = c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*');
        // Windows drops a dot or a space at the end.
        let at_end = at == last && matches!(c, '.' | ' ');
        if refused || at_end {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(c);
        }
    }
    let stem = out.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit());
    if is_device {
        out.insert(0, '_');
    }
    if out.len() > MAX_PART {
        // The cut part keeps a trace of the rest, so that long names with one beginning stay apart.
        let trace = out
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        let mut end = MAX_PART - 17;
        while !out.is_char_boundary(end) {
            end -= 1;
        }
        out.truncate(end);
        out.push_str(&format!("~{trace:016x}"));
    }
    out
}

/// The names given so far, in lower case.
#[derive(Default)]
struct Names {
    given: HashMap<String, Given>,
}

enum Given {
    Folder,
    /// A file, and the last number tried beside it.
    File(u32),
}

impl Names {
    /// A name that no other file or folder has: the wanted one, or the wanted one with a number.
    fn give(&mut self, parts: Vec<String>) -> String {
        let count = parts.len();
        let mut path = String::new();
        for (index, part) in parts.into_iter().enumerate() {
            let is_file = index + 1 == count;
            let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
            path = self.give_part(&folder, &part, is_file);
        }
        path
    }

    fn give_part(&mut self, folder: &str, part: &str, is_file: bool) -> String {
        let wanted = format!("{folder}{part}");
        let key = wanted.to_lowercase();
        let mut number = match self.given.entry(key.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(if is_file { Given::File(1) } else { Given::Folder });
                return wanted;
            }
            Entry::Occupied(entry) => match entry.get() {
                Given::Folder if !is_file => return wanted,
                Given::Folder => 1,
                Given::File(number) => *number,
            },
        };
        let (stem, ending) = match part.rfind('.') {
            Some(dot) if dot > 0 => part.split_at(dot),
            _ => (part, ""),
        };
        loop {
            number += 1;
            let name = format!("{folder}{stem}-{number}{ending}");
            match self.given.entry(name.to_lowercase()) {
                // A folder beside a file of its name gets one number, whatever it holds.
                Entry::Occupied(entry) if !is_file && matches!(entry.get(), Given::Folder) => return name,
                Entry::Occupied(_) => {}
                Entry::Vacant(entry) => {
                    entry.insert(if is_file { Given::File(1) } else { Given::Folder });
                    if let (true, Some(Given::File(last))) = (is_file, self.given.get_mut(&key)) {
                        *last = number;
                    }
                    return name;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder_and_are_safe() {
        let path = |text: &str| safe_parts(text).join("/");
        assert_eq!(path("../../etc/passwd"), "etc/passwd");
        assert_eq!(path("/abs/./x.txt"), "abs/x.txt");
        assert_eq!(path("C:\\x\\y?.txt"), "C%3A/x/y%3F.txt");
        assert_eq!(path("a/NUL.txt/b. "), "a/_NUL.txt/b.%20");
        assert_eq!(path("\0"), "%00");
        assert_eq!(path(""), "page");
        let long = safe_part(&"é".repeat(500));
        assert!(long.len() <= MAX_PART && long != safe_part(&"é".repeat(501)));
        assert_eq!(safe_parts(&"x/".repeat(100)).len(), MAX_PARTS);
    }

    #[test]
    fn urls_become_paths() {
        let url = |text: &str| url_parts(text, ".txt").join("/");
        assert_eq!(url("http://a.example"), "a.example/index.txt");
        assert_eq!(url("https://a.example/b/"), "a.example/b/index.txt");
        assert_eq!(url("http://a.example:80/b?x=/1#top"), "a.example%3A80/b%3Fx=%2F1.txt");
    }

    #[test]
    fn no_two_files_share_a_name() {
        let mut names = Names::default();
        let mut give = |text: &str| names.give(safe_parts(text));
        assert_eq!(give("a/x.txt"), "a/x.txt");
        assert_eq!(give("A/X.txt"), "A/X-2.txt");
        assert_eq!(give("a/x.txt"), "a/x-3.txt");
        assert_eq!(give("a/x.txt/y"), "a/x-4.txt/y");
        assert_eq!(give("a"), "a-2");
        assert_eq!(give("a/x-3.txt"), "a/x-3-2.txt");
    }
}
