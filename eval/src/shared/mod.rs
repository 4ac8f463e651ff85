//! What the measurements share: the corpora, pages of sites, the program as a child process, the machine, reports and plots.
//! Measures nothing itself.

pub(crate) mod corpus;
#[path = "../../../crates/dehusk/tests/support/kept.rs"]
pub(crate) mod kept;
pub(crate) mod machine;
#[path = "../../../crates/dehusk/tests/support/made.rs"]
pub(crate) mod made_sites;
pub(crate) mod markdown;
pub(crate) mod methods;
pub(crate) mod plot;
pub(crate) mod program;
pub(crate) mod report;
pub(crate) mod site_pages;
#[path = "../../../crates/dehusk-dom/tests/support/mod.rs"]
pub(crate) mod support;
