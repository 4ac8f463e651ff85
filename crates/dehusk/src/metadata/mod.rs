//! What a page says about itself: title, author, date, language, site, description, address, kind.
//!
//! Takes a [`Document`] and returns [`Metadata`], each field with the source it was taken from. Several sources may name a field;
//! the order they are believed in stands in `collect.rs`. Nothing here is run unless it is asked for, and nothing is guessed
//! from running text. The work is linear in the page.

mod collect;
mod dates;
pub(crate) mod jsonld;
mod titles;

use crate::dom::Document;
use crate::json::JsonWriter;
use std::fmt::Write;

/// What a page says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Metadata {
    /// The title, without the name of the site where that could be told apart.
    pub title: Option<Field>,
    /// The authors, joined by `; `.
    pub author: Option<Field>,
    /// The day of publication as ISO 8601, or its month or year where no more is said.
    pub date: Option<Field>,
    /// The language as a BCP 47 tag, such as `en` or `pt-BR`.
    pub language: Option<Field>,
    /// The name of the site.
    pub site_name: Option<Field>,
    /// The page in a sentence or two.
    pub description: Option<Field>,
    /// The address the page wants to be known under, as written: it may be relative.
    pub canonical_url: Option<Field>,
    /// What the page is: a type of schema.org such as `NewsArticle` or `Product`, or of Open Graph such as `article`.
    pub page_kind: Option<Field>,
}

/// A value and where it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The value, white space collapsed.
    pub value: String,
    /// The source that won.
    pub source: MetadataSource,
}

/// Where a value was found.
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
    /// An element whose class says what it holds, such as `byline`.
    ClassName,
    /// The address of the page, as it names it itself.
    Address,
}

impl MetadataSource {
    /// Its name, as in records.
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
            MetadataSource::Address => "address",
        }
    }
}

/// What a page says about itself.
pub fn metadata(document: &Document) -> Metadata {
    collect::collect(document)
}

impl Metadata {
    /// The names of the fields, in the order of [`Metadata::fields`].
    pub const NAMES: [&'static str; 8] =
        ["title", "author", "date", "language", "site_name", "description", "canonical_url", "page_kind"];

    /// All fields with their names, in a fixed order.
    pub fn fields(&self) -> [(&'static str, Option<&Field>); 8] {
        let fields = [
            &self.title,
            &self.author,
            &self.date,
            &self.language,
            &self.site_name,
            &self.description,
            &self.canonical_url,
            &self.page_kind,
        ];
        std::array::from_fn(|at| (Self::NAMES[at], fields[at].as_ref()))
    }

    /// A JSON object with the value of every field, null where nothing was found, and `sources`, which names where each was found.
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

    /// The fields that were found as a front matter in YAML: a block between lines of `---`. Values are in quotes, as JSON strings,
    /// which YAML reads the same, so that no title can break it. Nothing where nothing was found.
    pub fn front_matter(&self) -> String {
        let mut out = String::new();
        for (name, field) in self.fields() {
            let Some(field) = field else { continue };
            let mut value = String::new();
            JsonWriter::new(&mut value).string(&field.value);
            let _ = writeln!(out, "{name}: {value}");
        }
        if out.is_empty() { out } else { format!("---\n{out}---\n\n") }
    }
}

#[cfg(test)]
mod tests;
