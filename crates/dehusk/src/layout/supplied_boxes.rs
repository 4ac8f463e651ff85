//! Boxes that a real engine measured, by element.
//!
//! Engines and Dehusk agree on the elements of a page, so a box belongs to an element by its index: the elements of `<body>` in
//! document order, starting with `<body>` itself. If the names differ, the boxes are of another page.

use super::color::Color;
use super::node_box::{Display, Layout, NodeBox};
use crate::dom::{Document, Name, NodeId, NodeKind};
use crate::error::{Error, ErrorKind};

/// The box of one element as an engine measured it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ElementBox {
    /// The name of the element, in lower case; empty if unknown.
    pub name: String,
    /// Its position, size and basic style. A transparent background stands for that of its parent.
    pub at: NodeBox,
}

/// The boxes of all elements of a body, in document order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SuppliedBoxes {
    /// The elements; the first is `<body>`.
    pub elements: Vec<ElementBox>,
    /// The boxes of the texts with more than white space, in document order; empty if they were not measured.
    pub texts: Vec<NodeBox>,
}

/// The elements of the body in document order, `<body>` first, without the contents of `<template>` elements.
pub fn body_elements(document: &Document) -> Vec<NodeId> {
    let Some(body) = document.find(Name::BODY) else { return Vec::new() };
    let mut elements = Vec::new();
    let mut at = body;
    while at < document.end(body) {
        // The content of a `<template>` is not part of the page.
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

impl SuppliedBoxes {
    /// The layout of a page with these boxes.
    ///
    /// # Errors
    /// If the boxes are of another page.
    pub fn layout(&self, document: &Document) -> Result<Layout, Error> {
        let ids = body_elements(document);
        if ids.len() != self.elements.len() {
            let message = format!(
                "the layout has {} elements, the page has {}: it belongs to another page",
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
                    "element {number} is <{}> in the layout and <{name}> in the page: the layout belongs to another page",
                    element.name
                );
                return Err(Error::new(ErrorKind::Incompatible, message));
            }
            let behind = document.parent(*id).map_or(Color::WHITE, |parent| boxes[parent.index()].background);
            let mut at = sanitize(element.at);
            if at.background.is_transparent() {
                at.background = behind;
            }
            boxes[id.index()] = at;
        }
        self.set_texts(document, &mut boxes);
        // The ancestors of the body are as large as the body.
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
            // Engines have no boxes for these texts. Other hidden texts do get an entry in `texts`.
            let is_code = matches!(document.html_name(parent), Name::SCRIPT | Name::STYLE);
            if is_code || document.text(id).bytes().all(|byte| byte.is_ascii_whitespace()) {
                continue;
            }
            // A text that was not measured is as large as its parent.
            let mut at = boxes[parent.index()];
            if let Some(own) = measured.next() {
                let own = sanitize(*own);
                (at.x, at.y, at.width, at.height) = (own.x, own.y, own.width, own.height);
            }
            at.display = Display::Inline;
            boxes[id.index()] = at;
        }
    }
}

/// Replaces numbers that are not finite and clamps the others.
fn sanitize(at: NodeBox) -> NodeBox {
    let number = |value: f32, min: f32| if value.is_finite() { value.clamp(min, 1e7) } else { 0.0 };
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

    fn supplied(names: &[&str]) -> SuppliedBoxes {
        let at = NodeBox { width: 10.0, height: 20.0, visible: true, ..NodeBox::default() };
        let elements = names.iter().map(|name| ElementBox { name: name.to_string(), at }).collect();
        SuppliedBoxes { elements, texts: Vec::new() }
    }

    #[test]
    fn boxes_are_assigned_to_their_elements_or_rejected() {
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
    fn transparent_backgrounds_show_the_parent() {
        let document = Parser::default().parse("<body><div><p>text</div>").unwrap();
        let mut boxes = supplied(&["body", "div", "p"]);
        let blue = Color::from_hex("00f").unwrap();
        for (element, background) in boxes.elements.iter_mut().zip([Color::TRANSPARENT, blue, Color::TRANSPARENT]) {
            element.at = element.at.with_colors(Color::BLACK, background).with_italic(true);
        }
        let layout = boxes.layout(&document).unwrap();
        let p = document.find(Name::P).unwrap();
        assert_eq!(layout.node(document.find(Name::BODY).unwrap()).background, Color::WHITE);
        let text = layout.node(NodeId(p.0 + 1));
        assert_eq!((layout.node(p).background, text.background, text.italic), (blue, blue, true));
    }

    #[test]
    fn non_finite_numbers_are_replaced() {
        let document = Parser::default().parse("<body>x").unwrap();
        let mut boxes = supplied(&["body"]);
        boxes.elements[0].at.width = f32::NAN;
        boxes.elements[0].at.height = f32::INFINITY;
        let layout = boxes.layout(&document).unwrap();
        assert!(layout.area().is_finite());
    }
}
