//! Describes the nodes of a page: gathers what the columns need and fills the table.

use super::counts::{PageCounts, host_of};
use super::hints::{Hints, Jobs};
use super::node::{Node, Page};
use super::schema::COLUMNS;
use super::{context, markup, place, text};
use crate::dom::elements::heading_level;
use crate::dom::{Document, Name, NodeId};
use crate::layout::Layout;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Which nodes get a row, and what is known beside the page.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DescribeOptions<'a> {
    /// Nodes with a smaller area, in square pixels, get no row; the body always has one.
    pub least_area: f32,
    /// The host of the page, where it is known; without it the page is asked.
    pub host: Option<&'a str>,
}

/// Features by node: row-major numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FeatureTable {
    nodes: Vec<NodeId>,
    values: Vec<f32>,
}

impl FeatureTable {
    /// The nodes with a row, in page order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The features of a row.
    pub fn row(&self, number: usize) -> &[f32] {
        &self.values[number * COLUMNS..(number + 1) * COLUMNS]
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = (NodeId, &[f32])> {
        self.nodes.iter().copied().zip(self.values.chunks_exact(COLUMNS))
    }
}

/// What is known of an element by its place among its siblings.
#[derive(Clone, Copy, Default)]
struct Kin {
    children: u32,
    sibling: u32,
    siblings: u32,
    alike: u32,
    alike_children: u32,
    own: Jobs,
    around: Jobs,
    inside: Jobs,
    heading_before: bool,
}

/// The features of the nodes of a body that are shown.
pub fn describe(document: &Document, layout: &Layout, options: DescribeOptions<'_>) -> FeatureTable {
    let mut table = FeatureTable::default();
    let Some(body) = document.find(Name::BODY) else { return table };
    let host = options.host.or_else(|| page_host(document));
    let counts = PageCounts::of(document, layout, host);
    let kin = kin(document, body);
    let page = Page {
        width: layout.width,
        height: layout.height,
        font_size: usual_font(document, layout, &counts, body),
        counts: counts.subtree(document, body),
    };
    let is_wanted = |id: &NodeId| {
        let at = layout.node(*id);
        *id == body || (document.is_element(*id) && at.visible && at.area() >= options.least_area)
    };
    for id in document.subtree(body).map(|at| NodeId(at as u32)).filter(is_wanted) {
        let own = counts.subtree(document, id);
        let parent = document.parent(id).filter(|_| id != body).unwrap_or(body);
        let kin = &kin[id.index()];
        let node = Node {
            page: &page,
            name: document.html_name(id),
            at: *layout.node(id),
            counts: own,
            outer: counts.subtree(document, parent),
            outer_area: layout.node(parent).area(),
            words_before: counts.range(body, id).words,
            words_after: counts.range(document.end(id), document.end(body)).words,
            elements_before: counts.range(body, id).elements as f32 / page.counts.elements.max(1) as f32,
            bytes: document.span(id).map_or(0, |span| span.len()).max(own.letters as usize),
            depth: document.depth(id),
            children: kin.children,
            sibling: kin.sibling,
            siblings: kin.siblings,
            alike: kin.alike,
            alike_children: kin.alike_children,
            own_jobs: kin.own,
            jobs_around: kin.around,
            jobs_inside: kin.inside,
            heading_before: kin.heading_before,
        };
        table.nodes.push(id);
        table.values.extend_from_slice(&place::values(&node));
        table.values.extend_from_slice(&text::values(&node));
        table.values.extend_from_slice(&markup::values(&node));
        table.values.extend_from_slice(&context::values(&node));
    }
    table
}

/// The host a page says it is on: `<base>`, the canonical link, or the address for sharing.
pub fn page_host(document: &Document) -> Option<&str> {
    document.ids().take_while(|id| document.html_name(*id) != Name::BODY).find_map(|id| {
        let address = match document.html_name(id) {
            Name::BASE => document.attribute(id, Name::HREF),
            Name::LINK if document.attribute(id, Name::REL)?.eq_ignore_ascii_case("canonical") => {
                document.attribute(id, Name::HREF)
            }
            Name::META if document.attribute(id, Name::PROPERTY)?.eq_ignore_ascii_case("og:url") => {
                document.attribute(id, Name::CONTENT)
            }
            _ => None,
        };
        host_of(address?.trim())
    })
}

/// The size of font that most words have.
fn usual_font(document: &Document, layout: &Layout, counts: &PageCounts, body: NodeId) -> f32 {
    let mut words: Vec<(u32, u32)> = Vec::new();
    for id in document.descendants(body).filter(|id| document.is_text(*id)) {
        let own = counts.subtree(document, id).words;
        let size = (layout.node(id).font_size * 2.0) as u32;
        match words.iter().position(|entry| entry.0 == size) {
            Some(at) => words[at].1 += own,
            None if words.len() < 64 => words.push((size, own)),
            None => {}
        }
    }
    let most = words.iter().max_by_key(|entry| (entry.1, entry.0));
    most.map_or(16.0, |entry| entry.0 as f32 / 2.0).max(1.0)
}

/// What elements are among their siblings, and what their names and those around and inside them hint at.
fn kin(document: &Document, body: NodeId) -> Vec<Kin> {
    let mut kin = vec![Kin::default(); document.len()];
    let mut hints = Hints::default();
    let mut shapes: Vec<(u64, NodeId)> = Vec::new();
    let mut counted: FxHashMap<u64, u32> = FxHashMap::default();
    for id in document.subtree(body).map(|at| NodeId(at as u32)).filter(|id| document.is_element(*id)) {
        let at = id.index();
        // The names of the body are about the page, not about a part of it.
        if id != body {
            kin[at].own = hints.of(document, id);
            let around = document.parent(id).map_or(0, |parent| kin[parent.index()].around);
            kin[at].around = around | kin[at].own;
        }
        shapes.clear();
        counted.clear();
        let mut heading = false;
        for child in document.children(id).filter(|child| document.is_element(*child)) {
            let name = document.html_name(child);
            let class = document.attribute(child, Name::CLASS).unwrap_or_default();
            let shape = xxh3_64(class.as_bytes())
                ^ u64::from(document.name(child).number()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            shapes.push((shape, child));
            *counted.entry(shape).or_default() += 1;
            kin[child.index()].heading_before = heading;
            heading = heading_level(name).is_some();
        }
        kin[at].children = shapes.len() as u32;
        for (number, (shape, child)) in shapes.iter().enumerate() {
            let alike = counted[shape];
            let child = &mut kin[child.index()];
            (child.sibling, child.siblings, child.alike) = (number as u32, shapes.len() as u32, alike);
            kin[at].alike_children = kin[at].alike_children.max(alike);
        }
    }
    for id in document.subtree(body).rev().map(|at| NodeId(at as u32)) {
        if let Some(parent) = document.parent(id) {
            let jobs = kin[id.index()].own | kin[id.index()].inside;
            kin[parent.index()].inside |= jobs;
        }
    }
    kin
}

#[cfg(test)]
mod tests {
    use super::super::schema::column_names;
    use super::*;
    use crate::dom::Parser;
    use crate::layout::estimate;

    const PAGE: &str = "<title>Nets and ropes</title><body><nav><ul><li class=a><a href=/>Home</a><li class=a><a href=/b>All</a>
        <li><a href=/c>More</a></ul></nav><div id=content><h1>Nets</h1><p>Nets are mended in May, when the boats come in, and \
        ropes are tarred. It takes a week.</p></div><div class=footer>© 2020</div>";

    fn table() -> (Document, FeatureTable) {
        let document = Parser::default().parse(PAGE).unwrap();
        let table = describe(&document, &estimate(&document), DescribeOptions::default());
        (document, table)
    }

    #[test]
    fn every_row_has_every_column_and_only_numbers() {
        let (_, table) = table();
        assert!(table.nodes().len() > 8);
        for (_, row) in table.rows() {
            assert_eq!(row.len(), column_names().count());
            assert!(row.iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn columns_say_what_their_names_say() {
        let (document, table) = table();
        let value = |name: Name, column: &str| {
            let id = document.find(name).unwrap();
            let row = table.rows().find(|(node, _)| *node == id).unwrap().1;
            row[column_names().position(|name| name == column).unwrap()]
        };
        assert_eq!(value(Name::NAV, "link_word_share"), 1.0);
        assert_eq!(value(Name::P, "link_word_share"), 0.0);
        assert_eq!(value(Name::NAV, "own_navigation"), 1.0);
        assert_eq!(value(Name::A, "in_navigation"), 1.0);
        assert_eq!(value(Name::P, "in_content"), 1.0);
        assert_eq!(value(Name::P, "prose_share"), 1.0);
        assert_eq!(value(Name::P, "has_heading_before"), 1.0);
        assert_eq!(value(Name::LI, "like_siblings"), 0.5);
        assert_eq!(value(Name::NAV, "no_words_before"), 1.0);
        assert!(value(Name::P, "title_word_share") > 0.1);
        assert!(value(Name::P, "top_margin") > value(Name::NAV, "top_margin"));
        assert_eq!(value(Name::BODY, "holds_footer"), 1.0);
    }

    #[test]
    fn small_nodes_get_no_row() {
        let document = Parser::default().parse(PAGE).unwrap();
        let layout = estimate(&document);
        let table = describe(&document, &layout, DescribeOptions { least_area: 2_000.0, host: None });
        assert!(table.nodes().iter().all(|id| layout.node(*id).area() >= 2_000.0));
    }
}
