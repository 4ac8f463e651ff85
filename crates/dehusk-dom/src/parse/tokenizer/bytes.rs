//! Classes of bytes in tags.

/// The class of each byte in a tag, as bits.
static CLASSES: [u8; 256] = classes();
pub(super) const SPACE: u8 = 1;
/// `/` and `>`, which end names as white space does.
pub(super) const END: u8 = 2;
pub(super) const EQUALS: u8 = 4;
/// Upper-case letters and NUL bytes: a name that contains them differs from the source.
pub(super) const CHANGES: u8 = 8;

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' => SPACE,
            b'/' | b'>' => END,
            b'=' => EQUALS,
            b'A'..=b'Z' | 0 => CHANGES,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

pub(super) fn class(byte: u8) -> u8 {
    CLASSES[byte as usize]
}

pub(super) fn is_space(byte: u8) -> bool {
    class(byte) == SPACE
}

pub(super) fn ends_name(byte: u8) -> bool {
    class(byte) & (SPACE | END) != 0
}
