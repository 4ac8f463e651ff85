//! The default extractor on synthetic and damaged pages.

use dehusk::detect::fusion::{FusionModel, FusionPage, detect_fusion};
use dehusk::dom::{Document, Parser};
use dehusk::render::{RenderOptions, render_text};
use dehusk::{
    Decision, Detection, Extraction, Extractor, FallbackSource, Flag, Focus, Options, OutputFormat, PageType, extract,
};

const PARAGRAPH: &str = "The ferry left the harbour late in the evening, after the storm had calmed down and the nets were \
                         mended. Nobody on board expected to reach the island before the morning, but the wind turned.";

fn article(paragraphs: usize) -> String {
    let menu: String = (0..12).map(|item| format!("<li><a href=/{item}>Section {item}</a></li>")).collect();
    let body: String = (0..paragraphs).map(|number| format!("<p>{PARAGRAPH} That was day {number}.</p>")).collect();
    format!(
        "<!doctype html><html lang=en><head><title>The late ferry</title></head><body><header><nav class=menu><ul>{menu}</ul></nav>\
         </header><main><article><h1>The late ferry</h1>{body}</article></main><aside class=related><h3>Related</h3><ul>{menu}\
         </ul></aside><footer><p>© 2026 Harbour Notes. <a href=/privacy>Privacy policy</a> <a href=/terms>Terms</a></p></footer></body></html>"
    )
}

fn detect(document: &Document, focus: Focus, page: &mut FusionPage) -> Detection {
    let mut detection = detect_fusion(document, FusionModel::builtin(), None, focus, page);
    dehusk::settle::settle(document, &mut detection);
    detection
}

fn with_focus(page: &str, focus: Focus) -> Extraction<'static> {
    Extractor::new(Options::new().with_focus(focus)).unwrap().extract_owned(page).unwrap()
}

fn kept(document: &Document, focus: Focus) -> String {
    render_text(
        document,
        &detect(document, focus, &mut FusionPage::default()),
        RenderOptions::default().with_marks(false),
    )
}

/// Whether the characters of one text are in another in the same order, ignoring white space.
fn is_subsequence(inner: &str, outer: &str) -> bool {
    let mut outer = outer.chars();
    inner.chars().filter(|inner| !inner.is_whitespace()).all(|inner| outer.any(|other| other == inner))
}

/// All text of a page in order.
fn all_text(document: &Document) -> String {
    document.ids().filter(|id| document.is_text(*id)).map(|id| document.text(id).to_owned() + " ").collect()
}

#[test]
fn an_article_is_kept_and_its_surroundings_are_dropped() {
    let page = article(8);
    let found = extract(&page).unwrap();
    assert_eq!(found.detection().detectors, "fusion".into());
    let text = found.text();
    assert_eq!(text.matches("The ferry left the harbour").count(), 8);
    assert!(!text.contains("Section 3") && !text.contains("Privacy"), "{text}");
    let dropped = found.detection().dropped_roots(found.document()).count();
    assert!(dropped > 0, "dropped nodes are listed");
}

#[test]
fn a_higher_focus_keeps_everything_that_a_lower_one_keeps() {
    let document = Parser::default().parse(article(3)).unwrap();
    let mut page = FusionPage::default();
    let steps = [0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0].map(|focus| Focus::new(focus).unwrap());
    let detections = steps.map(|focus| detect(&document, focus, &mut page));
    for pair in detections.windows(2) {
        for id in document.ids().filter(|id| document.is_text(*id)) {
            let (less, more) = (pair[0].decision(id), pair[1].decision(id));
            assert!(less == Decision::Drop || more == Decision::Keep, "{id:?}");
        }
    }
    assert!(Focus::new(1.5).is_err() && Focus::new(f32::NAN).is_err());
}

#[test]
fn kept_text_is_a_subsequence_of_the_page() {
    let mut seed = 7u64;
    let page = article(4);
    for round in 0..300 {
        let mut bytes = page.clone().into_bytes();
        for _ in 0..round / 10 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (seed >> 33) as usize % bytes.len();
            match seed % 3 {
                0 => bytes[at] = b"<>/\"'= a"[(seed >> 20) as usize % 8],
                1 => drop(bytes.drain(at..(at + 9).min(bytes.len()))),
                _ => bytes.insert(at, b'<'),
            }
        }
        let source = String::from_utf8_lossy(&bytes).into_owned();
        let document = Parser::default().parse(source).unwrap();
        let text = kept(&document, Focus::BALANCED);
        assert!(is_subsequence(&text, &all_text(&document)), "round {round}:\n{text}");
    }
}

