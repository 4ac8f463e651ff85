//! Pages with labels for the fusion model: the label of a text block is the share of its words that align with the reference text.
//!
//! Takes pages with reference texts, returns examples: all pages, and copies of some of them that show the model what corpora lack.

use crate::data::name_changes::with_arbitrary_names;
use crate::data::reference::{ReferencePage, paragraphs_to_html};
use crate::labels::word_measures::{WordMeasures, measure_words};
use dehusk::Decision;
use dehusk::detect::fusion::{FusionPage, Odds};
use dehusk::dom::Parser;
use dehusk_papers::align::{Step, align};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The content of a page as a page of its own, without a template: all of it, or its first paragraphs. Crawls hardly have such pages, but
/// people try them, and a model that has never seen one drops a paragraph that is alone on its page.
fn bare_page(page: &ReferencePage, paragraphs: usize) -> Option<ReferencePage> {
    let kept: Vec<&str> =
        page.content.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).take(paragraphs).collect();
    let html = paragraphs_to_html(kept.iter().copied());
    let id = format!("{}-bare", page.id);
    (!kept.is_empty()).then(|| ReferencePage { id, html, content: kept.join("\n\n"), comments: None, ..page.clone() })
}

/// The weight of a page of unknown type. Corpora without page types are mostly articles; with full weight they outvote forums, lists and
/// products, on which wcxb-dev then lost up to 0.03 by type.
const UNTYPED_WEIGHT: f32 = 0.5;

/// Of every 64 pages, the first also becomes an example without its template, and the second one with only its first paragraphs.
const BARE_EVERY: usize = 64;
/// The first paragraphs of a page.
const FIRST_PARAGRAPHS: usize = 2;

/// The examples of pages, and of copies of some of them: without template, or with other class names.
///
/// `renamed` is the share of pages that get a copy with arbitrary class names and ids.
pub(crate) fn examples_of(pages: &[ReferencePage], renamed: f64) -> Vec<Example> {
    let bare = pages.iter().enumerate().filter_map(|(number, page)| match number % BARE_EVERY {
        0 => bare_page(page, usize::MAX),
        1 => bare_page(page, FIRST_PARAGRAPHS),
        _ => None,
    });
    // Evenly spread: a page is chosen where the sum of shares passes a whole number.
    let is_chosen = |number: usize| (renamed * (number + 1) as f64).floor() > (renamed * number as f64).floor();
    let renamed = pages.iter().enumerate().filter(|(number, _)| is_chosen(*number)).map(|(number, page)| {
        let id = format!("{}-renamed", page.id);
        ReferencePage { id, html: with_arbitrary_names(&page.html, number as u64), ..page.clone() }
    });
    pages.iter().cloned().chain(bare).chain(renamed).collect::<Vec<_>>().par_iter().filter_map(Example::of).collect()
}

/// A page with labels.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its name in the corpus.
    pub(crate) id: String,
    /// Its domain; pages of one domain are in one fold.
    pub(crate) site: String,
    /// How much it counts.
    pub(crate) weight: f32,
    /// Its source.
    html: String,
    /// The page, split into blocks. Its rows depend on the odds of words.
    pub(crate) page: FusionPage,
    /// For the words of its text, and for those of class names, the slot of the word and the mean label of the blocks it is in.
    pub(crate) text_words: Vec<(u16, f32)>,
    pub(crate) name_words: Vec<(u16, f32)>,
    /// For each block the share of its words that are content.
    labels: Vec<f32>,
    /// For each block whether a person has decided about it; empty if nobody has.
    clicked: Vec<bool>,
    /// For each block the share of its words that are comments of readers, if that is known of the page.
    comment_labels: Option<Vec<f32>>,
    /// The words of all blocks, as numbers.
    words: Vec<u32>,
    /// Where the words of each block begin.
    starts: Vec<usize>,
    /// How often each word is in the reference text.
    wanted: Vec<u32>,
    wanted_total: usize,
}

impl Example {
    /// Splits a page into blocks and labels them; none if it cannot be parsed.
    #[must_use]
    pub fn of(reference: &ReferencePage) -> Option<Example> {
        let document = Parser::default().parse(&reference.html).ok()?;
        let mut page = FusionPage::default();
        page.prepare(&document, &Odds::default());
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut number = |word: String| {
            let next = numbers.len() as u32;
            *numbers.entry(word).or_insert(next)
        };
        let content: Vec<u32> = measure_words(&reference.content).into_iter().map(&mut number).collect();
        let comments: Option<Vec<u32>> = reference
            .comments
            .as_deref()
            .map(|comments| measure_words(comments).into_iter().map(&mut number).collect());
        let (mut words, mut starts) = (Vec::new(), Vec::new());
        for block in 0..page.len() {
            starts.push(words.len());
            words.extend(measure_words(&page.text(&document, block)).into_iter().map(&mut number));
        }
        starts.push(words.len());
        let mut wanted = vec![0; numbers.len()];
        content.iter().for_each(|word| wanted[*word as usize] += 1);
        let mut labels = labels_by(&words, &starts, &content);
        // The alignment matches only one of several copies; which of them is shown is decided later.
        for first in 0..page.len() {
            let best = page.copies_from(first).map(|at| labels[at]).fold(0.0, f32::max);
            page.copies_from(first).for_each(|at| labels[at] = best);
        }
        let comment_labels = comments.map(|comments| labels_by(&words, &starts, &comments));
        let site = reference.site();
        let (id, html) = (reference.id.clone(), reference.html.clone());
        let label =
            |block: &u32| (starts[*block as usize + 1] > starts[*block as usize]).then(|| labels[*block as usize]);
        let slots = page.word_slots(&document);
        let (text_words, name_words) = (shares(slots.text, label), shares(slots.names, label));
        let wanted_total = content.len();
        let weight = if reference.page_type.is_empty() { UNTYPED_WEIGHT } else { 1.0 };
        Some(Example {
            id,
            site,
            weight,
            html,
            page,
            text_words,
            name_words,
            labels,
            clicked: Vec::new(),
            comment_labels,
            words,
            starts,
            wanted,
            wanted_total,
        })
    }

