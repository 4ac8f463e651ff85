//! What a crawl learns of its sites: what each page says about its site, a sample of the pages of each site, and the store of templates.

pub(crate) mod evidence;
pub(crate) mod learn_settings;
pub(crate) mod sample;
pub(crate) mod site_sample;
pub(crate) mod template_store;
