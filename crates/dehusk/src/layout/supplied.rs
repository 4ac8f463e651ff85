//! Boxes from outside: what a real engine measured, by element.
//!
//! Engines and Dehusk agree on the elements of a page, so that a box belongs to an element by its number: elements of `<body>` in
//! document order, `<body>` being 0. Names are compared; where they differ the boxes are of another page.

use super::{Display, Layout, NodeBox};
use crate::dom::{Document, Name, NodeId, NodeKind};
use crate::error::{Error, ErrorKind};

/// The box of one element as an engine measured it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ElementBox {
    /// The name of the element, in lower case; empty where it is not known.
    pub name: String,
    /// Where it stands and how it looks.
    pub at: NodeBox,
}

/// Boxes of all elements of a body, in document order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Supplied {
    /// The elements; the first is `<body>`.
    pub elements: Vec<ElementBox>,
    /// The boxes of the texts that hold more than white space, in document order; empty where they were not measured.
    pub texts: Vec<NodeBox>,
}

/// The elements of the body in document order, `<body>` first, without what templates hold.
pub fn element_indexes(document: &Document) -> Vec<NodeId> {
    let Some(body) = document.find(Name::BODY) else { return Vec::new() };
    let mut elements = Vec::new();
    let mut at = body;
    while at < document.end(body) {
        // What a `<template>` holds is no part of the page.
        if document.kind(at) == NodeKind::Fragment {
            at = document.end(at);
            continue;
        }
        if document.is_element(at) {
            elements.push(at);
        }
        at.0 += 1;
    }
    elements
}

impl Supplied {
    /// The layout of a page by these boxes. An error where they are of another page.
    pub fn layout(&self, document: &Document) -> Result<Layout, Error> {
        let ids = element_indexes(document);
        if ids.len() != self.elements.len() {
            let message = format!(
                "the layout has {} elements and the page has {}: it is of another page",
                self.elements.len(),
                ids.len()
            );
            return Err(Error::new(ErrorKind::Incompatible, message));
        }
        let mut boxes = vec![NodeBox::default(); document.len()];
        for (number, (id, element)) in ids.iter().zip(&self.elements).enumerate() {
            let name = document.name_text(document.name(*id));
            if !element.name.is_empty() && !element.name.eq_ignore_ascii_case(name) {
                let message = format!(
                    "element {number} is <{}> in the layout and <{name}> in the page: it is of another page",
                    element.name
                );
                return Err(Error::new(ErrorKind::Incompatible, message));
            }
            boxes[id.index()] = tame(element.at);
        }
        self.set_texts(document, &mut boxes);
        // What stands around the body is as large as it.
        if let Some(body) = ids.first() {
            for id in document.ancestors(*body) {
                boxes[id.index()] = boxes[body.index()];
            }
        }
        Ok(Layout::new(boxes))
    }

    fn set_texts(&self, document: &Document, boxes: &mut [NodeBox]) {
        let Some(body) = document.find(Name::BODY) else { return };
        let mut measured = self.texts.iter();
        for id in document.descendants(body).filter(|id| document.kind(*id) == NodeKind::Text) {
            let Some(parent) = document.parent(id) else { continue };
            let silent = matches!(document.html_name(parent), Name::SCRIPT | Name::STYLE);
            if silent || document.text(id).bytes().all(|byte| byte.is_ascii_whitespace()) {
                continue;
            }
            // A text that was not measured is as large as what it stands in.
            let mut at = boxes[parent.index()];
            if let Some(own) = measured.next() {
                let own = tame(*own);
                (at.x, at.y, at.width, at.height) = (own.x, own.y, own.width, own.height);
            }
            at.display = Display::Inline;
            boxes[id.index()] = at;
        }
    }
}

/// A box of numbers that are numbers.
fn tame(at: NodeBox) -> NodeBox {
    let number = |value: f32, least: f32| if value.is_finite() { value.clamp(least, 1e7) } else { 0.0 };
    NodeBox {
        x: number(at.x, -1e7),
        y: number(at.y, -1e7),
        width: number(at.width, 0.0),
        height: number(at.height, 0.0),
        font_size: number(at.font_size, 0.0),
        ..at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn supplied(names: &[&str]) -> Supplied {
        let at = NodeBox { width: 10.0, height: 20.0, visible: true, ..NodeBox::default() };
        let elements = names.iter().map(|name| ElementBox { name: name.to_string(), at }).collect();
        Supplied { elements, texts: Vec::new() }
    }

    #[test]
    fn boxes_go_to_their_elements_or_are_refused() {
        let document = Parser::default().parse("<title>t</title><body><div><p>text</div>").unwrap();
        let layout = supplied(&["body", "div", "P"]).layout(&document).unwrap();
        let p = document.find(Name::P).unwrap();
        assert_eq!(layout.node(p).area(), 200.0);
        assert_eq!(layout.node(NodeId(p.0 + 1)).area(), 200.0);
        assert!(supplied(&["body", "div"]).layout(&document).is_err());
        let error = supplied(&["body", "div", "ul"]).layout(&document).unwrap_err().to_string();
        assert!(error.contains("<ul>") && error.contains("<p>"), "{error}");
    }

    #[test]
    fn numbers_that_are_none_do_no_harm() {
        let document = Parser::default().parse("<body>x").unwrap();
        let mut boxes = supplied(&["body"]);
        boxes.elements[0].at.width = f32::NAN;
        boxes.elements[0].at.height = f32::INFINITY;
        let layout = boxes.layout(&document).unwrap();
        assert!(layout.area().is_finite());
    }
}
