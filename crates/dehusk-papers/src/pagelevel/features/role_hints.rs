//! The roles that the names of an element hint at: its element name, `role`, classes and ids.
//!
//! Names are weak evidence: `content-widget-banner` may contain the article. No decision is made here; each role is one feature,
//! and a model learns its weight. Fusion has a finer table of hints (`dehusk/src/read/name_hints.rs`); this one defines features of
//! the fitted PageLevel model.

use crate::dom::{Document, Name, NodeId};
use std::collections::HashMap;

/// The roles that names can hint at.
pub(crate) const ROLES: [&str; 12] = [
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

/// Substrings of names for each role, in English and some other languages.
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

/// A set of roles, one bit each.
pub(crate) type RoleSet = u16;

/// Finds the roles of elements, with a cache of attribute values.
#[derive(Default)]
pub(crate) struct RoleHints {
    known: HashMap<Box<str>, RoleSet>,
    lower: String,
}

/// The maximum number of characters read of an attribute value.
const MAX_NAME_CHARACTERS: usize = 200;

impl RoleHints {
    /// The roles that an element's own names hint at.
    pub(crate) fn of(&mut self, document: &Document, id: NodeId) -> RoleSet {
        let mut roles = element_roles(document.html_name(id));
        for attribute in document.attributes(id) {
            let value = document.value(attribute);
            roles |= match attribute.name {
                Name::CLASS | Name::ID => self.roles_of_name(value),
                Name::ROLE => attribute_roles(value),
                _ => 0,
            };
        }
        roles
    }

    fn roles_of_name(&mut self, value: &str) -> RoleSet {
        if let Some(roles) = self.known.get(value) {
            return *roles;
        }
        self.lower.clear();
        self.lower.extend(value.chars().take(MAX_NAME_CHARACTERS).map(|c| c.to_ascii_lowercase()));
        let mut roles = 0;
        for (role, stems) in STEMS.iter().enumerate() {
            if stems.iter().any(|stem| self.lower.contains(stem)) {
                roles |= 1 << role;
            }
        }
        if self.known.len() < 10_000 {
            self.known.insert(value.into(), roles);
        }
        roles
    }
}

/// The set of one role.
fn role(name: &str) -> RoleSet {
    ROLES.iter().position(|role| *role == name).map_or(0, |at| 1 << at)
}

fn element_roles(name: Name) -> RoleSet {
    match name {
        Name::NAV | Name::MENU => role("navigation"),
        Name::HEADER => role("header"),
        Name::FOOTER => role("footer"),
        Name::ASIDE => role("side"),
        Name::SEARCH => role("search"),
        Name::MAIN | Name::ARTICLE => role("content"),
        _ => 0,
    }
}

fn attribute_roles(value: &str) -> RoleSet {
    match value.trim() {
        "navigation" | "menu" | "menubar" => role("navigation"),
        "banner" => role("header"),
        "contentinfo" => role("footer"),
        "complementary" => role("side"),
        "search" => role("search"),
        "main" | "article" => role("content"),
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
        let mut hints = RoleHints::default();
        let of = |name: Name| document.find(name).unwrap();
        assert_eq!(hints.of(&document, of(Name::DIV)), role("navigation") | role("footer"));
        assert_eq!(hints.of(&document, of(Name::P)), role("content"));
        assert_eq!(hints.of(&document, of(Name::BODY)), 0);
    }
}
