//! Reduces the token sequences of several pages to the tokens most of them share, by pairwise alignments in rounds.
//!
//! Input: sequences of interned tokens. Output: one sequence with the number of pages that contain each token. The
//! alignments of a round are independent: [`Rounds`] returns them as values, so a caller with threads can run all of
//! them at once. This file starts no threads.

use super::pairwise::align;
use super::steps::Step;
use crate::rules::Rules;

/// A sequence of tokens with the number of pages that contain each. The paper's score of a token is `counts / t`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    tokens: Vec<u32>,
    counts: Vec<u32>,
    pages: u32,
    exact: bool,
}

impl Profile {
    /// The profile of one page.
    pub fn of_page(tokens: Vec<u32>) -> Profile {
        let counts = vec![1; tokens.len()];
        Profile { tokens, counts, pages: 1, exact: true }
    }

    /// The tokens.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The number of pages that contain each token.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The number of pages merged into this profile.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Whether every alignment that led to it is optimal.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the union of two profiles along their alignment. A match appears once, with the sum of both counts;
    /// everything else is copied.
    fn join(&self, other: &Profile) -> Profile {
        let alignment = align(&self.tokens, &other.tokens);
        let length = alignment.steps.len() + alignment.steps.iter().filter(|step| **step == Step::Mismatch).count();
        let mut tokens = Vec::with_capacity(length);
        let mut counts = Vec::with_capacity(length);
        let (mut one, mut two) = (0, 0);
        for step in &alignment.steps {
            if *step != Step::Second {
                tokens.push(self.tokens[one]);
                counts.push(self.counts[one] + if *step == Step::Match { other.counts[two] } else { 0 });
                one += 1;
            }
            if matches!(step, Step::Mismatch | Step::Second) {
                tokens.push(other.tokens[two]);
                counts.push(other.counts[two]);
            }
            two += (*step != Step::First) as usize;
        }
        let exact = alignment.exact && self.exact && other.exact;
        Profile { tokens, counts, pages: self.pages + other.pages, exact }
    }

    /// Removes tokens that are on fewer pages than `min_pages`.
    fn prune(&mut self, min_pages: f64) {
        let kept = |count: &u32| f64::from(*count) >= min_pages;
        let tokens = self.tokens.iter().zip(&self.counts).filter(|(_, count)| kept(count));
        self.tokens = tokens.map(|(token, _)| *token).collect();
        self.counts.retain(kept);
    }
}

/// A pair of profiles to align.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair(Profile, Profile);

impl Pair {
    /// The number of cells of the table that a textbook alignment of the pair fills.
    pub fn cells(&self) -> u64 {
        self.0.tokens.len() as u64 * self.1.tokens.len() as u64
    }

    /// Aligns the pair. This is the work of a round and can run on any thread.
    pub fn align(&self) -> Profile {
        self.0.join(&self.1)
    }
}

/// The profiles that are left to be merged, round by round.
#[derive(Clone, PartialEq, Debug)]
pub struct Rounds {
    profiles: Vec<Profile>,
    share: f64,
    rules: Rules,
}

impl Rounds {
    /// Starts with one profile per page; neighbours are paired. A token is template if at least `share` of the pages
    /// contain it.
    pub fn new(pages: Vec<Profile>, share: f64, rules: Rules) -> Rounds {
        Rounds { profiles: pages, share, rules }
    }

    /// Prunes the profiles and returns the pairs of the next round. Returns no pairs when the work is finished. An
    /// odd profile waits for the next round.
    ///
    /// The paper prunes scores below 2^(r−2)/t before round r, which is half of the 2^(r−1) pages merged into each
    /// profile. If t is not a power of two, some profiles have fewer pages, and we take half of the actual number:
    /// taken literally, the formula would remove every token of a page that waits for two rounds.
    pub fn next_pairs(&mut self) -> Vec<Pair> {
        if self.profiles.len() < 2 {
            return Vec::new();
        }
        for profile in &mut self.profiles {
            profile.prune(self.share * f64::from(profile.pages));
        }
        let mut waiting = std::mem::take(&mut self.profiles).into_iter();
        let mut pairs = Vec::with_capacity(waiting.len() / 2);
        while let Some(one) = waiting.next() {
            match waiting.next() {
                Some(two) => pairs.push(Pair(one, two)),
                None => self.profiles.push(one),
            }
        }
        pairs
    }

    /// Accepts the results of a round, in the order of its pairs. A profile that waited comes first, so it does not
    /// wait again.
    pub fn accept(&mut self, aligned: Vec<Profile>) {
        self.profiles.extend(aligned);
    }

