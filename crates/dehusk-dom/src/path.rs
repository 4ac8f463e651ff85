//! XPaths and CSS selectors of nodes, by which a result can be found in the original page.
//!
//! [`Paths`] scans all siblings of a document once; each path then takes time linear in its length. Paths are valid for
//! the tree of a standard HTML parser, not for XML tools, and are not meant to survive changes of the page.

use crate::document::{Document, NodeId, NodeKind};
use crate::names::Name;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt::Write;

/// The paths of the nodes of one document.
#[derive(Debug)]
pub struct Paths<'a> {
    document: &'a Document,
    /// Position of a node among the siblings of its kind and name, from 1.
    positions: Vec<u32>,
    /// Whether a node has no sibling of its kind and name.
    is_only_of_type: Vec<bool>,
    /// Number of elements per `id`. Pages in quirks mode match ids ignoring case, so case is always ignored here.
    ids: FxHashMap<Cow<'a, str>, u32>,
}

impl<'a> Paths<'a> {
    /// Scans all nodes of a document.
    pub fn new(document: &'a Document) -> Paths<'a> {
        let mut counts: FxHashMap<(u32, NodeKind, Name), (u32, NodeId)> = FxHashMap::default();
        let mut paths = Paths {
            document,
            positions: vec![1; document.len()],
            is_only_of_type: vec![true; document.len()],
            ids: FxHashMap::default(),
        };
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
                *paths.ids.entry(folded(value)).or_default() += 1;
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
        let start = path.iter().rposition(|node| self.unique_id(*node).is_some()).unwrap_or(0);
        for (number, node) in path[start..].iter().filter(|node| self.document.is_element(**node)).enumerate() {
            if number > 0 {
                out.push_str(" > ");
            }
            self.append_css_step(*node, out);
        }
    }

    /// Appends the last step of the CSS selector of an element: its `#id` if no other element has it, else a name such as
    /// `div:nth-of-type(2)`. The selector is the steps from the nearest `#id` down, with ` > ` between them.
    pub fn append_css_step(&self, id: NodeId, out: &mut String) {
        if let Some(id) = self.unique_id(id) {
            out.push('#');
            return out.push_str(id);
        }
        append_identifier(self.document.name_text(self.document.name(id)), out);
        if !self.is_only_of_type[id.index()] {
            let _ = write!(out, ":nth-of-type({})", self.positions[id.index()]);
        }
    }

    /// The nodes from the root element down to a node.
    fn path_from_root(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::once(id).chain(self.document.ancestors(id)).collect();
        path.pop();
        path.reverse();
        path
    }

    /// The `id` of an element, if it is unique and a valid selector without escaping.
    fn unique_id(&self, id: NodeId) -> Option<&'a str> {
        let value = self.document.attribute(id, Name::ID)?;
        (is_identifier(value) && self.ids.get(&folded(value)) == Some(&1)).then_some(value)
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
    }

    #[test]
    fn odd_names_are_quoted() {
        let (xpath, css) = paths_of("<o:p>a</o:p>", "a");
        assert_eq!(xpath, "/html[1]/body[1]/*[name()='o:p'][1]/text()[1]");
        assert_eq!(css, "html > body > o\\3a p");
    }
}
