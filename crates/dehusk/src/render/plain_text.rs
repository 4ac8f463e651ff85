//! Renders the kept part of a page as plain text.
//!
//! Every block starts on a new line; paragraphs, headings, lists and tables have a blank line around them. A row of a
//! data table is one line with a tab between cells; cells are placed on the grid, so columns line up. White space
//! is collapsed except in `<pre>`. List items begin with `- ` or their number and are indented by depth; superscripts and
//! subscripts are set apart (`scripts.rs`); formulas with TeX source are written as `$…$`.

use super::render_options::RenderOptions;
use super::walk::{Event, Gap, Walk};
use crate::detection::Detection;
use crate::dom::elements::{has_margin, is_block, is_list, is_preformatted};
use crate::dom::{Document, Name, NodeId};
use crate::read::table_grid::{Grid, spans};
use crate::render::elements::formula::{Formula, formula, is_annotation};
use crate::render::elements::shown_tables::Tables;
use crate::render::elements::superscripts::Script;
use crate::render::elements::task_box::task_box;
use std::ops::Range;

/// Renders the kept part of a page as plain text.
pub fn render_text(document: &Document, detection: &Detection, options: RenderOptions) -> String {
    let mut out = String::new();
    append_text(document, detection, options, &mut out);
    out
}

/// Appends the kept part of a page as plain text.
pub fn append_text(document: &Document, detection: &Detection, options: RenderOptions, out: &mut String) {
    let base = out.len();
    if let Some(heading) = options.heading.before {
        out.extend([heading, "\n\n"]);
    }
    append_range(document, Some(detection), options, 0..document.len(), out);
    out.truncate(base + out[base..].trim_end_matches('\n').len());
}

/// Appends the text of a range of whole subtrees; all of it without a detection.
pub(crate) fn append_range(
    document: &Document,
    detection: Option<&Detection>,
    options: RenderOptions,
    range: Range<usize>,
    out: &mut String,
) {
    let tables = Tables::new(document, range.clone(), |nodes| Walk::within(document, detection, options, nodes));
    let mut walk = Walk::within(document, detection, options, range);
    let mut writer = TextWriter {
        document,
        marks: options.marks,
        tables,
        flow: Flow::new(out),
        table: None,
        lists: Vec::new(),
        script: None,
    };
    while let Some(event) = walk.next() {
        match event {
            Event::Enter(id) => writer.enter(id, &mut walk),
            Event::Text(id) => writer.text(document.text(id)),
            Event::Leave(id) => writer.leave(id),
            // The separators in a script belong to its text, which is written at its end.
            Event::Gap(_) if writer.script.is_some() => writer.text(" "),
            Event::Gap(Gap::Word) => writer.flow.word_gap(),
            Event::Gap(Gap::Space) => writer.flow.space(),
            Event::Gap(Gap::Line) => writer.flow.line_end(1),
        }
    }
    writer.flow.finish();
}

/// Maximum depth of lists that is indented: every line repeats the indent.
const MAX_INDENTED: usize = 16;

/// A list the walk is in, with the number of its next item if it is ordered.
struct List {
    number: Option<u32>,
}

struct TextWriter<'a> {
    document: &'a Document,
    /// Whether list marks are written and scripts are set apart.
    marks: bool,
    tables: Tables,
    flow: Flow<'a>,
    /// The data table the walk is in.
    table: Option<(NodeId, Grid)>,
    lists: Vec<List>,
    /// The superscript or subscript the walk is in, with its text.
    script: Option<(NodeId, Script, String)>,
}

