//! Filters tokens between our tokenizer and html5ever's tree builder.
//!
//! The tree builder gets only what its rules read, so nothing is copied for it:
//! - Attributes. The rules of the HTML standard read very few of them. The sink assigns all others to the element
//!   directly. Formatting elements, which the tree builder copies and compares, carry a hash of their attributes.
//! - Text. The rules distinguish white space from other text and nothing more, so the tree builder gets a space or a
//!   letter as a placeholder, and the sink takes the text range that was queued with it.
//!
//! The filter also withholds what would take the tree builder quadratic time. Elements nested deeper than
//! [`Limits::depth`], in the tree or among the open elements, are closed at once and so become siblings, as in browsers.
//! Formatting elements beyond [`Limits::formatting`] are left out.

use crate::document::{Attribute, Namespace, NodeKind, Placement, TextRange, slice};
use crate::limits::{Limit, Limits, LimitsHit};
use crate::names::Name;
use crate::parse::build_tree::{is_formatting, is_raw_text};
use crate::parse::tokenizer::{Shared, State, Token, Tokenizer};
use crate::parse::tree_sink::{Handle, Sink, formatting_key};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{self, TagKind, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder};
use html5ever::{LocalName, QualName, local_name, ns};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The tokenizer state for a raw-text state of html5ever.
pub(crate) fn raw_state(kind: RawKind) -> State {
    match kind {
        RawKind::Rcdata => State::Rcdata,
        RawKind::Rawtext => State::Rawtext,
        RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => State::Script,
    }
}

/// Open elements the tree builder can search in the time one token takes. Most of its rules search the open elements
/// for one that may not be there, so depth costs work units.
const OPEN_ELEMENTS_PER_UNIT: u64 = 8;

/// Nodes that a tag can create without reopening formatting elements: itself, and implied ones such as `<html>`, `<head>`,
/// `<body>`, or `<colgroup>`, `<tbody>`, `<tr>`.
const MAX_NODES_OF_A_TAG: usize = 4;

/// Copies of formatting elements that even a small page may have; larger ones may have as many more as they have bytes.
const MIN_COPIES: usize = 1 << 14;

/// Whether an element sets a mark in the list of formatting elements that can be left over. The marks of table cells and captions are
/// removed along with them.
fn sets_mark(name: Name) -> bool {
    matches!(name, Name::APPLET | Name::MARQUEE | Name::OBJECT)
}

/// Feeds the tokens of one page to the tree builder.
pub(crate) struct TokenFilter<'s, 'a> {
    limits: &'s Limits,
    source: &'s str,
    shared: &'s Shared<'a>,
    pub(crate) builder: TreeBuilder<Handle<'a>, Sink<'s, 'a>>,
    pub(crate) tokenizer: Tokenizer<'s, 'a>,
    /// Start tags withheld from the tree builder or closed at once, by name. Their end tags must be withheld too.
    skipped_starts: FxHashMap<Name, u32>,
    /// U+FFFD in the side buffer, the replacement for NUL bytes.
    replacement: Option<TextRange>,
    /// Whether there is a frameset. After it, white space may reopen formatting elements while other text is dropped.
    has_frames: bool,
    /// Whether the tree builder will drop a line feed if it comes next.
    drops_line_feed: bool,
    /// How many elements were open when they were last counted, and how many nodes there were.
    open_elements: usize,
    nodes_when_counted: usize,
    /// The approximate number of nodes that are copies of formatting elements.
    copies: usize,
    /// The approximate number of marks that may be left over in the tree builder's list of formatting elements. A table that begins inside
    /// another one ends whatever is open in it without removing the marks of objects, and the rules for misnested formatting search
    /// the whole list.
    marks: usize,
    pub(crate) limits_hit: LimitsHit,
}

/// Collects the nodes that the tree builder holds: the document, its open elements from the root to the current node,
/// and others.
#[derive(Default)]
struct HeldNodes<'a>(RefCell<Vec<Handle<'a>>>);

impl<'a> Tracer for HeldNodes<'a> {
    type Handle = Handle<'a>;
    fn trace_handle(&self, node: &Handle<'a>) {
        self.0.borrow_mut().push(*node);
    }
}

