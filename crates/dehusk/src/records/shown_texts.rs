//! The texts of a page that are shown, in page order, and what is between them.
//!
//! Input: a document. Output: its text nodes that are not hidden, each with the gap before it, so that the text of any part of the page
//! can be written without reading the page again.

use crate::dom::elements::{is_block, is_hidden, is_never_shown, is_replaced};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};

/// What is between two texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Gap {
    Nothing,
    Space,
    Line,
}

/// A text that is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownText {
    pub(crate) node: NodeId,
    /// What is between the text before it and this one.
    pub(crate) gap: Gap,
}

/// The shown texts of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownTexts {
    pub(crate) texts: Vec<ShownText>,
    /// For each node whether it is shown.
    pub(crate) is_shown: Vec<bool>,
}

impl ShownTexts {
    pub(crate) fn read(document: &Document) -> ShownTexts {
        let mut all = ShownTexts { texts: Vec::new(), is_shown: vec![false; document.len()] };
        let Some(body) = document.find(Name::BODY) else { return all };
        let (mut hidden_until, mut gap) = (body, Gap::Line);
        // The ends of the blocks that are open, the innermost last.
        let mut block_ends: Vec<NodeId> = Vec::new();
        for id in document.descendants(body) {
            if id < hidden_until {
                continue;
            }
            while block_ends.last().is_some_and(|end| *end <= id) {
                block_ends.pop();
                gap = Gap::Line;
            }
            match document.kind(id) {
                NodeKind::Text => {
                    let text = document.text(id);
                    if text.trim().is_empty() {
                        gap = gap.max(if text.is_empty() { Gap::Nothing } else { Gap::Space });
                        continue;
                    }
                    if text.starts_with(char::is_whitespace) {
                        gap = gap.max(Gap::Space);
                    }
                    all.texts.push(ShownText { node: id, gap });
                    gap = if text.ends_with(char::is_whitespace) { Gap::Space } else { Gap::Nothing };
                }
                NodeKind::Element => {
                    let name = document.html_name(id);
                    if is_unshown(document, id, name) {
                        hidden_until = document.end(id);
                        gap = gap.max(Gap::Space);
                        continue;
                    }
                    if is_block(name) || name == Name::BR {
                        gap = Gap::Line;
                        block_ends.push(document.end(id));
                    }
                }
                NodeKind::Fragment => {
                    hidden_until = document.end(id);
                    continue;
                }
                _ => continue,
            }
            all.is_shown[id.index()] = true;
        }
        all
    }

    /// Appends texts, with white space collapsed and a line for each block.
    pub(crate) fn append(&self, document: &Document, texts: impl Iterator<Item = usize>, out: &mut String) {
        let start = out.len();
        for at in texts {
            let text = self.texts[at];
            match text.gap {
                _ if out.len() == start => {}
                Gap::Nothing => {}
                Gap::Space => out.push(' '),
                Gap::Line => out.push('\n'),
            }
            append_collapsed(document.text(text.node), out);
        }
    }
}

/// Appends a text without white space around it, and with single spaces in it.
pub(crate) fn append_collapsed(text: &str, out: &mut String) {
    for (at, word) in text.split_whitespace().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

fn is_unshown(document: &Document, id: NodeId, name: Name) -> bool {
    is_never_shown(name)
        || document.namespace(id) == Namespace::Svg
        || is_replaced(document, id, name)
        || (!document.attributes(id).is_empty() && is_hidden(document, id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    #[test]
    fn blocks_are_lines_and_hidden_text_is_left_out() {
        let page = "<p>one <b>two</b>three</p> <div hidden>no</div><div>four<br>five<script>no</script>six</div>seven";
        let document = Parser::default().parse(page).unwrap();
        let texts = ShownTexts::read(&document);
        let mut out = String::new();
        texts.append(&document, 0..texts.texts.len(), &mut out);
        assert_eq!(out, "one twothree\nfour\nfive six\nseven");
    }
}
