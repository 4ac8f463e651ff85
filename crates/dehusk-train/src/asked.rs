//! What the corrections of a page ask of its text blocks, and whether a model does it.

use crate::corrected_pages::{CorrectedPage, Correction};
use crate::fusion_examples::Example;
use dehusk::Decision;
use dehusk::dom::elements::is_unseen;
use dehusk::dom::{Document, NodeId, Parser};
use dehusk::methods::fusion::{FusionModel, FusionPage, FusionSettings, Odds, detect_fusion};
use rayon::prelude::*;

/// Without clicks, a block is asked for if this share of its words is in the reference text, and asked away below the other share. What is
/// between is neither.
const MOSTLY: f32 = 0.8;
const HARDLY: f32 = 0.2;

/// What is asked of the blocks of a page.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) document: Document,
    /// The page, with the features of its blocks.
    pub(crate) page: FusionPage,
    /// For each block what is asked of it.
    pub(crate) blocks: Vec<Option<Decision>>,
    /// For each block the correction that says so, if there is one.
    by: Vec<Option<usize>>,
    /// For each correction why it asks nothing of any block.
    idle: Vec<Option<&'static str>>,
}

impl Asked {
    /// What is asked of a page; none if it cannot be parsed.
    pub(crate) fn of(corrected: &CorrectedPage, odds: &Odds) -> Option<Asked> {
        let document = Parser::default().parse(&corrected.page.html).ok()?;
        let mut page = FusionPage::default();
        page.describe(&document, odds);
        let mut asked =
            Asked { blocks: vec![None; page.len()], by: vec![None; page.len()], idle: Vec::new(), document, page };
        if corrected.corrections.is_empty() {
            let example = Example::of(&corrected.page)?;
            let decision = |block: usize| match example.label(block) {
                _ if example.words_of(block) == 0 => None,
                share if share >= MOSTLY => Some(Decision::Keep),
                share if share <= HARDLY => Some(Decision::Drop),
                _ => None,
            };
            asked.blocks = (0..asked.page.len()).map(decision).collect();
        } else {
            asked.apply(corrected);
        }
        Some(asked)
    }

    /// Asks what the corrections say. Of nested ones the innermost counts, of several for one node the last.
    fn apply(&mut self, corrected: &CorrectedPage) {
        let nodes = corrected.nodes(&self.document);
        let mut order: Vec<(usize, NodeId)> =
            nodes.iter().enumerate().filter_map(|(number, node)| Some((number, (*node)?))).collect();
        // Outer ones come first and are then replaced. A node comes before those in it, so that its number is lower.
        order.sort_by_key(|(number, node)| (node.0, *number));
        for (number, node) in order {
            for block in self.blocks_in(node) {
                self.by[block] = Some(number);
                self.blocks[block] = Some(corrected.corrections[number].decision);
            }
        }
        let idle = |(number, node): (usize, &Option<NodeId>)| match node {
            _ if self.by.contains(&Some(number)) => None,
            None => Some("it is not on the page"),
            Some(node) if !self.blocks_in(*node).is_empty() => Some("other corrections cover all of it"),
            Some(node) if self.has_text(*node) => Some("it is only a part of a block of text"),
            Some(_) => Some("it has no visible text"),
        };
        self.idle = nodes.iter().enumerate().map(idle).collect();
    }

    /// The blocks that lie in a node.
    fn blocks_in(&self, node: NodeId) -> std::ops::Range<usize> {
        let end = self.document.end(node);
        let count = |is_before: &dyn Fn(usize) -> bool| {
            let (mut low, mut high) = (0, self.page.len());
            while low < high {
                let middle = (low + high) / 2;
                if is_before(middle) { low = middle + 1 } else { high = middle }
            }
            low
        };
        let first = count(&|block| self.page.span(block).0 < node);
        let last = count(&|block| self.page.span(block).1 <= end);
        first..last.max(first)
    }

