//! Chooses the methods of a site that has a choice, from evidence on its pages.
//!
//! Half of the sample pages are held out. Each method learns from the other half and runs on the held-out pages. The
//! labels come from the held-out pages themselves: a text that is on a tenth of them is template. The combination
//! that agrees best with these labels is chosen. With too few pages to compare, SITELEVEL and TreeMap are combined.

use super::kind_learner::learn_kind;
use super::sample_page::SamplePage;
use crate::detection::Detection;
use crate::dom::NodeId;
use crate::dom::hash::mix;
use crate::site::templates::combine::combine;
use crate::site::templates::site_method::Combination;
use crate::site::templates::site_templates::SiteTemplates;
use crate::site::templates::sitelevel::{SiteLevelLearner, SiteLevelSettings};
use crate::site::units::units;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Minimum number of pages. With fewer, one half is too small to measure on.
const MIN_PAGES: usize = 8;
/// Maximum number of held-out pages.
const MAX_HELD_OUT: usize = 16;
/// A text on this share of the other held-out pages is template.
const MIN_TEMPLATE_SHARE: f64 = 0.1;
/// A more expensive combination must agree better by this much. In thousandths.
const MARGIN: u32 = 3;
/// Chooses the combination and stores how well each agreed.
pub(crate) fn choose_combination(
    site: &mut SiteTemplates,
    counts: &SiteLevelLearner,
    pages: &[SamplePage],
    kinds: &[Vec<usize>],
    seed: u64,
) {
    let method = site.method.clone();
    site.combination = method.without_evidence();
    if pages.len() < MIN_PAGES {
        return;
    }
    // Pages are in seeded order already.
    let held_out: Vec<usize> = (0..pages.len()).step_by(2).take(MAX_HELD_OUT).collect();
    let all = method.all();
    let mut half = SiteTemplates { combination: all.clone(), kinds: site.kinds.clone(), ..SiteTemplates::default() };
    let mut seen = counts.clone();
    held_out.iter().for_each(|number| seen.remove(&pages[*number].evidence));
    half.counts = seen.finish();
    for (kind, numbers) in half.kinds.iter_mut().zip(kinds) {
        let others: Vec<&SamplePage> =
            numbers.iter().filter(|number| !held_out.contains(number)).map(|number| &pages[*number]).collect();
        kind.templates = learn_kind(&others, &method, &all, seed);
    }
    let labels = Labels::of(held_out.iter().map(|number| &pages[*number]).collect());
    let candidates = method.candidates();
    let mut sums = vec![Agreement::default(); candidates.len()];
    for (number, page) in held_out.iter().enumerate() {
        let page = &pages[*page];
        let single =
            |name: &'static str| half.detect_by(&page.parsed(), &Combination::of(name), SiteLevelSettings::default());
        let detections: Vec<(&str, Detection)> = all.names().iter().map(|name| (*name, single(name))).collect();
        for (combination, sum) in candidates.iter().zip(&mut sums) {
            let chosen = detections.iter().filter(|(name, _)| combination.contains(name)).map(|(_, one)| one.clone());
            sum.add(&labels.pages[number], &combine(combination.detectors(), &page.document, chosen.collect()));
        }
    }
    site.agreement = candidates.into_iter().zip(sums.into_iter().map(Agreement::thousandths)).collect();
    let mut best = &site.agreement[0];
    for candidate in site.agreement.iter().skip(1) {
        if candidate.1 > best.1 + MARGIN {
            best = candidate;
        }
    }
    site.combination = best.0.clone();
}

/// A text of a page: its node, its number of words, and whether it is template.
type LabelledText = (NodeId, u32, bool);

/// Labels of the held-out pages, derived from each other.
struct Labels {
    pages: Vec<Vec<LabelledText>>,
}

impl Labels {
    fn of(pages: Vec<&SamplePage>) -> Labels {
        let texts: Vec<Vec<(NodeId, u32, u64)>> = pages.iter().map(|page| texts_of(page)).collect();
        let mut on: HashMap<u64, (u32, usize)> = HashMap::default();
        for (number, (_, _, text)) in
            texts.iter().enumerate().flat_map(|(number, page)| page.iter().map(move |text| (number, text)))
        {
            let entry = on.entry(*text).or_insert((0, usize::MAX));
            if entry.1 != number {
                *entry = (entry.0 + 1, number);
            }
        }
        let others = pages.len().saturating_sub(1) as f64;
        let min_pages = ((MIN_TEMPLATE_SHARE * others).round() as u32).max(1) + 1;
        let label = |page: Vec<(NodeId, u32, u64)>| {
            page.into_iter().map(|(node, words, text)| (node, words, on[&text].0 >= min_pages)).collect()
        };
        Labels { pages: texts.into_iter().map(label).collect() }
    }
}

/// Lists the texts of a page, each with a hash of the words of its unit. This is not `text_hash`, which hashes a
/// single text node.
fn texts_of(page: &SamplePage) -> Vec<(NodeId, u32, u64)> {
    let mut texts = Vec::new();
    let mut words = String::new();
    for unit in units(&page.document, &page.stats) {
        words.clear();
        let first = texts.len();
        for id in (unit.start.0..unit.end.0).map(NodeId) {
            let own = page.stats.range(id, NodeId(id.0 + 1));
            if own.characters > 0 && page.document.is_text(id) {
                for word in page.document.text(id).split_whitespace() {
                    words.extend(word.chars().flat_map(char::to_lowercase));
                    words.push(' ');
                }
                texts.push((id, own.words, 0));
            }
        }
        let hash = mix(xxh3_64(words.as_bytes()), 1);
        texts[first..].iter_mut().for_each(|text| text.2 = hash);
    }
    texts
}

/// Words that were dropped and are template, that were dropped, and that are template.
#[derive(Clone, Copy, Default)]
struct Agreement {
    both: u64,
    dropped: u64,
    template: u64,
}

impl Agreement {
    fn add(&mut self, labels: &[LabelledText], detection: &Detection) {
        for (node, words, is_template) in labels {
            let (words, dropped) = (u64::from(*words), detection.is_dropped(*node));
            self.both += words * u64::from(dropped && *is_template);
            self.dropped += words * u64::from(dropped);
            self.template += words * u64::from(*is_template);
        }
    }

    /// The harmonic mean of precision and recall, in thousandths.
    fn thousandths(self) -> u32 {
        (2000 * self.both / (self.dropped + self.template).max(1)) as u32
    }
}
