//! How much of a block repeats earlier text of the page, or text of the page's head.
//!
//! Pages repeat themselves: a description for small screens and one for large ones, a summary of the text. Descriptions and structured
//! data in the head are mostly about the content. Words are compared in trigrams (runs of three) by hash, in bit filters, so there are
//! occasional false positives.

use crate::read::words::word_hash::each_word;

/// Maximum number of words read from a description or a piece of structured data.
const MAX_WORDS_READ: usize = 20_000;

/// A set of hashes with false positives: a Bloom filter with one hash function.
#[derive(Clone, Debug, Default)]
struct BitFilter {
    bits: Vec<u64>,
    /// Whether anything was added.
    used: bool,
}

impl BitFilter {
    const WORDS: usize = 1 << 12;

    fn clear(&mut self) {
        if self.used || self.bits.is_empty() {
            self.bits.clear();
            self.bits.resize(BitFilter::WORDS, 0);
            self.used = false;
        }
    }

    /// Adds a hash and returns whether it was there.
    fn add(&mut self, hash: u32) -> bool {
        let (word, bit) = BitFilter::position(hash);
        self.used = true;
        let known = self.bits[word] >> bit & 1 == 1;
        self.bits[word] |= 1 << bit;
        known
    }

    /// Adds all trigrams of a text.
    fn add_text(&mut self, text: &str) {
        let mut trigrams = Trigrams::default();
        each_word(text, MAX_WORDS_READ, |word, _| {
            if let Some(hash) = trigrams.next(word.slot16()) {
                self.add(hash);
            }
        });
    }

    fn contains(&self, hash: u32) -> bool {
        let (word, bit) = BitFilter::position(hash);
        self.used && self.bits[word] >> bit & 1 == 1
    }

    fn position(hash: u32) -> (usize, u32) {
        (hash as usize / 64 % BitFilter::WORDS, hash % 64)
    }
}

/// The trigrams read so far on a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenTrigrams {
    before: BitFilter,
    description: BitFilter,
    structured_data: BitFilter,
}

impl SeenTrigrams {
    /// Starts a page.
    pub(crate) fn clear(&mut self) {
        self.before.clear();
        self.description.clear();
        self.structured_data.clear();
    }

    /// Adds a description from the head.
    pub(crate) fn add_description(&mut self, text: &str) {
        self.description.add_text(text);
    }

    /// Adds structured data.
    pub(crate) fn add_structured_data(&mut self, text: &str) {
        self.structured_data.add_text(text);
    }
}

/// Hashes trigrams of a sequence of words. Holds the last two words.
#[derive(Clone, Copy, Debug, Default)]
struct Trigrams {
    last: [u16; 2],
    count: u8,
}

impl Trigrams {
    /// The hash of the trigram that ends with this word, or `None` for the first two words.
    #[inline(always)]
    fn next(&mut self, slot: u16) -> Option<u32> {
        let [one, two] = self.last;
        self.last = [two, slot];
        if self.count < 2 {
            self.count += 1;
            return None;
        }
        let all = (one as u64) << 32 | (two as u64) << 16 | slot as u64;
        Some((all.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32)
    }
}

/// How many trigrams of a text block also occur elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TrigramOverlap {
    trigrams: Trigrams,
    count: u16,
    before: u16,
    description: u16,
    structured_data: u16,
}

impl TrigramOverlap {
    /// Adds the next word of the block, given as its slot.
    #[inline(always)]
    pub(crate) fn add_word(&mut self, slot: u16, seen: &mut SeenTrigrams) {
        if let Some(hash) = self.trigrams.next(slot) {
            self.count += 1;
            self.before += seen.before.add(hash) as u16;
            self.description += seen.description.contains(hash) as u16;
            self.structured_data += seen.structured_data.contains(hash) as u16;
        }
    }

    /// The share of trigrams that occurred earlier on the page. This and the other shares are -1 if the block has fewer than three words.
    pub(crate) fn before(&self) -> f32 {
        self.share(self.before)
    }

    /// The share of trigrams that are in the page's description.
    pub(crate) fn description(&self) -> f32 {
        self.share(self.description)
    }

    /// The share of trigrams that are in structured data.
    pub(crate) fn structured_data(&self) -> f32 {
        self.share(self.structured_data)
    }

    fn share(&self, part: u16) -> f32 {
        if self.count == 0 { -1.0 } else { part as f32 / self.count as f32 }
    }
}

#[cfg(test)]
mod tests {
    use crate::detect::fusion::fusion_page::FusionPage;
    use crate::dom::Parser;
    use crate::read::words::hashed_odds::Odds;

    #[test]
    fn repeated_text_is_found() {
        let source = r#"<meta name=description content="A knot that holds in wet rope.">
            <script type="application/ld+json">{"@type":"HowTo","description":"Pull the second end tight around it"}</script>
            <p>A knot that holds in wet rope.<p>Pull the second end tight around it.<p>Something else is said here.
            <p>A knot that <b>holds in wet</b> rope!<p>Rope"#;
        let document = Parser::default().parse(source).unwrap();
        let mut page = FusionPage::default();
        for _ in 0..2 {
            page.prepare(&document, &Odds::default());
            let overlaps: Vec<[f32; 3]> = page
                .page
                .blocks
                .iter()
                .map(|block| block.words.overlap)
                .map(|overlap| [overlap.before(), overlap.description(), overlap.structured_data()])
                .collect();
            let none = [-1.0; 3];
            assert_eq!(overlaps, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [1.0, 1.0, 0.0], none]);
        }
    }
}
