//! Features of the records around a block: of the whole region, of the column the block is in, and of its record.
//!
//! A block of a card is judged by all cards: how many there are, how much of the page they are, what they consist of, what heads them.
//! Input: the blocks of a page and their places among its records. Output: some columns for each block; -1 outside records.

use super::feature_sink::FeatureSink;
use super::scale::{log, share};
use crate::read::text_blocks::{PageBlocks, TextBlock};
use crate::read::words::boilerplate_words::BOILERPLATE;
use crate::records::columns::RecordColumns;

/// A block of this many words, most of them outside links, is prose.
const PROSE_WORDS: u32 = 20;
/// What a block outside records has.
const OUTSIDE: f32 = -1.0;

/// The names of the features of a region, of a column, and of a block in its record.
const REGION_NAMES: [&str; 23] = [
    "region_records",
    "region_page_share",
    "region_of_largest",
    "region_words",
    "region_record_words",
    "region_record_blocks",
    "region_link_share",
    "region_sentences",
    "region_digits",
    "region_prose",
    "region_single",
    "region_pictures",
    "region_columns",
    "region_shared",
    "region_first",
    "region_span",
    "region_blocks_after",
    "region_word_odds",
    "region_name_odds",
    "region_structured_data",
    "region_blocks_since_heading",
    "region_heading_words",
    "region_heading_boilerplate_words",
];
const COLUMN_NAMES: [&str; 6] =
    ["column_records", "column_words", "column_link_share", "column_single", "column_word_odds", "column_place"];
const RECORD_NAMES: [&str; 3] = ["record_place", "record_words", "record_block_place"];

/// Sums over blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    blocks: u32,
    words: u32,
    link_words: u32,
    sentence_ends: u32,
    digits: u32,
    characters: u32,
    prose: u32,
    /// Blocks whose text appears once on the page.
    unique: u32,
    pictures: u32,
    /// Weighted by words.
    word_odds: f32,
    name_odds: f32,
    structured_data: f32,
}

impl Sums {
    fn add(&mut self, block: &TextBlock, is_unique: bool) {
        let counts = &block.counts;
        let words = counts.words as f32;
        self.blocks += 1;
        self.words += counts.words;
        self.link_words += counts.link_words;
        self.sentence_ends += counts.sentence_ends;
        self.digits += counts.digits;
        self.characters += counts.characters;
        let is_prose = counts.words >= PROSE_WORDS && 3 * counts.link_words < counts.words;
        self.prose += if is_prose { counts.words } else { 0 };
        self.unique += u32::from(is_unique);
        self.pictures += u32::from(block.images);
        self.word_odds += words * block.words.odds.mean();
        self.name_odds += words * block.names.mean();
        self.structured_data += words * block.words.overlap.structured_data().max(0.0);
    }

    fn by_words(&self, sum: f32) -> f32 {
        sum / self.words.max(1) as f32
    }
}

/// The records of one set of similar siblings.
#[derive(Clone, Copy, Debug, Default)]
struct RegionFacts {
    sums: Sums,
    records: u32,
    /// Words in columns that most records have, and the number of these columns.
    shared_words: u32,
    shared_columns: u32,
    /// The first and the last block.
    first: u32,
    last: u32,
    /// The record of the last block that was read.
    record: u32,
}

/// One column of a region.
#[derive(Clone, Copy, Debug, Default)]
struct ColumnFacts {
    sums: Sums,
    region: u32,
    /// Its number among the columns of its region.
    number: u32,
}

/// One record of a region.
#[derive(Clone, Copy, Debug, Default)]
struct RecordFacts {
    node: u32,
    /// Its number in the region.
    number: u32,
    blocks: u32,
    words: u32,
}

/// The place of a block: its region, column and record, and its number among the blocks of the record.
#[derive(Clone, Copy, Debug)]
struct BlockPlace {
    region: u32,
    column: u32,
    record: u32,
    in_record: u32,
}

