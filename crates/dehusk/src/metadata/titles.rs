//! Separates the title of a page from the name of its site: `Mending nets | Harbour Notes`.

/// Separators between a title and the name of a site. A hyphen without spaces, or a colon, is part of many titles.
const SEPARATORS: [&str; 12] = [" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " « ", " ‹ ", " › ", "|"];

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
pub(super) fn words(text: &str) -> String {
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
    fn a_heading_confirms_a_part() {
        assert_eq!(matching_part("Nets | News | Harbour", "NETS!"), Some("Nets"));
        assert_eq!(matching_part("Nets | News", "Boats"), None);
    }
}
