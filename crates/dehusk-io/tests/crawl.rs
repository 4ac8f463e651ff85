//! The crawl job on the example sites: the same bytes from every container, at every number of threads and after every stop.

mod common;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use dehusk::detect::KeepAll;
use dehusk::{Extractor, Options, SiteMethod};
use dehusk_io::crawl::{Crawl, PageOutcome, Progress, TemplateMode, TemplateStore};
use dehusk_io::{Column, ColumnType, ErrorKind, OutputContainer, OutputSchema, ReadOptions, assemble};
use dehusk_papers::methods;
use serde_json::{Value, json};

/// A page of the examples.
struct Page {
    path: PathBuf,
    url: String,
    html: String,
}

fn named(method: &str) -> SiteMethod {
    methods().site_method(method).unwrap().clone()
}

fn pages() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites");
    let mut pages = Vec::new();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        // JSON lines cannot hold the pages that are in another encoding.
        let html = if path.is_file() { String::from_utf8(fs::read(&path).unwrap()).ok() } else { None };
        if let Some(html) = html.filter(|_| path.extension().is_some_and(|ending| ending == "html")) {
            let relative = path.strip_prefix(&root).unwrap().to_path_buf();
            let url = format!("http://{}", relative.to_str().unwrap());
            pages.push(Page { path: relative, url, html });
        }
    }
    assert!(pages.len() > 30);
    pages
}

fn jsonl<'a>(pages: impl IntoIterator<Item = &'a Page>) -> Vec<u8> {
    let mut out = Vec::new();
    for page in pages {
        out.extend_from_slice(json!({ "url": page.url, "html": page.html }).to_string().as_bytes());
        out.push(b'\n');
    }
    out
}

/// More than a chunk's worth of pages: the examples under other host names.
fn many() -> Vec<Page> {
    let copy = |number: usize, page: &Page| Page {
        path: page.path.clone(),
        url: page.url.replacen("http://", &format!("http://r{number}-"), 1),
        html: page.html.clone(),
    };
    let pages = pages();
    (0..2500 / pages.len()).flat_map(|number| pages.iter().map(move |page| copy(number, page))).collect()
}

fn crawl(input: &Path, output: &Path) -> Crawl {
    crawl_with(Options::new(), input, output)
}

fn crawl_with(options: Options, input: &Path, output: &Path) -> Crawl {
    Crawl::new(Extractor::new(options).unwrap(), vec![input.to_path_buf()], output)
        .with_templates(TemplateMode::Learn)
        .with_threads(2)
        .with_day("2024-05-01")
}

fn records(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn run(crawl: &Crawl) -> Vec<u8> {
    crawl.run(&()).unwrap();
    fs::read(crawl.output()).unwrap()
}

/// Stops the run by a panic at some record, as a kill would.
struct StopAt {
    left: AtomicU64,
}

impl Progress for StopAt {
    fn pass(&self, _: &str, _: Option<u64>) {}

    fn page(&self, _: u64, _: PageOutcome) {
        assert!(self.left.fetch_sub(1, Ordering::Relaxed) > 0, "stopped by the test");
    }
}

#[test]
fn every_container_gives_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let pages = pages();
    for page in &pages {
        let path = at("pages").join(&page.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &page.html).unwrap();
    }
    fs::write(at("pages.jsonl"), jsonl(&pages)).unwrap();
    let mut warc = Vec::new();
    for page in &pages {
        let record = common::response(&page.url, "Content-Type: text/html; charset=utf-8\r\n", page.html.as_bytes());
        // The id is of the container, not of the page.
        let record = String::from_utf8(record).unwrap().replacen("WARC-Record-ID", "X-Other-ID", 1);
        warc.extend(common::gzip(record.as_bytes()));
    }
    fs::write(at("pages.warc.gz"), warc).unwrap();
    let schema = OutputSchema::new(vec![Column::new("url", ColumnType::Utf8), Column::new("html", ColumnType::Utf8)]);
    assemble(&[at("pages.jsonl")], &at("pages.parquet"), OutputContainer::Parquet, &schema).unwrap();
    let wanted = run(&crawl(&at("pages.jsonl"), &at("a.jsonl")));
    assert_eq!(records(&at("a.jsonl")).len(), pages.len());
    assert!(records(&at("a.jsonl")).iter().all(|record| record["error"].is_null()));
    assert!(records(&at("a.jsonl")).iter().any(|record| record["dropped_characters"].as_u64() > Some(0)));
    for name in ["pages.warc.gz", "pages.parquet", "pages"] {
        assert!(run(&crawl(&at(name), &at("b.jsonl"))) == wanted, "{name}");
    }
}

