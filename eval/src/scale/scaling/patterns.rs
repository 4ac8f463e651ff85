//! The patterns that pages repeat: known hostile shapes, random ones, and the page of a pattern.

use crate::Stop;

/// Known hostile shapes: what comes before, the repeated pattern, and what is repeated after it. `#` is the number of the
/// repetition.
const SHAPES: &[[&str; 3]] = &[
    ["", "<div>", ""],
    ["", "<div>x", "</div>"],
    ["", "<ul><li>x", ""],
    ["", "<ol><li>x", "</ol>"],
    ["", "<table><tr><td>x", ""],
    ["", "<blockquote>x", ""],
    ["", "<dl><dt>x<dd>y", ""],
    ["", "<svg><g>", ""],
    ["", "<template>", ""],
    ["", "<span>x", ""],
    ["", "<b>", ""],
    ["", "<b>x", "</b>"],
    ["", "<font color=#>x", ""],
    ["", "<p><b id=#>x", ""],
    ["", "<a href=#>", ""],
    ["", "<a href=#>x", ""],
    ["", "<b id=#><div></b>", ""],
    ["<table>", "<font>", ""],
    ["", "<table><font>", ""],
    ["", "<nobr><b><div>x", ""],
    ["", "<a><i><section>x", ""],
    ["", "<form><div></form>x", ""],
    ["", "<p>x y ", ""],
    ["", "<p>x</p>", ""],
    ["", "<br>", ""],
    ["", "x<br>", ""],
    ["", "<!---->", ""],
    ["<table>", "<tr><td>x", ""],
    ["<table>", "<tr><td colspan=1000 rowspan=1000>x", ""],
    ["<table><tr>", "<td rowspan=65534>x", ""],
    ["<table><tr>", "<td colspan=1000>x", ""],
    ["<table>", "x<tr>", ""],
    ["<select>", "<option>x", ""],
    ["<h1>", "<button></button>", ""],
    ["<p>", "<span>ab</span>", ""],
    ["<ul>", "<li><a href=/#>item #</a>", ""],
    ["<p>", "word ", ""],
    ["<pre>", "line #\n", ""],
    ["<ol start=999999999><li><ol start=999999999><li><ol start=999999999><li><pre>", "x\n", ""],
    ["<pre><code>", "`````", ""],
    ["<p>", "&amp;", ""],
    ["<p>", "\\`*_[]<>", ""],
    ["<p>", "&lt;a ", ""],
    ["<p>", "[x](", ""],
    ["<p>", "[x] ", ""],
    ["<p>", "x* ", ""],
    ["<p>", "`", ""],
    ["<p>", "<code>`</code>", ""],
    ["<p>", "http://a.b/", ""],
    ["<p>", "<em>x</em><strong>y</strong>", ""],
    ["<style>", ".c#{color:red}", "</style>"],
    ["<style>", "div div div .c#{display:none}", "</style><div class=c1>x"],
    ["<style>*{}</style>", "<div class=c#>x", ""],
    ["<style>p,p,p,p,p,p,p,p,p,p,p,p{", "margin:0;", "}</style><p>x y"],
    ["<style>", " ", "x/**/"],
    ["<style>", "p,", "p{width:0}</style><p>x"],
    [
        "<style>.a.b.c.d.e.f.g.h p{width:1px}",
        ".a.b.c.d.e.f.g.h p{color:red}",
        "</style><div class='h g f e d c b a'><p>x</div>",
    ],
    ["<script type=application/ld+json>", "{\"a\":[", ""],
    ["<script type=application/ld+json>[", "{\"@type\":\"Article\",\"articleBody\":\"x y z\"},", "</script>"],
    ["<script>", "<!--<script>", ""],
    ["<title>", "x ", ""],
    ["<title>A|A|A|A|A|A|A|A|A|A|", "b", "</title><h2>head #</h2><p>x y"],
    ["<div id=\"", "a", "!\"><p>x y"],
    ["", "<h1>x #</h1>", ""],
    ["", "<h2>x</h2><p>some text of this part, with words</p>", ""],
    ["", "<title>x</title>", ""],
    ["", "<meta property=og:title content=x#>", ""],
    ["", "<body a#=1>", ""],
    ["<p", " a#=1", ""],
    ["", "<div class=card><h3>Title #</h3><p>Some text of a card.</p><a href=x>more</a></div>", ""],
    ["", "<div class='a b c'><div id=x#>word word word word word word word word word</div>", ""],
    ["", "<math><mfrac><mi>x</mi>", ""],
    ["", "<math><annotation encoding=application/x-tex>x_#</annotation></math>", ""],
    ["", "<details><summary>x</summary>", ""],
    ["", "<noscript><img src=x#>", ""],
    ["", "<time datetime=2020-01-01>x</time> by <a rel=author>y</a>", ""],
    ["", "<iframe></iframe>", ""],
    ["", "<object><embed>", ""],
    ["", "<applet><b>", ""],
    ["", "<table><object><b>x</b>", ""],
    ["", "<table><tr><td><marquee><b>x</b></td>", ""],
    ["", "<ruby>x<rt>y", ""],
    ["", "<input hidden>", ""],
    ["", "<div hidden>x</div>", ""],
    ["", "<div style='display:none'>x", ""],
    ["", "\u{0}", ""],
    ["", "a\r\n", ""],
    ["", "<a", ""],
    ["", "< ", ""],
    ["", "</", ""],
    ["", "</p>", ""],
    ["", "</b>", ""],
    ["", "<p></b>", ""],
    ["<b><i><u><s>", "<p>x</p>", ""],
    ["", "<p id=c#>On # we said that a comment is a comment. <a href=#reply>Reply</a></p>", ""],
];

