//! Cuts a page into text blocks and the groups that hold them.
//!
//! A text block is a run of text that no block-level tag interrupts: a paragraph, a heading, a cell, a menu item. A group is a
//! chain of block-level elements that hold the same text blocks, so that wrappers within wrappers count once. Takes a document, returns
//! both in page order with their counts; judges nothing.

use super::counts::TextCounts;
use super::echo::{Echo, Said};
use super::hints::{Hints, NameMemory, Names};
use super::odds::{NameOdds, Odds, OwnNames, TextOdds, WordOdds};
use crate::dom::elements::{heading_level, is_block, is_hidden, is_never_shown, is_preformatted, is_replaced};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// One run of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextBlock {
    /// Its first text node.
    pub(crate) first: NodeId,
    /// The number after its last text node.
    pub(crate) end: NodeId,
    pub(crate) counts: TextCounts,
    /// The innermost group.
    pub(crate) group: u32,
    pub(crate) links: u16,
    pub(crate) texts: u16,
    pub(crate) breaks: u16,
    /// Pictures since the block before.
    pub(crate) pictures: u16,
    /// Form controls since the block before.
    pub(crate) controls: u16,
    pub(crate) heading: u8,
    pub(crate) first_character: char,
    pub(crate) last_character: char,
    /// A hash of its words.
    pub(crate) hash: u64,
    /// Whether it is hidden by attributes of the page.
    pub(crate) hidden: bool,
    /// What its words say.
    pub(crate) odds: TextOdds,
    /// What of it is said elsewhere.
    pub(crate) echo: Echo,
    /// What the names of the elements around its first text say.
    pub(crate) names: NameOdds,
}

/// Block-level elements that hold the same text blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) parent: u32,
    /// The text blocks it holds.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) tags: Tags,
    pub(crate) hints: Hints,
    /// A hash of the tags and classes of its elements.
    pub(crate) shape: u64,
    /// The level of the heading it is, or 0.
    pub(crate) heading: u8,
    /// Groups directly in it.
    pub(crate) children: u32,
    /// Its number among those of its parent.
    pub(crate) index: u32,
    /// How many groups of its parent have its shape.
    pub(crate) alike: u32,
}

/// A set of kinds of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tags(pub(crate) u32);

/// The kinds in the order of their bits.
pub(crate) const TAG_NAMES: [&str; 24] = [
    "p",
    "div",
    "li",
    "list",
    "td",
    "th",
    "tr",
    "table",
    "article",
    "main",
    "section",
    "nav",
    "aside",
    "header",
    "footer",
    "form",
    "figure",
    "blockquote",
    "pre",
    "heading",
    "dl",
    "details",
    "noscript",
    "dialog",
];

impl Tags {
    pub(crate) fn of(name: Name) -> Tags {
        let bit = match name {
            Name::P => 0,
            Name::DIV => 1,
            Name::LI => 2,
            Name::UL | Name::OL | Name::MENU | Name::DIR => 3,
            Name::TD => 4,
            Name::TH => 5,
            Name::TR => 6,
            Name::TABLE => 7,
            Name::ARTICLE => 8,
            Name::MAIN => 9,
            Name::SECTION => 10,
            Name::NAV => 11,
            Name::ASIDE => 12,
            Name::HEADER => 13,
            Name::FOOTER => 14,
            Name::FORM | Name::FIELDSET | Name::SEARCH => 15,
            Name::FIGURE | Name::FIGCAPTION => 16,
            Name::BLOCKQUOTE => 17,
            _ if is_preformatted(name) => 18,
            _ if heading_level(name).is_some() => 19,
            Name::DL | Name::DT | Name::DD => 20,
            Name::DETAILS | Name::SUMMARY => 21,
            Name::NOSCRIPT => 22,
            Name::DIALOG => 23,
            _ => return Tags(0),
        };
        Tags(1 << bit)
    }

    pub(crate) fn or(self, other: Tags) -> Tags {
        Tags(self.0 | other.0)
    }
}

/// The text blocks and groups of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageBlocks {
    pub(crate) blocks: Vec<TextBlock>,
    pub(crate) groups: Vec<Group>,
    /// What was said so far; what the head says is there before the page is cut.
    pub(crate) said: Said,
    elements: Vec<Element>,
    memory: NameMemory,
}

