//! Renders the kept part of a page as sanitized HTML.
//!
//! Input: a document and a detection. Output: a fragment with only elements and attributes of an allow-list,
//! written from the tree: no script, style, form control, embedded content, SVG, comment or event handler,
//! and no URL that could run code. Elements that are not on the list are written without their tags. None of the
//! elements on the list switches a parser to another tokenizer state, which mutation attacks depend on. Elements without content
//! are left out, and so is every `<div>` that only contains other blocks.

mod html_allow_list;

use crate::detection::Detection;
use crate::dom::elements::{is_block, is_preformatted};
use crate::dom::escape::append_escaped;
use crate::dom::{Attribute, Document, Name, Namespace, NodeId};
use crate::render::elements::formula::{is_math, script_formula};
use crate::render::elements::pictures::Pictures;
use crate::render::elements::task_box::task_box;
use crate::render::html::html_allow_list::{
    FORMULA_ATTRIBUTES, FORMULA_ELEMENTS, is_allowed, is_allowed_attribute, is_language,
};
use crate::render::render_options::RenderOptions;
use crate::render::walk::{Event, Gap, Walk};
use crate::safe_url::{UrlUse, safe_url};
use std::borrow::Cow;

/// Renders the kept part of a page as sanitized HTML.
pub fn render_html(document: &Document, detection: &Detection, options: RenderOptions) -> String {
    let mut out = String::new();
    append_html(document, detection, options, &mut out);
    out
}

/// Appends the kept part of a page as sanitized HTML.
pub fn append_html(document: &Document, detection: &Detection, options: RenderOptions, out: &mut String) {
    if let Some(heading) = options.heading.before {
        out.push_str("<h1>");
        escape(heading, out);
        out.push_str("</h1>\n");
    }
    let mut walk = Walk::new(document, detection, options);
    let mut writer = HtmlWriter {
        document,
        options,
        out,
        open: Vec::new(),
        written: 0,
        waiting: 0,
        run: None,
        preformatted: 0,
        math: None,
        gap: None,
        last: '\n',
        opened: None,
        pictures: options.images.then(|| Pictures::new(document)),
    };
    while let Some(event) = walk.next() {
        match event {
            Event::Enter(id) => writer.enter(id, &mut walk),
            Event::Text(id) => writer.text(document.text(id)),
            Event::Leave(id) => writer.leave(id),
            Event::Gap(gap) => writer.gap = writer.gap.max(Some(gap)),
        }
    }
}

/// What is written for an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag<'a> {
    /// Start and end tag with this name.
    Write(&'a str),
    /// A start tag without an end tag.
    Void(&'a str),
    /// Only its contents.
    Unwrap,
    /// Nothing.
    Remove,
}

/// An element the walk is in whose tags are, or may be, written.
struct Open<'a> {
    id: NodeId,
    tag: &'a str,
    state: State,
    is_block: bool,
    /// The position in the list of open elements of the innermost block up to this one.
    block: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The start tag is written before the first content, so that no element is empty.
    Waiting,
    Written,
    /// A `<div>` without attributes: it only separates lines. Its tags are written around text that is directly in it.
    Bare,
}

struct HtmlWriter<'a> {
    document: &'a Document,
    options: RenderOptions<'a>,
    out: &'a mut String,
    open: Vec<Open<'a>>,
    /// The number of open elements from the start that are not waiting.
    written: usize,
    /// The number of open elements that are waiting.
    waiting: usize,
    /// The position in `open` of the bare `<div>` whose tag is written.
    run: Option<usize>,
    preformatted: usize,
    /// The formula the walk is in.
    math: Option<NodeId>,
    gap: Option<Gap>,
    /// The last character of text that was written.
    last: char,
    /// The preformatted element whose start tag was written last.
    opened: Option<NodeId>,
    /// None if images are not wanted.
    pictures: Option<Pictures>,
}

impl<'a> HtmlWriter<'a> {
    fn enter(&mut self, id: NodeId, walk: &mut Walk<'_>) {
        let document = self.document;
        if let Some(formula) = script_formula(document, id).filter(|_| self.math.is_none()) {
            self.flush();
            self.out.push_str("<code class=\"language-tex\">");
            self.text(formula.tex);
            self.out.push_str("</code>");
            return walk.skip(id);
        }
        let name = document.html_name(id);
        match self.tag(id) {
            Tag::Unwrap => {
                if let Some(checked) = task_box(document, id, name) {
                    self.text(if checked { "[x] " } else { "[ ] " });
                }
            }
            Tag::Remove => {
                if name == Name::IMG {
                    self.gap = self.gap.max(Some(Gap::Word));
                }
                walk.skip(id);
            }
            Tag::Void(tag) => {
                if name == Name::BR && !self.is_in_line() {
                    // A line break at the start of a block shows nothing.
                    self.gap = self.gap.max(Some(Gap::Line));
                } else {
                    if name == Name::HR {
                        self.close_run();
                    }
                    self.flush();
                    self.start_tag(id, tag);
                }
                walk.skip(id);
            }
            Tag::Write(tag) => self.open(id, name, tag),
        }
    }

