//! Roles of blocks: the blocks of a page that are the same part of similar cards, posts or rows.

use super::hash_order::{HashedIndex, equal_hashes};
use crate::read::text_blocks::PageBlocks;
use crate::read::text_counts::TextCounts;

/// A role is the chain of shapes of the groups around a block. Roles are computed for chains of 1 to this many groups.
pub(crate) const ROLE_DEPTHS: usize = 3;

/// What the blocks of one role add up to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoleFacts {
    pub(crate) blocks: u32,
    pub(crate) counts: TextCounts,
    /// Blocks whose text appears once on the page.
    pub(crate) unique: u32,
    /// The first and last block of the role.
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The roles of all blocks, by depth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roles {
    pub(crate) facts: [Vec<RoleFacts>; ROLE_DEPTHS],
    /// For each block the number of its role.
    pub(crate) of_block: [Vec<u32>; ROLE_DEPTHS],
    order: Vec<HashedIndex>,
}

impl Roles {
    /// Finds the roles on a page. `is_unique` returns whether the text of a block appears once.
    pub(crate) fn find(&mut self, page: &PageBlocks, is_unique: impl Fn(usize) -> bool) {
        for depth in 0..ROLE_DEPTHS {
            let (roles, of_block) = (&mut self.facts[depth], &mut self.of_block[depth]);
            roles.clear();
            of_block.clear();
            of_block.resize(page.blocks.len(), 0);
            let hashes = page.blocks.iter().map(|block| {
                let (mut group, mut hash) = (block.group, block.heading as u64);
                for _ in 0..=depth {
                    let current = &page.groups[group as usize];
                    hash = hash.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ current.shape;
                    group = current.parent;
                }
                hash
            });
            for run in equal_hashes(&mut self.order, hashes) {
                let mut facts = RoleFacts {
                    first: run[0].index() as u32,
                    last: run[run.len() - 1].index() as u32,
                    ..RoleFacts::default()
                };
                for at in run {
                    facts.blocks += 1;
                    facts.counts.add(&page.blocks[at.index()].counts);
                    facts.unique += is_unique(at.index()) as u32;
                    of_block[at.index()] = roles.len() as u32;
                }
                roles.push(facts);
            }
        }
    }
}
