//! The SITELEVEL template of a site, and version 1 of the template file.
//!
//! The file is plain text: a header with the site, the number of pages and the date, then one line for each
//! fingerprint with the number of pages that contain it, then a checksum. It is sorted, so the same pages give the
//! same bytes.

use super::line_format::{LineReader, damaged};
use crate::dom::FINGERPRINT_SCHEME;
use crate::dom::hash::NumberMap;
use crate::error::{Error, ErrorKind};
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &str = "dehusk-template";
const VERSION: u32 = 1;
/// Maximum number of entries. A file that claims more is damaged.
const MAX_ENTRIES: usize = 100_000_000;

/// The SITELEVEL template of a site: the number of pages that contain each fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteLevelTemplate {
    /// The name of the site, as given when it was learned.
    pub site: String,
    /// The day it was learned, as `2026-11-15`, or empty.
    pub learned: String,
    pages: u32,
    complete: bool,
    support: NumberMap<u64, u32>,
}

impl SiteLevelTemplate {
    pub(crate) fn new(pages: u32, complete: bool, support: NumberMap<u64, u32>) -> SiteLevelTemplate {
        SiteLevelTemplate { site: String::new(), learned: String::new(), pages, complete, support }
    }

    /// Sets the name of the site.
    pub fn with_site(mut self, site: impl Into<String>) -> SiteLevelTemplate {
        self.site = site.into().replace(['\n', '\r'], " ");
        self
    }

    /// Sets the day it was learned; the library itself has no clock.
    pub fn with_learned(mut self, day: impl Into<String>) -> SiteLevelTemplate {
        self.learned = day.into().replace(['\n', '\r'], " ");
        self
    }

    /// The number of pages it was learned from.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The number of fingerprints.
    pub fn len(&self) -> usize {
        self.support.len()
    }

    /// Whether there are no fingerprints.
    pub fn is_empty(&self) -> bool {
        self.support.is_empty()
    }

    /// Whether fingerprints that are on a single page are included, so that it can be merged with others without
    /// loss.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The number of pages that contain a fingerprint.
    pub fn support(&self, fingerprint: u64) -> u32 {
        self.support.get(&fingerprint).copied().unwrap_or(0)
    }

    pub(crate) fn into_support(self) -> (u32, NumberMap<u64, u32>) {
        (self.pages, self.support)
    }

    /// Returns the bytes of a template file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = String::with_capacity(200 + self.support.len() * 20);
        self.append_header(VERSION, &mut out);
        out.push('\n');
        self.append_entries(&mut out);
        SiteLevelTemplate::append_checksum(&mut out);
        out.into_bytes()
    }

    pub(crate) fn append_header(&self, version: u32, out: &mut String) {
        let complete = if self.complete { "yes" } else { "no" };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{MAGIC} {version}\nsite: {}\nlearned: {}\npages: {}\nscheme: {FINGERPRINT_SCHEME}\ncomplete: {complete}\nentries: {}\n",
            self.site,
            self.learned,
            self.pages,
            self.support.len()
        );
    }

    pub(crate) fn append_entries(&self, out: &mut String) {
        let mut entries: Vec<(u64, u32)> = Vec::with_capacity(self.support.len());
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        for (fingerprint, pages) in &self.support {
            entries.push((*fingerprint, *pages));
        }
        entries.sort_unstable();
        for (fingerprint, pages) in entries {
            let _ = writeln!(out, "{fingerprint:016x} {pages}");
        }
    }

    pub(crate) fn append_checksum(out: &mut String) {
        let checksum = xxh3_64(out.as_bytes());
        let _ = writeln!(out, "checksum: {checksum:016x}");
    }

    /// Reads a template file of version 1, which has counts only.
    pub fn from_bytes(bytes: &[u8]) -> Result<SiteLevelTemplate, Error> {
        let checked = CheckedFile::read(bytes, &[VERSION])?;
        let mut lines = LineReader::new(checked.body);
        let template = SiteLevelTemplate::read_entries(&checked, &mut lines)?;
        match lines.next_line() {
            None => Ok(template),
            Some(_) => Err(damaged("the number of entries differs from its header")),
        }
    }

    /// Reads the counts, which are the first lines of the body.
    pub(crate) fn read_entries(
        checked: &CheckedFile<'_>,
        lines: &mut LineReader<'_>,
    ) -> Result<SiteLevelTemplate, Error> {
        let (pages, count) = (checked.number("pages")?, checked.number("entries")? as usize);
        if count > MAX_ENTRIES || count > checked.body.len() {
            return Err(damaged("it has fewer entries than its header says"));
        }
        let mut support = NumberMap::with_capacity_and_hasher(count, Default::default());
        for _ in 0..count {
            let line = lines.next_line().ok_or_else(|| damaged("the number of entries differs from its header"))?;
            let entry = line.split_once(' ').and_then(|(fingerprint, pages)| {
                Some((u64::from_str_radix(fingerprint, 16).ok()?, pages.parse::<u32>().ok()?))
            });
            let (fingerprint, pages) = entry.ok_or_else(|| damaged("an entry is damaged"))?;
            support.insert(fingerprint, pages);
        }
        if support.len() != count {
            return Err(damaged("the number of entries differs from its header"));
        }
        Ok(SiteLevelTemplate {
            site: checked.field("site").into(),
            learned: checked.field("learned").into(),
            pages,
            complete: checked.field("complete") == "yes",
            support,
        })
    }
}

