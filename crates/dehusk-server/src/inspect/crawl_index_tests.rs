use super::*;
use dehusk::{Extractor, Options, SiteMethod};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The pages of two made-up sites, with two kinds of pages each: address and source.
fn named(method: &str) -> SiteMethod {
    METHODS.site_method(method).unwrap().clone()
}

fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for site in ["harbour.example", "shop.example"] {
        for number in 0..14 {
            let words = |start: usize| -> String {
                let list = ["net", "boat", "tide", "quay", "rope", "gull", "mast", "anchor", "lamp", "storm", "sail"];
                (0..60).map(|place| format!("{} ", list[(start * 7 + place * (number + 3)) % list.len()])).collect()
            };
            let body = match number % 2 {
                0 => format!("<main><h1>Story {number}</h1><p>{}.</p><p>{}.</p></main>", words(1), words(2)),
                _ => {
                    let mut list = String::from("<div class=list><h2>All of them</h2><ul class=cards>");
                    for item in 0..8 {
                        let _ = write!(
                            list,
                            "<li class=card><a href=/{item}><b>{}</b></a><span>{item}</span></li>",
                            words(item)
                        );
                    }
                    list + "</ul></div>"
                }
            };
            let html = format!(
                "<!doctype html><title>{number} of {site}</title><header><a href=/>Home of {site}</a><nav><a href=/a>About us</a> \
                 <a href=/b>Boats</a></nav></header>{body}<footer>All rights of {site} reserved. <a href=/p>Privacy</a></footer>"
            );
            pages.push((format!("http://{site}/{number}.html"), html));
        }
    }
    pages.push((
        "http://single.example/".into(),
        "<title>One</title><p>The only page of its site, with some text.".into(),
    ));
    pages
}

fn lines(pages: &[(String, String)]) -> String {
    pages.iter().map(|(url, html)| format!("{}\n", json!({ "url": url, "html": html }))).collect()
}

fn job(input: &Path, output: &Path, templates: TemplateMode, method: SiteMethod) -> Crawl {
    Crawl::new(Extractor::new(Options::new()).unwrap(), vec![input.to_path_buf()], output)
        .with_templates(templates)
        .with_method(method)
        .with_day("2026-01-02")
        .with_threads(2)
}

/// An index of an input that has done its job.
fn index(input: &Path, templates: TemplateMode, method: SiteMethod, threads: usize) -> CrawlIndex {
    let crawl = job(input, Path::new(""), templates, method);
    let settings = IndexSettings { inputs: vec![input.to_path_buf()], read: ReadOptions::default(), crawl, threads };
    let index = CrawlIndex::open(settings).unwrap();
    index.run();
    assert_eq!(index.progress().phase, Phase::Done, "{:?}", index.progress().error);
    index
}

fn rows(index: &CrawlIndex) -> Vec<Value> {
    let table = index.table();
    (0..table.rows.len()).map(|number| table.row_json(number)).collect()
}

/// Compares the rows with the records that the crawl job writes.
fn compare(rows: &[Value], records: &Path, with_fit: bool) {
    let records: Vec<Value> =
        fs::read_to_string(records).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        let same = ["confidence", "page_type", "kept_characters", "dropped_characters", "error", "error_message"];
        for key in same {
            assert_eq!(row[key], record[key], "{key} of {record}");
        }
        assert_eq!(row["title"], record["title"].as_str().unwrap_or_default());
        assert_eq!(row["site"], record["host"]);
        if record["url"] != "" {
            assert_eq!(row["url"], record["url"]);
        }
        let words = record["text"].as_str().unwrap_or_default().split_whitespace().count();
        assert_eq!(row["words"], words);
        let mut flags: Vec<&Value> = row["flags"].as_array().unwrap().iter().collect();
        if with_fit {
            assert_eq!((&row["template"], &row["fit"]), (&record["template"], &record["template_fit"]));
        } else {
            flags.retain(|flag| *flag != "no_template_fits");
        }
        let mut wanted: Vec<&Value> = record["flags"].as_array().map_or_else(Vec::new, |flags| flags.iter().collect());
        flags.sort_by_key(|flag| flag.as_str());
        wanted.sort_by_key(|flag| flag.as_str());
        assert_eq!(flags, wanted);
        assert_eq!(row["final"], true);
    }
}

