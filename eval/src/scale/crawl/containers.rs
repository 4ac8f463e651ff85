//! The same crawl as JSONL, WARC and Parquet: identical output, speed, and the text dropped per site.

use super::inputs::{Corpus, same_bytes};
use super::{Section, load, megabytes};
use crate::Stop;
use crate::shared::program::Program;
use crate::shared::report::table;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn measure(program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let mut section = Section::default();
    let mut sizes: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    corpus.pages(|page| {
        let size = sizes.entry(host(&page.url)).or_default();
        *size = (size.0 + 1, size.1 + page.html.len() as u64);
        Ok(())
    })?;
    let pages: u64 = sizes.values().map(|size| size.0).sum();
    let bytes: u64 = sizes.values().map(|size| size.1).sum();
    let mut rows = Vec::new();
    let load = load();
    for (name, input) in [("JSONL", corpus.jsonl()?), ("WARC, gzip", corpus.warc()?), ("Parquet", corpus.parquet()?)] {
        let file = input.file_name().unwrap_or_default().to_string_lossy();
        let output = format!("{file}.out.jsonl");
        let report = format!("{file}.report.json");
        let run = program.run(&["clean", &file, "-o", &output, "--report", &report])?.done()?;
        let same = same_bytes(&program.at(&output), &program.at("crawl.jsonl.out.jsonl"))?;
        section.expect(same, || format!("the output from {name} differs from that from JSONL"));
        let counts: Value = read_json(program, &report)?;
        section.expect(counts["failed"] == 0, || format!("{} pages of {name} failed", counts["failed"]));
        section.expect(counts["pages"] == pages, || format!("{} pages from {name}, not {pages}", counts["pages"]));
        rows.push(vec![
            name.to_string(),
            megabytes(input.metadata()?.len()),
            format!("{:.1}", run.seconds),
            format!("{:.0}", pages as f64 / run.seconds),
            format!("{:.1}", bytes as f64 / 1e6 / run.seconds),
            format!("{:.1}", run.processor),
            megabytes(run.peak),
            if same { "yes" } else { "NO" }.to_string(),
        ]);
    }
    section.text = format!(
        "{pages} pages of {} hosts, {} MB of HTML, read twice: once to learn, once to clean. System load before the run: {load}.\n\n",
        sizes.len(),
        megabytes(bytes)
    );
    let head = ["container", "MB on disk", "seconds", "pages/s", "MB of HTML/s", "CPU s", "peak MB", "same output"];
    section.text.push_str(&table(&head, &rows));
    let counts = read_json(program, "crawl.jsonl.report.json")?;
    section.text.push_str(&sites(&counts, &sizes));
    Ok(section)
}

/// Share of text dropped, by site.
fn sites(counts: &Value, sizes: &BTreeMap<String, (u64, u64)>) -> String {
    let number = |value: &Value, key: &str| value[key].as_u64().unwrap_or(0);
    let share = |value: &Value| number(value, "dropped_characters") as f64 / number(value, "characters").max(1) as f64;
    let mut hosts: Vec<&Value> = counts["hosts"].as_array().map(|hosts| hosts.iter().collect()).unwrap_or_default();
    hosts.sort_by(|one, two| share(two).total_cmp(&share(one)));
    let rows: Vec<Vec<String>> = hosts
        .iter()
        .map(|value| {
            let name = value["host"].as_str().unwrap_or_default();
            let size = sizes.get(name).copied().unwrap_or_default();
            vec![
                name.to_string(),
                number(value, "pages").to_string(),
                format!("{:.1}", size.1 as f64 / 1e6),
                number(value, "template_pages").to_string(),
                format!("{:.1}", 100.0 * share(value)),
            ]
        })
        .collect();
    let head = ["host", "pages", "MB", "training pages", "% of text dropped"];
    format!(
        "\n{:.1} % of all text is dropped. By host:\n\n<details><summary>{} hosts</summary>\n\n{}\n</details>\n",
        100.0 * share(counts),
        rows.len(),
        table(&head, &rows)
    )
}

fn read_json(program: &Program, name: &str) -> Result<Value, Stop> {
    let text = std::fs::read_to_string(program.at(name))?;
    serde_json::from_str(&text).map_err(|error| Stop::Broken(format!("{name}: {error}")))
}

/// The host of a URL.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#', ':']).next().unwrap_or_default().to_ascii_lowercase()
}
