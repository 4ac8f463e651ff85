//! Replays the corpora of the fuzz targets: what once broke one, and what reaches most of its code.

#[path = "../../../fuzz/bodies.rs"]
mod bodies;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use replay::replay;

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

#[test]
fn jsonld() {
    replay("jsonld", bodies::jsonld);
}

#[test]
fn stylesheet() {
    replay("stylesheet", bodies::stylesheet);
}

#[test]
fn segment() {
    replay("segment", bodies::segment);
}

#[test]
fn markdown() {
    replay("markdown", bodies::markdown);
}
