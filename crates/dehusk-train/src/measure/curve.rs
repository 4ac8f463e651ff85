//! Precision and recall over all thresholds, and areas under curves.

/// Precision and recall of "template at this score or above", for every score that occurs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// From the highest score to the lowest.
    points: Vec<CurvePoint>,
    roc: f64,
}

/// What dropping everything at a score or above comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CurvePoint {
    /// The score.
    pub score: f64,
    /// The share of what is dropped that is template.
    pub precision: f64,
    /// The share of the template that is dropped.
    pub recall: f64,
}

impl Curve {
    /// The curve of scores against labels (above one half: template), each row with its weight.
    #[must_use]
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
            points.push(CurvePoint {
                score: f64::from(score),
                precision: ones / f64::max(ones + zeros, 1e-300),
                recall: ones / f64::max(all_ones, 1e-300),
            });
        }
        Curve { points, roc: roc / f64::max(all_ones * all_zeros, 1e-300) }
    }

    /// The points, from the highest score to the lowest.
    #[must_use]
    pub fn points(&self) -> &[CurvePoint] {
        &self.points
    }

    /// The area under the ROC curve: how often a template row scores above a content row.
    #[must_use]
    pub fn roc_area(&self) -> f64 {
        self.roc
    }

    /// The area under the precision–recall curve (average precision).
    #[must_use]
    pub fn average_precision(&self) -> f64 {
        let mut before = 0.0;
        let mut sum = 0.0;
        for point in &self.points {
            sum += point.precision * (point.recall - before);
            before = point.recall;
        }
        sum
    }

    /// The best recall of a threshold with at least this precision.
    #[must_use]
    pub fn recall_at(&self, precision: f64) -> f64 {
        let enough = self.points.iter().filter(|point| point.precision >= precision);
        enough.map(|point| point.recall).fold(0.0, f64::max)
    }

    /// The best precision of a threshold with at least this recall.
    #[must_use]
    pub fn precision_at(&self, recall: f64) -> f64 {
        let enough = self.points.iter().filter(|point| point.recall >= recall);
        enough.map(|point| point.precision).fold(0.0, f64::max)
    }

    /// About `count` points as a model file holds them: score, precision and recall, evenly spread by rank, in ascending order of the score.
    /// Precision is made to rise with the score.
    #[must_use]
    pub fn thinned(&self, count: usize) -> Vec<[f32; 3]> {
        let step = self.points.len().div_ceil(count.max(1)).max(1);
        let to_numbers = |point: &CurvePoint| [point.score, point.precision, point.recall].map(|value| value as f32);
        let mut thinned: Vec<[f32; 3]> = self.points.iter().rev().step_by(step).map(to_numbers).collect();
        for at in 1..thinned.len() {
            thinned[at][1] = thinned[at][1].max(thinned[at - 1][1]);
        }
        thinned
    }
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
        let point = |point: &CurvePoint| [point.score, point.precision, point.recall].map(round);
        let points: Vec<[f64; 3]> = curve.points().iter().map(point).collect();
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
}