impl TextWriter<'_> {
    fn text(&mut self, text: &str) {
        match &mut self.script {
            Some((_, _, script)) => script.push_str(text),
            None => self.flow.text(text),
        }
    }

    fn enter(&mut self, id: NodeId, walk: &mut Walk<'_>) {
        let document = self.document;
        if let Some(formula) = formula(document, id, |node| walk.is_kept(node)) {
            self.flow.formula(formula);
            return walk.skip(id);
        }
        let name = document.html_name(id);
        match name {
            Name::RP => return walk.skip(id),
            Name::NONE if is_annotation(document, id) => return walk.skip(id),
            Name::BR if self.script.is_some() => self.text(" "),
            Name::BR => self.flow.line_feed(),
            Name::RT => self.text("("),
            Name::SUP | Name::SUB if self.marks && self.script.is_none() && self.flow.preformatted == 0 => {
                self.script = Some((id, Script::new(document, id, name), String::new()));
            }
            Name::INPUT => {
                if let Some(checked) = task_box(document, id, name) {
                    self.flow.text(if checked { "[x] " } else { "[ ] " });
                }
            }
            Name::TABLE if self.tables.shape(id).is_some() => self.table = Some((id, Grid::default())),
            _ => {}
        }
        if is_block(name) {
            self.block_edge(name);
        }
        if let Some((_, grid)) = &mut self.table {
            match name {
                Name::TR => {
                    grid.start_row();
                    self.flow.start_row();
                }
                Name::TD | Name::TH => {
                    let (columns, rows) = spans(document, id);
                    let first = grid.is_row_start();
                    self.flow.tabs(grid.place(columns, rows) + !first as usize);
                }
                _ => {}
            }
        }
        if is_list(name) {
            let start = document.attribute(id, Name::START).and_then(|start| start.trim().parse().ok());
            self.lists.push(List { number: (name == Name::OL).then(|| start.unwrap_or(1)) });
        } else if name == Name::LI && self.marks {
            self.enter_item(id);
        }
        self.flow.preformatted += is_preformatted(name) as usize;
    }

    fn leave(&mut self, id: NodeId) {
        let name = self.document.html_name(id);
        if let Some((_, script, text)) = self.script.take_if(|script| script.0 == id) {
            self.flow.script(script, &text);
        }
        if is_list(name) {
            self.lists.pop();
        }
        self.flow.preformatted -= is_preformatted(name) as usize;
        if name == Name::RT {
            self.text(")");
        }
        if let Some((table, grid)) = &mut self.table {
            match name {
                Name::TR => {
                    grid.finish_row();
                    self.flow.end_row();
                }
                Name::TD | Name::TH => self.flow.tabs(spans(self.document, id).0 - 1),
                Name::TABLE if *table == id => self.table = None,
                _ => {}
            }
        }
        if name == Name::LI {
            self.flow.end_item(2 * self.lists.len().saturating_sub(1).min(MAX_INDENTED));
        }
        if is_block(name) {
            self.block_edge(name);
        }
    }

    fn enter_item(&mut self, id: NodeId) {
        let depth = self.lists.len().saturating_sub(1).min(MAX_INDENTED);
        let marker = match self.lists.last_mut() {
            Some(List { number: Some(number) }) => {
                let value = self.document.attribute(id, Name::VALUE).and_then(|value| value.trim().parse().ok());
                let own = value.unwrap_or(*number);
                *number = own.saturating_add(1);
                format!("{own}. ")
            }
            _ => "- ".to_owned(),
        };
        self.flow.start_item(2 * depth, marker);
    }

    fn block_edge(&mut self, name: Name) {
        // Nested lists have no blank lines around them, as in browsers.
        let blank = has_margin(name) && (!is_list(name) || self.lists.is_empty());
        self.flow.line_end(if blank { 2 } else { 1 });
    }
}

/// Writes lines: collapses white space and defers separators until a text follows them.
struct Flow<'a> {
    out: &'a mut String,
    /// The position in `out` where this text starts.
    base: usize,
    /// Whether the current line is empty.
    line_start: bool,
    /// Line ends to write before the next text; two make a blank line.
    ends: usize,
    /// Line feeds of `<br>` to write before the next text.
    feeds: usize,
    tabs: usize,
    space: bool,
    word_gap: bool,
    in_row: bool,
    /// Spaces before the lines of the current list item.
    indent: usize,
    /// The indents and markers of the innermost list items that have no text so far.
    items: Vec<(usize, String)>,
    /// Number of open elements that preserve white space.
    preformatted: usize,
}

