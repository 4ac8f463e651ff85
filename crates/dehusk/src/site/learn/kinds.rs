//! Divides the pages of a site into kinds by structure, so that each kind has a template of its own.
//!
//! Input: the shapes and trees of a sample. Output: kinds of page numbers; a page that is similar to too few others
//! is in none. First, pages are clustered by average linkage on their shared elements. Then a kind is split if its
//! pages have one of several mutually exclusive sets of elements: this separates templates with the same header and
//! footer. Finally, pages of no kind join a kind if their trees map to it as well as its own pages do.

use super::min_support::min_support;
use super::page_shape::{Shape, similarity};
use crate::site::mapping::page_tree::PageTree;
use crate::site::mapping::tree_mapping::mapping_similarity;
use std::collections::HashMap;

/// Minimum similarity of pages and kinds to be joined. Pages of one template share at least two thirds of their
/// elements in the generated sites of `eval quality --only templates`, pages of unrelated templates almost none.
const MIN_SIMILARITY: f64 = 0.45;
/// Templates with a common header and footer each have at least this share of a page's weight for their own, and this
/// many elements.
const MIN_OWN_SHARE: f64 = 0.12;
const MIN_OWN_ELEMENTS: u32 = 3;
/// Such templates together cover at least this share of the pages of a kind.
const MIN_COVERED_SHARE: f64 = 0.9;
/// A page of no kind is compared with kinds whose medoid is at least this similar. It joins a kind if its tree maps
/// to the medoid at least this fraction as well as the kind's own pages do.
const MIN_CANDIDATE_SIMILARITY: f64 = 0.25;
const MIN_RELATIVE_MAPPING: f64 = 0.75;
/// Number of pages mapped to the medoid to measure how well the pages of a kind map to each other.
const MAX_MAPPED_PAGES: usize = 5;

/// Finds the kinds of pages, the largest first. A kind is the sorted numbers of its pages.
pub(crate) fn find_page_kinds(shapes: &[Shape], trees: &[PageTree]) -> Vec<Vec<usize>> {
    let elements = shared_elements(shapes);
    let similarities = Similarities::of(&elements);
    let min_pages = min_support(shapes.len());
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut open = cluster(&similarities, shapes.len());
    while let Some(pages) = open.pop() {
        match split(&pages, &elements, min_pages) {
            Some(sets) => open.extend(sets),
            None => found.push(pages),
        }
    }
    let (mut kinds, left): (Vec<_>, Vec<_>) = found.into_iter().partition(|pages| pages.len() >= min_pages);
    kinds.sort_by_key(|pages| (std::cmp::Reverse(pages.len()), pages[0]));
    join_by_mapping(&mut kinds, left.concat(), &similarities, trees);
    kinds.iter_mut().for_each(|pages| pages.sort_unstable());
    kinds.sort_by_key(|pages| (std::cmp::Reverse(pages.len()), pages[0]));
    kinds
}

/// Returns the elements of each page that are on another page, too.
fn shared_elements(shapes: &[Shape]) -> Vec<Vec<(u64, u32)>> {
    let mut pages: HashMap<u64, u32> = HashMap::default();
    for (element, _) in shapes.iter().flat_map(|shape| &shape.elements) {
        *pages.entry(*element).or_default() += 1;
    }
    let is_shared = |element: &&(u64, u32)| pages[&element.0] > 1;
    shapes.iter().map(|shape| shape.elements.iter().filter(is_shared).copied().collect()).collect()
}

/// The similarity of each pair of pages.
struct Similarities {
    pages: usize,
    values: Vec<f64>,
}

impl Similarities {
    fn of(elements: &[Vec<(u64, u32)>]) -> Similarities {
        let pages = elements.len();
        let mut values = vec![0.0; pages * pages];
        for one in 0..pages {
            for two in 0..one {
                let similarities = similarity(&elements[one], &elements[two]);
                values[one * pages + two] = similarities;
                values[two * pages + one] = similarities;
            }
        }
        Similarities { pages, values }
    }

    fn at(&self, one: usize, two: usize) -> f64 {
        self.values[one * self.pages + two]
    }

