//! Renders the kept part of a page as Markdown: CommonMark with the tables and strikethrough of GitHub.
//!
//! Headings, lists, quotes, code, links, images, formulas and data tables are preserved; layout tables become plain blocks.
//! Text is escaped so that it cannot become markup. Line lengths are not limited. URLs are relative unless a base is given.

mod block_writer;
mod escape;
mod inline;
mod open_table;
mod table_writer;
#[cfg(test)]
mod tests;

use crate::detection::Detection;
use crate::dom::elements::{classes, has_class, heading_level, is_block, is_list, is_preformatted};
use crate::dom::{Document, Name, NodeId};
use crate::render::elements::formula::{Formula, formula, is_annotation, split_tex, typesets_tex};
use crate::render::elements::pictures::Pictures;
use crate::render::elements::shown_tables::Tables;
use crate::render::elements::task_box::task_box;
use crate::render::render_options::RenderOptions;
use crate::render::walk::{Event, Gap, Walk};
use crate::safe_url::{UrlUse, safe_url};
use block_writer::BlockWriter;
use inline::{Feed, Line, Mark};
use open_table::OpenTable;

/// Renders the kept part of a page as Markdown.
pub fn render_markdown(document: &Document, detection: &Detection, options: RenderOptions) -> String {
    let mut out = String::new();
    append_markdown(document, detection, options, &mut out);
    out
}

/// Appends the kept part of a page as Markdown; ends with a line feed unless nothing is kept.
pub fn append_markdown(document: &Document, detection: &Detection, options: RenderOptions, out: &mut String) {
    let base = out.len();
    let mut walk = Walk::new(document, detection, options);
    let mut writer = MarkdownWriter {
        document,
        options,
        tables: Tables::new(document, 0..document.len(), |nodes| {
            Walk::within(document, Some(detection), options, nodes)
        }),
        blocks: BlockWriter::new(out),
        line: Line::new(),
        heading: None,
        lists: Vec::new(),
        term: Term::None,
        code: None,
        table: None,
        typesets_tex: typesets_tex(document),
        pictures: options.images.then(|| Pictures::new(document)),
        card_link: None,
    };
    if let Some(heading) = options.heading.before {
        writer.line.text(heading);
        writer.blocks.paragraph(&writer.line.take(), Some(1));
    }
    while let Some(event) = walk.next() {
        match event {
            Event::Enter(id) => writer.enter(id, &mut walk),
            Event::Text(id) => writer.text(id),
            Event::Leave(id) => writer.leave(id),
            Event::Gap(Gap::Word) => writer.line.word_gap(),
            Event::Gap(Gap::Space) => writer.line.space(),
            Event::Gap(Gap::Line) => writer.block_edge(),
        }
    }
    writer.end_paragraph();
    if out.len() > base {
        out.push('\n');
    }
}

/// Maximum number of nodes of a link that are looked at.
const MAX_LINK_NODES: usize = 256;

/// A list the walk is in.
struct List {
    id: NodeId,
    ordered: bool,
    number: u32,
    /// The bullet, or the character after the number.
    marker: char,
    /// Whether an item was written.
    written: bool,
    in_item: bool,
    marker_width: usize,
}

/// The term that the next definition belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Term {
    None,
    /// Entered when this many bytes were written.
    Open(usize),
    Written,
}

struct MarkdownWriter<'a> {
    document: &'a Document,
    options: RenderOptions<'a>,
    tables: Tables,
    blocks: BlockWriter<'a>,
    line: Line,
    heading: Option<(NodeId, u8)>,
    lists: Vec<List>,
    term: Term,
    /// The current preformatted element and its text.
    code: Option<(NodeId, String)>,
    table: Option<OpenTable>,
    /// Whether a script of the page typesets TeX in texts.
    typesets_tex: bool,
    /// None if images are not wanted.
    pictures: Option<Pictures>,
    /// The heading in the link the walk is in, and the target to write there.
    card_link: Option<(NodeId, String)>,
}

