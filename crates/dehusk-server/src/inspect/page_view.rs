//! All that the inspector shows of one page, as one JSON value: the page for its frame, the tree, what each detector decided about each
//! node at each focus and why, the content that results, and the records of the page.
//!
//! Everything that moves with the slider is in it, so that moving it needs no request. Strings that occur several times are in a table.

use super::frame_html::{Network, can_mark_text_in, frame_html};
use super::records_view::records_view;
use super::site_methods::COMPARED;
use super::string_table::StringTable;
use crate::methods::METHODS;
use dehusk::dom::elements::is_hidden;
use dehusk::dom::{Document, Name, NodeId, Paths};
use dehusk::{
    Comments, Detection, Detector, Error, Extraction, Extractor, Focus, Options, OutputFormat, Page, PageSegmenter,
    Reason, Scratch, SiteTemplates,
};
use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::Url;

/// The number of positions of the slider, from focus 0 to focus 1. A set of them is a number of this many bits.
const STEPS: usize = 21;
/// The tree is shown up to this many nodes, and the page itself only if it has no more: browsers take seconds for larger ones.
const MAX_NODES: usize = 60_000;
/// The characters that are shown of a text.
const MAX_TEXT: usize = 240;
/// The methods of segmentation that take longer than linear time are only tried on pages with up to this many nodes.
const MAX_SEGMENT_NODES: usize = 20_000;

/// A page to look at.
pub(crate) struct ViewedPage<'a> {
    /// Its bytes, address and content type.
    pub(crate) page: Page<'a>,
    /// The address, if it has one.
    pub(crate) url: Option<&'a str>,
    /// What is known of its site.
    pub(crate) site: Option<&'a SiteTemplates>,
    /// What each of several methods knows of it, to compare them.
    pub(crate) methods: &'a [(&'static str, SiteTemplates)],
    /// Whether pictures and style sheets may be loaded.
    pub(crate) network: bool,
}

/// The view of a page.
///
/// # Errors
/// If the page cannot be read.
pub(crate) fn page_view(extractor: &Extractor, viewed: &ViewedPage<'_>) -> Result<Value, Error> {
    let mut strings = StringTable::default();
    let mut scratch = Scratch::default();
    let options = *extractor.options();
    let page = viewed.page.with_site(viewed.site);
    let with_details = extractor.with_options(options.with_details(true))?;
    let extraction = with_details.extract(page, &mut scratch)?;
    let nodes = shown_nodes(extraction.document());
    let is_cut = nodes.len() > MAX_NODES;
    let nodes = &nodes[..nodes.len().min(MAX_NODES)];
    let mut view = about(&extraction, viewed);
    view.insert("nodes_shown".into(), json!(nodes.len()));
    view.insert("nodes_cut".into(), json!(is_cut));
    view.insert("tree".into(), tree(extraction.document(), nodes, &mut strings));
    view.insert("records".into(), records_view(&extraction));
    // The document is in the buffers that the detectors are about to reuse.
    let document = extraction.document().clone();
    drop(extraction);

    let mut judged = Vec::new();
    for (detector, site) in detectors_for(extractor.detector(), viewed) {
        let extractor = with_detector(extractor, &detector, options.with_details(true))?;
        // A detector may refuse a page that others accept; it is then left out of the comparison.
        if let Ok(found) = judge(&extractor, page.with_site(site), nodes, &mut scratch, &mut strings) {
            judged.push((detector.name(), found));
        }
    }
    let marked = marked_texts(&document, nodes, judged.iter().map(|(_, judged)| &*judged.masks));
    let base = viewed.url.and_then(|url| Url::parse(url).ok());
    let network = if viewed.network { Network::Open(base.as_ref()) } else { Network::Closed };
    let frame = (!is_cut).then(|| frame_html(&document, network, |id| marked[id.index()]));
    view.insert("frame".into(), json!(frame));
    view.insert("steps".into(), json!((0..STEPS).map(focus_at).collect::<Vec<f32>>()));
    view.insert("step".into(), json!(step_of(options.focus())));
    view.insert("detectors".into(), judged.into_iter().map(|(_, judged)| judged.json).collect());
    view.insert("strings".into(), json!(strings.into_strings()));
    Ok(Value::Object(view))
}

