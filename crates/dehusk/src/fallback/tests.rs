use super::*;

const BODY: &str = "The nets are mended in May, when the boats are on land and the days are long. ";

fn parse(source: &str) -> Document {
    Parser::new(Limits::default()).parse(source).expect("a small page parses")
}

fn found(source: &str, from: FallbackSource) -> String {
    fallback_from(&parse(source), from).map(|content| content.text).unwrap_or_default()
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[test]
fn bodies_in_json_ld() {
    let page = |json: &str| format!("<script type='application/ld+json'>{json}</script><div id=root></div>");
    let article = r#"{"@graph":[{"@type":"NewsArticle","name":"Nets","articleBody":"One &amp; two.\n\nThree.","description":"d"}]}"#;
    assert_eq!(found(&page(article), FallbackSource::JsonLd), "One & two.\n\nThree.");
    assert_eq!(found(&page(article), FallbackSource::Description), "d");
    let html = r#"{"articleBody":"&lt;p&gt;One&lt;/p&gt;&lt;ul&gt;&lt;li&gt;Two&lt;/li&gt;&lt;/ul&gt;"}"#;
    assert_eq!(found(&page(html), FallbackSource::JsonLd), "One\n\n- Two");
    let answers = r#"{"mainEntity":{"name":"Why?","text":"Ask.","author":{"name":"Bo"},"acceptedAnswer":{"text":"<b>So</b>."},
        "suggestedAnswer":[{"text":"No."},{"text":"No."}]}}"#;
    assert_eq!(found(&page(answers), FallbackSource::JsonLd), "Why?\n\nAsk.\n\nSo.\n\nNo.");
}

#[test]
fn descriptions_are_found_and_not_used() {
    let words = BODY.repeat(4);
    let page = format!(
        "<meta name=description content=short><meta property='og:description' content='{words}'><div id=app></div>"
    );
    assert_eq!(found(&page, FallbackSource::Description), words.trim());
    assert_eq!(fallback_content(&parse(&page), 0, 0), None);
}

#[test]
fn noscript_with_scripts_off_and_on() {
    let source = "<body><noscript><p>One <b>two</b></p></noscript><p>x</p><noscript><img src=x></noscript>";
    for scripting in [false, true] {
        let document = Parser::new(Limits::default()).with_scripting(scripting).parse(source).unwrap();
        let content = fallback_from(&document, FallbackSource::Noscript).unwrap();
        assert_eq!((content.words, &*content.text), (2, "One two"), "{scripting}");
    }
}

#[test]
fn templates() {
    let source = "<p>x</p><template><h2>One</h2><p>two<template>three</template></p></template><template></template>";
    assert_eq!(found(source, FallbackSource::Template), "One\n\ntwo");
    assert_eq!(found("<p>x</p>", FallbackSource::Template), "");
}

