//! How often the content of a page of wcxb-dev is not in its visible text, and how often the fallback finds it.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::report::{Results, table};
use dehusk::dom::{Document, Parser};
use dehusk::fallback::{fallback_content, fallback_from};
use dehusk::render::{RenderOptions, render_text};
use dehusk::{Detection, FallbackSource};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Pages with fewer visible words count as nearly empty, as in the fallback rule.
const NEARLY_EMPTY: usize = 50;

pub(crate) fn run(data: &Data, results: &Results, verbose: bool) -> Result<(), Stop> {
    let file = data.find("wcxb-dev.jsonl.zst")?;
    let mut parser = Parser::default();
    let mut document = Document::default();
    let (mut pages, mut poor, mut empty, mut wrongly, mut noscript) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut rows: BTreeMap<FallbackSource, [u64; 4]> = BTreeMap::new();
    let (mut poor_held, mut empty_held, mut empty_given) = (0u64, 0u64, 0u64);
    let mut time = Duration::ZERO;
    read_records(&file, |record| {
        let html = record["html"].as_str().unwrap_or_default();
        if parser.parse_into(html, &mut document).is_err() {
            return;
        }
        let wanted = counts(record["main_content"].as_str().unwrap_or_default());
        let total: usize = wanted.values().sum();
        let shown = render_text(
            &document,
            &Detection::keep_all(dehusk::detection::Detectors::NONE, &document),
            RenderOptions::default(),
        );
        let words: usize = counts(&shown).values().sum();
        let is_poor = total > 0 && 2 * overlap(&wanted, &shown) < total;
        let is_empty = words < NEARLY_EMPTY;
        pages += 1;
        poor += u64::from(is_poor);
        empty += u64::from(is_empty);
        if total > 0 {
            let inside =
                fallback_from(&document, FallbackSource::Noscript).map(|content| content.text).unwrap_or_default();
            noscript += u64::from(2 * overlap(&wanted, &inside) >= total);
        }
        let mut held = false;
        for source in FallbackSource::ALL {
            let text = fallback_from(&document, source).map(|content| content.text);
            let holds = total > 0 && text.as_ref().is_some_and(|text| 2 * overlap(&wanted, text) >= total);
            let row = rows.entry(source).or_default();
            row[0] += u64::from(text.is_some());
            row[1] += u64::from(holds);
            row[2] += u64::from(is_poor && holds);
            held |= holds;
        }
        poor_held += u64::from(is_poor && held);
        let start = Instant::now();
        let given = fallback_content(&document, words, words);
        time += start.elapsed();
        if let Some(content) = &given {
            empty_given += 1;
            let holds = total > 0 && 2 * overlap(&wanted, &content.text) >= total;
            empty_held += u64::from(holds);
            wrongly += u64::from(!holds);
            rows.entry(content.source).or_default()[3] += 1;
        }
        if verbose && (is_poor || given.is_some()) {
            let given = given.map(|content| (content.source.flag(), content.words, overlap(&wanted, &content.text)));
            let id = record["id"].as_str().unwrap_or_default();
            println!("{id}\t{}\twanted {total}\tshown {words}\theld {held}\t{given:?}", record["page_type"]);
        }
    })?;
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|(source, counts)| {
            std::iter::once(source.flag().to_string()).chain(counts.iter().map(u64::to_string)).collect()
        })
        .collect();
    let mut body = table(
        &[
            "source",
            "pages with words in it",
            "contains half of the reference",
            "of these, the visible text does not",
            "used by the rule",
        ],
        &rows,
    );
    let facts = [
        ("pages", pages),
        ("visible text contains less than half of the words of the reference", poor),
        ("of these, a hidden source contains half or more", poor_held),
        ("visible text has fewer than 50 words", empty),
        ("of these, the fallback is used", empty_given),
        ("of these, it contains half of the reference or more", empty_held),
        ("of these, it does not", wrongly),
        ("half of the reference or more is in noscript", noscript),
    ];
    let facts: Vec<Vec<String>> = facts.iter().map(|(what, count)| vec![what.to_string(), count.to_string()]).collect();
    body.push('\n');
    body.push_str(&table(&["what", "pages"], &facts));
    body.push_str(&format!(
        "\nVisible text is all text of the page as `--format text` writes it, with scripting off and nothing dropped. Here the rule is \
         applied to the word count of that text; an extractor applies it to the words it keeps, which are fewer. Applying the rule took \
         {:.3} s for all pages.\n",
        time.as_secs_f64()
    ));
    results.publish("fallback", "Content outside the visible text", "wcxb-dev (1,497 pages)", &body)
}

fn counts(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    let text = text.to_lowercase();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()) {
        *counts.entry(word.to_string()).or_default() += 1;
    }
    counts
}

/// Number of words of a reference that occur in a text, with multiplicity.
fn overlap(wanted: &HashMap<String, usize>, text: &str) -> usize {
    let found = counts(text);
    // A sum of whole numbers is the same in any order.
    #[allow(clippy::iter_over_hash_type)]
    wanted.iter().map(|(word, count)| (*count).min(found.get(word).copied().unwrap_or(0))).sum()
}