impl<'a> Flow<'a> {
    fn new(out: &'a mut String) -> Flow<'a> {
        Flow {
            base: out.len(),
            out,
            line_start: true,
            ends: 0,
            feeds: 0,
            tabs: 0,
            space: false,
            word_gap: false,
            in_row: false,
            indent: 0,
            items: Vec::new(),
            preformatted: 0,
        }
    }

    fn line_end(&mut self, ends: usize) {
        if self.in_row {
            self.space = true;
        } else {
            self.ends = self.ends.max(ends);
        }
    }

    fn line_feed(&mut self) {
        if self.in_row {
            self.space = true;
        } else if self.preformatted > 0 {
            self.verbatim("\n");
        } else {
            self.feeds += 1;
        }
    }

    fn space(&mut self) {
        self.space = true;
    }

    fn word_gap(&mut self) {
        self.word_gap = true;
    }

    fn start_row(&mut self) {
        self.line_end(1);
        self.in_row = true;
        self.tabs = 0;
    }

    fn end_row(&mut self) {
        self.in_row = false;
        self.tabs = 0;
        self.line_end(1);
    }

    /// Starts a list item. Cells have no room for markers.
    fn start_item(&mut self, indent: usize, marker: String) {
        if !self.in_row {
            self.items.push((indent, marker));
        }
    }

    /// Ends a list item; the lines after it belong to an item with this indent.
    fn end_item(&mut self, indent: usize) {
        if !self.in_row {
            self.items.pop();
            self.indent = indent;
        }
    }

    /// Writes a superscript or subscript.
    fn script(&mut self, script: Script, text: &str) {
        let is_apart = self.line_start || self.space || self.ends + self.feeds + self.tabs > 0;
        let before = self.out[self.base..].chars().next_back().filter(|_| !is_apart && !text.starts_with(is_collapsed));
        if text.starts_with(is_collapsed) {
            self.space = true;
        }
        if !text.trim().is_empty() {
            self.word_gap = false;
            self.text(&script.written(text, before));
        }
        if text.ends_with(is_collapsed) {
            self.space = true;
        }
    }

    /// Defers tabs between cells; those after the last text of a row are never written.
    fn tabs(&mut self, tabs: usize) {
        if self.in_row {
            self.tabs += tabs;
        }
    }

    fn text(&mut self, text: &str) {
        if self.preformatted > 0 && !self.in_row {
            return self.verbatim(text);
        }
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if is_collapsed(first) {
                self.space = true;
                rest = &rest[first.len_utf8()..];
            } else if is_ignored(first, self.line_start || self.ends + self.feeds > 0) {
                rest = &rest[first.len_utf8()..];
            } else {
                let end = run_end(rest);
                self.separate(first);
                self.out.push_str(&rest[..end]);
                self.line_start = false;
                rest = &rest[end..];
            }
        }
    }

    fn verbatim(&mut self, text: &str) {
        let Some(first) = text.chars().next() else { return };
        self.separate(first);
        self.out.push_str(text);
        self.line_start = text.ends_with('\n');
    }

    fn formula(&mut self, formula: Formula<'_>) {
        let blocks = formula.display && !self.in_row;
        if blocks {
            self.line_end(2);
        }
        let delimiter = if blocks { "$$" } else { "$" };
        self.text(delimiter);
        for (number, word) in formula.tex.split_ascii_whitespace().enumerate() {
            self.space = number > 0;
            self.text(word);
        }
        self.text(delimiter);
        if blocks {
            self.line_end(2);
        }
    }

    /// Writes the deferred separators before a text that starts with `first`.
    fn separate(&mut self, first: char) {
        let ends = self.ends.max(self.feeds.min(2));
        if ends > 0 {
            self.trim();
            if self.out.len() > self.base {
                self.out.extend(std::iter::repeat_n('\n', ends));
            }
            self.line_start = true;
        }
        if self.line_start {
            self.begin_line();
        }
        if self.tabs > 0 {
            self.out.extend(std::iter::repeat_n('\t', self.tabs));
        } else if !self.line_start {
            let words = || first.is_alphanumeric() && self.out.ends_with(char::is_alphanumeric);
            if self.space || (self.word_gap && words()) {
                self.out.push(' ');
            }
        }
        (self.ends, self.feeds, self.tabs, self.space, self.word_gap) = (0, 0, 0, false, false);
    }

