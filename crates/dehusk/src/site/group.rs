//! Groups the pages of a site by structure, so that each group has a template of its own.
//!
//! Takes the shapes and trees of a sample and returns groups of page numbers; a page that is like too few others is in none. Pages
//! with much the same parts come together first. Then a group is split where its pages have either one set of parts or another,
//! never both: two templates with the same header and footer look so. At last pages that are left over join a group
//! if their trees map to it as well as its own pages do.

use super::shape::{Shape, likeness};
use super::treemap::{PageTree, mapping_similarity};
use rustc_hash::FxHashMap;

/// Pages and groups with less in common than this are not of one kind. Pages of one template share two thirds and more of their
/// parts in the generated sites of `eval templates`, pages of unrelated ones next to nothing.
const ALIKE: f64 = 0.45;
/// Two kinds of pages that share a frame have at least this share of a page's weight each for their own, and so many parts.
const OWN_SHARE: f64 = 0.12;
const OWN_PARTS: u32 = 3;
/// Such kinds together are this share of the pages of a group.
const TOGETHER: f64 = 0.9;
/// A page that is left over is compared with groups it has this much in common with, and joins where its tree maps to
/// the group's middle page at least this part as well as those of the group do.
const CANDIDATE: f64 = 0.25;
const MAPS_AS_WELL: f64 = 0.75;
/// Pages a group is mapped with, to know how well its pages map to each other.
const MAPPED_PAGES: usize = 5;

/// How many pages make a group: two may be copies of each other.
pub(super) fn least_pages(pages: usize) -> usize {
    if pages < 8 { 2 } else { 3 }
}

/// Pages of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Numbers of its pages, sorted.
    pub(super) pages: Vec<usize>,
    /// The page that has most in common with the others.
    pub(super) middle: usize,
}

/// Groups pages, the largest group first.
pub(super) fn group_pages(shapes: &[Shape], trees: &[PageTree]) -> Vec<Group> {
    let parts = shared_parts(shapes);
    let alike = Likeness::of(&parts);
    let least = least_pages(shapes.len());
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut open = cluster(&alike, shapes.len());
    while let Some(pages) = open.pop() {
        match split(&pages, &parts, least) {
            Some(kinds) => open.extend(kinds),
            None => found.push(pages),
        }
    }
    let (mut groups, left): (Vec<_>, Vec<_>) = found.into_iter().partition(|pages| pages.len() >= least);
    groups.sort_by_key(|pages| (std::cmp::Reverse(pages.len()), pages[0]));
    join_by_mapping(&mut groups, left.concat(), &alike, trees);
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|mut pages| {
            pages.sort_unstable();
            let middle = alike.middle(&pages);
            Group { pages, middle }
        })
        .collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.pages.len()), group.pages[0]));
    groups
}

/// Of each page, the parts that stand on another page, too.
fn shared_parts(shapes: &[Shape]) -> Vec<Vec<(u64, u32)>> {
    let mut pages: FxHashMap<u64, u32> = FxHashMap::default();
    for (part, _) in shapes.iter().flat_map(|shape| &shape.parts) {
        *pages.entry(*part).or_default() += 1;
    }
    let is_shared = |part: &&(u64, u32)| pages[&part.0] > 1;
    shapes.iter().map(|shape| shape.parts.iter().filter(is_shared).copied().collect()).collect()
}

/// How alike each two pages are.
struct Likeness {
    pages: usize,
    values: Vec<f64>,
}

impl Likeness {
    fn of(parts: &[Vec<(u64, u32)>]) -> Likeness {
        let pages = parts.len();
        let mut values = vec![0.0; pages * pages];
        for one in 0..pages {
            for two in 0..one {
                let alike = likeness(&parts[one], &parts[two]);
                values[one * pages + two] = alike;
                values[two * pages + one] = alike;
            }
        }
        Likeness { pages, values }
    }

    fn at(&self, one: usize, two: usize) -> f64 {
        self.values[one * self.pages + two]
    }

    /// The page that has most in common with the others; of equals, the first.
    fn middle(&self, pages: &[usize]) -> usize {
        let sum = |page: usize| pages.iter().map(|other| self.at(page, *other)).sum::<f64>();
        let mut best = (f64::NEG_INFINITY, 0);
        for page in pages {
            let sum = sum(*page);
            if sum > best.0 {
                best = (sum, *page);
            }
        }
        best.1
    }
}

