//! The program as a user runs it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn sites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites")
}

fn dehusk(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dehusk")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn ok(args: &[&str]) -> String {
    let output = dehusk(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that cannot run and returns what it says.
fn fails(args: &[&str]) -> String {
    let output = dehusk(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty());
    text(&output.stderr)
}

fn site_with_template() -> (TempDir, String, String) {
    let folder = TempDir::new().unwrap();
    let site = sites().join("harbour-notes.example");
    let template = folder.path().join("site.husk").to_str().unwrap().to_string();
    ok(&["learn", site.to_str().unwrap(), "-o", &template]);
    let page = site.join("about.html").to_str().unwrap().to_string();
    (folder, template, page)
}

#[test]
fn help_teaches() {
    let help = ok(&["--help"]);
    for word in ["clean", "learn", "extract", "strip", "explain", "apply", "dehusk clean crawl/ -o cleaned/"] {
        assert!(help.contains(word), "{word} is not in the help");
    }
    assert!(ok(&["-h"]).lines().count() <= 40, "-h does not fit a screen");
    assert!(ok(&["completions", "bash"]).contains("dehusk"));
}

#[test]
fn a_site_is_learned_and_used() {
    let (folder, template, page) = site_with_template();
    #[cfg(unix)]
    {
        // As readable as any file the user makes.
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        assert_eq!(fs::metadata(&template).unwrap().permissions(), fs::metadata(&plain).unwrap().permissions());
    }
    assert!(fs::read_to_string(&template).unwrap().starts_with("dehusk-template 1\nsite: harbour-notes.example\n"));
    let whole = text(&dehusk(&["extract", &page]).stdout);
    let clean = ok(&["extract", "--template", &template, &page]);
    assert!(clean.len() < whole.len() && !clean.is_empty());
    let markdown = ok(&["extract", "--template", &template, "--format", "markdown", &page]);
    let html = ok(&["extract", "--template", &template, "--format", "html", &page]);
    let json = ok(&["extract", "--template", &template, "--format", "json", &page]);
    assert!(markdown.contains('#') && html.contains("<p>"));
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(record["blocks"].as_array().unwrap().iter().any(|block| block["decision"] == "drop"));
    let stripped = ok(&["strip", "--template", &template, &page]);
    let source = fs::read_to_string(&page).unwrap();
    assert!(stripped.len() < source.len() && source.starts_with(&stripped[..15]));
    let reasons = ok(&["explain", "--template", &template, &page]);
    assert!(reasons.contains("drop") && reasons.contains("repeated on"));
}

#[test]
fn a_page_can_come_from_standard_input() {
    let (_folder, template, page) = site_with_template();
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .args(["extract", "--template", &template, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&fs::read(&page).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), ok(&["extract", "--template", &template, &page]));
}

#[test]
fn parts_of_a_site_merge_to_the_same_file() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let site = sites().join("werkbank-laden.example");
    let pages: Vec<String> = ["index.html", "versand.html", "agb.html", "impressum.html"]
        .iter()
        .map(|name| site.join(name).to_str().unwrap().to_string())
        .collect();
    ok(&["learn", "--partial", "--site", "x", &pages[0], &pages[2], "-o", &path("a.husk")]);
    ok(&["learn", "--partial", "--site", "x", &pages[1], &pages[3], "-o", &path("b.husk")]);
    ok(&["learn", "--site", "x", &path("a.husk"), &path("b.husk"), "-o", &path("merged.husk")]);
    ok(&[
        "learn",
        "--site",
        "x",
        "--threads",
        "1",
        &pages[0],
        &pages[1],
        &pages[2],
        &pages[3],
        "-o",
        &path("whole.husk"),
    ]);
    assert_eq!(fs::read(path("merged.husk")).unwrap(), fs::read(path("whole.husk")).unwrap());
    let message = fails(&["learn", &path("merged.husk"), &path("a.husk"), "-o", &path("no.husk")]);
    assert!(message.contains("merged.husk") && message.contains("--partial"), "{message}");
}

#[test]
fn pages_of_a_site_are_cleaned_into_a_folder() {
    let (folder, template, page) = site_with_template();
    let out = folder.path().join("out").to_str().unwrap().to_string();
    let site = sites().join("harbour-notes.example").to_str().unwrap().to_string();
    ok(&["apply", "--template", &template, &site, "-o", &out, "--format", "markdown"]);
    let written = fs::read_to_string(Path::new(&out).join("about.html.md")).unwrap();
    assert_eq!(written, ok(&["apply", "--template", &template, &page, "--format", "markdown"]));
    assert!(fails(&["apply", "--template", &template, &site]).contains("-o"));
}

#[test]
fn complaints_name_the_input_and_what_to_do() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fs::write(path("picture.html"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::write(path("long.html"), vec![b'a'; 2000]).unwrap();
    fs::write(path("bad.husk"), "dehusk-template 1\nsite: x").unwrap();
    let message = fails(&["extract", &path("picture.html")]);
    assert!(message.contains("picture.html") && message.contains("PNG"), "{message}");
    let message = fails(&["extract", "--max-bytes", "1000", &path("long.html")]);
    assert!(message.contains("long.html") && message.contains("1000") && message.contains("--max-bytes"), "{message}");
    let message = fails(&["extract", &path("nothing.html")]);
    assert!(message.contains("nothing.html"), "{message}");
    let message = fails(&["extract", "--template", &path("bad.husk"), &path("long.html")]);
    assert!(message.contains("bad.husk") && message.contains("checksum"), "{message}");
    let message = fails(&["learn", &path("long.html"), "-o", &path("x.husk")]);
    assert!(message.contains("two pages") && !Path::new(&path("x.husk")).exists(), "{message}");
    let message = fails(&["extract", "--threshold", "7", &path("long.html")]);
    assert!(message.contains("threshold") && message.contains('7'), "{message}");
}

fn lines(path: &str) -> Vec<serde_json::Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_folder_of_sites_is_cleaned() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let sites = sites().to_str().unwrap().to_string();
    ok(&["clean", &sites, "-o", &path("out"), "--format", "markdown", "--report", &path("report.html")]);
    let page = fs::read_to_string(path("out/harbour-notes.example/about.html.md")).unwrap();
    assert!(page.contains("# "), "{page}");
    assert!(fs::read_to_string(path("report.html")).unwrap().contains("harbour-notes.example"));
    ok(&["clean", &sites, "-o", &path("one.jsonl"), "--threads", "1", "--report", &path("report.json")]);
    ok(&["clean", &sites, "-o", &path("many.jsonl"), "--threads", "4"]);
    assert_eq!(fs::read(path("one.jsonl")).unwrap(), fs::read(path("many.jsonl")).unwrap());
    let records = lines(&path("one.jsonl"));
    assert_eq!(records.len(), 42);
    assert!(records.iter().all(|record| record["error"].is_null() && record["template_pages"] == 14));
    let report: serde_json::Value = serde_json::from_slice(&fs::read(path("report.json")).unwrap()).unwrap();
    assert_eq!(report["pages"], 42);
    assert_eq!(report["hosts"].as_array().unwrap().len(), 3);
}

#[test]
fn a_crawl_keeps_ids_and_reports_bad_pages() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let nav = "<nav><a href=/>Home</a> <a href=/b>Products and services</a></nav>";
    let mut crawl = String::new();
    for number in 0..6 {
        let html = format!("{nav}<p>Page number {number} says {}.</p>", number * 7919);
        let record = serde_json::json!({ "key": number, "address": format!("http://a.example/{number}"), "page": html, "lang": "en" });
        crawl += &format!("{record}\n");
    }
    crawl += "this is no json\n{\"key\": 9, \"address\": \"http://a.example/9\", \"page\": \"\\u0089PNG\"}\n";
    fs::write(path("crawl.jsonl"), crawl).unwrap();
    let columns = ["--id-column", "key", "--url-column", "address", "--html-column", "page", "--carry", "lang"];
    let (input, output) = (path("crawl.jsonl"), path("out.jsonl"));
    ok(&[&["clean", &input, "-o", &output], &columns[..]].concat());
    let records = lines(&output);
    assert_eq!(records.len(), 8);
    assert_eq!((&records[3]["id"], &records[3]["lang"]), (&serde_json::json!(3), &serde_json::json!("en")));
    assert_eq!(records[3]["text"].as_str().unwrap().trim(), "Page number 3 says 23757.");
    assert_eq!(records[6]["error"], "bad_json");
    assert!(records[6]["error_message"].as_str().unwrap().contains("line 7"));
    let strict = dehusk(&[&["clean", &input, "-o", &output, "--strict"], &columns[..]].concat());
    assert_eq!(strict.status.code(), Some(1));
    // Each page on its own: nothing is compared, nothing is dropped.
    ok(&[&["extract", &input, "-o", &path("alone.jsonl")], &columns[..]].concat());
    assert!(lines(&path("alone.jsonl"))[3]["text"].as_str().unwrap().contains("Products and services"));
}

