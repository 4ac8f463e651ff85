//! PageLevel: scores each node of a page as template or content, from the page alone.
//!
//! Four logistic regressions, one per band of node areas, score the nodes. Tree isotonic regression smooths the scores, so that
//! the descendants of a template node are template, too. Sections are connected nodes of one smoothed score (PageLevel §4, §5).
//! Nodes too small to be scored are assigned to their nearest scored ancestor. The training labels come from the repetition
//! within sites.

use super::isotonic::{ScoredTree, smooth_quantized};
use super::model::PageLevelModel;
use super::scored_nodes::ScoredNodes;
use crate::dom::{Document, NodeId, Stats};
use crate::pagelevel::features::column_names;
use dehusk::detection::{Detection, Reason};
use dehusk::layout::Layout;
use dehusk::site::decide;

/// The settings of PageLevel. Settings that are `None` come from the model.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PageLevelSettings<'a> {
    /// The cost of a new section: `penalty · area of the page / area of the node`. With 0, smoothing only removes decreases of the
    /// score from a node to its descendants.
    pub penalty: Option<f32>,
    /// Nodes with at least this smoothed score are template, 0 to 1.
    pub threshold: Option<f32>,
    /// The host of the page, if known: links to it are not external.
    pub host: Option<&'a str>,
    /// Skips the smoothing: the paper's Basic.
    pub basic: bool,
}

/// The scores of a page's nodes, before and after smoothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PageScores {
    page: ScoredNodes,
    raw: Vec<f32>,
    smooth: Vec<f32>,
    /// For each scored node, the number of its section.
    sections: Vec<u32>,
    section_count: u32,
}

/// Connected nodes of one smoothed score.
#[derive(Clone, PartialEq, Debug)]
pub struct PageSection {
    /// The node that all others of the section are descendants of.
    pub root: NodeId,
    /// The number of the section around it.
    pub parent: Option<u32>,
    /// Its smoothed score.
    pub score: f32,
    /// The number of its scored nodes.
    pub nodes: u32,
}

/// The contribution of one feature to the score of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FeatureContribution {
    /// The name of the feature.
    pub feature: &'static str,
    /// The value of the feature.
    pub value: f32,
    /// The change of the log-odds of template, compared with an average node. A negative one is evidence for content.
    pub contribution: f32,
}

/// Scores the nodes of a page.
pub fn score_page(
    document: &Document,
    layout: &Layout,
    model: &PageLevelModel,
    settings: PageLevelSettings<'_>,
) -> PageScores {
    let penalty = settings.penalty.unwrap_or(model.penalty());
    let page = ScoredNodes::of(document, layout, settings.host);
    let raw = model.scores(&page);
    if settings.basic { page.with_raw_scores(raw) } else { page.with_scores(raw, penalty) }
}

impl ScoredNodes {
    /// Smooths the given scores of the nodes, whichever model they come from.
    pub fn with_scores(self, raw: Vec<f32>, penalty: f32) -> PageScores {
        let penalties = self.penalties(penalty);
        self.with_penalties(raw, &penalties)
    }

    /// Smooths the given scores of the nodes, with a penalty for each node.
    pub fn with_penalties(self, mut raw: Vec<f32>, penalties: &[f32]) -> PageScores {
        raw.resize(self.table.nodes().len(), 0.0);
        let smooth = self.smooth_with(&raw, penalties);
        self.with_smooth_scores(raw, smooth)
    }

    /// Uses the given scores without smoothing.
    pub fn with_raw_scores(self, mut raw: Vec<f32>) -> PageScores {
        raw.resize(self.table.nodes().len(), 0.0);
        let smooth = raw.clone();
        self.with_smooth_scores(raw, smooth)
    }

    fn with_smooth_scores(self, raw: Vec<f32>, smooth: Vec<f32>) -> PageScores {
        let (sections, section_count) = number_sections(&self.parents, &smooth);
        PageScores { page: self, raw, smooth, sections, section_count }
    }

    /// Smooths scores of the nodes. A new section costs `penalty · area of the page / area of the node`.
    pub fn smooth(&self, scores: &[f32], penalty: f32) -> Vec<f32> {
        self.smooth_with(scores, &self.penalties(penalty))
    }

    fn smooth_with(&self, scores: &[f32], penalties: &[f32]) -> Vec<f32> {
        smooth_quantized(ScoredTree { parents: &self.parents, scores, weights: &self.weights, penalties })
    }

    fn penalties(&self, penalty: f32) -> Vec<f32> {
        self.areas.iter().map(|area| penalty.max(0.0) * self.page_area / area.max(1.0)).collect()
    }
}

