//! Compares the parser with html5ever on damaged pages and tests corner cases of the tokenizer.

#[path = "../../dehusk/tests/support/random.rs"]
mod random;
mod support;

use dehusk_dom::tokens::PageToken::{Comment, Doctype, End, Start, Text};
use dehusk_dom::tokens::{PageToken, State, tokenize};
use dehusk_dom::{Document, Name, NodeKind, Parser, Placement};
use dehusk_dom::{Limit, Limits};
use random::Random;
use support::dump::{self, Order};
use support::{reference, spans};
use typed_arena::Arena;

/// Pages that together reach every insertion mode and every tokenizer state.
const SEEDS: &[&str] = &[
    "<!DOCTYPE html><html lang=en><head><title>A &amp; B</title><meta charset=utf-8><style>a>b{}</style></head>\
     <body class=x><h1>One</h1><p>Two<p>Three <b>four</b></body></html>\n<!-- end -->\n",
    "<table>x<tr>y<td>1<td>2<table><b>3</table></tr>z<p>4</p><caption>c</caption><col><tfoot><th>5</table>6\
     <table><form><input type=hidden><input type=text></form><select><tr></select></table>",
    "<p>1<b>2<i>3<p>4</b>5</i>6<a href=1>7<a href=2>8<div>9</a>10</div><nobr>11<nobr>12<b><b><b><b><b><p>13",
    "<b class=a><b class=a><b class=a><b class=a id=1><b id=1 class=a><p>x</p></b></b></b></b></b><font color=red>y<p>z",
    "<svg viewbox='0 0 1 1' xlink:href=#a><lineargradient/><foreignobject><p>a<svg><desc><b>b</b></desc></svg>\
     </foreignobject><![CDATA[ <c> & ]]]]>\0<title>t</title><font>u<font color=v>w</svg>x<math definitionurl=y><mi>z\
     <mglyph><p>1</mi><annotation-xml encoding=text/HTML><div>2</annotation-xml><annotation-xml><svg><g></math>",
    "<template><tr><td>1</td></tr><template>2<p>3</template><col><div>4</template><table><template><li>5</table>\
     </template></template><template>6<select><template>7",
    "<select><option>1<option selected>2<optgroup><option>3<hr><input><select><option>4<button><div>5</select>\
     <ruby>6<rb>7<rt>8<rtc>9<rp>10</ruby>",
    "<html><frameset cols=1><!-- a --> b <frame src=c><noframes><p>d</noframes><frameset></frameset></frameset>\
     </html> e <!-- f -->",
    "<script>a<!--b<script>c</script>d--></script><script><!-- </script> --><style><!-- </style> --><title>&lt;&amp\
     </title><textarea>\n\n<b>&eacute;</textarea><xmp>&amp;</xmp><iframe><p></iframe><noscript><p>x</noscript><plaintext>y</p>",
    "a\r\nb\rc\n\r\n<pre>\r\n\r\nd</pre><pre>\n\ne</pre><pre>&NewLine;f</pre><listing>\n</listing><p title='g\r\nh\ri'>\r<!--\r\n-->\r",
    "\0a\0<b\0c d\0=\0e>\0</b\0c><!--\0--><!\0><table>\0 \0x</table><svg>\0 \u{fffd}</svg><script>\0</script><!DOCTYPE \0>",
    "&amp&lt;&notit;&notin;&NotEqualTilde;&#0;&#x80;&#xD800;&#1114112;&copy=1&#;&#x;&;&<a href='?a&copy=1&amp=2&lt3&amp;&#38;'>\
     &nbsp\u{e9}&AElig<p>&ThickSpace;&bne;",
    "</p></br><li>1<li>2<dl><dt>3<dd>4<dt>5</dl><h1>6<h2>7</h1>8<button>9<button>10<form>11<form>12</form><image src=13>\
     <address>14<center>15<marquee>16<b>17</marquee>18</b><object><i>19</object></i><body id=20><html id=21>",
    "<!-- a --!><!----><!--><!---><!-- b -- c --!d --><?php e ?></ f><!x><![CDATA[g]]><!doctype><!DOCTYPE h PUBLIC \"i\" 'j' k>\
     <div a a=1 A=2 b='3'c=\"4\"d=5/e =6 f= 7 =8 \"9 <10/><br/><br/ x><p/",
    "<head><noscript><link><style>a</style>b</noscript></head> c <head><base><script>d</script>e</head>f<link><title>g",
    "x</body>\n</html>\n<p>y</body> <!--z-->\n</html> <!--1-->  2",
];

