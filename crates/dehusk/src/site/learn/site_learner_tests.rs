use super::{MAX_SAMPLE_PAGES, SiteLearner};
use crate::dom::{Document, Fingerprints, Parser, Stats};
use crate::read::ParsedPage;
use crate::site::{SiteMethod, SiteTemplates};

fn page(number: usize) -> String {
    format!(
        "<nav class=menu><a href=/>Home</a> <a href=/all>All posts</a></nav><main class=post><h1>Post {number}</h1><p>Text of post {number}.</p></main>"
    )
}

fn observe(learner: &mut SiteLearner, key: &str, html: &str) {
    let document: Document = Parser::default().parse(html).unwrap();
    let (stats, mut fingerprints) = (Stats::of(&document), Fingerprints::default());
    fingerprints.compute(&document);
    learner.observe(key, &ParsedPage::new(&document, &stats, &fingerprints));
}

fn learn(numbers: impl IntoIterator<Item = usize>) -> SiteLearner {
    let mut learner = SiteLearner::new(SiteMethod::counts());
    numbers.into_iter().for_each(|number| observe(&mut learner, &number.to_string(), &page(number)));
    learner
}

fn finish(learner: SiteLearner) -> SiteTemplates {
    learner.finish(0)
}

#[test]
fn every_page_is_counted_and_a_bounded_sample_is_kept() {
    let site = finish(learn(0..MAX_SAMPLE_PAGES + 12));
    assert_eq!(site.pages() as usize, MAX_SAMPLE_PAGES + 12);
    assert_eq!(site.sampled_pages() as usize, MAX_SAMPLE_PAGES);
    assert_eq!((site.templates().len(), site.pages_of_no_kind()), (1, 0));
    assert_eq!(site.templates()[0].pages() as usize, MAX_SAMPLE_PAGES);
}

#[test]
fn order_and_division_do_not_matter() {
    let whole = finish(learn(0..60)).to_bytes();
    assert!(finish(learn((0..60).rev())).to_bytes() == whole);
    let mut merged = learn((0..60).step_by(2));
    merged.merge(learn((1..60).step_by(2)));
    assert!(finish(merged).to_bytes() == whole);
}

#[test]
fn learning_goes_on_only_from_complete_templates() {
    let half = learn(0..10).finish_complete(0);
    let mut again = SiteLearner::from_templates(half).unwrap();
    again.merge(learn(10..20));
    assert!(finish(again).to_bytes() == finish(learn(0..20)).to_bytes());
    assert!(SiteLearner::from_templates(finish(learn(0..10))).is_err());
}

#[test]
fn few_or_empty_pages_give_counts_without_kinds() {
    assert_eq!(finish(learn(0..1)).templates().len(), 0);
    let mut learner = SiteLearner::new(SiteMethod::counts());
    for key in ["a", "b", "c"] {
        observe(&mut learner, key, "");
    }
    let site = finish(learner);
    assert_eq!((site.pages(), site.templates().len()), (3, 0));
}
