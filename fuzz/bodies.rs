//! What each fuzz target of crate `dehusk` checks. Its tests replay `fuzz/regressions` through the same functions.
//!
//! Each function returns whether the input was accepted, so that the replay notices a corpus that is rejected as a whole.

use dehusk::dom::{NodeId, Parser, Placement};
use dehusk::layout::{ElementBox, NodeBox, SuppliedBoxes, body_elements};
use dehusk::render::{self, RenderOptions};
use dehusk::site::{SiteLevelLearner, SiteLevelSettings, SiteLevelTemplate};
use dehusk::{Detection, Extractor, Limits, Options, Scratch, SegmentedPage, SiteTemplates};
use dehusk_papers::block::{BlockModel, BlockSettings};
use dehusk_papers::layout::estimate;
use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
use pulldown_cmark::{Event, Tag};
use xxhash_rust::xxh3::xxh3_64;

/// Any bytes decode to text or to an error. The text is the same when it is decoded again, and what was replaced shows in it.
#[allow(dead_code)]
pub(crate) fn decode(data: &[u8]) -> bool {
    let header = data.first().map(|first| if first % 2 == 0 { "text/html; charset=utf-8" } else { "shift_jis" });
    [None, header].into_iter().fold(false, |accepted, content_type| {
        let Ok(decoded) = dehusk::dom::decode(data, content_type, &Limits::default()) else { return accepted };
        assert!(!decoded.replaced || decoded.text.contains('\u{fffd}'), "{} has no replacement", decoded.encoding);
        if decoded.encoding == "UTF-8" && !decoded.replaced {
            assert!(data.ends_with(decoded.text.as_bytes()), "valid UTF-8 was changed");
        }
        // A second byte order mark would be taken for the first, and the text of another encoding may begin like an archive.
        if !decoded.text.starts_with('\u{feff}')
            && let Ok(again) = dehusk::dom::decode(decoded.text.as_bytes(), Some("utf-8"), &Limits::default())
        {
            assert_eq!((&*again.text, again.encoding, again.replaced), (&*decoded.text, "UTF-8", false));
        }
        true
    })
}

/// Any text parses to a tree that is in order and whose spans cut out of the source.
#[allow(dead_code)]
pub(crate) fn parse(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let mut accepted = false;
    for scripting in [false, true] {
        let Ok(document) = Parser::new(limits()).with_scripting(scripting).parse(&*text) else { continue };
        accepted = true;
        for id in document.ids() {
            assert!(document.end(id) > id && document.end(id).index() <= document.len());
            if let Some(parent) = document.parent(id) {
                assert!(document.contains(parent, id));
            }
            if let Some(span) = document.span(id) {
                let inside = document.parent(id).and_then(|parent| document.span(parent));
                if let Some(outer) = inside.filter(|_| document.placement(id) == Placement::Source) {
                    assert!(outer.start <= span.start && span.end <= outer.end);
                }
                assert!(document.source().get(span).is_some());
            }
        }
        let mut spans = Vec::new();
        document.append_own_spans(NodeId::DOCUMENT, &mut spans);
        assert!(spans.iter().all(|span| document.source().get(span.clone()).is_some()));
    }
    let _ = Parser::new(limits()).parse_fragment(&*text, "td");
    accepted
}

/// Any bytes go through every stage and every output; a page beside itself is all template, beside nothing all content.
#[allow(dead_code)]
pub(crate) fn extract(data: &[u8]) -> bool {
    let Ok(extractor) = Extractor::new(Options::new().with_limits(limits())) else { return false };
    let mut scratch = Scratch::default();
    let Ok(page) = extractor.parse(data, &mut scratch) else { return false };
    let mut learner = SiteLevelLearner::new();
    learner.observe(&dehusk::site::page_evidence(&page));
    learner.observe(&dehusk::site::page_evidence(&page));
    let template = learner.finish();
    let all = Detection::keep_all(dehusk::detection::Detectors::NONE, page.document);
    let none = dehusk::site::detect_site_level(
        page.document,
        page.stats(),
        page.fingerprints(),
        &template,
        SiteLevelSettings::default(),
    );
    dehusk::metadata::metadata(page.document).to_json();
    for source in dehusk::FallbackSource::ALL {
        dehusk::fallback::fallback_from(page.document, source);
    }
    let model = BlockModel::builtin();
    let settings = BlockSettings { details: true, ..BlockSettings::default() };
    let Ok(block) =
        dehusk_papers::block::detect_block(page.document, page.stats(), page.fingerprints(), model, settings)
    else {
        return false;
    };
    let focus = dehusk::Focus::BALANCED;
    let fused = dehusk::detect::fusion::detect_fusion(
        page.document,
        dehusk::detect::fusion::FusionModel::builtin(),
        None,
        focus,
        &mut Default::default(),
    );
    for detection in [all, none, block, fused] {
        let options = RenderOptions::default();
        render::render_text(page.document, &detection, options);
        render::render_markdown(page.document, &detection, options);
        render::render_html(page.document, &detection, options);
        render::render_json(page.document, &detection, options);
        render::render_explanation(page.document, &detection, Default::default());
        let spans = render::stripped_spans(page.document, &detection);
        let removed: usize = spans.iter().map(ExactSizeIterator::len).sum();
        let stripped = render::strip(page.document, &detection);
        assert_eq!(stripped.len() + removed, page.document.source().len());
    }
    true
}