    /// Writes the indent of a line of a list item, and before its first text the marker. Preformatted text has no indent.
    fn begin_line(&mut self) {
        if let Some((indent, marker)) = self.items.pop() {
            // An item that begins with a list has the marker of the inner item only.
            self.items.clear();
            self.out.extend(std::iter::repeat_n(' ', indent));
            self.out.push_str(&marker);
            self.indent = indent + 2;
        } else if !self.in_row && self.preformatted == 0 {
            self.out.extend(std::iter::repeat_n(' ', self.indent));
        }
    }

    fn trim(&mut self) {
        let end = self.out[self.base..].trim_end_matches(['\n', ' ']).len();
        self.out.truncate(self.base + end);
    }

    fn finish(&mut self) {
        self.trim();
    }
}

/// The end of the words that can be written as they are: up to a character that is ignored, or white space other than one space
/// between two words.
fn run_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    // Characters that are collapsed or ignored are ASCII or begin with one of two bytes in UTF-8.
    let is_plain = |byte: &u8| *byte > b' ' && !matches!(byte, 0xc2 | 0xef);
    let is_end = |at: usize| match bytes[at] {
        b' ' => !bytes.get(at + 1).is_some_and(is_plain),
        byte if is_plain(&byte) => false,
        _ => text[at..].starts_with(|c| is_collapsed(c) || is_ignored(c, false)),
    };
    (0..bytes.len()).find(|at| is_end(*at)).unwrap_or(bytes.len())
}

/// Whether a character is white space that browsers collapse, or a no-break space, which pages use as padding.
pub(crate) fn is_collapsed(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t' | '\r' | '\x0c' | '\u{a0}')
}

