//! Several detections of one page made to one.
//!
//! A node goes when one of the detectors drops it. What stands in a dropped node is dropped by each of them, so that the
//! result has no kept node in a dropped one, and units that each detector keeps or drops whole stay whole.

use crate::detection::{Detection, Reason};
use crate::detector::Detectors;
use crate::dom::{Document, NodeId};

/// Joins detections. The reason is that of the first that has one.
pub(super) fn combine(detectors: Detectors, document: &Document, mut detections: Vec<Detection>) -> Detection {
    if detections.len() == 1
        && let Some(mut only) = detections.pop()
    {
        only.detectors = detectors;
        return only;
    }
    let mut joined = Detection::keep_all(detectors, document);
    let drops = |id: NodeId| detections.iter().any(|detection| detection.is_dropped(id));
    for id in document.ids() {
        let goes = drops(id);
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
        if drops(at) {
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
    use crate::detector::Detector;
    use crate::dom::Parser;

    #[test]
    fn what_one_drops_goes() {
        let document = Parser::default().parse("<body><nav>a</nav><p>b</p><div>c</div>").unwrap();
        let text = |wanted: &str| document.ids().find(|id| document.text(*id) == wanted).unwrap();
        let parent = |wanted: &str| document.parent(text(wanted)).unwrap();
        let dropping = |wanted: &[&str]| {
            let mut detection = Detection::keep_all(Detector::None, &document);
            for text in wanted {
                detection.set_evidence(parent(text), 0.5, Reason::Repeated { pages: 1, of: 2 });
                detection.drop_subtree(&document, parent(text));
            }
            detection
        };
        let all = || vec![dropping(&["a"]), dropping(&["a", "b"]), dropping(&[])];
        let joined = combine(Detector::Align.into(), &document, all());
        assert_eq!(["a", "b", "c"].map(|wanted| joined.is_dropped(text(wanted))), [true, true, false]);
        assert_eq!((joined.detectors, joined.score(parent("b"))), (Detector::Align.into(), 0.5));
        assert_eq!(
            combine(Detector::Align.into(), &document, vec![dropping(&["c"])]).detectors,
            Detector::Align.into()
        );
        assert_eq!(joined.reason(parent("b")), Reason::Repeated { pages: 1, of: 2 });
    }
}
