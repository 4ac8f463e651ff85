use super::*;
use crate::dom::Limits;
use crate::dom::Parser;

fn read(source: &str) -> Metadata {
    metadata(&Parser::new(Limits::default()).parse(source).expect("a small page parses"))
}

fn value_and_source(field: &Option<MetadataField>) -> Option<(&str, &str)> {
    field.as_ref().map(|field| (&*field.value, field.source.name()))
}

#[test]
fn json_ld_open_graph_and_headings() {
    let found = read(
        r##"<html lang=en_gb><head><title>Mending nets | Harbour Notes</title>
        <meta property="og:site_name" content="Harbour Notes"><meta property="og:title" content="Mending nets">
        <meta property="og:type" content=article><link rel=canonical href="https://a.example/nets">
        <meta name=description content=" How nets
        are mended. ">
        <script type="application/ld+json">{"@type":"BlogPosting","headline":"Mending nets","author":{"name":"Ann Lee"},
        "datePublished":"2024-03-05T10:00:00Z",}</script></head><body><h1>Mending <i>nets</i></h1></body>"##,
    );
    assert_eq!(value_and_source(&found.title), Some(("Mending nets", "heading")));
    assert_eq!(value_and_source(&found.author), Some(("Ann Lee", "json_ld")));
    assert_eq!(value_and_source(&found.date), Some(("2024-03-05", "json_ld")));
    assert_eq!(value_and_source(&found.language), Some(("en-GB", "lang")));
    assert_eq!(value_and_source(&found.site_name), Some(("Harbour Notes", "open_graph")));
    assert_eq!(value_and_source(&found.description), Some(("How nets are mended.", "meta")));
    assert_eq!(value_and_source(&found.canonical_url), Some(("https://a.example/nets", "link")));
    assert_eq!(value_and_source(&found.page_kind), Some(("BlogPosting", "json_ld")));
}

#[test]
fn dublin_core_microdata_and_meta() {
    let found = read(
        "<meta name=DC.title content=Nets><meta name=dc.creator content='by Ann Lee'><meta name=DCTERMS.created content=2024-03-05>\
         <meta http-equiv=content-language content='pt-br, en'>",
    );
    assert_eq!(value_and_source(&found.title), Some(("Nets", "dublin_core")));
    assert_eq!(value_and_source(&found.author), Some(("Ann Lee", "dublin_core")));
    assert_eq!(value_and_source(&found.date), Some(("2024-03-05", "dublin_core")));
    assert_eq!(value_and_source(&found.language), Some(("pt-BR", "meta")));
    let found = read(
        "<div itemscope><h2 itemprop=headline>Nets</h2><span itemprop=author itemscope><a itemprop=name>Ann</a> writes</span>\
         <meta itemprop=datePublished content='March 5, 2024'>\
         <div itemprop=comment><b itemprop=author>Bo</b><time datetime=2023-01-01></div></div>",
    );
    assert_eq!(value_and_source(&found.title), Some(("Nets", "microdata")));
    assert_eq!(value_and_source(&found.author), Some(("Ann", "microdata")));
    assert_eq!(value_and_source(&found.date), Some(("2024-03-05", "microdata")));
}

#[test]
fn links_classes_times_and_addresses() {
    let found = read("<a rel='nofollow author' href=/ann>Ann Lee</a><time datetime=2024-03-05>yesterday</time>");
    assert_eq!(value_and_source(&found.author), Some(("Ann Lee", "rel_author")));
    assert_eq!(value_and_source(&found.date), Some(("2024-03-05", "time")));
    let found = read("<p class='meta byline'>By Ann Lee</p><p class=post-date>Posted 5 March 2024</p>");
    assert_eq!(value_and_source(&found.author), Some(("Ann Lee", "class_name")));
    assert_eq!(value_and_source(&found.date), Some(("2024-03-05", "class_name")));
    let found = read("<link rel=canonical href=/2024/03/05/nets>");
    assert_eq!(value_and_source(&found.date), Some(("2024-03-05", "address")));
}

#[test]
fn canonical_urls_are_safe_to_follow() {
    let canonical =
        |url: &str| read(&format!("<link rel=canonical href='{url}'>")).canonical_url.map(|field| field.value);
    for url in ["javascript:alert(1)", " JavaScript&colon;alert(1)", "data:text/html,x", "java\tscript:alert(1)"] {
        assert_eq!(canonical(url), None, "{url}");
    }
    assert_eq!(canonical(" https://a.example/nets "), Some("https://a.example/nets".to_string()));
    assert_eq!(canonical("/nets?a:b"), Some("/nets?a:b".to_string()));
}

#[test]
fn what_is_not_sure_is_not_said() {
    let found =
        read("<title> </title><meta name=author content='https://a.example/ann'><meta name=date content=03/04/2024>");
    assert_eq!(found, Metadata::default());
    // A list has many authors, none of which is that of the page.
    let list: String =
        (0..9).map(|n| format!("<a rel=author>Writer {}</a>", ["A", "B", "C", "D", "E"][n % 5])).collect();
    assert_eq!(read(&list).author, None);
    // Templates are not shown.
    assert_eq!(read("<template><h1>x</h1><a rel=author>Ann</a></template>"), Metadata::default());
}

#[test]
fn the_title_loses_the_site() {
    let found = read("<title>Nets - Harbour Notes</title><meta property=og:site_name content='Harbour Notes'>");
    assert_eq!(value_and_source(&found.title), Some(("Nets", "title")));
    assert_eq!(
        value_and_source(&read("<title>Nets - Harbour Notes</title>").title),
        Some(("Nets - Harbour Notes", "title"))
    );
}

#[test]
fn front_matter_is_yaml_and_json_is_json() {
    let found = read("<title>A: \"b\" --- #c</title><html lang=de>");
    assert_eq!(found.front_matter(), "---\ntitle: \"A: \\\"b\\\" --- #c\"\nlanguage: \"de\"\n---\n\n");
    let json: serde_json::Value = serde_json::from_str(&found.to_json()).unwrap();
    assert_eq!(json["language"], "de");
    assert_eq!(json["author"], serde_json::Value::Null);
    assert_eq!(json["sources"]["title"], "title");
    // Renderers that do not know front matter show it.
    let hostile = read("<title>&lt;b> [x](y)</title>").front_matter();
    assert_eq!(hostile, "---\ntitle: \"\\u003cb> [x]\\u0028y)\"\n---\n\n");
    assert_eq!(Metadata::default().front_matter(), "");
}
