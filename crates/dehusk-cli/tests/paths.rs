//! Where results go: to no input, to nothing that exists without a word, and to standard output if asked.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const PAGE: &str =
    "<title>Nets</title><h1>Nets</h1><p>Nets are mended in May, when the boats come home and the nights are short.";

/// Runs the program in a folder.
fn dehusk(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dehusk")).current_dir(folder).args(args).stdin(Stdio::null()).output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with the pages `a.html` and `b.html`.
fn pages() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in ["a.html", "b.html"] {
        fs::write(folder.path().join(name), format!("{PAGE} {name}")).unwrap();
    }
    folder
}

#[test]
fn no_output_replaces_an_input() {
    let folder = pages();
    let path = folder.path();
    fs::create_dir(path.join("site")).unwrap();
    fs::write(path.join("site/c.html"), PAGE).unwrap();
    fs::hard_link(path.join("a.html"), path.join("same.html")).unwrap();
    for args in [
        &["extract", "a.html", "-o", "a.html"][..],
        &["extract", "a.html", "-o", "./site/../a.html"],
        &["extract", "a.html", "-o", "same.html"],
        &["strip", "a.html", "-o", "a.html"],
        &["explain", "a.html", "-o", "a.html"],
        &["segment", "a.html", "-o", "a.html"],
        &["features", "a.html", "-o", "a.html"],
        &["learn", "a.html", "b.html", "-o", "a.html"],
        &["learn", "a.html", "b.html", "-o", "x.husk", "--report", "b.html"],
        &["extract", "a.html", "b.html", "-o", "x.jsonl", "--report", "b.html"],
        &["clean", "site", "-o", "x.jsonl", "--report", "site/c.html"],
        &["clean", "site", "-o", "x.jsonl", "--report", "x.jsonl"],
        &["duplicates", "site", "-o", "site/c.html"],
    ] {
        let output = dehusk(path, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", message(&output));
        let said = message(&output);
        assert!(said.contains("would replace the input") || said.contains("two outputs"), "{args:?}: {said}");
    }
    assert!(fs::read_to_string(path.join("a.html")).unwrap().starts_with(PAGE));
    assert_eq!(fs::read_to_string(path.join("site/c.html")).unwrap(), PAGE);
    assert!(!path.join("x.jsonl").exists() && !path.join("x.husk").exists());
}

/// Asserts that a command is refused before the work, for a reason.
fn refused(folder: &Path, args: &[&str], reason: &str) {
    let output = dehusk(folder, args);
    let said = message(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(said.contains(reason), "{args:?}: {said}");
}

/// Lines of pages of two sites.
fn lines() -> String {
    let line = |number: usize| {
        let html = format!("{PAGE} This is page {number}.");
        serde_json::json!({"id": number, "url": format!("http://h{}.example/{number}", number % 2), "html": html})
    };
    (0..20).map(|number| format!("{}\n", line(number))).collect()
}

#[test]
fn no_output_replaces_a_file_in_an_input_folder() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("crawl")).unwrap();
    fs::write(path.join("crawl/p.jsonl"), lines()).unwrap();
    for args in [
        &["duplicates", "crawl", "--keep", "first", "-o", "crawl/p.jsonl"][..],
        &["keywords", "crawl", "-o", "crawl/../crawl/p.jsonl"],
        &["label", "crawl", "-o", "crawl/p.jsonl"],
        &["classify", "train", "crawl", "--label-column", "id", "-o", "crawl/p.jsonl"],
        &["train", "block", "crawl", "-o", "crawl/p.jsonl"],
        &["clean", "crawl", "-o", "o.jsonl", "--report", "crawl/p.jsonl"],
    ] {
        refused(path, args, "would replace the input");
    }
    refused(path, &["clean", "crawl", "-o", "o.jsonl", "--report", "crawl/report.html"], "would be read next time");
    assert_eq!(fs::read_to_string(path.join("crawl/p.jsonl")).unwrap(), lines());
    // A file that is being written has a name like this.
    fs::write(path.join(".x.jsonl.part"), lines()).unwrap();
    refused(path, &["keywords", ".x.jsonl.part", "-o", "x.jsonl"], "would replace the input");
    // What is not read in a folder can be written there, and again.
    for _ in 0..2 {
        let output = dehusk(path, &["clean", "crawl", "-o", "o.jsonl", "--report", "crawl/report.json"]);
        assert!(output.status.success(), "{}", message(&output));
    }
}

