//! Block on `sites`: precision and recall on held-out sites, by text alone, maxent, forest and boosted trees.

pub(crate) mod experiments;

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::plot::{Axis, Line, plot};
use crate::shared::report::{Results, table};
use crate::shared::site_pages::{Bag, text_of, words_of};
use dehusk::Detection;
use dehusk::render::{RenderOptions, render_text};
use dehusk_papers::block::elements::BlockNames;
use dehusk_papers::block::features::FEATURES;
use dehusk_papers::block::{BlockSettings, OperatingPoint, detect_block};
use dehusk_train::{BlockKind, BlockTable, BlockTraining, Curve, Flavour, LabelOptions, gather_blocks};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct BlockOptions {
    /// block: write the feature table to this file, for other tools, and stop: see docs/training.md
    #[arg(long)]
    dump: Option<PathBuf>,
    /// block: use the paper's list of blocks, without HTML 5 elements
    #[arg(long)]
    classic_blocks: bool,
    /// block: fit only boosted trees, and write no results
    #[arg(long)]
    quick: bool,
    /// block: measure only the kept content of wcxb-dev, and write no results
    #[arg(long)]
    only_wcxb: bool,
}

const FOLDS: usize = 10;

pub(crate) fn run(data: &Data, results: &Results, options: &BlockOptions) -> Result<(), Stop> {
    if options.only_wcxb {
        print!("{}", wcxb(data)?);
        return Ok(());
    }
    let names = if options.classic_blocks { BlockNames::Classic } else { BlockNames::Html5 };
    let labels = LabelOptions::new(vec![data.find("sites")?], Flavour::Blocks(names));
    let training = BlockTraining::new(labels, names);
    let started = Instant::now();
    let gathered = gather_blocks(&training, &()).map_err(|error| Stop::Broken(error.to_string()))?;
    let labels = gathered.data.labels();
    let templates = labels.iter().filter(|label| **label > 0.5).count();
    let topmost = gathered.topmost.iter().filter(|topmost| **topmost).count() - templates;
    println!(
        "{} pages, {} sites, {templates} template and {} content blocks ({topmost} topmost), {} rows to train on, {:.0} s",
        gathered.pages,
        gathered.sites.len(),
        labels.len() - templates,
        gathered.training_rows(BlockKind::Boosted, None).len(),
        started.elapsed().as_secs_f64()
    );
    if let Some(path) = &options.dump {
        return dump(&gathered, path);
    }
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    let column =
        |number: usize| (0..gathered.data.len()).map(|row| gathered.data.row(row)[number]).collect::<Vec<f32>>();
    let mut scored = vec![("text alone (naive Bayes)", column(1), 0.0)];
    if options.quick {
        scored.push(("text alone, mean", column(0), 0.0));
    }
    let kinds =
        [("maxent", BlockKind::Maxent), ("random forest", BlockKind::Forest), ("boosted trees", BlockKind::Boosted)];
    for (name, kind) in kinds {
        if options.quick && kind != BlockKind::Boosted {
            continue;
        }
        let started = Instant::now();
        let scores = gathered.cross_validate(kind, FOLDS, 0);
        scored.push((name, scores, started.elapsed().as_secs_f64()));
    }
    for (name, scores, seconds) in &scored {
        for topmost in [true, false] {
            let curve = gathered.curve(scores, topmost);
            rows.push(row(name, if topmost { "topmost" } else { "all" }, &curve, *seconds));
            if topmost {
                lines.push(Line { name: name.to_string(), points: thinned(&curve) });
            }
        }
    }
    let head = [
        "classifier",
        "content blocks",
        "recall at 0.90",
        "at 0.95",
        "at 0.99",
        "average precision",
        "ROC area",
        "seconds",
    ];
    let mut body = table(&head, &rows);
    if options.quick {
        print!("{body}");
        print!("{}", worst(&gathered, &scored[2].1));
        return Ok(());
    }
    body += &explanation(&gathered, templates, topmost);
    body += "\n![precision and recall](block.svg)\n\n## Sites with the most errors\n\n";
    body += &worst(&gathered, &scored[3].1);
    body += "\n## Kept content of wcxb-dev\n\n";
    body += &wcxb(data)?;
    body += "\nWords of the kept text against the annotated main content, means over pages. The shipped model was trained on `sites` \
             and has seen neither these pages nor any annotation.\n";
    let axis = |name| Axis { name, from: 0.0, to: 1.0 };
    let picture = plot(
        "Template blocks of unseen sites",
        &axis("recall"),
        &Axis { name: "precision", from: 0.5, to: 1.0 },
        &lines,
    );
    results.publish_file("block.svg", &picture)?;
    results.publish("block", "Block: template blocks of unseen sites", "sites", &body)
}

fn row(name: &str, which: &str, curve: &Curve, seconds: f64) -> Vec<String> {
    vec![
        name.to_string(),
        which.to_string(),
        format!("{:.3}", curve.recall_at(0.90)),
        format!("{:.3}", curve.recall_at(0.95)),
        format!("{:.3}", curve.recall_at(0.99)),
        format!("{:.4}", curve.average_precision()),
        format!("{:.4}", curve.roc_area()),
        format!("{seconds:.0}"),
    ]
}

pub(crate) fn thinned(curve: &Curve) -> Vec<(f64, f64)> {
    let points = curve.points();
    let step = (points.len() / 400).max(1);
    points.iter().step_by(step).map(|point| (point.recall, point.precision)).collect()
}

