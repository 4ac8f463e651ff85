//! Words of a text, one by one: for counting, for the title, for the little words that running text is full of.
//!
//! A word is a run of letters and digits; each character of a script written without spaces is one.

use crate::dom::text::is_spaceless;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// One word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// The hash of its lower-case letters.
    pub(crate) hash: u64,
    /// Its letters.
    pub(crate) letters: u32,
    /// Whether it begins with a capital letter.
    pub(crate) capital: bool,
}

/// What stands in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// A word.
    Word(Word),
    /// A character that is neither part of a word nor white space.
    Mark(char),
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

fn hash_on(hash: u64, character: u32) -> u64 {
    (hash ^ u64::from(character)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// The hash of a word that is in lower case already.
pub(crate) fn hash_word(word: &str) -> u64 {
    word.chars().fold(START, |hash, character| hash_on(hash, character as u32))
}

/// Gives the words and marks of a text in order.
pub(crate) fn each_piece(text: &str, mut each: impl FnMut(Piece)) {
    let mut open = Word { hash: START, letters: 0, capital: false };
    for character in text.chars() {
        let is_part = if character.is_ascii() {
            character.is_ascii_alphanumeric()
        } else {
            character.is_alphanumeric() && !is_spaceless(character)
        };
        if is_part {
            if character.is_ascii() {
                open.capital |= open.letters == 0 && character.is_ascii_uppercase();
                open.hash = hash_on(open.hash, character.to_ascii_lowercase() as u32);
            } else {
                open.capital |= open.letters == 0 && character.is_uppercase();
                open.hash = character.to_lowercase().fold(open.hash, |hash, lower| hash_on(hash, lower as u32));
            }
            open.letters += 1;
            continue;
        }
        // The apostrophe of "don't" is part of the word.
        if matches!(character, '\'' | '’') && open.letters > 0 {
            continue;
        }
        if open.letters > 0 {
            each(Piece::Word(open));
            open = Word { hash: START, letters: 0, capital: false };
        }
        if !character.is_ascii() && is_spaceless(character) && character.is_alphanumeric() {
            each(Piece::Word(Word { hash: hash_on(START, character as u32), letters: 1, capital: false }));
        } else if !character.is_whitespace() {
            each(Piece::Mark(character));
        }
    }
    if open.letters > 0 {
        each(Piece::Word(open));
    }
}

/// Little words of some languages. A page in another language has none of them, and features made of them say nothing then.
const LITTLE_WORDS: &str = "\
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

static LITTLE: LazyLock<FxHashSet<u64>> = LazyLock::new(|| LITTLE_WORDS.split_whitespace().map(hash_word).collect());

/// Whether a word is one of the little words of a language.
pub(crate) fn is_little(word: Word) -> bool {
    word.letters <= 6 && LITTLE.contains(&word.hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(u64, bool)> {
        let mut words = Vec::new();
        each_piece(text, |piece| {
            if let Piece::Word(word) = piece {
                words.push((word.hash, word.capital));
            }
        });
        words
    }

    #[test]
    fn words_are_found_in_any_script() {
        let expected: Vec<(u64, bool)> = [("don", false), ("größe", true), ("漢", false), ("字", false), ("x2", true)]
            .map(|(word, capital)| (hash_word(word), capital))
            .to_vec();
        assert_eq!(words("don GRÖSSE, 漢字 X2!").len(), 5);
        assert_eq!(words("don Größe, 漢字 X2!"), expected);
        assert_eq!(words("don't")[0].0, hash_word("dont"));
        assert!(words(" —!? ").is_empty());
    }

    #[test]
    fn little_words_are_known() {
        let is = |text: &str| {
            let mut found = false;
            each_piece(text, |piece| found |= matches!(piece, Piece::Word(word) if is_little(word)));
            found
        };
        assert!(is("The") && is("für") && is("И") && !is("harbour") && !is("港"));
    }
}
