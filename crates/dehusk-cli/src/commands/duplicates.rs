//! `dehusk duplicates`: pairs, groups, shared paragraphs, or the corpus without near-duplicates.

use super::corpus::{Opened, RecordWriter, open, write_report};
use super::report_page;
use crate::args::{Duplicates, Keep};
use crate::outcome::{Failure, Outcome};
use crate::printer;
use dehusk::OutputFormat;
use dehusk_corpus::duplicates::{DuplicateFinder, DuplicateOptions, Signer};
use dehusk_corpus::paragraphs::{ParagraphFinder, paragraph_hashes};
use dehusk_corpus::{Document, KeyWriter, Keys, Skipped};
use dehusk_io::{Column, ColumnType, InputValue};
use dehusk_options::definitions::{CARRY, REPORT};
use serde_json::{Value, json};

pub(super) fn duplicates(args: &Duplicates) -> Result<Outcome, Failure> {
    if args.shared > args.hashes {
        return Err(Failure::new(format!("--shared {} is more than --hashes {}", args.shared, args.hashes)));
    }
    if args.keep.is_none() && args.corpus.options.is_given(&CARRY) {
        return Err(Failure::new("--carry needs --keep: pairs and groups name documents by id or URL"));
    }
    let opened = open(&args.corpus, OutputFormat::Text, &args.corpus.options.texts(&CARRY))?;
    let skipped = match args.paragraphs {
        true => paragraphs(args, &opened)?,
        false => documents(args, &opened)?,
    };
    opened.finish(&args.corpus, &skipped)
}

