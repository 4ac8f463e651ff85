//! The shape of a page, which decides its kind of page and template.
//!
//! Input: a page. Output: two sets of hashes, of its elements and of its texts. Each element is hashed with its two
//! nearest ancestors, and only down to where running text, short lists and data tables begin. The markup inside a
//! text does not matter, and neither does repetition: a list of ten products has the same shape as one with fifty.
//! Two ancestors and not all, so that one wrapper with a random id does not change everything inside it.

use crate::dom::elements::is_unseen;
use crate::dom::hash::mix;
use crate::dom::{Document, Name, NodeHasher, NodeId, Stats, text_hash};
use crate::site::units::units;

/// An element with a class or an id, or a landmark, was put there by a template. It has the weight of this many bare
/// elements, which authors use in their texts.
const NAMED: u32 = 4;
const BARE: u32 = 1;

/// The shape of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Hashes of elements with their ancestors, and their weights; sorted, each once.
    pub(crate) elements: Vec<(u64, u32)>,
    /// Hashes of texts with the names of their elements; sorted, each once.
    pub(crate) texts: Vec<u64>,
}

impl Shape {
    /// Computes the shape of a page.
    pub(crate) fn of(document: &Document, stats: &Stats) -> Shape {
        let mut shape = Shape::default();
        let Some(body) = document.find(Name::BODY) else { return shape };
        let mut units = units(document, stats).into_iter().peekable();
        let mut hasher = NodeHasher::new(document);
        // For each node, its own hash and that of its parent.
        let mut labels = vec![(0u64, 0u64); document.len()];
        let mut scratch = String::new();
        let mut inside_until = body;
        let mut at = NodeId(body.0 + 1);
        while at < document.end(body) {
            let parent = document.parent(at).unwrap_or(body);
            if document.is_text(at) {
                if stats.range(at, NodeId(at.0 + 1)).characters > 0 {
                    shape.texts.push(mix(text_hash(document.text(at), &mut scratch), hasher.name(parent)));
                }
                at.0 += 1;
                continue;
            }
            if !document.is_element(at) || is_unseen(document.html_name(at)) {
                at = document.end(at);
                continue;
            }
            while units.next_if(|unit| unit.end <= at).is_some() {}
            let unit = units.peek().filter(|unit| unit.start <= at && at < unit.end);
            let is_whole = unit.is_some_and(|unit| unit.block == Some(at));
            if at >= inside_until && (unit.is_none() || is_whole) {
                let (above, further) = labels[parent.index()];
                let label = hasher.start_tag(at, false);
                labels[at.index()] = (label, above);
                shape.elements.push((mix(mix(further, above), label), weight(document, at)));
                if is_whole {
                    inside_until = document.end(at);
                }
            }
            at.0 += 1;
        }
        shape.elements.sort_unstable();
        shape.elements.dedup_by_key(|part| part.0);
        shape.texts.sort_unstable();
        shape.texts.dedup();
        shape
    }
}

fn weight(document: &Document, id: NodeId) -> u32 {
    let is_landmark = matches!(
        document.html_name(id),
        Name::HEADER | Name::FOOTER | Name::NAV | Name::MAIN | Name::ASIDE | Name::FORM | Name::ARTICLE
    );
    let has = |name| document.attribute(id, name).is_some_and(|value| !value.trim().is_empty());
    if is_landmark || has(Name::CLASS) || has(Name::ID) { NAMED } else { BARE }
}

/// Computes the similarity of two shapes by their elements, 0 to 1: the weight of the elements they share, divided by
/// the weight of all.
pub(crate) fn similarity(one: &[(u64, u32)], two: &[(u64, u32)]) -> f64 {
    let (mut shared, mut all) = (0u32, 0u32);
    let (mut first, mut second) = (one.iter().peekable(), two.iter().peekable());
    loop {
        match (first.peek(), second.peek()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                shared += a.1;
                all += a.1;
                first.next();
                second.next();
            }
            (Some(a), Some(b)) if a.0 < b.0 => {
                all += a.1;
                first.next();
            }
            (_, Some(b)) => {
                all += b.1;
                second.next();
            }
            (Some(a), None) => {
                all += a.1;
                first.next();
            }
            (None, None) => break,
        }
    }
    shared as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn shape(page: &str) -> Shape {
        let document = Parser::default().parse(page).unwrap();
        Shape::of(&document, &Stats::of(&document))
    }

    #[test]
    fn texts_and_counts_do_not_make_a_shape() {
        let one = shape("<body><div class=a><p>one</p></div><ul id=m><li>x<li>y</ul>");
        let two =
            shape("<body><div class='a active'><p>two <b>three</b></p><p>4</p></div><ul id=m><li>x<li>y<li>z</ul>");
        assert_eq!(one.elements, two.elements);
        assert_eq!(one.elements.iter().map(|part| part.1).sum::<u32>(), 4 + 1 + 4);
        assert_eq!((one.texts.len(), two.texts.len()), (3, 6));
        assert!((similarity(&one.elements, &two.elements) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn other_elements_make_another_shape() {
        let one = shape("<body><div class=a><p>one</p></div>");
        let two = shape("<body><div class=b><p>one</p></div>");
        assert_eq!(similarity(&one.elements, &two.elements), 0.0);
        assert_eq!(similarity(&[(1, 4), (2, 1)], &[(1, 4), (3, 1)]), 4.0 / 6.0);
        assert_eq!(similarity(&[], &[]), 0.0);
        assert_eq!(shape("<frameset><frame>"), Shape::default());
    }
}
