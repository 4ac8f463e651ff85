//! The tokenizer on its own, without a tree. For conformance tests and research.

use crate::document::slice;
use crate::names::Interner;
use crate::parse::tokenizer::{Shared, Token, Tokenizer};

pub use crate::parse::tokenizer::State;
use std::cell::RefCell;
use typed_arena::Arena;

/// A token with its text decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PageToken {
    /// A run of text.
    Text(String),
    /// A start tag: name, attributes, whether it closes itself.
    Start(String, Vec<(String, String)>, bool),
    /// An end tag.
    End(String),
    /// A comment.
    Comment(String),
    /// A document type: name, public and system identifier, whether it forces quirks mode.
    Doctype(Option<String>, Option<String>, Option<String>, bool),
}

/// Tokenizes a page in one state, without a tree builder that switches states.
pub fn tokenize(source: &str, state: State, last_start: Option<&str>) -> Vec<PageToken> {
    let arena = Arena::new();
    let shared = Shared {
        names: RefCell::new(Interner::new(&arena)),
        extra: RefCell::new(String::new()),
        source_length: source.len(),
    };
    let mut tokenizer = Tokenizer::new(source, &shared, usize::MAX);
    if let Some(name) = last_start {
        let name = shared.names.borrow_mut().intern(name);
        tokenizer.set_last_start(name);
    }
    tokenizer.switch(state);
    let mut tokens = Vec::new();
    loop {
        let token = tokenizer.next(|| false);
        let extra = shared.extra.borrow();
        let text = |range| slice(source, &extra, range).to_string();
        match token {
            Token::Text { .. } | Token::Null { .. } => {
                let more = if let Token::Text { value, .. } = token { text(value) } else { "\0".into() };
                match tokens.last_mut() {
                    Some(PageToken::Text(before)) => before.push_str(&more),
                    _ => tokens.push(PageToken::Text(more)),
                }
            }
            Token::Start => {
                let names = shared.names.borrow();
                let attributes = tokenizer.tag.attributes.iter();
                tokens.push(PageToken::Start(
                    names.text(tokenizer.tag.name).into(),
                    attributes.map(|one| (names.text(one.name).into(), text(one.value))).collect(),
                    tokenizer.tag.self_closing,
                ));
            }
            Token::End => tokens.push(PageToken::End(shared.names.borrow().text(tokenizer.tag.name).into())),
            Token::Comment { value, .. } => tokens.push(PageToken::Comment(text(value))),
            Token::Doctype => {
                let doctype = std::mem::take(&mut tokenizer.doctype);
                tokens.push(PageToken::Doctype(
                    doctype.name,
                    doctype.public_id,
                    doctype.system_id,
                    doctype.force_quirks,
                ));
            }
            Token::Eof => return tokens,
        }
    }
}
