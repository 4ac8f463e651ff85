//! Corrections as a user makes use of them: `train fusion --more` learns from them, `eval` scores them.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A page whose opening hours are outside its content.
const PAGE: &str = "<html><head><title>The boats of May</title></head><body><nav class=menu><a href=/>Home</a> <a href=/b>Boats</a></nav>\
    <main><h1>The boats of May</h1><p>The boats came home late this year, and their nets were mended on the quay while it rained for a \
    week.</p><p>Then the wind turned, the harbour dried, and the crews went out again before the nights grew short.</p></main>\
    <div class=\"widget opening-hours\"><h4>Opening hours</h4><ul><li>Monday: closed</li><li>Tuesday: nine to five</li></ul></div>\
    <footer><p>Copyright 2026 Harbour Notes</p></footer></body></html>";
const HOURS: &str = "/html[1]/body[1]/div[1]";
const FOOTER: &str = "/html[1]/body[1]/footer[1]";

/// A folder with `page.html`, in which commands run.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(TempDir::new().unwrap());
        folder.write("page.html", PAGE);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_dehusk"))
            .current_dir(&self.0)
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn ok(&self, args: &[&str]) -> String {
        let (code, out, complaint) = self.run(args);
        assert_eq!(code, Some(0), "{args:?}: {complaint}");
        out
    }
}

/// A line as the inspector writes it: a page and what was clicked.
fn line(id: &str, html: &str, content: &str, clicks: &[(&str, &str)]) -> String {
    let clicks: Vec<Value> = clicks
        .iter()
        .map(|(decision, xpath)| json!({"decision": decision, "xpath": xpath, "css": "", "text": "Some"}))
        .collect();
    let page = json!({"id": id, "url": format!("https://{id}.example/"), "html": html, "main_content": content, "page_type": null,
        "corrections": clicks, "detector": "fusion", "dehusk": "0.1.0"});
    format!("{page}\n")
}