impl MarkdownWriter<'_> {
    fn text(&mut self, id: NodeId) {
        let mut text = self.document.text(id);
        if let Some((_, code)) = &mut self.code {
            return code.push_str(text);
        }
        // Pandoc, Sphinx and others mark the elements.
        let is_marked = || self.document.parent(id).is_some_and(|parent| has_class(self.document, parent, "math"));
        if (self.typesets_tex || is_marked()) && !self.line.is_in_code() {
            while let Some((before, formula, after)) = split_tex(text) {
                self.line.text(before);
                self.formula(formula);
                text = after;
            }
        }
        self.line.text(text);
    }

    fn enter(&mut self, id: NodeId, walk: &mut Walk<'_>) {
        let document = self.document;
        if let Some(formula) = formula(document, id, |node| walk.is_kept(node)) {
            self.formula(formula);
            return walk.skip(id);
        }
        let name = document.html_name(id);
        if name == Name::RP || is_annotation(document, id) {
            return walk.skip(id);
        }
        if let Some((_, code)) = &mut self.code {
            if name == Name::BR {
                code.push('\n');
            } else if is_block(name) {
                start_line(code);
            }
            return;
        }
        match name {
            Name::BR => self.line_break(),
            Name::IMG => self.image(id),
            Name::INPUT => self.task_box(id),
            Name::RT => self.line.text("("),
            Name::A => self.enter_link(id, walk),
            _ if is_block(name) => self.enter_block(id, name),
            _ => {
                if let Some(mark) = inline_mark(name) {
                    self.line.enter(id, mark);
                }
            }
        }
    }

    fn leave(&mut self, id: NodeId) {
        let name = self.document.html_name(id);
        if let Some((pre, code)) = &mut self.code {
            if *pre == id {
                let language = code_language(self.document, id).unwrap_or_default();
                let text = std::mem::take(code);
                self.code = None;
                self.blocks.code(&text, language);
            } else if is_block(name) {
                start_line(code);
            }
            return;
        }
        if name == Name::RT {
            self.line.text(")");
        }
        self.line.leave(id);
        if is_block(name) {
            self.leave_block(id, name);
        }
    }

    fn enter_block(&mut self, id: NodeId, name: Name) {
        if self.is_in_cell() {
            return self.line.line_feed();
        }
        if self.table.is_some() && self.enter_table_part(id, name) {
            return;
        }
        let special =
            is_preformatted(name) || is_list(name) || matches!(name, Name::TABLE | Name::BLOCKQUOTE | Name::HR);
        if special {
            self.end_paragraph();
            self.end_heading();
        }
        self.block_edge();
        match name {
            Name::TABLE => self.start_table(id),
            Name::BLOCKQUOTE => self.blocks.enter_quote(id),
            Name::HR => self.blocks.begin().push_str("***"),
            Name::LI => self.enter_item(id),
            Name::DL => self.term = Term::None,
            Name::DT if self.term != Term::Written => self.term = Term::Open(self.blocks.written()),
            Name::DD if self.term == Term::Written => {
                self.blocks.tighten();
                self.blocks.enter_definition(id);
            }
            Name::SUMMARY => self.line.enter(id, Mark::Strong),
            _ if is_list(name) => self.enter_list(id, name),
            _ if is_preformatted(name) => self.code = Some((id, String::new())),
            _ => {
                if let Some(level) = heading_level(name).filter(|_| self.heading.is_none()) {
                    self.heading = Some((id, level));
                    self.line.set_feed(Feed::Space);
                    if let Some((_, target)) = self.card_link.take_if(|link| link.0 == id) {
                        self.line.enter_link(id, target, true);
                    }
                }
            }
        }
    }

    fn leave_block(&mut self, id: NodeId, name: Name) {
        if self.table.is_some() && self.leave_table_part(id, name) {
            return;
        }
        if self.is_in_cell() {
            return self.line.line_feed();
        }
        if self.heading.is_some_and(|heading| heading.0 == id) {
            self.end_paragraph();
            return self.end_heading();
        }
        self.block_edge();
        let written = self.blocks.leave(id);
        match (name, self.term) {
            (Name::DT, Term::Open(start)) if self.blocks.written() > start => self.term = Term::Written,
            (Name::DD, _) if written => self.term = Term::Written,
            (Name::DL, _) => self.term = Term::None,
            _ => {}
        }
        if name == Name::LI
            && let Some(list) = self.lists.last_mut()
        {
            list.in_item = false;
            list.written |= written;
        }
        if let Some(list) = self.lists.pop_if(|list| list.id == id) {
            self.blocks.end_list(list.marker);
        }
    }

    /// Handles the start or end of a block.
    fn block_edge(&mut self) {
        if self.is_in_cell() {
            self.line.line_feed();
        } else if self.heading.is_some() {
            self.line.space();
        } else if let Some((_, code)) = &mut self.code {
            start_line(code);
        } else {
            self.end_paragraph();
        }
    }

    fn end_paragraph(&mut self) {
        // An image alone is no heading.
        let level = self.heading.map(|heading| heading.1).filter(|_| self.line.has_words());
        let mut text = self.line.take();
        match level {
            Some(_) => unwrap_strong(&mut text),
            None => escape::remove_needless(&mut text),
        }
        // Editors leave paragraphs of joiners and other characters without width.
        if text.contains(|c: char| !matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}')) {
            self.blocks.paragraph(&text, level);
        }
    }

    fn end_heading(&mut self) {
        self.heading = None;
        self.line.set_feed(Feed::Hard);
    }

    fn line_break(&mut self) {
        // Pages without `<p>` separate paragraphs with two line breaks.
        if self.line.has_pending_feed() && !self.is_in_cell() && self.heading.is_none() {
            self.end_paragraph();
        } else {
            self.line.line_feed();
        }
    }

    fn enter_list(&mut self, id: NodeId, name: Name) {
        let ordered = name == Name::OL;
        if let Some(outer) = self.lists.last()
            && !outer.in_item
            && outer.written
        {
            // A list that is a direct child of a list belongs to the item before it.
            self.blocks.enter_indent(id, outer.marker_width);
        }
        let (usual, other) = if ordered { ('.', ')') } else { ('-', '+') };
        let marker = if self.blocks.continues_list(usual) { other } else { usual };
        let start = self.document.attribute(id, Name::START).and_then(|start| start.trim().parse().ok());
        let number = if ordered { start.unwrap_or(1) } else { 1 };
        self.lists.push(List { id, ordered, number, marker, written: false, in_item: false, marker_width: 2 });
    }

    fn enter_item(&mut self, id: NodeId) {
        let nested = self.lists.len() > 1;
        let Some(list) = self.lists.last_mut() else {
            return self.blocks.enter_item(id, "- ".to_owned(), false);
        };
        if list.ordered {
            let value = self.document.attribute(id, Name::VALUE).and_then(|value| value.trim().parse().ok());
            list.number = value.unwrap_or(list.number);
        }
        let tight = list.written || (nested && list.number == 1 && !self.blocks.is_item_start());
        let marker = match list.ordered {
            true => format!("{}{} ", list.number.min(999_999_999), list.marker),
            false => format!("{} ", list.marker),
        };
        list.number = list.number.saturating_add(1);
        list.in_item = true;
        list.marker_width = marker.len();
        self.blocks.enter_item(id, marker, tight);
    }

    fn enter_link(&mut self, id: NodeId, walk: &Walk<'_>) {
        let document = self.document;
        let href = document.attribute(id, Name::HREF).filter(|_| self.options.links);
        let Some(url) = href.and_then(|href| safe_url(href, UrlUse::Link, self.options.base)) else { return };
        let mut target = String::from("](");
        let texts = document.descendants(id).take(MAX_LINK_NODES).filter(|node| document.is_text(*node));
        append_target(&url, document.attribute(id, Name::TITLE), texts.map(|text| document.text(text)), &mut target);
        // A link around a whole card is written once, on its heading if it has one.
        let parts = || document.descendants(id).take(MAX_LINK_NODES).filter(|node| is_block(document.html_name(*node)));
        let heading = parts().find(|node| heading_level(document.html_name(*node)).is_some() && walk.is_kept(*node));
        match heading {
            Some(heading) if self.heading.is_none() && !self.is_in_cell() => self.card_link = Some((heading, target)),
            _ => self.line.enter_link(id, target, parts().next().is_some() && has_text(document, id)),
        }
    }

    fn task_box(&mut self, id: NodeId) {
        if let Some(checked) = task_box(self.document, id, Name::INPUT) {
            self.line.raw(if checked { "[x]" } else { "[ ]" });
            self.line.space();
        }
    }

    fn image(&mut self, id: NodeId) {
        let source = self.pictures.as_ref().and_then(|pictures| pictures.source(self.document, id));
        let Some(url) = source.and_then(|source| safe_url(source, UrlUse::Load, self.options.base)) else {
            return self.line.word_gap();
        };
        let mut image = String::from("![");
        let alt = self.document.attribute(id, Name::ALT).unwrap_or_default();
        let mut words = alt.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let next = if words.peek().is_some() { ' ' } else { ']' };
            escape::append_text(word, Some(next), escape::url_start(word.as_bytes()), &mut image);
            if next == ' ' {
                image.push(' ');
            }
        }
        image.push_str("](");
        append_target(&url, self.document.attribute(id, Name::TITLE), [alt].into_iter(), &mut image);
        self.line.image(&image);
    }

    fn formula(&mut self, formula: Formula<'_>) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(formula.tex);
        } else if formula.display && self.heading.is_none() && !self.is_in_cell() {
            self.end_paragraph();
            self.blocks.formula(formula.tex);
        } else {
            self.line.formula(formula.tex);
        }
    }
}

