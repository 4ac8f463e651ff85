//! Computes the row of one block, in the order of [`super::features::FEATURES`].

use super::context::{BlockContext, inside};
use super::page_words::PageWords;
use super::scratch::{BlockScratch, MAX_SAMPLED_WORDS, WINDOW};
use crate::dom::elements::heading_level;
use crate::dom::hash::NumberMap;
use crate::dom::{Counts, Document, Fingerprints, Name, NodeId, Stats};

/// The page that the blocks are compared with.
pub(crate) struct Page<'a> {
    document: &'a Document,
    stats: &'a Stats,
    fingerprints: &'a Fingerprints,
    words: &'a PageWords,
    context: &'a BlockContext,
    numbers: &'a [u32],
    on_page: &'a [u32],
    in_title: &'a [bool],
    title_words: usize,
    linked: &'a [u32],
    odds: &'a [f32],
    known: &'a [u32],
    structures: &'a NumberMap<u64, u32>,
    counts: Counts,
    blocks: usize,
    deepest: usize,
    /// The index of the word that has half of the words outside links before it.
    middle: usize,
    /// The index of the first word of the first `<h1>`, or of the first heading of any level if there is no `<h1>`.
    heading: usize,
}

/// How the words of a block compare with those of the page and its title.
struct Vocabulary {
    different: f32,
    divergence: f32,
    in_title: f32,
    title_covered: f32,
}

fn share(part: u32, whole: u32) -> f32 {
    part as f32 / whole.max(1) as f32
}

fn log(count: u32) -> f32 {
    (count as f32).ln_1p()
}

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

