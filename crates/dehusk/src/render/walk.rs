//! Walks over the kept and visible part of a page; shared by the renderers.
//!
//! Input: a document and, unless everything is wanted, a detection. Yields enter, text and leave events in page
//! order, and gaps where something visible was left out. It does not collapse white space and writes nothing.

use super::glued_texts::are_glued;
use super::render_options::RenderOptions;
use crate::detection::Detection;
use crate::dom::elements::{begins_word, is_block, is_hidden, is_never_shown, is_replaced};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};
use crate::render::elements::formula::{is_formula_duplicate, is_hidden_formula, script_formula};
use crate::render::elements::task_box::task_box;
use std::ops::Range;

/// One step of the walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// An element begins.
    Enter(NodeId),
    /// A text.
    Text(NodeId),
    /// An element ends.
    Leave(NodeId),
    /// A visible node was left out here.
    Gap(Gap),
}

/// What must be kept apart around a node that was left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Gap {
    /// Two words: a dropped inline element was here.
    Word,
    /// Any two texts: a form control was here, another label of an SVG drawing starts, or a sentence that only style sets apart.
    Space,
    /// Two lines: a dropped block was here.
    Line,
}

/// Iterates over the kept and visible part of a page.
pub(crate) struct Walk<'a> {
    document: &'a Document,
    detection: Option<&'a Detection>,
    hidden: bool,
    /// A node to leave out.
    without: Option<NodeId>,
    next: u32,
    end: u32,
    open: Vec<NodeId>,
    /// The text visited last.
    text: Option<NodeId>,
    /// What comes after the gap before it.
    after_gap: Option<Event>,
}

impl<'a> Walk<'a> {
    /// Creates a walk over the kept part of the whole page.
    pub(crate) fn new(document: &'a Document, detection: &'a Detection, options: RenderOptions) -> Walk<'a> {
        Walk::within(document, Some(detection), options, 0..document.len())
    }

    /// Creates a walk over a range of whole subtrees; without a detection, everything is kept.
    pub(crate) fn within(
        document: &'a Document,
        detection: Option<&'a Detection>,
        options: RenderOptions,
        range: Range<usize>,
    ) -> Walk<'a> {
        Walk {
            document,
            detection,
            hidden: options.hidden.unwrap_or(detection.is_some_and(|detection| detection.covers_hidden)),
            without: options.heading.without,
            next: range.start as u32,
            end: range.end as u32,
            open: Vec::new(),
            text: None,
            after_gap: None,
        }
    }

    /// Skips the rest of the element that was just entered, including its [`Event::Leave`].
    pub(crate) fn skip(&mut self, id: NodeId) {
        debug_assert_eq!(self.open.last(), Some(&id));
        self.open.pop();
        self.next = self.document.end(id).0;
    }

    /// Whether the node itself is kept, regardless of its ancestors.
    pub(crate) fn is_kept(&self, id: NodeId) -> bool {
        self.detection.is_none_or(|detection| !detection.is_dropped(id))
    }

    /// The event of a text or element, if any; `self.next` is already past it.
    fn visit(&mut self, id: NodeId) -> Option<Event> {
        let document = self.document;
        if !self.is_kept(id) || self.without == Some(id) {
            self.next = document.end(id).0;
            return dropped_gap(document, id).map(Event::Gap);
        }
        match document.kind(id) {
            NodeKind::Text => {
                let before = self.text.replace(id);
                let event = is_shown_text(document, id).then_some(Event::Text(id))?;
                if before.is_some_and(|before| are_glued(document, before, id)) {
                    self.after_gap = Some(event);
                    return Some(Event::Gap(Gap::Space));
                }
                Some(event)
            }
            NodeKind::Element if document.namespace(id) == Namespace::Svg => self.visit_svg(id),
            NodeKind::Element => self.visit_element(id),
            NodeKind::Fragment => {
                self.next = document.end(id).0;
                None
            }
            _ => None,
        }
    }

    fn visit_element(&mut self, id: NodeId) -> Option<Event> {
        let document = self.document;
        let name = document.html_name(id);
        let shown = !is_never_shown(name) || script_formula(document, id).is_some();
        if !shown || is_formula_duplicate(document, id) || (!self.hidden && self.is_hidden(id)) {
            self.next = document.end(id).0;
            return None;
        }
        if is_replaced(document, id, name) && task_box(document, id, name).is_none() {
            self.next = document.end(id).0;
            return Some(Event::Gap(Gap::Space));
        }
        self.open.push(id);
        if self.text.is_some_and(|text| begins_word(document, text, id)) {
            self.after_gap = Some(Event::Enter(id));
            return Some(Event::Gap(Gap::Word));
        }
        Some(Event::Enter(id))
    }

    /// SVG elements are not entered: only labels are read.
    fn visit_svg(&mut self, id: NodeId) -> Option<Event> {
        if !self.hidden && self.is_hidden(id) {
            self.next = self.document.end(id).0;
            return None;
        }
        match self.document.name_text(self.document.name(id)) {
            // Pushed so that its end leaves a gap.
            "svg" => self.open.push(id),
            "text" | "tspan" | "textPath" | "foreignObject" => return Some(Event::Gap(Gap::Space)),
            _ => {}
        }
        None
    }

    fn is_hidden(&self, id: NodeId) -> bool {
        is_hidden(self.document, id) && !is_hidden_formula(self.document, id)
    }
}

