//! The `TreeSink` through which html5ever's tree builder changes the tree.
//!
//! The tree builder decides where nodes go; it needs the names of elements, but hardly any attribute and no text
//! (see `token_filter.rs`). The sink adds attributes, texts and comments as ranges from the tokenizer and copies nothing.

use crate::document::{Attribute, Namespace, NodeKind, Placement, Quirks, TextRange};
use crate::limits::Limit;
use crate::names::Name;
use crate::parse::build_tree::{Buffers, BuildNode, FormattingKey, NO_LINK, Tree, is_formatting};
use crate::parse::foreign;
use crate::parse::tokenizer::{Shared, Tag};
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, QualName, local_name, ns};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

static HTML: html5ever::Namespace = ns!(html);
static SVG: html5ever::Namespace = ns!(svg);
static MATHML: html5ever::Namespace = ns!(mathml);
static NO_NAME: LocalName = local_name!("");
static SEARCH: LocalName = local_name!("search");
static SECTION: LocalName = local_name!("section");
static ASIDE: LocalName = local_name!("aside");

/// A node as the tree builder holds it. Elements carry their name, because the tree builder queries it most often.
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

/// The tree builder's interface to the tree.
pub(crate) struct Sink<'s, 'a> {
    pub(crate) tree: RefCell<Tree<'a>>,
    shared: &'s Shared<'a>,
    /// The element whose name was queried last. The token filter finds the current node this way.
    pub(crate) last_queried: Cell<u32>,
    /// What a `<search>` is called while the current tag is processed.
    name_for_search: Cell<&'static LocalName>,
}

impl<'s, 'a> Sink<'s, 'a> {
    pub(crate) fn new(
        shared: &'s Shared<'a>,
        buffers: &mut Buffers,
        attributes: Vec<Attribute>,
        max_attributes: usize,
    ) -> Sink<'s, 'a> {
        let mut tree = Tree {
            nodes: std::mem::take(&mut buffers.nodes),
            pieces: std::mem::take(&mut buffers.pieces),
            attributes,
            quirks: Quirks::No,
            pending_texts: std::mem::take(&mut buffers.pending_texts),
            next_pending: 0,
            comment_or_doctype: Default::default(),
            comment_kind: NodeKind::Comment,
            tag_name: Name::NONE,
            tag_local: None,
            tag_attributes: TextRange::default(),
            formatting: Default::default(),
            max_attributes,
            moved_elements: false,
            work: 0,
            limit_hit: None,
        };
        tree.nodes.clear();
        tree.pieces.clear();
        tree.attributes.clear();
        tree.pending_texts.clear();
        tree.nodes.push(BuildNode::new(NodeKind::Document));
        Sink { tree: RefCell::new(tree), shared, last_queried: Cell::new(0), name_for_search: Cell::new(&SECTION) }
    }

