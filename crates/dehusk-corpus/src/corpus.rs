//! The documents of cleaned pages, or of pages that are cleaned first.
//!
//! Takes files of texts, such as the output of `clean`, or a crawl job. Returns documents, as often as they are asked for.

use crate::document::Document;
use dehusk_io::crawl::{Crawl, PageOutcome, Progress, Tally, TrackedSource};
use dehusk_io::{
    Error, Fault, FaultKind, InputValue, Inputs, InputsSnapshot, RawPage, ReadOptions, RunOptions, run_ordered,
};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// What inputs hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputKind {
    /// Pages, which have to be cleaned.
    Pages,
    /// Texts: rows that `clean` has written, other rows with a column of text, or files of text.
    Texts,
}

impl InputKind {
    /// What inputs hold, by the first row that can be read. Pages if none can.
    #[must_use]
    pub fn of(inputs: &Inputs, pages: &ReadOptions, text_column: &str) -> InputKind {
        let texts = text_options(pages, text_column, Vec::new());
        // Rows of `clean` can have HTML besides the text, which is not a page any more.
        let is_cleaned = was_cleaned(inputs, pages.clone()) || was_cleaned(inputs, texts.clone().with_texts(false));
        match is_cleaned || (!holds(inputs, pages) && holds(inputs, &texts)) {
            true => InputKind::Texts,
            false => InputKind::Pages,
        }
    }
}

/// Keys that every row of `clean` has, and hardly any other.
const KEYS_OF_CLEAN: [&str; 2] = ["kept_characters", "dropped_characters"];

/// Whether `clean` has written the first row of the inputs.
fn was_cleaned(inputs: &Inputs, options: ReadOptions) -> bool {
    let options = options.with_carry(KEYS_OF_CLEAN.map(String::from).to_vec());
    let carried = match inputs.open(&options).next().map(|item| item.and_then(|raw| raw.open(&options))) {
        Some(Ok(record)) => record.carried,
        // The page may have failed, and then has no text.
        Some(Err(fault)) => fault.page().map_or(Vec::new(), |known| known.carried.clone()),
        None => Vec::new(),
    };
    !carried.is_empty() && carried.iter().all(|(_, value)| !value.is_null())
}

/// Faulty rows that are passed over to find out what inputs hold.
const MAX_FAULTS: usize = 100;

/// Whether the first sound row of the inputs can be read with these options.
fn holds(inputs: &Inputs, options: &ReadOptions) -> bool {
    let mut source = inputs.open(options);
    for _ in 0..MAX_FAULTS {
        let Some(item) = source.next() else { return false };
        match item.and_then(|raw| raw.open(options)) {
            Ok(_) => return true,
            // A record that holds no page could still be read.
            Err(fault) if fault.kind.is_skip() => return true,
            // The right columns are in every row, or the inputs are of the other kind.
            Err(fault) if fault.kind == FaultKind::MissingColumn => return false,
            Err(_) => {}
        }
    }
    false
}

/// How texts are read: the id and the address as with pages, then the title and the columns asked for.
fn text_options(pages: &ReadOptions, text_column: &str, columns: Vec<String>) -> ReadOptions {
    let carry = std::iter::once("title".to_string()).chain(columns).collect();
    pages.clone().with_texts(true).with_html_column(text_column).with_carry(carry)
}

/// Documents that can be read several times, always in the same order.
#[derive(Debug)]
pub struct Corpus {
    inputs: Inputs,
    /// The files as they were at the start: all passes must read the same.
    snapshot: InputsSnapshot,
    read: ReadOptions,
    columns: Vec<String>,
    text_column: String,
    /// Whether the first column read is what a document is called if it has no id.
    named: bool,
    threads: usize,
    /// The cleaned pages, deleted with the corpus.
    _cleaned: Option<TempDir>,
}

/// The result of a pass over the inputs: how many documents there are, and how many rows are not among them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Skipped {
    /// How many documents there are.
    pub documents: u64,
    /// How many rows are not among them.
    pub records: u64,
    /// What is wrong with the first of them.
    pub first: Option<String>,
}

impl Corpus {
    /// The documents of files and folders of texts. `pages` says in which columns their ids and addresses are; `columns` are read
    /// besides the text.
    #[must_use]
    pub fn of_texts(inputs: Inputs, pages: &ReadOptions, text_column: &str, columns: &[String]) -> Corpus {
        let read = text_options(pages, text_column, columns.to_vec());
        Corpus {
            snapshot: inputs.snapshot(&read),
            inputs,
            read,
            columns: columns.to_vec(),
            text_column: text_column.into(),
            named: false,
            threads: 0,
            _cleaned: None,
        }
    }