    fn has_text(&self, node: NodeId) -> bool {
        let document = &self.document;
        let is_seen = |id: NodeId| document.ancestors(id).all(|outer| !is_unseen(document.html_name(outer)));
        let mut ids = std::iter::once(node).chain(document.descendants(node));
        ids.any(|id| document.is_text(id) && !document.text(id).trim().is_empty() && is_seen(id))
    }

    /// For each block whether a model keeps it, as the extractor decides.
    pub(crate) fn kept_by(&self, model: &FusionModel) -> Vec<bool> {
        let mut page = FusionPage::default();
        let detection = detect_fusion(&self.document, model, None, FusionSettings::default(), &mut page);
        let shows = |block: usize| {
            let (first, end) = self.page.span(block);
            let mut ids = (first.0..end.0).map(NodeId);
            ids.any(|id| self.document.is_text(id) && !detection.is_dropped(id))
        };
        (0..self.page.len()).map(shows).collect()
    }
}

/// How far a model does what corrections ask.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Pages that were looked at.
    pub pages: usize,
    /// Corrections on them.
    pub corrections: usize,
    /// Those of which every block is decided as asked.
    pub followed: usize,
    /// Blocks of which something is asked, by corrections or, on pages without corrections, by the reference text.
    pub blocks: usize,
    /// Those decided as asked.
    pub blocks_followed: usize,
    /// The other corrections, page by page.
    pub missed: Vec<Missed>,
}

/// A correction that a model does not follow.
#[derive(Clone, Debug)]
pub struct Missed {
    /// The address or id of the page.
    pub page: String,
    /// The correction.
    pub correction: Correction,
    /// Why, in words.
    pub why: String,
}

impl Followed {
    /// Looks at what a model decides on corrected pages.
    pub fn by(model: &FusionModel, pages: &[CorrectedPage]) -> Followed {
        let one = |corrected: &CorrectedPage| match Asked::of(corrected, &model.odds) {
            Some(asked) => asked.followed(corrected, &asked.kept_by(model)),
            None => unread(corrected),
        };
        let mut sum = Followed::default();
        for page in pages.par_iter().map(one).collect::<Vec<_>>() {
            sum.pages += page.pages;
            sum.corrections += page.corrections;
            sum.followed += page.followed;
            sum.blocks += page.blocks;
            sum.blocks_followed += page.blocks_followed;
            sum.missed.extend(page.missed);
        }
        sum
    }
}

/// No correction of a page is followed that cannot be parsed.
fn unread(corrected: &CorrectedPage) -> Followed {
    let missed = corrected.corrections.iter().map(|correction| Missed {
        page: corrected.name().to_string(),
        correction: correction.clone(),
        why: "the page cannot be parsed".to_string(),
    });
    Followed { pages: 1, corrections: corrected.corrections.len(), missed: missed.collect(), ..Followed::default() }
}

impl Asked {
    /// How many corrections are followed if these blocks are kept.
    fn followed(&self, corrected: &CorrectedPage, kept: &[bool]) -> Followed {
        let is_followed = |block: usize| self.blocks[block].map(|asked| (asked == Decision::Keep) == kept[block]);
        let mut found = Followed { pages: 1, corrections: corrected.corrections.len(), ..Followed::default() };
        found.blocks = self.blocks.iter().flatten().count();
        found.blocks_followed = (0..kept.len()).filter(|block| is_followed(*block) == Some(true)).count();
        for (number, correction) in corrected.corrections.iter().enumerate() {
            let own = (0..kept.len()).filter(|block| self.by[*block] == Some(number));
            let (mut all, mut wrong) = (0, 0);
            for block in own {
                all += 1;
                wrong += usize::from(is_followed(block) == Some(false));
            }
            let why = match self.idle[number] {
                Some(why) => why.to_string(),
                None if wrong == 0 => {
                    found.followed += 1;
                    continue;
                }
                None if wrong == all => "the model decides otherwise".to_string(),
                None => format!("the model decides otherwise about {wrong} of its {all} blocks of text"),
            };
            found.missed.push(Missed { page: corrected.name().to_string(), correction: correction.clone(), why });
        }
        found
    }
}
