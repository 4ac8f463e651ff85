//! Finds the main heading of a page: what a reader would call its title.
//!
//! Input: a document and a detection. Output: the text of the heading, its element, and whether the detector kept it. It
//! does not write anything; [`Heading`] says what the renderers do with it.

use crate::detection::Detection;
use crate::dom::elements::{heading_level, is_block, is_dialog};
use crate::dom::{Document, Name, NodeId};
use crate::error::Error;
use crate::metadata::metadata;
use crate::metadata::{PageTitles, title_words};
use crate::render::plain_text::append_range;
use crate::render::render_options::{HeadingPlan, OutputFormat, RenderOptions};
use crate::render::walk::{Event, Walk};
use std::str::FromStr;

/// Maximum number of headings looked at. The main heading is one of the first.
const MAX_HEADINGS: usize = 64;

/// Maximum number of nodes of a heading. Larger elements wrap more than a heading.
const MAX_NODES: usize = 256;

/// Maximum number of words between a heading and the content below it: a byline and a date.
const MAX_WORDS_BELOW: usize = 24;

/// Minimum number of words that two titles have in common to be the same.
const MIN_SAME_WORDS: usize = 3;

/// Whether the content begins with the main heading of the page.
///
/// It is never written twice: a heading that the detector kept stays in its place. A page without content stays empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Heading {
    /// Markdown and HTML begin with it; text and JSON have it if the detector kept it.
    #[default]
    Auto,
    /// All formats begin with it.
    Keep,
    /// No format has it.
    Drop,
}

impl Heading {
    /// All of them, the default first.
    pub const ALL: [Heading; 3] = [Heading::Auto, Heading::Keep, Heading::Drop];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Heading::Auto => "auto",
            Heading::Keep => "keep",
            Heading::Drop => "drop",
        }
    }
}

impl FromStr for Heading {
    type Err = Error;

    fn from_str(name: &str) -> Result<Heading, Error> {
        let found = Heading::ALL.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| Error::unknown_name("choice for heading", name, &Heading::ALL.map(Heading::name)))
    }
}

/// The main heading of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MainHeading {
    /// The element, unless the text is the title in the page's metadata.
    node: Option<NodeId>,
    text: String,
    /// Whether the content already has it.
    is_kept: bool,
}

impl MainHeading {
    /// The main heading, if a format with this option depends on it.
    pub(crate) fn wanted(
        document: &Document,
        detection: &Detection,
        options: RenderOptions,
        format: OutputFormat,
        heading: Heading,
        has_fallback: bool,
    ) -> Option<MainHeading> {
        match (heading, format) {
            (Heading::Auto, OutputFormat::Text | OutputFormat::Json) | (_, OutputFormat::Records) => None,
            _ => main_heading(document, detection, options, has_fallback),
        }
    }

    /// What the renderers do.
    pub(crate) fn plan(&self, heading: Heading) -> HeadingPlan<'_> {
        match heading {
            Heading::Drop => HeadingPlan { before: None, without: self.node },
            _ => HeadingPlan { before: (!self.is_kept).then_some(&*self.text), without: None },
        }
    }

    /// What is done with content from a fallback source, which has its own document.
    pub(crate) fn plan_for_text(&self, heading: Heading, text: &str) -> HeadingPlan<'_> {
        let repeated = title_words(text.trim_start().lines().next().unwrap_or_default()) == title_words(&self.text);
        let before = (heading != Heading::Drop && !repeated).then_some(&*self.text);
        HeadingPlan { before, without: None }
    }
}

/// The main heading of a page: a heading that the page's titles repeat, or else its only `<h1>`, or else the heading directly
/// above the content, or else the title in its metadata. `None` if nothing is kept or the page has no title.
fn main_heading(
    document: &Document,
    detection: &Detection,
    options: RenderOptions,
    has_fallback: bool,
) -> Option<MainHeading> {
    let survey = Survey::new(document, detection, options);
    if survey.first_block.is_empty() && !has_fallback {
        return None;
    }
    let titles = PageTitles::declared(document, crate::render::title(document));
    let chosen = survey
        .titled(&titles)
        .or_else(|| survey.titled(&PageTitles::json_ld(document)))
        .or_else(|| survey.only(&titles))
        .or_else(|| survey.above_content(&titles));
    let (node, text) = match chosen {
        Some(candidate) => (Some(candidate.node), candidate.text.clone()),
        None => (None, metadata(document).title?.value),
    };
    let words = title_words(&text);
    // The same heading may be written elsewhere on the page, such as in a post that quotes it; only the beginning counts.
    let first = survey.candidates.iter().find(|other| survey.begins_with(other) && is_same(&other.words, &words));
    let is_kept = first.is_some() || chosen.is_some_and(|own| own.is_kept) || title_words(&survey.first_block) == words;
    Some(MainHeading { node: first.map(|first| first.node).or(node), text, is_kept })
}

