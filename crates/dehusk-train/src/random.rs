//! Pseudo-random numbers, the same for the same seed on every machine.
//!
//! Fitted models depend on these streams, so this generator is part of the library and never changes with the tests. The
//! tests have their own: `crates/dehusk/tests/support/random.rs`.

/// A stream of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The stream of one part of a job, such as one tree: parts do not depend on each other's order.
    pub fn part(seed: u64, part: u64) -> Random {
        let mut mixed = Random::new(seed ^ part.wrapping_mul(0xd134_2543_de82_ef95));
        Random::new(mixed.next() ^ part)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another, which is more than 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.next() as u128 * end as u128) >> 64) as usize
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Some of the numbers below `end`, in ascending order.
    pub fn choose(&mut self, end: usize, count: usize) -> Vec<usize> {
        let mut chosen = Vec::with_capacity(count.min(end));
        for number in 0..end {
            let left = count.saturating_sub(chosen.len());
            if self.below(end - number) < left {
                chosen.push(number);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_even_and_in_order() {
        let mut random = Random::new(3);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            let chosen = random.choose(10, 3);
            assert_eq!(chosen.len(), 3);
            assert!(chosen.is_sorted());
            chosen.iter().for_each(|number| counts[*number] += 1);
        }
        assert!(counts.iter().all(|count| (2800..3200).contains(count)), "{counts:?}");
        assert_eq!(random.choose(4, 9), [0, 1, 2, 3]);
        assert_ne!(Random::part(1, 2).next(), Random::part(1, 3).next());
    }
}
