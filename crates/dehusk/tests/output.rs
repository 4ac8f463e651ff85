//! Properties of the renderers on randomly assembled pages with randomly dropped nodes.
//!
//! Every text of a page has unique words: `w1`, `w2`, … if it is visible, `x1`, … if it is not. Each output is checked
//! word by word, which reveals texts that are lost, moved or written twice.

#[path = "support/random.rs"]
mod random;

use dehusk::dom::{Document, NodeId, Parser};
use dehusk::render::{
    ExplainOptions, RenderOptions, blocks, render_explanation, render_html, render_json, render_markdown, render_text,
    strip, stripped_spans,
};
use dehusk::{Detection, Limits};
use pulldown_cmark::{Event, Options, Tag, TagEnd};
use random::Random;
use std::collections::BTreeSet;

const PAGES: u64 = 500;

impl Random {
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// Generates well-formed pages, so that removing nodes does not change how the rest is parsed.
struct Generator {
    random: Random,
    out: String,
    words: usize,
    left: usize,
}

impl Generator {
    fn page(seed: u64) -> String {
        let mut generator = Generator { random: Random(seed), out: String::new(), words: 0, left: 60 };
        generator.out.push_str("<!doctype html><html><head><title>x0</title></head><body>");
        while generator.left > 0 {
            generator.block(0);
        }
        generator.out.push_str("</body></html>");
        generator.out
    }

    fn word(&mut self, prefix: char) {
        self.words += 1;
        let before =
            self.random.pick(&["", "", "", "", "(", "*", "_", "[", "&lt;", "`", "# ", "- ", "1. ", "\\", "~~", "é"]);
        let after =
            self.random.pick(&["", "", "", "", "", ".", ":", "*", "_", "]", "|", "`", "&amp;amp;", "\\", "~~", "。"]);
        self.out.push_str(&format!("{before}{prefix}{}q{after}", self.words));
    }

    fn text(&mut self) {
        self.left = self.left.saturating_sub(1);
        let space = self.random.pick(&["", " ", "\n ", "&nbsp;"]);
        self.out.push_str(space);
        self.word('w');
        if self.random.below(2) == 0 {
            self.out.push(' ');
            self.word('w');
        }
        let space = self.random.pick(&["", "", " "]);
        self.out.push_str(space);
    }

    fn inline(&mut self, depth: usize, link: bool) {
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(14) {
                0..=4 => self.text(),
                5 if link => self.wrap("a href='/a b?x=1&amp;y' title='t'", |own| own.inline(depth + 1, false)),
                6 => self.out.push_str("<br>"),
                7 => self.out.push_str("<img src=/i.png alt=x>"),
                8 => self.unshown(),
                9 => self.wrap("code", Generator::text),
                10 if depth > 4 => self.text(),
                _ => {
                    let tag = self.random.pick(&["b", "i", "em", "strong", "span", "del", "sup", "font", "x-y"]);
                    self.wrap(tag, |own| own.inline(depth + 1, link));
                }
            }
        }
    }

    fn unshown(&mut self) {
        let tag = self.random.pick(&[
            "script",
            "style",
            "template",
            "button type=submit",
            "span hidden",
            "b style='display:none'",
        ]);
        self.wrap(tag, |own| {
            own.words += 1;
            own.out.push_str(&format!("x{}q", own.words));
        });
        self.out.push_str("<!-- x -->");
    }

    fn wrap(&mut self, tag: &str, inside: impl FnOnce(&mut Generator)) {
        self.out.push_str(&format!("<{tag}>"));
        inside(self);
        let name = tag.split(' ').next().unwrap_or(tag);
        self.out.push_str(&format!("</{name}>"));
    }

