//! The landmarks of a page: elements that say by name or ARIA role which part of the page they are.

use crate::dom::{Document, Name, NodeId};

/// A part of a page that its author marked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Landmark {
    /// `<nav>` and menus.
    Navigation,
    /// `<header>`, the head of a page or of a section.
    Header,
    /// `<footer>`, the foot of a page or of a section.
    Footer,
    /// `<aside>`.
    Aside,
    /// `<main>`.
    Main,
    /// `<article>`.
    Article,
    /// `<search>`.
    Search,
}

impl Landmark {
    /// The landmark that an element is. A role counts more than the name of the element.
    pub fn of(document: &Document, id: NodeId) -> Option<Landmark> {
        let role = document.attribute(id, Name::ROLE).unwrap_or_default().trim();
        match role {
            "navigation" | "menu" | "menubar" => return Some(Landmark::Navigation),
            "banner" => return Some(Landmark::Header),
            "contentinfo" => return Some(Landmark::Footer),
            "complementary" => return Some(Landmark::Aside),
            "main" => return Some(Landmark::Main),
            "article" => return Some(Landmark::Article),
            "search" => return Some(Landmark::Search),
            _ => {}
        }
        match document.html_name(id) {
            Name::NAV | Name::MENU => Some(Landmark::Navigation),
            Name::HEADER => Some(Landmark::Header),
            Name::FOOTER => Some(Landmark::Footer),
            Name::ASIDE => Some(Landmark::Aside),
            Name::MAIN => Some(Landmark::Main),
            Name::ARTICLE => Some(Landmark::Article),
            Name::SEARCH => Some(Landmark::Search),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    #[test]
    fn a_role_counts_more_than_a_name() {
        let page = "<body><div role=' banner '></div><aside role=main></aside><footer role=row></footer><p>";
        let document = Parser::default().parse(page).unwrap();
        let of = |name: Name| Landmark::of(&document, document.find(name).unwrap());
        assert_eq!(of(Name::DIV), Some(Landmark::Header));
        assert_eq!(of(Name::ASIDE), Some(Landmark::Main));
        assert_eq!(of(Name::FOOTER), Some(Landmark::Footer));
        assert_eq!(of(Name::P), None);
    }
}
