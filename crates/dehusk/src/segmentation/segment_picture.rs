//! A picture of a segmented page: its leaves where they are on the page, in the colours of their segments.
//!
//! Both pictures are self-contained, need no script and no network, and are bounded whatever the page is.

use super::page_segmenter::SegmentedPage;
use crate::dom::elements::{is_block, is_unseen};
use crate::dom::escape::append_escaped;
use crate::dom::{Name, NodeId};
use crate::layout::node_box::NodeBox;
use crate::render::title;
use std::fmt::Write as _;

/// The width of the drawn page; wider pages are scaled down.
const MAX_WIDTH: f32 = 1000.0;
/// The height up to which a page is drawn.
const MAX_HEIGHT: f32 = 15_000.0;
/// The leaves that are drawn.
const MAX_LEAVES: usize = 4000;
/// The characters of all labels together.
const MAX_LABEL_CHARACTERS: usize = 150_000;
/// The segments with a badge and an entry in the legend.
const MAX_LISTED: usize = 300;
/// The characters of a segment's text in the legend.
const LEGEND_CHARACTERS: usize = 60;
/// The width of the legend beside a picture.
const LEGEND_WIDTH: f32 = 440.0;
/// The height of an entry of that legend.
const ENTRY_HEIGHT: f32 = 40.0;
/// The height of a badge. It is above its segment, and there is room for one above the page.
const BADGE_HEIGHT: f32 = 15.0;
/// The smallest font of labels.
const MIN_FONT: f32 = 6.0;
/// The mean width of a character in proportion to the size of the font.
const CHARACTER_WIDTH: f32 = 0.56;

/// The colours of segments, by number, and those of text on them. Neighbours differ for colour-blind readers too.
const PALETTE: [(&str, &str); 10] = [
    ("#0072b2", "#fff"),
    ("#d55e00", "#fff"),
    ("#117733", "#fff"),
    ("#aa4499", "#fff"),
    ("#56b4e9", "#111"),
    ("#e69f00", "#111"),
    ("#882255", "#fff"),
    ("#44aa99", "#111"),
    ("#332288", "#fff"),
    ("#999933", "#111"),
];

impl SegmentedPage {
    /// The page as an SVG picture: leaves in the colours of their segments, with a legend.
    pub fn to_svg(&self) -> String {
        let picture = Picture::new(self);
        let mut drawn = String::new();
        let height = picture.draw(&mut drawn);
        let listed = self.segmentation.segments.len().min(MAX_LISTED);
        let height = height.max(ENTRY_HEIGHT * (listed as f32 + 1.0));
        let mut out = String::new();
        let width = picture.width + LEGEND_WIDTH;
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"Helvetica, Arial, sans-serif\"><title>"
        );
        append_text(&picture.title(), &mut out);
        let _ = write!(
            out,
            "</title><style>{PICTURE_STYLE}</style><rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#f6f7f8\"/>"
        );
        out.push_str(&drawn);
        picture.append_legend(&mut out);
        out.push_str("</svg>\n");
        out
    }

    /// The picture in an HTML page, with a legend beside it.
    pub fn to_html(&self) -> String {
        let picture = Picture::new(self);
        let mut drawn = String::new();
        let height = picture.draw(&mut drawn);
        let segments = &self.segmentation.segments;
        let mut out = String::from(HTML_HEAD);
        // Where an entry of the legend is pointed at, the other segments fade.
        for number in 0..segments.len().min(MAX_LISTED) {
            let _ = write!(out, "body:has(#l{number}:hover) .s:not(#s{number}){{opacity:.15}}");
        }
        out.push_str("</style><title>");
        append_text(&picture.title(), &mut out);
        out.push_str("</title></head><body><header><h1>");
        append_text(&picture.title(), &mut out);
        let characters: u64 = segments.iter().map(|segment| u64::from(segment.characters)).sum();
        let _ = write!(
            out,
            "</h1><p>{} segments by <b>{}</b>, {characters} characters, page of {:.0} × {:.0} pixels.{}</p></header><main><figure>",
            segments.len(),
            self.method,
            self.layout.width,
            self.layout.height,
            if self.segmentation.is_complete { "" } else { " The search was stopped by its limit of work." }
        );
        let width = picture.width;
        let _ = write!(
            out,
            "<svg width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">{drawn}</svg></figure><nav><ol>"
        );
        for (number, segment) in segments.iter().enumerate().take(MAX_LISTED) {
            let (color, ink) = color_of(number);
            let _ = write!(
                out,
                "<li id=\"l{number}\"><a href=\"#s{number}\"><b style=\"background:{color};color:{ink}\">{number}</b> {} \
                 <small>{} characters</small><span>",
                segment.role, segment.characters
            );
            append_text(&self.first_words(number), &mut out);
            out.push_str("</span></a></li>");
        }
        out.push_str("</ol>");
        if let Some(note) = picture.unlisted() {
            let _ = write!(out, "<p>{note}</p>");
        }
        out.push_str("</nav></main></body></html>\n");
        out
    }

    /// The start of a segment's text.
    fn first_words(&self, number: usize) -> String {
        let text = self.text(number);
        let mut words = String::new();
        let mut characters = text.trim().chars().map(|character| if character == '\n' { ' ' } else { character });
        words.extend(characters.by_ref().take(LEGEND_CHARACTERS));
        if characters.next().is_some() {
            words.push('…');
        }
        if words.is_empty() && !self.segmentation.segments[number].leaves.is_empty() {
            words.push_str("(images)");
        }
        words
    }
}

