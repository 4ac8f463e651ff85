//! The JSON record of a page: its title, its kept text, and its blocks with position, score, decision and reason.
//!
//! Keys are in a fixed order, and positions are byte offsets in the decoded source. The span is null for a block that the
//! parser inserted. The record contains no markup, and its size is in proportion to the page: paths are null once all together
//! are some times as long as the page, and `cuts` says so.

use super::page_blocks::blocks;
use super::plain_text::{append_range, render_text};
use super::render_options::RenderOptions;
use crate::detection::{Detection, Reason};
use crate::dom::{Document, NodeId, Paths};
use crate::json::JsonWriter;

/// Maximum number of bytes of paths per byte of the page, and what any page may have. Every path names all ancestors, so the
/// paths of a page of nested lists could be a thousand times as long as the page. On pages of the open web they are shorter
/// than the page.
const PATH_BYTES_PER_BYTE: usize = 4;
const PATH_BYTES: usize = 64 << 10;

/// Renders the JSON record of a page.
pub fn render_json(document: &Document, detection: &Detection, options: RenderOptions) -> String {
    let mut out = String::new();
    append_json(document, detection, options, &mut out);
    out
}

/// Appends the JSON record of a page, on one line.
pub fn append_json(document: &Document, detection: &Detection, options: RenderOptions, out: &mut String) {
    // Blocks are rendered without the detection, and must not lose hidden text that it covers.
    let options = options.with_hidden(options.hidden.unwrap_or(detection.covers_hidden));
    let mut json = JsonWriter::new(out);
    json.open('{');
    json.key("title");
    match super::title(document) {
        Some(title) => json.string(&title),
        None => json.null(),
    }
    json.key("detector").string(&detection.detectors.to_string());
    if let Some(fit) = detection.fit {
        json.key("template");
        match fit.template {
            Some(number) => json.integer(number as usize),
            None => json.null(),
        }
        json.key("template_fit").float(fit.fit);
    }
    if let Some(page) = detection.page {
        json.key("confidence").float(page.confidence);
        json.key("page_type");
        match page.page_type {
            Some(page_type) => json.string(page_type.name()),
            None => json.null(),
        }
        json.key("flags").open('[');
        page.flags().for_each(|flag| json.string(flag.name()));
        json.close(']');
    }
    json.key("text").string(&render_text(document, detection, options));
    json.key("blocks").open('[');
    let room = PATH_BYTES + PATH_BYTES_PER_BYTE * document.source().len();
    let (paths, buffer) = (Paths::new(document), String::new());
    let mut recorder = BlockRecorder { document, detection, options, paths, buffer, room, is_cut: false };
    for id in blocks(document, detection, options) {
        recorder.append(id, &mut json);
    }
    json.close(']');
    json.key("cuts").open('[');
    for limit in document.limits_hit().iter() {
        json.string(limit.name());
    }
    for (is_cut, name) in [(recorder.is_cut, "paths"), (detection.details_are_cut(), "features")] {
        if is_cut {
            json.string(name);
        }
    }
    json.close(']');
    json.close('}');
}

/// Writes the records of blocks.
struct BlockRecorder<'a> {
    document: &'a Document,
    detection: &'a Detection,
    options: RenderOptions<'a>,
    paths: Paths<'a>,
    buffer: String,
    /// Number of bytes of paths that may still be written.
    room: usize,
    /// Whether a path was left out.
    is_cut: bool,
}

impl BlockRecorder<'_> {
    fn append(&mut self, id: NodeId, json: &mut JsonWriter<'_>) {
        json.open('{');
        json.key("node").integer(id.index());
        self.append_path("xpath", id, json);
        self.append_path("css", id, json);
        json.key("span");
        match self.document.span(id) {
            Some(span) => {
                json.open('[');
                json.integer(span.start);
                json.integer(span.end);
                json.close(']');
            }
            None => json.null(),
        }
        json.key("score").float(self.detection.score(id));
        json.key("decision").string(self.detection.decision(id).name());
        if self.detection.page.is_some() {
            json.key("confidence").float(self.detection.confidence(id));
        }
        json.key("reason");
        append_reason(self.detection.reason(id), json);
        if let Some(detail) = self.detection.detail(id) {
            json.key("features").string(detail);
        }
        self.buffer.clear();
        // A block is kept or dropped as a whole, so its text needs no detection.
        append_range(self.document, None, self.options, self.document.subtree(id), &mut self.buffer);
        json.key("text").string(&self.buffer);
        json.close('}');
    }

    fn append_path(&mut self, key: &str, id: NodeId, json: &mut JsonWriter<'_>) {
        json.key(key);
        self.buffer.clear();
        // A step has at least four bytes; a path that cannot fit is not built.
        if 4 * self.document.depth(id) > self.room {
            self.is_cut = true;
            return json.null();
        }
        match key {
            "css" => self.paths.append_css(id, &mut self.buffer),
            _ => self.paths.append_xpath(id, &mut self.buffer),
        }
        self.room = self.room.saturating_sub(self.buffer.len());
        json.string(&self.buffer);
    }
}

fn append_reason(reason: Reason, json: &mut JsonWriter<'_>) {
    json.open('{');
    json.key("name").string(reason.name());
    match reason {
        Reason::Repeated { pages, of } | Reason::Aligned { pages, of } => {
            json.key("pages").integer(pages as usize);
            json.key("of").integer(of as usize);
        }
        Reason::InTemplate { template, support, of } => {
            json.key("template").integer(template as usize);
            json.key("support").integer(support as usize);
            json.key("of").integer(of as usize);
        }
        Reason::MostlyTemplate { share } => json.key("share").float(share),
        Reason::Inside(node) | Reason::PartOf(node) | Reason::CopyOf(node) => json.key("node").integer(node.index()),
        _ => {}
    }
    json.close('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;

    #[test]
    fn writes_blocks_with_their_positions() {
        let source = "<title> A\n B </title><nav id=m data-drop>Home</nav><p>Text</p>";
        let (document, mut detection) = page(source);
        let nav = detection.dropped_roots(&document).next().expect("the dropped node");
        detection.set_evidence(nav, 0.9167, Reason::Repeated { pages: 11, of: 12 });
        let expected = concat!(
            r#"{"title":"A B","detector":"none","text":"Text","blocks":["#,
            r##"{"node":6,"xpath":"/html[1]/body[1]/nav[1]","css":"#m","span":[21,51],"score":0.9167,"##,
            r#""decision":"drop","reason":{"name":"repeated","pages":11,"of":12},"text":"Home"},"#,
            r#"{"node":8,"xpath":"/html[1]/body[1]/p[1]","css":"html > body > p","span":[51,62],"score":0,"#,
            r#""decision":"keep","reason":{"name":"no_evidence"},"text":"Text"}],"cuts":[]}"#,
        );
        assert_eq!(render_json(&document, &detection, RenderOptions::default()), expected);
    }

    #[test]
    fn nested_pages_do_not_blow_up() {
        let source = "<blockquote>x<p>y".repeat(2000);
        let (document, mut detection) = page(&source);
        for id in document.ids().filter(|id| document.text(*id) == "y").collect::<Vec<_>>() {
            detection.drop_subtree(&document, id);
        }
        let json = render_json(&document, &detection, RenderOptions::default());
        assert!(json.len() < 30 * source.len(), "{}", json.len());
        assert!(json.contains("\"xpath\":null") && json.contains("\"paths\"]}"));
    }
}
