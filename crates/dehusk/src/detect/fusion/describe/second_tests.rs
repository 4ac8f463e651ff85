//! The second look at a small page, number by number.

use crate::detect::fusion::fusion_page::FusionPage;
use crate::dom::Parser;
use crate::read::words::hashed_odds::Odds;

/// Where the parts of a row begin: the block's own score, five neighbours on both sides, seven chains by words, five chains by block,
/// three windows, eleven numbers about the page and the copies, three numbers for each of three sets of similar blocks, fourteen numbers about the part
/// of the page it is in, four about its region.
const GROUPS: usize = 11;
const PLAIN: usize = GROUPS + 7;
const WINDOWS: usize = PLAIN + 5;
const PAGE: usize = WINDOWS + 3;
const ROLES: usize = PAGE + 11;
const PARTS: usize = ROLES + 9;
const REGIONS: usize = PARTS + 14;
const WIDTH: usize = REGIONS + 4;

const SCORES: [f32; 3] = [0.5, 0.8, 0.1];
/// The weights of the three blocks: their words and a little more.
const WORDS: [f32; 3] = [2.01, 4.01, 1.01];

fn rows() -> Vec<Vec<f32>> {
    let source = "<div><p>one two</p><p>three four five six</p></div><footer><p>seven</p></footer>";
    let mut page = FusionPage::default();
    page.prepare(&Parser::default().parse(source).unwrap(), &Odds::default());
    assert_eq!(page.len(), 3);
    page.second_rows(&SCORES).chunks(WIDTH).map(<[f32]>::to_vec).collect()
}

fn weighed(blocks: std::ops::Range<usize>) -> f32 {
    blocks.clone().map(|at| WORDS[at] * SCORES[at]).sum::<f32>() / blocks.map(|at| WORDS[at]).sum::<f32>()
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(one, two)| (one - two).abs() < 1e-4);
    assert!(near, "{found:?} is not {expected:?}");
}

#[test]
fn a_row_starts_with_the_score_and_those_around_it() {
    let rows = rows();
    assert_eq!((rows.len(), crate::detect::fusion::fusion_schema::column_names().second.len()), (3, WIDTH));
    let none = -1.0;
    assert_near(&rows[0][..5], &[0.5, none, 0.8, none, 0.1]);
    assert_near(&rows[1][..5], &[0.8, 0.5, 0.1, none, none]);
    assert_near(&rows[2][..5], &[0.1, 0.8, none, 0.5, none]);
    assert!(rows.iter().all(|row| row[5..GROUPS].iter().all(|score| *score == none)));
}

#[test]
fn groups_have_means_by_words_and_by_blocks() {
    let rows = rows();
    let (division, all) = (weighed(0..2), weighed(0..3));
    assert_near(&rows[0][GROUPS..PLAIN], &[0.5, division, all, all, all, all, all]);
    assert_near(&rows[1][GROUPS..PLAIN], &[0.8, division, all, all, all, all, all]);
    assert_near(&rows[2][GROUPS..PLAIN], &[0.1, all, all, all, all, all, all]);
    let mean = (0.5 + 0.8 + 0.1) / 3.0;
    assert_near(&rows[0][PLAIN..WINDOWS], &[0.5, 0.65, mean, mean, mean]);
    assert_near(&rows[2][PLAIN..WINDOWS], &[0.1, mean, mean, mean, mean]);
    assert_near(&rows[1][WINDOWS..PAGE], &[all, all, all]);
}

#[test]
fn a_row_says_where_the_block_is_among_all() {
    let rows = rows();
    let expected: f32 = (0..3).map(|at| WORDS[at] * SCORES[at]).sum();
    let words: f32 = WORDS.iter().sum();
    // The best F that scores promise is that of the first two blocks.
    let best = 2.0 * (WORDS[0] * 0.5 + WORDS[1] * 0.8) / (WORDS[0] + WORDS[1] + expected);
    let before = [0.0, WORDS[0] * 0.5, WORDS[0] * 0.5 + WORDS[1] * 0.8].map(|sum| sum / expected);
    let rank = [1.0 / 3.0, 0.0, 2.0 / 3.0];
    let (left, right) = ([0.5, 0.8, 0.64], [0.64, 0.8, 0.1]);
    for at in 0..3 {
        let page = [
            before[at],
            expected / words,
            0.8,
            (expected + 1.0).ln(),
            rank[at],
            left[at],
            right[at],
            SCORES[at] - best / 2.0,
            best,
            -1.0,
            -1.0,
        ];
        assert_near(&rows[at][PAGE..ROLES], &page);
    }
}

