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
    for word in [
        "clean",
        "learn",
        "extract",
        "strip",
        "explain",
        "segment",
        "apply",
        "drift",
        "show-template",
        "dehusk clean crawl/ -o cleaned/",
    ] {
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
    assert!(fs::read_to_string(&template).unwrap().starts_with("dehusk-template 3\nsite: harbour-notes.example\n"));
    let whole = ok(&["extract", "--detector", "none", &page]);
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
fn templates_are_evidence_or_decide_alone() {
    let (folder, template, page) = site_with_template();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let record = |more: &[&str]| -> serde_json::Value {
        serde_json::from_str(&ok(&[&["extract", "--template", &template, "--format", "json", &page], more].concat()))
            .unwrap()
    };
    let fused = record(&[]);
    assert_eq!(fused["detector"], "fusion+sitelevel");
    assert!(fused["confidence"].is_number() && fused["page_type"].is_string(), "{fused}");
    assert!(ok(&["explain", "--template", &template, &page]).contains("confidence 0."));
    let alone = record(&["--detector", "sitelevel"]);
    assert_eq!((&alone["detector"], &alone["confidence"]), (&"sitelevel".into(), &serde_json::Value::Null));
    assert!(fails(&["extract", "--template", &template, "--detector", "block", &page]).contains("one page alone"));
    let sites = sites().to_str().unwrap().to_string();
    for (detector, has_confidence) in [("fusion", true), ("sitelevel", false)] {
        ok(&["clean", &sites, "-o", &path("out.jsonl"), "--detector", detector]);
        assert!(lines(&path("out.jsonl")).iter().all(|record| record["confidence"].is_number() == has_confidence));
    }
    // More focus on recall keeps more.
    let kept = |focus: &str| {
        ok(&["clean", &sites, "-o", &path("out.jsonl"), "--focus", focus]);
        lines(&path("out.jsonl")).iter().filter_map(|record| record["kept_characters"].as_u64()).sum::<u64>()
    };
    assert!(kept("0.1") < kept("balanced") && kept("balanced") < kept("0.9"));
    assert!(fails(&["clean", &sites, "-o", &path("x"), "--detector", "pagelevel"]).contains("dehusk extract"));
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
    // Each page on its own: nothing is compared, and without a detector nothing is dropped.
    ok(&[&["extract", &input, "-o", &path("alone.jsonl"), "--detector", "none"], &columns[..]].concat());
    assert!(lines(&path("alone.jsonl"))[3]["text"].as_str().unwrap().contains("Products and services"));
    // By default a model judges each page by itself; ids stay.
    ok(&[&["extract", &input, "-o", &path("model.jsonl")], &columns[..]].concat());
    let judged = lines(&path("model.jsonl"));
    assert_eq!(judged[3]["id"], 3);
    assert!(!judged[3]["text"].as_str().unwrap().contains("Products and services"), "{}", judged[3]["text"]);
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
    // A damaged store is said to be one, and no run begins with it.
    let sound = fs::read(&store).unwrap();
    for cut in [0, 10, sound.len() / 2, sound.len() - 1] {
        fs::write(path("damaged"), &sound[..cut]).unwrap();
        for learn in [&[][..], &["--no-learn"]] {
            let command = ["clean", &sites, "-o", &path("d.jsonl"), "--templates", &path("damaged")];
            let message = fails(&[&command, learn].concat());
            assert!(message.contains(&path("damaged")) && message.contains("learn again"), "{message}");
            assert!(!message.contains("panicked") && !Path::new(&path("d.jsonl")).exists());
            assert!(!Path::new(&path("d.jsonl.dehusk-run")).exists());
        }
    }
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
    while child.try_wait().unwrap().is_none() && !Path::new(&state).join("chunk-00000000.jsonl").exists() {
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
fn every_method_learns_applies_and_cleans() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let site = sites().join("harbour-notes.example").to_str().unwrap().to_string();
    let page = format!("{site}/about.html");
    let whole = ok(&["extract", "--detector", "none", &page]);
    for method in ["sitelevel", "treemap", "align", "auto", "treemap-paper", "align-paper"] {
        let template = path(&format!("{method}.husk"));
        ok(&["learn", &site, "-o", &template, "--method", method]);
        let clean = ok(&["extract", "--template", &template, &page]);
        assert!(clean.len() < whole.len() && !clean.is_empty(), "{method}");
        let record: serde_json::Value =
            serde_json::from_str(&ok(&["extract", "--template", &template, "--format", "json", &page])).unwrap();
        assert!(record["template_fit"].as_f64().unwrap() > 0.3, "{method}: {}", record["template_fit"]);
        ok(&["apply", &site, "--template", &template, "-o", &path(method)]);
        let out = path(&format!("{method}.jsonl"));
        ok(&["clean", &site, "-o", &out, "--method", method, "--threads", "3"]);
        let dropped = |record: &serde_json::Value| record["dropped_characters"].as_u64().unwrap();
        assert!(lines(&out).iter().map(dropped).sum::<u64>() > 0, "{method}");
        let named = lines(&out).iter().filter(|record| record["template"].is_number()).count();
        assert_eq!(named > 0, method != "sitelevel", "{method}");
    }
    // What a template does not hold cannot be asked of it; counts it holds always.
    let told = fails(&["extract", "--template", &path("sitelevel.husk"), "--method", "treemap", &page]);
    assert!(told.contains("learn it again with treemap"), "{told}");
    ok(&["extract", "--template", &path("treemap.husk"), "--method", "sitelevel", &page]);
}

#[test]
fn align_as_published_and_its_share_can_be_asked_for() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let site = sites().join("harbour-notes.example").to_str().unwrap().to_string();
    let clean = |name: &str, flags: &[&str]| {
        let out = path(name);
        ok(&[&["clean", &site, "-o", &out, "--detector", "align"], flags].concat());
        fs::read(&out).unwrap()
    };
    let ours = clean("ours.jsonl", &[]);
    let paper = clean("paper.jsonl", &["--method", "align-paper"]);
    assert_eq!(ours, clean("fifth.jsonl", &["--align-share", "0.2"]));
    assert_eq!(paper, clean("paper-half.jsonl", &["--method", "align-paper", "--align-share", "0.5"]));
    let half = clean("half.jsonl", &["--align-share", "0.5"]);
    assert!(ours != half && half != paper && ours != paper);
    assert!(
        fails(&["learn", &site, "-o", &path("x.husk"), "--method", "align", "--align-share", "0"]).contains("above 0")
    );
    // The published variants are detectors, too.
    let template = path("paper.husk");
    ok(&["learn", &site, "-o", &template, "--method", "align-paper"]);
    ok(&["extract", "--template", &template, "--detector", "align-paper", &format!("{site}/about.html")]);
    let told = fails(&["extract", "--template", &template, "--detector", "align", &format!("{site}/about.html")]);
    assert!(told.contains("learned with align-paper"), "{told}");
}

#[test]
fn drift_is_told_and_templates_are_drawn() {
    let (folder, template, page) = site_with_template();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let own = Path::new(&page).parent().unwrap().to_str().unwrap().to_string();
    let told = ok(&["drift", &template, &own]);
    assert!(told.contains("the templates fit"), "{told}");
    let other = sites().join("werkbank-laden.example").to_str().unwrap().to_string();
    let output = dehusk(&["drift", &template, &other, "--report", &path("drift.json")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("stopped") && text(&output.stdout).contains("learn the site again"));
    let report: serde_json::Value = serde_json::from_slice(&fs::read(path("drift.json")).unwrap()).unwrap();
    assert_eq!(report["drifted"], true);
    ok(&["show-template", &template, "-o", &path("template.html")]);
    let drawing = fs::read_to_string(path("template.html")).unwrap();
    assert!(drawing.contains("<section id=s0>") && !drawing.contains("<script"));
    // From a store, by the name of the site.
    ok(&["clean", &own, "-o", &path("out.jsonl"), "--templates", &path("store"), "--method", "auto"]);
    let name = lines(&path("out.jsonl"))[0]["host"].as_str().unwrap().to_string();
    assert!(ok(&["show-template", &name, "--templates", &path("store")]).contains("<section id=s0>"));
    assert!(fails(&["show-template", "nowhere.example", "--templates", &path("store")]).contains("knows no site"));
}

#[test]
fn one_page_alone_is_enough_for_page_level() {
    let page = sites().join("harbour-notes.example/about.html");
    let page = page.to_str().unwrap();
    let kept = ok(&["extract", "--detector", "pagelevel", page]);
    let all = ok(&["extract", "--detector", "none", page]);
    assert!(!kept.trim().is_empty() && kept.len() < all.len(), "something is dropped and something stays");
    let all_again = ok(&["extract", "--detector", "pagelevel", "--threshold", "1", "--penalty", "1000000", page]);
    assert_eq!(all_again, all, "one section with a low score keeps all");
    let reasons = ok(&["explain", "--detector", "pagelevel", page]);
    assert!(reasons.contains("section ") && reasons.contains("a model scores it"), "{reasons}");
    assert!(reasons.contains("_share ") || reasons.contains("_log "), "features that weighed are named: {reasons}");
}

#[test]
fn features_are_a_table() {
    let page = sites().join("harbour-notes.example/about.html");
    let page = page.to_str().unwrap();
    let table = ok(&["features", page]);
    let columns = table.lines().next().unwrap().split(',').count();
    assert!(columns > 100 && table.starts_with("node,element,left_margin"));
    assert!(table.lines().count() > 10);
    let first = ok(&["features", "--json", "--least-area", "2000", page]);
    let record: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(record["element"], "body.section-about");
    assert_eq!(record["width_share"].as_f64().map(|share| share > 0.5), Some(true));
    assert_eq!(record.as_object().unwrap().len(), columns);
}

#[test]
fn boxes_from_a_file_are_used_or_refused() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.html");
    fs::write(&page, "<body><p>text</p>").unwrap();
    let boxes = folder.path().join("boxes.json");
    let one = |name: &str| format!("{{\"name\":\"{name}\",\"x\":0,\"y\":0,\"width\":1280,\"height\":640}}");
    fs::write(&boxes, format!("{{\"elements\":[{},{}]}}", one("body"), one("p"))).unwrap();
    let (page, boxes) = (page.to_str().unwrap(), boxes.to_str().unwrap());
    assert!(ok(&["features", "--json", "--layout", boxes, page]).contains("\"height_share\":1.0"));
    fs::write(boxes, format!("{{\"elements\":[{},{}]}}", one("body"), one("ul"))).unwrap();
    assert!(fails(&["features", "--layout", boxes, page]).contains("another page"));
    fs::write(boxes, "[]").unwrap();
    assert!(fails(&["features", "--layout", boxes, page]).contains("elements"));
}

#[test]
fn training_page_level_needs_sites_and_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let crawl = folder.path().join("crawl.jsonl");
    let mut lines = String::new();
    for site in ["a", "b", "c", "d"] {
        for number in 0..10 {
            let words = format!("Page {number} of {site} tells of boats, nets and rain. ").repeat(5 + number);
            let menu: String = (0..6).map(|item| format!("<li><a href=/{item}>{site} item {item}</a>")).collect();
            let html =
                format!("<title>{site} {number}</title><ul class=menu style='height:90px'>{menu}</ul><p>{words}</p>");
            let record = serde_json::json!({"url": format!("http://{site}.example/{number}"), "html": html});
            lines.push_str(&format!("{record}\n"));
        }
    }
    fs::write(&crawl, lines).unwrap();
    let crawl = crawl.to_str().unwrap();
    let train = |name: &str, threads: &str| {
        let model = folder.path().join(name);
        ok(&["train", "pagelevel", crawl, "-o", model.to_str().unwrap(), "--threads", threads]);
        fs::read(&model).unwrap()
    };
    assert_eq!(train("one", "1"), train("two", "2"));
    let page = folder.path().join("page.html");
    let menu: String = (0..6).map(|item| format!("<li><a href=/{item}>New item {item}</a>")).collect();
    let words = "Ropes are tarred in May, and boats go out again. ".repeat(8);
    fs::write(&page, format!("<ul class=menu style='height:90px'>{menu}</ul><p>{words}")).unwrap();
    let model = folder.path().join("one");
    let arguments = ["extract", "--detector", "pagelevel", "--model", model.to_str().unwrap(), page.to_str().unwrap()];
    assert_eq!(ok(&arguments).trim(), words.trim());
    assert!(fails(&["train", "pagelevel", page.to_str().unwrap(), "-o", "x.model"]).contains("sites"));
}

