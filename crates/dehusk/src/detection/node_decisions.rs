//! The result type of all detectors: a score, a decision and a reason per node.
//!
//! Renderers and reports read it and do not depend on the method.

use super::detectors::Detectors;
use super::page_type::PageType;
use crate::dom::elements::{is_hidden, is_unseen};
use crate::dom::text::count_text;
use crate::dom::{Document, NodeId, NodeKind};
use crate::flags::Flag;
use std::collections::BTreeMap;
use std::fmt;

/// The decision about a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Decision {
    /// The node is kept.
    #[default]
    Keep,
    /// The node is dropped with its subtree.
    Drop,
}

/// Why a node got its score and decision.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum Reason {
    /// No evidence either way. Nodes without evidence are kept.
    #[default]
    NoEvidence,
    /// The same node appears on several pages of the site.
    Repeated {
        /// Number of pages it appears on.
        pages: u32,
        /// Number of pages that were compared.
        of: u32,
    },
    /// It is part of one of the site's templates.
    InTemplate {
        /// The number of the template.
        template: u32,
        /// Number of pages that fit this template.
        support: u32,
        /// Number of pages the templates were learned from.
        of: u32,
    },
    /// Its whole subtree is aligned with the template of the site.
    Aligned {
        /// Number of aligned pages that its rarest token appears on.
        pages: u32,
        /// Number of pages that were aligned.
        of: u32,
    },
    /// A model scored it by its features, and the score was smoothed with those of nearby nodes.
    Section {
        /// The score before smoothing.
        raw: f32,
        /// The number of its section on the page.
        section: u32,
    },
    /// It belongs to a segment of the page, and the segment with the most text is kept.
    InSegment {
        /// The number of the segment on the page.
        segment: u32,
        /// Whether the segment is the one with the most text.
        largest: bool,
    },
    /// A model scored it.
    Scored {
        /// The score, 0 to 1; 1 is template.
        score: f32,
    },
    /// It is kept or dropped as a whole (a list, a table, a paragraph), and this share of its text is template.
    MostlyTemplate {
        /// Share of the text, 0 to 1.
        share: f32,
    },
    /// Its whole content is dropped.
    NothingLeft,
    /// It is dropped because this ancestor is dropped.
    Inside(NodeId),
    /// It is part of a block, table, list or record that is kept as a whole.
    PartOf(NodeId),
    /// It is a heading, and nothing under it is kept.
    EmptyHeading,
    /// It is a comment of a reader.
    ReaderComment,
    /// It is a duplicate: this node of the page has the same text.
    CopyOf(NodeId),
    /// It is a tool of the page and not text: a permalink, a line number, the name of an icon.
    Clutter,
    /// A person decided it.
    Corrected,
}

impl Reason {
    /// Whether it is evidence about the node itself, from other pages or from a model. Such a reason is not replaced when an
    /// ancestor is dropped.
    pub(crate) fn is_own_evidence(self) -> bool {
        matches!(
            self,
            Reason::Repeated { .. }
                | Reason::InTemplate { .. }
                | Reason::Aligned { .. }
                | Reason::Scored { .. }
                | Reason::Section { .. }
                | Reason::InSegment { .. }
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
            Reason::InSegment { .. } => "in_segment",
            Reason::Scored { .. } => "scored",
            Reason::MostlyTemplate { .. } => "mostly_template",
            Reason::NothingLeft => "nothing_left",
            Reason::Inside(_) => "inside",
            Reason::PartOf(_) => "part_of",
            Reason::EmptyHeading => "empty_heading",
            Reason::ReaderComment => "reader_comment",
            Reason::CopyOf(_) => "copy_of",
            Reason::Clutter => "clutter",
            Reason::Corrected => "corrected",
        }
    }
}

