//! Expansions against brute force, by the definition of the energy alone.

use super::cut_problem::real;
use super::*;

/// A small problem, written down plainly. All numbers are multiples of 1/32, so sums are exact.
struct Case {
    parents: Vec<usize>,
    /// D by label and node.
    costs: Vec<Vec<f64>>,
    /// Which leaves may take a label, by label and node.
    permitted: Vec<Vec<bool>>,
    pairs: Vec<(usize, usize, f64)>,
    parent_weights: Vec<f64>,
    invisible_costs: Vec<f64>,
    lambda: f64,
    with_parents: bool,
}

impl Case {
    fn random(random: &mut SplitMix64, max_nodes: usize, max_labels: usize) -> Case {
        let nodes = 1 + random.below(max_nodes);
        let mut parents: Vec<usize> = vec![0];
        for node in 1..nodes {
            let mut parent = node - 1;
            while parent > 0 && random.below(2) == 0 {
                parent = parents[parent];
            }
            parents.push(parent);
        }
        let labels = 1 + random.below(max_labels);
        let mut eighths = |below: usize| random.below(below) as f64 / 8.0;
        // Weights far below the costs, like them, and above.
        let largest_weight = [2, 8, 40][(eighths(24) as usize).min(2)];
        let mut costs: Vec<Vec<f64>> = (0..labels).map(|_| (0..nodes).map(|_| eighths(40)).collect()).collect();
        let parent_weights = (0..nodes).map(|_| eighths(largest_weight)).collect();
        let invisible_costs = (0..nodes).map(|_| eighths(24)).collect();
        let is_leaf: Vec<bool> = (0..nodes).map(|node| !parents[1..].contains(&node)).collect();
        let leaves: Vec<usize> = (0..nodes).filter(|node| is_leaf[*node]).collect();
        let mut pairs = Vec::new();
        for (at, one) in leaves.iter().enumerate() {
            for two in &leaves[at + 1..] {
                if random.below(leaves.len()) < 3 {
                    let weight = random.below(largest_weight) as f64 / 8.0;
                    pairs.push(if random.below(2) == 0 { (*one, *two, weight) } else { (*two, *one, weight) });
                }
            }
        }
        let mut permitted = Vec::new();
        for label in 0..labels {
            // Everything, a range, or any leaves.
            let (kind, start) = (random.below(3), random.below(nodes));
            let end = start + random.below(nodes - start + 1).min([4, nodes][random.below(2)]);
            let may = (0..nodes).map(|node| match kind {
                1 if label > 0 => (start..end).contains(&node),
                2 if label > 0 => random.below(3) > 0,
                _ => true,
            });
            permitted.push(may.collect::<Vec<bool>>());
            // Now and then a cost without bound.
            for node in 0..nodes {
                if label > 0 && random.below(20) == 0 {
                    costs[label][node] = f64::INFINITY;
                    permitted[label][node] &= !is_leaf[node];
                }
            }
        }
        let lambda = [0.0, 0.25, 0.5, 1.0, 1.5, 4.0][random.below(6)];
        let with_parents = random.below(4) > 0;
        Case { parents, costs, permitted, pairs, parent_weights, invisible_costs, lambda, with_parents }
    }

    fn problem(&self) -> CutProblem {
        let parents: Vec<u32> = self.parents.iter().map(|parent| *parent as u32).collect();
        let mut problem = CutProblem::new(&parents);
        for (costs, permitted) in self.costs.iter().zip(&self.permitted) {
            let candidates = (0..self.parents.len()).filter(|node| permitted[*node]).map(|node| node as u32);
            problem.append_label(candidates, |node| costs[node]);
        }
        for (one, two, weight) in &self.pairs {
            problem.append_pair(*one as u32, *two as u32, *weight);
        }
        for node in 0..self.parents.len() {
            problem.set_parent_weight(node, self.parent_weights[node]);
            problem.set_invisible_cost(node, self.invisible_costs[node]);
        }
        problem
    }

    fn is_leaf(&self, node: usize) -> bool {
        !self.parents[1..].contains(&node)
    }

