//! Records of small pages: what is found, how its fields are named, and what hostile pages cost.

use super::page_texts::PageTexts;
use super::record_sets::{MAX_WORK, RecordSets, TagPaths};
use super::{PageRecords, RecordGroup, RecordKind, find_records, render_records_json};
use crate::detection::Detection;
use crate::dom::{Document, Parser};

fn parse(page: &str) -> Document {
    Parser::default().parse(page).unwrap()
}

fn records(page: &str) -> PageRecords {
    let document = parse(page);
    find_records(&document, &Detection::keep_all("test", &document), Some("https://example.org/list/"))
}

/// The only group of a page.
fn group(page: &str) -> RecordGroup {
    let mut found = records(page);
    assert_eq!(found.groups.len(), 1, "{found:?}");
    found.groups.remove(0)
}

/// The values of a column, one for each record; empty where a record has none.
fn column(group: &RecordGroup, name: &str) -> Vec<String> {
    let number = group.columns.iter().position(|column| column == name);
    let number = number.unwrap_or_else(|| panic!("no column {name} in {:?}", group.columns));
    group.records.iter().map(|record| record.values(number).join("|")).collect()
}

#[test]
fn cards_have_named_columns() {
    let card = |name: &str, breed: &str, age: &str, price: &str| {
        format!(
            "<div class=card><a href='{name}.html'><img src='/{name}.jpg'></a><h3><a href='{name}.html'>{name}</a></h3>\
             <ul><li><b>Breed:</b> {breed}</li><li><b>Age:</b> {age}</li><li>Home: with children</li></ul><span class=fee>{price}</span><a href=#>Adopt me</a></div>"
        )
    };
    let cards = [
        card("Rex", "Labrador", "3 years", "$ 120"),
        card("Bella", "Beagle", "5 years", "$ 90"),
        "<hr>".to_string(),
        card("Luna", "Poodle", "1 year", "$ 200"),
        card("Max", "Boxer", "2 years", "$ 75"),
    ];
    let group = group(&format!("<h1>Dogs</h1><div>{}</div>", cards.concat()));
    assert_eq!(group.kind, RecordKind::Items);
    assert!(group.is_content);
    assert_eq!(column(&group, "title"), ["Rex", "Bella", "Luna", "Max"]);
    assert_eq!(column(&group, "url")[1], "https://example.org/list/Bella.html");
    assert_eq!(column(&group, "image")[1], "https://example.org/Bella.jpg");
    assert_eq!(column(&group, "Breed"), ["Labrador", "Beagle", "Poodle", "Boxer"]);
    assert_eq!(column(&group, "Age"), ["3 years", "5 years", "1 year", "2 years"]);
    assert_eq!(column(&group, "Home")[0], "with children");
    assert_eq!(column(&group, "price"), ["$ 120", "$ 90", "$ 200", "$ 75"]);
    assert!(
        !group.records.iter().flat_map(|record| &record.fields).any(|field| field.values.contains(&"Adopt me".into()))
    );
}

const BODIES: [&str; 4] = [
    "Which net is best for herring in the north in spring?",
    "The one with the small mesh, as my father always said.",
    "It depends on the boat, the crew and the weather of the year.",
    "Thank you all, I will try the one with the small mesh.",
];

fn post(author: &str, date: &str, body: &str, inner: &str) -> String {
    format!(
        "<li class=post><div class=who><a href='/users/{author}'>{author}</a><div>Joined May 2009</div></div>\
         <time>{date}</time><div class=body><p>{body}</p></div><a href='#'>Reply</a>{inner}</li>"
    )
}

#[test]
fn posts_have_author_date_and_text() {
    let names = ["ann", "ben", "cem", "ann"];
    let posts: String = (0..4).map(|at| post(names[at], &format!("March {}, 2024", at + 1), BODIES[at], "")).collect();
    let group = group(&format!("<ol>{posts}</ol>"));
    assert_eq!(group.kind, RecordKind::Posts);
    assert_eq!(column(&group, "author"), names);
    assert_eq!(column(&group, "date")[2], "March 3, 2024");
    assert_eq!(column(&group, "text"), BODIES);
}

#[test]
fn replies_are_posts_of_the_same_group() {
    let reply =
        format!("<ol>{}{}</ol>", post("ben", "2 days ago", BODIES[1], ""), post("cem", "1 day ago", BODIES[2], ""));
    let posts = [
        post("ann", "3 days ago", BODIES[0], &reply),
        post("dan", "3 days ago", BODIES[2], ""),
        post("eve", "3 days ago", BODIES[3], ""),
    ];
    let group = group(&format!("<ol>{}</ol>", posts.concat()));
    assert_eq!(column(&group, "author"), ["ann", "ben", "cem", "dan", "eve"]);
    assert_eq!(column(&group, "text")[0], BODIES[0]);
    assert!(!group.records[0].text.contains(BODIES[1]), "the text of a record is its own");
}

