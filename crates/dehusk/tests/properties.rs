//! Properties of the default extractor on generated and damaged pages, with and without the template of a site.

#[path = "support/kept.rs"]
mod kept;
#[path = "support/random.rs"]
mod random;

use dehusk::Focus;
use dehusk::detect::fusion::{FusionModel, FusionPage, detect_fusion};
use dehusk::site::{SiteLevelLearner, SiteLevelSettings, page_evidence};
use dehusk::{Detection, Extractor, Options, OutputFormat, Scratch, SiteTemplates};
use random::Random;

const FOCUSES: [f32; 7] = [0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0];

/// Generates pages: random numbers and a grammar that nests anything in anything.
struct PageGenerator {
    random: Random,
    /// The number of the next word.
    word: usize,
}

impl PageGenerator {
    /// A number below the limit.
    fn below(&mut self, limit: usize) -> usize {
        (self.random.next() >> 33) as usize % limit
    }

    /// Words that appear nowhere else.
    fn text(&mut self, max_words: usize) -> String {
        let count = 1 + self.below(max_words);
        let words: Vec<String> = (self.word..self.word + count).map(|number| format!("word{number}x")).collect();
        self.word += count;
        words.join(" ") + [".", "", ",", " –"][self.below(4)]
    }

    fn page(&mut self) -> String {
        const NAMES: [&str; 30] = [
            "p",
            "div",
            "section",
            "article",
            "main",
            "nav",
            "ul",
            "li",
            "ol",
            "table",
            "tr",
            "td",
            "th",
            "h1",
            "h3",
            "span",
            "a href=/x",
            "b",
            "aside",
            "footer",
            "header",
            "form",
            "blockquote",
            "pre",
            "dl",
            "dd",
            "noscript",
            "details",
            "figure",
            "template",
        ];
        const CLASSES: [&str; 8] = [
            "",
            "",
            " class=menu",
            " class='post content'",
            " id=comments",
            " hidden",
            " class=related",
            " style='display:none'",
        ];
        let mut page = format!("<!doctype html><title>{}</title>", self.text(5));
        let mut open: Vec<&str> = Vec::new();
        for _ in 0..20 + self.below(120) {
            match self.below(10) {
                0..4 => {
                    let name = NAMES[self.below(NAMES.len())];
                    page += &format!("<{name}{}>", CLASSES[self.below(CLASSES.len())]);
                    open.push(name.split(' ').next().unwrap_or(name));
                }
                4 => {
                    page += ["<br>", "<img src=a.png alt='a picture'>", "<hr>", "<!-- c -->", "<script>s</script>"]
                        [self.below(5)]
                }
                5..7 => {
                    if let Some(name) = open.pop() {
                        page += &format!("</{name}>");
                    }
                }
                _ => {
                    let max_words = if self.below(4) == 0 { 60 } else { 8 };
                    page += &self.text(max_words);
                }
            }
        }
        page
    }

    /// The page with some bytes changed, removed or inserted.
    fn damaged(&mut self, page: &str) -> Vec<u8> {
        let mut bytes = page.as_bytes().to_vec();
        for _ in 0..1 + self.below(30) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => {
                    let other = b"<>/\"'=& \xff-"[self.below(10)];
                    bytes[at] = other;
                }
                1 => drop(bytes.drain(at..(at + 12).min(bytes.len()))),
                2 => bytes.insert(at, b'<'),
                _ => {
                    let copy: Vec<u8> = bytes[at..(at + 40).min(bytes.len())].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
        }
        bytes
    }
}

