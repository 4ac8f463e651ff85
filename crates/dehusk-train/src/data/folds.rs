//! Folds for cross-validation: by site, never by page, since pages of one site resemble each other and a model would know half of them.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The fold of each site, by its name. Sites are dealt out in an order that only the seed decides, so that the sizes of folds differ by one site
/// at most, and the fold of a site does not depend on the order of the crawl.
#[must_use]
pub fn fold_of_sites(sites: &[String], folds: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_cached_key(|number| (xxh3_64_with_seed(sites[*number].as_bytes(), seed), sites[*number].clone()));
    let mut fold = vec![0; sites.len()];
    for (place, number) in order.into_iter().enumerate() {
        fold[number] = place % folds.max(1);
    }
    fold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_even_and_do_not_depend_on_the_order() {
        let sites: Vec<String> = (0..25).map(|number| format!("site{number}.example")).collect();
        let folds = fold_of_sites(&sites, 10, 0);
        for fold in 0..10 {
            assert!((2..=3).contains(&folds.iter().filter(|at| **at == fold).count()));
        }
        let turned: Vec<String> = sites.iter().rev().cloned().collect();
        let mut again = fold_of_sites(&turned, 10, 0);
        again.reverse();
        assert_eq!(again, folds);
        assert_ne!(fold_of_sites(&sites, 10, 1), folds);
    }
}
