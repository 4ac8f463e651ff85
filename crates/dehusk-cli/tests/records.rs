//! `dehusk records` as a user runs it.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn dehusk(folder: &TempDir, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails at once does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn ok(folder: &TempDir, args: &[&str]) -> String {
    let output = dehusk(folder, args, "");
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn fails(folder: &TempDir, args: &[&str]) -> String {
    let output = dehusk(folder, args, "");
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty());
    text(&output.stderr)
}

/// A thread with a menu of links.
fn thread() -> String {
    let post = |(author, words): (&str, &str)| {
        format!(
            "<div class=post><b class=author>{author}</b> <time>2024-05-0{}</time><p>{words} Whoever has hands to spare sits on the quay, \
             and the old ones tell how it was done before, in the years when the herring came.</p></div>",
            author.len()
        )
    };
    let posts = [
        ("Ada", "When are the nets mended this year?"),
        ("Brun", "In May, when the boats come home and the nights are short."),
        ("Cyril", "I would wait until the new twine has arrived from the ropewalk."),
        ("Dorith", "The twine is here, it came with the ferry on Tuesday morning."),
    ];
    let menu: String = ["Home page", "All boats", "Tide tables", "Ferry times", "About us"]
        .map(|name| format!("<li><a href='/{name}'>{name}</a></li>"))
        .concat();
    format!(
        "<title>Nets</title><nav><ul>{menu}</ul></nav><main><h1>Mending of nets</h1>{}</main>",
        posts.map(post).concat()
    )
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("thread.html"), thread()).unwrap();
    fs::create_dir(folder.path().join("pages")).unwrap();
    for name in ["a.html", "b.html"] {
        fs::write(folder.path().join("pages").join(name), thread()).unwrap();
    }
    folder
}

#[test]
fn one_page_goes_to_standard_output() {
    let folder = folder();
    let url = "https://a.example/nets";
    let row: serde_json::Value = serde_json::from_str(&ok(&folder, &["records", "thread.html", "--url", url])).unwrap();
    assert_eq!(
        (&row["id"], &row["url"], &row["error"]),
        (&serde_json::Value::Null, &serde_json::json!(url), &serde_json::Value::Null)
    );
    let groups = row["groups"].as_array().unwrap();
    let posts = groups.iter().find(|group| group["kind"] == "posts").unwrap();
    assert_eq!(posts["records"].as_array().unwrap().len(), 4);
    assert_eq!(posts["records"][1]["fields"]["author"], "Brun");
    assert!(groups.iter().all(|group| group["is_content"] == true));
    let all: serde_json::Value = serde_json::from_str(&ok(&folder, &["records", "--all", "thread.html"])).unwrap();
    assert!(all["groups"].as_array().unwrap().iter().any(|group| group["is_content"] == false), "{all}");

    let csv = ok(&folder, &["records", "thread.html", "--format", "csv"]);
    assert!(csv.starts_with("id,url,group,kind,is_content,record,title,author,date,"), "{csv}");
    assert!(csv.contains(",posts,true,1,,Brun,2024-05-04,"), "{csv}");
    let markdown = ok(&folder, &["records", "thread.html", "-f", "markdown"]);
    assert!(markdown.starts_with("# Nets\n\n## 4 posts\n\n### Ada, 2024-05-03\n\nWhen are the nets"), "{markdown}");
    let piped = dehusk(&folder, &["records", "-", "-f", "csv"], &thread());
    assert_eq!(text(&piped.stdout), csv);
    // As a format of `extract` they are the same groups.
    let extracted: serde_json::Value =
        serde_json::from_str(&ok(&folder, &["extract", "thread.html", "-f", "records", "--url", url])).unwrap();
    assert_eq!(extracted["groups"], row["groups"]);
}

#[test]
fn many_pages_go_to_files() {
    let folder = folder();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    ok(&folder, &["records", "pages", "-o", "out.jsonl"]);
    assert_eq!(read("out.jsonl").lines().count(), 2);
    ok(&folder, &["records", "pages", "-o", "out.csv"]);
    assert_eq!(read("out.csv").matches(",posts,true,").count(), 8);
    ok(&folder, &["records", "pages", "-o", "out.md", "--threads", "1"]);
    assert_eq!(read("out.md").matches("# Nets\n").count(), 2);
    let output = dehusk(&folder, &["records", "pages", "-o", "out.parquet"], "");
    assert!(text(&output.stderr).contains("8 records"), "{}", text(&output.stderr));
    assert!(fs::read(folder.path().join("out.parquet")).unwrap().starts_with(b"PAR1"));
    ok(&folder, &["records", "pages", "-o", "out", "--format", "markdown"]);
    assert!(folder.path().join("out").is_dir());
    // Standard output has what a file has.
    assert_eq!(ok(&folder, &["records", "pages", "-o", "-"]), read("out.jsonl"));
    assert_eq!(ok(&folder, &["records", "pages", "-o", "-", "--format", "csv"]), read("out.csv"));
    // A column of the rows of `clean`.
    ok(&folder, &["clean", "pages", "-o", "clean.jsonl", "--format", "text,records"]);
    let row: serde_json::Value = serde_json::from_str(read("clean.jsonl").lines().next().unwrap()).unwrap();
    assert!(row["text"].is_string() && row["records"]["groups"].is_array(), "{row}");
}

#[test]
fn templates_of_sites_are_used() {
    let folder = folder();
    let lines: String = (0..6)
        .map(|number| {
            let html = thread().replace("Mending", &format!("Mending {number}"));
            serde_json::json!({ "url": format!("https://a.example/{number}"), "html": html }).to_string() + "\n"
        })
        .collect();
    fs::write(folder.path().join("site.jsonl"), lines).unwrap();
    ok(&folder, &["clean", "site.jsonl", "-o", "clean.jsonl", "--templates", "store"]);
    ok(&folder, &["records", "site.jsonl", "-o", "records.jsonl", "--templates", "store"]);
    let rows = fs::read_to_string(folder.path().join("records.jsonl")).unwrap();
    assert!(rows.lines().all(|row| !row.contains("no_template\"")), "{rows}");
    let single = ["records", "thread.html", "--templates", "store"];
    assert!(fails(&folder, &single).contains("--templates needs --url"));
    ok(&folder, &[&single[..], &["--url", "https://a.example/7"]].concat());
}

#[test]
fn what_cannot_be_written_is_said_before_the_work() {
    let folder = folder();
    for (args, message) in [
        (
            &["thread.html", "-f", "csv", "-o", "out.parquet"][..],
            "by its name the output is parquet, and --format says csv",
        ),
        (&["thread.html", "-f", "parquet"], "Parquet goes to one file: name it with -o"),
        (&["pages", "-f", "parquet", "-o", "out"], "Parquet goes to one file: name it with -o"),
        (&["pages"], "more than one page: name an output with -o"),
        (&["pages", "-o", "out.txt"], "many pages go to"),
        (&["pages", "-o", "out.jsonl", "--pages", "pages"], "--template and --pages go with a single page"),
        (&["pages", "-o", "out.jsonl", "--detector", "align"], "name the templates of their sites with --templates"),
        (&["thread.html", "--report", "report.json"], "--report is about many pages"),
    ] {
        let said = fails(&folder, &[&["records"], args].concat());
        assert!(said.contains(message), "{args:?}: {said}");
    }
    assert!(!folder.path().join("out").exists() && !folder.path().join("out.parquet").exists());
}
