//! What a model reads of a part of a page: how large it is, where it is, what it holds, and how much its children have in common.

use crate::dom::elements::{heading_level, is_block};
use crate::dom::hash::mix;
use crate::dom::{Document, Name, NodeId};
use crate::segment::leaf_tree::LeafTree;
use dehusk::layout::{Layout, NodeBox};
use dehusk::read::{HINTS, Hints, hints_of};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// The value of a feature that a part does not have, such as the gap to a sibling that does not exist.
const MISSING: f32 = -1.0;

/// A text this long is more than a label or a headline.
const LONG_TEXT: u32 = 80;

/// A rectangle around shown leaves; empty if its left edge is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Bounds {
    pub(crate) const EMPTY: Bounds =
        Bounds { left: f32::INFINITY, top: f32::INFINITY, right: f32::NEG_INFINITY, bottom: f32::NEG_INFINITY };

    pub(crate) fn of(shown: &NodeBox) -> Bounds {
        Bounds { left: shown.x, top: shown.y, right: shown.x + shown.width, bottom: shown.y + shown.height }
    }

    pub(crate) fn add(&mut self, other: &Bounds) {
        self.left = self.left.min(other.left);
        self.top = self.top.min(other.top);
        self.right = self.right.max(other.right);
        self.bottom = self.bottom.max(other.bottom);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.left > self.right
    }

    fn width(&self) -> f32 {
        (self.right - self.left).max(0.0)
    }

    fn height(&self) -> f32 {
        (self.bottom - self.top).max(0.0)
    }
}

/// Elements of some kinds, counted over a subtree.
#[derive(Clone, Copy, Debug, Default)]
struct ElementCounts {
    headings: u32,
    paragraphs: u32,
    items: u32,
    controls: u32,
    links: u32,
}

/// What the leaves of a part add up to.
#[derive(Clone, Copy, Debug)]
struct Sums {
    leaves: f32,
    shown: f32,
    characters: f32,
    link_characters: f32,
    link_leaves: f32,
    images: f32,
    long: f32,
    bold: f32,
    /// The probability of content, summed over leaves.
    content: f32,
    max_font: f32,
    bounds: Bounds,
}

const NO_SUMS: Sums = Sums {
    leaves: 0.0,
    shown: 0.0,
    characters: 0.0,
    link_characters: 0.0,
    link_leaves: 0.0,
    images: 0.0,
    long: 0.0,
    bold: 0.0,
    content: 0.0,
    max_font: 0.0,
    bounds: Bounds::EMPTY,
};

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.leaves += other.leaves;
        self.shown += other.shown;
        self.characters += other.characters;
        self.link_characters += other.link_characters;
        self.link_leaves += other.link_leaves;
        self.images += other.images;
        self.long += other.long;
        self.bold += other.bold;
        self.content += other.content;
        self.max_font = self.max_font.max(other.max_font);
        self.bounds.add(&other.bounds);
    }

    fn link_share(&self) -> f32 {
        self.link_leaves / self.leaves.max(1.0)
    }

    fn text_length(&self) -> f32 {
        (self.characters / self.leaves.max(1.0)).ln_1p()
    }

    fn image_share(&self) -> f32 {
        self.images / self.leaves.max(1.0)
    }

    fn content_share(&self) -> f32 {
        self.content / self.leaves.max(1.0)
    }
}

/// Facts about the elements of a part.
#[derive(Clone, Copy, Debug, Default)]
struct Markup {
    /// Bits of [`TAGS`].
    tags: u32,
    hints: Hints,
    /// A hash of the name and class of the outermost element.
    shape: u64,
    has_id: bool,
    has_block: bool,
    chain: u32,
}

