//! Training pages with short content in real templates, made without anybody marking them.
//!
//! Content management systems name the element with the content of a page (`entry-content`, `post-body`). What is in it is replaced by a few
//! paragraphs of a reference text; everything else stays. The model sees how much template surrounds a short text, and comments, teasers and
//! bylines of sites that no labelled corpus has. Takes pages of sites and reference texts, returns pages with reference texts.

use crate::data::reference::{ReferencePage, paragraphs_to_html};
use crate::data::site_pages::{SitePage, pages_by_host};
use crate::data::source_tags::{name_attributes, raw_end, tag_end};
use dehusk::dom::hash::mix;
use dehusk_io::{Error, Fault};
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// Names of the element with the content of a page, in common systems and themes.
const CONTENT_NAMES: [&str; 22] = [
    "entry-content",
    "post-content",
    "post-body",
    "post_content",
    "article-body",
    "article-content",
    "article__body",
    "entry-body",
    "entry__content",
    "td-post-content",
    "story-body",
    "field-name-body",
    "field--name-body",
    "node-content",
    "single-content",
    "article-entry",
    "post-entry",
    "mw-parser-output",
    "articleBody",
    "markdown-body",
    "entry",
    "e-content",
];
/// Fewer words are a placeholder, not the content of a page.
const MIN_REPLACED_WORDS: usize = 20;
/// Bounds on the words of the new content. Short: corpora of articles have enough long texts.
const MIN_WORDS: u64 = 20;
const MAX_WORDS: u64 = 240;
/// How many texts are tried before a page is left out.
const TRIES: u64 = 8;

/// Reads pages of sites and replaces the content of up to `per_site` pages of each site by paragraphs of `texts`.
///
/// # Errors
/// If an input cannot be opened, or holds no page that can be read.
pub fn replaced_content_pages(
    sites: &[PathBuf],
    texts: &[ReferencePage],
    per_site: usize,
    seed: u64,
    skipped: impl FnMut(&Fault),
) -> Result<Vec<ReferencePage>, Error> {
    let hosts = pages_by_host(sites, seed, skipped)?;
    let of_host = |pages: &Vec<SitePage>| -> Vec<ReferencePage> {
        pages.iter().filter_map(|page| replace_content(&page.url, &page.html, texts, seed)).take(per_site).collect()
    };
    Ok(hosts.iter().flat_map(of_host).collect())
}

/// The page with another content; none if its content is not known.
fn replace_content(url: &str, html: &str, texts: &[ReferencePage], seed: u64) -> Option<ReferencePage> {
    let (start, end) = content_range(html)?;
    let random = mix(xxh3_64(url.as_bytes()), seed);
    let content = (0..TRIES).find_map(|attempt| short_text(texts, mix(random, attempt)))?;
    let paragraphs = paragraphs_to_html(content.split("\n\n"));
    let html = format!("{}\n{paragraphs}{}", &html[..start], &html[end..]);
    // The id decides which blocks of the page are sampled (`fit/fusion.rs`): with another prefix, fitted models would differ.
    Some(ReferencePage { id: format!("graft-{url}"), url: url.to_string(), html, content, ..ReferencePage::default() })
}

/// Some adjacent paragraphs of a reference text; none if they are too short.
fn short_text(texts: &[ReferencePage], random: u64) -> Option<String> {
    let text = &texts.get((random % texts.len().max(1) as u64) as usize)?.content;
    let paragraphs: Vec<&str> = text.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).collect();
    let first = mix(random, 1) as usize % paragraphs.len().max(1);
    let wanted = MIN_WORDS + mix(random, 2) % (MAX_WORDS - MIN_WORDS);
    let (mut words, mut taken) = (0, Vec::new());
    for paragraph in &paragraphs[first..] {
        words += paragraph.split_whitespace().count() as u64;
        if words > MAX_WORDS {
            break;
        }
        taken.push(*paragraph);
        if words >= wanted {
            break;
        }
    }
    (words >= MIN_WORDS && !taken.is_empty()).then(|| taken.join("\n\n"))
}

