//! The inspector: a page, a site or a crawl in the browser.
