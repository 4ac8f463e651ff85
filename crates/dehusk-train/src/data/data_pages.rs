//! Data pages with automatic reference texts: pages of names, labels and values, as shops, catalogues and job boards have them.
//!
//! Corpora with reference texts are mostly articles, and a model of articles drops values. Comparing the pages of a site shows what
//! each of them is about: the text that no other page has, and the labels beside it. Takes pages of sites, returns a sample of their data
//! pages with that text as content. Pages whose own text is mostly prose are left out: for those there are better references.

use crate::data::reference::ReferencePage;
use crate::data::site_pages::{SitePage, pages_by_host};
use dehusk::detect::fusion::{FusionPage, Odds};
use dehusk::dom::elements::{heading_level, is_block};
use dehusk::dom::{Document, Name, NodeId, Parser};
use dehusk_io::{Error, Fault};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// How many pages of a site are compared. With fewer than the minimum, what a page has for itself may be chance.
const MAX_COMPARED: usize = 64;
const MIN_COMPARED: usize = 20;
/// Text that at most one page in ten has is a page's own.
const OWN_SHARE: usize = 10;
/// At least this share of the pages has a label, and at most this share of those has the same value beside it.
const MIN_LABEL_SHARE: f32 = 0.3;
const MAX_VALUE_SHARE: f32 = 0.6;
/// A block of at least this many words is prose. A data page has at most this share of its own words in prose.
const PROSE_WORDS: u32 = 30;
const MAX_PROSE_SHARE: f32 = 0.9;
/// A data page has at least this many blocks of its own, not counting links.
const MIN_OWN: usize = 6;
/// The content element holds at least this share of the page's own text. A block counts no more than a few words, so that a long text does not
/// outweigh the fields around it.
const MIN_IN_CONTENT: f32 = 0.95;
const MAX_COUNTED_WORDS: u32 = 5;
/// The most words of a label.
const MAX_LABEL_WORDS: u32 = 6;
/// A label and its value share one of the innermost three elements around them.
const LABEL_LEVELS: usize = 3;
/// This many links in a row lead to other pages of the kind.
const LINK_LIST: usize = 4;

/// Reads pages of sites and makes reference texts for up to `per_site` data pages of each.
///
/// # Errors
/// If an input cannot be opened, or holds no page that can be read.
pub fn data_pages(
    sites: &[PathBuf],
    per_site: usize,
    seed: u64,
    skipped: impl FnMut(&Fault),
) -> Result<Vec<ReferencePage>, Error> {
    let hosts = pages_by_host(sites, seed, skipped)?;
    Ok(hosts.par_iter().flat_map_iter(|pages| data_pages_of_site(pages, per_site)).collect())
}

fn data_pages_of_site(pages: &[SitePage], per_site: usize) -> Vec<ReferencePage> {
    let read: Vec<(&SitePage, PageText)> =
        pages.iter().take(MAX_COMPARED).filter_map(|page| Some((page, PageText::read(&page.html)?))).collect();
    if read.len() < MIN_COMPARED {
        return Vec::new();
    }
    let mut pages_with: FxHashMap<u64, u32> = FxHashMap::default();
    for (_, page) in &read {
        let mut texts: Vec<u64> = page.blocks.iter().map(|block| block.hash).collect();
        texts.sort_unstable();
        texts.dedup();
        for text in texts {
            *pages_with.entry(text).or_default() += 1;
        }
    }
    let most = (read.len() / OWN_SHARE).max(1) as f32 / read.len() as f32;
    let share = |block: &Block| pages_with.get(&block.hash).copied().unwrap_or(1) as f32 / read.len() as f32;
    let content = |page: &PageText| page.content(&page.blocks.iter().map(share).collect::<Vec<f32>>(), most);
    let found = read.iter().filter_map(|(page, text)| Some((page, content(text)?)));
    found
        .map(|(page, content)| ReferencePage {
            // The id decides which blocks of the page are sampled (`fit/fusion.rs`): with another prefix, fitted models would differ.
            id: format!("record-{}", page.url),
            url: page.url.clone(),
            html: page.html.clone(),
            content,
            ..ReferencePage::default()
        })
        .take(per_site)
        .collect()
}

/// The text blocks of a page.
struct PageText {
    document: Document,
    blocks: Vec<Block>,
}

struct Block {
    first: NodeId,
    text: String,
    hash: u64,
    words: u32,
    is_link: bool,
    is_heading: bool,
}

impl PageText {
    fn read(html: &str) -> Option<PageText> {
        let document = Parser::default().parse(html).ok()?;
        let mut page = FusionPage::default();
        page.prepare(&document, &Odds::default());
        let block = |at: usize| {
            let first = page.span(at).0;
            let text = page.text(&document, at).split_whitespace().collect::<Vec<_>>().join(" ");
            let around = || document.ancestors(first).map(|outer| document.html_name(outer));
            Block {
                first,
                hash: xxh3_64(text.as_bytes()),
                text,
                words: page.words(at),
                is_link: around().take_while(|name| !is_block(*name)).any(|name| name == Name::A),
                is_heading: around().any(|name| heading_level(name).is_some()),
            }
        };
        let blocks = (0..page.len()).map(block).collect();
        Some(PageText { blocks, document })
    }

