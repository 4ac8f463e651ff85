//! PageLevel: how much each node of a page looks like template, from the page alone.
//!
//! Four logistic regressions, one per band of node areas, score the nodes; tree isotonic regression smooths the scores, so that
//! what is called template is so with all it holds; sections are connected nodes of one value (PageLevel §4, §5). Nodes too
//! small to be judged ride with what they stand in. Trained on labels that come from the repetition within sites.

use super::isotonic::{ScoredTree, smooth_quantized};
use super::pagelevel_model::PageLevelModel;
use super::scored_nodes::JudgedPage;
use crate::decide::decide;
use crate::detection::{Detection, Reason};
use crate::detector::Detector;
use crate::dom::{Document, NodeId, Stats};
use crate::features::nodes::column_names;
use crate::layout::Layout;

/// The settings of the method; what is not set comes with the model.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PageLevel<'a> {
    /// What a new section costs: `penalty · area of the page / area of the node`. 0 smooths only where scores fall.
    pub penalty: Option<f32>,
    /// Nodes with at least this smoothed score are template, 0 to 1.
    pub threshold: Option<f32>,
    /// The host of the page, where it is known: links to it are inner ones.
    pub host: Option<&'a str>,
    /// Leaves the smoothing out: the paper's Basic.
    pub basic: bool,
}

/// The scores of a page's nodes, before and after smoothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PageScores {
    page: JudgedPage,
    raw: Vec<f32>,
    smooth: Vec<f32>,
    /// For each judged node, the number of its section.
    sections: Vec<u32>,
    section_count: u32,
}

/// Connected nodes of one smoothed score.
#[derive(Clone, PartialEq, Debug)]
pub struct PageSection {
    /// The node that holds all others of the section.
    pub root: NodeId,
    /// The section it stands in, by number.
    pub parent: Option<u32>,
    /// Its smoothed score.
    pub score: f32,
    /// How many judged nodes it has.
    pub nodes: u32,
}

/// How much a feature weighed for the score of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weighed {
    /// The name of the feature.
    pub feature: &'static str,
    /// The value of the feature.
    pub value: f32,
    /// What it adds to the log odds of template, compared with a usual node; negative where it speaks for content.
    pub weight: f32,
}

/// Scores the nodes of a page.
pub fn score_page(document: &Document, layout: &Layout, model: &PageLevelModel, settings: PageLevel<'_>) -> PageScores {
    let penalty = settings.penalty.unwrap_or(model.penalty());
    let page = JudgedPage::of(document, layout, settings.host);
    let raw = model.scores(&page);
    if settings.basic { page.with_raw_scores(raw) } else { page.with_scores(raw, penalty) }
}

impl JudgedPage {
    /// Takes scores of the judged nodes, however they were found, and smooths them.
    pub fn with_scores(self, mut raw: Vec<f32>, penalty: f32) -> PageScores {
        raw.resize(self.table.nodes().len(), 0.0);
        let smooth = self.smooth(&raw, penalty);
        self.with_smooth_scores(raw, smooth)
    }

    /// Takes scores as they are, without smoothing.
    pub fn with_raw_scores(self, mut raw: Vec<f32>) -> PageScores {
        raw.resize(self.table.nodes().len(), 0.0);
        let smooth = raw.clone();
        self.with_smooth_scores(raw, smooth)
    }

    fn with_smooth_scores(self, raw: Vec<f32>, smooth: Vec<f32>) -> PageScores {
        let (sections, section_count) = number_sections(&self.parents, &smooth);
        PageScores { page: self, raw, smooth, sections, section_count }
    }

    /// Smooths scores of the judged nodes; a new section costs `penalty · area of the page / area of the node`.
    pub fn smooth(&self, scores: &[f32], penalty: f32) -> Vec<f32> {
        let penalty = penalty.max(0.0);
        let penalties: Vec<f32> = self.areas.iter().map(|area| penalty * self.page_area / area.max(1.0)).collect();
        smooth_quantized(ScoredTree { parents: &self.parents, scores, weights: &self.weights, penalties: &penalties })
    }
}

/// Numbers the connected sets of equal values.
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
    /// The nodes that were judged, in page order; the first is the body.
    pub fn nodes(&self) -> &[NodeId] {
        self.page.table.nodes()
    }

    /// The scores of the judged nodes, each for itself.
    pub fn raw(&self) -> &[f32] {
        &self.raw
    }

    /// The smoothed scores of the judged nodes.
    pub fn smooth(&self) -> &[f32] {
        &self.smooth
    }

    /// Which judged node each judged node stands in, by number.
    pub fn parents(&self) -> &[u32] {
        &self.page.parents
    }

    /// The judged node a node is, or rides with, by number.
    pub fn ride(&self, id: NodeId) -> Option<usize> {
        self.page.ride(id)
    }

    /// The smoothed score of a node, or of what it rides with; 0 for what stands outside of the body.
    pub fn score(&self, id: NodeId) -> f32 {
        self.ride(id).map_or(0.0, |ride| self.smooth[ride])
    }

    /// The section of a node, by number.
    pub fn section(&self, id: NodeId) -> Option<u32> {
        self.ride(id).map(|ride| self.sections[ride])
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

    /// The features that weighed most for the score of a node, or of what it rides with; the heaviest first.
    pub fn weighed(&self, id: NodeId, model: &PageLevelModel, most: usize) -> Vec<Weighed> {
        let Some(ride) = self.ride(id) else { return Vec::new() };
        let row = self.page.table.row(ride);
        let weights = model.contributions(row, self.page.areas[ride]);
        let mut weighed: Vec<Weighed> = column_names()
            .zip(row)
            .zip(weights)
            .map(|((feature, value), weight)| Weighed { feature, value: *value, weight })
            .collect();
        weighed.sort_by(|one, two| two.weight.abs().total_cmp(&one.weight.abs()).then(one.feature.cmp(two.feature)));
        weighed.truncate(most);
        weighed
    }
}

