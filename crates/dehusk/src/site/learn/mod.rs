//! Learning a site: counts of all pages, a sample of them, their kinds, and the templates of each kind.

pub(crate) mod bounded_sample;
mod combination_choice;
mod kind_learner;
mod kinds;
pub(crate) mod min_support;
pub(crate) mod page_shape;
pub(crate) mod sample_page;
pub(crate) mod site_learner;
pub(crate) mod skeleton;
