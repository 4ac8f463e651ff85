//! What the fusion model sees of a text block: the block, the groups around it, its neighbours, its page.
//!
//! One pass over blocks with prefix sums; linear in the page. Values are relative or logarithmic, so that long and short pages look
//! alike. Takes the cut page, returns a row of numbers for each block; their names and order are the schema.

use super::blocks::{Group, PageBlocks, TAG_NAMES, TextBlock};
use super::counts::{TextCounts, is_sentence_end};
use super::hints::HINTS;
use super::kin::{Kin, Place, ROLE_DEPTHS};
use super::lexicon::{LEXICON, lexicon_counts};
use super::page::PageFacts;
use super::row::Take;
use crate::dom::Document;
use std::sync::LazyLock;

/// Levels of groups around a block that are described.
pub(crate) const LEVELS: usize = 7;
/// A kind of element or hint that is further up than this, or nowhere.
const FAR: u8 = 9;
const TAGS: usize = TAG_NAMES.len();
const NEAREST: usize = TAGS + HINTS.len();

/// Logarithms of small numbers, which most are.
static LOGS: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|value| ((value + 1) as f32).log2()));

fn log(value: u32) -> f32 {
    LOGS.get(value as usize).copied().unwrap_or_else(|| ((value + 1) as f32).log2())
}

fn share(part: u32, whole: u32) -> f32 {
    part as f32 / whole.max(1) as f32
}

/// What a group adds up to.
#[derive(Clone, Copy, Debug, Default)]
struct GroupFacts {
    log_words: f32,
    page_share: f32,
    link_share: f32,
    log_blocks: f32,
    mean_words: f32,
    sentences: f32,
    alike: f32,
    place: f32,
    children: f32,
    same_shape: f32,
    shape_share: f32,
    of_parent: f32,
    /// The mean odds of its words.
    odds: f32,
    /// Shares of its words that were said before, and that structured data says.
    heard: f32,
    data: f32,
    depth: u8,
}

/// Everything that is worked out once for a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Describer {
    sums: Vec<TextCounts>,
    /// Sums of the odds of words before each block.
    odds_sums: Vec<f64>,
    /// Sums of the words before each block that were said before, and that structured data says.
    echo_sums: Vec<[f32; 2]>,
    facts: Vec<GroupFacts>,
    nearest: Vec<[u8; NEAREST]>,
    words: Vec<WordFacts>,
    order: Vec<Place>,
    headings: Vec<Heading>,
    pub(crate) kin: Kin,
}

/// What the words of a block say.
#[derive(Clone, Copy, Debug, Default)]
struct WordFacts {
    found: [u8; LEXICON.len()],
    title_share: f32,
}

/// What stands above a block.
#[derive(Clone, Copy, Debug, Default)]
struct Heading {
    level: u8,
    blocks_since: u32,
    words_since: u32,
    words: u32,
    link_words: u32,
    found: [u8; LEXICON.len()],
}

impl Describer {
    /// Works out what the rows need.
    pub(crate) fn prepare(&mut self, document: &Document, page: &PageBlocks, facts: &PageFacts) {
        self.sum(page);
        self.words.clear();
        self.words.extend(page.blocks.iter().map(|block| WordFacts {
            found: lexicon_counts(document, block),
            title_share: facts.title_share(document, block),
        }));
        self.kin.find(page);
        self.describe_groups(page);
        self.find_headings(page);
    }

    fn sum(&mut self, page: &PageBlocks) {
        self.sums.clear();
        let mut sum = TextCounts::default();
        self.sums.push(sum);
        self.odds_sums.clear();
        let mut odds = 0.0;
        self.odds_sums.push(odds);
        self.echo_sums.clear();
        let mut echo = [0.0f32; 2];
        self.echo_sums.push(echo);
        for block in &page.blocks {
            sum.add(&block.counts);
            self.sums.push(sum);
            odds += block.odds.mean() as f64 * block.counts.words as f64;
            self.odds_sums.push(odds);
            let words = block.counts.words as f32;
            echo[0] += words * block.echo.before().max(0.0);
            echo[1] += words * block.echo.data().max(0.0);
            self.echo_sums.push(echo);
        }
    }

    /// The share of words of some blocks that were said before, and of those that structured data says.
    fn echoes(&self, start: usize, end: usize) -> [f32; 2] {
        let words = (self.sums[end].words - self.sums[start].words).max(1) as f32;
        let (from, to) = (self.echo_sums[start], self.echo_sums[end]);
        [(to[0] - from[0]) / words, (to[1] - from[1]) / words]
    }

