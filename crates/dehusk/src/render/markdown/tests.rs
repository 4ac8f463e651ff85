use super::*;
use crate::render::fixture::page;

fn markdown(source: &str) -> String {
    let (document, detection) = page(source);
    let out = render_markdown(&document, &detection, RenderOptions::default());
    out.strip_suffix('\n').unwrap_or(&out).to_owned()
}

#[test]
fn a_list_in_a_list_is_indented_after_an_item_only() {
    assert_eq!(markdown("<ol start=100><li>a</li><ul><li>b</ul></ol>"), "100. a\n     - b");
    assert_eq!(markdown("<ol start=100><li>a</li>text<ul><li>b</ul></ol>"), "100. a\n\ntext\n- b");
}

#[test]
fn an_item_inside_an_item_of_its_list_is_no_text() {
    let code = "<pre>&lt;img src=x onerror=alert(1)></pre>";
    let nested = markdown(&format!("<ol><li>a<li>b<section><p>c</p><li>{code}</section></ol>"));
    assert_eq!(nested, "1. a\n2. b\n\n   c\n\n   3. ```\n      <img src=x onerror=alert(1)>\n      ```");
    // Another number in the line that ends a paragraph.
    let number = markdown("<ol><li>a<ol><li><ol start=5><li>b</ol></ol></ol>");
    assert_eq!(number, "1. a\n\n   1. 5. b");
    // Also after another such item.
    let later = markdown(&format!("<ol><li>a<section><li>b</li><p>c</p><li>{code}</section></ol>"));
    assert_eq!(later, "1. a\n\n   2. b\n\n   c\n\n   3. ```\n      <img src=x onerror=alert(1)>\n      ```");
}

#[test]
fn headings_and_paragraphs() {
    assert_eq!(
        markdown("<h1>a <br>b</h1><p>c<p>d<br>e<h6><div>f</div><div>g</div></h6>"),
        "# a b\n\nc\n\nd\\\ne\n\n###### f g"
    );
    assert_eq!(markdown("a<br><br>b<br>"), "a\n\nb");
    assert_eq!(markdown("<h2> </h2><p></p>x<hr>y"), "x\n\n***\n\ny");
    assert_eq!(markdown("<h2>C #</h2>"), "## C \\#");
    assert_eq!(markdown(""), "");
}

#[test]
fn emphasis_is_flanked() {
    assert_eq!(markdown("a<b> b </b>c <i></i><em> </em>d"), "a **b** c d");
    assert_eq!(markdown("<b>a</b><b>b</b> <i><b>c</b></i>"), "**ab** ***c***");
    assert_eq!(markdown("<b>Note:</b>text <b>x:</b> y"), "Note:text **x:** y");
    assert_eq!(markdown("a<b>(b)</b> <b>c<b>d</b></b> <s>e</s>"), "a(b) **cd** ~~e~~");
    assert_eq!(markdown("<i>a</i><b>b</b><i>c</i>"), "*a***b***c*");
    assert_eq!(markdown("<b>a<p>b</p>c</b>"), "**a**\n\n**b**\n\n**c**");
    assert_eq!(markdown("<code>a <b>b</b></code>"), "`a b`");
    assert_eq!(markdown("<b>foo<br></b>bar"), "**foo**\\\nbar");
}

#[test]
fn text_cannot_become_markup() {
    assert_eq!(
        markdown("<p># a<p>1. b<p>- c<p>&gt; d<p>*e* f_g_h 2 * 3"),
        "\\# a\n\n1\\. b\n\n\\- c\n\n\\> d\n\n\\*e\\* f_g_h 2 * 3"
    );
    assert_eq!(markdown("a<br>---<br>==="), "a\\\n---\\\n\\===");
    assert_eq!(markdown("<span>1</span><span>. a</span>"), "1\\. a");
    assert_eq!(markdown("&lt;b&gt; a < b &amp;lt; [x] `y`"), "&lt;b> a < b &amp;lt; \\[x\\] \\`y\\`");
    assert_eq!(markdown("a<br>* b<br>_ _ _"), "a\\\n\\* b\\\n\\_ _ \\_");
    assert_eq!(markdown("R&amp;D <b>a & </b><i>b</i> c &<b>lt;</b>"), "R&D **a &** *b* c &amp;**lt;**");
}

