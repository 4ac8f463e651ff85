//! The words of a page in page order, with the range of each subtree. One pass over the visible texts.

use crate::dom::elements::is_unseen;
use crate::dom::{Document, NodeId, NodeKind, Stats};
use dehusk::read::{WordHash, each_word};

/// The words of a page.
#[derive(Clone, Debug, Default)]
pub struct PageWords {
    words: Vec<WordHash>,
    /// The number of words before each node, and before the end of the page.
    before: Vec<u32>,
}

impl PageWords {
    /// Reads the words of a document.
    pub fn of(document: &Document) -> PageWords {
        let mut words = PageWords::default();
        words.fill(document);
        words
    }

    /// Reads the words of a document, reusing the buffers.
    pub fn fill(&mut self, document: &Document) {
        self.words.clear();
        self.before.clear();
        self.before.reserve(document.len() + 1);
        let mut unseen_until = 0;
        for id in document.ids() {
            self.before.push(self.words.len() as u32);
            match document.kind(id) {
                NodeKind::Element if is_unseen(document.html_name(id)) => {
                    unseen_until = unseen_until.max(document.end(id).index());
                }
                NodeKind::Fragment => unseen_until = unseen_until.max(document.end(id).index()),
                NodeKind::Text if id.index() >= unseen_until => {
                    each_word(document.text(id), usize::MAX, |word, _| self.words.push(word))
                }
                _ => {}
            }
        }
        self.before.push(self.words.len() as u32);
    }

    /// All words in page order.
    pub fn all(&self) -> &[WordHash] {
        &self.words
    }

    /// The words of a node and its descendants.
    pub fn subtree(&self, document: &Document, id: NodeId) -> &[WordHash] {
        &self.words[self.range(document, id)]
    }

    /// The range of the words of a subtree among all words of the page.
    pub fn range(&self, document: &Document, id: NodeId) -> std::ops::Range<usize> {
        self.before[id.index()] as usize..self.before[document.end(id).index()] as usize
    }
}

/// The number of characters of a node's text with white space collapsed, counting one space between any two words.
pub(crate) fn collapsed_length(stats: &Stats, document: &Document, id: NodeId) -> u32 {
    let counts = stats.subtree(document, id);
    // Scripts without spaces count each character as a word.
    let gaps = counts.words.saturating_sub(1).min(counts.characters / 2);
    counts.characters + gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Name, Parser};

    #[test]
    fn every_subtree_has_its_range_of_words() {
        let page = "<title>no</title><div>one <b>two</b><script>var x</script></div><p>three</p>";
        let document = Parser::default().parse(page).unwrap();
        let words = PageWords::of(&document);
        let of = |name| words.subtree(&document, document.find(name).unwrap());
        assert_eq!(words.all(), ["one", "two", "three"].map(WordHash::of));
        assert_eq!(of(Name::DIV), ["one", "two"].map(WordHash::of));
        assert_eq!(of(Name::P), ["three"].map(WordHash::of));
        assert!(of(Name::SCRIPT).is_empty());
    }
}