/// Whether two titles are the same, or one begins with the other: "Nets and boats" and "Nets and boats in 2025".
fn is_same(one: &str, two: &str) -> bool {
    let (short, long) = if one.len() < two.len() { (one, two) } else { (two, one) };
    let rest = long.strip_prefix(short);
    one == two || (short.split(' ').count() >= MIN_SAME_WORDS && rest.is_some_and(|rest| rest.starts_with(' ')))
}

/// A heading of the page.
#[derive(Debug)]
struct Candidate {
    node: NodeId,
    level: u8,
    text: String,
    words: String,
    is_kept: bool,
    /// The number of visible words before it.
    position: usize,
}

/// The headings of a page and the start of its content.
#[derive(Debug, Default)]
struct Survey {
    candidates: Vec<Candidate>,
    /// The text of the first kept block.
    first_block: String,
    /// The number of visible words before it.
    content_position: usize,
}

impl Survey {
    fn new(document: &Document, detection: &Detection, options: RenderOptions) -> Survey {
        let hidden = options.hidden.unwrap_or(detection.covers_hidden);
        let mut survey = Survey::default();
        let mut block_ended = false;
        let mut words = 0;
        for event in Walk::within(document, None, options.with_hidden(hidden), 0..document.len()) {
            match event {
                Event::Enter(id) => {
                    let name = document.html_name(id);
                    block_ended |= is_block(name) && !survey.first_block.is_empty();
                    if let Some(level) = heading_level(name) {
                        survey.append(document, detection, id, level, words);
                    }
                }
                Event::Text(id) => {
                    let text = document.text(id);
                    if !detection.is_dropped(id) && !block_ended && !text.trim().is_empty() {
                        if survey.first_block.is_empty() {
                            survey.content_position = words;
                        }
                        survey.first_block.push_str(text);
                    }
                    words += text.split_whitespace().count();
                }
                Event::Leave(id) => block_ended |= is_block(document.html_name(id)) && !survey.first_block.is_empty(),
                Event::Gap(_) => {}
            }
        }
        survey
    }

