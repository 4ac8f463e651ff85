//! The gate between the tokenizer and html5ever's tree builder.
//!
//! It keeps from the tree builder what it does not need, so that nothing is copied:
//! - Attributes. The rules of the HTML standard look at very few of them; all others travel beside, and the
//!   sink hands them to the element. Formatting elements, which the tree builder copies and compares, carry a hash of
//!   their attributes in place of them.
//! - Texts. The rules look at white space only, so the tree builder gets a space or a letter in place of a text, and the
//!   sink takes the range that was queued with it.
//!
//! And it keeps from the tree builder what would cost it quadratic time: elements nested deeper than
//! [`Limits::depth`] are closed at once, so that they become siblings as in browsers, and formatting elements
//! beyond [`Limits::formatting`] are left out.

use crate::arena::{Attribute, Document, Namespace, Placement, TextRange, slice};
use crate::error::{Error, ErrorKind};
use crate::limits::{Limit, Limits, LimitsHit, MAX_BYTES};
use crate::names::{Interner, Name};
use crate::sink::{Handle, Sink, formatting_key};
use crate::tokenizer::{Shared, State, Token, Tokenizer};
use crate::tree::{Buffers, is_formatting, is_raw_text};
use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{self, TagKind, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, QualName, local_name, ns};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use typed_arena::Arena;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Parses pages; keeps its buffers from page to page.
#[derive(Default)]
pub struct Parser {
    limits: Limits,
    scripting: bool,
    buffers: Buffers,
}

impl Parser {
    /// A parser with these limits and scripting off, so that `<noscript>` holds elements.
    pub fn new(limits: Limits) -> Parser {
        Parser { limits, ..Parser::default() }
    }

    /// Parses as a browser that runs scripts does: what stands in `<noscript>` is one text.
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

    /// Parses a page into a document whose memory is used again.
    pub fn parse_into(&mut self, source: &str, document: &mut Document) -> Result<(), Error> {
        document.source.clear();
        document.source.push_str(source);
        self.read(document, None)
    }

    /// Parses the contents of an element, given by its name (`svg path` and `math mi` for other namespaces). The result
    /// is in the `<html>` element the parser invents.
    pub fn parse_fragment(&mut self, source: impl Into<String>, context: &str) -> Result<Document, Error> {
        let mut document = Document { source: source.into(), ..Document::default() };
        self.read(&mut document, Some(context))?;
        Ok(document)
    }

    fn read(&mut self, document: &mut Document, context: Option<&str>) -> Result<(), Error> {
        let most = self.limits.bytes.min(MAX_BYTES);
        if document.source.len() > most {
            return Err(Error::new(
                ErrorKind::TooLarge,
                format!("the page has {} bytes, the limit is {most} (bytes)", document.source.len()),
            ));
        }
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
        let mut gate = Gate {
            limits: &self.limits,
            source: &source,
            shared: &shared,
            builder,
            tokenizer,
            left_out: FxHashMap::default(),
            replacement: None,
            has_frames: context == Some("frameset"),
            drops_line_feed: false,
            limits_hit: LimitsHit::default(),
        };
        gate.run();
        let Gate { builder, tokenizer, mut limits_hit, .. } = gate;
        if let Some(limit_hit) = tokenizer.limit_hit {
            limits_hit.insert(limit_hit);
        }
        let tree = builder.sink.into_tree();
        document.limits_hit = limits_hit;
        document.extra = shared.extra.take();
        document.names = shared.names.borrow_mut().take_names();
        document.source = source;
        tree.finish_into(document, &mut self.buffers);
        Ok(())
    }
}

/// A tree builder for the contents of an element, with the tokenizer set to the state they start in.
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

fn raw_state(kind: RawKind) -> State {
    match kind {
        RawKind::Rcdata => State::Rcdata,
        RawKind::Rawtext => State::Rawtext,
        RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => State::Script,
    }
}

/// How many open elements the tree builder looks through in the time one token takes: most rules search for an element
/// that may not be there.
const OPEN_ELEMENTS_PER_UNIT: u64 = 8;

