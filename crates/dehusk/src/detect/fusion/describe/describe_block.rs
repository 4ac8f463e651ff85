//! Features of a text block: the block itself, the chains around it, its neighbours, its page.
//!
//! One pass over the blocks with prefix sums, linear in the size of the page. Values are relative or logarithmic, so long and short
//! pages look similar. Input: the blocks of a page. Output: a row of values for each block; their names and order are the schema.

use super::feature_sink::FeatureSink;
use super::hash_order::{HashedIndex, equal_hashes};
use super::page_facts::PageFacts;
use super::region_facts::{RegionHeading, Regions};
use super::scale::{log, share};
use super::similar_blocks::{SIMILAR_DEPTHS, SimilarBlocks};
use crate::detect::fusion::describe::copies::Copies;
use crate::read::name_hints::HINTS;
use crate::read::tag_set::TAG_NAMES;
use crate::read::text_blocks::{Chain, PageBlocks, TextBlock};
use crate::read::words::boilerplate_words::BOILERPLATE;
use crate::read::words::text_counts::{TextCounts, is_sentence_end};
use crate::records::columns::RecordColumns;

/// Number of chains around a block that are described, from the innermost outwards.
pub(crate) const LEVELS: usize = 7;
/// Number of these whose shape and place are described. Those of further chains had hardly any gain in trees.
const NEAR_LEVELS: i32 = 4;
/// Distance of a tag or hint that is this far up or further, or on no ancestor.
const FAR: u8 = 9;
const TAGS: usize = TAG_NAMES.len();
const NEAREST: usize = TAGS + HINTS.len();

/// Features of a chain.
#[derive(Clone, Copy, Debug, Default)]
struct ChainFacts {
    log_words: f32,
    page_share: f32,
    link_share: f32,
    log_blocks: f32,
    mean_words: f32,
    sentences: f32,
    similar_siblings: f32,
    position: f32,
    children: f32,
    same_shape: f32,
    shape_share: f32,
    of_parent: f32,
    /// The mean log-odds of its words.
    odds: f32,
    /// Shares of its words that repeat earlier text, and that are in structured data.
    repeated: f32,
    structured_data: f32,
    depth: u8,
}

/// Everything that is computed once per page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Describer {
    /// Prefix sums of the counts.
    sums: Vec<TextCounts>,
    /// Prefix sums of the log-odds of words.
    odds_sums: Vec<f64>,
    /// Prefix sums of the words that repeat earlier text, and that are in structured data.
    overlap_sums: Vec<[f32; 2]>,
    chains: Vec<ChainFacts>,
    /// For each chain the distance of the nearest chain with each tag and hint.
    nearest: Vec<[u8; NEAREST]>,
    order: Vec<HashedIndex>,
    headings: Vec<Heading>,
    pub(crate) copies: Copies,
    pub(crate) similar: SimilarBlocks,
    pub(crate) regions: Regions,
}

/// The last heading before a block.
#[derive(Clone, Copy, Debug, Default)]
struct Heading {
    level: u8,
    blocks_since: u32,
    words_since: u32,
    words: u32,
    link_words: u32,
    boilerplate: [u8; BOILERPLATE.len()],
}

impl Describer {
    /// Computes what the rows of all blocks need.
    pub(crate) fn prepare(&mut self, page: &PageBlocks, records: &RecordColumns) {
        self.sum(page);
        self.copies.find(page);
        self.similar.find(page, |block| self.copies.is_unique(block));
        self.describe_chains(page);
        self.find_headings(page);
        let heading = |block: usize| {
            let Heading { blocks_since, words, boilerplate, .. } = self.headings[block];
            RegionHeading { blocks_since, words, boilerplate }
        };
        self.regions.find(page, records, |block| self.copies.is_unique(block), heading);
    }

