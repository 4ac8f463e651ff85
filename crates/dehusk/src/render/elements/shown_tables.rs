//! The data tables of what is rendered: the part of a table that is kept can be one although the whole is not, and the reverse.

use crate::dom::elements::is_preformatted;
use crate::dom::{Document, Name, NodeId};
use crate::read::data_tables::{TableReader, TableShape};
use crate::render::walk::{Event, Walk};
use std::ops::Range;

/// The data tables of a page.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    shapes: Vec<(NodeId, TableShape)>,
}

impl Tables {
    /// Finds the data tables among nodes, given how to walk over a range of them.
    pub(crate) fn new<'a>(document: &Document, nodes: Range<usize>, walk: impl Fn(Range<usize>) -> Walk<'a>) -> Tables {
        let mut tables = Tables::default();
        let mut next = nodes.start;
        // Only tables are walked over, because most of a page is outside of any.
        while next < nodes.end {
            let id = NodeId(next as u32);
            next += 1;
            if document.html_name(id) == Name::TABLE {
                next = document.end(id).index();
                let outer = document.ancestors(id).take_while(|outer| nodes.contains(&outer.index()));
                let preformatted = outer.filter(|outer| is_preformatted(document.html_name(*outer))).count();
                tables.read(document, preformatted, walk(document.subtree(id)));
            }
        }
        // Inner tables end first.
        tables.shapes.sort_unstable_by_key(|shape| shape.0);
        tables
    }

    /// Reads an outermost table and those in it, inside a number of elements that preserve white space.
    fn read(&mut self, document: &Document, mut preformatted: usize, walk: Walk<'_>) {
        let mut open: Vec<TableReader> = Vec::new();
        for event in walk {
            match event {
                Event::Enter(id) => {
                    let name = document.html_name(id);
                    preformatted += is_preformatted(name) as usize;
                    if name == Name::TABLE {
                        if let Some(outer) = open.last_mut() {
                            outer.layout = true;
                        }
                        open.push(TableReader::new(document, id, preformatted > 0));
                    } else if let Some(table) = open.last_mut() {
                        table.enter(document, id, name);
                    }
                }
                Event::Text(id) => {
                    if let Some(table) = open.last_mut() {
                        table.text(document.text(id).trim().len());
                    }
                }
                Event::Leave(id) => {
                    let name = document.html_name(id);
                    preformatted -= is_preformatted(name) as usize;
                    if name == Name::TABLE {
                        self.shapes.extend(open.pop().and_then(TableReader::finish));
                    } else if let Some(table) = open.last_mut() {
                        table.leave(name);
                    }
                }
                Event::Gap(_) => {}
            }
        }
    }

    /// The shape of a data table. `None` for layout tables and other elements.
    pub(crate) fn shape(&self, id: NodeId) -> Option<TableShape> {
        let at = self.shapes.binary_search_by_key(&id, |shape| shape.0).ok()?;
        Some(self.shapes[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;
    use crate::render::render_options::RenderOptions;

    #[test]
    fn tables_are_read_as_they_are_shown() {
        let (document, detection) =
            page("<table><tr><td>1<td hidden><pre>code</pre><tr><td>2<td>3</table><pre><table><tr><th>a<th>b</table>");
        let shapes = |options| {
            let walk = |nodes| Walk::within(&document, Some(&detection), options, nodes);
            Tables::new(&document, 0..document.len(), walk).shapes.len()
        };
        assert_eq!(shapes(RenderOptions::default()), 1);
        assert_eq!(shapes(RenderOptions::default().with_hidden(true)), 0);
    }
}
