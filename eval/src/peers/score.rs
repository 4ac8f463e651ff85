//! The measure of wcxb: words that a text and its reference share.

use std::collections::BTreeMap;
use unicode_general_category::{GeneralCategory, get_general_category};

/// What is known of a page.
pub(super) struct Truth {
    pub(super) id: String,
    pub(super) page_type: String,
    /// The words of the reference text.
    pub(super) words: Words,
    /// Snippets that a text must contain and must not contain, in lower case.
    pub(super) with: Vec<String>,
    pub(super) without: Vec<String>,
}

/// How often each word occurs in a text.
pub(super) struct Words {
    counts: BTreeMap<String, u32>,
    total: u32,
}

impl Words {
    /// Counts what `\w+` of Python finds in the text in lower case.
    pub(super) fn count(text: &str) -> Words {
        let mut words = Words { counts: BTreeMap::new(), total: 0 };
        let lower = text.to_lowercase();
        for word in lower.split(|character| !is_word_character(character)).filter(|word| !word.is_empty()) {
            words.total += 1;
            match words.counts.get_mut(word) {
                Some(count) => *count += 1,
                None => {
                    words.counts.insert(word.to_string(), 1);
                }
            }
        }
        words
    }

    fn shared_with(&self, other: &Words) -> u32 {
        self.counts.iter().map(|(word, count)| *other.counts.get(word).unwrap_or(&0).min(count)).sum()
    }
}

/// Whether `\w` matches: letters, numbers, underscore. Unlike `char::is_alphanumeric`, Python excludes combining marks: vowel
/// signs of Indic scripts split words, and so do separate accents.
fn is_word_character(character: char) -> bool {
    use GeneralCategory::{
        DecimalNumber, LetterNumber, LowercaseLetter, ModifierLetter, OtherLetter, OtherNumber, TitlecaseLetter,
        UppercaseLetter,
    };
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    matches!(
        get_general_category(character),
        UppercaseLetter
            | LowercaseLetter
            | TitlecaseLetter
            | ModifierLetter
            | OtherLetter
            | DecimalNumber
            | LetterNumber
            | OtherNumber
    )
}

/// The figures of a page, or the means of many.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub(super) struct Score {
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
    /// The share of required snippets found.
    pub(super) with: f64,
    /// The share of forbidden snippets found.
    pub(super) without: f64,
}

impl Score {
    /// The score of a text for a page.
    pub(super) fn of(text: &str, truth: &Truth) -> Score {
        let (precision, recall, f1) = compare(&Words::count(text), &truth.words);
        let lower = text.to_lowercase();
        let found = |snippets: &[String]| {
            let found = snippets.iter().filter(|snippet| lower.contains(snippet.as_str())).count();
            found as f64 / snippets.len() as f64
        };
        let with = if truth.with.is_empty() { 1.0 } else { found(&truth.with) };
        let without = if truth.without.is_empty() { 0.0 } else { found(&truth.without) };
        Score { precision, recall, f1, with, without }
    }

    pub(super) fn mean<'a>(scores: impl Iterator<Item = &'a Score>) -> Score {
        let (mut sum, mut count) = (Score::default(), 0.0);
        for score in scores {
            count += 1.0;
            sum.precision += score.precision;
            sum.recall += score.recall;
            sum.f1 += score.f1;
            sum.with += score.with;
            sum.without += score.without;
        }
        let mean = |sum: f64| if count == 0.0 { 0.0 } else { sum / count };
        Score {
            precision: mean(sum.precision),
            recall: mean(sum.recall),
            f1: mean(sum.f1),
            with: mean(sum.with),
            without: mean(sum.without),
        }
    }
}

/// Precision, recall and F1 of the words of a text.
fn compare(found: &Words, wanted: &Words) -> (f64, f64, f64) {
    if wanted.total == 0 {
        let right = if found.total == 0 { 1.0 } else { 0.0 };
        return (right, right, right);
    }
    let shared = f64::from(found.shared_with(wanted));
    if shared == 0.0 {
        return (0.0, 0.0, 0.0);
    }
    let (precision, recall) = (shared / f64::from(found.total), shared / f64::from(wanted.total));
    (precision, recall, 2.0 * precision * recall / (precision + recall))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, u32)> {
        Words::count(text).counts.into_iter().collect()
    }

    fn scored(found: &str, wanted: &str) -> (f64, f64, f64) {
        compare(&Words::count(found), &Words::count(wanted))
    }

    #[test]
    fn words_are_those_of_python() {
        let once = |list: &[&str]| list.iter().map(|word| (word.to_string(), 1)).collect::<Vec<_>>();
        assert_eq!(words("It's snake_case, 2nd"), once(&["2nd", "it", "s", "snake_case"]));
        // Combining marks are not word characters: the vowel signs of Hindi, a separate accent, the dot that lower case
        // leaves of İ.
        assert_eq!(words("हिन्दी"), once(&["द", "न", "ह"]));
        assert_eq!(words("cafe\u{301}s"), once(&["cafe", "s"]));
        assert_eq!(words("İx"), once(&["i", "x"]));
        // Letters in circles are symbols; numbers in circles, fractions and Roman numerals are numbers.
        assert_eq!(words("Ⓐ"), once(&[]));
        assert_eq!(words("① ½ Ⅳ x²"), once(&["x²", "½", "ⅳ", "①"]));
        // The last sigma of a word has its own form.
        assert_eq!(words("ΟΔΟΣ ΟΔΟΣ"), [("οδος".to_string(), 2)]);
    }

    #[test]
    fn words_count_as_often_as_they_stand() {
        assert_eq!(scored("a a b", "a b b c"), (2.0 / 3.0, 0.5, 2.0 * (2.0 / 3.0) * 0.5 / (2.0 / 3.0 + 0.5)));
        assert_eq!(scored("B a", "A b"), (1.0, 1.0, 1.0));
        assert_eq!(scored("x", "y"), (0.0, 0.0, 0.0));
    }

    #[test]
    fn nothing_is_right_where_nothing_is_wanted() {
        assert_eq!(scored(" -- ", ""), (1.0, 1.0, 1.0));
        assert_eq!(scored("a", "?"), (0.0, 0.0, 0.0));
        assert_eq!(scored("", "a"), (0.0, 0.0, 0.0));
    }

    #[test]
    fn snippets_are_found_in_any_case() {
        let snippets = |list: &[&str]| list.iter().map(|snippet| snippet.to_lowercase()).collect::<Vec<_>>();
        let mut truth = Truth {
            id: "1".into(),
            page_type: "article".into(),
            words: Words::count("One two"),
            with: snippets(&["ONE two", "three"]),
            without: snippets(&["Two"]),
        };
        let score = Score::of("one TWO", &truth);
        assert_eq!((score.f1, score.with, score.without), (1.0, 0.5, 1.0));
        (truth.with, truth.without) = (Vec::new(), Vec::new());
        let score = Score::of("one TWO", &truth);
        assert_eq!((score.with, score.without), (1.0, 0.0));
    }
}
