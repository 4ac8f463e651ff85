//! Text statistics of every subtree, computed in one pass.
//!
//! The statistics are prefix sums over the preorder, so the sum over a subtree is one subtraction. Only text a reader can
//! see counts: not scripts, styles, templates, comments or the head.

use crate::document::{Document, NodeId, NodeKind};
use crate::elements::{is_media_or_control, is_unseen};
use crate::names::Name;
use crate::text::count_text;

/// The counts of a node and its descendants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Characters that are not white space.
    pub characters: u32,
    /// Words; each character of a script written without spaces counts as one.
    pub words: u32,
    /// Characters inside links.
    pub link_characters: u32,
    /// Elements.
    pub elements: u32,
    /// Links.
    pub links: u32,
    /// Visible elements that are not text: images, videos, iframes, form fields.
    pub pictures: u32,
}

impl Counts {
    fn minus(self, other: Counts) -> Counts {
        Counts {
            characters: self.characters - other.characters,
            words: self.words - other.words,
            link_characters: self.link_characters - other.link_characters,
            elements: self.elements - other.elements,
            links: self.links - other.links,
            pictures: self.pictures - other.pictures,
        }
    }
}

/// Statistics of all nodes of a document.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    sums: Vec<Counts>,
}

impl Stats {
    /// Counts a document.
    pub fn of(document: &Document) -> Stats {
        let mut stats = Stats::default();
        stats.count(document);
        stats
    }

    /// Counts a document, reusing the buffers.
    pub fn count(&mut self, document: &Document) {
        self.sums.clear();
        self.sums.reserve(document.len() + 1);
        let mut sum = Counts::default();
        self.sums.push(sum);
        // Nodes before these numbers are inside an invisible element or inside a link.
        let (mut unseen_until, mut link_until) = (0, 0);
        for (at, node) in document.nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Element => {
                    sum.elements += 1;
                    if is_unseen(document.html_name(NodeId(at as u32))) {
                        unseen_until = unseen_until.max(node.end as usize);
                    }
                    if at >= unseen_until && is_media_or_control(document.html_name(NodeId(at as u32)), node.name) {
                        sum.pictures += 1;
                    }
                    if node.name == Name::A {
                        sum.links += 1;
                        link_until = link_until.max(node.end as usize);
                    }
                }
                NodeKind::Fragment => unseen_until = unseen_until.max(node.end as usize),
                NodeKind::Text if at >= unseen_until => {
                    let (characters, words) = count_text(document.slice(node.value));
                    sum.characters += characters;
                    sum.words += words;
                    if at < link_until {
                        sum.link_characters += characters;
                    }
                }
                _ => {}
            }
            self.sums.push(sum);
        }
    }

    /// The counts of a node and its descendants.
    pub fn subtree(&self, document: &Document, id: NodeId) -> Counts {
        self.range(id, document.end(id))
    }

    /// The counts of the nodes from `from` up to, but not including, `to`.
    pub fn range(&self, from: NodeId, to: NodeId) -> Counts {
        self.sums[to.index()].minus(self.sums[from.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    #[test]
    fn subtree_sums_are_right() {
        let page = "<title>no</title><div>one two <a href=x>three</a><script>var x</script></div><p>漢字 and</p>";
        let document = Parser::default().parse(page).unwrap();
        let stats = Stats::of(&document);
        let body = document.find(Name::BODY).unwrap();
        let div = document.find(Name::DIV).unwrap();
        let expected = Counts { characters: 11, words: 3, link_characters: 5, elements: 3, links: 1, pictures: 0 };
        assert_eq!(stats.subtree(&document, div), expected);
        assert_eq!(stats.subtree(&document, body).words, 6);
        assert_eq!(stats.subtree(&document, body).characters, 16);
    }
}
