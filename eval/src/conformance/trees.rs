//! Whether our trees equal those of html5ever on the pages of all corpora.

use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::report::{Results, table};
use crate::shared::support::dump::{self, Order};
use crate::shared::support::reference;
use dehusk::dom::{Document, Parser};
use typed_arena::Arena;

#[derive(Default)]
struct Count {
    pages: usize,
    bytes: usize,
    nodes: usize,
    equal: usize,
    cut: usize,
    unequal: usize,
}

pub(crate) fn run(data: &Data, results: &Results, verbose: bool) -> Result<(), Stop> {
    let mut corpora = vec![("wcxb-dev", vec![data.find("wcxb-dev.jsonl.zst")?])];
    for folder in ["sites", "segments", "dup"] {
        corpora.push((folder, data.list(folder, ".jsonl.zst")?));
    }
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    let mut total = Count::default();
    let mut comparison = Comparison::default();
    for (name, files) in corpora {
        let mut count = Count::default();
        for file in files {
            read_pages(&file, |address, html| comparison.add(address, &html, &mut count, &mut notes, verbose))?;
        }
        rows.push(row(name, &count));
        total.pages += count.pages;
        total.bytes += count.bytes;
        total.nodes += count.nodes;
        total.equal += count.equal;
        total.cut += count.cut;
        total.unequal += count.unequal;
    }
    rows.push(row("all", &total));
    let mut body = table(&["corpus", "pages", "MB", "nodes", "equal", "limit hit", "unequal"], &rows);
    body.push_str("\nCompared: elements, texts, comments, document types, attributes in order, template contents.\n");
    for note in &notes {
        body.push_str(&format!("- {note}\n"));
    }
    if total.unequal > 0 {
        print!("{body}");
        return Err(Stop::Failed(format!("{} trees differ from html5ever's", total.unequal)));
    }
    results.publish("trees", "Trees compared with html5ever", "wcxb-dev, sites, segments, dup", &body)
}

#[derive(Default)]
struct Comparison {
    parser: Parser,
    document: Document,
    ours: String,
    theirs: String,
}

impl Comparison {
    fn add(&mut self, address: &str, html: &str, count: &mut Count, notes: &mut Vec<String>, verbose: bool) {
        count.pages += 1;
        count.bytes += html.len();
        self.ours.clear();
        self.theirs.clear();
        if let Err(error) = self.parser.parse_into(html, &mut self.document) {
            count.unequal += 1;
            notes.push(format!("{address}: {error}"));
            return;
        }
        count.nodes += self.document.len();
        dump::document(&self.document, false, Order::Kept, &mut self.ours);
        let arena = Arena::new();
        dump::reference(reference::parse(&arena, html, None, false), false, Order::Kept, &mut self.theirs);
        let cuts = self.document.limits_hit();
        if self.ours == self.theirs {
            count.equal += 1;
        } else if !cuts.is_empty() {
            count.cut += 1;
            notes.push(format!("{address}: limit on {cuts}"));
        } else {
            count.unequal += 1;
            notes.push(format!("{address}: unequal"));
            if verbose {
                self.show_difference(address);
            }
        }
    }

    /// Prints the first line that differs and the lines before it.
    fn show_difference(&self, address: &str) {
        let same = self.ours.lines().zip(self.theirs.lines()).take_while(|(one, two)| one == two).count();
        println!("== {address}, line {same}");
        self.ours.lines().skip(same.saturating_sub(5)).take(5).for_each(|line| println!("  {line:.150}"));
        self.ours.lines().skip(same).take(3).for_each(|line| println!("- {line:.150}"));
        self.theirs.lines().skip(same).take(3).for_each(|line| println!("+ {line:.150}"));
    }
}

fn row(name: &str, count: &Count) -> Vec<String> {
    vec![
        name.to_string(),
        count.pages.to_string(),
        format!("{:.0}", count.bytes as f64 / 1e6),
        count.nodes.to_string(),
        count.equal.to_string(),
        count.cut.to_string(),
        count.unequal.to_string(),
    ]
}
