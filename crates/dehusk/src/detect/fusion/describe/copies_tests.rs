//! Texts that stand twice on a page: which of them is kept.

use crate::detect::fusion::fusion_page::FusionPage;
use crate::dom::Parser;
use crate::read::words::hashed_odds::Odds;

const SENTENCE: &str = "The ferry left the harbour late in the evening";

fn page(source: &str) -> FusionPage {
    let mut page = FusionPage::default();
    page.prepare(&Parser::default().parse(source).unwrap(), &Odds::default());
    page
}

fn copies(page: &FusionPage) -> Vec<Vec<usize>> {
    (0..page.len()).map(|block| page.copies_from(block).collect()).collect()
}

#[test]
fn copies_are_listed_from_the_first_one_on() {
    let page = page(&format!(
        "<p>{SENTENCE}</p><div><p>Read more</p></div><aside>{SENTENCE}</aside><p>Read more</p><td>{SENTENCE}"
    ));
    assert_eq!(page.len(), 5);
    // Five words are too few: buttons and dates say the same everywhere.
    let none: Vec<usize> = Vec::new();
    assert_eq!(copies(&page), [vec![0, 2, 4], none.clone(), none.clone(), none.clone(), none]);
}

#[test]
fn six_words_are_enough_to_be_a_copy() {
    let twice = |text: &str| copies(&page(&format!("<p>{text}</p><aside>{text}</aside>")))[0].len();
    assert_eq!(twice("one two three four five"), 0);
    assert_eq!(twice("one two three four five six"), 2);
}

#[test]
fn texts_that_differ_are_no_copies() {
    let page = page(&format!("<p>{SENTENCE}</p><aside>{SENTENCE}.</aside>"));
    assert!(copies(&page).iter().all(Vec::is_empty));
}

#[test]
fn the_likeliest_copy_stays() {
    let page =
        page(&format!("<p>{SENTENCE}</p><p>Something else</p><aside>{SENTENCE}</aside><footer>{SENTENCE}</footer>"));
    let mut scores = [0.5, 0.4, 0.9, 0.7];
    assert_eq!(page.drop_copies(&mut scores), [(0, 2), (3, 2)]);
    assert_eq!(scores, [0.0, 0.4, 0.9, 0.0]);
    // The first of equals.
    let mut scores = [0.5, 0.4, 0.5, 0.5];
    assert_eq!(page.drop_copies(&mut scores), [(2, 0), (3, 0)]);
    assert_eq!(scores, [0.5, 0.4, 0.0, 0.0]);
}

#[test]
fn copies_of_one_role_and_headings_stay() {
    // Rows and list items repeat each other for good reason.
    let page_of_rows = page(&format!("<ul><li>{SENTENCE}</li><li>Other</li><li>{SENTENCE}</li></ul>"));
    let mut scores = [0.5, 0.4, 0.9];
    assert_eq!(page_of_rows.drop_copies(&mut scores), []);
    assert_eq!(scores, [0.5, 0.4, 0.9]);
    let page_with_heading = page(&format!("<h2>{SENTENCE}</h2><p>{SENTENCE}</p>"));
    let mut scores = [0.5, 0.9];
    assert_eq!(page_with_heading.drop_copies(&mut scores), []);
    let mut scores = [0.9, 0.5];
    assert_eq!(page_with_heading.drop_copies(&mut scores), [(1, 0)]);
    assert_eq!(scores, [0.9, 0.0]);
}

#[test]
fn an_answer_that_quotes_a_text_does_not_replace_it() {
    for quote in [
        format!("<blockquote><p>{SENTENCE}</p></blockquote>"),
        format!("<div class=bbcode-quote><table><td><b>Ann wrote</b><div>{SENTENCE}</div></table></div>"),
    ] {
        let page = page(&format!("<div><p>{SENTENCE}</p></div><ul><li>{quote}<p>I think so too</p></ul>"));
        let quoted = page.len() - 2;
        let mut scores = vec![0.5; page.len()];
        scores[quoted] = 0.9;
        assert_eq!(page.drop_copies(&mut scores), [(quoted as u32, 0)]);
        // What is quoted in an article stays, and not its repetition in a sidebar.
        scores[quoted] = 0.9;
        scores[0] = 0.3;
        assert_eq!(page.drop_copies(&mut scores), [(0, quoted as u32)]);
    }
}

#[test]
fn headings_in_a_row_are_written_once() {
    let page = page("<h2>Boats</h2><h1>Boats</h1><h2>Boats</h2><p>Something else</p><h2>Boats</h2>");
    let mut scores = [0.5, 0.9, 0.4, 0.9, 0.5];
    assert_eq!(page.drop_copies(&mut scores), [(0, 1), (2, 1)]);
    assert_eq!(scores, [0.0, 0.9, 0.0, 0.9, 0.5]);
}
