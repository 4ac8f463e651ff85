//! The inspector: a page, a site or a crawl in the browser.

mod corrections;
mod crawl_index;
mod frame_html;
mod page_store;
mod page_table;
mod page_view;
mod records_view;
mod row_query;
mod saved_view;
mod server;
mod site_methods;
mod site_view;
mod string_table;
mod web_files;

pub use saved_view::saved_view;
pub use server::{InspectSettings, Inspector};
