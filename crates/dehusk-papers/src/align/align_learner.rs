//! Learns the template of a site by alignment. Input: a sample of its pages. Output: the tokens most of them share.
//!
//! The sample is chosen by a hash of each page's key, so it depends neither on the order of the pages nor on how they
//! were divided among machines. Decisions about pages are made in `align_detector.rs`.

use super::consensus::{Profile, Rounds};
use super::page_tokens::PageTokens;
use crate::dom::Document;
use crate::dom::hash::{NumberMap, mix};
use crate::rules::Rules;
use dehusk::site::BoundedSample;
use dehusk::site::{SlotText, filled_slots};
use dehusk::{Error, ErrorKind};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Seed of the hash that chooses the sample. Any number works, as long as all machines use the same one.
const SAMPLE_SEED: u64 = 0x616c_6967_6e31;

/// Settings of Align.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AlignSettings {
    /// Maximum number of pages to align, t. At least 2.
    pub pages: usize,
    /// The share of these pages that must contain a token for it to be template. Above 0, at most 1.
    pub share: f64,
    /// Which of our rules apply.
    pub rules: Rules,
}

impl Default for AlignSettings {
    /// 16 pages and one half, as in the paper, with our rules.
    fn default() -> AlignSettings {
        AlignSettings { pages: 16, share: 0.5, rules: Rules::All }
    }
}

impl AlignSettings {
    /// 16 pages and one fifth: also finds what the pages of one section of a site share. All husks of the example
    /// sites are on at least a third of the pages; one half leaves 107 of 199 of them, one quarter 24, one fifth 6.
    pub fn sections() -> AlignSettings {
        AlignSettings { share: 0.2, ..AlignSettings::default() }
    }

    /// 16 pages, one half and none of our rules.
    pub fn as_in_paper() -> AlignSettings {
        AlignSettings { rules: Rules::Paper, ..AlignSettings::default() }
    }
}

impl AlignSettings {
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.pages < 2 {
            return Err(Error::new(ErrorKind::BadOptions, "at least 2 pages must be aligned"));
        }
        if !(self.share > 0.0 && self.share <= 1.0) {
            return Err(Error::new(ErrorKind::BadOptions, "the share of the pages must be above 0 and at most 1"));
        }
        Ok(())
    }
}

/// The name of the method with these rules.
pub(crate) fn name(rules: Rules) -> &'static str {
    if rules == Rules::Paper { "align-paper" } else { "align" }
}

/// Collects a sample of the pages of a site.
#[derive(Clone, PartialEq, Debug)]
pub struct AlignLearner {
    settings: AlignSettings,
    /// By the hash of the page's key, at most as many as are aligned.
    sample: BoundedSample<SampledTokens>,
}

/// The tokens of one page of the sample.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct SampledTokens {
    tokens: Vec<u64>,
    /// Whether tokens beyond the limit were left out.
    truncated: bool,
    /// Its texts with their slots.
    texts: Vec<SlotText>,
}

impl AlignLearner {
    /// Creates an empty learner.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(settings: AlignSettings) -> Result<AlignLearner, Error> {
        settings.check()?;
        Ok(AlignLearner::with_checked_settings(settings))
    }

    pub(crate) fn with_checked_settings(settings: AlignSettings) -> AlignLearner {
        AlignLearner { settings, sample: BoundedSample::new(settings.pages) }
    }

    /// The number of pages in the sample.
    pub fn pages(&self) -> usize {
        self.sample.len()
    }

    /// Adds a page. `key` identifies it within its site, usually by its URL. A key that was seen before counts once.
    pub fn observe(&mut self, document: &Document, key: &str) {
        let key_hash = xxh3_64_with_seed(key.as_bytes(), SAMPLE_SEED);
        // Most pages of a large site are not in the sample; their tokens are not needed.
        if self.sample.has_room_for(key_hash) {
            let page = PageTokens::with(document, self.settings.rules);
            let tokens = page.tokens.iter().map(|token| token.hash).collect();
            self.sample.insert(key_hash, SampledTokens { tokens, truncated: page.truncated, texts: page.texts });
        }
    }

    /// Adds the pages of another learner of the same site. Fails if its settings differ.
    pub fn merge(&mut self, other: AlignLearner) -> Result<(), Error> {
        if other.settings != self.settings {
            let message = "samples taken with other settings cannot be merged";
            return Err(Error::new(ErrorKind::Incompatible, message));
        }
        self.sample.merge(other.sample);
        Ok(())
    }

    /// Aligns the sample. The seed decides which pages are paired.
    pub fn finish(self, seed: u64) -> AlignTemplate {
        self.into_consensus(seed).finish()
    }

    /// Returns the alignments to run, for a caller that wants to run those of a round in parallel.
    pub fn into_consensus(self, seed: u64) -> Consensus {
        let mut pages: Vec<(u64, SampledTokens)> = self.sample.into_pages().into_iter().collect();
        pages.sort_by_key(|(key_hash, _)| xxh3_64_with_seed(&key_hash.to_le_bytes(), seed));
        let truncated = pages.iter().any(|(_, page)| page.truncated);
        let mut hashes = Vec::new();
        let mut ids: NumberMap<u64, u32> = NumberMap::default();
        let mut intern = |hash: u64| {
            *ids.entry(hash).or_insert_with(|| {
                hashes.push(hash);
                hashes.len() as u32 - 1
            })
        };
        let (mut profiles, mut texts) = (Vec::with_capacity(pages.len()), Vec::with_capacity(pages.len()));
        for (_, page) in pages {
            profiles.push(Profile::of_page(page.tokens.into_iter().map(&mut intern).collect()));
            texts.push(page.texts);
        }
        let AlignSettings { share, rules, .. } = self.settings;
        let slots = if rules == Rules::All { filled_slots(with_known(texts)) } else { Vec::new() };
        Consensus { rounds: Rounds::new(profiles, share, rules), hashes, truncated, slots, rules }
    }
}

