//! The one result shape of all detectors: per node a score, a decision and the reason for it.
//!
//! Output, reports and the inspector read this and know nothing about methods.

use crate::detector::Detectors;
use crate::dom::elements::is_unseen;
use crate::dom::text::count_text;
use crate::dom::{Document, NodeId, NodeKind};
use crate::flags::Flag;
use crate::page_type::PageType;
use std::collections::BTreeMap;
use std::fmt;

/// What happens to a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Decision {
    /// It stays.
    #[default]
    Keep,
    /// It goes, with all it holds.
    Drop,
}

/// Why a node got its score and decision.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum Reason {
    /// No evidence either way: a detector keeps what it knows nothing about.
    #[default]
    NoEvidence,
    /// The same node stands on so many pages of the site.
    Repeated {
        /// Pages it stands on.
        pages: u32,
        /// Pages that were looked at.
        of: u32,
    },
    /// It stands in one of the site's templates.
    InTemplate {
        /// The number of the template.
        template: u32,
        /// Pages that fit this template.
        support: u32,
        /// Pages the templates were learned from.
        of: u32,
    },
    /// All it holds is aligned with the template of the site, each part of which stands on so many of the aligned pages.
    Aligned {
        /// Pages its rarest part stands on.
        pages: u32,
        /// Pages that were aligned.
        of: u32,
    },
    /// A model scored it by how it looks, and its score was smoothed with those around it.
    Section {
        /// The score before smoothing.
        raw: f32,
        /// The number of its section on the page.
        section: u32,
    },
    /// A model gives it this score.
    Scored {
        /// How much it looks like template, 0 to 1.
        score: f32,
    },
    /// A block that is kept or dropped whole (a list, a table, a paragraph): this share of its text is template.
    MostlyTemplate {
        /// Share of the text, 0 to 1.
        share: f32,
    },
    /// All it holds is dropped.
    NothingLeft,
    /// It goes because a node it stands in goes.
    Inside(NodeId),
    /// It is repeated, but part of a block that is kept whole.
    PartOf(NodeId),
    /// Another part of the page says the same word for word.
    CopyOf(NodeId),
}

impl Reason {
    /// Whether it is evidence for the node itself, from other pages or from a model, which says more than the fate of its surroundings.
    pub(crate) fn is_own_evidence(self) -> bool {
        matches!(
            self,
            Reason::Repeated { .. }
                | Reason::InTemplate { .. }
                | Reason::Aligned { .. }
                | Reason::Scored { .. }
                | Reason::Section { .. }
        )
    }

    /// A short name for reports, such as `repeated`.
    pub fn name(self) -> &'static str {
        match self {
            Reason::NoEvidence => "no_evidence",
            Reason::Repeated { .. } => "repeated",
            Reason::InTemplate { .. } => "in_template",
            Reason::Aligned { .. } => "aligned",
            Reason::Section { .. } => "section",
            Reason::Scored { .. } => "scored",
            Reason::MostlyTemplate { .. } => "mostly_template",
            Reason::NothingLeft => "nothing_left",
            Reason::Inside(_) => "inside",
            Reason::PartOf(_) => "part_of",
            Reason::CopyOf(_) => "copy_of",
        }
    }
}

impl fmt::Display for Reason {
    /// The reason as a reader is told it, such as `repeated on 11 of 12 pages`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoEvidence => f.write_str("no evidence"),
            Reason::Repeated { pages, of } => write!(f, "repeated on {pages} of {of} pages"),
            Reason::InTemplate { template, support, of } => {
                write!(f, "in template {template}, which {support} of {of} pages have")
            }
            Reason::Aligned { pages, of } => write!(f, "aligned with {pages} of {of} pages"),
            Reason::Section { raw, section } => write!(f, "section {section}, a model scores it {raw:.2} by itself"),
            Reason::Scored { score } => write!(f, "a model scores it {:.0}%", score * 100.0),
            Reason::MostlyTemplate { share } => write!(f, "{:.0}% of its text is template", share * 100.0),
            Reason::NothingLeft => f.write_str("all it holds is dropped"),
            Reason::Inside(node) => write!(f, "inside of dropped node {}", node.0),
            Reason::PartOf(node) => write!(f, "part of node {}, which is kept whole", node.0),
            Reason::CopyOf(node) => write!(f, "says what node {} says, word for word", node.0),
        }
    }
}

impl Decision {
    /// The name in reports: `keep` or `drop`.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Keep => "keep",
            Decision::Drop => "drop",
        }
    }
}

/// Which of its site's templates a page has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TemplateFit {
    /// The number of the template, or nothing where none fits.
    pub template: Option<u32>,
    /// How well it fits, 0 to 1; where none does, how well the nearest.
    pub fit: f32,
}

/// What a model says of a page as a whole.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct PageVerdict {
    /// How good the result is guessed to be, as an F measure, 0 to 1.
    pub confidence: f32,
    /// What kind of page it is, where that can be told.
    pub page_type: Option<PageType>,
    /// Whether the page seems to have no content, so that nothing of it is kept.
    pub no_content: bool,
    /// Whether the page and its site, taken together, left nothing, so that one of them was believed alone.
    pub disputed: bool,
}

