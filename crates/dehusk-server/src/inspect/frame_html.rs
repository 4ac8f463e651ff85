//! The HTML of a page for the frame in which the inspector shows it.
//!
//! It looks like the page, but does nothing: no scripts, frames, plugins, forms, refreshes or links, and nothing is loaded from the
//! network unless that is asked for. The frame is sandboxed as well, and a content security policy forbids the same things: each of
//! the three would do. Elements say which node they are (`data-dh`), so that a place on the screen leads to a node.

use dehusk::dom::escape::append_escaped;
use dehusk::dom::{Attribute, Document, Name, Namespace, NodeId, NodeKind, Quirks};
use std::fmt::Write;
use url::Url;

/// What the frame may load from the network.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Network<'a> {
    /// Nothing.
    Closed,
    /// Style sheets and pictures, with addresses relative to this one.
    Open(Option<&'a Url>),
}

/// Appended to the head of every page. A page that does not set its colours is black on white.
const OWN_STYLE: &str = "<style>html{background:#fff;color-scheme:light}dh-t{display:inline}dh-form{display:block}\
[data-dh-box]{display:inline-block;min-width:3em;min-height:1.5em;border:1px dashed #888;color:#666;background:#f4f4f4;\
font:12px/1.5 sans-serif;padding:0 .4em;overflow:hidden}</style>";

/// The page as HTML. Texts that `is_marked` are elements of their own, so that they can be shown apart from the text around them.
pub(crate) fn frame_html(document: &Document, network: Network<'_>, is_marked: impl Fn(NodeId) -> bool) -> String {
    let mut out = String::with_capacity(document.source().len() * 2);
    // Without a document type the frame is in quirks mode, as the page itself would be.
    out.push_str(if document.quirks() == Quirks::Full { "" } else { "<!doctype html>" });
    let mut writer = FrameWriter { document, network, out, open: Vec::new() };
    let mut at = 1;
    while at < document.len() {
        let id = NodeId(at as u32);
        writer.close_before(at);
        at = match document.kind(id) {
            NodeKind::Element => writer.enter(id),
            NodeKind::Text => {
                writer.text(id, is_marked(id));
                at + 1
            }
            // Comments, document types; the content of a template is not shown.
            _ => document.end(id).index().max(at + 1),
        };
    }
    writer.close_before(usize::MAX);
    writer.out
}

struct FrameWriter<'a> {
    document: &'a Document,
    network: Network<'a>,
    out: String,
    /// The elements that are open, with the first node after each.
    open: Vec<(usize, &'static str, String)>,
}

/// What becomes of an element.
enum Shown<'a> {
    /// It is written under this name.
    As(&'a str),
    /// A box with its name takes its place.
    Box,
    /// Neither it nor what it holds is written.
    Nothing,
}

