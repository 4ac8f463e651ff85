//! Recognizes small parts of a page that are tools and not text: permalinks of headings, line numbers of code, icon names,
//! rows of share links, and the print footer of wikis.
//!
//! Only parts whose markup leaves no doubt are recognized, and they are dropped whatever the detector decided.

use crate::detection::{Detection, Reason};
use crate::dom::elements::{classes, heading_level, is_block, is_list, is_never_shown};
use crate::dom::{Document, Name, Namespace, NodeId, NodeKind};

/// Maximum number of nodes read to recognize a part; larger ones are no clutter.
const MAX_NODES: usize = 64;

/// Maximum number of nodes of a column of line numbers: three per line.
const MAX_GUTTER_NODES: usize = 30_000;

/// Maximum number of words beside the links of a share row: `Share this:`.
const MAX_LABEL_WORDS: usize = 3;

/// Drops the clutter among the kept nodes of a page.
pub(crate) fn drop_clutter(document: &Document, detection: &mut Detection) {
    let Some(body) = document.find(Name::BODY) else { return };
    let mut at = NodeId(body.0 + 1);
    while at < document.end(body) {
        let name = document.html_name(at);
        if detection.is_dropped(at) || is_never_shown(name) || document.kind(at) == NodeKind::Fragment {
            at = document.end(at);
        } else if document.is_element(at) && document.namespace(at) != Namespace::Svg && is_clutter(document, at, name)
        {
            detection.set_evidence(at, 1.0, Reason::Clutter);
            detection.drop_subtree(document, at);
            at = document.end(at);
        } else {
            at.0 += 1;
        }
    }
}

/// Whether an element is a tool of the page and not text.
fn is_clutter(document: &Document, id: NodeId, name: Name) -> bool {
    if name == Name::A {
        return is_permalink(document, id) || is_share_link(document, id);
    }
    if name == Name::TD && is_number_column(document, id) {
        return true;
    }
    // Custom elements of Angular.
    if !name.is_known() && document.name_text(name) == "mat-icon" {
        return true;
    }
    let (mut is_named_symbol, mut is_gutter) = (false, false);
    for class in classes(document, id) {
        match class {
            "printfooter" | "mw-editsection" => return true,
            "headerlink" | "permalink" => is_named_symbol = true,
            _ if class.starts_with("material-icons") || class.starts_with("material-symbols") => {
                if matches!(name, Name::I | Name::SPAN) {
                    return true;
                }
            }
            // Prism sets such a class on the code itself.
            _ => is_gutter |= is_gutter_class(class) && !matches!(name, Name::PRE | Name::CODE),
        }
    }
    (is_named_symbol && is_symbol(document, id)) || (is_gutter && is_numbers(document, id))
}

/// Whether a link points to the heading that contains it and shows only a symbol, such as `¶` or `#`, or is beside the text of
/// the heading by its class.
fn is_permalink(document: &Document, id: NodeId) -> bool {
    let Some(href) = document.attribute(id, Name::HREF) else { return false };
    let has_class = |known: &[&str]| classes(document, id).any(|class| known.contains(&class));
    if !href.contains('#') || document.subtree(id).len() > MAX_NODES {
        return false;
    }
    if has_class(&["headerlink", "permalink", "hash-link", "anchorjs-link"]) && is_symbol(document, id) {
        return true;
    }
    let is_heading = |above: &NodeId| heading_level(document.html_name(*above)).is_some();
    let Some(heading) = document.ancestors(id).take(4).find(is_heading) else { return false };
    let named = || has_class(&["anchor", "anchor-link", "heading-anchor", "header-anchor", "headerlink", "permalink"]);
    is_symbol(document, id) || (named() && has_text_outside(document, heading, id))
}

/// Whether the text of an element has no letter or digit.
fn is_symbol(document: &Document, id: NodeId) -> bool {
    let mut characters = texts(document, id).flat_map(str::chars);
    document.subtree(id).len() <= MAX_NODES && !characters.any(char::is_alphanumeric) && !has_picture(document, id)
}

fn has_picture(document: &Document, id: NodeId) -> bool {
    document.descendants(id).any(|node| document.html_name(node) == Name::IMG)
}

fn has_text_outside(document: &Document, whole: NodeId, part: NodeId) -> bool {
    let mut nodes = document.descendants(whole).take(MAX_NODES).filter(|id| document.is_text(*id));
    nodes.any(|text| !document.contains(part, text) && document.text(text).contains(char::is_alphanumeric))
}

