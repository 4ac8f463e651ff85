//! What each fuzz target checks. The tests of the core crate replay old crashes through the same functions.

use dehusk::dom::{NodeId, Parser, Placement};
use dehusk::methods::block::{Block, BlockModel};
use dehusk::methods::sitelevel::{SiteLevelLearner, SiteLevelSettings, SiteLevelTemplate};
use dehusk::output::{self, RenderOptions};
use dehusk::{Detection, Extractor, Limits, Options, Scratch, SiteTemplates};

/// Any bytes decode to text or to an error.
#[allow(dead_code)]
pub(crate) fn decode(data: &[u8]) {
    let header = data.first().map(|first| if first % 2 == 0 { "text/html; charset=utf-8" } else { "shift_jis" });
    for content_type in [None, header] {
        let _ = dehusk::dom::decode(data, content_type, &Limits::default());
    }
}

/// Any text parses to a tree that is in order and whose spans cut out of the source.
#[allow(dead_code)]
pub(crate) fn parse(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let limits = Limits { nodes: 20_000, ..Limits::default() };
    for scripting in [false, true] {
        let Ok(document) = Parser::new(limits).with_scripting(scripting).parse(&*text) else { continue };
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
    let _ = Parser::new(limits).parse_fragment(&*text, "td");
}

/// Any bytes go through every stage and every output; a page beside itself is all template, beside nothing all content.
#[allow(dead_code)]
pub(crate) fn extract(data: &[u8]) {
    let limits = Limits { nodes: 20_000, ..Limits::default() };
    let Ok(extractor) = Extractor::new(Options::new().with_limits(limits)) else { return };
    let mut scratch = Scratch::default();
    let Ok(page) = extractor.parse(data, &mut scratch) else { return };
    let mut learner = SiteLevelLearner::new();
    learner.observe(&dehusk::methods::sitelevel::page_evidence(&page));
    learner.observe(&dehusk::methods::sitelevel::page_evidence(&page));
    let template = learner.finish();
    let all = Detection::keep_all(dehusk::Detector::None, page.document);
    let none = dehusk::methods::sitelevel::detect_site_level(
        page.document,
        page.stats(),
        page.fingerprints(),
        &template,
        SiteLevelSettings::default(),
    );
    dehusk::methods::metadata::metadata(page.document).to_json();
    for source in dehusk::HiddenSource::ALL {
        dehusk::methods::hidden::hidden_content(page.document, source);
    }
    let model = BlockModel::builtin();
    let settings = Block { details: true, ..Block::default() };
    let Ok(block) =
        dehusk::methods::block::detect_block(page.document, page.stats(), page.fingerprints(), model, settings)
    else {
        return;
    };
    let focus = dehusk::Focus::BALANCED;
    let fused = dehusk::methods::fusion::detect_fusion(
        page.document,
        dehusk::methods::fusion::FusionModel::builtin(),
        None,
        focus,
        &mut Default::default(),
    );
    for detection in [all, none, block, fused] {
        let options = RenderOptions::default();
        output::render_text(page.document, &detection, options);
        output::render_markdown(page.document, &detection, options);
        output::render_html(page.document, &detection, options);
        output::render_json(page.document, &detection, options);
        output::render_explanation(page.document, &detection, Default::default());
        let spans = output::stripped_spans(page.document, &detection);
        let removed: usize = spans.iter().map(ExactSizeIterator::len).sum();
        let stripped = output::strip(page.document, &detection);
        assert_eq!(stripped.len() + removed, page.document.source().len());
    }
}

/// Any bytes are a template or an error, and a template writes itself back.
#[allow(dead_code)]
pub(crate) fn template(data: &[u8]) {
    if let Ok(template) = SiteLevelTemplate::from_bytes(data) {
        let bytes = template.to_bytes();
        assert_eq!(SiteLevelTemplate::from_bytes(&bytes).as_ref(), Ok(&template));
    }
    if let Ok(templates) = SiteTemplates::from_bytes(data) {
        let bytes = templates.to_bytes();
        assert_eq!(SiteTemplates::from_bytes(&bytes).map(|again| again.to_bytes()).as_ref(), Ok(&bytes));
        dehusk::methods::site::render_templates(&templates);
    }
}

/// Any bytes are a model or an error, and a model writes itself back and scores pages.
#[allow(dead_code)]
pub(crate) fn model(data: &[u8]) {
    let Ok(model) = BlockModel::from_bytes(data) else { return };
    let bytes = model.to_bytes();
    assert!(BlockModel::from_bytes(&bytes).is_ok());
    let page = "<nav><a href=/>Home</a> <a href=/all>All the posts of this site</a></nav><p>A text that is long enough to count.";
    let Ok(extractor) = Extractor::new(Options::new()) else { return };
    let mut scratch = Scratch::default();
    let Ok(page) = extractor.parse(page, &mut scratch) else { return };
    let _ = dehusk::methods::block::detect_block(
        page.document,
        page.stats(),
        page.fingerprints(),
        &model,
        Block::default(),
    );
}
