//! Replays the inputs that once broke a fuzz target.

#[path = "../../../fuzz/bodies.rs"]
mod bodies;

use std::path::Path;

fn replay(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions").join(target);
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        body(&std::fs::read(entry.unwrap().path()).unwrap());
        replayed += 1;
    }
    assert!(replayed > 0, "the folder of {target} is empty");
}

#[test]
fn decode() {
    replay("decode", bodies::decode);
}

#[test]
fn parse() {
    replay("parse", bodies::parse);
}

#[test]
fn extract() {
    replay("extract", bodies::extract);
}

#[test]
fn template() {
    replay("template", bodies::template);
}

#[test]
fn model() {
    replay("model", bodies::model);
}
