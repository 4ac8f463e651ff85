//! Counts of text, links and markup as prefix sums over the nodes: the counts of a subtree or of any run of nodes are one
//! subtraction. The features of PageLevel and of Block are made of them.
//!
//! Only visible text and elements are counted.

use crate::dom::elements::is_unseen;
use crate::dom::elements::{heading_level, is_block};
use crate::dom::hash::NumberMap;
use crate::dom::{Document, Name, NodeId, NodeKind, host_of};
use dehusk::layout::{Display, Layout};
use dehusk::read::{TextCounts, each_word, is_stop_word};

macro_rules! base_counts {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// Counts of a run of nodes.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct BaseCounts {
            $($(#[$doc])* pub $field: u32,)*
        }

        impl BaseCounts {
            fn minus(self, other: BaseCounts) -> BaseCounts {
                BaseCounts { $($field: self.$field.wrapping_sub(other.$field),)* }
            }
        }
    };
}

base_counts! {
    /// Words; each character of a script written without spaces is one.
    words,
    /// Characters that are not white space.
    characters,
    /// Words in links.
    link_words,
    /// Upper-case letters.
    capitals,
    /// Words that begin with an upper-case letter.
    capital_words,
    /// Stop words such as "the".
    stop_words,
    /// Words that also occur in the title of the page.
    title_words,
    /// Words outside links in texts of at least ten words.
    prose_words,
    /// Digits.
    digits,
    /// Text nodes with at least one word.
    texts,
    /// Punctuation that ends sentences.
    sentence_ends,
    /// Commas of all scripts.
    commas,
    /// Punctuation of any kind.
    marks,
    /// Signs of copyright and trademarks.
    legal_signs,
    /// Links.
    links,
    /// Links to other sites.
    external_links,
    /// Links that lead nowhere: empty, `#…`, scripts.
    void_links,
    /// Images, videos, iframes and other embedded media.
    media,
    /// Their area, in square pixels.
    media_area,
    /// Media in links.
    linked_media,
    /// Elements.
    elements,
    /// Elements that are blocks.
    blocks,
    /// Headings.
    headings,
    /// First-level headings.
    main_headings,
    /// Paragraphs.
    paragraphs,
    /// Items of lists.
    items,
    /// Cells of tables.
    cells,
    /// Form controls.
    controls,
    /// Line breaks.
    breaks,
    /// `<time>` elements.
    times,
}

/// Prefix sums of the counts of a page.
#[derive(Clone, Debug, Default)]
pub struct PageCounts {
    sums: Vec<BaseCounts>,
}

/// The minimum number of words of a text that counts as prose.
const MIN_PROSE_WORDS: u32 = 10;

impl PageCounts {
    /// Counts a page. `host` is the host of the page, if known; links to it are not external.
    pub fn of(document: &Document, layout: &Layout, host: Option<&str>) -> PageCounts {
        let mut counts = PageCounts::default();
        counts.fill(document, Some(layout), host);
        counts
    }

    /// Counts a page, reusing the buffer. Without a layout, nothing is hidden by style, and media have no area.
    pub(crate) fn fill(&mut self, document: &Document, layout: Option<&Layout>, host: Option<&str>) {
        let titles = title_words(document);
        let sums = &mut self.sums;
        sums.clear();
        sums.reserve(document.len() + 1);
        let mut sum = BaseCounts::default();
        sums.push(sum);
        let (mut unseen_until, mut link_until) = (0, 0);
        for id in document.ids() {
            let (at, end) = (id.index(), document.end(id).index());
            match document.kind(id) {
                NodeKind::Element => {
                    let name = document.html_name(id);
                    if is_unseen(name) || layout.is_some_and(|layout| layout.node(id).display == Display::None) {
                        unseen_until = unseen_until.max(end);
                    }
                    if at >= unseen_until {
                        count_element(document, layout, id, at < link_until, host, &mut sum);
                    }
                    if name == Name::A {
                        link_until = link_until.max(end);
                    }
                }
                NodeKind::Text if at >= unseen_until => {
                    count_text(document.text(id), at < link_until, &titles, &mut sum)
                }
                NodeKind::Fragment => unseen_until = unseen_until.max(end),
                _ => {}
            }
            sums.push(sum);
        }
    }

    /// The counts of a node and its descendants.
    pub fn subtree(&self, document: &Document, id: NodeId) -> BaseCounts {
        self.range(id, document.end(id))
    }

    /// The counts of the nodes from one up to another, which is excluded.
    pub fn range(&self, from: NodeId, to: NodeId) -> BaseCounts {
        self.sums[to.index()].minus(self.sums[from.index()])
    }
}

/// The maximum number of words of a title that are read.
const MAX_TITLE_WORDS: usize = 200;

/// The words of the title that are not stop words.
fn title_words(document: &Document) -> NumberMap<u64, ()> {
    let mut words = NumberMap::default();
    let Some(title) = document.find(Name::TITLE) else { return words };
    for id in document.descendants(title).filter(|id| document.is_text(*id)) {
        each_word(document.text(id), MAX_TITLE_WORDS, |word, _| {
            if !is_stop_word(word) {
                words.insert(word.0, ());
            }
        });
    }
    words
}

