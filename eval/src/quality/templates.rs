//! Several templates per site, on synthetic sites: three templates and 10 % junk pages; and values that change per request.

use crate::Stop;
use crate::shared::made_sites::{MadePage, Random, Recipe, made_site};
use crate::shared::methods::{self, SITE_METHODS, site_method};
use crate::shared::report::{Results, table};
use dehusk::render::{RenderOptions, render_text};
use dehusk::{Extractor, Options, Page, Scratch, SiteLearner, SiteTemplates};
use std::collections::BTreeMap;

const SITES: usize = 20;

pub(crate) fn run(results: &Results) -> Result<(), Stop> {
    let mut body = String::from("## Three templates and 10 % junk pages\n\n");
    let mut rows = Vec::new();
    for (name, shared_frame) in [("own frame per template", false), ("shared header, menu and footer", true)] {
        for volatile in [false, true] {
            for paragraphs in [2, 6, 25] {
                rows.push(measure_grouping(name, shared_frame, volatile, paragraphs, false)?);
            }
        }
        let bare = format!("{name}, no class or id");
        rows.push(measure_grouping(&bare, shared_frame, false, 6, true)?);
    }
    let head = [
        "frame",
        "requests differ",
        "max paragraphs",
        "sites",
        "pages",
        "training pages: right",
        "held-out pages: right",
        "junk",
        "junk without a template",
        "sites with 3 templates",
    ];
    body += &table(&head, &rows);
    body += "\nEach site has 5 to 27 pages of each of three templates, and one junk page (error pages, other generators, bare texts) for \
             every nine of them. Half of the pages are training pages. Right: the page gets the template number that most training \
             pages of its template get, and no other template has that number.\n\n## Values that change per request\n\n";
    let mut rows = Vec::new();
    for method in SITE_METHODS {
        for volatile in [false, true] {
            rows.push(measure_volatile(method, volatile)?);
        }
    }
    let head = [
        "method",
        "requests differ",
        "template texts",
        "removed",
        "content texts",
        "kept",
        "pages that fit",
        "file, KB",
    ];
    body += &table(&head, &rows);
    body += "\nRequests differ in: tokens in attributes, hidden fields, URLs and comments; times in data attributes; ids with numbers \
             on wrappers; the active menu item; classes of the body; a box on half of the pages (A/B test); cache-busting numbers of \
             images; a counter and a duration in the footer. Learned from half of the pages, tested on the others.\n";
    results.publish("templates", "Several templates per site", "synthetic sites", &body)
}

fn recipe(random: &mut Random, shared_frame: bool, volatile: bool, paragraphs: usize) -> Recipe {
    // Twice the number of training pages.
    let pages = [16 + 2 * random.below(20), 12 + 2 * random.below(14), 10 + 2 * random.below(12)];
    let junk = pages.iter().sum::<usize>().div_ceil(9);
    Recipe { seed: random.next(), pages, junk, paragraphs, shared_frame, volatile, bare: false }
}

fn learn<'a>(method: &str, pages: impl Iterator<Item = &'a MadePage>) -> Result<SiteTemplates, Stop> {
    let broken = |error: dehusk::Error| Stop::Broken(error.to_string());
    let extractor = Extractor::new(Options::new()).map_err(broken)?;
    let mut scratch = Scratch::default();
    let mut learner = SiteLearner::new(site_method(method)?);
    for page in pages {
        learner.observe(&page.url, &extractor.parse(&page.html, &mut scratch).map_err(broken)?);
    }
    Ok(learner.finish(0))
}

fn share(part: usize, whole: usize) -> String {
    format!("{part} of {whole} ({:.1} %)", 100.0 * part as f64 / whole.max(1) as f64)
}

fn measure_grouping(
    name: &str,
    shared_frame: bool,
    volatile: bool,
    paragraphs: usize,
    bare: bool,
) -> Result<Vec<String>, Stop> {
    let mut random = Random(2026);
    let (mut right, mut pages_of, mut junk, mut free, mut three) = ([0; 2], [0; 2], 0, 0, 0);
    for _ in 0..SITES {
        let pages = made_site(&Recipe { bare, ..recipe(&mut random, shared_frame, volatile, paragraphs) });
        let site = learn("sitelevel", pages.iter().step_by(2))?;
        three += (site.templates().len() == 3) as usize;
        let found: Vec<Option<u32>> =
            pages.iter().map(|page| site.fit_source(&page.html).and_then(|fit| fit.template)).collect();
        let mut votes: BTreeMap<(u32, usize), usize> = BTreeMap::new();
        for (page, number) in pages.iter().zip(&found).step_by(2) {
            if let (Some(template), Some(number)) = (page.template, number) {
                *votes.entry((*number, template)).or_default() += 1;
            }
        }
        // The template that most pages with a number have.
        let owner = |number: u32| {
            let of = votes.iter().filter(|((other, _), _)| *other == number);
            of.max_by_key(|(_, pages)| **pages).map(|((_, template), _)| *template)
        };
        for (at, (page, number)) in pages.iter().zip(&found).enumerate() {
            match page.template {
                None => {
                    junk += 1;
                    free += number.is_none() as usize;
                }
                Some(template) => {
                    pages_of[at % 2] += 1;
                    right[at % 2] += (number.and_then(owner) == Some(template)) as usize;
                }
            }
        }
    }
    Ok(vec![
        name.to_string(),
        if volatile { "yes" } else { "no" }.to_string(),
        paragraphs.to_string(),
        SITES.to_string(),
        (pages_of[0] + pages_of[1]).to_string(),
        share(right[0], pages_of[0]),
        share(right[1], pages_of[1]),
        junk.to_string(),
        share(free, junk),
        three.to_string(),
    ])
}

fn measure_volatile(method: &str, volatile: bool) -> Result<Vec<String>, Stop> {
    let broken = |error: dehusk::Error| Stop::Broken(error.to_string());
    let extractor = methods::extractor("auto", Options::new())?;
    let mut scratch = Scratch::default();
    let mut random = Random(7);
    let (mut husks, mut removed, mut contents, mut kept, mut fits, mut tested, mut bytes) = (0, 0, 0, 0, 0, 0, 0);
    for number in 0..SITES {
        let pages = made_site(&Recipe { junk: 0, ..recipe(&mut random, number.is_multiple_of(2), volatile, 6) });
        let site = learn(method, pages.iter().step_by(2))?;
        bytes += site.to_bytes().len();
        for page in pages.iter().skip(1).step_by(2) {
            let input = Page::new(&page.html).with_site(&site);
            let extraction = extractor.extract(input, &mut scratch).map_err(broken)?;
            let text = render_text(extraction.document(), extraction.detection(), RenderOptions::default());
            tested += 1;
            fits += extraction.template_fit().is_some_and(|fit| fit.template.is_some()) as usize;
            husks += page.husk.len();
            removed += page.husk.iter().filter(|husk| !text.contains(husk.as_str())).count();
            // The first is the title, which is in the head.
            contents += page.content.len() - 1;
            kept += page.content[1..].iter().filter(|content| text.contains(content.as_str())).count();
        }
    }
    Ok(vec![
        method.to_string(),
        if volatile { "yes" } else { "no" }.to_string(),
        husks.to_string(),
        share(removed, husks),
        contents.to_string(),
        share(kept, contents),
        share(fits, tested),
        (bytes / SITES / 1000).to_string(),
    ])
}