#[test]
fn a_store_of_templates_is_used_again() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let sites = sites().to_str().unwrap().to_string();
    let store = path("sites.store");
    ok(&["clean", &sites, "-o", &path("a.jsonl"), "--templates", &store]);
    ok(&["clean", &sites, "-o", &path("b.jsonl"), "--templates", &store, "--no-learn"]);
    assert_eq!(fs::read(path("a.jsonl")).unwrap(), fs::read(path("b.jsonl")).unwrap());
    let message = fails(&["clean", &sites, "-o", &path("c.jsonl"), "--templates", &path("none"), "--no-learn"]);
    assert!(message.contains("no such template store"), "{message}");
    assert!(!Path::new(&path("c.jsonl")).exists());
}

#[test]
fn a_stopped_run_goes_on() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    // Enough pages for several segments.
    let mut crawl = String::new();
    for number in 0..6000 {
        let html = format!("<div><a href=/>Home of host {}</a></div><p>Text {number}</p>", number % 3);
        crawl += &format!(
            "{}\n",
            serde_json::json!({ "url": format!("http://h{}.example/{number}", number % 3), "html": html })
        );
    }
    fs::write(path("crawl.jsonl"), crawl).unwrap();
    ok(&["clean", &path("crawl.jsonl"), "-o", &path("whole.jsonl")]);
    let args = ["clean", &path("crawl.jsonl"), "-o", &path("out.jsonl")];
    let state = path("out.jsonl.dehusk-run");
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk")).args(args).stderr(Stdio::null()).spawn().unwrap();
    // Killed as soon as a part of the result is there, or after it is done.
    while child.try_wait().unwrap().is_none() && !Path::new(&state).join("segment-00000000.jsonl").exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if Path::new(&state).exists() {
        assert!(!Path::new(&path("out.jsonl")).exists());
        assert!(fails(&args).contains("--resume"));
        let other = [&args[..], &["--resume", "--format", "markdown"]].concat();
        assert!(fails(&other).contains("other inputs or options"));
    }
    ok(&[&args[..], &["--resume"]].concat());
    assert_eq!(fs::read(path("out.jsonl")).unwrap(), fs::read(path("whole.jsonl")).unwrap());
    assert!(!Path::new(&state).exists());
}