#[test]
fn corrections_of_a_page_change_the_answer_for_it_and_for_no_other_page() {
    let folder = Folder::new();
    let about = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites/harbour-notes.example/about.html");
    let about = about.to_str().unwrap();
    let before = folder.ok(&["extract", "page.html"]);
    assert!(before.contains("nets were mended") && !before.contains("nine to five"), "{before}");
    folder.write("corrections.jsonl", &line("a", PAGE, "not needed", &[("keep", HOURS)]));
    let train = ["train", "fusion", "--more", "corrections.jsonl", "--source", "mine, CC0", "-o"];
    let (code, _, said) = folder.run(&[&train[..], &["one.model", "--threads", "1"]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 of 1 corrections of 1 pages are followed; 3 of 3 blocks"), "{said}");
    assert!(said.contains("adapted to 1 corrected pages with 1 corrections, read from corrections.jsonl"), "{said}");
    assert!(said.contains("mine, CC0") && !said.contains("not followed"), "{said}");
    let after = folder.ok(&["extract", "--model", "one.model", "page.html"]);
    assert!(after.contains("nets were mended") && after.contains("nine to five"), "{after}");
    assert!(!after.contains("Copyright"), "{after}");
    assert_eq!(folder.ok(&["extract", "--model", "one.model", about]), folder.ok(&["extract", about]));
    folder.ok(&[&train[..], &["two.model", "--threads", "2"]].concat());
    assert!(folder.read("one.model") == folder.read("two.model"), "the threads matter");
    // A later line replaces an earlier one of the same page; the model is adapted once more from there.
    let clicks =
        line("a", PAGE, "not needed", &[("keep", HOURS)]) + &line("a", PAGE, "not needed", &[("keep", FOOTER)]);
    folder.write("later.jsonl", &clicks);
    let (code, _, said) =
        folder.run(&["train", "fusion", "--more", "later.jsonl", "--from", "one.model", "-o", "three.model"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 of 1 corrections of 1 pages") && said.contains("read from later.jsonl"), "{said}");
    let after = folder.ok(&["extract", "--model", "three.model", "page.html"]);
    assert!(after.contains("Copyright") && after.contains("nine to five"), "{after}");
}

#[test]
fn corrected_pages_join_a_corpus() {
    let folder = Folder::new();
    let page = |number: usize| {
        let content = format!("Boat {number} came home late.\n\nIts nets were mended on the quay.\n\nThen it rained.");
        let paragraphs: String = content.split("\n\n").map(|text| format!("<p>{text}</p>")).collect();
        let html = format!("<div class=topmenu>cart login imprint</div><div class=story>{paragraphs}</div>");
        let url = format!("https://site{number}.example/");
        format!(
            "{}\n",
            json!({"id": number, "url": url, "html": html, "main_content": content, "page_type": "article"})
        )
    };
    folder.write("pages.jsonl", &(0..24).map(page).collect::<String>());
    folder.write("corrections.jsonl", &line("a", PAGE, "not needed", &[("keep", HOURS)]));
    let train = ["train", "fusion", "pages.jsonl", "--more", "corrections.jsonl", "-o"];
    let (code, _, said) = folder.run(&[&train[..], &["my.model"]].concat());
    assert_eq!(code, Some(0), "{said}");
    for words in ["24 pages with reference texts", "1 corrected pages of weight 4 beside them", "1 of 1 corrections"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(folder.ok(&["extract", "--model", "my.model", "page.html"]).contains("nine to five"));
    folder.ok(&[&train[..], &["same.model", "--threads", "1"]].concat());
    assert!(folder.read("my.model") == folder.read("same.model"), "the threads matter");
}

#[test]
fn eval_measures_pages_by_type_and_counts_followed_corrections() {
    let folder = Folder::new();
    let text = folder.ok(&["extract", "page.html"]);
    let words: Vec<&str> =
        text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // All words are right on the first page. Of the second, half of the words are wanted, and as many that are not there.
    let half = words.len() / 2;
    let content = format!("{} {}", words[..half].join(" "), "absent ".repeat(half));
    let page = |id: &str, content: &str, page_type: &str| {
        format!("{}\n", json!({"id": id, "url": "", "html": PAGE, "main_content": content, "page_type": page_type}))
    };
    let lines = [
        page("good", &text, "article"),
        page("bad", &content, "product"),
        line("clicked", PAGE, &text, &[("keep", HOURS), ("drop", FOOTER)]),
        "not json\n".to_string(),
    ];
    folder.write("labelled.jsonl", &lines.concat());
    let (precision, recall) = (half as f64 / words.len() as f64, 0.5);
    let f1 = 2.0 * precision * recall / (precision + recall);
    let (code, out, said) = folder.run(&["eval", "builtin", "labelled.jsonl", "--report", "report.json"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("line 4"), "{said}");
    let all = |value: f64| (2.0 + value) / 3.0;
    for wanted in [
        format!(
            "all                 3 pages  F1 {:.4}  precision {:.4}  recall {:.4}",
            all(f1),
            all(precision),
            all(recall)
        ),
        "article             1 pages  F1 1.0000".to_string(),
        format!("product             1 pages  F1 {f1:.4}  precision {precision:.4}  recall {recall:.4}"),
        "without type        1 pages  F1 1.0000".to_string(),
        format!("worst pages\nF1 {f1:.4}  precision {precision:.4}  recall {recall:.4}  bad\n"),
        "1 of 2 corrections of 1 pages are followed; 1 of 4 blocks of text are decided as requested".to_string(),
        format!("https://clicked.example/: keep {HOURS} \"Some\": the model decides otherwise\n"),
    ] {
        assert!(out.contains(&wanted), "{wanted}\n{out}");
    }
    let report: Value = serde_json::from_slice(&folder.read("report.json")).unwrap();
    assert_eq!((&report["model"], &report["pages"]), (&json!("builtin"), &json!(3)));
    assert!((report["f1"].as_f64().unwrap() - all(f1)).abs() < 1e-12);
    assert!((report["by_type"]["product"]["precision"].as_f64().unwrap() - precision).abs() < 1e-12);
    assert_eq!(report["worst"].as_array().unwrap().len(), 1);
    assert_eq!((&report["corrections"]["followed"], &report["corrections"]["blocks"]), (&json!(1), &json!(4)));
    assert_eq!(report["corrections"]["missed"][0]["decision"], "keep");
    // A model that was adapted to the corrections follows them. (The other lines say that the same page is right as it is.) A crawl is for Block.
    folder.write("clicked.jsonl", &lines[2]);
    folder.ok(&["train", "fusion", "--more", "clicked.jsonl", "-o", "my.model"]);
    assert!(folder.ok(&["eval", "my.model", "labelled.jsonl"]).contains("2 of 2 corrections"));
    let sites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites");
    assert!(folder.ok(&["eval", "builtin", sites.to_str().unwrap()]).contains("all labelled blocks: recall"));
}

#[test]
fn what_is_wrong_with_corrections_is_said() {
    let folder = Folder::new();
    folder.write("empty.jsonl", "");
    folder.write("damaged.jsonl", &line("a", PAGE, "text", &[("hide", HOURS)]));
    folder.write("good.jsonl", &line("a", PAGE, "text", &[("keep", HOURS)]));
    let block = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dehusk-papers/models/block.model");
    let block = block.to_str().unwrap();
    let segment = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dehusk-papers/models/segment.model");
    let segment = segment.to_str().unwrap();
    for (args, word) in [
        (&["train", "fusion", "-o", "my.model"][..], "PAGES"),
        (&["train", "fusion", "--more", "empty.jsonl", "-o", "my.model"], "no page"),
        (&["train", "fusion", "--more", "missing.jsonl", "-o", "my.model"], "missing.jsonl"),
        (&["train", "fusion", "--more", "damaged.jsonl", "-o", "my.model"], "correction 1 has no \"decision\""),
        (&["train", "fusion", "--more", "page.html", "-o", "my.model"], "main_content"),
        (&["train", "fusion", "--more", "good.jsonl", "--from", block, "-o", "my.model"], "this is a model for block"),
        (&["train", "fusion", "--more", "good.jsonl", "--from", "page.html", "-o", "my.model"], "model file"),
        (&["train", "fusion", "--from", block, "-o", "my.model"], "--more"),
        (
            &["train", "fusion", "good.jsonl", "--more", "good.jsonl", "--from", block, "-o", "my.model"],
            "cannot be used",
        ),
        (&["train", "fusion", "--more", "good.jsonl", "--renamed-copies", "0.3", "-o", "my.model"], "need PAGES"),
        (&["train", "fusion", "--more", "good.jsonl", "--more-weight", "0", "-o", "my.model"], "above 0"),
        (&["train", "fusion", "--more", "good.jsonl", "-o", "good.jsonl"], "would replace the input"),
        (&["train", "page-type", "--more", "good.jsonl", "-o", "my.model"], "unexpected argument '--more'"),
        (&["eval", "builtin", "empty.jsonl", "--detector", "fusion"], "no page"),
        (&["eval", "builtin", "missing.jsonl"], "missing.jsonl"),
        (&["eval", "page.html", "good.jsonl"], "model file"),
        (&["eval", segment, "good.jsonl"], "only models of"),
        (&["eval", block, "good.jsonl", "--detector", "fusion"], "--detector is for `builtin` only"),
        (&["eval", "builtin", "damaged.jsonl"], "correction 1"),
    ] {
        let (code, _, said) = folder.run(args);
        assert_eq!(code, Some(2), "{args:?}: {said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
    assert!(!folder.0.path().join("my.model").exists());
}
