//! The phrases of a text that can be keywords, and where they occur.
//!
//! A phrase is up to five words in a row, within one sentence, that neither begins nor ends with a stop word. In scripts without spaces it
//! is two to eight characters in a row. The text is Markdown, in which headings and links differ from the rest. Plain text
//! works, too.

use crate::text::stop_words::is_stop_word;
use crate::text::words::is_part_of_word;
use dehusk::dom::text::is_spaceless;
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// The maximum number of words of a phrase.
pub(crate) const MAX_WORDS: usize = 5;
/// The maximum number of characters of a phrase in a script without spaces.
pub(crate) const MAX_CHARACTERS: usize = 8;
/// Words of a text that are looked at. More add hardly any keyword, and the longest pages have millions.
const MAX_TOKENS: usize = 50_000;

/// One word, or one character of a script without spaces.
#[derive(Clone, Debug, Default)]
struct Token {
    /// In lower case.
    word: String,
    /// Where it is in the source.
    start: usize,
    end: usize,
    /// Whether a phrase can go on from the word before.
    goes_on: bool,
    is_spaceless: bool,
    is_stop: bool,
    /// Whether it begins with a capital letter, and whether all its letters are capitals.
    is_capital: bool,
    is_upper: bool,
    is_heading: bool,
    is_link: bool,
    is_strong: bool,
    is_title: bool,
    line: u32,
}

/// A phrase and what is known of its occurrences.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Phrase {
    /// The hash of its words.
    pub(crate) key: u64,
    /// As it is written where it first occurs.
    pub(crate) text: String,
    /// The hashes of its words.
    pub(crate) words: Vec<u64>,
    pub(crate) count: u32,
    /// The number of the word it first begins with, and of the last.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) in_title: bool,
    /// Occurrences in headings, in links, in strong text, with capital letters, in capital letters only.
    pub(crate) in_headings: u32,
    pub(crate) in_links: u32,
    pub(crate) in_strong: u32,
    pub(crate) capitalized: u32,
    pub(crate) upper_case: u32,
    /// Words of the shortest line it is in.
    pub(crate) line_words: u32,
    /// Occurrences of the most frequent phrase that is one word longer.
    pub(crate) longer: u32,
    pub(crate) is_spaceless: bool,
}

/// The phrases of a document, in the order in which they first occur.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phrases {
    pub(crate) phrases: Vec<Phrase>,
    /// Words of the text.
    pub(crate) words: u32,
}

impl Phrases {
    /// The phrases of a title and a text.
    #[must_use]
    pub fn of(title: Option<&str>, text: &str) -> Phrases {
        let mut scanner = Scanner::default();
        let title = title.unwrap_or_default().replace(['\n', '\r'], " ");
        scanner.line(&title, 0, Place { is_title: true, ..Place::default() });
        let titles = scanner.tokens.len();
        scanner.text(text);
        let tokens = scanner.tokens;
        let mut line_words: HashMap<u32, u32> = HashMap::default();
        tokens.iter().for_each(|token| *line_words.entry(token.line).or_default() += 1);
        let mut numbers: HashMap<u64, usize> = HashMap::default();
        let mut phrases: Vec<Phrase> = Vec::new();
        let mut title_keys: HashSet<u64> = HashSet::default();
        let mut joined = String::new();
        for first in 0..tokens.len() {
            joined.clear();
            let most = if tokens[first].is_spaceless { MAX_CHARACTERS } else { MAX_WORDS };
            // The phrase that begins here and is one word shorter: its `longer` counts this one.
            let mut shorter: Option<usize> = None;
            for length in 1..=most {
                let Some(token) = tokens.get(first + length - 1) else { break };
                if length > 1 && !token.goes_on {
                    break;
                }
                if length > 1 {
                    joined.push(' ');
                }
                joined.push_str(&token.word);
                let run = &tokens[first..first + length];
                if !is_phrase(run) || splits_katakana(&tokens, first, first + length) {
                    continue;
                }
                let key = xxh3_64(joined.as_bytes());
                if token.is_title {
                    title_keys.insert(key);
                }
                let number = *numbers.entry(key).or_insert_with(|| {
                    let source = if token.is_title { title.as_str() } else { text };
                    phrases.push(Phrase::new(key, run, source, first));
                    phrases.len() - 1
                });
                // The title says what a document is about, but is not part of its text.
                if !token.is_title {
                    let place = first - titles;
                    phrases[number].add(run, place as u32, line_words.get(&token.line).copied().unwrap_or(1));
                    let count = phrases[number].count;
                    if let Some(shorter) = shorter {
                        phrases[shorter].longer = phrases[shorter].longer.max(count);
                    }
                    // The phrase without its first word.
                    if let Some((_, rest)) = joined.split_once(' ')
                        && let Some(rest) = numbers.get(&xxh3_64(rest.as_bytes()))
                    {
                        phrases[*rest].longer = phrases[*rest].longer.max(count);
                    }
                    shorter = Some(number);
                }
            }
        }
        for phrase in &mut phrases {
            phrase.in_title = title_keys.contains(&phrase.key);
        }
        Phrases { phrases, words: (tokens.len() - titles) as u32 }
    }

