//! Describes the nodes of a page: collects the facts about each node and fills the table of features.

use super::node_facts::{NodeFacts, PageFacts, Surroundings};
use super::node_schema::COLUMNS;
use super::{context_columns, markup_columns, position_columns, text_columns};
use crate::dom::elements::heading_level;
use crate::dom::host_of;
use crate::dom::{Document, Name, NodeId};
use crate::page_counts::PageCounts;
use dehusk::layout::Layout;
use dehusk::read::{Hints, all_hints_of};
use std::collections::HashMap;

/// Which nodes get a row, and what is known besides the page itself.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DescribeOptions<'a> {
    /// The minimum area of a node that gets a row, in square pixels. The body always gets one.
    pub min_area: f32,
    /// The host of the page, if known; otherwise it is read from the page's metadata.
    pub host: Option<&'a str>,
}

/// The features of the nodes, row by row.
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

    /// The rows with their nodes, in page order.
    pub fn rows(&self) -> impl Iterator<Item = (NodeId, &[f32])> {
        self.nodes.iter().copied().zip(self.values.chunks_exact(COLUMNS))
    }
}

/// Computes the features of the visible nodes of the body.
pub fn describe(document: &Document, layout: &Layout, options: DescribeOptions<'_>) -> FeatureTable {
    let mut table = FeatureTable::default();
    let Some(body) = document.find(Name::BODY) else { return table };
    let host = options.host.or_else(|| page_host(document));
    let counts = PageCounts::of(document, layout, host);
    let surroundings = surroundings(document, body);
    let page = PageFacts {
        width: layout.width,
        height: layout.height,
        font_size: usual_font_size(document, layout, &counts, body),
        counts: counts.subtree(document, body),
    };
    let is_wanted = |id: &NodeId| {
        let at = layout.node(*id);
        *id == body || (document.is_element(*id) && at.visible && at.area() >= options.min_area)
    };
    for id in document.subtree(body).map(|at| NodeId(at as u32)).filter(is_wanted) {
        let own = counts.subtree(document, id);
        let parent = document.parent(id).filter(|_| id != body).unwrap_or(body);
        let node = NodeFacts {
            page: &page,
            name: document.html_name(id),
            at: *layout.node(id),
            counts: own,
            outer: counts.subtree(document, parent),
            outer_area: layout.node(parent).area(),
            words_before: counts.range(body, id).words,
            words_after: counts.range(document.end(id), document.end(body)).words,
            elements_before: counts.range(body, id).elements as f32 / page.counts.elements.max(1) as f32,
            bytes: document.span(id).map_or(0, |span| span.len()).max(own.characters as usize),
            depth: document.depth(id),
            surroundings: surroundings[id.index()],
        };
        table.nodes.push(id);
        table.values.extend_from_slice(&position_columns::values(&node));
        table.values.extend_from_slice(&text_columns::values(&node));
        table.values.extend_from_slice(&markup_columns::values(&node));
        table.values.extend_from_slice(&context_columns::values(&node));
    }
    table
}

/// The host of a page by its metadata: `<base>`, the canonical link, or `og:url`.
pub fn page_host(document: &Document) -> Option<&str> {
    document.ids().take_while(|id| document.html_name(*id) != Name::BODY).find_map(|id| {
        let url = match document.html_name(id) {
            Name::BASE => document.attribute(id, Name::HREF),
            Name::LINK if document.attribute(id, Name::REL)?.eq_ignore_ascii_case("canonical") => {
                document.attribute(id, Name::HREF)
            }
            Name::META if document.attribute(id, Name::PROPERTY)?.eq_ignore_ascii_case("og:url") => {
                document.attribute(id, Name::CONTENT)
            }
            _ => None,
        };
        host_of(url?.trim())
    })
}

/// The font size of most words.
fn usual_font_size(document: &Document, layout: &Layout, counts: &PageCounts, body: NodeId) -> f32 {
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

/// The surroundings of all elements of the body.
fn surroundings(document: &Document, body: NodeId) -> Vec<Surroundings> {
    let mut all = vec![Surroundings::default(); document.len()];
    // Name and class of each child, and the number of children with them.
    let mut shapes: Vec<((Name, &str), NodeId)> = Vec::new();
    let mut counted: HashMap<(Name, &str), u32> = HashMap::default();
    for id in document.subtree(body).map(|at| NodeId(at as u32)).filter(|id| document.is_element(*id)) {
        let at = id.index();
        // The names of the body describe the page, not a part of it.
        if id != body {
            all[at].own_hints = all_hints_of(document, id);
            let around = document.parent(id).map_or(Hints::default(), |parent| all[parent.index()].hints_around);
            all[at].hints_around = around.union(all[at].own_hints);
        }
        shapes.clear();
        counted.clear();
        let mut heading = false;
        for child in document.children(id).filter(|child| document.is_element(*child)) {
            let class = document.attribute(child, Name::CLASS).unwrap_or_default();
            let shape = (document.name(child), class);
            shapes.push((shape, child));
            *counted.entry(shape).or_default() += 1;
            all[child.index()].heading_before = heading;
            heading = heading_level(document.html_name(child)).is_some();
        }
        all[at].children = shapes.len() as u32;
        for (number, (shape, child)) in shapes.iter().enumerate() {
            let similar = counted[shape];
            let child = &mut all[child.index()];
            (child.sibling, child.siblings, child.similar_siblings) = (number as u32, shapes.len() as u32, similar);
            all[at].similar_children = all[at].similar_children.max(similar);
        }
    }
    for id in document.subtree(body).rev().map(|at| NodeId(at as u32)) {
        if let Some(parent) = document.parent(id) {
            let hints = all[id.index()].own_hints.union(all[id.index()].hints_inside);
            let outer = &mut all[parent.index()];
            outer.hints_inside = outer.hints_inside.union(hints);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::node_schema::column_names;
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
    fn every_row_has_every_column_and_finite_values() {
        let (_, table) = table();
        assert!(table.nodes().len() > 8);
        for (_, row) in table.rows() {
            assert_eq!(row.len(), column_names().count());
            assert!(row.iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn columns_hold_what_their_names_say() {
        let (document, table) = table();
        let value = |name: Name, column: &str| {
            let id = document.find(name).unwrap();
            let row = table.rows().find(|(node, _)| *node == id).unwrap().1;
            row[column_names().position(|name| name == column).unwrap()]
        };
        assert_eq!(value(Name::NAV, "link_word_share"), 1.0);
        assert_eq!(value(Name::P, "link_word_share"), 0.0);
        assert_eq!(value(Name::NAV, "own_nav"), 1.0);
        assert_eq!(value(Name::A, "in_nav"), 1.0);
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
        let table = describe(&document, &layout, DescribeOptions { min_area: 2_000.0, host: None });
        assert!(table.nodes().iter().all(|id| layout.node(*id).area() >= 2_000.0));
    }
}