fn inline_mark(name: Name) -> Option<Mark> {
    Some(match name {
        Name::STRONG | Name::B => Mark::Strong,
        Name::EM | Name::I | Name::VAR => Mark::Emphasis,
        Name::DEL | Name::S | Name::STRIKE => Mark::Deletion,
        Name::SUP => Mark::Superscript,
        Name::SUB => Mark::Subscript,
        Name::CODE | Name::KBD | Name::SAMP | Name::TT => Mark::Code,
        _ => return None,
    })
}

/// Appends the target and title of a link or an image, up to the closing parenthesis. A title that says the same as the text is left out.
fn append_target<'a>(url: &str, title: Option<&str>, texts: impl Iterator<Item = &'a str>, out: &mut String) {
    escape::append_url(url, out);
    if let Some(title) = title.filter(|title| !title.trim().is_empty() && !has_same_words(title, texts)) {
        out.push(' ');
        escape::append_title(title, out);
    }
    out.push(')');
}

fn has_same_words<'a>(title: &str, texts: impl Iterator<Item = &'a str>) -> bool {
    let words = texts.flat_map(str::split_whitespace).map(str::to_lowercase);
    words.eq(title.split_whitespace().map(str::to_lowercase))
}

/// Whether an element shows a text, as far as it is looked at.
fn has_text(document: &Document, id: NodeId) -> bool {
    let is_text = |node: NodeId| document.is_text(node) && !document.text(node).trim().is_empty();
    document.descendants(id).take(MAX_LINK_NODES).any(is_text)
}