fn count_text(text: &str, in_link: bool, titles: &NumberMap<u64, ()>, sum: &mut BaseCounts) {
    let counts = TextCounts::of(text);
    if counts.words == 0 {
        return;
    }
    each_word(text, usize::MAX, |word, _| {
        sum.stop_words += is_stop_word(word) as u32;
        sum.title_words += (!titles.is_empty() && titles.contains_key(&word.0)) as u32;
    });
    sum.words += counts.words;
    sum.characters += counts.characters;
    sum.capitals += counts.capitals;
    sum.capital_words += counts.capital_words;
    sum.digits += counts.digits;
    sum.sentence_ends += counts.sentence_ends;
    sum.commas += counts.commas;
    sum.marks += counts.marks;
    sum.legal_signs += counts.legal_signs;
    sum.texts += 1;
    if in_link {
        sum.link_words += counts.words;
    } else if counts.words >= MIN_PROSE_WORDS {
        sum.prose_words += counts.words;
    }
}

fn count_element(
    document: &Document,
    layout: Option<&Layout>,
    id: NodeId,
    in_link: bool,
    host: Option<&str>,
    sum: &mut BaseCounts,
) {
    let name = document.html_name(id);
    sum.elements += 1;
    sum.blocks += is_block(name) as u32;
    match name {
        Name::A => count_link(document.attribute(id, Name::HREF), host, sum),
        Name::IMG | Name::VIDEO | Name::IFRAME | Name::OBJECT | Name::EMBED | Name::CANVAS | Name::PICTURE => {
            sum.media += 1;
            let area = layout.map_or(0.0, |layout| layout.node(id).area());
            sum.media_area = sum.media_area.wrapping_add(area.min(4e6) as u32);
            sum.linked_media += in_link as u32;
        }
        Name::P => sum.paragraphs += 1,
        Name::LI | Name::DT | Name::DD => sum.items += 1,
        Name::TD | Name::TH => sum.cells += 1,
        Name::INPUT | Name::BUTTON | Name::SELECT | Name::TEXTAREA | Name::LABEL => sum.controls += 1,
        Name::BR => sum.breaks += 1,
        Name::TIME => sum.times += 1,
        Name::H1 => {
            sum.main_headings += 1;
            sum.headings += 1;
        }
        _ => sum.headings += heading_level(name).is_some() as u32,
    }
}

fn count_link(url: Option<&str>, host: Option<&str>, sum: &mut BaseCounts) {
    let url = url.unwrap_or_default().trim();
    sum.links += 1;
    let starts_with = |prefix: &str| url.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    if url.is_empty() || url.starts_with('#') || starts_with("javascript:") {
        sum.void_links += 1;
    } else if let Some(link_host) = host_of(url) {
        sum.external_links += !host.is_some_and(|host| is_same_site(host, link_host)) as u32;
    }
}

/// Returns whether two hosts belong to one site: equal apart from `www`, or one a subdomain of the other.
fn is_same_site(one: &str, two: &str) -> bool {
    let bare = |host: &str| host.trim_end_matches('.').to_ascii_lowercase();
    let (one, two) = (bare(one), bare(two));
    let (one, two) = (one.strip_prefix("www.").unwrap_or(&one), two.strip_prefix("www.").unwrap_or(&two));
    let below = |inner: &str, outer: &str| {
        inner.len() > outer.len() && inner.ends_with(outer) && inner.as_bytes()[inner.len() - outer.len() - 1] == b'.'
    };
    one == two || below(one, two) || below(two, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use crate::layout::estimate;

    #[test]
    fn every_subtree_is_counted() {
        let page =
            "<title>Harbour news</title><body><div><a href='http://b.example/'>Home page</a> | <a href='#'>Up</a>
            <a href='//www.a.example/x'>In</a><img width=10 height=20></div>
            <p>The harbour is open, and the ferries run again from the old pier. © 2024</p>
            <div style='display:none'>hidden words</div><script>var x</script>";
        let document = Parser::default().parse(page).unwrap();
        let counts = PageCounts::of(&document, &estimate(&document), Some("a.example"));
        let of = |name: Name| counts.subtree(&document, document.find(name).unwrap());
        let (links, text) = (of(Name::DIV), of(Name::P));
        assert_eq!((links.words, links.link_words, links.links), (5, 4, 3));
        assert_eq!((links.external_links, links.void_links, links.marks), (1, 1, 1));
        assert_eq!((links.media, links.media_area, text.words), (1, 200, 15));
        assert_eq!((text.prose_words, text.title_words, text.commas, text.legal_signs), (15, 1, 1, 1));
        assert_eq!(of(Name::BODY).words, 20);
    }

    #[test]
    fn hosts_are_compared() {
        assert!(is_same_site("www.A.example", "a.example") && is_same_site("a.example", "x.a.example"));
        assert!(!is_same_site("a.example", "ba.example"));
    }
}
