//! Mapping costs of TreeMap and alignment scores of Align against the simplest possible implementations, on thousands of random inputs
//! and on pages.

use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::made_sites::Random;
use crate::shared::report::Results;
use crate::shared::site_pages::shuffled;
use dehusk::dom::Parser;
use dehusk_papers::align::{AlignAlgorithm, AlignLimits, PageTokens, align_by};
use dehusk_papers::treemap::{PageTree, map_trees};
use std::collections::BTreeMap;

/// Random inputs of each method.
const RANDOM_PAIRS: usize = 20_000;

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let mut body = String::from("## TreeMap: costs against the definition\n\n");
    body += &format!("- {}\n\n", check_mapping(RANDOM_PAIRS)?);
    body += "have the same cost as an independent implementation that tries all ways to pair children in order (restricted top-down \
             mapping). The library's tests make the same check with a further independent implementation.\n\n";
    body += "## Align: scores against a textbook implementation\n\n";
    body += &format!("- {}\n- {}\n\n", check_sequences(RANDOM_PAIRS)?, check_pages(data)?);
    body += "For all of these pairs, the table, the wavefronts, divide and conquer (with tables of 64 bytes, or 64 KiB for pages) and \
             the algorithm the program would choose give the same score as an independent textbook implementation.\n";
    results.publish("oracles", "Mappings and alignments against their definitions", "sites, random inputs", &body)
}

/// Random numbers of 32 bits.
struct Numbers(Random);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit as usize) as u32
    }
}

/// A tree as in the definition.
struct Tree {
    label: u32,
    children: Vec<Tree>,
}

impl Tree {
    /// A random tree of `nodes` nodes: those left after the root are distributed among children.
    fn random(numbers: &mut Numbers, nodes: u32) -> Tree {
        let mut tree = Tree { label: numbers.below(3), children: Vec::new() };
        let mut left = nodes - 1;
        while left > 0 {
            let part = 1 + numbers.below(left);
            tree.children.push(Tree::random(numbers, part));
            left -= part;
        }
        tree
    }

    fn size(&self) -> u64 {
        1 + self.children.iter().map(Tree::size).sum::<u64>()
    }

    fn write(&self, html: &mut String) {
        *html += &format!("<div class=c{}>", self.label);
        self.children.iter().for_each(|child| child.write(html));
        *html += "</div>";
    }

    /// The restricted top-down distance by its definition: all ways to pair children in order are tried.
    fn distance(&self, other: &Tree) -> u64 {
        match self.label == other.label {
            true => lists(&self.children, &other.children),
            false => self.size() + other.size() - 1,
        }
    }
}

fn lists(one: &[Tree], two: &[Tree]) -> u64 {
    let ((Some(first), Some(second)), rest, other) = ((one.first(), two.first()), one.get(1..), two.get(1..)) else {
        return one.iter().chain(two).map(Tree::size).sum();
    };
    let (rest, other) = (rest.unwrap_or_default(), other.unwrap_or_default());
    let deleted = first.size() + lists(rest, two);
    let inserted = second.size() + lists(one, other);
    deleted.min(inserted).min(first.distance(second) + lists(rest, other))
}

/// Maps random trees, through the parser, and compares the costs. Returns how many trees were compared.
fn check_mapping(pairs: usize) -> Result<String, Stop> {
    let mut numbers = Numbers(Random(4));
    let mut parser = Parser::default();
    let (mut wrong, mut equal) = (0, 0);
    for _ in 0..pairs {
        let trees = [(); 2].map(|_| {
            let nodes = 1 + numbers.below(9);
            Tree::random(&mut numbers, nodes)
        });
        let mut pages = Vec::new();
        for tree in &trees {
            let mut html = String::from("<!DOCTYPE html><body>");
            tree.write(&mut html);
            pages.push(PageTree::of(&parser.parse(html).map_err(|error| Stop::Broken(error.to_string()))?));
        }
        let expected = lists(&trees[..1], &trees[1..]);
        let mapping = map_trees(&pages[0], &pages[1]);
        wrong += usize::from(!mapping.is_exact || mapping.distance != expected);
        equal += usize::from(expected == 0);
    }
    if wrong > 0 {
        return Err(Stop::Failed(format!("{wrong} of {pairs} mappings differ in cost from the definition")));
    }
    Ok(format!(
        "{pairs} of {pairs} pairs of random trees of up to 9 nodes below the body ({equal} pairs were equal trees)"
    ))
}