/// The segments of a page by a method.
///
/// # Errors
/// If the page cannot be read.
pub(crate) fn segments_view(extractor: &Extractor, page: Page<'_>, method: SegmentMethod) -> Result<Value, Error> {
    let options = extractor.options();
    let segmenter = PageSegmenter::new(Arc::new(ModelSegmenter::new(method)))
        .with_limits(options.limits())
        .with_scripting(options.scripting());
    let found = segmenter.segment(page)?;
    let segment = |segment: &dehusk::Segment| {
        json!({
            "role": segment.role.name(),
            "nodes": segment.nodes.iter().map(|id| id.0).collect::<Vec<_>>(),
            "characters": segment.characters,
        })
    };
    Ok(json!({
        "method": method.name(),
        "complete": found.segmentation.is_complete,
        "main": found.segmentation.main(),
        "segments": found.segmentation.segments.iter().map(segment).collect::<Vec<_>>(),
    }))
}

/// The methods of segmentation that are tried on a page of this many nodes.
pub(crate) fn segment_methods(nodes: usize) -> &'static [SegmentMethod] {
    match nodes > MAX_SEGMENT_NODES {
        true => &[SegmentMethod::Best],
        false => &[SegmentMethod::Best, SegmentMethod::Gcuts, SegmentMethod::Cclus],
    }
}

/// The focus of a position of the slider.
pub(crate) fn focus_at(step: usize) -> f32 {
    // A whole number of hundredths, so that it is written as one.
    (step.min(STEPS - 1) * 100 / (STEPS - 1)) as f32 / 100.0
}

/// The position of the slider that is nearest to a focus.
fn step_of(focus: Focus) -> usize {
    (focus.value() * (STEPS - 1) as f32).round() as usize
}

/// What is known of the page as a whole.
fn about(extraction: &Extraction<'_>, viewed: &ViewedPage<'_>) -> Map<String, Value> {
    let encoding = extraction.encoding();
    let fit = extraction.template_fit().map(|fit| json!({ "template": fit.template, "fit": fit.fit }));
    let site =
        viewed.site.map(|site| json!({ "name": site.site(), "pages": site.pages(), "method": site.method().name() }));
    let value = json!({
        "url": viewed.url,
        "title": extraction.title(),
        "confidence": extraction.confidence(),
        "page_type": extraction.page_type().map(|kind| kind.name()),
        "flags": extraction.flags().iter().map(|flag| flag.to_string()).collect::<Vec<_>>(),
        "fallback": extraction.fallback().map(|source| source.flag()),
        "dropped_share": extraction.dropped_share(),
        "encoding": encoding.name,
        "nodes": extraction.document().len(),
        "bytes": extraction.document().source().len(),
        "template_fit": fit,
        "site": site,
    });
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The nodes of the tree: elements, and texts that are not only white space. What a page never shows is left out.
fn shown_nodes(document: &Document) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    let mut at = 1;
    while at < document.len() {
        let id = NodeId(at as u32);
        at += 1;
        if document.is_text(id) {
            if !document.text(id).trim().is_empty() {
                nodes.push(id);
            }
        } else if document.is_element(id) {
            match document.html_name(id) {
                Name::SCRIPT | Name::STYLE | Name::TEMPLATE | Name::META | Name::LINK | Name::BASE => {
                    at = document.end(id).index();
                }
                _ => nodes.push(id),
            }
        }
    }
    nodes
}

/// The tree as columns, in page order.
fn tree(document: &Document, nodes: &[NodeId], strings: &mut StringTable) -> Value {
    let paths = Paths::new(document);
    let mut place = vec![-1i64; document.len()];
    let (mut parents, mut names, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut starts, mut ends, mut xpath_steps, mut css_steps, mut hidden) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, id) in nodes.iter().enumerate() {
        place[id.index()] = number as i64;
        parents.push(document.parent(*id).map_or(-1, |parent| place[parent.index()]));
        let is_text = document.is_text(*id);
        names.push(strings.number(if is_text { String::new() } else { name_of(document, *id) }));
        texts.push(if is_text { Value::from(cut(document.text(*id))) } else { Value::from(0) });
        let span = document.span(*id);
        starts.push(span.as_ref().map_or(-1, |span| span.start as i64));
        ends.push(span.map_or(-1, |span| span.end as i64));
        let (mut xpath, mut css) = (String::new(), String::new());
        paths.append_xpath_step(*id, &mut xpath);
        if !is_text {
            paths.append_css_step(*id, &mut css);
        }
        xpath_steps.push(strings.number(xpath));
        css_steps.push(strings.number(css));
        hidden.push(u8::from(is_hidden(document, *id)));
    }
    json!({
        "id": nodes.iter().map(|id| id.0).collect::<Vec<_>>(),
        "parent": parents, "name": names, "text": texts, "start": starts, "end": ends,
        "xpath": xpath_steps, "css": css_steps, "hidden": hidden,
    })
}

