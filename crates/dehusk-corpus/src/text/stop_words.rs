//! Words that no keyword begins or ends with.

use dehusk::read::WordHash;

/// Whether a word or term, in lower case, is a stop word of one of the languages. In Japanese the endings and particles are written in
/// hiragana, and what has meaning hardly ever is. In languages without a list, a word that most documents of a crawl have is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    dehusk::read::is_stop_word(WordHash::of(word))
        || word.contains(|letter| ('\u{3041}'..='\u{309f}').contains(&letter))
}