impl<'a> Page<'a> {
    pub(crate) fn new(
        document: &'a Document,
        stats: &'a Stats,
        fingerprints: &'a Fingerprints,
        words: &'a PageWords,
        blocks: &[NodeId],
        scratch: &'a BlockScratch,
    ) -> Page<'a> {
        let total = words.all().len();
        let plain = |at: usize| at as u32 - scratch.linked[at];
        let half = plain(total) / 2;
        let middle = (0..total).find(|at| plain(*at) >= half).unwrap_or(0);
        let is_heading = |id: &NodeId| heading_level(document.html_name(*id)).is_some();
        let heading = document.find(Name::H1).or_else(|| document.ids().find(is_heading));
        Page {
            document,
            stats,
            fingerprints,
            words,
            context: &scratch.context,
            numbers: &scratch.words,
            on_page: &scratch.on_page,
            in_title: &scratch.in_title,
            title_words: scratch.in_title.iter().filter(|word| **word).count(),
            linked: &scratch.linked,
            odds: &scratch.odds,
            known: &scratch.known,
            structures: &scratch.structures,
            counts: stats.subtree(document, NodeId::DOCUMENT),
            blocks: blocks.len(),
            deepest: blocks.iter().map(|id| document.depth(*id)).max().unwrap_or(1).max(1),
            middle,
            heading: heading.map_or(0, |id| words.range(document, id).start),
        }
    }

    /// Appends the row of a block. `blocks_around` is the number of blocks it is nested in, `line` the relative line of the
    /// source at which it begins (0 to 1).
    pub(crate) fn append_row(
        &self,
        id: NodeId,
        blocks_around: usize,
        line: f32,
        in_block: &mut [u32],
        out: &mut Vec<f32>,
    ) {
        self.append_odds(id, out);
        let vocabulary = self.vocabulary(id, in_block);
        self.append_isolated(id, &vocabulary, out);
        self.append_relative(id, &vocabulary, out);
        self.append_position(id, blocks_around, line, out);
    }

    fn counts(&self, id: NodeId) -> Counts {
        self.stats.subtree(self.document, id)
    }

    /// The mean odds of the words in a range.
    fn mean_odds(&self, start: usize, end: usize) -> f32 {
        (self.odds[end] - self.odds[start]) / (self.known[end] - self.known[start]).max(1) as f32
    }

    fn link_share(&self, start: usize, end: usize) -> f32 {
        share(self.linked[end] - self.linked[start], (end - start) as u32)
    }

    /// The ranges of the words just before and just after a block.
    fn windows(&self, id: NodeId) -> ((usize, usize), (usize, usize)) {
        let range = self.words.range(self.document, id);
        let end = self.words.all().len().min(range.end + WINDOW);
        ((range.start.saturating_sub(WINDOW), range.start), (range.end, end))
    }

    fn append_odds(&self, id: NodeId, out: &mut Vec<f32>) {
        let range = self.words.range(self.document, id);
        let (before, after) = self.windows(id);
        let known = self.known[range.end] - self.known[range.start];
        let sum = self.odds[range.end] - self.odds[range.start];
        out.extend([
            self.mean_odds(range.start, range.end),
            sum.clamp(-60.0, 60.0),
            share(known, range.len() as u32),
            self.mean_odds(before.0, before.1),
            self.mean_odds(after.0, after.1),
            self.mean_odds(0, self.words.all().len()),
            self.context.name_odds[id.index()],
            self.context.path_odds[id.index()],
        ]);
    }

    fn append_isolated(&self, id: NodeId, vocabulary: &Vocabulary, out: &mut Vec<f32>) {
        let counts = self.counts(id);
        let own = self.context.counts.subtree(self.document, id);
        let bytes = self.document.span(id).map_or(0, |span| span.len()) as u32;
        let name = self.document.html_name(id);
        out.extend([
            log(counts.characters),
            log(counts.words),
            vocabulary.different,
            share(counts.characters, counts.words),
            share(counts.link_characters, counts.characters),
            share(counts.links, counts.words),
            log(self.linked_words(id) / counts.links.max(1)),
            share(own.external_links, counts.links),
            share(own.sentence_ends, counts.words),
            share(own.commas, counts.words),
            share(own.digits, counts.characters),
            share(own.capitals, counts.characters),
            share(own.marks, counts.words),
            log(own.legal_signs),
            log(counts.characters / counts.elements.max(1)),
            log(counts.characters / own.texts.max(1)),
            share(bytes, counts.characters).min(200.0).ln_1p(),
            share(own.paragraphs, counts.elements),
            share(own.items, counts.elements),
            share(own.breaks, counts.elements),
            share(own.cells, counts.elements),
            log(own.headings),
            log(own.media),
            log(own.controls),
            log(own.times),
            flag(name == Name::P || name == Name::BLOCKQUOTE || name == Name::PRE),
            flag(heading_level(name).is_some()),
            flag(matches!(name, Name::UL | Name::OL | Name::LI | Name::DL | Name::DT | Name::DD)),
            flag(matches!(name, Name::TABLE | Name::TR | Name::TD | Name::TH)),
            flag(name == Name::DIV),
        ]);
    }

    fn linked_words(&self, id: NodeId) -> u32 {
        let range = self.words.range(self.document, id);
        self.linked[range.end] - self.linked[range.start]
    }

    fn append_relative(&self, id: NodeId, vocabulary: &Vocabulary, out: &mut Vec<f32>) {
        let counts = self.counts(id);
        let parent = self.document.parent(id).map_or(self.counts, |parent| self.counts(parent));
        let links_of = |counts: Counts| share(counts.link_characters, counts.characters);
        let (previous, next, same) = self.neighbours(id);
        let (before, after) = self.windows(id);
        let structure = self.structures.get(&self.fingerprints.structure[id.index()]).copied().unwrap_or(1);
        out.extend([
            vocabulary.divergence,
            share(counts.characters, self.counts.characters),
            share(counts.links, self.counts.links),
            share(counts.elements, self.counts.elements),
            share(counts.characters, parent.characters),
            links_of(counts) - links_of(self.counts),
            vocabulary.in_title,
            vocabulary.title_covered,
            links_of(parent),
            log(parent.characters),
            links_of(previous),
            log(previous.characters),
            links_of(next),
            log(next.characters),
            log(same),
            log(structure),
            self.link_share(before.0, before.1),
            self.link_share(after.0, after.1),
            log(self.counts.characters),
            links_of(self.counts),
            log(self.blocks as u32),
        ]);
    }

    fn append_position(&self, id: NodeId, blocks_around: usize, line: f32, out: &mut Vec<f32>) {
        let range = self.words.range(self.document, id);
        let total = self.words.all().len().max(1) as f32;
        let from_middle = match self.middle {
            middle if middle < range.start => (range.start - middle) as f32 / total,
            middle if middle >= range.end => -((middle - range.end) as f32) / total,
            _ => 0.0,
        };
        let from_heading = range.start as f32 - self.heading as f32;
        let (index, siblings) = self.sibling_index(id);
        let depth = self.document.depth(id);
        out.extend([
            line,
            range.start as f32 / total,
            1.0 - range.end as f32 / total,
            from_middle,
            depth as f32,
            depth as f32 / self.deepest as f32,
            log(index),
            log(siblings),
            blocks_around as f32,
            from_heading.signum() * from_heading.abs().ln_1p(),
        ]);
        let surroundings = self.context.inside[id.index()];
        let containers = [
            inside::NAV,
            inside::HEADER,
            inside::FOOTER,
            inside::ASIDE,
            inside::MAIN,
            inside::ARTICLE,
            inside::SECTION,
            inside::LIST,
            inside::TABLE,
            inside::FORM,
            inside::HIDDEN,
        ];
        out.extend(containers.map(|container| flag(surroundings & container != 0)));
    }

    /// Compares the words of a block with those of the rest of the page.
    fn vocabulary(&self, id: NodeId, in_block: &mut [u32]) -> Vocabulary {
        let words = &self.numbers[self.words.range(self.document, id)];
        let step = words.len().div_ceil(MAX_SAMPLED_WORDS).max(1);
        let sampled = || words.iter().step_by(step).map(|word| *word as usize);
        let mut different = 0u32;
        let mut in_title = (0u32, 0u32);
        for word in sampled() {
            different += u32::from(in_block[word] == 0);
            in_title.1 += u32::from(in_block[word] == 0 && self.in_title[word]);
            in_title.0 += u32::from(self.in_title[word]);
            in_block[word] += 1;
        }
        let count = words.len().div_ceil(step).max(1) as f32;
        // Half a count is added for each word, so a word that the rest of the page lacks is rare, not impossible.
        let rest = (self.numbers.len() - words.len()) as f32 + 0.5 * self.on_page.len() as f32;
        let mut divergence = 0.0;
        for word in sampled() {
            let own = std::mem::take(&mut in_block[word]);
            if own > 0 {
                let here = own as f32 / count;
                let elsewhere = (self.on_page[word] as f32 - (own as usize * step) as f32).max(0.0) + 0.5;
                divergence += here * (here * rest / elsewhere).ln();
            }
        }
        Vocabulary {
            different: different as f32 / count,
            divergence,
            in_title: in_title.0 as f32 / count,
            title_covered: in_title.1 as f32 / self.title_words.max(1) as f32,
        }
    }

    /// Returns the counts of the previous and the next sibling element, and the number of nearby siblings with the same name
    /// and classes.
    fn neighbours(&self, id: NodeId) -> (Counts, Counts, u32) {
        let document = self.document;
        let Some(parent) = document.parent(id) else { return Default::default() };
        let (mut previous, mut next, mut same) = (Counts::default(), Counts::default(), 0);
        // Walk backwards: each sibling is found from the node just before the current one.
        let mut at = id;
        for number in 0..NEAR {
            let Some(before) = self.sibling_before(parent, at) else { break };
            if number == 0 {
                previous = self.counts(before);
            }
            same += u32::from(self.is_alike(id, before));
            at = before;
        }
        let mut at = document.end(id);
        for number in 0..NEAR {
            while at < document.end(parent) && !document.is_element(at) {
                at = document.end(at);
            }
            if at >= document.end(parent) {
                break;
            }
            if number == 0 {
                next = self.counts(at);
            }
            same += u32::from(self.is_alike(id, at));
            at = document.end(at);
        }
        (previous, next, same)
    }

    /// The previous sibling element of a node: the ancestor, below the parent, of the node before it in page order.
    fn sibling_before(&self, parent: NodeId, id: NodeId) -> Option<NodeId> {
        let mut at = id;
        loop {
            if at.0 <= parent.0 + 1 {
                return None;
            }
            let mut before = NodeId(at.0 - 1);
            while let Some(above) = self.document.parent(before).filter(|above| *above != parent) {
                before = above;
            }
            if self.document.is_element(before) {
                return Some(before);
            }
            at = before;
        }
    }

    fn is_alike(&self, one: NodeId, two: NodeId) -> bool {
        let document = self.document;
        let class = |id: NodeId| document.attribute(id, Name::CLASS).unwrap_or_default();
        document.name(one) == document.name(two) && class(one) == class(two)
    }

    /// Returns the index of a block among the child elements of its parent, and their number. Both count at most
    /// [`MAX_SIBLINGS`] nodes.
    fn sibling_index(&self, id: NodeId) -> (u32, u32) {
        let document = self.document;
        let Some(parent) = document.parent(id) else { return (0, 1) };
        let (mut index, mut siblings) = (0, 0);
        for child in document.children(parent).take(MAX_SIBLINGS) {
            let counts = u32::from(document.is_element(child));
            siblings += counts;
            index += counts * u32::from(child < id);
        }
        (index, siblings)
    }
}

/// The number of siblings on each side that a block is compared with. The bound keeps a list of a million items linear.
const NEAR: usize = 4;
/// The maximum number of nodes counted as siblings, for the same reason.
const MAX_SIBLINGS: usize = 128;

#[cfg(test)]
#[path = "feature_row_tests.rs"]
mod tests;