    fn sum(&mut self, page: &PageBlocks) {
        self.sums.clear();
        let mut sum = TextCounts::default();
        self.sums.push(sum);
        self.odds_sums.clear();
        let mut odds = 0.0;
        self.odds_sums.push(odds);
        self.overlap_sums.clear();
        let mut overlap = [0.0f32; 2];
        self.overlap_sums.push(overlap);
        for block in &page.blocks {
            sum.add(&block.counts);
            self.sums.push(sum);
            odds += block.words.odds.mean() as f64 * block.counts.words as f64;
            self.odds_sums.push(odds);
            let words = block.counts.words as f32;
            overlap[0] += words * block.words.overlap.before().max(0.0);
            overlap[1] += words * block.words.overlap.structured_data().max(0.0);
            self.overlap_sums.push(overlap);
        }
    }

    /// The share of words of a range of blocks that repeat earlier text, and that are in structured data.
    fn overlaps(&self, start: usize, end: usize) -> [f32; 2] {
        let words = (self.sums[end].words - self.sums[start].words).max(1) as f32;
        let (from, to) = (self.overlap_sums[start], self.overlap_sums[end]);
        [(to[0] - from[0]) / words, (to[1] - from[1]) / words]
    }

    /// The mean log-odds of the words of a range of blocks.
    fn mean_odds(&self, start: usize, end: usize) -> f32 {
        let words = self.sums[end].words - self.sums[start].words;
        (self.odds_sums[end] - self.odds_sums[start]) as f32 / words.max(1) as f32
    }

    fn range(&self, start: usize, end: usize) -> Range {
        let (from, to) = (&self.sums[start], &self.sums[end]);
        Range {
            words: to.words - from.words,
            link_words: to.link_words - from.link_words,
            sentence_ends: to.sentence_ends - from.sentence_ends,
            blocks: (end - start) as u32,
        }
    }

    fn describe_chains(&mut self, page: &PageBlocks) {
        self.chains.clear();
        self.nearest.clear();
        let all = self.range(0, page.blocks.len());
        for (at, chain) in page.chains.iter().enumerate() {
            let range = self.range(chain.start as usize, chain.end as usize);
            let parent = (at > 0).then(|| &page.chains[chain.parent as usize]);
            let parent_words =
                parent.map_or(range.words, |parent| self.range(parent.start as usize, parent.end as usize).words);
            let [repeated, structured_data] = self.overlaps(chain.start as usize, chain.end as usize);
            let facts = ChainFacts {
                log_words: log(range.words),
                page_share: share(range.words, all.words),
                link_share: share(range.link_words, range.words),
                log_blocks: log(range.blocks),
                mean_words: share(range.words, range.blocks),
                sentences: share(range.sentence_ends, range.words),
                similar_siblings: log(chain.similar_siblings),
                position: parent.map_or(0.0, |parent| share(chain.index, parent.children)),
                children: log(chain.children),
                same_shape: 0.0,
                shape_share: 0.0,
                of_parent: share(range.words, parent_words),
                odds: self.mean_odds(chain.start as usize, chain.end as usize),
                repeated,
                structured_data,
                depth: if at > 0 { self.chains[chain.parent as usize].depth.saturating_add(1) } else { 0 },
            };
            self.chains.push(facts);
            let nearest = self.nearest_of(chain, at > 0);
            self.nearest.push(nearest);
        }
        self.find_shapes(page, all.words);
    }

    /// How many levels up the nearest chain with each tag and hint is.
    fn nearest_of(&self, chain: &Chain, has_parent: bool) -> [u8; NEAREST] {
        let mut nearest = [FAR; NEAREST];
        if has_parent {
            for (own, parent) in nearest.iter_mut().zip(&self.nearest[chain.parent as usize]) {
                *own = (parent + 1).min(FAR);
            }
        }
        let (mut tags, mut hints) = (chain.tags.0, chain.hints.0);
        while tags != 0 {
            nearest[tags.trailing_zeros() as usize] = 0;
            tags &= tags - 1;
        }
        while hints != 0 {
            nearest[TAGS + hints.trailing_zeros() as usize] = 0;
            hints &= hints - 1;
        }
        nearest
    }

