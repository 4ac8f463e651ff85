//! Clusters of documents by the cosine of their vectors: k-means and furthest-point-first.
//!
//! Written by hand: the k-means of linfa takes dense arrays only, and 10,000 documents of 50,000 terms would be 4 GB.

mod centers;

use crate::error::Error;
use crate::text::tf_idf::Vectors;
use centers::{Centers, Nearest, furthest, objective, plus_plus, refill};
use dehusk::dom::random::SplitMix64;

/// Documents in clusters. The largest cluster is number 0.
///
/// A document without terms is at distance 1 from every center. It counts as a member of cluster 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Clustering {
    /// The cluster of each document.
    pub clusters: Vec<u32>,
    /// The distance of each document from the center of its cluster: 1 minus the cosine.
    pub distances: Vec<f32>,
    /// The number of clusters.
    pub count: usize,
    /// The sum of the distances of all documents with terms: what k-means makes small.
    pub objective: f64,
    /// The mean simplified silhouette of the documents with terms, -1 to 1: `(b - a) / max(a, b)`, with `a` the distance from the own
    /// center and `b` that from the next nearest.
    pub silhouette: f64,
}

impl Clustering {
    /// The number of documents in each cluster, documents without terms included.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count];
        self.clusters.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
        sizes
    }

    /// The terms that set a cluster apart, best first: those whose mean weight in the cluster is most above the mean weight
    /// elsewhere, for at most `count` terms of each cluster.
    #[must_use]
    pub fn top_terms<'a>(&self, vectors: &'a Vectors, count: usize) -> Vec<Vec<&'a str>> {
        let terms = vectors.terms().len();
        let mut sums = vec![0.0_f64; terms * self.count];
        let mut all = vec![0.0_f64; terms];
        for (document, cluster) in self.clusters.iter().enumerate() {
            for entry in vectors.row(document) {
                sums[entry.term as usize * self.count + *cluster as usize] += f64::from(entry.weight);
                all[entry.term as usize] += f64::from(entry.weight);
            }
        }
        let sizes = self.sizes();
        let best = |cluster: usize| {
            let inside = sizes[cluster].max(1) as f64;
            let outside = (self.clusters.len() - sizes[cluster]).max(1) as f64;
            let above = |term: usize| {
                let sum = sums[term * self.count + cluster];
                sum / inside - (all[term] - sum) / outside
            };
            let mut ranked: Vec<(f64, usize)> = (0..terms)
                .map(|term| (above(term), term))
                .filter(|(above, term)| *above > 0.0 && is_readable(&vectors.terms()[*term]))
                .collect();
            ranked.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
            ranked.into_iter().take(count).map(|(_, term)| vectors.terms()[term].as_str()).collect()
        };
        (0..self.count).map(best).collect()
    }

    /// The cosine of the means of each two clusters.
    #[must_use]
    pub fn similarities(&self, vectors: &Vectors) -> Vec<Vec<f64>> {
        let mut dots = vec![vec![0.0_f64; self.count]; self.count];
        let mut sums = vec![0.0_f64; vectors.terms().len() * self.count];
        for (document, cluster) in self.clusters.iter().enumerate() {
            for entry in vectors.row(document) {
                sums[entry.term as usize * self.count + *cluster as usize] += f64::from(entry.weight);
            }
        }
        for of_term in sums.chunks_exact(self.count) {
            // Most terms are in few clusters.
            let present: Vec<usize> = (0..self.count).filter(|cluster| of_term[*cluster] > 0.0).collect();
            for one in &present {
                present.iter().for_each(|two| dots[*one][*two] += of_term[*one] * of_term[*two]);
            }
        }
        // A cluster of documents without terms has length 0, by which nothing can be divided.
        let lengths: Vec<f64> = (0..self.count).map(|cluster| dots[cluster][cluster].sqrt().max(1e-300)).collect();
        let cosine = |one: usize, two: usize| dots[one][two] / (lengths[one] * lengths[two]);
        (0..self.count).map(|one| (0..self.count).map(|two| cosine(one, two)).collect()).collect()
    }

    /// Up to `count` documents of each cluster that are nearest to its center.
    #[must_use]
    pub fn nearest(&self, count: usize) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        (0..self.clusters.len()).for_each(|document| members[self.clusters[document] as usize].push(document));
        for list in &mut members {
            list.sort_by(|one, two| self.distances[*one].total_cmp(&self.distances[*two]).then(one.cmp(two)));
            list.truncate(count);
        }
        members
    }
}

/// Whether a term tells a reader something: a single letter does not.
fn is_readable(term: &str) -> bool {
    term.chars().nth(1).is_some()
}

/// How k-means chooses its first centers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// k-means++: each center is a document chosen at random, with chances by its distance from the centers so far.
    PlusPlus,
    /// Documents chosen at random.
    Random,
    /// Furthest-point-first.
    Furthest,
}

