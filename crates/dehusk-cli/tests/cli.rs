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
    let (_folder, template, page) = site_with_template();
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