/// Whether a class names the line numbers of code: of Pygments, Rouge, Chroma, highlight.js, GitHub and others.
fn is_gutter_class(class: &str) -> bool {
    matches!(
        class,
        "lineno"
            | "linenos"
            | "linenodiv"
            | "linenumber"
            | "lineNumber"
            | "lineNumbers"
            | "line-number"
            | "line-numbers"
            | "line_number"
            | "line-numbers-rows"
            | "rouge-gutter"
            | "gutter"
            | "gl"
            | "ln"
            | "lnt"
            | "hljs-ln-numbers"
            | "hljs-ln-n"
            | "blob-num"
            | "code-line-number"
            | "react-syntax-highlighter-line-number"
            | "crayon-nums"
    )
}

/// Whether the text of an element is only numbers, and there is at least one.
fn is_numbers(document: &Document, id: NodeId) -> bool {
    let mut digits = false;
    for text in texts(document, id) {
        if !text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()) {
            return false;
        }
        digits |= text.contains(|c: char| c.is_ascii_digit());
    }
    digits && document.subtree(id).len() <= MAX_GUTTER_NODES
}

/// Whether a cell has the numbers 1, 2, 3… of the lines in the preformatted cell beside it.
fn is_number_column(document: &Document, id: NodeId) -> bool {
    let mut next = document.end(id);
    while next.index() < document.len() && !document.is_element(next) {
        next = document.end(next);
    }
    let is_cell = next.index() < document.len()
        && document.parent(next) == document.parent(id)
        && document.html_name(next) == Name::TD;
    let is_code = |node: NodeId| document.html_name(node) == Name::PRE;
    if !is_cell || !document.descendants(next).take(4).any(is_code) || !is_numbers(document, id) {
        return false;
    }
    let numbers = texts(document, id).flat_map(str::split_ascii_whitespace).map(|number| number.parse::<u32>().ok());
    let mut last = None;
    for number in numbers {
        if number.is_none() || last.is_some_and(|last: Option<u32>| last.and_then(|last| last.checked_add(1)) != number)
        {
            return false;
        }
        last = Some(number);
    }
    true
}

/// Whether a link shares the page on another site, in a row of such links.
fn is_share_link(document: &Document, id: NodeId) -> bool {
    if !document.attribute(id, Name::HREF).is_some_and(is_share_url) {
        return false;
    }
    let mut row = None;
    for above in document.ancestors(id) {
        let name = document.html_name(above);
        if is_block(name) && name != Name::LI {
            row = Some(above);
            break;
        }
    }
    let Some(row) = row.filter(|row| document.subtree(*row).len() <= 8 * MAX_NODES) else { return false };
    // One link in a list of other things is no row.
    let mut other_words = 0;
    let mut links_end = NodeId(0);
    for node in document.descendants(row) {
        if document.html_name(node) == Name::A && document.attribute(node, Name::HREF).is_some_and(is_share_url) {
            links_end = document.end(node);
        } else if document.is_text(node) && node >= links_end {
            other_words += document.text(node).split_whitespace().take(MAX_LABEL_WORDS + 1).count();
        }
        if other_words > MAX_LABEL_WORDS {
            return false;
        }
    }
    let allowed = if is_list(document.html_name(row)) { 0 } else { MAX_LABEL_WORDS };
    other_words <= allowed
}

fn is_share_url(url: &str) -> bool {
    let url = url.trim();
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let is_known =
        |url: &str, known: &str| url.as_bytes().first() == known.as_bytes().first() && url.starts_with(known);
    [
        "facebook.com/sharer",
        "facebook.com/dialog/share",
        "twitter.com/intent/tweet",
        "twitter.com/share",
        "twitter.com/home?status",
        "x.com/intent/",
        "x.com/share",
        "linkedin.com/shareArticle",
        "linkedin.com/sharing",
        "pinterest.com/pin/create",
        "reddit.com/submit",
        "plus.google.com/share",
        "tumblr.com/share",
        "tumblr.com/widgets/share",
        "t.me/share",
        "telegram.me/share",
        "wa.me/?",
        "api.whatsapp.com/send",
        "whatsapp://send",
        "getpocket.com/save",
        "vk.com/share",
        "connect.ok.ru/offer",
        "bsky.app/intent",
        "news.ycombinator.com/submitlink",
        "social-plugins.line.me/lineit/share",
        "mailto:?",
    ]
    .iter()
    .any(|known| is_known(rest, known) || is_known(url, known))
}

