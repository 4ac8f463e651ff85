//! The documents of a command that uses clean text, and the records it writes.

use super::clean::Bar;
use crate::args::CorpusArgs;
use crate::outcome::{Failure, Outcome};
use crate::{files, printer, temporary};
use dehusk::detect::KeepAll;
use dehusk::{Extractor, Options, OutputFormat};
use dehusk_corpus::{Corpus, Document, InputKind, Skipped};
use dehusk_io::crawl::{Crawl, TemplateMode};
use dehusk_io::{Column, Error, InputValue, Inputs, OutputContainer, OutputSchema, ReadOptions, assemble};
use dehusk_options::definitions::{PROGRESS, SITE_BY, STRICT, THREADS};
use dehusk_options::today;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Documents, and what was said while they were made.
pub(super) struct Opened {
    pub(super) corpus: Corpus,
    pub(super) bar: Bar,
    /// Pages that could not be read, by the kind of error.
    failed: BTreeMap<String, u64>,
}

/// How the pages of a command are read.
pub(super) fn page_options(args: &CorpusArgs) -> ReadOptions {
    args.options.read_options().with_carry(Vec::new())
}

/// The inputs of a command. They are opened once: what has been read from a pipe is gone.
pub(super) fn open_inputs(args: &CorpusArgs) -> Result<Inputs, Failure> {
    Inputs::new(&args.inputs).map_err(fails)
}

fn fails(error: Error) -> Failure {
    Failure::new(error.to_string())
}

/// Opens the documents of a command, cleaning pages first. The text is of a format, if pages have to be cleaned; `columns` are read
/// besides it.
pub(super) fn open(args: &CorpusArgs, format: OutputFormat, columns: &[String]) -> Result<Opened, Failure> {
    open_documents(args, open_inputs(args)?, format, columns)
}

/// As [`open()`], of inputs that are open already.
pub(super) fn open_documents(
    args: &CorpusArgs,
    inputs: Inputs,
    format: OutputFormat,
    columns: &[String],
) -> Result<Opened, Failure> {
    let bar = Bar::new(args.options.flag(&PROGRESS));
    let pages = page_options(args);
    let (corpus, failed) = match InputKind::of(&inputs, &pages, &args.text_column) {
        InputKind::Texts if args.raw => {
            return Err(Failure::new("--raw is for pages, and the inputs are texts: leave it out"));
        }
        InputKind::Texts => (Corpus::of_texts(inputs, &pages, &args.text_column, columns), BTreeMap::new()),
        _ => {
            let extractor = Extractor::new(Options::new())?;
            let extractor = if args.raw { extractor.with_detector(KeepAll)? } else { extractor };
            let job = |output: &Path| {
                Crawl::new(extractor, args.inputs.clone(), output)
                    .with_opened(inputs)
                    .with_read_options(pages.with_carry(columns.to_vec()))
                    .with_format(format)
                    .with_site_by(args.options.choice(&SITE_BY).unwrap_or_default())
                    .with_templates(if args.raw { TemplateMode::None } else { TemplateMode::Learn })
                    .with_threads(args.options.size(&THREADS))
                    .with_day(today())
            };
            let folder = temporary::folder().map_err(|error| fails(Error::other(error)))?;
            let column = if format == OutputFormat::Markdown { "markdown" } else { "text" };
            let (corpus, tally) = Corpus::of_pages(job, folder, column, columns, &bar).map_err(fails)?;
            (corpus, tally.errors)
        }
    };
    Ok(Opened { corpus: corpus.with_threads(args.options.size(&THREADS)), bar, failed })
}