fn explanation(gathered: &BlockTable, templates: usize, topmost: usize) -> String {
    let all = gathered.data.len() - templates;
    format!(
        "\n{} pages of {} sites; {templates} template blocks, {all} content blocks, {topmost} of them topmost. Ten folds by registered \
         domain: no site is in both training and test, and word odds, bins and classifiers all come from the training folds. Template: \
         the text of the block appears on at least 10 % of its site's pages. Content: the text appears on one page only, and so does \
         the text of all blocks inside it. Rows named `topmost` leave out content blocks inside other content blocks, as the paper does \
         (recall 0.70 at precision 0.90 there, on another crawl). Rows named `all` include them, as the detector sees them in practice. \
         Seconds: ten fits and their tests, two threads.\n",
        gathered.pages,
        gathered.sites.len()
    )
}

/// The sites with the most wrong decisions at precision 0.90.
fn worst(gathered: &BlockTable, scores: &[f32]) -> String {
    let curve = gathered.curve(scores, false);
    let enough = curve.points().iter().filter(|point| point.precision >= 0.9);
    let threshold = enough.map(|point| point.score).fold(1.0, f64::min) as f32;
    let mut sites: Vec<[u32; 4]> = vec![[0; 4]; gathered.sites.len()];
    for (row, score) in scores.iter().enumerate() {
        let site = &mut sites[gathered.data.sites()[row] as usize];
        let template = gathered.data.labels()[row] > 0.5;
        site[usize::from(!template)] += 1;
        if template != (*score >= threshold) {
            site[2 + usize::from(!template)] += 1;
        }
    }
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_key(|site| (std::cmp::Reverse(sites[*site][2] + sites[*site][3]), *site));
    let rows: Vec<Vec<String>> = order
        .iter()
        .take(12)
        .map(|site| {
            let [templates, contents, missed, wrong] = sites[*site];
            let numbers = [templates, contents, missed, wrong];
            let mut row = vec![gathered.sites[*site].clone()];
            row.extend(numbers.map(|number| number.to_string()));
            row
        })
        .collect();
    table(&["site", "template", "content", "template kept", "content dropped"], &rows)
}

/// Writes the table for other tools: the numbers of rows and features (u64), then for each row its label, fold, whether it is
/// trained on and whether it is topmost (f32 each) and its features (f32), little endian.
fn dump(gathered: &BlockTable, path: &PathBuf) -> Result<(), Stop> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    out.write_all(&(gathered.data.len() as u64).to_le_bytes())?;
    out.write_all(&(FEATURES.len() as u64 + 4).to_le_bytes())?;
    for row in 0..gathered.data.len() {
        let fold = gathered.folds[gathered.data.sites()[row] as usize] as f32;
        let flag = |yes: bool| f32::from(u8::from(yes));
        let head = [gathered.data.labels()[row], fold, flag(gathered.trained[row]), flag(gathered.topmost[row])];
        for value in head.iter().chain(gathered.data.row(row)) {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The kept content of the pages of wcxb-dev, compared by words with the annotated main content.
pub(crate) fn wcxb(data: &Data) -> Result<String, Stop> {
    let broken = |error: dehusk::Error| Stop::Broken(error.to_string());
    let model = dehusk_papers::block::BlockModel::builtin();
    let extractor = dehusk::Extractor::new(dehusk::Options::new()).map_err(broken)?;
    let points = [
        ("nothing dropped", None),
        ("score 0.5", Some(OperatingPoint::Score(0.5))),
        ("precision 0.80", Some(OperatingPoint::Precision(0.80))),
        ("precision 0.90", Some(OperatingPoint::Precision(0.90))),
        ("precision 0.95", Some(OperatingPoint::Precision(0.95))),
    ];
    let mut sums = [[0.0f64; 3]; 5];
    let mut pages = 0;
    let mut failure = None;
    let mut scratch = dehusk::Scratch::default();
    read_records(&data.find("wcxb-dev.jsonl.zst")?, |record| {
        let (html, wanted) = (text_of(&record, "html"), words_of(&text_of(&record, "main_content")));
        let Ok(page) = extractor.parse(html.as_bytes(), &mut scratch) else { return };
        pages += 1;
        for ((_, point), sum) in points.iter().zip(&mut sums) {
            let detection = match point {
                None => Ok(Detection::keep_all(dehusk::detection::Detectors::NONE, page.document)),
                Some(point) => {
                    let settings = BlockSettings { point: *point, ..BlockSettings::default() };
                    detect_block(page.document, page.stats(), page.fingerprints(), model, settings)
                }
            };
            match detection {
                Err(error) => failure = Some(error),
                Ok(detection) => {
                    let kept = render_text(page.document, &detection, RenderOptions::default());
                    let measured = overlap(&words_of(&kept), &wanted);
                    sum.iter_mut().zip(measured).for_each(|(sum, value)| *sum += value);
                }
            }
        }
    })?;
    if let Some(error) = failure {
        return Err(broken(error));
    }
    let row = |((name, _), sum): (&(&str, Option<OperatingPoint>), &[f64; 3])| {
        let mut row = vec![name.to_string()];
        row.extend(sum.map(|sum| format!("{:.3}", sum / f64::from(pages.max(1)))));
        row
    };
    let rows: Vec<Vec<String>> = points.iter().zip(&sums).map(row).collect();
    Ok(table(&["dropped by block at", "precision", "recall", "F1"], &rows))
}

/// Precision, recall and F1 of the words of a text, as the corpus defines them.
fn overlap(found: &Bag, wanted: &Bag) -> [f64; 3] {
    let size = |bag: &Bag| bag.values().sum::<i64>() as f64;
    if size(wanted) == 0.0 || size(found) == 0.0 {
        return [f64::from(u8::from(size(wanted) == size(found))); 3];
    }
    let common: i64 = found.iter().map(|(word, count)| *count.min(wanted.get(word).unwrap_or(&0))).sum();
    let (precision, recall) = (common as f64 / size(found), common as f64 / size(wanted));
    [precision, recall, 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE)]
}