/// How many features the detail of a node names.
const SHOWN_FEATURES: usize = 4;

/// Adds to a detection, for each judged node, which features weighed most for its score.
pub fn append_weighed(scores: &PageScores, model: &PageLevelModel, detection: &mut Detection) {
    for id in scores.nodes() {
        let shown: Vec<String> = scores
            .weighed(*id, model, SHOWN_FEATURES)
            .iter()
            .map(|weighed| format!("{} {:.2}: {:+.1}", weighed.feature, weighed.value, weighed.weight))
            .collect();
        detection.set_detail(*id, shown.join(", "));
    }
}

/// Finds the template of a page by its scores.
pub fn detect_page_level(
    document: &Document,
    stats: &Stats,
    scores: &PageScores,
    model: &PageLevelModel,
    settings: PageLevel<'_>,
) -> Detection {
    let mut detection =
        Detection::keep_all(if settings.basic { Detector::PageLevelBasic } else { Detector::PageLevel }, document);
    let threshold = settings.threshold.unwrap_or(model.threshold());
    for id in document.ids() {
        if let (Some(ride), Some(section)) = (scores.ride(id), scores.section(id)) {
            let (score, raw) = (scores.smooth[ride], scores.raw[ride]);
            detection.set_evidence(id, score, Reason::Section { raw, section });
        }
    }
    let is_template = |id: NodeId| scores.ride(id).is_some_and(|ride| scores.smooth[ride] >= threshold);
    decide(document, stats, &is_template, &mut detection);
    detection
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Name, Parser};
    use crate::layout::estimate;
    use crate::page::PageLevelModel;

    const PAGE: &str = "<body><div id=menu style='height:200px'><a href=/a>Home</a> <a href=/b>News</a> <a href=/c>Us</a></div>
        <div id=text style='height:500px'><p>Rain fell on the harbour all day, and the boats stayed in. Nobody minded much, \
        as nets had to be mended.</p><p>The ferry came late.</p></div>";

    fn judged() -> (Document, JudgedPage) {
        let document = Parser::default().parse(PAGE).unwrap();
        let page = JudgedPage::of(&document, &estimate(&document), None);
        (document, page)
    }

    /// Scores by the share of words in links.
    fn by_links(page: JudgedPage, penalty: f32) -> PageScores {
        let column = column_names().position(|name| name == "link_word_share").unwrap();
        let raw = page.table().rows().map(|(_, row)| row[column]).collect();
        page.with_scores(raw, penalty)
    }

    #[test]
    fn small_nodes_ride_and_sections_are_connected() {
        let (document, page) = judged();
        let scores = by_links(page, 0.0);
        let menu = document.find(Name::DIV).unwrap();
        let link = document.find(Name::A).unwrap();
        assert_eq!(scores.ride(link), scores.ride(menu), "links are small and ride with the menu");
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
        let (_, page) = judged();
        assert_eq!(by_links(page, 1e6).sections().len(), 1);
    }

    #[test]
    fn the_shipped_model_drops_menus_and_keeps_text() {
        let model = PageLevelModel::builtin();
        let document = Parser::default().parse(PAGE).unwrap();
        let (stats, layout) = (Stats::of(&document), estimate(&document));
        let scores = score_page(&document, &layout, model, PageLevel::default());
        let mut detection = detect_page_level(&document, &stats, &scores, model, PageLevel::default());
        append_weighed(&scores, model, &mut detection);
        let (menu, text) = (document.find(Name::DIV).unwrap(), document.find(Name::P).unwrap());
        assert!(detection.is_dropped(menu) && !detection.is_dropped(text));
        assert!(matches!(detection.reason(menu), Reason::Section { .. }));
        assert!(detection.detail(menu).is_some_and(|detail| detail.contains(": ")));
        let all = PageLevel { threshold: Some(1.1), ..PageLevel::default() };
        assert!(!detect_page_level(&document, &stats, &scores, model, all).is_dropped(menu));
    }

    #[test]
    fn pages_without_anything_are_scored() {
        for page in ["", "<frameset>", "<body style='display:none'>x", "<script>x</script>"] {
            let document = Parser::default().parse(page).unwrap();
            let scores = by_links(JudgedPage::of(&document, &estimate(&document), None), 0.01);
            assert!(scores.sections().len() <= 1);
        }
    }
}
