//! Hostile pages: each must quickly return a result or an error that names the limit.

use dehusk::details::{Limit, LimitsHit};
use dehusk::site::{SiteLevelLearner, page_evidence};
use dehusk::{ErrorKind, Extractor, Options, OutputFormat, Page, Scratch, SiteLearner, SiteTemplates};
use dehusk_papers::methods;

/// Runs a page through every stage and every output and returns the limits it hit.
fn survive(page: &[u8]) -> LimitsHit {
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let parsed = extractor.parse(page, &mut scratch).unwrap();
    let mut learner = SiteLevelLearner::new();
    learner.observe(&page_evidence(&parsed));
    learner.observe(&page_evidence(&parsed));
    let counts = SiteTemplates::from(learner.finish());
    let mut learner = SiteLearner::new(methods().site_method("auto").unwrap().clone());
    learner.observe("one", &parsed);
    learner.observe("two", &parsed);
    let templates = learner.finish(0);
    let mut limits_hit = LimitsHit::default();
    // Fusion, with the counts as evidence; then the templates by themselves, as fusion takes longest.
    let alone = Extractor::new(Options::new())
        .unwrap()
        .with_shared_detector(methods().detector("auto").unwrap().clone())
        .unwrap();
    for (extractor, site) in [(&extractor, &counts), (&alone, &counts), (&alone, &templates)] {
        let found = extractor.extract(Page::new(page).with_site(site), &mut scratch).unwrap();
        for format in [OutputFormat::Text, OutputFormat::Markdown, OutputFormat::Html, OutputFormat::Json] {
            found.render(format);
        }
        found.strip();
        found.explain(Default::default());
        limits_hit = found.document().limits_hit();
    }
    limits_hit
}

fn numbered(count: usize, part: impl Fn(usize) -> String) -> Vec<u8> {
    (0..count).map(part).collect::<String>().into_bytes()
}

#[test]
fn deep_nesting_is_flattened() {
    for (name, part, count) in [
        ("div", "<div>", 100_000),
        ("lists", "<ul><li>", 65_536),
        ("tables", "<table><tr><td>", 30_000),
        ("quotes", "<blockquote>x", 50_000),
        ("definitions", "<dl><dd>", 50_000),
        ("drawings", "<svg><g>", 50_000),
        ("fragments", "<template>", 50_000),
        ("spans", "<span>x", 100_000),
    ] {
        assert!(survive(part.repeat(count).as_bytes()).contains(Limit::Depth), "{name}");
    }
    let closed = format!("{}x{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    assert!(survive(closed.as_bytes()).contains(Limit::Depth));
}

#[test]
fn unclosed_formatting_is_left_out() {
    assert!(survive("<b>".repeat(100_000).as_bytes()).contains(Limit::Formatting));
    assert!(survive(&numbered(100_000, |n| format!("<font color={n}>x"))).contains(Limit::Formatting));
    assert!(survive(&numbered(20_000, |n| format!("<p><b id={n}>x"))).contains(Limit::Formatting));
    survive(&numbered(100_000, |n| format!("<a href={n}>")));
    survive(&numbered(50_000, |n| format!("<b id={n}><div></b>")));
    survive("<table><font>".repeat(50_000).as_bytes());
}

#[test]
fn wide_pages_pass() {
    assert!(survive("<p>x</p>".repeat(190_000).as_bytes()).is_empty());
    assert!(survive("<br>".repeat(390_000).as_bytes()).is_empty());
    assert!(survive("<!---->".repeat(390_000).as_bytes()).is_empty());
    assert!(survive(format!("<table>{}", "<tr><td>x".repeat(120_000)).as_bytes()).is_empty());
    assert!(survive(format!("<select>{}", "<option>x".repeat(190_000)).as_bytes()).is_empty());
    assert!(survive(format!("<h1>{}", "<button></button>".repeat(150_000)).as_bytes()).is_empty());
    assert!(survive(format!("<p>{}", "<span>ab</span>".repeat(150_000)).as_bytes()).is_empty());
    let deep = format!("{}{}", "<div>".repeat(500), "<span>ab</span>".repeat(100_000));
    assert!(survive(deep.as_bytes()).is_empty());
}

#[test]
fn too_many_nodes_are_cut() {
    let page = "<i></i>".repeat(500_000);
    assert!(survive(page.as_bytes()).contains(Limit::Nodes));
}

#[test]
fn attributes_have_limits() {
    assert!(survive(format!("<p title='{}'>x", "y".repeat(10 << 20)).as_bytes()).is_empty());
    let many = numbered(1_000_000, |n| format!(" a{n}=1"));
    assert!(survive(&[b"<p", &many[..], b">x"].concat()).contains(Limit::Attributes));
    survive(&numbered(200_000, |n| format!("<body a{n}=1>")));
}

#[test]
fn floods_pass() {
    assert!(survive("&amp;".repeat(1_000_000).as_bytes()).is_empty());
    assert!(survive("&CounterClockwiseContourIntegral;".repeat(200_000).as_bytes()).is_empty());
    assert!(survive(&[b"<p>".as_slice(), &vec![0; 4 << 20]].concat()).is_empty());
    assert!(survive("a\r\n".repeat(1 << 20).as_bytes()).is_empty());
    assert!(survive("<a".repeat(2 << 20).as_bytes()).is_empty());
    assert!(survive("< ".repeat(2 << 20).as_bytes()).is_empty());
    assert!(survive(format!("<script>{}", "<!--<script>".repeat(200_000)).as_bytes()).is_empty());
    assert!(survive("word ".repeat(4 << 20).as_bytes()).is_empty());
}

#[test]
fn what_is_no_page_is_refused_by_name() {
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let huge = vec![b'a'; 200 << 20];
    let error = extractor.parse(&huge, &mut scratch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(error.to_string().contains("209715200") && error.to_string().contains("67108864"), "{error}");
    let error = extractor.parse(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &mut scratch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotText);
    assert!(survive(b"").is_empty());
    let utf16: Vec<u8> = "<html><body><p>hello there".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let page = extractor.parse(&utf16, &mut scratch).unwrap();
    assert_eq!(page.encoding.name, "UTF-16LE");
}
