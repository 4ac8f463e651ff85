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
        said.split(" hosts").next().and_then(|text| text.rsplit(' ').next()).unwrap().parse::<u32>().unwrap()
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
