//! Selects the elements of a page that are blocks: the units the block detector is trained on and classifies.
//!
//! A block is an element with one of the listed names and enough text. Blocks may be nested. An element with too little text is
//! not a block, and neither is any of its descendants. They are the paper's units; Fusion's text blocks
//! are not nested, and shorter.

use super::page_words::{PageWords, collapsed_length};
use crate::dom::{Document, Name, NodeId, Stats};
use dehusk::read::WordHash;

/// The element names that can be blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum BlockNames {
    /// The paper's list and the elements that HTML 5 added.
    #[default]
    Html5,
    /// The paper's list.
    Classic,
}

/// The minimum number of characters of text in a block, white space collapsed (Block §4.1).
const MIN_CHARACTERS: u32 = 40;
/// The minimum number of different words in a block (Block §4.1).
const MIN_DISTINCT_WORDS: usize = 3;

impl BlockNames {
    /// Returns whether elements of a name can be blocks.
    pub fn contains(self, name: Name) -> bool {
        is_classic(name) || (self == BlockNames::Html5 && is_html5(name))
    }
}

fn is_classic(name: Name) -> bool {
    matches!(
        name,
        Name::BLOCKQUOTE
            | Name::DD
            | Name::DIV
            | Name::DL
            | Name::DT
            | Name::H1
            | Name::H2
            | Name::H3
            | Name::H4
            | Name::H5
            | Name::H6
            | Name::LI
            | Name::OL
            | Name::PRE
            | Name::SMALL
            | Name::TABLE
            | Name::TD
            | Name::TH
            | Name::TR
            | Name::UL
    )
}

fn is_html5(name: Name) -> bool {
    matches!(
        name,
        Name::ARTICLE
            | Name::ASIDE
            | Name::FOOTER
            | Name::HEADER
            | Name::MAIN
            | Name::NAV
            | Name::P
            | Name::SECTION
            | Name::FIGURE
            | Name::DETAILS
            | Name::FORM
    )
}

/// The blocks of a page, in page order.
pub fn blocks(document: &Document, stats: &Stats, words: &PageWords, names: BlockNames) -> Vec<NodeId> {
    let Some(body) = document.find(Name::BODY) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = NodeId(body.0 + 1);
    let end = document.end(body);
    while at < end {
        // Too little text: no descendant can have enough.
        if collapsed_length(stats, document, at) < MIN_CHARACTERS {
            at = document.end(at);
            continue;
        }
        if document.is_element(at)
            && names.contains(document.html_name(at))
            && has_different_words(words.subtree(document, at))
        {
            found.push(at);
        }
        at.0 += 1;
    }
    found
}

fn has_different_words(words: &[WordHash]) -> bool {
    let mut different = [WordHash(0); MIN_DISTINCT_WORDS];
    let mut count = 0;
    for word in words {
        if !different[..count].contains(word) {
            different[count] = *word;
            count += 1;
            if count == MIN_DISTINCT_WORDS {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn names(page: &str, names: BlockNames) -> Vec<String> {
        let document = Parser::default().parse(page).unwrap();
        let (stats, words) = (Stats::of(&document), PageWords::of(&document));
        let found = blocks(&document, &stats, &words, names);
        found.iter().map(|id| document.name_text(document.name(*id)).to_string()).collect()
    }

    #[test]
    fn blocks_have_enough_text_and_different_words() {
        let long = "a text that is long enough to be a block on its own";
        let page = format!(
            "<div><p>{long}</p><p>short</p><section><span>{long}</span></section></div><ul><li>{}</li></ul><h1>{long}</h1>",
            "same ".repeat(40)
        );
        assert_eq!(names(&page, BlockNames::Html5), ["div", "p", "section", "h1"]);
        assert_eq!(names(&page, BlockNames::Classic), ["div", "h1"]);
        assert!(names("", BlockNames::Html5).is_empty());
    }

    #[test]
    fn scripts_without_spaces_have_blocks() {
        assert_eq!(names(&format!("<p>{}</p>", "漢字仮名交じり文".repeat(5)), BlockNames::Html5), ["p"]);
    }
}
