//! Reads the metadata in the JSON-LD of a page.
//!
//! Input: the texts of `<script type="application/ld+json">`. Finds the object that describes the page itself: one at the top
//! level, in `@graph` or as `mainEntity`, never an item of a list. Supports the terms of schema.org and loads no context.

use crate::dom::{Document, Name};
use crate::json::{Json, ValueId};

/// Maximum number of bytes of JSON-LD read per page. The largest in wcxb-dev is under a megabyte.
pub(crate) const MAX_BYTES: usize = 4 << 20;

/// Maximum number of top-level objects read. Pages with more are lists.
const MAX_TOP_OBJECTS: usize = 256;

/// Maximum number of names joined into the author field.
const MAX_AUTHORS: usize = 20;

/// The fields that were found, with their values as written on the page.
#[derive(Default, Debug)]
pub(crate) struct JsonLd {
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) site_name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) kind: Option<String>,
}

/// The texts of all JSON-LD of a page.
pub(crate) fn scripts(document: &Document) -> impl Iterator<Item = &str> {
    let scripts = document.ids().filter(|id| document.html_name(*id) == Name::SCRIPT);
    let scripts = scripts.filter(|id| {
        let kind = document.attribute(*id, Name::TYPE).unwrap_or_default();
        kind.trim().to_ascii_lowercase().starts_with("application/ld+json")
    });
    scripts.flat_map(|id| document.children(id)).map(|id| document.text(id))
}

/// Reads the JSON-LD of a page; scripts in page order.
pub(crate) fn read<'a>(scripts: impl Iterator<Item = &'a str>) -> JsonLd {
    let mut room = MAX_BYTES;
    let mut pages = Vec::new();
    for script in scripts {
        if script.len() > room {
            continue;
        }
        room -= script.len();
        pages.push(Json::read(script));
    }
    let mut tops = Vec::new();
    for json in &pages {
        append_tops(json, &mut tops);
    }
    let mut found = JsonLd::default();
    if let Some(main) = main_object(&tops) {
        main.describe(&tops, &mut found);
    }
    // A page object next to the main one fills in missing fields.
    if let Some(page) = tops.iter().find(|top| top.rank() == Rank::Page) {
        page.describe(&tops, &mut found);
    }
    if found.site_name.is_none() {
        let site = tops.iter().find(|top| top.is_a("WebSite"));
        found.site_name = site.and_then(|site| site.text("name"));
    }
    found
}

/// The role of an object, most probable main object first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    /// An article, a product, a question: something that has its own page.
    Thing,
    /// The page itself.
    Page,
    /// The site, its owner, its navigation.
    Other,
}

/// Types that describe a site, its owner or a component of the page.
const OTHER_TYPES: [&str; 27] = [
    "AggregateRating",
    "Answer",
    "Blog",
    "Brand",
    "BreadcrumbList",
    "Comment",
    "ContactPoint",
    "Corporation",
    "DataFeed",
    "ImageObject",
    "ItemList",
    "ListItem",
    "LocalBusiness",
    "Offer",
    "OfferCatalog",
    "OnlineStore",
    "Person",
    "Place",
    "PostalAddress",
    "Rating",
    "Review",
    "SiteNavigationElement",
    "Store",
    "VideoObject",
    "WebPageElement",
    "WebSite",
    "WPHeader",
];

/// A top-level object of a page's JSON-LD.
#[derive(Clone, Copy)]
struct TopObject<'a> {
    json: &'a Json,
    id: ValueId,
}

fn append_tops<'a>(json: &'a Json, tops: &mut Vec<TopObject<'a>>) {
    let mut waiting: Vec<ValueId> = json.roots().flat_map(|root| json.each(root)).collect();
    waiting.reverse();
    while let Some(id) = waiting.pop() {
        if tops.len() == MAX_TOP_OBJECTS {
            return;
        }
        if !json.is_object(id) {
            continue;
        }
        let top = TopObject { json, id };
        tops.push(top);
        // The questions of such a page are its components.
        if top.is_a("FAQPage") {
            continue;
        }
        for key in ["mainEntity", "mainEntityOfPage", "@graph"] {
            if let Some(inner) = json.get(id, key) {
                let before = waiting.len();
                waiting.extend(json.each(inner));
                waiting[before..].reverse();
            }
        }
    }
}

/// The object the page is about. Several objects of one type at the top level are a list and do not describe the page.
fn main_object<'a>(tops: &[TopObject<'a>]) -> Option<TopObject<'a>> {
    let things: Vec<&TopObject<'_>> = tops.iter().filter(|top| top.rank() == Rank::Thing).collect();
    let first = things.first()?;
    let name = |top: &TopObject<'_>| top.text("headline").or_else(|| top.text("name"));
    let (kind, title) = (first.first_type(), name(first));
    let others = things.iter().filter(|top| top.first_type() == kind && name(top) != title);
    if others.count() > 2 {
        return None;
    }
    // An article takes precedence over the product or film it is about.
    let article = things.iter().find(|top| top.json.get(top.id, "headline").is_some());
    tops.iter().find(|top| std::ptr::eq(*top, *article.unwrap_or(first))).copied()
}

