//! Aligns two lists of children in nearly linear time.
//!
//! Input: two lists. Output: pairs of positions with equal labels, in order. Equal subtrees are paired first: those
//! at both ends, then those that occur once in each list, as many as keep their order. The gaps between them are
//! aligned by label in the same way, and the rest greedily in order. The result is not optimal. It is used if lists
//! are too long for an exact alignment, and to match a page to a template.

use super::increasing::longest_increasing;
use super::page_tree::PageTree;
use crate::dom::hash::NumberMap;
use std::ops::Range;

/// Two lists of children and their trees.
#[derive(Clone, Copy)]
pub struct ChildLists<'a> {
    /// The first tree.
    pub one: &'a PageTree,
    /// Children of a node of the first tree.
    pub first: &'a [u32],
    /// The second tree.
    pub two: &'a PageTree,
    /// Children of a node of the second tree.
    pub second: &'a [u32],
}

type Pair = (usize, usize);

/// Returns pairs of positions with equal labels, in order.
pub fn align_children(lists: ChildLists<'_>) -> Vec<Pair> {
    let whole = (0..lists.first.len(), 0..lists.second.len());
    let hashes = |at: usize| lists.one.hash_of(lists.first[at]);
    let other_hashes = |at: usize| lists.two.hash_of(lists.second[at]);
    let labels = |at: usize| lists.one.label_of(lists.first[at]);
    let other_labels = |at: usize| lists.two.label_of(lists.second[at]);
    let mut pairs = anchors(whole.clone(), &hashes, &other_hashes);
    let mut more = Vec::new();
    for gap in gaps(&pairs, whole.clone()) {
        more.append(&mut anchors(gap, &labels, &other_labels));
    }
    pairs.append(&mut more);
    pairs.sort_unstable();
    for gap in gaps(&pairs, whole) {
        append_in_order(gap, &labels, &other_labels, &mut more);
    }
    pairs.append(&mut more);
    pairs.sort_unstable();
    // A hash collision could pair unequal labels.
    pairs.retain(|(one, two)| labels(*one) == other_labels(*two));
    pairs
}

/// Returns the gaps between pairs in which neither side is empty.
fn gaps(pairs: &[Pair], whole: (Range<usize>, Range<usize>)) -> Vec<(Range<usize>, Range<usize>)> {
    let mut gaps = Vec::new();
    let (mut one, mut two) = (whole.0.start, whole.1.start);
    for (end_one, end_two) in pairs.iter().copied().chain([(whole.0.end, whole.1.end)]) {
        if one < end_one && two < end_two {
            gaps.push((one..end_one, two..end_two));
        }
        (one, two) = (end_one + 1, end_two + 1);
    }
    gaps
}

/// Returns pairs of equal keys: at both ends, and in between those that occur once on each side.
fn anchors(gap: (Range<usize>, Range<usize>), one: &impl Fn(usize) -> u64, two: &impl Fn(usize) -> u64) -> Vec<Pair> {
    let (mut left, mut right) = gap;
    let mut pairs = Vec::new();
    while !left.is_empty() && !right.is_empty() && one(left.start) == two(right.start) {
        pairs.push((left.start, right.start));
        left.start += 1;
        right.start += 1;
    }
    let mut tail = Vec::new();
    while !left.is_empty() && !right.is_empty() && one(left.end - 1) == two(right.end - 1) {
        left.end -= 1;
        right.end -= 1;
        tail.push((left.end, right.end));
    }
    if !left.is_empty() && !right.is_empty() {
        pairs.append(&mut longest_increasing(&unique_pairs(left, right, one, two)));
    }
    pairs.extend(tail.into_iter().rev());
    pairs
}

/// Returns pairs of keys that occur once on each side, in the order of the first.
fn unique_pairs(
    left: Range<usize>,
    right: Range<usize>,
    one: &impl Fn(usize) -> u64,
    two: &impl Fn(usize) -> u64,
) -> Vec<Pair> {
    // For each key, its number of occurrences on each side and its position on the right.
    let mut positions: NumberMap<u64, (u32, u32, usize)> = NumberMap::default();
    for at in left.clone() {
        positions.entry(one(at)).or_default().0 += 1;
    }
    for at in right {
        if let Some(position) = positions.get_mut(&two(at)) {
            position.1 += 1;
            position.2 = at;
        }
    }
    left.filter_map(|at| match positions.get(&one(at)) {
        Some((1, 1, position)) => Some((at, *position)),
        _ => None,
    })
    .collect()
}

/// Pairs each key with the next equal key that is still unpaired.
fn append_in_order(
    gap: (Range<usize>, Range<usize>),
    one: &impl Fn(usize) -> u64,
    two: &impl Fn(usize) -> u64,
    pairs: &mut Vec<Pair>,
) {
    let mut positions: NumberMap<u64, Vec<usize>> = NumberMap::default();
    for at in gap.1.clone().rev() {
        positions.entry(two(at)).or_default().push(at);
    }
    let mut free = gap.1.start;
    for at in gap.0 {
        let Some(list) = positions.get_mut(&one(at)) else { continue };
        while list.last().is_some_and(|position| *position < free) {
            list.pop();
        }
        if let Some(position) = list.pop() {
            pairs.push((at, position));
            free = position + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_lie_between_pairs() {
        assert_eq!(gaps(&[(0, 0), (3, 1)], (0..5, 0..3)), [(4..5, 2..3)]);
        assert_eq!(gaps(&[], (0..2, 0..1)), [(0..2, 0..1)]);
    }
}