#[test]
fn what_touches_a_url_is_no_markup() {
    // Renderers read everything up to the next space as the URL, the backtick too, and then there would be a tag.
    assert_eq!(markdown("http://a.example/<code>&lt;b></code> <code>&lt;b></code>"), "http://a.example/&lt;b> `<b>`");
    assert_eq!(markdown("http:<span>//a\\&lt;b></span><b>c</b> <b>d</b>"), "http://a&#92;&lt;b>c **d**");
    assert_eq!(markdown("<b>www.a.example</b><code>b</code>"), "**www.a.example**b");
    assert_eq!(markdown("http://a<img src=/i alt=b>"), "http://a ![b](/i)");
    assert_eq!(markdown("<a href=http://a>http://a</a><a href=http://b>b</a>"), "[http://a](http://a)[b](http://b)");
}

#[test]
fn links_and_images() {
    assert_eq!(markdown("<a href='/x' title='a \"t\"'> y </a>z"), "[y](/x \"a \\\"t\\\"\") z");
    assert_eq!(markdown("Hi!<a href=/x>y</a><a href=/z></a><a href='javascript:1'>j</a>"), "Hi\\![y](/x)j");
    assert_eq!(markdown("<a href=/x title='Y  z'>y <b>Z</b></a> <img src=/i alt=a title=A>"), "[y **Z**](/x) ![a](/i)");
    assert_eq!(markdown("<a href=/x><img src=/i.png alt='a [b]'></a>"), "[![a \\[b\\]](/i.png)](/x)");
    assert_eq!(markdown("<a href=/x><code>f()</code></a>"), "[`f()`](/x)");
    assert_eq!(markdown("<a href='/a b(c'>x</a>"), "[x](/a%20b\\(c)");
    let (document, detection) = page("<a href=/x>y</a> <img src=/i.png alt=a>z");
    let plain = RenderOptions::default().with_links(false).with_images(false);
    assert_eq!(render_markdown(&document, &detection, plain), "y z\n");
}

#[test]
fn words_beside_links_and_images_do_not_touch() {
    let links = "<a href=/x>Ridge</a><a href=/y>Wallet</a>";
    assert_eq!(markdown(links), "[Ridge](/x) [Wallet](/y)");
    assert_eq!(markdown("<span>Ridge</span><a href=/y><b>Wallet</b></a>"), "Ridge [**Wallet**](/y)");
    assert_eq!(markdown("<p>Nets<img src=/i.png alt=a>, boats"), "Nets ![a](/i.png), boats");
    assert_eq!(markdown("re<a href=/x>mark</a>able"), "re[mark](/x)able");
}

#[test]
fn a_link_around_a_card_is_written_once() {
    let card = "<div><img src=/i.png alt=a></div><h3>Ridge</h3><p>Slim</p>";
    assert_eq!(markdown(&format!("<a href=/x>{card}</a><p>y")), "![a](/i.png)\n\n### [Ridge](/x)\n\nSlim\n\ny");
    let card = "<div><img src=/i.png alt=a></div><div>Ridge</div><p>Slim</p>";
    assert_eq!(markdown(&format!("<a href=/x>{card}</a>")), "![a](/i.png)\n\n[Ridge](/x)\n\nSlim");
    assert_eq!(markdown("<a href=/x><div><img src=/i.png alt=a></div></a>"), "[![a](/i.png)](/x)");
    assert_eq!(markdown("<a href=/x><h3 data-drop>Ridge</h3><p>Slim</p></a>"), "[Slim](/x)");
    assert_eq!(markdown("<h2><a href=/x>Ridge <div>Slim</div></a></h2>"), "## [Ridge Slim](/x)");
    let paragraphs = "<b>a<p>b</p></b>".repeat(12);
    assert_eq!(markdown(&paragraphs).matches("**").count(), 48);
}

#[test]
fn headings_have_words_and_no_weight() {
    assert_eq!(
        markdown("<h2><b>Ridge</b></h2><h3>a <b>b</b></h3><h4><b>a</b> <b>b</b></h4>"),
        "## Ridge\n\n### a **b**\n\n#### **a** **b**"
    );
    assert_eq!(markdown("<h2><b><i>Ridge</i></b></h2><h2><img src=/i.png alt=a></h2>"), "## *Ridge*\n\n![a](/i.png)");
}

