//! Splits a page into the blocks of its JSON record.
//!
//! Input: a document and a detection. Output: nodes whose subtrees do not overlap, in page order: the outermost
//! dropped nodes, and for the rest paragraphs, headings, lists, code, data tables and other blocks that contain no
//! further blocks. Nodes without visible text are left out. The detectors' own blocks are different units: these
//! depend on the decisions.

use super::render_options::RenderOptions;
use super::walk::{Event, Walk};
use crate::detection::Detection;
use crate::dom::elements::{heading_level, is_block, is_list, is_preformatted};
use crate::dom::{Document, Name, NodeId};
use crate::render::elements::shown_tables::Tables;

/// The blocks of a page, in page order.
pub fn blocks(document: &Document, detection: &Detection, options: RenderOptions) -> Vec<NodeId> {
    let tables =
        Tables::new(document, 0..document.len(), |nodes| Walk::within(document, Some(detection), options, nodes));
    let sums = Sums::new(document, detection, options);
    let mut blocks = Vec::new();
    let mut next = 0;
    while next < document.len() {
        let id = NodeId(next as u32);
        let end = document.end(id).index();
        if detection.is_dropped(id) {
            if sums.has_any_text(next, end) {
                blocks.push(id);
            }
            next = end;
        } else if sums.is_kept_whole(next, end) && is_block_of_record(document, &tables, &sums, id) {
            if sums.has_text(next, end) {
                blocks.push(id);
            }
            next = end;
        } else {
            next += 1;
        }
    }
    blocks
}

/// Whether a kept node is a block that is not split further.
fn is_block_of_record(document: &Document, tables: &Tables, sums: &Sums, id: NodeId) -> bool {
    let name = document.html_name(id);
    let atomic = matches!(name, Name::P | Name::DL | Name::BLOCKQUOTE | Name::FIGURE)
        || is_list(name)
        || is_preformatted(name)
        || heading_level(name).is_some()
        || tables.shape(id).is_some();
    atomic || !sums.has_block(id.index() + 1, document.end(id).index())
}

/// Prefix sums over the nodes, so that a count over a subtree is one subtraction.
struct Sums {
    dropped: Vec<u32>,
    blocks: Vec<u32>,
    texts: Vec<u32>,
    /// Visible texts, kept or not.
    all_texts: Vec<u32>,
}

impl Sums {
    fn new(document: &Document, detection: &Detection, options: RenderOptions) -> Sums {
        let mut shown = vec![false; document.len()];
        for event in Walk::new(document, detection, options) {
            match event {
                Event::Text(id) => shown[id.index()] = !document.text(id).trim().is_empty(),
                // Only blocks that are shown count; formulas have no text of their own in the walk.
                Event::Enter(id) => shown[id.index()] = is_block(document.html_name(id)),
                _ => {}
            }
        }
        let mut visible = vec![false; document.len()];
        for event in Walk::within(document, None, options, 0..document.len()) {
            if let Event::Text(id) = event {
                visible[id.index()] = !document.text(id).trim().is_empty();
            }
        }
        let sum = |test: &dyn Fn(NodeId) -> bool| {
            let mut total = 0;
            let before = document.ids().map(|id| {
                total += test(id) as u32;
                total
            });
            std::iter::once(0).chain(before).collect::<Vec<u32>>()
        };
        Sums {
            dropped: sum(&|id| detection.is_dropped(id)),
            blocks: sum(&|id| document.is_element(id) && shown[id.index()]),
            texts: sum(&|id| document.is_text(id) && shown[id.index()]),
            all_texts: sum(&|id| visible[id.index()]),
        }
    }

    fn is_kept_whole(&self, start: usize, end: usize) -> bool {
        self.dropped[start] == self.dropped[end]
    }

    fn has_block(&self, start: usize, end: usize) -> bool {
        self.blocks[start] < self.blocks[end]
    }

    fn has_any_text(&self, start: usize, end: usize) -> bool {
        self.all_texts[start] < self.all_texts[end]
    }

    fn has_text(&self, start: usize, end: usize) -> bool {
        self.texts[start] < self.texts[end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;

    fn names(source: &str) -> Vec<String> {
        let (document, detection) = page(source);
        let blocks = blocks(&document, &detection, RenderOptions::default());
        let name = |id: &NodeId| match document.is_text(*id) {
            true => document.text(*id).to_owned(),
            false => document.name_text(document.name(*id)).to_owned(),
        };
        blocks.iter().map(name).collect()
    }

    #[test]
    fn splits_a_page() {
        let source = "<nav data-drop><p>x</nav><main><h1>t</h1><div>a<b>b</b></div><div>loose<p>p</p></div>\
            <ul><li><p>l</ul><p></p></main><script>s</script>";
        assert_eq!(names(source), ["nav", "h1", "div", "loose", "p", "ul"]);
    }

    #[test]
    fn a_list_with_a_dropped_item_is_split() {
        assert_eq!(names("<ul><li>a<li data-drop>b<li>c</ul>"), ["li", "li", "li"]);
    }
}
