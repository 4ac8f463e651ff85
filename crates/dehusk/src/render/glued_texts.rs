//! Texts that only the style of the page keeps apart.
//!
//! `<span class=number>05.</span>How to …`, `Developed by:<span>…`, `<em class=title>Surround ready</em>The card …`: a browser shows a
//! gap, but the source has none. What is on both sides tells: a sentence or a label that ends, and a new one that begins with a capital
//! letter. `begins_word` of the document model does the same for words in neighbouring elements.

use crate::dom::elements::{is_preformatted, is_set_apart};
use crate::dom::{Document, Name, NodeId, NodeKind};

/// Maximum number of tags between two texts. More of them would rather have something between them that is seen.
const MAX_TAGS: usize = 12;
/// Maximum number of ancestors searched for code.
const MAX_ANCESTORS: usize = 8;

/// Whether two texts that follow each other in a line need a space between them. `after` is later in the page than `before`.
pub(crate) fn are_glued(document: &Document, before: NodeId, after: NodeId) -> bool {
    is_joint(document.text(before), document.text(after))
        && only_inline_tags_between(document, before, after)
        && !is_in_code(document, before)
        && !is_in_code(document, after)
}

/// Whether a new sentence or label starts where two texts meet.
fn is_joint(left: &str, right: &str) -> bool {
    let Some(first) = right.chars().next() else { return false };
    let is_upper = first.is_uppercase();
    if !is_upper && !first.is_numeric() && !is_currency(first) {
        return false;
    }
    let word = left.rsplit(char::is_whitespace).next().unwrap_or_default();
    let stem = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let Some(last) = stem.chars().next_back() else { return false };
    // Abbreviations and prefixes are shorter: U.S., No., Mc, iPhone.
    let is_long = stem.chars().rev().take_while(|c| c.is_alphabetic()).nth(2).is_some();
    let several = |text: &str| text.trim().contains(char::is_whitespace);
    match &word[stem.len()..] {
        ":" => last.is_alphabetic(),
        "." | "!" | "?" | "…" if is_long => several(left) && !is_currency(first),
        "" if is_upper && left.trim().len() == word.len() && word.starts_with('#') => is_number(&word[1..]),
        // The number of an entry.
        "." | ")" => is_upper && word.len() == left.trim().len() && stem.len() <= 3 && is_number(stem),
        "" if is_upper && is_long => last.is_lowercase() && several(left) && several(right),
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20c0}')
}

/// Whether elements begin or end between two texts, and all of them are such as style alone may set apart.
fn only_inline_tags_between(document: &Document, before: NodeId, after: NodeId) -> bool {
    let is_inside = |around: NodeId, id: NodeId| around.0 <= id.0 && id.0 < document.end(around).0;
    let ended = document.ancestors(before).take_while(|around| !is_inside(*around, after));
    let begun = (before.0 + 1..after.0).map(NodeId).filter(|id| document.kind(*id) == NodeKind::Element);
    let mut tags = 0;
    let are_inline = ended.chain(begun).take(MAX_TAGS + 1).all(|id| {
        tags += 1;
        is_inline(document, id)
    });
    are_inline && (1..=MAX_TAGS).contains(&tags)
}

fn is_inline(document: &Document, id: NodeId) -> bool {
    is_set_apart(document, id)
        || matches!(document.html_name(id), Name::B | Name::STRONG | Name::I | Name::EM | Name::CITE | Name::SMALL)
        || matches!(document.html_name(id), Name::DEL | Name::INS | Name::S | Name::U | Name::FONT)
}

fn is_in_code(document: &Document, id: NodeId) -> bool {
    document.ancestors(id).take(MAX_ANCESTORS).any(|above| {
        let name = document.html_name(above);
        is_preformatted(name) || matches!(name, Name::CODE | Name::KBD | Name::SAMP | Name::TT | Name::VAR)
    })
}

#[cfg(test)]
mod tests {
    use crate::render::fixture::page;
    use crate::render::html::render_html;
    use crate::render::markdown::render_markdown;
    use crate::render::plain_text::render_text;
    use crate::render::render_options::RenderOptions;

    fn text(source: &str) -> String {
        let (document, detection) = page(source);
        render_text(&document, &detection, RenderOptions::default()).trim_end().to_owned()
    }

    #[test]
    fn sentences_and_labels_that_style_separates_have_a_space() {
        for (source, expected) in [
            ("<span class=n>05.</span>How to begin", "05. How to begin"),
            ("<li><span>1)</span><cite>Hejazi K", "- 1) Hejazi K"),
            ("<span>#3</span><strong>New territory", "#3 New territory"),
            ("Developed by:<span>Facepunch</span>", "Developed by: Facepunch"),
            ("<span>Number of reviews:</span>116", "Number of reviews: 116"),
            ("<del><span>Old price was:</span>$19.99</del>", "Old price was: $19.99"),
            ("<em class=title>Surround ready</em>The card shows", "Surround ready The card shows"),
            ("<span>Solve issues faster.</span></a><a href=x><span>Help center", "Solve issues faster. Help center"),
            ("<a>Dry cleaning</a><em>Let me grow", "Dry cleaning Let me grow"),
            ("<span>Headbands</span><span>6</span>", "Headbands 6"),
            ("<span>2h 20m</span><span>R</span>", "2h 20m R"),
        ] {
            assert_eq!(text(source), expected, "{source}");
        }
    }

    #[test]
    fn words_and_names_stay_whole() {
        for source in [
            "<b>Mc</b>Donald came",
            "the new i<b>Phone</b> is",
            "We use <b>Java</b>Script now",
            "<b>U.</b>S. ships",
            "Node.<b>JS</b>",
            "<span>T</span>he end",
            "<span>URL</span><span>s</span>",
            "<span>ab</span><span>C</span>",
            "It is 12:<b>30</b>",
            "std::<b>Vector</b>",
            "3.<b>14</b>",
            "one <code>foo.</code>Bar",
            "dc:<i>title</i>",
            "see https:<b>//Example</b>",
            "the <b>works</b>.",
            "stars.<!-- -->130",
        ] {
            let plain = source.replace("<!-- -->", "");
            let plain: String = plain.split('<').map(|part| part.rsplit('>').next().unwrap_or_default()).collect();
            assert_eq!(text(source), plain, "{source}");
        }
    }

    #[test]
    fn every_format_has_the_space() {
        let (document, detection) = page("<p>Developed by:<b>Facepunch</b></p><p>Done.</p><p>Next</p>");
        let options = RenderOptions::default();
        assert_eq!(render_markdown(&document, &detection, options), "Developed by: **Facepunch**\n\nDone.\n\nNext\n");
        assert_eq!(
            render_html(&document, &detection, options).trim_end(),
            "<p>Developed by:<b> Facepunch</b></p><p>Done.</p><p>Next</p>"
        );
    }
}
