//! Options that say which detector decides what is dropped, and how.

use super::{EVERYWHERE, OWN_MACHINE, options};
use crate::definition::Command::{self, Apply, Clean, Explain, Extract, Inspect, Records, Segment, Strip};
use crate::definition::Topic::Detector as Topic;
use crate::definition::{Choice, Definition, Kind, Range};

/// The commands that decide what is dropped.
const DECIDING: &[Command] = &[Extract, Strip, Explain, Records, Apply, Clean, Inspect];

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

/// Detectors in the order of the help. A test compares them with all that there are.
const DETECTORS: [(&str, &str); 9] = [
    (
        "fusion",
        "Classify each text block by a model; where the template of the page's site is known, that counts as evidence.",
    ),
    ("sitelevel", "Drop what many pages of the site have."),
    ("treemap", "Drop what the trees of a few pages of the site have in common."),
    ("align", "Drop what a few pages of the site have in the same order."),
    ("auto", "Drop what the best of these three, or of their combinations, finds."),
    ("pagelevel", "Score each node by a model of what template looks like, smoothed over the page."),
    ("pagelevel-basic", "The same without smoothing."),
    ("block", "Classify the blocks of the page by a model of what template looks like."),
    ("none", "Drop nothing."),
];

/// Published variants are for comparisons, not for everyday use.
const PUBLISHED: [(&str, &str); 2] = [
    ("treemap-paper", "`treemap` exactly as published, to compare with: one template for all pages."),
    ("align-paper", "`align` exactly as published, to compare with: one template for all pages."),
];

fn detectors() -> Vec<Choice> {
    let choice = |is_hidden: bool| move |(name, help): (&'static str, &'static str)| Choice { name, help, is_hidden };
    DETECTORS.into_iter().map(choice(false)).chain(PUBLISHED.into_iter().map(choice(true))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_can_be_chosen() {
        let methods = dehusk_papers::methods();
        let mut known: Vec<&str> = methods.detectors().iter().map(|detector| detector.name()).collect();
        let mut offered: Vec<&str> = detectors().iter().map(|choice| choice.name).collect();
        known.sort_unstable();
        offered.sort_unstable();
        assert_eq!(offered, known);
    }
}
