//! The example sites: content is kept and husks are dropped, however the site was learned.

#[path = "../../dehusk/tests/support/example_sites.rs"]
mod example_sites;

use dehusk::detect::SiteDetector;
use dehusk::dom::decode;
use dehusk::dom::{Document, Parser, Stats};
use dehusk::render::{self, RenderOptions};
use dehusk::site::{SiteLevelLearner, SiteLevelTemplate, page_evidence};
use dehusk::{Extractor, Limits, Options, OutputFormat, Page, Scratch, SiteMethod, SiteTemplates};
use dehusk_papers::treemap::{TreeMapLearner, TreeMapSettings, TreeMapTemplates, detect_tree_map};
use example_sites::sites;

fn learn<'a>(pages: impl Iterator<Item = &'a Vec<u8>>) -> SiteLevelLearner {
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let mut learner = SiteLevelLearner::new();
    for page in pages {
        learner.observe(&page_evidence(&extractor.parse(page, &mut scratch).unwrap()));
    }
    learner
}

fn clean(page: &[u8], template: &SiteLevelTemplate, threshold: f64, format: OutputFormat) -> String {
    let options = Options::new().with_site_threshold(threshold);
    let site = SiteTemplates::from(template.clone());
    let detector = SiteDetector::new(SiteMethod::counts());
    let extractor = Extractor::new(options).unwrap().with_detector(detector).unwrap();
    extractor.extract_owned(Page::new(page).with_site(&site)).unwrap().render(format)
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that all content is in a text, lists the template texts that are left, and returns how many there are to drop.
fn check_truth(text: &str, truth: &serde_json::Value, page: &str, left: &mut Vec<String>) -> usize {
    let texts = |key: &str| truth[key].as_array().unwrap().iter().map(|text| collapse(text.as_str().unwrap()));
    for content in texts("content") {
        assert!(text.contains(&content), "{page} lost {content:?}");
    }
    left.extend(texts("husk").filter(|husk| text.contains(husk)).map(|husk| format!("{page}: {husk}")));
    texts("husk").count()
}

#[test]
fn content_is_kept_and_husks_are_dropped() {
    let (mut husks, mut left) = (0, Vec::new());
    for site in sites() {
        let template = learn(site.pages.values()).finish();
        for (path, truth) in site.truth.as_object().unwrap() {
            let text = collapse(&clean(&site.pages[path], &template, 0.1, OutputFormat::Text));
            husks += check_truth(&text, truth, &format!("{}/{path}", site.name), &mut left);
        }
    }
    // The footer of the shop contains the time it took to render the page, and is kept if that line is a block of its
    // own.
    assert!(left.len() * 20 <= husks, "{} of {husks} husks are left: {left:#?}", left.len());
}

/// Counts the texts that must be kept and are, and those that must be dropped and are not, on all pages, with fusion.
fn kept_by_fusion(with_site: bool) -> (usize, usize) {
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let (mut kept, mut left) = (0, 0);
    for site in sites() {
        let template = SiteTemplates::from(learn(site.pages.values()).finish());
        for (path, truth) in site.truth.as_object().unwrap() {
            let page = Page::new(&site.pages[path]).with_site(with_site.then_some(&template));
            let found = extractor.extract(page, &mut scratch).unwrap();
            let name = found.detection().detectors.to_string();
            assert_eq!(name, if with_site { "fusion+sitelevel" } else { "fusion" });
            let text = collapse(&found.text());
            let found = |key: &str| {
                let texts = truth[key].as_array().unwrap().iter();
                texts.filter(|wanted| text.contains(&collapse(wanted.as_str().unwrap()))).count()
            };
            kept += found("content");
            left += found("husk");
        }
    }
    (kept, left)
}

#[test]
fn evidence_of_the_site_helps_fusion() {
    let (alone, with_site) = (kept_by_fusion(false), kept_by_fusion(true));
    assert!(with_site.0 >= alone.0 && with_site.1 <= alone.1, "{alone:?} alone, {with_site:?} with the site");
    assert!(with_site != alone, "the site adds no evidence");
}

#[test]
fn a_page_that_is_repeated_as_a_whole_is_not_emptied() {
    // The same page under several URLs: all of it is repeated.
    let page = format!(
        "<title>Nets</title><main><h1>Nets</h1>{}</main>",
        "<p>Nets are mended in May, and the boats go out again when the wind has turned.</p>".repeat(6)
    );
    let other = "<nav><a href=/>Home</a></nav><p>Something else.</p>";
    let pages = [page.clone(), page.clone(), page.clone(), other.to_string()].map(String::into_bytes).to_vec();
    let template = SiteTemplates::from(learn(pages.iter()).finish());
    let extractor = Extractor::new(Options::new()).unwrap();
    let found = extractor.extract_owned(Page::new(&page).with_site(&template)).unwrap();
    assert!(found.text().contains("mended in May"));
}

#[test]
fn halves_merge_to_the_whole() {
    for site in sites() {
        let whole = learn(site.pages.values()).finish().with_site("x").with_learned("2026-11-15");
        let mut first = learn(site.pages.values().step_by(2));
        let second = learn(site.pages.values().skip(1).step_by(2));
        // Through files, as two machines would.
        let file = second.finish_complete().to_bytes();
        first.merge(SiteLevelLearner::from_template(SiteLevelTemplate::from_bytes(&file).unwrap()).unwrap());
        let merged = first.finish().with_site("x").with_learned("2026-11-15");
        assert_eq!(merged.to_bytes(), whole.to_bytes(), "{}", site.name);
        let pruned = learn(site.pages.values()).finish();
        assert!(SiteLevelLearner::from_template(pruned).is_err());
    }
}

#[test]
fn a_higher_threshold_keeps_more() {
    for site in sites() {
        let template = learn(site.pages.values()).finish();
        for (path, page) in &site.pages {
            let lengths = [0.1, 0.3, 0.5, 0.9, 1.0]
                .map(|threshold| clean(page, &template, threshold, OutputFormat::Text).split_whitespace().count());
            assert!(lengths.is_sorted(), "{}/{path}: {lengths:?}", site.name);
        }
    }
}

#[test]
fn every_format_is_the_same_twice() {
    for site in sites() {
        let template = learn(site.pages.values()).finish();
        let again = learn(site.pages.values().rev()).finish();
        for page in site.pages.values().take(3) {
            for format in [OutputFormat::Text, OutputFormat::Markdown, OutputFormat::Html, OutputFormat::Json] {
                assert_eq!(clean(page, &template, 0.1, format), clean(page, &again, 0.1, format));
            }
        }
    }
}

fn parse(page: &[u8]) -> Document {
    let decoded = decode(page, None, &Limits::default()).unwrap();
    Parser::default().parse(decoded.text).unwrap()
}

fn learn_trees<'a>(pages: impl Iterator<Item = (&'a String, &'a Vec<u8>)>) -> TreeMapLearner {
    let mut learner = TreeMapLearner::new(TreeMapSettings::default());
    for (path, page) in pages {
        learner.observe(path, &parse(page));
    }
    learner
}

