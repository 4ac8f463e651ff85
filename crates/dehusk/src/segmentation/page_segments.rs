//! The result of a segmentation: which segment each node belongs to.

use super::segment_role::SegmentRole;
use crate::detection::Detectors;
use crate::detection::{Detection, Reason};
use crate::dom::{Document, NodeId, NodeKind};
use crate::layout::node_box::Layout;

/// No segment.
const NONE: u32 = u32::MAX;

/// A page split into segments.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Segmentation {
    /// The segments, in the order of their first leaves.
    pub segments: Vec<Segment>,
    /// Whether the search ended by itself. If not, a limit of work was hit, and the segments are the best found until then.
    pub is_complete: bool,
    /// The segment of each node, or [`NONE`].
    labels: Vec<u32>,
    /// The segment of the own text or image of each node, or [`NONE`].
    leaf_labels: Vec<u32>,
}

/// A segment of a page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Segment {
    /// The outermost nodes that belong to the segment as a whole, in document order.
    pub nodes: Vec<NodeId>,
    /// Its leaves: the elements whose own text or image it holds.
    pub leaves: Vec<NodeId>,
    /// The indexes of its leaves among the elements of the body, in document order; the body is 0.
    pub leaf_elements: Vec<u32>,
    /// What it is for.
    pub role: SegmentRole,
    /// The rectangle around its shown leaves: x, y, width and height. None if none of them is shown.
    pub bounds: Option<[f32; 4]>,
    /// The characters of its text other than white space.
    pub characters: u32,
    /// How many of them are expected to be content, by the default detector.
    pub content_characters: f32,
}

/// An element whose own text or image belongs to a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentLeaf {
    /// The element.
    pub node: NodeId,
    /// Its index among the elements of the body in document order; the body is 0.
    pub element: u32,
    /// The characters of its own text other than white space.
    pub characters: u32,
    /// Whether it is visible and has an area.
    pub is_shown: bool,
}

impl Segmentation {
    /// Segments from a label for each leaf. Leaves with equal labels are one segment.
    #[must_use]
    pub fn from_leaves(document: &Document, layout: &Layout, leaves: &[SegmentLeaf], labels: &[u32]) -> Segmentation {
        let numbers = number_by_first_use(labels);
        let count = numbers.iter().map(|number| number + 1).max().unwrap_or(0);
        let mut segments = vec![Segment::default(); count as usize];
        for (leaf, number) in leaves.iter().zip(&numbers) {
            let segment = &mut segments[*number as usize];
            segment.leaves.push(leaf.node);
            segment.leaf_elements.push(leaf.element);
            segment.characters += leaf.characters;
            if leaf.is_shown {
                let shown = layout.node(leaf.node);
                let [x, y, width, height] = segment.bounds.unwrap_or([shown.x, shown.y, shown.width, shown.height]);
                let (left, top) = (x.min(shown.x), y.min(shown.y));
                let right = (x + width).max(shown.x + shown.width);
                let bottom = (y + height).max(shown.y + shown.height);
                segment.bounds = Some([left, top, right - left, bottom - top]);
            }
        }
        let (labels, leaf_labels) = node_labels(document, leaves, &numbers);
        for id in document.ids() {
            let label = labels[id.index()];
            let outer = document.parent(id).map_or(NONE, |parent| labels[parent.index()]);
            if label != NONE && label != outer {
                segments[label as usize].nodes.push(id);
            }
        }
        Segmentation { segments, is_complete: true, labels, leaf_labels }
    }

    /// The segment that a node belongs to as a whole. None if its leaves belong to several, or if it has none.
    pub fn segment_of(&self, id: NodeId) -> Option<usize> {
        self.labels.get(id.index()).filter(|label| **label != NONE).map(|label| *label as usize)
    }

    /// The segment that holds the text or image of a leaf.
    pub fn leaf_segment(&self, leaf: NodeId) -> Option<usize> {
        self.leaf_labels.get(leaf.index()).filter(|label| **label != NONE).map(|label| *label as usize)
    }

    /// The segment with the most text: the first of them, if there are several. None if there is no segment.
    pub fn largest(&self) -> Option<usize> {
        let by_size = |number: &usize| (self.segments[*number].characters, std::cmp::Reverse(*number));
        (0..self.segments.len()).max_by_key(by_size)
    }

    /// The segment with the most content, as far as the default detector can tell. In a heavy husk the largest segment may be a menu.
    pub fn main(&self) -> Option<usize> {
        let content = |number: usize| self.segments[number].content_characters;
        (0..self.segments.len()).max_by(|one, two| content(*one).total_cmp(&content(*two)).then(two.cmp(one)))
    }

    /// Keeps the largest segment and drops the others.
    pub fn largest_as_detection(&self, document: &Document) -> Detection {
        let mut detection = Detection::keep_all(Detectors::default(), document);
        let Some(largest) = self.largest() else { return detection };
        for (number, segment) in self.segments.iter().enumerate() {
            let (segment_number, score) = (number as u32, f32::from(u8::from(number != largest)));
            for id in &segment.nodes {
                for at in document.subtree(*id) {
                    let reason = Reason::InSegment { segment: segment_number, largest: number == largest };
                    detection.set_evidence(NodeId(at as u32), score, reason);
                }
                if number != largest {
                    detection.drop_subtree(document, *id);
                }
            }
        }
        detection
    }
}