#[test]
fn short_pages_keep_their_best_block_and_the_head_is_kept() {
    let source =
        "<title>Nets</title><nav><a href=/>Home</a></nav><p>Nets are mended in May, and the boats go out again.";
    let found = extract(source).unwrap();
    assert!(found.text().contains("mended in May"));
    assert!(found.strip().starts_with("<title>Nets</title>"));
}

#[test]
fn empty_and_unusual_pages_have_a_result() {
    let deep = "<div>".repeat(2_000) + "deep";
    let wide = "<p>a".repeat(20_000);
    for source in
        ["", "<p>", "x", "<body hidden>x", "<svg><text>t</text></svg>", "<table><td>1<td>2</table>", &deep, &wide]
    {
        let document = Parser::default().parse(source).unwrap();
        let detection = detect(&document, Focus::BALANCED, &mut FusionPage::default());
        assert!(detection.page.is_some_and(|page| (0.0..=1.0).contains(&page.confidence)));
        render_text(&document, &detection, RenderOptions::default().with_marks(false));
    }
}

#[test]
fn the_builtin_model_is_complete_and_reused_buffers_do_not_change_results() {
    let model = FusionModel::builtin();
    assert!(model.first.len() > 10 && model.second.len() > 10 && model.thresholds.len() > 10);
    let (one, two) = (article(2), article(9));
    let (one, two) = (Parser::default().parse(&one).unwrap(), Parser::default().parse(&two).unwrap());
    let mut page = FusionPage::default();
    let first = detect(&one, Focus::BALANCED, &mut page);
    detect(&two, Focus::BALANCED, &mut page);
    assert_eq!(detect(&one, Focus::BALANCED, &mut page), first);
}

#[test]
fn pages_have_a_confidence_and_a_page_type() {
    let found = extract(&article(8)).unwrap();
    assert!(found.confidence().unwrap() > 0.8 && found.flags().is_empty(), "{:?}", found.flags());
    assert_eq!((found.page_type(), found.title().as_deref()), (Some(PageType::Article), Some("The late ferry")));
    let json = found.render(OutputFormat::Json);
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(record["page_type"], "article");
    assert!(record["confidence"].as_f64().unwrap() > 0.8);
    for block in record["blocks"].as_array().unwrap() {
        let (confidence, score) = (block["confidence"].as_f64().unwrap(), block["score"].as_f64().unwrap());
        let expected = if block["decision"] == "drop" { score } else { 1.0 - score };
        assert!((confidence - expected).abs() < 1e-3, "{block}");
    }
    for page_type in PageType::ALL {
        assert_eq!(PageType::from_name(page_type.name()), Some(page_type));
    }
}

#[test]
fn repeated_text_is_kept_once() {
    let repeated =
        "The boats that came in before the storm were tied up twice, and their owners slept on board that night.";
    let page = article(8).replace("</h1>", &format!("</h1><div class=for-phones><p>{repeated}</p></div>"));
    let page = page.replacen("</article>", &format!("<p>{repeated}</p></article>"), 1);
    assert_eq!(page.matches(repeated).count(), 2, "{page}");
    for focus in [Focus::BALANCED, Focus::RECALL, Focus::new(1.0).unwrap()] {
        let text = with_focus(&page, focus).text();
        assert_eq!(text.matches(repeated).count(), 1, "{text}");
    }
    let json = extract(&page).unwrap().render(OutputFormat::Json);
    assert_eq!(json.matches("\"copy_of\"").count(), 1, "{json}");
    // Rows of one table may have the same text.
    let rows: String = (0..9).map(|n| format!("<tr><td>{n} o'clock</td><td>{repeated}</td></tr>")).collect();
    let page = article(8).replacen("</article>", &format!("<table>{rows}</table></article>"), 1);
    let text = with_focus(&page, Focus::RECALL).text();
    assert_eq!(text.matches(repeated).count(), 9, "{text}");
}

#[test]
fn a_page_without_content_is_empty_and_flagged() {
    let found = extract("<title>Wait</title><body><div id=root></div><script>start()</script>").unwrap();
    assert_eq!((found.text().as_str(), &found.flags()[..]), ("", &[Flag::NoContent][..]));
    // The article body in structured data is content.
    let body = "Nets are mended in May. ".repeat(20);
    let page = format!("<div id=root></div><script type='application/ld+json'>{{\"articleBody\":\"{body}\"}}</script>");
    let found = extract(&page).unwrap();
    assert_eq!(found.fallback(), Some(FallbackSource::JsonLd));
    assert_eq!(found.flags(), [Flag::Fallback(FallbackSource::JsonLd)]);
}
