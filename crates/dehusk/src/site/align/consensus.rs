//! From the tokens of some pages to the tokens most of them share: alignments two by two, in rounds.
//!
//! Takes sequences of interned tokens, returns one sequence with the number of pages each token stands on. The alignments
//! of a round do not depend on each other: [`Rounds`] hands them out as values, so that a caller with threads can work on
//! all of them at once. This file starts none.

use super::pairwise::align;
use super::steps::Step;

/// A sequence of tokens, and on how many pages each stands. The paper's score of a token is `counts / t`.
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

    /// On how many pages each token stands.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The pages behind it.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Whether every alignment behind it is a best one.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The union of two profiles along their alignment: matches once with the sum of their counts, all else as it is.
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

    /// Leaves out tokens that stand on fewer pages.
    fn prune(&mut self, min_pages: f64) {
        let kept = |count: &u32| f64::from(*count) >= min_pages;
        let tokens = self.tokens.iter().zip(&self.counts).filter(|(_, count)| kept(count));
        self.tokens = tokens.map(|(token, _)| *token).collect();
        self.counts.retain(kept);
    }
}

/// Two profiles to be aligned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair(Profile, Profile);

impl Pair {
    /// Aligns them. This is the work of a round, and can be done on any thread.
    pub fn align(&self) -> Profile {
        self.0.join(&self.1)
    }
}

/// Profiles on their way to one.
#[derive(Clone, PartialEq, Debug)]
pub struct Rounds {
    profiles: Vec<Profile>,
    share: f64,
}

impl Rounds {
    /// Starts with the pages in the order in which they are paired. `share` of the pages makes a token template.
    pub fn new(pages: Vec<Profile>, share: f64) -> Rounds {
        Rounds { profiles: pages, share }
    }

    /// Prunes, and hands out the pairs of the next round; none when the work is done. An odd profile waits.
    ///
    /// The paper prunes scores below 2^(r−2)/t before round r, which is half of the 2^(r−1) pages behind each profile. Where t
    /// is no power of two some profiles have fewer, and the half is taken of those they have: by the letter of the
    /// formula, a page that waits for two rounds would lose every token.
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

    /// Takes the results of a round, in the order of its pairs. A profile that waited comes first, so that it does not wait again.
    pub fn accept(&mut self, aligned: Vec<Profile>) {
        self.profiles.extend(aligned);
    }

    /// Does all rounds that are left, and keeps the tokens that stand on the wanted share of all pages, and on two at min_pages: with
    /// two pages, half of them is one, and what stands on one page is no template.
    pub fn finish(mut self) -> Profile {
        loop {
            let pairs = self.next_pairs();
            if pairs.is_empty() {
                break;
            }
            self.accept(pairs.iter().map(Pair::align).collect());
        }
        let mut last = self.profiles.pop().unwrap_or_else(|| Profile { pages: 0, ..Profile::of_page(Vec::new()) });
        last.prune((self.share * f64::from(last.pages)).max(2.0));
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(pages: &[&[u32]]) -> Rounds {
        Rounds::new(pages.iter().map(|tokens| Profile::of_page(tokens.to_vec())).collect(), 0.5)
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
        // 1 and 9 are everywhere, 2 on half of the pages of one side, the others on one page.
        let pages: [&[u32]; 8] =
            [&[1, 2, 9], &[1, 2, 9], &[1, 3, 9], &[1, 4, 9], &[1, 5, 9], &[1, 6, 9], &[1, 7, 9], &[1, 8, 9]];
        let mut rounds = rounds(&pages);
        // Tokens of the first pair: the pages' own, the unions of two, what is left of the unions of four.
        for (pairs_left, sizes) in [(4, (3, 3)), (2, (3, 4)), (1, (3, 2))] {
            let pairs = rounds.next_pairs();
            assert_eq!(pairs.len(), pairs_left);
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