/// The score of the best alignment as in the textbook.
fn textbook(first: &[u32], second: &[u32]) -> i64 {
    let mut above: Vec<i64> = (0..=second.len() as i64).map(|column| -column).collect();
    for (row, one) in (1..).zip(first) {
        let mut line = vec![-row];
        for (column, two) in second.iter().enumerate() {
            let together = above[column] + i64::from(one == two);
            line.push(together.max(above[column + 1] - 1).max(line[column] - 1));
        }
        above = line;
    }
    above[second.len()]
}

/// Whether all algorithms give the textbook score. Small tables force divide and conquer to divide.
fn paths_agree(first: &[u32], second: &[u32], bytes: usize) -> bool {
    let expected = textbook(first, second);
    let small = AlignLimits { bytes, ..AlignLimits::default() };
    let paths = [
        (AlignAlgorithm::Matrix, AlignLimits::default()),
        (AlignAlgorithm::Wavefront, AlignLimits::default()),
        (AlignAlgorithm::Divide, small),
        (AlignAlgorithm::Auto, AlignLimits::default()),
    ];
    paths.into_iter().all(|(path, limits)| {
        let alignment = align_by(path, first, second, limits);
        alignment.exact && alignment.score() == expected
    })
}

/// Checks random sequences: unrelated ones, and ones derived from each other by edits.
fn check_sequences(pairs: usize) -> Result<String, Stop> {
    let mut numbers = Numbers(Random(5));
    let mut wrong = 0;
    for round in 0..pairs {
        let alphabet = 2 + numbers.below(12);
        let length = numbers.below(80);
        let first: Vec<u32> = (0..length).map(|_| numbers.below(alphabet)).collect();
        let mut second = first.clone();
        for _ in 0..numbers.below(if round % 2 == 0 { 8 } else { 80 }) {
            let at = numbers.below(second.len() as u32 + 1) as usize;
            match numbers.below(3) {
                0 => second.insert(at, numbers.below(alphabet)),
                1 if at < second.len() => drop(second.remove(at)),
                _ if at < second.len() => second[at] = numbers.below(alphabet),
                _ => {}
            }
        }
        wrong += usize::from(!paths_agree(&first, &second, 64));
    }
    if wrong > 0 {
        return Err(Stop::Failed(format!("{wrong} of {pairs} alignments differ in score from the textbook")));
    }
    Ok(format!("{pairs} of {pairs} pairs of random sequences of up to 80 tokens and more"))
}

/// Longer pages are left out: the textbook algorithm takes quadratic time.
const MAX_TOKENS: usize = 6_000;
const PAIRS_OF_SITE: usize = 2;

/// Checks pairs of pages of each site.
fn check_pages(data: &Data) -> Result<String, Stop> {
    let (mut pairs, mut wrong, mut longest) = (0, 0, 0);
    let mut parser = Parser::default();
    for file in data.list("sites", ".jsonl.zst")? {
        let mut pages = Vec::new();
        read_pages(&file, |_, html| pages.push(html))?;
        let order = shuffled(pages.len());
        let mut ids: BTreeMap<u64, u32> = BTreeMap::new();
        let mut sequences: Vec<Vec<u32>> = Vec::new();
        for number in order.iter().take(2 * PAIRS_OF_SITE) {
            let document = parser.parse(pages[*number].as_str()).map_err(|error| Stop::Broken(error.to_string()))?;
            let tokens = PageTokens::of(&document).tokens;
            let mut intern = |hash: u64| {
                let next = ids.len() as u32;
                *ids.entry(hash).or_insert(next)
            };
            sequences.push(tokens.iter().map(|token| intern(token.hash)).collect());
        }
        for pair in sequences.chunks_exact(2).filter(|pair| pair.iter().all(|page| page.len() <= MAX_TOKENS)) {
            pairs += 1;
            longest = longest.max(pair[0].len().max(pair[1].len()));
            wrong += usize::from(!paths_agree(&pair[0], &pair[1], 1 << 16));
        }
    }
    if wrong > 0 {
        return Err(Stop::Failed(format!("{wrong} of {pairs} pairs of pages differ in score from the textbook")));
    }
    Ok(format!("{pairs} of {pairs} pairs of pages of one site each, of up to {longest} tokens"))
}
