//! What of a text was said before on the page, and what of it the head of the page says as well.
//!
//! Pages say things twice: a description for small screens and one for large ones, a summary that repeats the text. And descriptions
//! and structured data in the head are mostly about the content. Takes words as they are read, as places in a table; compares runs
//! of three of them by sieves of hashes, so that it now and then hears what was not said. Judges nothing.

use super::odds::each_text_word;

/// Words of a description or of structured data that are read.
const MOST_READ: usize = 20_000;

/// A set of hashes that forgets which: it may hold what was not added.
#[derive(Clone, Debug, Default)]
struct Sieve {
    bits: Vec<u64>,
    used: bool,
}

impl Sieve {
    const WORDS: usize = 1 << 12;

    fn clear(&mut self) {
        if self.used || self.bits.is_empty() {
            self.bits.clear();
            self.bits.resize(Sieve::WORDS, 0);
            self.used = false;
        }
    }

    /// Adds a hash, and tells whether it was there.
    fn add(&mut self, hash: u32) -> bool {
        let (word, bit) = Sieve::place(hash);
        self.used = true;
        let held = self.bits[word] >> bit & 1 == 1;
        self.bits[word] |= 1 << bit;
        held
    }

    /// Adds all runs of a text.
    fn read(&mut self, text: &str) {
        let mut run = Run::default();
        each_text_word(text, MOST_READ, |slot| {
            if let Some(hash) = run.next(slot) {
                self.add(hash);
            }
        });
    }

    fn holds(&self, hash: u32) -> bool {
        let (word, bit) = Sieve::place(hash);
        self.used && self.bits[word] >> bit & 1 == 1
    }

    fn place(hash: u32) -> (usize, u32) {
        (hash as usize / 64 % Sieve::WORDS, hash % 64)
    }
}

/// What was said so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    before: Sieve,
    description: Sieve,
    data: Sieve,
}

impl Said {
    /// Begins a page.
    pub(crate) fn clear(&mut self) {
        self.before.clear();
        self.description.clear();
        self.data.clear();
    }

    /// Takes in a description of the page.
    pub(crate) fn add_description(&mut self, text: &str) {
        self.description.read(text);
    }

    /// Takes in structured data.
    pub(crate) fn add_data(&mut self, text: &str) {
        self.data.read(text);
    }
}

/// The last two words.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    last: [u16; 2],
    count: u8,
}

impl Run {
    /// The hash of the run of three words that ends with this one.
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

/// How much of a text block was said elsewhere, in runs of three words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Echo {
    run: Run,
    runs: u16,
    before: u16,
    description: u16,
    data: u16,
}

impl Echo {
    /// Takes the next word of the block.
    #[inline(always)]
    pub(crate) fn hear(&mut self, slot: u16, said: &mut Said) {
        if let Some(hash) = self.run.next(slot) {
            self.runs += 1;
            self.before += said.before.add(hash) as u16;
            self.description += said.description.holds(hash) as u16;
            self.data += said.data.holds(hash) as u16;
        }
    }

    /// The share that was said before; -1 where the block has no three words.
    pub(crate) fn before(&self) -> f32 {
        self.share(self.before)
    }

    /// The share that the page's description says.
    pub(crate) fn description(&self) -> f32 {
        self.share(self.description)
    }

    /// The share that structured data says.
    pub(crate) fn data(&self) -> f32 {
        self.share(self.data)
    }

    fn share(&self, part: u16) -> f32 {
        if self.runs == 0 { -1.0 } else { part as f32 / self.runs as f32 }
    }
}

#[cfg(test)]
mod tests {
    use crate::dom::Parser;
    use crate::fusion::{FusionPage, Odds};

    #[test]
    fn what_is_said_twice_is_heard() {
        let source = r#"<meta name=description content="A knot that holds in wet rope.">
            <script type="application/ld+json">{"@type":"HowTo","description":"Pull the second end tight around it"}</script>
            <p>A knot that holds in wet rope.<p>Pull the second end tight around it.<p>Something else is said here.
            <p>A knot that <b>holds in wet</b> rope!<p>Rope"#;
        let document = Parser::default().parse(source).unwrap();
        let mut page = FusionPage::default();
        for _ in 0..2 {
            page.prepare(&document, &Odds::default());
            let told: Vec<[f32; 3]> = page
                .page
                .blocks
                .iter()
                .map(|block| [block.echo.before(), block.echo.description(), block.echo.data()])
                .collect();
            let none = [-1.0; 3];
            assert_eq!(told, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [1.0, 1.0, 0.0], none]);
        }
    }
}
