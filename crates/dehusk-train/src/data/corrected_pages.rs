//! Pages that a person has corrected: JSON lines, one page per line, as `dehusk inspect` writes them.
//!
//! A line is a page with its reference text (`id`, `url`, `html`, `main_content`, `page_type`), so that whatever reads reference texts reads
//! it, and `corrections`: the parts that were clicked and what is to happen to them. A later line replaces an earlier one of the same
//! address, or of the same id where there is no address. docs/training.md describes the keys.

use crate::data::read_pages::read_pages;
use crate::data::reference::{ReferenceInputs, ReferencePage};
use dehusk::Decision;
use dehusk::dom::{Document, NodeId, Paths};
use dehusk_io::{Error, Fault, FaultKind, InputPage};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// A page and what a person wants to be different on it.
#[derive(Clone, Debug, Default)]
pub struct CorrectedPage {
    /// The page, and its content after the corrections.
    pub page: ReferencePage,
    /// The parts that were clicked. Without any, every part that the reference text decides otherwise counts as clicked.
    pub corrections: Vec<Correction>,
    /// How the page was cleaned when it was corrected, such as `fusion+sitelevel`. Empty if unknown.
    pub detector: String,
    /// The version of the program that wrote the line. Empty if unknown.
    pub dehusk: String,
}

/// One click: a part of a page that is to be kept or dropped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Correction {
    /// What is to happen to the part.
    pub decision: Decision,
    /// The path of its node, such as `/html[1]/body[1]/div[2]`.
    pub xpath: String,
    /// The same as a CSS selector.
    pub css: String,
    /// The bytes of the node in `html`. None for nodes that the parser added.
    pub span: Option<Range<usize>>,
    /// The number of the node in the parsed page.
    pub node: Option<u32>,
    /// The beginning of its text.
    pub text: String,
}

impl Correction {
    fn to_json(&self) -> String {
        let decision = if self.decision == Decision::Keep { "keep" } else { "drop" };
        let mut json =
            format!("{{\"decision\":\"{decision}\",\"xpath\":{},\"css\":{}", text(&self.xpath), text(&self.css));
        if let Some(span) = &self.span {
            json += &format!(",\"span\":[{},{}]", span.start, span.end);
        }
        if let Some(node) = self.node {
            json += &format!(",\"node\":{node}");
        }
        json += &format!(",\"text\":{}}}", text(&self.text));
        json
    }

    /// Reads a correction of a page.
    fn of(value: &Value, html: &str) -> Result<Correction, String> {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_string();
        let decision = match value["decision"].as_str() {
            Some("keep") => Decision::Keep,
            Some("drop") => Decision::Drop,
            _ => return Err("has no \"decision\" that is \"keep\" or \"drop\"".into()),
        };
        let span = match &value["span"] {
            Value::Null => None,
            span => {
                let at = |end: usize| span[end].as_u64().and_then(|at| usize::try_from(at).ok());
                let range = at(0).zip(at(1)).map(|(start, end)| start..end).filter(|_| span[2].is_null());
                let range = range.filter(|range| html.get(range.clone()).is_some());
                Some(range.ok_or("has a \"span\" that is not [start, end] in the bytes of \"html\"")?)
            }
        };
        let node = value["node"].as_u64().and_then(|node| u32::try_from(node).ok());
        let correction =
            Correction { decision, xpath: text("xpath"), css: text("css"), span, node, text: text("text") };
        if correction.xpath.is_empty() && correction.span.is_none() && correction.node.is_none() {
            return Err("names no part of the page: it has no \"xpath\", \"span\" or \"node\"".into());
        }
        Ok(correction)
    }
}

fn text(text: &str) -> String {
    Value::from(text).to_string()
}

impl CorrectedPage {
    /// The page as a line of a file, with the line break.
    #[must_use]
    pub fn to_line(&self) -> String {
        let ReferencePage { id, url, page_type, html, content, .. } = &self.page;
        let page_type = if page_type.is_empty() { "null".to_string() } else { text(page_type) };
        let corrections: Vec<String> = self.corrections.iter().map(Correction::to_json).collect();
        format!(
            "{{\"id\":{},\"url\":{},\"html\":{},\"main_content\":{},\"page_type\":{page_type},\"corrections\":[{}],\
             \"detector\":{},\"dehusk\":{}}}\n",
            text(id),
            text(url),
            text(html),
            text(content),
            corrections.join(","),
            text(&self.detector),
            text(&self.dehusk)
        )
    }

