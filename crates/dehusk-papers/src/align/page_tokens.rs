//! The body of a page as a sequence of tokens: start tags, end tags, texts.
//!
//! Works on the parsed document. Scripts, styles, comments and white space produce no tokens, and values that change
//! per request are ignored as in the fingerprints.

use crate::dom::elements::{is_media_or_control, is_unseen};
use crate::dom::hash::mix;
use crate::dom::{Document, Name, Namespace, NodeHasher, NodeId, NodeKind, tagged};
use crate::rules::Rules;
use dehusk::site::{SlotText, TextForm};

/// Maximum number of tokens of a page; the rest is left out. The longest pages of broad crawls have some ten
/// thousand.
const MAX_TOKENS: usize = 200_000;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A start tag.
    Start,
    /// An end tag.
    End,
    /// A text.
    Text,
}

/// A token of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Equal for tokens that are the same on two pages.
    pub hash: u64,
    /// The element of a tag, or the text.
    pub node: NodeId,
    /// What it is.
    pub kind: TokenKind,
}

/// The tokens of a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageTokens {
    /// The tokens in page order.
    pub tokens: Vec<Token>,
    /// Whether the page had more than the maximum of 200,000 tokens.
    pub truncated: bool,
    /// The texts with their slots, one for each text token, in page order.
    pub(super) texts: Vec<SlotText>,
}

impl PageTokens {
    /// The tokens of a page's body, with our rules.
    pub fn of(document: &Document) -> PageTokens {
        PageTokens::with(document, Rules::All)
    }

    /// The tokens of a page's body. In the paper, a start tag has the values of all its attributes, and a text has
    /// nothing but its words.
    pub fn with(document: &Document, rules: Rules) -> PageTokens {
        let is_paper = rules == Rules::Paper;
        let mut page = PageTokens::default();
        let Some(body) = document.find(Name::BODY) else { return page };
        let mut hasher = NodeHasher::new(document);
        let mut open: Vec<Open> = Vec::new();
        let end = document.end(body);
        let mut at = NodeId(body.0 + 1);
        while at < end {
            page.close(document, &hasher, &mut open, at);
            if page.tokens.len() >= MAX_TOKENS {
                page.truncated = true;
                return page;
            }
            let next = NodeId(at.0 + 1);
            at = match document.kind(at) {
                NodeKind::Text => {
                    page.push_text(document, &mut hasher, at, open.last(), is_paper);
                    next
                }
                NodeKind::Element => {
                    let name = document.html_name(at);
                    let unseen = is_unseen(name);
                    // An iframe is visible, its content is not.
                    let mut label = 0;
                    if !unseen || name == Name::IFRAME {
                        label = hasher.start_tag(at, is_paper || shows_values(document, at));
                        let hash = tagged(label, TokenKind::Start as u64);
                        page.tokens.push(Token { hash, node: at, kind: TokenKind::Start });
                    }
                    if !unseen && !is_void(name) {
                        open.push(Open::below(open.last(), at, label, name == Name::A));
                    }
                    if unseen { document.end(at) } else { next }
                }
                NodeKind::Fragment => document.end(at),
                _ => next,
            };
        }
        page.close(document, &hasher, &mut open, end);
        page
    }

    /// Appends the end tags of the elements that end before a node.
    fn close(&mut self, document: &Document, hasher: &NodeHasher<'_>, open: &mut Vec<Open>, at: NodeId) {
        while let Some(Open { node, .. }) = open.pop_if(|open| document.end(open.node) <= at) {
            let hash = tagged(hasher.name(node), TokenKind::End as u64);
            self.tokens.push(Token { hash, node, kind: TokenKind::End });
        }
    }

    /// Appends a text. The same words as a heading and as a link are different tokens, so the name of the parent is
    /// part of the token. The whole start tag would be too much: URLs of links are relative to the page.
    fn push_text(
        &mut self,
        document: &Document,
        hasher: &mut NodeHasher<'_>,
        node: NodeId,
        open: Option<&Open>,
        is_paper: bool,
    ) {
        let hash = hasher.text(node);
        if hash != 0 {
            let parent = document.parent(node).filter(|_| !is_paper).map_or(0, |parent| hasher.name(parent));
            let hash = tagged(tagged(hash, parent), TokenKind::Text as u64);
            self.tokens.push(Token { hash, node, kind: TokenKind::Text });
            let (slot, linked) = open.map_or((0, false), |open| (open.slot, open.linked));
            self.texts.push(SlotText {
                slot,
                text: hash,
                linked,
                form: TextForm::of(document, node),
                in_template: false,
            });
        }
    }
}

/// An open element.
struct Open {
    node: NodeId,
    /// A hash of the path of start tags from the root to it.
    slot: u64,
    /// Whether it is a link or inside one.
    linked: bool,
}

impl Open {
    fn below(parent: Option<&Open>, node: NodeId, label: u64, link: bool) -> Open {
        let (slot, linked) = parent.map_or((0, false), |parent| (parent.slot, parent.linked));
        Open { node, slot: mix(slot, label), linked: linked || link }
    }
}

/// Whether attribute values other than class and id are part of an element's token. They are if the element itself is
/// what a reader sees: two images are different things. Links are distinguished by their texts, so a menu whose links
/// are relative to the page remains the same menu.
fn shows_values(document: &Document, id: NodeId) -> bool {
    document.namespace(id) != Namespace::Html || is_media_or_control(document.html_name(id), document.name(id))
}

/// Elements without an end tag.
fn is_void(name: Name) -> bool {
    matches!(name, Name::BR | Name::COL | Name::EMBED | Name::HR | Name::IMG | Name::INPUT | Name::LINK | Name::META)
        || matches!(name, Name::SOURCE | Name::WBR | Name::AREA | Name::PARAM | Name::TRACK | Name::BASE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn hashes(page: &str) -> Vec<u64> {
        let document = Parser::default().parse(page).unwrap();
        PageTokens::of(&document).tokens.iter().map(|token| token.hash).collect()
    }

    #[test]
    fn tags_and_texts_in_page_order() {
        use TokenKind::*;
        let page = "<body><!-- x --><div id=a>One <br> <b>two</b></div><script>s</script><p>three";
        let document = Parser::default().parse(page).unwrap();
        let found: Vec<(TokenKind, String)> = PageTokens::of(&document)
            .tokens
            .iter()
            .map(|token| match token.kind {
                Text => (Text, document.text(token.node).trim().to_string()),
                kind => (kind, document.name_text(document.name(token.node)).to_string()),
            })
            .collect();
        let expected = [
            (Start, "div"),
            (Text, "One"),
            (Start, "br"),
            (Start, "b"),
            (Text, "two"),
            (End, "b"),
            (End, "div"),
            (Start, "p"),
            (Text, "three"),
            (End, "p"),
        ];
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_string())));
    }

    #[test]
    fn values_that_change_per_request_are_ignored() {
        let one = hashes("<div class='menu active' data-t=1718000000 id=x><img src='/a.png?v=17'>Home  Page</div>");
        let two = hashes("<div id=x data-t=1718000001 class=menu>\n<img src='/a.png?v=18'>HOME\npage</div>");
        assert_eq!(one, two);
        assert_ne!(hashes("<img src=a.png>"), hashes("<img src=b.png>"));
        assert_ne!(hashes("<b>home</b>")[1], hashes("<i>home</i>")[1]);
        assert_ne!(hashes("<p class=a>x</p>")[0], hashes("<p class=b>x</p>")[0]);
    }
}