impl PageVerdict {
    /// What is out of the ordinary.
    pub fn flags(self) -> impl Iterator<Item = Flag> {
        [(self.no_content, Flag::NoContent), (self.disputed, Flag::EvidenceDisputed)]
            .into_iter()
            .filter_map(|(applies, flag)| applies.then_some(flag))
    }
}

/// The result of a detector for one page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detection {
    /// The detectors it comes from.
    pub detectors: Detectors,
    /// Which template the page has, where the site's pages were grouped by kind.
    pub fit: Option<TemplateFit>,
    /// Whether the detector also decided about what the page hides, so that what it keeps of that is shown.
    pub covers_hidden: bool,
    /// What a model says of the page as a whole, where one judged it.
    pub page: Option<PageVerdict>,
    scores: Vec<f32>,
    decisions: Vec<Decision>,
    reasons: Vec<Reason>,
    details: BTreeMap<NodeId, String>,
}

impl Detection {
    /// A detection that keeps every node of a document.
    pub fn keep_all(detectors: impl Into<Detectors>, document: &Document) -> Detection {
        let nodes = document.len();
        Detection {
            detectors: detectors.into(),
            fit: None,
            covers_hidden: false,
            page: None,
            scores: vec![0.0; nodes],
            decisions: vec![Decision::Keep; nodes],
            reasons: vec![Reason::NoEvidence; nodes],
            details: BTreeMap::new(),
        }
    }

    /// How much a node looks like template, 0 to 1.
    pub fn score(&self, id: NodeId) -> f32 {
        self.scores[id.index()]
    }

    /// What happens to a node.
    pub fn decision(&self, id: NodeId) -> Decision {
        self.decisions[id.index()]
    }

    /// The chance that the decision about a node is right, where a model gave it: that of being content where it stays, of being
    /// template where it goes.
    pub fn confidence(&self, id: NodeId) -> f32 {
        if self.is_dropped(id) { self.score(id) } else { 1.0 - self.score(id) }
    }

    /// Whether a node is dropped.
    pub fn is_dropped(&self, id: NodeId) -> bool {
        self.decisions[id.index()] == Decision::Drop
    }

    /// Why.
    pub fn reason(&self, id: NodeId) -> Reason {
        self.reasons[id.index()]
    }

    /// What more there is to say about the reason, where the detector was asked: which features weighed most.
    pub fn detail(&self, id: NodeId) -> Option<&str> {
        self.details.get(&id).map(String::as_str)
    }

    /// Says more about the reason of a node.
    pub fn set_detail(&mut self, id: NodeId, detail: String) {
        self.details.insert(id, detail);
    }

    /// Sets the score and reason of a node and leaves its decision.
    pub fn set_evidence(&mut self, id: NodeId, score: f32, reason: Reason) {
        self.scores[id.index()] = score;
        self.reasons[id.index()] = reason;
    }

    /// Drops a node and all it holds. Descendants that have no reason of their own get [`Reason::Inside`].
    pub fn drop_subtree(&mut self, document: &Document, id: NodeId) {
        for at in document.subtree(id) {
            self.decisions[at] = Decision::Drop;
            if at != id.index() && !self.reasons[at].is_own_evidence() {
                self.reasons[at] = Reason::Inside(id);
            }
        }
    }

    /// The words of what is kept; each character of a script written without spaces counts as one. Counts no further than
    /// `enough`: mostly the first few texts tell.
    pub fn kept_words_up_to(&self, document: &Document, enough: usize) -> usize {
        let (mut words, mut at) = (0, 0);
        while at < document.len() && words < enough {
            let id = NodeId(at as u32);
            let unseen = match document.kind(id) {
                NodeKind::Element => is_unseen(document.html_name(id)),
                kind => kind == NodeKind::Fragment,
            };
            if unseen || self.is_dropped(id) {
                at = document.end(id).index();
                continue;
            }
            if document.is_text(id) {
                words += count_text(document.text(id)).1 as usize;
            }
            at += 1;
        }
        words.min(enough)
    }

    /// The nodes that are dropped and stand in no other dropped node, in page order.
    pub fn dropped_roots<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = NodeId> + 'a {
        let mut next = 0;
        std::iter::from_fn(move || {
            while next < self.decisions.len() {
                let id = NodeId(next as u32);
                if self.decisions[next] == Decision::Drop {
                    next = document.end(id).index();
                    return Some(id);
                }
                next += 1;
            }
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detector::Detector;
    use crate::dom::{Name, Parser};

    #[test]
    fn words_are_counted_as_far_as_is_enough() {
        let source = "<title>no</title><nav>drop two</nav><p>one <b>two</b></p><script>var x</script><p>漢字 end</p>";
        let document = Parser::default().parse(source).unwrap();
        let mut detection = Detection::keep_all(Detector::None, &document);
        detection.drop_subtree(&document, document.find(Name::NAV).unwrap());
        for enough in 0..8 {
            assert_eq!(detection.kept_words_up_to(&document, enough), enough.min(5));
        }
    }
}
