//! The inspector: a page, a site or a crawl in the browser.

mod frame_html;
mod page_view;
mod saved_view;
mod string_table;

pub use saved_view::saved_view;