    /// Finds chains with the same shape anywhere on the page: posts, cards, rows.
    fn find_shapes(&mut self, page: &PageBlocks, words: u32) {
        for run in equal_hashes(&mut self.order, page.chains.iter().map(|chain| chain.shape)) {
            let own_words: u32 = run
                .iter()
                .map(|at| {
                    let chain = &page.chains[at.index()];
                    self.sums[chain.end as usize].words - self.sums[chain.start as usize].words
                })
                .sum();
            for at in run {
                let facts = &mut self.chains[at.index()];
                facts.same_shape = log(run.len() as u32);
                facts.shape_share = share(own_words, words);
            }
        }
    }

    fn find_headings(&mut self, page: &PageBlocks) {
        self.headings.clear();
        let mut heading = Heading::default();
        for block in &page.blocks {
            self.headings.push(heading);
            if block.heading > 0 {
                heading = Heading {
                    level: block.heading,
                    words: block.counts.words,
                    link_words: block.counts.link_words,
                    boilerplate: block.words.boilerplate(),
                    ..Heading::default()
                };
            }
            heading.blocks_since += 1;
            heading.words_since += block.counts.words;
        }
    }

    /// Adds all features of a block.
    pub(crate) fn describe(&self, page: &PageBlocks, facts: &PageFacts, at: usize, out: &mut impl FeatureSink) {
        self.describe_block(page, facts, at, out);
        facts.describe(out);
    }

    /// Adds the features of a block without those of the page.
    pub(crate) fn describe_block(&self, page: &PageBlocks, facts: &PageFacts, at: usize, out: &mut impl FeatureSink) {
        let block = &page.blocks[at];
        self.describe_text(block, at, out);
        self.describe_repetition(block, at, out);
        self.describe_position(page, facts, at, out);
        self.describe_groups_around(page, block, out);
        self.describe_similar_blocks(page, at, out);
        self.describe_neighbours(page, at, out);
        self.regions.describe(at, out);
    }

    fn describe_text(&self, block: &TextBlock, at: usize, out: &mut impl FeatureSink) {
        let counts = &block.counts;
        let (words, characters) = (counts.words, counts.characters);
        out.add("words", log(words));
        out.add("characters", log(characters));
        out.add("word_length", share(characters, words));
        out.add("link_share", share(counts.link_words, words));
        out.add("links", log(block.links as u32));
        out.add("digits", share(counts.digits, characters));
        out.add("capitals", share(counts.capitals, characters));
        out.add("capital_words", share(counts.capital_words, words));
        out.add("short_words", share(counts.short_words, words));
        out.add("sentence_ends", log(counts.sentence_ends));
        out.add("sentences", share(counts.sentence_ends, words));
        out.add("commas", share(counts.commas, words));
        out.add("marks", share(counts.marks, characters));
        out.add("bold", share(counts.bold_characters, characters));
        out.add("code", share(counts.code_characters, characters));
        out.add("text_nodes", log(block.text_nodes as u32));
        out.add("breaks", log(block.breaks as u32));
        out.add("pictures", log(block.images as u32));
        out.add("controls", log(block.controls as u32));
        out.add("inner_links", share(counts.inner_link_words, words));
        out.add("outer_links", share(counts.outer_link_words, words));
        out.add("own_heading_level", block.heading as f32);
        out.add("ends_sentence", is_sentence_end(block.last_character) as u32 as f32);
        out.add("last_mark", character_class(block.last_character));
        out.add("first_mark", character_class(block.first_character));
        out.add("hidden", block.hidden as u32 as f32);
        out.add("copies_on_page", self.copies.of_block[at].count as f32);
        let words = &block.words;
        for (count, (list, _)) in words.boilerplate().iter().zip(&BOILERPLATE) {
            out.add_for("boilerplate_words", list, *count as f32);
        }
        out.add("title_share", words.title_share());
        out.add("word_odds", block.words.odds.mean());
        out.add("word_odds_clipped", block.words.odds.clipped());
        out.add("name_odds", block.names.mean());
        out.add("name_odds_lowest", block.names.lowest);
        out.add("name_odds_own", block.names.own);
        out.add("name_odds_above", block.names.above);
    }