/// k-means by the cosine (spherical k-means): centers are means scaled to length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KMeans {
    count: usize,
    seed: u64,
    start: Start,
    restarts: usize,
    max_rounds: usize,
}

impl KMeans {
    /// For a number of clusters, at least 1.
    #[must_use]
    pub fn new(count: usize) -> KMeans {
        KMeans { count: count.max(1), seed: 0, start: Start::PlusPlus, restarts: 4, max_rounds: 100 }
    }

    /// Chooses the first centers. Default 0.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> KMeans {
        self.seed = seed;
        self
    }

    /// How the first centers are chosen. Default k-means++.
    #[must_use]
    pub fn with_start(mut self, start: Start) -> KMeans {
        self.start = start;
        self
    }

    /// How often k-means starts from the beginning; the best result is kept. Default 4.
    #[must_use]
    pub fn with_restarts(mut self, restarts: usize) -> KMeans {
        self.restarts = restarts.max(1);
        self
    }

    /// The maximum number of rounds of assigning documents and moving centers. Default 100.
    #[must_use]
    pub fn with_max_rounds(mut self, rounds: usize) -> KMeans {
        self.max_rounds = rounds.max(1);
        self
    }

    /// Clusters documents.
    ///
    /// Time is in proportion to rounds, clusters and entries of the vectors. Besides the vectors, memory is 12 bytes for each
    /// cluster and term.
    ///
    /// # Errors
    /// If there are fewer documents with terms than clusters.
    pub fn fit(&self, vectors: &Vectors) -> Result<Clustering, Error> {
        let full = documents_with_terms(vectors, self.count)?;
        let mut best: Option<Clustering> = None;
        for restart in 0..self.restarts {
            let found = self.run(vectors, &full, &mut SplitMix64::part(self.seed, restart as u64), &mut |_| {});
            // The first of equally good ones stays.
            if best.as_ref().is_none_or(|best| found.objective < best.objective) {
                best = Some(found);
            }
        }
        best.ok_or(Error::NoTerms)
    }

    /// One run; `watch` gets the objective of each round.
    fn run(
        &self,
        vectors: &Vectors,
        full: &[usize],
        random: &mut SplitMix64,
        watch: &mut dyn FnMut(f64),
    ) -> Clustering {
        let first = match self.start {
            Start::PlusPlus => plus_plus(vectors, full, self.count, random),
            Start::Random => random.choose(full.len(), self.count).into_iter().map(|place| full[place]).collect(),
            Start::Furthest => furthest(vectors, full, self.count, random.below(full.len())),
        };
        let mut centers = Centers::of_documents(vectors, &first);
        let mut nearest = centers.assign(vectors, full);
        watch(objective(&nearest));
        for _ in 1..self.max_rounds {
            // A cluster without members would have no center from here on.
            refill(&mut nearest, self.count);
            centers = Centers::of_members(vectors, full, &nearest, self.count);
            let next = centers.assign(vectors, full);
            watch(objective(&next));
            let is_same = next.iter().zip(&nearest).all(|(next, now)| next.cluster == now.cluster);
            nearest = next;
            if is_same {
                break;
            }
        }
        clustering(vectors.len(), full, nearest, self.count)
    }
}

/// Clusters by furthest-point-first: the first center is a document the seed chooses, each further one the document that is
/// furthest from all centers so far; every document goes to the nearest center.
///
/// Nothing else that is as fast guarantees that the largest distance within a cluster is below twice the best possible, but outliers become
/// clusters of their own.
///
/// # Errors
/// If there are fewer documents with terms than clusters.
pub fn furthest_first(vectors: &Vectors, count: usize, seed: u64) -> Result<Clustering, Error> {
    let count = count.max(1);
    let full = documents_with_terms(vectors, count)?;
    let first = SplitMix64::new(seed).below(full.len());
    let centers = furthest(vectors, &full, count, first);
    let nearest = Centers::of_documents(vectors, &centers).assign(vectors, &full);
    Ok(clustering(vectors.len(), &full, nearest, count))
}

/// Documents looked at to choose the number of clusters.
const SAMPLE: usize = 5_000;
/// Fewer clusters are taken if their silhouette is this share of the best. Chosen on pages of known subjects (docs/corpus.md).
const NEARLY_BEST: f64 = 0.95;

/// A number of clusters, chosen by [`choose_count`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChosenCount {
    /// The number.
    pub count: usize,
    /// The numbers that were tried, ascending.
    pub tried: Vec<TriedCount>,
}

/// A number of clusters that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriedCount {
    /// The number.
    pub count: usize,
    /// The mean silhouette of documents that the clusters were not made of.
    pub silhouette: f64,
}

