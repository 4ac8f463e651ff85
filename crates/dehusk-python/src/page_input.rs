//! Pages as Python holds them.

use crate::errors::Problem;
use dehusk::Page;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMemoryView, PyString, PyTuple};

/// The content type of text, whatever the page itself says: its bytes are UTF-8 now.
pub(crate) const TEXT: &str = "text/html; charset=utf-8";

/// A page that can be read without Python's lock.
pub(crate) enum Html {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Html {
    /// A page from `str`, `bytes`, `bytearray` or `memoryview`.
    pub(crate) fn new(value: &Bound<'_, PyAny>) -> Result<Html, Problem> {
        if let Ok(text) = value.cast::<PyString>() {
            return match text.extract::<PyBackedStr>() {
                Ok(text) => Ok(Html::Text(text)),
                Err(_) => Err(Problem::new(
                    "bad_text",
                    "the page is text with lone surrogates, which no encoding has: pass the bytes of the page instead",
                )),
            };
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return bytes.extract::<PyBackedBytes>().map(Html::Bytes).map_err(|_| not_a_page(value, None));
        }
        if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
            let bytes = value.py().get_type::<PyBytes>().call1((value,)).and_then(|bytes| Ok(bytes.extract()?));
            return bytes.map(Html::Bytes).map_err(|error| not_a_page(value, Some(error)));
        }
        Err(not_a_page(value, None))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Html::Text(text) => text.as_bytes(),
            Html::Bytes(bytes) => bytes,
        }
    }
}

fn not_a_page(value: &Bound<'_, PyAny>, error: Option<PyErr>) -> Problem {
    let kind = value.get_type().name().map_or_else(|_| "something else".to_string(), |name| name.to_string());
    let why = error.map_or(String::new(), |error| format!(" ({error})"));
    Problem::new("bad_type", format!("a page is str or bytes, not {kind}{why}"))
}

/// A page and what is known about it.
pub(crate) struct PageInput {
    pub(crate) html: Html,
    pub(crate) url: Option<String>,
    pub(crate) content_type: Option<String>,
}

impl PageInput {
    pub(crate) fn new(
        html: &Bound<'_, PyAny>,
        url: Option<String>,
        content_type: Option<String>,
    ) -> Result<PageInput, Problem> {
        Ok(PageInput { html: Html::new(html)?, url, content_type })
    }

    /// A page alone, a pair of its address and itself, or a dict with `html` and what else is known; and its address, also if the page is none.
    pub(crate) fn of_item(item: &Bound<'_, PyAny>) -> (Option<String>, Result<PageInput, Problem>) {
        let page = PageInput::of_value(item);
        let url = || match (item.cast::<PyTuple>(), item.cast::<PyDict>()) {
            (Ok(pair), _) => pair.get_item(0).ok()?.extract().ok(),
            (_, Ok(dict)) => dict.get_item("url").ok()??.extract().ok(),
            _ => None,
        };
        (url(), page)
    }

    fn of_value(item: &Bound<'_, PyAny>) -> Result<PageInput, Problem> {
        if let Ok(pair) = item.cast::<PyTuple>() {
            let (Ok(url), Ok(html), 2) = (pair.get_item(0), pair.get_item(1), pair.len()) else {
                return Err(Problem::new("bad_type", "a tuple must be a pair of the URL and the page"));
            };
            return PageInput::new(&html, text_of(&url, "the URL")?, None);
        }
        if let Ok(dict) = item.cast::<PyDict>() {
            let get = |key: &str| dict.get_item(key).ok().flatten();
            let Some(html) = get("html") else {
                return Err(Problem::new("bad_type", "a dict must have the page under the key 'html'"));
            };
            let text = |key: &str| get(key).map_or(Ok(None), |value| text_of(&value, &format!("'{key}'")));
            return PageInput::new(&html, text("url")?, text("content_type")?);
        }
        PageInput::new(item, None, None)
    }

    pub(crate) fn content_type(&self) -> Option<&str> {
        match self.html {
            Html::Text(_) => Some(TEXT),
            Html::Bytes(_) => self.content_type.as_deref(),
        }
    }

    pub(crate) fn page(&self) -> Page<'_> {
        Page::new(self.html.as_bytes()).with_content_type(self.content_type()).with_url(self.url.as_deref())
    }
}

fn text_of(value: &Bound<'_, PyAny>, what: &str) -> Result<Option<String>, Problem> {
    let kind = || value.get_type().name().map_or_else(|_| "something else".to_string(), |name| name.to_string());
    match value.is_none() {
        true => Ok(None),
        false => value
            .extract()
            .map(Some)
            .map_err(|_| Problem::new("bad_type", format!("{what} must be str or None, not {}", kind()))),
    }
}
