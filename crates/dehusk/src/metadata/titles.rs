//! The titles that a page declares, and how to separate them from the name of the site: `Mending nets | Harbour Notes`.

use super::json_ld;
use crate::dom::{Document, Name};

/// Separators between a title and the name of a site. A hyphen without spaces, or a colon, is part of many titles.
const SEPARATORS: [&str; 13] =
    [" | ", " / ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " « ", " ‹ ", " › ", "|"];

/// The titles of a page, to compare headings with.
#[derive(Debug, Default)]
pub(crate) struct PageTitles {
    titles: Vec<TitleWords>,
    site: String,
}

/// The maximum number of bytes of a title, and of titles, that headings are compared with: each is split in up to 32 ways. Headings are shorter.
const MAX_TITLE: usize = 4_000;
const MAX_TITLES: usize = 64;

/// The words of a title, and of the parts it can be split into.
#[derive(Debug)]
struct TitleWords {
    whole: String,
    before: Vec<String>,
    after: Vec<String>,
}

impl TitleWords {
    fn of(title: &str) -> TitleWords {
        let (before, after) = splits(title).map(|(before, after)| (words(before), words(after))).unzip();
        TitleWords { whole: words(title), before, after }
    }
}

impl PageTitles {
    fn push(&mut self, title: &str) {
        if title.len() <= MAX_TITLE && self.titles.len() < MAX_TITLES {
            self.titles.push(TitleWords::of(title));
        }
    }

    /// The text of `<title>` and the titles in `<meta>`.
    pub(crate) fn declared(document: &Document, title: Option<String>) -> PageTitles {
        let mut found = PageTitles::default();
        title.iter().for_each(|title| found.push(title));
        for id in document.ids().filter(|id| document.html_name(*id) == Name::META) {
            let key = document.attribute(id, Name::PROPERTY).or_else(|| document.attribute(id, Name::NAME));
            let content = document.attribute(id, Name::CONTENT).unwrap_or_default();
            match key.unwrap_or_default() {
                "og:title" | "twitter:title" | "citation_title" => found.push(content),
                "og:site_name" if found.site.is_empty() => found.site = words(content),
                _ => {}
            }
        }
        found
    }

    /// The title in JSON-LD.
    pub(crate) fn json_ld(document: &Document) -> PageTitles {
        let found = json_ld::read(json_ld::scripts(document));
        let site = words(found.site_name.as_deref().unwrap_or_default());
        let mut titles = PageTitles { titles: Vec::new(), site };
        found.title.iter().for_each(|title| titles.push(title));
        titles
    }

    /// Whether a heading is the name of the site.
    pub(crate) fn is_site(&self, heading: &str) -> bool {
        !self.site.is_empty() && words(heading) == self.site
    }

    /// How well a heading matches one of the titles: 3 as a whole, 2 its first part, 1 its last part. The name of the site is
    /// more often the last part.
    pub(crate) fn match_strength(&self, heading: &str) -> Option<u8> {
        let heading = words(heading);
        if heading == self.site {
            return None;
        }
        let strength = |title: &TitleWords| match () {
            _ if title.whole == heading => 3,
            _ if title.before.contains(&heading) => 2,
            _ => title.after.contains(&heading) as u8,
        };
        self.titles.iter().map(strength).max().filter(|strength| *strength > 0)
    }
}

/// The title without a leading or trailing site name. The site name is known, or equals a label of the host name.
pub(super) fn without_site<'a>(title: &'a str, site: &str, host: &str) -> &'a str {
    let site = words(site);
    let is_site = |part: &str| {
        let part = words(part);
        let label = part.replace(' ', "");
        !part.is_empty()
            && (part == site || (label.len() >= 3 && host.split('.').any(|own| own.eq_ignore_ascii_case(&label))))
    };
    for (before, after) in splits(title) {
        if is_site(after) && !words(before).is_empty() {
            return before.trim();
        }
        if is_site(before) && !words(after).is_empty() {
            return after.trim();
        }
    }
    title
}

/// The part of a title that equals a heading.
pub(super) fn matching_part<'a>(title: &'a str, heading: &str) -> Option<&'a str> {
    let heading = words(heading);
    if words(title) == heading {
        return Some(title);
    }
    splits(title).flat_map(|(before, after)| [before.trim(), after.trim()]).find(|part| words(part) == heading)
}

/// The ways to split a title in two at a separator. Titles are short; at most 32 splits are tried.
fn splits(title: &str) -> impl Iterator<Item = (&str, &str)> {
    let separators = SEPARATORS
        .into_iter()
        .flat_map(move |separator| title.match_indices(separator).map(move |(at, _)| (at, separator.len())));
    separators.take(32).map(move |(at, length)| (&title[..at], &title[at + length..]))
}

/// A text in lower case with everything but letters and digits reduced to single spaces, to compare spellings of a title.
pub(crate) fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !matches!(c, '\'' | '’') && !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_site_is_removed() {
        assert_eq!(without_site("Nets - and how | Harbour Notes", "harbour notes", ""), "Nets - and how");
        assert_eq!(without_site("Harbour Notes: Nets", "Harbour Notes", ""), "Harbour Notes: Nets");
        assert_eq!(without_site("Harbour Notes » Nets", "Harbour Notes", ""), "Nets");
        assert_eq!(without_site("Nets | Other", "Harbour Notes", ""), "Nets | Other");
        assert_eq!(without_site("Harbour Notes", "Harbour Notes", ""), "Harbour Notes");
        assert_eq!(without_site("a | b", "", ""), "a | b");
        assert_eq!(without_site("Nets | Harbour-Notes", "", "www.harbournotes.example"), "Nets");
        assert_eq!(without_site("Nets - Notes", "", "www.harbournotes.example"), "Nets - Notes");
    }

    #[test]
    fn endless_titles_are_not_compared() {
        let long = "Nets | ".repeat(MAX_TITLE);
        let page = format!("<title>x</title>{}", "<meta property=og:title content='Nets | Boats'>".repeat(100));
        let document = crate::dom::Parser::default().parse(&page).unwrap();
        let titles = PageTitles::declared(&document, Some(long));
        assert_eq!(titles.titles.len(), MAX_TITLES);
        assert!(titles.titles.iter().all(|title| title.whole == "nets boats"));
        assert_eq!(
            ["Nets, boats", "nets", "Boats", "Fish"].map(|text| titles.match_strength(text)),
            [Some(3), Some(2), Some(1), None]
        );
    }

    #[test]
    fn a_heading_confirms_a_part() {
        assert_eq!(matching_part("Nets | News | Harbour", "NETS!"), Some("Nets"));
        assert_eq!(matching_part("Nets | News", "Boats"), None);
    }
}