#[test]
fn data_of_page_builders() {
    let next = format!(
        r#"<script id=__NEXT_DATA__ type="application/json">{{"props":{{"pageProps":{{"slug":"a-b-c","body":{}}}}},"query":{{}},"buildId":"{}"}}</script>"#,
        json(&format!("<p>{BODY}</p>")),
        "x".repeat(200)
    );
    let state = format!(
        "<script>window.__INITIAL_STATE__ = {{\"a\":{{\"b\":{}}},\"c\":[{}]}};</script>",
        json(BODY),
        "1,".repeat(100)
    );
    let parsed = format!(
        "<script>window.__APOLLO__=JSON.parse({});</script>",
        json(&format!(r#"{{"a":{},"b":"{}"}}"#, json(BODY), "x".repeat(200)))
    );
    let nuxt = format!(
        "<script>window.__NUXT__=(function(a,b){{return {{data:[{{body:{},n:a}}]}}}}('{}',2));</script>",
        json(BODY),
        "x".repeat(200)
    );
    let pushed = format!(
        "<script>self.__next_f.push([1,{}])</script>",
        json(&format!(r#"5:["$","p",null,{{"className":"{}","children":{}}}]"#, "x".repeat(200), json(BODY)))
    );
    let row = format!("<script>self.__next_f.push([1,{}])</script>", json(&format!("2a:T4d2,{}", BODY.repeat(3))));
    let topic = format!(
        r#"{{"post_stream":{{"posts":[{{"cooked":{}}}]}},"x":"{}"}}"#,
        json(&format!("<p>{BODY}</p>")),
        "x".repeat(200)
    );
    let discourse = format!(
        "<div id=data-preloaded data-preloaded='{{\"topic_1\":{}}}'></div>",
        json(&topic).replace('\'', "&#39;")
    );
    for page in [next, state, parsed, nuxt, pushed, discourse] {
        assert_eq!(found(&page, FallbackSource::DataIsland), BODY.trim(), "{page}");
    }
    assert_eq!(found(&row, FallbackSource::DataIsland), BODY.repeat(3).trim());
}

#[test]
fn programs_are_not_data() {
    let script = format!("<script>function f() {{ var a = {}; }}{}</script>", json(BODY), "f();".repeat(100));
    assert_eq!(found(&script, FallbackSource::DataIsland), "");
    let label = |number: usize| format!("\"label_{number}\":\"Add number {number} to cart\"");
    let labels: Vec<String> = (0..50).map(label).collect();
    let labels = format!("<script type=application/json>{{{}}}</script>", labels.join(","));
    assert_eq!(found(&labels, FallbackSource::DataIsland), "");
}

#[test]
fn strings_are_taken_once_and_in_order() {
    let (one, two) = (BODY.to_string(), BODY.replace("May", "June"));
    let page = format!("<script type=application/json>[{},{},{}]</script>", json(&one), json(&two), json(&one));
    assert_eq!(found(&page, FallbackSource::DataIsland), format!("{}\n\n{}", one.trim(), two.trim()));
}

#[test]
fn only_nearly_empty_pages_fall_back() {
    let page =
        parse(&format!("<script type='application/ld+json'>{{\"articleBody\":{}}}</script>", json(&BODY.repeat(6))));
    let content = fallback_content(&page, 0, 0).expect("fallback content");
    assert_eq!((content.source, content.source.flag()), (FallbackSource::JsonLd, "from_json_ld"));
    assert_eq!(content.words, count_words(&BODY.repeat(6)));
    assert!(fallback_content(&page, 30, 30).is_some());
    // Less than three times the visible words, and a page that is not nearly empty.
    assert!(fallback_content(&page, 40, 40).is_none());
    assert!(fallback_content(&page, 50, 50).is_none());
    let short = parse(&format!("<script type='application/ld+json'>{{\"articleBody\":{}}}</script>", json(BODY)));
    assert!(fallback_content(&short, 0, 0).is_none());
}

#[test]
fn a_page_that_shows_a_lot_of_text_is_no_empty_shell() {
    let strings = |repeated: usize| -> Vec<String> {
        (0..6).map(|number| json(&BODY.repeat(repeated).replace("May", &format!("May {number}")))).collect()
    };
    let island = |repeated| parse(&format!("<script type=application/json>[{}]</script>", strings(repeated).join(",")));
    // A list of sentences is the messages of a program.
    assert_eq!(fallback_content(&island(1), 10, 10), None);
    let island = island(2);
    assert!(fallback_content(&island, 10, MAX_SHOWN_WORDS - 1).is_some());
    assert_eq!(fallback_content(&island, 10, MAX_SHOWN_WORDS), None);
    let body =
        parse(&format!("<script type='application/ld+json'>{{\"articleBody\":{}}}</script>", json(&BODY.repeat(6))));
    assert!(fallback_content(&body, 10, MAX_SHOWN_WORDS).is_some());
}

#[test]
fn fallback_content_renders_in_every_format_and_safely() {
    let body = "<h2>Nets</h2><p>One <a href='javascript:x()' onclick=y()>two</a></p><script>z()</script>";
    let page = parse(&format!("<template>{body}</template>"));
    let content = fallback_from(&page, FallbackSource::Template).unwrap();
    let render = |format| content.render(format, RenderOptions::default());
    assert_eq!(render(OutputFormat::Text).trim(), "Nets\n\nOne two");
    assert!(render(OutputFormat::Markdown).contains("## Nets"));
    let html = render(OutputFormat::Html);
    assert!(
        html.contains("<h2>Nets</h2>")
            && !html.contains("javascript")
            && !html.contains("onclick")
            && !html.contains("z()")
    );
}

/// Whatever stands in one script, what is found stays within its limit, and a sound script behind it is found as well.
#[test]
fn hostile_data_is_bounded_and_hides_nothing() {
    let sound = format!("<script type='application/ld+json'>{{\"articleBody\":{}}}</script>", json(&BODY.repeat(6)));
    for piece in
        ["\"", "{\"", "[\"{\\\"", "'", "\\", "\"{\\\"a\\\":\\\"b\\\",\\\"c\\\":1}                      \",", "<", "`"]
    {
        let text = piece.repeat(20_000);
        for page in [
            format!("<script type=application/json>{text}</script>{sound}"),
            format!("<script>window.a = [{text}</script>{sound}"),
            format!("<script type='application/ld+json'>{{\"articleBody\":\"{text}</script>{sound}"),
        ] {
            let content = fallback_content(&parse(&page), 0, 0).expect("the sound script");
            assert_eq!(content.source, FallbackSource::JsonLd);
            assert!(content.text.contains(BODY.trim()), "{piece:?}: {:.80}", content.text);
        }
        for page in [format!("{sound}<div data-x='[{text}"), format!("{sound}<template>{text}")] {
            let content = fallback_content(&parse(&page), 0, 0).expect("the sound script");
            assert_eq!(content.text, BODY.repeat(6).trim());
            for source in FallbackSource::ALL {
                let length = fallback_from(&parse(&page), source).map_or(0, |content| content.html.len());
                assert!(length <= MAX_BYTES && length <= page.len(), "{piece:?} {source:?}: {length} bytes");
            }
        }
    }
}
