//! Marked values of shops and databases: how many of them are in the output.

use super::outputs::{Pages, Way};
use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::markdown::text_in;
use crate::shared::report::table;
use crate::shared::site_pages::name_of;
use crate::shared::site_pages::{read_truth, text_of};
use dehusk::{Heading, Options, OutputFormat};
use dehusk_train::measure_words;
use scraper::Html;
use std::collections::BTreeMap;
use std::path::Path;

/// How often the program runs.
const RUNS: usize = 5;

/// The runs: a name, a command and its options.
fn runs() -> [(&'static str, Way, Options); RUNS] {
    let default = Options::new();
    let heading = default.with_heading(Heading::Keep);
    [
        ("extract", Way::Extract, default),
        ("clean", Way::Clean, default),
        ("extract --heading keep", Way::Extract, heading),
        ("clean --heading keep", Way::Clean, heading),
        ("whole page", Way::Whole, default),
    ]
}

/// Sums over the pages of a site, for a run.
#[derive(Clone, Copy, Default)]
struct Sums {
    values: usize,
    found: usize,
    words: usize,
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.values += other.values;
        self.found += other.found;
        self.words += other.words;
    }

    fn share(self) -> String {
        format!("{:.4}", self.found as f64 / self.values.max(1) as f64)
    }
}

pub(super) fn measure(data: &Data, work: &Path) -> Result<String, Stop> {
    let mut files = data.list("sites", ".jsonl.zst")?;
    files.retain(|file| name_of(file).starts_with("swde-"));
    let pages = Pages::read(files)?;
    let truth = read_truth(data)?;
    let mut sites: BTreeMap<&str, [Sums; RUNS]> = BTreeMap::new();
    let mut all = [Sums::default(); RUNS];
    for (number, (_, way, options)) in runs().into_iter().enumerate() {
        let texts = pages.run(way, OutputFormat::Text, options, work)?;
        for (page, text) in pages.list.iter().zip(&texts) {
            let values = truth.get(&page.site).and_then(|site| site.get(&text_of(&page.record, "url")));
            let sums = score(values.map_or(&[], |values| values), text);
            sites.entry(&page.site).or_default()[number].add(sums);
            all[number].add(sums);
        }
    }
    Ok(format!(
        "## Marked values\n\n{}\nSWDE, {} pages: values that are in the text output as whole words, without case and punctuation, and the \
         words of the output. The whole page (`--detector none`) shows how many can be found. `clean` learns from the pages of \
         a host; the two sites of www.yahoo.com are one.\n\n{}",
        summary(&all),
        pages.list.len(),
        by_site(&sites)
    ))
}

fn score(values: &[String], text: &str) -> Sums {
    let words = measure_words(text);
    let text = format!(" {} ", words.join(" "));
    let values: Vec<String> = values.iter().map(|value| folded(value)).filter(|value| !value.is_empty()).collect();
    let found = values.iter().filter(|value| text.contains(&format!(" {value} "))).count();
    Sums { values: values.len(), found, words: words.len() }
}

/// The words of a value, which is written as in the source of its page.
fn folded(value: &str) -> String {
    measure_words(&text_in(Html::parse_fragment(value).root_element())).join(" ")
}

fn summary(all: &[Sums]) -> String {
    let row = |((name, ..), sums): ((&str, Way, Options), &Sums)| {
        let counts = [sums.values, sums.found].map(|count| count.to_string());
        [name.to_string()].into_iter().chain(counts).chain([sums.share(), sums.words.to_string()]).collect()
    };
    let rows: Vec<Vec<String>> = runs().into_iter().zip(all).map(row).collect();
    table(&["command", "values", "found", "share", "words"], &rows)
}

fn by_site(sites: &BTreeMap<&str, [Sums; RUNS]>) -> String {
    let mut head = vec!["site", "values"];
    runs().iter().for_each(|(name, ..)| head.extend([*name, "words"]));
    let row = |(site, sums): (&&str, &[Sums; RUNS])| {
        let cells = sums.iter().flat_map(|sums| [sums.share(), sums.words.to_string()]);
        [site.to_string(), sums[0].values.to_string()].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = sites.iter().map(row).collect();
    table(&head, &rows)
}