#[test]
fn several_formats_go_to_one_record_or_to_files() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.html");
    let words = "Nets are mended in May, when the boats come home. ".repeat(20);
    fs::write(&page, format!("<title>Nets</title><p>{words}<ul><li>rope<li>tar</ul>")).unwrap();
    let page = page.to_str().unwrap();
    let records = folder.path().join("out.jsonl");
    ok(&["extract", page, "-f", "text", "-f", "markdown", "-o", records.to_str().unwrap()]);
    let record: serde_json::Value = serde_json::from_str(fs::read_to_string(&records).unwrap().trim()).unwrap();
    assert!(record["text"].as_str().unwrap().starts_with("Nets are"));
    assert!(record["markdown"].as_str().unwrap().starts_with("# Nets\n\nNets are"));
    let files = folder.path().join("files");
    ok(&["extract", page, "-f", "text,markdown", "-o", files.to_str().unwrap()]);
    assert!(fails(&["extract", page, "-f", "text,markdown"]).contains("several formats"));
    assert!(ok(&["extract", page, "--heading", "keep"]).starts_with("Nets\n\nNets are"));
    assert!(ok(&["extract", page, "-f", "markdown", "--heading", "drop"]).starts_with("Nets are"));
    let report: serde_json::Value = serde_json::from_str(&ok(&["explain", page, "--format", "json"])).unwrap();
    assert!(report["blocks"][0]["features"].is_string());
}