fn texts(document: &Document, id: NodeId) -> impl Iterator<Item = &str> {
    document.descendants(id).filter(|node| document.is_text(*node)).map(|node| document.text(node))
}

#[cfg(test)]
mod tests {
    use crate::detection::Detection;
    use crate::dom::Document;
    use crate::render::fixture;
    use crate::render::html::render_html;
    use crate::render::markdown::render_markdown;
    use crate::render::plain_text::render_text;
    use crate::render::render_options::RenderOptions;

    fn page(source: &str) -> (Document, Detection) {
        let (document, mut detection) = fixture::page(source);
        super::drop_clutter(&document, &mut detection);
        (document, detection)
    }

    fn markdown(source: &str) -> String {
        let (document, detection) = page(source);
        render_markdown(&document, &detection, RenderOptions::default())
    }

    /// The words in all formats.
    fn is_left_out(source: &str, clutter: &str) {
        let (document, detection) = page(source);
        let options = RenderOptions::default();
        for out in [
            render_text(&document, &detection, options),
            render_markdown(&document, &detection, options),
            render_html(&document, &detection, options),
        ] {
            assert!(!out.contains(clutter), "{clutter} in {out}");
            assert!(out.contains("Nets"), "{out}");
        }
    }

    #[test]
    fn permalinks_are_left_out() {
        is_left_out("<h2>Nets<a class=headerlink href=#nets>¶</a></h2>", "¶");
        is_left_out("<h2><a href=#nets>#</a> Nets</h2>", "#nets");
        is_left_out("<h2>Nets <a class=anchor href='/x#nets'>Permalink</a></h2>", "Permalink");
        is_left_out("<dl><dt>Nets<a class=headerlink href=#nets title=x>¶</a></dl>", "¶");
        assert_eq!(markdown("<h2><a class=anchor href=#nets>Nets</a></h2>"), "## [Nets](#nets)\n");
        assert_eq!(markdown("<p>C<a href=#x>#</a>"), "C[#](#x)\n");
    }

    #[test]
    fn line_numbers_are_left_out() {
        let table =
            "<table class=highlighttable><tr><td class=linenos><div><pre>17\n28</pre></div><td><pre>Nets\nx</pre>";
        is_left_out(table, "17");
        is_left_out("<pre><span class=lineno>17</span>Nets\n<span class=lineno>18</span>x</pre>", "17");
        is_left_out("<table><tr><td>17<br>18<br>19<td><pre>Nets\nx\ny</pre></table>", "18");
        assert_eq!(markdown("<pre class=line-numbers><code>42</code></pre>"), "```\n42\n```\n");
        assert_eq!(markdown("<pre><span class=ln>x1</span></pre>"), "```\nx1\n```\n");
    }

    #[test]
    fn icons_and_tools_are_left_out() {
        is_left_out("<p><i class=material-icons>menu_open</i> Nets", "menu_open");
        is_left_out("<p>Nets</p><div class=printfooter>Retrieved from x</div>", "Retrieved");
        let share = "<a href='https://www.facebook.com/sharer/sharer.php?u=x'>Face</a>";
        is_left_out(&format!("<p>Nets</p><ul><li>{share}<li>{share}</ul>"), "Face");
        assert_eq!(
            markdown("<p>Nets on <a href='mailto:?subject=x'>mail</a> or on paper and more"),
            "Nets on [mail](mailto:?subject=x) or on paper and more\n"
        );
    }

    #[test]
    fn clutter_is_a_decision_with_a_reason() {
        let (document, detection) =
            page("<h2>Nets<a class=headerlink href=#nets>¶</a></h2><p data-drop><a href=#x>#</a>");
        let links: Vec<_> = document.ids().filter(|id| document.html_name(*id) == crate::dom::Name::A).collect();
        assert!(links.iter().all(|link| detection.is_dropped(*link)));
        let reasons: Vec<&str> = links.iter().map(|link| detection.reason(*link).name()).collect();
        assert_eq!(reasons[0], "clutter");
        assert_ne!(reasons[1], "clutter", "what was dropped before keeps its reason");
    }
}