    fn block(&mut self, depth: usize) {
        let tag = self.random.pick(&[
            "p",
            "p",
            "h1",
            "h3",
            "div",
            "section",
            "blockquote",
            "ul",
            "ol start=7",
            "pre",
            "table",
            "layout",
            "center",
            "details",
            "text",
            "div hidden",
            "a href=/x",
            "hr",
        ]);
        match tag {
            "p" | "h1" | "h3" => self.wrap(tag, |own| own.inline(0, true)),
            "hr" => self.out.push_str("<hr>"),
            "text" => self.inline(0, true),
            "pre" => self.wrap(tag, |own| {
                own.text();
                own.out.push_str("\n\n  ");
                own.wrap("span", Generator::text);
            }),
            "div hidden" => self.wrap(tag, |own| own.out.push_str("x1q")),
            "table" => self.table(depth),
            "layout" => self.wrap("table", |own| own.row(|own| own.blocks(depth + 1))),
            "ul" | "ol start=7" => {
                let items = 1 + self.random.below(3);
                self.wrap(tag, |own| (0..items).for_each(|_| own.wrap("li", |own| own.item(depth + 1))));
            }
            "a href=/x" => self.wrap(tag, |own| own.wrap("div", |own| own.inline(0, false))),
            _ => self.wrap(tag, |own| own.blocks(depth + 1)),
        }
    }

    fn item(&mut self, depth: usize) {
        if self.random.below(2) == 0 {
            self.inline(0, true);
        }
        if self.random.below(3) == 0 {
            self.blocks(depth);
        }
    }

    fn blocks(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(3) {
            if depth > 5 {
                self.text();
            } else {
                self.block(depth);
            }
        }
    }

    fn row(&mut self, inside: impl FnOnce(&mut Generator)) {
        self.wrap("tbody", |own| own.wrap("tr", |own| own.wrap("td", inside)));
    }

    fn table(&mut self, _depth: usize) {
        let (rows, columns) = (2 + self.random.below(3), 2 + self.random.below(3));
        self.wrap("table", |own| {
            own.wrap("tbody", |own| {
                for row in 0..rows {
                    own.wrap("tr", |own| {
                        for _ in 0..columns {
                            let tag =
                                if row == 0 { "th" } else { own.random.pick(&["td", "td colspan=2", "td rowspan=2"]) };
                            own.wrap(tag, |own| match own.random.below(4) {
                                0 => own.wrap("ul", |own| own.wrap("li", |own| own.inline(3, true))),
                                1 => own.wrap("p", |own| own.inline(3, true)),
                                _ => own.inline(3, true),
                            });
                        }
                    });
                }
            });
        });
    }
}

fn parse(source: &str) -> Document {
    Parser::new(Limits::default()).parse(source).expect("the page parses")
}

/// Drops some of the nodes in the body.
fn drop_some(document: &Document, seed: u64) -> Detection {
    let mut random = Random(seed ^ 0xD0);
    let mut detection = Detection::keep_all(dehusk::detection::Detectors::NONE, document);
    let rate = 4 + random.below(40);
    let body = document.find(dehusk::dom::Name::BODY).expect("a body");
    for id in document.descendants(body) {
        if !detection.is_dropped(id) && random.below(rate) == 0 {
            detection.drop_subtree(document, id);
        }
    }
    detection
}

fn pages() -> impl Iterator<Item = (u64, Document, Detection)> {
    (0..PAGES).map(|seed| {
        let document = parse(&Generator::page(seed));
        let detection = if seed % 4 == 0 {
            Detection::keep_all(dehusk::detection::Detectors::NONE, &document)
        } else {
            drop_some(&document, seed)
        };
        (seed, document, detection)
    })
}

/// The words `w…q` and `x…q` of a text, in order.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in text.split_inclusive('q') {
        let Some(word) = part.rfind(['w', 'x']).map(|start| &part[start..]) else { continue };
        let number = word[1..].strip_suffix('q').unwrap_or_default();
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            words.push(word.to_owned());
        }
    }
    words
}

fn kept_words(document: &Document, detection: &Detection) -> Vec<String> {
    let is_kept = |id: &NodeId| document.is_text(*id) && !detection.is_dropped(*id);
    let kept: Vec<String> = document.ids().filter(is_kept).flat_map(|id| words(document.text(id))).collect();
    kept.into_iter().filter(|word| word.starts_with('w')).collect()
}