/// A rectangle of the picture.
#[derive(Clone, Copy)]
struct Rectangle {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

/// What is left to draw.
struct Room {
    leaves: usize,
    characters: usize,
}

/// The page at the size at which it is drawn.
struct Picture<'a> {
    page: &'a SegmentedPage,
    scale: f32,
    width: f32,
    height: f32,
    /// The number of block elements before each node.
    blocks_before: Vec<u32>,
}

impl<'a> Picture<'a> {
    fn new(page: &'a SegmentedPage) -> Picture<'a> {
        let length = |length: f32| if length.is_finite() { length.max(1.0) } else { 1.0 };
        let scale = (MAX_WIDTH / length(page.layout.width)).min(1.0);
        let mut blocks = 0;
        let mut blocks_before: Vec<u32> = Vec::with_capacity(page.document.len() + 1);
        for id in page.document.ids() {
            blocks_before.push(blocks);
            blocks += is_block(page.document.html_name(id)) as u32;
        }
        blocks_before.push(blocks);
        let width = (scale * length(page.layout.width)).min(MAX_WIDTH);
        let height = (scale * length(page.layout.height)).clamp(40.0, MAX_HEIGHT);
        Picture { page, scale, width, height, blocks_before }
    }

    fn title(&self) -> String {
        match title(&self.page.document) {
            Some(title) => format!("Segments of “{title}”"),
            None => "Segments of a page".to_string(),
        }
    }

    /// Draws the page and the notes below it. Returns the height of both.
    fn draw(&self, out: &mut String) -> f32 {
        let segments = &self.page.segmentation.segments;
        let _ = write!(
            out,
            "<g transform=\"translate(0 {BADGE_HEIGHT})\"><rect y=\"-{BADGE_HEIGHT}\" width=\"{:.0}\" height=\"{:.0}\" fill=\"#fff\"/>",
            self.width,
            self.height + BADGE_HEIGHT
        );
        // Large segments first, so that they do not cover small ones.
        let area = |number: usize| segments[number].bounds.map_or(0.0, |[_, _, width, height]| width * height);
        let mut order: Vec<usize> = (0..segments.len()).collect();
        order.sort_by(|one, two| area(*two).total_cmp(&area(*one)).then(one.cmp(two)));
        let mut room = Room { leaves: MAX_LEAVES, characters: MAX_LABEL_CHARACTERS };
        for number in order {
            if room.leaves == 0 {
                break;
            }
            self.draw_segment(number, &mut room, out);
        }
        self.draw_badges(out);
        let notes = self.notes(&room);
        for (line, note) in notes.iter().enumerate() {
            let y = self.height + 20.0 * (line as f32 + 0.8);
            let _ = write!(out, "<text x=\"4\" y=\"{y:.1}\" font-size=\"13\" fill=\"#555\">{note}</text>");
        }
        out.push_str("</g>");
        BADGE_HEIGHT + self.height + 20.0 * notes.len() as f32
    }

    fn draw_segment(&self, number: usize, room: &mut Room, out: &mut String) {
        let SegmentedPage { document, layout, segmentation, .. } = self.page;
        let segment = &segmentation.segments[number];
        let (color, _) = color_of(number);
        let _ = write!(
            out,
            "<g class=\"s\" id=\"s{number}\" fill=\"{color}\"><title>{number} {}: {} characters</title>",
            segment.role, segment.characters
        );
        // The end of the leaf whose label has the text of the leaves inside it.
        let mut labelled_to = NodeId::DOCUMENT;
        for leaf in &segment.leaves {
            if room.leaves == 0 {
                break;
            }
            let text_nodes = || document.children(*leaf).filter(|child| document.is_text(*child));
            let is_image = text_nodes().next().is_none();
            let is_paragraph = segmentation.segment_of(*leaf) == Some(number) && !self.has_block_inside(*leaf);
            let shown = if is_paragraph || is_image {
                Some(*layout.node(*leaf))
            } else {
                // Around other things: only the text itself.
                text_nodes().map(|id| *layout.node(id)).filter(|at| at.area() > 0.0).reduce(around)
            };
            let Some(at) = shown.filter(|at| at.area() > 0.0).and_then(|at| self.rectangle(&at)) else { continue };
            room.leaves -= 1;
            let is_inside = *leaf < labelled_to;
            let opacity = match (is_image, is_inside) {
                (true, _) => ".34",
                (false, true) => ".1",
                (false, false) => ".16",
            };
            let Rectangle { x, y, width, height } = at;
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill-opacity=\"{opacity}\"/>"
            );
            if is_inside {
                continue;
            }
            let style = layout.node(*leaf);
            if is_paragraph {
                labelled_to = document.end(*leaf);
                let inside = document.descendants(*leaf).filter(|id| document.is_text(*id));
                let seen =
                    |id: &NodeId| document.parent(*id).is_some_and(|parent| !is_unseen(document.html_name(parent)));
                let texts = inside.filter(seen).map(|id| document.text(id));
                let alternative = document.attribute(*leaf, Name::ALT).filter(|_| is_image);
                self.draw_label(at, style, texts.chain(alternative), room, out);
            } else {
                self.draw_label(at, style, text_nodes().map(|id| document.text(id)), room, out);
            }
        }
        if let Some([x, y, width, height]) = segment.bounds
            && let Some(Rectangle { x, y, width, height }) = self.rectangle(&NodeBox::new(x, y, width, height))
        {
            let _ = write!(
                out,
                "<rect class=\"o\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"{color}\"/>"
            );
        }
        out.push_str("</g>");
    }

