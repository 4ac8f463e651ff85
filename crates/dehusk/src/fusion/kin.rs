//! Which blocks of a page belong together without standing together: those with the same text, and those that play the same role.
//!
//! Takes the cut page. What is the same is found by sorting hashes. Which of several copies is shown is decided here as well, given scores.

use super::blocks::PageBlocks;
use super::counts::TextCounts;

/// Words from which on a text that stands twice is the same thing said twice.
const LEAST_REPEATED: u32 = 6;

/// A hash and a number in one, so that sorting is quick: on wcxb-dev cutting and looking at blocks took 0.55 s with pairs and takes 0.51 s.
/// Of the hash 38 bits are left, enough for the blocks of a page, and room for 67 million numbers, more than nodes are let in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place(u64);

impl Place {
    const NUMBERS: u64 = (1 << 26) - 1;

    pub(crate) fn new(hash: u64, at: usize) -> Place {
        Place(hash & !Place::NUMBERS | at as u64 & Place::NUMBERS)
    }

    pub(crate) fn hash(self) -> u64 {
        self.0 & !Place::NUMBERS
    }

    pub(crate) fn at(self) -> usize {
        (self.0 & Place::NUMBERS) as usize
    }
}

/// A role is a chain of shapes: blocks of one role are the same part of cards, posts or rows. Chains of up to so many groups.
pub(crate) const ROLE_DEPTHS: usize = 3;

/// What the blocks of one role have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoleFacts {
    pub(crate) blocks: u32,
    pub(crate) counts: TextCounts,
    /// Blocks whose text stands once on the page.
    pub(crate) single: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Blocks with the same text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Copies {
    pub(crate) count: u16,
    pub(crate) earlier: u16,
    /// The nearest one before and the nearest one after.
    pub(crate) before: Option<u32>,
    pub(crate) after: Option<u32>,
}

/// The copies and roles of all blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kin {
    pub(crate) copies: Vec<Copies>,
    pub(crate) roles: [Vec<RoleFacts>; ROLE_DEPTHS],
    /// For each block the number of the role it plays, by depth.
    pub(crate) role_of: [Vec<u32>; ROLE_DEPTHS],
    order: Vec<Place>,
}

impl Kin {
    /// Finds the copies and roles of a page.
    pub(crate) fn find(&mut self, page: &PageBlocks) {
        self.find_copies(page);
        self.find_roles(page);
    }

    fn find_roles(&mut self, page: &PageBlocks) {
        for depth in 0..ROLE_DEPTHS {
            self.order.clear();
            for (at, block) in page.blocks.iter().enumerate() {
                let (mut group, mut hash) = (block.group, block.heading as u64);
                for _ in 0..=depth {
                    let held = &page.groups[group as usize];
                    hash = hash.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ held.shape;
                    group = held.parent;
                }
                self.order.push(Place::new(hash, at));
            }
            self.order.sort_unstable();
            let (roles, role_of) = (&mut self.roles[depth], &mut self.role_of[depth]);
            roles.clear();
            role_of.clear();
            role_of.resize(page.blocks.len(), 0);
            for run in self.order.chunk_by(|one, two| one.hash() == two.hash()) {
                let mut facts = RoleFacts {
                    first: run[0].at() as u32,
                    last: run[run.len() - 1].at() as u32,
                    ..RoleFacts::default()
                };
                for place in run {
                    facts.blocks += 1;
                    facts.counts.add(&page.blocks[place.at()].counts);
                    facts.single += (self.copies[place.at()].count == 1) as u32;
                    role_of[place.at()] = roles.len() as u32;
                }
                roles.push(facts);
            }
        }
    }

    fn find_copies(&mut self, page: &PageBlocks) {
        self.order.clear();
        self.order.extend(page.blocks.iter().enumerate().map(|(at, block)| Place::new(block.hash, at)));
        self.order.sort_unstable();
        self.copies.clear();
        self.copies.resize(page.blocks.len(), Copies::default());
        for run in self.order.chunk_by(|one, two| one.hash() == two.hash()) {
            let at = |number: Option<usize>| number.and_then(|number| run.get(number)).map(|place| place.at() as u32);
            for (number, place) in run.iter().enumerate() {
                self.copies[place.at()] = Copies {
                    count: run.len().min(999) as u16,
                    earlier: number.min(999) as u16,
                    before: at(number.checked_sub(1)),
                    after: at(Some(number + 1)),
                };
            }
        }
    }

    /// The blocks that say the same as this one from here on, if it is the first of several and has some length.
    pub(crate) fn copies_from(&self, page: &PageBlocks, first: usize) -> impl Iterator<Item = usize> + use<'_> {
        let copies = &self.copies[first];
        let said_twice = copies.earlier == 0 && copies.count > 1 && page.blocks[first].counts.words >= LEAST_REPEATED;
        let start = said_twice.then_some(first as u32);
        std::iter::successors(start, |at| self.copies[*at as usize].after).map(|at| at as usize)
    }

    /// Takes the chance of blocks that a likelier one elsewhere says word for word; of equal ones the first stays. Returns each of them with
    /// the one that stays. Copies of the same role stay all: rows of tables and entries of a reference repeat each other for good
    /// reason. So do headings.
    pub(crate) fn silence_copies(&self, page: &PageBlocks, scores: &mut [f32]) -> Vec<(u32, u32)> {
        let role = &self.role_of[ROLE_DEPTHS - 1];
        let mut silenced = Vec::new();
        for first in 0..page.blocks.len() {
            let likelier = |best: usize, at: usize| if scores[at] > scores[best] { at } else { best };
            let Some(best) = self.copies_from(page, first).reduce(likelier) else { continue };
            for at in self.copies_from(page, first) {
                if role[at] != role[best] && page.blocks[at].heading == 0 {
                    scores[at] = 0.0;
                    silenced.push((at as u32, best as u32));
                }
            }
        }
        silenced
    }
}