    fn describe_repetition(&self, block: &TextBlock, at: usize, out: &mut impl FeatureSink) {
        let copies = &self.copies.of_block[at];
        let distance = |other: Option<u32>| other.map_or(-1.0, |other| log(other.abs_diff(at as u32)));
        let similar = &self.similar.of_block[1];
        let are_similar =
            |other: Option<u32>| other.map_or(-1.0, |other| (similar[other as usize] == similar[at]) as u32 as f32);
        out.add("copies_before", log(copies.earlier as u32));
        out.add("blocks_since_copy", distance(copies.before));
        out.add("blocks_until_copy", distance(copies.after));
        out.add("copy_before_in_same_role", are_similar(copies.before));
        out.add("copy_after_in_same_role", are_similar(copies.after));
        out.add("said_before_share", block.words.overlap.before());
        out.add("in_description_share", block.words.overlap.description());
        out.add("in_structured_data_share", block.words.overlap.structured_data());
    }

    fn describe_position(&self, page: &PageBlocks, facts: &PageFacts, at: usize, out: &mut impl FeatureSink) {
        let blocks = page.blocks.len() as u32;
        let all = self.sums[blocks as usize].words;
        let before = self.sums[at].words;
        out.add("place_by_block", share(at as u32, blocks));
        out.add("place_by_word", share(before, all));
        out.add("blocks_before", log(at as u32));
        out.add("blocks_after", log(blocks - at as u32 - 1));
        let heading = self.headings[at];
        out.add("heading_level", heading.level as f32);
        out.add("blocks_since_heading", log(heading.blocks_since));
        out.add("words_since_heading", log(heading.words_since));
        out.add("heading_words", log(heading.words));
        out.add("heading_link_share", share(heading.link_words, heading.words));
        for (count, (list, _)) in heading.boilerplate.iter().zip(&BOILERPLATE) {
            out.add_for("heading_boilerplate_words", list, *count as f32);
        }
        let since = |from: Option<u32>| from.map_or(-999.0, |from| at as f32 - from as f32);
        out.add("blocks_since_title", since(facts.title_block).clamp(-200.0, 200.0));
        out.add("blocks_since_first_h1", since(facts.first_h1).clamp(-200.0, 200.0));
        let block = &page.blocks[at];
        out.add("depth", self.chains[block.chain as usize].depth as f32);
    }

    fn describe_groups_around(&self, page: &PageBlocks, block: &TextBlock, out: &mut impl FeatureSink) {
        let mut chain = block.chain;
        let (tags, hints) = self.nearest[chain as usize].split_at(TAGS);
        for (value, tag) in tags.iter().zip(&TAG_NAMES) {
            out.add_for("nearest_tag", tag, *value as f32);
        }
        for (value, (hint, _)) in hints.iter().zip(&HINTS) {
            out.add_for("nearest_hint", hint, *value as f32);
        }
        for level in 0..LEVELS as i32 {
            let facts = &self.chains[chain as usize];
            out.add_at("group_words", level, facts.log_words);
            out.add_at("group_page_share", level, facts.page_share);
            out.add_at("group_link_share", level, facts.link_share);
            out.add_at("group_blocks", level, facts.log_blocks);
            out.add_at("group_mean_words", level, facts.mean_words);
            out.add_at("group_sentences", level, facts.sentences);
            out.add_at("group_shape_share", level, facts.shape_share);
            out.add_at("group_word_odds", level, facts.odds);
            if level < NEAR_LEVELS {
                out.add_at("group_like_siblings", level, facts.similar_siblings);
                out.add_at("group_place", level, facts.position);
                out.add_at("group_children", level, facts.children);
                out.add_at("group_same_shape", level, facts.same_shape);
                out.add_at("group_of_parent", level, facts.of_parent);
                out.add_at("group_said_before_share", level, facts.repeated);
                out.add_at("group_in_structured_data_share", level, facts.structured_data);
            }
            chain = page.chains[chain as usize].parent;
        }
    }