struct Gate<'s, 'a> {
    limits: &'s Limits,
    source: &'s str,
    shared: &'s Shared<'a>,
    builder: TreeBuilder<Handle<'a>, Sink<'s, 'a>>,
    tokenizer: Tokenizer<'s, 'a>,
    /// Start tags the tree builder never saw or saw closed at once, whose end tags it must not see either.
    left_out: FxHashMap<Name, u32>,
    /// The replacement character of NUL bytes in the side buffer.
    replacement: Option<TextRange>,
    /// Whether there are frames. After them white space may open formatting elements, and the rest is still dropped.
    has_frames: bool,
    /// Whether the tree builder is going to drop a line feed that comes next.
    drops_line_feed: bool,
    limits_hit: LimitsHit,
}

impl<'a> Gate<'_, 'a> {
    fn run(&mut self) {
        loop {
            if self.builder.sink.nodes() >= self.limits.nodes {
                self.limits_hit.insert(Limit::Nodes);
                break;
            }
            if self.builder.sink.tree.borrow().work > self.limits.work {
                self.limits_hit.insert(Limit::Work);
                break;
            }
            let builder = &self.builder;
            let token = self.tokenizer.next(|| builder.adjusted_current_node_present_but_not_in_html_namespace());
            let first_new = self.builder.sink.nodes();
            match token {
                Token::Text { value, span } => self.text(value, span),
                Token::Null { span } => {
                    let replacement = *self.replacement.get_or_insert_with(|| self.shared.append("\u{fffd}"));
                    self.builder.sink.expect_text(replacement, span);
                    self.feed(tokenizer::Token::NullCharacterToken);
                    self.builder.sink.forget_null();
                }
                Token::Start => self.start_tag(first_new),
                Token::End => self.end_tag(),
                Token::Comment { value, span } => {
                    self.builder.sink.expect_current(value, span);
                    self.feed(tokenizer::Token::CommentToken(StrTendril::new()));
                    self.builder.sink.forget_texts();
                }
                Token::Doctype => self.doctype(),
                Token::Eof => break,
            }
            if self.builder.sink.nodes() - first_new > self.limits.formatting {
                self.close_formatting();
            }
        }
        self.feed(tokenizer::Token::EOFToken);
    }

    /// Gives the tree builder a token and follows its wish for another state of the tokenizer.
    fn feed(&mut self, token: tokenizer::Token) {
        self.builder.sink.tree.borrow_mut().work += 1;
        self.drops_line_feed = false;
        match self.builder.process_token(token, 1) {
            TokenSinkResult::Plaintext => self.tokenizer.switch(State::Plaintext),
            TokenSinkResult::RawData(kind) => self.tokenizer.switch(raw_state(kind)),
            TokenSinkResult::Continue | TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => {}
        }
    }

    fn text(&mut self, mut value: TextRange, mut span: TextRange) {
        if self.drops_line_feed {
            // Dropped here, so that the sink need not guess; the empty text tells the tree builder that it is done.
            self.feed(tokenizer::Token::CharacterTokens(StrTendril::new()));
            let starts_with_line_feed =
                slice(self.source, &self.shared.extra.borrow(), value).as_bytes().first() == Some(&b'\n');
            if starts_with_line_feed {
                value.start += 1;
                // What follows a line feed in a text stands literally in the source.
                span.start = span.end - (value.end - value.start);
            }
            if value.start == value.end {
                return;
            }
        }
        if self.splits_texts() {
            self.split_text(value, span);
        } else {
            self.feed_text(value, span, self.white_space(value) == value.end);
        }
    }

    /// Gives the tree builder a stand-in for a text; the sink has the text itself. Returns whether it was dropped.
    fn feed_text(&mut self, value: TextRange, span: TextRange, is_white: bool) -> bool {
        self.builder.sink.expect_text(value, span);
        let stand_in = if is_white { " " } else { "x" };
        self.feed(tokenizer::Token::CharacterTokens(StrTendril::from_slice(stand_in)));
        if !self.builder.sink.has_texts() || self.keeps_texts() {
            return false;
        }
        self.builder.sink.forget_texts();
        true
    }

    /// Feeds the runs of white space and of other characters of a text one by one, as far as the tree builder tells them
    /// apart.
    fn split_text(&mut self, mut value: TextRange, mut span: TextRange) {
        while value.start < value.end {
            let white = self.white_space(value);
            if white > value.start {
                let (run, rest) = split(value, span, white);
                self.feed_text(run.0, run.1, true);
                (value, span) = rest;
                continue;
            }
            if !self.feed_text(value, span, false) {
                return;
            }
            // Dropped: that is the first run only, the white space after it counts again.
            let extra = self.shared.extra.borrow();
            let text = slice(self.source, &extra, value).as_bytes();
            let length = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
            (value, span) = split(value, span, value.start + length as u32).1;
        }
    }

    /// Where the white space at the start of a text ends.
    fn white_space(&self, value: TextRange) -> u32 {
        let extra = self.shared.extra.borrow();
        let text = slice(self.source, &extra, value).as_bytes();
        let length = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
        value.start + length as u32
    }

    /// Whether the tree builder may treat white space otherwise than the rest of a text. Only before and after the
    /// body it does, and in these elements.
    fn splits_texts(&self) -> bool {
        let name = self.builder.sink.ask(self.current(), |raw| raw.name);
        self.has_frames
            || matches!(
                name,
                Name::NONE
                    | Name::HTML
                    | Name::HEAD
                    | Name::NOSCRIPT
                    | Name::COLGROUP
                    | Name::FRAMESET
                    | Name::TEMPLATE
            )
    }

    /// Whether the tree builder keeps texts for later: between the cells of a table all of them go the same way.
    fn keeps_texts(&self) -> bool {
        let name = self.builder.sink.ask(self.current(), |raw| raw.name);
        matches!(name, Name::TABLE | Name::TBODY | Name::THEAD | Name::TFOOT | Name::TR)
    }

    fn doctype(&mut self) {
        let doctype = &mut self.tokenizer.doctype;
        let part = |part: &Option<String>| part.as_deref().map(StrTendril::from_slice);
        let token = tokenizer::Doctype {
            name: part(&doctype.name),
            public_id: part(&doctype.public_id),
            system_id: part(&doctype.system_id),
            force_quirks: doctype.force_quirks,
        };
        let parts = [&doctype.name, &doctype.public_id, &doctype.system_id].map(|part| part.as_deref().unwrap_or(""));
        let value = self.shared.append(&parts.join("\n"));
        self.builder.sink.expect_current(value, doctype.span);
        // Unlike all other tokens this one leaves the texts of a table waiting.
        self.feed(tokenizer::Token::DoctypeToken(token));
    }

    /// The element the tree builder is in.
    fn current(&self) -> u32 {
        // It asks for the name of that element to answer.
        self.builder.adjusted_current_node_present_but_not_in_html_namespace();
        self.builder.sink.asked.get()
    }

    fn start_tag(&mut self, first_new: usize) {
        let name = self.tokenizer.tag.name;
        if is_formatting(name) {
            let open = self.builder.sink.ask(self.current(), |raw| raw.formatting) as usize;
            self.builder.sink.tree.borrow_mut().work += open as u64 / 2;
            if open >= self.limits.formatting {
                self.limits_hit.insert(Limit::Formatting);
                *self.left_out.entry(name).or_default() += 1;
                return;
            }
        }
        let local = self.shared.names.borrow_mut().local(name);
        self.builder.sink.expect_tag(&self.tokenizer.tag, local);
        let attrs = self.attributes_the_builder_needs();
        self.feed(tokenizer::Token::TagToken(tokenizer::Tag {
            kind: TagKind::StartTag,
            name: local.clone(),
            self_closing: self.tokenizer.tag.self_closing,
            attrs,
            had_duplicate_attributes: false,
        }));
        self.builder.sink.forget_texts();
        let Some(id) = self.builder.sink.settle_tag(first_new, &self.tokenizer.tag) else { return };
        self.has_frames |= name == Name::FRAMESET;
        let depth = self.builder.sink.ask(id, |raw| raw.depth) as usize;
        self.builder.sink.tree.borrow_mut().work += depth as u64 / OPEN_ELEMENTS_PER_UNIT;
        if depth > self.limits.depth {
            // Elements that are raw text close themselves; void ones are closed already.
            if self.current() == id && !is_raw_text(name) {
                self.limits_hit.insert(Limit::Depth);
                *self.left_out.entry(name).or_default() += 1;
                self.feed_end_tag(local);
            }
        } else if depth < self.limits.depth && !self.left_out.is_empty() {
            self.left_out.clear();
        }
        self.drops_line_feed = matches!(name, Name::PRE | Name::LISTING | Name::TEXTAREA)
            && self.current() == id
            && self.builder.sink.ask(id, |raw| raw.namespace) == Namespace::Html;
    }

    fn feed_end_tag(&mut self, local: &LocalName) {
        self.feed(tokenizer::Token::TagToken(tokenizer::Tag {
            kind: TagKind::EndTag,
            name: local.clone(),
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        }));
    }

    fn end_tag(&mut self) {
        let (name, span) = (self.tokenizer.tag.name, self.tokenizer.tag.span);
        if let Some(count) = self.left_out.get_mut(&name)
            && *count > 0
        {
            *count -= 1;
            return;
        }
        let before = self.current();
        // The rules for misnested formatting look through all open elements several times.
        let divisor = if is_formatting(name) { 1 } else { OPEN_ELEMENTS_PER_UNIT };
        let depth = self.builder.sink.ask(before, |raw| raw.depth);
        self.builder.sink.tree.borrow_mut().work += depth as u64 / divisor;
        let local = self.shared.names.borrow_mut().local(name);
        self.feed_end_tag(local);
        self.builder.sink.forget_texts();
        let after = self.current();
        if after != before {
            self.builder.sink.settle_end(before, after, name, span);
            self.left_out.clear();
        }
    }

    /// Closes formatting elements until half of those allowed are open, so that the tree builder does not reopen
    /// hundreds in every paragraph.
    fn close_formatting(&mut self) {
        loop {
            let current = self.builder.sink.ask(self.current(), |raw| *raw);
            let open = current.formatting as usize;
            if open <= self.limits.formatting / 2 || current.placement != Placement::Copied {
                return;
            }
            self.limits_hit.insert(Limit::Formatting);
            let local = self.shared.names.borrow_mut().local(current.name);
            self.feed_end_tag(local);
            if self.builder.sink.ask(self.current(), |raw| raw.formatting) as usize >= open {
                return;
            }
        }
    }

    /// The attributes of the current tag that the rules of the tree builder look at.
    fn attributes_the_builder_needs(&self) -> Vec<html5ever::Attribute> {
        let tag = &self.tokenizer.tag;
        if tag.attributes.is_empty() {
            return Vec::new();
        }
        let mut attrs = Vec::new();
        if is_formatting(tag.name) {
            let key = self.formatting_hash(&tag.attributes);
            self.builder.sink.remember_formatting(formatting_key(&key));
            attrs.push(html5ever::Attribute { name: QualName::new(None, ns!(), local_name!("")), value: key });
        }
        let needed = |attribute: &&Attribute| match tag.name {
            Name::INPUT => attribute.name == Name::TYPE,
            Name::FONT => matches!(attribute.name, Name::COLOR | Name::FACE | Name::SIZE),
            Name::ANNOTATION_XML => attribute.name == Name::ENCODING,
            _ => false,
        };
        let mut names = self.shared.names.borrow_mut();
        let extra = self.shared.extra.borrow();
        for attribute in tag.attributes.iter().filter(needed) {
            let value = match attribute.name {
                Name::TYPE | Name::ENCODING => StrTendril::from_slice(slice(self.source, &extra, attribute.value)),
                _ => StrTendril::new(),
            };
            attrs.push(html5ever::Attribute {
                name: QualName::new(None, ns!(), names.local(attribute.name).clone()),
                value,
            });
        }
        attrs
    }

    /// A hash of attributes that does not depend on their order, in eight letters: the tree builder counts formatting
    /// elements that are alike.
    fn formatting_hash(&self, attributes: &[Attribute]) -> StrTendril {
        let extra = self.shared.extra.borrow();
        let sum = attributes.iter().fold(0u64, |sum, attribute| {
            let value = slice(self.source, &extra, attribute.value);
            sum.wrapping_add(xxh3_64_with_seed(value.as_bytes(), attribute.name.0 as u64))
        });
        let mut letters = [0u8; 8];
        for (at, letter) in letters.iter_mut().enumerate() {
            *letter = (sum >> (7 * at)) as u8 & 0x7f;
        }
        StrTendril::from_slice(std::str::from_utf8(&letters).unwrap_or_default())
    }
}

/// Both parts of a text that is split at a position. References and line ends are longer in the source than in the text,
/// but are never split, and what follows them stands literally in the source.
fn split(value: TextRange, span: TextRange, at: u32) -> ((TextRange, TextRange), (TextRange, TextRange)) {
    let split = if at == value.end { span.end } else { span.end - (value.end - at) };
    (
        (TextRange { start: value.start, end: at }, TextRange { start: span.start, end: split }),
        (TextRange { start: at, end: value.end }, TextRange { start: split, end: span.end }),
    )
}
