//! The inspector in the browser and the HTTP service.
//!
//! Both are driven by the program, `dehusk inspect` and `dehusk serve`. `access` says who may ask, `problem` why a request cannot be answered.

mod access;
pub mod inspect;
mod methods;
mod problem;
pub mod serve;
