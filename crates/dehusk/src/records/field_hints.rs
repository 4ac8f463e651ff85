//! What elements say about the fields they hold: a name, a price, an author, a date.
//!
//! Hints are elements, `itemprop`, `rel`, words of class names, and addresses of profiles, as they are common on the web; none is about one
//! piece of software.

use crate::dom::elements::heading_level;
use crate::dom::{Document, Name, NodeId};

/// A field of a record that has a known meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum KnownField {
    Name,
    Price,
    Author,
    Date,
}

/// The field that an element is, as far as the page says so.
pub(crate) fn field_of(document: &Document, id: NodeId) -> Option<KnownField> {
    let name = document.html_name(id);
    if name == Name::TIME {
        return Some(KnownField::Date);
    }
    if heading_level(name).is_some() {
        return Some(KnownField::Name);
    }
    for attribute in document.attributes(id) {
        let value = document.value(attribute);
        let field = match attribute.name {
            Name::ITEMPROP => field_of_property(value),
            Name::REL if value.eq_ignore_ascii_case("author") => Some(KnownField::Author),
            Name::HREF if name == Name::A && is_profile(value) => Some(KnownField::Author),
            Name::CLASS => field_of_class(value),
            _ => None,
        };
        if field.is_some() {
            return field;
        }
    }
    None
}

fn field_of_property(property: &str) -> Option<KnownField> {
    match property {
        "headline" => Some(KnownField::Name),
        "price" => Some(KnownField::Price),
        "author" | "creator" => Some(KnownField::Author),
        "datePublished" | "dateCreated" => Some(KnownField::Date),
        _ => None,
    }
}

/// The field that a class such as `post-author` names.
fn field_of_class(classes: &str) -> Option<KnownField> {
    let mut words = classes.as_bytes().split(|byte| matches!(byte, b'-' | b'_') || byte.is_ascii_whitespace());
    words.find_map(|word| match word {
        b"price" => Some(KnownField::Price),
        b"author" | b"byline" | b"username" | b"postauthor" | b"poster" => Some(KnownField::Author),
        b"date" | b"timestamp" | b"datetime" | b"postdate" => Some(KnownField::Date),
        _ => None,
    })
}

/// Whether a link leads to the profile of a user, by the usual addresses of forums.
fn is_profile(url: &str) -> bool {
    let url = url.as_bytes();
    (0..url.len()).any(|at| match url[at] {
        b'/' => match &url[at + 1..] {
            [b'u', rest @ ..] => [&b"/"[..], b"ser/", b"sers/"].iter().any(|part| rest.starts_with(part)),
            [b'p', rest @ ..] => rest.starts_with(b"rofile/"),
            [b'm', rest @ ..] => rest.starts_with(b"embers/"),
            _ => false,
        },
        b'?' => url[..at].ends_with(b"profile.php") || url[..at].ends_with(b"member.php"),
        _ => false,
    })
}

/// What an element says about being the author or the date of a record, from −2, certainly not, to 3, certainly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FieldHints {
    pub(crate) author: i8,
    pub(crate) date: i8,
    pub(crate) price: i8,
    pub(crate) title: i8,
}

/// Longest value of a class or address that is read.
const MAX_VALUE: usize = 256;

/// The hints of one element, without those of the elements around it.
pub(crate) fn field_hints(document: &Document, id: NodeId) -> FieldHints {
    let name = document.html_name(id);
    let mut hints = FieldHints::default();
    let (mut is_about_user, mut is_other_date) = (false, false);
    if name == Name::TIME {
        hints.date = 3;
        hints.author = -2;
    }
    for attribute in document.attributes(id) {
        let value = document.value(attribute);
        match attribute.name {
            Name::ITEMPROP => match field_of_property(value) {
                Some(KnownField::Author) => hints.author = 3,
                Some(KnownField::Date) => hints.date = 3,
                Some(KnownField::Price) => hints.price = 3,
                Some(KnownField::Name) => hints.title = 3,
                None => {}
            },
            Name::REL if value.eq_ignore_ascii_case("author") => hints.author = 3,
            Name::HREF if name == Name::A => {
                let address = &value.as_bytes()[..value.len().min(MAX_VALUE)];
                hints.author = hints.author.max(if is_user_address(address) { 2 } else { 0 });
            }
            Name::CLASS if value.len() <= MAX_VALUE => {
                each_class_word(value, |word| {
                    hint_of_word(word, &mut hints);
                    is_about_user |= is_word_about_user(word);
                    is_other_date |= matches!(word, "joined" | "join" | "signature" | "stats");
                });
            }
            _ => {}
        }
    }
    if is_about_user {
        hints.author = -2;
    }
    if is_other_date {
        hints.date = -2;
    }
    hints
}

