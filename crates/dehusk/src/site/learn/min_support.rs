//! The number of pages it takes to call something a template.

/// A site with at least this many pages is not small.
const SMALL_SITE: usize = 8;

/// The minimum number of pages that must share something before it can be template, out of a number of pages. On a small
/// site two are enough. On a larger one, two pages may be copies of each other, or an index page and one of the pages
/// whose first lines it repeats.
pub fn min_support(pages: usize) -> usize {
    if pages < SMALL_SITE { 2 } else { 3 }
}