#[test]
fn metadata_is_said_where_asked_for() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.html");
    let words = "Nets are mended in May, when the boats come home and the nights are short. Whoever has hands to spare sits on the quay, \
        and the old ones tell how it was done before. ".repeat(5);
    let source = format!(
        "<html lang=en><title>Nets</title><meta name=author content='Ann Lee'><meta name=date content=2024-03-05><p>{words}"
    );
    fs::write(&page, &source).unwrap();
    let page = page.to_str().unwrap();
    assert!(ok(&["extract", page]).starts_with("Nets are"));
    for (format, start) in [("text", "Nets are"), ("markdown", "# Nets\n\nNets are")] {
        let out = ok(&["extract", "--metadata", "--format", format, page]);
        let fields =
            "title: \"Nets\"\nauthor: \"Ann Lee\"\ndate: \"2024-03-05\"\nlanguage: \"en\"\ndetected_language: \"en\"";
        let head = format!("---\n{fields}\n---\n\n{start}");
        assert!(out.starts_with(&head), "{out}");
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

fn json_lines(path: &Path) -> Vec<serde_json::Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keys(record: &serde_json::Value) -> Vec<String> {
    record.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn a_page_is_split_into_segments() {
    let page = sites().join("harbour-notes.example/about.html");
    let page = page.to_str().unwrap();
    let mut counts = Vec::new();
    for method in ["best", "gcuts", "cclus", "sections"] {
        let record: serde_json::Value = serde_json::from_str(&ok(&["segment", "--method", method, page])).unwrap();
        assert_eq!(record["method"], method);
        let segments = record["segments"].as_array().unwrap();
        let mut leaves: Vec<u64> = Vec::new();
        for segment in segments {
            leaves.extend(segment["leaves"].as_array().unwrap().iter().map(|leaf| leaf.as_u64().unwrap()));
            assert_eq!(segment["nodes"].as_array().unwrap().len(), segment["paths"].as_array().unwrap().len());
        }
        leaves.sort_unstable();
        assert!(leaves.windows(2).all(|pair| pair[0] < pair[1]), "a leaf is in two segments of {method}");
        counts.push(leaves);
    }
    assert!(counts.iter().all(|leaves| *leaves == counts[0]), "all methods have the same leaves");
    let best: serde_json::Value =
        serde_json::from_str(&ok(&["segment", "--url", "https://a.example/\"", page])).unwrap();
    assert_eq!(best["url"], "https://a.example/\"");
    assert!(ok(&["segment", "-f", "svg", page]).starts_with("<svg "));
    assert!(ok(&["segment", "-f", "html", page]).starts_with("<!doctype html>"));
    assert!(fails(&["segment", "--method", "vips", page]).contains("best, gcuts, cclus, sections"));
    assert!(fails(&["segment", "--model", page, page]).contains("about.html"));
}

#[test]
fn segments_of_many_pages_are_records() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (input, out) = (path("in.jsonl"), path("out.jsonl"));
    let mut lines = String::new();
    for number in 0..40 {
        let html =
            format!("<nav><a href=/>Home</a></nav><main><h1>Page {number}</h1><p>Nets are mended in May.</p></main>");
        let url = format!("http://a.example/{number}");
        lines.push_str(&format!("{}\n", serde_json::json!({"id": number, "url": url, "html": html})));
    }
    lines.push_str("not json\n");
    lines.push_str(&format!("{}\n", serde_json::json!({"id": "png", "html": "\u{fffd}PNG\0\0\0\0\0\0"})));
    fs::write(&input, &lines).unwrap();
    let run = |threads: &str, more: &[&str]| {
        let arguments = ["segment", input.to_str().unwrap(), "-o", out.to_str().unwrap(), "--threads", threads];
        dehusk(&[&arguments, more].concat())
    };
    let output = run("1", &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("42 pages"), "{}", text(&output.stderr));
    let one = fs::read(&out).unwrap();
    let records = json_lines(&out);
    assert_eq!(records.len(), 42);
    assert!((0..40).all(|number| records[number]["id"] == number && records[number]["error"].is_null()));
    assert_eq!(records[7]["url"], "http://a.example/7");
    assert!(records[7]["segments"].to_string().contains("Page 7"));
    assert_eq!(records[40]["error"], "bad_json");
    assert!(records.iter().all(|record| keys(record) == keys(&records[0])));
    // The record of a single page is the same, without what a container says of it.
    let page = path("page.html");
    fs::write(&page, "<nav><a href=/>Home</a></nav><main><h1>Page 7</h1><p>Nets are mended in May.</p></main>")
        .unwrap();
    let single: serde_json::Value = serde_json::from_str(&ok(&["segment", page.to_str().unwrap()])).unwrap();
    assert_eq!(keys(&single), keys(&records[7]));
    assert_eq!(single["segments"], records[7]["segments"]);
    // Threads do not change a byte, and --strict says that pages failed.
    assert_eq!(run("3", &["--strict"]).status.code(), Some(1));
    assert_eq!(fs::read(&out).unwrap(), one);
}

#[test]
fn folders_are_split_into_records_and_pictures() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let site = sites().join("harbour-notes.example/2024");
    let site = site.to_str().unwrap();
    ok(&["segment", site, "-o", &path("out.jsonl")]);
    let records = json_lines(Path::new(&path("out.jsonl")));
    assert!(records.len() > 2 && records.iter().all(|record| !record["segments"].as_array().unwrap().is_empty()));
    ok(&["segment", site, "-o", &path("out.parquet")]);
    ok(&["segment", site, "-f", "svg", "-o", &path("pictures")]);
    ok(&["segment", site, "-o", &path("records")]);
    let files = |name: &str| {
        let entries = walkdir::WalkDir::new(path(name)).into_iter().map(Result::unwrap);
        entries.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect::<Vec<_>>()
    };
    let (pictures, files) = (files("pictures"), files("records"));
    assert_eq!((pictures.len(), files.len()), (records.len(), records.len()));
    assert!(pictures.iter().all(|path| fs::read_to_string(path).unwrap().starts_with("<svg ")));
    let file: serde_json::Value = serde_json::from_str(&fs::read_to_string(&files[0]).unwrap()).unwrap();
    assert_eq!(keys(&file), keys(&records[0]));
    assert!(fails(&["segment", site]).contains("-o"));
    assert!(fails(&["segment", site, "-f", "html", "-o", &path("all.html")]).contains("folder"));
    assert!(fails(&["segment", site, "-f", "svg", "-o", &path("all.jsonl")]).contains("folder"));
    assert!(fails(&["segment", site, "--layout", "chromium", "-o", &path("x.jsonl")]).contains("single page"));
}

