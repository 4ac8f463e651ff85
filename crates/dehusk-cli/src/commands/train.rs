//! `dehusk train` and `dehusk eval`: models from labelled corpora and from crawls, and how well they do.

use super::clean::Bar;
use super::label::label_options;
use super::thread_pool;
use crate::args::{Classifier, Eval, Train, TrainBlock, TrainFusion, TrainPagelevel, TrainSegment};
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::Model;
use dehusk_io::{Error, Fault, ReadOptions};
use dehusk_train::{
    BlockKind, BlockTraining, Flavour, FusionTraining, LabelOptions, MarkedInputs, PageLevelTraining, ReferenceInputs,
    SegmentTraining, evaluate_block, graft_pages, record_pages, train_block, train_fusion, train_page_level,
    train_page_type, train_segment,
};
use std::path::Path;
use std::time::Instant;

pub(super) fn train(args: &Train) -> Result<Outcome, Failure> {
    match args {
        Train::Fusion(args) => train_on_references(args, false),
        Train::PageType(args) => train_on_references(args, true),
        Train::Segment(args) => train_segmentation(args),
        Train::Block(args) => train_block_detector(args),
        Train::Pagelevel(args) => train_pagelevel(args),
        Train::Keywords(args) => super::keywords::train(args),
    }
}

/// Trains the fusion model or, with `page_types`, the page-type model.
fn train_on_references(args: &TrainFusion, page_types: bool) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let step = |what: &str| printer::note(&format!("{:6.0} s  {what}", start.elapsed().as_secs_f64()));
    let read = ReadOptions::default()
        .with_url_column(&args.url_column)
        .with_html_column(&args.html_column)
        .with_id_column(&args.id_column);
    let inputs = ReferenceInputs {
        read,
        content_column: args.content_column.clone(),
        page_type_column: args.page_type_column.clone(),
        comments_column: args.comments_column.clone(),
        ..ReferenceInputs::new(args.inputs.clone())
    };
    if !(0.0..=1.0).contains(&args.renamed_copies) {
        return Err(Failure::new("--renamed-copies is a share of the pages, from 0 to 1"));
    }
    let mut pages = inputs.pages(|fault| printer::warn(&fault.to_string())).map_err(fail)?;
    step(&format!("read {} pages", pages.len()));
    let (mut grafts, mut records) = (0, 0);
    if !args.graft_into.is_empty() {
        let skipped = |fault: &Fault| printer::warn(&fault.to_string());
        let grafted = graft_pages(&args.graft_into, &pages, args.grafts_per_site, args.seed, skipped).map_err(fail)?;
        step(&format!("put texts into {} pages of sites", grafted.len()));
        grafts = grafted.len();
        pages.extend(grafted);
    }
    if !args.records_of.is_empty() {
        let skipped = |fault: &Fault| printer::warn(&fault.to_string());
        let found = record_pages(&args.records_of, args.records_per_site, args.seed, skipped).map_err(fail)?;
        step(&format!("found {} pages of records on sites", found.len()));
        records = found.len();
        pages.extend(found);
    }
    let training = FusionTraining {
        pages: inputs,
        source: args.card.source.clone(),
        seed: args.seed,
        renamed: args.renamed_copies,
        grafted: grafts,
        records,
        fold_models: args.fold_models.clone(),
    };
    let model = thread_pool(args.threads)?.install(|| match page_types {
        false => Ok(Model::Fusion(train_fusion(&training, &pages, &step).into())),
        true => train_page_type(&training, &pages, &step).map(|model| Model::PageType(model.into())),
    });
    write_model(&args.output, &model.map_err(fail)?)
}

fn train_segmentation(args: &TrainSegment) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let step = |what: &str| printer::note(&format!("{:6.0} s  {what}", start.elapsed().as_secs_f64()));
    let inputs = MarkedInputs::new(args.inputs.clone());
    let pages = inputs.pages(|fault| printer::warn(&fault.to_string())).map_err(fail)?;
    step(&format!("read {} pages", pages.len()));
    let training = SegmentTraining { inputs: args.inputs.clone(), source: args.card.source.clone(), seed: args.seed };
    let model = thread_pool(args.threads)?.install(|| train_segment(&training, &pages, &step));
    write_model(&args.output, &Model::Segment(model.into()))
}