/// An element as in `nav#menu.main`.
fn name_of(document: &Document, id: NodeId) -> String {
    let short = |text: &str| -> String { text.chars().take(40).collect() };
    let mut name = short(document.name_text(document.name(id)));
    if let Some(id) = document.attribute(id, Name::ID).map(str::trim).filter(|id| !id.is_empty()) {
        name += &format!("#{}", short(id));
    }
    for class in document.attribute(id, Name::CLASS).unwrap_or_default().split_ascii_whitespace().take(3) {
        name += &format!(".{}", short(class));
    }
    name
}

/// The beginning of a text, with single spaces.
fn cut(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if out.len() > MAX_TEXT {
            out.push('…');
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().take(MAX_TEXT));
    }
    out
}

/// The detectors to compare, each with what it may know of the site: the chosen one first, then those of single pages, then those that
/// compare the pages of a site.
fn detectors_for<'a>(
    chosen: &Arc<dyn Detector>,
    viewed: &ViewedPage<'a>,
) -> Vec<(Arc<dyn Detector>, Option<&'a SiteTemplates>)> {
    let mut detectors = vec![(chosen.clone(), viewed.site)];
    let others = |name: &&str| *name != chosen.name();
    for name in ["fusion", "pagelevel", "pagelevel-basic", "block"].into_iter().filter(others) {
        detectors.extend(METHODS.detector(name).map(|detector| (detector.clone(), viewed.site)));
    }
    for name in COMPARED {
        let (Some(method), Some(detector)) = (METHODS.site_method(name), METHODS.detector(name)) else { continue };
        let learned = viewed.methods.iter().find(|(own, _)| *own == name).map(|(_, site)| site);
        // Any template can be applied with `auto`, which then is the method it was learned with.
        let has = |site: &&SiteTemplates| {
            site.check_method(method).is_ok() && (name != "auto" || site.method().name() == name)
        };
        let Some(site) = learned.or(viewed.site.filter(has)) else { continue };
        match name == chosen.name() {
            true => detectors[0].1 = Some(site),
            false => detectors.push((detector.clone(), Some(site))),
        }
    }
    detectors
}

/// The extractor with another detector. Most detectors cannot distinguish the comments of readers from other content.
pub(crate) fn with_detector(
    extractor: &Extractor,
    detector: &Arc<dyn Detector>,
    options: Options,
) -> Result<Extractor, Error> {
    let options = if detector.knows_comments() { options } else { options.with_comments(Comments::Auto) };
    // Each step checks the options against the detector, so the choice of comments is set when the new detector is there.
    let plain = extractor.with_options(options.with_comments(Comments::Auto))?;
    plain.with_shared_detector(detector.clone())?.with_options(options)
}

/// What a detector decided about a page.
struct Judged {
    /// For each node of the tree the steps at which it is kept, as bits.
    masks: Vec<u32>,
    json: Value,
}