/// Whether an address has a part that usually comes before the name or number of a user.
fn is_user_address(address: &[u8]) -> bool {
    let mut parts = address.split(|byte| matches!(byte, b'/' | b'?' | b'&' | b'=' | b'.' | b'#' | b'-' | b'_'));
    parts.any(|part| {
        let is = |word: &str| part.eq_ignore_ascii_case(word.as_bytes());
        [
            "u",
            "user",
            "users",
            "member",
            "members",
            "profile",
            "profiles",
            "author",
            "authors",
            "people",
            "showuser",
            "memberlist",
        ]
        .into_iter()
        .any(is)
    })
}

/// Calls `each` with the words of class names in lower case: `userTitle post-author` has four.
fn each_class_word(classes: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut was_lower = false;
    for c in classes.chars() {
        let is_new = !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && was_lower);
        if is_new && !word.is_empty() {
            each(&word);
            word.clear();
        }
        was_lower = c.is_ascii_lowercase();
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Whether a word of a class says that an element is about a user, and not the name.
fn is_word_about_user(word: &str) -> bool {
    matches!(
        word,
        "title"
            | "rank"
            | "role"
            | "group"
            | "badge"
            | "badges"
            | "reputation"
            | "location"
            | "joined"
            | "join"
            | "avatar"
            | "count"
            | "stats"
            | "signature"
            | "extras"
            | "status"
            | "online"
            | "flair"
            | "reactions"
            | "score"
            | "menu"
            | "tooltip"
    )
}

fn hint_of_word(word: &str, hints: &mut FieldHints) {
    match word {
        "author" | "byline" | "username" | "postauthor" | "poster" | "nickname" | "commenter" | "reviewer"
        | "postername" => {
            hints.author = hints.author.max(2);
        }
        "user" | "name" | "nick" | "member" | "creator" | "login" => hints.author = hints.author.max(1),
        "date" | "timestamp" | "datetime" | "postdate" | "published" | "time" | "posted" | "created" => {
            hints.date = hints.date.max(2);
        }
        "price" | "amount" => hints.price = hints.price.max(2),
        "headline" | "title" => hints.title = hints.title.max(2),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn hints(element: &str) -> FieldHints {
        let document = Parser::default().parse(element).unwrap();
        let body = document.find(Name::BODY).unwrap();
        field_hints(&document, document.children(body).next().unwrap())
    }

    #[test]
    fn authors() {
        for element in [
            "<a rel=author href=/x>x</a>",
            "<a href=/members/ann.5/>x</a>",
            "<b class='post__author'>x</b>",
            "<a href='/p?user=5'>x</a>",
        ] {
            assert!(hints(element).author >= 2, "{element}");
        }
        for element in ["<a href=/guide.html>x</a>", "<b class=userTitle>x</b>", "<time>x</time>"] {
            assert!(hints(element).author < 2, "{element}");
        }
    }

    #[test]
    fn dates_and_prices() {
        assert_eq!(hints("<time>x</time>").date, 3);
        assert_eq!(hints("<b class=post-date>x</b>").date, 2);
        assert_eq!(hints("<b class=join-date>x</b>").date, -2);
        assert_eq!(hints("<b class=price>x</b>").price, 2);
    }
}