#[test]
fn lists_nest() {
    assert_eq!(markdown("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>e"), "- a\n  - b\n  - c\n- d\n\ne");
    assert_eq!(markdown("<ol start=9><li>a<li>b<p>c</p></ol>"), "9. a\n10. b\n\n    c");
    assert_eq!(markdown("<ol><li value=5>a<ol start=3><li>b</ol></ol>"), "5. a\n\n   3. b");
    assert_eq!(markdown("<ul><li>a</ul><ul><li>b</ul>"), "- a\n\n+ b");
    assert_eq!(markdown("<ul><li>a</li><ul><li>b</ul></ul>"), "- a\n  - b");
    assert_eq!(markdown("<ul><li></li><li><a href=/x>y</a></li><li><div>z</div></li></ul>"), "- [y](/x)\n- z");
    assert_eq!(markdown("<ul><li><pre>a\n\nb</pre></ul>"), "- ```\n  a\n\n  b\n  ```");
    assert_eq!(markdown("<dl><dt>t<dd>d<dt>u<dd><p>e<p>f</dl>"), "t\n: d\n\nu\n: e\n\n  f");
}

#[test]
fn definitions_begin_with_a_colon_only_where_it_is_text() {
    // Behind a colon, the fence would be text and the code would be markup.
    assert_eq!(markdown("<dl><dt>t<dd><pre>&lt;b></pre>c<dd>d</dl>"), "t\n\n  ```\n  <b>\n  ```\n\n  c\n: d");
    assert_eq!(
        markdown("<dl><dt>t<dd><ol start=5><li><pre>a</pre></ol><dd>b</dl>"),
        "t\n\n  5. ```\n     a\n     ```\n\n: b"
    );
    assert_eq!(markdown("<dl><dt>t<dd><h2>h</h2></dl>"), "t\n\n  ## h");
    // Four spaces would make it code.
    assert_eq!(
        markdown("<dl><dt>t<dd><dl><dt>u<dd>a<p>b<pre>c</pre></dl></dl>"),
        "t\n: u\n  : a\n\n  b\n\n  ```\n  c\n  ```"
    );
    // Nothing is defined without a term.
    assert_eq!(markdown("<dl><dt data-drop>t</dt><dd>a<dd>b</dl>"), "a\n\nb");
    assert_eq!(markdown("<dl><dt></dt><dd>a<dt>t<dd>b</dl>"), "a\n\nt\n: b");
}

#[test]
fn quotes_nest() {
    assert_eq!(
        markdown("<blockquote>a<blockquote><p>b<p>c</blockquote></blockquote>d"),
        "> a\n>\n> > b\n> >\n> > c\n\nd"
    );
    assert_eq!(markdown("<blockquote>a</blockquote><blockquote>b</blockquote>"), "> a\n\n> b");
    assert_eq!(markdown("<blockquote><ul><li>a<li>b</ul></blockquote>"), "> - a\n> - b");
}

#[test]
fn code_keeps_its_lines() {
    let source = "<div class='highlight highlight-source-rust'><pre><span>fn</span> a() {\n\n    b\n}\n</pre></div>";
    assert_eq!(markdown(source), "```rust\nfn a() {\n\n    b\n}\n```");
    assert_eq!(markdown("<pre>\nx</pre><pre class='brush: js; toolbar'>```</pre>"), "```\nx\n```\n\n````js\n```\n````");
    assert_eq!(markdown("<pre><code class=language-c++><div>a</div><div>b</div></code></pre>"), "```c++\na\nb\n```");
    assert_eq!(markdown("<code>a`b</code> <code>`</code> <kbd> x </kbd>y"), "``a`b`` `` ` `` `x` y");
    assert_eq!(markdown("<code>a<br>b</code>"), "`a`\\\n`b`");
    for block in [
        "<div class='highlight-python3 notranslate'><div class=highlight><pre>x</pre></div></div>",
        "<pre class='sourceCode python3'><code>x</code></pre>",
        "<pre data-lang=python3>x</pre>",
    ] {
        assert_eq!(markdown(block), "```python3\nx\n```", "{block}");
    }
    assert_eq!(markdown("<div class=highlight-default><pre>x</pre></div>"), "```\nx\n```");
    // A carriage return ends a line, whose prefix would be missing.
    assert_eq!(markdown("<blockquote><pre>a&#13;b&#13;\nc</pre></blockquote>"), "> ```\n> a\n> b\n> c\n> ```");
}

