//! Keywords of a document: its phrases, ranked by a logistic regression on how and where they occur.
//!
//! Trained on pages whose authors named keywords in `<meta name=keywords>`. These are what is learned, and never a feature.

use crate::error::Error;
use crate::text::document_frequencies::DocumentFrequencies;
use crate::text::phrases::{Phrase, Phrases, keyword_key};
use dehusk::dom::random::SplitMix64;
use dehusk::dom::{Document as Page, Name};
use dehusk::model::{Discretizer, Logistic, ModelFile, Schema, sigmoid};
use dehusk_train::{Bins, LogisticOptions, SparseRows, fit_logistic};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The kind of the model file.
const KIND: &str = "keywords";
/// Raised whenever phrases or features are made differently.
const VERSION: u32 = 1;
/// The features of a phrase.
const FEATURES: [&str; 20] = [
    "count",
    "count_share",
    "rarity",
    "word_rarity_least",
    "word_rarity_mean",
    "count_rarity",
    "first_words",
    "first_share",
    "spread",
    "title",
    "headings",
    "links",
    "strong",
    "capitals",
    "words",
    "longer_share",
    "queries",
    "characters",
    "line_words",
    "upper_case",
];

fn schema() -> Schema {
    Schema::new("phrases", VERSION, FEATURES)
}

/// How often people searched for phrases.
#[derive(Clone, Debug, Default)]
pub struct QueryLog {
    counts: HashMap<u64, u64>,
}

impl QueryLog {
    /// Reads a log: a query on each line, or a query, a tab and how often it was asked. Queries of more words than a keyword has are
    /// passed over.
    #[must_use]
    pub fn parse(log: &str) -> QueryLog {
        let mut counts: HashMap<u64, u64> = HashMap::default();
        for line in log.lines() {
            let (query, times) = match line.rsplit_once('\t') {
                Some((query, times)) => (query, times.trim().parse().unwrap_or(1)),
                None => (line, 1),
            };
            if let Some(key) = keyword_key(query) {
                let count = counts.entry(key).or_default();
                *count = count.saturating_add(times);
            }
        }
        QueryLog { counts }
    }

    fn feature(&self, key: u64) -> f32 {
        self.counts.get(&key).map_or(0.0, |count| (*count as f64).ln_1p() as f32)
    }
}

/// A document whose keywords are known.
#[derive(Clone, Debug, Default)]
pub struct KeywordExample {
    /// The phrases of the document.
    pub phrases: Phrases,
    /// The keywords, as written by the author.
    pub keywords: Vec<String>,
}

impl KeywordExample {
    /// A document as Markdown or plain text, with its title and its keywords.
    #[must_use]
    pub fn new(text: &str, title: Option<&str>, keywords: Vec<String>) -> KeywordExample {
        KeywordExample { phrases: Phrases::of(title, text), keywords }
    }
}

/// A keyword of a document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Keyword {
    /// As it is written where it first occurs.
    pub text: String,
    /// The probability that an author would name it, as far as the model knows, 0 to 1.
    pub score: f64,
    pub(crate) key: u64,
}

/// Ranks the phrases of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct KeywordModel {
    cuts: Discretizer,
    weights: Logistic,
    card: String,
}

/// Intervals of each feature.
const INTERVALS: usize = 16;
/// Phrases of a document that are learned from besides its keywords: a random choice, weighted so as to stand for all others.
const OTHERS: usize = 150;