    /// The page that has most in common with the others; the first one of equals.
    fn medoid(&self, pages: &[usize]) -> usize {
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

/// Joins the two most similar kinds, by average linkage, until none are similar enough.
fn cluster(similarities: &Similarities, pages: usize) -> Vec<Vec<usize>> {
    let mut kinds: Vec<Vec<usize>> = (0..pages).map(|page| vec![page]).collect();
    // Sums of similarities between kinds; the average is the sum divided by the product of the sizes.
    let mut sums: Vec<Vec<f64>> =
        (0..pages).map(|one| (0..pages).map(|two| similarities.at(one, two)).collect()).collect();
    loop {
        let mut best = (MIN_SIMILARITY, None);
        for one in 0..kinds.len() {
            for two in 0..one {
                let average = sums[one][two] / (kinds[one].len() * kinds[two].len()) as f64;
                if average > best.0 {
                    best = (average, Some((two, one)));
                }
            }
        }
        let Some((one, two)) = best.1 else { return kinds };
        let moved = kinds.swap_remove(two);
        kinds[one].extend(moved);
        let row = sums.swap_remove(two);
        sums.iter_mut().for_each(|sums| {
            sums.swap_remove(two);
        });
        // The last kind has moved to the index of the second, in all rows.
        let mut row = row;
        row.swap_remove(two);
        for other in 0..kinds.len() {
            let sum = sums[one][other] + row[other];
            sums[one][other] = sum;
            sums[other][one] = sum;
        }
    }
}

/// Splits a kind whose pages have one of several mutually exclusive sets of elements. Returns `None` if it is one
/// kind.
fn split(pages: &[usize], elements: &[Vec<(u64, u32)>], min_pages: usize) -> Option<Vec<Vec<usize>>> {
    if pages.len() < 2 * min_pages {
        return None;
    }
    // The pages with each element, as bits; then the weight and the number of the elements that are on the same
    // pages.
    let mut pages_with: HashMap<u64, (Bits, u32)> = HashMap::default();
    for (number, page) in pages.iter().enumerate() {
        for (element, weight) in &elements[*page] {
            let entry = pages_with.entry(*element).or_insert_with(|| (Bits::new(pages.len()), *weight));
            entry.0.set(number);
        }
    }
    let mut sets: HashMap<Bits, (u32, u32)> = HashMap::default();
    #[allow(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
    for (bits, weight) in pages_with.into_values() {
        let sums = sets.entry(bits).or_default();
        *sums = (sums.0 + weight, sums.1 + 1);
    }
    let page_weight: u64 = pages.iter().flat_map(|page| &elements[*page]).map(|element| u64::from(element.1)).sum();
    let wanted = MIN_OWN_SHARE * page_weight as f64 / pages.len() as f64;
    let mut sets: Vec<(u32, Bits)> = sets
        .into_iter()
        .filter(|(bits, (weight, elements))| {
            f64::from(*weight) >= wanted
                && *elements >= MIN_OWN_ELEMENTS
                && (min_pages..pages.len()).contains(&bits.count())
        })
        .map(|(bits, (weight, _))| (weight, bits))
        .collect();
    sets.sort_unstable_by(|one, two| two.cmp(one));
    let mut chosen: Vec<Bits> = Vec::new();
    for (_, bits) in sets {
        if chosen.iter().all(|other| other.is_disjoint(&bits)) {
            chosen.push(bits);
        }
    }
    let covered: usize = chosen.iter().map(Bits::count).sum();
    if chosen.len() < 2 || (covered as f64) < MIN_COVERED_SHARE * pages.len() as f64 {
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
    fn new(limit: usize) -> Bits {
        Bits(vec![0; limit.div_ceil(64)])
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

/// Adds pages of no kind to a kind if they map to its medoid as well as its own pages do.
fn join_by_mapping(kinds: &mut [Vec<usize>], mut left: Vec<usize>, similarities: &Similarities, trees: &[PageTree]) {
    left.sort_unstable();
    let medoids: Vec<(usize, f64)> = kinds
        .iter()
        .map(|pages| {
            let medoid = similarities.medoid(pages);
            let others = pages.iter().filter(|page| **page != medoid).take(MAX_MAPPED_PAGES);
            let mut mapped: Vec<f64> = others.map(|page| mapping_similarity(&trees[*page], &trees[medoid])).collect();
            mapped.sort_by(f64::total_cmp);
            (medoid, mapped.get(mapped.len() / 2).copied().unwrap_or(1.0))
        })
        .collect();
    for page in left {
        let mut best = (0.0, None);
        for (number, (medoid, usual)) in medoids.iter().enumerate() {
            if similarities.at(page, *medoid) < MIN_CANDIDATE_SIMILARITY {
                continue;
            }
            let mapped = mapping_similarity(&trees[page], &trees[*medoid]) / usual.max(f64::EPSILON);
            if mapped >= MIN_RELATIVE_MAPPING && mapped > best.0 {
                best = (mapped, Some(number));
            }
        }
        if let (_, Some(number)) = best {
            kinds[number].push(page);
        }
    }
}

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;
