//! The templates of a site: what they hold, their file, and how they are found on a page.

pub(crate) mod combine;
pub(crate) mod line_format;
pub(crate) mod preview;
pub(crate) mod site_method;
pub(crate) mod site_templates;
pub(crate) mod sitelevel;
pub(crate) mod sitelevel_template;
mod templates_file;
