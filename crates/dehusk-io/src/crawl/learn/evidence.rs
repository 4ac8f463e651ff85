//! What one page contributes to the template of its site.

use std::io::{Read, Write};

use crate::hash::hash64;
use crate::spill_sort::{SpillItem, read_or_end};

/// The level at which sources are compressed: they are written once and read once.
const SOURCE_LEVEL: i32 = 3;
/// The maximum size of a source.
const MAX_SOURCE_BYTES: usize = 1 << 20;

/// The evidence of one page: which page it is and what appears on it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct PageEvidence {
    /// The site of the page.
    pub site: String,
    /// A hash of the page's name; the pages with the smallest ones are the sample.
    pub priority: u64,
    /// A hash of the page's name that does not depend on the seed.
    pub identity: u64,
    /// Hashes of what appears on the page.
    pub fingerprints: Vec<u64>,
    /// The page's source, compressed, if the method needs it; empty for most pages.
    pub(crate) source: Vec<u8>,
}

impl PageEvidence {
    /// The evidence of a page of this name. The same names and the same seed give the same sample.
    #[must_use]
    pub fn new(site: String, name: &str, seed: u64, fingerprints: Vec<u64>) -> PageEvidence {
        let (priority, identity) = hashes(name, seed);
        PageEvidence { site, priority, identity, fingerprints, source: Vec::new() }
    }

    /// The priority of a page of this name.
    #[must_use]
    pub fn priority_of(name: &str, seed: u64) -> u64 {
        hashes(name, seed).0
    }

    /// Adds the source of the page.
    pub(crate) fn with_source(mut self, source: &str) -> PageEvidence {
        // A page that cannot be compressed is treated like one that is too large to be kept.
        self.source = zstd::bulk::compress(source.as_bytes(), SOURCE_LEVEL).unwrap_or_default();
        self
    }

    /// The source of the page, if it was kept.
    pub(crate) fn read_source(&self) -> Option<String> {
        if self.source.is_empty() {
            return None;
        }
        String::from_utf8(zstd::bulk::decompress(&self.source, MAX_SOURCE_BYTES).ok()?).ok()
    }
}

impl SpillItem for PageEvidence {
    fn memory(&self) -> usize {
        self.site.len() + self.fingerprints.len() * 8 + self.source.len() + 120
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        out.write_all(&(self.site.len() as u32).to_le_bytes())?;
        out.write_all(self.site.as_bytes())?;
        out.write_all(&self.priority.to_le_bytes())?;
        out.write_all(&self.identity.to_le_bytes())?;
        out.write_all(&(self.fingerprints.len() as u32).to_le_bytes())?;
        self.fingerprints.iter().try_for_each(|fingerprint| out.write_all(&fingerprint.to_le_bytes()))?;
        out.write_all(&(self.source.len() as u32).to_le_bytes())?;
        out.write_all(&self.source)
    }

    fn read(input: &mut impl Read) -> std::io::Result<Option<PageEvidence>> {
        let mut four = [0; 4];
        if !read_or_end(input, &mut four)? {
            return Ok(None);
        }
        let mut site = vec![0; u32::from_le_bytes(four) as usize];
        input.read_exact(&mut site)?;
        let site = String::from_utf8(site).map_err(std::io::Error::other)?;
        let mut eight = [0; 8];
        input.read_exact(&mut eight)?;
        let priority = u64::from_le_bytes(eight);
        input.read_exact(&mut eight)?;
        let identity = u64::from_le_bytes(eight);
        input.read_exact(&mut four)?;
        // Not reserved: a damaged count could ask for more memory than there is.
        let mut fingerprints = Vec::new();
        for _ in 0..u32::from_le_bytes(four) {
            input.read_exact(&mut eight)?;
            fingerprints.push(u64::from_le_bytes(eight));
        }
        input.read_exact(&mut four)?;
        let mut source = vec![0; u32::from_le_bytes(four) as usize];
        input.read_exact(&mut source)?;
        Ok(Some(PageEvidence { site, priority, identity, fingerprints, source }))
    }
}

/// The priority and the identity of a page.
fn hashes(name: &str, seed: u64) -> (u64, u64) {
    let identity = hash64(name.as_bytes(), 0);
    (hash64(&identity.to_le_bytes(), seed), identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_comes_back_as_it_was_written() {
        let page = |name: &str| PageEvidence::new("a.example".into(), name, 7, vec![3, 1, u64::MAX]);
        let pages = [page("http://a.example/1").with_source("<p>é"), page("http://a.example/2")];
        let mut bytes = Vec::new();
        pages.iter().for_each(|page| page.write(&mut bytes).unwrap());
        let mut rest = &*bytes;
        for page in &pages {
            assert_eq!(PageEvidence::read(&mut rest).unwrap().as_ref(), Some(page));
        }
        assert_eq!(PageEvidence::read(&mut rest).unwrap(), None);
        assert_eq!(pages[0].read_source().as_deref(), Some("<p>é"));
        assert_eq!(pages[1].read_source(), None);
        assert!(PageEvidence::read(&mut &bytes[..bytes.len() - 1]).is_ok());
        assert!(PageEvidence::read(&mut &bytes[..20]).is_err());
    }

    #[test]
    fn the_seed_changes_the_sample_and_not_the_identity() {
        let page = |seed| PageEvidence::new(String::new(), "a", seed, Vec::new());
        assert_eq!(page(1).identity, page(2).identity);
        assert_ne!(page(1).priority, page(2).priority);
        assert_eq!(page(1).priority, PageEvidence::priority_of("a", 1));
    }
}
