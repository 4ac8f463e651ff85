//! The pages of wcxb-dev and of other corpora: the input of the extractors goes to a file, the reference stays here.

use super::score::{Truth, Words};
use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use dehusk::Detection;
use dehusk::dom::Parser;
use dehusk::render::{RenderOptions, render_text};
use dehusk_train::{NameChange, change_names};
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub(super) struct Pages {
    /// JSONL with id, URL and source.
    pub(super) file: PathBuf,
    pub(super) truths: Vec<Truth>,
    /// Bytes of the sources.
    pub(super) bytes: usize,
}

impl Pages {
    /// Reads the corpus and writes the pages to a folder; not more than `most`, spread evenly over the corpus.
    pub(super) fn read(corpus: &Path, folder: &Path, most: Option<usize>) -> Result<Pages, Stop> {
        let mut total = 0;
        read_records(corpus, |_| total += 1)?;
        let most = most.unwrap_or(total).min(total);
        let file = folder.join("pages.jsonl");
        let mut out = BufWriter::new(File::create(&file)?);
        let (mut truths, mut bytes, mut number, mut failed) = (Vec::new(), 0, 0, Ok(()));
        read_records(corpus, |record| {
            let taken = number * most / total != (number + 1) * most / total;
            number += 1;
            if taken {
                let page =
                    serde_json::json!({"id": record["id"], "url": record["url"], "html": record["html"]}).to_string();
                if let Err(error) = writeln!(out, "{page}") {
                    failed = Err(error);
                }
                bytes += record["html"].as_str().unwrap_or_default().len();
                truths.push(truth(&record));
            }
        })?;
        failed?;
        out.flush()?;
        Ok(Pages { file, truths, bytes })
    }

    /// Reads the other corpora, with the name of the corpus as page type. Of wcxb-dev, one page in [`CHANGED`] is given as it is and
    /// with other names.
    pub(super) fn read_others(data: &Data, folder: &Path) -> Result<Pages, Stop> {
        let file = folder.join("other-pages.jsonl");
        let mut pages = Pages { file: file.clone(), truths: Vec::new(), bytes: 0 };
        let mut lines: Vec<String> = Vec::new();
        let mut add = |corpus: &str, record: &Value, html: &str, wanted: &str| {
            let id = format!("{corpus}/{}", pages.truths.len());
            lines.push(serde_json::json!({"id": id, "url": record["url"], "html": html}).to_string());
            pages.bytes += html.len();
            pages.truths.push(Truth {
                id,
                page_type: corpus.to_string(),
                words: Words::count(wanted),
                with: Vec::new(),
                without: Vec::new(),
            });
        };
        let text = |record: &Value, key: &str| record[key].as_str().unwrap_or_default().to_string();
        for name in ["cleaneval", "dragnet", "l3s-gn1"] {
            let path = data.find(&format!("articles/{name}.jsonl.zst"))?;
            read_records(&path, |record| add(name, &record, &text(&record, "html"), &text(&record, "main_content")))?;
        }
        for path in data.list("graft", ".jsonl.zst")? {
            read_records(&path, |record| add("graft", &record, &text(&record, "html"), &text(&record, "content")))?;
        }
        for path in data.list("rich", ".jsonl.zst")? {
            read_records(&path, |record| {
                let wanted = plain_text(&text(&record, "content_html"));
                add("rich", &record, &text(&record, "html"), &wanted);
            })?;
        }
        let mut number = 0;
        read_records(&data.find("wcxb-dev.jsonl.zst")?, |record| {
            number += 1;
            if number % CHANGED != 0 {
                return;
            }
            let (html, wanted) = (text(&record, "html"), text(&record, "main_content"));
            add("some of wcxb-dev", &record, &html, &wanted);
            for (name, change) in [
                ("names removed", NameChange::Removed),
                ("names renamed", NameChange::Renamed),
                ("no landmarks", NameChange::NoLandmarks),
            ] {
                add(name, &record, &change_names(&html, change, number), &wanted);
            }
        })?;
        std::fs::write(&file, lines.join("\n") + "\n")?;
        Ok(pages)
    }

    /// The page types, the most frequent first.
    pub(super) fn types(&self) -> Vec<(String, usize)> {
        let mut types: Vec<(String, usize)> = Vec::new();
        for truth in &self.truths {
            match types.iter_mut().find(|(name, _)| *name == truth.page_type) {
                Some((_, count)) => *count += 1,
                None => types.push((truth.page_type.clone(), 1)),
            }
        }
        types.sort_by(|one, two| two.1.cmp(&one.1).then(one.0.cmp(&two.0)));
        types
    }
}

/// One page in so many is also given with other names.
const CHANGED: u64 = 5;

/// All text of a piece of HTML.
fn plain_text(html: &str) -> String {
    let document = Parser::default().parse(html).unwrap_or_default();
    let options = RenderOptions::default().with_marks(false);
    render_text(&document, &Detection::keep_all(dehusk::detection::Detectors::NONE, &document), options)
}

fn truth(record: &Value) -> Truth {
    let text = |key: &str| record[key].as_str().unwrap_or_default().to_string();
    let snippets = |key: &str| {
        let list = record[key].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(str::to_lowercase).collect()
    };
    Truth {
        id: text("id"),
        page_type: text("page_type"),
        words: Words::count(&text("main_content")),
        with: snippets("with"),
        without: snippets("without"),
    }
}
