//! The example of a detector works through the crawl job.

#[path = "../../examples/rust/toy_detector.rs"]
#[allow(dead_code, unreachable_pub, reason = "its main function is for people")]
mod toy_detector;

#[test]
fn the_example_drops_menus_of_a_site() {
    let site = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/sites/harbour-notes.example");
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("pages.jsonl");
    let tally = toy_detector::clean(site, output.to_str().unwrap()).unwrap();
    assert_eq!((tally.pages, tally.failed), (14, 0));
    let rows = std::fs::read_to_string(&output).unwrap();
    assert!(
        rows.lines().all(|row| row.contains("\"text\":")) && !rows.contains("Privacy in plain words"),
        "{rows:.2000}"
    );
    assert!(tally.dropped > 0);
}