    fn append(&mut self, document: &Document, detection: &Detection, node: NodeId, level: u8, position: usize) {
        let subtree = document.subtree(node);
        if self.candidates.len() == MAX_HEADINGS || subtree.len() > MAX_NODES || is_logo(document, node) {
            return;
        }
        let mut text = String::new();
        append_range(document, None, RenderOptions::default(), subtree.clone(), &mut text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = title_words(&text);
        if words.is_empty() {
            return;
        }
        let is_kept_text = |at: usize| {
            let id = NodeId(at as u32);
            document.is_text(id) && !detection.is_dropped(id) && !document.text(id).trim().is_empty()
        };
        let is_kept = subtree.into_iter().any(is_kept_text);
        self.candidates.push(Candidate { node, level, text, words, is_kept, position });
    }

    /// Whether the content begins with a heading, or nearly so.
    fn begins_with(&self, candidate: &Candidate) -> bool {
        candidate.is_kept && candidate.position <= self.content_position + MAX_WORDS_BELOW
    }

    /// The heading that the titles of the page repeat. One that the content begins with comes first, then one that equals a title
    /// as a whole.
    fn titled(&self, titles: &PageTitles) -> Option<&Candidate> {
        // Among equals the first one counts, and `max_by_key` returns the last.
        // One in the middle of the content, such as a question that JSON-LD names, heads a part of it.
        let end = self.content_position + MAX_WORDS_BELOW;
        let matched =
            self.candidates.iter().rev().filter(|own| own.position <= end || own.level == 1).filter_map(|candidate| {
                let strength = titles.match_strength(&candidate.text)?;
                Some(((self.begins_with(candidate), strength, candidate.level == 1), candidate))
            });
        matched.max_by_key(|(rank, _)| *rank).map(|(_, candidate)| candidate)
    }

    /// The only `<h1>`, or the first of several that is kept.
    fn only(&self, titles: &PageTitles) -> Option<&Candidate> {
        let headings = || self.candidates.iter().filter(|candidate| candidate.level == 1);
        let is_only = headings().count() == 1;
        headings().find(|candidate| candidate.is_kept || (is_only && !titles.is_site(&candidate.text)))
    }

    /// The last `<h1>` or `<h2>` before the content, with no more than a byline in between.
    fn above_content(&self, titles: &PageTitles) -> Option<&Candidate> {
        self.candidates.iter().rfind(|candidate| {
            let end = candidate.position + candidate.text.split_whitespace().count();
            candidate.level <= 2
                && end <= self.content_position
                && self.content_position <= end + MAX_WORDS_BELOW
                && !titles.is_site(&candidate.text)
        })
    }
}

/// Whether a heading is not of the page but of a part around it: the name of the site, which links to the home page, or in navigation, a
/// footer, a dialog or a form for a search.
fn is_logo(document: &Document, id: NodeId) -> bool {
    let is_home = |node: NodeId| {
        let href = document.attribute(node, Name::HREF).unwrap_or_default().trim();
        let path = match href.split_once("://") {
            Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
            None => href.strip_prefix('/').unwrap_or(if href.is_empty() { "page" } else { href }),
        };
        path.is_empty() || matches!(path, "index.html" | "index.php")
    };
    let is_link =
        |node: &NodeId| document.html_name(*node) == Name::A && document.attribute(*node, Name::HREF).is_some();
    let above = document.ancestors(id).take(2).filter(is_link);
    let inside = document.descendants(id).take(8).filter(is_link);
    let is_frame =
        |above: NodeId| matches!(document.html_name(above), Name::NAV | Name::FOOTER) || is_dialog(document, above);
    let in_frame = document.ancestors(id).any(is_frame);
    in_frame || above.chain(inside).any(is_home)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::page;
    use crate::render::html::render_html;
    use crate::render::markdown::render_markdown;
    use crate::render::plain_text::render_text;

    fn rendered(source: &str, heading: Heading) -> [String; 3] {
        let (document, detection) = page(source);
        let options = RenderOptions::default();
        let render = |format, render: fn(&Document, &Detection, RenderOptions) -> String| {
            let main = MainHeading::wanted(&document, &detection, options, format, heading, false);
            let plan = main.as_ref().map(|main| main.plan(heading)).unwrap_or_default();
            render(&document, &detection, options.with_heading_plan(plan)).trim_end().to_string()
        };
        [
            render(OutputFormat::Text, render_text),
            render(OutputFormat::Markdown, render_markdown),
            render(OutputFormat::Html, render_html),
        ]
    }

    fn markdown(source: &str) -> String {
        let [_, markdown, _] = rendered(source, Heading::Auto);
        markdown
    }

    #[test]
    fn a_dropped_heading_is_written_first() {
        let source = "<title>Nets | Harbour</title><header data-drop><h1>Nets</h1> by Bo</header><p>a</p>";
        assert_eq!(rendered(source, Heading::Auto), ["a", "# Nets\n\na", "<h1>Nets</h1>\n<p>a</p>"]);
        assert_eq!(rendered(source, Heading::Keep)[0], "Nets\n\na");
        assert_eq!(rendered(source, Heading::Drop), ["a", "a", "<p>a</p>"]);
    }

    #[test]
    fn a_kept_heading_is_not_repeated() {
        let source = "<title>Nets | Harbour</title><h1>Nets</h1><p>a</p>";
        assert_eq!(rendered(source, Heading::Keep), ["Nets\n\na", "# Nets\n\na", "<h1>Nets</h1><p>a</p>"]);
        assert_eq!(rendered(source, Heading::Drop), ["a", "a", "<p>a</p>"]);
        let longer = "<title>Nets and boats in 2025</title><h1 data-drop>Nets and boats in 2025</h1><h1>Nets and boats</h1><p>a</p>";
        assert_eq!(markdown(longer), "# Nets and boats\n\na");
        let prose = "word ".repeat(30);
        let question = format!("<title>Nets</title><h1 data-drop>All nets</h1><p>{prose}</p><h2>Nets</h2><p>a</p>");
        assert!(markdown(&question).starts_with("# All nets\n\nword"));
        // The content begins with the title, though not in a heading.
        assert_eq!(markdown("<title>Nets</title><div>Nets</div><p>a</p>"), "Nets\n\na");
        assert_eq!(markdown("<title>Nets</title><h1 data-drop>Nets</h1><p>a</p><h2>Nets</h2>"), "a\n\n## Nets");
    }

    #[test]
    fn the_main_heading_is_what_the_page_calls_itself() {
        let logo = "<h1 data-drop><a href=/>Harbour</a></h1>";
        assert_eq!(markdown(&format!("<title>Nets | Harbour</title>{logo}<h2 data-drop>Nets</h2><p>a")), "# Nets\n\na");
        let site = "<meta property=og:site_name content=Harbour><meta property=og:title content=Nets>";
        assert_eq!(markdown(&format!("{site}<h1 data-drop>Harbour</h1><h3 data-drop>Nets</h3><p>a")), "# Nets\n\na");
        assert_eq!(markdown("<title>x</title><h1 data-drop>Nets</h1><p>a"), "# Nets\n\na");
        assert_eq!(markdown("<title>x</title><h1>Boats</h1><p>a<h1>Nets</h1><p>b"), "# Boats\n\na\n\n# Nets\n\nb");
        assert_eq!(markdown("<h2 data-drop>Nets</h2><div data-drop>by Bo</div><p>a"), "# Nets\n\na");
        assert_eq!(markdown("<title>Nets *new*</title><p>a"), "# Nets \\*new\\*\n\na");
        for part in ["<div role=dialog>", "<dialog open>", "<form role=search>"] {
            assert_eq!(
                markdown(&format!("<title>Nets</title>{part}<h1 data-drop>Search</h1></div></dialog></form><p>a")),
                "# Nets\n\na"
            );
        }
    }

    #[test]
    fn an_empty_page_stays_empty() {
        assert_eq!(markdown("<title>Nets</title><h1 data-drop>Nets</h1>"), "");
        assert_eq!(markdown("<p>a"), "a");
    }
}