    fn open(&mut self, id: NodeId, name: Name, tag: &'a str) {
        let is_block = is_block(name);
        let is_formula = self.math.is_some() || is_math(self.document, id);
        let in_inline = self.open.last().is_some_and(|above| !above.is_block);
        if is_block && !in_inline {
            self.close_run();
        }
        let is_bare = tag == "div" && !in_inline && !self.has_attributes(id, tag);
        let state = if is_bare { State::Bare } else { State::Waiting };
        self.waiting += (state == State::Waiting) as usize;
        let block = if is_block { Some(self.open.len()) } else { self.block_below(self.open.len()) };
        self.open.push(Open { id, tag, state, is_block, block });
        self.preformatted += is_preformatted(name) as usize;
        // An empty cell keeps its place in the row, and an empty item its number.
        let has_place = matches!(name, Name::TD | Name::TH) || (name == Name::LI && self.is_in_ordered_list(id));
        if is_formula || has_place {
            self.flush();
        }
        if is_math(self.document, id) {
            self.math = Some(id);
        }
    }

    fn leave(&mut self, id: NodeId) {
        self.opened = None;
        if self.math == Some(id) {
            self.math = None;
        }
        let Some(open) = self.open.pop_if(|open| open.id == id) else { return };
        let name = self.document.html_name(id);
        self.preformatted -= is_preformatted(name) as usize;
        self.written = self.written.min(self.open.len());
        match open.state {
            State::Written => self.end_tag(open.tag, open.is_block),
            State::Bare => {
                if self.run == Some(self.open.len()) {
                    self.close_run();
                }
            }
            State::Waiting => self.waiting -= 1,
        }
        if open.is_block {
            self.gap = self.gap.max(Some(Gap::Line));
        }
    }

    /// Writes the start tags that wait for content.
    fn flush(&mut self) {
        for at in self.written..self.open.len() {
            let Open { id, tag, state, .. } = self.open[at];
            if state == State::Waiting {
                self.open[at].state = State::Written;
                self.open_run_below(at);
                self.start_tag(id, tag);
            }
        }
        (self.written, self.waiting) = (self.open.len(), 0);
        self.open_run_below(self.open.len());
    }

    /// The innermost block of the elements before `end`.
    fn block_below(&self, end: usize) -> Option<usize> {
        self.open[..end].last().and_then(|open| open.block)
    }

    /// Opens the bare `<div>` that is the innermost block of the elements before `end`, unless an inline element in it is
    /// already written.
    fn open_run_below(&mut self, end: usize) {
        let Some(block) = self.block_below(end) else { return };
        let is_inline = self.open.get(end).is_none_or(|open| !open.is_block);
        let is_direct = self.open[block + 1..end].iter().all(|open| open.state == State::Waiting);
        if self.open[block].state == State::Bare && self.run != Some(block) && is_inline && is_direct {
            self.start_block();
            self.out.push_str("<div>");
            self.run = Some(block);
        }
    }

    fn close_run(&mut self) {
        if self.run.take().is_some() {
            self.end_tag("div", true);
        }
    }

    /// Whether text that is written now continues a line.
    fn is_in_line(&self) -> bool {
        let block = self.block_below(self.open.len());
        let is_waiting = self.waiting > 0;
        let is_bare = block.is_some_and(|block| self.open[block].state == State::Bare && self.run != Some(block));
        !is_waiting && (!is_bare || block.is_some_and(|block| block + 1 < self.open.len()))
    }

    fn is_in_ordered_list(&self, id: NodeId) -> bool {
        self.document.parent(id).is_some_and(|parent| self.document.html_name(parent) == Name::OL)
    }

    /// The tags of blocks keep texts apart.
    fn start_block(&mut self) {
        (self.gap, self.last) = (None, '\n');
    }

    fn end_tag(&mut self, tag: &str, is_block: bool) {
        self.out.extend(["</", tag, ">"]);
        if is_block {
            self.start_block();
        }
    }