#[test]
fn the_table_says_what_the_records_of_the_crawl_job_say() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // Among the pages: some that are not JSON, not pages, empty, of no site, or cut.
    let mut text = lines(&pages());
    text += "{\"url\": \"http://shop.example/broken\", \"html\": 7}\nnot JSON\n";
    text += &format!("{}\n", json!({ "url": "http://shop.example/picture", "html": "\u{89}PNG\r\n\u{1a}\n" }));
    text += &format!(
        "{}\n{}\n",
        json!({ "url": "http://shop.example/empty", "html": "" }),
        json!({ "html": "<p>Nobody's page" })
    );
    fs::write(at("crawl.jsonl.zst"), zstd::bulk::compress(text.as_bytes(), 1).unwrap()).unwrap();
    for method in ["sitelevel", "treemap", "auto"].map(named) {
        let job = job(&at("crawl.jsonl.zst"), &at("out.jsonl"), TemplateMode::Learn, method.clone());
        job.run(&()).unwrap();
        for threads in [1, 3] {
            let index = index(&at("crawl.jsonl.zst"), TemplateMode::Learn, method.clone(), threads);
            let rows = rows(&index);
            // `clean` finds no kinds of pages if it only counts; then the fit is more than it says.
            compare(&rows, &at("out.jsonl"), !method.is_counts());
            assert!(
                rows.iter().any(|row| !row["template"].is_null()) && rows.iter().any(|row| !row["error"].is_null())
            );
            let progress = index.progress();
            assert_eq!((progress.pages, progress.sites), (rows.len(), 4));
            assert_eq!(progress.bytes_read, fs::metadata(at("crawl.jsonl.zst")).unwrap().len());
            assert_eq!((Some(progress.bytes_read), progress.done), (progress.bytes_total, progress.to_do));
        }
        job.with_page_kinds(true).run(&()).unwrap();
        compare(&rows(&index(&at("crawl.jsonl.zst"), TemplateMode::Learn, method.clone(), 2)), &at("out.jsonl"), true);
    }
}

#[test]
fn every_container_gives_the_same_table_and_every_page_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut pages = pages();
    pages.sort();
    let mut warc = String::new();
    for (url, html) in &pages {
        let path = at("pages")
            .join(url.strip_prefix("http://").unwrap().replace("single.example/", "single.example/index.html"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, html).unwrap();
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
        let picture = "HTTP/1.1 200 OK\r\nContent-Type: image/x\r\n\r\nx";
        for block in [&*block, picture] {
            let _ = write!(
                warc,
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
                block.len()
            );
        }
    }
    fs::write(at("crawl.warc"), warc).unwrap();
    fs::write(at("crawl.jsonl"), lines(&pages)).unwrap();
    let tables = ["crawl.jsonl", "crawl.warc", "pages"].map(|name| {
        let index = index(&at(name), TemplateMode::Learn, named("sitelevel"), 2);
        assert_eq!(index.progress().skipped, if name == "crawl.warc" { pages.len() } else { 0 });
        let mut rows = rows(&index);
        // In a folder, pages come in the order of their paths.
        rows.sort_by_key(|row| row["url"].as_str().unwrap().replace("index.html", ""));
        for (row, (url, html)) in rows.iter_mut().zip(&pages) {
            let page = index.page(row["number"].as_u64().unwrap() as usize).unwrap();
            assert_eq!(page.bytes, html.as_bytes());
            assert_eq!(page.url.replace("index.html", ""), *url);
            assert_eq!(page.site, row["site"].as_str().unwrap());
            // JSON has a known encoding, and a server names one; a file says nothing.
            assert_eq!(page.content_type.is_some(), name != "pages");
            assert!(page.location.contains(name) && !page.truncated);
            row["url"] = Value::Null;
            row["number"] = Value::Null;
        }
        assert_eq!(index.page(pages.len()), Err(NoPage::Unknown));
        rows
    });
    assert_eq!(tables[0], tables[1]);
    assert_eq!(tables[0], tables[2]);
}

