//! The shown texts of a page in page order, and its atoms: the texts that are one value, such as those of a link.
//!
//! Input: a document. Output: its text nodes that are not hidden, each with the gap before it, so that the text of any part of the page can
//! be written without reading the page again; the atoms; and the images that are shown.

use super::text_shapes::is_date;
use crate::dom::elements::{begins_word, heading_level, is_block, is_hidden, is_never_shown, is_replaced};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};
use std::ops::Range;

/// A link or time with more nodes than this is not one value.
const MAX_ATOM_NODES: usize = 48;

/// What is between two texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Gap {
    Nothing,
    Space,
    Line,
}

/// A text that is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownText {
    pub(crate) node: NodeId,
    /// What is between the text before it and this one.
    pub(crate) gap: Gap,
}

/// Texts that are one value: all of a link or time that no block interrupts, or a text node.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// The link, time or text node.
    pub(crate) node: NodeId,
    pub(crate) texts: Range<u32>,
    /// The link around it.
    pub(crate) link: Option<NodeId>,
    pub(crate) is_in_heading: bool,
    pub(crate) words: u32,
}

/// The shown texts of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageTexts {
    pub(crate) texts: Vec<ShownText>,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) images: Vec<NodeId>,
    /// For each node the number of atoms that start before it.
    atoms_before: Vec<u32>,
    /// Words of the first atoms, by their number.
    word_sums: Vec<u32>,
}

/// An element that is open while a page is read.
#[derive(Clone, Copy)]
struct Open {
    node: NodeId,
    end: NodeId,
}

impl PageTexts {
    pub(crate) fn read(document: &Document) -> PageTexts {
        let mut page = PageTexts::default();
        page.atoms_before.resize(document.len() + 1, 0);
        if let Some(body) = document.find(Name::BODY) {
            page.read_body(document, body);
        }
        for atom in &page.atoms {
            page.atoms_before[atom.node.index() + 1] += 1;
        }
        for at in 1..page.atoms_before.len() {
            page.atoms_before[at] += page.atoms_before[at - 1];
        }
        page.word_sums.push(0);
        let mut sum = 0u32;
        for atom in &page.atoms {
            sum = sum.saturating_add(atom.words);
            page.word_sums.push(sum);
        }
        page
    }

    fn read_body(&mut self, document: &Document, body: NodeId) {
        let (mut hidden_until, mut gap) = (body, Gap::Line);
        // The ends of the blocks that are open, the innermost last.
        let mut block_ends: Vec<NodeId> = Vec::new();
        let (mut link, mut heading, mut whole): (Option<Open>, Option<Open>, Option<Open>) = (None, None, None);
        for id in document.descendants(body) {
            if id < hidden_until {
                continue;
            }
            while block_ends.last().is_some_and(|end| *end <= id) {
                block_ends.pop();
                gap = Gap::Line;
            }
            for open in [&mut link, &mut heading, &mut whole] {
                *open = open.filter(|open| id < open.end);
            }
            match document.kind(id) {
                NodeKind::Text => {
                    let text = document.text(id);
                    if text.trim_ascii().is_empty() || text.trim().is_empty() {
                        gap = gap.max(if text.is_empty() { Gap::Nothing } else { Gap::Space });
                        continue;
                    }
                    if text.starts_with(char::is_whitespace) {
                        gap = gap.max(Gap::Space);
                    }
                    let number = self.texts.len() as u32;
                    self.texts.push(ShownText { node: id, gap });
                    gap = if text.ends_with(char::is_whitespace) { Gap::Space } else { Gap::Nothing };
                    let words = text.split_ascii_whitespace().count() as u32;
                    match (whole, self.atoms.last_mut()) {
                        (Some(open), Some(atom)) if atom.node == open.node => {
                            atom.texts.end = number + 1;
                            atom.words += words;
                        }
                        _ => self.atoms.push(Atom {
                            node: whole.map_or(id, |open| open.node),
                            texts: number..number + 1,
                            link: link.map(|open| open.node),
                            is_in_heading: heading.is_some(),
                            words,
                        }),
                    }
                }
                NodeKind::Element => {
                    let name = document.html_name(id);
                    let open = Open { node: id, end: document.end(id) };
                    if name == Name::IMG {
                        self.images.push(id);
                    }
                    if is_unshown(document, id, name) && !is_date_button(document, id, name) {
                        hidden_until = open.end;
                        gap = gap.max(Gap::Space);
                        continue;
                    }
                    if is_block(name) || name == Name::BR {
                        gap = Gap::Line;
                        block_ends.push(open.end);
                    } else if gap == Gap::Nothing
                        && let Some(last) = self.texts.last()
                        && begins_word(document, last.node, id)
                    {
                        gap = Gap::Space;
                    }
                    if name == Name::A {
                        link = Some(open);
                    } else if heading_level(name).is_some() {
                        heading = Some(open);
                    }
                    if whole.is_none() && matches!(name, Name::A | Name::TIME) && is_one_value(document, id) {
                        whole = Some(open);
                    }
                }
                NodeKind::Fragment => hidden_until = document.end(id),
                _ => {}
            }
        }
    }

