//! `dehusk keywords` and `dehusk train keywords`: the keywords of pages, and the model that ranks them.

use super::corpus::{Opened, RecordWriter, open, open_documents, open_inputs, page_options, write_report};
use super::report_page::{escape, page};
use super::{MAX_MODEL_BYTES, thread_pool};
use crate::args::{Keywords, TrainKeywords};
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::{Extractor, Options, OutputFormat, Page, Scratch};
use dehusk_corpus::keywords::{
    KeywordExample, KeywordModel, QueryLog, keywords_in, meta_keywords, top_score, without_site_keywords,
};
use dehusk_corpus::{DocumentFrequencies, InputKind, Phrases, Skipped};
use dehusk_io::crawl::SiteBy;
use dehusk_io::{Column, ColumnType, InputValue, Inputs, ReadOptions, RunOptions, run_ordered};
use dehusk_options::definitions::{CARRY, REPORT, THREADS};
use dehusk_train::fold_of_sites;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

fn fails(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// The maximum size of a query log in bytes.
const MAX_LOG_BYTES: usize = 1 << 30;
/// Keywords of many documents that are named in the report.
const COMMON: usize = 100;

fn read_queries(path: Option<&Path>) -> Result<QueryLog, Failure> {
    let Some(path) = path else { return Ok(QueryLog::default()) };
    let bytes = files::read(path, MAX_LOG_BYTES)?;
    Ok(QueryLog::parse(&String::from_utf8_lossy(&bytes)))
}

/// How many documents of a corpus have each phrase.
fn count_phrases(opened: &Opened) -> Result<(DocumentFrequencies, Skipped), Failure> {
    let mut frequencies = DocumentFrequencies::new();
    let skipped = opened.corpus.for_each(
        "counting phrases",
        &opened.bar,
        || (),
        |(), document| Phrases::of(document.title.as_deref(), &document.text),
        |phrases| {
            frequencies.add(&phrases);
            Ok(())
        },
    );
    Ok((frequencies, skipped.map_err(fails)?))
}

pub(super) fn keywords(args: &Keywords) -> Result<Outcome, Failure> {
    let read;
    let model = match args.model == Path::new("builtin") {
        true => KeywordModel::builtin(),
        false => {
            let bytes = files::read(&args.model, MAX_MODEL_BYTES)?;
            read = KeywordModel::from_bytes(&bytes).map_err(|error| Failure::about(&args.model, error))?;
            &read
        }
    };
    let queries = read_queries(args.queries.as_deref())?;
    let opened = open(&args.corpus, OutputFormat::Markdown, &args.corpus.options.texts(&CARRY))?;
    let (frequencies, skipped) = count_phrases(&opened)?;
    let carried = opened.corpus.columns().iter().map(|name| Column::new(name, ColumnType::Input));
    let columns = [
        Column::new("id", ColumnType::Input),
        Column::new("url", ColumnType::Utf8),
        Column::new("keywords", ColumnType::Json),
    ];
    let mut writer = RecordWriter::new(args.output.as_deref(), columns.into_iter().chain(carried).collect())?;
    let mut without = 0_u64;
    let mut common: BTreeMap<String, u64> = BTreeMap::new();
    opened.for_each(
        "writing",
        |document| {
            let phrases = Phrases::of(document.title.as_deref(), &document.text);
            let mut found = model.top_distinct(&phrases, &frequencies, &queries, args.count);
            found.retain(|keyword| keyword.score >= args.min_score);
            (found, document)
        },
        |(found, document)| {
            without += u64::from(found.is_empty());
            // Only for the report: there can be millions of different keywords.
            if args.corpus.options.path(&REPORT).is_some() {
                found.iter().for_each(|keyword| *common.entry(keyword.text.to_lowercase()).or_default() += 1);
            }
            let found = found.into_iter().map(|keyword| {
                let score = (keyword.score * 1e6).round() / 1e6;
                json!({"text": keyword.text, "score": score})
            });
            let start = [document.key, document.url.into(), Value::Array(found.collect()).into()];
            let values: Vec<InputValue> = start.into_iter().chain(document.columns).collect();
            writer.write(&values)
        },
    )?;
    writer.finish()?;
    opened.bar.finish();
    let documents = frequencies.documents();
    printer::note(&format!("{}, {without} without keywords", printer::counted(documents as u64, "document")));
    if let Some(path) = args.corpus.options.path(&REPORT) {
        let mut common: Vec<(String, u64)> = common.into_iter().filter(|(_, count)| *count > 1).collect();
        common.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        common.truncate(COMMON);
        let list = common.iter().map(|(text, count)| json!({"text": text, "documents": count}));
        let json = json!({"documents": documents, "without_keywords": without, "common": list.collect::<Vec<_>>()});
        write_report(path, || common_page(documents, without, &common), &json)?;
    }
    opened.finish(&args.corpus, &skipped)
}

fn common_page(documents: u32, without: u64, common: &[(String, u64)]) -> String {
    let rows = common.iter().map(|(text, count)| format!("<tr><td>{}</td><td>{count}</td></tr>\n", escape(text)));
    let rows: String = rows.collect();
    page(
        "Keywords",
        &format!(
            "<p>{documents} documents, {without} without keywords. The keywords of most documents:</p>\n\
             <table>\n<tr><th>keyword</th><th>documents</th></tr>\n{rows}</table>\n"
        ),
    )
}

/// Folds of sites for cross-validation.
const FOLDS: usize = 5;
/// The numbers of keywords that are scored.
const TOPS: [usize; 5] = [1, 2, 3, 5, 10];

pub(super) fn train(args: &TrainKeywords) -> Result<Outcome, Failure> {
    let read = page_options(&args.corpus);
    let inputs = open_inputs(&args.corpus)?;
    if InputKind::of(&inputs, &read, &args.corpus.text_column) != InputKind::Pages {
        return Err(Failure::new("the inputs are texts: keywords are learned from pages, which name theirs"));
    }
    let queries = read_queries(args.queries.as_deref())?;
    let mut named = named_keywords(args, &inputs, &read)?;
    let opened = open_documents(&args.corpus, inputs, OutputFormat::Markdown, &[])?;
    let mut frequencies = DocumentFrequencies::new();
    let (mut examples, mut sites) = (Vec::new(), Vec::new());
    let skipped = opened.corpus.for_each(
        "counting phrases",
        &opened.bar,
        || (),
        |(), document| (Phrases::of(document.title.as_deref(), &document.text), document.key, document.url),
        |(phrases, key, url)| {
            frequencies.add(&phrases);
            if let Some(keywords) = named.remove(&key.to_string()) {
                examples.push(KeywordExample { phrases, keywords });
                sites.push(SiteBy::Host.site_key(&url));
            }
            Ok(())
        },
    );
    let skipped = skipped.map_err(fails)?;
    opened.bar.finish();
    let pool = thread_pool(&args.corpus.options)?;
    let model = pool.install(|| fit(args, &examples, &sites, &frequencies, &queries))?;
    let bytes = model.to_bytes();
    files::write(&args.output, &bytes)?;
    printer::note_lines(model.card().lines());
    printer::note(&format!("{}: {} bytes", args.output.display(), bytes.len()));
    if let Some(path) = args.corpus.options.path(&REPORT) {
        let html = || page("Keywords model", &format!("<pre>{}</pre>\n", escape(model.card())));
        write_report(path, html, &json!({ "model": "keywords", "card": model.card() }))?;
    }
    opened.finish(&args.corpus, &skipped)
}

/// The keywords that pages name, without those that say nothing about the page, by the key of the page.
fn named_keywords(
    args: &TrainKeywords,
    inputs: &Inputs,
    read: &ReadOptions,
) -> Result<BTreeMap<String, Vec<String>>, Failure> {
    let extractor = Extractor::new(Options::new())?;
    let mut source = inputs.open(read);
    let mut sites: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
    run_ordered(
        &mut *source,
        &RunOptions::default().with_threads(args.corpus.options.size(&THREADS)),
        Scratch::default,
        |scratch, raw| {
            let record = raw.and_then(|raw| raw.open(read)).ok()?;
            let page = Page::new(&record.html).with_content_type(record.content_type.as_deref());
            let parsed = extractor.parse(page, scratch).ok()?;
            let keywords = meta_keywords(parsed.document);
            let key = record.id.clone().unwrap_or_else(|| record.name().into()).to_string();
            (!keywords.is_empty()).then(|| (SiteBy::Host.site_key(&record.url), key, keywords))
        },
        |page: Option<(String, String, Vec<String>)>| {
            if let Some((site, key, keywords)) = page {
                sites.entry(site).or_default().push((key, keywords));
            }
            Ok::<(), dehusk_io::Error>(())
        },
    )
    .map_err(fails)?;
    let mut named = BTreeMap::new();
    for pages in sites.into_values() {
        let (keys, mut lists): (Vec<String>, Vec<Vec<String>>) = pages.into_iter().unzip();
        without_site_keywords(&mut lists);
        let pages: Vec<_> = keys.into_iter().zip(lists).filter(|(_, list)| !list.is_empty()).collect();
        if pages.len() >= args.min_pages {
            named.extend(pages);
        }
    }
    Ok(named)
}

fn fit(
    args: &TrainKeywords,
    examples: &[KeywordExample],
    sites: &[String],
    frequencies: &DocumentFrequencies,
    queries: &QueryLog,
) -> Result<KeywordModel, Failure> {
    let mut hosts = sites.to_vec();
    hosts.sort_unstable();
    hosts.dedup();
    if hosts.len() < FOLDS {
        return Err(Failure::new(format!(
            "{} sites have {} pages that name keywords of their own: at least {FOLDS} are needed",
            hosts.len(),
            args.min_pages
        )));
    }
    let fold_of_host = fold_of_sites(&hosts, FOLDS, args.seed);
    let fold_of = |site: &String| hosts.binary_search(site).map_or(0, |host| fold_of_host[host]);
    let folds: Vec<usize> = sites.iter().map(fold_of).collect();
    // By document: with all its keywords, and with those that are in the text.
    let mut scores: Vec<[[f64; TOPS.len()]; 2]> = Vec::new();
    for fold in 0..FOLDS {
        let of = |is_in: bool| examples.iter().zip(&folds).filter(move |(_, of)| (**of == fold) == is_in);
        let training: Vec<&KeywordExample> = of(false).map(|(example, _)| example).collect();
        let model = KeywordModel::train(&training, frequencies, queries, args.seed).map_err(fails)?;
        let test = |(example, _): (&KeywordExample, &usize)| {
            let found = model.top(&example.phrases, frequencies, queries, TOPS[TOPS.len() - 1]);
            let present = keywords_in(&example.phrases, &example.keywords);
            // A document that has no keyword to be found does not count: it is left out of the means.
            let score = |truth: &[String]| TOPS.map(|count| top_score(&found, truth, count).unwrap_or(f64::NAN));
            [score(&example.keywords), score(&present)]
        };
        scores.extend(of(true).collect::<Vec<_>>().into_par_iter().map(test).collect::<Vec<_>>());
    }
    let mean = |which: usize| {
        let of_top = |place: usize| {
            let values = scores.iter().map(|of_document| of_document[which][place]);
            let values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        let tops = TOPS.iter().enumerate().map(|(place, top)| format!("top-{top} {:.3}", of_top(place)));
        tops.collect::<Vec<_>>().join(", ")
    };
    let all: Vec<&KeywordExample> = examples.iter().collect();
    let model = KeywordModel::train(&all, frequencies, queries, args.seed).map_err(fails)?;
    let source = args.source.as_ref().map(|source| format!("Source: {source}.\n")).unwrap_or_default();
    Ok(model.with_card(format!(
        "Keywords: {} pages of {} sites; document frequencies of {} pages; seed {}.\n{source}\
         Sites not trained on ({FOLDS} folds): {}.\nThe same for the keywords that are in the text: {}.\n",
        examples.len(),
        hosts.len(),
        frequencies.documents(),
        args.seed,
        mean(0),
        mean(1),
    )))
}