    fn describe_similar_blocks(&self, page: &PageBlocks, at: usize, out: &mut impl FeatureSink) {
        let all = page.blocks.len() as u32;
        for depth in 0..SIMILAR_DEPTHS {
            let similar = &self.similar.facts[depth][self.similar.of_block[depth][at] as usize];
            let level = depth as i32;
            out.add_at("role_blocks", level, log(similar.blocks));
            out.add_at("role_mean_words", level, share(similar.counts.words, similar.blocks));
            out.add_at("role_page_share", level, share(similar.counts.words, self.sums[all as usize].words));
            out.add_at("role_link_share", level, share(similar.counts.link_words, similar.counts.words));
            out.add_at("role_sentences", level, share(similar.counts.sentence_ends, similar.blocks));
            out.add_at("role_single", level, share(similar.unique, similar.blocks));
            out.add_at("role_first", level, share(similar.first, all));
            out.add_at("role_span", level, share(similar.last - similar.first, all));
        }
    }

    fn describe_neighbours(&self, page: &PageBlocks, at: usize, out: &mut impl FeatureSink) {
        let own = &page.blocks[at];
        for step in [-1i32, 1] {
            let other = at.checked_add_signed(step as isize).and_then(|at| page.blocks.get(at));
            let counts = other.map(|other| other.counts).unwrap_or_default();
            out.add_at("near_words", step, other.map_or(-1.0, |_| log(counts.words)));
            out.add_at("near_link_share", step, share(counts.link_words, counts.words));
            out.add_at("near_sentences", step, counts.sentence_ends.min(9) as f32);
            out.add_at("near_heading", step, other.map_or(0, |other| other.heading) as f32);
            out.add_at("near_name_odds", step, other.map_or(0.0, |other| other.names.mean()));
            let related = other.map_or(-1.0, |other| relation(page, own.chain, other.chain));
            out.add_at("near_relation", step, related);
        }
        for width in [2i32, 5, 10, 25] {
            let start = at.saturating_sub(width as usize);
            let end = (at + width as usize + 1).min(page.blocks.len());
            let range = self.range(start, end);
            out.add_at("window_words", width, share(range.words, range.blocks));
            out.add_at("window_link_share", width, share(range.link_words, range.words));
            out.add_at("window_sentences", width, share(range.sentence_ends, range.blocks));
            out.add_at("window_word_odds", width, self.mean_odds(start, end));
        }
    }
}

/// Sums over a range of blocks.
struct Range {
    words: u32,
    link_words: u32,
    sentence_ends: u32,
    blocks: u32,
}

/// How closely two chains are related: 3 if they are the same, 2 for parent and child or siblings, 1 if they share a grandparent or are
/// uncle and nephew, 0 otherwise.
fn relation(page: &PageBlocks, one: u32, two: u32) -> f32 {
    if one == two {
        return 3.0;
    }
    let parent = |chain: u32| page.chains[chain as usize].parent;
    let (parent_one, parent_two) = (parent(one), parent(two));
    if parent_one == parent_two || parent_one == two || parent_two == one {
        return 2.0;
    }
    let (top_one, top_two) = (parent(parent_one), parent(parent_two));
    if top_one == top_two || top_one == parent_two || top_two == parent_one { 1.0 } else { 0.0 }
}

/// The class of the first or last character of a block.
fn character_class(character: char) -> f32 {
    let code = match character {
        '.' | '!' | '?' | '。' => 1,
        ':' => 2,
        ',' | ';' => 3,
        '|' | '/' | '•' | '·' | '-' | '–' | '—' => 4,
        '»' | '›' | '>' | '→' | '<' | '«' | '‹' | '←' => 5,
        ')' | '(' | '[' | ']' => 6,
        '©' | '®' | '™' => 7,
        '$' | '€' | '£' | '¥' | '%' | '#' | '@' | '+' => 8,
        '"' | '\'' | '“' | '”' | '‘' | '’' => 9,
        _ if character.is_numeric() => 10,
        _ if character.is_uppercase() => 11,
        _ if character.is_alphabetic() => 12,
        _ => 13,
    };
    code as f32
}
