//! Counts the characters and words of a text.

/// Whether a character belongs to a script written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
pub fn is_spaceless(character: char) -> bool {
    matches!(character as u32, 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Counts the characters of a text that are not white space, and its words. Each character of a script written without
/// spaces counts as a word.
pub fn count_text(text: &str) -> (u32, u32) {
    let (mut characters, mut words, mut in_word) = (0, 0, false);
    // Most texts are ASCII, whose bytes need neither decoding nor the tables of Unicode.
    if text.is_ascii() {
        for byte in text.bytes() {
            let inside = !byte.is_ascii_whitespace();
            characters += inside as u32;
            words += (inside && !in_word) as u32;
            in_word = inside;
        }
        return (characters, words);
    }
    for character in text.chars() {
        if character.is_whitespace() {
            in_word = false;
            continue;
        }
        characters += 1;
        if is_spaceless(character) {
            words += 1;
            in_word = false;
        } else {
            words += !in_word as u32;
            in_word = true;
        }
    }
    (characters, words)
}