#[test]
fn a_single_page_is_a_crawl_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    fs::write(&path, &pages()[0].1).unwrap();
    let index = index(&path, TemplateMode::Learn, named("auto"), 2);
    let rows = rows(&index);
    assert_eq!((rows.len(), index.page(0).unwrap().bytes), (1, pages()[0].1.clone().into_bytes()));
    assert_eq!(rows[0]["flags"], json!(["no_template"]));
    assert!(index.templates(rows[0]["site"].as_str().unwrap()).is_none());
}

#[test]
fn a_site_shows_its_kinds_of_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crawl.jsonl");
    fs::write(&path, lines(&pages())).unwrap();
    let index = index(&path, TemplateMode::Learn, named("sitelevel"), 2);
    let site = index.site("shop.example").unwrap();
    assert_eq!((&site["state"], &site["drift"], &site["pages"]), (&json!("crawl"), &Value::Null, &json!(14)));
    assert_eq!((&site["templates"]["pages"], &site["templates"]["learned"]), (&json!(14), &json!("2026-01-02")));
    let kinds = site["kinds"].as_array().unwrap();
    let count = |value: &Value| value.as_u64().unwrap();
    assert_eq!(kinds.len(), 2);
    assert_eq!(kinds.iter().map(|kind| count(&kind["pages"])).sum::<u64>() + count(&site["unfit"]["pages"]), 14);
    for kind in kinds {
        let examples = kind["examples"].as_array().unwrap();
        assert_eq!(examples.len(), 3);
        for example in examples {
            let row = index.table().row_json(count(&example["number"]) as usize);
            assert_eq!((&row["template"], &row["fit"]), (&kind["number"], &example["fit"]));
            assert_eq!(row["site"], "shop.example");
        }
    }
    let bars = |key: &str| site["histogram"][key].as_array().unwrap().iter().map(count).sum::<u64>();
    assert_eq!((bars("fitting"), bars("unfit")), (14 - count(&site["unfit"]["pages"]), count(&site["unfit"]["pages"])));
    let drawing = index.template_drawing("shop.example").unwrap();
    assert!(drawing.contains("All rights of shop.example reserved") && !drawing.contains("<script"));
    // Too few pages for a template, and no such site.
    let single = index.site("single.example").unwrap();
    assert_eq!((&single["templates"], &single["kinds"]), (&Value::Null, &json!([])));
    assert!(index.template_drawing("single.example").is_none());
    assert!(index.site("other.example").is_none() && index.template_drawing("other.example").is_none());
}

#[test]
fn templates_of_an_earlier_run_are_compared_with_the_pages() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (old, new): (Vec<_>, Vec<_>) =
        pages().into_iter().partition(|(url, _)| !url.contains("/1") && !url.contains("single"));
    fs::write(at("old.jsonl"), lines(&old)).unwrap();
    let learn = TemplateMode::LearnInto(at("sites.store"));
    job(&at("old.jsonl"), &at("out.jsonl"), learn.clone(), named("auto")).run(&()).unwrap();
    let redesigned = |(url, html): (String, String)| {
        (url, html.replace("<main>", "<table class=new><tr><td>").replace("footer", "aside"))
    };
    let new: Vec<_> =
        new.into_iter().map(|page| if page.0.contains("shop") { redesigned(page) } else { page }).collect();
    fs::write(at("new.jsonl"), lines(&new)).unwrap();
    let using = TemplateMode::Use(at("sites.store"));
    job(&at("new.jsonl"), &at("out.jsonl"), using.clone(), named("auto")).run(&()).unwrap();
    let index = index(&at("new.jsonl"), using, named("auto"), 2);
    compare(&rows(&index), &at("out.jsonl"), true);
    let site = index.site("harbour.example").unwrap();
    assert_eq!((&site["state"], &site["drift"]["drifted"]), (&json!("store"), &json!(false)));
    assert_eq!(site["drift"]["findings"], json!([]));
    let site = index.site("shop.example").unwrap();
    assert_eq!(site["drift"]["drifted"], true, "{site:#}");
    let hosts = index.hosts(&HostQuery::default());
    let kinds = |name: &str| {
        hosts["rows"].as_array().unwrap().iter().find(|host| host["name"] == name).unwrap()["templates"].clone()
    };
    assert_eq!((kinds("harbour.example"), kinds("single.example")), (json!(2), json!(0)));
    // A store is never written.
    let crawl = job(&at("new.jsonl"), Path::new(""), learn, named("auto"));
    let settings = IndexSettings { inputs: vec![at("new.jsonl")], read: ReadOptions::default(), crawl, threads: 1 };
    assert!(CrawlIndex::open(settings).is_err());
}