    /// The hashes of all phrases, each once.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> {
        self.phrases.iter().map(|phrase| phrase.key)
    }
}

/// The hash of a keyword, however it is written. Nothing for one that no phrase can be.
pub(crate) fn keyword_key(keyword: &str) -> Option<u64> {
    let mut scanner = Scanner::default();
    scanner.line(keyword, 0, Place::default());
    let most = if scanner.tokens.iter().any(|token| token.is_spaceless) { MAX_CHARACTERS } else { MAX_WORDS };
    if scanner.tokens.is_empty() || scanner.tokens.len() > most {
        return None;
    }
    let words: Vec<&str> = scanner.tokens.iter().map(|token| token.word.as_str()).collect();
    Some(xxh3_64(words.join(" ").as_bytes()))
}

fn is_phrase(run: &[Token]) -> bool {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return false };
    let is_number = |token: &Token| token.word.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = |token: &Token| !token.is_spaceless && token.word.chars().nth(1).is_none();
    let is_short = run.len() == 1 && (first.is_spaceless || is_letter(first));
    !(first.is_stop || last.is_stop || is_short || run.iter().all(is_number))
}

/// Whether a run begins or ends within a run of katakana, which is one word.
fn splits_katakana(tokens: &[Token], start: usize, end: usize) -> bool {
    let is_katakana = |token: &Token| token.word.starts_with(|letter| ('\u{30a0}'..='\u{30ff}').contains(&letter));
    let is_within = |at: usize| {
        let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|before| tokens.get(before)), tokens.get(at))
        else {
            return false;
        };
        after.goes_on && is_katakana(before) && is_katakana(after)
    };
    is_within(start) || is_within(end)
}

impl Phrase {
    fn new(key: u64, run: &[Token], source: &str, first: usize) -> Phrase {
        let (start, end) = (run[0].start, run[run.len() - 1].end);
        let text: String =
            source.get(start..end).unwrap_or_default().chars().filter(|letter| !MARKS.contains(letter)).collect();
        Phrase {
            key,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            words: run.iter().map(|token| xxh3_64(token.word.as_bytes())).collect(),
            count: 0,
            first: first as u32,
            last: first as u32,
            in_title: false,
            in_headings: 0,
            in_links: 0,
            in_strong: 0,
            capitalized: 0,
            upper_case: 0,
            line_words: u32::MAX,
            longer: 0,
            is_spaceless: run[0].is_spaceless,
        }
    }

    fn add(&mut self, run: &[Token], place: u32, line_words: u32) {
        if self.count == 0 {
            self.first = place;
        }
        self.count += 1;
        self.last = place;
        let all = |is: fn(&Token) -> bool| u32::from(run.iter().all(is));
        self.in_headings += all(|token| token.is_heading);
        self.in_links += all(|token| token.is_link);
        self.in_strong += all(|token| token.is_strong);
        // Stop words are in lower case even in names, as in `Lord of the Rings`.
        self.capitalized += all(|token| token.is_capital || token.is_stop);
        self.upper_case += all(|token| token.is_upper || token.is_stop);
        self.line_words = self.line_words.min(line_words);
    }
}

/// Marks of Markdown within a line.
const MARKS: [char; 5] = ['*', '`', '\\', '[', ']'];