/// The regions of a page. Its buffers are reused for the next page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    regions: Vec<RegionFacts>,
    columns: Vec<ColumnFacts>,
    records: Vec<RecordFacts>,
    of_block: Vec<Option<BlockPlace>>,
    region_rows: Vec<[f32; REGION_NAMES.len()]>,
    column_rows: Vec<[f32; COLUMN_NAMES.len()]>,
    /// Words of the page, and of its largest region.
    words: u32,
    largest: u32,
}

impl Regions {
    /// Sums up the records of a page. `is_unique` says whether the text of a block appears once.
    /// `heading` is the heading above a block.
    pub(crate) fn find(
        &mut self,
        page: &PageBlocks,
        found: &RecordColumns,
        is_unique: impl Fn(usize) -> bool,
        heading: impl Fn(usize) -> RegionHeading,
    ) {
        self.regions.clear();
        self.regions.extend(found.sets().iter().map(|records| RegionFacts { records: *records, ..Default::default() }));
        self.columns.clear();
        self.columns.resize(found.len(), ColumnFacts::default());
        self.records.clear();
        self.of_block.clear();
        self.words = page.blocks.iter().map(|block| block.counts.words).sum();
        for (at, block) in page.blocks.iter().enumerate() {
            let Some(cell) = found.cell(at) else {
                self.of_block.push(None);
                continue;
            };
            let is_unique = is_unique(at);
            let region = &mut self.regions[cell.set as usize];
            let column = &mut self.columns[cell.column as usize];
            column.region = cell.set;
            let is_first = region.sums.blocks == 0;
            if is_first || self.records[region.record as usize].node != cell.record.0 {
                let number = if is_first { 0 } else { self.records[region.record as usize].number + 1 };
                region.record = self.records.len() as u32;
                self.records.push(RecordFacts { node: cell.record.0, number, ..RecordFacts::default() });
            }
            if is_first {
                region.first = at as u32;
            }
            region.last = at as u32;
            if column.sums.blocks == 0 && cell.is_pooled {
                column.number = region.shared_columns;
                region.shared_columns += 1;
            }
            region.shared_words += if cell.is_pooled { block.counts.words } else { 0 };
            region.sums.add(block, is_unique);
            column.sums.add(block, is_unique);
            let record = &mut self.records[region.record as usize];
            record.blocks += 1;
            record.words += block.counts.words;
            let (record, in_record) = (region.record, record.blocks - 1);
            self.of_block.push(Some(BlockPlace { region: cell.set, column: cell.column, record, in_record }));
        }
        self.fill_rows(found, heading);
    }

    /// What a region, a column and a record are like, once for all their blocks.
    fn fill_rows(&mut self, found: &RecordColumns, heading: impl Fn(usize) -> RegionHeading) {
        self.largest = self.regions.iter().map(|region| region.sums.words).max().unwrap_or(0);
        let (words, largest, blocks) = (self.words, self.largest, self.of_block.len() as u32);
        self.region_rows.clear();
        for region in &self.regions {
            let sums = &region.sums;
            let heading = heading(region.first as usize);
            self.region_rows.push([
                log(region.records),
                share(sums.words, words),
                share(sums.words, largest),
                log(sums.words),
                log(sums.words / region.records.max(1)),
                share(sums.blocks, region.records),
                share(sums.link_words, sums.words),
                share(sums.sentence_ends, region.records),
                share(sums.digits, sums.characters),
                share(sums.prose, sums.words),
                share(sums.unique, sums.blocks),
                share(sums.pictures, region.records),
                log(region.shared_columns),
                share(region.shared_words, sums.words),
                share(region.first, blocks),
                share(region.last - region.first, blocks),
                log(blocks - region.last - 1),
                sums.by_words(sums.word_odds),
                sums.by_words(sums.name_odds),
                sums.by_words(sums.structured_data),
                log(heading.blocks_since),
                log(heading.words),
                heading.boilerplate.iter().copied().map(f32::from).sum(),
            ]);
        }
        self.column_rows.clear();
        for (number, column) in (0u32..).zip(&self.columns) {
            let (sums, region) = (&column.sums, &self.regions[column.region as usize]);
            self.column_rows.push([
                share(found.records_with(number), region.records),
                share(sums.words, sums.blocks),
                share(sums.link_words, sums.words),
                share(sums.unique, sums.blocks),
                sums.by_words(sums.word_odds),
                share(column.number, region.shared_columns),
            ]);
        }
    }