impl TopObject<'_> {
    fn text(&self, key: &str) -> Option<String> {
        let value = self.json.get(self.id, key)?;
        self.json.each(value).find_map(|id| self.json.text(id)).map(str::to_string)
    }

    /// The names of its types, without their URL prefix.
    fn types(&self) -> impl Iterator<Item = &str> {
        let value = self.json.get(self.id, "@type");
        let types = value.into_iter().flat_map(|value| self.json.each(value));
        types.filter_map(|id| self.json.text(id)).map(|kind| kind.rsplit(['/', '#', ':']).next().unwrap_or(kind))
    }

    fn first_type(&self) -> Option<String> {
        self.types().next().map(str::to_string)
    }

    fn is_a(&self, kind: &str) -> bool {
        self.types().any(|own| own == kind)
    }

    fn rank(&self) -> Rank {
        let rank = |kind: &str| match kind {
            _ if kind.ends_with("Page") => Rank::Page,
            _ if OTHER_TYPES.contains(&kind) || kind.ends_with("Organization") || kind.ends_with("Action") => {
                Rank::Other
            }
            _ => Rank::Thing,
        };
        let types = self.types().map(rank);
        types.min().unwrap_or(Rank::Other)
    }

    /// Fills the fields that are still empty.
    fn describe(&self, tops: &[TopObject<'_>], found: &mut JsonLd) {
        let fill = |field: &mut Option<String>, keys: &[&str]| {
            if field.is_none() {
                *field = keys.iter().find_map(|key| self.text(key));
            }
        };
        fill(&mut found.title, &["headline", "name"]);
        fill(&mut found.date, &["datePublished", "dateCreated"]);
        fill(&mut found.language, &["inLanguage"]);
        fill(&mut found.description, &["description"]);
        fill(&mut found.url, &["url"]);
        found.kind = found.kind.take().or_else(|| self.first_type());
        for key in ["author", "creator"] {
            found.author = found.author.take().or_else(|| self.names(key, tops));
        }
        found.site_name = found.site_name.take().or_else(|| self.names("publisher", tops));
    }

    /// The names of the people or organizations under a key.
    fn names(&self, key: &str, tops: &[TopObject<'_>]) -> Option<String> {
        let value = self.json.get(self.id, key)?;
        let mut names: Vec<String> = Vec::new();
        for id in self.json.each(value).take(MAX_AUTHORS) {
            let person = TopObject { json: self.json, id };
            let name = match self.json.is_object(id) {
                false => self.json.text(id).map(str::to_string),
                true => person.text("name").or_else(|| {
                    let wanted = person.text("@id")?;
                    tops.iter().find(|top| top.text("@id").as_ref() == Some(&wanted)).and_then(|top| top.text("name"))
                }),
            };
            names.extend(name.filter(|name| !name.trim().is_empty()));
        }
        (!names.is_empty()).then(|| names.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_in_a_graph_with_references() {
        let found = read(
            [r##"{"@context":"https://schema.org","@graph":[
            {"@type":"WebSite","@id":"#s","name":"Harbour Notes"},
            {"@type":"WebPage","name":"Nets - Harbour Notes","inLanguage":"en-GB"},
            {"@type":["Article","BlogPosting"],"headline":"Nets","author":[{"@id":"#p"},{"name":"Bo"}],"datePublished":"2024-03-05"},
            {"@type":"Person","@id":"#p","name":"Ann Lee"}]}"##]
            .into_iter(),
        );
        assert_eq!(found.title.as_deref(), Some("Nets"));
        assert_eq!(found.author.as_deref(), Some("Ann Lee; Bo"));
        assert_eq!(found.language.as_deref(), Some("en-GB"));
        assert_eq!(found.site_name.as_deref(), Some("Harbour Notes"));
        assert_eq!(found.kind.as_deref(), Some("Article"));
    }

    #[test]
    fn a_list_of_products_is_not_the_page() {
        let products: Vec<String> = (0..5).map(|n| format!(r#"{{"@type":"Product","name":"P{n}"}}"#)).collect();
        let found = read(products.iter().map(String::as_str));
        assert_eq!(found.title, None);
        let one = read(products[..1].iter().map(String::as_str));
        assert_eq!(one.title.as_deref(), Some("P0"));
    }

    #[test]
    fn items_of_a_list_are_not_top_objects() {
        let found =
            read([r#"{"@type":"ItemList","itemListElement":[{"@type":"Article","headline":"x"}]}"#].into_iter());
        assert_eq!((found.title, found.kind), (None, None));
    }

    #[test]
    fn deeply_nested_objects_terminate() {
        let nested = r#"{"@graph":[{"mainEntity":["#.repeat(1000);
        assert!(read([&*nested].into_iter()).title.is_none());
    }
}