impl KeywordModel {
    /// The built-in model.
    #[must_use]
    pub fn builtin() -> &'static KeywordModel {
        static BUILTIN: LazyLock<KeywordModel> = LazyLock::new(|| {
            let model = KeywordModel::from_bytes(include_bytes!("../models/keywords.model"));
            model.expect("the built-in model is valid, as a test checks")
        });
        &BUILTIN
    }

    /// Learns which phrases authors name. `frequencies` are of any documents; the model should be used with those of documents like
    /// them.
    ///
    /// # Errors
    /// If no keyword is a phrase of its document.
    pub fn train(
        examples: &[&KeywordExample],
        frequencies: &DocumentFrequencies,
        queries: &QueryLog,
        seed: u64,
    ) -> Result<KeywordModel, Error> {
        let rows_of = |(number, example): (usize, &&KeywordExample)| -> Vec<(Vec<f32>, bool, f32)> {
            let truth = truth_keys(&example.keywords);
            let candidates = candidates(&example.phrases, frequencies, queries);
            let (named, others): (Vec<_>, Vec<_>) =
                candidates.into_iter().partition(|(phrase, _)| truth.binary_search(&phrase.key).is_ok());
            if named.is_empty() {
                return Vec::new();
            }
            let chosen = SplitMix64::part(seed, number as u64).choose(others.len(), OTHERS);
            let weight = others.len() as f32 / chosen.len().max(1) as f32;
            let named = named.into_iter().map(|(_, row)| (row, true, 1.0));
            named.chain(chosen.into_iter().map(|at| (others[at].1.clone(), false, weight))).collect()
        };
        let parts: Vec<Vec<(Vec<f32>, bool, f32)>> = examples.par_iter().enumerate().map(rows_of).collect();
        let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (row, is_named, weight) in parts.into_iter().flatten() {
            rows.extend(row);
            labels.push(f32::from(u8::from(is_named)));
            weights.push(weight);
        }
        if !labels.contains(&1.0) {
            return Err(Error::NoKeywords);
        }
        let cuts = Bins::new(&rows, FEATURES.len(), INTERVALS).into_cuts();
        let sparse = SparseRows::of(&cuts, &rows);
        let options = LogisticOptions { l2: 1e-5, ..LogisticOptions::default() };
        let weights = fit_logistic(&sparse, &labels, &weights, options);
        Ok(KeywordModel { cuts, weights, card: String::new() })
    }

    /// The best keywords of a document, best first.
    #[must_use]
    pub fn top(
        &self,
        phrases: &Phrases,
        frequencies: &DocumentFrequencies,
        queries: &QueryLog,
        count: usize,
    ) -> Vec<Keyword> {
        self.ranked(phrases, frequencies, queries).into_iter().take(count).map(keyword).collect()
    }

    /// The best keywords of a document without those whose words are all in better ones: next to `oatmeal raisin` and `cookies`
    /// there is no `raisin`. For readers, to whom it would say nothing new; authors do name such keywords, so that top-N scores are a little lower.
    #[must_use]
    pub fn top_distinct(
        &self,
        phrases: &Phrases,
        frequencies: &DocumentFrequencies,
        queries: &QueryLog,
        count: usize,
    ) -> Vec<Keyword> {
        let mut covered: HashSet<u64> = HashSet::default();
        let is_new = |(_, phrase): &(f32, &Phrase)| {
            let is_new = phrase.words.iter().any(|word| !covered.contains(word));
            covered.extend(&phrase.words);
            is_new
        };
        self.ranked(phrases, frequencies, queries).into_iter().filter(is_new).take(count).map(keyword).collect()
    }

    /// Phrases that can be keywords with the logarithms of their odds, best first. Of equals the one that comes first in the document.
    fn ranked<'a>(
        &self,
        phrases: &'a Phrases,
        frequencies: &DocumentFrequencies,
        queries: &QueryLog,
    ) -> Vec<(f32, &'a Phrase)> {
        let mut ranked: Vec<(f32, &Phrase)> = candidates(phrases, frequencies, queries)
            .into_iter()
            .map(|(phrase, row)| (self.weights.margin_of(self.cuts.columns_of(&row)), phrase))
            .collect();
        // A stable sort leaves equals in the order of the document.
        ranked.sort_by(|one, two| two.0.total_cmp(&one.0));
        ranked
    }

    /// What the model was trained on and how well it does.
    #[must_use]
    pub fn card(&self) -> &str {
        &self.card
    }

    /// With a card, which goes into the file.
    #[must_use]
    pub fn with_card(mut self, card: impl Into<String>) -> KeywordModel {
        self.card = card.into();
        self
    }

    /// The bytes of the model file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(KIND, schema(), self.card.clone());
        self.cuts.write("cuts", &mut file);
        self.weights.write("weights", &mut file);
        file.to_bytes()
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If it is damaged, of another version, or another kind of file.
    pub fn from_bytes(bytes: &[u8]) -> Result<KeywordModel, Error> {
        let file = ModelFile::from_bytes(bytes)?;
        file.expect(KIND, &schema())?;
        let cuts = Discretizer::read("cuts", FEATURES.len(), &file)?;
        let weights = Logistic::read("weights", cuts.columns(), &file)?;
        Ok(KeywordModel { cuts, weights, card: file.card.clone() })
    }
}