    /// Adds the features of a block.
    pub(crate) fn describe(&self, at: usize, out: &mut impl FeatureSink) {
        let (mut region, mut column, mut record) =
            (&[OUTSIDE; REGION_NAMES.len()], &[OUTSIDE; COLUMN_NAMES.len()], [OUTSIDE; RECORD_NAMES.len()]);
        if let Some(place) = &self.of_block[at] {
            region = &self.region_rows[place.region as usize];
            column = &self.column_rows[place.column as usize];
            let (own, around) = (&self.records[place.record as usize], &self.regions[place.region as usize]);
            record = [
                share(own.number, around.records),
                share(own.words * around.records, around.sums.words).min(9.0),
                share(place.in_record, own.blocks),
            ];
        }
        add_named(&REGION_NAMES, region, out);
        add_named(&COLUMN_NAMES, column, out);
        add_named(&RECORD_NAMES, &record, out);
    }

    /// For each block the mean scores of its region, its column and its record, weighted by words; its own score outside records.
    pub(crate) fn mean_scores(&self, page: &PageBlocks, scores: &[f32]) -> RegionScores {
        let mut means = RegionScores {
            regions: vec![(0.0, 0.0); self.regions.len()],
            columns: vec![(0.0, 0.0); self.columns.len()],
            records: vec![(0.0, 0.0); self.records.len()],
            best_region: 0.0,
        };
        for (at, place) in self.of_block.iter().enumerate() {
            let Some(place) = place else { continue };
            let words = 1.0 + page.blocks[at].counts.words as f32;
            let add = |sum: &mut (f32, f32)| *sum = (sum.0 + words * scores[at], sum.1 + words);
            add(&mut means.regions[place.region as usize]);
            add(&mut means.columns[place.column as usize]);
            add(&mut means.records[place.record as usize]);
        }
        let mean = |sum: &mut (f32, f32)| sum.0 /= sum.1.max(1.0);
        means.regions.iter_mut().for_each(mean);
        means.columns.iter_mut().for_each(mean);
        means.records.iter_mut().for_each(mean);
        means.best_region = means.regions.iter().map(|region| region.0).fold(0.0, f32::max);
        means
    }

    /// The mean scores of a block's region, column and record, and of the best region; -1 outside records.
    pub(crate) fn scores_of(&self, means: &RegionScores, at: usize) -> [f32; REGION_SCORES] {
        let outside = [OUTSIDE, OUTSIDE, OUTSIDE, means.best_region];
        self.of_block[at].map_or(outside, |place| {
            [
                means.regions[place.region as usize].0,
                means.columns[place.column as usize].0,
                means.records[place.record as usize].0,
                means.best_region,
            ]
        })
    }
}

#[inline(always)]
fn add_named<const COUNT: usize>(names: &[&'static str; COUNT], values: &[f32; COUNT], out: &mut impl FeatureSink) {
    for (name, value) in names.iter().zip(values) {
        out.add(name, *value);
    }
}

/// The heading above a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionHeading {
    pub(crate) blocks_since: u32,
    pub(crate) words: u32,
    pub(crate) boilerplate: [u8; BOILERPLATE.len()],
}

/// Columns of the second pass that regions give, and their names.
pub(crate) const REGION_SCORES: usize = 4;
pub(crate) const REGION_SCORE_NAMES: [&str; REGION_SCORES] =
    ["region_score", "column_score", "record_score", "best_region_score"];

/// Mean scores of regions, columns and records.
pub(crate) struct RegionScores {
    regions: Vec<(f32, f32)>,
    columns: Vec<(f32, f32)>,
    records: Vec<(f32, f32)>,
    best_region: f32,
}