    /// The mean odds of words over some blocks.
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

    fn describe_groups(&mut self, page: &PageBlocks) {
        self.facts.clear();
        self.nearest.clear();
        let all = self.range(0, page.blocks.len());
        for (at, group) in page.groups.iter().enumerate() {
            let range = self.range(group.start as usize, group.end as usize);
            let above = (at > 0).then(|| &page.groups[group.parent as usize]);
            let parent_words =
                above.map_or(range.words, |above| self.range(above.start as usize, above.end as usize).words);
            let [heard, data] = self.echoes(group.start as usize, group.end as usize);
            let facts = GroupFacts {
                log_words: log(range.words),
                page_share: share(range.words, all.words),
                link_share: share(range.link_words, range.words),
                log_blocks: log(range.blocks),
                mean_words: share(range.words, range.blocks),
                sentences: share(range.sentence_ends, range.words),
                alike: log(group.alike),
                place: above.map_or(0.0, |above| share(group.index, above.children)),
                children: log(group.children),
                same_shape: 0.0,
                shape_share: 0.0,
                of_parent: share(range.words, parent_words),
                odds: self.mean_odds(group.start as usize, group.end as usize),
                heard,
                data,
                depth: if at > 0 { self.facts[group.parent as usize].depth.saturating_add(1) } else { 0 },
            };
            self.facts.push(facts);
            let nearest = self.nearest_of(group, at > 0);
            self.nearest.push(nearest);
        }
        self.find_shapes(page, all.words);
    }

