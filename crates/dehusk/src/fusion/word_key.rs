//! Words of texts and of class names as numbers.

/// A word as a number: a hash of its small letters.
#[derive(Clone, Copy)]
pub(crate) struct Key(pub(crate) u64);

impl Key {
    pub(crate) const START: Key = Key(0xcbf2_9ce4_8422_2325);

    pub(crate) fn of(word: &str) -> Option<Key> {
        let mut key = Key::START;
        word.bytes().for_each(|byte| key.push(byte));
        (!word.is_empty()).then_some(key)
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// A place among 65,536.
    #[inline(always)]
    pub(crate) fn slot16(self) -> u16 {
        ((self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
    }
}