/// Joins the two most alike groups, on average over their pages, until none are alike enough.
fn cluster(alike: &Likeness, pages: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..pages).map(|page| vec![page]).collect();
    // Sums of likeness between groups; the average is the sum by the product of the sizes.
    let mut sums: Vec<Vec<f64>> = (0..pages).map(|one| (0..pages).map(|two| alike.at(one, two)).collect()).collect();
    loop {
        let mut best = (ALIKE, None);
        for one in 0..groups.len() {
            for two in 0..one {
                let average = sums[one][two] / (groups[one].len() * groups[two].len()) as f64;
                if average > best.0 {
                    best = (average, Some((two, one)));
                }
            }
        }
        let Some((one, two)) = best.1 else { return groups };
        let moved = groups.swap_remove(two);
        groups[one].extend(moved);
        let row = sums.swap_remove(two);
        sums.iter_mut().for_each(|sums| {
            sums.swap_remove(two);
        });
        // The last group has taken the place of the second, in all rows.
        let mut row = row;
        row.swap_remove(two);
        for other in 0..groups.len() {
            let sum = sums[one][other] + row[other];
            sums[one][other] = sum;
            sums[other][one] = sum;
        }
    }
}

/// Splits a group whose pages have either one set of parts of their own or another. Gives nothing back where it is one kind.
fn split(pages: &[usize], parts: &[Vec<(u64, u32)>], least: usize) -> Option<Vec<Vec<usize>>> {
    if pages.len() < 2 * least {
        return None;
    }
    // The pages each part stands on, as bits; then the weight and the number of the parts that stand on the same pages.
    let mut places: FxHashMap<u64, (Bits, u32)> = FxHashMap::default();
    for (number, page) in pages.iter().enumerate() {
        for (part, weight) in &parts[*page] {
            let place = places.entry(*part).or_insert_with(|| (Bits::new(pages.len()), *weight));
            place.0.set(number);
        }
    }
    let mut kinds: FxHashMap<Bits, (u32, u32)> = FxHashMap::default();
    #[allow(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
    for (bits, weight) in places.into_values() {
        let sums = kinds.entry(bits).or_default();
        *sums = (sums.0 + weight, sums.1 + 1);
    }
    let page_weight: u64 = pages.iter().flat_map(|page| &parts[*page]).map(|part| u64::from(part.1)).sum();
    let wanted = OWN_SHARE * page_weight as f64 / pages.len() as f64;
    let mut kinds: Vec<(u32, Bits)> = kinds
        .into_iter()
        .filter(|(bits, (weight, parts))| {
            f64::from(*weight) >= wanted && *parts >= OWN_PARTS && (least..pages.len()).contains(&bits.count())
        })
        .map(|(bits, (weight, _))| (weight, bits))
        .collect();
    kinds.sort_unstable_by(|one, two| two.cmp(one));
    let mut chosen: Vec<Bits> = Vec::new();
    for (_, bits) in kinds {
        if chosen.iter().all(|other| other.is_disjoint(&bits)) {
            chosen.push(bits);
        }
    }
    let covered: usize = chosen.iter().map(Bits::count).sum();
    if chosen.len() < 2 || (covered as f64) < TOGETHER * pages.len() as f64 {
        return None;
    }
    let mut result: Vec<Vec<usize>> = chosen.iter().map(|bits| bits.pick(pages)).collect();
    let rest = pages.iter().enumerate().filter(|(number, _)| chosen.iter().all(|bits| !bits.has(*number)));
    result.extend(rest.map(|(_, page)| vec![*page]));
    Some(result)
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(most: usize) -> Bits {
        Bits(vec![0; most.div_ceil(64)])
    }

    fn set(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn is_disjoint(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(one, two)| one & two == 0)
    }

    fn pick(&self, pages: &[usize]) -> Vec<usize> {
        pages.iter().enumerate().filter(|(number, _)| self.has(*number)).map(|(_, page)| *page).collect()
    }
}

/// Puts pages that are in no group into one whose pages map to each other no better than to them.
fn join_by_mapping(groups: &mut [Vec<usize>], mut left: Vec<usize>, alike: &Likeness, trees: &[PageTree]) {
    left.sort_unstable();
    let middles: Vec<(usize, f64)> = groups
        .iter()
        .map(|pages| {
            let middle = alike.middle(pages);
            let others = pages.iter().filter(|page| **page != middle).take(MAPPED_PAGES);
            let mut mapped: Vec<f64> = others.map(|page| mapping_similarity(&trees[*page], &trees[middle])).collect();
            mapped.sort_by(f64::total_cmp);
            (middle, mapped.get(mapped.len() / 2).copied().unwrap_or(1.0))
        })
        .collect();
    for page in left {
        let mut best = (0.0, None);
        for (number, (middle, usual)) in middles.iter().enumerate() {
            if alike.at(page, *middle) < CANDIDATE {
                continue;
            }
            let mapped = mapping_similarity(&trees[page], &trees[*middle]) / usual.max(f64::EPSILON);
            if mapped >= MAPS_AS_WELL && mapped > best.0 {
                best = (mapped, Some(number));
            }
        }
        if let (_, Some(number)) = best {
            groups[number].push(page);
        }
    }
}
