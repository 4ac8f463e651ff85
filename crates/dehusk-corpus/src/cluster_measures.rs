//! How well clusters agree with classes that are known.

/// The agreement of clusters with classes. All measures are 0 to 1, and 1 is best.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusterMeasures {
    /// The mean over the classes, by their size, of the F1 of the cluster that fits the class best: `Σ_i |G_i|/n · max_j F(G_i, c_j)`.
    pub f: f64,
    /// The same with all classes counting alike.
    pub f_by_class: f64,
    /// The share of documents that are of the largest class of their cluster: `1/n · Σ_j max_i |G_i ∩ c_j|`.
    pub purity: f64,
    /// Mutual information over the geometric mean of the two entropies.
    pub nmi_geometric: f64,
    /// Mutual information over the arithmetic mean of the two entropies.
    pub nmi_arithmetic: f64,
    /// Mutual information times `2 / log(k · g)` for k clusters and g classes.
    pub nmi_counts: f64,
    /// Normalized complementary entropy: `1 - Σ_j |c_j|/n · E_j / log g`, with `E_j` the entropy of the classes in a cluster.
    pub nce: f64,
}

impl ClusterMeasures {
    /// Compares the cluster and the class of each document. Numbers may have gaps. Nothing to compare is full agreement.
    ///
    /// # Panics
    /// If there are not as many clusters as classes.
    #[must_use]
    pub fn new(clusters: &[u32], classes: &[u32]) -> ClusterMeasures {
        assert_eq!(clusters.len(), classes.len(), "a cluster and a class for each document");
        let (clusters, cluster_count) = dense(clusters);
        let (classes, class_count) = dense(classes);
        let mut shared = vec![vec![0_u32; class_count]; cluster_count];
        clusters.iter().zip(&classes).for_each(|(cluster, class)| shared[*cluster][*class] += 1);
        let total = clusters.len().max(1) as f64;
        let sizes: Vec<f64> = shared.iter().map(|row| f64::from(row.iter().sum::<u32>())).collect();
        let class_size = |class: usize| f64::from(shared.iter().map(|row| row[class]).sum::<u32>());
        let class_sizes: Vec<f64> = (0..class_count).map(class_size).collect();

        // F1 of a class and a cluster is 2 |G ∩ c| / (|G| + |c|).
        let fit = |class: usize| {
            let of = |cluster: usize| 2.0 * f64::from(shared[cluster][class]) / (class_sizes[class] + sizes[cluster]);
            (0..cluster_count).map(of).fold(0.0, f64::max)
        };
        let fits: Vec<f64> = (0..class_count).map(fit).collect();
        let largest = |row: &Vec<u32>| f64::from(row.iter().copied().max().unwrap_or(0));
        let purity = shared.iter().map(largest).sum::<f64>() / total;

        let (of_clusters, of_classes) = (entropy(&sizes), entropy(&class_sizes));
        // The entropy of the classes when the cluster is known.
        let mut left = 0.0;
        for (row, size) in shared.iter().zip(&sizes) {
            let row: Vec<f64> = row.iter().map(|count| f64::from(*count)).collect();
            left += size / total * entropy(&row);
        }
        let information = (of_classes - left).max(0.0);
        let share = |of: f64, whole: f64| if whole > 0.0 { (of / whole).clamp(0.0, 1.0) } else { 0.0 };
        let is_same = cluster_count <= 1 && class_count <= 1;
        let nmi = |whole: f64| if is_same { 1.0 } else { share(information, whole) };
        let weighted = fits.iter().zip(&class_sizes).map(|(fit, size)| fit * size).sum::<f64>() / total;
        ClusterMeasures {
            f: if class_count == 0 { 1.0 } else { weighted },
            f_by_class: if class_count == 0 { 1.0 } else { fits.iter().sum::<f64>() / class_count as f64 },
            purity: if class_count == 0 { 1.0 } else { purity },
            nmi_geometric: nmi((of_clusters * of_classes).sqrt()),
            nmi_arithmetic: nmi((of_clusters + of_classes) / 2.0),
            nmi_counts: nmi(((cluster_count * class_count).max(1) as f64).ln() / 2.0),
            nce: 1.0 - share(left, (class_count.max(1) as f64).ln()),
        }
    }
}

/// Numbers without gaps, and how many there are.
fn dense(numbers: &[u32]) -> (Vec<usize>, usize) {
    let mut known = numbers.to_vec();
    known.sort_unstable();
    known.dedup();
    // Every number is among the known ones.
    let dense = numbers.iter().map(|number| known.partition_point(|other| other < number)).collect();
    (dense, known.len())
}

/// The entropy of counts, in nats.
fn entropy(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    counts.iter().filter(|count| **count > 0.0).map(|count| -count / total * (count / total).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, two: f64) {
        assert!((one - two).abs() < 1e-9, "{one} {two}");
    }

    #[test]
    fn values_computed_by_hand() {
        // Cluster 0: three of class 0, one of class 1. Cluster 7: two of class 1.
        let measures = ClusterMeasures::new(&[0, 0, 0, 0, 7, 7], &[0, 0, 0, 1, 1, 1]);
        // Class 0: precision 3/4, recall 1. Class 1: precision 1, recall 2/3.
        close(measures.f, 0.5 * (6.0 / 7.0) + 0.5 * 0.8);
        close(measures.f_by_class, measures.f);
        close(measures.purity, 5.0 / 6.0);
        let left = 4.0 / 6.0 * -(0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln());
        let (of_classes, of_clusters) = (2f64.ln(), -(2.0 / 3.0 * (2f64 / 3.0).ln() + 1.0 / 3.0 * (1f64 / 3.0).ln()));
        close(measures.nce, 1.0 - left / 2f64.ln());
        let information = of_classes - left;
        close(measures.nmi_geometric, information / (of_classes * of_clusters).sqrt());
        close(measures.nmi_arithmetic, 2.0 * information / (of_classes + of_clusters));
        close(measures.nmi_counts, 2.0 * information / 4f64.ln());
    }

    #[test]
    fn classes_of_different_sizes_count_by_size_or_alike() {
        // One cluster for everything: class 0 has 3 of 4.
        let measures = ClusterMeasures::new(&[5; 4], &[0, 0, 0, 1]);
        close(measures.f, 0.75 * (6.0 / 7.0) + 0.25 * 0.4);
        close(measures.f_by_class, (6.0 / 7.0 + 0.4) / 2.0);
        close(measures.purity, 0.75);
        close(measures.nmi_geometric, 0.0);
        close(measures.nce, 1.0 - entropy(&[3.0, 1.0]) / 2f64.ln());
    }

    #[test]
    fn the_best_is_one() {
        let same = ClusterMeasures::new(&[3, 3, 1, 1, 2], &[0, 0, 5, 5, 9]);
        for value in
            [same.f, same.f_by_class, same.purity, same.nmi_geometric, same.nmi_arithmetic, same.nmi_counts, same.nce]
        {
            // `nmi_counts` does not know the sizes of clusters, so that it stays below 1 where they differ.
            assert!(value > 0.95, "{same:?}");
        }
        let even = ClusterMeasures::new(&[3, 3, 1, 1], &[0, 0, 5, 5]);
        close(even.nmi_counts, 1.0);
        close(ClusterMeasures::new(&[], &[]).f, 1.0);
        close(ClusterMeasures::new(&[1, 1], &[2, 2]).nmi_geometric, 1.0);
    }
}
