//! What the program prints: every help text, and the output, messages and exit code of typical commands.
//!
//! After a wanted change: `INSTA_UPDATE=always cargo test -p dehusk-cli --test snapshots`, then read the diff of `tests/snapshots`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const ABOUT: &str = "sites/harbour-notes.example/about.html";

/// A folder with the example sites, in which commands run, so that no path of the machine shows.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = TempDir::new().unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites"), &folder.path().join("sites"));
        Folder(folder)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    /// Runs a command line and returns all it printed.
    fn run(&self, line: &str) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_dehusk"))
            .args(line.split(' '))
            .current_dir(&self.0)
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let code = output.status.code().map_or("a signal".to_string(), |code| code.to_string());
        let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let err: String = err.lines().map(|line| without_times(line) + "\n").collect();
        let out = without_dates(out);
        format!("$ dehusk {line}\n{out}--- standard error\n{err}--- exit code {code}\n")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A line of the summary without what differs from run to run.
fn without_times(line: &str) -> String {
    if line.starts_with("slowest page:") { "slowest page: [time and page]".into() } else { line.into() }
}

/// A text with `[date]` for every day, as templates say when they were learned.
fn without_dates(mut text: String) -> String {
    let is_day = |bytes: &[u8]| {
        let digit_or_dash =
            |(at, byte): (usize, &u8)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() };
        bytes.iter().enumerate().all(digit_or_dash)
    };
    while let Some(at) = text.as_bytes().windows(10).position(is_day) {
        text.replace_range(at..at + 10, "[date]");
    }
    text
}

/// Compares what command lines print with the snapshot of a name.
#[track_caller]
fn check(folder: &Folder, name: &str, lines: &[&str]) {
    let printed: Vec<String> = lines.iter().map(|line| folder.run(line)).collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, printed.join("\n"));
    });
}

/// The commands a help text lists.
fn commands(help: &str) -> Vec<String> {
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let names = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
        let is_name = line.starts_with("  ") && !line.starts_with("   ");
        line.split_whitespace().next().filter(|name| is_name && *name != "help").map(String::from)
    });
    names.collect()
}

#[test]
fn help_of_every_command() {
    let folder = Folder::new();
    let mut waiting = vec![String::new()];
    let mut seen = 0;
    while let Some(command) = waiting.pop() {
        let (short, long) = (format!("{command} -h"), format!("{command} --help"));
        let name = format!("help{}", command.replace(' ', "-"));
        check(&folder, &name, &[short.trim_start(), long.trim_start()]);
        waiting.extend(commands(&folder.run(short.trim_start())).into_iter().map(|name| format!("{command} {name}")));
        seen += 1;
    }
    assert!(seen > 12, "only {seen} help texts were found");
}

#[test]
fn extract_in_every_format() {
    let folder = Folder::new();
    for format in ["text", "markdown", "html", "json"] {
        check(&folder, &format!("extract-{format}"), &[&format!("extract --format {format} {ABOUT}")]);
    }
    check(&folder, "extract-metadata", &[&format!("extract --metadata --format markdown {ABOUT}")]);
}

#[test]
fn detectors_for_one_page() {
    let folder = Folder::new();
    for detector in ["block", "pagelevel", "none"] {
        check(&folder, &format!("extract-{detector}"), &[&format!("extract --detector {detector} {ABOUT}")]);
    }
}

#[test]
fn explain_and_strip() {
    let folder = Folder::new();
    check(&folder, "explain", &[&format!("explain {ABOUT}")]);
    check(&folder, "strip", &[&format!("strip {ABOUT}")]);
}

#[test]
fn a_site_is_learned_and_used() {
    let folder = Folder::new();
    let lines = [
        "learn sites/harbour-notes.example -o site.husk",
        "learn --method treemap sites/harbour-notes.example -o treemap.husk",
        "learn --method align sites/harbour-notes.example -o align.husk",
        "learn --method auto sites/harbour-notes.example -o auto.husk",
        "apply --template site.husk sites/harbour-notes.example -o applied",
        "drift site.husk sites/harbour-notes.example",
        "drift site.husk sites/docs.tidepool.example",
        "show-template site.husk -o template.html",
        // The drawing as text.
        "extract --detector none template.html",
    ];
    check(&folder, "site", &lines);
    check(&folder, "site-extract", &[&format!("extract --template site.husk {ABOUT}")]);
    check(&folder, "site-explain", &[&format!("explain --detector sitelevel --template site.husk {ABOUT}")]);
}

#[test]
fn a_crawl_is_cleaned() {
    let folder = Folder::new();
    folder.write("pages.jsonl", b"{\"url\":\"http://a.example/1\",\"html\":\"<p>One page alone.</p>\"}\nnot json\n");
    let lines = [
        "clean sites -o cleaned.jsonl",
        "clean sites -o cleaned.parquet",
        "clean sites -o cleaned",
        "clean pages.jsonl -o pages-cleaned.jsonl",
        "clean --strict pages.jsonl -o pages-strict.jsonl",
        "extract sites/docs.tidepool.example -o extracted.jsonl",
    ];
    check(&folder, "clean", &lines);
    let record = fs::read_to_string(folder.0.path().join("pages-cleaned.jsonl")).unwrap();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("clean-records", record);
    });
}

#[test]
fn messages_of_what_cannot_be_done() {
    let folder = Folder::new();
    folder.write("picture.html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    folder.write("container.bin", b"neither this nor that");
    folder.write("cut.warc", b"WARC/1.0\r\nWARC-Type: response\r\n");
    let lines = [
        "extract missing.html",
        "extract picture.html",
        &format!("extract --focus 2 {ABOUT}"),
        &format!("extract --format pdf {ABOUT}"),
        &format!("extract --template {ABOUT} {ABOUT}"),
        &format!("extract --detector sitelevel {ABOUT}"),
        &format!("extract --threshold 7 {ABOUT}"),
        &format!("extract --max-bytes 10 {ABOUT}"),
        "learn missing -o site.husk",
        &format!("learn {ABOUT} -o site.husk"),
        "clean missing -o out.jsonl",
        "clean container.bin -o out.jsonl",
        "clean --strict cut.warc -o out.jsonl",
        "show-template missing.husk",
        "extract",
        "nonsense",
    ];
    check(&folder, "messages", &lines);
}
