//! `dehusk train`: models from labelled corpora, from corrections and from crawls.

use super::clean::Bar;
use super::label::label_options;
use super::{thread_pool, threads};
use crate::args::{
    Classifier, Train, TrainBlock, TrainFusion, TrainPageType, TrainPagelevel, TrainReferences, TrainSegment,
};
use crate::outcome::{Failure, Outcome};
use crate::{files, printer};
use dehusk::Decision;
use dehusk::detect::fusion::FusionModel;
use dehusk::model::ModelFile;
use dehusk_io::{Error, Fault, ReadOptions};
use dehusk_options::definitions::{PROGRESS, REPORT, SEED, SITE_BY, STRICT, THREADS};
use dehusk_options::{Values, read_model};
use dehusk_train::{
    Adaptation, BlockKind, BlockTraining, CorrectedPage, CorrectionTally, Flavour, FusionTraining, LabelOptions,
    MarkedInputs, PageLevelTraining, ReferenceInputs, ReferencePage, SegmentTraining, UnfollowedCorrection,
    adapt_fusion, data_pages, replaced_content_pages, train_block, train_fusion, train_page_level, train_page_type,
    train_segment,
};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(super) fn train(args: &Train) -> Result<Outcome, Failure> {
    match args {
        Train::Fusion(args) => train_fusion_detector(args),
        Train::PageType(args) => train_page_types(args),
        Train::Segment(args) => train_segmentation(args),
        Train::Block(args) => train_block_detector(args),
        Train::Pagelevel(args) => train_pagelevel(args),
        Train::Keywords(args) => super::keywords::train(args),
    }
}

/// Trains or adapts the fusion model.
fn train_fusion_detector(args: &TrainFusion) -> Result<Outcome, Failure> {
    let TrainFusion { inputs, references, more, more_weight, from } = args;
    let step = steps();
    if !(more_weight.is_finite() && *more_weight > 0.0) {
        return Err(Failure::new("--more-weight is a number above 0"));
    }
    let corrected = match more.is_empty() {
        true => Vec::new(),
        false => {
            let inputs = ReferenceInputs::new(more.clone());
            CorrectedPage::read(&inputs, |fault| printer::warn(&fault.to_string())).map_err(fail)?
        }
    };
    let base = match from {
        _ if !inputs.is_empty() => {
            let (training, pages) = read_references(inputs, references, *more_weight, &step)?;
            let train = || train_fusion(&training, &pages, &corrected, &step);
            threads(references.threads)?.install(train).map_err(fail)?
        }
        Some(path) => read_fusion_model(path)?,
        None => FusionModel::builtin().clone(),
    };
    if corrected.is_empty() {
        return write_model(&references.output, &base.to_bytes());
    }
    let needs_pages = inputs.is_empty()
        && (!references.graft_into.is_empty() || !references.records_of.is_empty() || references.renamed_copies > 0.0);
    if needs_pages {
        return Err(Failure::new(
            "--graft-into, --records-of and --renamed-copies need PAGES: without PAGES, the model is only adapted to the corrections",
        ));
    }
    let source = references.card.source.clone();
    let adaptation = Adaptation { inputs: more.clone(), source, seed: references.seed };
    let (model, tally) = threads(references.threads)?.install(|| {
        let model = adapt_fusion(&base, &corrected, &adaptation, &step);
        let tally = CorrectionTally::of(&model, &corrected);
        (model, tally)
    });
    let outcome = write_model(&references.output, &model.to_bytes())?;
    printer::note_lines(tally_text(&tally).lines());
    Ok(outcome)
}

fn train_page_types(args: &TrainPageType) -> Result<Outcome, Failure> {
    let references = &args.references;
    let step = steps();
    let (training, pages) = read_references(&args.inputs, references, 1.0, &step)?;
    let model = threads(references.threads)?.install(|| train_page_type(&training, &pages, &step));
    write_model(&references.output, &model.map_err(fail)?.to_bytes())
}

/// Prints each step with the time at which it was done.
fn steps() -> impl Fn(&str) + Sync {
    let start = Instant::now();
    move |what: &str| printer::note(&format!("{:6.0} s  {what}", start.elapsed().as_secs_f64()))
}

/// Reads pages with reference texts, and makes the further ones that were asked for.
fn read_references(
    pages: &[PathBuf],
    args: &TrainReferences,
    more_weight: f32,
    step: &dyn Fn(&str),
) -> Result<(FusionTraining, Vec<ReferencePage>), Failure> {
    let read = ReadOptions::default()
        .with_url_column(&args.url_column)
        .with_html_column(&args.html_column)
        .with_id_column(&args.id_column);
    let inputs = ReferenceInputs {
        read,
        content_column: args.content_column.clone(),
        page_type_column: args.page_type_column.clone(),
        comments_column: args.comments_column.clone(),
        ..ReferenceInputs::new(pages.to_vec())
    };
    if !(0.0..=1.0).contains(&args.renamed_copies) {
        return Err(Failure::new("--renamed-copies is a share of the pages, from 0 to 1"));
    }
    let mut pages = inputs.pages(|fault| printer::warn(&fault.to_string())).map_err(fail)?;
    step(&format!("read {} pages", pages.len()));
    let (mut replaced_content, mut data_page_count) = (0, 0);
    if !args.graft_into.is_empty() {
        let skipped = |fault: &Fault| printer::warn(&fault.to_string());
        let replaced = replaced_content_pages(&args.graft_into, &pages, args.grafts_per_site, args.seed, skipped);
        let replaced = replaced.map_err(fail)?;
        step(&format!("put texts into {} pages of sites", replaced.len()));
        replaced_content = replaced.len();
        pages.extend(replaced);
    }
    if !args.records_of.is_empty() {
        let skipped = |fault: &Fault| printer::warn(&fault.to_string());
        let found = data_pages(&args.records_of, args.records_per_site, args.seed, skipped).map_err(fail)?;
        step(&format!("found {} data pages on sites", found.len()));
        data_page_count = found.len();
        pages.extend(found);
    }
    let training = FusionTraining {
        pages: inputs,
        source: args.card.source.clone(),
        seed: args.seed,
        renamed: args.renamed_copies,
        replaced_content,
        data_pages: data_page_count,
        more_weight,
        fold_models: args.fold_models.clone(),
    };
    Ok((training, pages))
}

