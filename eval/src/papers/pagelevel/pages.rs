//! The hand-labelled pages of `segments`: trees, measured boxes, and the true class of every node.

use crate::Stop;
use crate::shared::corpus::{Data, read_records};
use crate::shared::site_pages::words;
use dehusk::dom::{Document, Name, NodeId, Parser, Stats};
use dehusk::layout::{Layout, body_elements};
use dehusk_train::boxes_of_geometry;
use serde_json::Value;

/// The class a person gave to a part of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Truth {
    #[default]
    Unlabelled,
    Template,
    Content,
    /// A list of links within content.
    Ambiguous,
}

/// A hand-labelled page.
pub(crate) struct HandLabelled {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) document: Document,
    pub(crate) stats: Stats,
    /// By node.
    pub(crate) truth: Vec<Truth>,
    /// The nearest annotated element, by node; an annotation counts as a segment.
    pub(crate) segment: Vec<Option<NodeId>>,
    /// The annotation of each annotated element, by node.
    pub(crate) marks: Vec<Option<String>>,
    /// Whether the node is invisible, by element.
    pub(crate) hidden: Vec<bool>,
    /// The layout that Chromium measured.
    pub(crate) measured: Layout,
}

/// The pages of one set, `random` or `popular`.
pub(crate) fn read_part(data: &Data, part: &str) -> Result<Vec<HandLabelled>, Stop> {
    let mut pages = Vec::new();
    let mut parser = Parser::default();
    let mut broken = None;
    read_records(&data.find(&format!("segments/{part}.jsonl.zst"))?, |record| {
        match HandLabelled::read(&mut parser, &record) {
            Ok(page) => pages.push(page),
            Err(error) => broken = Some(format!("{}: {error}", record["id"])),
        }
    })?;
    broken.map_or(Ok(pages), |error| Err(Stop::Broken(error)))
}

impl HandLabelled {
    fn read(parser: &mut Parser, record: &Value) -> Result<HandLabelled, String> {
        let text = |key: &str| record[key].as_str().unwrap_or_default();
        let document = parser.parse(text("html")).map_err(|error| error.to_string())?;
        let elements = &record["geometry"]["el"];
        let supplied = boxes_of_geometry(&record["geometry"]);
        let measured = supplied.layout(&document).map_err(|error| error.to_string())?;
        let ids = body_elements(&document);
        let mut marks: Vec<Option<&str>> = vec![None; document.len()];
        for label in record["labels"].as_array().into_iter().flatten() {
            let id = label["i"].as_u64().and_then(|at| ids.get(at as usize)).ok_or("a label has no element")?;
            // If an element has two annotations, the first counts.
            marks[id.index()].get_or_insert(label["type"].as_str().unwrap_or_default());
        }
        let mut hidden = vec![false; document.len()];
        for (id, vis) in ids.iter().zip(elements["vis"].as_array().into_iter().flatten()) {
            hidden[id.index()] = matches!(vis.as_u64(), Some(2 | 3));
        }
        let mut truth = vec![Truth::Unlabelled; document.len()];
        let mut segment = vec![None; document.len()];
        for id in document.ids() {
            let (outer, around) = document
                .parent(id)
                .map_or((Truth::Unlabelled, None), |parent| (truth[parent.index()], segment[parent.index()]));
            let mark = marks[id.index()];
            truth[id.index()] = mark.map_or(outer, |mark| read_mark(mark, outer));
            segment[id.index()] = mark.map(|_| id).or(around);
        }
        let stats = Stats::of(&document);
        let marks = marks.into_iter().map(|mark| mark.map(String::from)).collect();
        let (id, url) = (text("id").to_string(), text("url").to_string());
        Ok(HandLabelled { id, url, document, stats, truth, segment, marks, hidden, measured })
    }

    /// The texts whose words count, with the number of their words and whether they are in a link.
    pub(crate) fn texts(&self) -> Vec<(NodeId, u32, bool)> {
        let document = &self.document;
        let mut in_link = vec![false; document.len()];
        let mut texts = Vec::new();
        for id in document.ids() {
            let Some(parent) = document.parent(id) else { continue };
            in_link[id.index()] = in_link[parent.index()] || document.html_name(id) == Name::A;
            let silent =
                matches!(document.html_name(parent), Name::SCRIPT | Name::STYLE | Name::TEXTAREA | Name::OPTION);
            if document.is_text(id) && !silent && !self.hidden[parent.index()] && self.is_in_body(id) {
                let words = words(document.text(id)).count();
                if words > 0 {
                    texts.push((id, words as u32, in_link[id.index()]));
                }
            }
        }
        texts
    }

    /// The links that count.
    pub(crate) fn links(&self) -> Vec<NodeId> {
        let is_link = |id: &NodeId| self.document.html_name(*id) == Name::A && !self.hidden[id.index()];
        self.document.ids().filter(is_link).collect()
    }

    /// Whether some words are annotated as content. On a page without such an annotation, lists of links count as template,
    /// even if there is nothing else on the page.
    pub(crate) fn has_content(&self) -> bool {
        self.texts().iter().any(|(id, ..)| self.truth[id.index()] == Truth::Content)
    }

    fn is_in_body(&self, id: NodeId) -> bool {
        self.document.find(Name::BODY).is_some_and(|body| self.document.contains(body, id))
    }
}

fn read_mark(mark: &str, outer: Truth) -> Truth {
    match (mark, outer) {
        (_, Truth::Template) => Truth::Template,
        ("Header" | "Footer" | "Menu" | "Sidebar" | "Ad" | "Searchbar" | "Logo", _) => Truth::Template,
        ("LinkList", Truth::Unlabelled) => Truth::Template,
        ("LinkList", _) => Truth::Ambiguous,
        _ => Truth::Content,
    }
}
