//! `dehusk eval`: how well a model does on pages with reference texts, on corrections, or on the labels of a crawl.

use super::clean::Bar;
use super::label::label_options;
use super::thread_pool;
use super::train::{fail, tally_text};
use crate::args::{Eval, EvalDetector};
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::detect::Fusion;
use dehusk::detect::fusion::FusionModel;
use dehusk::{Decision, Extractor};
use dehusk_io::{Inputs, ReadOptions};
use dehusk_options::definitions::{PROGRESS, REPORT, STRICT};
use dehusk_options::read_model;
use dehusk_papers::block::BlockModel;
use dehusk_train::{
    CorrectedPage, CorrectionTally, Curve, Flavour, PageMeasures, ReferenceInputs, WordMeasures, evaluate_block,
    measure_pages, tally_corrections,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) fn eval(args: &Eval) -> Result<Outcome, Failure> {
    if args.model == Path::new("builtin") {
        return match args.detector {
            Some(EvalDetector::Fusion) => eval_fusion(args, FusionModel::builtin()),
            Some(EvalDetector::Block) => eval_block(args, BlockModel::builtin()),
            None if has_references(args)? => eval_fusion(args, FusionModel::builtin()),
            None => eval_block(args, BlockModel::builtin()),
        };
    }
    let file = read_model(&args.model)?;
    let about = |error: dehusk::Error| Failure::about(&args.model, error);
    match (&*file.kind, args.detector) {
        (FusionModel::KIND, None | Some(EvalDetector::Fusion)) => {
            eval_fusion(args, &FusionModel::from_file(&file).map_err(about)?)
        }
        (BlockModel::KIND, None | Some(EvalDetector::Block)) => {
            eval_block(args, &BlockModel::from_file(&file).map_err(about)?)
        }
        (kind @ (FusionModel::KIND | BlockModel::KIND), _) => {
            let message = format!("this is a model for {kind}: --detector is for `builtin` only");
            Err(Failure::about(&args.model, message))
        }
        (kind, _) => {
            let message = format!(
                "this is a model for {kind}: only models of `dehusk train fusion` and `dehusk train block` are measured"
            );
            Err(Failure::about(&args.model, message))
        }
    }
}

/// Whether the first page that can be read has a reference text. Standard input and pipes can be read once only, and count as a crawl.
fn has_references(args: &Eval) -> Result<bool, Failure> {
    let is_read_once = |path: &PathBuf| files::is_stream(path) || (path.exists() && !path.is_file() && !path.is_dir());
    if args.inputs.iter().any(is_read_once) {
        return Ok(false);
    }
    let read = args.labelling.options.read_options().with_carry(vec![args.content_column.clone()]);
    let inputs = Inputs::new(&args.inputs).map_err(fail)?;
    let mut source = inputs.open(&read);
    while let Some(item) = source.next() {
        if let Ok(record) = item.and_then(|raw| raw.open(&read)) {
            return Ok(record.carried.iter().any(|(_, value)| !value.is_null()));
        }
    }
    Ok(false)
}