impl fmt::Display for Reason {
    /// The reason in words, such as `repeated on 11 of 12 pages`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoEvidence => f.write_str("no evidence"),
            Reason::Repeated { pages, of } => write!(f, "repeated on {pages} of {of} pages"),
            Reason::InTemplate { template, support, of } => {
                write!(f, "in template {template}, which {support} of {of} pages have")
            }
            Reason::Aligned { pages, of } => write!(f, "aligned with {pages} of {of} pages"),
            Reason::Section { raw, section } => write!(f, "section {section}, a model scores it {raw:.2} by itself"),
            Reason::InSegment { segment, largest: true } => {
                write!(f, "in segment {segment}, which has the most text")
            }
            Reason::InSegment { segment, largest: false } => {
                write!(f, "in segment {segment}, another one has more text")
            }
            Reason::Scored { score } => write!(f, "a model scores it {:.0}%", score * 100.0),
            Reason::MostlyTemplate { share } => write!(f, "{:.0}% of its text is template", share * 100.0),
            Reason::NothingLeft => f.write_str("all it holds is dropped"),
            Reason::Inside(node) => write!(f, "inside of dropped node {}", node.0),
            Reason::PartOf(node) => write!(f, "part of node {}, which is kept whole", node.0),
            Reason::ReaderComment => f.write_str("a comment of a reader"),
            Reason::EmptyHeading => f.write_str("a heading, and nothing under it is kept"),
            Reason::CopyOf(node) => write!(f, "says what node {} says, word for word", node.0),
            Reason::Clutter => f.write_str("a tool of the page, not text"),
            Reason::Corrected => f.write_str("decided by hand"),
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

/// Which of its site's templates fits a page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TemplateFit {
    /// The number of the template, or `None` if none fits.
    pub template: Option<u32>,
    /// How well it fits, 0 to 1. If none fits, the fit of the nearest one.
    pub fit: f32,
}

/// The estimates of a model for a page as a whole.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct PageVerdict {
    /// Estimated F1 of the result, 0 to 1.
    pub confidence: f32,
    /// The type of the page, if known.
    pub page_type: Option<PageType>,
    /// Whether the page seems to have no content. If so, nothing of it is kept.
    pub no_content: bool,
    /// Whether the evidence of the page and of its site together would keep nothing. If so, only one of them was used.
    pub disputed: bool,
}

impl PageVerdict {
    /// The flags of the page.
    pub fn flags(self) -> impl Iterator<Item = Flag> {
        [(self.no_content, Flag::NoContent), (self.disputed, Flag::EvidenceDisputed)]
            .into_iter()
            .filter_map(|(applies, flag)| applies.then_some(flag))
    }
}

/// The result of a detector for one page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detection {
    /// The detectors that produced it.
    pub detectors: Detectors,
    /// The template that fits the page, if the site has templates per page group.
    pub fit: Option<TemplateFit>,
    /// Whether the detector also decided about hidden elements. If so, renderers write the ones it kept.
    pub covers_hidden: bool,
    /// The estimates for the page as a whole, if the detector has a model for them.
    pub page: Option<PageVerdict>,
    scores: Vec<f32>,
    decisions: Vec<Decision>,
    reasons: Vec<Reason>,
    details: BTreeMap<NodeId, String>,
    details_are_cut: bool,
}

/// The maximum number of nodes with details. Each takes more than a kilobyte; the largest pages of a broad crawl have less
/// than half as many nodes with text.
const MAX_DETAILS: usize = 100_000;