    /// Reads corrected pages into memory, in the order of the files; of several corrected lines of one page the last. Pages without
    /// `corrections` are read, too. Lines that cannot be read are left out and given to `skipped`.
    ///
    /// # Errors
    /// If an input cannot be opened, or no page is left.
    pub fn read(inputs: &ReferenceInputs, skipped: impl FnMut(&Fault)) -> Result<Vec<CorrectedPage>, Error> {
        let read = inputs.read_with(&["corrections", "detector", "dehusk"]);
        let pages = read_pages(&inputs.inputs, &read, skipped, |record| corrected_page(inputs, &record))?;
        Ok(last_of_each(pages))
    }

    /// The node of each correction on the parsed page: by its number if its path is the same there, else by its path, else by its bytes.
    pub(crate) fn nodes(&self, document: &Document) -> Vec<Option<NodeId>> {
        let paths = Paths::new(document);
        let mut nodes: Vec<Option<NodeId>> = vec![None; self.corrections.len()];
        let mut searched: BTreeMap<&str, Option<NodeId>> = BTreeMap::new();
        for (found, correction) in nodes.iter_mut().zip(&self.corrections) {
            let numbered = correction.node.map(NodeId).filter(|id| id.index() < document.len());
            *found = numbered.filter(|id| correction.xpath.is_empty() || paths.xpath(*id) == correction.xpath);
            if found.is_none() && !correction.xpath.is_empty() {
                searched.insert(&correction.xpath, None);
            }
        }
        // Another version of the program may number nodes otherwise.
        if !searched.is_empty() {
            for id in document.ids() {
                if let Some(place) = searched.get_mut(paths.xpath(id).as_str()) {
                    *place = Some(id);
                }
            }
        }
        for (found, correction) in nodes.iter_mut().zip(&self.corrections).filter(|(found, _)| found.is_none()) {
            let by_bytes = || {
                let span = correction.span.as_ref()?;
                document.ids().find(|id| document.span(*id).as_ref() == Some(span))
            };
            *found = searched.get(correction.xpath.as_str()).copied().flatten().or_else(by_bytes);
        }
        nodes
    }

    /// What identifies the page: its address, or its id if it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.page.url.is_empty() { &self.page.id } else { &self.page.url }
    }
}

/// The page of an input line, and whether the line has a list of corrections, even an empty one.
fn corrected_page(inputs: &ReferenceInputs, record: &InputPage) -> Result<(CorrectedPage, bool), Fault> {
    let page = inputs.page(record)?;
    let carried = |key: &str| {
        let found = record.carried.iter().rfind(|(name, _)| name == key);
        found.map(|(_, value)| value.to_value()).unwrap_or_default()
    };
    let text = |key: &str| carried(key).as_str().unwrap_or_default().to_string();
    let bad = |message: String| Fault::new(record.location.clone(), FaultKind::BadJson, message);
    let list = match carried("corrections") {
        Value::Null => None,
        Value::Array(list) => Some(list),
        _ => return Err(bad("\"corrections\" is not a list".into())),
    };
    let is_corrected = list.is_some();
    let mut corrections = Vec::new();
    for (number, value) in list.into_iter().flatten().enumerate() {
        let correction = Correction::of(&value, &page.html);
        corrections.push(correction.map_err(|what| bad(format!("correction {} {what}", number + 1)))?);
    }
    Ok((CorrectedPage { page, corrections, detector: text("detector"), dehusk: text("dehusk") }, is_corrected))
}

