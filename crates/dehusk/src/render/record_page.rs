//! The records of a page as Markdown.
//!
//! Input: the groups of a page. Output: a section for each, as a table, a list of links, or a heading and the text of each record. The
//! records are written as a small page first, so that the renderer of Markdown escapes them as it does any page.

use super::markdown::render_markdown;
use super::render_options::RenderOptions;
use crate::detection::{Detection, Detectors};
use crate::dom::escape::append_escaped;
use crate::dom::{Limits, Parser};
use crate::records::{PageRecords, Record, RecordGroup, RecordKind};

/// Maximum number of columns of a table, and of characters of a cell: more does not fit a line that people read.
const TABLE_COLUMNS: usize = 12;
const TABLE_CHARACTERS: usize = 160;

/// The groups that are content.
#[must_use]
pub fn content_records(mut records: PageRecords) -> PageRecords {
    records.groups.retain(|group| group.is_content);
    records
}

/// Renders the records of a page as Markdown, under a heading with this title. Empty if there are none.
///
/// Rows and short items are tables, links are lists; posts and longer items have a heading each.
#[must_use]
pub fn render_records_markdown(title: &str, records: &PageRecords) -> String {
    if records.groups.is_empty() {
        return String::new();
    }
    let mut page = RecordPage::default();
    page.element("h1", title);
    for group in &records.groups {
        page.group(group);
    }
    // Not longer than the records, which the limits of their own page bound.
    let limits = Limits { bytes: usize::MAX, nodes: usize::MAX, work: u64::MAX, ..Limits::default() };
    let Ok(document) = Parser::new(limits).parse(&page.html) else { return String::new() };
    let detection = Detection::keep_all(Detectors::NONE, &document);
    render_markdown(&document, &detection, RenderOptions::default())
}

/// A page that shows records.
#[derive(Default)]
struct RecordPage {
    html: String,
}

impl RecordPage {
    fn group(&mut self, group: &RecordGroup) {
        let [title, url, image, author, date] =
            ["title", "url", "image", "author", "date"].map(|name| group.columns.iter().position(|own| own == name));
        let places = Places { title, url, image, author, date };
        self.element("h2", &format!("{} {}", group.records.len(), group.kind.name()));
        match group.kind {
            RecordKind::Links => self.list(group, &places),
            RecordKind::Posts => self.headed(group, &places),
            _ if is_table(group) => self.table(group, &places),
            _ => self.headed(group, &places),
        }
    }

    fn list(&mut self, group: &RecordGroup, places: &Places) {
        self.html.push_str("<ul>");
        for record in &group.records {
            self.html.push_str("<li>");
            self.linked(&one_line(&record.text), first(record, places.url));
            self.html.push_str("</li>");
        }
        self.html.push_str("</ul>");
    }

    /// A column for each column but the URLs, which go with the titles if there are any.
    fn table(&mut self, group: &RecordGroup, places: &Places) {
        let is_shown = |column: usize| places.title.is_none() || Some(column) != places.url;
        let columns: Vec<usize> = (0..group.columns.len()).filter(|column| is_shown(*column)).collect();
        self.html.push_str("<table><thead><tr>");
        for column in &columns {
            self.element("th", &group.columns[*column]);
        }
        self.html.push_str("</tr></thead><tbody>");
        for record in &group.records {
            self.html.push_str("<tr>");
            for column in &columns {
                self.html.push_str("<td>");
                self.cell(record, *column, places);
                self.html.push_str("</td>");
            }
            self.html.push_str("</tr>");
        }
        self.html.push_str("</tbody></table>");
    }

    fn cell(&mut self, record: &Record, column: usize, places: &Places) {
        for (number, value) in record.values(column).iter().enumerate() {
            if number > 0 {
                self.html.push_str(", ");
            }
            match () {
                () if Some(column) == places.title => self.linked(&one_line(value), first(record, places.url)),
                () if Some(column) == places.url => self.linked(value, Some(value)),
                () if Some(column) == places.image => self.image(value),
                () => append_escaped(&one_line(value), &mut self.html),
            }
        }
    }

    /// A heading for each record (its title, or who wrote it and when) and its text, without what the heading says.
    fn headed(&mut self, group: &RecordGroup, places: &Places) {
        for (number, record) in group.records.iter().enumerate() {
            let parts = [places.title, places.author, places.date];
            let mut said: Vec<String> = parts.iter().filter_map(|place| first(record, *place)).map(one_line).collect();
            let heading = if said.is_empty() { (number + 1).to_string() } else { said.join(", ") };
            self.html.push_str("<h3>");
            self.linked(&heading, first(record, places.url).filter(|_| places.title.is_some()));
            self.html.push_str("</h3>");
            for line in record.text.lines() {
                if !is_said(line, &mut said) {
                    self.element("p", line);
                }
            }
        }
    }