#[test]
fn pages_by_themselves_need_no_second_pass() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("crawl.jsonl"), lines(&pages())).unwrap();
    job(&at("crawl.jsonl"), &at("out.jsonl"), TemplateMode::None, named("sitelevel")).run(&()).unwrap();
    let index = index(&at("crawl.jsonl"), TemplateMode::None, named("sitelevel"), 2);
    compare(&rows(&index), &at("out.jsonl"), true);
    assert_eq!((index.progress().to_do, &index.site("shop.example").unwrap()["state"]), (0, &json!("not_asked")));
}

#[test]
fn before_and_without_the_job_there_are_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crawl.jsonl");
    fs::write(&path, lines(&pages())).unwrap();
    let crawl = job(&path, Path::new(""), TemplateMode::Learn, named("sitelevel"));
    let settings = IndexSettings { inputs: vec![path], read: ReadOptions::default(), crawl, threads: 2 };
    let index = Arc::new(CrawlIndex::open(settings).unwrap());
    assert_eq!(index.progress(), Progress::default());
    assert_eq!((index.page(0), index.site("shop.example")), (Err(NoPage::Unknown), None));
    assert_eq!(index.pages(&PageQuery::default())["total"], 0);
    assert_eq!(index.hosts(&HostQuery::default())["total"], 0);
    // After the first pass there are pages and figures, but no templates.
    let samples = index.read_pages().unwrap();
    assert_eq!(index.pages(&PageQuery::default())["total"], 29);
    assert!(rows(&index).iter().all(|row| row["final"] == false && !row["confidence"].is_null()));
    assert_eq!(index.site("shop.example").unwrap()["state"], "waiting");
    // A job that is stopped says so, and keeps what it has.
    index.stop();
    assert!(index.learn_sites(samples).is_err());
    index.start();
    while index.progress().phase != Phase::Failed {
        std::thread::yield_now();
    }
    assert!(index.progress().error.is_some());
    assert!(index.page(3).is_ok());
}

#[test]
fn a_changed_file_is_an_error_of_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("shop.example");
    fs::create_dir(&site).unwrap();
    for (number, (_, html)) in pages().iter().take(6).enumerate() {
        fs::write(site.join(format!("{number}.html")), html).unwrap();
    }
    let crawl = job(folder.path(), Path::new(""), TemplateMode::Learn, named("sitelevel"));
    let inputs = vec![folder.path().to_path_buf()];
    let index = CrawlIndex::open(IndexSettings { inputs, read: ReadOptions::default(), crawl, threads: 2 }).unwrap();
    let samples = index.read_pages().unwrap();
    fs::write(site.join("2.html"), "<p>new").unwrap();
    fs::remove_file(site.join("4.html")).unwrap();
    index.learn_sites(samples).unwrap();
    index.clean_again().unwrap();
    let errors: Vec<bool> = rows(&index).iter().map(|row| row["error"] == "input_changed").collect();
    assert_eq!(errors, [false, false, true, false, true, false]);
    assert!(matches!(index.page(2), Err(NoPage::Unreadable(message)) if message.contains("has changed")));
}
