//! Nothing is lost or changed without a word: faults name their page, inputs that change stop the run, names of files do not collide.

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use dehusk::{Extractor, Options};
use dehusk_io::crawl::{Crawl, PageOutcome, Progress, TemplateMode};
use dehusk_io::{ErrorKind, ReadOptions};
use serde_json::{Value, json};

fn crawl(input: &Path, output: &Path) -> Crawl {
    Crawl::new(Extractor::new(Options::new()).unwrap(), vec![input.to_path_buf()], output).with_threads(2)
}

fn records(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn error_records_have_what_the_container_gave() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let lines = [
        json!({"id": 1, "url": "http://a.example/1", "n": "x"}),
        json!({"id": 2, "url": "http://a.example/2", "n": "y", "html": "z".repeat(2000)}),
        json!({"id": 3, "url": "http://a.example/3", "n": "z", "html": 7}),
    ];
    fs::write(at("in.jsonl"), lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let options = ReadOptions::default().with_carry(vec!["n".into()]).with_max_bytes(1000);
    let tally = crawl(&at("in.jsonl"), &at("out.jsonl")).with_read_options(options).run(&()).unwrap();
    assert_eq!((tally.pages, tally.failed, tally.sites["a.example"].failed), (3, 3, 3));
    let found: Vec<_> = records(&at("out.jsonl"))
        .iter()
        .map(|record| json!([record["id"], record["url"], record["host"], record["n"], record["error"]]))
        .collect();
    assert_eq!(
        found,
        [
            json!([1, "http://a.example/1", "a.example", "x", "missing_column"]),
            json!([2, "http://a.example/2", "a.example", "y", "too_large"]),
            json!([3, "http://a.example/3", "a.example", "z", "missing_column"]),
        ]
    );
}

#[test]
fn pages_without_an_address_are_read_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    fs::write(&input, "{\"html\":\"<p>Some words.\"}\n{\"html\":\"<p>More.\",\"url\":\"http://a/\"}\n").unwrap();
    let tally = crawl(&input, &output).with_templates(TemplateMode::Learn).run(&()).unwrap();
    assert_eq!((tally.pages, tally.failed, tally.without_url), (2, 0, 1));
}

/// Changes the input when the second pass begins.
struct ChangeBetween<'a> {
    change: &'a (dyn Fn() + Sync),
    pass: &'static str,
    done: AtomicBool,
}

impl Progress for ChangeBetween<'_> {
    fn pass(&self, name: &str, _: Option<u64>) {
        if name == self.pass && !self.done.swap(true, Ordering::Relaxed) {
            (self.change)();
        }
    }

    fn page(&self, _: u64, _: PageOutcome) {}
}

#[test]
fn inputs_that_change_during_a_run_stop_it() {
    let line = |number: usize| format!("{{\"url\":\"http://a/{number}\",\"html\":\"<p>page {number}</p>\"}}\n");
    let write_all = |input: &Path| {
        fs::create_dir_all(input.join("h.example")).unwrap();
        for number in 0..4 {
            fs::write(input.join(format!("h.example/{number}.html")), format!("<p>page {number}</p>")).unwrap();
        }
        fs::write(input.join("x.jsonl"), (0..4).map(line).collect::<String>()).unwrap();
    };
    let same_size_and_time = |path: &Path| {
        let time = fs::metadata(path).unwrap().modified().unwrap();
        let text = fs::read_to_string(path).unwrap().replace("page", "PAGE");
        fs::write(path, text).unwrap();
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    type Change<'a> = &'a (dyn Fn(&Path) + Sync);
    let changes: [(&str, &str, Change<'_>); 8] = [
        ("", "x.jsonl", &|input| fs::write(input.join("x.jsonl"), line(1)).unwrap()),
        ("", "3.html", &|input| fs::remove_file(input.join("x.jsonl")).unwrap()),
        ("", "1.html", &|input| fs::write(input.join("h.example/1.html"), "<p>else").unwrap()),
        ("", "1.html", &|input| fs::remove_file(input.join("h.example/0.html")).unwrap()),
        ("", "00.html", &|input| fs::write(input.join("h.example/00.html"), "<p>more").unwrap()),
        ("x.jsonl", "x.jsonl", &|input| fs::remove_file(input.join("x.jsonl")).unwrap()),
        ("x.jsonl", "x.jsonl", &|input| {
            fs::write(input.join("x.jsonl"), (0..9).map(line).collect::<String>()).unwrap()
        }),
        ("x.jsonl", "x.jsonl", &|input| same_size_and_time(&input.join("x.jsonl"))),
    ];
    for (number, (named, blamed, change)) in changes.into_iter().enumerate() {
        for (pass, templates) in
            [("learning", TemplateMode::Learn), ("cleaning", TemplateMode::Learn), ("cleaning", TemplateMode::None)]
        {
            let folder = tempfile::tempdir().unwrap();
            let (input, output) = (folder.path().join("in"), folder.path().join("out.jsonl"));
            write_all(&input);
            // No change may happen within the resolution of the clock of the file system.
            std::thread::sleep(std::time::Duration::from_millis(15));
            let path = if named.is_empty() { input.clone() } else { input.join(named) };
            let change = || change(&input);
            let progress = ChangeBetween { change: &change, pass, done: AtomicBool::new(false) };
            let error = crawl(&path, &output).with_templates(templates).run(&progress).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InputChanged, "{number}: {error}");
            let text = error.to_string();
            assert!(text.contains(blamed) && text.contains("out.jsonl.dehusk-run"), "{number}: {text}");
            assert!(!output.exists());
        }
    }
}

#[test]
fn no_page_takes_the_name_of_a_file_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out"));
    let page = |url: &str, path: &str| json!({"url": url, "path": path, "html": format!("<p>{path} {url}")});
    let write = |pages: &[Value]| {
        fs::write(&input, pages.iter().map(|page| format!("{page}\n")).collect::<String>()).unwrap();
    };
    write(&[page("u", ".a.txt.part"), page("v", "a.txt"), page("w", ".A.TXT.PART")]);
    let job = crawl(&input, &output);
    job.clone().with_read_options(ReadOptions::default().with_carry(vec!["path".into()])).run(&()).unwrap();
    assert_eq!(fs::read_dir(&output).unwrap().count(), 3);
    fs::remove_dir_all(&output).unwrap();
    write(&[page("http://h/.index.txt.part/x", ""), page("http://h/", ""), page("http://h/.index.txt.part", "")]);
    job.run(&()).unwrap();
    job.run(&()).unwrap();
    assert_eq!(fs::read_dir(output.join("h")).unwrap().count(), 3);
}

#[test]
fn an_output_does_not_delete_an_input_of_its_temporary_name() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join(".out.jsonl.part"), folder.path().join("out.jsonl"));
    fs::write(&input, "{\"url\":\"u\",\"html\":\"<p>x\"}\n").unwrap();
    assert_eq!(crawl(&input, &output).run(&()).unwrap_err().kind(), ErrorKind::OutputIsInput);
    assert!(input.exists());
}

#[test]
fn records_of_unknown_types_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.warc"), folder.path().join("out.jsonl"));
    let untyped = String::from_utf8(common::page(1)).unwrap().replacen("WARC-Type: response\r\n", "", 1);
    let other = common::record("x-note", "http://a/o", "", b"x");
    fs::write(&input, [common::page(0), untyped.into_bytes(), other].concat()).unwrap();
    let tally = crawl(&input, &output).run(&()).unwrap();
    assert_eq!((tally.pages, tally.failed, tally.skipped), (2, 1, 1));
    assert_eq!(records(&output)[1]["url"], "http://a.example/1");
}