    fn leaves(&self) -> Vec<usize> {
        (0..self.parents.len()).filter(|node| self.is_leaf(*node)).collect()
    }

    fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        (1..self.parents.len()).filter(move |child| self.parents[*child] == node)
    }

    fn is_permitted(&self, label: usize, node: usize) -> bool {
        if self.is_leaf(node) {
            self.permitted[label][node]
        } else {
            self.children(node).all(|child| self.is_permitted(label, child))
        }
    }

    /// The largest finite cost of a label an interior node may take.
    fn largest_cost(&self, node: usize) -> f64 {
        let finite = |label: &usize| self.is_permitted(*label, node) && self.costs[*label][node].is_finite();
        (0..self.costs.len()).filter(finite).map(|label| self.costs[label][node]).fold(0.0, f64::max)
    }

    fn invisible_cost(&self, node: usize) -> f64 {
        let below: f64 = self.children(node).map(|child| self.parent_weights[child]).sum();
        let above = if node > 0 { self.parent_weights[node] } else { 0.0 };
        self.invisible_costs[node].max(self.largest_cost(node) - self.lambda * below + self.lambda * above)
    }

    /// The energy of labels of all nodes; none if they are not allowed.
    fn energy(&self, labels: &[u32]) -> Option<f64> {
        let mut energy = 0.0;
        for (node, label) in labels.iter().enumerate() {
            let at = *label as usize;
            if self.is_leaf(node) {
                if *label == INVISIBLE || !self.permitted[at][node] {
                    return None;
                }
                energy += self.costs[at][node];
            } else if self.with_parents {
                energy += match *label {
                    INVISIBLE => self.invisible_cost(node),
                    _ if self.costs[at][node].is_finite() => self.costs[at][node],
                    _ => self.largest_cost(node),
                };
            }
            if node > 0 && labels[self.parents[node]] != *label {
                if labels[self.parents[node]] != INVISIBLE {
                    return None;
                }
                energy += if self.with_parents { self.lambda * self.parent_weights[node] } else { 0.0 };
            }
        }
        for (one, two, weight) in &self.pairs {
            energy += if labels[*one] != labels[*two] { self.lambda * weight } else { 0.0 };
        }
        Some(energy)
    }

    /// Labels of all nodes from those of the leaves.
    fn with_interior(&self, mut labels: Vec<u32>) -> Vec<u32> {
        for node in (0..labels.len()).rev().filter(|node| !self.is_leaf(*node)) {
            let below: Vec<u32> = self.children(node).map(|child| labels[child]).collect();
            labels[node] = if below.iter().all(|label| *label == below[0]) { below[0] } else { INVISIBLE };
        }
        labels
    }

    /// The least energy that leaves reach by taking α, over all ways.
    fn best_expansion(&self, labels: &[u32], alpha: u32) -> f64 {
        let movable: Vec<usize> =
            self.leaves().into_iter().filter(|leaf| self.permitted[alpha as usize][*leaf]).collect();
        let ways = (0..1usize << movable.len()).map(|taken| {
            let mut moved = labels.to_vec();
            for (_, leaf) in movable.iter().enumerate().filter(|(bit, _)| taken >> bit & 1 == 1) {
                moved[*leaf] = alpha;
            }
            self.energy(&self.with_interior(moved)).unwrap()
        });
        ways.fold(f64::INFINITY, f64::min)
    }

    fn random_start(&self, random: &mut SplitMix64) -> Vec<u32> {
        let mut labels = vec![INVISIBLE; self.parents.len()];
        for leaf in self.leaves() {
            let permitted: Vec<usize> = (0..self.costs.len()).filter(|label| self.permitted[*label][leaf]).collect();
            labels[leaf] = permitted[random.below(permitted.len())] as u32;
        }
        labels
    }
}

