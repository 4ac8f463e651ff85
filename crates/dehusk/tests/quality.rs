//! The quality floor: F of the words each detector keeps, on the example sites and on small pages of many kinds.
//!
//! `floors.json` holds the least F of each detector on each set, a little below what was measured when it was written. A detector
//! that falls below one of its floors fails the test, which then prints the table of all figures.

use dehusk::output::{RenderOptions, render_text};
use dehusk::{Detector, Extractor, Method, Options, Page, Scratch, SiteLearner, SiteTemplates};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The name of each detector in `floors.json`. All but the first three take what is known of a page's site.
const DETECTORS: [&str; 8] = ["fusion", "pagelevel", "block", "fusion+site", "sitelevel", "treemap", "align", "auto"];
const NEEDS_SITE: [&str; 5] = ["fusion+site", "sitelevel", "treemap", "align", "auto"];

/// How many words are kept that should be, are lost that should be kept, and are kept that should not be.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    lost: usize,
    wrong: usize,
}

impl Counts {
    fn f_measure(self) -> f64 {
        2.0 * self.right as f64 / ((2 * self.right + self.lost + self.wrong) as f64).max(1.0)
    }

    fn add(&mut self, other: Counts) {
        self.right += other.right;
        self.lost += other.lost;
        self.wrong += other.wrong;
    }
}

/// What is known of a site, as each detector needs it.
struct Site {
    by_method: HashMap<&'static str, SiteTemplates>,
}

/// The text a detector keeps of a page.
fn kept(detector: &str, bytes: &[u8], site: Option<&Site>) -> String {
    let (name, method) = match detector {
        "fusion+site" => ("fusion", Some("sitelevel")),
        name => (name, NEEDS_SITE.contains(&name).then_some(name)),
    };
    let extractor = Extractor::new(Options::new().with_detector(name.parse().unwrap())).unwrap();
    let templates = method.map(|method| &site.expect("a site").by_method[method]);
    let found = extractor.extract_owned(Page::new(bytes).with_site(templates)).unwrap();
    render_text(found.document(), found.detection(), RenderOptions::default().with_marks(false))
}

fn learn(pages: &BTreeMap<String, Vec<u8>>) -> Site {
    let mut by_method = HashMap::new();
    for method in Method::ALL {
        let extractor = Extractor::new(Options::new()).unwrap();
        let mut scratch = Scratch::default();
        let mut learner = SiteLearner::new(method);
        for (path, page) in pages {
            learner.observe(path, &extractor.parse(page, &mut scratch).unwrap());
        }
        by_method.insert(method.name(), learner.finish(0));
    }
    Site { by_method }
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        // Scripts without spaces: each character counts.
        if word.chars().all(|letter| ('\u{3040}'..'\u{a000}').contains(&letter)) {
            words.extend(word.chars().map(String::from));
        } else {
            words.push(word.to_lowercase());
        }
    }
    words
}

/// Compares two texts as bags of words.
fn compare(kept: &str, expected: &str) -> Counts {
    let mut bag: HashMap<String, usize> = HashMap::new();
    let expected = words(expected);
    for word in &expected {
        *bag.entry(word.clone()).or_default() += 1;
    }
    let kept = words(kept);
    let mut right = 0;
    for word in &kept {
        if let Some(count) = bag.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            right += 1;
        }
    }
    Counts { right, lost: expected.len() - right, wrong: kept.len() - right }
}

/// Counts the words of the texts of a truth file that are kept.
fn compare_with_truth(kept: &str, truth: &serde_json::Value) -> Counts {
    let collapse = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = collapse(kept);
    let mut counts = Counts::default();
    for (key, is_content) in [("content", true), ("husk", false)] {
        for text in truth[key].as_array().unwrap() {
            let text = collapse(text.as_str().unwrap());
            let length = words(&text).len();
            match (is_content, kept.contains(&text)) {
                (true, true) => counts.right += length,
                (true, false) => counts.lost += length,
                (false, true) => counts.wrong += length,
                (false, false) => {}
            }
        }
    }
    counts
}

fn pages_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut pages, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                pages.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    pages
}

fn folders_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_string()
}

/// The figures of all detectors: by detector, then by set.
fn measure() -> BTreeMap<String, BTreeMap<String, f64>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut counts: BTreeMap<(String, String), Counts> = BTreeMap::new();
    for folder in folders_of(&root.join("../../examples/sites")) {
        let truth = std::fs::read_to_string(folder.with_file_name(format!("{}.truth.json", name_of(&folder)))).unwrap();
        let truth: serde_json::Value = serde_json::from_str(&truth).unwrap();
        let pages = pages_in(&folder);
        let site = learn(&pages);
        for (path, truth) in truth.as_object().unwrap() {
            for detector in DETECTORS {
                let found = compare_with_truth(&kept(detector, &pages[path], Some(&site)), truth);
                counts.entry((detector.to_string(), name_of(&folder))).or_default().add(found);
            }
        }
    }
    for folder in folders_of(&root.join("tests/pages")) {
        let source = std::fs::read(folder.join("source.html")).unwrap();
        let expected = std::fs::read_to_string(folder.join("expected.txt")).unwrap();
        for detector in DETECTORS.into_iter().filter(|detector| !NEEDS_SITE.contains(detector)) {
            let found = compare(&kept(detector, &source, None), &expected);
            counts.entry((detector.to_string(), format!("pages/{}", name_of(&folder)))).or_default().add(found);
        }
    }
    let mut figures: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for ((detector, set), counts) in counts {
        figures.entry(detector).or_default().insert(set, counts.f_measure());
    }
    figures
}

#[test]
fn no_detector_falls_below_its_floor() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/floors.json");
    let figures = measure();
    if std::env::var_os("DEHUSK_WRITE_FLOORS").is_some() {
        let floor = |figure: &f64| (((figure - 0.01) * 1000.0).floor() / 1000.0).max(0.0);
        let floors: BTreeMap<_, BTreeMap<_, f64>> = figures
            .iter()
            .map(|(detector, sets)| (detector, sets.iter().map(|(set, figure)| (set, floor(figure))).collect()))
            .collect();
        std::fs::write(&path, serde_json::to_string_pretty(&floors).unwrap() + "\n").unwrap();
    }
    let floors: BTreeMap<String, BTreeMap<String, f64>> =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let (mut table, mut failed) = (String::new(), 0);
    for (detector, sets) in &figures {
        for (set, figure) in sets {
            let floor = floors.get(detector).and_then(|floors| floors.get(set));
            let floor = *floor.unwrap_or_else(|| panic!("floors.json lacks {detector} on {set}"));
            let mark = if *figure < floor { "  BELOW" } else { "" };
            failed += (*figure < floor) as usize;
            writeln!(table, "{detector:12} {set:32} F {figure:.3}  floor {floor:.3}{mark}").unwrap();
        }
    }
    let count = |all: &BTreeMap<String, BTreeMap<String, f64>>| all.values().map(BTreeMap::len).sum::<usize>();
    assert_eq!(count(&floors), count(&figures), "floors.json has floors of what is no longer measured");
    assert_eq!(failed, 0, "{failed} figures are below their floor:\n{table}");
}
