//! Files that are made of the table of options are those that the table gives now.

use dehusk_options::describe::{openapi, python_types};
use std::fs;
use std::path::{Path, PathBuf};

const ADVICE: &str = "run `cargo run -p dehusk-options --example generate`";

fn in_crates(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn the_types_of_python_are_current() {
    let path = in_crates("dehusk-python/python/dehusk/_options.py");
    assert!(fs::read_to_string(&path).unwrap() == python_types(), "{} is old: {ADVICE}", path.display());
}

#[test]
fn the_description_of_the_service_is_current() {
    let path = in_crates("dehusk-server/openapi.json");
    let text = fs::read_to_string(&path).unwrap();
    let made = openapi(serde_json::from_str(&text).unwrap());
    assert!(text == serde_json::to_string_pretty(&made).unwrap() + "\n", "{} is old: {ADVICE}", path.display());
}
