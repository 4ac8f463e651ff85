//! Options that say which detector decides what is dropped, and how.

use super::{EVERYWHERE, OWN_MACHINE, options};
use crate::definition::Command::{self, Apply, Clean, Explain, Extract, Inspect, Segment, Strip};
use crate::definition::Topic::Detector as Topic;
use crate::definition::{Choice, Definition, Kind, Range};
use dehusk::Detector;

/// The commands that decide what is dropped.
const DECIDING: &[Command] = &[Extract, Strip, Explain, Apply, Clean, Inspect];

options! {
    /// Which detector.
    DETECTOR = Definition::new(Topic, "detector", Kind::Choice(detectors), DECIDING, "The detector that decides what is dropped.")
        .short('d').value("NAME").default("fusion").on(EVERYWHERE);
    /// From precision to recall.
    FOCUS = Definition::new(
        Topic, "focus", Kind::Focus, DECIDING, "For fusion: from 0 (precision) to 1 (recall), or precision, balanced, recall.",
    ).value("NUMBER").default("balanced").on(EVERYWHERE);
    /// Where template begins.
    THRESHOLD = Definition::new(
        Topic, "threshold", Kind::Number(Range::Any), DECIDING,
        "For sitelevel, the share of a site's pages a part must appear on to be template [default: 0.1]; for pagelevel, the score at \
         which a node is template [default: as the model says].",
    ).value("SHARE").on(EVERYWHERE);
    /// A model of the user's own.
    MODEL = Definition::new(
        Topic, "model", Kind::Path, DECIDING, "A model from `dehusk train` for this detector, instead of the one in this program.",
    ).value("FILE").on(OWN_MACHINE);
    /// A model of the user's own for segmentation.
    SEGMENT_MODEL = Definition::new(
        Topic, "model", Kind::Path, &[Segment], "A model from `dehusk train segment`, instead of the one in this program.",
    ).value("FILE");
    /// The precision of Block.
    PRECISION = Definition::new(
        Topic, "precision", Kind::Number(Range::Any), DECIDING,
        "For block: drop as much as keeps this share of the dropped blocks template, as measured on other sites [default: 0.9].",
    ).value("SHARE").conflicts_with("recall").on(EVERYWHERE);
    /// The recall of Block.
    RECALL = Definition::new(
        Topic, "recall", Kind::Number(Range::Any), DECIDING,
        "For block: drop as much as is needed to drop this share of the template blocks, as measured on other sites.",
    ).value("SHARE").on(EVERYWHERE);
    /// What a section costs PageLevel.
    PENALTY = Definition::new(
        Topic, "penalty", Kind::Number(Range::NotNegative), DECIDING,
        "For pagelevel: the cost of a new section; a higher cost makes fewer and larger sections.",
    ).value("NUMBER").on(EVERYWHERE);
}

fn detectors() -> Vec<Choice> {
    let help = |detector: Detector| match detector {
        Detector::Fusion => {
            "Classify each text block by a model; where the template of the page's site is known, that counts as evidence."
        }
        Detector::SiteLevel => "Drop what many pages of the site have.",
        Detector::TreeMap => "Drop what the trees of a few pages of the site have in common.",
        Detector::Align => "Drop what a few pages of the site have in the same order.",
        Detector::Auto => "Drop what the best of these three, or of their combinations, finds.",
        Detector::PageLevel => "Score each node by a model of what template looks like, smoothed over the page.",
        Detector::PageLevelBasic => "The same without smoothing.",
        Detector::Block => "Classify the blocks of the page by a model of what template looks like.",
        Detector::None => "Drop nothing.",
        _ => "",
    };
    Detector::ALL.map(|detector| Choice { name: detector.name(), help: help(detector), is_hidden: false }).into()
}