#[cfg(unix)]
#[test]
fn no_output_replaces_what_links_in_a_folder_lead_to() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("data")).unwrap();
    fs::write(path.join("data/pages.jsonl"), lines()).unwrap();
    for (name, target) in [("folder", "../data"), ("file.jsonl", "../data/pages.jsonl")] {
        let input = path.join(format!("of-{name}"));
        fs::create_dir(&input).unwrap();
        std::os::unix::fs::symlink(target, input.join(name)).unwrap();
        refused(path, &["clean", input.to_str().unwrap(), "-o", "data/pages.jsonl"], "would replace the input");
    }
    assert_eq!(fs::read_to_string(path.join("data/pages.jsonl")).unwrap(), lines());
}

#[test]
fn models_boxes_and_templates_are_inputs() {
    let folder = pages();
    let path = folder.path();
    fs::write(path.join("m"), "a model").unwrap();
    for args in [
        &["extract", "a.html", "-d", "block", "--model", "m", "-o", "m"][..],
        &["strip", "a.html", "--model", "m", "-o", "m"],
        &["explain", "a.html", "--layout", "m", "-o", "m"],
        &["features", "a.html", "--layout", "m", "-o", "m"],
        &["segment", "a.html", "--model", "m", "-o", "m"],
        &["clean", "a.html", "-o", "o.jsonl", "--model", "m", "--report", "m"],
        &["inspect", "a.html", "--model", "m", "--save", "m"],
        &["show-template", "m", "-o", "m"],
    ] {
        refused(path, args, "would replace the input");
    }
    assert_eq!(fs::read_to_string(path.join("m")).unwrap(), "a model");
}

#[test]
fn results_of_pages_replace_neither_pages_nor_each_other() {
    let folder = pages();
    let path = folder.path();
    assert!(dehusk(path, &["learn", "a.html", "b.html", "-o", "t.husk"]).status.success());
    refused(path, &["apply", "a.html", "-t", "t.husk", "-f", "html", "-o", "."], "would replace an input");
    fs::create_dir(path.join("c")).unwrap();
    fs::copy(path.join("a.html"), path.join("c/a.html")).unwrap();
    refused(path, &["apply", "a.html", "c/a.html", "-t", "t.husk", "-o", "out"], "result of two pages");
    refused(path, &["apply", ".", "-t", "t.husk", "-f", "html", "-o", "out"], "would be read next time");
    assert!(fs::read_to_string(path.join("a.html")).unwrap().starts_with(PAGE));
}