    fn has_block_inside(&self, id: NodeId) -> bool {
        let end = self.page.document.end(id);
        self.blocks_before[end.index()] > self.blocks_before[id.index() + 1]
    }

    /// The part of a box that is in the picture.
    fn rectangle(&self, at: &NodeBox) -> Option<Rectangle> {
        let left = (at.x * self.scale).clamp(0.0, self.width);
        let top = (at.y * self.scale).clamp(0.0, self.height);
        let right = ((at.x + at.width) * self.scale).clamp(0.0, self.width);
        let bottom = ((at.y + at.height) * self.scale).clamp(0.0, self.height);
        let rectangle = Rectangle { x: left, y: top, width: right - left, height: bottom - top };
        (rectangle.width > 0.0 && rectangle.height > 0.0).then_some(rectangle)
    }

    /// Writes as much of a text into a rectangle as fits.
    fn draw_label<'t>(
        &self,
        at: Rectangle,
        style: &NodeBox,
        texts: impl Iterator<Item = &'t str>,
        room: &mut Room,
        out: &mut String,
    ) {
        let size = (style.font_size * self.scale).clamp(MIN_FONT, 24.0).min(0.9 * at.height);
        if size < MIN_FONT || at.width < 2.0 * size || room.characters == 0 {
            return;
        }
        let step = 1.22 * size;
        let max_lines = ((at.height / step) as usize).max(1);
        // Boxes of links are as wide as their text, in a font that may be narrower than the one here.
        let slack = if max_lines == 1 { 1.25 } else { 1.0 };
        let max_width = slack * at.width / size;
        let lines = wrap(texts, max_width, max_lines, &mut room.characters);
        if lines.is_empty() {
            return;
        }
        let weight = if style.font_weight >= 600 { " font-weight=\"700\"" } else { "" };
        let _ = write!(out, "<text fill=\"#222\" font-size=\"{size:.1}\"{weight}>");
        // The lines are in the middle, as padding puts them.
        let above = ((at.height - step * lines.len() as f32) / 2.0).clamp(0.0, 2.0 * size);
        for (number, line) in lines.iter().enumerate() {
            let y = at.y + above + step * number as f32 + 0.95 * size;
            let _ = write!(out, "<tspan x=\"{:.1}\" y=\"{y:.1}\"", at.x + 1.0);
            if text_width(line) * size > 0.9 * at.width {
                let _ = write!(out, " textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\"", at.width - 2.0);
            }
            out.push('>');
            append_text(line, out);
            out.push_str("</tspan>");
        }
        out.push_str("</text>");
    }

    /// Draws the number and the role of each segment at its corner. Badges that would cover another one move to the right.
    fn draw_badges(&self, out: &mut String) {
        let segments = &self.page.segmentation.segments;
        let mut placed: Vec<Rectangle> = Vec::new();
        out.push_str("<g font-size=\"10.5\" font-weight=\"700\" pointer-events=\"none\">");
        for (number, segment) in segments.iter().enumerate().take(MAX_LISTED) {
            let Some([x, y, width, height]) = segment.bounds else { continue };
            let Some(bounds) = self.rectangle(&NodeBox::new(x, y, width, height)) else { continue };
            let label = format!("{number} {}", segment.role);
            let width = 6.3 * label.len() as f32 + 8.0;
            let x = bounds.x.min(self.width - width).max(0.0);
            let mut badge = Rectangle {
                x,
                y: (bounds.y - BADGE_HEIGHT).clamp(-BADGE_HEIGHT, self.height - BADGE_HEIGHT),
                width,
                height: BADGE_HEIGHT,
            };
            while let Some(other) = placed.iter().find(|other| overlap(other, &badge)) {
                badge.x = other.x + other.width + 1.0;
                if badge.x + badge.width > self.width {
                    break;
                }
            }
            badge.x = badge.x.min(self.width - width).max(0.0);
            placed.push(badge);
            let (color, ink) = color_of(number);
            let _ = write!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{BADGE_HEIGHT}\" rx=\"3\" fill=\"{color}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{ink}\">{label}</text>",
                badge.x,
                badge.y,
                badge.x + 4.0,
                badge.y + 11.3
            );
        }
        out.push_str("</g>");
    }

    /// What the picture leaves out.
    fn notes(&self, room: &Room) -> Vec<String> {
        let mut notes = Vec::new();
        let whole = self.scale * self.page.layout.height;
        if whole > MAX_HEIGHT {
            notes.push(format!("The page continues: {:.0} % of its height is drawn.", 100.0 * MAX_HEIGHT / whole));
        }
        if room.leaves == 0 {
            notes.push(format!(
                "Only the first {MAX_LEAVES} texts and images are drawn, those of large segments first."
            ));
        }
        if room.characters == 0 {
            notes.push("Some texts are left out.".to_string());
        }
        notes
    }

    fn unlisted(&self) -> Option<String> {
        let more = self.page.segmentation.segments.len().saturating_sub(MAX_LISTED);
        (more > 0).then(|| format!("… and {more} more segments"))
    }

    fn append_legend(&self, out: &mut String) {
        let x = self.width + 16.0;
        for (number, segment) in self.page.segmentation.segments.iter().enumerate().take(MAX_LISTED) {
            let (color, ink) = color_of(number);
            let y = ENTRY_HEIGHT * number as f32 + 12.0;
            let _ = write!(
                out,
                "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"26\" height=\"16\" rx=\"3\" fill=\"{color}\"/>\
                 <text x=\"{:.0}\" y=\"{:.0}\" font-size=\"11\" font-weight=\"700\" text-anchor=\"middle\" fill=\"{ink}\">{number}</text>\
                 <text x=\"{:.0}\" y=\"{:.0}\" font-size=\"13\" fill=\"#222\"><tspan font-weight=\"700\">{}</tspan>\
                 <tspan fill=\"#666\" dx=\"6\">{} characters</tspan></text><text x=\"{:.0}\" y=\"{:.0}\" font-size=\"11\" fill=\"#666\">",
                x + 13.0,
                y + 12.0,
                x + 34.0,
                y + 13.0,
                segment.role,
                segment.characters,
                x + 34.0,
                y + 28.0
            );
            append_text(&self.page.first_words(number), out);
            out.push_str("</text>");
        }
        if let Some(note) = self.unlisted() {
            let y = ENTRY_HEIGHT * MAX_LISTED as f32 + 24.0;
            let _ = write!(out, "<text x=\"{x:.0}\" y=\"{y:.0}\" font-size=\"13\" fill=\"#666\">{note}</text>");
        }
    }
}

