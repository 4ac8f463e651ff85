//! Pseudo-random numbers, the same for the same seed on every machine and in every version.
//!
//! Everything random in the workspace comes from this generator: fitted models, clusters and segments depend on its numbers, so it never
//! changes. It is not for secrets: whoever knows one number knows all that follow.

/// A stream of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

/// One step of the generator: moves the state on and returns the number of the new state.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl SplitMix64 {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// The stream of one part of a job, such as one tree of a forest. Parts can be done in any order and on any thread.
    #[must_use]
    pub fn part(seed: u64, part: u64) -> SplitMix64 {
        let mut mixed = SplitMix64::new(seed ^ part.wrapping_mul(0xd134_2543_de82_ef95));
        SplitMix64::new(mixed.next_u64() ^ part)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        split_mix(&mut self.state)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next_u64()) * end as u128) >> 64) as usize
    }

    /// A number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        // 53 bits, as many as an `f64` holds exactly.
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `count` of the numbers below `end`, in ascending order; all of them if there are fewer.
    pub fn choose(&mut self, end: usize, count: usize) -> Vec<usize> {
        // Selection sampling (Knuth's algorithm S): every choice is equally likely, and the result is in order without sorting.
        let mut chosen = Vec::with_capacity(count.min(end));
        for number in 0..end {
            let left = count.saturating_sub(chosen.len());
            if self.below(end - number) < left {
                chosen.push(number);
            }
        }
        chosen
    }

    /// Puts items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            items.swap(end - 1, self.below(end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of seed 1234567 as the reference implementation of Sebastiano Vigna prints them.
    #[test]
    fn numbers_are_those_of_split_mix() {
        let mut random = SplitMix64::new(1_234_567);
        let numbers = [(); 3].map(|()| random.next_u64());
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn choices_are_even_and_in_order() {
        let mut random = SplitMix64::new(3);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            let chosen = random.choose(10, 3);
            assert_eq!(chosen.len(), 3);
            assert!(chosen.is_sorted());
            chosen.iter().for_each(|number| counts[*number] += 1);
        }
        assert!(counts.iter().all(|count| (2800..3200).contains(count)), "{counts:?}");
        assert_eq!(random.choose(4, 9), [0, 1, 2, 3]);
        assert_ne!(SplitMix64::part(1, 2).next_u64(), SplitMix64::part(1, 3).next_u64());
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<usize> = (0..50).collect();
        SplitMix64::new(8).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
        assert_eq!(SplitMix64::new(8).below(0), 0);
    }
}
