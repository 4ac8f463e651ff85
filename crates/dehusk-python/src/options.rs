//! Options as Python gives them: a dict of names and values, checked by the table of `dehusk-options`.

use crate::errors::Problem;
use dehusk_options::describe::definitions_json;
use dehusk_options::{Command, Given, Surface, Values};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use std::path::PathBuf;

/// The options of a command. What is None has its default.
pub(crate) fn values(command: Command, options: &Bound<'_, PyDict>) -> Result<Values, Problem> {
    let mut values = Values::new(command, Surface::Python);
    for (name, value) in options {
        if value.is_none() {
            continue;
        }
        let name: String = name.extract().map_err(|_| Problem::new("bad_options", "the names of options are texts"))?;
        values.set(&name, given(&value))?;
    }
    Ok(values)
}

/// A value of Python.
fn given(value: &Bound<'_, PyAny>) -> Given {
    let other = || Given::Other(value.repr().map_or_else(|_| "this".to_string(), |text| text.to_string()));
    if let Ok(flag) = value.cast::<PyBool>() {
        return Given::Flag(flag.is_true());
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract().map_or_else(|_| other(), |number: i64| Given::Whole(number.into()));
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract().map_or_else(|_| other(), Given::Number);
    }
    if value.is_instance_of::<PyString>() {
        return value.extract().map_or_else(|_| other(), Given::Text);
    }
    if value.hasattr("__fspath__").unwrap_or(false) {
        return value.extract::<PathBuf>().map_or_else(|_| other(), Given::Path);
    }
    // Numbers of other libraries, such as those of numpy.
    if let Ok(number) = value.extract::<f64>() {
        return Given::Number(number);
    }
    match value.try_iter() {
        Ok(items) => {
            Given::List(items.map(|item| item.map_or(Given::Other("this".into()), |item| given(&item))).collect())
        }
        Err(_) => other(),
    }
}

/// The definitions of the options that `dehusk.spark` takes, as JSON.
#[pyfunction]
pub(crate) fn spark_options() -> String {
    definitions_json(Command::Clean, Surface::Spark).to_string()
}
