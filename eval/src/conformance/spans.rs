//! Checks the source spans of nodes on all pages of wcxb-dev.

use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::report::{Results, table};
use crate::shared::support::spans::{self, Counts};
use dehusk::dom::{Document, Name, Parser};
use dehusk::{Detection, render};

pub(crate) fn run(data: &Data, results: &Results, verbose: bool) -> Result<(), Stop> {
    let file = data.find("wcxb-dev.jsonl.zst")?;
    let mut counts = Counts::default();
    let (mut pages, mut untidy_pages, mut wrong, mut wrong_pages) = (0u64, 0u64, 0u64, 0u64);
    let mut stripped_wrong = 0u64;
    let mut parser = Parser::default();
    let mut document = Document::default();
    read_pages(&file, |address, html| {
        pages += 1;
        if parser.parse_into(&html, &mut document).is_err() {
            wrong += 1;
            return;
        }
        let untidy = counts.shared_spans;
        let complaints = spans::check(&document, &mut counts);
        untidy_pages += u64::from(counts.shared_spans > untidy);
        wrong += complaints.len() as u64;
        wrong_pages += u64::from(!complaints.is_empty());
        stripped_wrong += u64::from(!check_strip(&document));
        if verbose && !complaints.is_empty() {
            println!("== {address}");
            complaints.iter().take(5).for_each(|complaint| println!("{complaint:.300}"));
        }
    })?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut add = |what: &str, count: u64| rows.push(vec![what.to_string(), count.to_string()]);
    add("pages", pages);
    for (placement, count) in ["source", "moved", "copied", "invented"].iter().zip(counts.placements) {
        add(&format!("nodes: {placement}"), count);
    }
    add("elements with their own end tag", counts.closed);
    add("nodes whose span is not theirs alone", counts.shared_spans);
    add("pages with such nodes", untidy_pages);
    add("texts joined from several places", counts.scattered);
    add("wrong spans", wrong);
    add("pages where `strip` did not remove exactly the dropped spans", stripped_wrong);
    let mut body = table(&["what", "count"], &rows);
    body.push_str(
        "\nChecked for all nodes with a span: the span of an element starts with its start tag, the span of a text decodes to the text \
         (for joined texts, each piece does), the span of a comment starts like a comment; spans of nodes that were not moved lie \
         inside those of their ancestors and do not overlap those of their siblings.\n",
    );
    if wrong + stripped_wrong > 0 {
        print!("{body}");
        return Err(Stop::Failed(format!("{wrong} spans on {wrong_pages} pages are wrong")));
    }
    results.publish("spans", "Source spans", "wcxb-dev", &body)
}

/// `strip` on every page of wcxb-dev, with every third paragraph and every `<nav>` dropped: the output is the source without
/// exactly the reported ranges, and these are the ranges that belong to the dropped nodes.
fn check_strip(document: &Document) -> bool {
    let mut detection = Detection::keep_all(dehusk::detection::Detectors::NONE, document);
    let mut count = 0;
    for id in document.ids() {
        if document.html_name(id) == Name::P {
            count += 1;
        }
        if document.html_name(id) == Name::NAV || (document.html_name(id) == Name::P && count % 3 == 0) {
            detection.drop_subtree(document, id);
        }
    }
    let mut owned = Vec::new();
    for root in detection.dropped_roots(document) {
        document.append_own_spans(root, &mut owned);
    }
    let mut removed = vec![false; document.source().len()];
    for span in owned {
        removed[span].fill(true);
    }
    let kept = document.source().bytes().zip(&removed).filter(|(_, removed)| !**removed).map(|(byte, _)| byte);
    kept.eq(render::strip(document, &detection).bytes())
}
