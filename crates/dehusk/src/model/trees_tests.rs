//! Scores equal those of walking down each tree, for any number of rows, and damaged files are errors.

use super::super::feature_schema::Schema;
use super::*;

/// Pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// A tree with random splits; leaves may be at any depth.
fn random_tree(numbers: &mut Numbers, features: u64, nodes: usize) -> Vec<TreeNode> {
    let mut tree = vec![TreeNode::default()];
    let mut at = 0;
    while at < tree.len() {
        tree[at].value = numbers.unit() - 0.5;
        if tree.len() < nodes && (at == 0 || !numbers.next().is_multiple_of(3)) {
            tree[at].feature = (numbers.next() % features) as u32;
            tree[at].threshold = (numbers.next() % 20) as f32 / 20.0;
            // Right before left, to check that the order of training does not matter.
            tree[at].right = tree.len() as u32;
            tree[at].left = tree.len() as u32 + 1;
            tree.extend([TreeNode::default(); 2]);
        }
        at += 1;
    }
    tree
}

fn walk(tree: &[TreeNode], row: &[f32]) -> f32 {
    let mut at = 0;
    while tree[at].left != 0 {
        let right = row[tree[at].feature as usize] >= tree[at].threshold;
        at = if right { tree[at].right } else { tree[at].left } as usize;
    }
    tree[at].value
}

fn forest(features: usize, trees: usize) -> (Vec<Vec<TreeNode>>, Vec<f32>) {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let trees = (0..trees).map(|at| random_tree(&mut numbers, features as u64, 20 + 20 * (at % 5))).collect();
    // More rows than a tile, and not a multiple of its size.
    let mut rows: Vec<f32> = (0..77 * features).map(|_| (numbers.next() % 21) as f32 / 20.0).collect();
    (rows[0], rows[5]) = (f32::NAN, f32::INFINITY);
    (trees, rows)
}

#[test]
fn trees_are_made_again_of_their_nodes() {
    let (trees, rows) = forest(6, 9);
    let model = Trees::build(6, Link::Softmax, vec![0.5, -0.5, 0.0], &trees);
    let again = Trees::build(6, model.link(), model.base().to_vec(), &model.to_nodes());
    assert_eq!(model, again);
    for (tree, own) in trees.iter().zip(model.to_nodes()) {
        assert!(rows.chunks(6).all(|row| walk(tree, row) == walk(&own, row)));
    }
}

#[test]
fn sums_are_those_of_walking_each_tree() {
    let (trees, rows) = forest(9, 12);
    for (link, outputs) in [(Link::Sum, 1), (Link::Mean, 1), (Link::Logistic, 1), (Link::Sum, 3), (Link::Softmax, 3)] {
        let model = Trees::build(9, link, vec![0.25; outputs], &trees);
        let mut scores = Vec::new();
        model.score_into(&rows, &mut TreeScratch::default(), &mut scores);
        for (row, found) in rows.chunks(9).zip(scores.chunks(outputs)) {
            let mut expected = vec![0.25f32; outputs];
            for (number, tree) in trees.iter().enumerate() {
                expected[number % outputs] += walk(tree, row);
            }
            match link {
                Link::Mean => expected[0] /= 12.0,
                Link::Logistic => expected[0] = sigmoid(expected[0]),
                Link::Softmax => {
                    let total: f32 = expected.iter().map(|sum| sum.exp()).sum();
                    expected.iter_mut().for_each(|sum| *sum = sum.exp() / total);
                }
                Link::Sum => {
                    let moved: f32 = model.contributions(row, 0).iter().sum();
                    let roots: f32 = trees.iter().step_by(outputs).map(|tree| tree[0].value).sum();
                    assert!((0.25 + roots + moved - expected[0]).abs() < 1e-4);
                }
            }
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-5, "{link:?}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn sums_do_not_depend_on_the_processor() {
    let (trees, mut rows) = forest(9, 12);
    rows[9..27].fill(f32::NAN);
    let model = Trees::build(9, Link::Sum, vec![0.25; 3], &trees);
    for count in [MIN_TILE_ROWS, 17, LANES] {
        let (mut tile, mut least, mut most) = (Tile::default(), TreeScratch::default(), TreeScratch::default());
        tile.fill(9, count, |_| (), |at, mut out| rows[9 * at..9 * (at + 1)].iter().for_each(|value| out.push(*value)));
        dispatch!(Level::baseline(), simd => model.add_up(simd, &tile, &mut least));
        dispatch!(Level::new(), simd => model.add_up(simd, &tile, &mut most));
        assert_eq!(least.sums, most.sums);
        let mut walked = Vec::new();
        rows.chunks(9).take(count).for_each(|row| model.walk(row, &mut walked));
        let found: Vec<f32> =
            (0..count).flat_map(|row| least.sums.iter().map(move |sums| sums[sum_index(row)])).collect();
        assert_eq!(found, walked);
    }
}

#[test]
fn trees_read_back_and_damage_is_named() {
    let (trees, rows) = forest(9, 12);
    let model = Trees::build(9, Link::Logistic, vec![0.5], &trees);
    let mut file = ModelFile::new("test", Schema::new("test", 1, ["one"]), "");
    model.write("trees", &mut file);
    let read = Trees::read("trees", 9, &file).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.score(&rows[..9]), model.score(&rows[..9]));
    assert!(Trees::read("trees", 3, &file).is_err());
    // A node that points back, one that points outside, a feature that does not exist.
    for (array, at, value) in [("left", 3, 0u16), ("left", 0, 60_000), ("feature", 0, 400)] {
        let mut damaged = file.clone();
        let mut values = file.u16s(&format!("trees.{array}")).unwrap().to_vec();
        values[at] = value;
        damaged.set(format!("trees.{array}"), Array::U16(values));
        assert!(Trees::read("trees", 9, &damaged).is_err(), "{array}");
    }
}

#[test]
fn no_trees_and_single_leaves_are_models_too() {
    let none = Trees::build(2, Link::Logistic, vec![0.0], &[]);
    assert_eq!(none.score(&[1.0, 2.0]), 0.5);
    let leaf = Trees::build(2, Link::Sum, vec![1.0], &[vec![TreeNode { value: 2.0, ..TreeNode::default() }]]);
    assert_eq!(leaf.score(&[1.0, 2.0]), 3.0);
    let mut file = ModelFile::new("test", Schema::new("test", 1, ["one"]), "");
    leaf.write("trees", &mut file);
    assert_eq!(Trees::read("trees", 2, &file).unwrap(), leaf);
}