#[cfg(unix)]
#[test]
fn named_pipes_are_read_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    for name in ["in.jsonl", "store"] {
        assert!(Command::new("mkfifo").arg(path.join(name)).status().unwrap().success());
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .current_dir(path)
        .args(["clean", "in.jsonl", "-o", "o.jsonl"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than a pipe holds, so that the reader is there to the end.
    let written = fs::File::options()
        .write(true)
        .open(path.join("in.jsonl"))
        .and_then(|mut pipe| pipe.write_all(lines().repeat(100).as_bytes()));
    if written.is_err() {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && written.is_ok(), "{written:?}: {}", message(&output));
    assert_eq!(fs::read_to_string(path.join("o.jsonl")).unwrap().lines().count(), 2000);
    // What is read and written again cannot be a pipe.
    refused(path, &["clean", "o.jsonl", "-o", "x.jsonl", "--templates", "store"], "store: is not a file");
}

#[test]
fn a_dash_is_standard_output() {
    let folder = pages();
    let lines = |args: &[&str]| {
        let output = dehusk(folder.path(), args);
        assert!(output.status.success(), "{args:?}: {}", message(&output));
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert_eq!(lines(&["clean", "a.html", "b.html", "-o", "-"]), 2);
    assert_eq!(lines(&["extract", "a.html", "b.html", "-o", "-"]), 2);
    assert_eq!(lines(&["segment", "a.html", "b.html", "-o", "-"]), 2);
    assert!(lines(&["extract", "a.html", "-o", "-"]) > 0);
    // Both pages have the same text but for their names.
    assert_eq!(lines(&["duplicates", ".", "-o", "-", "--clusters"]), 1);
    let learned = dehusk(folder.path(), &["learn", "a.html", "b.html", "-o", "-"]);
    assert!(learned.stdout.starts_with(b"dehusk-template"), "{}", message(&learned));
    assert!(!folder.path().join("-").exists());
}

#[test]
fn outputs_are_checked_before_the_work() {
    let folder = pages();
    let path = folder.path();
    for name in ["x.csv", "x.json", "x.txt", "x.html"] {
        let output = dehusk(path, &["clean", "a.html", "b.html", "-o", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(message(&output).contains(".jsonl"), "{}", message(&output));
        assert!(!path.join(name).exists(), "{name}");
    }
    // A file where a folder should be.
    let output = dehusk(path, &["clean", "a.html", "b.html", "-o", "a.html/out.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    let output = dehusk(path, &["clean", "a.html", "b.html", "-o", "o.jsonl", "--report", "a.html/r.html"]);
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(!path.join("o.jsonl").exists(), "the report was checked after the work");
}

#[test]
fn outputs_of_the_wrong_kind_are_refused_before_the_work() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("d.jsonl")).unwrap();
    fs::create_dir(path.join("r.html")).unwrap();
    fs::write(path.join("plain"), "").unwrap();
    // An input that does not exist would be the first that is wrong, were it looked at.
    for (args, reason) in [
        (&["clean", "missing", "-o", "d.jsonl"][..], "d.jsonl: is a folder"),
        (&["clean", "missing", "-o", "plain"], "plain: is a file"),
        (&["clean", "missing", "-o", "/dev/null"], "/dev/null: is a file"),
        (&["clean", "missing", "-o", "o.jsonl", "--report", "r.html"], "r.html: is a folder"),
        (&["clean", "missing", "-o", "o.jsonl", "--report", "plain/report"], "cannot write"),
        (&["duplicates", "missing", "-o", "d.jsonl"], "d.jsonl: is a folder"),
        (&["duplicates", "missing", "-o", "d.csv"], "ends in .jsonl"),
        (&["keywords", "missing", "-o", "k.csv"], "ends in .jsonl"),
        (&["cluster", "missing", "-o", "k"], "ends in .jsonl"),
        (&["classify", "apply", "plain", "missing", "-o", "k.txt"], "ends in .jsonl"),
        (&["label", "missing", "-o", "r.html"], "r.html: is a folder"),
        (&["train", "block", "missing", "-o", "r.html"], "r.html: is a folder"),
        (&["learn", "missing", "-o", "plain/t.husk"], "cannot write"),
    ] {
        refused(path, args, reason);
    }
    assert_eq!(fs::read_dir(path).unwrap().count(), 3);
}

#[test]
fn standard_output_has_the_records_of_pages_that_failed() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.jsonl"), "{\"id\":1,\"url\":\"http://a/\",\"body\":\"x\"}\n").unwrap();
    let output = dehusk(folder.path(), &["clean", "p.jsonl", "-o", "-"]);
    assert_eq!(output.status.code(), Some(2));
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(lines.lines().count() == 1 && lines.contains("missing_column"), "{lines}");
}

#[test]
fn reports_are_written_or_refused() {
    let folder = pages();
    let path = folder.path();
    fs::write(path.join("p.jsonl"), lines()).unwrap();
    for args in [
        &["label", "p.jsonl", "-o", "l.jsonl"][..],
        &["duplicates", "p.jsonl", "--paragraphs", "-o", "d.jsonl"],
        &["train", "block", "p.jsonl", "-o", "m", "--folds", "2"],
        &["train", "pagelevel", "p.jsonl", "-o", "m"],
    ] {
        let output = dehusk(path, &[args, &["--report", "report.json"]].concat());
        assert!(output.status.success(), "{args:?}: {}", message(&output));
        let report: serde_json::Value = serde_json::from_slice(&fs::read(path.join("report.json")).unwrap()).unwrap();
        assert!(report.is_object(), "{args:?}: {report}");
        fs::remove_file(path.join("report.json")).unwrap();
    }
    assert!(dehusk(path, &["learn", "a.html", "b.html", "-o", "t.husk"]).status.success());
    refused(path, &["extract", "a.html", "-o", "x.txt", "--report", "report.json"], "--report");
    refused(path, &["segment", "a.html", "-o", "s.json", "--report", "report.json"], "--report");
    refused(path, &["apply", "a.html", "-t", "t.husk", "--report", "report.json"], "--report");
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let folder = pages();
    for (option, reason) in [
        ("--threshold=NaN", "give a number"),
        ("--threshold=7", "from 0 to 1"),
        ("--penalty=NaN", "0 or more"),
        ("--penalty=-3", "0 or more"),
    ] {
        refused(folder.path(), &["extract", "a.html", "-d", "pagelevel", option], reason);
    }
    refused(folder.path(), &["features", "a.html", "--least-area=NaN"], "0 or more");
    for number in ["NaN", "0", "5", "-1", "inf"] {
        refused(folder.path(), &["label", "missing", &format!("--threshold={number}")], "above 0 and at most 1");
    }
    for number in ["NaN", "-0.1", "5"] {
        refused(folder.path(), &["keywords", "missing", &format!("--min-score={number}")], "from 0 to 1");
    }
}

#[test]
fn completions_can_be_cut_short() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), message(&output)), (Some(0), String::new()));
}

