//! The front door of segmentation: a page in, its segments out.

use crate::dom::elements::{begins_word, is_block};
use crate::dom::{Document, Limits, Name, NodeId, Parser, decode};
use crate::error::Error;
use crate::flags::Flag;
use crate::layout::{Layout, estimate};
use crate::page::{PageLevel, PageLevelModel, host_of, score_page};
use crate::page_input::Page;
use crate::segment::{GcutsSettings, Leaf, LeafLabels, SegmentModel, SegmentPage, Segmentation};
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

/// Splits pages into segments.
///
/// ```
/// use dehusk::{SegmentMethod, Segmenter};
///
/// let page = "<header><a href=/>Harbour Notes</a></header>
///     <main><h1>Nets</h1><p>Nets are mended in May, when the boats come home.</p><p>Whoever has hands sits on the quay.</p></main>
///     <footer>© Harbour Notes. <a href=/privacy>Privacy</a></footer>";
/// let found = Segmenter::new(SegmentMethod::Best).segment(page)?;
/// let largest = found.segmentation.largest().unwrap();
/// assert!(found.text(largest).contains("Nets are mended in May"));
/// # Ok::<(), dehusk::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Segmenter {
    method: SegmentMethod,
    /// The model, if it is not the built-in one.
    model: Option<Arc<SegmentModel>>,
    limits: Limits,
    scripting: bool,
}

/// The settings, and the model by its hash.
impl fmt::Debug for Segmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Segmenter { method, model, limits, scripting } = self;
        let model = model.as_ref().map(|model| format!("{:016x}", xxh3_64(&model.to_bytes())));
        f.debug_struct("Segmenter")
            .field("method", method)
            .field("model", &model)
            .field("limits", limits)
            .field("scripting", scripting)
            .finish()
    }
}

/// A page and its segments.
#[derive(Clone, Debug)]
pub struct SegmentedPage {
    /// The tree.
    pub document: Document,
    /// Its boxes.
    pub layout: Layout,
    /// The segments.
    pub segmentation: Segmentation,
    /// The method that found them.
    pub method: SegmentMethod,
}

impl Segmenter {
    /// A segmenter with the built-in model.
    pub fn new(method: SegmentMethod) -> Segmenter {
        Segmenter { method, ..Segmenter::default() }
    }

    /// Uses this model instead of the built-in one.
    pub fn with_model(mut self, model: SegmentModel) -> Segmenter {
        self.model = Some(Arc::new(model));
        self
    }

    /// Sets what one page may cost.
    pub fn with_limits(mut self, limits: Limits) -> Segmenter {
        self.limits = limits;
        self
    }

    /// Sets whether to read pages as a browser that runs scripts does, which ignores `noscript` elements.
    pub fn with_scripting(mut self, scripting: bool) -> Segmenter {
        self.scripting = scripting;
        self
    }

    /// The method.
    pub fn method(&self) -> SegmentMethod {
        self.method
    }

    /// Splits a page into segments.
    ///
    /// # Errors
    /// If the bytes are not a page, such as an image, or exceed a limit, or if boxes were given that do not belong to the page.
    pub fn segment<'p>(&self, page: impl Into<Page<'p>>) -> Result<SegmentedPage, Error> {
        let page = page.into();
        let decoded = decode(page.bytes, page.content_type, &self.limits)?;
        let document = Parser::new(self.limits).with_scripting(self.scripting).parse(decoded.text)?;
        let layout = match page.boxes {
            Some(boxes) => boxes.layout(&document)?,
            None => estimate(&document),
        };
        let segmentation = self.segment_document(&document, &layout, page.url);
        Ok(SegmentedPage { document, layout, segmentation, method: self.method })
    }

    /// Splits a parsed page with known boxes into segments.
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

/// The sections of PageLevel as labels of leaves.
fn sections(document: &Document, layout: &Layout, page: &SegmentPage<'_>, url: Option<&str>) -> LeafLabels {
    let model = PageLevelModel::builtin();
    let settings = PageLevel { penalty: None, threshold: None, host: url.and_then(host_of), basic: false };
    let scores = score_page(document, layout, model, settings);
    let label = |leaf: &Leaf| scores.section(leaf.node).unwrap_or(0);
    LeafLabels { labels: page.tree.leaves.iter().map(label).collect(), is_complete: true }
}

/// The nodes between two texts that are searched for a line break.
const MAX_NODES_BETWEEN: usize = 8;

impl SegmentedPage {
    /// The limits that the page hit, as flags: the segments are those of a part of the page.
    pub fn flags(&self) -> Vec<Flag> {
        self.document.limits_hit().iter().map(Flag::LimitHit).collect()
    }

    /// The text of a segment, in the order of the page, with a line for each block.
    pub fn text(&self, segment: usize) -> String {
        let document = &self.document;
        let leaves = self.segmentation.segments[segment].leaves.iter();
        let mut nodes: Vec<NodeId> =
            leaves.flat_map(|leaf| document.children(*leaf).filter(|child| document.is_text(*child))).collect();
        nodes.sort_unstable();
        let mut text = String::new();
        let mut before: Option<NodeId> = None;
        for id in nodes {
            let own = document.text(id);
            let mut words = own.split_whitespace().peekable();
            if words.peek().is_none() {
                // Spaces between two elements separate their words.
                if !text.is_empty() && !text.ends_with(char::is_whitespace) {
                    text.push(' ');
                }
                continue;
            }
            if before.is_some_and(|before| self.is_block_between(before, id)) {
                text.truncate(text.trim_end().len());
                text.push('\n');
            } else if !text.is_empty()
                && !text.ends_with(char::is_whitespace)
                && (own.starts_with(char::is_whitespace) || before.is_some_and(|before| self.is_new_word(before, id)))
            {
                text.push(' ');
            }
            for (number, word) in words.enumerate() {
                if number > 0 {
                    text.push(' ');
                }
                text.push_str(word);
            }
            if own.ends_with(char::is_whitespace) {
                text.push(' ');
            }
            before = Some(id);
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Whether the second of two texts in a line begins a word, though there is no space between them.
    fn is_new_word(&self, one: NodeId, two: NodeId) -> bool {
        let document = &self.document;
        let mut opened = document.ancestors(two).take_while(|around| !document.contains(*around, one));
        opened.any(|id| begins_word(document, one, id))
    }

    /// Whether a block begins or ends, or a line is broken, between two texts.
    fn is_block_between(&self, one: NodeId, two: NodeId) -> bool {
        let document = &self.document;
        let breaks = |id: NodeId| is_block(document.html_name(id)) || document.html_name(id) == Name::BR;
        let ends = document.ancestors(one).take_while(|around| !document.contains(*around, two)).any(breaks);
        // Only the elements around the second text, and a few before it, can begin a line.
        let begins = document.ancestors(two).take_while(|around| !document.contains(*around, one)).any(breaks);
        ends || begins || (one.0 + 1..two.0).take(MAX_NODES_BETWEEN).any(|at| breaks(NodeId(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_a_line_for_each_block_and_keeps_words_apart() {
        let page = "<body><div><p>Nets are <b>mended</b>, <i>slow</i>ly.</p><p>One<br>two</p><a href=a>Home</a><a href=b>News</a></div>";
        let found = Segmenter::new(SegmentMethod::Best).segment(page).unwrap();
        let all: String = (0..found.segmentation.segments.len()).map(|at| found.text(at) + "\n").collect();
        assert!(all.contains("Nets are mended, slowly.\n"), "{all}");
        assert!(all.contains("One\ntwo"), "{all}");
        assert!(all.contains("Home News") || all.contains("Home\nNews"), "{all}");
    }
}