/// Checks a page at every focus, with the template of its site if there is one.
fn check(bytes: &[u8], template: Option<&SiteTemplates>, name: &str) {
    let options = Options::new();
    let mut scratch = Scratch::default();
    let page = Extractor::new(options).unwrap().parse(bytes, &mut scratch).unwrap();
    let site = template.map(|template| template.detect(&page, None, SiteLevelSettings::default()));
    let mut buffers = FusionPage::default();
    let detections: Vec<Detection> = FOCUSES
        .iter()
        .map(|focus| {
            let focus = Focus::new(*focus).unwrap();
            let mut detection =
                detect_fusion(page.document, FusionModel::builtin(), site.as_ref(), focus, &mut buffers);
            dehusk::settle::settle(page.document, &mut detection);
            detection
        })
        .collect();
    if let Err(message) = kept::check(page.document, &detections) {
        panic!("{name}: {message}\n{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn kept_text_of_generated_pages_is_theirs() {
    for seed in 0..150 {
        let mut generator = PageGenerator { random: Random(seed), word: 0 };
        let page = generator.page();
        check(page.as_bytes(), None, &format!("page {seed}"));
        for round in 0..3 {
            check(&generator.damaged(&page), None, &format!("page {seed}, damaged {round}"));
        }
    }
}

#[test]
fn kept_text_with_site_evidence_is_theirs() {
    for seed in 0..12 {
        let mut generator = PageGenerator { random: Random(1000 + seed), word: 0 };
        let (head, foot) = (generator.page(), generator.page());
        let pages: Vec<String> =
            (0..12).map(|_| format!("{head}</div></div></ul>{}</div></table>{foot}", generator.page())).collect();
        let extractor = Extractor::new(Options::new()).unwrap();
        let mut scratch = Scratch::default();
        let mut learner = SiteLevelLearner::new();
        for page in &pages[..10] {
            learner.observe(&page_evidence(&extractor.parse(page, &mut scratch).unwrap()));
        }
        let template = learner.finish().into();
        for (number, page) in pages.iter().enumerate().skip(8) {
            check(page.as_bytes(), Some(&template), &format!("site {seed}, page {number}"));
            check(&generator.damaged(page), Some(&template), &format!("site {seed}, page {number}, damaged"));
        }
    }
}

#[test]
fn records_of_generated_pages_are_theirs_and_bounded() {
    let mut groups = 0;
    for seed in 0..200 {
        let mut generator = PageGenerator { random: Random(2000 + seed), word: 0 };
        // Parts that come several times, so that there is something to find.
        let parts: String = (0..4)
            .map(|_| {
                let part = generator.page();
                let copies = 1 + generator.below(6);
                format!("<div>{}</div>", format!("<div class=part>{part}</div></div>").repeat(copies))
            })
            .collect();
        for bytes in [parts.clone().into_bytes(), generator.damaged(&parts)] {
            groups += check_records(&bytes, &format!("page {seed}"));
        }
    }
    assert!(groups > 100, "only {groups} groups");
}

/// Checks the records of a page in every form, and returns how many groups there are.
fn check_records(bytes: &[u8], name: &str) -> usize {
    let extractor = Extractor::new(Options::new()).unwrap();
    let found = extractor.extract_owned(dehusk::Page::new(bytes).with_url("https://a.example/")).unwrap();
    let records = found.records();
    assert_eq!(records, found.records(), "{name}");
    for group in &records.groups {
        for (number, column) in group.columns.iter().enumerate() {
            assert!(!group.columns[..number].contains(column), "{name}: two columns are called {column}");
        }
        for record in &group.records {
            assert!(!record.nodes.is_empty() && record.nodes.is_sorted(), "{name}");
            assert!(record.fields.iter().all(|field| field.column < group.columns.len() && !field.values.is_empty()));
            let text = record.fields.iter().flat_map(|field| &field.values).map(String::len).sum::<usize>();
            assert!(text <= 8 * bytes.len(), "{name}: {text} bytes of values");
        }
    }
    let json = dehusk::records::render_records_json(found.document(), &records);
    assert!(json.len() <= (64 << 10) + 60 * bytes.len(), "{name}: {} of {}", json.len(), bytes.len());
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["groups"].as_array().unwrap().len(), records.groups.len(), "{name}");
    let content = serde_json::from_str::<serde_json::Value>(&found.render(OutputFormat::Records)).unwrap();
    let is_content = |group: &serde_json::Value| group["is_content"] == true;
    assert_eq!(
        content["groups"].as_array().unwrap().len(),
        value["groups"].as_array().unwrap().iter().filter(|group| is_content(group)).count()
    );
    let markdown = dehusk::render::render_records_markdown("Page", &records);
    assert!(markdown.len() <= (4 << 10) + 20 * bytes.len(), "{name}: {} of {}", markdown.len(), bytes.len());
    assert_eq!(markdown.is_empty(), records.groups.is_empty(), "{name}");
    records.groups.len()
}
