//! Counts for every subtree, the containers of each element, and the odds of its names. The features of the block detector read them.

use crate::dom::elements::is_hidden;
use crate::dom::{Document, Name, NodeId};
use crate::page_counts::PageCounts;
use dehusk::read::{HashedOdds, Landmark, WordHash, each_name};

/// The containers an element can be in, as bits.
pub(crate) mod inside {
    pub(crate) const NAV: u16 = 1;
    pub(crate) const HEADER: u16 = 2;
    pub(crate) const FOOTER: u16 = 4;
    pub(crate) const ASIDE: u16 = 8;
    pub(crate) const MAIN: u16 = 16;
    pub(crate) const ARTICLE: u16 = 32;
    pub(crate) const LIST: u16 = 64;
    pub(crate) const TABLE: u16 = 128;
    pub(crate) const FORM: u16 = 256;
    pub(crate) const HIDDEN: u16 = 512;
    pub(crate) const SECTION: u16 = 1024;
}

/// Counts, containers and name odds of all nodes of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockContext {
    pub(crate) counts: PageCounts,
    /// The containers each node is or is inside.
    pub(crate) inside: Vec<u16>,
    /// The log-odds that the names of each node (class, id, role) are those of templates.
    pub(crate) name_odds: Vec<f32>,
    /// The same summed with those of the ancestors, each with half the weight of the one below.
    pub(crate) path_odds: Vec<f32>,
}

impl BlockContext {
    /// Describes the nodes of a page, reusing the buffers.
    pub(crate) fn fill(&mut self, document: &Document, names: &HashedOdds) {
        self.counts.fill(document, None, None);
        self.inside.clear();
        self.name_odds.clear();
        self.path_odds.clear();
        for id in document.ids() {
            let parent = document.parent(id).map(NodeId::index);
            let (mut inside, mut path) = parent.map_or((0, 0.0), |at| (self.inside[at], self.path_odds[at]));
            let mut own = 0.0;
            if document.is_element(id) {
                inside |= containers_of(document, id);
                own = odds_of_names(document, id, names);
                path = path * 0.5 + own;
            }
            self.inside.push(inside);
            self.name_odds.push(own);
            self.path_odds.push(path);
        }
    }
}

/// The containers an element is, by its name, role and visibility.
fn containers_of(document: &Document, id: NodeId) -> u16 {
    let landmark = match Landmark::of(document, id) {
        Some(Landmark::Navigation) => inside::NAV,
        Some(Landmark::Header) => inside::HEADER,
        Some(Landmark::Footer) => inside::FOOTER,
        Some(Landmark::Aside) => inside::ASIDE,
        Some(Landmark::Main) => inside::MAIN,
        Some(Landmark::Article) => inside::ARTICLE,
        _ => 0,
    };
    let by_name = match document.html_name(id) {
        Name::UL | Name::OL | Name::MENU => inside::LIST,
        Name::TABLE => inside::TABLE,
        Name::FORM => inside::FORM,
        Name::SECTION => inside::SECTION,
        _ => 0,
    };
    landmark | by_name | if is_hidden(document, id) { inside::HIDDEN } else { 0 }
}

/// Calls `each` with every word of the names of an element. Single letters come from generated names.
pub fn each_name_word(document: &Document, id: NodeId, mut each: impl FnMut(WordHash)) {
    each_name(document, id, |word, long| {
        if long {
            each(word);
        }
    });
}

fn odds_of_names(document: &Document, id: NodeId, names: &HashedOdds) -> f32 {
    let mut sum = 0.0;
    each_name_word(document, id, |word| sum += names.of(word.slot16()));
    // One clear name is as much evidence as five.
    sum.clamp(-4.0, 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    #[test]
    fn nodes_have_their_containers_and_odds() {
        let page = "<body><nav class='top-menu x'><ul><li>One, two. <b>Three!</b><li><a href='http://a.example/'>4</a></ul></nav>
            <main hidden><p>© 2024 — Größe</p></main>";
        let document = Parser::default().parse(page).unwrap();
        let mut context = BlockContext::default();
        let slot = |word: &str| WordHash::of(word).slot16() as usize;
        let mut odds = vec![0.0; dehusk::read::ODDS_SLOTS];
        (odds[slot("menu")], odds[slot("top")]) = (3.0, 2.0);
        context.fill(&document, &HashedOdds::new(odds.into_iter()));
        let nav = document.find(Name::NAV).unwrap();
        let paragraph = document.find(Name::P).unwrap();
        assert_eq!(context.inside[paragraph.index()], inside::MAIN | inside::HIDDEN);
        let list = document.find(Name::UL).unwrap();
        assert_eq!(context.inside[list.index()], inside::NAV | inside::LIST);
        assert_eq!(context.name_odds[nav.index()], 4.0);
        assert_eq!(context.path_odds[list.index()], 2.0);
        let counts = context.counts.subtree(&document, nav);
        assert_eq!((counts.items, counts.external_links, counts.sentence_ends), (2, 1, 2));
    }
}
