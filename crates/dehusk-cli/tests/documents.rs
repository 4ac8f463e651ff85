//! The documents of the commands that use clean text: what they are called, what is carried over, and what is read as a text.

use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Runs the program in a folder, with something on standard input. Returns the records it prints and what it says.
fn run(folder: &Path, args: &[&str], input: &str) -> (Vec<Value>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Commands that read no input end before it is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
    let lines = String::from_utf8(output.stdout).unwrap();
    (lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), said)
}

fn lines(records: impl Iterator<Item = Value>) -> String {
    records.map(|record| format!("{record}\n")).collect()
}

fn html(number: usize) -> String {
    let topic = ["nets and boats in the harbour", "bread and soup in the kitchen"][number % 2];
    format!(
        "<title>Page {number}</title><body><nav><a href=/>Home</a> <a href=/all>All pages</a></nav><main><h1>Page {number}</h1>\
         <p>This is the text of page {number}, which is about {topic}, and goes on for a while so that it is content.</p></main>"
    )
}

#[test]
fn carried_columns_have_the_values_of_the_input() {
    let folder = TempDir::new().unwrap();
    let page = |number: usize| {
        let kind = ["boats", "food"][number % 2];
        json!({"url": format!("http://h{}.example/{number}", number % 4), "html": html(number), "title": "own title", "host": "own host",
            "error": "own error", "name": "own name", "page_type": kind})
    };
    fs::write(folder.path().join("pages.jsonl"), lines((0..12).map(page))).unwrap();
    let carry = ["--carry", "title", "--carry", "host", "--carry", "error", "--carry", "name"];
    let (found, _) = run(folder.path(), &[&["keywords", "pages.jsonl"], &carry[..]].concat(), "");
    for key in ["title", "host", "error", "name"] {
        assert_eq!(found[3][key], format!("own {key}"), "{}", found[3]);
    }
    let train = ["classify", "train", "pages.jsonl", "--label-column", "page_type", "-o", "m.model", "--folds", "2"];
    let (_, said) = run(folder.path(), &train, "");
    assert!(said.contains("2 classes") && said.contains("\nboats ") && said.contains("\nfood "), "{said}");
}

#[test]
fn texts_have_ids_and_addresses_in_the_columns_that_are_named() {
    let folder = TempDir::new().unwrap();
    let text = |number: usize| json!({"id": "other", "doc": format!("D{number}"), "link": "http://a.example/", "text": html(0)});
    let args = ["keywords", "-", "--id-column", "doc", "--url-column", "link"];
    let (found, _) = run(folder.path(), &args, &lines((0..3).map(text)));
    assert_eq!((&found[2]["id"], &found[2]["url"]), (&json!("D2"), &json!("http://a.example/")));
}

#[test]
fn documents_without_id_and_address_are_named_by_their_place_in_the_input() {
    let folder = TempDir::new().unwrap();
    let pages = lines((0..3).map(|number| json!({"html": html(number)})));
    fs::write(folder.path().join("pages.jsonl"), &pages).unwrap();
    let texts = lines((0..3).map(|_| json!({"text": "rain on the quay"})));
    for (args, input, id) in [
        (["keywords", "pages.jsonl"], "", "pages.jsonl line 2"),
        (["keywords", "-"], &*pages, "standard input line 2"),
        (["keywords", "-"], &*texts, "standard input line 2"),
    ] {
        assert_eq!(run(folder.path(), &args, input).0[1]["id"], id);
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_read_to_their_end() {
    let folder = TempDir::new().unwrap();
    let texts = lines((0..6).map(|number| json!({"id": number, "text": "rain on the quay"})));
    let pages = lines((0..6).map(|number| json!({"id": number, "html": html(number)})));
    for input in [texts, pages] {
        fs::write(folder.path().join("first.jsonl"), &input).unwrap();
        for args in [&["keywords", "/dev/stdin"][..], &["keywords", "first.jsonl", "/dev/stdin"]] {
            assert_eq!(run(folder.path(), args, &input).0.len(), 6 * (args.len() - 1), "{args:?}");
        }
    }
}

#[test]
fn what_clean_has_written_is_not_cleaned_again() {
    let folder = TempDir::new().unwrap();
    // The first page has failed, and has neither text nor HTML.
    let page = |number: usize| match number {
        0 => json!({"id": 0, "url": "http://a.example/0", "html": 5}),
        _ => json!({"id": number, "url": format!("http://a.example/{number}"), "html": html(number)}),
    };
    for first in [0, 1] {
        fs::write(folder.path().join("pages.jsonl"), lines((first..8).map(page))).unwrap();
        for formats in ["text", "text,html"] {
            for name in ["cleaned.jsonl", "cleaned.parquet"] {
                run(folder.path(), &["clean", "pages.jsonl", "-f", formats, "-o", name], "");
                let (kept, _) = run(folder.path(), &["duplicates", name, "--keep", "first", "--shared", "8"], "");
                assert!(
                    kept.iter().all(|record| record["title"].as_str().is_some_and(|title| title.starts_with("Page "))),
                    "{kept:?}"
                );
            }
        }
    }
}