fn keyword((odds, phrase): (f32, &Phrase)) -> Keyword {
    Keyword { text: phrase.text.clone(), score: f64::from(sigmoid(odds)), key: phrase.key }
}

/// The phrases that can be keywords, with their features.
fn candidates<'a>(
    phrases: &'a Phrases,
    frequencies: &DocumentFrequencies,
    queries: &QueryLog,
) -> Vec<(&'a Phrase, Vec<f32>)> {
    let most = phrases.phrases.iter().map(|phrase| phrase.count).max().unwrap_or(0).max(1) as f32;
    let words = phrases.words.max(1) as f32;
    let is_stop = |word: Option<&u64>| word.is_some_and(|word| frequencies.is_stop(*word));
    let is_candidate =
        |phrase: &&Phrase| phrase.is_spaceless || !(is_stop(phrase.words.first()) || is_stop(phrase.words.last()));
    let features = |phrase: &'a Phrase| {
        let count = phrase.count as f32;
        // What is only in the title has no share of anything.
        let times = count.max(1.0);
        let rarity = frequencies.rarity(phrase.key);
        // Of a script without spaces, single characters say nothing.
        let of_words: Vec<f32> = match phrase.is_spaceless {
            true => vec![rarity],
            false => phrase.words.iter().map(|word| frequencies.rarity(*word)).collect(),
        };
        let row = vec![
            count.ln_1p(),
            count / most,
            rarity,
            of_words.iter().copied().fold(1.0, f32::min),
            of_words.iter().sum::<f32>() / of_words.len().max(1) as f32,
            count.ln_1p() * rarity,
            (phrase.first as f32).ln_1p(),
            phrase.first as f32 / words,
            phrase.last.saturating_sub(phrase.first) as f32 / words,
            f32::from(u8::from(phrase.in_title)),
            phrase.in_headings as f32 / times,
            phrase.in_links as f32 / times,
            phrase.in_strong as f32 / times,
            phrase.capitalized as f32 / times,
            if phrase.is_spaceless { 0.0 } else { phrase.words.len() as f32 },
            phrase.longer as f32 / times,
            queries.feature(phrase.key),
            // The sign separates scripts without spaces, in which the same number of characters means more.
            phrase.text.chars().count() as f32 * if phrase.is_spaceless { -1.0 } else { 1.0 },
            (phrase.line_words.min(1000) as f32).ln_1p(),
            phrase.upper_case as f32 / times,
        ];
        (phrase, row)
    };
    phrases.phrases.iter().filter(is_candidate).map(features).collect()
}