/// Chooses the number of clusters from 2 to `most`: the smallest one whose mean silhouette is at least 95 % of the best.
///
/// Silhouettes are those of documents that k-means has not seen: it finds clusters of one half of a sample of at most 5,000 documents, the
/// other half is assigned to the nearest centers, and the other way round. In documents that it has seen, every further center fits some
/// better, so the silhouette would rise with the number. One cluster is chosen if there are too few documents for two.
///
/// # Errors
/// If no document has terms.
pub fn choose_count(vectors: &Vectors, most: usize, seed: u64) -> Result<ChosenCount, Error> {
    let full = documents_with_terms(vectors, 1)?;
    let mut random = SplitMix64::new(seed);
    let sample = random.choose(full.len(), SAMPLE);
    let is_first = random.choose(sample.len(), sample.len() / 2);
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for (place, number) in sample.into_iter().enumerate() {
        if is_first.binary_search(&place).is_ok() { one.push(full[number]) } else { two.push(full[number]) }
    }
    let mut tried = Vec::new();
    for count in 2..=most.min(one.len()) {
        let of_halves =
            [(&one, &two), (&two, &one)].map(|(seen, unseen)| unseen_silhouettes(vectors, seen, unseen, count, seed));
        let mut sum = 0.0;
        for of_half in of_halves {
            sum += of_half?;
        }
        tried.push(TriedCount { count, silhouette: sum / (one.len() + two.len()) as f64 });
    }
    let best = tried.iter().map(|tried| tried.silhouette).fold(f64::NEG_INFINITY, f64::max);
    let is_good = |tried: &&TriedCount| tried.silhouette >= best - (1.0 - NEARLY_BEST) * best.abs();
    let count = tried.iter().find(is_good).map_or(1, |tried| tried.count);
    Ok(ChosenCount { count, tried })
}

/// The sum of the silhouettes of documents that clusters were not made of.
fn unseen_silhouettes(
    vectors: &Vectors,
    seen: &[usize],
    unseen: &[usize],
    count: usize,
    seed: u64,
) -> Result<f64, Error> {
    let seen = vectors.of_documents(seen);
    let found = KMeans::new(count).with_seed(seed).fit(&seen)?;
    let all: Vec<usize> = (0..seen.len()).collect();
    // The means follow from the clusters alone; the distances are not read.
    let nearest: Vec<Nearest> =
        found.clusters.iter().map(|cluster| Nearest { cluster: *cluster, distance: 0.0, next: 0.0 }).collect();
    let centers = Centers::of_members(&seen, &all, &nearest, count);
    Ok(centers.assign(vectors, unseen).iter().map(Nearest::silhouette).sum())
}

/// The documents that have terms, at least as many as clusters.
fn documents_with_terms(vectors: &Vectors, clusters: usize) -> Result<Vec<usize>, Error> {
    let full: Vec<usize> = (0..vectors.len()).filter(|document| !vectors.row(*document).is_empty()).collect();
    match full.len() >= clusters {
        true => Ok(full),
        false => Err(Error::TooFewDocuments { documents: full.len(), clusters }),
    }
}

