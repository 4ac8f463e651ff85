//! Labels, training and detectors, as a user runs them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn sites() -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites");
    path.to_str().unwrap().to_string()
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dehusk")).args(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn ok(args: &[&str]) -> String {
    let (code, out, complaint) = run(args);
    assert_eq!(code, Some(0), "{args:?}: {complaint}");
    out
}

#[test]
fn pages_are_labelled() {
    let lines = ok(&["label", &sites()]);
    assert_eq!(lines.lines().count(), 42);
    let record: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(record["site_pages"], 14);
    let blocks = record["blocks"].as_array().unwrap();
    let labels = |wanted: &str| blocks.iter().filter(|block| block["label"] == wanted).count();
    assert!(labels("template") > 0 && labels("content") > 0);
    assert!(blocks.iter().all(|block| block["xpath"].as_str().unwrap().starts_with("/html")));
    let nodes = ok(&["label", "--what", "nodes", &sites()]);
    let record: serde_json::Value = serde_json::from_str(nodes.lines().next().unwrap()).unwrap();
    assert!(!record["template_nodes"].as_array().unwrap().is_empty());
    assert_eq!(ok(&["label", "--threads", "1", &sites()]), lines);
}

#[test]
fn a_model_is_trained_the_same_twice_and_used() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for (classifier, schema) in [("boosted", "trees.link"), ("maxent", "maxent.weights")] {
        let (one, two) = (path(&format!("{classifier}-1")), path(&format!("{classifier}-2")));
        let train = |model: &str, threads: &str| {
            let common = ["train", "block", "--folds", "3", "--classifier", classifier, "--threads", threads];
            ok(&[&common[..], &[&sites(), "-o", model]].concat());
        };
        train(&one, "1");
        train(&two, "2");
        let bytes = fs::read(&one).unwrap();
        assert!(bytes == fs::read(&two).unwrap(), "{classifier}: the threads matter");
        assert!(bytes.windows(schema.len()).any(|window| window == schema.as_bytes()));
        let page = format!("{}/harbour-notes.example/about.html", sites());
        let whole = ok(&["extract", "--detector", "none", &page]);
        let clean = ok(&["extract", "--detector", "block", "--recall", "0.9", "--model", &one, &page]);
        assert!(clean.len() < whole.len());
        assert!(ok(&["eval", &one, &sites()]).contains("recall"));
    }
}

#[test]
fn a_threshold_that_is_no_share_is_refused() {
    for threshold in ["NaN", "0", "-1", "5", "inf"] {
        let threshold = format!("--threshold={threshold}");
        for command in [&["label"][..], &["eval", "builtin", "--detector", "block"], &["train", "block", "-o", "x"]] {
            let (code, _, said) = run(&[command, &[&threshold, &sites()]].concat());
            assert!(
                code == Some(2) && said.contains("--threshold") && said.contains("above 0 and at most 1"),
                "{said}"
            );
        }
    }
}

/// Two small sites with ten pages each.
fn small_crawl() -> String {
    let page = |number: usize| {
        let site = number / 10;
        let html = format!(
            "<div class=menu><p>All of the news about boats of harbour {site}</p></div>\
             <div class=text><p>Boat {number} came home in the evening, said the harbour master of {number}.</p></div>"
        );
        let page = serde_json::json!({"url": format!("https://site{site}.example/{number}"), "html": html});
        format!("{page}\n")
    };
    (0..20).map(page).collect()
}

fn run_on(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dehusk"));
    let mut program =
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    program.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn standard_input_is_read_as_often_as_a_file() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (crawl, block, pagelevel) = (path("crawl.jsonl"), path("block.model"), path("pagelevel.model"));
    fs::write(&crawl, small_crawl()).unwrap();
    let labels = ok(&["label", &crawl]);
    assert_eq!(labels.lines().count(), 20);
    assert_eq!(run_on(&["label", "-"], &small_crawl()).1, labels);
    let train = ["train", "block", "--folds", "2", "--classifier", "maxent", "-", "-o", &block];
    let (code, _, said) = run_on(&train, &small_crawl());
    assert!(code == Some(0) && said.contains("Trained on 20 pages of 2 sites"), "{said}");
    let (code, _, said) = run_on(&["train", "pagelevel", "-", "-o", &pagelevel], &small_crawl());
    assert!(code == Some(0) && said.contains("Trained on 20 pages of 2 sites"), "{said}");
    let (code, measured, _) = run_on(&["eval", &block, "-"], &small_crawl());
    assert_eq!((code, measured), (Some(0), ok(&["eval", &block, &crawl])));
}