/// The names of elements that are features by themselves.
const TAGS: [(&str, &[Name]); 17] = [
    ("div", &[Name::DIV]),
    ("table", &[Name::TABLE]),
    ("tbody", &[Name::TBODY]),
    ("row", &[Name::TR]),
    ("cell", &[Name::TD, Name::TH]),
    ("list", &[Name::UL, Name::OL, Name::DL]),
    ("item", &[Name::LI, Name::DD, Name::DT]),
    ("paragraph", &[Name::P]),
    ("link", &[Name::A]),
    ("form", &[Name::FORM]),
    ("span", &[Name::SPAN]),
    ("heading", &[Name::H1, Name::H2, Name::H3, Name::H4, Name::H5, Name::H6]),
    ("section", &[Name::SECTION, Name::ARTICLE, Name::MAIN]),
    ("nav", &[Name::NAV]),
    ("header", &[Name::HEADER]),
    ("footer", &[Name::FOOTER]),
    ("aside", &[Name::ASIDE]),
];

/// The hints whose share among the children of a part is a feature.
const CHILD_HINTS: [&str; 8] = ["header", "footer", "nav", "sidebar", "content", "main", "widget", "container"];

/// The facts of all parts of a page, from which rows of features are computed.
pub(crate) struct PartFacts<'a> {
    tree: &'a LeafTree,
    document: &'a Document,
    layout: &'a Layout,
    sums: Vec<Sums>,
    markup: Vec<Markup>,
    /// Element counts before each node, and at the end.
    counts: Vec<ElementCounts>,
    /// For each part, the siblings (with itself) that have the same tags, and the same shape.
    alike: Vec<[u32; 2]>,
    child_hints: u64,
    /// Parts of the page with a `<div>`, and with a `<table>`.
    page_tags: [f32; 2],
}

