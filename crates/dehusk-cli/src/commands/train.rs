//! `dehusk train` and `dehusk eval`: models from crawls, and how well they do.

use super::clean::Bar;
use super::detect::read_block_model;
use super::label::label_options;
use super::{Failure, Outcome, thread_pool};
use crate::args::{Classifier, Eval, Train, TrainBlock, TrainPagelevel};
use crate::{files, printer};
use dehusk_io::Error;
use dehusk_train::{
    BlockKind, BlockTraining, Flavour, LabelOptions, PageLevelTraining, evaluate_block, train_block, train_page_level,
};

pub(super) fn train(args: &Train) -> Result<Outcome, Failure> {
    match args {
        Train::Block(args) => train_block_detector(args),
        Train::Pagelevel(args) => train_pagelevel(args),
    }
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
    };
    let training = BlockTraining { kind, folds: args.folds, ..BlockTraining::new(labels, names) };
    let bar = Bar::new(labelling.run.progress);
    let trained = thread_pool(labelling.run.threads)?.install(|| train_block(&training, &bar));
    bar.finish();
    let model = trained.map_err(fail)?;
    let bytes = model.write().to_bytes();
    files::write(&args.output, &bytes)?;
    printer::note(&format!("{}{}: {} bytes", model.card, args.output.display(), bytes.len()));
    Ok(Outcome::Done)
}

fn train_pagelevel(args: &TrainPagelevel) -> Result<Outcome, Failure> {
    let mut labels = LabelOptions::new(args.inputs.clone(), Flavour::Nodes);
    labels.read = args.columns.options(&args.reading);
    labels.options = args.reading.options();
    labels.seed = args.seed;
    labels.threads = args.run.threads;
    let mut training = PageLevelTraining::new(labels);
    training.pages = args.pages;
    let bar = Bar::new(args.run.progress);
    let trained = train_page_level(&training, &bar);
    bar.finish();
    let model = trained.map_err(fail)?;
    files::write(&args.output, &model.to_bytes())?;
    printer::note(model.card().trim_end());
    Ok(Outcome::Done)
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
