//! html5ever on its own: its tokenizer, its tree builder and a plain sink.
//!
//! Our parser must return the same tree. The sink stores the same data as ours (names, attributes, texts, links) in an
//! arena as directly as possible, so it also serves as the speed baseline.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TokenizerResult, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, create_element};
use html5ever::{Attribute, ExpandedName, LocalName, Namespace, QualName, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use typed_arena::Arena;

type Link<'a> = Cell<Option<&'a Node<'a>>>;

/// A node of the reference tree.
pub(crate) struct Node<'a> {
    pub(crate) parent: Link<'a>,
    pub(crate) previous: Link<'a>,
    pub(crate) next: Link<'a>,
    pub(crate) first: Link<'a>,
    pub(crate) last: Link<'a>,
    pub(crate) data: Data<'a>,
}

/// The data of a node.
pub(crate) enum Data<'a> {
    Document,
    Fragment,
    Doctype {
        name: StrTendril,
        public_id: StrTendril,
        system_id: StrTendril,
    },
    Text(RefCell<StrTendril>),
    Comment(StrTendril),
    Element {
        name: QualName,
        attributes: RefCell<Vec<Attribute>>,
        contents: Option<&'a Node<'a>>,
        is_integration: bool,
    },
}

impl<'a> Node<'a> {
    fn new(data: Data<'a>) -> Node<'a> {
        Node {
            parent: Cell::new(None),
            previous: Cell::new(None),
            next: Cell::new(None),
            first: Cell::new(None),
            last: Cell::new(None),
            data,
        }
    }

    fn detach(&self) {
        let (parent, previous, next) = (self.parent.take(), self.previous.take(), self.next.take());
        let Some(parent) = parent else { return };
        match previous {
            Some(previous) => previous.next.set(next),
            None => parent.first.set(next),
        }
        match next {
            Some(next) => next.previous.set(previous),
            None => parent.last.set(previous),
        }
    }

    fn append(&'a self, child: &'a Node<'a>) {
        child.detach();
        child.parent.set(Some(self));
        match self.last.replace(Some(child)) {
            Some(last) => {
                last.next.set(Some(child));
                child.previous.set(Some(last));
            }
            None => self.first.set(Some(child)),
        }
    }

    fn insert_before(&'a self, child: &'a Node<'a>) {
        child.detach();
        let Some(parent) = self.parent.get() else { return };
        child.parent.set(Some(parent));
        child.next.set(Some(self));
        match self.previous.replace(Some(child)) {
            Some(previous) => {
                previous.next.set(Some(child));
                child.previous.set(Some(previous));
            }
            None => parent.first.set(Some(child)),
        }
    }
}

/// The sink; its result is the document node.
pub(crate) struct ReferenceSink<'a> {
    arena: &'a Arena<Node<'a>>,
    document: &'a Node<'a>,
}

impl<'a> ReferenceSink<'a> {
    fn new(arena: &'a Arena<Node<'a>>) -> ReferenceSink<'a> {
        ReferenceSink { arena, document: arena.alloc(Node::new(Data::Document)) }
    }

    fn add(&self, data: Data<'a>) -> &'a Node<'a> {
        self.arena.alloc(Node::new(data))
    }
}

/// Appends to a text node. Returns false if the node is not a text node.
fn extend_text(node: Option<&Node<'_>>, text: &StrTendril) -> bool {
    match node.map(|node| &node.data) {
        Some(Data::Text(before)) => {
            before.borrow_mut().push_tendril(text);
            true
        }
        _ => false,
    }
}

impl<'a> TreeSink for ReferenceSink<'a> {
    type Handle = &'a Node<'a>;
    type Output = &'a Node<'a>;
    type ElemName<'b>
        = ExpandedName<'b>
    where
        Self: 'b;

