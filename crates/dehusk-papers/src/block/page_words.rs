//! The words of a page as hashes, in page order, with the range of each subtree.
//!
//! One pass over the visible texts. A word is a run of letters and digits in lower case; each character of a script written
//! without spaces is a word; all numbers of the same length are one word, because their value carries no information.
//!
//! PageLevel splits differently (`pagelevel/features/text_tokens.rs`): it joins words at apostrophes and keeps punctuation. Word hashes
//! are stored in the file of the Block model, and its features count words by this rule.

use crate::dom::elements::is_unseen;
use crate::dom::text::is_spaceless;
use crate::dom::{Document, NodeId, NodeKind, Stats};
use dehusk::model::word_key;

/// The words of a page.
#[derive(Clone, Debug, Default)]
pub struct PageWords {
    keys: Vec<u32>,
    /// The number of words before each node, and before the end of the page.
    before: Vec<u32>,
    lower: String,
}

/// Longer words are truncated: no language has them, but pages contain encoded files.
const MAX_WORD_BYTES: usize = 64;

impl PageWords {
    /// Reads the words of a document.
    pub fn of(document: &Document) -> PageWords {
        let mut words = PageWords::default();
        words.fill(document);
        words
    }

    /// Reads the words of a document, reusing the buffers.
    pub fn fill(&mut self, document: &Document) {
        self.keys.clear();
        self.before.clear();
        self.before.reserve(document.len() + 1);
        let mut unseen_until = 0;
        for id in document.ids() {
            self.before.push(self.keys.len() as u32);
            match document.kind(id) {
                NodeKind::Element if is_unseen(document.html_name(id)) => {
                    unseen_until = unseen_until.max(document.end(id).index());
                }
                NodeKind::Fragment => unseen_until = unseen_until.max(document.end(id).index()),
                NodeKind::Text if id.index() >= unseen_until => self.split(document.text(id)),
                _ => {}
            }
        }
        self.before.push(self.keys.len() as u32);
    }

    /// The words of a text outside a page.
    pub fn of_text(text: &str) -> Vec<u32> {
        let mut words = PageWords::default();
        words.split(text);
        words.keys
    }

    /// All words in page order.
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// The words of a node and its descendants.
    pub fn subtree(&self, document: &Document, id: NodeId) -> &[u32] {
        &self.keys[self.range(document, id)]
    }

    /// The range of the words of a subtree among all words of the page.
    pub fn range(&self, document: &Document, id: NodeId) -> std::ops::Range<usize> {
        self.before[id.index()] as usize..self.before[document.end(id).index()] as usize
    }

    fn split(&mut self, text: &str) {
        if text.is_ascii() {
            let is_edge = |byte: &u8| !byte.is_ascii_alphanumeric();
            for word in text.as_bytes().split(is_edge).filter(|word| !word.is_empty()) {
                self.push_ascii(word);
            }
            return;
        }
        self.lower.clear();
        for character in text.chars() {
            if is_spaceless(character) {
                self.push_lower();
                self.lower.push(character);
                self.push_lower();
            } else if character.is_alphanumeric() {
                self.lower.extend(character.to_lowercase());
            } else {
                self.push_lower();
            }
        }
        self.push_lower();
    }

    fn push_ascii(&mut self, word: &[u8]) {
        let mut lower = [0; MAX_WORD_BYTES];
        let length = word.len().min(MAX_WORD_BYTES);
        let mut digits = 0;
        for (to, from) in lower.iter_mut().zip(word) {
            *to = from.to_ascii_lowercase();
            digits += usize::from(from.is_ascii_digit());
        }
        if digits == length {
            lower[..length].fill(b'0');
        }
        // ASCII bytes are always valid UTF-8.
        self.keys.push(word_key(std::str::from_utf8(&lower[..length]).unwrap_or_default()));
    }

    /// Adds the word collected in `lower`, if any.
    fn push_lower(&mut self) {
        if self.lower.is_empty() {
            return;
        }
        if self.lower.len() > MAX_WORD_BYTES {
            let mut end = MAX_WORD_BYTES;
            while !self.lower.is_char_boundary(end) {
                end -= 1;
            }
            self.lower.truncate(end);
        }
        if self.lower.chars().all(|character| character.is_numeric()) {
            let digits = self.lower.chars().count();
            self.lower.clear();
            self.lower.extend(std::iter::repeat_n('0', digits));
        }
        self.keys.push(word_key(&self.lower));
        self.lower.clear();
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
    fn words_are_lower_case_runs() {
        let words = |text: &str| PageWords::of_text(text);
        assert_eq!(words("Read more, READ-ON 2024!"), ["read", "more", "read", "on", "0000"].map(word_key));
        assert_eq!(words("Größe über 漢字 ١٢"), ["größe", "über", "漢", "字", "00"].map(word_key));
        assert_eq!(words("1999"), words("2024"));
        assert_ne!(words("1999"), words("20240"));
        assert_eq!(words(&"x".repeat(500)), words(&"x".repeat(64)));
        assert_eq!(words(&"é".repeat(500)), words(&"é".repeat(32)));
        assert!(words(" \n–!").is_empty());
    }

    #[test]
    fn every_subtree_has_its_range_of_words() {
        let page = "<title>no</title><div>one <b>two</b><script>var x</script></div><p>three</p>";
        let document = Parser::default().parse(page).unwrap();
        let words = PageWords::of(&document);
        let of = |name| words.subtree(&document, document.find(name).unwrap());
        assert_eq!(words.keys(), ["one", "two", "three"].map(word_key));
        assert_eq!(of(Name::DIV), ["one", "two"].map(word_key));
        assert_eq!(of(Name::P), ["three"].map(word_key));
        assert!(of(Name::SCRIPT).is_empty());
    }
}