impl FrameWriter<'_> {
    /// Closes what ends before a node.
    fn close_before(&mut self, at: usize) {
        while let Some((end, own, name)) = self.open.last()
            && *end <= at
        {
            self.out.push_str(own);
            let _ = write!(self.out, "</{name}>");
            self.open.pop();
        }
    }

    /// Writes the start of an element. Returns the node to go on with.
    fn enter(&mut self, id: NodeId) -> usize {
        let document = self.document;
        let (after, name) = (document.end(id).index(), document.name_text(document.name(id)));
        let shown = match document.namespace(id) {
            Namespace::Html => shown_as(name),
            _ => shown_as_foreign(name),
        };
        if name == "link" && document.namespace(id) == Namespace::Html {
            self.style_sheet(id);
        }
        match shown {
            Shown::Nothing => return after,
            Shown::Box => {
                let _ = write!(self.out, "<span data-dh={} data-dh-box", id.0);
                self.attributes(id, name);
                self.out.push('>');
                append_text(name, &mut self.out);
                self.out.push_str("</span>");
                return after;
            }
            Shown::As(name) => {
                let _ = write!(self.out, "<{name} data-dh={}", id.0);
                self.attributes(id, name);
                self.out.push('>');
                if matches!(name, "pre" | "listing" | "textarea") {
                    // The parser ignores the first line break in these.
                    self.out.push('\n');
                }
                if is_void(name) {
                    return after;
                }
                let own = if name == "head" { OWN_STYLE } else { "" };
                self.open.push((after, own, name.to_string()));
            }
        }
        id.index() + 1
    }

    fn text(&mut self, id: NodeId, is_marked: bool) {
        let document = self.document;
        let text = document.text(id);
        match self.open.last().map(|(_, _, name)| name.as_str()) {
            // Style sheets are written as they are, since there are no references in them. One that could be read as markup is left out: it
            // could end its element, or the parser of the frame could put that into SVG or MathML, where the text would be elements.
            Some("style") if has_markup(text) => {}
            Some("style") => self.out.push_str(text),
            _ if is_marked => {
                let _ = write!(self.out, "<dh-t data-dh={}>", id.0);
                append_text(text, &mut self.out);
                self.out.push_str("</dh-t>");
            }
            _ => append_text(text, &mut self.out),
        }
    }

    /// The style sheet of a `<link>`, if the network is open.
    fn style_sheet(&mut self, id: NodeId) {
        let attribute = |name: &str| {
            let name = self.document.name_of(name)?;
            self.document.attribute(id, name)
        };
        let is_sheet = attribute("rel").is_some_and(|rel| {
            let mut words = rel.split_ascii_whitespace();
            words.clone().any(|word| word.eq_ignore_ascii_case("stylesheet"))
                && !words.any(|word| word.eq_ignore_ascii_case("alternate"))
        });
        let Some(address) = attribute("href").filter(|_| is_sheet).and_then(|href| self.address(href)) else { return };
        self.out.push_str("<link rel=stylesheet href=\"");
        append_text(&address, &mut self.out);
        self.out.push('"');
        if let Some(media) = attribute("media") {
            self.out.push_str(" media=\"");
            append_text(media, &mut self.out);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn attributes(&mut self, id: NodeId, element: &str) {
        let document = self.document;
        for attribute in document.attributes(id) {
            let Attribute { name, namespace, .. } = *attribute;
            let (name, value) = (document.name_text(name), document.value(attribute));
            if namespace != Namespace::Html || !is_harmless_name(name) {
                continue;
            }
            let address;
            let value = match name {
                // Links look like links and lead nowhere.
                "href" if matches!(element, "a" | "area") => "#",
                "src" if matches!(element, "img" | "image") => match self.picture(value) {
                    Some(found) => {
                        address = found;
                        &address
                    }
                    None => continue,
                },
                "background" => match self.picture(value) {
                    Some(found) => {
                        address = found;
                        &address
                    }
                    None => continue,
                },
                _ if is_written(name) => value,
                _ => continue,
            };
            let _ = write!(self.out, " {name}=\"");
            append_text(value, &mut self.out);
            self.out.push('"');
        }
    }

    /// The address of a picture, if it may be shown.
    fn picture(&self, value: &str) -> Option<String> {
        // Only the start is compared: a picture in an address can have megabytes.
        let start: String = value.trim_start().chars().take(11).collect();
        match start.to_ascii_lowercase().starts_with("data:image/") {
            true => Some(value.trim().to_string()),
            false => self.address(value),
        }
    }

    /// An address on the network, if that is open.
    fn address(&self, value: &str) -> Option<String> {
        let Network::Open(base) = self.network else { return None };
        let address = Url::options().base_url(base).parse(value.trim()).ok()?;
        matches!(address.scheme(), "http" | "https").then(|| address.to_string())
    }
}

/// Whether a text has what begins a tag or a comment.
fn has_markup(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'<' && (pair[1].is_ascii_alphabetic() || b"/!?".contains(&pair[1])))
}