/// Where a line is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    is_title: bool,
    is_heading: bool,
}

/// Reads words line by line.
#[derive(Debug, Default)]
struct Scanner {
    tokens: Vec<Token>,
    line: u32,
}

impl Scanner {
    fn text(&mut self, text: &str) {
        let mut is_code = false;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim_start();
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                is_code = !is_code;
            } else if !is_code {
                let after = trimmed.trim_start_matches('#');
                let is_heading = after.len() < trimmed.len() && after.starts_with(' ');
                self.line(line, start, Place { is_heading, is_title: false });
            }
            start += line.len();
            if self.is_full() {
                return;
            }
        }
    }

    fn is_full(&self) -> bool {
        self.tokens.len() > MAX_TOKENS
    }

    /// Reads a line that begins at an offset of its source. A text without line breaks is one line, of any length.
    fn line(&mut self, line: &str, offset: usize, place: Place) {
        self.line += 1;
        let mut goes_on = false;
        let mut joints = 0;
        let mut is_strong = false;
        // The first token of the link that is open.
        let mut link: Option<usize> = None;
        // Looked for once: a line can have any number of images without a target.
        let last_target = line.rfind("](").unwrap_or(0);
        let mut at = 0;
        while let Some(character) = line[at..].chars().next().filter(|_| !self.is_full()) {
            let rest = &line[at..];
            let next = at + character.len_utf8();
            if is_address(rest, at == 0 || !line[..at].ends_with(char::is_alphanumeric)) {
                at += rest
                    .find(|letter: char| letter.is_whitespace() || letter == ')' || letter == '>')
                    .unwrap_or(rest.len());
                goes_on = false;
                continue;
            }
            if character.is_alphanumeric() {
                let is_spaceless = is_spaceless(character);
                let end = if is_spaceless { next } else { at + word_length(rest) };
                let word = line[at..end].to_lowercase();
                let last_is_spaceless = self.tokens.last().is_some_and(|token| token.is_spaceless);
                self.tokens.push(Token {
                    is_capital: character.is_uppercase(),
                    is_upper: end > next && !line[at..end].contains(char::is_lowercase) && character.is_uppercase(),
                    is_stop: is_stop_word(&word),
                    word,
                    start: offset + at,
                    end: offset + end,
                    goes_on: goes_on && is_spaceless == last_is_spaceless,
                    is_spaceless,
                    is_heading: place.is_heading,
                    is_link: false,
                    is_strong,
                    is_title: place.is_title,
                    line: self.line,
                });
                (goes_on, joints, at) = (true, 0, end);
                continue;
            }
            match character {
                '!' if rest[1..].starts_with('[') => {
                    // An image: its description is not running text.
                    at += if at < last_target { image_length(rest) } else { 2 };
                    goes_on = false;
                    continue;
                }
                '[' => link = Some(self.tokens.len()),
                ']' => {
                    if let Some(first) = link.take()
                        && rest[1..].starts_with('(')
                    {
                        self.tokens[first..].iter_mut().for_each(|token| token.is_link = true);
                        at += 1 + parenthesis_length(&rest[1..]);
                        continue;
                    }
                }
                '*' if rest.starts_with("**") => {
                    is_strong = !is_strong;
                    at += 2;
                    continue;
                }
                '*' | '_' | '`' | '\\' => {}
                '-' | '\'' | '’' | '&' | '+' => {
                    joints += 1;
                    // One hyphen or apostrophe joins words; two in a row are a dash.
                    goes_on &= joints < 2;
                }
                // A dot inside a name such as `Node.js` does not end a sentence.
                '.' if line[next..].starts_with(char::is_alphanumeric) => {}
                _ if character.is_whitespace() => {}
                _ => goes_on = false,
            }
            at = next;
        }
    }
}

fn is_address(rest: &str, at_start: bool) -> bool {
    at_start && ["http://", "https://", "www."].iter().any(|start| rest.starts_with(start))
}

/// The bytes of the word a text begins with.
fn word_length(rest: &str) -> usize {
    rest.find(|letter: char| !is_part_of_word(letter) || is_spaceless(letter)).unwrap_or(rest.len())
}

/// The bytes of the parenthesis a text begins with; all others in it are closed first.
fn parenthesis_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth <= 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