/// The Markdown of any page has no tags but those that we write, and no link or image that could run code; nor has that of a page that
/// shows the same bytes as text, as code or as a formula.
#[allow(dead_code)]
pub(crate) fn markdown(data: &[u8]) -> bool {
    let page = String::from_utf8_lossy(data);
    let text = page.replace('&', "&amp;").replace('<', "&lt;");
    let texts = format!(
        "<p>{text}<p><code>{text}</code><dl><dt>t<dd><pre>{text}</pre></dl><p><span class=math>\\({text}\\)</span>\
         <table><tr><th>a<th>b<tr><td>{text}<td><code>{text}</code></table><math display=block><semantics>\
         <annotation encoding=application/x-tex>{text}</annotation></semantics></math>"
    );
    let mut accepted = false;
    for source in [&*page, &texts] {
        let Ok(document) = Parser::new(limits()).parse(source) else { continue };
        let all = Detection::keep_all(dehusk::detection::Detectors::NONE, &document);
        let markdown = render::render_markdown(&document, &all, RenderOptions::default());
        accepted |= !markdown.is_empty();
        for event in pulldown_cmark::Parser::new_ext(
            &markdown,
            pulldown_cmark::Options::ENABLE_GFM | pulldown_cmark::Options::ENABLE_TABLES,
        ) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    let known = ["<sup>", "</sup>", "<sub>", "</sub>", "<br>"];
                    assert!(known.contains(&html.trim()), "{html} in {markdown}");
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    let start: String = dest_url.chars().filter(char::is_ascii_graphic).take(12).collect();
                    let start = start.to_ascii_lowercase();
                    let runs = ["javascript:", "vbscript:", "data:"].iter().any(|scheme| start.starts_with(scheme));
                    assert!(!runs, "{dest_url} in {markdown}");
                }
                _ => {}
            }
        }
    }
    accepted
}

/// Any bytes are a template or an error, and a template writes itself back.
#[allow(dead_code)]
pub(crate) fn template(data: &[u8]) -> bool {
    let data = &checksummed_template(data);
    if let Ok(template) = SiteLevelTemplate::from_bytes(data) {
        let bytes = template.to_bytes();
        assert_eq!(SiteLevelTemplate::from_bytes(&bytes).as_ref(), Ok(&template));
    }
    let methods = dehusk_papers::methods();
    let Ok(templates) = SiteTemplates::from_bytes(data, methods.site_methods()) else { return false };
    let bytes = templates.to_bytes();
    assert_eq!(
        SiteTemplates::from_bytes(&bytes, methods.site_methods()).map(|again| again.to_bytes()).as_ref(),
        Ok(&bytes)
    );
    dehusk::site::render_templates(&templates);
    true
}

/// Any bytes are a model or an error, and a model writes itself back and scores pages.
#[allow(dead_code)]
pub(crate) fn model(data: &[u8]) -> bool {
    let Ok(model) = BlockModel::from_bytes(&checksummed_model(data)) else { return false };
    let bytes = model.to_bytes();
    assert!(BlockModel::from_bytes(&bytes).is_ok());
    let page = "<nav><a href=/>Home</a> <a href=/all>All the posts of this site</a></nav><p>A text that is long enough to count.";
    let Ok(extractor) = Extractor::new(Options::new()) else { return false };
    let mut scratch = Scratch::default();
    let Ok(page) = extractor.parse(page, &mut scratch) else { return false };
    let settings = BlockSettings { details: true, ..BlockSettings::default() };
    let _ = dehusk_papers::block::detect_block(page.document, page.stats(), page.fingerprints(), &model, settings);
    true
}