fn eval_fusion(args: &Eval, model: &FusionModel) -> Result<Outcome, Failure> {
    let labelling = &args.labelling;
    let read: ReadOptions = labelling.options.read_options();
    let inputs = ReferenceInputs {
        read,
        content_column: args.content_column.clone(),
        page_type_column: args.page_type_column.clone(),
        ..ReferenceInputs::new(args.inputs.clone())
    };
    let mut failed = 0;
    let skipped = |fault: &dehusk_io::Fault| {
        failed += 1;
        printer::warn(&fault.to_string());
    };
    let pages = CorrectedPage::read(&inputs, skipped).map_err(fail)?;
    let extractor = Extractor::new(labelling.options.reading());
    let extractor = extractor.and_then(|extractor| extractor.with_detector(Fusion::new(model.clone())));
    let extractor = extractor.map_err(|error| Failure::about(&args.model, error))?;
    let (measured, tally) = thread_pool(&labelling.options)?
        .install(|| (measure_pages(&extractor, &pages), tally_corrections(model, &pages)));
    let worst = worst_pages(&measured, args.worst);
    if let Some(path) = labelling.options.path(&REPORT) {
        let report = fusion_report(args, &measured, &worst, tally.as_ref());
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    files::write_or_print(None, &fusion_text(&measured, &worst, tally.as_ref()))?;
    Outcome::of_pages(measured.len() as u64, failed, labelling.options.flag(&STRICT))
}

/// The pages that do worst, the worst first.
fn worst_pages(measured: &[PageMeasures], count: usize) -> Vec<&PageMeasures> {
    let mut pages: Vec<&PageMeasures> = measured.iter().filter(|page| page.words.f1 < 1.0).collect();
    pages.sort_by(|one, two| one.words.f1.total_cmp(&two.words.f1));
    pages.truncate(count);
    pages
}

/// Pages by their type; those without type last.
fn by_type(measured: &[PageMeasures]) -> Vec<(&str, Vec<&PageMeasures>)> {
    let mut types: BTreeMap<&str, Vec<&PageMeasures>> = BTreeMap::new();
    measured.iter().for_each(|page| types.entry(&page.page_type).or_default().push(page));
    // The empty name would come first.
    let untyped = types.remove("");
    types.into_iter().chain(untyped.map(|pages| ("", pages))).collect()
}

fn fusion_text(measured: &[PageMeasures], worst: &[&PageMeasures], tally: Option<&CorrectionTally>) -> String {
    let line = |name: &str, pages: usize, WordMeasures { f1, precision, recall }: WordMeasures| {
        format!("{name:14} {pages:6} pages  F1 {f1:.4}  precision {precision:.4}  recall {recall:.4}\n")
    };
    let mut text = line("all", measured.len(), PageMeasures::mean(measured.iter()));
    let types = by_type(measured);
    if types.len() > 1 || types.iter().any(|(name, _)| !name.is_empty()) {
        for (name, pages) in types {
            let name = if name.is_empty() { "without type" } else { name };
            text += &line(name, pages.len(), PageMeasures::mean(pages.iter().copied()));
        }
    }
    if !worst.is_empty() {
        text += "\nworst pages\n";
    }
    for page in worst {
        let WordMeasures { f1, precision, recall } = page.words;
        let name = if page.url.is_empty() { &page.id } else { &page.url };
        text += &format!("F1 {f1:.4}  precision {precision:.4}  recall {recall:.4}  {name}\n");
    }
    if let Some(tally) = tally {
        text += "\n";
        text += &tally_text(tally);
    }
    text
}

fn fusion_report(
    args: &Eval,
    measured: &[PageMeasures],
    worst: &[&PageMeasures],
    tally: Option<&CorrectionTally>,
) -> Value {
    let means = |pages: usize, WordMeasures { f1, precision, recall }: WordMeasures| json!({ "pages": pages, "f1": f1, "precision": precision, "recall": recall });
    let types = by_type(measured)
        .into_iter()
        .map(|(name, pages)| (name.to_string(), means(pages.len(), PageMeasures::mean(pages.iter().copied()))));
    let worst = worst.iter().map(|page| {
        let WordMeasures { f1, precision, recall } = page.words;
        json!({ "id": page.id, "url": page.url, "page_type": page.page_type, "f1": f1, "precision": precision, "recall": recall })
    });
    let mut report = means(measured.len(), PageMeasures::mean(measured.iter()));
    report["model"] = json!(args.model.to_string_lossy());
    report["by_type"] = Value::Object(types.collect());
    report["worst"] = Value::Array(worst.collect());
    report["corrections"] = tally.map_or(Value::Null, corrections_report);
    report
}

fn corrections_report(tally: &CorrectionTally) -> Value {
    let unfollowed = tally.unfollowed.iter().map(|unfollowed| {
        let correction = &unfollowed.correction;
        let decision = if correction.decision == Decision::Keep { "keep" } else { "drop" };
        json!({
            "page": unfollowed.page,
            "decision": decision,
            "xpath": correction.xpath,
            "text": correction.text,
            "why": unfollowed.why,
        })
    });
    json!({
        "pages": tally.pages,
        "corrections": tally.corrections,
        "followed": tally.followed,
        "blocks": tally.blocks,
        "blocks_followed": tally.blocks_followed,
        "missed": unfollowed.collect::<Vec<_>>(),
    })
}

fn eval_block(args: &Eval, model: &BlockModel) -> Result<Outcome, Failure> {
    let labelling = &args.labelling;
    let labels = label_options(&args.inputs, Flavour::Blocks(model.names), labelling);
    let bar = Bar::new(labelling.options.flag(&PROGRESS));
    let measured = thread_pool(&labelling.options)?.install(|| evaluate_block(model, &labels, &bar));
    let failed = bar.finish_with_faults();
    let measured = measured.map_err(fail)?;
    let outcome = Outcome::of_pages(measured.pages, failed, labelling.options.flag(&STRICT))?;
    let mut text = format!("{} pages of {} sites\n", measured.pages, measured.sites);
    let mut report = json!({ "model": args.model.to_string_lossy(), "pages": measured.pages, "sites": measured.sites });
    let curves: [(&str, &str, &Curve); 2] = [
        ("topmost", "template and topmost content blocks", &measured.topmost),
        ("all", "all labelled blocks", &measured.all),
    ];
    for (key, name, curve) in curves {
        let recall = [0.90, 0.95].map(|precision| curve.recall_at(precision));
        let (average, roc) = (curve.average_precision(), curve.roc_area());
        text += &format!(
            "{name}: recall {:.3} at precision 0.90, {:.3} at 0.95, average precision {average:.4}, ROC area {roc:.4}\n",
            recall[0], recall[1]
        );
        report[key] = json!({
            "recall_at_precision_0.90": recall[0],
            "recall_at_precision_0.95": recall[1],
            "average_precision": average,
            "roc_area": roc,
        });
    }
    if let Some(path) = labelling.options.path(&REPORT) {
        files::write(path, format!("{report:#}\n").as_bytes())?;
    }
    files::write_or_print(None, &text)?;
    Ok(outcome)
}