/// Fragments inserted into pages to damage them.
const SNIPPETS: &[&str] = &[
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "</td>",
    "<caption>",
    "<colgroup>",
    "<col>",
    "<tbody>",
    "</tr>",
    "<th a=1>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<i class=x>",
    "</i>",
    "<a href=y>",
    "</a>",
    "<nobr>",
    "<font size=1>",
    "</font>",
    "<code>",
    "</code>",
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<mi>",
    "<foreignObject>",
    "<desc>",
    "</desc>",
    "<annotation-xml encoding='text/html'>",
    "<path d=M0/>",
    "<template>",
    "</template>",
    "<select>",
    "</select>",
    "<option>",
    "</option>",
    "<optgroup>",
    "<input type=hidden>",
    "<input>",
    "<button>",
    "</button>",
    "<form>",
    "</form>",
    "<frameset>",
    "</frameset>",
    "<frame>",
    "<html x=1>",
    "<head>",
    "</head>",
    "<body y=2>",
    "</body>",
    "</html>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<noscript>",
    "</noscript>",
    "<iframe>",
    "<xmp>",
    "<pre>",
    "<listing>",
    "<plaintext>",
    "<br>",
    "</br>",
    "<hr>",
    "<img alt=z>",
    "<image>",
    "<li>",
    "<dd>",
    "<h1>",
    "</h2>",
    "<ruby>",
    "<rt>",
    "<marquee>",
    "</marquee>",
    "<object>",
    "</object>",
    "<!--",
    "-->",
    "--!>",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE html>",
    "<!",
    "<?",
    "</",
    "<",
    ">",
    "/>",
    "\"",
    "'",
    "=",
    " a=b",
    " A",
    "&",
    "&amp;",
    "&lt",
    "&not",
    "&notin;",
    "&#x",
    "&NewLine;",
    "&#10",
    "&#13;",
    "&#0;",
    ";",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\u{fffd}",
    "\t",
    "\u{c}",
    " ",
    "x",
    "\u{e9}",
    "\u{1f600}",
    "longer text here",
];

