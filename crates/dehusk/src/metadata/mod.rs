//! The metadata of a page: title, author, date, language, site, description, URL, type.
//!
//! Input: a [`Document`]. Output: [`Metadata`], each field with the source of its value. If several sources name a field, the
//! ranks in `collect.rs` decide. Metadata is collected only on request, and nothing is inferred from running text. The work is
//! linear in the page.

mod collect;
pub(crate) mod dates;
pub(crate) mod json_ld;
mod language;
mod titles;

use crate::dom::Document;
use crate::json::JsonWriter;
pub(crate) use language::detect_language;
use std::fmt::Write;
pub(crate) use titles::{PageTitles, words as title_words};

/// The metadata of a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Metadata {
    /// The title, without the name of the site if that was recognized.
    pub title: Option<MetadataField>,
    /// The authors, joined by `; `.
    pub author: Option<MetadataField>,
    /// The date of publication as ISO 8601: the day, or only the month or year if no more is known.
    pub date: Option<MetadataField>,
    /// The language that the page declares, as a BCP 47 tag, such as `en` or `pt-BR`.
    pub language: Option<MetadataField>,
    /// The language of the content, detected from its text, as a BCP 47 tag. `None` if the text is too short to tell.
    pub detected_language: Option<MetadataField>,
    /// The name of the site.
    pub site_name: Option<MetadataField>,
    /// A short description of the page.
    pub description: Option<MetadataField>,
    /// The canonical URL, as written: it may be relative.
    pub canonical_url: Option<MetadataField>,
    /// The type of the page by schema.org, such as `NewsArticle` or `Product`, or by Open Graph, such as `article`.
    pub page_kind: Option<MetadataField>,
}

/// A value and its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MetadataField {
    /// The value, with white space collapsed.
    pub value: String,
    /// The source with the lowest rank.
    pub source: MetadataSource,
}

/// The source of a metadata value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum MetadataSource {
    /// `<script type="application/ld+json">`.
    JsonLd,
    /// `<meta property="og:…">` and `article:…`.
    OpenGraph,
    /// `<meta name="dc.…">` and `dcterms.…`.
    DublinCore,
    /// Any other `<meta>`.
    Meta,
    /// `itemprop` attributes.
    Microdata,
    /// `<time>`.
    Time,
    /// The `lang` attribute of `<html>`.
    Lang,
    /// `rel="author"`.
    RelAuthor,
    /// `<title>`.
    Title,
    /// A heading.
    Heading,
    /// `<link rel="canonical">`.
    Link,
    /// An element with a telling class, such as `byline`.
    ClassName,
    /// The canonical URL of the page.
    PageUrl,
    /// The text of the content.
    Text,
}

impl MetadataSource {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            MetadataSource::JsonLd => "json_ld",
            MetadataSource::OpenGraph => "open_graph",
            MetadataSource::DublinCore => "dublin_core",
            MetadataSource::Meta => "meta",
            MetadataSource::Microdata => "microdata",
            MetadataSource::Time => "time",
            MetadataSource::Lang => "lang",
            MetadataSource::RelAuthor => "rel_author",
            MetadataSource::Title => "title",
            MetadataSource::Heading => "heading",
            MetadataSource::Link => "link",
            MetadataSource::ClassName => "class_name",
            MetadataSource::PageUrl => "address",
            MetadataSource::Text => "text",
        }
    }
}

/// Collects the metadata of a page. The language of its content is not detected here, since this needs to know what the content is.
pub fn metadata(document: &Document) -> Metadata {
    collect::collect(document)
}

impl Metadata {
    /// The names of the fields, in the order of [`Metadata::fields`].
    pub const NAMES: [&'static str; 9] = [
        "title",
        "author",
        "date",
        "language",
        "detected_language",
        "site_name",
        "description",
        "canonical_url",
        "page_kind",
    ];

    /// All fields with their names, in a fixed order.
    pub fn fields(&self) -> [(&'static str, Option<&MetadataField>); 9] {
        let fields = [
            &self.title,
            &self.author,
            &self.date,
            &self.language,
            &self.detected_language,
            &self.site_name,
            &self.description,
            &self.canonical_url,
            &self.page_kind,
        ];
        std::array::from_fn(|at| (Self::NAMES[at], fields[at].as_ref()))
    }

    /// A JSON object with the value of every field, null if nothing was found, and `sources`, an object with the source of each.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut json = JsonWriter::new(&mut out);
        json.open('{');
        for (name, field) in self.fields() {
            json.key(name);
            match field {
                Some(field) => json.string(&field.value),
                None => json.null(),
            }
        }
        json.key("sources").open('{');
        for (name, field) in self.fields() {
            if let Some(field) = field {
                json.key(name).string(field.source.name());
            }
        }
        json.close('}');
        json.close('}');
        out
    }

    /// The fields that were found as YAML front matter, between lines of `---`. Values are JSON strings, which are valid YAML, so
    /// no title can break it. Renderers of Markdown that do not know front matter show it as text, so it holds no tags and links. Empty
    /// if nothing was found.
    pub fn front_matter(&self) -> String {
        let mut out = String::new();
        for (name, field) in self.fields() {
            let Some(field) = field else { continue };
            let mut value = String::new();
            JsonWriter::new(&mut value).string(&field.value);
            let value = value.replace('<', "\\u003c").replace("](", "]\\u0028");
            let _ = writeln!(out, "{name}: {value}");
        }
        if out.is_empty() { out } else { format!("---\n{out}---\n\n") }
    }
}

#[cfg(test)]
mod tests;
