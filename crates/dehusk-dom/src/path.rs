//! XPaths and CSS selectors of nodes, by which a result can be found in the original page.
//!
//! [`Paths`] scans all siblings of a document once; each path then takes time linear in its length. Paths are valid for
//! the tree of a standard HTML parser, not for XML tools, and are not meant to survive changes of the page.

use crate::document::{Document, NodeId, NodeKind};
use crate::hash::NumberMap;
use crate::names::Name;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

/// The paths of the nodes of one document.
#[derive(Debug)]
pub struct Paths<'a> {
    document: &'a Document,
    /// Position of a node among the siblings of its kind and name, from 1.
    positions: Vec<u32>,
    /// Whether a node has no sibling of its kind and name.
    is_only_of_type: Vec<bool>,
    /// Whether an element has an `id` that starts its selector: no other has it, and it is short and needs no escaping.
    has_own_id: Vec<bool>,
}

/// The longest `id`, in bytes, that selectors start with: the selectors of all elements inside repeat it.
const MAX_ID: usize = 256;

impl<'a> Paths<'a> {
    /// Scans all nodes of a document.
    pub fn new(document: &'a Document) -> Paths<'a> {
        let mut counts: NumberMap<(u32, NodeKind, Name), (u32, NodeId)> = NumberMap::default();
        let mut paths = Paths {
            document,
            positions: vec![1; document.len()],
            is_only_of_type: vec![true; document.len()],
            has_own_id: vec![false; document.len()],
        };
        // Pages in quirks mode match ids ignoring case, so case is always ignored here.
        let mut ids: HashMap<Cow<'a, str>, NodeId> = HashMap::new();
        for id in document.ids().skip(1) {
            let parent = document.parent(id).unwrap_or_default();
            let (count, first) = counts.entry((parent.0, document.kind(id), document.name(id))).or_insert((0, id));
            *count += 1;
            paths.positions[id.index()] = *count;
            if *count > 1 {
                paths.is_only_of_type[id.index()] = false;
                paths.is_only_of_type[first.index()] = false;
            }
            if let Some(value) = document.attribute(id, Name::ID) {
                match ids.entry(folded(value)) {
                    Entry::Vacant(entry) => {
                        entry.insert(id);
                        paths.has_own_id[id.index()] = value.len() <= MAX_ID && is_identifier(value);
                    }
                    Entry::Occupied(first) => paths.has_own_id[first.get().index()] = false,
                }
            }
        }
        paths
    }

    /// The XPath of a node, such as `/html[1]/body[1]/div[2]/text()[1]`.
    pub fn xpath(&self, id: NodeId) -> String {
        let mut path = String::new();
        self.append_xpath(id, &mut path);
        path
    }

    /// Appends the XPath of a node.
    pub fn append_xpath(&self, id: NodeId, out: &mut String) {
        if id == NodeId::DOCUMENT {
            return out.push('/');
        }
        for node in self.path_from_root(id) {
            self.append_xpath_step(node, out);
        }
    }

    /// Appends the last step of the XPath of a node, such as `/div[2]`. The XPath is the steps of the ancestors and its own.
    pub fn append_xpath_step(&self, id: NodeId, out: &mut String) {
        let position = self.positions[id.index()];
        // Writing to a string cannot fail.
        let _ = match self.document.kind(id) {
            NodeKind::Element => {
                out.push('/');
                append_xpath_name(self.document.name_text(self.document.name(id)), out);
                write!(out, "[{position}]")
            }
            NodeKind::Text => write!(out, "/text()[{position}]"),
            NodeKind::Comment => write!(out, "/comment()[{position}]"),
            NodeKind::ProcessingInstruction => write!(out, "/processing-instruction()[{position}]"),
            _ => Ok(()),
        };
    }

    /// A CSS selector that matches only this element, such as `html > body > div:nth-of-type(2)` or `#menu > ul`. For
    /// a text or a comment, the selector of its parent element.
    pub fn css(&self, id: NodeId) -> String {
        let mut path = String::new();
        self.append_css(id, &mut path);
        path
    }

    /// Appends the CSS selector of an element.
    pub fn append_css(&self, id: NodeId, out: &mut String) {
        let path = self.path_from_root(id);
        let start = path.iter().rposition(|node| self.has_own_id[node.index()]).unwrap_or(0);
        for (number, node) in path[start..].iter().filter(|node| self.document.is_element(**node)).enumerate() {
            if number > 0 {
                out.push_str(" > ");
            }
            self.append_css_step(*node, out);
        }
    }

    /// Appends the last step of the CSS selector of an element: its `#id` if no other element has it and it is short, else a name such as
    /// `div:nth-of-type(2)`. The selector is the steps from the nearest `#id` down, with ` > ` between them.
    pub fn append_css_step(&self, id: NodeId, out: &mut String) {
        if self.has_own_id[id.index()] {
            out.push('#');
            return out.push_str(self.document.attribute(id, Name::ID).unwrap_or_default());
        }
        append_identifier(self.document.name_text(self.document.name(id)), out);
        if !self.is_only_of_type[id.index()] {
            let _ = write!(out, ":nth-of-type({})", self.positions[id.index()]);
        }
    }

    /// The nodes from the root element down to a node.
    fn path_from_root(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::once(id).chain(self.document.ancestors(id)).collect();
        // The document itself has no step.
        path.pop();
        path.reverse();
        path
    }
}

impl Document {
    /// The XPath of a node. For several nodes of a page, build [`Paths`] once.
    pub fn xpath(&self, id: NodeId) -> String {
        Paths::new(self).xpath(id)
    }