#[test]
fn an_unknown_address_and_a_carried_column_of_a_known_name_are_fine() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let page = "<meta name=author content='Ann Page'><p>Nets are mended in May.</p>";
    let rows = [
        json!({ "url": null, "html": page, "author": "A" }),
        json!({ "url": "http://a/", "html": page, "author": "B" }),
    ];
    fs::write(at("pages.jsonl"), rows.map(|row| format!("{row}\n")).concat()).unwrap();
    let columns = ["url", "html", "author"].map(|name| Column::new(name, ColumnType::Utf8)).to_vec();
    assemble(&[at("pages.jsonl")], &at("pages.parquet"), OutputContainer::Parquet, &OutputSchema::new(columns))
        .unwrap();
    let job = |input: &str| {
        crawl_with(Options::new().with_metadata(true), &at(input), &at("out.jsonl"))
            .with_templates(TemplateMode::None)
            .with_read_options(ReadOptions::default().with_carry(vec!["author".into()]))
    };
    let wanted = run(&job("pages.jsonl"));
    assert!(run(&job("pages.parquet")) == wanted);
    for (record, (url, author)) in records(&at("out.jsonl")).iter().zip([("", "A"), ("http://a/", "B")]) {
        assert!(record["error"].is_null() && record["url"] == url, "{record}");
        assert_eq!((&record["author"], &record["carried_author"]), (&json!("Ann Page"), &json!(author)));
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    fs::write(&input, jsonl(&many())).unwrap();
    let with = |threads| run(&crawl(&input, &folder.path().join("out.jsonl")).with_threads(threads));
    let wanted = with(1);
    assert!(with(2) == wanted && with(8) == wanted);
    // Methods that keep pages, on fewer sites, as they cost more.
    fs::write(&input, jsonl(&pages())).unwrap();
    for method in ["treemap", "align", "auto"].map(named) {
        let with = |threads| {
            run(&crawl(&input, &folder.path().join("out.jsonl")).with_method(method.clone()).with_threads(threads))
        };
        let wanted = with(1);
        assert!(with(2) == wanted && with(8) == wanted, "{}", method.name());
    }
}

#[test]
fn a_resumed_run_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    let pages = many();
    fs::write(&input, jsonl(&pages)).unwrap();
    let job = |method, output: &str| crawl(&input, &folder.path().join(output)).with_method(method);
    for (templates, method) in [
        (TemplateMode::Learn, named("sitelevel")),
        (TemplateMode::LearnInto(folder.path().join("store")), named("sitelevel")),
        (TemplateMode::LearnInto(folder.path().join("trees")), named("treemap")),
    ] {
        let wanted = run(&job(method.clone(), "wanted.jsonl"));
        let job = job(method, "out.jsonl").with_templates(templates);
        // In the first pass; just after it; after the first chunk; after the second, which is now the first to write.
        let stops = [10, pages.len() + 1, 1500, 1001];
        for (number, stop) in stops.into_iter().enumerate() {
            let stop = StopAt { left: AtomicU64::new(stop as u64) };
            let job = job.clone().with_resume(number > 0);
            assert!(catch_unwind(AssertUnwindSafe(|| job.run(&stop))).is_err());
            assert!(!job.output().exists());
            if number == 0 {
                let error = job.run(&()).unwrap_err();
                assert!(error.kind() == ErrorKind::UnfinishedRun && error.is_resumable(), "{error}");
            }
        }
        let other = job.clone().with_seed(1).with_resume(true);
        assert_eq!(other.run(&()).unwrap_err().kind(), ErrorKind::DifferentRun);
        assert!(run(&job.clone().with_resume(true)) == wanted);
        assert!(!folder.path().join("out.jsonl.dehusk-run").exists());
        fs::remove_file(job.output()).unwrap();
    }
}

/// Damages the first chunk of a run that goes on.
struct DamageAt<'a> {
    left: AtomicU64,
    chunk: &'a Path,
}

impl Progress for DamageAt<'_> {
    fn pass(&self, _: &str, _: Option<u64>) {}

    fn page(&self, _: u64, _: PageOutcome) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            cut(self.chunk);
        }
    }
}

/// Cuts off the end of a file.
fn cut(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() - 100).unwrap();
}

