//! Several detections of one page made to one.
//!
//! A node goes when enough detectors drop it. What stands in a dropped node is dropped by each of them, so that the
//! result has no kept node in a dropped one, and units that each detector keeps or drops whole stay whole.

use crate::detection::{Detection, Reason};
use crate::dom::{Document, NodeId};

/// Joins detections; `votes` of them must drop a node. The reason is that of the first that has one.
pub(super) fn combine(name: &'static str, document: &Document, mut detections: Vec<Detection>, votes: u8) -> Detection {
    if detections.len() == 1
        && let Some(mut only) = detections.pop()
    {
        only.detector = name;
        return only;
    }
    let mut joined = Detection::keep_all(name, document);
    let drops = |id: NodeId| detections.iter().filter(|detection| detection.is_dropped(id)).count();
    for id in document.ids() {
        let goes = drops(id) >= votes as usize;
        // Of the detectors that agree with the decision, the first with evidence says why.
        let agreeing = || detections.iter().filter(|detection| detection.is_dropped(id) == goes);
        let telling = agreeing().find(|detection| detection.reason(id).is_own_evidence());
        let telling = telling.or_else(|| agreeing().find(|detection| detection.reason(id) != Reason::NoEvidence));
        if let Some(detection) = telling {
            joined.set_evidence(id, detection.score(id), detection.reason(id));
        }
    }
    let mut at = NodeId::DOCUMENT;
    while at.index() < document.len() {
        if drops(at) >= votes as usize {
            joined.drop_subtree(document, at);
            at = document.end(at);
        } else {
            at.0 += 1;
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    #[test]
    fn votes_decide() {
        let document = Parser::default().parse("<body><nav>a</nav><p>b</p><div>c</div>").unwrap();
        let text = |wanted: &str| document.ids().find(|id| document.text(*id) == wanted).unwrap();
        let parent = |wanted: &str| document.parent(text(wanted)).unwrap();
        let dropping = |wanted: &[&str]| {
            let mut detection = Detection::keep_all("x", &document);
            for text in wanted {
                detection.set_evidence(parent(text), 0.5, Reason::Repeated { pages: 1, of: 2 });
                detection.drop_subtree(&document, parent(text));
            }
            detection
        };
        let all = || vec![dropping(&["a"]), dropping(&["a", "b"]), dropping(&["b", "c"])];
        let dropped = |votes: u8| {
            let joined = combine("y", &document, all(), votes);
            ["a", "b", "c"].map(|text_of| joined.is_dropped(text(text_of)))
        };
        assert_eq!(dropped(1), [true, true, true]);
        assert_eq!(dropped(2), [true, true, false]);
        assert_eq!(dropped(3), [false, false, false]);
        assert_eq!(combine("y", &document, all(), 1).reason(parent("c")), Reason::Repeated { pages: 1, of: 2 });
    }
}