/// Hostile shapes whose one half is a long value and whose other half makes each part read it again: what comes before, what the value
/// repeats, what comes between, and what is repeated after it.
const LONG_VALUES: &[[&str; 4]] = &[
    ["<p class='", "c ", "'>", "x<br>"],
    ["<div class='", "c ", "'>", "<pre>x</pre>"],
    ["<div class='", "c ", "'>", "<p>some words here</p>"],
    ["<div id='", "a", "!'>", "<p>some words here</p>"],
    ["<base href='http://a.example/", "a", "/'>", "<a href=x>y</a> "],
    ["<p class='", "permalink ", "'>", "."],
    ["<p class='", "ln ", "'>", "1"],
    ["<ul><li class='", "task-list-item ", "'>", "<input type=checkbox disabled>"],
    ["<ul><li>", " ", "\n", "<input type=checkbox disabled>"],
    ["<title>", "x | ", "</title>", "<h2>x y</h2>"],
    ["<p title='", "x ", "'>", "<a href=/y title=z>z</a>"],
    ["<a href='/", "x", "'>", "<p>some words here</p>"],
    ["<img src=/i.png alt='", "x ", "'>", "<img src=/i.png>"],
    ["<p>", " ", "x", "<img src=/i.png width=9 height=9>"],
    ["<p>", " ", "<noscript>", "<img src=/i.png>"],
    ["<style>", " ", "x", "/**/"],
    ["<style>", "p,", "p{margin:0}</style>", "<p>x y"],
    ["<style>p{", "margin:0;", "}</style>", "<p>x y"],
    ["<style>", ".a.b.c.d.e.f.g.h p{color:red}", "</style><div class='a b c d e f g'>", "<p>x y"],
    ["<h1>", "&amp;", "</h1>", "<h2>&amp;</h2>"],
];

/// The tags of random patterns. Those with rules of their own are there more than once.
const TAGS: &str = "\
    a a a abbr address applet article aside b b b base big blockquote body br button caption center code col \
    colgroup dd details dialog dir div div div dl dt em embed fieldset figcaption figure font footer form form \
    frame frameset h1 h2 h3 head header hr html i i iframe image img input li li link listing main marquee math \
    menu meta mi mtext annotation-xml nav nobr nobr noscript object ol ol optgroup option p p p param pre rb rp rt \
    rtc ruby s search section select small source span span strike strong style sub summary sup svg desc \
    foreignObject g title table table table tbody td td template textarea tfoot th thead tr tr tt u ul ul var wbr \
    x-y time video label";