/// Numbers labels in the order of their first use.
fn number_by_first_use(labels: &[u32]) -> Vec<u32> {
    let mut order: Vec<(u32, u32)> = labels.iter().enumerate().map(|(at, label)| (*label, at as u32)).collect();
    order.sort_unstable();
    let mut firsts: Vec<(u32, u32)> =
        order.chunk_by(|one, two| one.0 == two.0).map(|group| (group[0].1, group[0].0)).collect();
    firsts.sort_unstable();
    let mut number_of: Vec<(u32, u32)> =
        firsts.iter().enumerate().map(|(number, (_, label))| (*label, number as u32)).collect();
    number_of.sort_unstable();
    let number = |label: &u32| number_of.binary_search_by_key(label, |entry| entry.0).map_or(0, |at| number_of[at].1);
    labels.iter().map(number).collect()
}

/// The label of each node: that of all leaves inside, or none if they differ. Nodes without leaves belong to what is around them.
/// And the label of the own text or image of each node.
fn node_labels(document: &Document, leaves: &[SegmentLeaf], numbers: &[u32]) -> (Vec<u32>, Vec<u32>) {
    const MIXED: u32 = u32::MAX - 1;
    let join = |one: u32, two: u32| match (one, two) {
        (NONE, other) | (other, NONE) => other,
        (one, two) if one == two => one,
        _ => MIXED,
    };
    let mut labels = vec![NONE; document.len()];
    let mut own = vec![NONE; document.len()];
    for (leaf, number) in leaves.iter().zip(numbers) {
        labels[leaf.node.index()] = *number;
        own[leaf.node.index()] = *number;
    }
    for id in document.ids().rev() {
        if let Some(parent) = document.parent(id) {
            labels[parent.index()] = join(labels[parent.index()], labels[id.index()]);
        }
    }
    for id in document.ids() {
        let outer = document.parent(id);
        let mut label = labels[id.index()];
        if document.kind(id) == NodeKind::Text {
            // Text belongs to the leaf that it is the text of.
            label = outer.map_or(NONE, |outer| own[outer.index()]);
        }
        if label == NONE {
            label = outer.map_or(NONE, |outer| labels[outer.index()]);
        }
        labels[id.index()] = label;
    }
    (labels.into_iter().map(|label| if label == MIXED { NONE } else { label }).collect(), own)
}

/// The elements with text of their own, all of them shown. For tests, which know no layout.
#[cfg(test)]
pub(super) fn leaves_of(document: &Document) -> Vec<SegmentLeaf> {
    let elements = crate::layout::body_elements(document);
    let characters = |id: &NodeId| -> u32 {
        let texts = document.children(*id).filter(|child| document.is_text(*child));
        texts
            .map(|text| document.text(text).chars().filter(|character| !character.is_whitespace()).count() as u32)
            .sum()
    };
    let leaf = |(element, node): (usize, &NodeId)| SegmentLeaf {
        node: *node,
        element: element as u32,
        characters: characters(node),
        is_shown: true,
    };
    elements.iter().enumerate().map(leaf).filter(|leaf| leaf.characters > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Name, Parser};
    use crate::layout::NodeBox;

    fn page() -> (Document, Layout, Vec<SegmentLeaf>) {
        let html =
            "<body><nav><a href=a>Home</a> <a href=b>News</a></nav><p>Nets are mended <b>in May</b> again.</p><hr>";
        let document = Parser::default().parse(html).unwrap();
        let layout = Layout::new(vec![NodeBox::new(0.0, 0.0, 10.0, 10.0); document.len()]);
        let leaves = leaves_of(&document);
        (document, layout, leaves)
    }

    #[test]
    fn labels_of_leaves_give_segments_of_nodes() {
        let (document, layout, leaves) = page();
        let split = Segmentation::from_leaves(&document, &layout, &leaves, &[7, 7, 3, 3]);
        assert_eq!(split.segments.len(), 2);
        let (nav, p) = (document.find(Name::NAV).unwrap(), document.find(Name::P).unwrap());
        assert_eq!(split.segments[0].nodes, [nav]);
        assert_eq!(split.segments[1].nodes, [p]);
        assert_eq!(split.segments[1].leaf_elements, [4, 5]);
        assert_eq!(split.segment_of(document.find(Name::BODY).unwrap()), None);
        assert_eq!(split.largest(), Some(1));
        assert!(split.segments[0].bounds.is_some());
    }

    #[test]
    fn text_beside_an_element_of_another_segment_keeps_its_segment() {
        let (document, layout, leaves) = page();
        let split = Segmentation::from_leaves(&document, &layout, &leaves, &[0, 0, 1, 2]);
        let b = document.find(Name::B).unwrap();
        assert_eq!(split.segments[2].nodes, [b]);
        assert!(split.segments[1].nodes.iter().all(|id| document.is_text(*id)), "{:?}", split.segments[1].nodes);
        assert_eq!(split.segments[1].nodes.len(), 2);
    }

    #[test]
    fn the_largest_segment_is_what_is_kept() {
        let (document, layout, leaves) = page();
        let split = Segmentation::from_leaves(&document, &layout, &leaves, &[0, 0, 1, 1]);
        let detection = split.largest_as_detection(&document);
        assert!(detection.is_dropped(document.find(Name::NAV).unwrap()));
        assert!(!detection.is_dropped(document.find(Name::P).unwrap()));
        assert_eq!(detection.reason(document.find(Name::NAV).unwrap()).name(), "in_segment");
    }
}