#[test]
fn expansions_are_optimal() {
    let mut random = SplitMix64::new(2);
    let (mut lower, mut same, mut invisible, mut restricted, mut without_parents) = (0, 0, 0, 0, 0);
    for number in 0..6_000 {
        let case = Case::random(&mut random, 10, 4);
        let problem = case.problem();
        let mut expander = Expander::new(&problem, case.lambda, case.with_parents);
        assert!(expander.start(&case.random_start(&mut random)));
        for _ in 0..5 {
            let mut before = expander.labels().to_vec();
            label_interior(&problem, &mut before);
            let energy = case.energy(&before).unwrap();
            assert_eq!(real(expander.energy()), energy, "case {number}");
            let alpha = random.below(case.costs.len()) as u32;
            let best = case.best_expansion(&before, alpha);
            let outcome = expander.expand(alpha, u64::MAX);
            assert_eq!(real(expander.energy()), best, "case {number}");
            assert_eq!(outcome == Outcome::Lower, best < energy, "case {number}");
            if case.with_parents {
                assert_eq!(case.with_interior(expander.labels().to_vec()), expander.labels(), "case {number}");
            }
            lower += (outcome == Outcome::Lower) as usize;
            same += (outcome == Outcome::Same) as usize;
            invisible += before.contains(&INVISIBLE) as usize;
            restricted += case.leaves().iter().any(|leaf| !case.permitted[alpha as usize][*leaf]) as usize;
            without_parents += !case.with_parents as usize;
        }
    }
    let counts = [lower, same, invisible, restricted, without_parents];
    assert!(counts.iter().all(|count| *count > 3_000), "every kind occurs: {counts:?}");
}

#[test]
fn the_label_of_all_leaves_is_the_best_for_their_ancestors() {
    let mut random = SplitMix64::new(3);
    for number in 0..3_000 {
        let mut case = Case::random(&mut random, 10, 2);
        case.with_parents = true;
        let derived = case.with_interior(case.random_start(&mut random));
        let energy = case.energy(&derived).unwrap();
        let visible: Vec<usize> =
            (0..derived.len()).filter(|node| !case.is_leaf(*node) && derived[*node] != INVISIBLE).collect();
        for hidden in 0..1usize << visible.len() {
            let mut labels = derived.clone();
            visible
                .iter()
                .enumerate()
                .filter(|(bit, _)| hidden >> bit & 1 == 1)
                .for_each(|(_, node)| labels[*node] = INVISIBLE);
            assert!(case.energy(&labels).is_none_or(|other| other >= energy), "case {number}");
        }
    }
}

#[test]
fn energy_falls_to_what_the_labels_cost() {
    let mut random = SplitMix64::new(4);
    let mut pruned = 0;
    for number in 0..300 {
        let case = Case::random(&mut random, 120, 12);
        let problem = case.problem();
        let mut expander = Expander::new(&problem, case.lambda, case.with_parents);
        let mut plain = Expander::new(&problem, case.lambda, case.with_parents);
        plain.max_prunings = 0;
        assert!(expander.start(&case.random_start(&mut random)));
        for _ in 0..60 {
            let before = expander.energy();
            let alpha = random.below(case.costs.len()) as u32;
            let labels = expander.labels().to_vec();
            assert!(plain.start(&labels));
            assert_eq!(plain.energy(), before, "case {number}");
            expander.expand(alpha, u64::MAX);
            plain.expand(alpha, u64::MAX);
            assert_eq!(expander.energy(), plain.energy(), "pruning changes nothing: case {number}");
            assert!(expander.energy() <= before);
            let mut labels = expander.labels().to_vec();
            label_interior(&problem, &mut labels);
            assert_eq!(case.energy(&labels), Some(real(expander.energy())), "case {number}");
        }
        pruned += (expander.work() < plain.work()) as usize;
    }
    assert!(pruned > 100, "{pruned}");
}