    /// A CSS selector that matches only this element. For several nodes of a page, build [`Paths`] once.
    pub fn css_path(&self, id: NodeId) -> String {
        Paths::new(self).css(id)
    }
}

/// A value in lower case.
fn folded(value: &str) -> Cow<'_, str> {
    if value.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(value.to_ascii_lowercase())
    } else {
        Cow::Borrowed(value)
    }
}

/// Appends the name of an XPath step. A name that is not valid in XPath is compared as text.
fn append_xpath_name(name: &str, out: &mut String) {
    if is_identifier(name) {
        return out.push_str(name);
    }
    let quote = if name.contains('\'') { '"' } else { '\'' };
    let _ = write!(out, "*[name()={quote}{name}{quote}]");
}

/// Whether a text is a CSS identifier without escaping.
fn is_identifier(text: &str) -> bool {
    let mut letters = text.strip_prefix('-').unwrap_or(text).chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c >= '\u{a0}') && letters.all(is_name_letter)
}

fn is_name_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || c >= '\u{a0}'
}

fn append_identifier(text: &str, out: &mut String) {
    // The name of an element begins with a letter, so the case of a first character that is a digit does not arise.
    for c in text.chars() {
        if is_name_letter(c) {
            out.push(c);
        } else {
            let _ = write!(out, "\\{:x} ", c as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Parser;
    use crate::limits::Limits;

    fn paths_of(source: &str, text: &str) -> (String, String) {
        let document = Parser::new(Limits::default()).parse(source).expect("a small page parses");
        let id = document.ids().find(|id| document.text(*id) == text).expect("the text");
        (document.xpath(id), document.css_path(id))
    }

    #[test]
    fn counts_siblings_of_one_name() {
        let (xpath, css) = paths_of("<div>a</div><p>b</p><div>c<b></b>d</div>", "d");
        assert_eq!(xpath, "/html[1]/body[1]/div[2]/text()[2]");
        assert_eq!(css, "html > body > div:nth-of-type(2)");
    }

    #[test]
    fn starts_at_a_unique_id() {
        assert_eq!(paths_of("<div id=menu><ul><li>a<li>b</ul></div>", "b").1, "#menu > ul > li:nth-of-type(2)");
        assert_eq!(paths_of("<p id=x>a</p><p id=X>b</p>", "b").1, "html > body > p:nth-of-type(2)");
        assert_eq!(paths_of("<p id=1x>a</p>", "a").1, "html > body > p");
        assert_eq!(paths_of("<p id=x>a</p>", "a").1, "#x");
        assert_eq!(paths_of("<p id=x>a</p><p id=X>b</p><p id=x>c</p>", "a").1, "html > body > p:nth-of-type(1)");
    }

    #[test]
    fn long_ids_are_not_repeated_by_all_selectors() {
        let id = "x".repeat(super::MAX_ID);
        assert_eq!(paths_of(&format!("<div id={id}><p>a</div>"), "a").1, format!("#{id} > p"));
        assert_eq!(paths_of(&format!("<div id={id}x><p>a</div>"), "a").1, "html > body > div > p");
    }

    #[test]
    fn odd_names_are_quoted() {
        let (xpath, css) = paths_of("<o:p>a</o:p>", "a");
        assert_eq!(xpath, "/html[1]/body[1]/*[name()='o:p'][1]/text()[1]");
        assert_eq!(css, "html > body > o\\3a p");
    }
}
