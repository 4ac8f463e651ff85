//! Dumps trees as text in the format of the html5lib tests, for comparison.

use super::reference::{self, Data};
use dehusk_dom::{Document, Namespace, NodeId, NodeKind};
use html5ever::{QualName, ns};

/// The order in which attributes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "each user of this file needs one of the two")]
pub(crate) enum Order {
    /// Sorted by name, as in the html5lib tests.
    Sorted,
    /// In tree order.
    Kept,
}

struct Writer<'o> {
    out: &'o mut String,
    order: Order,
    attributes: Vec<(String, String)>,
}

impl Writer<'_> {
    fn start_line(&mut self, depth: usize) {
        self.out.push_str("| ");
        for _ in 0..depth {
            self.out.push_str("  ");
        }
    }

    fn line(&mut self, depth: usize, parts: &[&str]) {
        self.start_line(depth);
        for part in parts {
            self.out.push_str(part);
        }
        self.out.push('\n');
    }

    /// Both trees use the form of `Document::text`, which does not distinguish a line feed inside an identifier from the
    /// separator.
    fn joined_doctype(&mut self, depth: usize, text: &str) {
        let mut parts = text.splitn(3, '\n');
        let mut part = || parts.next().unwrap_or("");
        self.doctype(depth, part(), part(), part());
    }

    fn doctype(&mut self, depth: usize, name: &str, public_id: &str, system_id: &str) {
        if public_id.is_empty() && system_id.is_empty() {
            self.line(depth, &["<!DOCTYPE ", name, ">"]);
        } else {
            self.line(depth, &["<!DOCTYPE ", name, " \"", public_id, "\" \"", system_id, "\">"]);
        }
    }

    fn attributes(&mut self, depth: usize) {
        let mut attributes = std::mem::take(&mut self.attributes);
        if self.order == Order::Sorted {
            attributes.sort_by(|one, two| one.0.encode_utf16().cmp(two.0.encode_utf16()));
        }
        for (name, value) in attributes.drain(..) {
            self.line(depth, &[&name, "=\"", &value, "\""]);
        }
        self.attributes = attributes;
    }
}

/// Dumps the tree of our parser; for a fragment, the contents of the root.
pub(crate) fn document(document: &Document, is_fragment: bool, order: Order, out: &mut String) {
    let mut writer = Writer { out, order, attributes: Vec::new() };
    let root = if is_fragment {
        document.children(NodeId::DOCUMENT).find(|id| document.is_element(*id)).unwrap_or_default()
    } else {
        NodeId::DOCUMENT
    };
    let base = document.depth(root) + 1;
    for id in document.descendants(root) {
        let depth = document.depth(id) - base;
        match document.kind(id) {
            NodeKind::Fragment => writer.line(depth, &["content"]),
            NodeKind::Text => writer.line(depth, &["\"", document.text(id), "\""]),
            NodeKind::Comment | NodeKind::ProcessingInstruction => {
                writer.line(depth, &["<!-- ", document.text(id), " -->"])
            }
            NodeKind::Doctype => writer.joined_doctype(depth, document.text(id)),
            NodeKind::Element => {
                let name = document.name_text(document.name(id));
                writer.line(depth, &["<", prefix(document.namespace(id)), name, ">"]);
                for attribute in document.attributes(id) {
                    let name = format!("{}{}", prefix(attribute.namespace), document.name_text(attribute.name));
                    writer.attributes.push((name, document.value(attribute).into()));
                }
                writer.attributes(depth + 1);
            }
            _ => {}
        }
    }
}

fn prefix(namespace: Namespace) -> &'static str {
    match namespace {
        Namespace::Svg => "svg ",
        Namespace::MathMl => "math ",
        Namespace::XLink => "xlink ",
        Namespace::Xml => "xml ",
        Namespace::XmlNs => "xmlns ",
        _ => "",
    }
}

/// Dumps the tree of html5ever; for a fragment, the contents of the root.
pub(crate) fn reference<'a>(document: &'a reference::Node<'a>, is_fragment: bool, order: Order, out: &mut String) {
    let mut writer = Writer { out, order, attributes: Vec::new() };
    let root = if is_fragment { document.first.get() } else { Some(document) };
    let mut waiting: Vec<(&reference::Node<'_>, usize)> = Vec::new();
    append_children(root, 0, &mut waiting);
    while let Some((node, depth)) = waiting.pop() {
        append_children(Some(node), depth + 1, &mut waiting);
        match &node.data {
            Data::Document => {}
            Data::Fragment => writer.line(depth, &["content"]),
            Data::Text(text) => writer.line(depth, &["\"", &text.borrow(), "\""]),
            Data::Comment(text) => writer.line(depth, &["<!-- ", text, " -->"]),
            Data::Doctype { name, public_id, system_id } => {
                writer.joined_doctype(depth, &format!("{name}\n{public_id}\n{system_id}"));
            }
            Data::Element { name, attributes, contents, .. } => {
                writer.line(depth, &["<", qualified_prefix(name), &name.local, ">"]);
                for attribute in attributes.borrow().iter() {
                    let name = format!("{}{}", qualified_prefix(&attribute.name), &*attribute.name.local);
                    writer.attributes.push((name, attribute.value.to_string()));
                }
                writer.attributes(depth + 1);
                waiting.extend(contents.map(|contents| (contents, depth + 1)));
            }
        }
    }
}

/// Pushes the children of a node onto the stack, the first one on top.
fn append_children<'a>(
    node: Option<&'a reference::Node<'a>>,
    depth: usize,
    waiting: &mut Vec<(&'a reference::Node<'a>, usize)>,
) {
    let mut child = node.and_then(|node| node.last.get());
    while let Some(node) = child {
        waiting.push((node, depth));
        child = node.previous.get();
    }
}

fn qualified_prefix(name: &QualName) -> &'static str {
    match name.ns {
        ns!(svg) => "svg ",
        ns!(mathml) => "math ",
        ns!(xlink) => "xlink ",
        ns!(xml) => "xml ",
        ns!(xmlns) => "xmlns ",
        _ => "",
    }
}
