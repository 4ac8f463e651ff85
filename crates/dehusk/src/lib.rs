//! Finds and removes the template around the content of web pages.

mod detection;
pub mod dom;
mod error;
mod limits;
pub mod output;

pub use detection::{Decision, Detection, Reason};
pub use error::{Error, ErrorKind};
pub use limits::{Cut, Cuts, Limits};