impl<'s, 'a> TokenFilter<'s, 'a> {
    pub(crate) fn new(
        limits: &'s Limits,
        source: &'s str,
        shared: &'s Shared<'a>,
        builder: TreeBuilder<Handle<'a>, Sink<'s, 'a>>,
        tokenizer: Tokenizer<'s, 'a>,
        has_frames: bool,
    ) -> TokenFilter<'s, 'a> {
        TokenFilter {
            limits,
            source,
            shared,
            builder,
            tokenizer,
            skipped_starts: FxHashMap::default(),
            replacement: None,
            has_frames,
            drops_line_feed: false,
            open_elements: 0,
            nodes_when_counted: 0,
            copies: 0,
            marks: 0,
            limits_hit: LimitsHit::default(),
        }
    }

    /// Reads tokens until the page ends or a limit is hit.
    pub(crate) fn run(&mut self) {
        loop {
            if self.builder.sink.node_count() >= self.limits.nodes {
                self.limits_hit.insert(Limit::Nodes);
                break;
            }
            if self.builder.sink.tree.borrow().work > self.limits.work {
                self.limits_hit.insert(Limit::Work);
                break;
            }
            let builder = &self.builder;
            let token = self.tokenizer.next(|| builder.adjusted_current_node_present_but_not_in_html_namespace());
            let first_new = self.builder.sink.node_count();
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
                    let markup = &self.source[span.start as usize..span.end as usize];
                    let kind = match is_processing_instruction(markup) {
                        true => NodeKind::ProcessingInstruction,
                        false => NodeKind::Comment,
                    };
                    self.builder.sink.expect_comment_or_doctype(value, span, kind);
                    self.feed(tokenizer::Token::CommentToken(StrTendril::new()));
                    self.builder.sink.forget_pending_texts();
                }
                Token::Doctype => self.doctype(),
                Token::Eof => break,
            }
            let new = self.builder.sink.node_count() - first_new;
            self.copies += new.saturating_sub(MAX_NODES_OF_A_TAG);
            // A few bytes can reopen all formatting elements, so copies are bounded by the size of the page, too.
            let too_many = self.copies > MIN_COPIES + self.source.len() && new > MAX_NODES_OF_A_TAG;
            if too_many || new > self.limits.formatting {
                self.close_formatting(if too_many { 0 } else { self.limits.formatting / 2 });
            }
        }
        // Also after a limit was hit: the end of the page makes the tree builder insert deferred texts and missing elements.
        self.feed(tokenizer::Token::EOFToken);
    }

    /// Gives the tree builder a token and switches the tokenizer state if the tree builder requests it.
    fn feed(&mut self, token: tokenizer::Token) {
        self.builder.sink.tree.borrow_mut().work += 1;
        self.drops_line_feed = false;
        match self.builder.process_token(token, 1) {
            TokenSinkResult::Plaintext => self.tokenizer.switch(State::Plaintext),
            TokenSinkResult::RawData(kind) => self.tokenizer.switch(raw_state(kind)),
            TokenSinkResult::Continue | TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => {}
        }
        if self.builder.sink.tree.borrow().moved_elements {
            self.count_open_elements();
        }
    }

    /// Counts the open elements and updates their depths in the tree, which change where misnested formatting is repaired.
    fn count_open_elements(&mut self) {
        let held = HeldNodes::default();
        self.builder.trace_handles(&held);
        let mut held = held.0.into_inner();
        // The open elements are between the document and the current node; what follows is held for other reasons.
        let current = self.current();
        if let Some(end) = held.iter().position(|node| node.id == current) {
            held.truncate(end + 1);
        }
        self.open_elements = held.len() - 1;
        self.nodes_when_counted = self.builder.sink.node_count();
        self.builder.sink.update_depths(&held);
    }

    /// Whether more elements are open than the limit. They are counted only when enough nodes are new for that to be possible.
    fn has_too_many_open(&mut self) -> bool {
        let new = self.builder.sink.node_count() - self.nodes_when_counted;
        if self.open_elements > self.limits.depth || self.open_elements + new > 2 * self.limits.depth {
            self.count_open_elements();
        }
        self.open_elements > self.limits.depth
    }

    fn text(&mut self, mut value: TextRange, mut span: TextRange) {
        if self.drops_line_feed {
            // Dropped here, because the sink could not tell what was dropped. The empty text resets the tree
            // builder's own flag.
            self.feed(tokenizer::Token::CharacterTokens(StrTendril::new()));
            let starts_with_line_feed =
                slice(self.source, &self.shared.extra.borrow(), value).as_bytes().first() == Some(&b'\n');
            if starts_with_line_feed {
                value.start += 1;
                // What follows a line feed in a text is literal in the source.
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

    /// Gives the tree builder a placeholder for a text; the sink has the text itself. Returns whether the tree builder
    /// dropped it.
    fn feed_text(&mut self, value: TextRange, span: TextRange, is_white: bool) -> bool {
        self.builder.sink.expect_text(value, span);
        let placeholder = if is_white { " " } else { "x" };
        self.feed(tokenizer::Token::CharacterTokens(StrTendril::from_slice(placeholder)));
        if !self.builder.sink.has_pending_texts() || self.defers_texts() {
            return false;
        }
        self.builder.sink.forget_pending_texts();
        true
    }

    /// Feeds a text in runs of white space and of other characters, as far as the tree builder treats them differently.
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
            // Only the first run was dropped; the white space after it is fed again.
            let extra = self.shared.extra.borrow();
            let text = slice(self.source, &extra, value).as_bytes();
            let length = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
            (value, span) = split(value, span, value.start + length as u32).1;
        }
    }

    /// The position where the white space at the start of a text ends.
    fn white_space(&self, value: TextRange) -> u32 {
        let extra = self.shared.extra.borrow();
        let text = slice(self.source, &extra, value).as_bytes();
        let length = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(text.len());
        value.start + length as u32
    }

    /// Whether the tree builder may treat white space differently from other text. It does so before and after the body
    /// and in these elements.
    fn splits_texts(&self) -> bool {
        let name = self.builder.sink.with_node(self.current(), |node| node.name);
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

    /// Whether the tree builder collects texts and inserts them later: it does so between the cells of a table.
    fn defers_texts(&self) -> bool {
        let name = self.builder.sink.with_node(self.current(), |node| node.name);
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
        self.builder.sink.expect_comment_or_doctype(value, doctype.span, NodeKind::Doctype);
        // Unlike all other tokens, a doctype leaves the collected texts of a table pending.
        self.feed(tokenizer::Token::DoctypeToken(token));
    }

    /// The current node of the tree builder.
    fn current(&self) -> u32 {
        // To answer, the tree builder queries the name of its current node, which the sink records.
        self.builder.adjusted_current_node_present_but_not_in_html_namespace();
        self.builder.sink.last_queried.get()
    }

    fn start_tag(&mut self, first_new: usize) {
        let name = self.tokenizer.tag.name;
        if is_formatting(name) {
            let (open, depth) =
                self.builder.sink.with_node(self.current(), |node| (node.formatting as usize, node.depth));
            // These two close an open element of their name, by the rules for misnested formatting.
            let closes = matches!(name, Name::A | Name::NOBR);
            self.builder.sink.tree.borrow_mut().work += open as u64 / 2 + if closes { depth as u64 } else { 0 };
            if open >= self.limits.formatting {
                self.limits_hit.insert(Limit::Formatting);
                *self.skipped_starts.entry(name).or_default() += 1;
                return;
            }
        }
        let local = self.shared.names.borrow_mut().local(name);
        self.builder.sink.expect_tag(&self.tokenizer.tag, local);
        self.builder.sink.name_search_for(name);
        let attrs = self.attributes_the_builder_needs();
        self.feed(tokenizer::Token::TagToken(tokenizer::Tag {
            kind: TagKind::StartTag,
            name: local.clone(),
            self_closing: self.tokenizer.tag.self_closing,
            attrs,
            had_duplicate_attributes: false,
        }));
        self.builder.sink.forget_pending_texts();
        let Some(id) = self.builder.sink.finish_start_tag(first_new, &self.tokenizer.tag) else {
            if name == Name::FORM {
                self.builder.sink.add_form_in_template(self.current(), &self.tokenizer.tag);
            }
            return;
        };
        self.has_frames |= name == Name::FRAMESET;
        let depth = self.builder.sink.with_node(id, |node| node.depth) as usize;
        self.builder.sink.tree.borrow_mut().work += depth as u64 / OPEN_ELEMENTS_PER_UNIT;
        let is_html = self.builder.sink.with_node(id, |node| node.namespace) == Namespace::Html;
        let is_too_deep = depth > self.limits.depth || self.has_too_many_open();
        let sets_mark = is_html && sets_mark(name);
        if is_too_deep || (sets_mark && self.marks >= self.limits.formatting) {
            // Raw-text elements get their own end tag; void elements are closed already.
            if self.current() == id && !(is_html && is_raw_text(name)) {
                self.limits_hit.insert(if is_too_deep { Limit::Depth } else { Limit::Formatting });
                *self.skipped_starts.entry(name).or_default() += 1;
                self.feed_end_tag(name, local);
            }
        } else if depth < self.limits.depth && !self.skipped_starts.is_empty() {
            self.skipped_starts.clear();
        }
        self.marks += usize::from(sets_mark && self.current() == id);
        self.drops_line_feed = matches!(name, Name::PRE | Name::LISTING | Name::TEXTAREA)
            && self.current() == id
            && self.builder.sink.with_node(id, |node| node.namespace) == Namespace::Html;
    }

    fn feed_end_tag(&mut self, name: Name, local: &LocalName) {
        self.builder.sink.name_search_for(name);
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
        if let Some(count) = self.skipped_starts.get_mut(&name)
            && *count > 0
        {
            *count -= 1;
            return;
        }
        let before = self.current();
        if sets_mark(name) && self.builder.sink.with_node(before, |node| node.name) == name {
            self.marks = self.marks.saturating_sub(1);
        }
        // The rules for misnested formatting search all open elements several times.
        let divisor = if is_formatting(name) { 1 } else { OPEN_ELEMENTS_PER_UNIT };
        let depth = self.builder.sink.with_node(before, |node| node.depth);
        self.builder.sink.tree.borrow_mut().work += depth as u64 / divisor;
        let local = self.shared.names.borrow_mut().local(name);
        self.feed_end_tag(name, local);
        self.builder.sink.forget_pending_texts();
        let after = self.current();
        if after != before {
            self.builder.sink.finish_end_tag(before, after, name, span);
            self.skipped_starts.clear();
        }
    }

    /// Closes formatting elements until at most `max_open` are open. Otherwise the tree builder would reopen hundreds in
    /// every paragraph.
    fn close_formatting(&mut self, max_open: usize) {
        loop {
            let current = self.builder.sink.with_node(self.current(), |node| *node);
            let open = current.formatting as usize;
            if open <= max_open || !is_formatting(current.name) {
                return;
            }
            self.limits_hit.insert(Limit::Formatting);
            if current.placement != Placement::Copied {
                *self.skipped_starts.entry(current.name).or_default() += 1;
            }
            let local = self.shared.names.borrow_mut().local(current.name);
            self.feed_end_tag(current.name, local);
            // An end tag that the tree builder ignores would be fed forever.
            if self.builder.sink.with_node(self.current(), |node| node.formatting) as usize >= open {
                return;
            }
        }
    }

    /// The attributes of the current tag that the tree builder's rules read.
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

    /// An order-independent hash of attributes as eight ASCII characters, by which the tree builder recognizes identical
    /// formatting elements.
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

/// Whether the markup that html5ever takes for a comment is a processing instruction. The standard has them since 2026; they
/// end where such a comment ends, and are inserted where it is.
fn is_processing_instruction(markup: &str) -> bool {
    let Some(rest) = markup.strip_prefix("<?") else { return false };
    let target = rest.split(|c: char| c.is_ascii_whitespace() || matches!(c, '?' | '>')).next().unwrap_or_default();
    target.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && target.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && !["xml", "xml-stylesheet"].iter().any(|reserved| target.eq_ignore_ascii_case(reserved))
}

/// Splits a text and its span at a position of the text. Character references and line ends can be longer in the source
/// than in the text, but they are never split, and what follows them is literal in the source.
fn split(value: TextRange, span: TextRange, at: u32) -> ((TextRange, TextRange), (TextRange, TextRange)) {
    let split = if at == value.end { span.end } else { span.end - (value.end - at) };
    (
        (TextRange { start: value.start, end: at }, TextRange { start: span.start, end: split }),
        (TextRange { start: at, end: value.end }, TextRange { start: split, end: span.end }),
    )
}
