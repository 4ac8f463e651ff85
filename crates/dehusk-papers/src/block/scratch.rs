//! Data about a page that the rows of all its blocks need: its words as small numbers, and prefix sums over them.

use super::context::BlockContext;
use super::page_words::PageWords;
use crate::dom::hash::NumberMap;
use crate::dom::{Document, Fingerprints, Name, NodeId};
use dehusk::read::{HashedOdds, WordHash, each_word};

/// The number of words on each side of a block whose links and odds are features of the block.
pub(crate) const WINDOW: usize = 60;
/// The maximum number of words the divergence of a block is computed from; of a longer block every second, third, … word is used.
pub(crate) const MAX_SAMPLED_WORDS: usize = 2048;

/// The first stage of the block detector: log-odds of the words of texts and of names.
#[derive(Clone, Debug, Default)]
pub struct BlockOdds {
    /// Log-odds of the words of texts.
    pub text: HashedOdds,
    /// Log-odds of the words of classes, ids and roles.
    pub names: HashedOdds,
}

/// Reusable buffers for the features of a page.
#[derive(Clone, Debug, Default)]
pub struct BlockScratch {
    pub(crate) context: BlockContext,
    numbers: NumberMap<u64, u32>,
    /// The words of the page as consecutive numbers.
    pub(crate) words: Vec<u32>,
    pub(crate) on_page: Vec<u32>,
    pub(crate) in_block: Vec<u32>,
    pub(crate) in_title: Vec<bool>,
    /// Prefix sums: the number of words in links before each word.
    pub(crate) linked: Vec<u32>,
    /// Prefix sums: the log-odds of the words before each word.
    pub(crate) odds: Vec<f32>,
    /// Prefix sums: the number of words with log-odds before each word.
    pub(crate) known: Vec<u32>,
    pub(crate) structures: NumberMap<u64, u32>,
}

impl BlockScratch {
    /// Fills the buffers for a page.
    pub(crate) fn fill(
        &mut self,
        document: &Document,
        words: &PageWords,
        fingerprints: &Fingerprints,
        blocks: &[NodeId],
        odds: &BlockOdds,
    ) {
        self.context.fill(document, &odds.names);
        self.number_words(words);
        self.in_block.clear();
        self.in_block.resize(self.on_page.len(), 0);
        self.mark_title(document);
        self.sum_words(document, words, odds);
        self.structures.clear();
        for id in blocks {
            *self.structures.entry(fingerprints.structure[id.index()]).or_default() += 1;
        }
    }

    /// Numbers the distinct words of the page and counts them.
    fn number_words(&mut self, words: &PageWords) {
        self.numbers.clear();
        self.words.clear();
        self.on_page.clear();
        for word in words.all() {
            let next = self.on_page.len() as u32;
            let number = *self.numbers.entry(word.0).or_insert(next);
            if number == next {
                self.on_page.push(0);
            }
            self.on_page[number as usize] += 1;
            self.words.push(number);
        }
    }

    fn mark_title(&mut self, document: &Document) {
        self.in_title.clear();
        self.in_title.resize(self.on_page.len(), false);
        let Some(title) = document.find(Name::TITLE) else { return };
        for text in document.descendants(title) {
            each_word(document.text(text), usize::MAX, |WordHash(word), _| {
                if let Some(number) = self.numbers.get(&word) {
                    self.in_title[*number as usize] = true;
                }
            });
        }
    }

    /// Computes the prefix sums over the words of the page.
    fn sum_words(&mut self, document: &Document, words: &PageWords, odds: &BlockOdds) {
        self.linked.clear();
        self.linked.push(0);
        self.odds.clear();
        self.odds.push(0.0);
        self.known.clear();
        self.known.push(0);
        let mut linked = 0;
        let mut at = 0;
        let mut append_until = |end: usize, in_link: bool, at: &mut usize| {
            while *at < end {
                linked += u32::from(in_link);
                self.linked.push(linked);
                *at += 1;
            }
        };
        let mut id = NodeId::DOCUMENT;
        while id.index() < document.len() {
            if document.html_name(id) == Name::A && document.is_element(id) {
                let range = words.range(document, id);
                append_until(range.start, false, &mut at);
                append_until(range.end, true, &mut at);
                id = document.end(id);
            } else {
                id.0 += 1;
            }
        }
        append_until(words.all().len(), false, &mut at);
        let (mut sum, mut known) = (0.0, 0);
        for word in words.all() {
            let odds = odds.text.of(word.slot16());
            sum += odds;
            known += u32::from(odds != 0.0);
            self.odds.push(sum);
            self.known.push(known);
        }
    }
}
