//! The tree html5ever's tree builder works on while it reads, and its conversion to a [`Document`].
//!
//! The tree builder decides where nodes go; it needs the names of elements, but hardly any attribute and no text
//! (see `gate.rs`). So the sink takes attributes, texts and comments from the tokenizer's ranges and copies nothing.

use super::arena::{Attribute, Document, Namespace, Node, NodeKind, Placement, Quirks, TextRange};
use super::foreign;
use super::names::Name;
use super::tokenizer::{Shared, Tag};
use crate::limits::Cut;
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, QualName, local_name, ns};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

pub(crate) const NIL: u32 = u32::MAX;

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

#[derive(Clone, Copy)]
pub(crate) struct Raw {
    pub(crate) kind: NodeKind,
    pub(crate) placement: Placement,
    pub(crate) namespace: Namespace,
    integration_point: bool,
    /// Put before a table it stands in, whether or not it has a start tag of its own.
    is_fostered: bool,
    pub(crate) depth: u16,
    /// How many formatting elements it stands in, itself included.
    pub(crate) formatting: u16,
    pub(crate) name: Name,
    pub(crate) parent: u32,
    previous: u32,
    next: u32,
    first: u32,
    last: u32,
    value: TextRange,
    /// Its start tag, or the whole of a comment or document type.
    span: TextRange,
    /// Its end tag.
    close: TextRange,
    first_piece: u32,
    last_piece: u32,
}

impl Raw {
    fn new(kind: NodeKind) -> Raw {
        Raw {
            kind,
            placement: Placement::Invented,
            namespace: Namespace::Html,
            integration_point: false,
            is_fostered: false,
            depth: 0,
            formatting: 0,
            name: Name::NONE,
            parent: NIL,
            previous: NIL,
            next: NIL,
            first: NIL,
            last: NIL,
            value: TextRange::default(),
            span: TextRange::default(),
            close: TextRange::default(),
            first_piece: NIL,
            last_piece: NIL,
        }
    }
}

/// A part of a text node.
#[derive(Clone, Copy)]
struct Piece {
    value: TextRange,
    span: TextRange,
    next: u32,
}

/// Buffers that are kept from page to page.
#[derive(Default)]
pub(crate) struct Buffers {
    raws: Vec<Raw>,
    pieces: Vec<Piece>,
    queue: Vec<(TextRange, TextRange)>,
}

pub(crate) struct Tree<'a> {
    pub(crate) raws: Vec<Raw>,
    pieces: Vec<Piece>,
    attributes: Vec<Attribute>,
    quirks: Quirks,
    /// Texts given to the tree builder, and how many of them it has put somewhere.
    queue: Vec<(TextRange, TextRange)>,
    queue_head: usize,
    /// The comment or document type being read.
    current: (TextRange, TextRange),
    /// The tag being read.
    tag_name: Name,
    tag_local: Option<&'a LocalName>,
    /// The attributes of the tag being read, as a range of `attributes`.
    tag_attributes: TextRange,
    /// Attributes of formatting elements by the key the tree builder holds for them.
    formatting: FxHashMap<StrTendrilKey, TextRange>,
    most_attributes: usize,
    pub(crate) work: u64,
    pub(crate) cut: Option<Cut>,
}

type StrTendrilKey = [u8; 8];

/// The tree builder's view of the tree.
pub(crate) struct Sink<'s, 'a> {
    pub(crate) tree: RefCell<Tree<'a>>,
    shared: &'s Shared<'a>,
    /// The element asked for last: how the gate learns which element is the current one.
    pub(crate) asked: Cell<u32>,
}