/// Numbers the connected sets of nodes with equal values.
fn number_sections(parents: &[u32], values: &[f32]) -> (Vec<u32>, u32) {
    let mut sections: Vec<u32> = Vec::with_capacity(values.len());
    let mut count = 0;
    for node in 0..values.len() {
        let parent = parents[node] as usize;
        if node > 0 && values[parent] == values[node] {
            sections.push(sections[parent]);
        } else {
            sections.push(count);
            count += 1;
        }
    }
    (sections, count)
}

impl PageScores {
    /// The scored nodes, in page order; the first is the body.
    pub fn nodes(&self) -> &[NodeId] {
        self.page.table.nodes()
    }

    /// The scores of the nodes before smoothing.
    pub fn raw(&self) -> &[f32] {
        &self.raw
    }

    /// The smoothed scores of the nodes.
    pub fn smooth(&self) -> &[f32] {
        &self.smooth
    }

    /// For each scored node, the number of its nearest scored ancestor.
    pub fn parents(&self) -> &[u32] {
        &self.page.parents
    }

    /// The scored node that decides about a node: itself or its nearest scored ancestor, by number. `None` outside the body.
    pub fn owner(&self, id: NodeId) -> Option<usize> {
        self.page.owner(id)
    }

    /// The smoothed score of a node, or of its nearest scored ancestor; 0 outside the body.
    pub fn score(&self, id: NodeId) -> f32 {
        self.owner(id).map_or(0.0, |owner| self.smooth[owner])
    }

    /// Whether a node is template: its smoothed score, or that of its nearest scored ancestor, is at least the threshold.
    ///
    /// The section of the body is never template. It has the lowest score of the page, so that nothing would be left; and where many
    /// small nodes of uncertain score (cells of a table, thumbnails) outnumber a few paragraphs, it can reach the threshold.
    pub fn is_template(&self, id: NodeId, threshold: f32) -> bool {
        self.owner(id).is_some_and(|owner| self.smooth[owner] >= threshold && self.sections[owner] != 0)
    }

    /// The section of a node, by number.
    pub fn section(&self, id: NodeId) -> Option<u32> {
        self.owner(id).map(|owner| self.sections[owner])
    }

    /// The sections of the page, in page order.
    pub fn sections(&self) -> Vec<PageSection> {
        let mut sections: Vec<PageSection> = Vec::with_capacity(self.section_count as usize);
        for (node, section) in self.sections.iter().enumerate() {
            match sections.get_mut(*section as usize) {
                Some(known) => known.nodes += 1,
                None => sections.push(PageSection {
                    root: self.nodes()[node],
                    parent: (node > 0).then(|| self.sections[self.page.parents[node] as usize]),
                    score: self.smooth[node],
                    nodes: 1,
                }),
            }
        }
        sections
    }

    /// The features with the largest contributions to the score of a node, or of its nearest scored ancestor, largest first.
    pub fn top_contributions(&self, id: NodeId, model: &PageLevelModel, limit: usize) -> Vec<FeatureContribution> {
        let Some(owner) = self.owner(id) else { return Vec::new() };
        let row = self.page.table.row(owner);
        let by_feature = model.contributions(row, self.page.areas[owner]);
        let mut all: Vec<FeatureContribution> = column_names()
            .zip(row)
            .zip(by_feature)
            .map(|((feature, value), contribution)| FeatureContribution { feature, value: *value, contribution })
            .collect();
        let size = |one: &FeatureContribution| one.contribution.abs();
        all.sort_by(|one, two| size(two).total_cmp(&size(one)).then(one.feature.cmp(two.feature)));
        all.truncate(limit);
        all
    }
}

/// The number of features in the detail of a node.
const SHOWN_FEATURES: usize = 4;

/// Adds a detail to each scored node of a detection: the features with the largest contributions to its score.
pub fn append_contributions(scores: &PageScores, model: &PageLevelModel, detection: &mut Detection) {
    for id in scores.nodes() {
        let shown: Vec<String> = scores
            .top_contributions(*id, model, SHOWN_FEATURES)
            .iter()
            .map(|one| format!("{} {:.2}: {:+.1}", one.feature, one.value, one.contribution))
            .collect();
        if !detection.set_detail(*id, shown.join(", ")) {
            break;
        }
    }
}

/// Detects the template nodes of a page by their scores.
pub fn detect_page_level(
    document: &Document,
    stats: &Stats,
    scores: &PageScores,
    model: &PageLevelModel,
    settings: PageLevelSettings<'_>,
) -> Detection {
    let mut detection = Detection::keep_all(if settings.basic { "pagelevel-basic" } else { "pagelevel" }, document);
    let threshold = settings.threshold.unwrap_or(model.threshold());
    for id in document.ids() {
        if let (Some(owner), Some(section)) = (scores.owner(id), scores.section(id)) {
            let (score, raw) = (scores.smooth[owner], scores.raw[owner]);
            detection.set_evidence(id, score, Reason::Section { raw, section });
        }
    }
    let is_template = |id: NodeId| scores.is_template(id, threshold);
    decide(document, stats, &is_template, &mut detection);
    detection
}

