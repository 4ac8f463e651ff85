//! Chooses the rule of a site from evidence on its pages, not from a list of cases.
//!
//! Half of the kept pages are set aside. Each method learns from the others and looks at those set aside; what they
//! should have found there is what the pages set aside say themselves: texts that stand on a tenth of them. The rule
//! that agrees best with this is taken. Where there are too few pages to compare, counts and trees are joined.

use super::combine::combine;
use super::kind_learner::learn_kind;
use super::method::Rule;
use super::sample::Kept;
use super::sitelevel::{SiteLevel, SiteLevelLearner};
use super::templates::SiteTemplates;
use crate::detection::Detection;
use crate::dom::NodeId;
use crate::dom::hash::mix;
use crate::units::units;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Fewer pages cannot be halved and still say anything.
const LEAST_PAGES: usize = 8;
/// Pages that are set aside at most.
const MOST_SET_ASIDE: usize = 16;
/// A text on this share of the other pages set aside is template.
const REPEATED: f64 = 0.1;
/// A rule that costs more must agree so much better. In thousandths.
const MARGIN: u32 = 3;
/// What is done without evidence.
const UNKNOWN: Rule = Rule { site_level: true, tree_map: true, align: false };
/// All methods at once.
const ALL: Rule = Rule { site_level: true, tree_map: true, align: true };

/// Chooses the rule and notes how well each agreed.
pub(super) fn choose(
    site: &mut SiteTemplates,
    counts: &SiteLevelLearner,
    pages: &[Kept],
    kinds: &[Vec<usize>],
    seed: u64,
) {
    site.rule = UNKNOWN;
    if pages.len() < LEAST_PAGES {
        return;
    }
    // Pages are in seeded order already.
    let aside: Vec<usize> = (0..pages.len()).step_by(2).take(MOST_SET_ASIDE).collect();
    let mut half = SiteTemplates { rule: ALL, kinds: site.kinds.clone(), ..SiteTemplates::default() };
    let mut seen = counts.clone();
    aside.iter().for_each(|number| seen.forget(&pages[*number].evidence));
    half.counts = seen.finish();
    for (kind, numbers) in half.kinds.iter_mut().zip(kinds) {
        let others: Vec<&Kept> =
            numbers.iter().filter(|number| !aside.contains(number)).map(|number| &pages[*number]).collect();
        (kind.trees, kind.tokens) = learn_kind(&others, ALL, seed);
    }
    let truth = Truth::of(aside.iter().map(|number| &pages[*number]).collect());
    let mut sums = [Agreement::default(); Rule::CANDIDATES.len()];
    for (number, page) in aside.iter().enumerate() {
        let page = &pages[*page];
        let single = |rule: Rule| half.detect_by(&page.parsed(), rule, SiteLevel::default());
        let detections = [single(Rule::SITE_LEVEL), single(Rule::TREE_MAP), single(Rule::ALIGN)];
        for (rule, sum) in Rule::CANDIDATES.into_iter().zip(&mut sums) {
            let wanted = [rule.site_level, rule.tree_map, rule.align];
            let chosen = detections.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(one, _)| one.clone());
            sum.add(&truth.pages[number], &combine(rule.detectors(), &page.document, chosen.collect()));
        }
    }
    site.agreement = Rule::CANDIDATES.into_iter().zip(sums.map(Agreement::thousandths)).collect();
    let mut best = site.agreement[0];
    for (rule, agreement) in site.agreement.iter().skip(1) {
        if *agreement > best.1 + MARGIN {
            best = (*rule, *agreement);
        }
    }
    site.rule = best.0;
}

/// A text of a page: its node, its words, and whether it is template.
type Told = (NodeId, u32, bool);

/// What pages say of each other.
struct Truth {
    pages: Vec<Vec<Told>>,
}

impl Truth {
    fn of(pages: Vec<&Kept>) -> Truth {
        let texts: Vec<Vec<(NodeId, u32, u64)>> = pages.iter().map(|page| texts_of(page)).collect();
        let mut on: FxHashMap<u64, (u32, usize)> = FxHashMap::default();
        for (number, (_, _, text)) in
            texts.iter().enumerate().flat_map(|(number, page)| page.iter().map(move |text| (number, text)))
        {
            let entry = on.entry(*text).or_insert((0, usize::MAX));
            if entry.1 != number {
                *entry = (entry.0 + 1, number);
            }
        }
        let others = pages.len().saturating_sub(1) as f64;
        let least = ((REPEATED * others).round() as u32).max(1) + 1;
        let told = |page: Vec<(NodeId, u32, u64)>| {
            page.into_iter().map(|(node, words, text)| (node, words, on[&text].0 >= least)).collect()
        };
        Truth { pages: texts.into_iter().map(told).collect() }
    }
}

/// The texts of a page, each with a hash of the words of the unit it stands in.
fn texts_of(page: &Kept) -> Vec<(NodeId, u32, u64)> {
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

/// Words that were dropped and should have been, were dropped only, should have been only.
#[derive(Clone, Copy, Default)]
struct Agreement {
    both: u64,
    dropped: u64,
    template: u64,
}

impl Agreement {
    fn add(&mut self, truth: &[Told], detection: &Detection) {
        for (node, words, is_template) in truth {
            let (words, dropped) = (u64::from(*words), detection.is_dropped(*node));
            self.both += words * u64::from(dropped && *is_template);
            self.dropped += words * u64::from(dropped);
            self.template += words * u64::from(*is_template);
        }
    }

    /// The harmonic mean of precision and recall.
    fn thousandths(self) -> u32 {
        (2000 * self.both / (self.dropped + self.template).max(1)) as u32
    }
}