/// The characters of a text without white space.
fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The positions of the letters that follow white space.
fn breaks(text: &str) -> BTreeSet<usize> {
    let ends = text.split_whitespace().scan(0, |end, word| {
        *end += word.chars().count();
        Some(*end)
    });
    ends.collect()
}

fn text_of(document: &Document, detection: &Detection) -> String {
    render_text(document, detection, RenderOptions::default())
}

/// The text without list marks: an empty item has one in a page, and the rendered page has no empty items.
fn words_of(document: &Document, detection: &Detection) -> String {
    render_text(document, detection, RenderOptions::default().with_marks(false))
}

#[test]
fn text_holds_the_kept_words_once_in_page_order() {
    for (seed, document, detection) in pages() {
        assert_eq!(words(&text_of(&document, &detection)), kept_words(&document, &detection), "seed {seed}");
    }
}

#[test]
fn html_parsed_again_has_the_same_text() {
    for (seed, document, detection) in pages() {
        let html = render_html(&document, &detection, RenderOptions::default());
        let again = parse(&html);
        let text = words_of(&again, &Detection::keep_all(dehusk::detection::Detectors::NONE, &again));
        let before = words_of(&document, &detection);
        assert_eq!(letters(&text), letters(&before), "seed {seed}\n{}\n{html}", document.source());
        // Two links may become adjacent because the element between them is left out. So words may be split, but none may merge.
        let joined = breaks(&before).difference(&breaks(&text)).count();
        assert_eq!(joined, 0, "seed {seed}\n{}\n{html}", document.source());
    }
}

#[test]
fn stripped_source_is_the_source_without_the_spans_and_has_the_same_text() {
    for (seed, document, detection) in pages() {
        let stripped = strip(&document, &detection);
        let spans = stripped_spans(&document, &detection);
        assert!(spans.windows(2).all(|pair| pair[0].end < pair[1].start), "seed {seed}");
        let removed: usize = spans.iter().map(|span| span.len()).sum();
        assert_eq!(stripped.len() + removed, document.source().len(), "seed {seed}");
        let again = parse(&stripped);
        let text = text_of(&again, &Detection::keep_all(dehusk::detection::Detectors::NONE, &again));
        assert_eq!(letters(&text), letters(&text_of(&document, &detection)), "seed {seed}\n{stripped}");
    }
}

/// The text that a CommonMark parser finds in Markdown, without image descriptions.
fn markdown_text(markdown: &str) -> String {
    let mut text = String::new();
    let mut images = 0;
    for event in pulldown_cmark::Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            Event::Text(part) | Event::Code(part) if images == 0 => text.push_str(&part),
            Event::Html(part) => text.push_str(&part),
            _ => {}
        }
    }
    text
}

#[test]
fn markdown_read_by_a_parser_has_the_same_text() {
    for (seed, document, detection) in pages() {
        let markdown = render_markdown(&document, &detection, RenderOptions::default());
        let text = markdown_text(&markdown);
        assert_eq!(words(&text), kept_words(&document, &detection), "seed {seed}\n{}\n{markdown}", document.source());
        // Plain text has list marks of its own; HTML has only the texts of the page.
        let html = parse(&render_html(&document, &detection, RenderOptions::default()));
        let visible: String = html.ids().filter(|id| html.is_text(*id)).map(|id| html.text(id)).collect();
        assert_eq!(letters(&text), letters(&visible), "seed {seed}\n{markdown}");
    }
}

#[test]
fn blocks_do_not_overlap_and_hold_all_text() {
    for (seed, document, detection) in pages() {
        let blocks = blocks(&document, &detection, RenderOptions::default());
        assert!(blocks.windows(2).all(|pair| document.end(pair[0]) <= pair[1]), "seed {seed}");
        let kept = blocks.iter().filter(|id| !detection.is_dropped(**id));
        let nodes = kept.flat_map(|id| document.subtree(*id)).map(|at| NodeId(at as u32));
        let held: Vec<String> =
            nodes.flat_map(|id| words(document.text(id))).filter(|word| word.starts_with('w')).collect();
        assert_eq!(held, kept_words(&document, &detection), "seed {seed}");
    }
}

