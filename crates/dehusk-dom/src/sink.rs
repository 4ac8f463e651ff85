//! What html5ever's tree builder sees of the tree while it reads.
//!
//! The tree builder decides where nodes go; it needs the names of elements, but hardly any attribute and no text
//! (see `gate.rs`). So the sink takes attributes, texts and comments from the tokenizer's ranges and copies nothing.

use crate::arena::{Attribute, Namespace, NodeKind, Placement, Quirks, TextRange};
use crate::foreign;
use crate::limits::Limit;
use crate::names::Name;
use crate::tokenizer::{Shared, Tag};
use crate::tree::{Buffers, FormattingKey, NIL, Raw, Tree, is_formatting};
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, QualName, local_name, ns};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

static HTML: html5ever::Namespace = ns!(html);
static SVG: html5ever::Namespace = ns!(svg);
static MATHML: html5ever::Namespace = ns!(mathml);
static NO_NAME: LocalName = local_name!("");

/// A node as the tree builder holds it; elements carry their name, because it asks for nothing as often.
#[derive(Clone, Copy)]
pub(crate) struct Handle<'a> {
    pub(crate) id: u32,
    namespace: &'static html5ever::Namespace,
    local: &'a LocalName,
}

#[derive(Debug)]
pub(crate) struct ElementName<'a> {
    namespace: &'static html5ever::Namespace,
    local: &'a LocalName,
}

impl ElemName for ElementName<'_> {
    fn ns(&self) -> &html5ever::Namespace {
        self.namespace
    }
    fn local_name(&self) -> &LocalName {
        self.local
    }
}

/// The tree builder's view of the tree.
pub(crate) struct Sink<'s, 'a> {
    pub(crate) tree: RefCell<Tree<'a>>,
    shared: &'s Shared<'a>,
    /// The element asked for last: how the gate learns which element is the current one.
    pub(crate) asked: Cell<u32>,
}

impl<'s, 'a> Sink<'s, 'a> {
    pub(crate) fn new(
        shared: &'s Shared<'a>,
        buffers: &mut Buffers,
        attributes: Vec<Attribute>,
        most_attributes: usize,
    ) -> Sink<'s, 'a> {
        let mut tree = Tree {
            raws: std::mem::take(&mut buffers.raws),
            pieces: std::mem::take(&mut buffers.pieces),
            attributes,
            quirks: Quirks::No,
            queue: std::mem::take(&mut buffers.queue),
            queue_head: 0,
            current: Default::default(),
            tag_name: Name::NONE,
            tag_local: None,
            tag_attributes: TextRange::default(),
            formatting: FxHashMap::default(),
            most_attributes,
            work: 0,
            limit_hit: None,
        };
        tree.raws.clear();
        tree.pieces.clear();
        tree.attributes.clear();
        tree.queue.clear();
        tree.raws.push(Raw::new(NodeKind::Document));
        Sink { tree: RefCell::new(tree), shared, asked: Cell::new(0) }
    }

