//! `dehusk classify`: learns the classes of labelled pages, and finds those of others.

use super::corpus::{RecordWriter, open, write_report};
use super::report_page::{escape, page};
use super::{MAX_MODEL_BYTES, thread_pool};
use crate::args::{ClassifyApply, ClassifyTrain};
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::OutputFormat;
use dehusk_corpus::classify::{ClassMeasures, Confusion, cross_validate};
use dehusk_corpus::duplicates::{DuplicateFinder, DuplicateOptions, Signer};
use dehusk_corpus::{Bag, NaiveBayes, TermTable};
use dehusk_io::crawl::SiteBy;
use dehusk_io::{Column, ColumnType, InputValue, shortened};
use dehusk_options::definitions::{CARRY, REPORT};
use serde_json::{Value, json};

fn fails(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// The label in a column.
fn label_of(value: Option<&InputValue>) -> Option<String> {
    let value = value.filter(|value| !value.is_null())?;
    match value.as_text() {
        Some(label) => Some(label.trim().to_string()).filter(|label| !label.is_empty()),
        None => Some(value.to_string()),
    }
}

pub(super) fn train(args: &ClassifyTrain) -> Result<Outcome, Failure> {
    if args.folds < 2 {
        return Err(Failure::new("cross-validation needs at least two folds"));
    }
    let opened = open(&args.corpus, OutputFormat::Text, std::slice::from_ref(&args.label_column))?;
    let (mut table, mut labels, mut sites) = (TermTable::new(), Vec::new(), Vec::new());
    let mut copies = DuplicateFinder::new(DuplicateOptions::default(), &std::env::temp_dir()).map_err(fails)?;
    let skipped = opened.corpus.for_each(
        "counting terms",
        &opened.bar,
        || Signer::new(DuplicateOptions::default()),
        |signer, document| {
            let label = label_of(document.columns.first())?;
            let site = SiteBy::Host.site_key(&document.url);
            Some((Bag::of(&document.text), signer.sign(document.body()), label, site))
        },
        |labelled| {
            let Some((bag, signature, label, site)) = labelled else { return Ok(()) };
            table.add(bag);
            labels.push(Some(label));
            sites.push(site);
            copies.add(&signature).map_err(dehusk_io::Error::other)
        },
    );
    let skipped = skipped.map_err(fails)?;
    opened.bar.finish();
    if labels.is_empty() {
        return Err(Failure::new(format!(
            "no document has a label in the column `{}`: name the column with --label-column",
            args.label_column
        )));
    }
    let copies = copies.finish().map_err(fails)?.clusters();
    let pool = thread_pool(&args.corpus.options)?;
    let (validation, model) = pool
        .install(|| {
            let validation = cross_validate(&table, &labels, &sites, &copies, args.folds, args.seed)?;
            NaiveBayes::fit(&table, &labels).map(|model| (validation, model))
        })
        .map_err(|error| Failure::new(format!("column `{}`: {error}", args.label_column)))?;
    let confusion = &validation.confusion;
    let how = match validation.is_by_site {
        true => "on hosts that were not trained on",
        false => "on pages that were not trained on; all are of one host, so others may do worse",
    };
    let sentence = format!(
        "{} documents of {} classes: accuracy {:.3}, mean F1 {:.3}, {how} ({} folds)",
        labels.len(),
        confusion.labels().len(),
        confusion.accuracy(),
        confusion.macro_f1(),
        validation.folds
    );
    let model = model.with_card(format!("{sentence}\n"));
    files::write(&args.output, &model.to_bytes())?;
    printer::note(&sentence);
    printer::note_lines(class_lines(confusion));
    printer::note(&format!("written to {}", args.output.display()));
    if let Some(path) = args.corpus.options.path(&REPORT) {
        let page = || confusion_page("Classes, cross-validated", &sentence, confusion);
        write_report(path, page, &confusion_json(confusion))?;
    }
    opened.finish(&args.corpus, &skipped)
}

pub(super) fn apply(args: &ClassifyApply) -> Result<Outcome, Failure> {
    let bytes = files::read(&args.model, MAX_MODEL_BYTES)?;
    let model = NaiveBayes::from_bytes(&bytes).map_err(|error| Failure::about(&args.model, error))?;
    // The label is read in addition to what is carried over, but is not written unless it was asked for.
    let carry = &args.corpus.options.texts(&CARRY);
    let columns: Vec<String> = std::iter::once(args.label_column.clone()).chain(carry.iter().cloned()).collect();
    let opened = open(&args.corpus, OutputFormat::Text, &columns)?;
    let carried = carry.iter().map(|name| Column::new(name, ColumnType::Input));
    let columns = [
        Column::new("id", ColumnType::Input),
        Column::new("url", ColumnType::Utf8),
        Column::new("label", ColumnType::Utf8),
        Column::new("probability", ColumnType::F64),
    ];
    let mut writer = RecordWriter::new(args.output.as_deref(), columns.into_iter().chain(carried).collect())?;
    let mut sizes = vec![0_u64; model.labels().len()];
    let mut known: Vec<(String, usize)> = Vec::new();
    let skipped = opened.for_each(
        "classifying",
        |document| (model.predict(&document.text), document),
        |(found, document)| {
            sizes[found.class] += 1;
            known.extend(label_of(document.columns.first()).map(|label| (label, found.class)));
            let probability = (found.probabilities[found.class] * 1e6).round() / 1e6;
            let label = model.labels()[found.class].clone();
            let start = [document.key, document.url.into(), label.into(), probability.into()];
            let values: Vec<InputValue> = start.into_iter().chain(document.columns.into_iter().skip(1)).collect();
            writer.write(&values)
        },
    )?;
    writer.finish()?;
    opened.bar.finish();
    let classes: Vec<String> =
        model.labels().iter().zip(&sizes).map(|(label, size)| format!("{size} {label}")).collect();
    let documents = printer::counted(sizes.iter().sum(), "document");
    printer::note(&format!("{documents}: {}", classes.join(", ")));
    let confusion = confusion(&model, &known);
    let sentence = format!(
        "{} documents have a label in `{}`: accuracy {:.3}, mean F1 {:.3}",
        known.len(),
        args.label_column,
        confusion.accuracy(),
        confusion.macro_f1()
    );
    if !known.is_empty() {
        printer::note(&sentence);
    }
    match args.corpus.options.path(&REPORT) {
        Some(path) if known.is_empty() => {
            let found =
                model.labels().iter().zip(&sizes).map(|(label, size)| json!({"label": label, "documents": size}));
            let json = json!({"labels": found.collect::<Vec<_>>()});
            write_report(path, || sizes_page(model.labels(), &sizes), &json)?;
        }
        Some(path) => {
            write_report(path, || confusion_page("Classes", &sentence, &confusion), &confusion_json(&confusion))?;
        }
        None => {}
    }
    opened.finish(&args.corpus, &skipped)
}

/// What was taken for what. Labels that the model does not know are rows, too.
fn confusion(model: &NaiveBayes, known: &[(String, usize)]) -> Confusion {
    let mut labels: Vec<String> = known.iter().map(|(label, _)| label.clone()).chain(model.labels().to_vec()).collect();
    labels.sort_unstable();
    labels.dedup();
    // Every label is in the list.
    let number = |label: &str| labels.partition_point(|other| other.as_str() < label);
    let mut confusion = Confusion::new(&labels);
    known.iter().for_each(|(label, class)| confusion.add(number(label), number(&model.labels()[*class])));
    confusion
}

/// A line for each class.
fn class_lines(confusion: &Confusion) -> Vec<String> {
    let width = confusion.labels().iter().map(|label| label.chars().count()).max().unwrap_or(0).clamp(5, 40);
    let mut lines = vec![format!("{:width$}  documents  precision  recall  F1", "class")];
    for (class, label) in confusion.labels().iter().enumerate() {
        let ClassMeasures { precision, recall, f1 } = confusion.measures(class);
        let documents: u64 = confusion.row(class).iter().sum();
        let label = shortened(label, width);
        lines.push(format!("{label:width$}  {documents:9}  {precision:9.3}  {recall:6.3}  {f1:.3}"));
    }
    lines
}

fn confusion_json(confusion: &Confusion) -> Value {
    let classes = confusion.labels().iter().enumerate().map(|(class, label)| {
        let ClassMeasures { precision, recall, f1 } = confusion.measures(class);
        json!({
            "label": label,
            "documents": confusion.row(class).iter().sum::<u64>(),
            "precision": precision,
            "recall": recall,
            "f1": f1,
            "found_as": confusion.row(class),
        })
    });
    json!({
        "documents": confusion.total(),
        "accuracy": confusion.accuracy(),
        "mean_f1": confusion.macro_f1(),
        "classes": classes.collect::<Vec<_>>(),
    })
}

/// The confusion matrix as a page: rows are the true classes, columns what they were taken for.
fn confusion_page(title: &str, sentence: &str, confusion: &Confusion) -> String {
    let labels = confusion.labels();
    let heads: String = labels.iter().map(|label| format!("<th>{}</th>", escape(label))).collect();
    let mut body = format!(
        "<p>{}.</p>\n<p>Rows are the true classes, columns the classes that were found. The darker a field, the greater its share \
         of the row.</p>\n<table>\n<tr><th></th>{heads}<th>precision</th><th>recall</th><th>F1</th></tr>\n",
        escape(sentence)
    );
    for (class, label) in labels.iter().enumerate() {
        let row = confusion.row(class);
        let total = row.iter().sum::<u64>().max(1) as f64;
        body += &format!("<tr><th>{}</th>", escape(label));
        for (found, count) in row.iter().enumerate() {
            let hue = if found == class { 140 } else { 10 };
            let share = *count as f64 / total;
            body += &format!("<td style=\"background:hsl({hue} 65% 45% / {share:.2})\">{count}</td>");
        }
        let ClassMeasures { precision, recall, f1 } = confusion.measures(class);
        body += &format!("<td>{precision:.3}</td><td>{recall:.3}</td><td>{f1:.3}</td></tr>\n");
    }
    body += "</table>\n";
    page(title, &body)
}

/// How many documents of each class were found, where nothing is known to compare with.
fn sizes_page(labels: &[String], sizes: &[u64]) -> String {
    let rows =
        labels.iter().zip(sizes).map(|(label, size)| format!("<tr><td>{}</td><td>{size}</td></tr>\n", escape(label)));
    let rows: String = rows.collect();
    page("Classes", &format!("<table>\n<tr><th>class</th><th>documents</th></tr>\n{rows}</table>\n"))
}
