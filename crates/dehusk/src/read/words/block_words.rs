//! The words of a text block, which are read once: their log-odds and trigrams, and which of them are in the title of the page or in
//! lists of boilerplate words.

use super::boilerplate_words::{BOILERPLATE, boilerplate_lists};
use super::word_hash::{WordHash, WordKind, each_word};
use crate::read::words::hashed_odds::{HashedOdds, TextOdds};
use crate::read::words::trigram_overlap::{SeenTrigrams, TrigramOverlap};

/// Maximum number of words of a block that are read. The rest of a longer text adds little.
pub(crate) const MAX_WORDS: usize = 60;
/// Maximum number of words of a block that are looked up in lists of boilerplate words.
const MAX_LISTED_WORDS: usize = 12;
/// Maximum number of words of a title that are read.
const MAX_TITLE_WORDS: usize = 200;

/// The words that those of a block are compared with.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComparedWords {
    pub(crate) title: TitleWords,
    /// Trigrams read so far. Those of the head are added before the page is split.
    pub(crate) seen: SeenTrigrams,
}

impl ComparedWords {
    /// Starts a page.
    pub(crate) fn clear(&mut self) {
        self.title.clear();
        self.seen.clear();
    }
}

/// What the first words of a block are like.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockWords {
    count: u16,
    in_title: u16,
    /// How many of them are in each list of boilerplate words.
    boilerplate: [u8; BOILERPLATE.len()],
    pub(crate) odds: TextOdds,
    /// How much of them also occurs elsewhere.
    pub(crate) overlap: TrigramOverlap,
}

impl BlockWords {
    /// Reads a text of the block.
    pub(crate) fn read(&mut self, text: &str, odds: &HashedOdds, page: &mut ComparedWords) {
        each_word(text, MAX_WORDS - self.count as usize, |word, kind| {
            let slot = word.slot16();
            match kind {
                WordKind::Word => self.odds.add_word(slot, odds),
                // On the training pages, most single characters are in the names of languages in menus.
                WordKind::Character => self.odds.add_neutral(),
            }
            self.overlap.add_word(slot, &mut page.seen);
            self.in_title += page.title.contains(word) as u16;
            if (self.count as usize) < MAX_LISTED_WORDS {
                let mut lists = boilerplate_lists(word);
                while lists != 0 {
                    self.boilerplate[lists.trailing_zeros() as usize] += 1;
                    lists &= lists - 1;
                }
            }
            self.count += 1;
        });
    }

    /// The share of the words that are in the title of the page.
    pub(crate) fn title_share(&self) -> f32 {
        self.in_title as f32 / self.count.max(1) as f32
    }

    /// How many of the first words are in each list of boilerplate words. None in a longer block; other features describe it.
    pub(crate) fn boilerplate(&self) -> [u8; BOILERPLATE.len()] {
        if self.count as usize > 2 * MAX_LISTED_WORDS { Default::default() } else { self.boilerplate }
    }
}

/// The words of a title. Most words that are looked up are not in it, and one bit of a filter rules out nearly all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TitleWords {
    words: Vec<WordHash>,
    filter: u64,
}

impl TitleWords {
    fn clear(&mut self) {
        self.words.clear();
        self.filter = 0;
    }

    pub(crate) fn read(&mut self, title: &str) {
        each_word(title, MAX_TITLE_WORDS, |word, _| {
            self.words.push(word);
            self.filter |= 1 << (word.0 >> 58);
        });
        self.words.sort_unstable();
    }

    #[inline(always)]
    fn contains(&self, word: WordHash) -> bool {
        self.filter >> (word.0 >> 58) & 1 == 1 && self.words.binary_search(&word).is_ok()
    }
}
