//! `dehusk train`: models from a crawl.

use super::{Failure, Outcome};
use crate::args::{Train, TrainPagelevel};
use crate::{files, printer};
use dehusk_io::crawl::{Fate, Progress};
use dehusk_train::{Flavour, LabelOptions, PageLevelTraining, train_page_level};
use indicatif::ProgressBar;
use std::sync::Mutex;

pub(super) fn train(args: &Train) -> Result<Outcome, Failure> {
    match args {
        Train::Pagelevel(args) => train_pagelevel(args),
    }
}

/// Shows how far a pass is.
struct Bar {
    wanted: bool,
    bar: Mutex<ProgressBar>,
}

impl Progress for Bar {
    fn pass(&self, name: &str, bytes: Option<u64>) {
        let bar = printer::byte_progress(bytes, self.wanted);
        bar.set_prefix(name.to_string());
        if let Ok(mut old) = self.bar.lock() {
            old.finish_and_clear();
            *old = bar;
        }
    }

    fn record(&self, position: u64, _: Fate) {
        if let Ok(bar) = self.bar.lock() {
            bar.set_position(position);
        }
    }
}

fn train_pagelevel(args: &TrainPagelevel) -> Result<Outcome, Failure> {
    let mut labels = LabelOptions::new(args.inputs.clone(), Flavour::Nodes);
    labels.read = args.columns.options(&args.reading);
    labels.options = args.reading.options();
    labels.seed = args.seed;
    labels.threads = args.run.threads;
    let mut training = PageLevelTraining::new(labels);
    training.pages = args.pages;
    let progress = Bar { wanted: args.run.progress, bar: Mutex::new(ProgressBar::hidden()) };
    let model = train_page_level(&training, &progress).map_err(|error| Failure::new(error.to_string()))?;
    files::write(&args.output, &model.to_bytes())?;
    printer::note(model.card().trim_end());
    Ok(Outcome::Done)
}
