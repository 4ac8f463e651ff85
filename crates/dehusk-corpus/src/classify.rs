//! How well classes are found: cross-validation by site, accuracy, precision and recall, confusion matrix.

use crate::error::Error;
use crate::naive_bayes::NaiveBayes;
use crate::text::terms::TermTable;
use dehusk_train::fold_of_sites;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// How many documents of each class were taken for which class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    labels: Vec<String>,
    /// By true class, then by class found.
    counts: Vec<Vec<u64>>,
}

impl Confusion {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(labels: &[String]) -> Confusion {
        Confusion { labels: labels.to_vec(), counts: vec![vec![0; labels.len()]; labels.len()] }
    }

    /// Counts a document: its class and the class that was found, by number.
    pub fn add(&mut self, class: usize, found: usize) {
        self.counts[class][found] += 1;
    }

    /// The labels, by number of class.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The documents of a class that were taken for each class.
    #[must_use]
    pub fn row(&self, class: usize) -> &[u64] {
        &self.counts[class]
    }

    /// The number of documents.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// The share of documents whose class was found.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let right: u64 = (0..self.labels.len()).map(|class| self.counts[class][class]).sum();
        right as f64 / self.total().max(1) as f64
    }

    /// How well a class is found; 0 where there is nothing to divide by.
    #[must_use]
    pub fn measures(&self, class: usize) -> ClassMeasures {
        let right = self.counts[class][class] as f64;
        let found: u64 = self.counts.iter().map(|row| row[class]).sum();
        let share = |of: f64, whole: f64| if whole > 0.0 { of / whole } else { 0.0 };
        let (precision, recall) =
            (share(right, found as f64), share(right, self.counts[class].iter().sum::<u64>() as f64));
        ClassMeasures { precision, recall, f1: share(2.0 * precision * recall, precision + recall) }
    }

    /// The mean F1 of the classes, all counting alike.
    #[must_use]
    pub fn macro_f1(&self) -> f64 {
        let sum: f64 = (0..self.labels.len()).map(|class| self.measures(class).f1).sum();
        sum / self.labels.len().max(1) as f64
    }
}

/// How well a class is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClassMeasures {
    /// The share of the documents that were taken for the class and are of it.
    pub precision: f64,
    /// The share of the documents of the class that were taken for it.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f1: f64,
}

/// A cross-validation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Validation {
    /// What was taken for what.
    pub confusion: Confusion,
    /// The number of folds.
    pub folds: usize,
    /// Whether no site was in training and test at once. False if all documents are of one site.
    pub is_by_site: bool,
}

