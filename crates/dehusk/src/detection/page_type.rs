//! The page types.

use std::fmt;

/// The type of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PageType {
    /// An article: news, a post, an essay.
    Article,
    /// A collection of similar items, such as the products of a category in a shop.
    Collection,
    /// Documentation, for example of software.
    Documentation,
    /// A discussion between several people.
    Forum,
    /// A list of links to other pages, with a short text for each.
    Listing,
    /// One product for sale.
    Product,
    /// A page about a service or an organization.
    Service,
}

impl PageType {
    /// All page types, in the order of the model's outputs.
    pub const ALL: [PageType; 7] = [
        PageType::Article,
        PageType::Collection,
        PageType::Documentation,
        PageType::Forum,
        PageType::Listing,
        PageType::Product,
        PageType::Service,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            PageType::Article => "article",
            PageType::Collection => "collection",
            PageType::Documentation => "documentation",
            PageType::Forum => "forum",
            PageType::Listing => "listing",
            PageType::Product => "product",
            PageType::Service => "service",
        }
    }

    /// The page type with a name.
    pub fn from_name(name: &str) -> Option<PageType> {
        PageType::ALL.into_iter().find(|page_type| page_type.name() == name)
    }
}

impl fmt::Display for PageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
