//! The words of a text, in lower case.
//!
//! A word is a run of letters and digits. Scripts that are written without spaces have no such words: there a word is one
//! character, and a term, which should carry meaning, is two characters in a row. All uses of text in this crate read the same words; signatures
//! of near-duplicates and models of topics and keywords depend on them. The words that results are measured by
//! (`dehusk_train::measure_words`) follow the benchmarks instead.

use dehusk::dom::text::is_spaceless;

/// Calls back with each word in lower case. A character of a script without spaces is a word.
pub fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    for character in text.chars() {
        if !is_part_of_word(character) || is_spaceless(character) {
            if !word.is_empty() {
                each(&word);
                word.clear();
            }
            if character.is_alphanumeric() {
                word.push(character);
                each(&word);
                word.clear();
            }
        } else if character.is_ascii() {
            word.push(character.to_ascii_lowercase());
        } else {
            word.extend(character.to_lowercase());
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Calls back with each term in lower case: a word, or two characters in a row of a script without spaces. A single such
/// character between others is a term of its own.
pub fn for_each_term(text: &str, mut each: impl FnMut(&str)) {
    let mut term = String::new();
    // The last character of a script without spaces, and whether a term holds it already.
    let mut last: Option<(char, bool)> = None;
    let end_run = |last: &mut Option<(char, bool)>, each: &mut dyn FnMut(&str)| {
        if let Some((character, false)) = last.take() {
            each(character.encode_utf8(&mut [0; 4]));
        }
    };
    for character in text.chars() {
        if is_spaceless(character) && character.is_alphanumeric() {
            if !term.is_empty() {
                each(&term);
                term.clear();
            }
            if let Some((before, _)) = last {
                term.extend([before, character]);
                each(&term);
                term.clear();
            }
            last = Some((character, last.is_some()));
        } else if is_part_of_word(character) && !is_spaceless(character) {
            end_run(&mut last, &mut each);
            term.extend(character.to_lowercase());
        } else {
            end_run(&mut last, &mut each);
            if !term.is_empty() {
                each(&term);
                term.clear();
            }
        }
    }
    end_run(&mut last, &mut each);
    if !term.is_empty() {
        each(&term);
    }
}

/// Letters, digits, and accents that follow their letter as a character of their own.
pub(crate) fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_string()));
        words
    }

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        for_each_term(text, |term| terms.push(term.to_string()));
        terms
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        assert_eq!(words("Don't panic, it's 42 ÄRGER\u{301}!"), ["don", "t", "panic", "it", "s", "42", "ärger\u{301}"]);
        assert!(words(" .,-\n").is_empty());
    }

    #[test]
    fn scripts_without_spaces_give_characters_and_pairs() {
        assert_eq!(words("abc東京都へ"), ["abc", "東", "京", "都", "へ"]);
        assert_eq!(terms("abc東京都へ go。新"), ["abc", "東京", "京都", "都へ", "go", "新"]);
        assert_eq!(terms("plain Words only"), ["plain", "words", "only"]);
        assert_eq!(terms("東、京"), ["東", "京"]);
    }
}