/// What becomes of an HTML element.
fn shown_as(name: &str) -> Shown<'_> {
    match name {
        "script" | "base" | "meta" | "link" | "title" | "template" | "noembed" | "noframes" | "frameset" | "param"
        | "source" | "track" | "basefont" | "bgsound" => Shown::Nothing,
        "iframe" | "frame" | "object" | "embed" | "applet" | "audio" | "video" | "canvas" | "portal"
        | "fencedframe" => Shown::Box,
        // They would take everything after them as their text.
        "plaintext" | "xmp" => Shown::As("pre"),
        // The controls of a form are its properties, under the names that the page gives them, and hide those of every element.
        "form" => Shown::As("dh-form"),
        name if is_plain(name) => Shown::As(name),
        _ => Shown::As("span"),
    }
}

/// What becomes of an element of SVG or MathML.
fn shown_as_foreign(name: &str) -> Shown<'_> {
    match name {
        // Scripts, and what loads or changes something by itself.
        "script" | "style" | "foreignObject" | "annotation-xml" | "animate" | "animateMotion" | "animateTransform"
        | "set" | "use" | "image" | "feImage" | "iframe" | "discard" | "handler" => Shown::Nothing,
        name if is_plain(name) => Shown::As(name),
        _ => Shown::Nothing,
    }
}

/// Whether a name is written as it is: letters, digits and hyphens.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether an attribute has a name that can be written, and runs no script.
fn is_harmless_name(name: &str) -> bool {
    let is_event = name.len() > 2 && name.as_bytes()[..2].eq_ignore_ascii_case(b"on");
    // `data-dh` says which node an element is, which a page must not be able to forge.
    is_plain(name) && !is_event && !name.starts_with("data-dh")
}

/// Whether an attribute is written as it is: what changes the look of an element, and no addresses, actions or ways to get the focus.
fn is_written(name: &str) -> bool {
    name.starts_with("data-")
        || name.starts_with("aria-")
        || matches!(
            name,
            "abbr"
                | "align"
                | "alt"
                | "bgcolor"
                | "border"
                | "cellpadding"
                | "cellspacing"
                | "checked"
                | "class"
                | "clear"
                | "color"
                | "cols"
                | "colspan"
                | "compact"
                | "cx"
                | "cy"
                | "d"
                | "datetime"
                | "dir"
                | "disabled"
                | "face"
                | "fill"
                | "fill-opacity"
                | "fill-rule"
                | "for"
                | "frame"
                | "height"
                | "hidden"
                | "hspace"
                | "id"
                | "label"
                | "lang"
                | "media"
                | "multiple"
                | "noshade"
                | "nowrap"
                | "open"
                | "opacity"
                | "placeholder"
                | "points"
                | "r"
                | "reversed"
                | "role"
                | "rows"
                | "rowspan"
                | "rules"
                | "rx"
                | "ry"
                | "scope"
                | "selected"
                | "size"
                | "span"
                | "start"
                | "stroke"
                | "stroke-width"
                | "style"
                | "summary"
                | "title"
                | "transform"
                | "type"
                | "valign"
                | "value"
                | "viewBox"
                | "vspace"
                | "width"
                | "wrap"
                | "x"
                | "x1"
                | "x2"
                | "y"
                | "y1"
                | "y2"
        )
}

fn is_void(name: &str) -> bool {
    matches!(name, "area" | "br" | "col" | "hr" | "img" | "input" | "wbr" | "keygen")
}

/// Appends a text or the value of an attribute, without null characters, which HTML does not allow.
fn append_text(text: &str, out: &mut String) {
    text.split('\0').for_each(|part| append_escaped(part, out));
}