impl<'a> PartFacts<'a> {
    /// `content` is the probability that a leaf is content, by leaf.
    pub(crate) fn new(
        document: &'a Document,
        layout: &'a Layout,
        tree: &'a LeafTree,
        content: &[f32],
    ) -> PartFacts<'a> {
        let mut sums = vec![NO_SUMS; tree.parts.len()];
        for (leaf, content) in tree.leaves.iter().zip(content) {
            let shown = layout.node(leaf.node);
            let characters = leaf.characters as f32;
            let if_shown = |value: f32| if leaf.is_shown { value } else { 0.0 };
            sums[leaf.part as usize].add(&Sums {
                leaves: 1.0,
                shown: if_shown(1.0),
                characters,
                link_characters: if leaf.in_link { characters } else { 0.0 },
                link_leaves: f32::from(u8::from(leaf.in_link)),
                images: f32::from(u8::from(leaf.is_image)),
                long: f32::from(u8::from(leaf.characters > LONG_TEXT)),
                bold: if shown.font_weight >= 600 { characters } else { 0.0 },
                content: *content,
                max_font: if_shown(shown.font_size),
                bounds: if leaf.is_shown { Bounds::of(shown) } else { Bounds::EMPTY },
            });
        }
        for at in (1..tree.parts.len()).rev() {
            if let Some(parent) = tree.parts[at].parent() {
                let own = sums[at];
                sums[parent].add(&own);
            }
        }
        let markup: Vec<Markup> = (0..tree.parts.len()).map(|part| markup(document, tree, part)).collect();
        let alike = alike_siblings(tree, &markup);
        let child_hints = CHILD_HINTS.iter().fold(0, |bits, name| bits | 1 << hint_number(name));
        let page_tags = ["div", "table"]
            .map(tag_bit)
            .map(|bit| (markup.iter().filter(|markup| markup.tags & bit != 0).count() as f32).ln_1p());
        let counts = element_counts(document);
        PartFacts { tree, document, layout, sums, markup, counts, alike, child_hints, page_tags }
    }

    /// Appends the features of some parts, row by row.
    pub(crate) fn append_rows(&self, parts: std::ops::Range<usize>, rows: &mut Vec<f32>) {
        rows.reserve(parts.len() * column_names().len());
        for part in parts {
            self.describe(part, &mut |_, _, value| {
                rows.push(if value.is_finite() { value } else { MISSING });
            });
        }
    }

    fn counts(&self, part: usize) -> ElementCounts {
        let range = self.document.subtree(self.tree.parts[part].bottom);
        let (start, end) = (self.counts[range.start], self.counts[range.end]);
        ElementCounts {
            headings: end.headings - start.headings,
            paragraphs: end.paragraphs - start.paragraphs,
            items: end.items - start.items,
            controls: end.controls - start.controls,
            links: end.links - start.links,
        }
    }

    /// Calls `put` with each feature of a part: its name in two halves, and its value. Always the same features in the same order.
    fn describe(&self, part: usize, put: &mut impl FnMut(&str, &str, f32)) {
        let own = &self.tree.parts[part];
        self.put_size(part, "", put);
        let around = self.layout.node(own.top);
        put("box_", "width", around.width / self.layout.width);
        put("box_", "height", around.height / self.layout.height);
        put("depth", "", own.depth as f32);
        put("element_", "depth", self.document.depth(own.top) as f32);
        let sums = &self.sums[part];
        let counts = self.counts(part);
        put("headings", "", counts.headings as f32);
        put("heading_", "share", counts.headings as f32 / sums.leaves);
        put("paragraphs", "", counts.paragraphs as f32);
        put("paragraph_", "share", counts.paragraphs as f32 / sums.leaves);
        put("items", "", counts.items as f32);
        put("controls", "", counts.controls as f32);
        put("links", "", counts.links as f32);
        put("long_", "texts", sums.long);
        put("bold_", "share", sums.bold / sums.characters.max(1.0));
        put("max_", "font", sums.max_font);
        put("max_font_", "of_page", sums.max_font / self.sums[0].max_font.max(1.0));
        self.put_markup(part, put);
        self.put_children(part, put);
        self.put_surroundings(part, put);
        self.put_page(put);
    }

    /// Size, position and kind of text of a part.
    fn put_size(&self, part: usize, prefix: &str, put: &mut impl FnMut(&str, &str, f32)) {
        let (sums, page) = (&self.sums[part], &self.sums[0]);
        let Layout { width, height, .. } = *self.layout;
        put(prefix, "leaf_share", sums.leaves / page.leaves);
        put(prefix, "text_share", sums.characters / page.characters.max(1.0));
        put(prefix, "leaves", sums.leaves.ln_1p());
        put(prefix, "characters", sums.characters.ln_1p());
        put(prefix, "link_text", sums.link_characters / sums.characters.max(1.0));
        put(prefix, "link_leaves", sums.link_share());
        put(prefix, "images", sums.image_share());
        put(prefix, "text_length", sums.text_length());
        put(prefix, "shown", sums.shown / sums.leaves);
        put(prefix, "content", sums.content_share());
        let bounds = &sums.bounds;
        let is_shown = !bounds.is_empty();
        let mut place = |name: &str, value: f32| put(prefix, name, if is_shown { value } else { MISSING });
        place("x", bounds.left / width);
        place("y", bounds.top / height);
        place("width", bounds.width() / width);
        place("height", bounds.height() / height);
        place("pixel_height", bounds.height().ln_1p());
        place("below", 1.0 - bounds.bottom / height);
        place("pixel_y", bounds.top);
        place("aspect", ((bounds.width() + 1.0) / (bounds.height() + 1.0)).ln());
    }

    fn put_markup(&self, part: usize, put: &mut impl FnMut(&str, &str, f32)) {
        let markup = &self.markup[part];
        for (bit, (name, _)) in TAGS.iter().enumerate() {
            put("tag_", name, (markup.tags >> bit & 1) as f32);
        }
        for (bit, (name, _)) in HINTS.iter().enumerate() {
            put("name_", name, (markup.hints.0 >> bit & 1) as f32);
        }
        put("names", "", markup.hints.0.count_ones() as f32);
        put("has_", "id", f32::from(u8::from(markup.has_id)));
        put("has_", "block", f32::from(u8::from(markup.has_block)));
        put("chain", "", markup.chain as f32);
        let own = &self.tree.parts[part];
        let outside = self.document.parent(own.top).map(|parent| self.layout.node(parent).background);
        let inside = self.layout.node(own.bottom).background;
        put("background_", "change", outside.map_or(0.0, |outside| outside.distance(inside)));
        let page = self.layout.node(self.tree.parts[0].top).background;
        put("background_", "of_page", page.distance(inside));
        put("text_", "colour", self.layout.node(own.bottom).color.distance(inside));
    }

    /// How much the children have in common.
    fn put_children(&self, part: usize, put: &mut impl FnMut(&str, &str, f32)) {
        let own = &self.tree.parts[part];
        let children = self.tree.children(part);
        let count = children.len() as f32;
        put("children", "", count);
        put("own_", "text", f32::from(u8::from(own.is_leaf)));
        let sums = || children.iter().map(|child| &self.sums[*child as usize]);
        let markup = || children.iter().map(|child| &self.markup[*child as usize]);
        let total: f32 = sums().map(|sums| sums.leaves).sum();
        let share = |matches: usize| matches as f32 / count;
        put("child_", "largest", sums().map(|sums| sums.leaves).fold(0.0, f32::max) / total);
        put("child_", "entropy", -sums().map(|sums| sums.leaves / total * (sums.leaves / total).ln()).sum::<f32>());
        put("child_", "single", share(sums().filter(|sums| sums.leaves == 1.0).count()));
        put("child_", "leaves", (total / count).ln());
        put("child_", "shapes", share(largest_group(markup().map(|markup| markup.shape))));
        put("child_", "tags", share(largest_group(markup().map(|markup| u64::from(markup.tags)))));
        put("child_", "ids", share(markup().filter(|markup| markup.has_id).count()));
        put("child_", "blocks", share(markup().filter(|markup| markup.has_block).count()));
        let spread = |value: fn(&Sums) -> f32| deviation(sums().map(|sums| (value(sums), 1.0)));
        let weighted = |value: fn(&Sums) -> f32| deviation(sums().map(|sums| (value(sums), sums.leaves)));
        put("child_", "link_spread", spread(Sums::link_share));
        put("child_", "link_spread_by_leaf", weighted(Sums::link_share));
        put("child_", "length_spread", spread(Sums::text_length));
        put("child_", "image_spread", spread(Sums::image_share));
        put("child_", "font_spread", spread(|sums| sums.max_font));
        put("child_", "content_spread", spread(Sums::content_share));
        put("child_", "content_spread_by_leaf", weighted(Sums::content_share));
        self.put_child_boxes(children, put);
        let with_heading = |child: &&u32| self.counts(**child as usize).headings > 0;
        put("child_", "headings", share(children.iter().filter(with_heading).count()));
        let hinted = |markup: &Markup| markup.hints.0 & self.child_hints;
        put("child_", "names", share(distinct(markup().map(hinted))));
        for name in CHILD_HINTS {
            let bit = 1 << hint_number(name);
            put("child_name_", name, share(markup().filter(|markup| markup.hints.0 & bit != 0).count()));
        }
    }

    /// How the boxes of the children are arranged.
    fn put_child_boxes(&self, children: &[u32], put: &mut impl FnMut(&str, &str, f32)) {
        let all = children.iter().map(|child| self.sums[*child as usize].bounds);
        let boxes: Vec<Bounds> = all.filter(|bounds| !bounds.is_empty()).collect();
        let Layout { width, height, .. } = *self.layout;
        let spread = |value: fn(&Bounds) -> f32| deviation(boxes.iter().map(|bounds| (value(bounds), 1.0)));
        put("child_", "width_spread", spread(Bounds::width) / width);
        put("child_", "height_spread", spread(Bounds::height) / height);
        put("child_", "x_spread", spread(|bounds| bounds.left) / width);
        put("child_", "y_spread", spread(|bounds| bounds.top) / height);
        let max = |value: fn(&Bounds) -> f32| boxes.iter().map(value).fold(0.0, f32::max);
        put("child_", "max_width", max(Bounds::width) / width);
        put("child_", "max_height", max(Bounds::height) / height);
        put("child_", "min_height", boxes.iter().map(Bounds::height).fold(f32::INFINITY, f32::min));
        let mut lefts: Vec<f32> = boxes.iter().map(|bounds| bounds.left).collect();
        let median = median(&mut lefts);
        let aligned = lefts.iter().filter(|left| (**left - median).abs() < 3.0).count();
        put("child_", "aligned", aligned as f32 / boxes.len() as f32);
        let pairs = || boxes.windows(2).map(|pair| (&pair[0], &pair[1]));
        let gaps_x = || pairs().map(|(one, two)| two.left - one.right);
        let mut gaps_y: Vec<f32> = pairs().map(|(one, two)| two.top - one.bottom).collect();
        let beside = gaps_x().zip(&gaps_y).filter(|(x, y)| *x > -2.0 && **y < 0.0).count();
        put("child_", "beside", beside as f32 / gaps_y.len() as f32);
        put("child_", "max_gap_x", gaps_x().fold(f32::NEG_INFINITY, f32::max));
        put("child_", "max_gap_y", gaps_y.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        put("child_", "median_gap_y", self::median(&mut gaps_y));
        let mut backgrounds: Vec<_> = children
            .iter()
            .map(|child| self.layout.node(self.tree.parts[*child as usize].bottom).background)
            .map(|color| [color.r, color.g, color.b])
            .collect();
        backgrounds.sort_unstable();
        backgrounds.dedup();
        put("child_", "backgrounds", backgrounds.len() as f32);
    }

    /// The part around a part, and its siblings.
    fn put_surroundings(&self, part: usize, put: &mut impl FnMut(&str, &str, f32)) {
        let own = &self.tree.parts[part];
        let outer = own.parent().unwrap_or(part);
        self.put_size(outer, "outer_", put);
        let siblings = self.tree.children(outer);
        let place = siblings.binary_search(&(part as u32)).ok();
        let count = siblings.len() as f32;
        put("siblings", "", count);
        put("sibling_", "place", place.map_or(MISSING, |place| place as f32 / (count - 1.0).max(1.0)));
        put("of_", "outer", self.sums[part].leaves / self.sums[outer].leaves);
        let [tags, shapes] = self.alike[part];
        put("sibling_", "tags", tags as f32 / count);
        put("sibling_", "shapes", shapes as f32 / count);
        let sibling_bounds = |step: isize| {
            let other = place.and_then(|place| siblings.get(place.checked_add_signed(step)?));
            let bounds = other.map(|other| self.sums[*other as usize].bounds);
            bounds.filter(|bounds| !bounds.is_empty() && !self.sums[part].bounds.is_empty())
        };
        let bounds = &self.sums[part].bounds;
        let (before, after) = (sibling_bounds(-1), sibling_bounds(1));
        put("gap_", "left", before.map_or(MISSING, |before| bounds.left - before.right));
        put("gap_", "above", before.map_or(MISSING, |before| bounds.top - before.bottom));
        put("gap_", "right", after.map_or(MISSING, |after| after.left - bounds.right));
        put("gap_", "below", after.map_or(MISSING, |after| after.top - bounds.bottom));
        put("outer_", "row", f32::from(u8::from(self.markup[outer].tags & tag_bit("row") != 0)));
        put("outer_", "list", f32::from(u8::from(self.markup[outer].tags & tag_bit("list") != 0)));
    }

    fn put_page(&self, put: &mut impl FnMut(&str, &str, f32)) {
        let page = &self.sums[0];
        put("page_", "leaves", page.leaves.ln_1p());
        put("page_", "height", self.layout.height);
        put("page_", "link_text", page.link_characters / page.characters.max(1.0));
        put("page_", "content", page.content_share());
        put("page_", "parts", (self.tree.parts.len() as f32).ln_1p());
        put("page_", "divs", self.page_tags[0]);
        put("page_", "tables", self.page_tags[1]);
    }
}

