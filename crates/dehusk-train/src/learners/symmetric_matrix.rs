//! Small symmetric matrices and their eigenvectors, as much of linear algebra as training needs.
//!
//! Takes and returns dense square matrices of a few dozen rows. For large ones the method is too slow.

/// A symmetric matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SymmetricMatrix {
    size: usize,
    values: Vec<f64>,
}

/// An eigenvalue and its eigenvector of length 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EigenPair {
    pub(crate) value: f64,
    pub(crate) vector: Vec<f64>,
}

/// Sweeps over all pairs of rows. The method converges quadratically, and matrices of this size take about eight.
const MAX_SWEEPS: usize = 50;

impl SymmetricMatrix {
    pub(crate) fn zeros(size: usize) -> SymmetricMatrix {
        SymmetricMatrix { size, values: vec![0.0; size * size] }
    }

    pub(crate) fn identity(size: usize) -> SymmetricMatrix {
        let mut matrix = SymmetricMatrix::zeros(size);
        (0..size).for_each(|at| matrix.values[at * size + at] = 1.0);
        matrix
    }

    /// Adds `scale` times another matrix.
    pub(crate) fn add(&mut self, scale: f64, other: &SymmetricMatrix) {
        self.values.iter_mut().zip(&other.values).for_each(|(own, other)| *own += scale * other);
    }

    /// Adds `scale` times the product of a vector with itself.
    pub(crate) fn add_square(&mut self, scale: f64, vector: &[f64]) {
        for (row, one) in self.values.chunks_exact_mut(self.size).zip(vector) {
            row.iter_mut().zip(vector).for_each(|(own, two)| *own += scale * (one * two));
        }
    }

    /// The product of a vector with the matrix and with itself: the squared length of the vector in this metric.
    pub(crate) fn squared_length(&self, vector: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (row, value) in self.values.chunks_exact(self.size).zip(vector) {
            if *value != 0.0 {
                sum += value * row.iter().zip(vector).map(|(weight, other)| weight * other).sum::<f64>();
            }
        }
        sum
    }

    /// The eigenvalues with their eigenvectors, the largest first. Of a vector and its opposite the one is given whose largest component is
    /// positive, so that the answer depends on the matrix only.
    pub(crate) fn eigen_pairs(&self) -> Vec<EigenPair> {
        let (values, vectors) = self.diagonalized();
        let pair = |at: usize| {
            let mut vector = vectors[at * self.size..(at + 1) * self.size].to_vec();
            let largest = vector
                .iter()
                .copied()
                .fold(0.0, |best: f64, value| if value.abs() > best.abs() { value } else { best });
            if largest < 0.0 {
                vector.iter_mut().for_each(|value| *value = -*value);
            }
            EigenPair { value: values[at * self.size + at], vector }
        };
        let mut pairs: Vec<EigenPair> = (0..self.size).map(pair).collect();
        pairs.sort_by(|one, two| two.value.total_cmp(&one.value));
        pairs
    }

    /// The nearest positive semidefinite matrix: negative eigenvalues become 0.
    pub(crate) fn positive_part(&self) -> SymmetricMatrix {
        let mut positive = SymmetricMatrix::zeros(self.size);
        for pair in self.eigen_pairs().iter().filter(|pair| pair.value > 0.0) {
            positive.add_square(pair.value, &pair.vector);
        }
        positive
    }

    /// Jacobi's method: rotates two rows at a time until nothing is left beside the diagonal. Returns the diagonal matrix and the
    /// eigenvectors, row by row.
    fn diagonalized(&self) -> (Vec<f64>, Vec<f64>) {
        let size = self.size;
        let (mut values, mut vectors) = (self.values.clone(), SymmetricMatrix::identity(size).values);
        let total: f64 = values.iter().map(|value| value * value).sum();
        for _ in 0..MAX_SWEEPS {
            let mut beside = 0.0;
            for row in 0..size {
                beside += (row + 1..size).map(|column| values[row * size + column].powi(2)).sum::<f64>();
            }
            // As small as rounding leaves it.
            if beside <= total * 1e-30 {
                break;
            }
            for row in 0..size {
                for column in row + 1..size {
                    rotate(&mut values, &mut vectors, size, row, column);
                }
            }
        }
        (values, vectors)
    }
}

/// One rotation, after which the entry at the row and column is 0.
fn rotate(values: &mut [f64], vectors: &mut [f64], size: usize, row: usize, column: usize) {
    let entry = values[row * size + column];
    if entry == 0.0 {
        return;
    }
    let half = (values[column * size + column] - values[row * size + row]) / (2.0 * entry);
    let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |values: &mut [f64], one: usize, two: usize| {
        let (first, second) = (values[one], values[two]);
        values[one] = cosine * first - sine * second;
        values[two] = sine * first + cosine * second;
    };
    for at in 0..size {
        turn(values, at * size + row, at * size + column);
    }
    for at in 0..size {
        turn(values, row * size + at, column * size + at);
        turn(vectors, row * size + at, column * size + at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk::dom::random::SplitMix64;

    fn random_matrix(size: usize, seed: u64) -> SymmetricMatrix {
        let mut random = SplitMix64::new(seed);
        let mut matrix = SymmetricMatrix::zeros(size);
        for _ in 0..size {
            let vector: Vec<f64> = (0..size).map(|_| random.unit() - 0.5).collect();
            matrix.add_square(random.unit() - 0.3, &vector);
        }
        matrix
    }

    #[test]
    fn eigenvectors_are_turned_into_multiples_of_themselves_and_make_up_the_matrix() {
        for (size, seed) in [(1, 1), (2, 2), (5, 3), (26, 4), (26, 5)] {
            let matrix = random_matrix(size, seed);
            let pairs = matrix.eigen_pairs();
            assert!(pairs.is_sorted_by(|one, two| one.value >= two.value));
            let mut sum = SymmetricMatrix::zeros(size);
            for pair in &pairs {
                sum.add_square(pair.value, &pair.vector);
                for (row, own) in matrix.values.chunks(size).zip(&pair.vector) {
                    let product: f64 = row.iter().zip(&pair.vector).map(|(one, two)| one * two).sum();
                    assert!((product - pair.value * own).abs() < 1e-12, "{product} {own}");
                }
            }
            assert!(sum.values.iter().zip(&matrix.values).all(|(one, two)| (one - two).abs() < 1e-12));
        }
    }

    #[test]
    fn the_positive_part_has_no_negative_eigenvalues() {
        let matrix = SymmetricMatrix { size: 2, values: vec![0.0, 2.0, 2.0, 0.0] };
        let positive = matrix.positive_part();
        assert!(positive.values.iter().all(|value| (value - 1.0).abs() < 1e-12), "{positive:?}");
        assert!((positive.squared_length(&[1.0, 1.0]) - 4.0).abs() < 1e-12);
        assert!(positive.squared_length(&[1.0, -1.0]).abs() < 1e-12);
        let large = random_matrix(26, 6);
        assert!(large.eigen_pairs().iter().any(|pair| pair.value < -1e-3));
        assert!(large.positive_part().eigen_pairs().iter().all(|pair| pair.value > -1e-12));
    }
}
