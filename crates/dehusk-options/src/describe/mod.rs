//! Options described for others: parameters of an OpenAPI file, types of Python, and values that any language reads.
//!
//! `cargo run -p dehusk-options --example generate` writes what is kept in files.

mod openapi;
mod python;

pub use openapi::openapi;
pub use python::python_types;

use crate::definition::{Command, Definition, Kind, Surface, Topic};
use crate::definitions::options_of;
use serde_json::{Value, json};

/// The options of a command on a surface, for programs that offer them in their own way.
#[must_use]
pub fn definitions_json(command: Command, surface: Surface) -> Value {
    options_of(command, surface).map(definition_json).collect()
}

fn definition_json(definition: &Definition) -> Value {
    json!({
        "name": definition.name,
        "short": definition.short.map(String::from),
        "opposite": definition.opposite,
        "topic": topic_name(definition.topic),
        "kind": kind_name(definition.kind),
        "is_list": matches!(definition.kind, Kind::List(_)),
        "has_commas": definition.kind.has_commas(),
        "choices": definition.kind.choices().map(|choices| {
            let shown = choices.into_iter().filter(|choice| !choice.is_hidden);
            shown.map(|choice| choice.name).collect::<Vec<_>>()
        }),
        "default": definition.default_text(),
        "value_name": definition.value_name,
        "help": definition.help,
    })
}

fn topic_name(topic: Topic) -> &'static str {
    match topic {
        Topic::Detector => "detector",
        Topic::Content => "content",
        Topic::Reading => "reading",
        Topic::Sites => "sites",
        Topic::Columns => "columns",
        Topic::Run => "run",
        Topic::Layout => "layout",
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "flag",
        Kind::Text => "text",
        Kind::Path => "path",
        Kind::Whole => "whole",
        Kind::Number(_) => "number",
        Kind::Focus => "focus",
        Kind::Choice(_) => "choice",
        Kind::List(item) => kind_name(*item),
    }
}