impl Detection {
    /// Creates a detection that keeps every node of a document.
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
            details_are_cut: false,
        }
    }

    /// The score of a node, 0 to 1; 1 is template.
    pub fn score(&self, id: NodeId) -> f32 {
        self.scores[id.index()]
    }

    /// The decision about a node.
    pub fn decision(&self, id: NodeId) -> Decision {
        self.decisions[id.index()]
    }

    /// The probability that the decision about a node is right, if a model scored it: of being content if it is kept, of being
    /// template if it is dropped.
    pub fn confidence(&self, id: NodeId) -> f32 {
        if self.is_dropped(id) { self.score(id) } else { 1.0 - self.score(id) }
    }

    /// Whether a node is dropped.
    pub fn is_dropped(&self, id: NodeId) -> bool {
        self.decisions[id.index()] == Decision::Drop
    }

    /// The reason for the score and decision of a node.
    pub fn reason(&self, id: NodeId) -> Reason {
        self.reasons[id.index()]
    }

    /// Details of the reason, if requested from the detector: the features with the largest contribution.
    pub fn detail(&self, id: NodeId) -> Option<&str> {
        self.details.get(&id).map(String::as_str)
    }

    /// Sets the details of the reason of a node, unless too many nodes have some. Returns whether there is room for more.
    pub fn set_detail(&mut self, id: NodeId, detail: String) -> bool {
        self.details_are_cut |= self.details.len() >= MAX_DETAILS && !self.details.contains_key(&id);
        if !self.details_are_cut {
            self.details.insert(id, detail);
        }
        !self.details_are_cut
    }

    /// Notes that there are too many nodes to give details.
    pub(crate) fn cut_details(&mut self) {
        self.details_are_cut = true;
    }

    /// Whether nodes are without details because there are too many.
    pub fn details_are_cut(&self) -> bool {
        self.details_are_cut
    }

    /// Sets the score and reason of a node, but not its decision.
    pub fn set_evidence(&mut self, id: NodeId, score: f32, reason: Reason) {
        self.scores[id.index()] = score;
        self.reasons[id.index()] = reason;
    }

    /// Drops a node with its subtree. Descendants without evidence of their own get [`Reason::Inside`].
    pub fn drop_subtree(&mut self, document: &Document, id: NodeId) {
        for at in document.subtree(id) {
            self.decisions[at] = Decision::Drop;
            if at != id.index() && !self.reasons[at].is_own_evidence() {
                self.reasons[at] = Reason::Inside(id);
            }
        }
    }

    /// Keeps a node for a reason, but not what is in it.
    pub(crate) fn keep_node(&mut self, id: NodeId, reason: Reason) {
        self.decisions[id.index()] = Decision::Keep;
        self.reasons[id.index()] = reason;
    }

    /// Overrules the decision about a subtree. What is kept needs its ancestors, so these are kept, but nothing else in them.
    pub fn correct(&mut self, document: &Document, id: NodeId, decision: Decision) {
        for at in document.subtree(id) {
            self.decisions[at] = decision;
            self.reasons[at] = Reason::Corrected;
        }
        if decision == Decision::Keep {
            document.ancestors(id).for_each(|ancestor| self.decisions[ancestor.index()] = Decision::Keep);
        }
    }

    /// The number of kept words, counted up to `enough`. Each character of a script written without spaces counts as a word.
    /// Stopping early saves most of the work: the first few texts usually suffice.
    pub fn kept_words_up_to(&self, document: &Document, enough: usize) -> usize {
        words_up_to(document, enough, |id| self.is_dropped(id))
    }

    /// The outermost dropped nodes, in page order.
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

/// The number of words a page shows, counted up to `enough`.
pub(crate) fn shown_words_up_to(document: &Document, enough: usize) -> usize {
    words_up_to(document, enough, |id| is_hidden(document, id))
}

fn words_up_to(document: &Document, enough: usize, is_left_out: impl Fn(NodeId) -> bool) -> usize {
    let (mut words, mut at) = (0, 0);
    while at < document.len() && words < enough {
        let id = NodeId(at as u32);
        let unseen = match document.kind(id) {
            NodeKind::Element => is_unseen(document.html_name(id)),
            kind => kind == NodeKind::Fragment,
        };
        if unseen || is_left_out(id) {
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

#[cfg(test)]
mod tests {
    use super::super::Detectors;
    use super::*;
    use crate::dom::{Name, Parser};

    #[test]
    fn corrections_overrule_decisions() {
        let document = Parser::default().parse("<div><nav><p>one</p><p>two</p></nav></div><p>three</p>").unwrap();
        let mut detection = Detection::keep_all(Detectors::NONE, &document);
        detection.drop_subtree(&document, document.find(Name::DIV).unwrap());
        let two = document.ids().find(|id| document.text(*id) == "two").unwrap();
        detection.correct(&document, two, Decision::Keep);
        let kept = |detection: &Detection| -> Vec<String> {
            let kept = document.ids().filter(|id| document.is_text(*id) && !detection.is_dropped(*id));
            kept.map(|id| document.text(id).to_string()).collect()
        };
        assert_eq!(kept(&detection), ["two", "three"]);
        assert!(document.ancestors(two).all(|id| !detection.is_dropped(id)));
        detection.correct(&document, document.find(Name::NAV).unwrap(), Decision::Drop);
        assert_eq!(kept(&detection), ["three"]);
    }

    #[test]
    fn words_are_counted_up_to_enough() {
        let source = "<title>no</title><nav>drop two</nav><p>one <b>two</b></p><script>var x</script><p>漢字 end</p>";
        let document = Parser::default().parse(source).unwrap();
        let mut detection = Detection::keep_all(Detectors::NONE, &document);
        detection.drop_subtree(&document, document.find(Name::NAV).unwrap());
        for enough in 0..8 {
            assert_eq!(detection.kept_words_up_to(&document, enough), enough.min(5));
        }
    }
}