    /// What is written for an element here.
    fn tag(&self, id: NodeId) -> Tag<'a> {
        let document = self.document;
        let text = document.name_text(document.name(id));
        if self.math.is_some() {
            // Parsers disagree about the namespace of HTML in formulas; only its text is kept.
            let formula = document.namespace(id) == Namespace::MathMl;
            return match FORMULA_ELEMENTS.iter().find(|known| formula && **known == text) {
                Some(known) => Tag::Write(known),
                None if text == "annotation-xml" => Tag::Remove,
                None => Tag::Unwrap,
            };
        }
        if is_math(document, id) {
            return Tag::Write("math");
        }
        let name = document.html_name(id);
        match name {
            Name::IMG => self.image_tag(id),
            Name::A if !self.options.links => Tag::Unwrap,
            Name::BR | Name::HR | Name::WBR => Tag::Void(text),
            Name::MENU | Name::DIR => Tag::Write("ul"),
            Name::HTML | Name::BODY => Tag::Unwrap,
            _ if is_preformatted(name) => Tag::Write("pre"),
            _ if is_allowed(name) => Tag::Write(text),
            // An empty form between table rows would be moved out of the table.
            _ if is_block(name) && document.children(id).next().is_some() => Tag::Write("div"),
            _ => Tag::Unwrap,
        }
    }

    fn image_tag(&self, id: NodeId) -> Tag<'static> {
        if self.image_source(id).is_some() { Tag::Void("img") } else { Tag::Remove }
    }

    fn image_source(&self, id: NodeId) -> Option<Cow<'a, str>> {
        let source = self.pictures.as_ref()?.source(self.document, id)?;
        safe_url(source, UrlUse::Load, self.options.base)
    }

    fn start_tag(&mut self, id: NodeId, tag: &str) {
        self.opened = Some(id);
        if is_block(self.document.html_name(id)) {
            self.start_block();
        }
        self.out.push('<');
        self.out.push_str(tag);
        let document = self.document;
        if tag == "img"
            && let Some(source) = self.image_source(id)
        {
            self.write_attribute("src", &source);
        }
        for attribute in document.attributes(id) {
            if attribute.namespace == Namespace::Html {
                self.attribute(id, tag, attribute);
            }
        }
        self.out.push('>');
    }

    fn attribute(&mut self, id: NodeId, tag: &str, attribute: &Attribute) {
        let document = self.document;
        let value = document.value(attribute);
        let name = document.name_text(attribute.name);
        if document.namespace(id) == Namespace::MathMl {
            if FORMULA_ATTRIBUTES.contains(&name) {
                self.write_attribute(name, value);
            }
            return;
        }
        let purpose = match (attribute.name, tag) {
            (Name::HREF, "a") => UrlUse::Link,
            // Written already, from the attribute that has it.
            (Name::SRC, "img") => return,
            (Name::CITE, "blockquote" | "q" | "del" | "ins") => UrlUse::Load,
            (Name::CLASS, "code" | "pre") => {
                if let Some(class) = value.split_ascii_whitespace().find(|class| is_language(class)) {
                    self.write_attribute(name, class);
                }
                return;
            }
            _ => {
                if is_allowed_attribute(attribute.name, name, tag) {
                    self.write_attribute(name, value);
                }
                return;
            }
        };
        if let Some(url) = safe_url(value, purpose, self.options.base) {
            self.write_attribute(name, &url);
        }
    }

    /// Whether a start tag would have attributes.
    fn has_attributes(&self, id: NodeId, tag: &str) -> bool {
        let document = self.document;
        document.attributes(id).iter().any(|own| is_allowed_attribute(own.name, document.name_text(own.name), tag))
    }

    fn write_attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape(value, self.out);
        self.out.push('"');
    }

    fn text(&mut self, text: &str) {
        let Some(first) = text.chars().next() else { return };
        let is_blank = self.preformatted == 0 && self.math.is_none() && text.chars().all(|c| c.is_ascii_whitespace());
        if is_blank && !self.is_in_line() {
            self.gap = self.gap.max(Some(Gap::Space));
            return;
        }
        self.flush();
        match self.gap.take() {
            Some(Gap::Word) if !(first.is_alphanumeric() && self.last.is_alphanumeric()) => {}
            Some(_) if !self.last.is_whitespace() => self.out.push(' '),
            _ => {}
        }
        // Parsers drop a line feed right after the start tag of preformatted text.
        let opened = self.opened.take().map(|id| self.document.html_name(id));
        if first == '\n' && opened.is_some_and(is_preformatted) {
            self.out.push('\n');
        }
        escape(text, self.out);
        self.last = text.chars().next_back().unwrap_or(first);
    }
}

