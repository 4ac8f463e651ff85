//! Time and memory as the crawl grows: the same pages repeated under other host names.

use super::inputs::Corpus;
use super::{Section, load, megabytes};
use crate::Stop;
use crate::shared::program::Program;
use crate::shared::report::table;

/// How often the crawl is repeated.
const TIMES: [usize; 4] = [1, 2, 5, 10];
/// Maximum memory of a run, regardless of the size of the crawl.
const MOST_MEMORY: u64 = 500_000_000;
/// Maximum ratio of the time per page of the largest crawl to that of the smallest.
const MOST_GROWTH: f64 = 1.15;

pub(super) fn measure(program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let mut section = Section::default();
    let (mut rows, mut each) = (Vec::new(), Vec::new());
    let mut pages_once = 0;
    corpus.pages(|_| {
        pages_once += 1;
        Ok(())
    })?;
    for (times, store) in TIMES.into_iter().map(|times| (times, false)).chain([(TIMES[TIMES.len() - 1], true)]) {
        let mut names = Vec::new();
        let mut bytes = 0;
        for number in 0..times {
            let path = corpus.renamed(number)?;
            bytes += path.metadata()?.len();
            names.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        let mut arguments = vec!["clean"];
        arguments.extend(names.iter().map(String::as_str));
        arguments.extend(["-o", "growth.out.jsonl"]);
        if store {
            arguments.extend(["--templates", "growth.store"]);
        }
        let load = load();
        let run = program.run(&arguments)?.done()?;
        std::fs::remove_file(program.at("growth.out.jsonl"))?;
        section.expect(run.peak < MOST_MEMORY, || format!("{} MB of memory for {times} times", megabytes(run.peak)));
        let pages = times * pages_once;
        if !store {
            each.push(run.processor / pages as f64);
        }
        rows.push(vec![
            format!("{times}{}", if store { ", into a store" } else { "" }),
            pages.to_string(),
            format!("{:.2}", bytes as f64 / 1e9),
            format!("{:.1}", run.seconds),
            format!("{:.2}", 1e3 * run.seconds / pages as f64),
            format!("{:.1}", run.processor),
            format!("{:.2}", 1e3 * run.processor / pages as f64),
            megabytes(run.peak),
            load,
        ]);
    }
    for number in 0..TIMES[TIMES.len() - 1] {
        std::fs::remove_file(corpus.renamed(number)?)?;
    }
    let growth = each[each.len() - 1] / each[0];
    section.expect(growth <= MOST_GROWTH, || format!("a page of the largest crawl takes {growth:.2} times as long"));
    let head = ["times", "pages", "GB of JSONL", "seconds", "ms/page", "CPU s", "ms/page", "peak MB", "load before"];
    section.text = format!(
        "The crawl repeated under other host names. Limits: {} MB of memory; CPU time per page at most {MOST_GROWTH} times that of the \
         smallest crawl (measured: {growth:.2}).\n\n{}",
        megabytes(MOST_MEMORY),
        table(&head, &rows)
    );
    Ok(section)
}
