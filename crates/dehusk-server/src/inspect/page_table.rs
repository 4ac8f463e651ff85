//! One row for each page of a crawl, small enough for a hundred thousand of them in memory.

use super::page_store::Place;
use dehusk::SiteTemplates;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of an address or a title in a row. The page itself has all of it.
const MAX_TEXT: usize = 500;
/// The maximum number of flags that a table can distinguish; there are about twenty.
const MAX_FLAGS: usize = 32;

/// A page of the table. Shares are in thousandths, as output rows have three digits.
#[derive(Debug)]
pub(crate) struct PageRow {
    pub(super) site: u32,
    pub(super) url: Box<str>,
    pub(super) title: Box<str>,
    pub(super) confidence: Option<u16>,
    pub(super) kept: u32,
    pub(super) dropped: u32,
    pub(super) words: u32,
    pub(super) template: Option<u32>,
    pub(super) fit: Option<u16>,
    /// The number of its name.
    pub(super) page_type: Option<u8>,
    /// A bit for each name.
    pub(super) flags: u32,
    pub(super) error: Option<Box<PageError>>,
    /// Where the page is, if it could be read.
    pub(super) place: Option<Place>,
    /// Whether the figures are those of the end, with the templates of its site.
    pub(super) is_final: bool,
}

/// Why a page could not be cleaned.
#[derive(Debug)]
pub(crate) struct PageError {
    pub(super) kind: Box<str>,
    pub(super) message: Box<str>,
}

impl PageRow {
    /// The share of its text that was dropped, in thousandths; nothing if it failed.
    pub(super) fn dropped_share(&self) -> Option<u32> {
        let (dropped, all) = (u64::from(self.dropped), u64::from(self.kept) + u64::from(self.dropped));
        self.error.is_none().then(|| (dropped as f64 * 1000.0 / all.max(1) as f64).round() as u32)
    }
}

/// A row as `dehusk clean` writes it, as far as this table needs it.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct PageFigures {
    title: Option<String>,
    #[serde(rename = "text", default, deserialize_with = "count_words")]
    words: u32,
    confidence: Option<f64>,
    page_type: Option<String>,
    kept_characters: u64,
    dropped_characters: u64,
    template: Option<u32>,
    template_fit: Option<f64>,
    #[serde(default)]
    flags: Vec<String>,
    error: Option<String>,
    error_message: Option<String>,
}

impl PageFigures {
    /// Reads the line of an output row.
    pub(crate) fn of_line(line: &[u8]) -> PageFigures {
        // Lines are those of this process; one that cannot be read would be a fault of the program, and is shown as such.
        let fault = |error: serde_json::Error| PageFigures::of_error("internal", &error.to_string());
        serde_json::from_slice(line).unwrap_or_else(fault)
    }

    /// A page that could not be read.
    pub(crate) fn of_error(kind: &str, message: &str) -> PageFigures {
        PageFigures { error: Some(kind.into()), error_message: Some(message.into()), ..PageFigures::default() }
    }
}

/// The words of a text, which itself is not kept.
fn count_words<'de, D: Deserializer<'de>>(text: D) -> Result<u32, D::Error> {
    let text = Option::<String>::deserialize(text)?.unwrap_or_default();
    Ok(u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX))
}

/// A site of the table.
#[derive(Debug)]
pub(crate) struct SiteRow {
    pub(super) name: Arc<str>,
    /// How many pages its templates were learned from, and how many kinds of pages they have.
    pub(super) template_pages: u32,
    pub(super) templates: u32,
    /// Where its template file is.
    pub(super) place: Option<Place>,
}

/// All rows, in the order of the input.
#[derive(Debug, Default)]
pub(crate) struct PageTable {
    pub(super) rows: Vec<PageRow>,
    pub(super) sites: Vec<SiteRow>,
    site_numbers: HashMap<Arc<str>, u32>,
    pub(super) types: Names,
    pub(super) flags: Names,
}

impl PageTable {
    /// Adds the next page.
    pub(crate) fn add(
        &mut self,
        site: &str,
        url: &str,
        figures: PageFigures,
        place: Option<Place>,
        is_final: bool,
    ) -> usize {
        let site = self.add_site(site);
        let row = PageRow {
            site,
            url: cut(url),
            title: Box::default(),
            confidence: None,
            kept: 0,
            dropped: 0,
            words: 0,
            template: None,
            fit: None,
            page_type: None,
            flags: 0,
            error: None,
            place,
            is_final,
        };
        self.rows.push(row);
        self.update(self.rows.len() - 1, figures, is_final);
        self.rows.len() - 1
    }

    /// Replaces the figures of a page.
    pub(crate) fn update(&mut self, number: usize, figures: PageFigures, is_final: bool) {
        let flags =
            figures.flags.iter().filter_map(|flag| self.flags.number(flag)).fold(0, |bits, bit| bits | 1 << bit);
        let page_type = figures.page_type.as_ref().and_then(|name| self.types.number(name));
        let Some(row) = self.rows.get_mut(number) else { return };
        let title = figures.title.as_deref().unwrap_or_default();
        // The second pass finds the same title for most pages, which then need no new text.
        if *row.title != *title {
            row.title = cut(title);
        }
        row.confidence = figures.confidence.map(thousandths);
        row.kept = u32::try_from(figures.kept_characters).unwrap_or(u32::MAX);
        row.dropped = u32::try_from(figures.dropped_characters).unwrap_or(u32::MAX);
        row.words = figures.words;
        row.template = figures.template;
        row.fit = figures.template_fit.map(thousandths);
        row.page_type = page_type;
        row.flags = flags;
        row.error = figures.error.map(|kind| {
            let message = figures.error_message.unwrap_or_default();
            Box::new(PageError { kind: kind.into(), message: cut(&message) })
        });
        row.is_final = is_final;
    }

