//! Record pages with automatic reference texts: pages of names, labels and values, as shops, catalogues and job boards have them.
//!
//! Corpora with reference texts are mostly articles, and a model of articles drops values. The pages of a site say themselves what belongs
//! to one record: text that is on no other page, and the labels beside it. Input: pages of sites. Output: a sample of their record
//! pages with that text as content. Pages whose own text is mostly prose are left out: reference texts tell more about them.

use crate::reference::ReferencePage;
use crate::site_sample::{SitePage, pages_by_host};
use dehusk::dom::elements::{heading_level, is_block};
use dehusk::dom::{Document, Name, NodeId, Parser};
use dehusk::methods::fusion::{FusionPage, Odds};
use dehusk_io::{Error, Fault};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// Pages of a site that are compared, and the fewest that tell anything.
const COMPARED: usize = 64;
const MIN_COMPARED: usize = 20;
/// Text on at most one page in so many is a page's own.
const OWN_SHARE: usize = 10;
/// A label is on at least this share of the pages, and its value on at most this share of the pages with the label.
const MIN_LABEL_SHARE: f32 = 0.3;
const MAX_VALUE_SHARE: f32 = 0.6;
/// A block of at least this many words is prose. A record page has at most this share of its own words in prose.
const PROSE_WORDS: u32 = 30;
const MAX_PROSE_SHARE: f32 = 0.9;
/// The fewest blocks of its own that a record page has, links apart.
const MIN_OWN: usize = 6;
/// The share of the page's own text that is in the element with the record. Blocks count up to a few words, so that a long text does not
/// outweigh the fields around it.
const MIN_IN_RECORD: f32 = 0.95;
const MOST_COUNTED: u32 = 5;
/// The most words of a label.
const MAX_LABEL_WORDS: u32 = 6;
/// How many elements up a label and its value have one in common.
const LABEL_LEVELS: usize = 3;
/// So many links in a row are a list of other records.
const LINK_LIST: usize = 4;

/// Reads pages of sites and makes reference texts for up to `per_site` record pages of each.
pub fn record_pages(
    sites: &[PathBuf],
    per_site: usize,
    seed: u64,
    skipped: impl FnMut(&Fault),
) -> Result<Vec<ReferencePage>, Error> {
    let hosts = pages_by_host(sites, seed, skipped)?;
    Ok(hosts.par_iter().flat_map_iter(|pages| records_of_site(pages, per_site)).collect())
}

fn records_of_site(pages: &[SitePage], per_site: usize) -> Vec<ReferencePage> {
    let read: Vec<(&SitePage, PageText)> =
        pages.iter().take(COMPARED).filter_map(|page| Some((page, PageText::read(&page.html)?))).collect();
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
    let content = |page: &PageText| page.record(&page.blocks.iter().map(share).collect::<Vec<f32>>(), most);
    let records = read.iter().filter_map(|(page, text)| Some((page, content(text)?)));
    records
        .map(|(page, content)| ReferencePage {
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

    /// The text of the record on the page; none if it is not a record page. Given are the share of pages with each block, and that up to
    /// which a block is a page's own.
    fn record(&self, shares: &[f32], most: f32) -> Option<String> {
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
        let record = self.record_element(&plain)?;
        let inside = |block: &Block| self.document.contains(record, block.first);
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

    /// Whether a block is the value of the label before it: one of a few, such as a colour.
    fn is_value(&self, shares: &[f32], at: usize) -> bool {
        let Some(label) = at.checked_sub(1) else { return false };
        let is_label = !self.blocks[label].is_link && self.blocks[label].words <= MAX_LABEL_WORDS;
        is_label
            && shares[label] >= MIN_LABEL_SHARE
            && shares[at] <= MAX_VALUE_SHARE * shares[label]
            && self.is_near(label, at)
    }

    /// The smallest element with most of the page's own text.
    fn record_element(&self, own: &[&Block]) -> Option<NodeId> {
        let mut words: FxHashMap<NodeId, u32> = FxHashMap::default();
        let mut all = 0.0;
        for block in own {
            let counted = block.words.min(MOST_COUNTED);
            all += counted as f32;
            for outer in self.document.ancestors(block.first) {
                *words.entry(outer).or_default() += counted;
            }
        }
        let enough = words.into_iter().filter(|(_, words)| *words as f32 >= MIN_IN_RECORD * all);
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
        let records = records_of_site(&pages, 2);
        assert_eq!(records.len(), 2);
        let expected = "car value 0\n\nEngine\n\nengine value 0\n\nPrice\n\nprice value 0\n\nMaker\n\nmaker value 0\n\ndoors value 0\n\nseats value 0\n\nwheels value 0";
        assert_eq!(records[0].content, expected);
    }

    #[test]
    fn few_pages_and_pages_of_prose_tell_nothing() {
        let few: Vec<SitePage> = (0..MIN_COMPARED - 1).map(page).collect();
        assert!(records_of_site(&few, 2).is_empty());
        let prose = |number: usize| {
            let page = page(number);
            let text = format!("word{number} ").repeat(200);
            SitePage { html: page.html.replace("</main>", &format!("<p>{text}</p></main>")), ..page }
        };
        assert!(records_of_site(&(0..MIN_COMPARED).map(prose).collect::<Vec<_>>(), 2).is_empty());
    }
}
