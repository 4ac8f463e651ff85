//! `dehusk cluster`: pages in clusters by their topic, with the terms of each.

use super::corpus::{Opened, RecordWriter, open, write_report};
use super::report_page::{escape, page};
use super::thread_pool;
use crate::args::{Cluster, ClusterCount, ClusterMethod};
use crate::outcome::{Failure, Outcome};
use crate::printer;
use dehusk::OutputFormat;
use dehusk_corpus::cluster::{Clustering, KMeans, TriedCount, choose_count, furthest_first};
use dehusk_corpus::{Bag, TermTable, TfIdf, Vectors};
use dehusk_io::{Column, ColumnType, InputValue};
use dehusk_options::definitions::{CARRY, REPORT};
use serde_json::{Value, json};

/// The maximum number of clusters that are tried if none is given.
const MAX_CLUSTERS: usize = 20;
/// Terms of a cluster that are named.
const TERMS: usize = 10;
/// Documents of a cluster that are named in the report.
const EXAMPLES: usize = 5;

pub(super) fn cluster(args: &Cluster) -> Result<Outcome, Failure> {
    let opened = open(&args.corpus, OutputFormat::Text, &args.corpus.options.texts(&CARRY))?;
    let mut table = TermTable::new();
    let skipped = opened.corpus.for_each(
        "counting terms",
        &opened.bar,
        || (),
        |(), document| Bag::of(&document.text),
        |bag| {
            table.add(bag);
            Ok(())
        },
    );
    let skipped = skipped.map_err(fails)?;
    opened.bar.finish();
    let vectors = TfIdf::default().vectors(&table).map_err(fails)?;
    // The search for clusters needs the memory, and only the vectors.
    drop(table);
    let pool = thread_pool(&args.corpus.options)?;
    let (found, tried) = pool.install(|| find(args, &vectors))?;
    let report = write(args, &opened, &vectors, &found, &tried)?;
    printer::note_lines(report.summary());
    if let Some(path) = args.corpus.options.path(&REPORT) {
        write_report(path, || report.page(), &report.json())?;
    }
    opened.finish(&args.corpus, &skipped)
}

