//! Which rules of a sheet apply to which elements.
//!
//! Rules are looked up by the rarest name of their last part. A set of bits says which names stand on the way to the root, so
//! that most rules are refused without a walk. The work is counted: a page cannot make matching quadratic.

use super::sheet::{Part, Selector, Sheet, key, tag_key};
use crate::dom::{Document, Name, NodeId};
use rustc_hash::FxHashMap;

/// The names of an element selectors ask for.
#[derive(Clone, Copy, Debug, Default)]
struct Names {
    tag: u64,
    id: u64,
    /// Its classes, in the list of all.
    classes: (u32, u32),
    /// Bits of the names of the element and of all it stands in.
    on_the_way: u64,
}

/// Matches the elements of one page, in preorder.
pub(super) struct Matcher<'a> {
    document: &'a Document,
    sheet: &'a Sheet,
    /// Selectors by a name of their last part; those without any name have 0.
    by_name: FxHashMap<u64, Vec<u32>>,
    names: Vec<Names>,
    classes: Vec<u64>,
    tag_keys: FxHashMap<Name, u64>,
    found: Vec<u32>,
    work: u64,
}

/// Looks at a rule for an element, for all of a page.
const MOST_WORK: u64 = 100_000_000;
/// The same for each element; real pages with large sheets need about 100.
const WORK_PER_NODE: u64 = 500;

fn bit(name: u64) -> u64 {
    if name == 0 { 0 } else { 1 << (name >> 58) }
}

fn bits(part: &Part) -> u64 {
    part.classes.iter().fold(bit(part.tag) | bit(part.id), |all, class| all | bit(*class))
}

impl<'a> Matcher<'a> {
    pub(super) fn new(document: &'a Document, sheet: &'a Sheet) -> Matcher<'a> {
        let mut by_name: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (number, selector) in sheet.selectors.iter().enumerate() {
            let last = &selector.parts[selector.parts.len() - 1];
            let name = match (last.id, last.classes.first()) {
                (0, Some(class)) => *class,
                (0, None) => last.tag,
                (id, _) => id,
            };
            by_name.entry(name).or_default().push(number as u32);
        }
        let work = (100_000 + document.len() as u64 * WORK_PER_NODE).min(MOST_WORK);
        Matcher {
            document,
            sheet,
            by_name,
            names: vec![Names::default(); document.len()],
            classes: Vec::new(),
            tag_keys: FxHashMap::default(),
            found: Vec::new(),
            work,
        }
    }

    /// The rules for an element, from the weakest to the strongest. Elements are asked for in preorder.
    pub(super) fn rules(&mut self, id: NodeId) -> impl Iterator<Item = &'a Selector> {
        self.read_names(id);
        self.found.clear();
        let own = self.names[id.index()];
        self.look(id, own.tag);
        self.look(id, own.id);
        for class in own.classes.0..own.classes.1 {
            self.look(id, self.classes[class as usize]);
        }
        self.look(id, 0);
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
        let above = document.parent(id).map_or(0, |parent| self.names[parent.index()].on_the_way);
        let own = self.classes[start as usize..].iter().fold(bit(tag) | bit(own_id), |all, class| all | bit(*class));
        self.names[id.index()] =
            Names { tag, id: own_id, classes: (start, self.classes.len() as u32), on_the_way: above | own };
    }

    /// Adds the rules that are filed under a name and apply.
    fn look(&mut self, id: NodeId, name: u64) {
        let Some(numbers) = self.by_name.get(&name) else { return };
        for number in numbers {
            if self.work == 0 {
                return;
            }
            self.work -= 1;
            let parts = &self.sheet.selectors[*number as usize].parts;
            let (last, outer) = (&parts[parts.len() - 1], &parts[..parts.len() - 1]);
            let on_the_way = self.names[id.index()].on_the_way;
            if self.fits(id, last)
                && outer.iter().all(|part| bits(part) & !on_the_way == 0)
                && ancestors_fit(self.document, outer, id, &mut self.work, |id, part| {
                    fits(&self.names[id.index()], &self.classes, part)
                })
            {
                self.found.push(*number);
            }
        }
    }

    fn fits(&self, id: NodeId, part: &Part) -> bool {
        fits(&self.names[id.index()], &self.classes, part)
    }
}

fn fits(names: &Names, classes: &[u64], part: &Part) -> bool {
    let own = &classes[names.classes.0 as usize..names.classes.1 as usize];
    (part.tag == 0 || part.tag == names.tag)
        && (part.id == 0 || part.id == names.id)
        && part.classes.iter().all(|class| own.contains(class))
}

/// Whether the outer parts of a selector are found on the way up. Takes the nearest fit of each part: where a parent is
/// asked for further up, a rule that would fit by another ancestor can be missed.
fn ancestors_fit(
    document: &Document,
    outer: &[Part],
    id: NodeId,
    work: &mut u64,
    fits: impl Fn(NodeId, &Part) -> bool,
) -> bool {
    let mut at = id;
    for part in outer.iter().rev() {
        loop {
            let Some(above) = document.parent(at).filter(|above| document.is_element(*above)) else { return false };
            at = above;
            *work = work.saturating_sub(1);
            if fits(at, part) {
                break;
            }
            if part.is_parent {
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

    /// The values the rules give the element with id `x`, weakest first.
    fn values(page: &str) -> Vec<f32> {
        let document = Parser::default().parse(page).unwrap();
        let sheet = Sheet::of(&document);
        let mut matcher = Matcher::new(&document, &sheet);
        let mut values = Vec::new();
        for id in document.ids().filter(|id| document.is_element(*id)) {
            let is_wanted = document.attribute(id, Name::ID) == Some("x");
            for rule in matcher.rules(id).filter(|_| is_wanted) {
                for declaration in &sheet.declarations[rule.declarations.start as usize..rule.declarations.end as usize]
                {
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
    fn matching_ends_on_hostile_sheets() {
        let rules = "div div div div div div .z, * {width:1px}".repeat(5_000);
        let page = format!("<style>{rules}</style>{}", "<div class=z>".repeat(20_000));
        let document = Parser::default().parse(&page).unwrap();
        let sheet = Sheet::of(&document);
        let mut matcher = Matcher::new(&document, &sheet);
        for id in document.ids().filter(|id| document.is_element(*id)) {
            matcher.rules(id).for_each(drop);
        }
        assert_eq!(matcher.work, 0);
    }
}