/// A template file whose checksum is right: its version, header and body.
pub(crate) struct CheckedFile<'a> {
    pub(crate) version: u32,
    header: &'a str,
    pub(crate) body: &'a str,
}

impl<'a> CheckedFile<'a> {
    /// Checks that a file is undamaged and of one of the given versions.
    pub(crate) fn read(bytes: &'a [u8], versions: &[u32]) -> Result<CheckedFile<'a>, Error> {
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not text"))?;
        let first = text.lines().next().unwrap_or_default();
        let version =
            first.strip_prefix(MAGIC).ok_or_else(|| damaged("it does not start with `dehusk-template`"))?.trim();
        let known = versions.iter().copied().find(|known| known.to_string() == version).ok_or_else(|| {
            let versions: Vec<String> = versions.iter().map(u32::to_string).collect();
            let message = format!(
                "template file of version {version:.20}, but this program reads version {}",
                versions.join(" or ")
            );
            Error::new(ErrorKind::Incompatible, message)
        })?;
        let (body, checksum) =
            text.trim_end().rsplit_once('\n').ok_or_else(|| damaged("it ends after the first line"))?;
        let checked = &text[..body.len() + 1];
        let checksum = checksum.strip_prefix("checksum: ").ok_or_else(|| damaged("the checksum is missing"))?;
        if u64::from_str_radix(checksum, 16).ok() != Some(xxh3_64(checked.as_bytes())) {
            return Err(damaged("the checksum is wrong; copy or learn it again"));
        }
        let (header, body) = checked.split_once("\n\n").ok_or_else(|| damaged("the header has no end"))?;
        let file = CheckedFile { version: known, header, body };
        if file.field("scheme") != FINGERPRINT_SCHEME {
            let message = format!(
                "template learned with {:.40}, this program uses {FINGERPRINT_SCHEME}: learn the site again",
                file.field("scheme")
            );
            return Err(Error::new(ErrorKind::Incompatible, message));
        }
        Ok(file)
    }

    /// A field of the header, or an empty string.
    pub(crate) fn field(&self, name: &str) -> &'a str {
        // Not `lines`, which removes carriage returns.
        let mut lines = self.header.split('\n').skip(1);
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or_default()
    }

    /// A numeric field of the header.
    pub(crate) fn number(&self, name: &str) -> Result<u32, Error> {
        self.field(name).parse().map_err(|_| damaged(&format!("`{name}` is not a number")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template() -> SiteLevelTemplate {
        let support = NumberMap::from_iter([(7, 3), (1, 2), (u64::MAX, 12)]);
        SiteLevelTemplate::new(12, false, support).with_site("a.example").with_learned("2026-11-15")
    }

    #[test]
    fn a_file_reads_back() {
        let bytes = template().to_bytes();
        assert_eq!(SiteLevelTemplate::from_bytes(&bytes).unwrap(), template());
        assert_eq!(String::from_utf8(bytes).unwrap().lines().next(), Some("dehusk-template 1"));
    }

    #[test]
    fn damage_is_named() {
        let bytes = template().to_bytes();
        for cut in 0..bytes.len() {
            if cut != bytes.len() - 1 {
                assert!(SiteLevelTemplate::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
            }
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(at + 1 == bytes.len() || SiteLevelTemplate::from_bytes(&damaged).is_err(), "flipped at {at}");
        }
        let newer = String::from_utf8(bytes).unwrap().replace("template 1", "template 9");
        let error = SiteLevelTemplate::from_bytes(newer.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Incompatible);
        assert!(error.to_string().contains("version 9"));
    }
}
