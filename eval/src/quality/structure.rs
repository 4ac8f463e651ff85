//! What belongs together is kept together: tables, code, titles, headings and posts of wcxb-dev and of sites.

use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::markdown::{elements, is_heading, parse_markdown, text_in};
use crate::shared::report::{Results, table};
use dehusk::dom::elements::{heading_level, is_hidden, is_never_shown, is_preformatted, is_replaced};
use dehusk::dom::{Document, Name, NodeId};
use dehusk::site::{SiteLevelLearner, page_evidence};
use dehusk::{Extraction, Extractor, Options, OutputFormat, Page, Scratch, SiteTemplates};
use std::collections::{BTreeMap, BTreeSet};

/// Pages of a site that its template is learned from, and how many of them are tested.
const LEARNED: usize = 32;
const TESTED: usize = 8;
/// Minimum length of a post, in bytes, and minimum number of posts.
const MIN_POST: usize = 80;
const MIN_POSTS: usize = 3;

/// What is counted: how many there are, and how many of them are wrong.
#[derive(Clone, Copy, Default)]
struct Tally {
    all: usize,
    wrong: usize,
}

impl Tally {
    fn add(&mut self, is_wrong: bool) {
        self.all += 1;
        self.wrong += is_wrong as usize;
    }

    fn cell(self) -> String {
        format!("{} of {} ({:.1} %)", self.wrong, self.all, 100.0 * self.wrong as f64 / self.all.max(1) as f64)
    }
}

#[derive(Default)]
struct Count {
    pages: usize,
    rows: Tally,
    code: Tally,
    titles: Tally,
    headings: Tally,
    authors: Tally,
}

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let extractor = Extractor::new(Options::new()).map_err(|error| Stop::Broken(error.to_string()))?;
    let mut scratch = Scratch::default();
    let mut dev = Count::default();
    read_pages(&data.find("wcxb-dev.jsonl.zst")?, |_, html| {
        if let Ok(extraction) = extractor.extract(&html, &mut scratch) {
            dev.add_page(&extraction);
        }
    })?;
    let (mut alone, mut cleaned) = (Count::default(), Count::default());
    for file in data.list("sites", ".jsonl.zst")? {
        let mut pages = Vec::new();
        read_pages(&file, |_, html| {
            if pages.len() < LEARNED {
                pages.push(html);
            }
        })?;
        let template = learn(&extractor, &pages, &mut scratch);
        for html in pages.iter().take(TESTED) {
            if let Ok(extraction) = extractor.extract(html, &mut scratch) {
                alone.add_page(&extraction);
            }
            if let Ok(extraction) = extractor.extract(Page::new(html).with_site(&template), &mut scratch) {
                cleaned.add_page(&extraction);
            }
        }
    }
    let counts = [("wcxb-dev", dev), ("sites, page by page", alone), ("sites, with their templates", cleaned)];
    let rows: Vec<Vec<String>> = counts.iter().map(|(name, count)| count.row(name)).collect();
    let head = [
        "pages of",
        "pages",
        "table rows with shifted cells",
        "code lost beside kept text",
        "pages without their only h1",
        "headings with nothing kept under them",
        "posts without their author",
    ];
    let mut body = table(&head, &rows);
    body += &format!(
        "\n- Rows: kept rows of tables without nested tables. A cell is shifted if its column among the kept cells is not its column on the page.\n\
         - Code: `<pre>` with visible text, right before or after which text of the same container is kept. Lost: all of it is dropped.\n\
         - h1: pages with one h1 and some kept text. Markdown has no heading with its text.\n\
         - Headings: kept h2 to h6 without a link that have text on the page before the next heading of the same or a higher level.\n\
         - Posts: {MIN_POSTS} or more similar siblings with most of their text kept and an element marked as author.\n\
         - Sites: {TESTED} pages of each; the templates are learned from up to {LEARNED}.\n"
    );
    results.publish("structure", "Structure that is kept", "wcxb-dev, sites", &body)
}

fn learn(extractor: &Extractor, pages: &[String], scratch: &mut Scratch) -> SiteTemplates {
    let mut learner = SiteLevelLearner::new();
    for html in pages {
        if let Ok(page) = extractor.parse(html, scratch) {
            learner.observe(&page_evidence(&page));
        }
    }
    learner.finish().into()
}

/// The visible texts of a page, in page order, each with whether it is kept.
struct Texts<'a> {
    document: &'a Document,
    texts: Vec<(NodeId, bool)>,
}

