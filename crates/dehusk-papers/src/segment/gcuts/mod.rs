//! GCUTS: the labelling of a tree of low energy, by α-expansions (Chakrabarti, Kumar and Punera, WWW 2008).
//!
//! E = Σ D_p(S(p)) + λ·Σ V over pairs of adjacent leaves with different labels + λ·Σ V over visible nodes with an invisible parent. A leaf has one
//! of the labels; an interior node has the label of all leaves below it, or is invisible if they differ. Takes a
//! [`CutProblem`], returns a [`Labelling`]; knows nothing of pages and features.

pub(crate) mod cut_problem;
pub(crate) mod expansion;
pub(crate) mod max_flow;

use crate::dom::random::SplitMix64;
use crate::segment::gcuts::cut_problem::{CutProblem, real};
use crate::segment::gcuts::expansion::{Expander, INVISIBLE, Outcome, label_interior};

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
    /// Starts from the cheapest label of each leaf and expands all labels again and again, in a random order, until none lowers the
    /// energy. If one label for all leaves would be better than the result, it starts again from that one. The other order
    /// is worse: with a large λ no expansion of a label of few leaves leads away from one label for all.
    pub fn minimize(&self, settings: CutSettings) -> Option<Labelling> {
        let mut expander = Expander::new(self, settings.lambda, settings.with_parents);
        let mut random = SplitMix64::new(settings.seed);
        let (cheapest, uniform) = self.starts();
        let uniform = uniform.filter(|labels| expander.start(labels));
        let uniform_energy = expander.energy();
        if !expander.start(&cheapest) {
            return None;
        }
        let (mut sweeps, mut is_complete) = expand_all(&mut expander, settings, &mut random);
        if let Some(labels) = uniform.filter(|_| uniform_energy < expander.energy()) {
            expander.start(&labels);
            let (more_sweeps, is_second_complete) = expand_all(&mut expander, settings, &mut random);
            (sweeps, is_complete) = (sweeps + more_sweeps, is_second_complete);
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

/// Expands all labels until none lowers the energy. The number of sweeps, and whether it came to that.
fn expand_all(expander: &mut Expander<'_>, settings: CutSettings, random: &mut SplitMix64) -> (u32, bool) {
    let mut order: Vec<u32> = (0..expander.label_count() as u32).collect();
    for sweep in 1..=settings.max_sweeps {
        let mut is_lower = false;
        random.shuffle(&mut order);
        for alpha in &order {
            match expander.expand(*alpha, settings.max_work) {
                Outcome::Same => {}
                Outcome::Lower => is_lower = true,
                Outcome::OutOfWork => return (sweep, false),
            }
        }
        if !is_lower {
            return (sweep, true);
        }
    }
    (settings.max_sweeps, false)
}

#[cfg(test)]
mod tests;
