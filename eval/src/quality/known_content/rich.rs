//! Structured documents in the pages of real sites: Markdown turned back into HTML, compared with the HTML that was put in.

use super::bag::Bag;
use super::outputs::{Pages, Way};
use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::markdown::{elements, is_heading, parse_markdown, text_in};
use crate::shared::report::table;
use crate::shared::site_pages::text_of;
use dehusk::{Options, OutputFormat};
use dehusk_train::{WordMeasures, measure_words};
use scraper::{ElementRef, Html};
use serde_json::Value;
use std::path::Path;

const PARTS: [&str; 7] = ["words", "headings", "code blocks", "table rows", "list items", "paragraphs", "links"];

/// The parts of a document, a bag for each of [`PARTS`].
type Parts = [Bag; PARTS.len()];

/// Sums over all pages.
#[derive(Default)]
struct Sums {
    /// For each of [`PARTS`]: how many are right, in the output, and in the document.
    parts: [[usize; 3]; PARTS.len()],
    /// Pages with a heading for the title, and those with it in the output.
    titles: usize,
    titles_kept: usize,
}

pub(super) fn measure(data: &Data, work: &Path) -> Result<String, Stop> {
    let pages = Pages::read(data.list("rich", ".jsonl.zst")?)?;
    let mut rows = Vec::new();
    for way in Way::ALL {
        let mut sums = Sums::default();
        let texts = pages.run(way, OutputFormat::Markdown, Options::new(), work)?;
        pages.list.iter().zip(&texts).for_each(|(page, markdown)| sums.add(&page.record, markdown));
        rows.push(sums.row(way));
    }
    let head: Vec<&str> = ["command"].into_iter().chain(PARTS).chain(["pages with their title heading"]).collect();
    Ok(format!(
        "## Structured documents in real pages\n\n{}\n`rich`, {} pages: the Markdown output, turned into HTML by pulldown-cmark, against \
         the HTML that was put in. F1 of multisets, summed over pages. Code blocks count whole, table rows by all their cells, links by \
         text and address. A heading with the title that the document does not have is not compared.\n",
        table(&head, &rows),
        pages.list.len()
    ))
}

impl Sums {
    fn add(&mut self, record: &Value, markdown: &str) {
        let (output, document) = (parse_markdown(markdown), Html::parse_fragment(&text_of(record, "content_html")));
        let title = text_of(record, "title").split_whitespace().collect::<Vec<_>>().join(" ");
        let titles =
            |html| elements(html).filter(|element| is_heading(*element) && text_in(*element) == title).collect();
        let (in_output, in_document): (Vec<ElementRef<'_>>, Vec<ElementRef<'_>>) = (titles(&output), titles(&document));
        if record["heading"] == true {
            self.titles += 1;
            self.titles_kept += !in_output.is_empty() as usize;
        }
        let left_out = if in_output.len() > in_document.len() { in_output.first() } else { None };
        let (kept, wanted) = (parts(&output, left_out.copied()), parts(&document, None));
        for (sum, (kept, wanted)) in self.parts.iter_mut().zip(kept.iter().zip(&wanted)) {
            let counts = [kept.shared(wanted), kept.len(), wanted.len()];
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }

    fn row(&self, way: Way) -> Vec<String> {
        let f1 =
            |[right, kept, wanted]: &[usize; 3]| format!("{:.4}", WordMeasures::of_counts(*right, *kept, *wanted).f1);
        let f1 = self.parts.iter().map(f1);
        let titles = format!("{} of {}", self.titles_kept, self.titles);
        [way.name().to_string()].into_iter().chain(f1).chain([titles]).collect()
    }
}

/// The parts of a document, without its title heading if that is not to be compared.
fn parts(html: &Html, left_out: Option<ElementRef<'_>>) -> Parts {
    let [_, mut headings, mut code, mut rows, mut items, mut paragraphs, mut links] = Parts::default();
    let is_left_out = |element: ElementRef<'_>| {
        left_out.is_some_and(|left_out| left_out == element || element.ancestors().any(|outer| outer == *left_out))
    };
    let mut words: Bag = measure_words(&text_in(html.root_element())).into_iter().collect();
    let title_words = left_out.map(|title| measure_words(&text_in(title))).unwrap_or_default();
    title_words.iter().for_each(|word| words.remove(word));
    for element in elements(html).filter(|element| !is_left_out(*element)) {
        let text = || text_in(element);
        match element.value().name() {
            "pre" => code.add(element.text().collect::<String>().trim().to_string()),
            "tr" => rows.add(cells(element).join("\t")),
            "li" => items.add(text()),
            "p" => paragraphs.add(text()),
            "a" if !text().is_empty() => {
                links.add(format!("{}\t{}", text(), element.value().attr("href").unwrap_or_default()));
            }
            _ if is_heading(element) => headings.add(text()),
            _ => {}
        }
    }
    [words, headings, code, rows, items, paragraphs, links]
}

fn cells(row: ElementRef<'_>) -> Vec<String> {
    let cells = row.child_elements().filter(|cell| matches!(cell.value().name(), "td" | "th"));
    cells.map(text_in).collect()
}
