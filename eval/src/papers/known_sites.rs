//! Sites whose template is known: the themes of `dup` and the sites of `graft` and `rich`. All that a page has outside its content is
//! template; the title counts neither way.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::site_pages::{Page, shuffled, text_of, words};
use dehusk::dom::{Document, NodeId, Parser};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The number of themes of `dup`, which come first.
pub(super) const THEMES: usize = 3;
/// Pages drawn from a site for each number of pages.
pub(super) const DRAWS: usize = 3;
/// Pages that are tested for each draw, none of them learned from; fewer on small sites, but not less than the second number.
pub(super) const TESTED: usize = 20;
const MIN_TESTED: usize = 4;

/// A site and its pages, in a fixed random order.
pub(super) struct KnownSite {
    pub(super) name: String,
    pub(super) pages: Vec<KnownPage>,
}

/// A page and its content.
pub(super) struct KnownPage {
    pub(super) page: Page,
    pub(super) category: String,
    /// Whether each node is content: a text of it, or an element inside the one that holds all of it.
    is_content: Vec<bool>,
    title: String,
}

/// Reads all sites: those of `dup`, then those of `graft`. Fails if the content of a page is not found in it.
pub(super) fn known_sites(data: &Data) -> Result<Vec<KnownSite>, Stop> {
    let mut files = data.list("dup", ".jsonl.zst")?;
    files.extend(data.list("graft", ".jsonl.zst")?);
    files.par_iter().map(|file| read_site(file)).collect()
}

/// Reads the sites of `rich`: long documents in the husks of some sites of `graft`, but only 12 pages of each.
pub(super) fn rich_sites(data: &Data) -> Result<Vec<KnownSite>, Stop> {
    data.list("rich", ".jsonl.zst")?.par_iter().map(|file| read_site(file)).collect()
}

fn read_site(file: &Path) -> Result<KnownSite, Stop> {
    let name = file.file_name().map_or(String::new(), |name| name.to_string_lossy().replace(".jsonl.zst", ""));
    let mut records = Vec::new();
    read_records(file, |record| records.push(record))?;
    let mut parser = Parser::default();
    let order = shuffled(records.len());
    let pages = order.iter().map(|number| KnownPage::read(&mut parser, &records[*number]));
    Ok(KnownSite { name, pages: pages.collect::<Result<_, Stop>>()? })
}

impl KnownSite {
    /// The pages to learn from and those to test, for a draw; `None` if there are too few.
    pub(super) fn draw(&self, pages: usize, draw: usize) -> Option<(Vec<&KnownPage>, Vec<&KnownPage>)> {
        let at = |place: usize| &self.pages[(place + draw * self.pages.len() / DRAWS) % self.pages.len()];
        let tested = self.pages.len().saturating_sub(pages).min(TESTED);
        let enough = tested >= MIN_TESTED;
        enough.then(|| ((0..pages).map(at).collect(), (pages..pages + tested).map(at).collect()))
    }
}

impl KnownPage {
    fn read(parser: &mut Parser, record: &Value) -> Result<KnownPage, Stop> {
        let page = Page::read(parser, &text_of(record, "html"))?;
        let absent = || Stop::Broken(format!("{}: the content is not on the page", text_of(record, "url")));
        let content = match record["content_html"].as_str() {
            None => text_of(record, "content"),
            Some(html) => {
                let content = Page::read(parser, html)?;
                content.texts().map(|id| format!("{} ", content.document.text(id))).collect()
            }
        };
        let is_content = content_nodes(&page, &content).ok_or_else(absent)?;
        let category = text_of(record, if record["category"].is_null() { "group" } else { "category" });
        Ok(KnownPage { page, category, is_content, title: plain(&text_of(record, "title")) })
    }

    /// Whether a node is template; `None` for the title.
    pub(super) fn is_template(&self, id: NodeId) -> Option<bool> {
        let document = &self.page.document;
        let is_title = document.is_text(id) && plain(document.text(id)) == self.title;
        (!is_title).then(|| !self.is_content[id.index()])
    }

    /// The words of the texts of the body for which a condition holds, without those of the title.
    pub(super) fn terms(&self, wanted: impl Fn(NodeId) -> bool) -> BTreeSet<String> {
        let texts = self.page.texts().filter(|id| self.is_template(*id).is_some() && wanted(*id));
        let mut terms: BTreeSet<String> = texts.flat_map(|id| words(self.page.document.text(id))).collect();
        words(&self.title).for_each(|word| {
            terms.remove(&word);
        });
        terms
    }
}

fn plain(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

/// Finds the texts that make up the content, and marks them and what is inside the innermost element around all of them.
fn content_nodes(page: &Page, content: &str) -> Option<Vec<bool>> {
    let on_page: Vec<(String, NodeId)> =
        page.texts().flat_map(|id| words(page.document.text(id)).map(move |word| (word, id))).collect();
    let content: Vec<String> = words(content).collect();
    let is_here = |from: &usize| on_page[*from..].iter().zip(&content).all(|((one, _), two)| one == two);
    let last = on_page.len().checked_sub(content.len()).filter(|_| !content.is_empty())?;
    let from = (0..=last).find(is_here)?;
    let (first, last) = (on_page[from].1, on_page[from + content.len() - 1].1);
    let document = &page.document;
    let around = common_ancestor(document, first, last);
    // What is between the first text and the last, and the elements around a part of it.
    let is_inside = |id: NodeId| id > around && id <= last && document.end(id) > first;
    Some(document.ids().map(is_inside).collect())
}

/// The innermost element around two nodes.
fn common_ancestor(document: &Document, first: NodeId, last: NodeId) -> NodeId {
    let mut at = first;
    while let Some(parent) = document.parent(at) {
        at = parent;
        if last < document.end(at) {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_what_is_inside_the_element_around_it() {
        let html = "<body><nav>Home</nav><div class=text><p>One <b>two</b></p><hr><p>three</p></div><p>Foot";
        let record = serde_json::json!({ "html": html, "content": "one\ntwo three", "title": "Foot", "category": "a" });
        let page = KnownPage::read(&mut Parser::default(), &record).ok().unwrap();
        let document = &page.page.document;
        let content: Vec<String> = document
            .ids()
            .filter(|id| page.is_content[id.index()])
            .map(|id| match document.is_text(id) {
                true => document.text(id).trim().to_string(),
                false => document.name_text(document.name(id)).to_string(),
            })
            .collect();
        assert_eq!(content, ["p", "One", "b", "two", "hr", "p", "three"]);
        assert_eq!(page.terms(|id| page.is_template(id) == Some(true)).into_iter().collect::<Vec<_>>(), ["home"]);
        let absent = serde_json::json!({ "html": html, "content": "four", "title": "" });
        assert!(KnownPage::read(&mut Parser::default(), &absent).is_err());
    }
}
