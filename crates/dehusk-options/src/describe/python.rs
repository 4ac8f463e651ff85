//! The types of the options of the Python package: the file `_options.py`.

use crate::definition::{Command, Definition, Kind, Surface, Topic};
use crate::definitions::{COMMENTS, DETECTOR, FORMAT, HEADING, METHOD, SEGMENT_METHOD, SITE_BY, all, options_of};
use std::fmt::Write as _;

/// Names of types for options that take one of a few names.
fn types() -> [(&'static str, &'static Definition); 7] {
    [
        ("Format", &FORMAT),
        ("Detector", &DETECTOR),
        ("Heading", &HEADING),
        ("Comments", &COMMENTS),
        ("Method", &METHOD),
        ("SegmentMethod", &SEGMENT_METHOD),
        ("SiteBy", &SITE_BY),
    ]
}

/// Options that are parameters of their own in Python, where people look for them first.
const OWN_PARAMETERS: [&str; 3] = ["format", "focus", "metadata"];

/// The longest line of the file.
const MAX_LINE: usize = 140;

/// The whole file.
#[must_use]
pub fn python_types() -> String {
    let mut out = String::from(
        "\"\"\"The types of options. Made by ``cargo run -p dehusk-options --example generate``: do not change it here.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         import os\n\
         from collections.abc import Iterable\n\
         from typing import Literal, TypedDict\n\n",
    );
    for (name, definition) in types() {
        let names: Vec<String> =
            definition.kind.choices().unwrap_or_default().iter().map(|choice| format!("\"{}\"", choice.name)).collect();
        let _ = writeln!(out, "{name} = Literal[{}]", names.join(", "));
    }
    out.push_str("Focus = Literal[\"precision\", \"balanced\", \"recall\"] | float\n");
    let is_of_page = |topic| matches!(topic, Topic::Detector | Topic::Content | Topic::Reading);
    let of_clean =
        || options_of(Command::Clean, Surface::Python).filter(|option| !OWN_PARAMETERS.contains(&option.name));
    class(
        &mut out,
        "PageOptions",
        "TypedDict",
        "Further options of every function that extracts pages. ``dehusk extract --help`` explains them.",
        of_clean().filter(|option| is_of_page(option.topic)),
    );
    class(
        &mut out,
        "SiteOptions",
        "TypedDict",
        "What makes a site, and how its template is learned.",
        of_clean().filter(|option| option.topic == Topic::Sites && option.surfaces.contains(&Surface::Datatrove)),
    );
    class(
        &mut out,
        "CleanOptions",
        "PageOptions, SiteOptions",
        "Further options of ``clean``. ``dehusk clean --help`` explains them.",
        of_clean().filter(|option| {
            !is_of_page(option.topic)
                && (option.topic != Topic::Sites || !option.surfaces.contains(&Surface::Datatrove))
        }),
    );
    out
}

fn class<'a>(out: &mut String, name: &str, parents: &str, about: &str, options: impl Iterator<Item = &'a Definition>) {
    let _ = write!(out, "\n\nclass {name}({parents}, total=False):\n    \"\"\"{about}\"\"\"\n\n");
    for option in options {
        let _ = writeln!(out, "    {}: {}", option.name_on(Surface::Python), python_type(option));
        let help = match option.opposite {
            Some(_) => format!("False: {}", option.help),
            None => option.help.to_string(),
        };
        docstring(out, &help);
    }
}

/// The help of an option, in lines that are not too long.
fn docstring(out: &mut String, help: &str) {
    let help = words_of_python(help);
    let mut line = String::from("    \"\"\"");
    let mut is_first = true;
    for word in help.split(' ') {
        if line.len() + 1 + word.len() > MAX_LINE - 3 {
            let _ = writeln!(out, "{}", line.trim_end());
            line = "    ".to_string();
            is_first = true;
        }
        if !is_first {
            line.push(' ');
        }
        line.push_str(word);
        is_first = false;
    }
    let _ = writeln!(out, "{line}\"\"\"");
}

/// Flags in a text become keyword arguments.
fn words_of_python(help: &str) -> String {
    let mut text = help.replace('`', "``");
    let mut options: Vec<&Definition> = all().collect();
    // A flag can begin like another one: --template, --templates.
    options.sort_by_key(|option| std::cmp::Reverse(option.name.len()));
    for option in options {
        let keyword = format!("``{}``", option.name_on(Surface::Python));
        text = text.replace(&option.spelled_on(Surface::Program), &keyword);
    }
    text.replace("--url", "``url``")
}

fn python_type(option: &Definition) -> String {
    let item = match option.kind {
        Kind::List(item) => format!("{0} | Iterable[{0}]", kind_type(*item, option)),
        kind => kind_type(kind, option),
    };
    let can_be_none = !matches!(option.kind, Kind::Flag | Kind::List(_)) && option.default_text().is_none();
    if can_be_none { format!("{item} | None") } else { item }
}

fn kind_type(kind: Kind, option: &Definition) -> String {
    match kind {
        Kind::Flag => "bool".to_string(),
        Kind::Text | Kind::List(_) => "str".to_string(),
        Kind::Path => "str | os.PathLike[str]".to_string(),
        Kind::Whole => "int".to_string(),
        Kind::Number(_) => "float".to_string(),
        Kind::Focus => "Focus".to_string(),
        Kind::Choice(_) => {
            let named =
                types().into_iter().find(|(_, known)| known.name == option.name && known.commands == option.commands);
            named.map_or("str".to_string(), |(name, _)| name.to_string())
        }
    }
}