#[cfg(test)]
mod tests {
    use super::super::model::PageLevelModel;
    use super::*;
    use crate::dom::{Name, Parser};
    use crate::layout::estimate;

    const PAGE: &str = "<body><div id=menu style='height:200px'><a href=/a>Home</a> <a href=/b>News</a> <a href=/c>Us</a></div>
        <div id=text style='height:500px'><p>Rain fell on the harbour all day, and the boats stayed in. Nobody minded much, \
        as nets had to be mended.</p><p>The ferry came late.</p></div>";

    fn scored_nodes() -> (Document, ScoredNodes) {
        let document = Parser::default().parse(PAGE).unwrap();
        let page = ScoredNodes::of(&document, &estimate(&document), None);
        (document, page)
    }

    /// Scores by the share of words in links.
    fn by_links(page: ScoredNodes, penalty: f32) -> PageScores {
        let column = column_names().position(|name| name == "link_word_share").unwrap();
        let raw = page.table().rows().map(|(_, row)| row[column]).collect();
        page.with_scores(raw, penalty)
    }

    #[test]
    fn small_nodes_belong_to_their_ancestor_and_sections_are_connected() {
        let (document, page) = scored_nodes();
        let scores = by_links(page, 0.0);
        let menu = document.find(Name::DIV).unwrap();
        let link = document.find(Name::A).unwrap();
        assert_eq!(scores.owner(link), scores.owner(menu), "links are small and belong to the menu");
        assert!(scores.score(menu) > 0.99 && scores.score(document.find(Name::P).unwrap()) < 0.01);
        let body = document.find(Name::BODY).unwrap();
        assert!(scores.section(menu).is_some() && scores.section(menu) != scores.section(body));
        let sections = scores.sections();
        assert_eq!(sections.iter().map(|section| section.nodes as usize).sum::<usize>(), scores.nodes().len());
        assert_eq!(sections[0].root, body);
        assert!(
            sections
                .iter()
                .all(|section| section.parent.is_none_or(|parent| sections[parent as usize].score < section.score))
        );
    }

    #[test]
    fn a_high_penalty_makes_one_section() {
        let (_, page) = scored_nodes();
        assert_eq!(by_links(page, 1e6).sections().len(), 1);
    }

    #[test]
    fn the_shipped_model_drops_menus_and_keeps_text() {
        let model = PageLevelModel::builtin();
        let document = Parser::default().parse(PAGE).unwrap();
        let (stats, layout) = (Stats::of(&document), estimate(&document));
        let scores = score_page(&document, &layout, model, PageLevelSettings::default());
        let mut detection = detect_page_level(&document, &stats, &scores, model, PageLevelSettings::default());
        append_contributions(&scores, model, &mut detection);
        let (menu, text) = (document.find(Name::DIV).unwrap(), document.find(Name::P).unwrap());
        assert!(detection.is_dropped(menu) && !detection.is_dropped(text));
        assert!(matches!(detection.reason(menu), Reason::Section { .. }));
        assert!(detection.detail(menu).is_some_and(|detail| detail.contains(": ")));
        let all = PageLevelSettings { threshold: Some(1.1), ..PageLevelSettings::default() };
        assert!(!detect_page_level(&document, &stats, &scores, model, all).is_dropped(menu));
    }

    #[test]
    fn the_section_of_the_body_is_never_template() {
        let (document, page) = scored_nodes();
        let stats = Stats::of(&document);
        let nodes = page.table().nodes().len();
        for scores in [page.clone().with_scores(vec![0.9; nodes], 0.01), page.with_raw_scores(vec![0.9; nodes])] {
            let text = document.find(Name::P).unwrap();
            let settings = PageLevelSettings { threshold: Some(0.5), ..PageLevelSettings::default() };
            let detection = detect_page_level(&document, &stats, &scores, PageLevelModel::builtin(), settings);
            assert!(!scores.is_template(text, 0.5) && !detection.is_dropped(text));
        }
    }

    #[test]
    fn empty_pages_are_scored() {
        for page in ["", "<frameset>", "<body style='display:none'>x", "<script>x</script>"] {
            let document = Parser::default().parse(page).unwrap();
            let scores = by_links(ScoredNodes::of(&document, &estimate(&document), None), 0.01);
            assert!(scores.sections().len() <= 1);
        }
    }
}