/// Any text in a JSON-LD script gives metadata that is a JSON object, and hidden content that holds words.
#[allow(dead_code)]
pub(crate) fn jsonld(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let mut accepted = false;
    for kind in ["application/ld+json", "application/json"] {
        let page = format!("<title>A page</title><script type=\"{kind}\">{text}</script><p>Text");
        let Ok(document) = Parser::new(limits()).parse(&*page) else { continue };
        let metadata = dehusk::metadata::metadata(&document).to_json();
        assert!(metadata.starts_with('{') && metadata.ends_with('}'));
        for source in dehusk::FallbackSource::ALL {
            if let Some(content) = dehusk::fallback::fallback_from(&document, source) {
                assert!(content.words > 0 && !content.text.trim().is_empty());
                accepted = true;
            }
        }
    }
    accepted
}

/// Any text in a style sheet or style attribute gives a layout with a finite box for each node.
#[allow(dead_code)]
pub(crate) fn stylesheet(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let attribute = text.replace('"', "'");
    let page = format!(
        "<style>{text}</style><body class=a><div id=top class=\"a b\" style=\"{attribute}\"><p>One <b>two</b></p></div>\
         <ul class=menu><li>Three<li class=b>Four</ul><table><tr><td>5<td width=50%>6</table><footer>Seven</footer>"
    );
    let Ok(document) = Parser::new(limits()).parse(&*page) else { return false };
    let layout = dehusk_papers::layout::estimate(&document);
    assert_eq!(layout.boxes().len(), document.len());
    for node in layout.boxes() {
        let lengths = [node.x, node.y, node.width, node.height, node.font_size];
        assert!(lengths.iter().all(|length| length.is_finite()), "{node:?}");
    }
    assert!(layout.width.is_finite() && layout.height.is_finite());
    true
}

/// Any bytes, with boxes of any size, split into segments by every method: each leaf in one of them, and pictures of bounded size.
#[allow(dead_code)]
pub(crate) fn segment(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let limits = Limits { nodes: 2_000, ..Limits::default() };
    let Ok(document) = Parser::new(limits).parse(&*text) else { return false };
    let length = |at: usize| {
        let byte = data.get(at % data.len().max(1)).copied().unwrap_or_default();
        [f32::from(byte) * 8.0, -f32::from(byte), f32::NAN, f32::INFINITY, 1e30, 0.0][usize::from(byte) % 6]
    };
    let element = |at: usize| {
        let shown = NodeBox::new(length(4 * at), length(4 * at + 1), length(4 * at + 2), length(4 * at + 3));
        ElementBox { name: String::new(), at: shown }
    };
    let elements = (0..body_elements(&document).len()).map(element).collect();
    let Ok(supplied) = (SuppliedBoxes { elements, texts: Vec::new() }).layout(&document) else { return false };
    let mut accepted = false;
    for layout in [estimate(&document), supplied] {
        let leaves = dehusk_papers::segment::LeafTree::new(&document, &layout).leaves;
        accepted |= !leaves.is_empty();
        for method in SegmentMethod::ALL {
            let segmentation = ModelSegmenter::new(method).segment_document(&document, &layout, None);
            let mut found: Vec<NodeId> =
                segmentation.segments.iter().flat_map(|segment| &segment.leaves).copied().collect();
            found.sort_unstable();
            assert_eq!(found, leaves.iter().map(|leaf| leaf.node).collect::<Vec<_>>());
            for (number, segment) in segmentation.segments.iter().enumerate() {
                assert!(segment.nodes.iter().all(|id| segmentation.segment_of(*id) == Some(number)));
                assert!(segment.bounds.is_none_or(|bounds| bounds.iter().all(|length| length.is_finite())));
            }
            let page = SegmentedPage {
                document: document.clone(),
                layout: layout.clone(),
                segmentation,
                method: method.name(),
            };
            for picture in [page.to_svg(), page.to_html()] {
                assert!(picture.len() < 3_000_000 && !picture.contains("NaN") && !picture.contains("=\"inf"));
            }
            let json = page.to_json();
            assert!(json.starts_with('{') && json.ends_with('}'));
        }
    }
    accepted
}

fn limits() -> Limits {
    Limits { nodes: 20_000, ..Limits::default() }
}

/// The input with a correct checksum, which no fuzzer guesses: the last line of a template.
fn checksummed_template(data: &[u8]) -> Vec<u8> {
    let length = data.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut out = data[..length].to_vec();
    out.extend(format!("checksum: {:016x}\n", xxh3_64(&out)).bytes());
    out
}

/// The same for a model, whose checksum is behind the eight bytes of its name and the four of its version.
fn checksummed_model(data: &[u8]) -> Vec<u8> {
    let mut out = data.to_vec();
    if let Some((head, body)) = out.split_at_mut_checked(20) {
        head[12..].copy_from_slice(&xxh3_64(body).to_le_bytes());
    }
    out
}
