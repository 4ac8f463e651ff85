//! Which elements of a page are blocks: the units the block detector learns from and judges.
//!
//! A block is an element of a list of names with enough text. Blocks stand in each other. What is too small is no block, and
//! nothing in it is.

use super::words::{PageWords, collapsed_length};
use crate::dom::{Document, Name, NodeId, Stats};

/// Which elements can be blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum BlockNames {
    /// The paper's list and the elements HTML 5 added.
    #[default]
    Html5,
    /// The paper's list.
    Classic,
}

/// A block has at least so many characters of text, white space collapsed, and so many different words (Block §4.1).
const LEAST_CHARACTERS: u32 = 40;
const LEAST_WORDS: usize = 3;

impl BlockNames {
    /// Whether elements of a name can be blocks.
    pub fn contains(self, name: Name) -> bool {
        is_classic(name) || (self == BlockNames::Html5 && is_new(name))
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

fn is_new(name: Name) -> bool {
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
        // Too small: nothing in it is large enough.
        if collapsed_length(stats, document, at) < LEAST_CHARACTERS {
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

fn has_different_words(words: &[u32]) -> bool {
    let mut different = [0; LEAST_WORDS];
    let mut count = 0;
    for word in words {
        if !different[..count].contains(word) {
            different[count] = *word;
            count += 1;
            if count == LEAST_WORDS {
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
