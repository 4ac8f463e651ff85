//! The parser: source text in, [`Document`] out.
//!
//! Sets up the stages for one page and runs them: the tokenizer reads the source, the token filter passes tokens to
//! html5ever's tree builder, the tree sink links the nodes, and the document writer puts them into preorder.

use crate::document::{Document, Namespace};
use crate::error::Error;
use crate::limits::Limits;
use crate::names::Interner;
use crate::parse::build_tree::Buffers;
use crate::parse::token_filter::{TokenFilter, raw_state};
use crate::parse::tokenizer::{Shared, State, Tokenizer};
use crate::parse::tree_sink::{Handle, Sink};
use html5ever::interface::QuirksMode;
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use std::cell::RefCell;
use typed_arena::Arena;

/// An HTML parser. It reuses its buffers from page to page.
#[derive(Default)]
pub struct Parser {
    limits: Limits,
    scripting: bool,
    buffers: Buffers,
}

impl Parser {
    /// Creates a parser with these limits and scripting off: `<noscript>` contains elements.
    pub fn new(limits: Limits) -> Parser {
        Parser { limits, ..Parser::default() }
    }

    /// Sets whether to parse as a browser that runs scripts does, where the content of `<noscript>` is one text.
    pub fn with_scripting(mut self, scripting: bool) -> Parser {
        self.scripting = scripting;
        self
    }

    /// Parses a page.
    pub fn parse(&mut self, source: impl Into<String>) -> Result<Document, Error> {
        let mut document = Document { source: source.into(), ..Document::default() };
        self.read(&mut document, None)?;
        Ok(document)
    }

    /// Parses a page into an existing document, reusing its buffers.
    pub fn parse_into(&mut self, source: &str, document: &mut Document) -> Result<(), Error> {
        document.source.clear();
        document.source.push_str(source);
        self.read(document, None)
    }

    /// Parses the contents of an element named `context` (`svg path` and `math mi` for other namespaces). The parsed nodes
    /// are in an implied `<html>` element.
    pub fn parse_fragment(&mut self, source: impl Into<String>, context: &str) -> Result<Document, Error> {
        let mut document = Document { source: source.into(), ..Document::default() };
        self.read(&mut document, Some(context))?;
        Ok(document)
    }

    fn read(&mut self, document: &mut Document, context: Option<&str>) -> Result<(), Error> {
        self.limits.check_size(document.source.len())?;
        // The stages borrow the source while the rest of the document is filled, so it is taken out until the end.
        let source = std::mem::take(&mut document.source);
        let mut extra = std::mem::take(&mut document.extra);
        extra.clear();
        let arena = Arena::new();
        let shared = Shared {
            names: RefCell::new(Interner::new(&arena)),
            extra: RefCell::new(extra),
            source_length: source.len(),
        };
        let attributes = std::mem::take(&mut document.attributes);
        let sink = Sink::new(&shared, &mut self.buffers, attributes, self.limits.attributes);
        let mut tokenizer = Tokenizer::new(&source, &shared, self.limits.attributes);
        let options = TreeBuilderOpts {
            scripting_enabled: self.scripting,
            quirks_mode: QuirksMode::NoQuirks,
            ..TreeBuilderOpts::default()
        };
        let builder = match context {
            None => TreeBuilder::new(sink, options),
            Some(context) => fragment_builder(sink, options, context, &mut tokenizer, &shared, self.scripting),
        };
        let has_frames = context == Some("frameset");
        let mut filter = TokenFilter::new(&self.limits, &source, &shared, builder, tokenizer, has_frames);
        filter.run();
        let TokenFilter { builder, tokenizer, mut limits_hit, .. } = filter;
        if let Some(limit_hit) = tokenizer.limit_hit {
            limits_hit.insert(limit_hit);
        }
        let tree = builder.sink.into_tree();
        document.limits_hit = limits_hit;
        // Set before the nodes are written: the writer reads both texts and appends to `extra`.
        document.extra = shared.extra.take();
        document.names = shared.names.borrow_mut().take_names();
        document.source = source;
        tree.finish_into(document, &mut self.buffers);
        Ok(())
    }
}

/// Creates a tree builder for the contents of an element and sets the tokenizer to the state they start in.
fn fragment_builder<'s, 'a>(
    sink: Sink<'s, 'a>,
    options: TreeBuilderOpts,
    context: &str,
    tokenizer: &mut Tokenizer<'s, 'a>,
    shared: &'s Shared<'a>,
    scripting: bool,
) -> TreeBuilder<Handle<'a>, Sink<'s, 'a>> {
    use html5ever::tokenizer::states;
    let (namespace, local) = match context.split_once(' ') {
        Some(("svg", local)) => (Namespace::Svg, local),
        Some(("math", local)) => (Namespace::MathMl, local),
        _ => (Namespace::Html, context),
    };
    let name = shared.names.borrow_mut().intern(local);
    let element = sink.element_handle(name, namespace);
    let builder = TreeBuilder::new_for_fragment(sink, element, None, options);
    tokenizer.switch(match builder.tokenizer_state_for_context_elem(scripting) {
        states::State::RawData(kind) => raw_state(kind),
        states::State::Plaintext => State::Plaintext,
        _ => State::Data,
    });
    builder
}