#[test]
fn rows_are_named_by_the_head_of_their_table() {
    let page = "<table><tr><th>Port<th>Depth</tr><tr><td>Visby<td>8 m</tr><tr><td>Kiel<td>12 m</tr><tr><td>Gdynia<td>14 m</tr></table>";
    let group = group(page);
    assert_eq!(group.kind, RecordKind::Rows);
    assert_eq!(group.columns, ["Port", "Depth"]);
    assert_eq!(column(&group, "Depth"), ["8 m", "12 m", "14 m"]);
}

#[test]
fn records_may_be_wrapped_singly() {
    let wrapped = |name: &str| {
        format!(
            "<section><div class=wrap><div class=item><h3>{name}</h3><p>mended in May, when boats come home</p></div></div></section>"
        )
    };
    let group = group(&["cod", "eel", "ray"].map(wrapped).concat());
    assert_eq!(column(&group, "title"), ["cod", "eel", "ray"]);
}

#[test]
fn menus_are_links() {
    let group = group(
        "<ul class=menu><li><a href=/a>Home page</a><li><a href=/b>All posts</a><li><a href=/c>About us</a></ul>",
    );
    assert_eq!(group.kind, RecordKind::Links);
    assert_eq!(column(&group, "title"), ["Home page", "All posts", "About us"]);
}

#[test]
fn json_has_one_value_or_several() {
    let item = |name: &str, one: &str, two: &str| format!("<li><h3>{name}</h3><p><i>{one}</i> <i>{two}</i></p></li>");
    let items = [item("net", "cod", "eel"), item("trap", "ray", "cod"), item("line", "eel", "ray")].concat();
    let document = parse(&format!("<ul>{items}</ul>"));
    let found = find_records(&document, &Detection::keep_all("test", &document), None);
    let json = render_records_json(&document, &found);
    let head = concat!(
        r#"{"groups":[{"kind":"items","xpath":"/html[1]/body[1]/ul[1]","is_content":true,"columns":["title","i"],"records":["#,
        r#"{"text":"net\ncod eel","fields":{"title":"net","i":["cod","eel"]},"xpath":"/html[1]/body[1]/ul[1]/li[1]"},"#
    );
    assert!(json.starts_with(head), "{json}");
    assert!(json.ends_with(r#""cuts":[]}"#), "{json}");
}

/// How many atoms are read for a page, as a multiple of its atoms, and whether a limit was hit.
fn work(page: &str) -> (f64, bool) {
    let document = parse(page);
    let texts = PageTexts::read(&document);
    let sets = RecordSets::find(&document, &texts, &TagPaths::read(&document));
    let found = find_records(&document, &Detection::keep_all("test", &document), None);
    (sets.work as f64 / texts.atoms.len() as f64, found.is_cut)
}

#[test]
fn many_siblings_take_linear_work() {
    let (work, is_cut) = work(&"<div class=a><b>x</b><i>y</i></div>".repeat(50_000));
    assert!(work <= 2.0 && !is_cut, "{work}");
}

#[test]
fn alternating_shapes_take_linear_work() {
    let page: String =
        (0..20_000).map(|at| format!("<div class=k{}x><b>x</b><p>y</div>", "a".repeat(at % 7))).collect();
    assert!(work(&page).0 <= 3.0);
}

#[test]
fn deep_nesting_is_cut() {
    let mut page = String::new();
    for _ in 0..200 {
        page += "<div class=a><b>x</b><i>y</i><div class=b><b>x</b></div>";
    }
    let (work, is_cut) = work(&page.repeat(10));
    assert!(work <= MAX_WORK as f64 && is_cut, "{work}");
}

#[test]
fn columns_are_limited() {
    let record = |number: usize| {
        let fields = (0..10_000).map(|at| format!("<b class=f{}>x{at} of {number}</b>", letters(at)));
        format!("<div class=r>{}</div>", fields.collect::<String>())
    };
    let found = records(&[record(1), record(2), record(3)].concat());
    assert!(found.is_cut && found.groups.iter().all(|group| group.columns.len() <= 100));
}

/// A name without digits for a number.
fn letters(number: usize) -> String {
    number.to_string().bytes().map(|byte| char::from(byte - b'0' + b'a')).collect()
}
