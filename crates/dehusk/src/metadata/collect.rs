//! Collects metadata candidates in one walk over a page and chooses between them.
//!
//! Every source has a rank per field. The lowest rank wins, and among equal ranks the first in page order. The ranks of titles were
//! changed after looking at wrong titles in wcxb-dev (docs/results/metadata.md); the others were set beforehand.

use super::titles::{matching_part, without_site, words};
use super::{dates, json_ld};
use crate::dom::elements::is_dialog;
use crate::dom::{Document, Name, NodeId, NodeKind};
use crate::metadata::{Metadata, MetadataField, MetadataSource as Source};
use crate::safe_url::{UrlUse, safe_url};
use std::borrow::Cow;

/// Maximum number of characters of a value. Longer texts are not titles, names or descriptions.
const MAX_CHARACTERS: usize = 2000;

/// Maximum number of nodes read for the text of an element.
const MAX_NODES: usize = 64;

/// Maximum number of people credited by links or classes. More of them are the authors of listed items.
const MAX_AUTHORS: usize = 3;

/// The field that a source has a value for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Title,
    Author,
    Date,
    Language,
    SiteName,
    Description,
    Url,
    Kind,
}

pub(super) fn collect(document: &Document) -> Metadata {
    let mut collector =
        Collector { document, best: Default::default(), headings: Vec::new(), title: None, bylines: Vec::new() };
    collector.walk();
    collector.finish()
}

struct Collector<'a> {
    document: &'a Document,
    /// The best candidate so far per field, with its rank.
    best: [Option<(u8, MetadataField)>; 8],
    /// The texts of the first `<h1>` elements.
    headings: Vec<String>,
    /// The text of `<title>`.
    title: Option<String>,
    /// Author candidates from links, microdata and classes, with their rank.
    bylines: Vec<(u8, Source, String)>,
}

impl<'a> Collector<'a> {
    fn walk(&mut self) {
        let document = self.document;
        let mut next = NodeId(0);
        // Nodes before this one are inside a comment or a review, which have their own authors and dates.
        let mut user_content_until = NodeId(0);
        while next.index() < document.len() {
            let id = next;
            next = NodeId(id.0 + 1);
            match document.kind(id) {
                NodeKind::Fragment => next = document.end(id),
                NodeKind::Element => {
                    if id >= user_content_until && is_user_content(document, id) {
                        user_content_until = document.end(id);
                    }
                    self.element(id, id < user_content_until);
                }
                _ => {}
            }
        }
    }

    fn element(&mut self, id: NodeId, in_user_content: bool) {
        let document = self.document;
        match document.html_name(id) {
            Name::META => return self.meta(id, in_user_content),
            Name::HTML => {
                self.offer(FieldKind::Language, 0, Source::Lang, document.attribute(id, Name::LANG).unwrap_or_default())
            }
            Name::TITLE if self.title.is_none() => self.title = self.text(id),
            Name::H1 if self.headings.len() < 8 && !document.ancestors(id).any(|above| is_dialog(document, above)) => {
                self.headings.extend(self.text(id));
            }
            Name::LINK if has_word(document, id, Name::REL, "canonical") => {
                self.offer(FieldKind::Url, 0, Source::Link, document.attribute(id, Name::HREF).unwrap_or_default());
            }
            Name::SCRIPT => return,
            Name::TIME if !in_user_content => self.time(id),
            _ => {}
        }
        if in_user_content {
            return;
        }
        if let Some(property) = document.attribute(id, Name::ITEMPROP) {
            self.microdata(id, property);
        }
        if has_word(document, id, Name::REL, "author") {
            let text = self.text(id).unwrap_or_default();
            self.byline(4, Source::RelAuthor, text);
        }
        if let Some(class) = document.attribute(id, Name::CLASS) {
            self.class(id, class);
        }
    }

    fn meta(&mut self, id: NodeId, in_user_content: bool) {
        let document = self.document;
        let content = document.attribute(id, Name::CONTENT).unwrap_or_default();
        if content.trim().is_empty() {
            return;
        }
        if let Some(property) = document.attribute(id, Name::ITEMPROP)
            && !in_user_content
        {
            self.microdata(id, property);
        }
        for key in [Name::PROPERTY, Name::NAME, Name::HTTP_EQUIV] {
            for key in document.attribute(id, key).unwrap_or_default().split_ascii_whitespace().take(4) {
                if let Some((field, rank, source)) = meta_field(&key.to_ascii_lowercase()) {
                    self.offer(field, rank, source, content);
                }
            }
        }
    }

