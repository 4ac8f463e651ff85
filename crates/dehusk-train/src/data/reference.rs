//! Pages with reference texts: a labelled corpus says what the content of each page is. Fusion and page types learn from it.
//!
//! Takes JSON lines or Parquet, returns all pages in memory. Does not label them: that is done in `labels/`.

use crate::data::read_pages::{id_of, read_pages};
use dehusk::Limits;
use dehusk::dom::decode;
use dehusk_io::{Error, Fault, FaultKind, InputPage, ReadOptions};
use std::path::PathBuf;

/// A page and its reference text.
#[derive(Clone, Debug, Default)]
pub struct ReferencePage {
    /// Its name in the corpus.
    pub id: String,
    /// Its address.
    pub url: String,
    /// Its type, such as `article`; empty where the corpus has none.
    pub page_type: String,
    /// Its source.
    pub html: String,
    /// Its content as plain text, with an empty line between paragraphs.
    pub content: String,
    /// The comments of its readers as plain text, if the corpus says which they are.
    pub comments: Option<String>,
}

/// Where reference pages are read from.
#[derive(Clone, Debug)]
pub struct ReferenceInputs {
    /// JSON lines or Parquet files, or folders of them.
    pub inputs: Vec<PathBuf>,
    /// How they are read: the columns of address, page and id.
    pub read: ReadOptions,
    /// The column with the reference text.
    pub content_column: String,
    /// The column with the page type. It may be absent.
    pub page_type_column: String,
    /// The column with the comments of readers. It may be absent.
    pub comments_column: String,
}

impl ReferencePage {
    /// The name under which pages of one site are kept together. A page without address is a site of its own.
    pub(crate) fn site(&self) -> String {
        if self.url.is_empty() {
            self.id.trim_end_matches("-bare").trim_end_matches("-renamed").to_string()
        } else {
            site_of(&self.url)
        }
    }
}

/// The site of an address: the last two parts of the host, or three where the ending has two parts.
///
/// Not the registered domain of `SiteBy::Domain`: the folds that the published figures were measured with were made by this rule, and other
/// folds would give other figures.
fn site_of(url: &str) -> String {
    let host = url.split("://").nth(1).unwrap_or(url).split(['/', '?', '#', ':']).next().unwrap_or_default();
    let parts: Vec<&str> = host.split('.').collect();
    // `example.co.uk` is a site, `co.uk` is not: a part of up to three letters before the last one belongs to the ending.
    let keep = if parts.len() > 2 && parts[parts.len() - 2].len() <= 3 { 3 } else { 2 };
    parts[parts.len().saturating_sub(keep)..].join(".").to_lowercase()
}

/// Paragraphs of plain text as HTML: the body of a page that is made of a text.
pub(crate) fn paragraphs_to_html<'a>(paragraphs: impl Iterator<Item = &'a str>) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    paragraphs.map(|text| format!("<p>{}</p>\n", escape(text))).collect()
}

impl ReferenceInputs {
    /// Some inputs with the usual columns: `id`, `url`, `html`, `main_content`, `page_type`, `comments`.
    #[must_use]
    pub fn new(inputs: Vec<PathBuf>) -> ReferenceInputs {
        ReferenceInputs {
            inputs,
            read: ReadOptions::default(),
            content_column: "main_content".into(),
            page_type_column: "page_type".into(),
            comments_column: "comments".into(),
        }
    }

    /// Reads all pages into memory. Those that cannot be read or have no reference text are left out and given to `skipped`.
    ///
    /// # Errors
    /// If an input cannot be opened, or no page is left.
    pub fn pages(&self, skipped: impl FnMut(&Fault)) -> Result<Vec<ReferencePage>, Error> {
        read_pages(&self.inputs, &self.read_with(&[]), skipped, |record| self.page(&record))
    }

    /// How the columns of reference pages are read, and some more after them.
    pub(crate) fn read_with(&self, more: &[&str]) -> ReadOptions {
        let own = [&self.content_column, &self.page_type_column, &self.comments_column];
        let carried = own.into_iter().cloned().chain(more.iter().map(|name| name.to_string()));
        self.read.clone().with_carry(carried.collect())
    }

    pub(crate) fn page(&self, record: &InputPage) -> Result<ReferencePage, Fault> {
        let text = |at: usize| record.carried.get(at).and_then(|(_, value)| value.as_text());
        let Some(content) = text(0) else {
            let message = format!("no reference text under the key \"{}\"", self.content_column);
            return Err(Fault::new(record.location.clone(), FaultKind::MissingColumn, message));
        };
        let page_type = text(1).unwrap_or_default();
        let comments = text(2);
        let id = id_of(record);
        let html = match decode(&record.html, record.content_type.as_deref(), &Limits::default()) {
            Ok(decoded) => decoded.text.into_owned(),
            Err(error) => return Err(Fault::new(record.location.clone(), FaultKind::NotHtml, error.to_string())),
        };
        Ok(ReferencePage { id, url: record.url.clone(), page_type, html, content, comments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_of_an_address_is_its_domain() {
        let site =
            |url: &str| ReferencePage { id: "7-bare".into(), url: url.into(), ..ReferencePage::default() }.site();
        assert_eq!(site("https://Blog.harbour.example:80/b?c"), "harbour.example");
        assert_eq!(site("http://shop.example.co.uk"), "example.co.uk");
        assert_eq!(site(""), "7");
    }

    #[test]
    fn pages_are_read_from_named_columns_and_bad_lines_are_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.jsonl");
        let lines = concat!(
            "{\"id\": 7, \"url\": \"https://a.example/\", \"html\": \"<p>One\", \"main_content\": \"One\", \"kind\": \"article\"}\n",
            "not json\n",
            "{\"url\": \"https://b.example/\", \"html\": \"<p>Two\"}\n",
            "{\"url\": \"https://c.example/\", \"html\": \"<p>Three\", \"main_content\": \"\"}\n",
        );
        std::fs::write(&path, lines).unwrap();
        let inputs = ReferenceInputs { page_type_column: "kind".into(), ..ReferenceInputs::new(vec![path]) };
        let mut faults = Vec::new();
        let pages = inputs.pages(|fault| faults.push(fault.to_string())).unwrap();
        assert_eq!((pages.len(), faults.len()), (2, 2));
        assert_eq!(
            (pages[0].id.as_str(), pages[0].page_type.as_str(), pages[0].content.as_str()),
            ("7", "article", "One")
        );
        assert_eq!((pages[1].page_type.as_str(), pages[1].content.as_str()), ("", ""));
        assert!(faults[1].contains("\"main_content\""), "{}", faults[1]);
        let inputs = ReferenceInputs { content_column: "text".into(), ..inputs };
        assert!(inputs.pages(|_| {}).unwrap_err().to_string().contains("\"text\""));
    }
}