#[test]
fn blocks_of_one_role_have_their_mean_and_their_best() {
    let rows = rows();
    let paragraphs = [weighed(0..2), 0.65, 0.8];
    assert_near(&rows[0][ROLES..ROLES + 3], &paragraphs);
    assert_near(&rows[1][ROLES..ROLES + 3], &paragraphs);
    assert_near(&rows[2][ROLES..PARTS], &[0.1; 9]);
}

#[test]
fn a_block_knows_the_part_of_the_page_it_is_in() {
    let rows = rows();
    let expected: f32 = (0..3).map(|at| WORDS[at] * SCORES[at]).sum();
    let words: f32 = WORDS.iter().sum();
    // The first paragraph has less than half of the content, the second more, and so the second is a main part itself.
    let first = [0.5, WORDS[0] * 0.5 / expected, (WORDS[0] + 1.0).ln(), WORDS[0] / (WORDS[0] + WORDS[1]), 2.0, 0.0];
    assert_near(&rows[0][PARTS..PARTS + 6], &first);
    let footer = [0.1, WORDS[2] * 0.1 / expected, (WORDS[2] + 1.0).ln(), WORDS[2] / words, 1.0, 0.0];
    assert_near(&rows[2][PARTS..PARTS + 6], &footer);
    // The smallest chain with half of the content is the second paragraph, that with four fifths the division.
    let (one, two, three) = (2.0f32.ln(), 0.0, -(2.0f32.ln()));
    assert_near(&rows[0][PARTS + 6..REGIONS], &[0.0, one, three, 0.8, 1.0, two, three, weighed(0..2)]);
    assert_near(&rows[1][PARTS + 6..REGIONS], &[1.0, 0.0, 0.0, 0.8, 1.0, three, 0.0, weighed(0..2)]);
    assert_near(&rows[2][PARTS + 6..REGIONS], &[0.0, three, one, 0.8, 0.0, -(3.0f32.ln()), one, weighed(0..2)]);
}

#[test]
fn a_copy_sees_the_score_of_the_other() {
    let mut page = FusionPage::default();
    page.prepare(&Parser::default().parse("<p>same</p><p>other</p><aside>same</aside>").unwrap(), &Odds::default());
    let rows = page.second_rows(&SCORES);
    let copies = |block: usize| &rows[block * WIDTH + ROLES - 2..block * WIDTH + ROLES];
    assert_eq!(copies(0), [-1.0, 0.1]);
    assert_eq!(copies(1), [-1.0, -1.0]);
    assert_eq!(copies(2), [0.5, -1.0]);
}

#[test]
fn a_page_without_text_has_no_rows() {
    let mut page = FusionPage::default();
    page.prepare(&Parser::default().parse("<p> </p>").unwrap(), &Odds::default());
    assert!(page.second_rows(&[]).is_empty());
}

#[test]
fn a_row_ends_with_the_scores_of_region_column_and_record() {
    let cards = "<div class=card><h3>one</h3><p>two three</div>".repeat(3);
    let mut page = FusionPage::default();
    page.prepare(&Parser::default().parse(format!("{cards}<p>four")).unwrap(), &Odds::default());
    let rows = page.second_rows(&[0.9, 0.3, 0.9, 0.3, 0.3, 0.6, 0.5]);
    let rows: Vec<&[f32]> = rows.chunks(WIDTH).map(|row| &row[REGIONS..]).collect();
    // Each word counts, and one more for each block: headings count 2, texts 3.
    let region = (2.0 * (0.9 + 0.9 + 0.3) + 3.0 * (0.3 + 0.3 + 0.6)) / 15.0;
    assert_near(rows[0], &[region, 0.7, (2.0 * 0.9 + 3.0 * 0.3) / 5.0, region]);
    assert_near(rows[5], &[region, 0.4, (2.0 * 0.3 + 3.0 * 0.6) / 5.0, region]);
    assert_near(rows[6], &[-1.0, -1.0, -1.0, region]);
}