/// Numbers clusters by size, then by their first document.
fn clustering(documents: usize, full: &[usize], nearest: Vec<Nearest>, count: usize) -> Clustering {
    let mut sizes = vec![0_usize; count];
    let mut firsts = vec![usize::MAX; count];
    for (document, nearest) in full.iter().zip(&nearest) {
        sizes[nearest.cluster as usize] += 1;
        firsts[nearest.cluster as usize] = firsts[nearest.cluster as usize].min(*document);
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by_key(|cluster| (std::cmp::Reverse(sizes[*cluster]), firsts[*cluster]));
    let mut numbers = vec![0_u32; count];
    (0..).zip(order).for_each(|(number, cluster)| numbers[cluster] = number);
    let (mut clusters, mut distances) = (vec![0; documents], vec![1.0; documents]);
    let mut silhouettes = 0.0;
    for (document, nearest) in full.iter().zip(&nearest) {
        clusters[*document] = numbers[nearest.cluster as usize];
        distances[*document] = nearest.distance;
        silhouettes += nearest.silhouette();
    }
    let silhouette = silhouettes / full.len().max(1) as f64;
    Clustering { clusters, distances, count, objective: objective(&nearest), silhouette }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::terms::TermTable;
    use crate::text::tf_idf::TfIdf;

    /// Documents of made-up topics, each with words of its own and words that all share.
    fn topics(topics: usize, documents: usize, seed: u64) -> (Vectors, Vec<u32>) {
        let mut random = SplitMix64::new(seed);
        let labels: Vec<u32> = (0..documents).map(|document| (document % topics) as u32).collect();
        let texts = labels.iter().map(|label| {
            let words = (0..12).map(|_| match random.below(3) {
                0 => format!("common{} ", random.below(40)),
                _ => format!("topic{label}word{} ", random.below(15)),
            });
            words.collect::<String>()
        });
        let table = TermTable::of_texts(texts.collect::<Vec<_>>());
        (TfIdf::default().vectors(&table).unwrap(), labels)
    }

    #[test]
    fn topics_are_found_and_named() {
        let (vectors, labels) = topics(4, 120, 1);
        let found = KMeans::new(4).fit(&vectors).unwrap();
        let measures = crate::cluster_measures::ClusterMeasures::new(&found.clusters, &labels);
        assert!(measures.purity > 0.98, "{measures:?}");
        for (cluster, terms) in found.top_terms(&vectors, 5).iter().enumerate() {
            let member = found.clusters.iter().position(|number| *number as usize == cluster).unwrap();
            assert!(terms.iter().all(|term| term.starts_with(&format!("topic{}", labels[member]))), "{terms:?}");
        }
        assert_eq!(choose_count(&vectors, 8, 0).unwrap().count, 4);
        let alike = found.similarities(&vectors);
        assert!((0..4).all(|one| (alike[one][one] - 1.0).abs() < 1e-9));
        assert!((0..4).all(|one| (0..4).all(|two| one == two || alike[one][two] < 0.3)), "{alike:?}");
        assert!(found.sizes().is_sorted_by(|one, two| one >= two));
    }

    #[test]
    fn the_objective_never_rises() {
        for seed in 0..30 {
            let (vectors, _) = topics(3, 40, seed);
            for start in [Start::PlusPlus, Start::Random, Start::Furthest] {
                let full = documents_with_terms(&vectors, 1).unwrap();
                let mut values = Vec::new();
                let means = KMeans::new(2 + seed as usize % 9).with_start(start);
                means.run(&vectors, &full, &mut SplitMix64::new(seed), &mut |value| values.push(value));
                assert!(values.windows(2).all(|pair| pair[1] <= pair[0] + 1e-4), "{values:?}");
            }
        }
    }

    /// The definition: of all documents the one whose smallest distance from a center is largest.
    #[test]
    fn furthest_first_is_that_of_brute_force() {
        for seed in 0..20 {
            let (vectors, _) = topics(3, 30, seed);
            let full = documents_with_terms(&vectors, 1).unwrap();
            let first = SplitMix64::new(seed).below(full.len());
            let mut centers = vec![full[first]];
            while centers.len() < 6 {
                let gap = |document: &usize| {
                    let distances = centers.iter().map(|center| 1.0 - vectors.cosine(*document, *center));
                    distances.fold(f32::INFINITY, f32::min)
                };
                let others: Vec<usize> = full.iter().copied().filter(|document| !centers.contains(document)).collect();
                let largest = others.iter().map(gap).fold(f32::NEG_INFINITY, f32::max);
                centers.push(*others.iter().find(|document| gap(document) == largest).unwrap());
            }
            let found = furthest(&vectors, &full, 6, first);
            let radius = |centers: &[usize]| {
                let gap = |document: &usize| {
                    centers.iter().map(|center| 1.0 - vectors.cosine(*document, *center)).fold(f32::INFINITY, f32::min)
                };
                full.iter().map(gap).fold(0.0, f32::max)
            };
            assert!((radius(&found) - radius(&centers)).abs() < 1e-5, "{found:?} {centers:?}");
            let clusters = furthest_first(&vectors, 6, seed).unwrap();
            for document in &full {
                let nearest = found.iter().map(|center| 1.0 - vectors.cosine(*document, *center)).fold(1.0, f32::min);
                assert!((clusters.distances[*document] - nearest).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn copies_and_empty_documents_do_no_harm() {
        let texts = ["u b", "u b", "u b", "", "c d", "c d", "x"];
        let vectors = TfIdf::default().vectors(&TermTable::of_texts(texts)).unwrap();
        for count in 1..=5 {
            let found = KMeans::new(count).fit(&vectors).unwrap();
            assert_eq!((found.clusters[3], found.distances[3]), (0, 1.0));
            assert!(found.distances.iter().all(|distance| distance.is_finite()) && found.silhouette.is_finite());
            assert_eq!(furthest_first(&vectors, count, 3).unwrap().count, count);
        }
        assert_eq!(KMeans::new(6).fit(&vectors), Err(Error::TooFewDocuments { documents: 5, clusters: 6 }));
    }

    #[test]
    fn threads_do_not_matter_and_seeds_do() {
        let (vectors, _) = topics(6, 300, 2);
        let fit = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| KMeans::new(9).with_restarts(1).with_seed(seed).fit(&vectors).unwrap())
        };
        assert_eq!(fit(1, 5), fit(4, 5));
        assert_ne!(fit(1, 5).clusters, fit(1, 6).clusters);
    }
}
