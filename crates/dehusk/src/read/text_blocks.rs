//! Splits a page into text blocks and chains of them.
//!
//! A text block is a run of text that no block-level tag interrupts: a paragraph, a heading, a cell, a menu item. A chain is a
//! chain of nested block-level elements that contain the same text blocks, so nested wrappers count once. Input: a document. Output:
//! both in page order with their counts. No decision is made here.

use super::name_hints::{ClassCache, ElementNames, Hints};
use super::tag_set::TagSet;
use crate::dom::elements::{heading_level, is_block, is_hidden, is_never_shown, is_preformatted, is_replaced};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};
use crate::read::words::block_words::{BlockWords, ComparedWords};
use crate::read::words::hashed_odds::{ElementOdds, HashedOdds, NameOdds, Odds};
use crate::read::words::text_counts::TextCounts;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A run of text that no block-level tag interrupts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextBlock {
    /// Its first text node.
    pub(crate) first: NodeId,
    /// The node after its last text node.
    pub(crate) end: NodeId,
    pub(crate) counts: TextCounts,
    /// The innermost chain.
    pub(crate) chain: u32,
    pub(crate) links: u16,
    /// Text nodes.
    pub(crate) text_nodes: u16,
    /// `br` elements.
    pub(crate) breaks: u16,
    /// Images since the previous block.
    pub(crate) images: u16,
    /// Form controls since the previous block.
    pub(crate) controls: u16,
    /// The heading level, or 0.
    pub(crate) heading: u8,
    pub(crate) first_character: char,
    pub(crate) last_character: char,
    /// A hash of its text.
    pub(crate) hash: u64,
    /// Whether it is hidden by attributes of the page.
    pub(crate) hidden: bool,
    pub(crate) words: BlockWords,
    /// Log-odds of the class and id names around its first text.
    pub(crate) names: NameOdds,
}

/// A chain of nested block-level elements that contain the same text blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    pub(crate) parent: u32,
    /// The range of its text blocks.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) tags: TagSet,
    pub(crate) hints: Hints,
    /// A hash of the tags and classes of its elements.
    pub(crate) shape: u64,
    /// The heading level, or 0.
    pub(crate) heading: u8,
    /// Number of child chains.
    pub(crate) children: u32,
    /// Its index among the children of its parent.
    pub(crate) index: u32,
    /// How many children of its parent have its shape, itself included.
    pub(crate) similar_siblings: u32,
}

/// The text blocks and chains of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageBlocks {
    pub(crate) blocks: Vec<TextBlock>,
    pub(crate) chains: Vec<Chain>,
    /// The words of the head, read before the page is split.
    pub(crate) words: ComparedWords,
    elements: Vec<Element>,
    classes: ClassCache,
}

/// A block-level element while the page is split.
#[derive(Clone, Copy, Debug)]
struct Element {
    parent: u32,
    start: u32,
    end: u32,
    tags: TagSet,
    hints: Hints,
    shape: u64,
    heading: u8,
    names: NameOdds,
    /// The chain it became part of.
    chain: u32,
}

const NO_CHAIN: u32 = u32::MAX;
/// Maximum number of inline elements around a text whose names are read.
const MAX_INLINE_ANCESTORS: usize = 6;

/// The open elements that change how text is counted. For each kind: the node after the end of its last one.
#[derive(Default)]
struct Open {
    hidden: u32,
    link: u32,
    target: LinkTarget,
    bold: u32,
    code: u32,
}

/// Where a link leads, as far as the first characters of its URL show.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum LinkTarget {
    /// To an anchor on the same page.
    Inner,
    /// To an absolute URL.
    Outer,
    #[default]
    Other,
}

impl LinkTarget {
    fn of(document: &Document, link: NodeId) -> LinkTarget {
        match document.attribute(link, Name::HREF).map(str::as_bytes) {
            Some([b'#', ..]) => LinkTarget::Inner,
            Some([b'h' | b'H', b't' | b'T', ..]) => LinkTarget::Outer,
            _ => LinkTarget::Other,
        }
    }
}

/// Images and form controls since the last block.
#[derive(Default)]
struct Between {
    images: u16,
    controls: u16,
}

impl PageBlocks {
    /// Splits a page.
    pub(crate) fn split(&mut self, document: &Document, odds: &Odds) {
        self.classes.prepare(&odds.names);
        self.blocks.clear();
        self.chains.clear();
        self.elements.clear();
        let Some(body) = document.find(Name::BODY) else { return };
        self.split_blocks(document, body, odds);
        self.make_chains();
        self.count_similar_siblings();
    }