    /// How far up the nearest group of each kind and hint is.
    fn nearest_of(&self, group: &Group, has_parent: bool) -> [u8; NEAREST] {
        let mut nearest = [FAR; NEAREST];
        if has_parent {
            for (own, above) in nearest.iter_mut().zip(&self.nearest[group.parent as usize]) {
                *own = (above + 1).min(FAR);
            }
        }
        let (mut tags, mut hints) = (group.tags.0, group.hints.0);
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

    /// Groups of one shape anywhere on the page: posts, cards, rows.
    fn find_shapes(&mut self, page: &PageBlocks, words: u32) {
        self.order.clear();
        self.order.extend(page.groups.iter().enumerate().map(|(at, group)| Place::new(group.shape, at)));
        self.order.sort_unstable();
        for run in self.order.chunk_by(|one, two| one.hash() == two.hash()) {
            let held: u32 = run
                .iter()
                .map(|place| {
                    let group = &page.groups[place.at()];
                    self.sums[group.end as usize].words - self.sums[group.start as usize].words
                })
                .sum();
            for place in run {
                let facts = &mut self.facts[place.at()];
                facts.same_shape = log(run.len() as u32);
                facts.shape_share = share(held, words);
            }
        }
    }

    fn find_headings(&mut self, page: &PageBlocks) {
        self.headings.clear();
        let mut heading = Heading::default();
        for (block, words) in page.blocks.iter().zip(&self.words) {
            self.headings.push(heading);
            if block.heading > 0 {
                heading = Heading {
                    level: block.heading,
                    words: block.counts.words,
                    link_words: block.counts.link_words,
                    found: words.found,
                    ..Heading::default()
                };
            }
            heading.blocks_since += 1;
            heading.words_since += block.counts.words;
        }
    }

    /// Describes a block.
    pub(crate) fn describe(&self, page: &PageBlocks, facts: &PageFacts, at: usize, out: &mut impl Take) {
        self.describe_block(page, facts, at, out);
        facts.describe(out);
    }

    /// Describes a block, without what is the same for all blocks of its page.
    pub(crate) fn describe_block(&self, page: &PageBlocks, facts: &PageFacts, at: usize, out: &mut impl Take) {
        let block = &page.blocks[at];
        self.describe_text(block, at, out);
        self.describe_echo(block, at, out);
        self.describe_place(page, facts, at, out);
        self.describe_levels(page, block, out);
        self.describe_roles(page, at, out);
        self.describe_neighbours(page, at, out);
    }

    fn describe_text(&self, block: &TextBlock, at: usize, out: &mut impl Take) {
        let counts = &block.counts;
        let (words, characters) = (counts.words, counts.characters);
        out.take("words", log(words));
        out.take("characters", log(characters));
        out.take("word_length", share(characters, words));
        out.take("link_share", share(counts.link_words, words));
        out.take("links", log(block.links as u32));
        out.take("digits", share(counts.digits, characters));
        out.take("capitals", share(counts.capitals, characters));
        out.take("capital_words", share(counts.capital_words, words));
        out.take("short_words", share(counts.short_words, words));
        out.take("sentence_ends", log(counts.sentence_ends));
        out.take("sentences", share(counts.sentence_ends, words));
        out.take("commas", share(counts.commas, words));
        out.take("marks", share(counts.marks, characters));
        out.take("bold", share(counts.bold_characters, characters));
        out.take("code", share(counts.code_characters, characters));
        out.take("text_nodes", log(block.texts as u32));
        out.take("breaks", log(block.breaks as u32));
        out.take("pictures", log(block.pictures as u32));
        out.take("controls", log(block.controls as u32));
        out.take("inner_links", share(counts.inner_link_words, words));
        out.take("outer_links", share(counts.outer_link_words, words));
        out.take("own_heading_level", block.heading as f32);
        out.take("ends_sentence", is_sentence_end(block.last_character) as u32 as f32);
        out.take("last_mark", mark_code(block.last_character));
        out.take("first_mark", mark_code(block.first_character));
        out.take("hidden", block.hidden as u32 as f32);
        out.take("copies_on_page", self.kin.copies[at].count as f32);
        let words = &self.words[at];
        for (found, (list, _)) in words.found.iter().zip(&LEXICON) {
            out.take_of("furniture_words", list, *found as f32);
        }
        out.take("title_share", words.title_share);
        out.take("word_odds", block.odds.mean());
        out.take("word_odds_clipped", block.odds.clipped());
        out.take("name_odds", block.names.mean());
        out.take("name_odds_lowest", block.names.lowest);
        out.take("name_odds_own", block.names.own);
        out.take("name_odds_above", block.names.above);
    }

    fn describe_echo(&self, block: &TextBlock, at: usize, out: &mut impl Take) {
        let copies = &self.kin.copies[at];
        let distance = |other: Option<u32>| other.map_or(-1.0, |other| log(other.abs_diff(at as u32)));
        let role = &self.kin.role_of[1];
        let kin = |other: Option<u32>| other.map_or(-1.0, |other| (role[other as usize] == role[at]) as u32 as f32);
        out.take("copies_before", log(copies.earlier as u32));
        out.take("blocks_since_copy", distance(copies.before));
        out.take("blocks_until_copy", distance(copies.after));
        out.take("copy_before_in_same_role", kin(copies.before));
        out.take("copy_after_in_same_role", kin(copies.after));
        out.take("said_before_share", block.echo.before());
        out.take("in_description_share", block.echo.description());
        out.take("in_structured_data_share", block.echo.data());
    }

    fn describe_place(&self, page: &PageBlocks, facts: &PageFacts, at: usize, out: &mut impl Take) {
        let blocks = page.blocks.len() as u32;
        let all = self.sums[blocks as usize].words;
        let before = self.sums[at].words;
        out.take("place_by_block", share(at as u32, blocks));
        out.take("place_by_word", share(before, all));
        out.take("blocks_before", log(at as u32));
        out.take("blocks_after", log(blocks - at as u32 - 1));
        let heading = self.headings[at];
        out.take("heading_level", heading.level as f32);
        out.take("blocks_since_heading", log(heading.blocks_since));
        out.take("words_since_heading", log(heading.words_since));
        out.take("heading_words", log(heading.words));
        out.take("heading_link_share", share(heading.link_words, heading.words));
        for (found, (list, _)) in heading.found.iter().zip(&LEXICON) {
            out.take_of("heading_furniture_words", list, *found as f32);
        }
        let since = |from: Option<u32>| from.map_or(-999.0, |from| at as f32 - from as f32);
        out.take("blocks_since_title", since(facts.title_block).clamp(-200.0, 200.0));
        out.take("blocks_since_first_h1", since(facts.first_h1).clamp(-200.0, 200.0));
        let block = &page.blocks[at];
        out.take("depth", self.facts[block.group as usize].depth as f32);
    }

    fn describe_levels(&self, page: &PageBlocks, block: &TextBlock, out: &mut impl Take) {
        let mut group = block.group;
        let (tags, hints) = self.nearest[group as usize].split_at(TAGS);
        for (value, tag) in tags.iter().zip(&TAG_NAMES) {
            out.take_of("nearest_tag", tag, *value as f32);
        }
        for (value, (hint, _)) in hints.iter().zip(&HINTS) {
            out.take_of("nearest_hint", hint, *value as f32);
        }
        for level in 0..LEVELS as i32 {
            let facts = &self.facts[group as usize];
            out.take_at("group_words", level, facts.log_words);
            out.take_at("group_page_share", level, facts.page_share);
            out.take_at("group_link_share", level, facts.link_share);
            out.take_at("group_blocks", level, facts.log_blocks);
            out.take_at("group_mean_words", level, facts.mean_words);
            out.take_at("group_sentences", level, facts.sentences);
            out.take_at("group_like_siblings", level, facts.alike);
            out.take_at("group_place", level, facts.place);
            out.take_at("group_children", level, facts.children);
            out.take_at("group_same_shape", level, facts.same_shape);
            out.take_at("group_shape_share", level, facts.shape_share);
            out.take_at("group_of_parent", level, facts.of_parent);
            out.take_at("group_word_odds", level, facts.odds);
            out.take_at("group_said_before_share", level, facts.heard);
            out.take_at("group_in_structured_data_share", level, facts.data);
            group = page.groups[group as usize].parent;
        }
    }

    fn describe_roles(&self, page: &PageBlocks, at: usize, out: &mut impl Take) {
        let all = page.blocks.len() as u32;
        for depth in 0..ROLE_DEPTHS {
            let role = &self.kin.roles[depth][self.kin.role_of[depth][at] as usize];
            let level = depth as i32;
            out.take_at("role_blocks", level, log(role.blocks));
            out.take_at("role_mean_words", level, share(role.counts.words, role.blocks));
            out.take_at("role_page_share", level, share(role.counts.words, self.sums[all as usize].words));
            out.take_at("role_link_share", level, share(role.counts.link_words, role.counts.words));
            out.take_at("role_sentences", level, share(role.counts.sentence_ends, role.blocks));
            out.take_at("role_single", level, share(role.single, role.blocks));
            out.take_at("role_first", level, share(role.first, all));
            out.take_at("role_span", level, share(role.last - role.first, all));
        }
    }

    fn describe_neighbours(&self, page: &PageBlocks, at: usize, out: &mut impl Take) {
        let own = &page.blocks[at];
        for step in [-3i32, -2, -1, 1, 2, 3] {
            let other = at.checked_add_signed(step as isize).and_then(|at| page.blocks.get(at));
            let counts = other.map(|other| other.counts).unwrap_or_default();
            out.take_at("near_words", step, other.map_or(-1.0, |_| log(counts.words)));
            out.take_at("near_link_share", step, share(counts.link_words, counts.words));
            out.take_at("near_sentences", step, counts.sentence_ends.min(9) as f32);
            out.take_at("near_heading", step, other.map_or(0, |other| other.heading) as f32);
            if step.abs() == 1 {
                out.take_at("near_name_odds", step, other.map_or(0.0, |other| other.names.mean()));
            }
            let related = other.map_or(-1.0, |other| relation(page, own.group, other.group));
            out.take_at("near_relation", step, related);
        }
        for width in [2i32, 5, 10, 25] {
            let start = at.saturating_sub(width as usize);
            let end = (at + width as usize + 1).min(page.blocks.len());
            let range = self.range(start, end);
            out.take_at("window_words", width, share(range.words, range.blocks));
            out.take_at("window_link_share", width, share(range.link_words, range.words));
            out.take_at("window_sentences", width, share(range.sentence_ends, range.blocks));
            out.take_at("window_word_odds", width, self.mean_odds(start, end));
        }
    }
}

/// Sums over neighbouring blocks.
struct Range {
    words: u32,
    link_words: u32,
    sentence_ends: u32,
    blocks: u32,
}

/// How close two groups are: 3 the same, 2 one holds the other or they share a parent, 1 they share a grandparent, else 0.
fn relation(page: &PageBlocks, one: u32, two: u32) -> f32 {
    if one == two {
        return 3.0;
    }
    let parent = |group: u32| page.groups[group as usize].parent;
    let (above_one, above_two) = (parent(one), parent(two));
    if above_one == above_two || above_one == two || above_two == one {
        return 2.0;
    }
    let (top_one, top_two) = (parent(above_one), parent(above_two));
    if top_one == top_two || top_one == above_two || top_two == above_one { 1.0 } else { 0.0 }
}

/// What kind of character stands at an edge of a block.
fn mark_code(character: char) -> f32 {
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
