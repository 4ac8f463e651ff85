//! Keywords with and without template: tables 1 and 2 of Block.

use super::paired::{gain, mean};
use crate::Stop;
use crate::papers::section::Section;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::methods::extractor;
use crate::shared::report::table;
use crate::shared::site_pages::shuffled;
use dehusk::{Extractor, Options, OutputFormat, Scratch, SiteLearner, SiteMethod};
use dehusk_corpus::keywords::{
    KeywordExample, KeywordModel, QueryLog, keywords_in, meta_keywords, top_score, without_site_keywords,
};
use dehusk_corpus::{DocumentFrequencies, Phrases};
use dehusk_papers::block::{Block, OperatingPoint};
use rayon::prelude::*;
use std::path::Path;

/// Sites with at least this many pages that name their own keywords.
const LEAST_PAGES: usize = 30;
/// Pages taken of a site.
const MOST_PAGES: usize = 40;
const TOPS: [usize; 5] = [1, 2, 3, 5, 10];

/// The texts a page can have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Full,
    /// Without the blocks that Block drops where it finds half of the template, as in the paper.
    Block,
    Clean,
}

/// A page with its keywords, by text.
struct KeywordPage {
    examples: [KeywordExample; 3],
}

/// A row of the tables.
struct Setting {
    name: &'static str,
    train: Text,
    test: Text,
    /// Where document frequencies come from.
    frequencies: Frequencies,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Frequencies {
    Training,
    Both,
    Other,
}

const SETTINGS: [Setting; 10] = {
    use Frequencies::{Both, Other, Training};
    const fn row(name: &'static str, train: Text, test: Text, frequencies: Frequencies) -> Setting {
        Setting { name, train, test, frequencies }
    }
    [
        row("ORD", Text::Full, Text::Full, Training),
        row("DN", Text::Full, Text::Block, Training),
        row("DF", Text::Full, Text::Full, Both),
        row("DN-DF", Text::Full, Text::Block, Both),
        row("DN_both", Text::Block, Text::Block, Training),
        row("DN-DF_both", Text::Block, Text::Block, Both),
        row("ODP-DF", Text::Full, Text::Full, Other),
        row("`clean` of test pages", Text::Full, Text::Clean, Training),
        row("`clean` of both", Text::Clean, Text::Clean, Training),
        row("`clean` of both, DF", Text::Clean, Text::Clean, Both),
    ]
};

pub(super) fn report(data: &Data, section: &mut Section) -> Result<(), Stop> {
    section.heading("Block tables 1 and 2: keywords");
    let mut sites = Vec::new();
    for file in data.list("sites", ".jsonl.zst")? {
        let pages = read_site(&file)?;
        if !pages.is_empty() {
            sites.push(pages);
        }
    }
    // Every other site, by name, is for training.
    let of = |rest: usize| sites.iter().enumerate().filter(move |(at, _)| at % 2 == rest).flat_map(|(_, pages)| pages);
    let (train, test): (Vec<&KeywordPage>, Vec<&KeywordPage>) = (of(0).collect(), of(1).collect());
    let other = other_frequencies(data)?;
    let queries = QueryLog::default();
    let mut rows = Vec::new();
    let mut first: Vec<Vec<f64>> = Vec::new();
    for setting in SETTINGS {
        let trained: Vec<&KeywordExample> = train.iter().map(|page| page.text(setting.train)).collect();
        let mut counted = DocumentFrequencies::new();
        trained.iter().for_each(|example| counted.add(&example.phrases));
        if setting.frequencies == Frequencies::Both {
            test.iter().for_each(|page| counted.add(&page.text(setting.test).phrases));
        }
        let frequencies = if setting.frequencies == Frequencies::Other { &other } else { &counted };
        let model =
            KeywordModel::train(&trained, frequencies, &queries, 0).map_err(|error| Stop::Broken(error.to_string()))?;
        let scores: Vec<Vec<f64>> = test
            .par_iter()
            .filter_map(|page| {
                let example = page.text(setting.test);
                let found = model.top(&example.phrases, frequencies, &queries, TOPS[TOPS.len() - 1]);
                TOPS.iter().map(|count| top_score(&found, &example.keywords, *count)).collect()
            })
            .collect();
        let of_top = |top: usize| scores.iter().map(|scores| scores[top]).collect::<Vec<f64>>();
        if first.is_empty() {
            first = (0..TOPS.len()).map(of_top).collect();
        }
        let values = (0..TOPS.len()).map(|top| format!("{:.2}", 100.0 * mean(&of_top(top))));
        let gains = [0, TOPS.len() - 1].map(|top| gain(&of_top(top), &first[top]));
        rows.push(std::iter::once(setting.name.to_string()).chain(values).chain(gains).collect::<Vec<_>>());
    }
    section.write(&format!(
        "Keywords are those that authors name in `<meta name=keywords>` and that are on the page; what a site has on most of its pages, and lists that several pages \
         have, are left out. {} pages of {} sites; every other site is for training, so no site is in both. A page is its Markdown. DN: the pages that are tested \
         lose the blocks that Block drops at a recall of 0.5 of the template. DF: document frequencies count the tested pages, too. \"both\": the training pages are \
         cleaned as well. ODP-DF: document frequencies of wcxb-dev, pages of many sites. Top-N score in per cent; gains over ORD with a randomization test over pages.",
        train.len() + test.len(),
        sites.len(),
    ));
    section.write(&table(&["setting", "Top1", "Top2", "Top3", "Top5", "Top10", "gain, Top1", "gain, Top10"], &rows));
    section.write(
        "The paper (828 pages of the Internet Archive for training, 477 of MSN for testing, keywords chosen by annotators), Top1 and Top10: ORD 34.80, 17.06; DN 37.74, \
         20.55; DF 41.09, 19.17; DN-DF 40.46, 21.28; DN_both 36.48, 20.47; DN-DF_both 39.20, 21.04; ODP-DF 29.35, 16.82. Ours are from many sites, not one, and authors name \
         words for search engines, often the title in pieces.",
    );
    Ok(())
}

impl KeywordPage {
    fn text(&self, text: Text) -> &KeywordExample {
        match text {
            Text::Full => &self.examples[0],
            Text::Block => &self.examples[1],
            Text::Clean => &self.examples[2],
        }
    }
}

fn broken(error: dehusk::Error) -> Stop {
    Stop::Broken(error.to_string())
}

/// Block drops as much as is needed for half of the template.
fn block_extractor() -> Result<Extractor, Stop> {
    let block = Block::default().with_operating_point(OperatingPoint::Recall(0.5));
    Extractor::new(Options::new()).and_then(|extractor| extractor.with_detector(block)).map_err(broken)
}

/// The pages of a site that name keywords of their own; none if there are few.
fn read_site(file: &Path) -> Result<Vec<KeywordPage>, Stop> {
    let (mut pages, mut lists) = (Vec::new(), Vec::new());
    let full = extractor("none", Options::new())?;
    let mut scratch = Scratch::default();
    read_pages(file, |url, html| {
        let list = full.parse(&html, &mut scratch).map_or(Vec::new(), |page| meta_keywords(page.document));
        lists.push(list);
        pages.push((url.to_string(), html));
    })?;
    without_site_keywords(&mut lists);
    if lists.iter().filter(|list| !list.is_empty()).count() < LEAST_PAGES {
        return Ok(Vec::new());
    }
    let (block, clean) = (block_extractor()?, extractor("fusion", Options::new())?);
    let mut learner = SiteLearner::new(SiteMethod::counts());
    for (url, html) in &pages {
        if let Ok(page) = full.parse(html, &mut scratch) {
            learner.observe(url, &page);
        }
    }
    let site = learner.finish(0);
    let chosen: Vec<usize> = shuffled(pages.len()).into_iter().filter(|page| !lists[*page].is_empty()).collect();
    let made = |scratch: &mut Scratch, page: &usize| -> Option<KeywordPage> {
        let html = &pages[*page].1;
        let mut text = |extractor: &Extractor, with_site: bool| {
            let input = dehusk::Page::new(html).with_site(with_site.then_some(&site));
            let found = extractor.extract(input, scratch).ok()?;
            Some((found.render(OutputFormat::Markdown), found.title()))
        };
        let whole = text(&full, false)?;
        let keywords = keywords_in(&Phrases::of(whole.1.as_deref(), &whole.0), &lists[*page]);
        let example =
            |(text, title): (String, Option<String>)| KeywordExample::new(&text, title.as_deref(), keywords.clone());
        let (without_blocks, cleaned) = (text(&block, false)?, text(&clean, true)?);
        let examples = [example(whole), example(without_blocks), example(cleaned)];
        (!examples[0].keywords.is_empty()).then_some(KeywordPage { examples })
    };
    let found: Vec<KeywordPage> =
        chosen.par_iter().take(2 * MOST_PAGES).map_init(Scratch::default, made).flatten().collect();
    Ok(if found.len() < LEAST_PAGES { Vec::new() } else { found.into_iter().take(MOST_PAGES).collect() })
}

/// Document frequencies of pages that have nothing to do with the others.
fn other_frequencies(data: &Data) -> Result<DocumentFrequencies, Stop> {
    let full = extractor("none", Options::new())?;
    let mut pages = Vec::new();
    read_pages(&data.find("wcxb-dev.jsonl.zst")?, |_, html| pages.push(html))?;
    let text = |scratch: &mut Scratch, html: &String| {
        let found = full.extract(dehusk::Page::new(html), scratch).ok()?;
        Some(Phrases::of(found.title().as_deref(), &found.render(OutputFormat::Markdown)))
    };
    let phrases: Vec<Phrases> = pages.par_iter().map_init(Scratch::default, text).flatten().collect();
    let mut frequencies = DocumentFrequencies::new();
    phrases.iter().for_each(|phrases| frequencies.add(phrases));
    Ok(frequencies)
}
