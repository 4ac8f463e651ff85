//! A page of a group reduced to its template: the texts of the template, and slots for the page's own content.
//!
//! Input: a page and its detection. Output: a bounded list of lines in page order. A preview cannot be made from
//! fingerprints, so this is the only part of a template file that stores words of the site.

use crate::detection::Detection;
use crate::dom::elements::{heading_level, is_block};
use crate::dom::elements::{is_media_or_control, is_unseen};
use crate::dom::{Document, Name, NodeId, Stats};

/// Maximum number of lines, of characters of a text, and of a name. Chosen by hand: a few screens.
const MAX_LINES: usize = 600;
const MAX_CHARACTERS: usize = 160;
const MAX_NAME: usize = 60;

/// What a line shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SkeletonLineKind {
    /// An element that contains the deeper lines after it.
    Block,
    /// A text of the template.
    Text,
    /// The text of a link of the template.
    Link,
    /// A heading of the template.
    Heading,
    /// An image or form field of the template.
    Picture,
    /// A slot for content of the page itself.
    Slot,
}

impl SkeletonLineKind {
    /// All kinds with their names.
    pub(crate) const ALL: [(SkeletonLineKind, &'static str); 6] = [
        (SkeletonLineKind::Block, "block"),
        (SkeletonLineKind::Text, "text"),
        (SkeletonLineKind::Link, "link"),
        (SkeletonLineKind::Heading, "heading"),
        (SkeletonLineKind::Picture, "picture"),
        (SkeletonLineKind::Slot, "slot"),
    ];

    /// The name in files and previews.
    pub fn name(self) -> &'static str {
        SkeletonLineKind::ALL.iter().find(|(kind, _)| *kind == self).map_or("text", |(_, name)| name)
    }
}

/// A line of a skeleton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkeletonLine {
    /// The number of blocks around it.
    pub depth: u32,
    /// What it is.
    pub kind: SkeletonLineKind,
    /// The share of pages that have it, in thousandths; 0 for slots and blocks.
    pub support: u32,
    /// The element, as `div.menu`.
    pub name: String,
    /// The text, truncated; for slots, the number of words of the page's own.
    pub text: String,
}

/// The skeleton of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    /// Its lines, in page order.
    pub lines: Vec<SkeletonLine>,
    /// Whether lines beyond the limit were left out.
    pub truncated: bool,
}

impl Skeleton {
    pub(crate) fn of(document: &Document, stats: &Stats, detection: &Detection) -> Skeleton {
        let mut skeleton = Skeleton::default();
        let Some(body) = document.find(Name::BODY) else { return skeleton };
        let dropped = dropped_before(document, stats, detection);
        let mut open = vec![(document.end(body), 0u32)];
        let mut at = NodeId(body.0 + 1);
        while at < document.end(body) {
            if skeleton.lines.len() >= MAX_LINES {
                skeleton.truncated = true;
                break;
            }
            open.retain(|(end, _)| *end > at);
            let depth = open.last().map_or(0, |(_, depth)| *depth);
            let end = document.end(at);
            let counts = stats.subtree(document, at);
            let shows = counts.characters > 0 || counts.pictures > 0;
            if !shows || (document.is_element(at) && is_unseen(document.html_name(at))) {
                at = end;
                continue;
            }
            if dropped[end.index()] == dropped[at.index()] {
                skeleton.add_slot(depth, name_of(document, at), counts.words);
                at = end;
                continue;
            }
            let enter = skeleton.add(document, detection, at, depth);
            if enter && document.is_element(at) && is_block(document.html_name(at)) {
                open.push((end, depth + 1));
            }
            at = if enter { NodeId(at.0 + 1) } else { end };
        }
        skeleton
    }

    /// Adds a node of the template. Returns whether to visit its children.
    fn add(&mut self, document: &Document, detection: &Detection, at: NodeId, depth: u32) -> bool {
        let support = (detection.score(at).clamp(0.0, 1.0) * 1000.0).round() as u32;
        if document.is_text(at) {
            let ancestors = || document.ancestors(at).take_while(|id| document.html_name(*id) != Name::BODY);
            let kind = if ancestors().any(|id| document.html_name(id) == Name::A) {
                SkeletonLineKind::Link
            } else if ancestors().any(|id| heading_level(document.html_name(id)).is_some()) {
                SkeletonLineKind::Heading
            } else {
                SkeletonLineKind::Text
            };
            let name = document.parent(at).map_or(String::new(), |parent| name_of(document, parent));
            self.lines.push(SkeletonLine {
                depth,
                kind,
                support,
                name,
                text: truncate(document.text(at), MAX_CHARACTERS),
            });
            return false;
        }
        if is_media_or_control(document.html_name(at), document.name(at)) && detection.is_dropped(at) {
            let text = document.attribute(at, Name::ALT).or(document.attribute(at, Name::PLACEHOLDER));
            let text = truncate(text.unwrap_or_default(), MAX_CHARACTERS);
            self.lines.push(SkeletonLine {
                depth,
                kind: SkeletonLineKind::Picture,
                support,
                name: name_of(document, at),
                text,
            });
            // A button also shows its text.
            return document.html_name(at) == Name::BUTTON;
        }
        if document.is_element(at) && is_block(document.html_name(at)) {
            let name = name_of(document, at);
            self.lines.push(SkeletonLine {
                depth,
                kind: SkeletonLineKind::Block,
                support: 0,
                name,
                text: String::new(),
            });
        }
        true
    }

    /// Adds a slot, or extends the one before it.
    fn add_slot(&mut self, depth: u32, name: String, words: u32) {
        if let Some(last) = self.lines.last_mut()
            && last.kind == SkeletonLineKind::Slot
            && last.depth == depth
        {
            let before: u32 = last.text.parse().unwrap_or(0);
            last.text = before.saturating_add(words).to_string();
            if !last.name.ends_with('…') && last.name != name {
                last.name.push('…');
            }
            return;
        }
        self.lines.push(SkeletonLine {
            depth,
            kind: SkeletonLineKind::Slot,
            support: 0,
            name,
            text: words.to_string(),
        });
    }
}

/// Returns for each node, and for the end, the number of dropped texts and images before it.
fn dropped_before(document: &Document, stats: &Stats, detection: &Detection) -> Vec<u32> {
    let mut sums = Vec::with_capacity(document.len() + 1);
    let mut sum = 0;
    for id in document.ids() {
        sums.push(sum);
        let own = stats.range(id, NodeId(id.0 + 1));
        sum += (detection.is_dropped(id) && (own.characters > 0 || own.pictures > 0)) as u32;
    }
    sums.push(sum);
    sums
}

/// Returns the name of an element with its first class or id: `nav.main`, `div#top`.
fn name_of(document: &Document, id: NodeId) -> String {
    if !document.is_element(id) {
        return String::new();
    }
    let mut name = document.name_text(document.name(id)).to_string();
    let class = document.attribute(id, Name::CLASS).and_then(|value| value.split_whitespace().next());
    match (class, document.attribute(id, Name::ID)) {
        (Some(class), _) => name = name + "." + class,
        (None, Some(own)) if !own.trim().is_empty() => name = name + "#" + own.trim(),
        _ => {}
    }
    truncate(&name, MAX_NAME)
}

/// Collapses white space and truncates a text to a number of characters.
fn truncate(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (count, character) in text.split_whitespace().flat_map(|word| word.chars().chain([' '])).enumerate() {
        if count >= limit {
            out.push('…');
            break;
        }
        out.push(if character.is_control() { ' ' } else { character });
    }
    out.truncate(out.trim_end().len());
    out
}