#[test]
fn data_tables() {
    let rows = "<tr><th>a|b<th><b>c</b><th>d<tr><td>1<br>2<td colspan=2><ul><li>x<li><code>y|z</code></ul>";
    assert_eq!(
        markdown(&format!("<table><caption>t</caption>{rows}</table>")),
        "t\n\n| a\\|b | **c** | d |\n| --- | --- | --- |\n| 1<br>2 | x<br>`y\\|z` |  |"
    );
    let bold = "<table><tr><td><b>a</b><td><strong>b</strong><tr><td><b>1</b><td>2</table>";
    assert_eq!(markdown(bold), "| **a** | **b** |\n| --- | --- |\n| **1** | 2 |");
    let records = "<table><tr><td><b>a</b><td>1<tr><td><b>b</b><td>2</table>";
    assert_eq!(markdown(records), "|  |  |\n| --- | --- |\n| **a** | 1 |\n| **b** | 2 |");
    let spans = "<table><tr><td rowspan=2>a<td>b<tr><td>c</table>";
    assert_eq!(markdown(spans), "|  |  |\n| --- | --- |\n| a | b |\n|  | c |");
}

#[test]
fn bars_do_not_end_cells() {
    let row = "<table><tr><th>a<th>b<tr><td><code>\\|&lt;b></code><td><script type=math/tex>|x\\|</script></table>";
    assert_eq!(markdown(row), "| a | b |\n| --- | --- |\n| \\\\\\|&lt;b> | $\\vert x\\Vert $ |");
}

#[test]
fn output_grows_with_the_page() {
    let shapes = [
        "<nobr><b><div>x".repeat(300),
        "<b><i><s><sup><code>x".repeat(100),
        format!("{}{}", "<ul><li>".repeat(200), "x<p>".repeat(2000)),
        format!("{}{}", "<blockquote>".repeat(200), "x<p>".repeat(2000)),
        format!("{}{}", "<dl><dt>t<dd>".repeat(100), "x<p>".repeat(2000)),
        format!("{}<pre>{}", "<ol start=100000000><li>".repeat(100), "x\n".repeat(4000)),
        format!("<a href=/{}>{}", "y".repeat(2000), "x<p>".repeat(2000)),
    ];
    for shape in shapes {
        let length = markdown(&shape).len();
        assert!(length < 100 * shape.len(), "{length} bytes from {}: {}", shape.len(), &shape[..40]);
    }
}

#[test]
fn layout_tables_are_blocks() {
    assert_eq!(markdown("<table><tr><td>m<td><h1>t</h1><p>x</table>"), "m\n\n# t\n\nx");
    let nested = "<table><tr><td><table><tr><th>a<th>b<tr><td>1<td>2</table><td>x</table>";
    assert_eq!(markdown(nested), "| a | b |\n| --- | --- |\n| 1 | 2 |\n\nx");
}

#[test]
fn formulas() {
    let math = |display: &str| {
        format!(
            "<math {display}><semantics><mi>x</mi><annotation encoding=application/x-tex>x_1^2</annotation></semantics></math>"
        )
    };
    assert_eq!(markdown(&format!("a {} b", math(""))), "a $x_1^2$ b");
    assert_eq!(markdown(&format!("a {} b", math("display=block"))), "a\n\n$$\nx_1^2\n$$\n\nb");
    assert_eq!(markdown("<p><script type=math/tex>a*b</script>"), "$a*b$");
    let jax = "<script src=/MathJax.js></script>";
    assert_eq!(markdown(&format!("{jax}a \\(x_1*y\\), b \\[c_2\\] d")), "a $x_1*y$, b\n\n$$\nc_2\n$$\n\nd");
    assert_eq!(markdown("<p><span class='math inline'>\\(x_1\\)</span>"), "$x_1$");
    assert_eq!(markdown("a \\(x_1*y\\)"), "a \\\\(x_1*y\\\\)");
    assert_eq!(markdown(&format!("{jax}a \\(x_1")), "a \\\\(x_1");
    assert_eq!(markdown("<p><script type=math/tex>a<b</script> <script type=math/tex>`</script>"), "$a< b$ $‘$");
    assert_eq!(markdown("<p><script type='math/tex; mode=display'>a\n=\n<b</script>"), "$$\na\n{}=\n< b\n$$");
    assert_eq!(markdown("10<sup>6</sup> H<sub>2</sub>O"), "10<sup>6</sup> H<sub>2</sub>O");
}

#[test]
fn other_parts() {
    assert_eq!(markdown("<details><summary>s</summary>t</details>"), "**s**\n\nt");
    assert_eq!(markdown("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>"), "漢(かん)");
    assert_eq!(markdown("<noscript>n</noscript><p hidden>h</p><p dir=rtl><b>שלום</b> עולם"), "n\n\n**שלום** עולם");
    assert_eq!(markdown("<p>「<b>注意。</b>続き」"), "「注意。続き」");
    assert_eq!(markdown("a<nav data-drop>x</nav>b<span data-drop>|</span>c"), "a\n\nb c");
}