#[test]
fn a_damaged_chunk_is_made_again_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("pages.jsonl"), folder.path().join("out.jsonl"));
    let line =
        |number: usize| format!("{{\"url\":\"http://a/{number}\",\"html\":\"<p>page {number} of the harbour\"}}\n");
    fs::write(&input, (0..2300).map(line).collect::<String>()).unwrap();
    let state = folder.path().join("out.jsonl.dehusk-run");
    let job = crawl(&input, &output).with_templates(TemplateMode::None);
    let wanted = run(&job);
    let change_a_byte = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[1000] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    type Damage<'a> = &'a dyn Fn(&Path);
    let damages: [(&str, Damage<'_>); 4] = [
        ("chunk-00000000.jsonl", &cut),
        ("chunk-00000001.jsonl", &change_a_byte),
        ("chunk-00000001.contents.json", &cut),
        ("chunk-00000000.contents.json", &|path| fs::remove_file(path).unwrap()),
    ];
    for (name, damage) in damages {
        let stop = StopAt { left: AtomicU64::new(2100) };
        assert!(catch_unwind(AssertUnwindSafe(|| job.run(&stop))).is_err());
        damage(&state.join(name));
        assert!(run(&job.clone().with_resume(true)) == wanted, "{name}");
    }
    // In a run that does not look at it before the end.
    fs::remove_file(&output).unwrap();
    let chunk = state.join("chunk-00000000.jsonl");
    let error = job.run(&DamageAt { left: AtomicU64::new(2100), chunk: &chunk }).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Damaged, Some(&*chunk)));
    assert!(error.to_string().contains("resume") && !output.exists());
    assert!(run(&job.with_resume(true)) == wanted);
}

#[test]
fn what_a_finished_run_left_behind_is_not_taken_for_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    fs::write(&input, jsonl(&pages())).unwrap();
    let output = folder.path().join("out.jsonl");
    let wanted = run(&crawl(&input, &output));
    // Killed between removing the plan and the rest.
    let state = folder.path().join("out.jsonl.dehusk-run");
    fs::create_dir(&state).unwrap();
    fs::write(state.join("learned"), "").unwrap();
    fs::write(state.join("chunk-00000000.jsonl"), "{}\n").unwrap();
    fs::write(folder.path().join(".out.jsonl.part"), "half").unwrap();
    assert!(run(&crawl(&input, &output).with_resume(true)) == wanted);
    assert!(!state.exists() && !folder.path().join(".out.jsonl.part").exists());
}

#[test]
fn an_output_that_cannot_be_written_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    fs::write(&input, jsonl(&pages())).unwrap();
    let wanted = run(&crawl(&input, &folder.path().join("wanted.jsonl")));
    // A folder where the file should be.
    let output = folder.path().join("out.jsonl");
    fs::create_dir(&output).unwrap();
    let error = crawl(&input, &output).run(&()).unwrap_err();
    assert!(error.to_string().contains("out.jsonl") && error.is_resumable(), "{error}");
    fs::remove_dir(&output).unwrap();
    assert!(run(&crawl(&input, &output).with_resume(true)) == wanted);
}

#[test]
fn halves_with_a_store_end_like_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let pages = pages();
    let half = |odd: usize| pages.iter().enumerate().filter(move |(at, _)| at % 2 == odd).map(|(_, page)| page);
    fs::write(at("whole.jsonl"), jsonl(&pages)).unwrap();
    fs::write(at("even.jsonl"), jsonl(half(0))).unwrap();
    fs::write(at("odd.jsonl"), jsonl(half(1))).unwrap();
    for method in ["sitelevel", "treemap", "align", "auto"].map(named) {
        let learn = |store: &str, inputs: &[&str]| {
            let store = at(&format!("{store}-{}", method.name()));
            for input in inputs {
                let job = crawl(&at(input), &at("out.jsonl")).with_method(method.clone());
                run(&job.with_templates(TemplateMode::LearnInto(store.clone())));
            }
            TemplateStore::open(&store, methods().site_methods()).unwrap().export().unwrap()
        };
        let whole = learn("a", &["whole.jsonl"]);
        assert!(!whole.is_empty());
        assert!(learn("b", &["even.jsonl", "odd.jsonl"]) == whole, "{}", method.name());
        assert!(learn("c", &["odd.jsonl", "even.jsonl"]) == whole, "{}", method.name());
        // One pass with what is known gives what two passes gave.
        let wanted = run(&crawl(&at("whole.jsonl"), &at("out.jsonl")).with_method(method.clone()));
        let store = at(&format!("b-{}", method.name()));
        let known = crawl(&at("whole.jsonl"), &at("out.jsonl")).with_method(method.clone());
        let known = known.with_templates(TemplateMode::Use(store));
        assert!(run(&known) == wanted, "{}", method.name());
    }
}