fn clean_by_trees(page: &[u8], templates: &TreeMapTemplates) -> String {
    let document = parse(page);
    let detection = detect_tree_map(&document, &Stats::of(&document), templates);
    render::render_text(&document, &detection, RenderOptions::default())
}

#[test]
fn tree_maps_keep_content_and_remove_husks() {
    let (mut husks, mut left) = (0, Vec::new());
    for site in sites() {
        let templates = learn_trees(site.pages.iter()).finish(0);
        for (path, truth) in site.truth.as_object().unwrap() {
            let text = collapse(&clean_by_trees(&site.pages[path], &templates));
            husks += check_truth(&text, truth, &format!("{}/{path}", site.name), &mut left);
        }
    }
    assert!(left.len() * 20 <= husks, "{} of {husks} husks are left: {left:#?}", left.len());
}

#[test]
fn tree_maps_do_not_depend_on_order() {
    for site in sites() {
        let whole = learn_trees(site.pages.iter());
        assert_eq!(learn_trees(site.pages.iter().rev()).finish(7), whole.clone().finish(7), "{}", site.name);
        let mut halves = learn_trees(site.pages.iter().step_by(2));
        halves.merge(learn_trees(site.pages.iter().skip(1).step_by(2)));
        assert_eq!(halves.pages(), whole.pages());
        assert_eq!(halves.finish(7), whole.finish(7), "{}", site.name);
    }
}