    fn finish(self) -> &'a Node<'a> {
        self.document
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> &'a Node<'a> {
        self.document
    }

    fn elem_name<'b>(&'b self, target: &'b &'a Node<'a>) -> ExpandedName<'b> {
        match &target.data {
            Data::Element { name, .. } => name.expanded(),
            _ => unreachable!("only elements have names"),
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> &'a Node<'a> {
        self.add(Data::Element {
            name,
            attributes: RefCell::new(attributes),
            contents: flags.template.then(|| self.add(Data::Fragment)),
            is_integration: flags.mathml_annotation_xml_integration_point,
        })
    }

    fn create_comment(&self, text: StrTendril) -> &'a Node<'a> {
        self.add(Data::Comment(text))
    }

    fn create_pi(&self, _: StrTendril, text: StrTendril) -> &'a Node<'a> {
        self.add(Data::Comment(text))
    }

    fn append(&self, parent: &&'a Node<'a>, child: NodeOrText<&'a Node<'a>>) {
        match child {
            NodeOrText::AppendNode(node) => parent.append(node),
            NodeOrText::AppendText(text) => {
                if !extend_text(parent.last.get(), &text) {
                    parent.append(self.add(Data::Text(RefCell::new(text))));
                }
            }
        }
    }

    fn append_before_sibling(&self, sibling: &&'a Node<'a>, child: NodeOrText<&'a Node<'a>>) {
        match child {
            NodeOrText::AppendNode(node) => sibling.insert_before(node),
            NodeOrText::AppendText(text) => {
                if !extend_text(sibling.previous.get(), &text) {
                    sibling.insert_before(self.add(Data::Text(RefCell::new(text))));
                }
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &&'a Node<'a>,
        previous: &&'a Node<'a>,
        child: NodeOrText<&'a Node<'a>>,
    ) {
        match element.parent.get() {
            Some(_) => self.append_before_sibling(element, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.document.append(self.add(Data::Doctype { name, public_id, system_id }));
    }

    fn get_template_contents(&self, target: &&'a Node<'a>) -> &'a Node<'a> {
        match target.data {
            Data::Element { contents: Some(contents), .. } => contents,
            _ => unreachable!("only templates have contents"),
        }
    }

    fn same_node(&self, one: &&'a Node<'a>, two: &&'a Node<'a>) -> bool {
        std::ptr::eq(*one, *two)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &&'a Node<'a>, new: Vec<Attribute>) {
        let Data::Element { attributes, .. } = &target.data else { return };
        let mut attributes = attributes.borrow_mut();
        for attribute in new {
            if !attributes.iter().any(|old| old.name == attribute.name) {
                attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &&'a Node<'a>) {
        target.detach();
    }

    fn reparent_children(&self, node: &&'a Node<'a>, new_parent: &&'a Node<'a>) {
        while let Some(child) = node.first.get() {
            new_parent.append(child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &&'a Node<'a>) -> bool {
        matches!(target.data, Data::Element { is_integration: true, .. })
    }

    fn allow_declarative_shadow_roots(&self, _: &&'a Node<'a>) -> bool {
        // As in documents created by scripts: the tree of the page's source has no shadow roots.
        false
    }
}

/// The tree builder without the tokenizer's error messages: one of them between `<pre>` and a line feed makes
/// html5ever keep the line feed, which the standard drops.
struct Quiet<'a>(TreeBuilder<&'a Node<'a>, ReferenceSink<'a>>);

impl<'a> TokenSink for Quiet<'a> {
    type Handle = &'a Node<'a>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<&'a Node<'a>> {
        match token {
            Token::ParseError(_) => TokenSinkResult::Continue,
            token => self.0.process_token(token, line),
        }
    }

    fn end(&self) {
        self.0.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Parses a page, or the contents of an element given as in the html5lib tests (`td`, `svg path`, `math mi`).
pub(crate) fn parse<'a>(
    arena: &'a Arena<Node<'a>>,
    source: &str,
    context: Option<&str>,
    scripting: bool,
) -> &'a Node<'a> {
    let mut options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let builder_options = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
    let sink = ReferenceSink::new(arena);
    let builder = match context {
        None => TreeBuilder::new(sink, builder_options),
        Some(context) => {
            let (namespace, local): (Namespace, &str) = match context.split_once(' ') {
                Some(("svg", local)) => (ns!(svg), local),
                Some(("math", local)) => (ns!(mathml), local),
                _ => (ns!(html), context),
            };
            let name = QualName::new(None, namespace, LocalName::from(local));
            let element = create_element(&sink, name, Vec::new());
            let builder = TreeBuilder::new_for_fragment(sink, element, None, builder_options);
            options.initial_state = Some(builder.tokenizer_state_for_context_elem(scripting));
            builder
        }
    };
    let tokenizer = Tokenizer::new(Quiet(builder), options);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(source));
    // html5ever stops after each script to let it run.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.sink.document
}