#[test]
fn what_exists_is_not_replaced_without_a_word() {
    let folder = pages();
    let path = folder.path();
    let clean = |more: &[&str]| dehusk(path, &[&["clean", "a.html", "b.html"], more].concat());
    assert!(clean(&["-o", "o.jsonl"]).status.success());
    assert!(message(&clean(&["-o", "o.jsonl"])).contains("will be replaced"));
    assert!(clean(&["-o", "out"]).status.success());
    let again = clean(&["-o", "out", "-f", "markdown"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(message(&again).contains("--overwrite"), "{}", message(&again));
    assert!(clean(&["-o", "out", "-f", "markdown", "--overwrite"]).status.success());
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = TempDir::new().unwrap();
    let site = folder.path().join(OsStr::from_bytes(b"s\xff\xfe"));
    fs::create_dir(&site).unwrap();
    let page = site.join(OsStr::from_bytes(b"p\xe9.html"));
    fs::write(&page, PAGE).unwrap();
    for input in [&site, &page] {
        let output = Command::new(env!("CARGO_BIN_EXE_dehusk"))
            .args(["clean".as_ref(), input.as_os_str(), "-o".as_ref(), folder.path().join("o.jsonl").as_os_str()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", message(&output));
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_multiply_pages() {
    let folder = TempDir::new().unwrap();
    let tree = folder.path().join("tree");
    for number in 0..16 {
        fs::create_dir_all(tree.join(format!("d{number:02}"))).unwrap();
    }
    fs::write(tree.join("d15/p.html"), PAGE).unwrap();
    for number in 0..15 {
        for name in ["x", "y"] {
            let link = tree.join(format!("d{number:02}/{name}"));
            std::os::unix::fs::symlink(format!("../d{:02}", number + 1), link).unwrap();
        }
    }
    // A folder outside is read by the first of the links to it.
    fs::create_dir(folder.path().join("outside")).unwrap();
    fs::write(folder.path().join("outside/q.html"), PAGE).unwrap();
    for name in ["e1", "e2"] {
        std::os::unix::fs::symlink("../outside", tree.join(name)).unwrap();
    }
    let output = dehusk(folder.path(), &["extract", "tree", "-o", "-"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
}

#[test]
fn the_folder_of_a_site_is_one_site() {
    let folder = TempDir::new().unwrap();
    let hosts = |name: &str, files: &[&str]| {
        for file in files {
            let path = folder.path().join(name).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, PAGE).unwrap();
        }
        let output = dehusk(folder.path(), &["clean", name, "-o", "-"]);
        let said = message(&output);
        said.split(" host").next().and_then(|text| text.rsplit(' ').next()).unwrap().parse::<u32>().unwrap()
    };
    assert_eq!(hosts("one", &["index.html", "news/a.html", "shop/b.html"]), 1);
    assert_eq!(hosts("www.example.org", &["news/a.html", "shop/b.html"]), 1);
    assert_eq!(hosts("crawl", &["first/a.html", "second/b.html"]), 2);
    assert_eq!(hosts("mirror", &["index.html", "a.example/a.html", "b.example/b.html"]), 3);
}

#[test]
fn messages_do_not_command_the_terminal() {
    let folder = TempDir::new().unwrap();
    let line = serde_json::json!({ "url": format!("http://h/\u{1b}]0;x\u{7}{}", "a".repeat(100_000)), "html": PAGE });
    fs::write(folder.path().join("p.jsonl"), format!("{line}\n")).unwrap();
    let output = dehusk(folder.path(), &["extract", "p.jsonl", "-o", "o.jsonl"]);
    assert!(output.stderr.len() < 5000 && !output.stderr.contains(&0x1b) && !output.stderr.contains(&7));
}

#[test]
fn what_messages_quote_is_no_message_of_the_program() {
    let folder = TempDir::new().unwrap();
    let line =
        serde_json::json!({"url": format!("http://h/\nwritten to /safe\n{}", "x ".repeat(50_000)), "html": PAGE});
    fs::write(folder.path().join("p.jsonl"), format!("{line}\n")).unwrap();
    let output = dehusk(folder.path(), &["extract", "p.jsonl", "-o", "o.jsonl"]);
    let said = message(&output);
    assert!(said.contains("largest page") && !said.contains("\nwritten to /safe") && said.len() < 6000, "{said}");
}

/// Interrupts a run as soon as it has a temporary folder, and returns what it says and how many folders it leaves.
#[cfg(unix)]
fn interrupted(folder: &Path, args: &[&str]) -> (Output, usize) {
    let temporary = folder.join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .current_dir(folder)
        .env("TMPDIR", &temporary)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !fs::read_dir(&temporary).unwrap().flatten().any(|entry| entry.path().is_dir()) {
        assert!(child.try_wait().unwrap().is_none(), "{args:?} has ended");
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    (output, fs::read_dir(&temporary).unwrap().count())
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_temporary_folder() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.jsonl"), lines().repeat(100)).unwrap();
    // The first waits for its input, the second has more to write than a pipe holds.
    for args in [&["clean", "-", "-o", "-"][..], &["keywords", "p.jsonl", "--carry", "html"]] {
        let (output, left) = interrupted(folder.path(), args);
        assert_eq!((output.status.code(), left), (Some(130), 0), "{args:?}: {}", message(&output));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on_and_leaves_no_copy_of_its_input() {
    let folder = TempDir::new().unwrap();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_dehusk"))
        .current_dir(folder.path())
        .env("TMPDIR", &temporary)
        .args(["clean", "-", "-o", "o.jsonl"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It waits for the rest of its input; the copy of what it has is there by then, or not yet begun.
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"url\":\"http://h/1\",\"html\":\"<p>x\"}\n").unwrap();
    while !fs::read_dir(format!("/proc/{}/fd", child.id()))
        .map(|files| files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|to| to.starts_with(&temporary))))
        .unwrap_or(true)
    {
        std::thread::yield_now();
    }
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(message(&output).contains("--resume"), "{}", message(&output));
    if cfg!(target_os = "linux") {
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
    drop(input);
}