    fn time(&mut self, id: NodeId) {
        let document = self.document;
        let value = match document.attribute(id, Name::DATETIME) {
            Some(value) => value.to_string(),
            None => self.text(id).unwrap_or_default(),
        };
        let class = document.attribute(id, Name::CLASS).unwrap_or_default().to_ascii_lowercase();
        let updated = class.contains("updated") || class.contains("modified");
        let published = class.contains("publish") || class.contains("entry-date");
        self.offer(FieldKind::Date, if published { 5 } else { 6 + u8::from(updated) }, Source::Time, &value);
    }

    fn microdata(&mut self, id: NodeId, properties: &str) {
        for property in properties.split_ascii_whitespace().take(4) {
            let (field, rank) = match property {
                "headline" => (FieldKind::Title, 5),
                "author" | "creator" => (FieldKind::Author, 3),
                "datePublished" => (FieldKind::Date, 3),
                "dateCreated" => (FieldKind::Date, 4),
                "inLanguage" => (FieldKind::Language, 4),
                "description" => (FieldKind::Description, 5),
                _ => continue,
            };
            let value = self.property_value(id, field);
            match field {
                FieldKind::Author => self.byline(rank, Source::Microdata, value),
                _ => self.offer(field, rank, Source::Microdata, &value),
            }
        }
    }

    /// The value of a microdata property: an attribute, the name of the person it describes, or its text.
    fn property_value(&self, id: NodeId, field: FieldKind) -> String {
        let document = self.document;
        for name in [Name::CONTENT, Name::DATETIME] {
            if let Some(value) = document.attribute(id, name) {
                return value.to_string();
            }
        }
        let inner = document.descendants(id).take(MAX_NODES).filter(|_| field == FieldKind::Author);
        let name = inner.into_iter().find(|id| document.attribute(*id, Name::ITEMPROP) == Some("name"));
        let id = name.unwrap_or(id);
        document.attribute(id, Name::CONTENT).map(str::to_string).or_else(|| self.text(id)).unwrap_or_default()
    }

    /// Reads elements whose class names the author or the date.
    fn class(&mut self, id: NodeId, class: &str) {
        if class.len() > 200 {
            return;
        }
        let is = |wanted: &[&str]| {
            class.split_ascii_whitespace().any(|own| wanted.iter().any(|wanted| own.eq_ignore_ascii_case(wanted)))
        };
        if is(&[
            "author",
            "byline",
            "author-name",
            "author_name",
            "authorname",
            "post-author",
            "entry-author",
            "article-author",
            "byline-name",
            "username",
        ]) {
            let text = self.text(id).unwrap_or_default();
            self.byline(6, Source::ClassName, text);
        }
        if is(&[
            "date",
            "published",
            "post-date",
            "entry-date",
            "publish-date",
            "published-date",
            "article-date",
            "dateline",
            "date-published",
            "pubdate",
        ]) {
            let text = self.text(id).unwrap_or_default();
            if text.len() <= 80 {
                self.offer(FieldKind::Date, 8, Source::ClassName, &text);
            }
        }
    }

    fn byline(&mut self, rank: u8, source: Source, text: String) {
        if let Some(name) = author(&text)
            && self.bylines.len() < 64
        {
            self.bylines.push((rank, source, name));
        }
    }

    /// Stores a candidate if it is valid and has a lower rank than the best one so far.
    fn offer(&mut self, field: FieldKind, rank: u8, source: Source, value: &str) {
        if self.best[field as usize].as_ref().is_some_and(|(best, _)| *best <= rank) {
            return;
        }
        let value = match field {
            FieldKind::Author => author(value),
            FieldKind::Date => dates::iso_date(value),
            FieldKind::Language => language(value),
            // Whoever follows it trusts it: no `javascript:` and the like.
            FieldKind::Url => safe_url(value, UrlUse::Load, None).map(Cow::into_owned),
            FieldKind::Kind => Some(value.trim().to_string()),
            _ => Some(plain(value)),
        };
        let Some(value) = value.filter(|value| !value.is_empty() && value.chars().count() <= MAX_CHARACTERS) else {
            return;
        };
        self.best[field as usize] = Some((rank, MetadataField { value, source }));
    }

    /// The text of an element with white space collapsed, or `None` if it is empty. Long elements are not read to the end.
    fn text(&self, id: NodeId) -> Option<String> {
        let mut text = String::new();
        let mut unseen_until = id;
        for node in self.document.descendants(id).take(MAX_NODES) {
            if matches!(self.document.html_name(node), Name::SCRIPT | Name::STYLE) {
                unseen_until = self.document.end(node);
            }
            if node < unseen_until || !self.document.is_text(node) {
                // A block separates words; other elements rarely do.
                if self.document.is_element(node) && crate::dom::elements::is_block(self.document.html_name(node)) {
                    text.push(' ');
                }
                continue;
            }
            text.extend(self.document.text(node).chars().take(MAX_CHARACTERS + 1));
            if text.len() > MAX_CHARACTERS {
                break;
            }
        }
        let text = plain(&text);
        (!text.is_empty()).then_some(text)
    }