/// The range inside the only element of a page with one of the names. Pages that list several texts have several.
fn content_range(html: &str) -> Option<(usize, usize)> {
    let mut found: [Option<(usize, usize)>; CONTENT_NAMES.len()] = [None; CONTENT_NAMES.len()];
    let mut is_single = [true; CONTENT_NAMES.len()];
    each_tag(html, 0, |start, end| {
        let tag = &html[start..end];
        if tag.starts_with("</") {
            return true;
        }
        for value in name_attributes(tag) {
            for word in value.split_ascii_whitespace() {
                if let Some(at) = CONTENT_NAMES.iter().position(|name| *name == word) {
                    is_single[at] &= found[at].is_none();
                    found[at].get_or_insert((start, end));
                }
            }
        }
        true
    });
    let at = (0..CONTENT_NAMES.len()).find(|at| found[*at].is_some() && is_single[*at])?;
    let (start, inner) = found[at]?;
    let end = element_end(html, start, inner)?;
    (text_words(&html[inner..end]) >= MIN_REPLACED_WORDS).then_some((inner, end))
}

/// Where the end tag of an element begins, by counting tags of the same name.
fn element_end(html: &str, start: usize, inner: usize) -> Option<usize> {
    let name = tag_name(&html[start..inner]);
    let (mut depth, mut end) = (1, None);
    each_tag(html, inner, |at, after| {
        let tag = &html[at..after];
        if tag_name(tag).eq_ignore_ascii_case(name) && !tag.ends_with("/>") {
            depth = if tag.starts_with("</") { depth - 1 } else { depth + 1 };
        }
        end = (depth == 0).then_some(at);
        depth > 0
    });
    end
}

/// The name in a start or end tag.
fn tag_name(tag: &str) -> &str {
    let name = tag.trim_start_matches('<').trim_start_matches('/');
    &name[..name.find(|byte: char| !byte.is_ascii_alphanumeric()).unwrap_or(name.len())]
}

/// Calls `each` with the range of each tag from a place on, until it returns false.
fn each_tag(html: &str, from: usize, mut each: impl FnMut(usize, usize) -> bool) {
    let mut at = from;
    while let Some(start) = html[at..].find('<').map(|found| at + found) {
        let rest = &html[start..];
        if let Some(end) = raw_end(rest) {
            at = start + end;
            continue;
        }
        at = start + tag_end(rest);
        if !each(start, at) {
            return;
        }
    }
}

/// The number of words outside tags.
fn text_words(html: &str) -> usize {
    let (mut words, mut after) = (0, 0);
    each_tag(html, 0, |start, end| {
        words += html[after..start].split_whitespace().count();
        after = end;
        true
    });
    words + html[after..].split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str) -> String {
        format!("<nav>Menu</nav><div class=\"post entry-content\">{body}</div><footer>Imprint</footer>")
    }

    #[test]
    fn the_content_is_replaced_and_the_rest_stays() {
        let words = "old words ".repeat(20);
        let html = page(&format!("<div>{words}</div><script>'</div>'</script>"));
        let content = "New text of a page with a < b & c, long enough to be one. ".repeat(2).trim().to_string();
        let texts = vec![ReferencePage { content: content.clone(), ..ReferencePage::default() }];
        let replaced = replace_content("https://a.example/1", &html, &texts, 0).unwrap();
        assert_eq!(replaced.content, content);
        let escaped = content.replace('&', "&amp;").replace('<', "&lt;");
        assert_eq!(replaced.html, page(&format!("\n<p>{escaped}</p>\n")));
    }

    #[test]
    fn pages_whose_content_is_not_known_are_left_out() {
        let words = "old words ".repeat(20);
        let texts = vec![ReferencePage { content: "word ".repeat(30), ..ReferencePage::default() }];
        for html in
            [page(&words).repeat(2), page("too short"), words.clone(), format!("<p class=entry-content>{words}")]
        {
            assert!(replace_content("https://a.example/1", &html, &texts, 0).is_none(), "{html}");
        }
    }
}
