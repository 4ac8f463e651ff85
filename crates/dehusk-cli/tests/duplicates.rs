//! `dehusk duplicates` as a user runs it: an article on three sites, each with its own template.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const ARTICLE: &str = "The ferry to the northern islands leaves twice a day in summer and once in winter. Tickets are sold at the \
                       harbour office from eight in the morning, and bicycles travel free of charge on weekdays. In stormy weather \
                       the crossing takes an hour longer, and the last boat may not return before the next morning.";

const WORDS: [&str; 29] = [
    "apples", "bridge", "candle", "damage", "engine", "farmer", "garden", "harvest", "island", "jacket", "kitchen",
    "lantern", "market", "needle", "orchard", "pepper", "quarry", "river", "shelter", "timber", "umbrella", "valley",
    "window", "yellow", "zebra", "anchor", "bottle", "copper", "dragon",
];

/// Pages of three sites: each has its own pages, and all have the article.
fn pages() -> Vec<Value> {
    let mut pages = Vec::new();
    for site in 0..3 {
        let menu: String = (0..9)
            .map(|item| format!("<li><a href=\"/{item}\">Section {item} of site number {site}</a></li>"))
            .collect();
        for number in 0..8 {
            let mut state = site as u64 * 100 + number;
            let word = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                WORDS[(state >> 33) as usize % WORDS.len()]
            };
            let own: Vec<&str> = (0..45).map(word).collect();
            let own = format!("Report {number} on {}.", own.join(" "));
            let (title, text) = if number == 5 { ("The ferry", ARTICLE.to_string()) } else { ("A report", own) };
            let html = format!(
                "<html><head><title>{title}</title></head><body><nav><ul>{menu}</ul></nav><main><h1>{title}</h1><p>{text}</p></main>\
                 <footer><p>Published by the editors of site number {site}, all rights reserved, no copying without consent.</p></footer></body></html>"
            );
            pages.push(json!({"id": format!("{site}-{number}"), "url": format!("http://s{site}.example/{number}"), "html": html, "topic": title}));
        }
    }
    pages
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let lines: String = pages().iter().map(|page| format!("{page}\n")).collect();
    fs::write(folder.path().join("crawl.jsonl"), lines).unwrap();
    folder
}

fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dehusk"));
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

fn ok(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_article_on_three_sites_is_three_pairs() {
    let folder = folder();
    let pairs = records(&ok(folder.path(), "duplicates crawl.jsonl"));
    let ids: Vec<_> = pairs.iter().map(|pair| (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap())).collect();
    assert_eq!(ids, [("0-5", "1-5"), ("0-5", "2-5"), ("1-5", "2-5")]);
    assert!(pairs.iter().all(|pair| pair["shared"].as_u64().unwrap() >= 4));
    // Of whole pages, those of one site look alike.
    let raw = records(&ok(folder.path(), "duplicates --raw crawl.jsonl"));
    assert!(raw.iter().any(|pair| pair["a"].as_str().unwrap()[..1] == pair["b"].as_str().unwrap()[..1]));
}

#[test]
fn what_clean_wrote_gives_the_same_pairs_in_every_container() {
    let folder = folder();
    let expected = ok(folder.path(), "duplicates crawl.jsonl");
    for output in ["cleaned.jsonl", "cleaned.jsonl.zst"] {
        ok(folder.path(), &format!("clean crawl.jsonl -o {output}"));
        assert_eq!(ok(folder.path(), &format!("duplicates {output}")), expected, "{output}");
    }
    // Files of text have no ids, only addresses.
    ok(folder.path(), "clean crawl.jsonl -o cleaned");
    let pairs = records(&ok(folder.path(), "duplicates cleaned"));
    assert_eq!(pairs.len(), 3);
    assert!(pairs[0]["a"].as_str().unwrap().contains("s0.example/5"), "{}", pairs[0]);
    // Ids of Parquet are JSON.
    ok(folder.path(), "clean crawl.jsonl -o cleaned.parquet");
    assert_eq!(records(&ok(folder.path(), "duplicates cleaned.parquet")).len(), 3);
    for threads in [1, 3] {
        assert_eq!(ok(folder.path(), &format!("duplicates crawl.jsonl --threads {threads}")), expected);
    }
}

#[test]
fn groups_and_what_is_left() {
    let folder = folder();
    let clusters = records(&ok(folder.path(), "duplicates crawl.jsonl --clusters"));
    assert_eq!(clusters, [json!({"cluster": 1, "count": 3, "documents": ["0-5", "1-5", "2-5"]})]);
    let output =
        run(folder.path(), "duplicates crawl.jsonl --keep first --carry topic -o kept.jsonl --report report.html");
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(
        messages.contains("24 documents: 3 have near-duplicates, in 1 groups; 2 (8 %) are copies of another"),
        "{messages}"
    );
    let kept = records(&fs::read_to_string(folder.path().join("kept.jsonl")).unwrap());
    assert_eq!(kept.len(), 22);
    let article: Vec<_> = kept.iter().filter(|record| record["topic"] == "The ferry").collect();
    assert_eq!(article.len(), 1);
    assert_eq!((&article[0]["id"], &article[0]["title"]), (&json!("0-5"), &json!("The ferry")));
    assert!(article[0]["text"].as_str().unwrap().contains("bicycles travel free"));
    assert!(fs::read_to_string(folder.path().join("report.html")).unwrap().contains("24 documents"));
    // The longest copy stays.
    let texts = "{\"id\":1,\"text\":\"ONE\"}\n{\"id\":2,\"text\":\"other words\"}\n{\"id\":3,\"text\":\"-- one --\"}\n";
    fs::write(folder.path().join("texts.jsonl"), texts).unwrap();
    let kept = records(&ok(folder.path(), "duplicates texts.jsonl --keep longest"));
    assert_eq!(kept.iter().map(|record| record["id"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn paragraphs_of_several_documents() {
    let folder = folder();
    let found = records(&ok(folder.path(), "duplicates crawl.jsonl --paragraphs"));
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["count"], &found[0]["documents"]), (&json!(3), &json!(["0-5", "1-5", "2-5"])));
    assert!(found[0]["paragraph"].as_str().unwrap().starts_with("The ferry to the northern islands"));
    let raw = records(&ok(folder.path(), "duplicates crawl.jsonl --paragraphs --raw"));
    assert!(raw.iter().any(|record| record["count"] == 8), "the footer of a site is on its 8 pages");
}

#[test]
fn messages_say_what_is_wrong() {
    let folder = folder();
    let fails = |line: &str| {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(fails("duplicates crawl.jsonl --hashes 4 --shared 5").contains("--shared 5 is more than --hashes 4"));
    assert!(fails("duplicates crawl.jsonl --carry topic").contains("--keep"));
    assert!(fails("duplicates crawl.jsonl -o pairs.txt").contains(".jsonl"));
    assert!(fails("duplicates missing.jsonl").contains("missing.jsonl"));
    ok(folder.path(), "clean crawl.jsonl -o cleaned.jsonl");
    assert!(fails("duplicates --raw cleaned.jsonl").contains("--raw is for pages"));
    // A bad record is counted, and fails a strict run only.
    fs::write(folder.path().join("bad.jsonl"), "{\"id\":1,\"text\":\"a b\"}\n{bad\n{\"id\":3,\"text\":null}\n")
        .unwrap();
    let output = run(folder.path(), "duplicates bad.jsonl");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 documents could not be read"));
    assert_eq!(run(folder.path(), "duplicates --strict bad.jsonl").status.code(), Some(1));
}