/// The colour of a segment, and that of text on it.
fn color_of(number: usize) -> (&'static str, &'static str) {
    PALETTE[number % PALETTE.len()]
}

/// The box around two boxes.
fn around(one: NodeBox, two: NodeBox) -> NodeBox {
    let (x, y) = (one.x.min(two.x), one.y.min(two.y));
    let width = (one.x + one.width).max(two.x + two.width) - x;
    let height = (one.y + one.height).max(two.y + two.height) - y;
    NodeBox { x, y, width, height, ..one }
}

fn overlap(one: &Rectangle, two: &Rectangle) -> bool {
    one.x < two.x + two.width && two.x < one.x + one.width && one.y < two.y + two.height && two.y < one.y + one.height
}

/// Breaks texts into lines of a width in units of the font's size. A last line that is cut ends in `…`.
fn wrap<'t>(texts: impl Iterator<Item = &'t str>, width: f32, max_lines: usize, room: &mut usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = width;
    for word in texts.flat_map(str::split_whitespace) {
        let mut is_first = true;
        for character in word.chars() {
            let own = character_width(character);
            // A word goes to the next line as a whole; if there is none, as much of it stays as fits.
            let needed = match is_first && lines.len() < max_lines {
                true => CHARACTER_WIDTH + text_width(word).min(width),
                false => own,
            };
            if used + needed > width || lines.is_empty() {
                if lines.len() == max_lines || *room == 0 {
                    if let Some(last) = lines.last_mut() {
                        last.push('…');
                    }
                    return lines;
                }
                lines.push(String::new());
                used = 0.0;
            } else if is_first && let Some(line) = lines.last_mut() {
                line.push(' ');
                used += CHARACTER_WIDTH;
            }
            if let Some(line) = lines.last_mut() {
                line.push(character);
            }
            used += own;
            *room = room.saturating_sub(1);
            is_first = false;
        }
    }
    lines
}