    fn split_blocks(&mut self, document: &Document, body: NodeId, odds: &Odds) {
        let end = document.end(body).0;
        let mut stack: Vec<(u32, u32)> = Vec::new(); // (node after the end of the element, its number)
        let mut open = Open::default();
        let mut current: Option<TextBlock> = None;
        let mut between = Between::default();
        let names = self.names_of(document, body, odds);
        self.elements.push(Element::new(document, body, 0, 0, &names, &NameOdds::default()));
        stack.push((end, 0));
        let mut at = body.0 + 1;
        while at < end {
            while let Some((until, number)) = stack.last().copied()
                && until <= at
            {
                stack.pop();
                self.finish(&mut current, &mut between);
                self.elements[number as usize].end = self.blocks.len() as u32;
            }
            let id = NodeId(at);
            let (namespace, node_end) = (document.namespace(id), document.end(id).0);
            at += 1;
            match document.kind(id) {
                NodeKind::Text => {
                    let text = document.text(id);
                    if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
                        continue;
                    }
                    let chain = stack.last().map_or(0, |open| open.1);
                    let block = match &mut current {
                        Some(block) => block,
                        None => {
                            let names = self.names_around(document, id, chain, odds);
                            current.insert(TextBlock::new(id, chain, at - 1 < open.hidden, names))
                        }
                    };
                    block.append(text, NodeId(at), &open, at - 1, &odds.text, &mut self.words);
                }
                NodeKind::Element if namespace == Namespace::Svg => {
                    between.images = between.images.saturating_add(1);
                    at = node_end;
                }
                NodeKind::Element => {
                    let name = document.html_name(id);
                    if is_never_shown(name) {
                        at = node_end;
                        continue;
                    }
                    if is_replaced(document, id, name) || name == Name::IMG || name == Name::PICTURE {
                        let control = matches!(name, Name::BUTTON | Name::INPUT | Name::SELECT | Name::TEXTAREA);
                        let count = if control { &mut between.controls } else { &mut between.images };
                        *count = count.saturating_add(1);
                        at = node_end;
                        continue;
                    }
                    if !document.attributes(id).is_empty() && is_hidden(document, id) {
                        open.hidden = open.hidden.max(node_end);
                    }
                    match name {
                        Name::A => {
                            open.link = open.link.max(node_end);
                            open.target = LinkTarget::of(document, id);
                            if let Some(block) = &mut current {
                                block.links = block.links.saturating_add(1);
                            }
                        }
                        Name::B | Name::STRONG => open.bold = open.bold.max(node_end),
                        Name::CODE | Name::KBD | Name::SAMP | Name::TT => open.code = open.code.max(node_end),
                        Name::BR => {
                            if let Some(block) = &mut current {
                                block.breaks = block.breaks.saturating_add(1);
                            }
                        }
                        _ => {}
                    }
                    if is_block(name) || name == Name::NOSCRIPT {
                        self.finish(&mut current, &mut between);
                        if is_preformatted(name) {
                            open.code = open.code.max(node_end);
                        }
                        let number = self.elements.len() as u32;
                        let parent = stack.last().map_or(0, |open| open.1);
                        let start = self.blocks.len() as u32;
                        let names = self.names_of(document, id, odds);
                        let outer = self.elements[parent as usize].names;
                        self.elements.push(Element::new(document, id, parent, start, &names, &outer));
                        stack.push((node_end, number));
                    }
                }
                NodeKind::Fragment => at = node_end,
                _ => {}
            }
        }
        self.finish(&mut current, &mut between);
        for (_, number) in stack {
            self.elements[number as usize].end = self.blocks.len() as u32;
        }
    }

    /// The shape of an element, and the hints and log-odds of its names.
    fn names_of(&mut self, document: &Document, id: NodeId, odds: &Odds) -> (u64, ElementNames) {
        let class = document.attribute(id, Name::CLASS).unwrap_or_default();
        let shape = xxh3_64_with_seed(class.as_bytes(), document.html_name(id).number() as u64);
        (shape, self.classes.names_of(document, id, (class, shape), &odds.names))
    }

    /// Log-odds of the names around a text: those of its block-level element and of the inline elements between the two.
    fn names_around(&mut self, document: &Document, text: NodeId, element: u32, odds: &Odds) -> NameOdds {
        let mut inline = [ElementOdds::default(); MAX_INLINE_ANCESTORS];
        let mut count = 0;
        let mut ancestor = document.parent(text);
        while let Some(id) = ancestor
            && count < MAX_INLINE_ANCESTORS
            && !is_block(document.html_name(id))
            && document.html_name(id) != Name::NOSCRIPT
        {
            inline[count] = self.names_of(document, id, odds).1.odds;
            count += 1;
            ancestor = document.parent(id);
        }
        let outer = self.elements[element as usize].names;
        inline[..count].iter().rev().fold(outer, |outer, own| NameOdds::inside(&outer, *own))
    }

    /// Ends the current block.
    fn finish(&mut self, current: &mut Option<TextBlock>, between: &mut Between) {
        if let Some(mut block) = current.take() {
            if block.counts.characters == 0 {
                return;
            }
            let Between { images, controls } = std::mem::take(between);
            (block.images, block.controls) = (images, controls);
            self.blocks.push(block);
        }
    }

    /// Joins chains of nested elements that contain the same blocks.
    fn make_chains(&mut self) {
        for number in 0..self.elements.len() {
            let element = &self.elements[number];
            if element.start == element.end {
                continue;
            }
            let parent = &self.elements[element.parent as usize];
            let same = number > 0 && parent.start == element.start && parent.end == element.end;
            let chain = if same {
                let chain = &mut self.chains[parent.chain as usize];
                chain.tags = chain.tags.union(element.tags);
                chain.hints = chain.hints.union(element.hints);
                chain.shape = chain.shape.rotate_left(7) ^ element.shape;
                chain.heading = chain.heading.max(element.heading);
                parent.chain
            } else {
                let index = match number {
                    0 => 0,
                    _ => {
                        let above = &mut self.chains[parent.chain as usize];
                        above.children += 1;
                        above.children - 1
                    }
                };
                self.chains.push(Chain {
                    parent: if number == 0 { 0 } else { parent.chain },
                    start: element.start,
                    end: element.end,
                    tags: element.tags,
                    hints: element.hints,
                    shape: element.shape,
                    heading: element.heading,
                    children: 0,
                    index,
                    similar_siblings: 1,
                });
                self.chains.len() as u32 - 1
            };
            self.elements[number].chain = chain;
        }
        for block in &mut self.blocks {
            let element = &self.elements[block.chain as usize];
            block.chain = element.chain;
            block.heading = self.chains[element.chain as usize].heading;
        }
    }

    /// Counts the children of each chain that have the same shape.
    fn count_similar_siblings(&mut self) {
        let mut order: Vec<(u32, u64, u32)> =
            self.chains.iter().enumerate().map(|(at, chain)| (chain.parent, chain.shape, at as u32)).collect();
        order.sort_unstable();
        for run in order.chunk_by(|one, two| (one.0, one.1) == (two.0, two.1)) {
            for (_, _, at) in run {
                self.chains[*at as usize].similar_siblings = run.len() as u32;
            }
        }
    }
}