#[test]
fn the_result_has_the_energy_of_its_labels() {
    let mut random = SplitMix64::new(5);
    let mut optimal = 0;
    for number in 0..1_000 {
        let case = Case::random(&mut random, 9, 3);
        let settings = CutSettings {
            lambda: case.lambda,
            with_parents: case.with_parents,
            seed: random.next_u64(),
            ..CutSettings::default()
        };
        let found = case.problem().minimize(settings).unwrap();
        assert_eq!(case.problem().minimize(settings).unwrap(), found, "same seed, same result");
        assert!(found.is_complete);
        let labels: Vec<u32> = found.labels.iter().map(|label| label.unwrap_or(INVISIBLE)).collect();
        assert_eq!(case.energy(&labels), Some(found.energy), "case {number}");
        for alpha in 0..case.costs.len() {
            assert_eq!(
                case.best_expansion(&labels, alpha as u32),
                found.energy,
                "no expansion lowers it: case {number}"
            );
        }
        // All labellings.
        let leaves = case.leaves();
        let mut least = f64::INFINITY;
        for mut code in 0..case.costs.len().pow(leaves.len() as u32) {
            let mut labels = vec![INVISIBLE; case.parents.len()];
            for leaf in &leaves {
                labels[*leaf] = (code % case.costs.len()) as u32;
                code /= case.costs.len();
            }
            least = case.energy(&case.with_interior(labels)).unwrap_or(f64::INFINITY).min(least);
        }
        assert!(found.energy >= least, "case {number}");
        optimal += (found.energy == least) as usize;
    }
    assert!(optimal >= 850, "mostly the least energy of all: {optimal}");
}

#[test]
fn a_label_is_expanded_again_when_an_ancestor_changed() {
    let mut problem = CutProblem::new(&[0, 0, 0]);
    problem.append_label(0..3, |node| [0.0, 20.0, 2.0][node]);
    problem.append_label([1], |_| 0.0);
    problem.append_label([2], |_| 0.0);
    problem.set_invisible_cost(0, 5.0);
    let mut expander = Expander::new(&problem, 1.0, true);
    assert!(expander.start(&[INVISIBLE, 0, 0]));
    assert_eq!(expander.expand(2, u64::MAX), Outcome::Same, "it would split the root");
    assert_eq!(expander.expand(1, u64::MAX), Outcome::Lower);
    assert_eq!(expander.expand(2, u64::MAX), Outcome::Lower, "the root is split already");
    assert_eq!(real(expander.energy()), 5.0);
}

#[test]
fn limits_are_flagged() {
    let mut random = SplitMix64::new(6);
    let case = Case::random(&mut random, 400, 20);
    let problem = case.problem();
    let full = problem.minimize(CutSettings { lambda: 1.0, ..CutSettings::default() }).unwrap();
    assert!(full.is_complete && full.work > 1_000);
    let short = CutSettings { lambda: 1.0, max_work: full.work / 4, ..CutSettings::default() };
    let partial = problem.minimize(short).unwrap();
    assert!(!partial.is_complete && partial.energy >= full.energy);
    let sweeps = problem.minimize(CutSettings { lambda: 1.0, max_sweeps: 1, ..CutSettings::default() }).unwrap();
    assert!(!sweeps.is_complete && sweeps.sweeps == 1);
}

#[test]
fn odd_problems_have_answers() {
    assert!(CutProblem::new(&[]).minimize(CutSettings::default()).unwrap().labels.is_empty());
    let mut problem = CutProblem::new(&[0, 0, 0]);
    assert_eq!(problem.minimize(CutSettings::default()), None, "leaves without labels");
    problem.append_label(0..2, |_| 1.0);
    assert_eq!(problem.minimize(CutSettings::default()), None, "a leaf without labels");
    problem.append_label(2..3, |_| f64::MAX);
    problem.append_pair(1, 2, f64::INFINITY);
    problem.append_pair(1, 2, f64::NAN);
    let found = problem.minimize(CutSettings::default()).unwrap();
    assert_eq!(found.labels, [None, Some(0), Some(1)]);
    problem.append_label(0..3, |node| node as f64);
    assert_eq!(problem.minimize(CutSettings::default()).unwrap().labels, [Some(2); 3]);
}

#[test]
#[should_panic = "preorder"]
fn nodes_out_of_order_are_refused() {
    CutProblem::new(&[0, 0, 0, 1]);
}
