//! Measures: precision and recall over all thresholds, areas under curves, words in common of two texts, agreement of two clusterings.

use rustc_hash::FxHashMap;

/// Precision and recall of "template at this score or above", for every score that occurs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Score, precision and recall, from the highest score to the lowest.
    points: Vec<[f64; 3]>,
    roc: f64,
}

impl Curve {
    /// The curve of scores against labels (above one half: template), each row with its weight.
    pub fn of(scores: &[f32], labels: &[f32], weights: &[f32]) -> Curve {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|one, two| scores[*two].total_cmp(&scores[*one]).then(one.cmp(two)));
        let weight =
            |row: usize, wanted: bool| if (labels[row] > 0.5) == wanted { f64::from(weights[row]) } else { 0.0 };
        let all_ones: f64 = (0..scores.len()).map(|row| weight(row, true)).sum();
        let all_zeros: f64 = (0..scores.len()).map(|row| weight(row, false)).sum();
        let (mut ones, mut zeros, mut roc) = (0.0, 0.0, 0.0);
        let mut points = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let score = scores[order[at]];
            let (ones_before, zeros_before) = (ones, zeros);
            // Rows of one score are dropped together.
            while at < order.len() && scores[order[at]].total_cmp(&score).is_eq() {
                ones += weight(order[at], true);
                zeros += weight(order[at], false);
                at += 1;
            }
            roc += (zeros - zeros_before) * (ones + ones_before) / 2.0;
            points.push([f64::from(score), ones / f64::max(ones + zeros, 1e-300), ones / f64::max(all_ones, 1e-300)]);
        }
        Curve { points, roc: roc / f64::max(all_ones * all_zeros, 1e-300) }
    }

    /// The points, from the highest score to the lowest: score, precision, recall.
    pub fn points(&self) -> &[[f64; 3]] {
        &self.points
    }

    /// The area under the ROC curve: how often a template row scores above another.
    pub fn roc_area(&self) -> f64 {
        self.roc
    }

    /// The area under the precision–recall curve (average precision).
    pub fn average_precision(&self) -> f64 {
        let mut before = 0.0;
        let mut sum = 0.0;
        for [_, precision, recall] in &self.points {
            sum += precision * (recall - before);
            before = *recall;
        }
        sum
    }

    /// The best recall of a threshold with at least this precision.
    pub fn recall_at(&self, precision: f64) -> f64 {
        let enough = self.points.iter().filter(|point| point[1] >= precision);
        enough.map(|point| point[2]).fold(0.0, f64::max)
    }

    /// The best precision of a threshold with at least this recall.
    pub fn precision_at(&self, recall: f64) -> f64 {
        let enough = self.points.iter().filter(|point| point[2] >= recall);
        enough.map(|point| point[1]).fold(0.0, f64::max)
    }

    /// So many points, evenly by rank, in ascending order of the score, for a model file: a score with the precision and the
    /// recall of dropping what is not below it. Precision is made to rise with the score.
    pub fn thinned(&self, count: usize) -> Vec<[f32; 3]> {
        let step = self.points.len().div_ceil(count.max(1)).max(1);
        let mut thinned: Vec<[f32; 3]> =
            self.points.iter().rev().step_by(step).map(|point| point.map(|value| value as f32)).collect();
        for at in 1..thinned.len() {
            thinned[at][1] = thinned[at][1].max(thinned[at - 1][1]);
        }
        thinned
    }
}

/// The words of a text as the measure counts them: runs of letters, digits and underscores, in lower case.
pub fn measure_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() || character == '_' {
            word.extend(character.to_lowercase());
        } else if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// F measure, precision and recall of `right` words among `kept` where `wanted` were wanted.
pub fn measures(right: usize, kept: usize, wanted: usize) -> [f64; 3] {
    if wanted == 0 || kept == 0 {
        let value = f64::from(u8::from(wanted == kept));
        return [value; 3];
    }
    let (precision, recall) = (right as f64 / kept as f64, right as f64 / wanted as f64);
    let f = if right == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
    [f, precision, recall]
}

/// F measure, precision and recall of the words of a text against those of the wanted one.
pub fn measure_text(text: &str, wanted: &str) -> [f64; 3] {
    let (found, wanted) = (measure_words(text), measure_words(wanted));
    let mut left: FxHashMap<&str, usize> = FxHashMap::default();
    wanted.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut right = 0;
    for word in &found {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            right += 1;
        }
    }
    measures(right, found.len(), wanted.len())
}