/// A block-level element while the page is cut.
#[derive(Clone, Copy, Debug)]
struct Element {
    parent: u32,
    start: u32,
    end: u32,
    tags: Tags,
    hints: Hints,
    shape: u64,
    heading: u8,
    names: NameOdds,
    /// The group it became part of.
    group: u32,
}

const NO_GROUP: u32 = u32::MAX;
/// Elements between a text and the block-level element that holds it, whose names are read.
const MOST_BETWEEN: usize = 6;

/// What is open at a place of the page: the ends of elements that change how text counts.
#[derive(Default)]
struct Open {
    hidden: u32,
    link: u32,
    target: Target,
    bold: u32,
    code: u32,
}

/// Where a link leads, as far as its address tells at a glance.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Target {
    /// To a place on the same page.
    Inner,
    /// To a whole address.
    Outer,
    #[default]
    Other,
}

impl Target {
    fn of(document: &Document, link: NodeId) -> Target {
        match document.attribute(link, Name::HREF).map(str::as_bytes) {
            Some([b'#', ..]) => Target::Inner,
            Some([b'h' | b'H', b't' | b'T', ..]) => Target::Outer,
            _ => Target::Other,
        }
    }
}

/// Pictures and form controls since the last block.
#[derive(Default)]
struct Between {
    pictures: u16,
    controls: u16,
}

impl PageBlocks {
    /// Cuts a page.
    pub(crate) fn cut(&mut self, document: &Document, odds: &Odds) {
        self.memory.prepare(&odds.names);
        self.blocks.clear();
        self.groups.clear();
        self.elements.clear();
        let Some(body) = document.find(Name::BODY) else { return };
        self.cut_blocks(document, body, odds);
        self.make_groups();
        self.count_alike();
    }