/// The width of a text, in units of the font's size.
fn text_width(text: &str) -> f32 {
    text.chars().map(character_width).sum()
}

fn character_width(character: char) -> f32 {
    if character >= '\u{2e80}' { 1.0 } else { CHARACTER_WIDTH }
}

/// Appends text to HTML or XML. Characters that XML does not allow are replaced.
fn append_text(text: &str, out: &mut String) {
    let allowed = |character| match character {
        '\n' | '\t' | '\r' => ' ',
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        character => character,
    };
    append_escaped(&text.chars().map(allowed).collect::<String>(), out);
}

/// Where a segment is pointed at, the others fade.
const PICTURE_STYLE: &str =
    ".o{stroke-width:1.5}.s:hover .o,.s:target .o{stroke-width:4}svg:has(.s:hover) .s:not(:hover){opacity:.25}";

const HTML_HEAD: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\"><style>\
body{font:14px/1.45 system-ui,sans-serif;color:#1f2328;margin:1.2rem;background:#f6f7f8}h1{font-size:1.3rem;margin:0}header p{margin:.2rem 0 .8rem;color:#555}\
main{display:flex;gap:1.2rem;align-items:flex-start}figure{margin:0;flex:0 1 auto;box-shadow:0 0 0 1px #d8dee4}figure svg{display:block;max-width:100%;height:auto;font-family:Helvetica,Arial,sans-serif}\
nav{flex:0 0 21rem;position:sticky;top:.6rem;max-height:calc(100vh - 1.2rem);overflow-y:auto}ol{list-style:none;margin:0;padding:0}\
li a{display:block;padding:.3rem .4rem;border-radius:.3rem;color:inherit;text-decoration:none}li a:hover,li a:focus-visible{background:#e3e8ee}\
li b{display:inline-block;min-width:1.7em;text-align:center;border-radius:.2rem;font-size:.85em}small{color:#666}span{display:block;color:#555;font-size:.85em;overflow-wrap:anywhere}\
.o{stroke-width:1.5}.s:hover .o,.s:target .o{stroke-width:4}svg:has(.s:hover) .s:not(:hover){opacity:.25}@media(max-width:60rem){main{display:block}nav{position:static;max-height:none}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_and_cut() {
        let mut room = 1000;
        assert_eq!(wrap(["one two", "three"].into_iter(), 5.0, 9, &mut room), ["one two", "three"]);
        assert_eq!(wrap(["one two three"].into_iter(), 5.0, 1, &mut room), ["one two t…"]);
        assert_eq!(wrap(["   "].into_iter(), 5.0, 1, &mut room), Vec::<String>::new());
        assert!(wrap(["x".repeat(5000).as_str()].into_iter(), 5.0, 3, &mut room).len() == 3);
    }
}
