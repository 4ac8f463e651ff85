//! The uses of clean text, as a user runs them: keywords, clusters, classes.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn sites() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites").to_str().unwrap().to_string()
}

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dehusk")).args(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// What a command that succeeds prints, and what it says.
fn ok(args: &[&str]) -> (String, String) {
    let (code, out, said) = run(args);
    assert_eq!(code, Some(0), "{args:?}: {said}");
    (out, said)
}

/// What a command that cannot run says.
fn fails(args: &[&str]) -> String {
    let (code, out, said) = run(args);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {said}");
    said
}

fn records(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_string()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a file of records and returns its path.
    fn write(&self, name: &str, records: impl Iterator<Item = Value>) -> String {
        let lines: String = records.map(|record| format!("{record}\n")).collect();
        fs::write(self.path(name), lines).unwrap();
        self.path(name)
    }
}

#[test]
fn keywords_of_pages() {
    let folder = Folder::new();
    let report = folder.path("keywords.html");
    let (lines, said) = ok(&["keywords", &sites(), "--count", "4", "--report", &report]);
    let found = records(&lines);
    assert_eq!(found.len(), 42);
    assert!(said.contains("42 documents"), "{said}");
    let rope = found.iter().find(|record| record["url"].as_str().unwrap().ends_with("mooring-rope.html")).unwrap();
    let keywords = rope["keywords"].as_array().unwrap();
    assert!(keywords.len() <= 4);
    assert!(keywords.iter().any(|keyword| keyword["text"].as_str().unwrap().contains("rope")), "{keywords:?}");
    let scores: Vec<f64> = keywords.iter().map(|keyword| keyword["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, two| one >= two) && scores.iter().all(|score| (0.0..=1.0).contains(score)));
    assert!(folder.read("keywords.html").contains("<table>"));
    // Japanese has keywords, too.
    let japanese = found.iter().find(|record| record["url"].as_str().unwrap().ends_with("ja/storage.html")).unwrap();
    assert!(japanese["keywords"].to_string().contains("保存"), "{japanese}");
    assert_eq!(ok(&["keywords", &sites(), "--count", "4", "--threads", "1"]).0, lines);
    assert!(fails(&["keywords", &sites(), "--model", &format!("{}/README.md", sites())]).contains("README.md"));
}

#[test]
fn keywords_of_texts_with_carried_columns() {
    let folder = Folder::new();
    let texts = folder.write(
        "texts.jsonl",
        (0..3).map(|number| {
            serde_json::json!({"id": number, "url": "", "title": "Red boats", "text": "Red boats sail. Red boats win.", "topic": "sea"})
        }),
    );
    let out = folder.path("keywords.jsonl");
    ok(&["keywords", &texts, "--carry", "topic", "-o", &out]);
    let found = records(&folder.read("keywords.jsonl"));
    assert_eq!(found.len(), 3);
    assert_eq!((&found[2]["id"], &found[2]["topic"]), (&Value::from(2), &Value::from("sea")));
    assert!(found[0]["keywords"].to_string().contains("Red boats"), "{found:?}");
}

/// Pages of several sites that name keywords: what is in the title and several times in the text.
fn pages_with_keywords(folder: &Folder) -> String {
    let words = ["lantern", "harbour", "violin", "glacier", "saddle", "copper", "orchid", "tunnel", "falcon", "basalt"];
    let page = |site: usize, page: usize| {
        let topic = format!("{} {}", words[page % 10], words[(page + site + 1) % 10]);
        let filler = "People walked along the road and talked about many things that day. ".repeat(4);
        let html = format!(
            "<title>The {topic}</title><meta name=keywords content='{topic}, Site{site}'><body><nav><a href=/>Home</a></nav><main><h1>The {topic}</h1>\
             <p>This page number {page} is about the {topic}. {filler}</p><p>Again the {topic}. {filler}</p></main>"
        );
        serde_json::json!({"url": format!("http://site{site}.example/{page}"), "html": html})
    };
    folder.write(
        "pages.jsonl",
        (0..6).flat_map(|site| (0..9).map(move |number| (site, number))).map(|(site, number)| page(site, number)),
    )
}

#[test]
fn the_keywords_model_is_trained_the_same_on_any_number_of_threads() {
    let folder = Folder::new();
    let pages = pages_with_keywords(&folder);
    let (one, two) = (folder.path("one.model"), folder.path("two.model"));
    let (_, said) = ok(&["train", "keywords", &pages, "-o", &one, "--threads", "1", "--source", "made up"]);
    assert!(said.contains("54 pages of 6 sites") && said.contains("top-10") && said.contains("made up"), "{said}");
    ok(&["train", "keywords", &pages, "-o", &two, "--threads", "2", "--source", "made up"]);
    assert!(fs::read(&one).unwrap() == fs::read(&two).unwrap());
    let (lines, _) = ok(&["keywords", &pages, "--model", &one, "--count", "1"]);
    let found = records(&lines);
    let right = found.iter().filter(|record| {
        let number: usize = record["url"].as_str().unwrap().rsplit('/').next().unwrap().parse().unwrap();
        let words = ["lantern", "harbour", "violin", "glacier", "saddle", "copper", "orchid", "tunnel", "falcon"];
        record["keywords"][0]["text"].as_str().is_some_and(|text| text.starts_with(words[number]))
    });
    assert!(right.count() > 45, "{lines}");
    let said = fails(&["train", "keywords", &sites(), "-o", &folder.path("none.model")]);
    assert!(said.contains("name keywords"), "{said}");
}

#[test]
fn clusters_of_pages() {
    let folder = Folder::new();
    let (out, report) = (folder.path("clusters.jsonl"), folder.path("clusters.html"));
    let (_, said) = ok(&["cluster", &sites(), "--clusters", "4", "-o", &out, "--report", &report]);
    let found = records(&folder.read("clusters.jsonl"));
    assert_eq!(found.len(), 42);
    assert!(said.contains("4 clusters"), "{said}");
    // The German shop, the Japanese and the English pages share hardly any term.
    let cluster_of = |part: &str| {
        let mut clusters: Vec<i64> = found
            .iter()
            .filter(|record| record["url"].as_str().unwrap().contains(part))
            .filter_map(|record| record["cluster"].as_i64())
            .collect();
        clusters.sort_unstable();
        clusters[clusters.len() / 2]
    };
    assert_ne!(cluster_of("werkbank-laden"), cluster_of("docs.tidepool.example/ja"));
    assert_ne!(cluster_of("werkbank-laden"), cluster_of("harbour-notes"));
    let page = folder.read("clusters.html");
    assert!(page.contains("<svg") && page.contains("<li>") && !page.contains("<script"));
    let again = folder.path("again.jsonl");
    ok(&["cluster", &sites(), "--clusters", "4", "-o", &again, "--threads", "1"]);
    assert_eq!(folder.read("again.jsonl"), folder.read("clusters.jsonl"));
    let (lines, said) = ok(&["cluster", &sites(), "--method", "furthest-first", "--clusters", "auto"]);
    assert!(
        records(&lines)
            .iter()
            .all(|record| record["distance"].as_f64().is_none_or(|distance| (0.0..=1.0).contains(&distance)))
    );
    assert!(said.contains("silhouette"), "{said}");
    assert!(fails(&["cluster", &sites(), "--clusters", "500"]).contains("choose fewer clusters"));
    assert!(fails(&["cluster", &sites(), "--clusters", "many"]).contains("auto"));
}

/// Texts about food and about boats, on several hosts.
fn labelled(folder: &Folder) -> String {
    let text = |number: usize| match number % 2 {
        0 => format!("Cook the soup with onions, salt and bread number{number}."),
        _ => format!("The boat sails in the wind, mast and anchor number{number}."),
    };
    folder.write(
        "labelled.jsonl",
        (0..24).map(|number| {
            let label = if number % 2 == 0 { "food" } else { "boats" };
            let url = format!("http://host{}.example/{number}", number % 6);
            serde_json::json!({"id": number, "url": url, "text": text(number), "topic": label, "one": "same"})
        }),
    )
}

#[test]
fn classes_are_learned_and_found() {
    let folder = Folder::new();
    let pages = labelled(&folder);
    let (model, report) = (folder.path("topics.model"), folder.path("train.html"));
    let (_, said) = ok(&[
        "classify",
        "train",
        &pages,
        "--label-column",
        "topic",
        "-o",
        &model,
        "--folds",
        "3",
        "--report",
        &report,
    ]);
    assert!(said.contains("24 documents of 2 classes") && said.contains("not trained on"), "{said}");
    assert!(folder.read("train.html").contains("boats"));
    let (out, report) = (folder.path("labels.jsonl"), folder.path("apply.html"));
    let (_, said) = ok(&[
        "classify",
        "apply",
        &model,
        &pages,
        "--label-column",
        "topic",
        "--carry",
        "topic",
        "-o",
        &out,
        "--report",
        &report,
    ]);
    assert!(said.contains("accuracy 1.000"), "{said}");
    for record in records(&folder.read("labels.jsonl")) {
        assert_eq!(record["label"], record["topic"]);
        assert!(record["probability"].as_f64().unwrap() > 0.5);
    }
    assert!(folder.read("apply.html").contains("Rows are the true classes"));
    // Without labels there is nothing to compare, and pages of other sites are classified all the same.
    let (lines, said) = ok(&["classify", "apply", &model, &sites()]);
    assert_eq!(records(&lines).len(), 42);
    assert!(!said.contains("accuracy"), "{said}");
    assert_eq!(ok(&["classify", "apply", &model, &sites(), "--threads", "1"]).0, lines);
}

#[test]
fn what_cannot_be_learned_or_read_is_named() {
    let folder = Folder::new();
    let pages = labelled(&folder);
    let model = folder.path("topics.model");
    let said = fails(&["classify", "train", &pages, "-o", &model]);
    assert!(said.contains("`label`") && said.contains("--label-column"), "{said}");
    let said = fails(&["classify", "train", &pages, "-o", &model, "--label-column", "one"]);
    assert!(said.contains("`same`") && said.contains("two classes"), "{said}");
    assert!(!Path::new(&model).exists());
    ok(&["classify", "train", &pages, "-o", &model, "--label-column", "topic"]);
    let mut bytes = fs::read(&model).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&model, bytes).unwrap();
    let said = fails(&["classify", "apply", &model, &pages]);
    assert!(said.contains("topics.model") && said.contains("checksum"), "{said}");
}
