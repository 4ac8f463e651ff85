//! Matches the selectors of a style sheet with the elements of a page.
//!
//! Selectors are looked up by the rarest name of their last compound. A Bloom filter of the names of all ancestors rejects most
//! selectors without a walk to the root. The work is counted, so a page cannot make matching quadratic.

use super::style_sheet::{Compound, LINK, Selector, StyleSheet, bit, key, tag_key};
use crate::dom::{Document, Name, NodeId};
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// The names of an element that selectors can match.
#[derive(Clone, Copy, Debug, Default)]
struct Names {
    tag: u64,
    id: u64,
    /// The range of its classes in the list of all classes, sorted.
    classes: (u32, u32),
    /// A Bloom filter of the names of the element and its ancestors.
    ancestor_bits: u64,
}

/// Matches the elements of one page, in preorder.
pub(super) struct Matcher<'a> {
    document: &'a Document,
    sheet: &'a StyleSheet,
    /// Selectors by a name of their last compound, those that change sizes and the others; those without a name are under 0.
    by_name: HashMap<u64, [Vec<u32>; 2]>,
    names: Vec<Names>,
    classes: Vec<u64>,
    tag_keys: FxHashMap<Name, u64>,
    found: Vec<u32>,
    /// The work units left: for selectors that change sizes, and for those that change only colours and the like.
    work: [u64; 2],
    /// The declarations that may still be applied, in the same way.
    declarations: [u64; 2],
}

/// The maximum number of work units of a page: selectors tried for an element, and ancestors visited; those with many classes count more
/// than once. As many declarations may be applied.
const MAX_WORK: u64 = 100_000_000;
/// The maximum number of work units per node, on average. Real pages with large style sheets need about 100.
const WORK_PER_NODE: u64 = 500;

/// The work units of comparing a compound with an element.
fn cost(compound: &Compound) -> u64 {
    1 + compound.classes.len() as u64 / 2
}

impl<'a> Matcher<'a> {
    pub(super) fn new(document: &'a Document, sheet: &'a StyleSheet) -> Matcher<'a> {
        let mut by_name: HashMap<u64, [Vec<u32>; 2]> = HashMap::new();
        for (number, selector) in sheet.selectors.iter().enumerate() {
            let last = &selector.compounds[selector.compounds.len() - 1];
            let name = match (last.id, last.classes.first()) {
                (0, Some(class)) => *class,
                (0, None) => last.tag,
                (id, _) => id,
            };
            by_name.entry(name).or_default()[usize::from(selector.is_paint_only)].push(number as u32);
        }
        let work = (100_000 + document.len() as u64 * WORK_PER_NODE).min(MAX_WORK);
        Matcher {
            document,
            sheet,
            by_name,
            names: vec![Names::default(); document.len()],
            classes: Vec::new(),
            tag_keys: FxHashMap::default(),
            found: Vec::new(),
            work: [work; 2],
            declarations: [work; 2],
        }
    }

    /// The selectors that match an element, sorted by specificity, then order. It must be called for the elements in preorder.
    pub(super) fn selectors(&mut self, id: NodeId) -> impl Iterator<Item = &'a Selector> {
        self.read_names(id);
        self.found.clear();
        let own = self.names[id.index()];
        self.find_by(id, own.tag);
        self.find_by(id, own.id);
        for class in own.classes.0..own.classes.1 {
            self.find_by(id, self.classes[class as usize]);
        }
        self.find_by(id, 0);
        let selectors = &self.sheet.selectors;
        self.found.sort_unstable_by_key(|number| (selectors[*number as usize].specificity, *number));
        self.found.dedup();
        self.found.iter().map(|number| &selectors[*number as usize])
    }

    fn read_names(&mut self, id: NodeId) {
        let document = self.document;
        let name = document.name(id);
        let tag = *self.tag_keys.entry(name).or_insert_with(|| tag_key(document.name_text(name)));
        let own_id = document.attribute(id, Name::ID).map_or(0, |id| key(id.trim()));
        let start = self.classes.len() as u32;
        let classes = document.attribute(id, Name::CLASS).unwrap_or_default();
        self.classes.extend(classes.split_ascii_whitespace().take(64).map(key));
        if name == Name::A && document.attribute(id, Name::HREF).is_some() {
            self.classes.push(LINK);
        }
        self.classes[start as usize..].sort_unstable();
        let above = document.parent(id).map_or(0, |parent| self.names[parent.index()].ancestor_bits);
        let own = self.classes[start as usize..].iter().fold(bit(tag) | bit(own_id), |all, class| all | bit(*class));
        self.names[id.index()] =
            Names { tag, id: own_id, classes: (start, self.classes.len() as u32), ancestor_bits: above | own };
    }

    /// Adds the selectors that are listed under a name and match.
    fn find_by(&mut self, id: NodeId, name: u64) {
        let Some(lists) = self.by_name.get(&name) else { return };
        for (kind, numbers) in lists.iter().enumerate() {
            let (work, declarations) = (&mut self.work[kind], &mut self.declarations[kind]);
            for number in numbers {
                // Even skipping the rest of the selectors one by one, for each element, would take quadratic time.
                if *work == 0 {
                    break;
                }
                let selector = &self.sheet.selectors[*number as usize];
                let compounds = &selector.compounds;
                let (last, outer) = (&compounds[compounds.len() - 1], &compounds[..compounds.len() - 1]);
                *work = work.saturating_sub(cost(last));
                let ancestor_bits = self.names[id.index()].ancestor_bits;
                if matches(&self.names[id.index()], &self.classes, last)
                    && selector.ancestor_bits & !ancestor_bits == 0
                    && ancestors_match(self.document, outer, id, work, |id, compound| {
                        matches(&self.names[id.index()], &self.classes, compound)
                    })
                {
                    match declarations.checked_sub(selector.declarations.len() as u64) {
                        Some(left) => {
                            *declarations = left;
                            self.found.push(*number);
                        }
                        None => *work = 0,
                    }
                }
            }
        }
    }
}

