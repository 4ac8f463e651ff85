//! What kind of page a page is.

use std::fmt;

/// A kind of page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PageType {
    /// A text to be read: news, a post, an essay.
    Article,
    /// Many things of one kind, such as the products of a shop's category.
    Collection,
    /// Documentation of software or the like.
    Documentation,
    /// People who talk to each other.
    Forum,
    /// A list of links to other pages, with a few words of each.
    Listing,
    /// One thing on sale.
    Product,
    /// What someone offers to do, or is.
    Service,
}

impl PageType {
    /// All kinds, in the order of the model's outputs.
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

    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<PageType> {
        PageType::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for PageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