fn image_length(rest: &str) -> usize {
    match rest.find("](") {
        Some(at) => at + 1 + parenthesis_length(&rest[at + 1..]),
        None => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        Phrases::of(None, text).phrases.into_iter().map(|phrase| phrase.text).collect()
    }

    #[test]
    fn phrases_stay_within_sentences_and_have_no_stop_words_at_their_ends() {
        assert_eq!(texts("Bank of England. The bank"), ["Bank", "Bank of England", "England"]);
        assert_eq!(texts("red, green"), ["red", "green"]);
        assert_eq!(texts("red\ngreen"), ["red", "green"]);
        assert_eq!(
            texts("node.js vitamin-C"),
            [
                "node",
                "node.js",
                "node.js vitamin",
                "node.js vitamin-C",
                "js",
                "js vitamin",
                "js vitamin-C",
                "vitamin",
                "vitamin-C"
            ]
        );
        assert_eq!(texts("one 2 three four five six").iter().filter(|text| text.split(' ').count() > 5).count(), 0);
        assert!(texts("2024 12 the").is_empty());
        assert_eq!(texts("東京都。京"), ["東京", "東京都", "京都"]);
        assert_eq!(texts("Offer年薪"), ["Offer", "年薪"]);
        assert_eq!(texts("コマンドの使い方"), ["コマンド", "コマンドの使", "コマンドの使い方", "使い方"]);
    }

    #[test]
    fn markdown_tells_headings_links_and_strong_text() {
        let phrases = Phrases::of(
            Some("Blue boats | Shop"),
            "# Blue boats\n\nSee [boats](http://x.example/a_(b)) and **boats** ![red car](x.png)\n```\ncode\n```\nhttp://y.example/z",
        );
        let find = |text: &str| phrases.phrases.iter().find(|phrase| phrase.text == text);
        let boats = find("boats").unwrap();
        assert_eq!((boats.count, boats.in_headings, boats.in_links, boats.in_strong), (3, 1, 1, 1));
        assert!(boats.in_title && find("Blue boats").unwrap().in_title);
        assert_eq!(boats.longer, 1);
        for absent in ["code", "car", "red car", "example", "x", "z"] {
            assert!(find(absent).is_none(), "{absent}");
        }
        assert_eq!(find("Shop").unwrap().count, 0);
    }

    #[test]
    fn keywords_match_phrases_however_they_are_written() {
        let key = |text: &str| Phrases::of(None, text).phrases[0].key;
        assert_eq!(keyword_key(" E-Mail "), keyword_key("e mail"));
        assert_eq!(keyword_key("BOATS"), Some(key("boats")));
        assert_eq!(keyword_key("a b c d e f"), None);
        assert_eq!(keyword_key(" ,"), None);
    }

    #[test]
    fn a_long_line_costs_no_more_than_long_texts() {
        let text: String = (0..200_000).map(|number| format!("w{number} ")).collect();
        let phrases = Phrases::of(None, &text);
        assert!((phrases.words as usize) <= MAX_TOKENS + 1, "{}", phrases.words);
        // Would take hours if each of these were looked for to the end of the line.
        assert!(Phrases::of(None, &"![".repeat(2_000_000)).phrases.is_empty());
    }

    /// Marks that are never closed: the words around them are found, and nothing else is.
    #[test]
    fn unfinished_marks_are_no_words() {
        let cases: [(&str, &[&str]); 12] = [
            ("![", &[]),
            ("]", &[]),
            ("**", &[]),
            ("www.", &[]),
            ("\\", &[]),
            ("```", &[]),
            ("[boat](", &["boat"]),
            ("[[[boat]]](((", &["boat"]),
            ("![boat](car", &[]),
            ("**boat", &["boat"]),
            ("[boat](a(b)c), car", &["boat", "car"]),
            ("boat\u{301}", &["boat\u{301}"]),
        ];
        for (text, expected) in cases {
            assert_eq!(texts(text), expected, "{text}");
            let keys: Vec<Option<u64>> = expected.iter().take(1).map(|word| keyword_key(word)).collect();
            let found: Vec<Option<u64>> = Phrases::of(Some(text), text).keys().take(1).map(Some).collect();
            assert_eq!(found, keys, "{text}");
        }
    }
}
