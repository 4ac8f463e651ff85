//! What must hold of all that is kept of a page: it stands on the page, in the order of the page, nothing of it twice, and more focus on
//! recall keeps all that less keeps.

use dehusk::Detection;
use dehusk::dom::Document;
use dehusk::render::{RenderOptions, render_text};

/// Runs of letters and digits.
fn words(text: &str) -> Vec<&str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// The letters and digits of a text. Words that no space parts on the page are one there and two where only one of them is kept.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// The first of some words that does not stand in a text behind the words before it.
fn missing<'a>(words: &[&'a str], text: &str) -> Option<&'a str> {
    let mut rest = text;
    words.iter().copied().find(|word| match rest.find(word) {
        Some(at) => {
            rest = &rest[at + word.len()..];
            false
        }
        None => true,
    })
}

/// The number of the first letter that does not stand in a text behind the letters before it. Letter by letter, since what is never
/// shown may stand within a word.
fn first_out_of_order(letters: &str, text: &str) -> Option<usize> {
    let mut rest = text.chars();
    letters.chars().position(|letter| !rest.any(|other| other == letter))
}

/// The text of a page with all it could show.
fn whole_text(document: &Document) -> String {
    let mut all = Detection::keep_all(dehusk::detection::Detectors::NONE, document);
    all.covers_hidden = true;
    render_text(document, &all, RenderOptions::default().with_marks(false))
}

/// Checks what several detections keep of one page, the one that keeps least first. Says what is wrong.
pub(crate) fn check(document: &Document, detections: &[Detection]) -> Result<(), String> {
    let whole = whole_text(document);
    let raw: String = document.ids().filter(|id| document.is_text(*id)).map(|id| document.text(id)).collect();
    if let Some(at) = first_out_of_order(&letters(&whole), &letters(&raw)) {
        return Err(format!("the whole text is not that of the page in its order, from letter {at} on"));
    }
    let whole = letters(&whole);
    let texts: Vec<String> = detections
        .iter()
        .map(|detection| render_text(document, detection, RenderOptions::default().with_marks(false)))
        .collect();
    let kept: Vec<Vec<&str>> = texts.iter().map(|text| words(text)).collect();
    for (number, kept) in kept.iter().enumerate() {
        if let Some(word) = missing(kept, &whole) {
            return Err(format!("result {number} is not part of the page in its order: {word:?}"));
        }
    }
    for (number, pair) in kept.windows(2).enumerate() {
        if let Some(word) = missing(&pair[0], &letters(&texts[number + 1])) {
            return Err(format!("result {} lacks what result {number} keeps: {word:?}", number + 1));
        }
    }
    for (number, pair) in detections.windows(2).enumerate() {
        if document.ids().any(|id| pair[1].is_dropped(id) && !pair[0].is_dropped(id)) {
            return Err(format!("result {} drops a node that result {number} keeps", number + 1));
        }
    }
    Ok(())
}
