//! Corrections: what people decided about parts of a page, and the file of labelled pages that keeps them.
//!
//! The file has a JSON line for each corrected page, which `dehusk train fusion --more` and `dehusk eval` read. It holds the page, the text
//! that should be kept, and the decisions. Saving a page again replaces its line; lines of others stay as they are.

use dehusk::dom::{NodeId, Paths};
use dehusk::{Decision, Error, Extraction, Extractor, OutputFormat, Page, Scratch};
use dehusk_io::write_atomic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The characters that a line keeps of the text of a corrected part, for those who read it.
const TEXT: usize = 200;
/// The maximum number of decisions about one page.
const MAX_DECISIONS: usize = 10_000;

/// A decision about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Correction {
    pub(crate) node: u32,
    pub(crate) decision: Wanted,
}

/// What should become of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wanted {
    Keep,
    Drop,
}

/// Why corrections cannot be applied.
#[derive(Debug)]
pub(crate) enum NotCorrected {
    /// The page cannot be read.
    Page(Error),
    /// A correction makes no sense.
    Correction(String),
}

/// Extracts a page and applies corrections, in their order.
///
/// # Errors
/// If the page cannot be read, or a correction is about a node that it does not have.
pub(crate) fn extract_corrected<'a>(
    extractor: &Extractor,
    page: Page<'_>,
    corrections: &[Correction],
    scratch: &'a mut Scratch,
) -> Result<Extraction<'a>, NotCorrected> {
    let mut extraction = extractor.extract(page, scratch).map_err(NotCorrected::Page)?;
    let nodes = extraction.document().len();
    if corrections.len() > MAX_DECISIONS {
        let message = format!("{} corrections of one page; at most {MAX_DECISIONS} are taken", corrections.len());
        return Err(NotCorrected::Correction(message));
    }
    for Correction { node, decision } in corrections {
        if *node as usize >= nodes {
            let message = format!("the page has no node {node}: it has {nodes} nodes");
            return Err(NotCorrected::Correction(message));
        }
        let decision = match decision {
            Wanted::Keep => Decision::Keep,
            Wanted::Drop => Decision::Drop,
        };
        extraction.correct(NodeId(*node), decision);
    }
    Ok(extraction)
}

/// The line of a corrected page, without its line break.
pub(crate) fn line(extraction: &Extraction<'_>, name: &PageName<'_>, corrections: &[Correction]) -> String {
    let document = extraction.document();
    let paths = Paths::new(document);
    let correction = |Correction { node, decision }: &Correction| {
        let id = NodeId(*node);
        let text: String =
            document.descendants(id).filter(|id| document.is_text(*id)).map(|id| document.text(id)).collect();
        let own = if document.is_text(id) { document.text(id) } else { &text };
        let words: Vec<&str> = own.split_whitespace().collect();
        json!({
            "decision": decision,
            "xpath": paths.xpath(id),
            "css": paths.css(id),
            "span": document.span(id).map(|span| [span.start, span.end]),
            "node": node,
            "text": words.join(" ").chars().take(TEXT).collect::<String>(),
        })
    };
    json!({
        "id": name.id,
        "url": name.url,
        "html": document.source(),
        "main_content": extraction.render(OutputFormat::Text),
        "page_type": extraction.page_type().map(|kind| kind.name()),
        "corrections": corrections.iter().map(correction).collect::<Vec<_>>(),
        "detector": extraction.detection().detectors.to_string(),
        "focus": name.focus,
        "dehusk": env!("CARGO_PKG_VERSION"),
    })
    .to_string()
}

/// What a line calls its page.
pub(crate) struct PageName<'a> {
    /// Where it was read.
    pub(crate) id: &'a str,
    /// Its address, if it has one.
    pub(crate) url: Option<&'a str>,
    /// The focus at which it was corrected.
    pub(crate) focus: f32,
}