/// The hashes of keywords, sorted, each once.
fn truth_keys(keywords: &[String]) -> Vec<u64> {
    let mut keys: Vec<u64> = keywords.iter().filter_map(|keyword| keyword_key(keyword)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The top-N score of keywords: `|A ∩ K_N| / min(|A|, N)`, with `A` the true keywords and `K_N` the best N. Upper and lower case,
/// hyphens and the like do not matter. Keywords of more words than a phrase can have do not count; nothing is returned if none
/// is left.
#[must_use]
pub fn top_score(found: &[Keyword], truth: &[String], count: usize) -> Option<f64> {
    let truth = truth_keys(truth);
    if truth.is_empty() || count == 0 {
        return None;
    }
    let right = found.iter().take(count).filter(|keyword| truth.binary_search(&keyword.key).is_ok()).count();
    Some(right as f64 / truth.len().min(count) as f64)
}

/// Those of the true keywords that are phrases of a document.
#[must_use]
pub fn keywords_in(phrases: &Phrases, truth: &[String]) -> Vec<String> {
    let mut keys: Vec<u64> = phrases.keys().collect();
    keys.sort_unstable();
    let is_in = |keyword: &&String| keyword_key(keyword).is_some_and(|key| keys.binary_search(&key).is_ok());
    truth.iter().filter(is_in).cloned().collect()
}

/// The keywords that a page names in `<meta name=keywords>`, each once.
#[must_use]
pub fn meta_keywords(page: &Page) -> Vec<String> {
    let mut keywords: Vec<String> = Vec::new();
    for id in page.ids().filter(|id| page.html_name(*id) == Name::META) {
        let name = page.attribute(id, Name::NAME).unwrap_or_default();
        if !name.trim().eq_ignore_ascii_case("keywords") {
            continue;
        }
        let content = page.attribute(id, Name::CONTENT).unwrap_or_default();
        for keyword in content.split([',', ';', '\n', '，', '、', '；', '،']) {
            let keyword = keyword.split_whitespace().collect::<Vec<_>>().join(" ");
            if !keyword.is_empty() && !keywords.contains(&keyword) {
                keywords.push(keyword);
            }
        }
    }
    keywords
}

/// Removes from the keywords of the pages of one site what says nothing about a page: lists that several pages have, and keywords
/// that more than half of the lists have, such as the name of the site.
pub fn without_site_keywords(lists: &mut [Vec<String>]) {
    let mut times: HashMap<Vec<u64>, u32> = HashMap::default();
    lists.iter().for_each(|list| *times.entry(truth_keys(list)).or_default() += 1);
    for list in lists.iter_mut() {
        if times.get(&truth_keys(list)).is_some_and(|times| *times > 1) {
            list.clear();
        }
    }
    let mut counts: HashMap<u64, usize> = HashMap::default();
    lists.iter().flat_map(|list| truth_keys(list)).for_each(|key| *counts.entry(key).or_default() += 1);
    let all = lists.iter().filter(|list| !list.is_empty()).count();
    for list in lists.iter_mut() {
        list.retain(|keyword| {
            // The second condition is for a single list, whose keywords are all in more than half of the lists.
            keyword_key(keyword).is_none_or(|key| counts.get(&key).is_none_or(|count| 2 * count <= all || *count < 2))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> Vec<KeywordExample> {
        let example = |number: usize| {
            let topic = format!("gadget{number} maker{number}");
            let text = format!(
                "# All about {topic}\n\nSome plain words here. More of {topic}, and again {topic}.\n\nFiller text number one."
            );
            KeywordExample { phrases: Phrases::of(Some(&topic), &text), keywords: vec![topic, "absent".into()] }
        };
        (0..60).map(example).collect()
    }

    fn frequencies(examples: &[KeywordExample]) -> DocumentFrequencies {
        let mut frequencies = DocumentFrequencies::new();
        examples.iter().for_each(|example| frequencies.add(&example.phrases));
        frequencies
    }

    #[test]
    fn what_authors_name_is_learned() {
        let examples = examples();
        let frequencies = frequencies(&examples);
        let queries = QueryLog::default();
        let (train, test): (Vec<_>, Vec<_>) = examples.iter().enumerate().partition(|(number, _)| *number < 40);
        let train: Vec<&KeywordExample> = train.into_iter().map(|(_, example)| example).collect();
        let model = KeywordModel::train(&train, &frequencies, &queries, 0).unwrap();
        for (number, example) in test {
            let found = model.top(&example.phrases, &frequencies, &queries, 3);
            assert_eq!(found[0].text, format!("gadget{number} maker{number}"));
            assert!(found[0].score > found[2].score && found[0].score > 0.5);
            assert_eq!(top_score(&found, &example.keywords, 1), Some(1.0));
            assert_eq!(top_score(&found, &example.keywords, 3), Some(0.5));
            assert_eq!(keywords_in(&example.phrases, &example.keywords).len(), 1);
        }
        assert_eq!(model, KeywordModel::train(&train, &frequencies, &queries, 0).unwrap());
    }

    #[test]
    fn distinct_keywords_have_a_new_word_each() {
        let phrases = Phrases::of(Some("oatmeal raisin"), "oatmeal raisin cookies. raisin cookies. oatmeal");
        let (frequencies, queries) = (DocumentFrequencies::new(), QueryLog::default());
        let model = KeywordModel::builtin();
        let all = model.top(&phrases, &frequencies, &queries, 100);
        assert_eq!(all.len(), 6);
        assert!(all.is_sorted_by(|one, two| one.score >= two.score));
        let distinct = model.top_distinct(&phrases, &frequencies, &queries, 100);
        assert!(distinct.len() <= 3 && distinct[0] == all[0], "{distinct:?}");
        assert!(!model.card().is_empty());
    }

    #[test]
    fn a_file_reads_back_and_damage_is_an_error() {
        let examples = examples();
        let all: Vec<&KeywordExample> = examples.iter().collect();
        let model =
            KeywordModel::train(&all, &frequencies(&examples), &QueryLog::default(), 0).unwrap().with_card("made up");
        let bytes = model.to_bytes();
        assert_eq!(KeywordModel::from_bytes(&bytes).unwrap(), model);
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(KeywordModel::from_bytes(&damaged).is_err() && KeywordModel::from_bytes(&bytes[..at]).is_err());
        }
    }

    #[test]
    fn there_must_be_keywords_in_the_text() {
        let example = KeywordExample { phrases: Phrases::of(None, "red boat"), keywords: vec!["blue".into()] };
        let trained = KeywordModel::train(&[&example], &DocumentFrequencies::new(), &QueryLog::default(), 0);
        assert_eq!(trained, Err(Error::NoKeywords));
        assert_eq!(top_score(&[], &[" ".into()], 5), None);
        assert_eq!(top_score(&[], &["x y".into()], 5), Some(0.0));
    }

    #[test]
    fn meta_keywords_are_read_and_those_of_the_site_dropped() {
        let page = dehusk::dom::Parser::new(Default::default())
            .parse("<meta name=Keywords content='Red  boats, sails,，sails'><meta name=description content=no>")
            .unwrap();
        assert_eq!(meta_keywords(&page), ["Red boats", "sails"]);
        let list = |text: &str| text.split(',').map(String::from).collect::<Vec<_>>();
        let mut lists = vec![list("Shop,boat"), list("Shop,car"), list("shop,bike"), list("x"), list("X"), Vec::new()];
        without_site_keywords(&mut lists);
        assert_eq!(lists, [list("boat"), list("car"), list("bike"), vec![], vec![], vec![]]);
    }

    #[test]
    fn query_logs_count_queries() {
        let log = QueryLog::parse("red boat\t12\nred-boat\nsail\nall of these words are too many\t9\n");
        assert!((log.feature(keyword_key("Red Boat").unwrap()) - 14f32.ln()).abs() < 1e-6);
        assert!((log.feature(keyword_key("sail").unwrap()) - 2f32.ln()).abs() < 1e-6);
        assert_eq!(log.feature(7), 0.0);
    }
}