    /// The page with another weight, and with the label that a person requested for the blocks that were clicked.
    pub(crate) fn with_clicks(mut self, weight: f32, clicks: &[Option<Decision>]) -> Example {
        self.weight = weight;
        for (label, click) in self.labels.iter_mut().zip(clicks) {
            *label = click.map_or(*label, |decision| f32::from(u8::from(decision == Decision::Keep)));
        }
        self.clicked = clicks.iter().map(Option::is_some).collect();
        self
    }

    /// Whether a person has decided about a block.
    pub(crate) fn is_clicked(&self, block: usize) -> bool {
        self.clicked.get(block).copied().unwrap_or(false)
    }

    /// What the model sees of the page, given the odds of words.
    pub(crate) fn described(&self, odds: &Odds) -> FusionPage {
        let mut page = FusionPage::default();
        if let Ok(document) = Parser::default().parse(&self.html) {
            page.describe(&document, odds);
        }
        page
    }

    /// The share of a block's words that are content.
    #[must_use]
    pub fn label(&self, block: usize) -> f32 {
        self.labels[block]
    }

    /// For each block the share of its words that are comments of readers, if that is known of the page.
    pub(crate) fn comment_labels(&self) -> Option<&[f32]> {
        self.comment_labels.as_deref()
    }

    /// How many words the page has.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// How many words a block has.
    pub(crate) fn words_of(&self, block: usize) -> usize {
        self.starts[block + 1] - self.starts[block]
    }

    /// F1, precision and recall of the words of the blocks that are kept.
    pub(crate) fn measure(&self, keep: impl Fn(usize) -> bool) -> WordMeasures {
        let mut left = self.wanted.clone();
        let (mut kept, mut right) = (0usize, 0usize);
        for block in (0..self.page.len()).filter(|block| keep(*block)) {
            for word in &self.words[self.starts[block]..self.starts[block + 1]] {
                kept += 1;
                let left = &mut left[*word as usize];
                right += (*left > 0) as usize;
                *left = left.saturating_sub(1);
            }
        }
        WordMeasures::of_counts(right, kept, self.wanted_total)
    }
}

/// For each block the share of its words that align with a reference text.
fn labels_by(words: &[u32], starts: &[usize], reference: &[u32]) -> Vec<f32> {
    let matched = matched_words(words, reference);
    let share = |range: &[usize]| {
        let found = matched[range[0]..range[1]].iter().filter(|matched| **matched).count();
        found as f32 / (range[1] - range[0]).max(1) as f32
    };
    starts.windows(2).map(share).collect()
}

/// Which words of a page are aligned with its reference text.
fn matched_words(words: &[u32], content: &[u32]) -> Vec<bool> {
    let mut matched = Vec::with_capacity(words.len());
    for step in align(words, content).steps {
        match step {
            Step::Match => matched.push(true),
            Step::Mismatch | Step::First => matched.push(false),
            Step::Second => {}
        }
    }
    matched
}

/// For each slot of the table the mean label of the blocks with a word of that slot.
fn shares(mut found: Vec<(u32, u16)>, label: impl Fn(&u32) -> Option<f32>) -> Vec<(u16, f32)> {
    found.sort_unstable_by_key(|(block, slot)| (*slot, *block));
    let mut shares = Vec::new();
    for run in found.chunk_by(|one, two| one.1 == two.1) {
        let (mut sum, mut count) = (0.0, 0u32);
        for label in run.iter().filter_map(|(block, _)| label(block)) {
            sum += label;
            count += 1;
        }
        if count > 0 {
            shares.push((run[0].1, sum / count as f32));
        }
    }
    shares
}

/// Pages of as many sites, with the same words around their content.
#[cfg(test)]
pub(crate) fn made_up_pages(count: usize) -> Vec<ReferencePage> {
    let page = |number: usize| {
        let content =
            format!("The boat number {number} came home.\n\nIts nets were mended on the quay.\n\nThen it rained.");
        let paragraphs: String = content.split("\n\n").map(|text| format!("<p>{text}</p>")).collect();
        let html = format!("<div class=topmenu>cart login imprint</div><div class=story>{paragraphs}</div>");
        let url = format!("https://site{number}.example/");
        ReferencePage { id: format!("{number}"), url, page_type: "article".into(), html, content, comments: None }
    };
    (0..count).map(page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_pages_are_also_shown_without_template() {
        let pages = made_up_pages(2 * BARE_EVERY);
        let examples = examples_of(&pages, 0.0);
        let bare: Vec<&Example> = examples.iter().filter(|example| example.id.ends_with("-bare")).collect();
        assert_eq!((examples.len() - bare.len(), bare.len()), (pages.len(), 4));
        for example in &bare {
            assert!(example.labels.iter().all(|label| *label == 1.0));
            assert_eq!(example.measure(|_| true).to_array(), [1.0; 3]);
        }
        assert_eq!(examples_of(&pages, 0.25).len(), examples.len() + pages.len() / 4);
        let blocks: Vec<usize> = bare.iter().map(|example| example.page.len()).collect();
        assert_eq!(blocks, [3, FIRST_PARAGRAPHS, 3, FIRST_PARAGRAPHS]);
    }
}