/// The fusion model of a file.
fn read_fusion_model(path: &Path) -> Result<FusionModel, Failure> {
    let file = read_model(path)?;
    if file.kind != FusionModel::KIND {
        let message = format!("this is a model for {}: --from is a model of `dehusk train fusion`", file.kind);
        return Err(Failure::about(path, message));
    }
    FusionModel::from_file(&file).map_err(|error| Failure::about(path, error))
}

/// The maximum number of corrections that are listed because they are not followed.
const MAX_UNFOLLOWED: usize = 20;
/// Characters of their text.
const UNFOLLOWED_TEXT: usize = 60;

/// Says how many corrections are followed, and which are not.
pub(super) fn tally_text(tally: &CorrectionTally) -> String {
    let CorrectionTally { pages, corrections, followed, blocks, blocks_followed, unfollowed } = tally;
    let mut text = format!(
        "{followed} of {corrections} corrections of {pages} pages are followed; {blocks_followed} of {blocks} blocks of text are decided as requested\n"
    );
    if !unfollowed.is_empty() {
        text += &format!("{} of {corrections} corrections are not followed:\n", unfollowed.len());
    }
    for UnfollowedCorrection { page, correction, why } in unfollowed.iter().take(MAX_UNFOLLOWED) {
        let decision = if correction.decision == Decision::Keep { "keep" } else { "drop" };
        let mut words = correction.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = words.char_indices().nth(UNFOLLOWED_TEXT) {
            words.truncate(end);
            words.push('…');
        }
        text += &format!("  {}: {decision} {} \"{words}\": {why}\n", printer::one_line(page), correction.xpath);
    }
    if unfollowed.len() > MAX_UNFOLLOWED {
        text += &format!("  and {} more\n", unfollowed.len() - MAX_UNFOLLOWED);
    }
    text
}

fn train_segmentation(args: &TrainSegment) -> Result<Outcome, Failure> {
    let step = steps();
    let inputs = MarkedInputs::new(args.inputs.clone());
    let pages = inputs.pages(|fault| printer::warn(&fault.to_string())).map_err(fail)?;
    step(&format!("read {} pages", pages.len()));
    let training = SegmentTraining { inputs: args.inputs.clone(), source: args.card.source.clone(), seed: args.seed };
    let model = threads(args.threads)?.install(|| train_segment(&training, &pages, &step));
    write_model(&args.output, &model.to_bytes())
}

/// Writes the model file and shows its card.
fn write_model(path: &Path, bytes: &[u8]) -> Result<Outcome, Failure> {
    files::write(path, bytes)?;
    printer::note_lines(ModelFile::from_bytes(bytes)?.card.lines());
    printer::note(&format!("{}: {} bytes", path.display(), bytes.len()));
    Ok(Outcome::Done)
}

/// The report on training: what the card of the model says.
fn write_report(options: &Values, bytes: &[u8]) -> Result<(), Failure> {
    let Some(path) = options.path(&REPORT) else { return Ok(()) };
    let model = ModelFile::from_bytes(bytes)?;
    let report = serde_json::json!({ "model": model.kind, "card": model.card });
    files::write(path, format!("{report:#}\n").as_bytes())
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
    let bar = Bar::new(labelling.options.flag(&PROGRESS));
    let trained = thread_pool(&labelling.options)?.install(|| train_block(&training, &bar));
    let failed = bar.finish_with_faults();
    let model = trained.map_err(fail)?.to_bytes();
    write_model(&args.output, &model)?;
    write_report(&labelling.options, &model)?;
    Ok(Outcome::of_failed(failed, labelling.options.flag(&STRICT)))
}

fn train_pagelevel(args: &TrainPagelevel) -> Result<Outcome, Failure> {
    let mut labels = LabelOptions::new(args.inputs.clone(), Flavour::Nodes);
    labels.read = args.options.read_options();
    labels.options = args.options.reading();
    labels.site_by = args.options.choice(&SITE_BY).unwrap_or_default();
    labels.seed = args.options.whole(&SEED);
    labels.threads = args.options.size(&THREADS);
    let mut training = PageLevelTraining::new(labels);
    training.pages = args.pages;
    training.source = args.card.source.clone();
    let bar = Bar::new(args.options.flag(&PROGRESS));
    let trained = train_page_level(&training, &bar);
    let failed = bar.finish_with_faults();
    let model = trained.map_err(fail)?.to_bytes();
    write_model(&args.output, &model)?;
    write_report(&args.options, &model)?;
    Ok(Outcome::of_failed(failed, args.options.flag(&STRICT)))
}

pub(super) fn fail(error: Error) -> Failure {
    Failure::new(error.to_string())
}