    /// The atoms that start between two nodes.
    pub(crate) fn atoms_between(&self, start: NodeId, end: NodeId) -> Range<usize> {
        self.atoms_before[start.index()] as usize..self.atoms_before[end.index()] as usize
    }

    /// The atoms that start in a node.
    pub(crate) fn atoms_of(&self, document: &Document, id: NodeId) -> Range<usize> {
        self.atoms_between(id, document.end(id))
    }

    /// Words of some atoms.
    pub(crate) fn words(&self, atoms: Range<usize>) -> u32 {
        self.word_sums[atoms.end] - self.word_sums[atoms.start]
    }

    /// Appends atoms, with white space collapsed and a line for each block.
    pub(crate) fn append(&self, document: &Document, atoms: impl Iterator<Item = usize>, out: &mut String) {
        let start = out.len();
        for text in atoms.flat_map(|atom| self.atoms[atom].texts.clone()) {
            let text = self.texts[text as usize];
            match text.gap {
                _ if out.len() == start => {}
                Gap::Nothing => {}
                Gap::Space => out.push(' '),
                Gap::Line => out.push('\n'),
            }
            append_collapsed(document.text(text.node), out);
        }
    }

    /// The text of an atom.
    pub(crate) fn text(&self, document: &Document, atom: usize) -> String {
        let mut text = String::new();
        self.append(document, std::iter::once(atom), &mut text);
        text
    }

    /// What is between an atom and the one before it.
    pub(crate) fn gap(&self, atom: usize) -> Gap {
        self.texts[self.atoms[atom].texts.start as usize].gap
    }
}

/// Appends a text without white space around it, and with single spaces in it.
fn append_collapsed(text: &str, out: &mut String) {
    let text = text.trim();
    // Most texts are one line already. Other white space than ASCII has two or three bytes, which begin with these.
    let is_single = |pair: &[u8]| !pair[0].is_ascii_whitespace() || (pair[0] == b' ' && pair[1] != b' ');
    if text.as_bytes().windows(2).all(is_single) && !text.bytes().any(|byte| matches!(byte, 0xc2 | 0xe1..=0xe3)) {
        return out.push_str(text);
    }
    for (at, word) in text.split_whitespace().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Whether a link or time has no block in it: a link around a card has many values.
fn is_one_value(document: &Document, id: NodeId) -> bool {
    document.subtree(id).len() <= MAX_ATOM_NODES
        && !document.descendants(id).any(|inner| {
            let name = document.html_name(inner);
            is_block(name) || matches!(name, Name::BR | Name::TIME)
        })
}

/// Whether a button shows a date, which opens the exact one or the address of a post.
fn is_date_button(document: &Document, id: NodeId, name: Name) -> bool {
    name == Name::BUTTON
        && document.subtree(id).len() <= MAX_ATOM_NODES
        && document.descendants(id).any(|inner| document.is_text(inner) && is_date(document.text(inner)))
}

fn is_unshown(document: &Document, id: NodeId, name: Name) -> bool {
    is_never_shown(name)
        || document.namespace(id) == Namespace::Svg
        || is_replaced(document, id, name)
        || (!document.attributes(id).is_empty() && is_hidden(document, id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    #[test]
    fn blocks_are_lines_and_hidden_text_is_left_out() {
        let page = "<p>one <b>two</b>three</p> <div hidden>no</div><div>four<br>five<script>no</script>six</div>seven";
        let document = Parser::default().parse(page).unwrap();
        let texts = PageTexts::read(&document);
        let mut out = String::new();
        texts.append(&document, 0..texts.atoms.len(), &mut out);
        assert_eq!(out, "one twothree\nfour\nfive six\nseven");
    }

    #[test]
    fn a_link_is_one_atom_unless_it_holds_blocks() {
        let page = "<a href=x>one <b>two</b></a><a href=y><h3>three</h3><p>four</p></a><time>5 <i>May</i></time>";
        let document = Parser::default().parse(page).unwrap();
        let texts = PageTexts::read(&document);
        let atoms: Vec<String> = (0..texts.atoms.len()).map(|atom| texts.text(&document, atom)).collect();
        assert_eq!(atoms, ["one two", "three", "four", "5 May"]);
        assert!(texts.atoms[1].link.is_some() && texts.atoms[1].is_in_heading);
    }
}
