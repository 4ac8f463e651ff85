//! What names say about a part of a page: element names, roles, classes and ids that hint at a job.
//!
//! Names are weak evidence: `content-widget-banner` may hold the article. Nothing is decided here; each job is one feature,
//! and a model learns what it is worth.

use crate::dom::{Document, Name, NodeId};
use rustc_hash::FxHashMap;

/// The jobs that names hint at.
pub(crate) const JOBS: [&str; 12] = [
    "navigation",
    "header",
    "footer",
    "side",
    "advert",
    "social",
    "search",
    "account",
    "related",
    "content",
    "comment",
    "item",
];

/// Parts of names for each of the jobs, in English and in some other languages sites are written in.
const STEMS: [&[&str]; 12] = [
    &["nav", "menu", "crumb", "tabs", "pager", "pagin", "toolbar", "sitemap", "submenu"],
    &[
        "header", "masthead", "topbar", "logo", "brand", "banner", "hdr", "entete", "cabecera", "kopf", "tagline",
        "sitename",
    ],
    &["foot", "copyright", "colophon", "bottom", "legal", "credits", "fuss", "pied", "rodape", "disclaimer"],
    &["side", "widget", "rail", "leftcol", "rightcol", "left-col", "right-col", "colleft", "colright", "secondary"],
    &["advert", "adsense", "sponsor", "promo", "banner", "dfp", "doubleclick", "adslot", "ad-", "ads", "werbung"],
    &["social", "share", "sharing", "follow", "twitter", "facebook", "rss", "newsletter", "subscri", "addthis"],
    &["search", "suche", "buscar", "recherche"],
    &["login", "signin", "sign-in", "account", "cart", "basket", "register", "userbar", "usermenu", "lang", "cookie"],
    &["related", "recommend", "popular", "recent", "tags", "archive", "categor", "blogroll", "partner", "trending"],
    &["content", "main", "article", "post", "entry", "story", "inhalt", "contenu", "body", "text", "primary", "page"],
    &["comment", "reply", "disqus", "respond", "review"],
    &["teaser", "headline", "item", "news", "feature", "product", "result", "card", "slide", "event", "gallery"],
];

/// A set of jobs, one bit each.
pub(crate) type Jobs = u16;

/// Reads the jobs of elements, remembering values that come again.
#[derive(Default)]
pub(crate) struct Hints {
    known: FxHashMap<Box<str>, Jobs>,
    lower: String,
}

/// Longer values are not read to their end.
const MOST_BYTES: usize = 200;

impl Hints {
    /// The jobs an element's own names hint at.
    pub(crate) fn of(&mut self, document: &Document, id: NodeId) -> Jobs {
        let mut jobs = element_jobs(document.html_name(id));
        for attribute in document.attributes(id) {
            let value = document.value(attribute);
            jobs |= match attribute.name {
                Name::CLASS | Name::ID => self.named(value),
                Name::ROLE => role_jobs(value),
                _ => 0,
            };
        }
        jobs
    }

    fn named(&mut self, value: &str) -> Jobs {
        if let Some(jobs) = self.known.get(value) {
            return *jobs;
        }
        self.lower.clear();
        self.lower.extend(value.chars().take(MOST_BYTES).map(|c| c.to_ascii_lowercase()));
        let mut jobs = 0;
        for (job, stems) in STEMS.iter().enumerate() {
            if stems.iter().any(|stem| self.lower.contains(stem)) {
                jobs |= 1 << job;
            }
        }
        if self.known.len() < 10_000 {
            self.known.insert(value.into(), jobs);
        }
        jobs
    }
}

fn job(name: &str) -> Jobs {
    JOBS.iter().position(|job| *job == name).map_or(0, |at| 1 << at)
}

fn element_jobs(name: Name) -> Jobs {
    match name {
        Name::NAV | Name::MENU => job("navigation"),
        Name::HEADER => job("header"),
        Name::FOOTER => job("footer"),
        Name::ASIDE => job("side"),
        Name::SEARCH => job("search"),
        Name::MAIN | Name::ARTICLE => job("content"),
        _ => 0,
    }
}

fn role_jobs(role: &str) -> Jobs {
    match role.trim() {
        "navigation" | "menu" | "menubar" => job("navigation"),
        "banner" => job("header"),
        "contentinfo" => job("footer"),
        "complementary" => job("side"),
        "search" => job("search"),
        "main" | "article" => job("content"),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    #[test]
    fn names_hint_at_jobs() {
        let document = Parser::default().parse("<div class='TopNav x' id=siteFooter><p role=main>").unwrap();
        let mut hints = Hints::default();
        let of = |name: Name| document.find(name).unwrap();
        assert_eq!(hints.of(&document, of(Name::DIV)), job("navigation") | job("footer"));
        assert_eq!(hints.of(&document, of(Name::P)), job("content"));
        assert_eq!(hints.of(&document, of(Name::BODY)), 0);
    }
}