    pub(crate) fn element_handle(&self, name: Name, namespace: Namespace) -> Handle<'a> {
        let local = self.shared.names.borrow_mut().local(name);
        let mut tree = self.tree.borrow_mut();
        let mut raw = Raw::new(NodeKind::Element);
        raw.name = name;
        raw.namespace = namespace;
        let id = tree.push(raw);
        Handle { id, namespace: outer_namespace(namespace), local }
    }

    /// Takes note of the text the tree builder is about to get.
    pub(crate) fn expect_text(&self, value: TextRange, span: TextRange) {
        let tree = &mut *self.tree.borrow_mut();
        if tree.queue_head == tree.queue.len() {
            tree.queue.clear();
            tree.queue_head = 0;
        }
        tree.queue.push((value, span));
    }

    /// Forgets the NUL byte expected last unless it was put somewhere: the tree builder never keeps one for later.
    pub(crate) fn forget_null(&self) {
        let tree = &mut *self.tree.borrow_mut();
        if tree.queue_head < tree.queue.len() {
            tree.queue.pop();
        }
    }

    /// Whether the tree builder has dropped a text or keeps it for later.
    pub(crate) fn has_texts(&self) -> bool {
        let tree = self.tree.borrow();
        tree.queue_head < tree.queue.len()
    }

    /// Forgets texts the tree builder has dropped.
    pub(crate) fn forget_texts(&self) {
        let tree = &mut *self.tree.borrow_mut();
        tree.queue.clear();
        tree.queue_head = 0;
    }

    pub(crate) fn expect_current(&self, value: TextRange, span: TextRange) {
        self.tree.borrow_mut().current = (value, span);
    }

    /// Takes note of the tag the tree builder is about to get.
    pub(crate) fn expect_tag(&self, tag: &Tag, local: &'a LocalName) {
        let tree = &mut *self.tree.borrow_mut();
        tree.tag_name = tag.name;
        tree.tag_local = Some(local);
        let start = tree.attributes.len();
        tree.attributes.extend_from_slice(&tag.attributes);
        tree.tag_attributes = TextRange::new(start, tree.attributes.len());
    }

    /// Remembers the attributes of a formatting element for the copies the tree builder may make of it.
    pub(crate) fn remember_formatting(&self, key: FormattingKey) {
        let tree = &mut *self.tree.borrow_mut();
        tree.formatting.insert(key, tree.tag_attributes);
    }

    /// Gives the element made for the tag its place in the source and its attributes. Returns its number, or none
    /// when the tree builder ignored the tag.
    pub(crate) fn settle_tag(&self, first_new: usize, tag: &Tag) -> Option<u32> {
        let tree = &mut *self.tree.borrow_mut();
        // Copies of open formatting elements and implied parents come before the element itself.
        let wanted = if tag.name == Name::IMAGE { Name::IMG } else { tag.name };
        let found = (first_new..tree.raws.len()).rev().find(|id| {
            let raw = &tree.raws[*id];
            raw.kind == NodeKind::Element
                && (raw.name == wanted
                    || raw.name == tag.name
                    || (raw.namespace == Namespace::Svg && self.is_same_but_case(raw.name, tag.name)))
        });
        let Some(id) = found else {
            // Those of a formatting element may be wanted yet, by copies of an earlier one that has the same.
            if !is_formatting(tag.name) {
                tree.drop_tag_attributes();
            }
            return None;
        };
        let raw = &mut tree.raws[id];
        raw.placement = if raw.is_fostered { Placement::Moved } else { Placement::Source };
        raw.span = tag.span;
        if raw.namespace == Namespace::Html {
            raw.value = tree.tag_attributes;
        }
        Some(id as u32)
    }

    /// Gives an end tag to the element it closed.
    pub(crate) fn settle_end(&self, before: u32, after: u32, name: Name, span: TextRange) {
        let tree = &mut *self.tree.borrow_mut();
        let mut closed = None;
        let mut at = before;
        while at != after {
            if at == NIL || at == 0 {
                return;
            }
            let raw = &tree.raws[at as usize];
            if raw.name == name || (raw.namespace != Namespace::Html && self.is_same_but_case(raw.name, name)) {
                closed = Some(at);
            }
            at = raw.parent;
            if at != NIL && tree.raws[at as usize].kind == NodeKind::Fragment {
                at = tree.raws[at as usize].parent;
            }
        }
        if let Some(id) = closed {
            tree.raws[id as usize].close = span;
        }
    }

    fn is_same_but_case(&self, one: Name, two: Name) -> bool {
        let names = self.shared.names.borrow();
        names.text(one).eq_ignore_ascii_case(names.text(two))
    }

    pub(crate) fn nodes(&self) -> usize {
        self.tree.borrow().raws.len()
    }

    /// What the gate wants to know of a node.
    pub(crate) fn ask<T>(&self, id: u32, question: impl FnOnce(&Raw) -> T) -> T {
        question(&self.tree.borrow().raws[id as usize])
    }

    pub(crate) fn into_tree(self) -> Tree<'a> {
        self.tree.into_inner()
    }
}