    pub(crate) fn element_handle(&self, name: Name, namespace: Namespace) -> Handle<'a> {
        let local = self.shared.names.borrow_mut().local(name);
        let mut tree = self.tree.borrow_mut();
        let mut node = BuildNode::new(NodeKind::Element);
        node.name = name;
        node.namespace = namespace;
        let id = tree.push(node);
        Handle { id, namespace: to_html5ever(namespace), local }
    }

    /// Queues the text whose placeholder the tree builder gets next.
    pub(crate) fn expect_text(&self, value: TextRange, span: TextRange) {
        let tree = &mut *self.tree.borrow_mut();
        if tree.next_pending == tree.pending_texts.len() {
            tree.pending_texts.clear();
            tree.next_pending = 0;
        }
        tree.pending_texts.push((value, span));
    }

    /// Removes the last NUL byte from the queue unless it was inserted: the tree builder never defers one.
    pub(crate) fn forget_null(&self) {
        let tree = &mut *self.tree.borrow_mut();
        if tree.next_pending < tree.pending_texts.len() {
            tree.pending_texts.pop();
        }
    }

    /// Whether the tree builder has dropped or deferred a text.
    pub(crate) fn has_pending_texts(&self) -> bool {
        let tree = self.tree.borrow();
        tree.next_pending < tree.pending_texts.len()
    }

    /// Forgets texts the tree builder has dropped.
    pub(crate) fn forget_pending_texts(&self) {
        let tree = &mut *self.tree.borrow_mut();
        tree.pending_texts.clear();
        tree.next_pending = 0;
    }

    pub(crate) fn expect_comment_or_doctype(&self, value: TextRange, span: TextRange, kind: NodeKind) {
        let tree = &mut *self.tree.borrow_mut();
        tree.comment_or_doctype = (value, span);
        tree.comment_kind = kind;
    }

    /// Chooses the name by which the tree builder knows `<search>` elements while it processes a tag. It does not list them
    /// among the special elements, as the standard does, but treats them as `<section>` otherwise. So they have the name of
    /// another special element, unless that or their own is the name of the tag.
    pub(crate) fn name_search_for(&self, tag: Name) {
        self.name_for_search.set(match tag {
            Name::SEARCH => &SEARCH,
            Name::SECTION => &ASIDE,
            _ => &SECTION,
        });
    }

    /// Stores the tag that the tree builder gets next.
    pub(crate) fn expect_tag(&self, tag: &Tag, local: &'a LocalName) {
        let tree = &mut *self.tree.borrow_mut();
        tree.tag_name = tag.name;
        tree.tag_local = Some(local);
        let start = tree.attributes.len();
        tree.attributes.extend_from_slice(&tag.attributes);
        tree.tag_attributes = TextRange::new(start, tree.attributes.len());
    }

    /// Stores the attributes of a formatting element for copies of it that the tree builder may create.
    pub(crate) fn remember_formatting(&self, key: FormattingKey) {
        let tree = &mut *self.tree.borrow_mut();
        tree.formatting.insert(key, tree.tag_attributes);
    }

    /// Sets the span and attributes of the element created for the tag. Returns its number, or `None` if the tree builder
    /// ignored the tag.
    pub(crate) fn finish_start_tag(&self, first_new: usize, tag: &Tag) -> Option<u32> {
        let tree = &mut *self.tree.borrow_mut();
        // Copies of open formatting elements and implied parents come before the element itself.
        let wanted = if tag.name == Name::IMAGE { Name::IMG } else { tag.name };
        let found = (first_new..tree.nodes.len()).rev().find(|id| {
            let node = &tree.nodes[*id];
            node.kind == NodeKind::Element
                && (node.name == wanted
                    || node.name == tag.name
                    || (node.namespace == Namespace::Svg && self.is_same_but_case(node.name, tag.name)))
        });
        let Some(id) = found else {
            // Copies of an earlier formatting element with the same attributes may still use them.
            if !is_formatting(tag.name) {
                tree.drop_tag_attributes();
            }
            return None;
        };
        let node = &mut tree.nodes[id];
        node.placement = if node.is_fostered { Placement::Moved } else { Placement::Source };
        node.span = tag.span;
        if node.namespace == Namespace::Html {
            node.value = tree.tag_attributes;
        }
        Some(id as u32)
    }

    /// Inserts a form that the tree builder ignored between the cells of a table in a template: since 2026, the standard has
    /// it there, closed at once, as it is outside of templates.
    pub(crate) fn add_form_in_template(&self, current: u32, tag: &Tag) {
        let tree = &mut *self.tree.borrow_mut();
        let BuildNode { name, first, .. } = tree.nodes[current as usize];
        let parent = match name {
            Name::TABLE | Name::TBODY | Name::THEAD | Name::TFOOT | Name::TR => current,
            Name::TEMPLATE => first,
            _ => return,
        };
        let mut at = parent;
        while at != NO_LINK && tree.nodes[at as usize].kind != NodeKind::Fragment {
            at = tree.nodes[at as usize].parent;
        }
        if at == NO_LINK {
            return;
        }
        let mut node = BuildNode::new(NodeKind::Element);
        node.name = tag.name;
        node.placement = Placement::Source;
        node.span = tag.span;
        let start = tree.attributes.len();
        tree.attributes.extend_from_slice(&tag.attributes);
        node.value = TextRange::new(start, tree.attributes.len());
        let id = tree.push(node);
        tree.append(parent, id);
    }

    /// Recomputes the depths of open elements, given from the root down, and of the elements around them.
    pub(crate) fn update_depths(&self, open: &[Handle<'a>]) {
        let tree = &mut *self.tree.borrow_mut();
        tree.moved_elements = false;
        // Open elements share most of their ancestors, so each node is visited only once.
        let mut done: FxHashSet<u32> = FxHashSet::default();
        let mut stale = Vec::new();
        for element in open {
            let mut at = element.id;
            while at != NO_LINK && done.insert(at) {
                stale.push(at);
                at = tree.nodes[at as usize].parent;
            }
            tree.work += 1 + stale.len() as u64;
            while let Some(id) = stale.pop() {
                let parent = tree.nodes[id as usize].parent;
                if parent != NO_LINK {
                    tree.set_depth(id, parent);
                }
            }
        }
    }

    /// Assigns an end tag to the element it closed.
    pub(crate) fn finish_end_tag(&self, before: u32, after: u32, name: Name, span: TextRange) {
        let tree = &mut *self.tree.borrow_mut();
        let mut closed = None;
        let mut at = before;
        while at != after {
            if at == NO_LINK || at == 0 {
                return;
            }
            let node = &tree.nodes[at as usize];
            if node.name == name || (node.namespace != Namespace::Html && self.is_same_but_case(node.name, name)) {
                closed = Some(at);
            }
            at = node.parent;
            if at != NO_LINK && tree.nodes[at as usize].kind == NodeKind::Fragment {
                at = tree.nodes[at as usize].parent;
            }
        }
        if let Some(id) = closed {
            tree.nodes[id as usize].end_tag = span;
        }
    }

    fn is_same_but_case(&self, one: Name, two: Name) -> bool {
        let names = self.shared.names.borrow();
        names.text(one).eq_ignore_ascii_case(names.text(two))
    }

    pub(crate) fn node_count(&self) -> usize {
        self.tree.borrow().nodes.len()
    }

    /// Calls a function with a node.
    pub(crate) fn with_node<T>(&self, id: u32, question: impl FnOnce(&BuildNode) -> T) -> T {
        question(&self.tree.borrow().nodes[id as usize])
    }

    pub(crate) fn into_tree(self) -> Tree<'a> {
        self.tree.into_inner()
    }
}

