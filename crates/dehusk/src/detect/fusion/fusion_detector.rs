//! The fusion detector: turns the probabilities of blocks into a decision for each node.

use super::choose::focus_threshold::focus_threshold;
use super::choose::reader_comments::{find_comments, revise_kept};
use super::choose::site_evidence::{EvidenceWeights, SiteEvidence};
use super::fusion_details::append_fusion_details;
use super::fusion_model::FusionModel;
use super::fusion_page::FusionPage;
use super::fusion_scores::FusionScores;
use crate::comments::Comments;
use crate::detect::{Buffers, Detector, DetectorInput, SiteUse, other_model};
use crate::detection::{Detection, Detectors, PageVerdict, Reason};
use crate::dom::{Document, Name, NodeId};
use crate::error::{Error, ErrorKind};
use crate::focus::Focus;
use crate::model::ModelFile;
use crate::options::Options;
use crate::site::SiteMethod;
use std::fmt;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The name in flags and rows.
const NAME: &str = "fusion";

/// The default detector: one model over the text blocks of a page, with evidence from the page's site if that is known.
#[derive(Clone, Default)]
pub struct Fusion {
    /// The model, if it is not the built-in one.
    model: Option<Arc<FusionModel>>,
    /// The site method that gives the evidence, if it is not the one the site was learned with.
    evidence: Option<SiteMethod>,
}

impl Fusion {
    /// Fusion with a model of your own.
    #[must_use]
    pub fn new(model: FusionModel) -> Fusion {
        Fusion { model: Some(Arc::new(model)), evidence: None }
    }

    /// Takes evidence from this site method instead of the one the site was learned with.
    #[must_use]
    pub fn with_evidence(mut self, method: Option<SiteMethod>) -> Fusion {
        self.evidence = method;
        self
    }

    fn model(&self) -> &FusionModel {
        self.model.as_deref().unwrap_or_else(|| FusionModel::builtin())
    }
}

impl fmt::Debug for Fusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_ref().map(|model| format!("{:016x}", xxh3_64(&model.to_bytes())));
        f.debug_struct("Fusion").field("model", &model).field("evidence", &self.evidence).finish()
    }
}

impl Detector for Fusion {
    fn name(&self) -> &'static str {
        NAME
    }

    fn detect(&self, input: &DetectorInput<'_>, buffers: &mut Buffers) -> Result<Detection, Error> {
        let DetectorInput { page, site, options, .. } = input;
        let evidence = site.map(|site| site.detect(page, self.evidence.as_ref(), options.site_level));
        let settings = FusionSettings { focus: options.focus, comments: options.comments };
        let (document, model) = (page.document, self.model());
        let mut detection = detect_fusion(document, model, evidence.as_ref(), settings, &mut buffers.fusion);
        if options.details {
            append_fusion_details(document, model, &mut buffers.fusion, &mut detection);
        }
        Ok(detection)
    }

    fn site_use(&self) -> SiteUse {
        SiteUse::Evidence
    }

    fn follows_focus(&self) -> bool {
        true
    }

    fn knows_comments(&self) -> bool {
        true
    }

    fn check(&self, options: &Options) -> Result<(), Error> {
        if self.model().comments.is_none() && options.comments != Comments::Auto {
            let message = "this model does not tell comments apart: it was trained on pages without marked comments";
            return Err(Error::new(ErrorKind::BadOptions, message));
        }
        Ok(())
    }

    fn with_model(&self, file: &ModelFile) -> Result<Arc<dyn Detector>, Error> {
        if file.kind != FusionModel::KIND {
            return Err(other_model(file, NAME));
        }
        Ok(Arc::new(Fusion { model: Some(Arc::new(FusionModel::from_file(file)?)), ..self.clone() }))
    }
}

/// What is wanted of the content of a page.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FusionSettings {
    /// How much is kept.
    pub focus: Focus,
    /// What happens to the comments of readers.
    pub comments: Comments,
}

impl From<Focus> for FusionSettings {
    fn from(focus: Focus) -> FusionSettings {
        FusionSettings { focus, ..FusionSettings::default() }
    }
}

/// Finds the content of a page with a model. The detection of a site-level method, if given, is evidence: text in the site's template is
/// less likely to be content, text that is on no other page of the site is more likely.
pub fn detect_fusion(
    document: &Document,
    model: &FusionModel,
    site: Option<&Detection>,
    settings: impl Into<FusionSettings>,
    page: &mut FusionPage,
) -> Detection {
    let settings = settings.into();
    page.prepare(document, &model.odds);
    let alone = model.score(page);
    let (scores, disputed) = match site {
        None => (alone, false),
        Some(site) => SiteEvidence::of(document, page, site).combine(page, alone, EvidenceWeights::DEFAULT),
    };
    let verdict = PageVerdict { disputed, ..model.verdict(page, &scores) };
    let is_comment = find_comments(model, page, settings.comments);
    let mut detection = decide(document, page, &scores, settings, &is_comment, verdict, site);
    detection.page = Some(verdict);
    detection
}

