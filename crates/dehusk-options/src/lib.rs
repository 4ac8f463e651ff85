//! Every option of Dehusk, defined once.
//!
//! [`definitions`] is the table: names, kinds of values, defaults, help, and which commands and surfaces have an option. The flags of the program,
//! the keyword arguments of Python, the parameters of the HTTP service, the arguments of Spark and datatrove, and the descriptions of these
//! ([`describe`]) come from it. [`Values`] holds options that were given, checked and typed; its methods make extractors, segmenters and crawl
//! jobs of them. It knows no command line, no server and no Python.
//!
//! ```
//! use dehusk_options::{Command, Given, Surface, Values};
//!
//! let mut values = Values::new(Command::Extract, Surface::Python);
//! values.set("focus", Given::Text("recall".into()))?;
//! values.set("links", Given::Flag(false))?;
//! let extractor = values.extractor()?;
//! assert!(values.set("focus", Given::Number(7.0)).is_err());
//! # Ok::<(), dehusk_options::OptionError>(())
//! ```

mod build;
mod day;
mod definition;
pub mod definitions;
pub mod describe;
mod error;
mod model_file;
mod value;
mod values;

pub use day::today;
pub use definition::{Choice, Command, DefaultValue, Definition, Kind, Range, Surface, Topic};
pub use error::OptionError;
pub use model_file::{is_model_file, read_model};
pub use value::{Given, Number, Value};
pub use values::Values;
