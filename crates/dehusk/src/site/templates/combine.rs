//! Combines several detections of a page into one.
//!
//! A node is dropped if any of the detectors drops it. Each detector drops the whole subtree of a dropped node, so
//! the result has no kept node inside a dropped one, and units that each detector keeps or drops as a whole remain
//! whole.

use crate::detection::Detectors;
use crate::detection::{Detection, Reason};
use crate::dom::{Document, NodeId};

/// Combines detections. The reason is that of the first detection that has one.
pub(crate) fn combine(detectors: Detectors, document: &Document, mut detections: Vec<Detection>) -> Detection {
    if detections.len() == 1
        && let Some(mut only) = detections.pop()
    {
        only.detectors = detectors;
        return only;
    }
    let mut combined = Detection::keep_all(detectors, document);
    let drops = |id: NodeId| detections.iter().any(|detection| detection.is_dropped(id));
    for id in document.ids() {
        let is_dropped = drops(id);
        // The reason comes from the first detector with evidence among those that agree with the decision.
        let agreeing = || detections.iter().filter(|detection| detection.is_dropped(id) == is_dropped);
        let explaining = agreeing().find(|detection| detection.reason(id).is_own_evidence());
        let explaining = explaining.or_else(|| agreeing().find(|detection| detection.reason(id) != Reason::NoEvidence));
        if let Some(detection) = explaining {
            combined.set_evidence(id, detection.score(id), detection.reason(id));
        }
    }
    let mut at = NodeId::DOCUMENT;
    while at.index() < document.len() {
        if drops(at) {
            combined.drop_subtree(document, at);
            at = document.end(at);
        } else {
            at.0 += 1;
        }
    }
    combined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::Detectors;
    use crate::dom::Parser;

    #[test]
    fn what_one_detector_drops_is_dropped() {
        let document = Parser::default().parse("<body><nav>a</nav><p>b</p><div>c</div>").unwrap();
        let text = |wanted: &str| document.ids().find(|id| document.text(*id) == wanted).unwrap();
        let parent = |wanted: &str| document.parent(text(wanted)).unwrap();
        let dropping = |wanted: &[&str]| {
            let mut detection = Detection::keep_all(Detectors::NONE, &document);
            for text in wanted {
                detection.set_evidence(parent(text), 0.5, Reason::Repeated { pages: 1, of: 2 });
                detection.drop_subtree(&document, parent(text));
            }
            detection
        };
        let all = || vec![dropping(&["a"]), dropping(&["a", "b"]), dropping(&[])];
        let combined = combine("align".into(), &document, all());
        assert_eq!(["a", "b", "c"].map(|wanted| combined.is_dropped(text(wanted))), [true, true, false]);
        assert_eq!((combined.detectors, combined.score(parent("b"))), ("align".into(), 0.5));
        assert_eq!(combine("align".into(), &document, vec![dropping(&["c"])]).detectors, "align".into());
        assert_eq!(combined.reason(parent("b")), Reason::Repeated { pages: 1, of: 2 });
    }
}