impl PageName<'_> {
    /// What lines of the same page have in common.
    fn key(&self) -> Key {
        match self.url {
            Some(url) => Key::Url(url.to_string()),
            None => Key::Id(self.id.to_string()),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Key {
    Url(String),
    Id(String),
}

fn key_of(line: &Value) -> Option<Key> {
    match (line["url"].as_str(), line["id"].as_str()) {
        (Some(url), _) => Some(Key::Url(url.to_string())),
        (None, Some(id)) => Some(Key::Id(id.to_string())),
        (None, None) => None,
    }
}

/// The file of corrections.
pub(crate) struct CorrectionsFile {
    path: PathBuf,
    /// Held while the file is replaced.
    writing: Mutex<()>,
}

impl CorrectionsFile {
    pub(crate) fn new(path: PathBuf) -> CorrectionsFile {
        CorrectionsFile { path, writing: Mutex::new(()) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The decisions about a page whose source is still the same. None if the file does not have it.
    pub(crate) fn of(&self, name: &PageName<'_>, source: &str) -> Vec<Correction> {
        let Ok(text) = std::fs::read_to_string(&self.path) else { return Vec::new() };
        let values = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let found = values.into_iter().find(|line| key_of(line) == Some(name.key()));
        found
            .filter(|line| line["html"] == source)
            .and_then(|line| serde_json::from_value(line["corrections"].clone()).ok())
            .unwrap_or_default()
    }

    /// Puts the line of a page in place of its earlier ones, or with `None` removes these.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub(crate) fn save(&self, name: &PageName<'_>, line: Option<&str>) -> io::Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let old = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        // A line that cannot be read is not known to be of this page, and stays.
        let is_other = |line: &&str| {
            let value = serde_json::from_str::<Value>(line).unwrap_or_default();
            !line.trim().is_empty() && key_of(&value) != Some(name.key())
        };
        let mut new: String = old.lines().filter(is_other).flat_map(|line| [line, "\n"]).collect();
        if let Some(line) = line {
            new.push_str(line);
            new.push('\n');
        }
        write_atomic(&self.path, new.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::Options;

    const PAGE: &str = "<!doctype html><nav><a href=/>Home</a></nav><main><p>Nets are mended in May, when the boats come home and the \
        nights are short.</p><p id=ad>Buy our nets, they are the best nets of all nets, and cheap, too.</p></main>";

    fn node(extraction: &Extraction<'_>, text: &str) -> u32 {
        let document = extraction.document();
        let id = document.ids().find(|id| document.text(*id).starts_with(text)).unwrap();
        document.parent(id).unwrap().0
    }

    #[test]
    fn a_saved_page_has_the_text_that_was_asked_for_and_comes_back() {
        let extractor = Extractor::new(Options::new()).unwrap();
        let mut scratch = Scratch::default();
        let plain = extractor.extract_owned(PAGE).unwrap();
        let corrections = [
            Correction { node: node(&plain, "Buy"), decision: Wanted::Drop },
            Correction { node: node(&plain, "Home"), decision: Wanted::Keep },
        ];
        let extraction = extract_corrected(&extractor, Page::new(PAGE), &corrections, &mut scratch).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = CorrectionsFile::new(folder.path().join("c.jsonl"));
        let name = PageName { id: "page.html", url: Some("https://a.example/"), focus: 0.5 };
        let other = PageName { id: "other.html", url: None, focus: 0.5 };
        assert!(file.of(&name, PAGE).is_empty());
        file.save(&other, Some(&line(&plain, &other, &[]))).unwrap();
        file.save(&name, Some(&line(&plain, &name, &corrections[..1]))).unwrap();
        file.save(&name, Some(&line(&extraction, &name, &corrections))).unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        let content = lines[1]["main_content"].as_str().unwrap();
        assert!(
            content.contains("Home") && content.contains("Nets are mended") && !content.contains("Buy"),
            "{content}"
        );
        assert_eq!(lines[1]["html"], PAGE);
        let [start, end] = [0, 1].map(|at| lines[1]["corrections"][0]["span"][at].as_u64().unwrap() as usize);
        assert!(PAGE[start..end].starts_with("<p id=ad>Buy"));
        assert_eq!(lines[1]["corrections"][0]["css"], "#ad");
        assert_eq!(file.of(&name, PAGE), corrections);
        assert!(file.of(&name, "<p>another page").is_empty());
        file.save(&name, None).unwrap();
        assert_eq!(std::fs::read_to_string(file.path()).unwrap().lines().count(), 1);
    }

    #[test]
    fn lines_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = CorrectionsFile::new(folder.path().join("c.jsonl"));
        std::fs::write(file.path(), "not json\n\n{\"url\":\"https://b.example/\"}").unwrap();
        let name = PageName { id: "x", url: Some("https://a.example/"), focus: 0.5 };
        file.save(&name, Some("{\"url\":\"https://a.example/\"}")).unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert_eq!(text, "not json\n{\"url\":\"https://b.example/\"}\n{\"url\":\"https://a.example/\"}\n");
    }

    #[test]
    fn nodes_that_are_not_there_are_refused() {
        let extractor = Extractor::new(Options::new()).unwrap();
        let wrong = [Correction { node: 9999, decision: Wanted::Drop }];
        let error = extract_corrected(&extractor, Page::new(PAGE), &wrong, &mut Scratch::default()).unwrap_err();
        assert!(matches!(error, NotCorrected::Correction(message) if message.contains("9999")));
    }
}