    /// The number of a site, which is new if it is unknown.
    fn add_site(&mut self, name: &str) -> u32 {
        if let Some(number) = self.site_numbers.get(name) {
            return *number;
        }
        let name: Arc<str> = name.into();
        let number = self.sites.len() as u32;
        self.sites.push(SiteRow { name: name.clone(), template_pages: 0, templates: 0, place: None });
        self.site_numbers.insert(name, number);
        number
    }

    /// Says which templates a site has, and where they are if they were learned here.
    pub(crate) fn set_templates(&mut self, site: &str, templates: &SiteTemplates, place: Option<Place>) {
        if let Some(number) = self.site(site) {
            let row = &mut self.sites[number as usize];
            (row.template_pages, row.templates) = (templates.pages(), templates.templates().len() as u32);
            row.place = place;
        }
    }

    /// The number of a site.
    pub(crate) fn site(&self, name: &str) -> Option<u32> {
        self.site_numbers.get(name).copied()
    }

    /// The row of a page as JSON.
    pub(crate) fn row_json(&self, number: usize) -> Value {
        let Some(row) = self.rows.get(number) else { return Value::Null };
        let flags = self.flags.list.iter().enumerate().filter(|(bit, _)| row.flags >> bit & 1 == 1);
        json!({
            "number": number,
            "url": row.url,
            "site": self.sites[row.site as usize].name,
            "title": row.title,
            "confidence": row.confidence.map(share),
            "dropped": row.dropped_share().map(share),
            "words": row.words,
            "kept_characters": row.kept,
            "dropped_characters": row.dropped,
            "page_type": row.page_type.map(|number| &self.types.list[usize::from(number)]),
            "template": row.template,
            "fit": row.fit.map(share),
            "flags": flags.map(|(_, name)| name).collect::<Vec<_>>(),
            "error": row.error.as_ref().map(|error| &error.kind),
            "error_message": row.error.as_ref().map(|error| &error.message),
            "final": row.is_final,
        })
    }
}

/// A few names, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(super) list: Vec<String>,
}

impl Names {
    /// The number of a name, which is new if it is unknown.
    fn number(&mut self, name: &str) -> Option<u8> {
        let known = self.find(name);
        if known.is_none() && self.list.len() < MAX_FLAGS {
            self.list.push(name.to_string());
            return Some(self.list.len() as u8 - 1);
        }
        known
    }

    pub(super) fn find(&self, name: &str) -> Option<u8> {
        self.list.iter().position(|known| known == name).map(|number| number as u8)
    }
}

/// A number between 0 and 1 in thousandths.
fn thousandths(number: f64) -> u16 {
    (number * 1000.0).round().clamp(0.0, 1000.0) as u16
}

/// Thousandths as a number between 0 and 1.
pub(super) fn share(thousandths: impl Into<u32>) -> f64 {
    f64::from(thousandths.into()) / 1000.0
}

/// The start of a text.
fn cut(text: &str) -> Box<str> {
    if text.len() <= MAX_TEXT {
        return text.into();
    }
    let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}…", &text[..end]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_output_row() {
        let line = json!({
            "title": "Nets", "text": "Nets are mended in May.", "confidence": 0.917, "page_type": "article", "kept_characters": 30,
            "dropped_characters": 10, "template": 2, "template_fit": 0.801, "flags": ["no_content", "truncated"],
            "error": null, "error_message": null,
        });
        let mut table = PageTable::default();
        table.add("a.example", "http://a.example/1", PageFigures::of_error("bad_json", "line 1"), None, true);
        table.add("a.example", "http://a.example/2", PageFigures::of_line(line.to_string().as_bytes()), None, false);
        let row = table.row_json(1);
        for (key, value) in [("confidence", 0.917), ("fit", 0.801), ("dropped", 0.25)] {
            assert_eq!(row[key], value);
        }
        assert_eq!((&row["words"], &row["template"], &row["page_type"]), (&json!(5), &json!(2), &json!("article")));
        assert_eq!(row["flags"], json!(["no_content", "truncated"]));
        assert_eq!(row["final"], false);
        let failed = table.row_json(0);
        assert_eq!(
            (&failed["error"], &failed["confidence"], &failed["dropped"]),
            (&json!("bad_json"), &Value::Null, &Value::Null)
        );
        // Figures are replaced as a whole.
        table.update(1, PageFigures::of_line(b"{\"kept_characters\":1,\"dropped_characters\":0}"), true);
        let row = table.row_json(1);
        assert_eq!((&row["title"], &row["flags"], &row["template"]), (&json!(""), &json!([]), &Value::Null));
        assert_eq!((table.sites.len(), table.row_json(9)), (1, Value::Null));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("kurz").as_ref(), "kurz");
        let long = cut(&"ä".repeat(1000));
        assert!(long.ends_with("ä…") && long.len() <= MAX_TEXT + 3);
        assert!(size_of::<PageRow>() <= 112);
    }

    #[test]
    fn a_line_that_is_none_is_an_error_of_the_page() {
        assert_eq!(PageFigures::of_line(b"{").error.as_deref(), Some("internal"));
    }
}
