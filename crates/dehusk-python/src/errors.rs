//! Exceptions: each has a kind for code and a message for people.

use dehusk_io::{MAX_MESSAGE, shortened};
use dehusk_options::OptionError;
use pyo3::prelude::*;
use std::borrow::Cow;

/// Something is wrong: a short name for code, and a message that says what.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) kind: Cow<'static, str>,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(kind: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Problem {
        Problem { kind: kind.into(), message: shortened(&message.into(), MAX_MESSAGE).into_owned() }
    }
}

impl From<dehusk::Error> for Problem {
    fn from(error: dehusk::Error) -> Problem {
        Problem::new(error.kind().name(), error.to_string())
    }
}

impl From<dehusk_io::Error> for Problem {
    fn from(error: dehusk_io::Error) -> Problem {
        Problem::new(error.kind().name(), error.to_string())
    }
}

impl From<OptionError> for Problem {
    fn from(error: OptionError) -> Problem {
        Problem::new(error.kind(), error.message())
    }
}

/// The classes are written in Python, where they can have two parents.
impl From<Problem> for PyErr {
    fn from(problem: Problem) -> PyErr {
        Python::attach(|py| {
            let made = py.import("dehusk._errors").and_then(|errors| errors.getattr("error"));
            match made.and_then(|error| error.call1((&*problem.kind, &problem.message))) {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        })
    }
}

/// The problem of a page on which the extractor panicked.
pub(crate) fn panicked() -> Problem {
    Problem::new("internal", "the extractor failed on this page; please report it")
}