impl Iterator for Walk<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.after_gap.take() {
            return Some(event);
        }
        loop {
            if let Some(top) = self.open.last().copied()
                && self.document.end(top).0 <= self.next
            {
                self.open.pop();
                let is_svg = self.document.namespace(top) == Namespace::Svg;
                return Some(if is_svg { Event::Gap(Gap::Word) } else { Event::Leave(top) });
            }
            if self.next >= self.end {
                return None;
            }
            let id = NodeId(self.next);
            self.next += 1;
            if let Some(event) = self.visit(id) {
                return Some(event);
            }
        }
    }
}

/// The gap a dropped node leaves.
fn dropped_gap(document: &Document, id: NodeId) -> Option<Gap> {
    match document.kind(id) {
        NodeKind::Text => Some(Gap::Word),
        NodeKind::Element => {
            let name = document.html_name(id);
            match name {
                _ if is_never_shown(name) => None,
                Name::BR => Some(Gap::Line),
                _ if is_block(name) => Some(Gap::Line),
                _ if is_replaced(document, id, name) => Some(Gap::Space),
                _ => Some(Gap::Word),
            }
        }
        _ => None,
    }
}

/// Whether a text is visible, given that its parent was not skipped: in SVG only labels are.
fn is_shown_text(document: &Document, id: NodeId) -> bool {
    let Some(parent) = document.parent(id) else { return false };
    document.namespace(parent) != Namespace::Svg
        || matches!(document.name_text(document.name(parent)), "text" | "tspan" | "textPath")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;

    fn texts(source: &str, options: RenderOptions) -> String {
        let (document, detection) = page(source);
        let mut out = String::new();
        for event in Walk::new(&document, &detection, options) {
            match event {
                Event::Text(id) => out.push_str(document.text(id)),
                Event::Gap(Gap::Word) => out.push('~'),
                Event::Gap(Gap::Space) => out.push('_'),
                Event::Gap(Gap::Line) => out.push('/'),
                _ => {}
            }
        }
        out
    }

    #[test]
    fn leaves_out_invisible_elements() {
        let source = "<head><title>t</title></head>a<!--c--><script>s</script><style>s</style><template>t</template>\
            <select><option>o</select><button>b</button><svg><title>t</title><text>label</text></svg>\
            <noscript>n</noscript><p aria-hidden=true>p</p>";
        assert_eq!(texts(source, RenderOptions::default()), "a___label~np");
    }

    #[test]
    fn hidden_elements_are_left_out_by_default() {
        let source = "a<p hidden>b</p><p style='color:red;display: none'>c</p><p hidden=until-found>d</p>";
        assert_eq!(texts(source, RenderOptions::default()), "ad");
        assert_eq!(texts(source, RenderOptions::default().with_hidden(true)), "abcd");
    }

    #[test]
    fn dropped_nodes_leave_gaps() {
        assert_eq!(texts("a<b data-drop>x</b>b<div data-drop>y<p>z</div>c", RenderOptions::default()), "a~b/c");
    }

    #[test]
    fn every_enter_has_its_leave() {
        let (document, detection) = page("<div><p>a<b>b</b></p><ul><li>c</ul></div><br>d");
        let mut open = Vec::new();
        for event in Walk::new(&document, &detection, RenderOptions::default()) {
            match event {
                Event::Enter(id) => open.push(id),
                Event::Leave(id) => assert_eq!(open.pop(), Some(id)),
                _ => {}
            }
        }
        assert!(open.is_empty());
    }
}