fn matches(names: &Names, classes: &[u64], compound: &Compound) -> bool {
    let own = &classes[names.classes.0 as usize..names.classes.1 as usize];
    (compound.tag == 0 || compound.tag == names.tag)
        && (compound.id == 0 || compound.id == names.id)
        && compound.classes.iter().all(|class| own.binary_search(class).is_ok())
}

/// Returns whether the outer compounds of a selector match ancestors of an element. Each compound takes its nearest match, without
/// backtracking: a selector with a child combinator further out may be missed.
fn ancestors_match(
    document: &Document,
    outer: &[Compound],
    id: NodeId,
    work: &mut u64,
    matches: impl Fn(NodeId, &Compound) -> bool,
) -> bool {
    let mut at = id;
    for compound in outer.iter().rev() {
        loop {
            let Some(above) = document.parent(at).filter(|above| document.is_element(*above)) else { return false };
            at = above;
            *work = work.saturating_sub(cost(compound));
            if matches(at, compound) {
                break;
            }
            if compound.is_parent {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::declaration::Value;
    use super::*;
    use crate::dom::Parser;

    /// The values that rules set for the element with id `x`, weakest first.
    fn values(page: &str) -> Vec<f32> {
        let document = Parser::default().parse(page).unwrap();
        let sheet = StyleSheet::of(&document);
        let mut matcher = Matcher::new(&document, &sheet);
        let mut values = Vec::new();
        for id in document.ids().filter(|id| document.is_element(*id)) {
            let is_wanted = document.attribute(id, Name::ID) == Some("x");
            for selector in matcher.selectors(id).filter(|_| is_wanted) {
                for declaration in sheet.declarations(selector) {
                    if let Value::Px(pixels) = declaration.value {
                        values.push(pixels);
                    }
                }
            }
        }
        values
    }

    #[test]
    fn rules_apply_by_specificity_then_order() {
        let page = "<style>#x{width:1px} .a.b{width:2px} P{width:3px} *{width:4px} .a{width:5px} .c{width:6px} p.a{width:7px}
            div .a{width:8px} div > .a{width:9px} body > .a{width:10px} ul .a{width:11px} section div p{width:12px}</style>
            <section><div><p id=x class='a b'>";
        assert_eq!(values(page), [4.0, 3.0, 12.0, 5.0, 7.0, 8.0, 9.0, 2.0, 1.0]);
    }

    #[test]
    fn link_rules_set_colors_and_no_sizes() {
        let count = |page: &str| {
            let document = Parser::default().parse(page).unwrap();
            let sheet = StyleSheet::of(&document);
            let mut matcher = Matcher::new(&document, &sheet);
            let elements = document.ids().filter(|id| document.is_element(*id));
            elements.map(|id| matcher.selectors(id).map(|one| one.declarations.len()).sum::<usize>()).sum::<usize>()
        };
        let rule = "<style>#m a:link, a:link b, a:hover, :link:visited { color: red; width: 3px }</style><p id=m>";
        assert_eq!(count(&format!("{rule}<a href=x><b>y</b></a>")), 2);
        assert_eq!(count(&format!("{rule}<a name=x><b>y</b></a><link href=x>")), 0);
        assert_eq!(count("<style>a:link { width: 3px }</style><a href=x>"), 0);
    }

    #[test]
    fn declarations_are_bounded_on_hostile_sheets() {
        let sizes = format!("{} {{ {} }}", ["p"; 500].join(","), "margin:0;".repeat(1_000));
        let colors = format!("{} {{ {} }}", ["p"; 500].join(","), "color:red;".repeat(1_000));
        let page = format!("<style>p{{width:1px}} {sizes} {colors}</style>{}", "<p>x".repeat(1_000));
        let document = Parser::default().parse(&page).unwrap();
        let sheet = StyleSheet::of(&document);
        let mut matcher = Matcher::new(&document, &sheet);
        let allowed = matcher.declarations;
        let mut applied = [0; 2];
        for id in document.ids().filter(|id| document.is_element(*id)) {
            for selector in matcher.selectors(id) {
                applied[usize::from(selector.is_paint_only)] += sheet.declarations(selector).len() as u64;
            }
        }
        for kind in 0..2 {
            assert!((1..=allowed[kind]).contains(&applied[kind]), "{applied:?} of {allowed:?}");
        }
        assert!(allowed[0] < 1_000 * page.len() as u64);
    }

    #[test]
    fn many_classes_count_as_more_work() {
        let work = |compound: &str| {
            let rules = format!("{}i {{width:1px}}", format!("{compound} p,").repeat(50));
            let page = format!("<style>{rules}</style><div class='h g f e d c b a z'>{}", "<p>x".repeat(100));
            let document = Parser::default().parse(&page).unwrap();
            let sheet = StyleSheet::of(&document);
            let mut matcher = Matcher::new(&document, &sheet);
            let before = matcher.work[0];
            let found: usize =
                document.ids().filter(|id| document.is_element(*id)).map(|id| matcher.selectors(id).count()).sum();
            assert_eq!(found, 5_000);
            before - matcher.work[0]
        };
        assert_eq!(work(".a"), 2 * 5_000);
        assert_eq!(work(".a.b.c.d.e.f.g.h"), 6 * 5_000);
    }

    #[test]
    fn matching_is_bounded_on_hostile_sheets() {
        let rules = "div div div div div div .z, * {width:1px} div div .z, * {color:red}".repeat(5_000);
        let page = format!("<style>{rules}</style>{}", "<div class=z>".repeat(20_000));
        let document = Parser::default().parse(&page).unwrap();
        let sheet = StyleSheet::of(&document);
        let mut matcher = Matcher::new(&document, &sheet);
        for id in document.ids().filter(|id| document.is_element(*id)) {
            matcher.selectors(id).for_each(drop);
        }
        assert_eq!(matcher.work, [0, 0]);
    }
}