#[test]
fn damaged_pages_do_not_panic() {
    for seed in 0..PAGES {
        let mut random = Random(seed ^ 0xBAD);
        let mut source = Generator::page(seed);
        for _ in 0..1 + random.below(20) {
            let at = random.below(source.len());
            if source.is_char_boundary(at) && source.is_char_boundary(at + 1) {
                let part = random
                    .pick(&["", "", "<", ">", "</", "\"", "<b>", "</p>", "<table>", "<svg>", "<math>", "<td>", "\0"]);
                source.replace_range(at..at + 1, part);
            }
        }
        let document = parse(&source);
        let Some(body) = document.find(dehusk::dom::Name::BODY) else { continue };
        let mut detection = Detection::keep_all(dehusk::detection::Detectors::NONE, &document);
        for id in document.descendants(body) {
            if random.below(20) == 0 {
                detection.drop_subtree(&document, id);
            }
        }
        let options = RenderOptions::default();
        let text = render_text(&document, &detection, options);
        let mut seen = words(&text);
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert!(all <= kept_words(&document, &detection).len() + seen.len(), "seed {seed}");
        render_markdown(&document, &detection, options);
        render_html(&document, &detection, options);
        render_json(&document, &detection, options);
        render_explanation(&document, &detection, ExplainOptions::default());
        strip(&document, &detection);
    }
}

/// The names of the elements that a CommonMark parser finds.
fn structure(source: &str) -> Vec<String> {
    let document = parse(source);
    let markdown = render_markdown(
        &document,
        &Detection::keep_all(dehusk::detection::Detectors::NONE, &document),
        RenderOptions::default(),
    );
    let parser = pulldown_cmark::Parser::new_ext(&markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let tags = parser.filter_map(|event| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(format!("{level:?}")),
        Event::Start(Tag::Link { dest_url, .. }) => Some(format!("link {dest_url}")),
        Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Fenced(language))) => {
            Some(format!("code {language}"))
        }
        Event::Start(Tag::Table(columns)) => Some(format!("table {}", columns.len())),
        Event::Start(Tag::List(start)) => Some(format!("list {start:?}")),
        Event::Start(Tag::Item) => Some("item".to_owned()),
        Event::Start(Tag::BlockQuote(_)) => Some("quote".to_owned()),
        Event::Start(Tag::Strong) => Some("strong".to_owned()),
        Event::Start(Tag::Emphasis) => Some("emphasis".to_owned()),
        Event::Code(code) => Some(format!("`{code}`")),
        Event::Text(text) => Some(text.into_string()),
        _ => None,
    });
    tags.collect()
}

#[test]
fn a_parser_reads_back_the_structure() {
    assert_eq!(
        structure("<h2>a</h2><ol start=3><li>b<ul><li><a href='/x(y'>c</a></ul></ol>"),
        ["H2", "a", "list Some(3)", "item", "b", "list None", "item", "link /x(y", "c"]
    );
    assert_eq!(
        structure("<blockquote><pre class=lang-py>x = 1\n\ny</pre></blockquote><p><b>d</b> <code>e`f</code>"),
        ["quote", "code py", "x = 1\n", "\n", "y\n", "strong", "d", " ", "`e`f`"]
    );
    assert_eq!(
        structure("<table><tr><th>a|b<th>c<tr><td><b>1</b><br>2<td colspan=1><code>x|y</code></table>"),
        ["table 2", "a", "|b", "c", "strong", "1", "2", "`x|y`"]
    );
    assert_eq!(structure("<i>a</i><b>b</b><i>c</i>"), ["emphasis", "a", "strong", "b", "emphasis", "c"]);
    assert_eq!(structure("<b>a</b><i>b</i><b>c</b>"), ["strong", "a", "emphasis", "b", "strong", "c"]);
}