const ATTRIBUTES: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    "",
    " class=c#",
    " id=i#",
    " href=/p#",
    " hidden",
    " style='display:none'",
    " colspan=99",
    " rowspan=99",
    " class='a b'",
    " type=hidden",
    " src=x.png alt='y z'",
    " encoding=text/html",
    " color=red",
    " title='x y'",
    " role=navigation",
    " start=7",
    " aria-hidden=true",
    " itemprop=name",
];
const TEXTS: &[&str] = &[
    "x",
    " ",
    "some words here ",
    "x#",
    "\n",
    "&amp;",
    "<!-- c -->",
    "*",
    "`",
    "|",
    "http://a.b/c#",
    "© 2020 Example. ",
    "A sentence that ends, and another one. ",
    "1.",
    "- ",
    "[x]",
    "2020-01-0# ",
    "\u{a0}",
    "漢字",
    "/",
];

/// What comes before, what is repeated, what comes between, and what is repeated after that.
pub(super) type Pattern = [String; 4];

/// All known hostile shapes.
pub(super) fn shapes() -> impl ExactSizeIterator<Item = Pattern> {
    let count = SHAPES.len() + LONG_VALUES.len();
    (0..count).map(|number| match SHAPES.get(number) {
        Some([before, repeated, after]) => [*before, *repeated, "", *after].map(str::to_string),
        None => LONG_VALUES[number - SHAPES.len()].map(str::to_string),
    })
}

/// A page of about this size.
pub(super) fn page([before, repeated, between, after]: &Pattern, size: usize) -> String {
    // A long value takes half of the page, however short what it repeats.
    let counts = match between.is_empty() {
        true => [size / (repeated.len() + after.len()).max(1); 2],
        false => [size / 2 / repeated.len().max(1), size / 2 / after.len().max(1)],
    };
    let mut page = before.clone();
    for (part, count) in [repeated, after].into_iter().zip(counts) {
        let numbered = part.contains('#');
        for number in 0..count {
            match numbered {
                true => page += &part.replace('#', &number.to_string()),
                false => page += part,
            }
        }
        if std::ptr::eq(part, repeated) {
            page += between;
        }
    }
    page
}

/// A random pattern of three to six tags and texts, sometimes with another repeated after it, sometimes within an element.
pub(super) fn random_pattern(seed: u64) -> Pattern {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5ca1_ab1e;
    let mut below = |count: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        xxhash_rust::xxh3::xxh3_64(&state.to_le_bytes()) as usize % count
    };
    let tags: Vec<&str> = TAGS.split_whitespace().collect();
    let mut part = |count: usize| {
        let mut part = String::new();
        for _ in 0..count {
            let tag = tags[below(tags.len())];
            match below(10) {
                0..6 => part += &format!("<{tag}{}>", ATTRIBUTES[below(ATTRIBUTES.len())]),
                6..9 => part += &format!("</{tag}>"),
                _ => part += &format!("<{tag}>x</{tag}>"),
            }
            if below(3) == 0 {
                part += TEXTS[below(TEXTS.len())];
            }
        }
        part
    };
    let (count, kind) = (seed as usize % 4 + 3, seed as usize / 4 % 8);
    let repeated = part(count);
    match kind {
        0..4 => [String::new(), repeated, String::new(), String::new()],
        4 | 5 => [part(2), repeated, String::new(), String::new()],
        6 => [String::new(), repeated, String::new(), part(2)],
        _ => [part(1), repeated, String::new(), part(1)],
    }
}

/// A pattern as it is printed, and read by `--pattern`.
pub(super) fn show(pattern: &Pattern) -> String {
    format!("{pattern:?}")
}

pub(super) fn parse_pattern(text: &str) -> Result<Pattern, Stop> {
    serde_json::from_str(text)
        .map_err(|error| Stop::Broken(format!("a pattern is a JSON array of four texts: {error}")))
}