/// The elements the tree builder keeps in its list of active formatting elements.
pub(crate) fn is_formatting(name: Name) -> bool {
    matches!(
        name,
        Name::A
            | Name::B
            | Name::BIG
            | Name::CODE
            | Name::EM
            | Name::FONT
            | Name::I
            | Name::NOBR
            | Name::S
            | Name::SMALL
            | Name::STRIKE
            | Name::STRONG
            | Name::TT
            | Name::U
    )
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
            cut: None,
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
    pub(crate) fn remember_formatting(&self, key: StrTendrilKey) {
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
            tree.drop_tag_attributes();
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

impl Tree<'_> {
    fn push(&mut self, raw: Raw) -> u32 {
        self.work += 1;
        self.raws.push(raw);
        self.raws.len() as u32 - 1
    }

    fn drop_tag_attributes(&mut self) {
        // Nothing refers to them: they are the last ones.
        if self.attributes.len() == self.tag_attributes.end as usize {
            self.attributes.truncate(self.tag_attributes.start as usize);
        }
        self.tag_attributes = TextRange::default();
    }

    fn set_depth(&mut self, id: u32, parent: u32) {
        let Raw { depth, formatting, .. } = self.raws[parent as usize];
        let raw = &mut self.raws[id as usize];
        raw.depth = depth.saturating_add(1);
        raw.formatting = formatting + (raw.kind == NodeKind::Element && is_formatting(raw.name)) as u16;
    }

    fn append(&mut self, parent: u32, child: u32) {
        let last = self.raws[parent as usize].last;
        let raw = &mut self.raws[child as usize];
        raw.parent = parent;
        raw.previous = last;
        raw.next = NIL;
        match last {
            NIL => self.raws[parent as usize].first = child,
            last => self.raws[last as usize].next = child,
        }
        self.raws[parent as usize].last = child;
        self.set_depth(child, parent);
        self.work += 1;
    }

    fn insert_before(&mut self, sibling: u32, child: u32) {
        let Raw { parent, previous, .. } = self.raws[sibling as usize];
        let raw = &mut self.raws[child as usize];
        raw.parent = parent;
        raw.previous = previous;
        raw.next = sibling;
        self.raws[sibling as usize].previous = child;
        match previous {
            NIL => self.raws[parent as usize].first = child,
            previous => self.raws[previous as usize].next = child,
        }
        self.set_depth(child, parent);
        self.work += 1;
    }

    fn detach(&mut self, id: u32) {
        let Raw { parent, previous, next, .. } = self.raws[id as usize];
        if parent == NIL {
            return;
        }
        match previous {
            NIL => self.raws[parent as usize].first = next,
            previous => self.raws[previous as usize].next = next,
        }
        match next {
            NIL => self.raws[parent as usize].last = previous,
            next => self.raws[next as usize].previous = previous,
        }
        let raw = &mut self.raws[id as usize];
        raw.parent = NIL;
        raw.previous = NIL;
        raw.next = NIL;
        self.work += 1;
    }

    /// The text behind the stand-in the tree builder hands out: it hands them out in the order it got them.
    fn next_text(&mut self) -> (TextRange, TextRange) {
        debug_assert!(self.queue_head < self.queue.len(), "the tree builder made up a text");
        let next = self.queue.get(self.queue_head).copied().unwrap_or_default();
        self.queue_head += 1;
        next
    }

    fn append_text(&mut self, existing: u32, value: TextRange, span: TextRange, moved: bool) -> u32 {
        let piece = self.pieces.len() as u32;
        let extend = match existing {
            NIL => None,
            id => Some(self.raws[id as usize].last_piece),
        };
        if let Some(last) = extend {
            let before = &mut self.pieces[last as usize];
            if before.value.end == value.start && before.span.end == span.start {
                before.value.end = value.end;
                before.span.end = span.end;
                return existing;
            }
            before.next = piece;
            self.pieces.push(Piece { value, span, next: NIL });
            self.raws[existing as usize].last_piece = piece;
            return existing;
        }
        self.pieces.push(Piece { value, span, next: NIL });
        let mut raw = Raw::new(NodeKind::Text);
        raw.placement = if moved { Placement::Moved } else { Placement::Source };
        raw.first_piece = piece;
        raw.last_piece = piece;
        self.push(raw)
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
            tree.cut = Some(Cut::Attributes);
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
pub(crate) fn formatting_key(value: &str) -> StrTendrilKey {
    let mut key = [0; 8];
    for (to, from) in key.iter_mut().zip(value.bytes()) {
        *to = from;
    }
    key
}

impl Tree<'_> {
    /// Fills the document, whose source and decoded texts are set, and hands the buffers back.
    pub(crate) fn finish_into(mut self, document: &mut Document, buffers: &mut Buffers) {
        document.attributes = std::mem::take(&mut self.attributes);
        document.quirks = self.quirks;
        if let Some(cut) = self.cut {
            document.cuts.insert(cut);
        }
        self.write(document);
        buffers.raws = self.raws;
        buffers.pieces = self.pieces;
        buffers.queue = self.queue;
    }

    /// Writes the tree to the document in preorder.
    fn write(&self, document: &mut Document) {
        document.nodes.clear();
        document.pieces.clear();
        document.nodes.reserve(self.raws.len());
        let mut writer = Writer { document, path: Vec::new(), cursor: 0, moved: Vec::new() };
        let mut at = 0u32;
        'walk: loop {
            writer.enter(&self.raws[at as usize], &self.pieces);
            if self.raws[at as usize].first != NIL {
                at = self.raws[at as usize].first;
                continue;
            }
            loop {
                writer.leave();
                if at == 0 {
                    break 'walk;
                }
                let Raw { next, parent, .. } = self.raws[at as usize];
                if next != NIL {
                    at = next;
                    continue 'walk;
                }
                at = parent;
            }
        }
        writer.mark_tidy();
    }
}

/// Puts nodes into preorder and works out their spans.
struct Writer<'d> {
    document: &'d mut Document,
    path: Vec<Open>,
    /// How far in the source the nodes written so far reach.
    cursor: u32,
    /// Where things stand that the parser moved: position, and the node that holds them now.
    moved: Vec<(u32, u32)>,
}

struct Open {
    id: u32,
    /// The end of what stands in it.
    content_end: u32,
    /// The place of its end tag.
    close: TextRange,
    /// The cursor to go back to after a moved subtree.
    outer_cursor: Option<u32>,
}