/// Trains on all folds but one, tests on that one, for each fold. Sites are dealt out to folds whole, so that a model cannot pass by
/// knowing the site; documents of a single site are dealt out one by one. Documents without a label do not count. A document of
/// a class that is in no other fold counts as wrong: it is taken for the class that was found.
///
/// `copies` has the same number for documents that are near-duplicates ([`Duplicates::clusters`](crate::duplicates::Duplicates::clusters)). Copies
/// of what is tested are not trained on, or the model would pass by knowing the text.
///
/// # Errors
/// If there are fewer than two labels.
///
/// # Panics
/// If there are not as many labels, sites and copies as documents.
pub fn cross_validate<L: AsRef<str> + Sync>(
    table: &TermTable,
    labels: &[Option<L>],
    sites: &[String],
    copies: &[u32],
    folds: usize,
    seed: u64,
) -> Result<Validation, Error> {
    let documents = table.len();
    let is_complete = [labels.len(), sites.len(), copies.len()].iter().all(|length| *length == documents);
    assert!(is_complete, "a label, a site and a group of copies for each document");
    let mut names: Vec<String> = labels.iter().flatten().map(|label| label.as_ref().to_string()).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() < 2 {
        return Err(Error::TooFewClasses(names.first().cloned()));
    }
    let labelled: Vec<usize> = (0..table.len()).filter(|document| labels[*document].is_some()).collect();
    let mut units: Vec<String> = labelled.iter().map(|document| sites[*document].clone()).collect();
    units.sort_unstable();
    units.dedup();
    let is_by_site = units.len() > 1;
    let unit_of = |document: usize| match is_by_site {
        true => sites[document].clone(),
        false => document.to_string(),
    };
    if !is_by_site {
        // As texts, like sites, so that one search finds the fold of either.
        units = labelled.iter().map(|document| document.to_string()).collect();
        units.sort_unstable();
    }
    let folds = folds.clamp(2, units.len().max(2));
    let fold_of_unit = fold_of_sites(&units, folds, seed);
    let fold_of = |document: usize| units.binary_search(&unit_of(document)).map_or(0, |unit| fold_of_unit[unit]);
    let document_folds: Vec<usize> = labelled.iter().map(|document| fold_of(*document)).collect();
    let terms = table.terms();
    let class_of = |label: &str| names.partition_point(|name| name.as_str() < label);
    let test = |fold: usize| -> Vec<(usize, usize)> {
        let is_tested = |(_, of): &(&usize, &usize)| **of == fold;
        let tested = labelled.iter().zip(&document_folds).filter(is_tested);
        let known: BTreeSet<u32> = tested.clone().map(|(document, _)| copies[*document]).collect();
        let mut training: Vec<Option<&str>> = vec![None; table.len()];
        for (document, _) in labelled.iter().zip(&document_folds).filter(|of| !is_tested(of)) {
            if !known.contains(&copies[*document]) {
                training[*document] = labels[*document].as_ref().map(AsRef::as_ref);
            }
        }
        // If only one class is left, every document is taken for it.
        let model = NaiveBayes::fit(table, &training);
        let only = training.iter().flatten().next().map_or(0, |label| class_of(label));
        let tested = tested.map(|(document, _)| {
            let class = labels[*document].as_ref().map_or(0, |label| class_of(label.as_ref()));
            let found = model
                .as_ref()
                .map_or(only, |model| class_of(&model.labels()[model.predict_row(table, &terms, *document).class]));
            (class, found)
        });
        tested.collect()
    };
    let tested: Vec<Vec<(usize, usize)>> = (0..folds).into_par_iter().map(test).collect();
    let mut confusion = Confusion::new(&names);
    tested.into_iter().flatten().for_each(|(class, found)| confusion.add(class, found));
    Ok(Validation { confusion, folds, is_by_site })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_computed_by_hand() {
        let mut confusion = Confusion::new(&["a".into(), "b".into()]);
        for (class, found, times) in [(0, 0, 3), (0, 1, 1), (1, 0, 2), (1, 1, 4)] {
            (0..times).for_each(|_| confusion.add(class, found));
        }
        assert_eq!((confusion.total(), confusion.row(1)), (10, &[2, 4][..]));
        assert!((confusion.accuracy() - 0.7).abs() < 1e-12);
        let ClassMeasures { precision, recall, f1 } = confusion.measures(0);
        assert!((precision - 0.6).abs() < 1e-12 && (recall - 0.75).abs() < 1e-12 && (f1 - 2.0 / 3.0).abs() < 1e-12);
        assert!((confusion.macro_f1() - (2.0 / 3.0 + 8.0 / 11.0) / 2.0).abs() < 1e-12);
        assert_eq!(Confusion::new(&["a".into()]).measures(0), ClassMeasures::default());
    }

    /// Each site has one class and a word of its own, and sites of a class have no word in common. The class of a page can only be found
    /// by knowing its site.
    #[test]
    fn sites_are_never_in_training_and_test() {
        let (mut texts, mut labels, mut sites) = (Vec::new(), Vec::new(), Vec::new());
        for site in 0..8 {
            for page in 0..5 {
                texts.push(format!("site{site} site{site} page{page}"));
                labels.push(Some(if site % 2 == 0 { "even" } else { "odd" }));
                sites.push(format!("site{site}.example"));
            }
        }
        let table = TermTable::of_texts(&texts);
        let copies: Vec<u32> = (0..40).collect();
        let apart = cross_validate(&table, &labels, &sites, &copies, 4, 0).unwrap();
        assert!(apart.is_by_site && apart.confusion.accuracy() < 0.7, "{apart:?}");
        let one_site = vec![String::new(); texts.len()];
        let mixed = cross_validate(&table, &labels, &one_site, &copies, 4, 0).unwrap();
        assert!(!mixed.is_by_site && mixed.confusion.accuracy() > 0.95, "{mixed:?}");
        assert_eq!(mixed.confusion.total(), 40);
    }

    /// The same two texts on four sites, and nothing else: the class of a text can only be found by having seen it.
    #[test]
    fn copies_of_what_is_tested_are_not_trained_on() {
        let texts = ["red wine", "red car"].repeat(4);
        let labels = [Some("drink"), Some("vehicle")].repeat(4);
        let sites: Vec<String> = (0..8).map(|page| format!("site{}.example", page / 2)).collect();
        let table = TermTable::of_texts(&texts);
        let apart: Vec<u32> = (0..8).collect();
        assert_eq!(cross_validate(&table, &labels, &sites, &apart, 4, 0).unwrap().confusion.accuracy(), 1.0);
        let copies = [0, 1].repeat(4);
        assert!(cross_validate(&table, &labels, &sites, &copies, 4, 0).unwrap().confusion.accuracy() <= 0.5);
    }

    #[test]
    fn a_class_of_one_site_is_wrong_and_not_an_error() {
        let table = TermTable::of_texts(["red", "red", "blue", "blue"]);
        let sites = ["a", "a", "b", "b"].map(String::from);
        let found =
            cross_validate(&table, &[Some("r"), Some("r"), Some("b"), None], &sites, &[0, 1, 2, 3], 10, 0).unwrap();
        assert_eq!((found.confusion.total(), found.confusion.accuracy()), (3, 0.0));
        let none: [Option<&str>; 4] = [None; 4];
        assert_eq!(cross_validate(&table, &none, &sites, &[0; 4], 10, 0), Err(Error::TooFewClasses(None)));
    }
}
