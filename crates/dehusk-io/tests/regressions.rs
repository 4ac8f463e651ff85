//! Replays the corpora of the fuzz targets: what once broke one, and what reaches most of its code.

#[path = "../../../fuzz/io_bodies.rs"]
mod io_bodies;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn warc() {
    replay("warc", io_bodies::warc);
}

#[test]
fn jsonl() {
    replay("jsonl", io_bodies::jsonl);
}