impl Writer<'_> {
    fn enter(&mut self, raw: &Raw, pieces: &[Piece]) {
        let id = self.document.nodes.len() as u32;
        let parent = self.path.last().map_or(0, |open| open.id);
        let mut node = Node {
            kind: raw.kind,
            placement: raw.placement,
            namespace: raw.namespace,
            tidy: false,
            depth: self.path.len() as u16,
            name: raw.name,
            parent,
            end: 0,
            value: raw.value,
            span: raw.span,
            inner: TextRange { start: raw.span.end, end: raw.span.end },
        };
        if raw.kind == NodeKind::Text {
            self.write_text(id, raw, pieces, &mut node);
        }
        let mut outer_cursor = None;
        if matches!(node.placement, Placement::Source | Placement::Moved) {
            if node.placement == Placement::Source && node.span.start < self.cursor {
                node.placement = Placement::Moved;
            }
            if node.placement == Placement::Moved {
                outer_cursor = Some(self.cursor);
                self.moved.push((node.span.start, id));
            }
            self.cursor = if node.kind == NodeKind::Element { node.inner.start } else { node.span.end };
        } else {
            // It begins where what it holds begins; `leave` knows where it ends.
            node.span.start = self.cursor;
            node.inner.start = self.cursor;
        }
        self.path.push(Open { id, content_end: self.cursor, close: raw.close, outer_cursor });
        self.document.nodes.push(node);
    }

    fn write_text(&mut self, id: u32, raw: &Raw, pieces: &[Piece], node: &mut Node) {
        let first = pieces[raw.first_piece as usize];
        node.value = first.value;
        node.span = first.span;
        if first.next == NIL {
            return;
        }
        let chain =
            std::iter::successors(Some(first), |piece| (piece.next != NIL).then(|| pieces[piece.next as usize]));
        let in_one_run = chain.clone().zip(chain.clone().skip(1)).all(|(one, two)| one.span.end == two.span.start);
        let start = self.document.source.len() + self.document.extra.len();
        for piece in chain {
            let Document { source, extra, .. } = &mut *self.document;
            let (from, to) = (piece.value.start as usize, piece.value.end as usize);
            if from < source.len() {
                extra.push_str(&source[from..to]);
            } else {
                extra.extend_from_within(from - source.len()..to - source.len());
            }
            if in_one_run {
                node.span.end = piece.span.end;
            } else {
                self.document.pieces.push((id, piece.span));
                if piece.span.start != first.span.start {
                    self.moved.push((piece.span.start, id));
                }
            }
        }
        node.value = TextRange::new(start, self.document.source.len() + self.document.extra.len());
    }

    fn leave(&mut self) {
        let Some(open) = self.path.pop() else { return };
        let end = self.document.nodes.len() as u32;
        let node = &mut self.document.nodes[open.id as usize];
        node.end = end;
        if node.kind != NodeKind::Text && node.kind != NodeKind::Comment && node.kind != NodeKind::Doctype {
            let content_end = open.content_end.max(node.inner.start);
            if open.close.end > 0 && open.close.start >= content_end {
                node.inner.end = open.close.start;
                node.span.end = open.close.end;
            } else {
                node.inner.end = content_end;
                node.span.end = content_end;
            }
        }
        let (span, placement) = (node.span, node.placement);
        match open.outer_cursor {
            Some(cursor) => self.cursor = cursor,
            None => self.cursor = self.cursor.max(span.end),
        }
        if let Some(parent) = self.path.last_mut()
            && placement != Placement::Moved
        {
            parent.content_end = parent.content_end.max(span.end);
        }
    }

    /// Marks the nodes whose bytes are one run that holds nothing foreign.
    fn mark_tidy(&mut self) {
        let Document { nodes, pieces, .. } = &mut *self.document;
        let mut by_id: Vec<u32> = self.moved.iter().map(|moved| moved.1).collect();
        by_id.sort_unstable();
        self.moved.sort_unstable();
        let scattered = |id: u32| pieces.binary_search_by_key(&id, |piece| piece.0).is_ok();
        for id in 0..nodes.len() as u32 {
            let node = &nodes[id as usize];
            if !matches!(node.placement, Placement::Source | Placement::Moved) {
                continue;
            }
            let tidy = if self.moved.is_empty() {
                true
            } else if node.kind == NodeKind::Text {
                !scattered(id)
            } else {
                // What was moved out of these bytes, and what was moved into this subtree, must be the same things.
                let from = self.moved.partition_point(|moved| moved.0 <= node.span.start);
                let to = self.moved.partition_point(|moved| moved.0 < node.span.end);
                let first = by_id.partition_point(|moved| *moved <= id);
                let last = by_id.partition_point(|moved| *moved < node.end);
                // A long list is not worth the look: giving the ranges one by one is right too.
                to - from == last - first
                    && to - from <= 64
                    && self.moved[from..to].iter().all(|moved| (id + 1..node.end).contains(&moved.1))
            };
            nodes[id as usize].tidy = tidy;
        }
    }
}
