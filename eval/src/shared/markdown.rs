//! Markdown turned back into HTML, and what is in HTML: texts of elements.

use pulldown_cmark::{Options, Parser, html::push_html};
use scraper::{ElementRef, Html};

/// Elements within a line of text. All others separate words, with or without white space in the source.
const INLINE: [&str; 22] = [
    "a", "abbr", "b", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp", "small",
    "span", "strong", "sub", "sup", "u", "var",
];

/// The elements of Markdown as GitHub reads it.
pub(crate) fn parse_markdown(markdown: &str) -> Html {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut html = String::new();
    push_html(&mut html, Parser::new_ext(markdown, options));
    Html::parse_fragment(&html)
}

/// The elements of a fragment of a page, in page order.
pub(crate) fn elements(html: &Html) -> impl Iterator<Item = ElementRef<'_>> {
    html.root_element().descendants().filter_map(ElementRef::wrap)
}

/// Whether an element is one of `h1` to `h6`.
pub(crate) fn is_heading(element: ElementRef<'_>) -> bool {
    matches!(element.value().name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// The text of an element, with single spaces.
pub(crate) fn text_in(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    append_text(element, &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn append_text(element: ElementRef<'_>, out: &mut String) {
    for child in element.children() {
        if let Some(text) = child.value().as_text() {
            out.push_str(text);
        }
        let Some(inner) = ElementRef::wrap(child) else { continue };
        let separates = !INLINE.contains(&inner.value().name());
        out.push_str(if separates { " " } else { "" });
        append_text(inner, out);
        out.push_str(if separates { " " } else { "" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_taken_apart() {
        let html = parse_markdown("> # A [b](c) d\n\n- [x] ~~e~~\n\n| f | g |\n|---|---|\n| h | *i*j |\n");
        let text = |name: &str| elements(&html).find(|element| element.value().name() == name).map(text_in);
        assert_eq!(elements(&html).filter(|element| is_heading(*element)).map(text_in).collect::<Vec<_>>(), ["A b d"]);
        assert_eq!(text("li").as_deref(), Some("e"));
        assert_eq!(text("del").as_deref(), Some("e"));
        assert_eq!(text("table").as_deref(), Some("f g h ij"));
    }

    #[test]
    fn a_line_break_separates_words() {
        let html = Html::parse_fragment("<p>a<br>b<b>c</b></p>");
        assert_eq!(text_in(html.root_element()), "a bc");
    }
}