impl<'a> Texts<'a> {
    fn of(extraction: &'a Extraction<'_>) -> Texts<'a> {
        let (document, detection) = (extraction.document(), extraction.detection());
        let (mut texts, mut at) = (Vec::new(), 0);
        while at < document.len() {
            let id = NodeId(at as u32);
            let name = document.html_name(id);
            if document.is_element(id)
                && (is_never_shown(name) || is_replaced(document, id, name) || is_hidden(document, id))
            {
                at = document.end(id).index();
                continue;
            }
            if document.is_text(id) && !document.text(id).trim().is_empty() {
                texts.push((id, !detection.is_dropped(id)));
            }
            at += 1;
        }
        Texts { document, texts }
    }

    fn between(&self, start: NodeId, end: NodeId) -> &[(NodeId, bool)] {
        let first = self.texts.partition_point(|text| text.0 < start);
        let last = self.texts.partition_point(|text| text.0 < end);
        &self.texts[first..last.max(first)]
    }

    fn inside(&self, id: NodeId) -> &[(NodeId, bool)] {
        self.between(id, self.document.end(id))
    }

    fn is_kept(&self, id: NodeId) -> bool {
        self.inside(id).iter().any(|text| text.1)
    }

    /// Bytes of text in a node, and how many of them are kept.
    fn bytes(&self, id: NodeId) -> (usize, usize) {
        let length = |text: &(NodeId, bool)| self.document.text(text.0).trim().len();
        let all = self.inside(id);
        (all.iter().map(length).sum(), all.iter().filter(|text| text.1).map(length).sum())
    }
}

impl Count {
    fn add_page(&mut self, extraction: &Extraction<'_>) {
        let texts = Texts::of(extraction);
        self.pages += 1;
        if !texts.texts.iter().any(|text| text.1) {
            return;
        }
        self.add_rows(extraction, &texts);
        self.add_code(&texts);
        self.add_titles(extraction, &texts);
        self.add_headings(extraction, &texts);
        self.add_authors(&texts);
    }

    fn row(&self, name: &str) -> Vec<String> {
        let tallies = [self.rows, self.code, self.titles, self.headings, self.authors].map(Tally::cell);
        [name.to_string(), self.pages.to_string()].into_iter().chain(tallies).collect()
    }

    fn add_rows(&mut self, extraction: &Extraction<'_>, texts: &Texts<'_>) {
        let (document, detection) = (extraction.document(), extraction.detection());
        let tables: Vec<NodeId> = document.ids().filter(|id| document.html_name(*id) == Name::TABLE).collect();
        for (number, id) in tables.iter().enumerate() {
            let is_nested = tables.get(number + 1).is_some_and(|next| *next < document.end(*id));
            if is_nested || !texts.is_kept(*id) {
                continue;
            }
            let (source, kept) =
                (columns(document, *id, |_| true), columns(document, *id, |id| !detection.is_dropped(id)));
            let mut rows: BTreeMap<NodeId, bool> = BTreeMap::new();
            for (cell, column) in kept.iter().filter(|cell| texts.is_kept(*cell.0)) {
                if let Some(row) = document.parent(*cell) {
                    *rows.entry(row).or_default() |= source.get(cell) != Some(column);
                }
            }
            rows.values().for_each(|shifted| self.rows.add(*shifted));
        }
    }