/// Damaged pages.
impl Random {
    fn position(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn range(&mut self, text: &str) -> std::ops::Range<usize> {
        let start = self.position(text);
        let mut end = (start + 1 + self.below(40)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        start..end
    }

    fn mutate(&mut self, page: &mut String) {
        let at = self.position(page);
        match self.below(6) {
            0 => {
                let range = self.range(page);
                page.replace_range(range, "");
            }
            1 => {
                let range = self.range(page);
                let part = page[range].to_string();
                page.insert_str(at, &part);
            }
            2 => {
                let seed = SEEDS[self.below(SEEDS.len())];
                let range = self.range(seed);
                page.insert_str(at, &seed[range]);
            }
            _ => page.insert_str(at, SNIPPETS[self.below(SNIPPETS.len())]),
        }
    }

    fn page(&mut self) -> String {
        let mut page = SEEDS[self.below(SEEDS.len())].to_string();
        for _ in 0..1 + self.below(12) {
            self.mutate(&mut page);
        }
        page
    }
}

/// Number of damaged pages to try. Set `DEHUSK_TEST_ROUNDS` for a longer search.
fn rounds() -> u64 {
    std::env::var("DEHUSK_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(4000)
}

/// Dumps both trees. Attributes are sorted, because a copy of a formatting element takes their order from the last element
/// with the same attributes.
fn trees(page: &str, scripting: bool) -> (Document, String, String) {
    let document = Parser::new(Limits::default()).with_scripting(scripting).parse(page).expect("the page is small");
    let (mut ours, mut theirs) = (String::new(), String::new());
    dump::document(&document, false, Order::Sorted, &mut ours);
    let arena = Arena::new();
    dump::reference(reference::parse(&arena, page, None, scripting), false, Order::Sorted, &mut theirs);
    (document, ours, theirs)
}

/// Shortens a failing page as long as it still fails, to make the failure readable.
fn shrunk(mut page: String, fails: impl Fn(&str) -> bool) -> String {
    let mut length = page.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < page.len() {
            let end = (at + length).min(page.len());
            let cut = page.is_char_boundary(at) && page.is_char_boundary(end);
            let shorter = if cut { format!("{}{}", &page[..at], &page[end..]) } else { page.clone() };
            if cut && fails(&shorter) {
                page = shorter;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    page
}

/// Whether a form is where only we insert one, as the standard says: between the cells of a table in a template.
fn has_form_that_html5ever_drops(document: &Document) -> bool {
    document.ids().any(|id| {
        document.name(id) == Name::FORM
            && document.subtree(id).len() == 1
            && document.ancestors(id).any(|outer| document.name(outer) == Name::TEMPLATE)
    })
}

#[test]
fn trees_of_damaged_pages_equal_those_of_html5ever() {
    for round in 0..rounds() {
        let page = Random(round).page();
        let differs = |page: &str| {
            let (document, ours, theirs) = trees(page, round % 2 == 1);
            document.limits_hit().is_empty() && !has_form_that_html5ever_drops(&document) && ours != theirs
        };
        if differs(&page) {
            let page = shrunk(page, differs);
            let (_, ours, theirs) = trees(&page, round % 2 == 1);
            panic!("round {round}: {page:?}\nours:\n{ours}\nhtml5ever:\n{theirs}");
        }
    }
}

/// A table inside a table ends the objects in it, but their marks stay in the list of formatting elements, which `</b>` searches.
#[test]
fn marks_of_objects_that_are_left_over_are_bounded() {
    for open in ["<table><object><b>x</b>", "<table><tr><td><marquee><b>x</b></td>", "<table><applet>"] {
        let document = Parser::default().parse(open.repeat(2000)).unwrap();
        assert!(document.limits_hit().contains(Limit::Formatting), "{open}");
        assert!(Parser::default().parse(open.repeat(20)).unwrap().limits_hit().is_empty(), "{open}");
    }
    // Marks that are removed do not count.
    for closed in ["<object><param name=x><b>x</b></object>", "<table><tr><td><object>x</object></td></tr></table>"] {
        assert!(Parser::default().parse(closed.repeat(2000)).unwrap().limits_hit().is_empty(), "{closed}");
    }
}

#[test]
fn trees_that_once_differed_equal_those_of_html5ever() {
    let pages = [
        // White space after the frameset reopens the link, but "e" is dropped and its space must be kept.
        "<a><frameset ></frameset></html> <!> e",
        // The second link is ignored; the copy of the first has the same attributes.
        "<a b=1><frameset><a b=1></frameset></html> x",
        "<table><!DOCTYPE html>longer text here",
        "<table><b><tr>>",
        "<pre>\n\nabc",
        "<svg><b class=a></svg><b class=a><b class=a><b class=a><p>x",
    ];
    for page in pages {
        let (_, ours, theirs) = trees(page, false);
        assert_eq!(ours, theirs, "{page:?}");
    }
}

#[test]
fn spans_of_damaged_pages_hold() {
    let errors = |page: &str| {
        let document = Parser::default().parse(page).expect("the page is small");
        spans::check(&document, &mut spans::Counts::default())
    };
    for round in 0..rounds() {
        let page = Random(round).page();
        if !errors(&page).is_empty() {
            let page = shrunk(page, |page| !errors(page).is_empty());
            panic!("round {round}: {page:?}\n{}\n{}", errors(&page).join("\n"), trees(&page, false).1);
        }
    }
}

#[test]
fn random_bytes_give_a_tree() {
    let mut parser = Parser::default();
    let mut document = Document::default();
    for round in 0..rounds() {
        let mut random = Random(round ^ 0x5eed);
        let bytes: Vec<u8> = (0..random.below(400))
            .map(|_| match random.below(3) {
                0 => b"<>/!-=&;'\"[]?# \r\n\0"[random.below(18)],
                1 => b"abipstrd"[random.below(8)],
                _ => random.below(256) as u8,
            })
            .collect();
        let page = String::from_utf8_lossy(&bytes);
        parser.parse_into(&page, &mut document).expect("the page is small");
        assert!(document.len() >= 4, "document, html, head and body are always there: {page:?}");
    }
}

#[test]
fn a_fragment_may_start_anywhere() {
    let contexts = [
        "div", "td", "tr", "table", "select", "template", "title", "script", "svg path", "math mi", "html", "frameset",
    ];
    let mut parser = Parser::default();
    for round in 0..rounds() / 4 {
        let mut random = Random(round);
        let (page, context) = (random.page(), contexts[random.below(contexts.len())]);
        let document = parser.parse_fragment(page.as_str(), context).expect("the page is small");
        let (mut ours, mut theirs) = (String::new(), String::new());
        dump::document(&document, true, Order::Sorted, &mut ours);
        let arena = Arena::new();
        dump::reference(reference::parse(&arena, &page, Some(context), false), true, Order::Sorted, &mut theirs);
        if !has_form_that_html5ever_drops(&document) {
            assert_eq!(ours, theirs, "round {round}: {page:?} in {context}");
        }
    }
}

#[test]
fn spans_hold_where_limits_cut() {
    let errors = |page: &str, limits: Limits| {
        let document = Parser::new(limits).parse(page).expect("the page is small");
        spans::check(&document, &mut spans::Counts::default())
    };
    for round in 0..rounds() {
        let mut random = Random(round);
        let mut page = random.page();
        let more = SNIPPETS[random.below(SNIPPETS.len())].repeat(random.below(30));
        let at = random.position(&page);
        page.insert_str(at, &more);
        let limits = Limits {
            depth: 4 + random.below(8),
            formatting: 1 + random.below(4),
            attributes: random.below(3),
            nodes: 5 + random.below(200),
            work: 20 + random.below(1000) as u64,
            ..Limits::default()
        };
        if !errors(&page, limits).is_empty() {
            let page = shrunk(page, |page| !errors(page, limits).is_empty());
            panic!("round {round}: {page:?} with {limits:?}\n{}", errors(&page, limits).join("\n"));
        }
    }
}

#[test]
fn what_a_table_pushes_out_is_marked_as_moved() {
    let document = Parser::default().parse("<table><tr><p>a</p><td>b</table>").expect("the page is small");
    let find = |name| document.find(name).expect("the element is there");
    assert_eq!(document.placement(find(Name::P)), Placement::Moved);
    assert_eq!(document.placement(find(Name::TD)), Placement::Source);
    assert_eq!(document.placement(find(Name::TBODY)), Placement::Invented);
    assert!(find(Name::P) < find(Name::TABLE));
}

#[test]
fn deep_nesting_is_flattened_and_reported() {
    for (tag, nodes) in [("<div>", 1), ("<template>", 2), ("<svg><g>", 2), ("<table><td>", 4), ("<x-y>", 1)] {
        let document = Parser::default().parse(tag.repeat(3000)).expect("the page is small");
        assert!(!document.limits_hit().is_empty(), "{tag}");
        let deepest = document.ids().map(|id| document.depth(id)).max();
        assert!(deepest <= Some(Limits::default().depth + 4), "{tag}: {deepest:?}");
        assert!(document.len() > 3000 && document.len() <= 4 + 3000 * nodes, "{tag}: {}", document.len());
    }
}

/// What the standard has and html5ever does not.
#[test]
fn the_standard_of_2026_holds() {
    let tree = |page: &str| {
        let document = Parser::default().parse(page).expect("the page is small");
        let mut dump = String::new();
        dump::document(&document, false, Order::Sorted, &mut dump);
        dump.lines().map(|line| line.trim_start_matches("| ")).collect::<Vec<_>>().join("\n")
    };
    let body = |page: &str| tree(page).split_once("<body>").expect("there is a body").1.to_string();
    // `<search>` is special: it is what formatting is mended around, and no other end tag or list item closes it.
    for other in ["section", "aside", "main"] {
        let of_other = |page: &str| body(&page.replace("search", other)).replace(&format!("<{other}>"), "<search>");
        for page in [
            "<b>a<search>b</b>c</search>d",
            "<li>a<search>b<li>c</search>d",
            "<span>a<search>b</span>c</search>d",
            "<search>a<section>b</search>c</section>d",
            "<search>a<p>b</search>c<search>d<search>e</search>f",
            "<search><aside>a</search>b</aside>c",
        ] {
            if !page.contains(other) {
                assert_eq!(body(page), of_other(page), "{page}");
            }
        }
    }
    assert_eq!(body("<search>a</section>b"), body("<search>ab"));
    assert_eq!(body("<section>a</search>b"), body("<section>ab"));
    // A form between the cells of a table is inserted and closed at once, in a template, too.
    for page in ["<table>#<form id=a><tr><td>x</table>", "<table><tr>#<form id=a><td>x</table>"] {
        let in_template = tree(&format!("<template>{}</template>", page.replace('#', "")));
        assert!(in_template.contains("<form>") && in_template.contains("id=\"a\""), "{in_template}");
    }
    assert!(tree("<template><tr></tr><form></template>").contains("<form>"));
    assert!(!body("<form></form><table><form><form id=b></table>").contains("id="));
    // Processing instructions are no comments, but end like them.
    let kinds = |page: &str| {
        let document = Parser::default().parse(page).expect("the page is small");
        let count = |kind| document.ids().filter(|id| document.kind(*id) == kind).count();
        (count(NodeKind::ProcessingInstruction), count(NodeKind::Comment))
    };
    for page in ["<?a>", "<?marker name=x?>", "<p><?a-b_1 c>", "<?_a>", "<?a?b>", "<table><tr><?a b></table>"] {
        assert_eq!(kinds(page), (1, 0), "{page}");
    }
    for page in ["<?xml version=1?>", "<?XML-stylesheet a>", "<?>", "<?1>", "<? a>", "<?a:b>", "<!--?a-->", "</?a>"] {
        assert_eq!(kinds(page), (0, 1), "{page}");
    }
    let document = Parser::default().parse("<p>x<?marker a=1>y").expect("the page is small");
    let id = document.ids().find(|id| document.kind(*id) == NodeKind::ProcessingInstruction).expect("it is there");
    assert_eq!(document.text(id), "?marker a=1");
    assert_eq!(document.span(id).map(|span| &document.source()[span]), Some("<?marker a=1>"));
}

/// Mending misnested formatting moves open elements; their depth must be known all the same.
#[test]
fn repeated_patterns_stay_within_the_limits() {
    let limits = Limits { depth: 64, formatting: 16, ..Limits::default() };
    let known = ["<nobr><b><div>x", "<a><i><section>x", "<form><div></form>", "<p><b id=#>x", "<a><b><c><d><div></b>"];
    for round in 0..known.len() as u64 + rounds() / 4 {
        let mut random = Random(round);
        let pattern: String = match known.get(round as usize) {
            Some(known) => known.to_string(),
            None => (0..3 + random.below(4)).map(|_| SNIPPETS[random.below(SNIPPETS.len())]).collect(),
        };
        let page: String = (0..600).map(|number| pattern.replace('#', &number.to_string())).collect();
        let document = Parser::new(limits).parse(page.as_str()).expect("the page is small");
        let deepest = document.ids().map(|id| document.depth(id)).max();
        // A tag can reopen as many formatting elements as the limit allows, and then those of its template.
        assert!(deepest <= Some(limits.depth + limits.formatting + 8), "{pattern}: {deepest:?}");
        assert!(document.len() <= 20_000 + 8 * page.len(), "{pattern}: {} nodes", document.len());
        let is_deep = deepest > Some(limits.depth);
        assert!(!is_deep || !document.limits_hit().is_empty(), "{pattern}: deep and not reported");
    }
}

fn data(source: &str) -> Vec<PageToken> {
    tokenize(source, State::Data, None)
}

fn text(text: &str) -> PageToken {
    Text(text.into())
}

fn start(name: &str, attributes: &[(&str, &str)]) -> PageToken {
    Start(name.into(), attributes.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(), false)
}

#[test]
fn a_script_may_hide_its_end_in_a_comment() {
    let script = |source| tokenize(source, State::Script, Some("script"));
    let end = || End("script".into());
    assert_eq!(script("a</script>"), [text("a"), end()]);
    assert_eq!(script("<!--</script>"), [text("<!--"), end()]);
    assert_eq!(script("<!--<script></script>--></script>"), [text("<!--<script></script>-->"), end()]);
    assert_eq!(script("<!--<script></script></script>"), [text("<!--<script></script>"), end()]);
    assert_eq!(script("<!--><script></script>"), [text("<!--><script>"), end()]);
    assert_eq!(script("<!--<scripts></script>"), [text("<!--<scripts>"), end()]);
    assert_eq!(script("</scripts></SCRIPT\n>"), [text("</scripts>"), end()]);
    assert_eq!(script("<!--<script>-</script"), [text("<!--<script>-</script")]);
}

#[test]
fn comments_end_in_many_ways() {
    let comment = |text: &str| vec![Comment(text.into())];
    assert_eq!(data("<!---->"), comment(""));
    assert_eq!(data("<!-->"), comment(""));
    assert_eq!(data("<!--->"), comment(""));
    assert_eq!(data("<!-- a --!>"), comment(" a "));
    assert_eq!(data("<!-- a --!b-->"), comment(" a --!b"));
    assert_eq!(data("<!-- a --->"), comment(" a -"));
    assert_eq!(data("<!-- a --"), comment(" a "));
    assert_eq!(data("<!-- a --!"), comment(" a "));
    assert_eq!(data("<!-- a"), comment(" a"));
    assert_eq!(data("<?a?>"), comment("?a?"));
    assert_eq!(data("</ a>"), comment(" a"));
    assert_eq!(data("<!\0\r\n>"), comment("\u{fffd}\n"));
    assert_eq!(data("</>"), []);
}

#[test]
fn document_types_say_whether_they_force_quirks() {
    let doctype = |name: Option<&str>, public: Option<&str>, system: Option<&str>, quirks| {
        let owned = |part: Option<&str>| part.map(String::from);
        vec![Doctype(owned(name), owned(public), owned(system), quirks)]
    };
    assert_eq!(data("<!DOCTYPE html>"), doctype(Some("html"), None, None, false));
    assert_eq!(data("<!doctypeHTML>"), doctype(Some("html"), None, None, false));
    assert_eq!(data("<!DOCTYPE>"), doctype(None, None, None, true));
    assert_eq!(data("<!DOCTYPE a PUBLIC\"b\"'c'>"), doctype(Some("a"), Some("b"), Some("c"), false));
    assert_eq!(data("<!DOCTYPE a SYSTEM 'c' d>"), doctype(Some("a"), None, Some("c"), false));
    assert_eq!(data("<!DOCTYPE a SYSTEM 'c"), doctype(Some("a"), None, Some("c"), true));
    assert_eq!(data("<!DOCTYPE a SYSTEM 'c>"), doctype(Some("a"), None, Some("c"), true));
    assert_eq!(data("<!DOCTYPE a SYSTEM 'c'x"), doctype(Some("a"), None, Some("c"), false));
    assert_eq!(data("<!DOCTYPE a b>"), doctype(Some("a"), None, None, true));
}

#[test]
fn the_first_of_two_attributes_counts() {
    assert_eq!(data("<a b=1 B=2 c>"), [start("a", &[("b", "1"), ("c", "")])]);
    assert_eq!(data("<a =b=c d=>"), [start("a", &[("=b", "c"), ("d", "")])]);
    assert_eq!(data("<a b='1'c=2/d>"), [start("a", &[("b", "1"), ("c", "2/d")])]);
    assert_eq!(data("<a b=&lt&ltx&lt;>"), [start("a", &[("b", "<&ltx<")])]);
    assert_eq!(data("<a/b/>"), [Start("a".into(), vec![("b".into(), String::new())], true)]);
}

#[test]
fn a_page_may_end_inside_of_a_tag() {
    for source in ["<a", "<a b", "<a b=", "<a b='c", "<a b=c", "<a b='c'", "<a /", "</a", "</a b"] {
        assert_eq!(data(&format!("x{source}")), [text("x")], "{source}");
    }
    assert_eq!(data("x<"), [text("x<")]);
    assert_eq!(data("x</"), [text("x</")]);
    assert_eq!(data("x<1>"), [text("x<1>")]);
}

#[test]
fn cdata_means_something_in_svg_only() {
    assert_eq!(data("<![CDATA[a]]>"), [Comment("[CDATA[a]]".into())]);
    assert_eq!(tokenize("a<b>&amp;]]]>c", State::Cdata, None), [text("a<b>&amp;]c")]);
    let document = Parser::default().parse("<svg><![CDATA[<a>&\r\n]]></svg>").expect("the page is small");
    let texts: Vec<_> = document.ids().filter(|id| document.is_text(*id)).map(|id| document.text(id)).collect();
    assert_eq!(texts, ["<a>&\n"]);
}