fn judge(
    extractor: &Extractor,
    page: Page<'_>,
    nodes: &[NodeId],
    scratch: &mut Scratch,
    strings: &mut StringTable,
) -> Result<Judged, Error> {
    let options = *extractor.options();
    let follows_focus = extractor.detector().follows_focus();
    let mut masks = vec![0u32; nodes.len()];
    let (mut markdown, mut text) = (Rendered::default(), Rendered::default());
    let (mut confidence, mut dropped) = (Vec::new(), Vec::new());
    for step in 0..STEPS {
        if step > 0 && !follows_focus {
            break;
        }
        let focus = Focus::new(focus_at(step))?;
        // Details take time and are shown for one focus only.
        let at_step = extractor.with_options(options.with_focus(focus).with_details(false))?;
        let extraction = at_step.extract(page, scratch)?;
        let bits = if follows_focus { 1 << step } else { (1 << STEPS) - 1 };
        for (mask, id) in masks.iter_mut().zip(nodes) {
            if !extraction.detection().is_dropped(*id) {
                *mask |= bits;
            }
        }
        markdown.add(&extraction.render(OutputFormat::Markdown));
        text.add(&extraction.render(OutputFormat::Text));
        confidence.push(extraction.confidence());
        dropped.push((extraction.dropped_share() * 1000.0).round() / 1000.0);
    }
    // Scores and reasons at the focus that was asked for.
    let extraction = extractor.extract(page, scratch)?;
    let detection = extraction.detection();
    let mut reasons = ReasonTable::default();
    let (mut scores, mut reason_of, mut detail_of) = (Vec::new(), Vec::new(), Vec::new());
    for id in nodes {
        // What is inside a dropped node has no score of its own.
        let scored = if let Reason::Inside(outer) = detection.reason(*id) { outer } else { *id };
        scores.push((f64::from(detection.score(scored)) * 10_000.0).round() / 10_000.0);
        reason_of.push(reasons.number(detection, *id));
        detail_of.push(detection.detail(*id).map_or(-1, |detail| strings.number(detail.to_string()) as i64));
    }
    let json = json!({
        "name": extractor.detector().name(),
        "used": detection.detectors.to_string(),
        "follows_focus": follows_focus,
        "keep": masks, "score": scores, "reason": reason_of, "detail": detail_of,
        "reasons": reasons.reasons,
        "details_cut": detection.details_are_cut(),
        "confidence": confidence, "dropped": dropped,
        "markdown": markdown.json(), "text": text.json(),
    });
    Ok(Judged { masks, json })
}

/// The reasons of a detector, each once.
#[derive(Default)]
struct ReasonTable {
    reasons: Vec<Value>,
    numbers: std::collections::BTreeMap<String, usize>,
}

impl ReasonTable {
    fn number(&mut self, detection: &Detection, id: NodeId) -> usize {
        let reason = detection.reason(id);
        let text = reason.to_string();
        let next = self.reasons.len();
        let number = *self.numbers.entry(text.clone()).or_insert(next);
        if number == next {
            let mut value = json!({ "name": reason.name(), "text": text });
            match reason {
                Reason::Repeated { pages, of } | Reason::Aligned { pages, of } => {
                    value["pages"] = json!(pages);
                    value["of"] = json!(of);
                }
                Reason::InTemplate { template, support, of } => {
                    value["template"] = json!(template);
                    value["pages"] = json!(support);
                    value["of"] = json!(of);
                }
                Reason::Inside(node) | Reason::PartOf(node) | Reason::CopyOf(node) => value["node"] = json!(node.0),
                _ => {}
            }
            self.reasons.push(value);
        }
        number
    }
}

/// The content at each step, as paragraphs that most steps have in common.
#[derive(Default)]
struct Rendered {
    parts: StringTable,
    steps: Vec<Vec<usize>>,
}

/// Between two parts.
const PART_END: &str = "\n\n";

impl Rendered {
    fn add(&mut self, content: &str) {
        let step = content.split(PART_END).map(|part| self.parts.number(part.to_string())).collect();
        self.steps.push(step);
    }

    fn json(self) -> Value {
        json!({ "parts": self.parts.into_strings(), "steps": self.steps })
    }
}