#[test]
fn pages_that_cannot_be_read_are_counted() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (crawl, broken, short, model) =
        (path("crawl.jsonl"), path("broken.jsonl"), path("short.jsonl"), path("block.model"));
    let bad = "{broken\n{\"url\": \"https://site0.example/x\"}\n";
    fs::write(&crawl, bad.to_string() + &small_crawl()).unwrap();
    fs::write(&broken, bad).unwrap();
    fs::write(&short, small_crawl().lines().take(3).collect::<Vec<_>>().join("\n")).unwrap();
    let train = ["train", "block", "--folds", "2", "--classifier", "maxent", "-o", &model];
    for command in [&["label"][..], &train, &["eval", &model]] {
        let with = |more: &[&str]| run(&[command, more].concat());
        let (code, _, said) = with(&[&crawl]);
        assert!(code == Some(0) && said.contains("2 pages could not be read (1 bad_json, 1 missing_column)"), "{said}");
        assert_eq!(with(&[&crawl, "--strict"]).0, Some(1));
        let (code, out, said) = with(&[&broken]);
        assert!(code == Some(2) && out.is_empty() && said.contains("2 pages could not be read"), "{said}");
        let (code, out, said) = with(&[&short]);
        let reason = if command[0] == "train" { "needs at least two sites" } else { "no site has 8 pages or more" };
        assert!(code == Some(2) && out.is_empty() && said.contains(reason), "{said}");
    }
}

/// A corpus of pages with reference texts, one page a site.
fn reference_pages() -> String {
    let page = |number: usize| {
        let content = format!("Boat {number} came home late.\n\nIts nets were mended on the quay.\n\nThen it rained.");
        let paragraphs: String = content.split("\n\n").map(|text| format!("<p>{text}</p>")).collect();
        let html = format!("<div class=topmenu>cart login imprint</div><div class=story>{paragraphs}</div>");
        let page_type = if number.is_multiple_of(2) { "article" } else { "forum" };
        let url = format!("https://site{number}.example/");
        let page = serde_json::json!({"id": number, "url": url, "html": html, "text": content, "page_type": page_type});
        format!("{page}\n")
    };
    (0..24).map(page).collect()
}

#[test]
fn fusion_and_page_types_are_trained_on_reference_texts_the_same_twice() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fs::write(path("pages.jsonl"), reference_pages() + "not json\n").unwrap();
    let train = |what: &str, model: &str, threads: &str| {
        let common = ["train", what, "--content-column", "text", "--source", "made up, CC0", "--threads", threads];
        let (code, _, said) = run(&[&common[..], &[&path("pages.jsonl"), "-o", &path(model)]].concat());
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("line 25") && said.contains("read 24 pages"), "{said}");
        fs::read(path(model)).unwrap()
    };
    let one = train("fusion", "one.model", "1");
    assert!(one == train("fusion", "two.model", "2"), "the threads matter");
    let model = dehusk::model::ModelFile::from_bytes(&one).unwrap();
    assert_eq!(&*model.kind, "fusion");
    for line in
        ["24 pages with reference texts, read from pages.jsonl", "made up, CC0", "dehusk train fusion pages.jsonl"]
    {
        assert!(model.card.contains(line), "{}", model.card);
    }
    let types = dehusk::model::ModelFile::from_bytes(&train("page-type", "types.model", "2")).unwrap();
    assert_eq!(&*types.kind, "page-type");
    let (code, _, said) = run(&["train", "fusion", &path("pages.jsonl"), "-o", &path("none.model")]);
    assert_eq!(code, Some(2));
    assert!(said.contains("main_content") && !folder.path().join("none.model").exists(), "{said}");
}

#[test]
fn every_detector_judges_a_page() {
    let site = format!("{}/harbour-notes.example", sites());
    let page = format!("{site}/about.html");
    let whole = ok(&["extract", "--detector", "none", &page]);
    for detector in ["sitelevel", "treemap", "align"] {
        let clean = ok(&["extract", "--detector", detector, "--pages", &site, &page]);
        assert!(!clean.is_empty() && clean.len() < whole.len(), "{detector}");
        assert!(ok(&["explain", "--detector", detector, "--pages", &site, &page]).contains("drop"), "{detector}");
        let (code, _, complaint) = run(&["extract", "--detector", detector, &page]);
        assert_eq!(code, Some(2));
        assert!(complaint.contains("--pages"), "{complaint}");
    }
    let clean = ok(&["extract", "--detector", "block", &page]);
    assert!(!clean.is_empty() && clean.len() < whole.len());
    let careful = ok(&["extract", "--detector", "block", "--precision", "0.99", &page]);
    assert!(careful.len() >= clean.len());
    assert!(ok(&["explain", "--detector", "block", &page]).contains("a model scores it"));
    ok(&["strip", "--detector", "block", &page]);
}

#[test]
fn what_does_not_fit_is_said() {
    let page = format!("{}/harbour-notes.example/about.html", sites());
    for (args, word) in [
        (vec!["extract", "--detector", "block", "--precision", "2", &page], "share"),
        (vec!["extract", "--detector", "none", "--recall", "0.9", &page], "--detector block"),
        (vec!["extract", "--detector", "block", "--pages", &page, &page], "alone"),
        (vec!["extract", "--detector", "block", "--model", &page, &page], "model file"),
        (vec!["train", "block", &page, "-o", "/nowhere/model"], "two sites"),
    ] {
        let (code, _, complaint) = run(&args);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(complaint.contains(word), "{args:?}: {complaint}");
    }
}

#[test]
fn many_pages_of_unknown_sites_are_judged_each_on_its_own() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    ok(&["extract", "--detector", "block", &sites(), "-o", &path("block.jsonl")]);
    ok(&["extract", "--detector", "none", &sites(), "-o", &path("all.jsonl")]);
    let (block, all) = (fs::read(path("block.jsonl")).unwrap(), fs::read(path("all.jsonl")).unwrap());
    assert!(block.len() < all.len());
}