    fn linked(&mut self, text: &str, url: Option<&str>) {
        match url {
            Some(url) => {
                self.html.push_str("<a href=\"");
                append_escaped(url, &mut self.html);
                self.html.push_str("\">");
                append_escaped(if text.is_empty() { url } else { text }, &mut self.html);
                self.html.push_str("</a>");
            }
            None => append_escaped(text, &mut self.html),
        }
    }

    fn image(&mut self, url: &str) {
        self.html.push_str("<img alt=\"\" src=\"");
        append_escaped(url, &mut self.html);
        self.html.push_str("\">");
    }

    fn element(&mut self, name: &str, text: &str) {
        self.html.extend(["<", name, ">"]);
        append_escaped(text, &mut self.html);
        self.html.extend(["</", name, ">"]);
    }
}

/// The columns of a known meaning, by number.
struct Places {
    title: Option<usize>,
    url: Option<usize>,
    image: Option<usize>,
    author: Option<usize>,
    date: Option<usize>,
}

/// The first value of a column, if it has text.
fn first(record: &Record, column: Option<usize>) -> Option<&str> {
    let value = record.values(column?).first()?;
    (!value.trim().is_empty()).then_some(value)
}

/// Whether a group fits a table: rows of a table do unless they have very many columns, other records if their values are short, too.
fn is_table(group: &RecordGroup) -> bool {
    let is_short = |record: &Record| {
        let values = record.fields.iter().flat_map(|field| &field.values);
        values.map(|value| value.chars().count()).all(|length| length <= TABLE_CHARACTERS)
    };
    group.columns.len() <= TABLE_COLUMNS && (group.kind == RecordKind::Rows || group.records.iter().all(is_short))
}

/// Whether a line has nothing but parts that the heading says, each once.
fn is_said(line: &str, parts: &mut Vec<String>) -> bool {
    let mut left = one_line(line);
    let mut unsaid = Vec::new();
    for part in parts.iter() {
        match left.find(part.as_str()) {
            Some(at) => left.replace_range(at..at + part.len(), " "),
            None => unsaid.push(part.clone()),
        }
    }
    let is_said = unsaid.len() < parts.len() && !left.contains(char::is_alphanumeric);
    if is_said {
        *parts = unsaid;
    }
    is_said
}

fn one_line(text: impl AsRef<str>) -> String {
    text.as_ref().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{content_records, render_records_markdown};
    use crate::detection::{Detection, Detectors};
    use crate::dom::{Limits, Parser};
    use crate::records::find_records;

    fn markdown(page: &str) -> String {
        let document = Parser::new(Limits::default()).parse(page).unwrap();
        let detection = Detection::keep_all(Detectors::NONE, &document);
        let records = find_records(&document, &detection, Some("https://a.example/shop/"));
        render_records_markdown("Shop", &content_records(records))
    }

    #[test]
    fn records_become_tables_lists_and_headed_texts() {
        let card = |name: &str, price: &str| {
            format!("<li><h3><a href={price}>{name}</a></h3><p>hemp | by hand</p><b>€ {price}</b></li>")
        };
        let cards = [card("Cod net", "40"), card("Herring *net*", "35"), card("Eel trap", "28")].concat();
        let table = markdown(&format!("<ul>{cards}</ul>"));
        assert!(table.starts_with("# Shop\n\n## 3 items\n\n|"), "{table}");
        assert!(table.contains("| [Cod net](https://a.example/shop/40) | € 40 | hemp \\| by hand |"), "{table}");
        assert!(table.contains("\\*net\\*"), "{table}");
        let long =
            "Whoever has hands to spare sits on the quay, and the old ones tell how it was done before. ".repeat(3);
        let post = |name: &str| format!("<div><h4>{name}</h4><p>{long}</p><p>More by {name}.</p></div>");
        let headed = markdown(&["Ada", "Bo", "Cy"].map(post).concat());
        assert!(headed.contains("### Bo\n\nWhoever"), "{headed}");
        assert_eq!(headed.matches("Bo").count(), 2, "{headed}");
        assert_eq!(markdown("<p>One text alone.</p>"), "");
    }
}
