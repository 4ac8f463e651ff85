//! Finds the regions of a page: elements whose children are similar, so that each child is a record.
//!
//! Input: a document, and which of its nodes have text. Output: for each element its sets of similar children. Children are similar if they
//! have the same tag and a class in common, or no class but one that numbers them; what is in them is compared later (`columns.rs`). Linear in
//! the page.

use crate::dom::elements::{classes, heading_level};
use crate::dom::{Document, Name, NodeId};
use std::collections::HashMap;

/// Minimum number of similar siblings for them to be records.
pub(crate) const MIN_RECORDS: usize = 3;

/// Similar children of one element, in page order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Siblings<'d> {
    pub(crate) parent: NodeId,
    pub(crate) records: Vec<NodeId>,
    /// The class they have in common; empty if they have none.
    pub(crate) class: &'d str,
}

/// Buffers for [`SiblingFinder::find`].
#[derive(Clone, Debug, Default)]
pub(crate) struct SiblingFinder {
    children: Vec<(Name, NodeId)>,
}

impl SiblingFinder {
    /// The sets of similar children of an element. `has_text` says which children count.
    pub(crate) fn find<'d>(
        &mut self,
        document: &'d Document,
        parent: NodeId,
        has_text: impl Fn(NodeId) -> bool,
    ) -> Vec<Siblings<'d>> {
        self.children.clear();
        let found = document.children(parent).filter(|child| document.is_element(*child) && has_text(*child));
        self.children
            .extend(found.map(|child| (document.html_name(child), child)).filter(|(name, _)| can_be_record(*name)));
        if self.children.len() < MIN_RECORDS {
            return Vec::new();
        }
        self.children.sort_unstable();
        let mut all = Vec::new();
        for same_tag in self.children.chunk_by(|one, two| one.0 == two.0).filter(|run| run.len() >= MIN_RECORDS) {
            let class = |id: NodeId| document.attribute(id, Name::CLASS).unwrap_or_default();
            // Most siblings have the same classes, and need no counting.
            if same_tag.iter().all(|(_, child)| class(*child) == class(same_tag[0].1)) {
                let records = same_tag.iter().map(|(_, child)| *child).collect();
                all.push(Siblings {
                    parent,
                    records,
                    class: classes(document, same_tag[0].1).next().unwrap_or_default(),
                });
                continue;
            }
            let mut common: HashMap<&str, u32> = HashMap::new();
            for (_, child) in same_tag {
                classes(document, *child).for_each(|class| *common.entry(class).or_default() += 1);
            }
            let mut by_class: HashMap<&str, Vec<NodeId>> = HashMap::new();
            for (_, child) in same_tag {
                let most = classes(document, *child).max_by_key(|class| (common[class], std::cmp::Reverse(*class)));
                // A class that no sibling has numbers a post or the like, or names a section of the page.
                let numbers_it = |class: &&str| common[class] == 1 && class.bytes().any(|byte| byte.is_ascii_digit());
                let class = most.filter(|class| !numbers_it(class)).unwrap_or_default();
                by_class.entry(class).or_default().push(*child);
            }
            #[allow(clippy::iter_over_hash_type, reason = "the sets are sorted below")]
            for (class, records) in by_class.into_iter().filter(|(_, records)| records.len() >= MIN_RECORDS) {
                all.push(Siblings { parent, records, class });
            }
        }
        all.sort_unstable_by_key(|siblings| siblings.records[0]);
        all
    }
}

/// Whether elements of a name can be records. Paragraphs and headings are text, cells are fields. Several bodies of one table are records of
/// several rows.
pub(crate) fn can_be_record(name: Name) -> bool {
    !matches!(name, Name::P | Name::TD | Name::TH | Name::DT | Name::DD | Name::BR | Name::THEAD | Name::TFOOT)
        && heading_level(name).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn sets(page: &str) -> Vec<usize> {
        let document = Parser::default().parse(page).unwrap();
        let has_text = |id: NodeId| document.descendants(id).any(|inner| document.is_text(inner));
        let body = document.find(Name::BODY).unwrap();
        SiblingFinder::default().find(&document, body, has_text).iter().map(|set| set.records.len()).collect()
    }

    #[test]
    fn siblings_with_a_class_in_common_are_similar() {
        assert_eq!(sets("<div class='card one'>a</div><div class='new card'>b</div><hr><div class=card>c</div>"), [3]);
        assert_eq!(
            sets(
                "<div class='post p1'>a</div><div class='post p2'>b</div><div class='post p3'>c</div><div class=ad>d</div>"
            ),
            [3]
        );
        assert_eq!(sets("<div>a</div><div>b</div><div>c</div>"), [3]);
        assert_eq!(sets("<div class=a1>a</div><div class=a2>b</div><div class=a3>c</div>"), [3]);
    }

    #[test]
    fn others_are_not() {
        assert!(sets("<p>a</p><p>b</p><p>c</p>").is_empty());
        assert!(sets("<div>a</div><div></div><div>c</div>").is_empty());
        assert!(sets("<div>a</div><section>b</section><article>c</article>").is_empty());
        assert!(sets("<div class=hero>a</div><div class=text>b</div><div class=call>c</div>").is_empty());
        assert_eq!(
            sets(
                "<div class=a>1</div><div class=b>2</div><div class=a>3</div><div class=b>4</div><div class=a>5</div><div class=b>6</div>"
            ),
            [3, 3]
        );
    }
}
