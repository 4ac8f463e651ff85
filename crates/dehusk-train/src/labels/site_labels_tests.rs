//! Labels of a small site, worked out by hand.

use super::*;
use std::fmt::Write as _;

/// Ten pages: a menu on all, a note on two, a text on each.
fn site(folder: &std::path::Path) -> PathBuf {
    let mut lines = String::new();
    for page in 0..10 {
        let note = if page < 2 {
            "<div id=note><p>This notice is on two of the ten pages and on no other page.</p></div>"
        } else {
            ""
        };
        let html = format!(
            "<body><div id=menu><ul><li>Home of the harbour master</li><li>All of the news about boats</li></ul></div>\
             <div id=main><div id=text><p>Page number {page} says that the {page} boats came home in the evening.</p>\
             <p>The second paragraph of page {page} has some more text of its own.</p></div>{note}</div></body>"
        );
        let html = html.replace('"', "'");
        let _ = writeln!(lines, "{{\"url\": \"https://a.example/{page}\", \"html\": \"{html}\"}}");
    }
    lines += "{\"url\": \"https://lonely.example/\", \"html\": \"<p>Just one page of this site, so nothing is known.</p>\"}\n";
    let path = folder.join("crawl.jsonl");
    std::fs::write(&path, lines).unwrap();
    path
}

/// The labels of all pages as lines of text.
fn labels(flavour: Flavour, threshold: f64, threads: usize) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut options = LabelOptions::new(vec![site(folder.path())], flavour);
    (options.threshold, options.threads) = (threshold, threads);
    let counts = count_sites(&options, &()).unwrap();
    assert_eq!(counts.names(), ["a.example"]);
    assert_eq!(counts.pages(), 10);
    let mut out = String::new();
    let describe = |_: &mut (), page: &LabelledPage<'_>| {
        let document = page.page.document;
        let mut out = format!("{}:", page.url);
        let name = |id: NodeId| {
            let own = document.attribute(id, Name::ID).map(|id| format!("#{id}"));
            own.unwrap_or_else(|| document.name_text(document.name(id)).to_string())
        };
        match flavour {
            Flavour::Nodes => {
                for id in document.ids().filter(|id| document.is_element(*id)) {
                    let label = page.node_labels().is_template[id.index()];
                    let _ = write!(out, " {}={}", name(id), label.map_or("-", |yes| if yes { "T" } else { "c" }));
                }
            }
            Flavour::Blocks(names) => {
                let labels = page.block_labels(&PageWords::of(document), names);
                for (id, label) in labels.blocks.iter().zip(&labels.labels) {
                    let label = match label {
                        BlockLabel::Template => "T",
                        BlockLabel::Content { topmost: true } => "C",
                        BlockLabel::Content { topmost: false } => "c",
                        BlockLabel::Unknown => "?",
                    };
                    let _ = write!(out, " {}={label}", name(*id));
                }
            }
        }
        out + "\n"
    };
    visit_pages(
        &options,
        &counts,
        &(),
        || (),
        describe,
        |line: String| {
            out += &line;
            Ok(())
        },
    )
    .unwrap();
    out
}

#[test]
fn blocks_are_labelled_by_their_text() {
    let found = labels(Flavour::Blocks(BlockNames::Html5), 0.3, 1);
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 10);
    // Each list item is too small; the note is on two pages, which is neither one nor enough; what holds it is unknown.
    assert_eq!(lines[0], "https://a.example/0: #menu=T ul=T #main=? #text=C p=c p=c #note=? p=?");
    assert_eq!(lines[5], "https://a.example/5: #menu=T ul=T #main=C #text=c p=c p=c");
    let loose = labels(Flavour::Blocks(BlockNames::Html5), 0.1, 1);
    assert!(loose.starts_with("https://a.example/0: #menu=T ul=T #main=? #text=C p=c p=c #note=T p=T\n"));
    assert!(
        labels(Flavour::Blocks(BlockNames::Classic), 0.3, 1)
            .starts_with("https://a.example/0: #menu=T ul=T #main=? #text=C #note=?")
    );
}

#[test]
fn nodes_are_labelled_by_their_fingerprint_and_by_what_they_hold() {
    let found = labels(Flavour::Nodes, 0.3, 1);
    let line = found.lines().next().unwrap();
    let expected =
        "https://a.example/0: html=- head=- body=c #menu=T ul=T li=T li=T #main=c #text=c p=c p=c #note=c p=c";
    assert_eq!(line, expected);
}

#[test]
fn labels_do_not_depend_on_threads() {
    for flavour in [Flavour::Nodes, Flavour::Blocks(BlockNames::Html5)] {
        assert_eq!(labels(flavour, 0.1, 1), labels(flavour, 0.1, 4));
    }
}

/// Adds a page to the crawl when the second pass begins.
struct Change(PathBuf);

impl Progress for Change {
    fn pass(&self, name: &str, _: Option<u64>) {
        if name == "labelling" {
            let mut lines = std::fs::read_to_string(&self.0).unwrap();
            lines += "{\"url\": \"https://a.example/10\", \"html\": \"<p>One more page.\"}\n";
            std::fs::write(&self.0, lines).unwrap();
        }
    }

    fn page(&self, _: u64, _: PageOutcome) {}
}

#[test]
fn a_crawl_that_changes_between_the_passes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = site(folder.path());
    let options = LabelOptions::new(vec![path.clone()], Flavour::Nodes);
    let progress = Change(path);
    let counts = count_sites(&options, &progress).unwrap();
    let error = visit_pages(&options, &counts, &progress, || (), |(), _| (), |()| Ok(())).unwrap_err();
    assert_eq!(error.kind(), dehusk_io::ErrorKind::InputChanged, "{error}");
}