/// Removes the marks of a heading that is bold as a whole: headings are.
fn unwrap_strong(heading: &mut String) {
    let Some(inner) = heading.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")) else { return };
    if !inner.is_empty() && !inner.contains("**") && !inner.ends_with('\\') && !inner.contains('`') {
        *heading = inner.to_owned();
    }
}

/// Starts a new line unless the text is already at the start of one.
fn start_line(code: &mut String) {
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
}

/// The language of a code block, from its `<code>` child, the element itself or its ancestors.
fn code_language(document: &Document, id: NodeId) -> Option<&str> {
    let inner = document.children(id).find(|child| document.html_name(*child) == Name::CODE);
    let outer = document.ancestors(id).take(2);
    let named = |node: NodeId| {
        let attributes = document.attributes(node).iter();
        let mut named = attributes.filter(|own| matches!(document.name_text(own.name), "data-lang" | "data-language"));
        named.next().map(|own| document.value(own)).filter(|language| is_language(language))
    };
    inner.into_iter().chain([id]).chain(outer).find_map(|node| {
        let classed = class_language(classes(document, node).flat_map(|class| class.split(';')));
        classed.or_else(|| named(node))
    })
}

fn class_language<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    while let Some(word) = words.next() {
        let prefixes =
            ["language-", "lang-", "highlight-source-", "highlight-text-", "highlight-", "brush:", "sourceCode"];
        let Some(rest) = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)) else { continue };
        let language = if rest.is_empty() { words.next()? } else { rest };
        if is_language(language) {
            return Some(language);
        }
    }
    None
}

/// Whether a name that a highlighter gives is one of a language.
fn is_language(name: &str) -> bool {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#._-".contains(&byte));
    let is_none =
        ["default", "none", "text", "plain", "plaintext", "source", "auto", "undefined", "null"].contains(&name);
    is_plain && !is_none && name.starts_with(|c: char| c.is_ascii_alphabetic())
}
