//! Templates learned from two halves of a crawl in sequence, compared with those learned from the whole.

use super::Section;
use super::inputs::Corpus;
use crate::Stop;
use crate::shared::program::Program;
use crate::shared::report::table;
use dehusk_io::crawl::TemplateStore;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

pub(super) fn measure(program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let mut section = Section::default();
    let mut input = BufReader::with_capacity(1 << 20, File::open(corpus.jsonl()?)?);
    let mut halves = [
        BufWriter::new(File::create(program.at("even.jsonl"))?),
        BufWriter::new(File::create(program.at("odd.jsonl"))?),
    ];
    let (mut line, mut number) = (Vec::new(), 0);
    while input.read_until(b'\n', &mut line)? > 0 {
        halves[number % 2].write_all(&line)?;
        number += 1;
        line.clear();
    }
    for half in &mut halves {
        half.flush()?;
    }
    let mut rows = Vec::new();
    let mut wanted = Vec::new();
    let orders: [(&str, &[&str]); 3] = [
        ("all pages at once", &["crawl.jsonl"]),
        ("even records, then odd", &["even.jsonl", "odd.jsonl"]),
        ("odd records, then even", &["odd.jsonl", "even.jsonl"]),
    ];
    for (at, (name, inputs)) in orders.into_iter().enumerate() {
        let store = format!("halves-{at}.store");
        let mut seconds = 0.0;
        for input in inputs {
            let run = program.run(&["clean", input, "-o", "halves.out.jsonl", "--templates", &store])?.done()?;
            seconds += run.seconds;
        }
        let path = program.at(&store);
        let broken = |error: dehusk_io::Error| Stop::Broken(error.to_string());
        let opened = TemplateStore::open(&path, dehusk_papers::methods().site_methods()).map_err(broken)?;
        let (sites, templates) = (opened.site_count(), opened.export().map_err(broken)?);
        if at == 0 {
            wanted = templates.clone();
        }
        section.expect(templates == wanted, || format!("{name}: different templates"));
        rows.push(vec![
            name.to_string(),
            sites.to_string(),
            format!("{:.1}", templates.len() as f64 / 1e6),
            format!("{:.1}", path.metadata()?.len() as f64 / 1e6),
            format!("{seconds:.1}"),
            if templates == wanted { "yes" } else { "NO" }.to_string(),
        ]);
    }
    for name in ["even.jsonl", "odd.jsonl", "halves.out.jsonl"] {
        std::fs::remove_file(program.at(name))?;
    }
    let head = ["learned from", "templates", "MB of templates", "MB of store", "seconds", "same templates"];
    section.text = format!("{number} pages.\n\n{}", table(&head, &rows));
    Ok(section)
}