fn fails(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// The clusters, and the numbers of clusters that were tried with their silhouettes.
fn find(args: &Cluster, vectors: &Vectors) -> Result<(Clustering, Vec<TriedCount>), Failure> {
    let (count, tried) = match args.clusters {
        ClusterCount::Given(count) => (count, Vec::new()),
        ClusterCount::Auto => {
            let chosen = choose_count(vectors, MAX_CLUSTERS, args.seed).map_err(fails)?;
            (chosen.count, chosen.tried)
        }
    };
    let found = match args.method {
        ClusterMethod::Kmeans => KMeans::new(count).with_seed(args.seed).fit(vectors),
        ClusterMethod::FurthestFirst => furthest_first(vectors, count, args.seed),
    };
    Ok((found.map_err(fails)?, tried))
}

/// Writes a record for each document.
fn write(
    args: &Cluster,
    opened: &Opened,
    vectors: &Vectors,
    found: &Clustering,
    tried: &[TriedCount],
) -> Result<Report, Failure> {
    let carried = opened.corpus.columns().iter().map(|name| Column::new(name, ColumnType::Input));
    let columns = [
        Column::new("id", ColumnType::Input),
        Column::new("url", ColumnType::Utf8),
        Column::new("cluster", ColumnType::I64),
        Column::new("distance", ColumnType::F64),
    ];
    let mut writer = RecordWriter::new(args.output.as_deref(), columns.into_iter().chain(carried).collect())?;
    let nearest = found.nearest(EXAMPLES);
    let mut names: Vec<Vec<String>> = nearest.iter().map(|list| vec![String::new(); list.len()]).collect();
    // Documents are read a second time rather than held, since there may be more than fit into memory.
    let mut number = 0;
    opened.for_each(
        "writing",
        |document| document,
        |document| {
            let cluster = found.clusters[number] as usize;
            if let Some(place) = nearest[cluster].iter().position(|example| *example == number) {
                let key = || document.key.as_text().unwrap_or_else(|| document.key.to_string());
                names[cluster][place] = document.title.clone().unwrap_or_else(key);
            }
            let (cluster, distance) = match vectors.row(number).is_empty() {
                true => (Value::Null, Value::Null),
                // Six digits: what is beyond them is noise.
                false => (cluster.into(), json!((f64::from(found.distances[number]) * 1e6).round() / 1e6)),
            };
            let start = [document.key, document.url.into(), cluster.into(), distance.into()];
            let values: Vec<InputValue> = start.into_iter().chain(document.columns).collect();
            number += 1;
            writer.write(&values)
        },
    )?;
    writer.finish()?;
    opened.bar.finish();
    let terms = found.top_terms(vectors, TERMS);
    let without = (0..vectors.len()).filter(|document| vectors.row(*document).is_empty()).count();
    let mut sizes = found.sizes();
    // Documents without terms count as members of cluster 0, but their records have no cluster.
    sizes[0] -= without;
    let groups = sizes.into_iter().zip(terms).zip(names).map(|((size, terms), examples)| Group {
        size,
        terms: terms.into_iter().map(str::to_string).collect(),
        examples,
    });
    Ok(Report {
        documents: vectors.len(),
        without,
        silhouette: found.silhouette,
        groups: groups.collect(),
        tried: tried.to_vec(),
        similarities: found.similarities(vectors),
    })
}

/// What a person wants to know of a cluster.
struct Group {
    size: usize,
    terms: Vec<String>,
    examples: Vec<String>,
}

struct Report {
    documents: usize,
    /// Documents that share no term with any other.
    without: usize,
    silhouette: f64,
    groups: Vec<Group>,
    tried: Vec<TriedCount>,
    similarities: Vec<Vec<f64>>,
}

impl Report {
    fn sentence(&self) -> String {
        let mut sentence = format!(
            "{} documents in {} clusters, mean silhouette {:.2}",
            self.documents - self.without,
            self.groups.len(),
            self.silhouette
        );
        if !self.tried.is_empty() {
            sentence += &format!(" (the number was chosen from 2 to {})", self.tried.len() + 1);
        }
        if self.without > 0 {
            sentence += &format!("; {} share no term with any other", self.without);
        }
        sentence
    }

    fn summary(&self) -> Vec<String> {
        let mut summary = vec![self.sentence()];
        for (number, group) in self.groups.iter().enumerate() {
            summary.push(format!("{number:4} {:7}  {}", group.size, group.terms.join(", ")));
        }
        summary
    }

    fn json(&self) -> Value {
        let groups = self.groups.iter().enumerate().map(|(number, group)| {
            json!({"cluster": number, "size": group.size, "terms": group.terms, "examples": group.examples})
        });
        let tried = self.tried.iter().map(|tried| json!({"clusters": tried.count, "silhouette": tried.silhouette}));
        json!({
            "documents": self.documents,
            "without_terms": self.without,
            "silhouette": self.silhouette,
            "clusters": groups.collect::<Vec<_>>(),
            "tried": tried.collect::<Vec<_>>(),
        })
    }

    fn page(&self) -> String {
        let largest = self.groups.iter().map(|group| group.size).max().unwrap_or(0).max(1);
        let mut body = format!("<p>{}.</p>\n{}", self.sentence(), self.tried_picture());
        body += "<table class=\"left\">\n<tr><th>cluster</th><th>documents</th><th>terms</th><th>nearest to its center</th></tr>\n";
        for (number, group) in self.groups.iter().enumerate() {
            let width = 160.0 * group.size as f64 / largest as f64;
            let terms: String = group
                .terms
                .iter()
                .enumerate()
                .map(|(place, term)| {
                    let size = 1.25 - 0.05 * place as f64;
                    format!("<span style=\"font-size:{size:.2}em\">{}</span> ", escape(term))
                })
                .collect();
            let examples: String =
                group.examples.iter().map(|example| format!("<li>{}</li>", escape(&shortened(example)))).collect();
            body += &format!(
                "<tr><td>{number}</td><td><svg width=\"170\" height=\"14\"><rect width=\"{width:.1}\" height=\"12\" rx=\"2\" \
                 fill=\"hsl({} 55% 50%)\"/></svg> {}</td><td>{terms}</td><td><ul>{examples}</ul></td></tr>\n",
                number * 47 % 360,
                group.size
            );
        }
        body += "</table>\n";
        body += &self.similarity_picture();
        page("Clusters", &body)
    }

    /// The silhouette by number of clusters.
    fn tried_picture(&self) -> String {
        if self.tried.is_empty() {
            return String::new();
        }
        let highest = self.tried.iter().map(|tried| tried.silhouette).fold(1e-9, f64::max);
        let mut bars = String::new();
        for (place, TriedCount { count, silhouette, .. }) in self.tried.iter().enumerate() {
            let height = 70.0 * (silhouette / highest).max(0.0);
            let (left, color) = (place * 24, if *count == self.groups.len() { "#c60" } else { "#888" });
            bars += &format!(
                "<rect x=\"{left}\" y=\"{:.1}\" width=\"18\" height=\"{height:.1}\" fill=\"{color}\"><title>{silhouette:.3}</title></rect>\
                 <text x=\"{}\" y=\"92\" text-anchor=\"middle\" font-size=\"11\" fill=\"currentColor\">{count}</text>",
                74.0 - height,
                left + 9
            );
        }
        format!(
            "<p>Mean silhouette of documents that the clusters were not made of, by number of clusters:</p>\n<svg width=\"{}\" height=\"100\" role=\"img\">{bars}</svg>\n",
            self.tried.len() * 24
        )
    }

    /// How near the centers are to each other.
    fn similarity_picture(&self) -> String {
        let cell = 26;
        let side = self.groups.len() * cell;
        let mut cells = String::new();
        for (row, of_row) in self.similarities.iter().enumerate() {
            for (column, cosine) in of_row.iter().enumerate() {
                cells += &format!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{cell}\" height=\"{cell}\" fill=\"hsl(215 70% 45%)\" fill-opacity=\"{:.2}\">\
                     <title>{row} and {column}: {cosine:.2}</title></rect>",
                    30 + column * cell,
                    20 + row * cell,
                    cosine.clamp(0.0, 1.0)
                );
            }
            let middle = row * cell + cell / 2;
            cells += &format!(
                "<text x=\"24\" y=\"{}\" text-anchor=\"end\" font-size=\"11\" fill=\"currentColor\">{row}</text>\
                 <text x=\"{}\" y=\"14\" text-anchor=\"middle\" font-size=\"11\" fill=\"currentColor\">{row}</text>",
                24 + middle,
                30 + middle
            );
        }
        format!(
            "<h2>How alike the clusters are</h2>\n<p>The cosine of their centers: the darker, the more terms they share.</p>\n\
             <svg width=\"{}\" height=\"{}\" role=\"img\">{cells}</svg>\n",
            side + 40,
            side + 30
        )
    }
}

/// A title that fits into a table.
fn shortened(title: &str) -> String {
    match title.char_indices().nth(90) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.into(),
    }
}