/// Makes a detection from the given scores, without site evidence.
pub fn apply_scores(document: &Document, page: &FusionPage, scores: &FusionScores, focus: Focus) -> Detection {
    decide(document, page, scores, focus.into(), &[], PageVerdict::default(), None)
}

fn decide(
    document: &Document,
    page: &FusionPage,
    scores: &FusionScores,
    settings: FusionSettings,
    is_comment: &[bool],
    verdict: PageVerdict,
    site: Option<&Detection>,
) -> Detection {
    let FusionSettings { focus, comments } = settings;
    let detectors = Detectors::from(NAME).and(site.map_or(Detectors::NONE, |site| site.detectors));
    let mut detection = Detection::keep_all(detectors, document);
    detection.covers_hidden = true;
    detection.fit = site.and_then(|site| site.fit);
    // A page without content keeps nothing (no probability reaches 2), unless the focus is on recall.
    let is_emptied = verdict.no_content && focus.0 <= Focus::BALANCED.0;
    let threshold = if is_emptied { 2.0 } else { focus_threshold(&page.page, scores, focus) };
    let blocks = page.len();
    let mut kept: Vec<bool> = scores.blocks.iter().map(|probability| *probability >= threshold).collect();
    revise_kept(&mut kept, page, scores, is_comment, comments);
    // For each block the number of kept blocks before it.
    let mut kept_before = Vec::with_capacity(blocks + 1);
    kept_before.push(0u32);
    for kept in &kept {
        kept_before.push(kept_before[kept_before.len() - 1] + *kept as u32);
    }
    let is_kept = |block: usize| kept_before[block + 1] > kept_before[block];
    // For each node the number of blocks that start before it.
    let mut blocks_before = vec![0u32; document.len() + 1];
    for block in 0..blocks {
        blocks_before[page.span(block).0.index() + 1] += 1;
    }
    for at in 1..blocks_before.len() {
        blocks_before[at] += blocks_before[at - 1];
    }
    let mut copy_of = vec![None; blocks];
    for (copy, kept) in &scores.copies {
        copy_of[*copy as usize] = Some(page.span(*kept as usize).0);
    }
    // Only the body is classified; the head is kept as it is.
    let Some(body) = document.find(Name::BODY) else { return detection };
    let in_template = |id: NodeId| site.filter(|site| site.is_dropped(id));
    let mut at = body.index() + 1;
    while at < document.end(body).index() {
        let id = NodeId(at as u32);
        let end = document.end(id).index();
        let (first, last) = (blocks_before[at] as usize, blocks_before[end] as usize);
        // The block that contains the start of the node.
        let open = first.checked_sub(1).filter(|open| page.span(*open).1.index() > at);
        let kept = match (first < last, open) {
            (true, _) => kept_before[last] > kept_before[first] || open.is_some_and(&is_kept),
            (false, Some(open)) => is_kept(open),
            // The box of a task goes with the text after it.
            (false, None) if document.html_name(id) == Name::INPUT => first < blocks && is_kept(first),
            // No text: an image is kept between two kept blocks, unless it is in the site's template.
            (false, None) => {
                (first == 0 || is_kept(first - 1)) && (first == blocks || is_kept(first)) && in_template(id).is_none()
            }
        };
        let probability = match (first < last, open) {
            (true, _) => scores.blocks[first..last].iter().copied().fold(0.0, f32::max),
            (false, Some(open)) => scores.blocks[open],
            (false, None) => kept as u32 as f32,
        };
        // If it is dropped because of the site, the number of pages it appears on is a better reason than a score.
        let copied = (!kept && last == first + 1).then(|| copy_of[first]).flatten().map(Reason::CopyOf);
        let site_reason = in_template(id).filter(|_| !kept).map(|site| site.reason(id));
        let site_reason = site_reason.filter(|reason| reason.is_own_evidence());
        let only_comments = first < last && (first..last).all(|block| is_comment.get(block).copied().unwrap_or(false));
        let comment = only_comments.then_some(Reason::ReaderComment);
        let reason = copied.or(site_reason).or(comment).unwrap_or(Reason::Scored { score: 1.0 - probability });
        detection.set_evidence(id, 1.0 - probability, reason);
        if !kept && blocks > 0 {
            detection.drop_subtree(document, id);
            at = end;
        } else {
            at += 1;
        }
    }
    detection
}
