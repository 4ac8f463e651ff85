//! The inspector: a page, a site or a crawl in the browser.

mod crawl_index;
mod page_store;
mod page_table;
mod row_query;
mod site_view;
