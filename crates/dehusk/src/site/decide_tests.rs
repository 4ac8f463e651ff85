use super::decide;
use crate::detection::{Detection, Detectors};
use crate::dom::{Document, NodeId, Parser, Stats};

/// Decides a page whose elements with `data-t` are template, and returns the texts that are kept.
fn kept(html: &str) -> Vec<String> {
    let (document, detection) = decided(html);
    let texts = document.ids().filter(|id| document.is_text(*id) && !detection.is_dropped(*id));
    texts.map(|id| document.text(id).trim().to_string()).filter(|text| !text.is_empty()).collect()
}

fn decided(html: &str) -> (Document, Detection) {
    let document = Parser::default().parse(html).unwrap();
    let stats = Stats::of(&document);
    let marked = |id: NodeId| {
        document.is_element(id) && document.attributes(id).iter().any(|own| document.name_text(own.name) == "data-t")
    };
    let inside: Vec<bool> = document.ids().map(|id| marked(id) || document.ancestors(id).any(marked)).collect();
    let mut detection = Detection::keep_all(Detectors::NONE, &document);
    decide(&document, &stats, &|id: NodeId| inside[id.index()], &mut detection);
    (document, detection)
}

#[test]
fn a_paragraph_is_dropped_only_if_hardly_anything_in_it_is_its_own() {
    assert_eq!(kept("<p data-t>Home</p><p>Nets are mended in May.</p>"), ["Nets are mended in May."]);
    // A counter beside a long repeated text goes with it, a phone number does not.
    assert_eq!(kept("<p><b data-t>Articles in this section of the site: </b>12</p>"), [""; 0]);
    assert_eq!(kept("<p><b data-t>Call us at this number any time of day: </b>0123 456789</p>").len(), 2);
    // A repeated word inside a paragraph is part of it.
    assert_eq!(kept("<p>Nets are <a data-t>mended</a> in May by everybody who has hands.</p>").len(), 3);
}

#[test]
fn headings_are_dropped_only_as_a_whole() {
    assert_eq!(kept("<h1><a data-t>Nets are mended in May</a></h1><p>Text</p>"), ["Nets are mended in May", "Text"]);
    assert_eq!(kept("<h1 data-t>Harbour notes</h1><p>Text</p>"), ["Text"]);
}

#[test]
fn a_menu_is_dropped_with_its_active_item_and_a_list_of_values_is_kept() {
    let menu = "<ul><li data-t><a>Home</a><li data-t><a>News</a><li data-t><a>Boats</a><li><a>Nets</a></ul><p>Text</p>";
    assert_eq!(kept(menu), ["Text"]);
    let values = "<ul><li><b data-t>Name</b> Anna<li><b data-t>Port</b> Kiel<li><b data-t>Year</b> 1912</ul>";
    assert_eq!(kept(values).len(), 6);
}

#[test]
fn a_data_table_is_dropped_only_if_nothing_in_it_is_the_pages_own() {
    let row = |own: &str| format!("<tr><td data-t>Length</td><td{own}>12 m</td></tr>");
    let table = |own: &str| format!("<table>{}{}{}</table><p>Text</p>", row(own), row(own), row(own));
    assert_eq!(kept(&table(" data-t")), ["Text"]);
    assert_eq!(kept(&table("")).len(), 7);
}

#[test]
fn containers_without_text_left_and_repeated_pictures_are_dropped_too() {
    let (document, detection) =
        decided("<div id=x><p data-t>Home</p><img data-t src=a.png></div><p>Text <img src=b.png></p>");
    let by = |name| document.ids().filter(|id| document.html_name(*id) == name).collect::<Vec<_>>();
    assert!(by(crate::dom::Name::DIV).iter().all(|id| detection.is_dropped(*id)));
    let pictures: Vec<bool> = by(crate::dom::Name::IMG).iter().map(|id| detection.is_dropped(*id)).collect();
    assert_eq!(pictures, [true, false]);
}