/// For each node of the document, whether it is a text that some detector treats differently from its element.
fn marked_texts<'a>(document: &Document, nodes: &[NodeId], all_masks: impl Iterator<Item = &'a [u32]>) -> Vec<bool> {
    let mut marked = vec![false; document.len()];
    let mut place = vec![usize::MAX; document.len()];
    for (number, id) in nodes.iter().enumerate() {
        place[id.index()] = number;
    }
    for masks in all_masks {
        for (number, id) in nodes.iter().enumerate().filter(|(_, id)| document.is_text(**id)) {
            let Some(parent) = document.parent(*id) else { continue };
            let of_parent = place[parent.index()];
            if of_parent != usize::MAX && masks[of_parent] != masks[number] && can_mark_text_in(document, parent) {
                marked[id.index()] = true;
            }
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::{Options, SiteLearner};

    const PAGE: &str = "<!doctype html><title>Nets</title><nav><a href=/>Home</a> <a href=/all>All posts</a></nav>\
        <main><h1>Nets</h1><p>Nets are mended in May, when the boats come home and the nights are short. Whoever has hands to spare \
        sits on the quay, and the old ones tell how it was done before.</p><p>Share this</p></main><footer>© Harbour Notes</footer>";

    fn view(site: Option<&SiteTemplates>) -> Value {
        let extractor = Extractor::new(Options::new()).unwrap();
        let viewed = ViewedPage { page: Page::new(PAGE), url: None, site, methods: &[], network: false };
        page_view(&extractor, &viewed).unwrap()
    }

    #[test]
    fn a_view_agrees_with_the_extraction_at_every_step() {
        let view = view(None);
        let tree = &view["tree"];
        let fusion = &view["detectors"][0];
        assert_eq!(fusion["name"], "fusion");
        assert_eq!(view["detectors"].as_array().unwrap().len(), 4);
        for step in 0..STEPS {
            let focus = Focus::new(focus_at(step)).unwrap();
            let extraction = Extractor::new(Options::new().with_focus(focus)).unwrap().extract_owned(PAGE).unwrap();
            for (number, id) in tree["id"].as_array().unwrap().iter().enumerate() {
                let is_kept = fusion["keep"][number].as_u64().unwrap() >> step & 1 == 1;
                let id = NodeId(id.as_u64().unwrap() as u32);
                assert_eq!(is_kept, !extraction.detection().is_dropped(id), "step {step} node {id:?}");
            }
            for (format, key) in [(OutputFormat::Markdown, "markdown"), (OutputFormat::Text, "text")] {
                let parts = fusion[key]["steps"][step].as_array().unwrap().iter();
                let content: Vec<&str> =
                    parts.map(|part| fusion[key]["parts"][part.as_u64().unwrap() as usize].as_str().unwrap()).collect();
                assert_eq!(content.join(PART_END), extraction.render(format));
            }
        }
    }

    #[test]
    fn paths_are_those_of_the_document() {
        let view = view(None);
        let (tree, strings) = (&view["tree"], &view["strings"]);
        let document = Extractor::new(Options::new()).unwrap().extract_owned(PAGE).unwrap().document().clone();
        let number = |column: &str, at: usize| tree[column][at].as_i64().unwrap();
        for at in 0..tree["id"].as_array().unwrap().len() {
            let id = NodeId(number("id", at) as u32);
            let (mut xpath, mut next) = (String::new(), at as i64);
            while next >= 0 {
                xpath.insert_str(0, strings[number("xpath", next as usize) as usize].as_str().unwrap());
                next = number("parent", next as usize);
            }
            assert_eq!(xpath, document.xpath(id));
        }
    }

    fn learned(method: &str) -> SiteTemplates {
        let method = METHODS.site_method(method).unwrap().clone();
        let extractor = Extractor::new(Options::new()).unwrap();
        let mut learner = SiteLearner::new(method);
        for number in 0..6 {
            let other = PAGE.replace("Nets are mended", &format!("Boat {number} is mended"));
            learner.observe(&number.to_string(), &extractor.parse(&other, &mut Scratch::default()).unwrap());
        }
        learner.finish(0)
    }

    #[test]
    fn the_methods_of_a_site_are_compared() {
        let names = |view: &Value| -> Vec<String> {
            view["detectors"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| found["name"].as_str().unwrap().to_string())
                .collect()
        };
        let site = learned("sitelevel");
        let with_site = view(Some(&site));
        assert_eq!(names(&with_site), ["fusion", "pagelevel", "pagelevel-basic", "block", "sitelevel"]);
        let reasons = with_site["detectors"][4]["reasons"].as_array().unwrap();
        assert!(reasons.iter().any(|reason| reason["name"] == "repeated" && reason["of"] == 6), "{reasons:?}");
        let methods = [("treemap", learned("treemap")), ("align", learned("align"))];
        let extractor =
            Extractor::new(Options::new()).unwrap().with_detector(dehusk_papers::block::Block::default()).unwrap();
        let viewed =
            ViewedPage { page: Page::new(PAGE), url: None, site: Some(&site), methods: &methods, network: false };
        let compared = names(&page_view(&extractor, &viewed).unwrap());
        assert_eq!(compared, ["block", "fusion", "pagelevel", "pagelevel-basic", "sitelevel", "treemap", "align"]);
    }
}