fn fails(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// Near-duplicates as pairs or groups, or what is left without them.
fn documents(args: &Duplicates, opened: &Opened) -> Result<Skipped, Failure> {
    let options = DuplicateOptions::default()
        .with_shingle_words(args.shingle_words.into())
        .with_hashes(args.hashes.into(), args.shared.into())
        .with_memory(args.memory << 20);
    let folder = std::env::temp_dir();
    let mut finder = DuplicateFinder::new(options, &folder).map_err(fails)?;
    let mut keys = KeyWriter::new(&folder).map_err(fails)?;
    let mut lengths: Vec<u32> = Vec::new();
    let skipped = opened.corpus.for_each(
        "hashing",
        &opened.bar,
        || Signer::new(options),
        |signer, document| (signer.sign(document.body()), document.key, document.text.len()),
        |(signature, key, length)| {
            // Only this choice needs the lengths of what may be millions of documents.
            if args.keep == Some(Keep::Longest) {
                lengths.push(u32::try_from(length).unwrap_or(u32::MAX));
            }
            finder.add(&signature).and_then(|()| keys.add(&key)).map_err(dehusk_io::Error::other)
        },
    );
    let skipped = skipped.map_err(fails)?;
    let mut keys = keys.finish().map_err(fails)?;
    let mut found = finder.finish().map_err(fails)?;
    let clusters = found.clusters();
    let summary = Summary::of(&clusters);
    match args.keep {
        Some(keep) => write_kept(args, opened, &kept(&clusters, keep, &lengths))?,
        None if args.clusters => write_clusters(args, &clusters, &mut keys)?,
        None => {
            let columns = vec![
                Column::new("a", ColumnType::Input),
                Column::new("b", ColumnType::Input),
                Column::new("shared", ColumnType::I64),
            ];
            let mut writer = RecordWriter::new(args.output.as_deref(), columns)?;
            for pair in found.pairs() {
                let pair = pair.map_err(fails)?;
                let (a, b) = (keys.get(pair.a).map_err(fails)?, keys.get(pair.b).map_err(fails)?);
                writer.write(&[a, b, pair.shared.into()])?;
            }
            writer.finish()?;
        }
    }
    opened.bar.finish();
    printer::note(&summary.sentence());
    if let Some(path) = args.corpus.options.path(&REPORT) {
        write_report(path, || summary.page(), &summary.json())?;
    }
    Ok(skipped)
}

/// Whether each document stays: one of each cluster.
fn kept(clusters: &[u32], keep: Keep, lengths: &[u32]) -> Vec<bool> {
    match keep {
        Keep::First => (0..).zip(clusters).map(|(document, first)| document == *first).collect(),
        Keep::Longest => {
            let mut longest: Vec<u32> = clusters.to_vec();
            for (document, first) in (0..).zip(clusters) {
                let best = &mut longest[*first as usize];
                // Of equally long ones, the first stays.
                if lengths[document as usize] > lengths[*best as usize] {
                    *best = document;
                }
            }
            (0..).zip(clusters).map(|(document, first)| longest[*first as usize] == document).collect()
        }
    }
}

fn write_kept(args: &Duplicates, opened: &Opened, kept: &[bool]) -> Result<(), Failure> {
    let carried = opened.corpus.columns().iter().map(|name| Column::new(name, ColumnType::Input));
    let columns = [
        Column::new("id", ColumnType::Input),
        Column::new("url", ColumnType::Utf8),
        Column::new("title", ColumnType::Utf8),
        Column::new(opened.corpus.text_column(), ColumnType::Utf8),
    ];
    let mut writer = RecordWriter::new(args.output.as_deref(), columns.into_iter().chain(carried).collect())?;
    let mut kept = kept.iter();
    opened.for_each(
        "writing",
        |document| document,
        |document| {
            if kept.next() == Some(&true) {
                let start = [document.key, document.url.into(), document.title.into(), document.text.into()];
                let values: Vec<InputValue> = start.into_iter().chain(document.columns).collect();
                writer.write(&values)?;
            }
            Ok(())
        },
    )?;
    writer.finish()
}

fn write_clusters(args: &Duplicates, clusters: &[u32], keys: &mut Keys) -> Result<(), Failure> {
    let columns = vec![
        Column::new("cluster", ColumnType::I64),
        Column::new("count", ColumnType::I64),
        Column::new("documents", ColumnType::Json),
    ];
    let mut writer = RecordWriter::new(args.output.as_deref(), columns)?;
    let mut members: Vec<(u32, u32)> = (0..).zip(clusters).map(|(document, first)| (*first, document)).collect();
    members.sort_unstable();
    let mut number = 0;
    for group in members.chunk_by(|one, two| one.0 == two.0).filter(|group| group.len() > 1) {
        number += 1;
        let documents = group.iter().map(|(_, document)| keys.get(*document)).collect::<Result<Vec<_>, _>>();
        writer.write(&[number.into(), group.len().into(), documents.map_err(fails)?.into()])?;
    }
    writer.finish()
}

/// Characters of a paragraph that are written.
const PARAGRAPH_CHARACTERS: usize = 400;

fn paragraphs(args: &Duplicates, opened: &Opened) -> Result<Skipped, Failure> {
    let folder = std::env::temp_dir();
    let mut finder = ParagraphFinder::new(&folder, args.memory << 20);
    let mut keys = KeyWriter::new(&folder).map_err(fails)?;
    let skipped = opened.corpus.for_each(
        "hashing",
        &opened.bar,
        || (),
        |(), document| (paragraph_hashes(&document.text, args.paragraph_words), document.key),
        |(hashes, key)| finder.add(&hashes).and_then(|()| keys.add(&key)).map_err(dehusk_io::Error::other),
    );
    let skipped = skipped.map_err(fails)?;
    let mut keys = keys.finish().map_err(fails)?;
    let mut shared = finder.finish().map_err(fails)?.peekable();
    let columns = vec![
        Column::new("paragraph", ColumnType::Utf8),
        Column::new("count", ColumnType::I64),
        Column::new("documents", ColumnType::Json),
    ];
    let mut writer = RecordWriter::new(args.output.as_deref(), columns)?;
    let (mut document_number, mut paragraphs, mut places) = (0, 0_u64, 0_u64);
    let write = |document: Document| -> Result<(), Failure> {
        let lines: Vec<&str> = document.text.lines().collect();
        let is_of_other = |next: &std::io::Result<dehusk_corpus::paragraphs::SharedParagraph>| {
            next.as_ref().is_ok_and(|paragraph| paragraph.documents[0] != document_number)
        };
        // Paragraphs come in the order of their first documents, so one more pass finds the text of each.
        while let Some(paragraph) = shared.next_if(|next| !is_of_other(next)) {
            let paragraph = paragraph.map_err(fails)?;
            let text = lines.get(paragraph.line as usize).unwrap_or(&"");
            let text: String = text.trim().chars().take(PARAGRAPH_CHARACTERS).collect();
            let names = paragraph.documents.iter().map(|document| keys.get(*document)).collect::<Result<Vec<_>, _>>();
            writer.write(&[text.into(), paragraph.count.into(), names.map_err(fails)?.into()])?;
            paragraphs += 1;
            places += u64::from(paragraph.count);
        }
        document_number += 1;
        Ok(())
    };
    opened.for_each("writing", |document| document, write)?;
    writer.finish()?;
    opened.bar.finish();
    let documents = keys.len();
    let sentence =
        format!("{documents} documents: {paragraphs} paragraphs are in more than one document, {places} times in all");
    printer::note(&sentence);
    if let Some(path) = args.corpus.options.path(&REPORT) {
        let json = json!({ "documents": documents, "shared_paragraphs": paragraphs, "occurrences": places });
        write_report(path, || report_page::page("Shared paragraphs", &format!("<p>{sentence}.</p>\n")), &json)?;
    }
    Ok(skipped)
}

/// What a person wants to know about the near-duplicates of a corpus.
struct Summary {
    documents: usize,
    clusters: usize,
    /// Documents that have a near-duplicate.
    members: usize,
    /// Sizes of clusters and how many there are of each.
    sizes: std::collections::BTreeMap<usize, usize>,
}

impl Summary {
    fn of(clusters: &[u32]) -> Summary {
        let mut counts = vec![0_usize; clusters.len()];
        clusters.iter().for_each(|first| counts[*first as usize] += 1);
        let mut summary = Summary { documents: clusters.len(), clusters: 0, members: 0, sizes: Default::default() };
        for count in counts.into_iter().filter(|count| *count > 1) {
            summary.clusters += 1;
            summary.members += count;
            *summary.sizes.entry(count).or_default() += 1;
        }
        summary
    }

    fn removable(&self) -> usize {
        self.members - self.clusters
    }

    fn sentence(&self) -> String {
        let share = self.removable() as f64 / self.documents.max(1) as f64;
        format!(
            "{} documents: {} have near-duplicates, in {} groups; {} ({}) are copies of another",
            self.documents,
            self.members,
            self.clusters,
            self.removable(),
            printer::percent(share)
        )
    }

    fn json(&self) -> Value {
        let sizes: Vec<Value> =
            self.sizes.iter().map(|(size, clusters)| json!({"size": size, "clusters": clusters})).collect();
        json!({
            "documents": self.documents,
            "with_duplicates": self.members,
            "clusters": self.clusters,
            "copies": self.removable(),
            "sizes": sizes,
        })
    }

    fn page(&self) -> String {
        let rows: String = self
            .sizes
            .iter()
            .map(|(size, clusters)| format!("<tr><td>{size}</td><td>{clusters}</td></tr>\n"))
            .collect();
        report_page::page(
            "Near-duplicates",
            &format!(
                "<p>{}.</p>\n<table>\n<tr><th>documents in a group</th><th>groups</th></tr>\n{rows}</table>\n",
                self.sentence()
            ),
        )
    }
}
