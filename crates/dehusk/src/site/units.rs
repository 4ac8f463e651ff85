//! Units of a page: what is kept or dropped as a whole.
//!
//! A repeated word inside a paragraph is not template, and a table without its row labels is useless. Decisions are
//! therefore made for units: a block of running text, a run of loose text between blocks, a list of short items, a
//! data table.

use crate::dom::elements;
use crate::dom::elements::{heading_level, is_list};
use crate::dom::{Document, Name, NodeId, Stats};
use crate::read::data_tables::shape_of;

/// The kind of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnitKind {
    /// Running text: a block without nested blocks, or loose inline nodes between blocks.
    Run,
    /// A list of short items.
    List,
    /// A table of data, or a definition list.
    Table,
}

/// One or several neighbouring nodes that are kept or dropped as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    pub(crate) start: NodeId,
    pub(crate) end: NodeId,
    /// The block that forms the unit, or `None` for loose nodes.
    pub(crate) block: Option<NodeId>,
}

/// Elements that start a block: those that start a line, and those whose contents belong together.
fn is_block(name: Name) -> bool {
    elements::is_block(name) || matches!(name, Name::NOSCRIPT | Name::SELECT | Name::OPTGROUP | Name::OPTION)
}

/// Longer items of a list are treated as running text. In characters; two lines of a page, chosen by hand.
const MAX_ITEM_CHARACTERS: u32 = 160;

/// Splits the body of a page into units, in page order. Nodes that are in no unit are containers or empty.
pub(crate) fn units(document: &Document, stats: &Stats) -> Vec<Unit> {
    let Some(body) = document.find(Name::BODY) else { return Vec::new() };
    let holds_block = blocks_inside(document);
    let mut units = Vec::new();
    let mut at = body;
    let end = document.end(body);
    while at < end {
        let next = NodeId(at.0 + 1);
        let block = document.is_element(at) && is_block(document.html_name(at));
        let whole = whole_kind(document, stats, at, block, &holds_block);
        if let Some(kind) = whole {
            units.push(Unit { kind, start: at, end: document.end(at), block: Some(at) });
            at = document.end(at);
        } else if block || holds_block[at.index()] {
            // A container: visit its children.
            at = next;
        } else {
            // Loose inline nodes up to the next block or the end of the container.
            let limit = document.parent(at).map_or(end, |parent| document.end(parent));
            let start = at;
            while at < limit && !holds_block[at.index()] && !is_block(document.html_name(at)) {
                at = document.end(at);
            }
            units.push(Unit { kind: UnitKind::Run, start, end: at, block: None });
        }
    }
    units
}

/// Returns which nodes have a block among their descendants.
fn blocks_inside(document: &Document) -> Vec<bool> {
    let mut holds = vec![false; document.len()];
    for id in document.ids().rev() {
        if let Some(parent) = document.parent(id)
            && (holds[id.index()] || (document.is_element(id) && is_block(document.html_name(id))))
        {
            holds[parent.index()] = true;
        }
    }
    holds
}

fn whole_kind(document: &Document, stats: &Stats, id: NodeId, block: bool, holds_block: &[bool]) -> Option<UnitKind> {
    if !block {
        return None;
    }
    match document.html_name(id) {
        name if is_list(name) && is_short_list(document, stats, id) => Some(UnitKind::List),
        Name::SELECT => Some(UnitKind::List),
        Name::TABLE if shape_of(document, id).is_some() => Some(UnitKind::Table),
        Name::DL if is_data_list(document, stats, id) => Some(UnitKind::Table),
        _ if !holds_block[id.index()] => Some(UnitKind::Run),
        _ => None,
    }
}

/// Whether the items of a list are short and contain only text and nested lists.
fn is_short_list(document: &Document, stats: &Stats, id: NodeId) -> bool {
    let mut items = 0;
    for inner in document.descendants(id) {
        let name = document.html_name(inner);
        if name == Name::LI {
            items += 1;
            let sublists = document.children(inner).filter(|child| is_list(document.html_name(*child)));
            let below: u32 = sublists.map(|list| stats.subtree(document, list).characters).sum();
            if stats.subtree(document, inner).characters - below > MAX_ITEM_CHARACTERS {
                return false;
            }
        } else if matches!(
            name,
            Name::TABLE | Name::ARTICLE | Name::SECTION | Name::PRE | Name::BLOCKQUOTE | Name::FIGURE
        ) || heading_level(name).is_some()
        {
            return false;
        }
    }
    items > 1
}

fn is_data_list(document: &Document, stats: &Stats, id: NodeId) -> bool {
    let terms = document.descendants(id).filter(|inner| document.html_name(*inner) == Name::DT).count();
    let nested = document.descendants(id).any(|inner| {
        matches!(document.html_name(inner), Name::DL | Name::TABLE | Name::PRE | Name::ARTICLE | Name::SECTION)
    });
    terms > 0 && !nested && stats.subtree(document, id).characters < 4_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn kinds(page: &str) -> Vec<(UnitKind, String)> {
        let document = Parser::default().parse(page).unwrap();
        let stats = Stats::of(&document);
        let name = |unit: &Unit| match unit.block {
            Some(block) => document.name_text(document.name(block)).to_string(),
            None => document.text(unit.start).trim().to_string(),
        };
        units(&document, &stats).iter().map(|unit| (unit.kind, name(unit))).filter(|unit| !unit.1.is_empty()).collect()
    }

    #[test]
    fn pages_split_into_units() {
        use UnitKind::*;
        let page = "<div>loose <b>text</b><p>para</p>more<ul><li>a<li>b<ul><li>c<li>d</ul></ul>
            <table><tr><th>k<td>v<tr><th>k<td>v</table><table><tr><td><h1>x</h1><p>y</table><pre>z</pre></div>";
        let found = kinds(page);
        let expected = [
            (Run, "loose"),
            (Run, "p"),
            (Run, "more"),
            (List, "ul"),
            (Table, "table"),
            (Run, "h1"),
            (Run, "p"),
            (Run, "pre"),
        ];
        assert_eq!(found, expected.map(|(kind, name)| (kind, name.to_string())));
    }
}