/// Writes the model file and shows its card.
fn write_model(path: &Path, model: &Model) -> Result<Outcome, Failure> {
    let bytes = model.to_bytes();
    files::write(path, &bytes)?;
    printer::note(&format!("{}{}: {} bytes", model.card(), path.display(), bytes.len()));
    Ok(Outcome::Done)
}

fn train_block_detector(args: &TrainBlock) -> Result<Outcome, Failure> {
    let labelling = &args.labelling;
    if args.folds < 2 {
        return Err(Failure::new("cross-validation needs at least two folds"));
    }
    let names = labelling.names();
    let labels = label_options(&args.inputs, Flavour::Blocks(names), labelling);
    let kind = match args.classifier {
        Classifier::Maxent => BlockKind::Maxent,
        Classifier::Forest => BlockKind::Forest,
        Classifier::Boosted => BlockKind::Boosted,
        Classifier::PaperMaxent => BlockKind::PaperMaxent,
        Classifier::PaperForest => BlockKind::PaperForest,
    };
    let source = args.card.source.clone();
    let training = BlockTraining { kind, folds: args.folds, source, ..BlockTraining::new(labels, names) };
    let bar = Bar::new(labelling.run.progress);
    let trained = thread_pool(labelling.run.threads)?.install(|| train_block(&training, &bar));
    bar.finish();
    write_model(&args.output, &Model::Block(trained.map_err(fail)?.into()))
}

fn train_pagelevel(args: &TrainPagelevel) -> Result<Outcome, Failure> {
    let mut labels = LabelOptions::new(args.inputs.clone(), Flavour::Nodes);
    labels.read = args.columns.options(&args.reading);
    labels.options = args.reading.options();
    labels.seed = args.seed;
    labels.threads = args.run.threads;
    let mut training = PageLevelTraining::new(labels);
    training.pages = args.pages;
    training.source = args.card.source.clone();
    let bar = Bar::new(args.run.progress);
    let trained = train_page_level(&training, &bar);
    bar.finish();
    write_model(&args.output, &Model::PageLevel(trained.map_err(fail)?.into()))
}

pub(super) fn eval(args: &Eval) -> Result<Outcome, Failure> {
    let labelling = &args.labelling;
    let model = read_block_model(Some(&args.model))?;
    let labels = label_options(&args.inputs, Flavour::Blocks(model.names), labelling);
    let bar = Bar::new(labelling.run.progress);
    let measured = thread_pool(labelling.run.threads)?.install(|| evaluate_block(&model, &labels, &bar));
    bar.finish();
    let measured = measured.map_err(fail)?;
    let mut text = format!("{} pages of {} sites\n", measured.pages, measured.sites);
    for (name, curve) in
        [("template and topmost content blocks", &measured.topmost), ("all labelled blocks", &measured.all)]
    {
        text += &format!(
            "{name}: recall {:.3} at precision 0.90, {:.3} at 0.95, average precision {:.4}, ROC area {:.4}\n",
            curve.recall_at(0.90),
            curve.recall_at(0.95),
            curve.average_precision(),
            curve.roc_area()
        );
    }
    files::write_or_print(None, &text)?;
    Ok(Outcome::Done)
}

fn fail(error: Error) -> Failure {
    Failure::new(error.to_string())
}

/// The block model of a file, or the one in this program.
fn read_block_model(path: Option<&std::path::Path>) -> Result<Box<dehusk::methods::block::BlockModel>, Failure> {
    use dehusk::methods::block::BlockModel;
    let Some(path) = path.filter(|path| *path != std::path::Path::new("builtin")) else {
        return Ok(Box::new(BlockModel::builtin().clone()));
    };
    let bytes = files::read(path, 1 << 30)?;
    BlockModel::from_bytes(&bytes).map(Box::new).map_err(|error| Failure::about(path, error))
}