    fn finish(mut self) -> Metadata {
        let found = json_ld::read(json_ld::scripts(self.document));
        let candidates = [
            (FieldKind::Title, 2, found.title),
            (FieldKind::Author, 0, found.author),
            (FieldKind::Date, 0, found.date),
            (FieldKind::Language, 2, found.language),
            (FieldKind::SiteName, 2, found.site_name),
            (FieldKind::Description, 4, found.description),
            (FieldKind::Url, 3, found.url),
            (FieldKind::Kind, 0, found.kind),
        ];
        for (field, rank, value) in candidates {
            self.offer(field, rank, Source::JsonLd, value.as_deref().unwrap_or_default());
        }
        self.choose_byline();
        self.choose_title();
        self.date_from_url();
        let [title, author, date, language, site_name, description, canonical_url, page_kind] =
            self.best.map(|best| best.map(|(_, field)| field));
        let detected_language = None;
        Metadata { title, author, date, language, detected_language, site_name, description, canonical_url, page_kind }
    }

    /// Chooses the people named by the best source among links, microdata and classes, unless there are too many to be the authors.
    fn choose_byline(&mut self) {
        let Some(rank) = self.bylines.iter().map(|(rank, ..)| *rank).min() else { return };
        let mut names: Vec<&str> = Vec::new();
        let mut source = Source::ClassName;
        for (_, from, name) in self.bylines.iter().filter(|byline| byline.0 == rank) {
            source = *from;
            if !names.iter().any(|known| words(known) == words(name)) {
                names.push(name);
            }
        }
        if names.len() <= MAX_AUTHORS {
            // Classes and links often repeat the name in longer texts; the first one is the byline.
            let joined = if source == Source::Microdata { names.join("; ") } else { names[0].to_string() };
            self.offer(FieldKind::Author, rank, source, &joined);
        }
    }

    /// Chooses the title: a heading that one of the page's other titles repeats, or else the only heading, or else the best other
    /// title. The name of the site is removed from it.
    fn choose_title(&mut self) {
        let known = |field: FieldKind| self.best[field as usize].as_ref().map(|(_, field)| field.value.as_str());
        let site = known(FieldKind::SiteName).unwrap_or_default().to_string();
        let host = known(FieldKind::Url).and_then(|url| url.split('/').nth(2)).unwrap_or_default().to_string();
        let titles = [self.title.as_deref(), known(FieldKind::Title)];
        let is_title = |heading: &String| {
            words(heading) != words(&site)
                && titles.iter().flatten().any(|title| matching_part(title, heading).is_some())
        };
        let confirmed = self.headings.iter().find(|heading| is_title(heading)).cloned();
        self.offer(FieldKind::Title, 0, Source::Heading, confirmed.as_deref().unwrap_or_default());
        if self.headings.len() == 1 && words(&self.headings[0]) != words(&site) {
            let heading = self.headings[0].clone();
            self.offer(FieldKind::Title, 1, Source::Heading, &heading);
        }
        let title = self.title.take().unwrap_or_default();
        self.offer(FieldKind::Title, 7, Source::Title, &title);
        if let Some((_, field)) = &mut self.best[FieldKind::Title as usize] {
            field.value = without_site(&field.value, &site, &host).to_string();
        }
    }

    /// Reads a date from the page's URL: `/2024/03/05/` is a day by convention.
    fn date_from_url(&mut self) {
        let Some((_, url)) = &self.best[FieldKind::Url as usize] else { return };
        let parts: Vec<&str> = url.value.split(['/', '?', '#']).collect();
        let is = |part: &str, digits: usize| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        let dated = parts.windows(3).find(|part| is(part[0], 4) && is(part[1], 2) && is(part[2], 2));
        if let Some(date) = dated.map(|part| part.join("-")) {
            self.offer(FieldKind::Date, 9, Source::PageUrl, &date);
        }
    }
}