/// Pages of a site in one of two designs.
fn designed(design: &str, from: usize, count: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for number in from..from + count {
        let html = format!(
            "<body><div class={design}-head><ul class={design}-menu><li>{design} one<li>{design} two</ul></div>\
             <div class={design}-text><p>Text {number} of a page with its own words {number}</p></div>\
             <div class={design}-foot><p>Made by {design} for all</p></div></body>"
        );
        out.extend_from_slice(
            json!({ "url": format!("http://a.example/{number}"), "html": html }).to_string().as_bytes(),
        );
        out.push(b'\n');
    }
    out
}

#[test]
fn a_template_that_no_page_has_any_more_retires() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("old.jsonl"), designed("old", 0, 30)).unwrap();
    fs::write(at("new.jsonl"), designed("new", 100, 30)).unwrap();
    let job = |input: &str, templates: fn(PathBuf) -> TemplateMode| {
        crawl(&at(input), &at("out.jsonl")).with_method(named("treemap")).with_templates(templates(at("store")))
    };
    run(&job("old.jsonl", TemplateMode::LearnInto));
    // What is known does not fit the new pages, and the report says so.
    let tally = job("new.jsonl", TemplateMode::Use).run(&()).unwrap();
    assert_eq!(tally.flags["no_template_fits"], 30);
    let drift = tally.sites["a.example"].drift.join(" ");
    assert!(drift.contains("template 0 stopped fitting") && drift.contains("fit no template"), "{drift}");
    assert!(records(&at("out.jsonl")).iter().all(|record| record["template"].is_null()));
    // Learning retires the old template and its pages.
    let tally = job("new.jsonl", TemplateMode::LearnInto).run(&()).unwrap();
    assert!(tally.sites["a.example"].drift.is_empty());
    assert!(records(&at("out.jsonl")).iter().all(|record| record["template"] == 0));
    assert!(records(&at("out.jsonl")).iter().all(|record| !record["text"].as_str().unwrap().contains("Made by")));
    let site =
        TemplateStore::open(&at("store"), methods().site_methods()).unwrap().template("a.example").unwrap().unwrap();
    assert_eq!((site.pages(), site.templates().len()), (30, 1));
}

#[test]
fn ids_and_carried_columns_come_through() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    let mut lines = String::new();
    for (number, page) in pages().iter().enumerate() {
        let line = json!({ "key": number, "address": page.url, "body": page.html, "lang": ["de", null], "n": 1.5 });
        lines.push_str(&format!("{line}\n"));
    }
    lines.push_str("{\"key\": 99}\n");
    fs::write(&input, lines).unwrap();
    let read = ReadOptions::default()
        .with_url_column("address")
        .with_html_column("body")
        .with_id_column("key")
        .with_carry(vec!["lang".into(), "absent".into(), "n".into()]);
    let job = crawl(&input, &folder.path().join("out.jsonl")).with_read_options(read);
    let tally = job.run(&()).unwrap();
    assert_eq!(tally.failed, 1);
    let records = records(job.output());
    for (number, record) in records[..records.len() - 1].iter().enumerate() {
        assert_eq!(record["id"], number);
        assert_eq!(
            (&record["lang"], &record["absent"], &record["n"]),
            (&json!(["de", null]), &Value::Null, &json!(1.5))
        );
    }
    let failed = records.last().unwrap();
    assert_eq!((&failed["error"], &failed["id"]), (&json!("missing_column"), &json!(99)));
}

#[test]
fn without_templates_every_page_is_on_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("pages.jsonl");
    fs::write(&input, jsonl(&pages())).unwrap();
    let keep_all = Extractor::new(Options::new()).unwrap().with_detector(KeepAll).unwrap();
    let job = Crawl::new(keep_all, vec![input], folder.path().join("out.jsonl"));
    let tally = job.run(&()).unwrap();
    // The permalinks of one site, which are clutter whatever the detector decides.
    assert_eq!((tally.dropped, tally.failed), (54, 0));
    assert!(records(job.output()).iter().all(|record| record["template_pages"] == 0 && record["text"] != ""));
}

#[test]
fn outputs_and_inputs_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("in")).unwrap();
    fs::write(at("in/pages.jsonl"), jsonl(&pages())).unwrap();
    for output in ["in/out", "in/deep/out", "in/out.jsonl", "in"] {
        let error = crawl(&at("in"), &at(output)).run(&()).unwrap_err().to_string();
        assert!(error.contains("inside the input folder") && error.contains(output), "{error}");
    }
    let error = crawl(&at("in/pages.jsonl"), &at("in/pages.jsonl")).run(&()).unwrap_err().to_string();
    assert!(error.contains("would replace the input"), "{error}");
    // The state of another run is not an input.
    let wanted = run(&crawl(&at("in"), &at("out.jsonl")));
    fs::create_dir(at("in/other.jsonl.dehusk-run")).unwrap();
    fs::write(at("in/other.jsonl.dehusk-run/chunk-00000000.jsonl"), "{}\n").unwrap();
    assert!(run(&crawl(&at("in"), &at("out.jsonl"))) == wanted);
}

