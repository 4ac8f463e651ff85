//! One walk over a page that gathers what its sources say, and the choice between them.
//!
//! Ranks say which source is believed: the lowest wins, among equals the first in page order. Those of titles were changed after a
//! look at wrong titles of wcxb-dev (docs/results/metadata.md); the others were set beforehand.

use super::titles::{part_that_is, without_site, words};
use super::{Field, Metadata, MetadataSource as Source, dates, jsonld};
use crate::dom::{Document, Name, NodeId, NodeKind};

/// Characters of a value; longer ones are no titles, names or descriptions.
const MOST_CHARACTERS: usize = 2000;

/// Nodes of an element that are read for its text.
const MOST_NODES: usize = 64;

/// Different people a page may credit by links or classes; more are the authors of a list.
const MOST_AUTHORS: usize = 3;

/// What a source speaks of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
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
    best: [Option<(u8, Field)>; 8],
    /// The texts of the first `<h1>` elements.
    headings: Vec<String>,
    /// The text of `<title>`.
    title: Option<String>,
    /// What links and classes name as authors, with their rank.
    bylines: Vec<(u8, Source, String)>,
}

impl<'a> Collector<'a> {
    fn walk(&mut self) {
        let document = self.document;
        let mut next = NodeId(0);
        // Up to here nodes belong to a comment or a review, which have authors and dates of their own.
        let mut aside_until = NodeId(0);
        while next.index() < document.len() {
            let id = next;
            next = NodeId(id.0 + 1);
            match document.kind(id) {
                NodeKind::Fragment => next = document.end(id),
                NodeKind::Element => {
                    if id >= aside_until && is_aside(document, id) {
                        aside_until = document.end(id);
                    }
                    self.element(id, id < aside_until);
                }
                _ => {}
            }
        }
    }

