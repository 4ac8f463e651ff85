//! File names for pages, made from their paths or urls.
//!
//! Names are safe on every common system: they do not lead out of the folder, hold no characters that a file system
//! rejects, and no two differ only in case. The same pages in the same order get the same names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::hash::file_name_hash;

/// The maximum length of a part of a path, in bytes: file systems allow 255, and numbers and suffixes are added.
const MAX_PART: usize = 180;
/// The maximum depth of a path; systems allow about 4096 bytes in all.
const MAX_PARTS: usize = 16;

/// The parts of a path, made safe. There is at least one.
pub(crate) fn safe_parts(path: &str) -> Vec<String> {
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
pub(crate) fn url_parts(url: &str, suffix: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let rest = if rest.ends_with('/') || !rest.contains('/') { format!("{rest}/index") } else { rest.to_string() };
    // A slash in the query does not separate folders.
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

/// One part of a path, with everything that a file system may reject written as %XX.
fn safe_part(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let last = part.len() - part.chars().next_back().map_or(0, char::len_utf8);
    for (at, c) in part.char_indices() {
        let rejected = c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*');
        // Windows drops a dot or a space at the end.
        let at_end = at == last && matches!(c, '.' | ' ');
        if rejected || at_end {
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
        // A hash of the whole keeps long names with the same start apart.
        let hash = file_name_hash(&out);
        let mut end = MAX_PART - 17;
        while !out.is_char_boundary(end) {
            end -= 1;
        }
        out.truncate(end);
        out.push_str(&format!("~{hash:016x}"));
    }
    out
}

/// The names in use, in lower case.
#[derive(Default)]
pub(crate) struct FileNames {
    used: HashMap<String, Used>,
}

enum Used {
    Folder,
    /// A file, and the last number tried for files of the same name.
    File(u32),
}

impl FileNames {
    /// A name that no other file or folder has: the requested one, with a number if that one is in use.
    pub(crate) fn unique(&mut self, parts: Vec<String>) -> String {
        let count = parts.len();
        let mut path = String::new();
        for (index, part) in parts.into_iter().enumerate() {
            let is_file = index + 1 == count;
            let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
            path = self.unique_part(&folder, &part, is_file);
        }
        path
    }

    fn unique_part(&mut self, folder: &str, part: &str, is_file: bool) -> String {
        let requested = format!("{folder}{part}");
        let key = requested.to_lowercase();
        let mut number = match self.used.entry(key.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(if is_file { Used::File(1) } else { Used::Folder });
                return requested;
            }
            Entry::Occupied(entry) => match entry.get() {
                Used::Folder if !is_file => return requested,
                Used::Folder => 1,
                Used::File(number) => *number,
            },
        };
        let (stem, ending) = match part.rfind('.') {
            Some(dot) if dot > 0 => part.split_at(dot),
            _ => (part, ""),
        };
        loop {
            number += 1;
            let name = format!("{folder}{stem}-{number}{ending}");
            match self.used.entry(name.to_lowercase()) {
                // All files of a folder that shares its name with a file go to the same numbered folder.
                Entry::Occupied(entry) if !is_file && matches!(entry.get(), Used::Folder) => return name,
                Entry::Occupied(_) => {}
                Entry::Vacant(entry) => {
                    entry.insert(if is_file { Used::File(1) } else { Used::Folder });
                    if let (true, Some(Used::File(last))) = (is_file, self.used.get_mut(&key)) {
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
        let mut names = FileNames::default();
        let mut unique = |text: &str| names.unique(safe_parts(text));
        assert_eq!(unique("a/x.txt"), "a/x.txt");
        assert_eq!(unique("A/X.txt"), "A/X-2.txt");
        assert_eq!(unique("a/x.txt"), "a/x-3.txt");
        assert_eq!(unique("a/x.txt/y"), "a/x-4.txt/y");
        assert_eq!(unique("a"), "a-2");
        assert_eq!(unique("a/x-3.txt"), "a/x-3-2.txt");
    }
}