fn to_html5ever(namespace: Namespace) -> &'static html5ever::Namespace {
    match namespace {
        Namespace::Svg => &SVG,
        Namespace::MathMl => &MATHML,
        _ => &HTML,
    }
}

fn from_html5ever(namespace: &html5ever::Namespace) -> Namespace {
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
        self.last_queried.set(target.id);
        let local = if *target.local == local_name!("search") { self.name_for_search.get() } else { target.local };
        ElementName { namespace: target.namespace, local }
    }

    fn create_element(&self, name: QualName, attrs: Vec<html5ever::Attribute>, flags: ElementFlags) -> Handle<'a> {
        let namespace = from_html5ever(&name.ns);
        let tree = &mut *self.tree.borrow_mut();
        // Most elements have the name of the current tag, which has been looked up already.
        let (number, local) = match tree.tag_local {
            Some(local) if *local == name.local => (tree.tag_name, local),
            _ => {
                let mut names = self.shared.names.borrow_mut();
                let number = names.intern(&name.local);
                (number, names.local(number))
            }
        };
        let mut node = BuildNode::new(NodeKind::Element);
        node.name = number;
        node.namespace = namespace;
        node.integration_point = flags.mathml_annotation_xml_integration_point;
        if namespace == Namespace::Html {
            if is_formatting(number) {
                // Unless a tag claims it afterwards, it is a copy of an element that is open.
                node.placement = Placement::Copied;
            }
            // The first attribute of a formatting element is the key of its stored attributes.
            if let Some(first) = attrs.first().filter(|first| first.name.local == local_name!("")) {
                node.value = tree.formatting.get(&formatting_key(&first.value)).copied().unwrap_or_default();
            }
        } else {
            node.value = tree.tag_attributes;
            for attribute in &mut tree.attributes[node.value.start as usize..node.value.end as usize] {
                (attribute.name, attribute.namespace) = foreign::adjust(attribute.name, namespace);
            }
        }
        let id = tree.push(node);
        if flags.template {
            let mut fragment = BuildNode::new(NodeKind::Fragment);
            fragment.parent = id;
            let contents = tree.push(fragment);
            tree.append(id, contents);
        }
        Handle { id, namespace: to_html5ever(namespace), local }
    }

    fn create_comment(&self, _: StrTendril) -> Handle<'a> {
        let tree = &mut *self.tree.borrow_mut();
        let mut node = BuildNode::new(tree.comment_kind);
        node.placement = Placement::Source;
        (node.value, node.span) = tree.comment_or_doctype;
        Handle { id: tree.push(node), namespace: &HTML, local: &NO_NAME }
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
                // Adjacent texts are one node, as the standard requires.
                let last = tree.nodes[parent.id as usize].last;
                let existing =
                    if last != NO_LINK && tree.nodes[last as usize].kind == NodeKind::Text { last } else { NO_LINK };
                let id = tree.append_text(existing, value, span, false);
                if existing == NO_LINK {
                    tree.append(parent.id, id);
                }
            }
        }
    }

    fn append_before_sibling(&self, sibling: &Handle<'a>, child: NodeOrText<Handle<'a>>) {
        let tree = &mut *self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(moved) => {
                tree.detach(moved.id);
                let node = &mut tree.nodes[moved.id as usize];
                node.is_fostered = true;
                if node.placement == Placement::Source {
                    node.placement = Placement::Moved;
                }
                tree.insert_before(sibling.id, moved.id);
            }
            NodeOrText::AppendText(_) => {
                let (value, span) = tree.next_text();
                let previous = tree.nodes[sibling.id as usize].previous;
                let existing = if previous != NO_LINK && tree.nodes[previous as usize].kind == NodeKind::Text {
                    previous
                } else {
                    NO_LINK
                };
                let id = tree.append_text(existing, value, span, true);
                if existing == NO_LINK {
                    tree.insert_before(sibling.id, id);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle<'a>, previous: &Handle<'a>, child: NodeOrText<Handle<'a>>) {
        if self.with_node(element.id, |node| node.parent) != NO_LINK {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {
        let tree = &mut *self.tree.borrow_mut();
        let mut node = BuildNode::new(NodeKind::Doctype);
        node.placement = Placement::Source;
        (node.value, node.span) = tree.comment_or_doctype;
        let id = tree.push(node);
        tree.append(0, id);
    }

    fn get_template_contents(&self, target: &Handle<'a>) -> Handle<'a> {
        // The contents were created along with the template, as its first child.
        let id = self.with_node(target.id, |node| node.first);
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

    /// Appends the attributes of a second `<html>` or `<body>` tag that the first one lacks.
    fn add_attrs_if_missing(&self, target: &Handle<'a>, _: Vec<html5ever::Attribute>) {
        let tree = &mut *self.tree.borrow_mut();
        let old = tree.nodes[target.id as usize].value;
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
        let room = tree.max_attributes.saturating_sub(old_range.len());
        if missing.len() > room {
            tree.limit_hit = Some(Limit::Attributes);
        }
        let start = tree.attributes.len();
        // The attributes of an element are one range, so the old ones are copied to where the new ones go.
        tree.attributes.extend_from_within(old_range);
        tree.attributes.extend(missing.into_iter().take(room));
        tree.nodes[target.id as usize].value = TextRange::new(start, tree.attributes.len());
    }

    fn remove_from_parent(&self, target: &Handle<'a>) {
        self.tree.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle<'a>, new_parent: &Handle<'a>) {
        let tree = &mut *self.tree.borrow_mut();
        let mut child = tree.nodes[node.id as usize].first;
        while child != NO_LINK {
            let next = tree.nodes[child as usize].next;
            tree.detach(child);
            tree.append(new_parent.id, child);
            child = next;
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle<'a>) -> bool {
        self.with_node(handle.id, |node| node.integration_point)
    }

    fn allow_declarative_shadow_roots(&self, _: &Handle<'a>) -> bool {
        false
    }
}

/// The key of a formatting element's attributes, from the value the tree builder holds.
pub(crate) fn formatting_key(value: &str) -> FormattingKey {
    let mut key = [0; 8];
    for (to, from) in key.iter_mut().zip(value.bytes()) {
        *to = from;
    }
    key
}