    /// Runs all remaining rounds and keeps the tokens that are on the required share of all pages. With our rules, also
    /// on at least two: half of two pages is one, so in the paper the template of two pages is all they have.
    pub fn finish(mut self) -> Profile {
        loop {
            let pairs = self.next_pairs();
            if pairs.is_empty() {
                break;
            }
            self.accept(pairs.iter().map(Pair::align).collect());
        }
        let mut last = self.profiles.pop().unwrap_or_else(|| Profile { pages: 0, ..Profile::of_page(Vec::new()) });
        let min_pages = if self.rules == Rules::Paper { 0.0 } else { 2.0 };
        last.prune((self.share * f64::from(last.pages)).max(min_pages));
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds_by(pages: &[&[u32]], rules: Rules) -> Rounds {
        Rounds::new(pages.iter().map(|tokens| Profile::of_page(tokens.to_vec())).collect(), 0.5, rules)
    }

    fn rounds(pages: &[&[u32]]) -> Rounds {
        rounds_by(pages, Rules::All)
    }

    #[test]
    fn unions_hold_every_token() {
        let one = Profile::of_page(vec![1, 2, 3, 9]);
        let two = Profile::of_page(vec![1, 5, 3]);
        let joined = one.join(&two);
        assert_eq!(joined.tokens(), [1, 2, 5, 3, 9]);
        assert_eq!(joined.counts(), [2, 1, 1, 2, 1]);
        assert_eq!(joined.pages(), 2);
    }

    #[test]
    fn nothing_is_pruned_before_the_third_round() {
        // 1 and 9 are on all pages, 2 on half of the pages of one side, the others on one page.
        let pages: [&[u32]; 8] =
            [&[1, 2, 9], &[1, 2, 9], &[1, 3, 9], &[1, 4, 9], &[1, 5, 9], &[1, 6, 9], &[1, 7, 9], &[1, 8, 9]];
        let mut rounds = rounds(&pages);
        // Tokens of the first pair: those of single pages, then unions of two pages, then the pruned unions of four.
        for (pairs_left, sizes) in [(4, (3, 3)), (2, (3, 4)), (1, (3, 2))] {
            let pairs = rounds.next_pairs();
            assert_eq!(pairs.len(), pairs_left);
            assert_eq!(pairs[0].cells(), (sizes.0 * sizes.1) as u64);
            assert_eq!((pairs[0].0.tokens.len(), pairs[0].1.tokens.len()), sizes);
            rounds.accept(pairs.iter().map(Pair::align).collect());
        }
        assert!(rounds.next_pairs().is_empty());
        let last = rounds.finish();
        assert_eq!((last.tokens(), last.counts()), (&[1, 9][..], &[8, 8][..]));
    }

    #[test]
    fn half_of_the_pages_is_enough() {
        let with: &[u32] = &[1, 2, 9];
        let without: &[u32] = &[1, 9];
        let last = rounds(&[with, without, without, with]).finish();
        assert_eq!((last.tokens(), last.counts()), (&[1, 2, 9][..], &[4, 2, 4][..]));
        let last = rounds(&[with, without, without, with, without]).finish();
        assert_eq!((last.tokens(), last.counts()), (&[1, 9][..], &[5, 5][..]));
    }

    #[test]
    fn in_the_paper_the_template_of_two_pages_is_their_union() {
        let pages: [&[u32]; 2] = [&[1, 2, 9], &[1, 3, 9]];
        assert_eq!(rounds_by(&pages, Rules::Paper).finish().tokens(), [1, 2, 3, 9]);
        assert_eq!(rounds_by(&pages, Rules::All).finish().tokens(), [1, 9]);
    }

    #[test]
    fn any_number_of_pages_will_do() {
        for count in 2..=40u32 {
            let pages: Vec<Vec<u32>> = (0..count).map(|page| vec![1, 2, 100 + page, 3, 200 + page, 4]).collect();
            let pages: Vec<&[u32]> = pages.iter().map(Vec::as_slice).collect();
            let mut all = rounds(&pages);
            let mut alignments = 0;
            loop {
                let pairs = all.next_pairs();
                if pairs.is_empty() {
                    break;
                }
                alignments += pairs.len();
                all.accept(pairs.iter().map(Pair::align).collect());
            }
            assert_eq!(alignments as u32, count - 1);
            let last = all.finish();
            assert_eq!((last.tokens(), last.pages()), (&[1, 2, 3, 4][..], count));
            assert!(last.counts().iter().all(|pages| *pages == count), "{count}: {:?}", last.counts());
        }
        assert!(rounds(&[&[1, 2]]).finish().tokens().is_empty());
        assert_eq!(rounds(&[]).finish().pages(), 0);
    }
}
