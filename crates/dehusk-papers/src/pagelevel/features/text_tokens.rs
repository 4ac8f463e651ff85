//! Splits a text into words and punctuation, and recognizes stop words.
//!
//! A word is a run of letters and digits, apostrophes inside it dropped; each character of a script written without spaces is a
//! word. `features::page_words` splits differently, and says why there are two.

use crate::dom::text::is_spaceless;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// One word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// The hash of the word in lower case.
    pub(crate) hash: u64,
    /// The number of its letters and digits.
    pub(crate) letters: u32,
    /// Whether it begins with an upper-case letter.
    pub(crate) capitalized: bool,
}

/// A word or a punctuation character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A word.
    Word(Word),
    /// A character that is neither part of a word nor white space.
    Punctuation(char),
}

/// FNV-1a over characters. It is computed while a word is read, without a buffer for its lower case; no hash is stored.
const START: u64 = 0xcbf2_9ce4_8422_2325;

fn extend_hash(hash: u64, character: u32) -> u64 {
    (hash ^ u64::from(character)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// The hash of a word, which must be in lower case.
pub(crate) fn hash_word(word: &str) -> u64 {
    word.chars().fold(START, |hash, character| extend_hash(hash, character as u32))
}

/// Calls `each` with the words and punctuation of a text, in order.
pub(crate) fn each_token(text: &str, mut each: impl FnMut(Token)) {
    let mut open = Word { hash: START, letters: 0, capitalized: false };
    for character in text.chars() {
        let is_part = if character.is_ascii() {
            character.is_ascii_alphanumeric()
        } else {
            character.is_alphanumeric() && !is_spaceless(character)
        };
        if is_part {
            if character.is_ascii() {
                open.capitalized |= open.letters == 0 && character.is_ascii_uppercase();
                open.hash = extend_hash(open.hash, character.to_ascii_lowercase() as u32);
            } else {
                open.capitalized |= open.letters == 0 && character.is_uppercase();
                open.hash = character.to_lowercase().fold(open.hash, |hash, lower| extend_hash(hash, lower as u32));
            }
            open.letters += 1;
            continue;
        }
        // The apostrophe of "don't" is part of the word.
        if matches!(character, '\'' | '’') && open.letters > 0 {
            continue;
        }
        if open.letters > 0 {
            each(Token::Word(open));
            open = Word { hash: START, letters: 0, capitalized: false };
        }
        if !character.is_ascii() && is_spaceless(character) && character.is_alphanumeric() {
            each(Token::Word(Word { hash: extend_hash(START, character as u32), letters: 1, capitalized: false }));
        } else if !character.is_whitespace() {
            each(Token::Punctuation(character));
        }
    }
    if open.letters > 0 {
        each(Token::Word(open));
    }
}

/// Stop words of some languages. On a page in another language the features made of them are 0.
const STOP_WORDS: &str = "\
    the of and to a in is it you that he was for on are with as i his they be at one have this from or had by but what some we \
    der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach \
    le la les de des du et à un une est que qui dans pour pas sur au plus par ce il ne se sont avec ou mais \
    el los las del y en que es por con para una su al lo como más pero sus le ya o fue este ha sí porque esta entre \
    il di che è per un non una sono della con da dei si gli nel alla delle più anche ma come \
    o os as do da dos das e em um uma para com não por mais na no que se foi ao ele à seu sua ou \
    de het een van en op te dat die in voor is met zijn niet aan er om hij ook als maar door \
    i w na z do się nie to że o jest po jak za od ale co dla przez są \
    и в не на что с он как это по но из у за от для так же вы было его \
    og det som en på er av til for med ikke har de å et den om var \
    att och i är som på för av den med inte ett om men har \
    ve bir bu da için ile çok olarak daha en gibi ne var \
    και το της την του με για από που στο";

static STOP_WORD_HASHES: LazyLock<FxHashSet<u64>> =
    LazyLock::new(|| STOP_WORDS.split_whitespace().map(hash_word).collect());

/// Returns whether a word is a stop word of any of the languages.
pub(crate) fn is_stop_word(word: Word) -> bool {
    word.letters <= 6 && STOP_WORD_HASHES.contains(&word.hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(u64, bool)> {
        let mut words = Vec::new();
        each_token(text, |token| {
            if let Token::Word(word) = token {
                words.push((word.hash, word.capitalized));
            }
        });
        words
    }

    #[test]
    fn words_are_found_in_any_script() {
        let expected: Vec<(u64, bool)> = [("don", false), ("größe", true), ("漢", false), ("字", false), ("x2", true)]
            .map(|(word, capitalized)| (hash_word(word), capitalized))
            .to_vec();
        assert_eq!(words("don GRÖSSE, 漢字 X2!").len(), 5);
        assert_eq!(words("don Größe, 漢字 X2!"), expected);
        assert_eq!(words("don't")[0].0, hash_word("dont"));
        assert!(words(" —!? ").is_empty());
    }

    #[test]
    fn stop_words_are_recognized() {
        let is = |text: &str| {
            let mut found = false;
            each_token(text, |token| found |= matches!(token, Token::Word(word) if is_stop_word(word)));
            found
        };
        assert!(is("The") && is("für") && is("И") && !is("harbour") && !is("港"));
    }
}