fn tag_bit(name: &str) -> u32 {
    TAGS.iter().position(|(tag, _)| *tag == name).map_or(0, |bit| 1 << bit)
}

fn hint_number(name: &str) -> usize {
    HINTS.iter().position(|(hint, _)| *hint == name).unwrap_or(0)
}

fn markup(document: &Document, tree: &LeafTree, part: usize) -> Markup {
    let mut markup = Markup::default();
    for id in tree.chain(document, part) {
        let name = document.html_name(id);
        let bit = TAGS.iter().position(|(_, names)| names.contains(&name));
        markup.tags |= bit.map_or(0, |bit| 1 << bit);
        markup.has_block |= is_block(name);
        markup.hints = markup.hints.union(hints_of(document, id));
        markup.has_id |= document.attribute(id, Name::ID).is_some_and(|id| !id.is_empty());
        markup.chain += 1;
    }
    markup.shape = shape(document, tree.parts[part].top);
    markup
}

/// Counts for each part its siblings, with itself, that have the same tags and the same shape.
fn alike_siblings(tree: &LeafTree, markup: &[Markup]) -> Vec<[u32; 2]> {
    let mut alike = vec![[1; 2]; tree.parts.len()];
    let mut order: Vec<(u64, u32)> = Vec::new();
    for part in 0..tree.parts.len() {
        for (column, key) in
            [|markup: &Markup| u64::from(markup.tags), |markup: &Markup| markup.shape].iter().enumerate()
        {
            order.clear();
            order.extend(tree.children(part).iter().map(|child| (key(&markup[*child as usize]), *child)));
            order.sort_unstable();
            for group in order.chunk_by(|one, two| one.0 == two.0) {
                group.iter().for_each(|(_, child)| alike[*child as usize][column] = group.len() as u32);
            }
        }
    }
    alike
}