/// A sample with its pending alignments.
#[derive(Clone, PartialEq, Debug)]
pub struct Consensus {
    /// The rounds of alignments.
    pub rounds: Rounds,
    hashes: Vec<u64>,
    truncated: bool,
    slots: Vec<u64>,
    rules: Rules,
}

/// Marks the texts that are in the same slot on at least half of the pages. A smaller share would mistake the lists
/// of one section for something all pages of the site share.
fn with_known(mut pages: Vec<Vec<SlotText>>) -> Vec<Vec<SlotText>> {
    let min_pages = (0.5 * pages.len() as f64).max(2.0);
    let mut pages_with: NumberMap<u64, u32> = NumberMap::default();
    for page in &mut pages {
        page.sort_unstable();
        page.dedup();
        for texts in page {
            *pages_with.entry(mix(texts.slot, texts.text)).or_default() += 1;
        }
    }
    for texts in pages.iter_mut().flatten() {
        texts.in_template = f64::from(pages_with[&mix(texts.slot, texts.text)]) >= min_pages;
    }
    pages
}

impl Consensus {
    /// Runs the remaining alignments.
    pub fn finish(self) -> AlignTemplate {
        let Consensus { rounds, hashes, truncated, slots, rules } = self;
        AlignTemplate { slots, rules, ..AlignTemplate::new(rounds.finish(), &hashes, truncated) }
    }
}

/// The Align template of a site: a sequence of tokens with the number of pages that contain each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AlignTemplate {
    tokens: Vec<u64>,
    counts: Vec<u32>,
    pages: u32,
    partial: bool,
    /// Slots that the template fills differently from page to page, sorted.
    slots: Vec<u64>,
    /// The rules it was learned with, which detection follows, too.
    pub(crate) rules: Rules,
    ids: NumberMap<u64, u32>,
}

impl AlignTemplate {
    fn new(profile: Profile, hashes: &[u64], truncated: bool) -> AlignTemplate {
        let tokens: Vec<u64> = profile.tokens().iter().map(|token| hashes[*token as usize]).collect();
        let partial = truncated || !profile.is_exact();
        AlignTemplate::restored(tokens, profile.counts().to_vec(), profile.pages(), partial, Vec::new())
    }

    /// Restores a template read from a file.
    pub(super) fn restored(
        tokens: Vec<u64>,
        counts: Vec<u32>,
        pages: u32,
        partial: bool,
        slots: Vec<u64>,
    ) -> AlignTemplate {
        let mut ids = NumberMap::default();
        for token in &tokens {
            let next = ids.len() as u32;
            ids.entry(*token).or_insert(next);
        }
        AlignTemplate { tokens, counts, pages, partial, slots, rules: Rules::All, ids }
    }

    /// The number of aligned pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the pages have no tokens in common.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether a limit was hit: a page had too many tokens, or pages were too long and too different for an exact
    /// alignment.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// The hashes of the tokens, in page order.
    pub fn tokens(&self) -> &[u64] {
        &self.tokens
    }

    /// The number of aligned pages that contain each token.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The slots that the template fills differently from page to page: hashes of the paths of start tags above them.
    pub fn slots(&self) -> &[u64] {
        &self.slots
    }

    /// The id of a token. All tokens that are not in the template have the same id.
    pub(super) fn id(&self, hash: u64) -> u32 {
        self.ids.get(&hash).copied().unwrap_or(u32::MAX)
    }
}
