//! GCUTS: the labelling of a tree of low energy, by α-expansions (Chakrabarti, Kumar and Punera, WWW 2008).
//!
//! E = Σ D_p(S(p)) + λ·Σ V over pairs of adjacent leaves with different labels + λ·Σ V over visible nodes with an invisible parent. A leaf has one
//! of the labels; an interior node has the label of all leaves below it, or is invisible if they differ. Takes a
//! [`CutProblem`], returns a [`Labelling`]; knows nothing of pages and features.

use super::cut_problem::{CutProblem, real};
use super::expansion::{Expander, INVISIBLE, Outcome, label_interior};
use super::random::Random;

/// How [`CutProblem::minimize`] weighs and searches.
///
/// The invisible cost D_u(ξ) of an interior node is raised to D_u(α) − c_u + V(u, parent(u)) where it is less than that for any label α the node
/// may take, with c_u the weight of the edges to its children. Otherwise a node would be cheaper invisible than with the label of all
/// its leaves, and an expansion would not be a minimum cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutSettings {
    /// λ, which multiplies all weights of pairs and parents.
    pub lambda: f64,
    /// Whether interior nodes and their edges count. Without them only leaves and pairs of leaves do.
    pub with_parents: bool,
    /// Decides the order of expansions.
    pub seed: u64,
    /// How often at most all labels are expanded.
    pub max_sweeps: u32,
    /// How many steps the search may take: nodes and edges looked at. Ten million take roughly a tenth of a second.
    pub max_work: u64,
}

impl Default for CutSettings {
    /// λ = 0.5, the paper's value, with parents.
    fn default() -> CutSettings {
        CutSettings { lambda: 0.5, with_parents: true, seed: 0, max_sweeps: 20, max_work: 200_000_000 }
    }
}

/// A label for every node.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelling {
    /// The label of each node; none if it is invisible, which leaves never are.
    pub labels: Vec<Option<u32>>,
    /// Its energy.
    pub energy: f64,
    /// How often the labels were expanded.
    pub sweeps: u32,
    /// The steps it took.
    pub work: u64,
    /// Whether no expansion of any label lowers the energy. If not, a limit of the settings was hit before.
    pub is_complete: bool,
}

impl CutProblem {
    /// Searches for the labelling of least energy. None if a leaf may take no label.
    ///
    /// Starts from the cheaper of two labellings, the cheapest label of each leaf or the cheapest label that all leaves may
    /// take, and expands all labels again and again, in a random order, until none lowers the energy.
    pub fn minimize(&self, settings: CutSettings) -> Option<Labelling> {
        let mut expander = Expander::new(self, settings.lambda, settings.with_parents);
        let (cheapest, uniform) = self.starts();
        let uniform_energy = uniform.and_then(|labels| expander.start(&labels).then_some((expander.energy(), labels)));
        if !expander.start(&cheapest) {
            return None;
        }
        if let Some((_, labels)) = uniform_energy.filter(|(energy, _)| *energy < expander.energy()) {
            expander.start(&labels);
        }
        let mut random = Random::new(settings.seed);
        let mut order: Vec<u32> = (0..self.labels.len() as u32).collect();
        let (mut sweeps, mut is_complete) = (0, false);
        'sweeps: while !is_complete && sweeps < settings.max_sweeps {
            sweeps += 1;
            is_complete = true;
            random.shuffle(&mut order);
            for alpha in &order {
                match expander.expand(*alpha, settings.max_work) {
                    Outcome::Same => {}
                    Outcome::Lower => is_complete = false,
                    Outcome::OutOfWork => {
                        is_complete = false;
                        break 'sweeps;
                    }
                }
            }
        }
        let mut labels = expander.labels().to_vec();
        label_interior(self, &mut labels);
        Some(Labelling {
            labels: labels.into_iter().map(|label| (label != INVISIBLE).then_some(label)).collect(),
            energy: real(expander.energy()),
            sweeps,
            work: expander.work(),
            is_complete,
        })
    }

    /// The labels to start from: for each leaf its cheapest label, and the label that is cheapest for all leaves, if there is one.
    fn starts(&self) -> (Vec<u32>, Option<Vec<u32>>) {
        let mut cheapest = vec![(u32::MAX, INVISIBLE); self.len()];
        let mut uniform: Option<(u64, u32)> = None;
        for (number, label) in self.labels.iter().enumerate() {
            let mut total = 0;
            for (node, cost) in label.nodes.iter().zip(&label.costs) {
                cheapest[*node as usize] = cheapest[*node as usize].min((*cost, number as u32));
                total += *cost as u64;
            }
            // A label of all leaves is a label of all nodes.
            if label.nodes.len() == self.len() && uniform.is_none_or(|(least, _)| total < least) {
                uniform = Some((total, number as u32));
            }
        }
        let cheapest = cheapest.into_iter().map(|(_, label)| label).collect();
        (cheapest, uniform.map(|(_, label)| vec![label; self.len()]))
    }
}

#[cfg(test)]
#[path = "gcuts_tests.rs"]
mod tests;
