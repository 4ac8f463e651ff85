//! Hard limits on the cost of one page.
//!
//! Work is counted, never timed, so the same page hits the same limits on every machine. The document records the limits
//! that were hit as [`LimitsHit`]; nothing is left out silently.

use crate::error::{Error, ErrorKind};
use std::fmt;

/// Limits on one page. The defaults admit every page of a broad crawl and stop hostile pages within seconds. Within them a page
/// needs less than 1 GB of memory in any mode: at most 600 bytes for each node and 6 for each byte of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of input. A larger page is an error, because a truncated page would look complete.
    pub bytes: usize,
    /// Nodes of the tree. Parsing stops at this number.
    pub nodes: usize,
    /// Open elements. Deeper elements become siblings, as in browsers, whose limit is also 512.
    pub depth: usize,
    /// Formatting elements (`<b>`, `<a>`, `<font>`, …) open at once or reopened by one token. The others are closed or left out.
    pub formatting: usize,
    /// Attributes of one element. The others are left out.
    pub attributes: usize,
    /// Work units for parsing: one for each token and each change of the tree. Parsing stops at this number.
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 64 << 20, nodes: 400_000, depth: 512, formatting: 128, attributes: 512, work: 40_000_000 }
    }
}

impl Limits {
    /// Returns an error if a page of this many bytes is too large.
    pub(crate) fn check_size(&self, bytes: usize) -> Result<(), Error> {
        let limit = self.bytes.min(MAX_BYTES);
        if bytes > limit {
            let message = format!("the page has {bytes} bytes, the limit is {limit} (bytes)");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }
}

/// The largest input a document can address: positions are 32-bit, and decoded text may need the same amount again.
const MAX_BYTES: usize = 1 << 30;

/// A limit that was hit. The result is partial.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Limit {
    /// The tree has [`Limits::nodes`] nodes; the rest of the page was not read.
    Nodes,
    /// Elements nest deeper than [`Limits::depth`]; the deeper ones were made siblings.
    Depth,
    /// More than [`Limits::formatting`] formatting elements were open.
    Formatting,
    /// An element has more than [`Limits::attributes`] attributes.
    Attributes,
    /// [`Limits::work`] was used up; the rest of the page was not read.
    Work,
}

impl Limit {
    /// All limits, in the order they are reported.
    pub const ALL: [Limit; 5] = [Limit::Nodes, Limit::Depth, Limit::Formatting, Limit::Attributes, Limit::Work];

    /// The name of the limit, as in [`Limits`] and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Nodes => "nodes",
            Limit::Depth => "depth",
            Limit::Formatting => "formatting",
            Limit::Attributes => "attributes",
            Limit::Work => "work",
        }
    }
}

/// The limits that were hit on one page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LimitsHit(u8);

impl LimitsHit {
    pub(crate) fn insert(&mut self, limit: Limit) {
        self.0 |= 1 << limit as u8;
    }

    /// Whether no limit was hit.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a limit was hit.
    pub fn contains(self, limit: Limit) -> bool {
        self.0 & (1 << limit as u8) != 0
    }

    /// The limits that were hit.
    pub fn iter(self) -> impl Iterator<Item = Limit> {
        Limit::ALL.into_iter().filter(move |limit| self.contains(*limit))
    }
}

impl fmt::Display for LimitsHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, limit) in self.iter().enumerate() {
            if number > 0 {
                f.write_str(", ")?;
            }
            f.write_str(limit.name())?;
        }
        Ok(())
    }
}
