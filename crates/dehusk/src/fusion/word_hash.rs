//! The hash of a word, for words of texts, titles and class names.

/// A word as a number: the FNV-1a hash of its lower-case letters. It is computed byte by byte while a text is split into words, so no
/// word is ever copied. Slots of words are stored in model files, so the hash cannot change without fitting the models again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct WordHash(pub(crate) u64);

impl WordHash {
    /// The hash of no letters.
    pub(crate) const START: WordHash = WordHash(0xcbf2_9ce4_8422_2325);

    /// The hash of a word in lower case.
    pub(crate) fn of(word: &str) -> WordHash {
        let mut hash = WordHash::START;
        word.bytes().for_each(|byte| hash.push(byte));
        hash
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// Pushes a lower-case character that is not ASCII.
    #[inline(always)]
    pub(crate) fn push_wide(&mut self, character: char) {
        (character as u32).to_le_bytes().into_iter().for_each(|byte| self.push(byte));
    }

    /// The word's slot among 65,536.
    #[inline(always)]
    pub(crate) fn slot16(self) -> u16 {
        ((self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
    }
}
