//! What to read from the inputs, and the limits of reading.
//!
//! Limits apply to inflated bytes, so that a small compressed file cannot use much memory.

use crate::fault::{Fault, FaultKind};
use crate::location::Location;

const MIB: u64 = 1 << 20;
/// The column of the address if none is named.
const URL_COLUMN: &str = "url";

/// Which columns to read, and how large things may be.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    pub(crate) url_column: String,
    pub(crate) html_column: String,
    pub(crate) id_column: String,
    pub(crate) carry: Vec<String>,
    pub(crate) texts: bool,
    pub(crate) max_bytes: u64,
    pub(crate) max_line_bytes: u64,
    pub(crate) max_skip_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            url_column: URL_COLUMN.into(),
            html_column: "html".into(),
            id_column: "id".into(),
            carry: Vec::new(),
            texts: false,
            max_bytes: 64 * MIB,
            max_line_bytes: 128 * MIB,
            max_skip_bytes: 4096 * MIB,
        }
    }
}

impl ReadOptions {
    /// The column or key with the address of the page. Default `url`, which may be missing; a column named here must not.
    #[must_use]
    pub fn with_url_column(mut self, name: impl Into<String>) -> Self {
        self.url_column = name.into();
        self
    }

    /// The column or key with the page itself. Default `html`.
    #[must_use]
    pub fn with_html_column(mut self, name: impl Into<String>) -> Self {
        self.html_column = name.into();
        self
    }

    /// The column or key with the id of the page. Default `id`; without such a column pages have no ids.
    #[must_use]
    pub fn with_id_column(mut self, name: impl Into<String>) -> Self {
        self.id_column = name.into();
        self
    }

    /// Columns, keys or WARC header fields that are carried over unchanged, in this order.
    #[must_use]
    pub fn with_carry(mut self, names: Vec<String>) -> Self {
        self.carry = names;
        self
    }

    /// Whether the inputs are texts, such as those that a crawl job has written, and not pages. Then the address and the carried columns may be missing,
    /// and the pages among files are those whose names end in `.txt` or `.md`. Default no.
    #[must_use]
    pub fn with_texts(mut self, texts: bool) -> Self {
        self.texts = texts;
        self
    }

    /// The maximum size of one page, inflated. Default 64 MiB.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The maximum length of one line of JSON. Default 128 MiB, since escapes make a page longer.
    #[must_use]
    pub fn with_max_line_bytes(mut self, bytes: u64) -> Self {
        self.max_line_bytes = bytes;
        self
    }

    /// The maximum number of inflated bytes to skip in order to get past a WARC record or a line that is too large. Default 4 GiB.
    #[must_use]
    pub fn with_max_skip_bytes(mut self, bytes: u64) -> Self {
        self.max_skip_bytes = bytes;
        self
    }

    /// Whether a page without an address is a fault: only if the column was named. A page by itself needs no address.
    pub(crate) fn needs_url(&self) -> bool {
        !self.texts && self.url_column != URL_COLUMN
    }

    /// The fault of a page that is too large.
    pub(crate) fn page_too_large(&self, location: Location) -> Fault {
        let limit = bytes_text(self.max_bytes);
        Fault::new(location, FaultKind::TooLarge, format!("the page is larger than the limit of {limit}"))
    }
}

/// A number of bytes for people: `64 MiB`, `1234 bytes`.
pub(crate) fn bytes_text(bytes: u64) -> String {
    match bytes {
        0 => "0 bytes".into(),
        b if b % (1 << 30) == 0 => format!("{} GiB", b >> 30),
        b if b % (1 << 20) == 0 => format!("{} MiB", b >> 20),
        b if b % (1 << 10) == 0 => format!("{} KiB", b >> 10),
        b => format!("{b} bytes"),
    }
}