/// Appends a text or a double-quoted attribute value. Parsers would read a carriage return as a line feed, and the standard writes
/// no-break spaces as references, so both become references.
fn escape(text: &str, out: &mut String) {
    for part in text.split_inclusive(['\u{a0}', '\r']) {
        let (part, reference) = match (part.strip_suffix('\u{a0}'), part.strip_suffix('\r')) {
            (Some(part), _) => (part, "&nbsp;"),
            (None, Some(part)) => (part, "&#13;"),
            (None, None) => (part, ""),
        };
        append_escaped(part, out);
        out.push_str(reference);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::NodeKind;
    use crate::render::fixture::page;
    use crate::render::plain_text::render_text;

    fn html(source: &str) -> String {
        let (document, detection) = page(source);
        render_html(&document, &detection, RenderOptions::default())
    }

    #[test]
    fn keeps_structure_and_escapes_text() {
        let table = "<table><tbody><tr><th scope=\"col\">a</th><td colspan=\"2\">b<br>c</td></tr></tbody></table>";
        assert_eq!(html(table), table);
        assert_eq!(
            html("<p title='\"<&'>1 < 2 &amp; 3&nbsp;4"),
            "<p title=\"&quot;&lt;&amp;\">1 &lt; 2 &amp; 3&nbsp;4</p>"
        );
        assert_eq!(html("<ol start=3><li value=4>x</ol>"), "<ol start=\"3\"><li value=\"4\">x</li></ol>");
        assert_eq!(html("<pre>\n\nlong text</pre>\ny"), "<pre>\n\nlong text</pre>\ny");
        assert_eq!(html("<pre><font>\nx</font></pre>"), "<pre>\n\nx</pre>");
        assert_eq!(html("<code class='hljs language-rust'>x</code>"), "<code class=\"language-rust\">x</code>");
    }

    #[test]
    fn unwraps_and_removes() {
        assert_eq!(html("<center><font color=red>a</font></center>b"), "<div>a</div>b");
        assert_eq!(
            html("<form action=x><label>n <input value=y></label><select><option>o</select></form>"),
            "<div>n </div>"
        );
        assert_eq!(html("a<!-- c --><script>s</script><style>s</style><iframe>f</iframe><svg><path/></svg>b"), "a b");
        assert_eq!(html("<x-card onclick=x><p class=a id=b style=c>t</x-card>"), "<p>t</p>");
        assert_eq!(html("<nav data-drop>x</nav>a<b data-drop>y</b>b"), "a b");
        assert_eq!(html("<noscript><p>n</p></noscript>"), "<p>n</p>");
    }

    #[test]
    fn no_element_is_empty_and_no_div_only_wraps() {
        assert_eq!(html("<div><div><p>a</p></div><div></div></div>"), "<p>a</p>");
        assert_eq!(html("<div>a<div>b</div>c<p>d</p></div>"), "<div>a</div><div>b</div><div>c</div><p>d</p>");
        assert_eq!(html("<div><a href=/x><div>a</div>b</a></div>"), "<div><a href=\"/x\"><div>a</div>b</a></div>");
        assert_eq!(html("<div lang=de><div>a</div></div>"), "<div lang=\"de\"><div>a</div></div>");
        assert_eq!(html("<h2></h2><p><br></p>a<p> </p>b<ul><li><li>c</ul>"), "a b<ul><li>c</li></ul>");
        let table = "<table><tbody><tr><td></td><td>a</td><td></td></tr></tbody></table>";
        assert_eq!(html(table), table);
        assert_eq!(html("<table></table><section><p></section>x"), "x");
    }

    #[test]
    fn urls_are_checked() {
        assert_eq!(html("<a href='/x?a=1&amp;b=2' target=_blank>t</a>"), "<a href=\"/x?a=1&amp;b=2\">t</a>");
        assert_eq!(html("<a href='java&#9;script&colon;x'>t</a>"), "<a>t</a>");
        assert_eq!(
            html("<img src=data:image/svg+xml,x alt=a><img src=/i.png alt=a onerror=x>"),
            "<img src=\"/i.png\" alt=\"a\">"
        );
        let plain = RenderOptions::default().with_links(false).with_images(false);
        let (document, detection) = page("<a href=/x>t</a><img src=/i.png>");
        assert_eq!(render_html(&document, &detection, plain), "t");
    }

    #[test]
    fn formulas_are_kept() {
        let formula = "<math display=\"block\"><semantics><mrow><mi>x</mi></mrow><annotation encoding=\"TeX\">x</annotation>\
            </semantics></math>";
        assert_eq!(html(formula), formula);
        assert_eq!(html("<p><script type=math/tex>a<b</script>"), "<p><code class=\"language-tex\">a&lt;b</code></p>");
    }

    /// Pages that have broken sanitizers: the payload must not become active when our output is parsed again.
    const ATTACKS: [&str; 18] = [
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "<math><mi><style></mi></math><img src=x onerror=alert(1)></style>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<svg></p><style><a title=\"</style><img src=x onerror=alert(1)>\">",
        "<svg><foreignObject><math><annotation-xml encoding='text/html'><script>alert(1)</script>",
        "<math><annotation-xml encoding=text/html><style><img src=x onerror=alert(1)></style></annotation-xml></math>",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<noscript><style></noscript><img src=x onerror=alert(1)></style>",
        "<title><style></title><img src=x onerror=alert(1)></style>",
        "<textarea></textarea><textarea><img src=x onerror=alert(1)></textarea><p>&lt;/textarea&gt;&lt;script&gt;",
        "<p title='\"><script>alert(1)</script>'>x",
        "<p title=\"x onmouseover=alert(1)//",
        "<a href=\"java&#x0A;script&#58;alert(1)\">x</a><a href='\x01 javascript:alert(1)'>y</a>",
        "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
        "<xmp></xmp><xmp><img src=x onerror=alert(1)></xmp><plaintext><script>alert(1)</script>",
        "<select><template><style><!--</style><a rel=\"--></style></template></select><img src=x onerror=alert(1)>\">",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe><object data=x><embed src=y><base href=//evil>",
        "<table><a href='javascript:1'><tr><td><a href='data:x'>&lt;script&gt;alert(1)&lt;/script&gt;</table>",
    ];

    #[test]
    fn nothing_becomes_active_when_parsed_again() {
        for attack in ATTACKS {
            let out = html(attack);
            let contexts = [out.clone(), format!("<svg>{out}</svg>"), format!("<template>{out}</template>{out}")];
            assert_harmless(&page(&contexts[0]).0, &out);
            for context in &contexts {
                let (document, _) = page(context);
                assert_no_handlers(&document, &out);
            }
            assert_eq!(html(&out).split_whitespace().collect::<Vec<_>>(), out.split_whitespace().collect::<Vec<_>>());
        }
    }

    fn assert_harmless(document: &Document, out: &str) {
        for id in document.ids().filter(|id| document.is_element(*id)) {
            let name = document.name_text(document.name(id));
            let known = match document.namespace(id) {
                Namespace::Html => {
                    let html_name = document.html_name(id);
                    is_allowed(html_name) || ["html", "head", "body", "br", "hr", "wbr", "img", "pre"].contains(&name)
                }
                Namespace::MathMl => name == "math" || FORMULA_ELEMENTS.contains(&name),
                _ => false,
            };
            assert!(known, "<{name}> in {out}");
        }
        assert!(document.ids().all(|id| document.kind(id) != NodeKind::Comment), "comment in {out}");
    }

    fn assert_no_handlers(document: &Document, out: &str) {
        for id in document.ids() {
            assert!(![Name::SCRIPT, Name::STYLE, Name::IFRAME].contains(&document.name(id)), "{out}");
            for attribute in document.attributes(id) {
                assert!(!document.name_text(attribute.name).starts_with("on"), "handler in {out}");
                let value = document.value(attribute);
                let url = matches!(attribute.name, Name::HREF | Name::SRC);
                assert!(!url || safe_url(value, UrlUse::Link, None).is_some(), "{value} in {out}");
            }
        }
    }

    #[test]
    fn has_the_words_of_the_text() {
        let source = "<h1>a</h1>b<ul><li>c<li>d</ul><center>e</center>f<table><tr><td>g<td>h<tr><td>i<td>j</table>\
            <ruby>k<rp>(</rp><rt>l</rt><rp>)</rp></ruby><pre>m\n n</pre>o<button>x</button>p";
        let (document, detection) = page(source);
        let (again, kept) = page(&html(source));
        let options = RenderOptions::default();
        assert_eq!(render_text(&again, &kept, options), render_text(&document, &detection, options));
    }
}