#[test]
fn a_store_is_only_read_where_nothing_is_learned() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("pages.jsonl"), designed("old", 0, 30)).unwrap();
    let job = |templates: TemplateMode| crawl(&at("pages.jsonl"), &at("out.jsonl")).with_templates(templates);
    let learned = run(&job(TemplateMode::LearnInto(at("store"))));
    let before = fs::read(at("store")).unwrap();
    let mut permissions = fs::metadata(at("store")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(at("store"), permissions).unwrap();
    // Another reader does not matter.
    let reader = TemplateStore::open(&at("store"), methods().site_methods()).unwrap();
    assert!(run(&job(TemplateMode::Use(at("store")))) == learned);
    drop(reader);
    assert!(fs::read(at("store")).unwrap() == before);
    for (bytes, name) in [(&b""[..], "empty"), (b"not a store", "text")] {
        fs::write(at(name), bytes).unwrap();
        for templates in [TemplateMode::Use(at(name)), TemplateMode::LearnInto(at(name))] {
            let error = job(templates).run(&()).unwrap_err();
            assert!(error.to_string().contains("delete it and learn again"), "{error}");
            assert_eq!(error.path(), Some(&*at(name)));
            assert!(!at("out.jsonl.dehusk-run").exists());
        }
        assert_eq!(fs::read(at(name)).unwrap(), bytes);
    }
}

#[test]
fn a_run_is_not_resumed_with_another_store() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let pages = many();
    fs::write(at("pages.jsonl"), jsonl(&pages)).unwrap();
    fs::write(at("others.jsonl"), designed("old", 0, 30)).unwrap();
    run(&crawl(&at("others.jsonl"), &at("x.jsonl")).with_templates(TemplateMode::LearnInto(at("other"))));
    run(&crawl(&at("pages.jsonl"), &at("x.jsonl")).with_templates(TemplateMode::LearnInto(at("known"))));
    let store = at("store");
    let modes = [(TemplateMode::LearnInto(store.clone()), pages.len()), (TemplateMode::Use(store), 0)];
    for (mode, records_before) in modes {
        fs::copy(at("known"), at("store")).unwrap();
        let job = crawl(&at("pages.jsonl"), &at("out.jsonl")).with_templates(mode);
        let stop = StopAt { left: AtomicU64::new(records_before as u64 + 1500) };
        catch_unwind(AssertUnwindSafe(|| job.run(&stop))).unwrap_err();
        let resumed = job.with_resume(true);
        fs::rename(at("store"), at("kept")).unwrap();
        let error = resumed.run(&()).unwrap_err();
        assert!(error.kind() == ErrorKind::DifferentRun && error.to_string().contains("was deleted"), "{error}");
        fs::copy(at("other"), at("store")).unwrap();
        let error = resumed.run(&()).unwrap_err();
        assert!(error.kind() == ErrorKind::DifferentRun && error.to_string().contains("was changed"), "{error}");
        fs::rename(at("kept"), at("store")).unwrap();
        resumed.run(&()).unwrap();
    }
}

#[test]
fn chunks_of_any_size_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("pages.jsonl"), folder.path().join("out.jsonl"));
    // Chunks of a few large rows, then of many small ones.
    let large = format!("<p>{}", "many words that fill the page ".repeat(100_000));
    let page = |number: usize| {
        let html = if number.is_multiple_of(7) && number < 60 { &*large } else { "<p>A small page" };
        json!({ "url": format!("http://a.example/{number}"), "html": html }).to_string() + "\n"
    };
    fs::write(&input, (0..2000).map(page).collect::<String>()).unwrap();
    let job = || crawl(&input, &output).with_templates(TemplateMode::None);
    let whole = run(&job());
    let stop = StopAt { left: AtomicU64::new(1500) };
    catch_unwind(AssertUnwindSafe(|| job().run(&stop))).unwrap_err();
    let sizes: Vec<usize> = (0..)
        .map_while(|number| {
            let chunk = format!("out.jsonl.dehusk-run/chunk-{number:08}.jsonl");
            Some(fs::read_to_string(folder.path().join(chunk)).ok()?.lines().count())
        })
        .collect();
    assert!(sizes.len() > 1 && sizes[0] < 50 && sizes[1..].contains(&1000), "{sizes:?}");
    assert!(run(&job().with_resume(true)) == whole);
}
