//! The inspector in the browser and the HTTP service.
//!
//! Both know pages, sites and options only by what the program hands them, and are driven by `dehusk inspect` and `dehusk serve`.

pub mod inspect;
pub mod serve;