fn outer_namespace(namespace: Namespace) -> &'static html5ever::Namespace {
    match namespace {
        Namespace::Svg => &SVG,
        Namespace::MathMl => &MATHML,
        _ => &HTML,
    }
}

fn inner_namespace(namespace: &html5ever::Namespace) -> Namespace {
    match *namespace {
        ns!(svg) => Namespace::Svg,
        ns!(mathml) => Namespace::MathMl,
        ns!(xlink) => Namespace::XLink,
        ns!(xml) => Namespace::Xml,
        ns!(xmlns) => Namespace::XmlNs,
        _ => Namespace::Html,
    }
}

impl<'a> TreeSink for Sink<'_, 'a> {
    type Handle = Handle<'a>;
    type Output = Self;
    type ElemName<'b>
        = ElementName<'b>
    where
        Self: 'b;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle<'a> {
        Handle { id: 0, namespace: &HTML, local: &NO_NAME }
    }

    fn elem_name<'b>(&'b self, target: &'b Handle<'a>) -> ElementName<'b> {
        self.asked.set(target.id);
        ElementName { namespace: target.namespace, local: target.local }
    }

    fn create_element(&self, name: QualName, attrs: Vec<html5ever::Attribute>, flags: ElementFlags) -> Handle<'a> {
        let namespace = inner_namespace(&name.ns);
        let tree = &mut *self.tree.borrow_mut();
        let (number, local) = match tree.tag_local {
            Some(local) if *local == name.local => (tree.tag_name, local),
            _ => {
                let mut names = self.shared.names.borrow_mut();
                let number = names.intern(&name.local);
                (number, names.local(number))
            }
        };
        let mut raw = Raw::new(NodeKind::Element);
        raw.name = number;
        raw.namespace = namespace;
        raw.integration_point = flags.mathml_annotation_xml_integration_point;
        if namespace == Namespace::Html {
            if is_formatting(number) {
                raw.placement = Placement::Copied;
            }
            // The first attribute of a formatting element is the key its attributes are remembered under.
            if let Some(first) = attrs.first().filter(|first| first.name.local == local_name!("")) {
                raw.value = tree.formatting.get(&formatting_key(&first.value)).copied().unwrap_or_default();
            }
        } else {
            raw.value = tree.tag_attributes;
            for attribute in &mut tree.attributes[raw.value.start as usize..raw.value.end as usize] {
                (attribute.name, attribute.namespace) = foreign::adjust(attribute.name, namespace);
            }
        }
        let id = tree.push(raw);
        if flags.template {
            let mut fragment = Raw::new(NodeKind::Fragment);
            fragment.parent = id;
            let contents = tree.push(fragment);
            tree.append(id, contents);
        }
        Handle { id, namespace: outer_namespace(namespace), local }
    }

    fn create_comment(&self, _: StrTendril) -> Handle<'a> {
        let tree = &mut *self.tree.borrow_mut();
        let mut raw = Raw::new(NodeKind::Comment);
        raw.placement = Placement::Source;
        (raw.value, raw.span) = tree.current;
        Handle { id: tree.push(raw), namespace: &HTML, local: &NO_NAME }
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle<'a> {
        self.create_comment(StrTendril::new())
    }

    fn append(&self, parent: &Handle<'a>, child: NodeOrText<Handle<'a>>) {
        let tree = &mut *self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => tree.append(parent.id, node.id),
            NodeOrText::AppendText(_) => {
                let (value, span) = tree.next_text();
                let last = tree.raws[parent.id as usize].last;
                let existing = if last != NIL && tree.raws[last as usize].kind == NodeKind::Text { last } else { NIL };
                let id = tree.append_text(existing, value, span, false);
                if existing == NIL {
                    tree.append(parent.id, id);
                }
            }
        }
    }

    fn append_before_sibling(&self, sibling: &Handle<'a>, child: NodeOrText<Handle<'a>>) {
        let tree = &mut *self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => {
                tree.detach(node.id);
                let raw = &mut tree.raws[node.id as usize];
                raw.is_fostered = true;
                if raw.placement == Placement::Source {
                    raw.placement = Placement::Moved;
                }
                tree.insert_before(sibling.id, node.id);
            }
            NodeOrText::AppendText(_) => {
                let (value, span) = tree.next_text();
                let previous = tree.raws[sibling.id as usize].previous;
                let existing =
                    if previous != NIL && tree.raws[previous as usize].kind == NodeKind::Text { previous } else { NIL };
                let id = tree.append_text(existing, value, span, true);
                if existing == NIL {
                    tree.insert_before(sibling.id, id);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle<'a>, previous: &Handle<'a>, child: NodeOrText<Handle<'a>>) {
        if self.ask(element.id, |raw| raw.parent) != NIL {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {
        let tree = &mut *self.tree.borrow_mut();
        let mut raw = Raw::new(NodeKind::Doctype);
        raw.placement = Placement::Source;
        (raw.value, raw.span) = tree.current;
        let id = tree.push(raw);
        tree.append(0, id);
    }

    fn get_template_contents(&self, target: &Handle<'a>) -> Handle<'a> {
        let id = self.ask(target.id, |raw| raw.first);
        Handle { id, namespace: &HTML, local: &NO_NAME }
    }

    fn same_node(&self, x: &Handle<'a>, y: &Handle<'a>) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.borrow_mut().quirks = match mode {
            QuirksMode::NoQuirks => Quirks::No,
            QuirksMode::LimitedQuirks => Quirks::Limited,
            QuirksMode::Quirks => Quirks::Full,
        };
    }

    /// A second `<html>` or `<body>` tag: what it adds is appended to what the first one has.
    fn add_attrs_if_missing(&self, target: &Handle<'a>, _: Vec<html5ever::Attribute>) {
        let tree = &mut *self.tree.borrow_mut();
        let old = tree.raws[target.id as usize].value;
        let new = std::mem::take(&mut tree.tag_attributes);
        let old_range = old.start as usize..old.end as usize;
        let missing: Vec<Attribute> = (new.start as usize..new.end as usize)
            .map(|at| tree.attributes[at])
            .filter(|new| !tree.attributes[old_range.clone()].iter().any(|old| old.name == new.name))
            .collect();
        tree.work += old_range.len() as u64;
        if missing.is_empty() {
            return;
        }
        let room = tree.most_attributes.saturating_sub(old_range.len());
        if missing.len() > room {
            tree.limit_hit = Some(Limit::Attributes);
        }
        let start = tree.attributes.len();
        tree.attributes.extend_from_within(old_range);
        tree.attributes.extend(missing.into_iter().take(room));
        tree.raws[target.id as usize].value = TextRange::new(start, tree.attributes.len());
    }

    fn remove_from_parent(&self, target: &Handle<'a>) {
        self.tree.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle<'a>, new_parent: &Handle<'a>) {
        let tree = &mut *self.tree.borrow_mut();
        let mut child = tree.raws[node.id as usize].first;
        while child != NIL {
            let next = tree.raws[child as usize].next;
            tree.detach(child);
            tree.append(new_parent.id, child);
            child = next;
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle<'a>) -> bool {
        self.ask(handle.id, |raw| raw.integration_point)
    }

    fn allow_declarative_shadow_roots(&self, _: &Handle<'a>) -> bool {
        false
    }
}

/// The key of a formatting element's attributes, as the eight bytes the tree builder holds.
pub(crate) fn formatting_key(value: &str) -> FormattingKey {
    let mut key = [0; 8];
    for (to, from) in key.iter_mut().zip(value.bytes()) {
        *to = from;
    }
    key
}