impl Element {
    fn new(
        document: &Document,
        id: NodeId,
        parent: u32,
        start: u32,
        (shape, names): &(u64, ElementNames),
        outer: &NameOdds,
    ) -> Element {
        let name = document.html_name(id);
        Element {
            parent,
            start,
            end: start,
            tags: TagSet::of(name),
            hints: names.hints,
            shape: *shape,
            heading: heading_level(name).unwrap_or(0),
            names: NameOdds::inside(outer, names.odds),
            chain: NO_CHAIN,
        }
    }
}

impl TextBlock {
    fn new(first: NodeId, element: u32, hidden: bool, names: NameOdds) -> TextBlock {
        TextBlock {
            first,
            end: first,
            counts: TextCounts::default(),
            chain: element,
            links: 0,
            text_nodes: 0,
            breaks: 0,
            images: 0,
            controls: 0,
            heading: 0,
            first_character: ' ',
            last_character: ' ',
            hash: 0,
            hidden,
            words: BlockWords::default(),
            names,
        }
    }

    fn append(&mut self, text: &str, end: NodeId, open: &Open, at: u32, odds: &HashedOdds, words: &mut ComparedWords) {
        let mut counts = TextCounts::of(text);
        if counts.characters == 0 {
            return;
        }
        if at < open.link {
            counts.link_words = counts.words;
            counts.link_characters = counts.characters;
            match open.target {
                LinkTarget::Inner => counts.inner_link_words = counts.words,
                LinkTarget::Outer => counts.outer_link_words = counts.words,
                LinkTarget::Other => {}
            }
            self.links = self.links.max(1);
        }
        if at < open.bold {
            counts.bold_characters = counts.characters;
        }
        if at < open.code {
            counts.code_characters = counts.characters;
        }
        if self.text_nodes == 0 {
            self.first_character = text.trim_start().chars().next().unwrap_or(' ');
        }
        self.last_character = text.trim_end().chars().next_back().unwrap_or(' ');
        self.hash = xxh3_64_with_seed(text.trim().as_bytes(), self.hash);
        self.words.read(text, odds, words);
        self.text_nodes = self.text_nodes.saturating_add(1);
        self.counts.add(&counts);
        self.end = end;
    }
}

#[cfg(test)]
#[path = "text_blocks_tests.rs"]
mod tests;