    fn element(&mut self, id: NodeId, aside: bool) {
        let document = self.document;
        match document.html_name(id) {
            Name::META => return self.meta(id, aside),
            Name::HTML => {
                self.offer(What::Language, 0, Source::Lang, document.attribute(id, Name::LANG).unwrap_or_default())
            }
            Name::TITLE if self.title.is_none() => self.title = self.text(id),
            Name::H1 if self.headings.len() < 8 => self.headings.extend(self.text(id)),
            Name::LINK if has_word(document, id, Name::REL, "canonical") => {
                self.offer(What::Url, 0, Source::Link, document.attribute(id, Name::HREF).unwrap_or_default());
            }
            Name::SCRIPT => return,
            Name::TIME if !aside => self.time(id),
            _ => {}
        }
        if aside {
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

    fn meta(&mut self, id: NodeId, aside: bool) {
        let document = self.document;
        let content = document.attribute(id, Name::CONTENT).unwrap_or_default();
        if content.trim().is_empty() {
            return;
        }
        if let Some(property) = document.attribute(id, Name::ITEMPROP)
            && !aside
        {
            self.microdata(id, property);
        }
        for key in [Name::PROPERTY, Name::NAME, Name::HTTP_EQUIV] {
            for key in document.attribute(id, key).unwrap_or_default().split_ascii_whitespace().take(4) {
                if let Some((what, rank, source)) = meaning(&key.to_ascii_lowercase()) {
                    self.offer(what, rank, source, content);
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
        self.offer(What::Date, if published { 5 } else { 6 + u8::from(updated) }, Source::Time, &value);
    }

    fn microdata(&mut self, id: NodeId, properties: &str) {
        for property in properties.split_ascii_whitespace().take(4) {
            let (what, rank) = match property {
                "headline" => (What::Title, 5),
                "author" | "creator" => (What::Author, 3),
                "datePublished" => (What::Date, 3),
                "dateCreated" => (What::Date, 4),
                "inLanguage" => (What::Language, 4),
                "description" => (What::Description, 5),
                _ => continue,
            };
            let value = self.property_value(id, what);
            match what {
                What::Author => self.byline(rank, Source::Microdata, value),
                _ => self.offer(what, rank, Source::Microdata, &value),
            }
        }
    }

    /// The value of a microdata property: an attribute, the name of the person it describes, or its text.
    fn property_value(&self, id: NodeId, what: What) -> String {
        let document = self.document;
        for name in [Name::CONTENT, Name::DATETIME] {
            if let Some(value) = document.attribute(id, name) {
                return value.to_string();
            }
        }
        let inner = document.descendants(id).take(MOST_NODES).filter(|_| what == What::Author);
        let name = inner.into_iter().find(|id| document.attribute(*id, Name::ITEMPROP) == Some("name"));
        let id = name.unwrap_or(id);
        document.attribute(id, Name::CONTENT).map(str::to_string).or_else(|| self.text(id)).unwrap_or_default()
    }

    /// Elements whose class says that they hold the author or the date, and little else.
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
                self.offer(What::Date, 8, Source::ClassName, &text);
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

    fn offer(&mut self, what: What, rank: u8, source: Source, value: &str) {
        if self.best[what as usize].as_ref().is_some_and(|(best, _)| *best <= rank) {
            return;
        }
        let value = match what {
            What::Author => author(value),
            What::Date => dates::iso_date(value),
            What::Language => language(value),
            What::Url | What::Kind => Some(value.trim().to_string()),
            _ => Some(plain(value)),
        };
        let Some(value) = value.filter(|value| !value.is_empty() && value.chars().count() <= MOST_CHARACTERS) else {
            return;
        };
        self.best[what as usize] = Some((rank, Field { value, source }));
    }

    /// The text of an element, white space collapsed; none where it has none. Long elements are not read to their end.
    fn text(&self, id: NodeId) -> Option<String> {
        let mut text = String::new();
        let mut unseen_until = id;
        for node in self.document.descendants(id).take(MOST_NODES) {
            if matches!(self.document.html_name(node), Name::SCRIPT | Name::STYLE) {
                unseen_until = self.document.end(node);
            }
            if node < unseen_until || !self.document.is_text(node) {
                // Words of two elements do not run together where one of them is a block, and hardly ever elsewhere.
                if self.document.is_element(node) && crate::dom::elements::is_block(self.document.html_name(node)) {
                    text.push(' ');
                }
                continue;
            }
            text.extend(self.document.text(node).chars().take(MOST_CHARACTERS + 1));
            if text.len() > MOST_CHARACTERS {
                break;
            }
        }
        let text = plain(&text);
        (!text.is_empty()).then_some(text)
    }

    fn finish(mut self) -> Metadata {
        let found = jsonld::read(jsonld::scripts(self.document));
        let said = [
            (What::Title, 2, found.title),
            (What::Author, 0, found.author),
            (What::Date, 0, found.date),
            (What::Language, 2, found.language),
            (What::SiteName, 2, found.site_name),
            (What::Description, 4, found.description),
            (What::Url, 3, found.url),
            (What::Kind, 0, found.kind),
        ];
        for (what, rank, value) in said {
            self.offer(what, rank, Source::JsonLd, value.as_deref().unwrap_or_default());
        }
        self.choose_byline();
        self.choose_title();
        self.date_of_address();
        let [title, author, date, language, site_name, description, canonical_url, page_kind] =
            self.best.map(|best| best.map(|(_, field)| field));
        Metadata { title, author, date, language, site_name, description, canonical_url, page_kind }
    }

    /// The people named by the best source among links, microdata and classes, unless they are too many to be the authors.
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
        if names.len() <= MOST_AUTHORS {
            // Classes and links repeat the name in longer texts; the first is the byline.
            let joined = if source == Source::Microdata { names.join("; ") } else { names[0].to_string() };
            self.offer(What::Author, rank, source, &joined);
        }
    }

    /// A heading that the page's other titles repeat is the title as a reader sees it, and so is the only one. Without one, the title
    /// loses the name of the site.
    fn choose_title(&mut self) {
        let known = |what: What| self.best[what as usize].as_ref().map(|(_, field)| field.value.as_str());
        let site = known(What::SiteName).unwrap_or_default().to_string();
        let host = known(What::Url).and_then(|url| url.split('/').nth(2)).unwrap_or_default().to_string();
        let titles = [self.title.as_deref(), known(What::Title)];
        let is_title = |heading: &String| {
            words(heading) != words(&site)
                && titles.iter().flatten().any(|title| part_that_is(title, heading).is_some())
        };
        let confirmed = self.headings.iter().find(|heading| is_title(heading)).cloned();
        self.offer(What::Title, 0, Source::Heading, confirmed.as_deref().unwrap_or_default());
        if self.headings.len() == 1 && words(&self.headings[0]) != words(&site) {
            let heading = self.headings[0].clone();
            self.offer(What::Title, 1, Source::Heading, &heading);
        }
        let title = self.title.take().unwrap_or_default();
        self.offer(What::Title, 7, Source::Title, &title);
        if let Some((_, field)) = &mut self.best[What::Title as usize] {
            field.value = without_site(&field.value, &site, &host).to_string();
        }
    }

    /// `/2024/03/05/` in the address of the page is a day by common custom.
    fn date_of_address(&mut self) {
        let Some((_, url)) = &self.best[What::Url as usize] else { return };
        let parts: Vec<&str> = url.value.split(['/', '?', '#']).collect();
        let is = |part: &str, digits: usize| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        let dated = parts.windows(3).find(|part| is(part[0], 4) && is(part[1], 2) && is(part[2], 2));
        if let Some(date) = dated.map(|part| part.join("-")) {
            self.offer(What::Date, 9, Source::Address, &date);
        }
    }
}

/// What a `<meta>` of a name speaks of, and how much it is believed.
fn meaning(key: &str) -> Option<(What, u8, Source)> {
    use Source::{DublinCore, Meta, OpenGraph};
    use What::{Author, Date, Description, Kind, Language, SiteName, Title, Url};
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

/// Whether an element holds comments, reviews or answers.
fn is_aside(document: &Document, id: NodeId) -> bool {
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

/// A text on one line: white space collapsed, and character references decoded that were written twice.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MOST_CHARACTERS));
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

/// The name in a byline; none for addresses, sentences and what is longer than names are.
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

/// A language tag; none for what is no such tag.
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
        // Regions are written in capitals, scripts with one.
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
