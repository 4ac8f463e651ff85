//! The front door of segmentation: a page in, its segments out.

use super::leaf_tree::Leaf;
use super::segment_model::SegmentModel;
use super::segment_page::{GcutsSettings, LeafLabels, SegmentPage};
use crate::dom::Document;
use crate::layout::estimate;
use crate::pagelevel::PageLevelModel;
use crate::pagelevel::features::host_of;
use crate::pagelevel::{PageLevelSettings, score_page};
use dehusk::Error;
use dehusk::layout::Layout;
use dehusk::segmentation::Segmentation;
use dehusk::{Page, Segmenter};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A way to split a page into segments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum SegmentMethod {
    /// The cut of the page's tree that a model likes best. The most accurate one.
    #[default]
    Best,
    /// GCUTS: labels of least energy, by graph cuts.
    Gcuts,
    /// CCLUS: correlation clustering of the leaves.
    Cclus,
    /// The sections of PageLevel: runs of nodes with the same smoothed score.
    Sections,
}

impl SegmentMethod {
    /// All methods, the default first.
    pub const ALL: [SegmentMethod; 4] =
        [SegmentMethod::Best, SegmentMethod::Gcuts, SegmentMethod::Cclus, SegmentMethod::Sections];

    /// The name in flags and records, such as `gcuts`.
    pub fn name(self) -> &'static str {
        match self {
            SegmentMethod::Best => "best",
            SegmentMethod::Gcuts => "gcuts",
            SegmentMethod::Cclus => "cclus",
            SegmentMethod::Sections => "sections",
        }
    }
}

impl FromStr for SegmentMethod {
    type Err = Error;

    fn from_str(name: &str) -> Result<SegmentMethod, Error> {
        let found = SegmentMethod::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| Error::unknown_name("method", name, &SegmentMethod::ALL.map(SegmentMethod::name)))
    }
}

impl fmt::Display for SegmentMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Splits pages into segments by one of these methods.
///
/// ```
/// use dehusk::PageSegmenter;
/// use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
/// use std::sync::Arc;
///
/// let page = "<header><a href=/>Harbour Notes</a></header>
///     <main><h1>Nets</h1><p>Nets are mended in May, when the boats come home.</p><p>Whoever has hands sits on the quay.</p></main>
///     <footer>© Harbour Notes. <a href=/privacy>Privacy</a></footer>";
/// let found = PageSegmenter::new(Arc::new(ModelSegmenter::new(SegmentMethod::Best))).segment(page)?;
/// let largest = found.segmentation.largest().unwrap();
/// assert!(found.text(largest).contains("Nets are mended in May"));
/// # Ok::<(), dehusk::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct ModelSegmenter {
    method: SegmentMethod,
    /// The model, if it is not the built-in one.
    model: Option<Arc<SegmentModel>>,
}

/// The method, and the model by its hash.
impl fmt::Debug for ModelSegmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_ref().map(|model| format!("{:016x}", xxh3_64(&model.to_bytes())));
        f.debug_struct("ModelSegmenter").field("method", &self.method).field("model", &model).finish()
    }
}

impl ModelSegmenter {
    /// A segmenter with the built-in model.
    #[must_use]
    pub fn new(method: SegmentMethod) -> ModelSegmenter {
        ModelSegmenter { method, model: None }
    }

    /// Uses this model instead of the built-in one.
    #[must_use]
    pub fn with_model(mut self, model: SegmentModel) -> ModelSegmenter {
        self.model = Some(Arc::new(model));
        self
    }

    /// Splits a parsed page with known boxes into segments.
    #[must_use]
    pub fn segment_document(&self, document: &Document, layout: &Layout, url: Option<&str>) -> Segmentation {
        let model = self.model.as_deref().unwrap_or_else(|| SegmentModel::builtin());
        let page = SegmentPage::new(document, layout);
        let table = page.part_table();
        let labels = match self.method {
            SegmentMethod::Best => page.best(&model.cut, &table),
            SegmentMethod::Gcuts => page.gcuts(&GcutsSettings {
                metric: Some(&model.metric),
                pairs: Some(&model.adjacent),
                lambda: model.lambdas.gcuts,
                with_parents: true,
                parent_weight: GcutsSettings::PARENT_WEIGHT,
                part_cost: GcutsSettings::PART_COST,
            }),
            SegmentMethod::Cclus => page.cclus(Some(&model.any_pair), model.lambdas.cclus),
            SegmentMethod::Sections => sections(document, layout, &page, url),
        };
        page.segmentation(&labels, &model.cut, &table)
    }
}

impl Segmenter for ModelSegmenter {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn segment(&self, document: &Document, page: &Page<'_>) -> Result<(Layout, Segmentation), Error> {
        let layout = match page.boxes() {
            Some(boxes) => boxes.layout(document)?,
            None => estimate(document),
        };
        let segmentation = self.segment_document(document, &layout, page.url());
        Ok((layout, segmentation))
    }
}

/// The sections of PageLevel as labels of leaves.
fn sections(document: &Document, layout: &Layout, page: &SegmentPage<'_>, url: Option<&str>) -> LeafLabels {
    let model = PageLevelModel::builtin();
    let settings = PageLevelSettings { penalty: None, threshold: None, host: url.and_then(host_of), basic: false };
    let scores = score_page(document, layout, model, settings);
    let label = |leaf: &Leaf| scores.section(leaf.node).unwrap_or(0);
    LeafLabels { labels: page.tree.leaves.iter().map(label).collect(), is_complete: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::PageSegmenter;

    #[test]
    fn text_has_a_line_for_each_block_and_keeps_words_apart() {
        let page = "<body><div><p>Nets are <b>mended</b>, <i>slow</i>ly.</p><p>One<br>two</p><a href=a>Home</a><a href=b>News</a></div>";
        let found = PageSegmenter::new(Arc::new(ModelSegmenter::default())).segment(page).unwrap();
        let all: String = (0..found.segmentation.segments.len()).map(|at| found.text(at) + "\n").collect();
        assert!(all.contains("Nets are mended, slowly.\n"), "{all}");
        assert!(all.contains("One\ntwo"), "{all}");
        assert!(all.contains("Home News") || all.contains("Home\nNews"), "{all}");
    }
}