/// The field a `<meta>` with this name is for, with its rank and source.
fn meta_field(key: &str) -> Option<(FieldKind, u8, Source)> {
    use FieldKind::{Author, Date, Description, Kind, Language, SiteName, Title, Url};
    use Source::{DublinCore, Meta, OpenGraph};
    Some(match key {
        "og:title" => (Title, 3, OpenGraph),
        "twitter:title" | "parsely-title" | "sailthru.title" | "citation_title" => (Title, 4, Meta),
        "dc.title" | "dcterms.title" => (Title, 4, DublinCore),
        "author" | "parsely-author" | "sailthru.author" | "citation_author" | "article.author" => (Author, 1, Meta),
        "article:author" | "og:article:author" | "book:author" => (Author, 2, OpenGraph),
        "dc.creator" | "dcterms.creator" | "dc.contributor" => (Author, 2, DublinCore),
        "article:published_time" | "og:published_time" | "og:article:published_time" => (Date, 1, OpenGraph),
        "date"
        | "pubdate"
        | "publishdate"
        | "publish-date"
        | "publish_date"
        | "publication_date"
        | "parsely-pub-date"
        | "sailthru.date"
        | "citation_publication_date"
        | "citation_date"
        | "article.published"
        | "datepublished"
        | "cxenseparse:recs:publishtime"
        | "originalpublicationdate" => (Date, 2, Meta),
        "dc.date" | "dc.date.issued" | "dc.date.created" | "dcterms.date" | "dcterms.created" | "dcterms.issued" => {
            (Date, 2, DublinCore)
        }
        "content-language" | "language" => (Language, 1, Meta),
        "og:locale" => (Language, 3, OpenGraph),
        "dc.language" | "dcterms.language" => (Language, 3, DublinCore),
        "og:site_name" => (SiteName, 0, OpenGraph),
        "application-name" | "apple-mobile-web-app-title" => (SiteName, 3, Meta),
        "dc.publisher" | "dcterms.publisher" => (SiteName, 4, DublinCore),
        "description" => (Description, 0, Meta),
        "og:description" => (Description, 1, OpenGraph),
        "dc.description" | "dcterms.description" | "dcterms.abstract" => (Description, 2, DublinCore),
        "twitter:description" => (Description, 3, Meta),
        "og:url" => (Url, 1, OpenGraph),
        "og:type" => (Kind, 1, OpenGraph),
        _ => return None,
    })
}

/// Whether an element contains comments, reviews or answers.
fn is_user_content(document: &Document, id: NodeId) -> bool {
    document.attributes(id).iter().any(|attribute| {
        let value = document.value(attribute);
        match attribute.name {
            Name::ITEMPROP => matches!(
                value.trim(),
                "comment" | "review" | "reviews" | "suggestedAnswer" | "acceptedAnswer" | "itemListElement"
            ),
            Name::ID | Name::CLASS => value.split_ascii_whitespace().take(16).any(|word| {
                matches!(word, "comments" | "comment-list" | "commentlist" | "comment" | "reviews" | "respond")
            }),
            _ => false,
        }
    })
}

fn has_word(document: &Document, id: NodeId, attribute: Name, word: &str) -> bool {
    document
        .attribute(id, attribute)
        .is_some_and(|value| value.split_ascii_whitespace().any(|own| own.eq_ignore_ascii_case(word)))
}

/// A text on one line: white space collapsed, and doubly escaped character references decoded.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_CHARACTERS));
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    if out.contains('&') {
        for (reference, character) in [
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&#039;", "'"),
            ("&#8217;", "’"),
            ("&#8211;", "–"),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&amp;", "&"),
        ] {
            if out.contains(reference) {
                out = out.replace(reference, character);
            }
        }
    }
    out
}

/// The name in a byline; `None` for URLs, e-mail addresses and texts too long for a name.
fn author(text: &str) -> Option<String> {
    let text = plain(text);
    let lower = text.to_lowercase();
    let mut name = &*text;
    for word in ["written by ", "posted by ", "author: ", "by: ", "by "] {
        if lower.starts_with(word) && name.is_char_boundary(word.len()) {
            name = &name[word.len()..];
            break;
        }
    }
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '|' | '·' | '•' | '-' | ':'));
    let is_address = name.contains("://") || name.contains("www.") || name.contains('@');
    let is_name = name.chars().any(char::is_alphabetic) && name.chars().count() <= 200 && !is_address;
    let placeholder = matches!(
        &*lower,
        "author" | "admin" | "administrator" | "by" | "unknown" | "none" | "null" | "undefined" | "anonymous"
    );
    (is_name && !placeholder).then(|| name.to_string())
}

/// A normalized language tag; `None` for anything else.
fn language(text: &str) -> Option<String> {
    let tag = text.split([',', ';']).next().unwrap_or_default().trim().replace('_', "-");
    let mut parts = tag.split('-');
    let primary = parts
        .next()
        .filter(|part| (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic()))?;
    let mut out = primary.to_ascii_lowercase();
    for part in parts.take(3) {
        if !(2..=8).contains(&part.len()) || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            break;
        }
        out.push('-');
        // Regions are written in upper case, scripts with an initial upper-case letter.
        match part.len() {
            2 => out.push_str(&part.to_ascii_uppercase()),
            4 => {
                out.push_str(&part[..1].to_ascii_uppercase());
                out.push_str(&part[1..].to_ascii_lowercase());
            }
            _ => out.push_str(&part.to_ascii_lowercase()),
        }
    }
    Some(out)
}
