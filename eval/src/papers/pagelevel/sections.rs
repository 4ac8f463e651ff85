//! Sections of a page compared with human annotations, by the adjusted Rand index over the visible texts.

use super::pages::HandLabelled;
use dehusk_papers::pagelevel::PageScores;
use dehusk_train::adjusted_rand;

/// Differences of scores below which neighbours are merged; the best one is shown, as in the paper.
const DELTAS: [f32; 8] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8];

/// The annotated texts, and the number of the annotation.
fn marked(page: &HandLabelled) -> (Vec<usize>, Vec<u32>) {
    let texts = page.texts();
    let segment = |number: usize| page.segment[texts[number].0.index()].map(|mark| mark.0);
    let numbers: Vec<usize> = (0..texts.len()).filter(|number| segment(*number).is_some()).collect();
    let marks = numbers.iter().filter_map(|number| segment(*number)).collect();
    (numbers, marks)
}

/// The mean index over pages with at least two annotated texts; `groups` returns a number for each text of a page.
pub(crate) fn mean_rand(pages: &[HandLabelled], groups: impl Fn(usize) -> Vec<u32>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (number, page) in pages.iter().enumerate() {
        let (texts, marks) = marked(page);
        if texts.len() > 1 {
            let groups = groups(number);
            let own: Vec<u32> = texts.iter().map(|text| groups[*text]).collect();
            sum += adjusted_rand(&own, &marks);
            count += 1.0;
        }
    }
    sum / f64::max(count, 1.0)
}

/// Groups by section.
pub(crate) fn smooth_groups(page: &HandLabelled, scores: &PageScores) -> Vec<u32> {
    page.texts().iter().map(|(id, ..)| scores.section(*id).unwrap_or(u32::MAX)).collect()
}

/// Groups by equal score of the node a text is assigned to; with a difference, neighbours closer than that are one group.
fn basic_groups(page: &HandLabelled, scores: &PageScores, delta: f32) -> Vec<u32> {
    let mut group = 0;
    let mut last: Option<(Option<usize>, f32)> = None;
    let mut groups = Vec::new();
    for (id, ..) in page.texts() {
        let owner = scores.owner(id);
        let score = owner.map_or(0.0, |owner| scores.raw()[owner]);
        let joins = last.is_some_and(|(other, before)| other == owner || (score - before).abs() < delta);
        group += u32::from(!joins);
        groups.push(group);
        last = Some((owner, score));
    }
    groups
}

/// The mean index of a set by Basic, by Basic + Merge at its best, with the difference of scores that is best, and by Smooth.
pub(crate) struct Sectioning {
    pub(crate) basic: f64,
    pub(crate) merged: f64,
    pub(crate) delta: f32,
    pub(crate) smooth: f64,
}

impl Sectioning {
    pub(crate) fn of(pages: &[HandLabelled], scored: &[PageScores]) -> Sectioning {
        let basic = |delta: f32| mean_rand(pages, |page| basic_groups(&pages[page], &scored[page], delta));
        let merged = DELTAS.map(|delta| (basic(delta), delta));
        let (merged, delta) = merged.into_iter().max_by(|one, two| one.0.total_cmp(&two.0)).unwrap_or_default();
        let smooth = mean_rand(pages, |page| smooth_groups(&pages[page], &scored[page]));
        Sectioning { basic: basic(0.0), merged, delta, smooth }
    }

    pub(crate) fn cells(&self) -> [String; 4] {
        let Sectioning { basic, merged, delta, smooth } = self;
        [format!("{basic:.3}"), format!("{merged:.3}"), delta.to_string(), format!("{smooth:.3}")]
    }
}