    /// What the page is about; none if it is not a data page. `shares` are the shares of pages that have each block; a block of at most the
    /// share `most` is the page's own.
    fn content(&self, shares: &[f32], most: f32) -> Option<String> {
        let own: Vec<bool> = (0..self.blocks.len()).map(|at| shares[at] <= most || self.is_value(shares, at)).collect();
        let plain: Vec<&Block> = self
            .blocks
            .iter()
            .zip(&own)
            .filter(|(block, own)| **own && !block.is_link)
            .map(|(block, _)| block)
            .collect();
        let words = |blocks: &mut dyn Iterator<Item = &&Block>| blocks.map(|block| block.words).sum::<u32>() as f32;
        let all = words(&mut plain.iter());
        let prose = words(&mut plain.iter().filter(|block| block.words >= PROSE_WORDS));
        if plain.len() < MIN_OWN || prose > MAX_PROSE_SHARE * all {
            return None;
        }
        let content = self.content_element(&plain)?;
        let inside = |block: &Block| self.document.contains(content, block.first);
        let mut kept: Vec<bool> = (0..self.blocks.len())
            .map(|at| {
                own[at] && inside(&self.blocks[at]) && (!self.blocks[at].is_link || self.is_linked_value(at, &own))
            })
            .collect();
        // Labels and headings, from the last to the first: a heading can be above a heading.
        for at in (0..self.blocks.len()).rev() {
            let block = &self.blocks[at];
            if !kept[at] && !block.is_link && inside(block) && block.words <= MAX_LABEL_WORDS {
                let heads = kept.get(at + 1) == Some(&true) && (block.is_heading || self.is_near(at, at + 1));
                let follows = at > 0 && kept[at - 1] && self.is_near(at - 1, at) && !block.is_heading;
                kept[at] = heads || (follows && own[at - 1]);
            }
        }
        let texts: Vec<&str> =
            self.blocks.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(block, _)| &*block.text).collect();
        Some(texts.join("\n\n"))
    }

    /// Whether a block is the value of the label before it, even if other pages have it, too, such as a colour.
    fn is_value(&self, shares: &[f32], at: usize) -> bool {
        let Some(label) = at.checked_sub(1) else { return false };
        let is_label = !self.blocks[label].is_link && self.blocks[label].words <= MAX_LABEL_WORDS;
        is_label
            && shares[label] >= MIN_LABEL_SHARE
            && shares[at] <= MAX_VALUE_SHARE * shares[label]
            && self.is_near(label, at)
    }

    /// The smallest element with most of the page's own text.
    fn content_element(&self, own: &[&Block]) -> Option<NodeId> {
        let mut words: FxHashMap<NodeId, u32> = FxHashMap::default();
        let mut all = 0.0;
        for block in own {
            let counted = block.words.min(MAX_COUNTED_WORDS);
            all += counted as f32;
            for outer in self.document.ancestors(block.first) {
                *words.entry(outer).or_default() += counted;
            }
        }
        let enough = words.into_iter().filter(|(_, words)| *words as f32 >= MIN_IN_CONTENT * all);
        // Elements that hold most of it are nested, so the last one is the smallest.
        enough.map(|(id, _)| id).max()
    }

    /// Whether a link of the page's own is a value beside a label or other text, and not in a list of links.
    fn is_linked_value(&self, at: usize, own: &[bool]) -> bool {
        let is_own_link = |at: &usize| self.blocks[*at].is_link && own[*at];
        let before = (0..at).rev().take_while(is_own_link).count();
        let after = (at + 1..self.blocks.len()).take_while(is_own_link).count();
        if before + after + 1 >= LINK_LIST {
            return false;
        }
        let label = at.checked_sub(before + 1);
        label.is_some_and(|label| !self.blocks[label].is_link && self.is_near(label, at))
    }

    /// Whether two blocks are in one small part of the page.
    fn is_near(&self, one: usize, two: usize) -> bool {
        let (one, two) = (self.blocks[one].first, self.blocks[two].first);
        let mut around = self.document.ancestors(one).filter(|outer| is_block(self.document.html_name(*outer)));
        around.by_ref().take(LABEL_LEVELS).any(|outer| self.document.contains(outer, two))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: usize) -> SitePage {
        let value = |name: &str| format!("{name} value {number}");
        let html = format!(
            "<div class=menu><a href=/>Home</a> <a href=/c>Cars</a></div><main><h1>{}</h1><table><tr><td>Engine</td><td>{}</td></tr>\
             <tr><td>Price</td><td>{}</td></tr><tr><td>Maker</td><td><a href=/m>{}</a></td></tr></table><p>{}</p><p>{}</p><p>{}</p>\
             <ul><li><a>{}</a><li><a>{}</a><li><a>{}</a><li><a>{}</a></ul></main><p>Prices are estimates and may change.</p>",
            value("car"),
            value("engine"),
            value("price"),
            value("maker"),
            value("doors"),
            value("seats"),
            value("wheels"),
            value("one"),
            value("two"),
            value("three"),
            value("four")
        );
        SitePage { url: format!("https://cars.example/{number}"), html }
    }

    #[test]
    fn values_and_their_labels_are_content() {
        let pages: Vec<SitePage> = (0..MIN_COMPARED).map(page).collect();
        let found = data_pages_of_site(&pages, 2);
        assert_eq!(found.len(), 2);
        let expected = "car value 0\n\nEngine\n\nengine value 0\n\nPrice\n\nprice value 0\n\nMaker\n\nmaker value 0\n\ndoors value 0\n\nseats value 0\n\nwheels value 0";
        assert_eq!(found[0].content, expected);
    }

    #[test]
    fn nothing_is_made_of_few_pages_or_of_prose() {
        let few: Vec<SitePage> = (0..MIN_COMPARED - 1).map(page).collect();
        assert!(data_pages_of_site(&few, 2).is_empty());
        let prose = |number: usize| {
            let page = page(number);
            let text = format!("word{number} ").repeat(200);
            SitePage { html: page.html.replace("</main>", &format!("<p>{text}</p></main>")), ..page }
        };
        assert!(data_pages_of_site(&(0..MIN_COMPARED).map(prose).collect::<Vec<_>>(), 2).is_empty());
    }
}