/// Whether a character has no width and is not part of a word: soft hyphens, stray byte order marks, and zero-width spaces
/// at the start of a line. Joiners are kept, since they shape Persian, Indic scripts and emoji.
pub(crate) fn is_ignored(c: char, line_start: bool) -> bool {
    matches!(c, '\u{ad}' | '\u{feff}') || (line_start && c == '\u{200b}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;

    fn text(source: &str) -> String {
        let (document, detection) = page(source);
        render_text(&document, &detection, RenderOptions::default())
    }

    #[test]
    fn blocks_are_lines_and_paragraphs_have_blank_lines() {
        assert_eq!(text("<div>a</div><div>b</div><p>c</p><p>d"), "a\nb\n\nc\n\nd");
        assert_eq!(text("<h1>t</h1>x<br>y<br><br>z<br>"), "t\n\nx\ny\n\nz");
        assert_eq!(text("<br><p></p><p> </p>a"), "a");
    }

    #[test]
    fn white_space_collapses_over_elements() {
        assert_eq!(text(" a <b> b</b>\n<i>\tc </i>d&nbsp;&nbsp; e"), "a b c d e");
        assert_eq!(text("wo<b>r</b>d hy&shy;phen &#x200b;<p>&#x200b;</p>x"), "word hyphen \u{200b}\n\nx");
    }

    #[test]
    fn elements_set_apart_by_style_do_not_run_together() {
        assert_eq!(text("<p><span>Ridge</span><span>Wallet</span>"), "Ridge Wallet");
        assert_eq!(text("<p><a href=x><b>Half Calf</b></a><!-- --><a href=y>Knee High</a>"), "Half Calf Knee High");
        assert_eq!(text("<p><my-brand>Ridge</my-brand><my-name><span>Wallet</span></my-name>"), "Ridge Wallet");
        for whole in [
            "<p><span>T</span><span>here</span>",
            "<p><b>There</b>",
            "<p><b>The</b><i>re</i>",
            "<p>The<span>re</span>",
            "<pre><span>The</span><span>re</span></pre>",
            "<p><code><span>The</span><span>re</span></code>",
        ] {
            assert_eq!(text(whole), "There", "{whole}");
        }
        assert_eq!(text("<p><span>10</span><span>, 20</span>"), "10, 20");
    }

    #[test]
    fn preformatted_text_keeps_white_space() {
        assert_eq!(text("a<pre>\n  x = 1\n\n\n  y\n</pre>b"), "a\n\n  x = 1\n\n\n  y\n\nb");
        assert_eq!(text("<pre>a<br>b</pre>"), "a\nb");
    }

    #[test]
    fn rows_are_lines_and_cells_line_up() {
        let rows = "<tr><th>a<th>b<th>c<tr><td rowspan=2>1<td>x<br>y<td><ul><li>l<li>m</ul><tr><td colspan=2>w";
        assert_eq!(text(&format!("<table><caption>t</caption>{rows}</table>z")), "t\na\tb\tc\n1\tx y\tl m\n\tw\n\nz");
        assert_eq!(text("<table><tr><td>a<td>b<td>c<tr><td><td>2<td></table>"), "a\tb\tc\n\t2");
    }

    #[test]
    fn layout_tables_are_blocks() {
        assert_eq!(text("<table><tr><td>menu<td><h1>t</h1><p>x</table>"), "menu\n\nt\n\nx");
    }

    #[test]
    fn lists_are_lines() {
        assert_eq!(text("a<ul><li>b<ul><li>c</ul><li><a>d</a></ul>e"), "a\n\n- b\n  - c\n- d\n\ne");
        assert_eq!(
            text("<ol start=3><li>b<p>c</p><li value=7>d<br>e<li><img><li>f</ol>"),
            "3. b\n\n  c\n\n7. d\n  e\n9. f"
        );
        assert_eq!(
            text("<ul><li><pre>a\n b</pre></ul><table><tr><td>1<td>2<tr><td><ul><li>x</ul><td>y</table>"),
            "- a\n b\n\n1\t2\nx\ty"
        );
        assert_eq!(text("<dl><dt>t<dd>d<dd>e</dl>"), "t\nd\ne");
    }

    #[test]
    fn superscripts_and_subscripts_are_set_apart() {
        assert_eq!(text("x<sup>2</sup> CO<sub>2</sub> 10<sup>−3</sup> 1<sup>st</sup>"), "x² CO₂ 10⁻³ 1st");
        assert_eq!(text("word<sup><a href=#f>1</a></sup>, more<sup><a href=#f>[2]</a></sup>"), "word[1], more[2]");
        assert_eq!(
            text("a<sub>ij</sub> e<sup>k+1</sup> Net<sup>TM</sup> <sup>1</sup> Note"),
            "a_ij e^(k+1) Net™ ¹ Note"
        );
        assert_eq!(text("Price<sup>with tax</sup> x"), "Price with tax x");
    }

    #[test]
    fn formulas_are_written_once() {
        let math = "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>{\\displaystyle x^2}\
            </annotation></semantics></math>";
        assert_eq!(text(&format!("a {math} b")), "a $x^2$ b");
        assert_eq!(text("<math><mi>x</mi><mo>=</mo><mn>1</mn></math>"), "x=1");
        assert_eq!(text("a<script type='math/tex; mode=display'>x \n y</script>b"), "a\n\n$$x y$$\n\nb");
        let twin =
            format!("<span><span style='display:none'>{math}</span><img class='mwe-math-fallback-image' alt=x></span>");
        assert_eq!(text(&twin), "$x^2$");
        let twice = format!("<span class=katex><span>{math}</span><span class=katex-html>x2</span></span>");
        assert_eq!(text(&twice), "$x^2$");
    }

    #[test]
    fn dropped_parts_leave_no_glued_words() {
        assert_eq!(text("a<nav data-drop>x</nav>b<span data-drop>|</span>c<sup data-drop>1</sup>, d"), "a\nb c, d");
        assert_eq!(text("Phone<button>Call</button>Name"), "Phone Name");
    }

    #[test]
    fn scripts_of_the_world() {
        assert_eq!(text("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字"), "漢(かん)字");
        assert_eq!(text("<p dir=rtl>می\u{200c}خواهم <b>שלום</b>"), "می\u{200c}خواهم שלום");
        assert_eq!(text("&lt;b&gt; &amp;amp; &eacute;"), "<b> &amp; é");
    }
}