    /// Runs a crawl job and gives the documents it wrote. `job` gets the output of the job, a file in `folder`; `text_column` is the column of the
    /// job's format, and `columns` are those it carries over.
    ///
    /// # Errors
    /// If the job fails, or its output cannot be read.
    pub fn of_pages(
        job: impl FnOnce(&Path) -> Crawl,
        folder: TempDir,
        text_column: &str,
        columns: &[String],
        progress: &dyn Progress,
    ) -> Result<(Corpus, Tally), Error> {
        let output = folder.path().join("cleaned.jsonl");
        // The place of a page in the input would be one in a temporary file: it is better called by its name.
        let job = job(&output).with_names(true);
        let tally = job.run(progress)?;
        let keys = std::iter::once("name".to_string()).chain(job.carried_keys()).collect();
        let mut corpus = Corpus::of_texts(Inputs::new(&[output])?, &ReadOptions::default(), text_column, columns);
        corpus.read = text_options(&ReadOptions::default(), text_column, keys);
        corpus.named = true;
        corpus._cleaned = Some(folder);
        Ok((corpus, tally))
    }

    /// The number of threads; 0, the default, is one for each processor. No result depends on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Corpus {
        self.threads = threads;
        self
    }

    /// The names of the columns read besides the text.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The name of the column of the text.
    #[must_use]
    pub fn text_column(&self) -> &str {
        &self.text_column
    }

    /// Runs `work` on every document, on many threads, and hands the results to `take` in the order of the documents.
    ///
    /// # Errors
    /// If an input cannot be read or has changed since the corpus was made, or `take` fails.
    pub fn for_each<S, T: Send>(
        &self,
        pass: &str,
        progress: &dyn Progress,
        start: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Document) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<Skipped, Error> {
        let position = AtomicU64::new(0);
        let mut source = TrackedSource::new(self.inputs.open(&self.read), &position);
        progress.pass(pass, dehusk_io::Source::bytes_total(&source));
        let mut skipped = Skipped::default();
        run_ordered(
            &mut source,
            &RunOptions::default().with_threads(self.threads),
            start,
            |state, raw| self.document(raw).map(|document| work(state, document)),
            |outcome| {
                let at = position.load(Ordering::Relaxed);
                match outcome {
                    Ok(result) => {
                        progress.page(at, PageOutcome::Done);
                        skipped.documents += 1;
                        take(result)
                    }
                    Err(fault) => {
                        progress.page(at, PageOutcome::Skipped);
                        skipped.records += 1;
                        skipped.first.get_or_insert_with(|| fault.to_string());
                        Ok(())
                    }
                }
            },
        )?;
        self.inputs.check_unchanged(&self.snapshot, ": run again")?;
        Ok(skipped)
    }

    /// All documents, for uses that hold them all.
    ///
    /// # Errors
    /// If an input cannot be read or has changed since the corpus was made.
    pub fn documents(&self, progress: &dyn Progress) -> Result<(Vec<Document>, Skipped), Error> {
        let mut documents = Vec::new();
        let keep = |document| {
            documents.push(document);
            Ok(())
        };
        let skipped = self.for_each("reading", progress, || (), |(), document| document, keep)?;
        Ok((documents, skipped))
    }

    fn document(&self, raw: Result<RawPage, Fault>) -> Result<Document, Fault> {
        let record = raw.and_then(|raw| raw.open(&self.read))?;
        let name = record.name();
        let mut carried = record.carried.into_iter().map(|(_, value)| value);
        let title = match carried.next() {
            Some(value) => value.as_text().filter(|title| !title.is_empty()),
            None => None,
        };
        let name = if self.named { carried.next().unwrap_or_else(InputValue::null) } else { name.into() };
        let text = String::from_utf8(record.html)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let key = record.id.unwrap_or(name);
        Ok(Document { key, url: record.url, title, text, columns: carried.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_change_between_passes_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "Nets are mended in May.").unwrap();
        let inputs = Inputs::new(&[folder.path().into()]).unwrap();
        let corpus = Corpus::of_texts(inputs, &ReadOptions::default(), "text", &[]);
        assert_eq!(corpus.documents(&()).unwrap().0.len(), 1);
        std::fs::write(&path, "Nets are mended in May, or in June.").unwrap();
        let error = corpus.documents(&()).unwrap_err();
        assert_eq!((error.kind(), error.path()), (dehusk_io::ErrorKind::InputChanged, Some(&*path)));
    }
}
