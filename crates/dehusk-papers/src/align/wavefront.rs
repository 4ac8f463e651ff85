//! Needleman–Wunsch for similar sequences: wavefronts by penalty.
//!
//! Input: two sequences. Output: the steps of an optimal alignment. With M matches, X mismatches and G gaps, n + m =
//! 2M + 2X + G, so the score M − G is (n + m − (2X + 3G)) / 2: the highest score has the lowest penalty, with 2 for a
//! mismatch and 3 for a gap. For each penalty in turn and each diagonal, the furthest reachable point is stored;
//! matches are free. O((n + m)·s) time and O(s²) memory for a penalty of s (Marco-Sola et al., Bioinformatics 37:4,
//! 2021).

use super::steps::Step;

const MISMATCH: usize = 2;
const GAP: usize = 3;
/// Marks a diagonal that no alignment of this penalty reaches. Far from overflow when one is added.
const NONE: i32 = i32::MIN / 2;

/// The furthest points for one penalty: their range in `points` and the first diagonal.
#[derive(Clone, Copy)]
struct Front {
    start: usize,
    length: usize,
    lowest: i32,
}

struct Wave<'a> {
    first: &'a [u32],
    second: &'a [u32],
    fronts: Vec<Front>,
    /// Number of consumed tokens of the first sequence, by front and diagonal (tokens of the first minus tokens of
    /// the second).
    points: Vec<i32>,
}

/// Appends the steps of an optimal alignment, or returns false if it would take more than `max_points` points of four
/// bytes each. If several are optimal, a mismatch is preferred to gaps, and a gap in the second sequence to one in
/// the first, from the end.
pub(super) fn append_by_wavefront(first: &[u32], second: &[u32], max_points: usize, steps: &mut Vec<Step>) -> bool {
    let mut wave = Wave { first, second, fronts: Vec::new(), points: Vec::new() };
    let goal = first.len() as i32 - second.len() as i32;
    loop {
        if !wave.advance(max_points) {
            return false;
        }
        let penalty = wave.fronts.len() - 1;
        if wave.point(penalty, goal) == first.len() as i32 {
            wave.trace(penalty, goal, steps);
            return true;
        }
    }
}

impl Wave<'_> {
    fn point(&self, penalty: usize, diagonal: i32) -> i32 {
        let front = self.fronts[penalty];
        match usize::try_from(diagonal - front.lowest) {
            Ok(at) if at < front.length => self.points[front.start + at],
            _ => NONE,
        }
    }

    /// The furthest points of a diagonal after a mismatch, a token of the first sequence only, a token of the second
    /// only.
    fn arrivals(&self, penalty: usize, diagonal: i32) -> [i32; 3] {
        let (rows, columns) = (self.first.len() as i32, self.second.len() as i32);
        let within = |row: i32| if row <= rows && row - diagonal <= columns { row } else { NONE };
        let mut arrivals = [NONE; 3];
        if penalty >= MISMATCH {
            arrivals[0] = within(self.point(penalty - MISMATCH, diagonal) + 1);
        }
        if penalty >= GAP {
            arrivals[1] = within(self.point(penalty - GAP, diagonal - 1) + 1);
            arrivals[2] = within(self.point(penalty - GAP, diagonal + 1));
        }
        arrivals
    }

    /// Computes the front of the next penalty. Returns false if it would exceed `max_points`.
    fn advance(&mut self, max_points: usize) -> bool {
        let penalty = self.fronts.len();
        // Each gap moves one diagonal away, at most by the lengths of the sequences.
        let reach = (penalty / GAP) as i32;
        let lowest = (-reach).max(-(self.second.len() as i32));
        let highest = reach.min(self.first.len() as i32);
        let front = Front { start: self.points.len(), length: (highest - lowest + 1) as usize, lowest };
        if front.start + front.length > max_points {
            return false;
        }
        self.points.resize(front.start + front.length, NONE);
        let (behind, ahead) = self.points.split_at_mut(front.start);
        let fronts = &self.fronts;
        let earlier = |cost: usize| match penalty.checked_sub(cost) {
            Some(earlier) => (&behind[fronts[earlier].start..][..fronts[earlier].length], fronts[earlier].lowest),
            None => (&behind[..0], 0),
        };
        let (mismatch, gap) = (earlier(MISMATCH), earlier(GAP));
        // A negative index becomes one past the end.
        let read =
            |front: (&[i32], i32), diagonal: i32| front.0.get((diagonal - front.1) as usize).copied().unwrap_or(NONE);
        let (rows, columns) = (self.first.len() as i32, self.second.len() as i32);
        for (diagonal, point) in (lowest..=highest).zip(ahead) {
            let limit = rows.min(columns + diagonal);
            let within = |row: i32| if row <= limit { row } else { NONE };
            let mut row = within(read(mismatch, diagonal) + 1)
                .max(within(read(gap, diagonal - 1) + 1))
                .max(within(read(gap, diagonal + 1)));
            if penalty == 0 {
                row = 0;
            }
            if row >= 0 {
                while row < limit && self.first[row as usize] == self.second[(row - diagonal) as usize] {
                    row += 1;
                }
                *point = row;
            }
        }
        self.fronts.push(front);
        true
    }

    /// Traces the alignment back from the end.
    fn trace(&self, mut penalty: usize, mut diagonal: i32, steps: &mut Vec<Step>) {
        let from = steps.len();
        let mut row = self.first.len() as i32;
        while penalty > 0 {
            let arrivals = self.arrivals(penalty, diagonal);
            let arrived = arrivals.into_iter().fold(NONE, i32::max);
            steps.extend((arrived..row).map(|_| Step::Match));
            if arrivals[0] == arrived {
                steps.push(Step::Mismatch);
                penalty -= MISMATCH;
                row = arrived - 1;
            } else if arrivals[1] == arrived {
                steps.push(Step::First);
                penalty -= GAP;
                diagonal -= 1;
                row = arrived - 1;
            } else {
                steps.push(Step::Second);
                penalty -= GAP;
                diagonal += 1;
                row = arrived;
            }
        }
        steps.extend((0..row).map(|_| Step::Match));
        steps[from..].reverse();
    }
}