#[test]
fn metadata_is_said_where_asked_for() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.html");
    let words = "Nets are mended in May. ".repeat(20);
    let source = format!(
        "<html lang=en><title>Nets</title><meta name=author content='Ann Lee'><meta name=date content=2024-03-05><p>{words}"
    );
    fs::write(&page, &source).unwrap();
    let page = page.to_str().unwrap();
    assert!(ok(&["extract", page]).starts_with("Nets are"));
    for format in ["text", "markdown"] {
        let out = ok(&["extract", "--metadata", "--format", format, page]);
        let head = "---\ntitle: \"Nets\"\nauthor: \"Ann Lee\"\ndate: \"2024-03-05\"\nlanguage: \"en\"\n---\n\nNets are";
        assert!(out.starts_with(head), "{out}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&ok(&["extract", "--metadata", "--format", "json", page])).unwrap();
    assert_eq!(json["metadata"]["author"], "Ann Lee");

    let records = folder.path().join("out.jsonl");
    let input = folder.path().join("in.jsonl");
    let lines = [serde_json::json!({"url": "http://a.example/1", "html": source}), serde_json::json!({"html": 2})];
    fs::write(&input, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    ok(&["extract", "--metadata", input.to_str().unwrap(), "-o", records.to_str().unwrap()]);
    let out = fs::read_to_string(&records).unwrap();
    let record: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!((&record["author"], &record["date"]), (&"Ann Lee".into(), &"2024-03-05".into()));
    assert_eq!(record["metadata_sources"]["author"], "meta");
    assert!(record["text"].as_str().unwrap().starts_with("Nets are"));
    // A record that failed has the same keys.
    let failed: serde_json::Value = serde_json::from_str(out.lines().nth(1).unwrap()).unwrap();
    let keys = |record: &serde_json::Value| record.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert!(failed["error"].is_string());
    assert_eq!(keys(&failed), keys(&record));
}

#[test]
fn content_outside_the_visible_text_is_flagged() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.html");
    let words = "Nets are mended in May. ".repeat(20);
    let source =
        format!("<p>Please wait</p><script type='application/ld+json'>{{\"articleBody\":\"{words}\"}}</script>");
    fs::write(&page, &source).unwrap();
    let output = dehusk(&["extract", page.to_str().unwrap()]);
    assert_eq!(text(&output.stdout).trim(), words.trim());
    assert!(text(&output.stderr).contains("from_json_ld"));
    let (input, records) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    fs::write(&input, format!("{}\n", serde_json::json!({"url": "http://a.example/", "html": source}))).unwrap();
    ok(&["extract", input.to_str().unwrap(), "-o", records.to_str().unwrap()]);
    let record: serde_json::Value = serde_json::from_str(&fs::read_to_string(&records).unwrap()).unwrap();
    assert_eq!(record["text"].as_str().unwrap().trim(), words.trim());
    assert!(record["flags"].as_array().unwrap().contains(&"from_json_ld".into()));
}