/// The last of the corrected pages of each address, in the place of the first, and all other pages.
fn last_of_each(pages: Vec<(CorrectedPage, bool)>) -> Vec<CorrectedPage> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<CorrectedPage> = Vec::with_capacity(pages.len());
    for (page, is_corrected) in pages {
        match places.get(page.name()).filter(|_| is_corrected) {
            Some(place) => kept[*place] = page,
            None => {
                if is_corrected {
                    places.insert(page.name().to_string(), kept.len());
                }
                kept.push(page);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::dom::Parser;

    fn read(lines: &str) -> (Vec<CorrectedPage>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("corrections.jsonl");
        std::fs::write(&path, lines).unwrap();
        let mut faults = Vec::new();
        let pages = CorrectedPage::read(&ReferenceInputs::new(vec![path]), |fault| faults.push(fault.to_string()));
        (pages.unwrap_or_default(), faults)
    }

    fn page(url: &str) -> CorrectedPage {
        let html = "<div>Menü \"one\"</div>\n<p>Two</p>".to_string();
        let correction = Correction {
            decision: Decision::Drop,
            xpath: "/html[1]/body[1]/div[1]".into(),
            css: "body > div".into(),
            span: Some(0..22),
            node: Some(3),
            text: "Menü \"one\"".into(),
        };
        let content = "Two\n\nThree".to_string();
        let page = ReferencePage { id: "7".into(), url: url.into(), html, content, ..ReferencePage::default() };
        let corrections =
            vec![correction, Correction { decision: Decision::Keep, node: Some(5), ..Correction::default() }];
        CorrectedPage { page, corrections, detector: "fusion+sitelevel".into(), dehusk: "0.1.0".into() }
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_a_later_one_replaces_it() {
        let (first, other) = (page("https://a.example/"), page("https://b.example/"));
        let mut second = page("https://a.example/");
        second.page.content = "Two".into();
        let lines = [&first, &other, &second].map(CorrectedPage::to_line).concat();
        assert_eq!(lines.lines().count(), 3);
        let (pages, faults) = read(&lines);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(pages.iter().map(CorrectedPage::to_line).collect::<String>(), second.to_line() + &other.to_line());
        assert_eq!(pages[0].corrections, first.corrections);
        // Without an address the id counts, and pages that nobody corrected are all read.
        assert_eq!(read(&[page(""), page("")].map(|page| page.to_line()).concat()).0.len(), 1);
        let plain = "{\"url\": \"https://a.example/\", \"html\": \"<p>One\", \"main_content\": \"One\"}\n";
        assert_eq!(read(&plain.repeat(2)).0.len(), 2);
    }

    #[test]
    fn damaged_lines_are_faults_and_cost_no_other_line() {
        let good = page("https://a.example/").to_line();
        let changed = |from: &str, to: &str| {
            let line = good.replace(from, to).replace("a.example", "b.example");
            assert_ne!(line, good.replace("a.example", "b.example"), "{from}");
            line
        };
        let damaged = [
            (changed("\"decision\":\"drop\"", "\"decision\":\"hide\""), "correction 1 has no \"decision\""),
            (changed("[0,22]", "[0,2200]"), "\"span\""),
            (changed("[0,22]", "[0,9]"), "\"span\""),
            (changed("[0,22]", "[9,3]"), "\"span\""),
            (changed("[0,22]", "\"all\""), "\"span\""),
            (changed(",\"node\":5", ""), "correction 2 names no part"),
            (changed("\"corrections\":[", "\"corrections\":7,\"others\":["), "not a list"),
            (changed("\"main_content\"", "\"content\""), "\"main_content\""),
            (good[..good.len() / 2].to_string() + "\n", "line"),
        ];
        for (line, word) in &damaged {
            let (pages, faults) = read(&(line.clone() + &good));
            assert_eq!((pages.len(), faults.len()), (1, 1), "{line}{faults:?}");
            assert!(faults[0].contains(word), "{word}: {}", faults[0]);
        }
    }

    #[test]
    fn parts_are_found_by_number_path_or_bytes() {
        let mut page = page("");
        let document = Parser::default().parse(&page.page.html).unwrap();
        let node = page.nodes(&document)[0];
        assert_eq!(node.map(|id| document.xpath(id)).as_deref(), Some("/html[1]/body[1]/div[1]"));
        // Another number, no number, no path.
        page.corrections.truncate(1);
        page.corrections[0].node = Some(900);
        assert_eq!(page.nodes(&document), [node]);
        page.corrections[0].node = None;
        assert_eq!(page.nodes(&document), [node]);
        page.corrections[0].xpath = String::new();
        assert_eq!(page.nodes(&document), [node]);
        page.corrections[0].span = Some(1..2);
        assert_eq!(page.nodes(&document), [None]);
    }
}