    fn cut_blocks(&mut self, document: &Document, body: NodeId, odds: &Odds) {
        let end = document.end(body).0;
        let mut stack: Vec<(u32, u32)> = Vec::new(); // (end of the element, its number)
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
                    let group = stack.last().map_or(0, |open| open.1);
                    let block = match &mut current {
                        Some(block) => block,
                        None => {
                            let names = self.names_around(document, id, group, odds);
                            current.insert(TextBlock::new(id, group, at - 1 < open.hidden, names))
                        }
                    };
                    block.append(text, NodeId(at), &open, at - 1, &odds.text, &mut self.said);
                }
                NodeKind::Element if namespace == Namespace::Svg => {
                    between.pictures = between.pictures.saturating_add(1);
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
                        let count = if control { &mut between.controls } else { &mut between.pictures };
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
                            open.target = Target::of(document, id);
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

    /// The shape of an element and what its names say.
    fn names_of(&mut self, document: &Document, id: NodeId, odds: &Odds) -> (u64, Names) {
        let class = document.attribute(id, Name::CLASS).unwrap_or_default();
        let shape = xxh3_64_with_seed(class.as_bytes(), document.html_name(id).number() as u64);
        (shape, self.memory.names_of(document, id, (class, shape), &odds.names))
    }

    /// What the names around a text say: those of the block-level element that holds it, and of what stands between them.
    fn names_around(&mut self, document: &Document, text: NodeId, element: u32, odds: &Odds) -> NameOdds {
        let mut between = [OwnNames::default(); MOST_BETWEEN];
        let mut count = 0;
        let mut above = document.parent(text);
        while let Some(id) = above
            && count < MOST_BETWEEN
            && !is_block(document.html_name(id))
            && document.html_name(id) != Name::NOSCRIPT
        {
            between[count] = self.names_of(document, id, odds).1.odds;
            count += 1;
            above = document.parent(id);
        }
        let outer = self.elements[element as usize].names;
        between[..count].iter().rev().fold(outer, |outer, own| NameOdds::inside(&outer, *own))
    }

    /// Ends the block that is being read.
    fn finish(&mut self, current: &mut Option<TextBlock>, between: &mut Between) {
        if let Some(mut block) = current.take() {
            if block.counts.characters == 0 {
                return;
            }
            let Between { pictures, controls } = std::mem::take(between);
            (block.pictures, block.controls) = (pictures, controls);
            self.blocks.push(block);
        }
    }

    /// Joins chains of elements that hold the same blocks.
    fn make_groups(&mut self) {
        for number in 0..self.elements.len() {
            let element = &self.elements[number];
            if element.start == element.end {
                continue;
            }
            let parent = &self.elements[element.parent as usize];
            let same = number > 0 && parent.start == element.start && parent.end == element.end;
            let group = if same {
                let group = &mut self.groups[parent.group as usize];
                group.tags = group.tags.or(element.tags);
                group.hints = group.hints.or(element.hints);
                group.shape = group.shape.rotate_left(7) ^ element.shape;
                group.heading = group.heading.max(element.heading);
                parent.group
            } else {
                let index = match number {
                    0 => 0,
                    _ => {
                        let above = &mut self.groups[parent.group as usize];
                        above.children += 1;
                        above.children - 1
                    }
                };
                self.groups.push(Group {
                    parent: if number == 0 { 0 } else { parent.group },
                    start: element.start,
                    end: element.end,
                    tags: element.tags,
                    hints: element.hints,
                    shape: element.shape,
                    heading: element.heading,
                    children: 0,
                    index,
                    alike: 1,
                });
                self.groups.len() as u32 - 1
            };
            self.elements[number].group = group;
        }
        for block in &mut self.blocks {
            let element = &self.elements[block.group as usize];
            block.group = element.group;
            block.heading = self.groups[element.group as usize].heading;
        }
    }

    /// Counts the groups of a parent that look alike.
    fn count_alike(&mut self) {
        let mut order: Vec<(u32, u64, u32)> =
            self.groups.iter().enumerate().map(|(at, group)| (group.parent, group.shape, at as u32)).collect();
        order.sort_unstable();
        for run in order.chunk_by(|one, two| (one.0, one.1) == (two.0, two.1)) {
            for (_, _, at) in run {
                self.groups[*at as usize].alike = run.len() as u32;
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
        (shape, names): &(u64, Names),
        outer: &NameOdds,
    ) -> Element {
        let name = document.html_name(id);
        Element {
            parent,
            start,
            end: start,
            tags: Tags::of(name),
            hints: names.hints,
            shape: *shape,
            heading: heading_level(name).unwrap_or(0),
            names: NameOdds::inside(outer, names.odds),
            group: NO_GROUP,
        }
    }
}

impl TextBlock {
    fn new(first: NodeId, element: u32, hidden: bool, names: NameOdds) -> TextBlock {
        TextBlock {
            first,
            end: first,
            counts: TextCounts::default(),
            group: element,
            links: 0,
            texts: 0,
            breaks: 0,
            pictures: 0,
            controls: 0,
            heading: 0,
            first_character: ' ',
            last_character: ' ',
            hash: 0,
            hidden,
            odds: TextOdds::default(),
            echo: Echo::default(),
            names,
        }
    }

    fn append(&mut self, text: &str, end: NodeId, open: &Open, at: u32, odds: &WordOdds, said: &mut Said) {
        let mut counts = TextCounts::of(text);
        if counts.characters == 0 {
            return;
        }
        if at < open.link {
            counts.link_words = counts.words;
            counts.link_characters = counts.characters;
            match open.target {
                Target::Inner => counts.inner_link_words = counts.words,
                Target::Outer => counts.outer_link_words = counts.words,
                Target::Other => {}
            }
            self.links = self.links.max(1);
        }
        if at < open.bold {
            counts.bold_characters = counts.characters;
        }
        if at < open.code {
            counts.code_characters = counts.characters;
        }
        if self.texts == 0 {
            self.first_character = text.trim_start().chars().next().unwrap_or(' ');
        }
        self.last_character = text.trim_end().chars().next_back().unwrap_or(' ');
        self.hash = xxh3_64_with_seed(text.trim().as_bytes(), self.hash);
        let echo = &mut self.echo;
        self.odds.add(text, odds, |slot| echo.hear(slot, said));
        self.texts = self.texts.saturating_add(1);
        self.counts.add(&counts);
        self.end = end;
    }
}