/// The elements whose texts cannot be elements of their own.
pub(crate) fn can_mark_text_in(document: &Document, parent: NodeId) -> bool {
    let name = document.html_name(parent);
    document.namespace(parent) == Namespace::Html
        && !matches!(name, Name::STYLE | Name::SCRIPT | Name::TITLE | Name::TEXTAREA | Name::OPTION | Name::SELECT)
        && !matches!(name, Name::TABLE | Name::TBODY | Name::THEAD | Name::TFOOT | Name::TR | Name::COLGROUP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::dom::Parser;

    fn frame(source: &str) -> String {
        let document = Parser::default().parse(source).unwrap();
        frame_html(&document, Network::Closed, |_| false).replace(OWN_STYLE, "")
    }

    #[test]
    fn a_page_keeps_its_look() {
        let page = frame(
            "<!doctype html><style>p{color:red}</style><p class=a style='color:blue'>One &lt; two</p><pre>\n\nx</pre>",
        );
        assert_eq!(
            page,
            "<!doctype html><html data-dh=2><head data-dh=3><style data-dh=4>p{color:red}</style></head><body data-dh=6>\
             <p data-dh=7 class=\"a\" style=\"color:blue\">One &lt; two</p><pre data-dh=9>\n\nx</pre></body></html>"
        );
    }

    #[test]
    fn nothing_runs_and_nothing_is_loaded() {
        let page = frame(
            "<base href=//a.example><meta http-equiv=refresh content='0;url=//a.example'><link rel=stylesheet href=//a.example/x.css>\
             <script>alert(1)</script><body onload=alert(2)><img src=//a.example/x.png onerror=alert(3) alt=Boat>\
             <iframe src=//a.example srcdoc='<script>alert(4)</script>'></iframe><a href=javascript:alert(5) ping=//a.example>x</a>\
             <form action=//a.example><button formaction=//a.example autofocus>y</button></form>\
             <svg><script>alert(6)</script><a xlink:href=//a.example><use href=//a.example#x /></a></svg>\
             <object data=//a.example></object><video src=//a.example poster=//a.example></video><table background=//a.example>",
        );
        for word in
            ["alert", "a.example", "<base", "<meta", "<link", "<script", "<iframe", "onload", "srcdoc", "autofocus"]
        {
            assert!(!page.contains(word), "{word}: {page}");
        }
        assert!(page.contains("alt=\"Boat\"") && page.contains("href=\"#\"") && page.contains("data-dh-box>iframe"));
    }

    #[test]
    fn the_network_can_be_opened() {
        let source =
            "<link rel=stylesheet href=../x.css media=print><img src=y.png srcset='z.png 2x'><img src=javascript:x>";
        let document = Parser::default().parse(source).unwrap();
        let base = Url::parse("https://a.example/b/c").unwrap();
        let page = frame_html(&document, Network::Open(Some(&base)), |_| false);
        assert!(page.contains("<link rel=stylesheet href=\"https://a.example/x.css\" media=\"print\">"), "{page}");
        assert!(
            page.contains("src=\"https://a.example/b/y.png\"")
                && !page.contains("javascript")
                && !page.contains("srcset")
        );
    }

    #[test]
    fn names_and_texts_cannot_break_out() {
        let page = frame(
            "<p title='\"><script>x</script>' a\"b=1 data-dh=9>&lt;script>x</p><x\"y>z</x\"y><style>p{}</style><xmp><b></xmp>",
        );
        assert!(!page.contains("<script>") && !page.contains("<b>") && !page.contains("data-dh=\"9\""), "{page}");
        let math = frame("<math><mi><table><mglyph><style><img src=x onerror=y></style></table>");
        assert!(!math.contains("<img") && !math.contains("onerror"), "{math}");
        let svg = frame("<svg><style>&lt;/style>&lt;script>x</style><title><p>y</title></svg>");
        assert!(!svg.contains("<script>"), "{svg}");
    }

    /// `<img name=querySelector>` would be what `document.querySelector` is.
    #[test]
    fn no_element_becomes_a_property_of_another() {
        let page = frame("<img name=createElement><form name=head><input id=setAttribute name=parentElement></form>");
        assert!(!page.contains(" name=") && !page.contains("<form") && page.contains("<dh-form"), "{page}");
    }

    #[test]
    fn texts_can_be_marked() {
        let document = Parser::default().parse("<p>a<b>c</b></p>").unwrap();
        let page = frame_html(&document, Network::Closed, |id| document.text(id) == "a");
        assert!(page.contains("<dh-t data-dh=5>a</dh-t><b data-dh=6>c</b>"), "{page}");
    }
}
