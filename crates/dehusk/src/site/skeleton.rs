//! A page of one kind as it is drawn: what is template with its texts, and slots where pages have something of their own.
//!
//! Takes a page and its detection and keeps a bounded list of lines in page order. Fingerprints alone cannot be drawn, so this is
//! the one place where a template holds words of its site.

use crate::detection::Detection;
use crate::dom::elements::{heading_level, is_block};
use crate::dom::elements::{is_picture, is_unseen};
use crate::dom::{Document, Name, NodeId, Stats};

/// LineReader and characters of a line that are kept, chosen by hand: some screens full.
const MAX_LINES: usize = 600;
const MAX_CHARACTERS: usize = 160;
const MAX_NAME: usize = 60;

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SkeletonLineKind {
    /// An element that holds the deeper lines after it.
    Block,
    /// A text of the template.
    Text,
    /// The text of a link of the template.
    Link,
    /// A heading of the template.
    Heading,
    /// A picture or form field of the template.
    Picture,
    /// A place where pages have something of their own.
    Slot,
}

impl SkeletonLineKind {
    /// All kinds, for files.
    pub(super) const ALL: [(SkeletonLineKind, &'static str); 6] = [
        (SkeletonLineKind::Block, "block"),
        (SkeletonLineKind::Text, "text"),
        (SkeletonLineKind::Link, "link"),
        (SkeletonLineKind::Heading, "heading"),
        (SkeletonLineKind::Picture, "picture"),
        (SkeletonLineKind::Slot, "slot"),
    ];

    /// The name in files and in drawings.
    pub fn name(self) -> &'static str {
        SkeletonLineKind::ALL.iter().find(|(kind, _)| *kind == self).map_or("text", |(_, name)| name)
    }
}

/// A line of a skeleton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkeletonLine {
    /// How many blocks it stands in.
    pub depth: u32,
    /// What it is.
    pub kind: SkeletonLineKind,
    /// The share of the pages that have it, in thousandths; 0 for slots and blocks.
    pub support: u32,
    /// The element, as `div.menu`.
    pub name: String,
    /// The text, cut; for slots, how much of the page's own stands there.
    pub text: String,
}

/// A page of one kind, as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    /// Its lines in page order.
    pub lines: Vec<SkeletonLine>,
    /// Whether the page has more than is kept.
    pub truncated: bool,
}

impl Skeleton {
    pub(super) fn of(document: &Document, stats: &Stats, detection: &Detection) -> Skeleton {
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
            let goes_on = skeleton.add(document, detection, at, depth);
            if goes_on && document.is_element(at) && is_block(document.html_name(at)) {
                open.push((end, depth + 1));
            }
            at = if goes_on { NodeId(at.0 + 1) } else { end };
        }
        skeleton
    }

    /// Adds a node of the template. Says whether to look into it.
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
        if is_picture(document.html_name(at), document.name(at)) && detection.is_dropped(at) {
            let text = document.attribute(at, Name::ALT).or(document.attribute(at, Name::PLACEHOLDER));
            let text = truncate(text.unwrap_or_default(), MAX_CHARACTERS);
            self.lines.push(SkeletonLine {
                depth,
                kind: SkeletonLineKind::Picture,
                support,
                name: name_of(document, at),
                text,
            });
            // A button shows its words, too.
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

    /// Adds a slot, or makes the one before it larger.
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

/// For each node and the end, how many texts and pictures before it are dropped.
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

/// An element by its name, first class or id: `nav.main`, `div#top`.
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

/// A text with white space collapsed, cut after some characters.
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
