//! From chances of blocks to what is kept of a page.

use super::{EvidenceWeights, FusionModel, FusionPage, FusionScores, SiteEvidence};
use crate::detection::{Detection, PageVerdict, Reason};
use crate::detector::{Detector, Detectors};
use crate::dom::{Document, Name, NodeId};
use crate::focus::Focus;

/// Finds the content of a page by a model. What a site-level detector found on the page is evidence, where there is one: what the site's
/// template claims is less likely content, what no other page of the site has is more likely.
pub fn detect_fusion(
    document: &Document,
    model: &FusionModel,
    site: Option<&Detection>,
    focus: Focus,
    page: &mut FusionPage,
) -> Detection {
    page.prepare(document, &model.odds);
    let alone = model.score(page);
    let (scores, disputed) = match site {
        None => (alone, false),
        Some(site) => SiteEvidence::of(document, page, site).join(page, alone, EvidenceWeights::DEFAULT),
    };
    let verdict = PageVerdict { disputed, ..model.verdict(page, &scores) };
    let mut detection = fuse_blocks(document, page, &scores, focus, verdict, site);
    detection.page = Some(verdict);
    detection
}

/// Decides by given scores.
pub fn fuse(document: &Document, page: &FusionPage, scores: &FusionScores, focus: Focus) -> Detection {
    fuse_blocks(document, page, scores, focus, PageVerdict::default(), None)
}

fn fuse_blocks(
    document: &Document,
    page: &FusionPage,
    scores: &FusionScores,
    focus: Focus,
    verdict: PageVerdict,
    site: Option<&Detection>,
) -> Detection {
    let detectors = site.map_or_else(Detectors::default, |site| site.detectors).and(Detector::Fusion);
    let mut detection = Detection::keep_all(detectors, document);
    detection.covers_hidden = true;
    detection.fit = site.and_then(|site| site.fit);
    // Who asks for more than balance gets the little there is.
    let cut = if verdict.no_content && focus.0 <= Focus::BALANCED.0 { 2.0 } else { focus.threshold(scores.cut) };
    let blocks = page.len();
    // Blocks that begin before each node, and how many of the blocks before each block are kept.
    let mut kept_before = Vec::with_capacity(blocks + 1);
    kept_before.push(0u32);
    for chance in &scores.blocks {
        kept_before.push(kept_before[kept_before.len() - 1] + (*chance >= cut) as u32);
    }
    let is_kept = |block: usize| kept_before[block + 1] > kept_before[block];
    let mut begun = vec![0u32; document.len() + 1];
    for block in 0..blocks {
        begun[page.span(block).0.index() + 1] += 1;
    }
    for at in 1..begun.len() {
        begun[at] += begun[at - 1];
    }
    let mut copy_of = vec![None; blocks];
    for (copy, likelier) in &scores.copies {
        copy_of[*copy as usize] = Some(page.span(*likelier as usize).0);
    }
    // Only what is shown is judged; the head stays as it is.
    let Some(body) = document.find(Name::BODY) else { return detection };
    let claimed = |id: NodeId| site.filter(|site| site.is_dropped(id));
    let mut at = body.index() + 1;
    while at < document.end(body).index() {
        let id = NodeId(at as u32);
        let end = document.end(id).index();
        let (first, last) = (begun[at] as usize, begun[end] as usize);
        // The block that is still going on where the node begins.
        let open = first.checked_sub(1).filter(|open| page.span(*open).1.index() > at);
        let kept = match (first < last, open) {
            (true, _) => kept_before[last] > kept_before[first] || open.is_some_and(&is_kept),
            (false, Some(open)) => is_kept(open),
            // Nothing to read: a picture stays between blocks that do, if it is not the site's.
            (false, None) => {
                (first == 0 || is_kept(first - 1)) && (first == blocks || is_kept(first)) && claimed(id).is_none()
            }
        };
        let chance = match (first < last, open) {
            (true, _) => scores.blocks[first..last].iter().copied().fold(0.0, f32::max),
            (false, Some(open)) => scores.blocks[open],
            (false, None) => kept as u32 as f32,
        };
        // Where it goes because of the site, on how many pages it stands says more than a score.
        let said = (!kept && last == first + 1).then(|| copy_of[first]).flatten().map(Reason::CopyOf);
        let told = claimed(id).filter(|_| !kept).map(|site| site.reason(id)).filter(|reason| reason.is_own_evidence());
        let reason = said.or(told).unwrap_or(Reason::Scored { score: 1.0 - chance });
        detection.set_evidence(id, 1.0 - chance, reason);
        if !kept && blocks > 0 {
            detection.drop_subtree(document, id);
            at = end;
        } else {
            at += 1;
        }
    }
    detection
}