#[test]
fn segments_use_boxes_of_their_page_only() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (page, boxes, picture) = (path("page.html"), path("boxes.json"), path("picture.html"));
    fs::write(&page, "<body><p>one</p><p>two</p>").unwrap();
    let one = |name: &str, y: f32| serde_json::json!({"name": name, "x": 0, "y": y, "width": 1280, "height": 320.3});
    fs::write(&boxes, serde_json::json!({"elements": [one("body", 0.0), one("p", 0.0), one("p", 9000.0)]}).to_string())
        .unwrap();
    let record: serde_json::Value = serde_json::from_str(&ok(&["segment", "--layout", &boxes, &page])).unwrap();
    assert_eq!(record["page"]["height"], 9320.3);
    fs::write(&boxes, serde_json::json!({"elements": [one("body", 0.0), one("ul", 0.0)]}).to_string()).unwrap();
    assert!(fails(&["segment", "--layout", &boxes, &page]).contains("another page"));
    fs::write(&page, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    assert!(fails(&["segment", "-f", "html", "-o", &picture, &page]).contains("page.html"));
    assert!(!Path::new(&picture).exists());
}

#[test]
fn a_run_that_read_no_page_has_failed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (_site, template, _) = site_with_template();
    fs::create_dir(path("empty")).unwrap();
    fs::write(path("empty.jsonl"), "").unwrap();
    fs::write(path("broken.jsonl"), "{\n[\n").unwrap();
    fs::write(path("picture.html"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    let (out, none) = (path("out.jsonl"), "no page was found");
    for (input, message) in
        [("empty", none), ("empty.jsonl", none), ("broken.jsonl", "none of the 2 pages could be read")]
    {
        let input = path(input);
        for command in ["clean", "extract", "segment"] {
            let said = fails(&[command, &input, "-o", &out]);
            assert!(said.contains(message), "{command} {input}: {said}");
        }
        for command in ["duplicates", "keywords", "cluster"] {
            fails(&[command, &input, "-o", &out]);
        }
    }
    for input in [path("empty"), path("missing"), path("picture.html")] {
        fails(&["drift", &template, &input]);
        fails(&["apply", &template, &input, "-o", &path("applied")]);
        fails(&["learn", "--partial", &input, "-o", &path("learned.husk")]);
        assert!(!Path::new(&path("learned.husk")).exists());
    }
}

#[test]
fn pages_without_a_url_are_read_and_the_summary_says_what_is_missing() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fs::write(path("in.jsonl"), "{\"html\":\"<p>Some words.\"}\n{\"html\":\"<p>Other words.\"}\n").unwrap();
    for command in ["extract", "clean"] {
        let output = dehusk(&[command, &path("in.jsonl"), "-o", &path("out.jsonl")]);
        assert_eq!(output.status.code(), Some(0));
        let said = text(&output.stderr);
        assert!(said.contains("2 pages have no url") && said.contains("--url-column"), "{said}");
        assert_eq!(lines(&path("out.jsonl")).len(), 2);
    }
}

#[test]
fn a_damaged_parquet_file_is_no_panic() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fs::write(path("in.jsonl"), "{\"url\":\"http://a/\",\"html\":\"<p>Some words.\"}\n".repeat(50)).unwrap();
    ok(&["extract", &path("in.jsonl"), "-o", &path("in.parquet")]);
    let sound = fs::read(path("in.parquet")).unwrap();
    for at in (4..sound.len()).step_by(sound.len() / 40) {
        let mut hurt = sound.clone();
        hurt[at] ^= 0x55;
        fs::write(path("hurt.parquet"), hurt).unwrap();
        let output = dehusk(&["extract", &path("hurt.parquet"), "--html-column", "text", "-o", &path("out.jsonl")]);
        let said = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 2)) && !said.contains("panicked"), "byte {at}: {said}");
    }
}

#[test]
fn explanations_hold_nothing_that_a_terminal_obeys() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let source = "<title>a\u{1b}]0;b\u{7}</title><p class='\u{9b}2J'>The nets \u{1b}[2J are mended in May.";
    std::fs::write(&page, source).unwrap();
    let report = ok(&["explain", page.to_str().unwrap()]);
    assert!(report.contains("The nets") && !report.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{report:?}");
}
