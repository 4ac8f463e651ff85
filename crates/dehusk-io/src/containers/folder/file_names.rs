//! File names for pages, made from their paths or urls.
//!
//! Names are safe on every common system: they do not lead out of the folder, hold no characters that a file system
//! rejects, and no two differ only in case. None is that of a file being written (`.NAME.part`). The same pages in the same order get the
//! same names.

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
        // The last part names the page, so the folders in the middle are left out.
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
    // Windows opens a device under these names, whatever their ending.
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
    // Files being written have such names, and are replaced or deleted.
    if out.starts_with('.') && out.to_ascii_lowercase().ends_with(".part") {
        out.replace_range(..1, "%2E");
    }
    out
}

/// The names in use, in lower case.
#[derive(Default)]
pub(crate) struct FileNames {
    used: HashMap<String, Used>,
    /// How many numbered names were tried.
    tried: u64,
}

/// What has a name. Numbers are remembered, so that many pages of one name do not try them all.
enum Used {
    /// A folder, and the last number tried for files of the same name.
    Folder(u32),
    /// A file, the last number tried for files of the same name, and the number of the folder that wanted the name.
    File(u32, Option<u32>),
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
        // Windows and macOS take names that differ only in case for the same file.
        let key = requested.to_lowercase();
        let fresh = || if is_file { Used::File(1, None) } else { Used::Folder(1) };
        let (stem, ending) = match part.rfind('.') {
            Some(dot) if dot > 0 => part.split_at(dot),
            _ => (part, ""),
        };
        let numbered = |number: u32| format!("{folder}{stem}-{number}{ending}");
        let mut number = match self.used.entry(key.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(fresh());
                return requested;
            }
            Entry::Occupied(entry) => match entry.get() {
                Used::Folder(_) if !is_file => return requested,
                // All files of a folder that shares its name with a file go to the same numbered folder.
                Used::File(_, Some(number)) if !is_file => return numbered(*number),
                Used::Folder(number) | Used::File(number, _) => *number,
            },
        };
        let name = loop {
            number += 1;
            self.tried += 1;
            let name = numbered(number);
            if let Entry::Vacant(entry) = self.used.entry(name.to_lowercase()) {
                entry.insert(fresh());
                break name;
            }
        };
        match self.used.get_mut(&key) {
            Some(Used::Folder(last)) => *last = number,
            Some(Used::File(last, _)) if is_file => *last = number,
            Some(Used::File(_, wanted)) => *wanted = Some(number),
            None => {}
        }
        name
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

    #[test]
    fn no_name_is_that_of_a_file_being_written() {
        let path = |text: &str| safe_parts(text).join("/");
        assert_eq!(path(".a.txt.part"), "%2Ea.txt.part");
        assert_eq!(path("h/.INDEX.txt.PART/x"), "h/%2EINDEX.txt.PART/x");
        assert_eq!(path(".part"), "%2Epart");
        assert_eq!(path("a.part/.b"), "a.part/.b");
        assert_eq!(url_parts("http://h/.x.part", ".txt").join("/"), "h/%2Ex.part.txt");
        let mut names = FileNames::default();
        for _ in 0..3 {
            let name = names.unique(safe_parts(".a.part"));
            assert!(name.starts_with("%2Ea"), "{name}");
        }
    }

    #[test]
    fn many_files_of_one_name_do_not_try_every_number() {
        const MANY: u32 = 2000;
        let mut names = FileNames::default();
        names.unique(safe_parts("h/b.txt/c"));
        for number in 2..MANY {
            assert_eq!(names.unique(safe_parts("h/b.txt")), format!("h/b-{number}.txt"));
        }
        assert!(names.tried < 2 * u64::from(MANY), "{} names were tried", names.tried);
        let mut names = FileNames::default();
        for number in 1..MANY {
            names.unique(safe_parts(&if number == 1 { "x".into() } else { format!("x-{number}") }));
        }
        for number in 0..MANY {
            assert_eq!(names.unique(safe_parts(&format!("x/{number}"))), format!("x-{MANY}/{number}"));
        }
        assert!(names.tried < 2 * u64::from(MANY), "{} names were tried", names.tried);
    }
}