    fn add_code(&mut self, texts: &Texts<'_>) {
        let document = texts.document;
        for id in document.ids().filter(|id| is_preformatted(document.html_name(*id))) {
            let inside = texts.inside(id);
            let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c.is_whitespace());
            if inside.iter().all(|text| digits(document.text(text.0))) {
                continue;
            }
            // The innermost element with other text.
            let Some(container) = document.ancestors(id).find(|outer| texts.inside(*outer).len() > inside.len()) else {
                continue;
            };
            let before = texts.between(container, id).last();
            let after = texts.between(document.end(id), document.end(container)).first();
            if before.is_some_and(|text| text.1) || after.is_some_and(|text| text.1) {
                self.code.add(!texts.is_kept(id));
            }
        }
    }

    fn add_titles(&mut self, extraction: &Extraction<'_>, texts: &Texts<'_>) {
        let document = texts.document;
        let titles: Vec<NodeId> =
            document.ids().filter(|id| document.html_name(*id) == Name::H1 && !texts.inside(*id).is_empty()).collect();
        let [title] = titles[..] else { return };
        let words: String = texts.inside(title).iter().map(|text| letters(document.text(text.0))).collect();
        let markdown = extraction.render(OutputFormat::Markdown);
        // Not by lines: a link in the middle of a heading, or a heading in a list or a quotation, is no less a heading.
        let html = parse_markdown(&markdown);
        let mut headings = elements(&html).filter(|element| is_heading(*element));
        self.titles.add(!headings.any(|heading| letters(&text_in(heading)) == words));
    }

    fn add_headings(&mut self, extraction: &Extraction<'_>, texts: &Texts<'_>) {
        let (document, detection) = (extraction.document(), extraction.detection());
        let media = [Name::IMG, Name::VIDEO, Name::AUDIO, Name::IFRAME, Name::OBJECT];
        let headings: Vec<(NodeId, u8)> =
            document.ids().filter_map(|id| heading_level(document.html_name(id)).map(|level| (id, level))).collect();
        for (number, (id, level)) in headings.iter().enumerate() {
            let linked =
                document.descendants(*id).chain(document.ancestors(*id)).any(|at| document.html_name(at) == Name::A);
            if !texts.is_kept(*id) || *level == 1 || linked {
                continue;
            }
            let next = headings[number + 1..].iter().find(|next| next.1 <= *level && !texts.inside(next.0).is_empty());
            let end = next.map_or(NodeId(document.len() as u32), |next| next.0);
            let under = texts.between(document.end(*id), end);
            let shows = (document.end(*id).0..end.0)
                .map(NodeId)
                .any(|at| media.contains(&document.html_name(at)) && !detection.is_dropped(at));
            if !under.is_empty() {
                self.headings.add(!shows && !under.iter().any(|text| text.1));
            }
        }
    }

    fn add_authors(&mut self, texts: &Texts<'_>) {
        let document = texts.document;
        let mut seen = BTreeSet::new();
        for author in document.ids().filter(|id| is_author(document, *id) && !texts.inside(*id).is_empty()) {
            let record = document.ancestors(author).find(|outer| {
                let (all, kept) = texts.bytes(*outer);
                all >= MIN_POST && 2 * kept >= all && similar_siblings(texts, *outer) >= MIN_POSTS
            });
            if let Some(record) = record.filter(|record| seen.insert(*record)) {
                let mut authors = document.descendants(record).filter(|id| is_author(document, *id));
                self.authors.add(!authors.any(|id| texts.is_kept(id)));
            }
        }
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// The columns of the cells of a table that are shown.
fn columns(document: &Document, table: NodeId, is_shown: impl Fn(NodeId) -> bool) -> BTreeMap<NodeId, usize> {
    let mut columns = BTreeMap::new();
    // For each column, the number of further rows that a cell above spans.
    let mut spanned: Vec<usize> = Vec::new();
    for row in document.descendants(table).filter(|id| document.html_name(*id) == Name::TR && is_shown(*id)) {
        let mut taken = vec![false; spanned.len()];
        for (column, rows) in spanned.iter_mut().enumerate() {
            taken[column] = *rows > 0;
            *rows = rows.saturating_sub(1);
        }
        let mut column = 0;
        for cell in document.children(row) {
            if !matches!(document.html_name(cell), Name::TD | Name::TH) || !is_shown(cell) {
                continue;
            }
            while taken.get(column).is_some_and(|taken| *taken) {
                column += 1;
            }
            columns.insert(cell, column);
            let number =
                |name| document.attribute(cell, name).and_then(|value| value.trim().parse::<usize>().ok()).unwrap_or(1);
            let end = column + number(Name::COLSPAN).clamp(1, 1000);
            spanned.resize(spanned.len().max(end), 0);
            spanned[column..end].fill(number(Name::ROWSPAN).clamp(1, 65534) - 1);
            column = end;
        }
    }
    columns
}

fn is_author(document: &Document, id: NodeId) -> bool {
    let has = |name, words: &[&str]| {
        let value = document.attribute(id, name).unwrap_or_default();
        value.split([' ', '-', '_']).any(|word| words.contains(&word))
    };
    has(Name::ITEMPROP, &["author", "creator"])
        || has(Name::REL, &["author"])
        || has(Name::CLASS, &["author", "username", "byline"])
}

/// How many siblings have the name and the first class of an element and most of their text kept, itself included.
fn similar_siblings(texts: &Texts<'_>, id: NodeId) -> usize {
    let document = texts.document;
    let kind = |id| {
        let class = document.attribute(id, Name::CLASS).unwrap_or_default().split_ascii_whitespace().next();
        (document.html_name(id), class)
    };
    let Some(parent) = document.parent(id) else { return 0 };
    let similar = document.children(parent).filter(|other| kind(*other) == kind(id));
    similar.filter(|other| texts.bytes(*other).0 >= MIN_POST).count()
}
