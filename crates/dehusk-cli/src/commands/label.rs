//! `dehusk label`: automatic labels of a crawl's pages, as JSON lines.

use super::clean::Bar;
use crate::args::{Label, Labelled, Labelling};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::printer;
use dehusk::dom::{NodeId, Paths};
use dehusk_io::{AtomicFile, Error};
use dehusk_options::definitions::{PROGRESS, REPORT, SEED, SITE_BY, STRICT, THREADS};
use dehusk_papers::block::page_words::PageWords;
use dehusk_train::{BlockLabel, Flavour, LabelOptions, LabelledPage, count_sites, visit_pages};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The options of labels, from the flags.
pub(super) fn label_options(inputs: &[PathBuf], flavour: Flavour, args: &Labelling) -> LabelOptions {
    LabelOptions {
        read: args.options.read_options(),
        options: args.options.reading(),
        site_by: args.options.choice(&SITE_BY).unwrap_or_default(),
        threshold: args.threshold,
        min_pages: args.min_pages,
        seed: args.options.whole(&SEED),
        threads: args.options.size(&THREADS),
        ..LabelOptions::new(inputs.to_vec(), flavour)
    }
}

pub(super) fn label(args: &Label) -> Result<Outcome, Failure> {
    let flavour = match args.what {
        Labelled::Blocks => Flavour::Blocks(args.labelling.names()),
        Labelled::Nodes => Flavour::Nodes,
    };
    let options = label_options(&args.inputs, flavour, &args.labelling);
    let bar = Bar::new(args.labelling.options.flag(&PROGRESS));
    let fail = |error: Error| Failure::new(error.to_string());
    let counts = count_sites(&options, &bar);
    let failed = bar.finish_with_faults();
    let counts = counts.map_err(fail)?;
    counts.check_any().map_err(fail)?;
    let not_written = |path: &Path, error| Failure::new(format!("{}: cannot write: {error}", path.display()));
    let file = match args.output.as_ref().filter(|path| !files::is_stream(path)) {
        Some(path) => Some(AtomicFile::create(path).map_err(|error| not_written(path, error))?),
        None => None,
    };
    let mut out: Box<dyn Write> = match &file {
        Some(file) => Box::new(std::io::BufWriter::new(file.as_file())),
        None => Box::new(std::io::BufWriter::new(printer::record_output())),
    };
    let work = |words: &mut PageWords, page: &LabelledPage<'_>| match args.what {
        Labelled::Blocks => block_line(page, words, args),
        Labelled::Nodes => node_line(page),
    };
    let mut pages = 0;
    // The error itself is kept, since a closed pipe is not reported as a failure.
    let mut broken = None;
    let visited = visit_pages(&options, &counts, &bar, PageWords::default, work, |line: Value| {
        pages += 1;
        writeln!(out, "{line}").map_err(|error| {
            let message = error.to_string();
            broken = Some(error);
            Error::other(message)
        })
    });
    bar.finish();
    match (visited, broken) {
        (_, Some(error)) => return Err(Failure::output(error)),
        (visited, None) => visited.map_err(fail)?,
    }
    out.flush().map_err(Failure::output)?;
    drop(out);
    if let (Some(file), Some(path)) = (file, &args.output) {
        file.commit().map_err(|error| not_written(path, error))?;
    }
    let sites = printer::counted(counts.len() as u64, "site");
    printer::note(&format!("{} of {sites} labelled", printer::counted(pages, "page")));
    if let Some(path) = args.labelling.options.path(&REPORT) {
        let report = json!({ "pages": pages, "sites": counts.len() });
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    Outcome::of_pages(pages, failed, args.labelling.options.flag(&STRICT))
}

fn block_line(page: &LabelledPage<'_>, words: &mut PageWords, args: &Label) -> Value {
    let document = page.page.document;
    words.fill(document);
    let labels = page.block_labels(words, args.labelling.names());
    let paths = Paths::new(document);
    let block = |number: usize| {
        let id = labels.blocks[number];
        let label = match labels.labels[number] {
            BlockLabel::Template => "template",
            BlockLabel::Content { topmost: true } => "content",
            BlockLabel::Content { topmost: false } => "content_inside",
            BlockLabel::Unknown => "unknown",
        };
        json!({
            "node": id.0,
            "xpath": paths.xpath(id),
            "span": span(page, id),
            "label": label,
            "pages": labels.pages[number],
        })
    };
    let blocks: Vec<Value> = (0..labels.blocks.len()).map(block).collect();
    json!({ "site": page.site, "site_pages": page.counts.pages(), "url": page.url, "blocks": blocks })
}

fn node_line(page: &LabelledPage<'_>) -> Value {
    let labels = page.node_labels().is_template;
    let of = |wanted: bool| {
        let numbers = labels.iter().enumerate().filter(move |(_, label)| **label == Some(wanted));
        numbers.map(|(number, _)| number).collect::<Vec<_>>()
    };
    json!({
        "site": page.site,
        "site_pages": page.counts.pages(),
        "url": page.url,
        "template_nodes": of(true),
        "content_nodes": of(false),
    })
}

fn span(page: &LabelledPage<'_>, id: NodeId) -> Value {
    page.page.document.span(id).map_or(Value::Null, |span| json!([span.start, span.end]))
}