/// How well two clusterings of the same things agree beyond chance: 1 the same, 0 as by chance (adjusted Rand index).
pub fn adjusted_rand(one: &[u32], two: &[u32]) -> f64 {
    let mut both: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    let (mut ones, mut twos): (FxHashMap<u32, u64>, FxHashMap<u32, u64>) = Default::default();
    for pair in one.iter().copied().zip(two.iter().copied()) {
        *both.entry(pair).or_default() += 1;
        *ones.entry(pair.0).or_default() += 1;
        *twos.entry(pair.1).or_default() += 1;
    }
    // Sums of whole numbers do not depend on the order.
    let pairs = |counts: &mut dyn Iterator<Item = u64>| {
        counts.map(|count| u128::from(count * count.saturating_sub(1) / 2)).sum::<u128>() as f64
    };
    let together = pairs(&mut both.values().copied());
    let (in_one, in_two) = (pairs(&mut ones.values().copied()), pairs(&mut twos.values().copied()));
    let all = pairs(&mut std::iter::once(one.len() as u64));
    let expected = if all > 0.0 { in_one * in_two / all } else { 0.0 };
    let max = (in_one + in_two) / 2.0;
    if max == expected { 1.0 } else { (together - expected) / (max - expected) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_that_of_counting() {
        let scores = [0.9, 0.8, 0.8, 0.4, 0.2];
        let labels = [1.0, 1.0, 0.0, 1.0, 0.0];
        let curve = Curve::of(&scores, &labels, &[1.0; 5]);
        let round = |value: f64| (value * 1e4).round() / 1e4;
        let points: Vec<[f64; 3]> = curve.points().iter().map(|point| point.map(round)).collect();
        assert_eq!(points, [[0.9, 1.0, 0.3333], [0.8, 0.6667, 0.6667], [0.4, 0.75, 1.0], [0.2, 0.6, 1.0]]);
        assert_eq!(round(curve.recall_at(0.7)), 1.0);
        assert_eq!(round(curve.recall_at(0.8)), 0.3333);
        assert_eq!(round(curve.precision_at(0.5)), 0.75);
        // Pairs: (0.9, 0.8) (0.9, 0.2) (0.8, 0.8) half, (0.8, 0.2) (0.4, 0.8) no, (0.4, 0.2).
        assert_eq!(round(curve.roc_area()), round(4.5 / 6.0));
        assert_eq!(round(curve.average_precision()), round(1.0 / 3.0 + 0.6667 / 3.0 + 0.75 / 3.0));
        let thinned = curve.thinned(100);
        assert!(thinned.is_sorted_by(|one, two| one[0] < two[0] && one[1] <= two[1] && one[2] >= two[2]));
    }

    #[test]
    fn weights_count_as_rows() {
        let twice = Curve::of(&[0.9, 0.5, 0.1], &[1.0, 0.0, 1.0], &[2.0, 1.0, 1.0]);
        let rows = Curve::of(&[0.9, 0.9, 0.5, 0.1], &[1.0, 1.0, 0.0, 1.0], &[1.0; 4]);
        assert_eq!(twice, rows);
    }

    #[test]
    fn texts_are_measured_by_their_words_however_often_each_is_there() {
        // Of "the boat the quay", "the" is wanted once: 2 of 4 kept words are right, of 3 wanted ones 2 are kept.
        let [f, precision, recall] = measure_text("The boat, the quay", "the boat sails");
        assert_eq!((precision, recall), (0.5, 2.0 / 3.0));
        assert!((f - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!(measure_text("", ""), [1.0; 3]);
        assert_eq!(measure_text("word", ""), [0.0; 3]);
    }

    #[test]
    fn adjusted_rand_of_known_cases() {
        assert_eq!(adjusted_rand(&[0, 0, 1, 1], &[5, 5, 2, 2]), 1.0);
        assert!((adjusted_rand(&[0, 0, 1, 1], &[0, 0, 1, 2]) - 0.571_428_57).abs() < 1e-6);
        assert!((adjusted_rand(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-9);
        assert_eq!(adjusted_rand(&[], &[]), 1.0);
    }
}
