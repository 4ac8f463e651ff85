//! Each rule on small pages. Elements with `data-drop` are dropped before the rules are applied.

use crate::detection::{Detection, Reason};
use crate::dom::{Document, Name, NodeId};
use crate::render::fixture::page;
use crate::render::html::render_html;
use crate::render::markdown::render_markdown;
use crate::render::plain_text::render_text;
use crate::render::render_options::RenderOptions;
use crate::settle::coherence::make_coherent;

fn coherent(source: &str) -> (Document, Detection) {
    let (document, mut detection) = page(source);
    make_coherent(&document, &mut detection);
    (document, detection)
}

fn text(source: &str) -> String {
    let (document, detection) = coherent(source);
    render_text(&document, &detection, RenderOptions::default().with_marks(false))
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn markdown(source: &str) -> String {
    let (document, detection) = coherent(source);
    render_markdown(&document, &detection, RenderOptions::default()).trim().to_string()
}

#[test]
fn a_dropped_cell_of_a_kept_row_is_an_empty_cell() {
    let source = "<table><tr><td data-drop>one<td data-drop>two<td>three<tr><td data-drop>four<td data-drop>five<td>six\
        <tr data-drop><td>seven<td>eight<td>nine</table>";
    assert_eq!(markdown(source), "|  |  |  |\n| --- | --- | --- |\n| one |  | three |\n| four |  | six |");
    let (document, detection) = coherent(source);
    let html = render_html(&document, &detection, RenderOptions::default());
    let html = html.replace("> ", ">");
    assert!(html.contains("<tr><td>four</td><td></td><td>six</td></tr>"), "{html}");
}

#[test]
fn values_keep_their_labels() {
    let source = "<table><tr data-drop><th>Name<th>Colour<th>Weight<th>Size\
        <tr><td data-drop>Net<td data-drop>green<td>3 kg<td data-drop>L\
        <tr data-drop><td>Rope<td>blue<td>5 kg<td>M<tr data-drop><td>Hook<td>grey<td>1 g<td>S</table>";
    assert_eq!(text(source), "Name Weight Net 3 kg");
    let spanned = "<table><tr data-drop><td rowspan=2>Net<td>green<td>new<tr><td>blue<td data-drop>used\
        <tr data-drop><td>Rope<td>white<td>old</table>";
    assert_eq!(markdown(spanned), "|  |  |  |\n| --- | --- | --- |\n| Net |  |  |\n|  | blue |  |");
}

#[test]
fn a_table_of_which_most_is_kept_is_kept_whole() {
    let source = "<table><tr><td>a<td>b<td data-drop>c<tr data-drop><td>d<td hidden>e<td>f<tr><td>g<td>h<td>i</table>";
    assert_eq!(text(source), "a b c d f g h i");
    let layout = "<table><tr><td><h2>Nets</h2><p>Nets are mended in May.<td data-drop>menu<tr><td>x<td>y</table>";
    assert_eq!(text(layout), "Nets Nets are mended in May. x y");
}

#[test]
fn a_data_table_between_kept_paragraphs_is_kept() {
    let table = "<div data-drop><table><tr><td>a<td>b<tr><td>c<td>d</table></div>";
    assert_eq!(
        text(&format!("<div><p>Nets are mended.</p>{table}<p>Every May.</div>")),
        "Nets are mended. a b c d Every May."
    );
    assert_eq!(text(&format!("<div><p>Nets are mended.</p>{table}</div><p>x")), "Nets are mended. a b c d x");
    let headed = format!("<div><p>Nets are mended.</p><h3 data-drop>Sizes</h3>{table}<p>Every May.</div>");
    assert!(text(&headed).contains("a b c d"), "{}", text(&headed));
    // Beside dropped text it says nothing about the content.
    let dropped = format!("<div><p>Nets are mended.</p>{table}<p data-drop>Share this page</div>");
    assert_eq!(text(&dropped), "Nets are mended.");
    let layout = "<table data-drop><tr><td>menu</table>";
    assert_eq!(
        text(&format!("<div><p>Nets are mended.</p>{layout}<p>Every May.</div>")),
        "Nets are mended. Every May."
    );
}

#[test]
fn a_list_inside_a_kept_item_is_kept() {
    let source = "<ul><li>parsers<ul data-drop><li><a>body</a><li><a>raw</a></ul><li data-drop>x<ul><li>y</ul></ul>";
    assert!(text(source).starts_with("parsers body raw"), "{}", text(source));
}

#[test]
fn cells_are_no_copies() {
    let source = "<p>one of the two</p><table><tr><th>a<td data-drop>one of the two<td data-drop>x<tr data-drop><td>b<td>c<td>d</table>\
        <p data-drop>Share this page with everybody you know";
    let (document, mut detection) = page(source);
    let copy = document.ids().find(|id| document.html_name(*id) == Name::TD).unwrap();
    detection.set_evidence(copy, 1.0, Reason::CopyOf(NodeId(1)));
    make_coherent(&document, &mut detection);
    let text = render_text(&document, &detection, RenderOptions::default());
    assert_eq!(text.trim(), "one of the two\n\na\tone of the two");
}

#[test]
fn spaces_in_highlighted_code_are_kept() {
    let code = "<p>Nets are mended.</p><pre data-drop>make<i> </i>-j<i> </i>4</pre>";
    assert!(markdown(code).contains("make -j 4"), "{}", markdown(code));
}

#[test]
fn code_is_kept_with_the_text_around_it() {
    assert_eq!(
        text("<p>Run this:</p><div data-drop><pre>make nets</pre></div><p>Then wait."),
        "Run this: make nets Then wait."
    );
    assert_eq!(text("<p>Run:</p><span data-drop>Copy</span><pre data-drop>a</pre><pre data-drop>b</pre>"), "Run: a b");
    // Not in a section that is dropped for its other text, and not far away.
    let aside = "<p>Text.</p><aside data-drop><p>Other things to read, and a long menu.</p><pre>x</pre></aside>";
    assert_eq!(text(aside), "Text.");
    let hidden = "<p>Text.</p><pre data-drop hidden>x</pre>";
    assert_eq!(text(hidden), "Text.");
    let numbered = "<p>Run:</p><table data-drop><tr><td><pre>1\n2</pre><td><pre>make\nnets</pre></table><p>End.";
    assert_eq!(text(numbered), "Run: make nets End.");
}

#[test]
fn lists_keep_their_items() {
    assert_eq!(text("<ul><li>nets<li data-drop>ropes<li>hooks</ul>"), "nets ropes hooks");
    assert_eq!(text("<ul><li>nets<li data-drop>ropes<li data-drop>hooks</ul>"), "nets");
    assert_eq!(
        text("<ul><li>A comment.<li data-drop><form>Reply</form><li>Another one.</ul>"),
        "A comment. Another one."
    );
    assert_eq!(
        text("<dl><dt data-drop>Net<dd>green<dt data-drop>Rope<dd data-drop>a long list of things</dl>"),
        "Net green"
    );
}

#[test]
fn headings_go_with_what_they_head() {
    let prose = "Nets are mended in May, when the boats come home and the nights are short and warm.";
    assert_eq!(text(&format!("<h2 data-drop>Nets</h2><p>{prose}</p>")), format!("Nets {prose}"));
    assert_eq!(text(&format!("<p>{prose}</p><h2>Related</h2><ul data-drop><li>x<li>y</ul>")), prose);
    let nested =
        format!("<h2>Nets</h2><h3>Old</h3><p>{prose}</p><h3>New</h3><p data-drop>x</p><h2>More</h2><p data-drop>y</p>");
    assert_eq!(text(&nested), format!("Nets Old {prose}"));
    // Headings without any text of their own, such as in a list of titles, are kept.
    assert_eq!(text(&format!("<p>{prose}</p><h3>One</h3><h3>Two</h3><nav data-drop>x</nav>")), format!("{prose} One"));
}

#[test]
fn reasons_name_what_is_kept_or_dropped() {
    let source = "<table><tr data-drop><td>a<td>b<td>c<tr><td data-drop>d<td data-drop><i>e</i><td>f</table><p>x</p><h2>h</h2><p data-drop>y</p>";
    let (document, mut detection) = page(source);
    let find =
        |name: Name, number: usize| document.ids().filter(|id| document.html_name(*id) == name).nth(number).unwrap();
    let (label, empty) = (find(Name::TD, 3), find(Name::TD, 4));
    detection.set_evidence(empty, 0.75, Reason::Scored { score: 0.75 });
    make_coherent(&document, &mut detection);
    assert_eq!(detection.reason(label), Reason::PartOf(find(Name::TABLE, 0)));
    assert_eq!(detection.reason(find(Name::H2, 0)), Reason::EmptyHeading);
    // What was in the empty cell is dropped for the reason the cell was.
    let inner = find(Name::I, 0);
    assert_eq!(detection.reason(empty), Reason::PartOf(find(Name::TR, 1)));
    assert_eq!((detection.score(inner), detection.reason(inner)), (0.75, Reason::Scored { score: 0.75 }));
    assert_eq!(detection.reason(NodeId(inner.0 + 1)), Reason::Inside(inner));
}

#[test]
fn records_keep_name_price_author_and_date() {
    let post = |author: &str, text: &str| {
        format!(
            "<div class=post><a data-drop class=username>{author}</a><time data-drop>May 1</time><p>{text}</p><i data-drop>Reply</i></div>"
        )
    };
    let thread = format!("{}{}", post("ann", "Nets are mended in May."), post("bob", "Here they are mended in June."));
    assert_eq!(text(&thread), "ann May 1 Nets are mended in May. bob May 1 Here they are mended in June.");
    let product = |name: &str| {
        format!(
            "<li><h3 data-drop>{name}</h3><p>A strong {name}, made by hand.</p><b class=item-price data-drop>3 €</b>"
        )
    };
    assert_eq!(
        text(&format!("<ul>{}{}</ul>", product("net"), product("rope"))),
        "net A strong net, made by hand. 3 € rope A strong rope, made by hand. 3 €"
    );
    // The first link is a picture of the author.
    let post = |text: &str| {
        format!("<li><a data-drop href=/user/ann-b>A Offline</a><a data-drop href=/user/ann-b>Ann B</a><p>{text}</p>")
    };
    assert_eq!(
        text(&format!("<ul>{}{}</ul>", post("Nets are mended in May."), post("Here they are mended in June."))),
        "Ann B Nets are mended in May. Ann B Here they are mended in June."
    );
    // A single article has no records.
    assert_eq!(
        text("<div class=post><a data-drop rel=author>ann</a><p>Nets are mended in May.</p></div>"),
        "Nets are mended in May."
    );
}

#[test]
fn a_field_is_kept_in_all_similar_records_or_in_none() {
    let card = |name: &str, price: &str, note: &str| {
        format!("<div class=card><h3{name}>N</h3><b{price}>P</b><p{note}>a note</div>")
    };
    let drop = " data-drop";
    let cards = [card("", "", ""), card("", drop, drop), card(drop, "", drop), card("", "", drop)].concat();
    assert_eq!(text(&cards), "N P N P N P N P");
    let (document, detection) = coherent(&cards);
    let note = document.find(Name::P).unwrap();
    let reason = detection.reason(NodeId(note.0 + 1));
    assert_eq!(reason, Reason::MostlyTemplate { share: 0.75 });
}