impl Opened {
    /// Runs `work` on every document, on many threads, and hands the results to `take` in the order of the documents. Its first failure ends the run.
    pub(super) fn for_each<T: Send>(
        &self,
        pass: &str,
        work: impl Fn(Document) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<Skipped, Failure> {
        // A corpus passes on only errors of its own type, so the failure is kept here.
        let mut failure = None;
        let done = self.corpus.for_each(
            pass,
            &self.bar,
            || (),
            |(), document| work(document),
            |result| {
                take(result).map_err(|reason| {
                    failure = Some(reason);
                    Error::other("the run has ended")
                })
            },
        );
        match failure {
            Some(failure) => Err(failure),
            None => done.map_err(|error| Failure::new(error.to_string())),
        }
    }

    /// Says what could not be read, and how the run ended.
    pub(super) fn finish(&self, args: &CorpusArgs, skipped: &Skipped) -> Result<Outcome, Failure> {
        self.bar.finish();
        let failed: u64 = self.failed.values().sum();
        if failed > 0 {
            let kinds: Vec<String> = self.failed.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            let pages = printer::counted(failed, "page");
            printer::note(&format!("{pages} could not be read ({})", kinds.join(", ")));
        } else if let Some(first) = &skipped.first {
            // Pages that could not be read have a record without text, which is skipped, too.
            let documents = printer::counted(skipped.records, "document");
            printer::note(&format!("{documents} could not be read, the first: {first}"));
        }
        Outcome::of_pages(skipped.documents, skipped.records.max(failed), args.options.flag(&STRICT))
    }
}

/// Records of a result, on their way to a file or to standard output.
pub(super) struct RecordWriter {
    output: Option<PathBuf>,
    columns: Vec<Column>,
    /// The records so far: standard output, or a file that becomes the output at the end.
    sink: Box<dyn Write>,
    folder: Option<TempDir>,
}

impl RecordWriter {
    /// Writes to a .jsonl or .parquet file, or to standard output.
    pub(super) fn new(output: Option<&Path>, mut columns: Vec<Column>) -> Result<RecordWriter, Failure> {
        // A carried column keeps its name unless the record has a key of that name.
        for number in 1..columns.len() {
            while columns[..number].iter().any(|other| other.name == columns[number].name) {
                columns[number].name.insert_str(0, "carried_");
            }
        }
        let Some(path) = output.filter(|path| !files::is_stream(path)) else {
            let sink = std::io::BufWriter::new(printer::record_output());
            return Ok(RecordWriter { output: None, columns, sink: Box::new(sink), folder: None });
        };
        let fails = |error| Failure::about(path, error);
        let folder = temporary::folder().map_err(fails)?;
        let sink = std::fs::File::create(folder.path().join("records.jsonl")).map_err(fails)?;
        let sink = std::io::BufWriter::with_capacity(1 << 18, sink);
        Ok(RecordWriter { output: Some(path.into()), columns, sink: Box::new(sink), folder: Some(folder) })
    }

    /// Writes a record: the values of the columns, in their order.
    pub(super) fn write(&mut self, values: &[InputValue]) -> Result<(), Failure> {
        let mut line = String::from("{");
        for (number, (column, value)) in self.columns.iter().zip(values).enumerate() {
            let comma = if number == 0 { "" } else { "," };
            line.push_str(&format!("{comma}{}:{}", InputValue::from(column.name.as_str()), value.json()));
        }
        line.push_str("}\n");
        self.sink.write_all(line.as_bytes()).map_err(|error| self.failure(error))
    }

    fn failure(&self, error: std::io::Error) -> Failure {
        match &self.output {
            Some(path) => Failure::about(path, error),
            None => Failure::output(error),
        }
    }

    /// The output appears whole.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.sink.flush().map_err(|error| self.failure(error))?;
        let (Some(path), Some(folder)) = (&self.output, &self.folder) else { return Ok(()) };
        if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
            std::fs::create_dir_all(parent).map_err(|error| Failure::about(path, error))?;
        }
        let segment = folder.path().join("records.jsonl");
        let written = assemble(&[segment], path, OutputContainer::of(path), &OutputSchema::new(self.columns.clone()));
        written.map_err(|error| Failure::new(error.to_string()))?;
        printer::note(&format!("written to {}", path.display()));
        Ok(())
    }
}

/// Writes a report: HTML if the name of the file says so, else JSON.
pub(super) fn write_report(path: &Path, html: impl FnOnce() -> String, json: &Value) -> Result<(), Failure> {
    match path.extension().is_some_and(|ending| ending == "html") {
        true => files::write(path, html().as_bytes()),
        false => files::write(path, format!("{json:#}\n").as_bytes()),
    }
}
