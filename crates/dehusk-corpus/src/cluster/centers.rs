//! Centers of clusters: how the first ones are chosen, how they move, and which is nearest to a document.

use crate::text::tf_idf::{TermWeight, Vectors};
use dehusk::dom::random::SplitMix64;
use rayon::prelude::*;

/// The nearest center of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub(super) cluster: u32,
    pub(super) distance: f32,
    /// The distance of the next nearest center; 1 if there is only one.
    pub(super) next: f32,
}

impl Nearest {
    pub(super) fn silhouette(&self) -> f64 {
        let larger = self.next.max(self.distance);
        if larger > 0.0 { f64::from((self.next - self.distance) / larger) } else { 0.0 }
    }
}

/// The sum of the distances from the nearest centers.
pub(super) fn objective(nearest: &[Nearest]) -> f64 {
    nearest.iter().map(|nearest| f64::from(nearest.distance)).sum()
}

/// Centers of clusters, dense.
pub(super) struct Centers {
    count: usize,
    /// By term, then by cluster: a document's terms are far apart, but the centers of a term are one piece of memory.
    weights: Vec<f32>,
}

impl Centers {
    pub(super) fn of_documents(vectors: &Vectors, documents: &[usize]) -> Centers {
        let count = documents.len();
        let mut weights = vec![0.0; vectors.terms().len() * count];
        for (cluster, document) in documents.iter().enumerate() {
            vectors
                .row(*document)
                .iter()
                .for_each(|entry| weights[entry.term as usize * count + cluster] = entry.weight);
        }
        Centers { count, weights }
    }

    /// The means of the members of clusters, scaled to length 1. Summed in the order of documents, on one thread: it is a small part of
    /// the work, and the sums are the same at any number of threads.
    pub(super) fn of_members(vectors: &Vectors, full: &[usize], nearest: &[Nearest], count: usize) -> Centers {
        let mut sums = vec![0.0_f64; vectors.terms().len() * count];
        for (document, nearest) in full.iter().zip(nearest) {
            for entry in vectors.row(*document) {
                sums[entry.term as usize * count + nearest.cluster as usize] += f64::from(entry.weight);
            }
        }
        let mut squares = vec![0.0_f64; count];
        for of_term in sums.chunks_exact(count) {
            squares.iter_mut().zip(of_term).for_each(|(square, sum)| *square += sum * sum);
        }
        let scales: Vec<f64> =
            squares.iter().map(|square| if *square > 0.0 { 1.0 / square.sqrt() } else { 0.0 }).collect();
        let weights = sums
            .chunks_exact(count)
            .flat_map(|of_term| of_term.iter().zip(&scales).map(|(sum, scale)| (sum * scale) as f32));
        Centers { count, weights: weights.collect() }
    }

    pub(super) fn assign(&self, vectors: &Vectors, full: &[usize]) -> Vec<Nearest> {
        full.par_iter().map(|document| self.nearest(vectors.row(*document))).collect()
    }

    fn nearest(&self, row: &[TermWeight]) -> Nearest {
        let mut cosines = vec![0.0_f32; self.count];
        for entry in row {
            let of_term = &self.weights[entry.term as usize * self.count..][..self.count];
            cosines.iter_mut().zip(of_term).for_each(|(cosine, center)| *cosine += entry.weight * center);
        }
        let mut nearest = Nearest { cluster: 0, distance: f32::INFINITY, next: f32::INFINITY };
        for (cluster, cosine) in (0..).zip(cosines) {
            // Rounding can take the cosine of equal vectors slightly above 1.
            let distance = (1.0 - cosine).clamp(0.0, 1.0);
            if distance < nearest.distance {
                nearest = Nearest { cluster, distance, next: nearest.distance };
            } else if distance < nearest.next {
                nearest.next = distance;
            }
        }
        nearest.next = nearest.next.min(1.0);
        nearest
    }
}

/// Gives every cluster without members the document that is furthest from its center, of a cluster that has others.
pub(super) fn refill(nearest: &mut [Nearest], count: usize) {
    let mut sizes = vec![0_usize; count];
    nearest.iter().for_each(|nearest| sizes[nearest.cluster as usize] += 1);
    for cluster in 0..count {
        if sizes[cluster] > 0 {
            continue;
        }
        let mut furthest: Option<usize> = None;
        for (place, candidate) in nearest.iter().enumerate() {
            let is_further = furthest.is_none_or(|furthest| candidate.distance > nearest[furthest].distance);
            if sizes[candidate.cluster as usize] > 1 && is_further {
                furthest = Some(place);
            }
        }
        let Some(place) = furthest else { return };
        sizes[nearest[place].cluster as usize] -= 1;
        sizes[cluster] = 1;
        nearest[place] = Nearest { cluster: cluster as u32, distance: 0.0, next: nearest[place].distance };
    }
}

/// Lowers the distances of documents to their nearest center, given a new center.
fn approach(vectors: &Vectors, full: &[usize], center: usize, distances: &mut [f32]) {
    let mut dense = vec![0.0_f32; vectors.terms().len()];
    vectors.row(center).iter().for_each(|entry| dense[entry.term as usize] = entry.weight);
    distances.par_iter_mut().zip(full).for_each(|(distance, document)| {
        let row = vectors.row(*document).iter();
        let cosine: f32 = row.map(|entry| entry.weight * dense[entry.term as usize]).sum();
        *distance = distance.min((1.0 - cosine).clamp(0.0, 1.0));
        // Exactly 0 in spite of rounding, so that no document is chosen twice.
        if *document == center {
            *distance = 0.0;
        }
    });
}

/// The first centers by furthest-point-first, beginning with a document.
pub(super) fn furthest(vectors: &Vectors, full: &[usize], count: usize, first: usize) -> Vec<usize> {
    let mut centers = vec![full[first]];
    let mut distances = vec![f32::INFINITY; full.len()];
    while centers.len() < count {
        approach(vectors, full, centers[centers.len() - 1], &mut distances);
        let mut furthest: Option<usize> = None;
        for (place, distance) in distances.iter().enumerate() {
            let is_further = furthest.is_none_or(|furthest| *distance > distances[furthest]);
            // Copies of a center are at distance 0, as it is itself.
            if is_further && !centers.contains(&full[place]) {
                furthest = Some(place);
            }
        }
        let Some(place) = furthest else { break };
        centers.push(full[place]);
    }
    centers
}

/// The first centers by k-means++.
pub(super) fn plus_plus(vectors: &Vectors, full: &[usize], count: usize, random: &mut SplitMix64) -> Vec<usize> {
    let mut centers = vec![full[random.below(full.len())]];
    let mut distances = vec![f32::INFINITY; full.len()];
    while centers.len() < count {
        approach(vectors, full, centers[centers.len() - 1], &mut distances);
        // The squared distance of vectors of length 1 is twice one minus the cosine.
        let total: f64 = distances.iter().map(|distance| f64::from(*distance)).sum();
        let mut left = random.unit() * total;
        let mut chosen = None;
        for (place, distance) in distances.iter().enumerate().filter(|(_, distance)| **distance > 0.0) {
            // The last candidate stays chosen if rounding leaves something over.
            chosen = Some(place);
            left -= f64::from(*distance);
            if left < 0.0 {
                break;
            }
        }
        // All that is left are copies of centers.
        let other = || (0..full.len()).find(|place| !centers.contains(&full[*place]));
        let Some(place) = chosen.or_else(other) else { break };
        centers.push(full[place]);
    }
    centers
}
