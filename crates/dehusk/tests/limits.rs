//! Hostile pages: each gives a result or an error that names the limit, soon.

use dehusk::output::RenderOptions;
use dehusk::{Limit, Detector, ErrorKind, Extractor, KnownSite, Method, Options, OutputFormat, Scratch, SiteLearner};
use dehusk::dom::LimitsHit;
use dehusk::methods::sitelevel::SiteLevelLearner;
use std::time::{Duration, Instant};

/// Far more than any of these needs in a release build (4 seconds at most on one core), far less than what quadratic time
/// would take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a page through every stage and every output and returns the limits it hit.
fn survive(name: &str, page: &[u8]) -> Cuts {
    let start = Instant::now();
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let parsed = extractor.parse(page, None, &mut scratch).unwrap();
    let mut learner = SiteLevelLearner::new();
    learner.observe(&parsed.evidence());
    learner.observe(&parsed.evidence());
    let template = learner.finish();
    let mut learner = SiteLearner::new(Method::Auto);
    learner.observe("one", &parsed);
    learner.observe("two", &parsed);
    let templates = learner.finish(0);
    let mut cuts = Cuts::default();
    // The first is judged by fusion, with the template as evidence; the others by templates alone, as fusion takes longest.
    let alone = Extractor::new(Options::new().with_known_sites(KnownSite::Template)).unwrap();
    let ways: [(&Extractor, &dyn Detector); 3] = [(&extractor, &template), (&alone, &template), (&alone, &templates)];
    for (extractor, site) in ways {
        let site = Some(site);
        let analysis = extractor.analyze(page, None, site, &mut scratch).unwrap();
        for format in [OutputFormat::Text, OutputFormat::Markdown, OutputFormat::Html, OutputFormat::Json] {
            analysis.render(format, RenderOptions::default());
        }
        analysis.strip();
        dehusk::output::render_explanation(analysis.page.document, &analysis.detection, Default::default());
        cuts = analysis.page.document.cuts();
    }
    assert!(start.elapsed() < PATIENCE, "{name} took {:?}", start.elapsed());
    cuts
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
        assert!(survive(name, part.repeat(count).as_bytes()).contains(Cut::Depth), "{name}");
    }
    let closed = format!("{}x{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    assert!(survive("closed", closed.as_bytes()).contains(Cut::Depth));
}

#[test]
fn unclosed_formatting_is_left_out() {
    assert!(survive("b", "<b>".repeat(100_000).as_bytes()).contains(Cut::Formatting));
    assert!(survive("font", &numbered(100_000, |n| format!("<font color={n}>x"))).contains(Cut::Formatting));
    assert!(survive("b in p", &numbered(20_000, |n| format!("<p><b id={n}>x"))).contains(Cut::Formatting));
    survive("a", &numbered(100_000, |n| format!("<a href={n}>")));
    survive("misnested", &numbered(50_000, |n| format!("<b id={n}><div></b>")));
    survive("fostered", "<table><font>".repeat(50_000).as_bytes());
}

#[test]
fn wide_pages_pass() {
    assert!(survive("siblings", "<p>x</p>".repeat(1_000_000).as_bytes()).is_empty());
    assert!(survive("breaks", "<br>".repeat(1_000_000).as_bytes()).is_empty());
    assert!(survive("comments", "<!---->".repeat(500_000).as_bytes()).is_empty());
    assert!(survive("rows", format!("<table>{}", "<tr><td>x".repeat(200_000)).as_bytes()).is_empty());
    assert!(survive("options", format!("<select>{}", "<option>x".repeat(200_000)).as_bytes()).is_empty());
    assert!(survive("buttons", format!("<h1>{}", "<button></button>".repeat(150_000)).as_bytes()).is_empty());
    assert!(survive("spans", format!("<p>{}", "<span>ab</span>".repeat(150_000)).as_bytes()).is_empty());
    let deep = format!("{}{}", "<div>".repeat(500), "<span>ab</span>".repeat(100_000));
    assert!(survive("deep spans", deep.as_bytes()).is_empty());
}

#[test]
fn too_many_nodes_are_cut() {
    let page = "<i></i>".repeat(3_100_000);
    assert!(survive("nodes", page.as_bytes()).contains(Cut::Nodes));
}

#[test]
fn attributes_have_limits() {
    assert!(survive("long", format!("<p title='{}'>x", "y".repeat(10 << 20)).as_bytes()).is_empty());
    let many = numbered(1_000_000, |n| format!(" a{n}=1"));
    assert!(survive("many", &[b"<p", &many[..], b">x"].concat()).contains(Cut::Attributes));
    survive("bodies", &numbered(200_000, |n| format!("<body a{n}=1>")));
}

#[test]
fn floods_pass() {
    assert!(survive("references", "&amp;".repeat(1_000_000).as_bytes()).is_empty());
    assert!(survive("long references", "&CounterClockwiseContourIntegral;".repeat(200_000).as_bytes()).is_empty());
    assert!(survive("zeros", &[b"<p>".as_slice(), &vec![0; 4 << 20]].concat()).is_empty());
    assert!(survive("line ends", "a\r\n".repeat(1 << 20).as_bytes()).is_empty());
    assert!(survive("open tags", "<a".repeat(2 << 20).as_bytes()).is_empty());
    assert!(survive("less-than signs", "< ".repeat(2 << 20).as_bytes()).is_empty());
    assert!(survive("scripts", format!("<script>{}", "<!--<script>".repeat(200_000)).as_bytes()).is_empty());
    assert!(survive("text", "word ".repeat(4 << 20).as_bytes()).is_empty());
}

#[test]
fn what_is_no_page_is_refused_by_name() {
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let huge = vec![b'a'; 200 << 20];
    let error = extractor.parse(&huge, None, &mut scratch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(error.to_string().contains("209715200") && error.to_string().contains("67108864"), "{error}");
    let error = extractor.parse(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, &mut scratch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotText);
    assert!(survive("empty", b"").is_empty());
    let utf16: Vec<u8> = "<html><body><p>hello there".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let page = extractor.parse(&utf16, None, &mut scratch).unwrap();
    assert_eq!(page.encoding, "UTF-16LE");
}