fn shape(document: &Document, id: NodeId) -> u64 {
    let class = document.attribute(id, Name::CLASS).unwrap_or_default();
    mix(xxh3_64(document.name_text(document.name(id)).as_bytes()), xxh3_64(class.as_bytes()))
}

fn element_counts(document: &Document) -> Vec<ElementCounts> {
    let mut counts = Vec::with_capacity(document.len() + 1);
    let mut sum = ElementCounts::default();
    counts.push(sum);
    for id in document.ids() {
        let name = document.html_name(id);
        match name {
            _ if heading_level(name).is_some() => sum.headings += 1,
            Name::P => sum.paragraphs += 1,
            Name::LI => sum.items += 1,
            Name::A => sum.links += 1,
            Name::INPUT | Name::SELECT | Name::TEXTAREA | Name::BUTTON => sum.controls += 1,
            _ => {}
        }
        counts.push(sum);
    }
    counts
}

/// The size of the largest group of equal values.
fn largest_group(values: impl Iterator<Item = u64>) -> usize {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.chunk_by(|one, two| one == two).map(<[u64]>::len).max().unwrap_or(0)
}

fn distinct(values: impl Iterator<Item = u64>) -> usize {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.dedup();
    values.len()
}

/// The standard deviation of values with weights; not a number if there are none.
fn deviation(values: impl Iterator<Item = (f32, f32)> + Clone) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (value, weight) in values.clone() {
        sum += value * weight;
        weights += weight;
    }
    let mean = sum / weights;
    let squares: f32 = values.map(|(value, weight)| (value - mean).powi(2) * weight).sum();
    (squares / weights).sqrt()
}

fn median(values: &mut [f32]) -> f32 {
    if values.is_empty() {
        return f32::NAN;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// The names of the features.
pub(crate) fn column_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let document = crate::dom::Parser::default().parse("<body>x").unwrap_or_default();
        let layout = crate::layout::estimate(&document);
        let tree = LeafTree::new(&document, &layout);
        let mut names = Vec::new();
        PartFacts::new(&document, &layout, &tree, &[0.0])
            .describe(0, &mut |first, second, _| names.push(format!("{first}{second}")));
        names
    });
    &NAMES
}
