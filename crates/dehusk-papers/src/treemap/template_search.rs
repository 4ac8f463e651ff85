//! FindTemplate: what the pages of a site have in common, for several templates.
//!
//! Input: trees of pages, in the order in which to compare them. Output: templates, each with the number of pages
//! that fit. A template is the common tree of its pages plus a list of alternatives: content that is in the same slot
//! on only some of its pages, such as the menu of a section. Vieira et al. 2006, §5; several templates per site,
//! outliers, alternatives and stopping early are ours, and `paper_template` has none of them.

use super::treemap_settings::TreeMapSettings;
use crate::dom::hash::mix;
use crate::rules::Rules;
use dehusk::site::PageTree;
use dehusk::site::min_support;
use dehusk::site::{ChildLists, align_children};
use dehusk::site::{Filled, FilledText, SlotText, filled_slots};
use dehusk::site::{MAX_CELLS, common_tree};
use std::collections::HashMap;

/// The search ends after this many pages in a row that did not change the template.
const UNCHANGED_PAGES: u32 = 5;

/// One template of a site.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template {
    /// What all of its pages share.
    pub(crate) tree: PageTree,
    /// The number of pages that fit.
    pub(crate) support: u32,
    /// The number of pages that were mapped to find it.
    pub(crate) mapped: u32,
    /// What some of its pages share, as hashes of slot and content, sorted.
    pub(crate) alternatives: Vec<u64>,
    /// Slots that the template fills differently from page to page, sorted.
    pub(crate) slots: Vec<u64>,
    /// The number of visible nodes of the tree.
    visible: u32,
}

impl Template {
    /// Creates a template of a common tree. The contents of elements without visible nodes are left out: they would
    /// be most of the tree, since they surround the pages' own texts, and there is nothing in them to match. The
    /// elements themselves are kept next to visible ones, to distinguish one `<div>` from the next.
    fn new(common: PageTree, mapped: u32) -> Template {
        let tree = common.without_empty();
        let visible = tree.visible_len() as u32;
        Template { tree, support: 0, mapped, alternatives: Vec::new(), slots: Vec::new(), visible }
    }

    /// Restores a template read from a file.
    pub(crate) fn restored(
        tree: PageTree,
        support: u32,
        mapped: u32,
        alternatives: Vec<u64>,
        slots: Vec<u64>,
    ) -> Template {
        let visible = tree.visible_len() as u32;
        Template { tree, support, mapped, alternatives, slots, visible }
    }

    /// Whether a page with this many visible nodes of the template has enough of it: half.
    fn has_enough(&self, visible: u32) -> bool {
        visible > 0 && 2 * visible >= self.visible
    }

    /// Counts the pages that fit and learns what some of them share. Returns the other pages.
    fn assign_pages<'a>(&mut self, pages: &[&'a PageTree], settings: &TreeMapSettings) -> Vec<&'a PageTree> {
        let (fitting, others): (Vec<&PageTree>, Vec<&PageTree>) = pages.iter().partition(|page| self.fits(page));
        self.support = fitting.len() as u32;
        (self.alternatives, self.slots) = learn_variants(self, &fitting, settings);
        others
    }

    /// Whether a page fits.
    fn fits(&self, page: &PageTree) -> bool {
        self.has_enough(visible_matches(page, &match_template(&self.tree, page)))
    }

    /// Returns the nodes of a page that are template, or `None` if the page does not fit; in the paper, every page
    /// does. One pass from the root down.
    pub(crate) fn matched(&self, page: &PageTree, rules: Rules) -> Option<Matched> {
        let mut matched = match_template(&self.tree, page);
        if rules != Rules::Paper && !self.has_enough(visible_matches(page, &matched)) {
            return None;
        }
        let mut filled = Vec::new();
        for item in visible_items(page, &matched).iter().filter(|item| !item.text.in_template) {
            let is_alternative = self.alternatives.binary_search(&item.key).is_ok();
            let is_filled = item.text.filled(&self.slots);
            matched[item.at as usize] = is_alternative || is_filled == Filled::Yes;
            if is_filled != Filled::No {
                filled.push(FilledText { node: page.node(item.at), slot: item.text.slot });
            }
        }
        Some(Matched { nodes: matched, filled })
    }
}

/// The nodes of a page that are template.
pub(crate) struct Matched {
    /// Whether each node of its tree is template.
    pub(crate) nodes: Vec<bool>,
    /// Texts in slots that the template fills, in page order.
    pub(crate) filled: Vec<FilledText>,
}

/// Finds the templates of pages, sorted by the number of pages that fit.
pub(crate) fn find_templates(pages: &[&PageTree], settings: &TreeMapSettings) -> Vec<Template> {
    if settings.rules == Rules::Paper {
        return paper_template(pages, settings).into_iter().collect();
    }
    let min_pages = min_support(pages.len());
    let mut left = pages.to_vec();
    let mut templates = Vec::new();
    while left.len() >= min_pages {
        match find_template(&left, settings) {
            Some((template, others)) if template.support as usize >= min_pages => {
                templates.push(template);
                left = others;
            }
            // The first page is similar to too few others to find its template.
            _ => {
                left.remove(0);
            }
        }
    }
    templates.extend(shared_template(&templates, pages, settings));
    // Stable: ties remain in the order of pages, which follows from the seed.
    templates.sort_by_key(|template: &Template| std::cmp::Reverse(template.support));
    templates
}

/// FindTemplate as in the paper: what the first pages, up to the maximum, all have in common.
fn paper_template(pages: &[&PageTree], settings: &TreeMapSettings) -> Option<Template> {
    let (first, others) = pages.split_first().filter(|(_, others)| !others.is_empty())?;
    let others = &others[..others.len().min(settings.max_pages.max(2) as usize - 1)];
    let tree = others.iter().fold((*first).clone(), |tree, page| common_tree(&tree, page, MAX_CELLS));
    Some(Template::restored(tree, pages.len() as u32, others.len() as u32 + 1, Vec::new(), Vec::new()))
}

/// Finds the template of the templates: what those of the sections of a site share. It is for pages of sections
/// without a template of their own.
fn shared_template(templates: &[Template], pages: &[&PageTree], settings: &TreeMapSettings) -> Option<Template> {
    let (first, others) = templates.split_first()?;
    let mut shared = Template::new(first.tree.clone(), 1);
    for other in others {
        let common = Template::new(common_tree(&shared.tree, &other.tree, MAX_CELLS), shared.mapped + 1);
        if common.visible > 0 {
            shared = common;
        }
    }
    (shared.mapped > 1).then(|| {
        shared.assign_pages(pages, settings);
        shared
    })
}

/// Finds the template of the first page. Returns it with the pages that do not fit.
fn find_template<'a>(pages: &[&'a PageTree], settings: &TreeMapSettings) -> Option<(Template, Vec<&'a PageTree>)> {
    let (first, partner) = (pages[0], second_page(pages, settings)?);
    let mut template = Template::new(common_tree(first, pages[partner], MAX_CELLS), 2);
    let mut unchanged = 0;
    for (_, page) in pages.iter().enumerate().skip(1).filter(|(number, _)| *number != partner) {
        if template.mapped >= settings.max_pages || unchanged >= UNCHANGED_PAGES {
            break;
        }
        let common = Template::new(common_tree(&template.tree, page, MAX_CELLS), template.mapped + 1);
        // An outlier has less than half of the template.
        if !template.has_enough(common.visible) {
            continue;
        }
        unchanged = if common.visible == template.visible { unchanged + 1 } else { 0 };
        template = common;
    }
    // Pages that were outliers while the template was still too large may fit now, and pages that were not mapped are
    // classified.
    let others = template.assign_pages(pages, settings);
    // The first page is always removed, so that the search ends.
    let others = others.into_iter().filter(|page| !std::ptr::eq(*page, first)).collect();
    (template.visible > 0).then_some((template, others))
}

/// Chooses the page to map to the first. Candidates are the pages that have at least half as much in common with the
/// first as the most similar one. The median candidate is chosen: the most similar may be a copy, and the least
/// similar from another group.
fn second_page(pages: &[&PageTree], settings: &TreeMapSettings) -> Option<usize> {
    let mut candidates: Vec<(u32, usize)> = pages
        .iter()
        .enumerate()
        .skip(1)
        // Bounded, so that a site of dissimilar pages does not take quadratic time.
        .take(settings.max_pages as usize)
        .filter(|(_, page)| page.hash() != pages[0].hash())
        .map(|(number, page)| (visible_matches(page, &match_template(pages[0], page)), number))
        .collect();
    candidates.sort_unstable_by(|one, two| two.cmp(one));
    let max_visible = candidates.first().map_or(0, |(visible, _)| *visible);
    let group = candidates.iter().take_while(|(visible, _)| *visible > 0 && 2 * visible >= max_visible).count();
    (group > 0).then(|| candidates[group / 2].1)
}

/// A visible node of a page.
struct VisibleItem {
    at: u32,
    text: SlotText,
    /// A hash of its slot and content.
    key: u64,
}

/// Lists the visible nodes of a page; those in `matched` are in the common tree.
fn visible_items(page: &PageTree, matched: &[bool]) -> Vec<VisibleItem> {
    let slots = page.slots();
    let item = |at: u32| {
        let (slot, text) = (slots[at as usize], page.hash_of(at));
        let (linked, form) = (page.is_linked(at), page.form_of(at));
        let text = SlotText { slot, text, linked, form, in_template: matched[at as usize] };
        VisibleItem { at, key: mix(slot, text.text), text }
    };
    (0..page.len() as u32).filter(|at| page.is_visible(*at)).map(item).collect()
}

/// Learns what some of the pages share: content that is in the same slot on a share of the pages, and the slots that
/// the template fills.
fn learn_variants(template: &Template, pages: &[&PageTree], settings: &TreeMapSettings) -> (Vec<u64>, Vec<u64>) {
    let share = settings.alternatives;
    if share > 1.0 || settings.rules != Rules::All {
        return (Vec::new(), Vec::new());
    }
    let min_pages = ((share * pages.len() as f64).ceil() as usize).max(min_support(pages.len()));
    let mut count: HashMap<u64, usize> = HashMap::default();
    let mut texts = Vec::with_capacity(pages.len());
    for page in pages {
        let items = visible_items(page, &match_template(&template.tree, page));
        texts.push(items.iter().map(|item| item.text).collect());
        // Each item counts once per page.
        let mut open: Vec<u64> = items.iter().filter(|item| !item.text.in_template).map(|item| item.key).collect();
        open.sort_unstable();
        open.dedup();
        for key in open {
            *count.entry(key).or_default() += 1;
        }
    }
    let mut shared: Vec<u64> =
        count.into_iter().filter(|(_, pages)| *pages >= min_pages).map(|(item, _)| item).collect();
    shared.sort_unstable();
    (shared, filled_slots(texts))
}

/// Counts the visible nodes of a page that are matched.
fn visible_matches(page: &PageTree, matched: &[bool]) -> u32 {
    (0..page.len() as u32).filter(|at| matched[*at as usize] && page.is_visible(*at)).count() as u32
}

/// Matches a template to a page and returns which nodes of the page are in it. Linear except for sorting unequal
/// lists.
fn match_template(template: &PageTree, page: &PageTree) -> Vec<bool> {
    let mut matched = vec![false; page.len()];
    if template.is_empty() || page.is_empty() || template.label_of(0) != page.label_of(0) {
        return matched;
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut open = vec![(0u32, 0u32)];
    while let Some((at, there)) = open.pop() {
        if template.is_same(at, page, there) {
            let range = page.subtree(there);
            matched[range.start as usize..range.end as usize].fill(true);
            continue;
        }
        matched[there as usize] = true;
        template.list_children(at, &mut first);
        page.list_children(there, &mut second);
        let pairs = align_children(ChildLists { one: template, first: &first, two: page, second: &second });
        open.extend(pairs.into_iter().map(|(one, two)| (first[one], second[two])));
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use crate::dom::random::SplitMix64;

    fn tree(page: &str) -> PageTree {
        PageTree::of(&Parser::default().parse(page).unwrap())
    }

    fn pages(count: usize, page: impl Fn(usize) -> String) -> Vec<PageTree> {
        (0..count).map(|number| tree(&page(number))).collect()
    }

    fn find(pages: &[PageTree]) -> Vec<Template> {
        find_templates(&pages.iter().collect::<Vec<_>>(), &TreeMapSettings::default())
    }

    fn plain(number: usize) -> String {
        format!("<body><nav><a>Home</a><a>News</a></nav><h1>T{number}</h1><p>x{number}<footer>By us</footer>")
    }

    #[test]
    fn an_unchanged_template_stops_the_search() {
        let found = find(&pages(60, plain));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].support, found[0].mapped, found[0].visible), (60, 2 + UNCHANGED_PAGES, 3));
    }

    #[test]
    fn no_more_pages_than_allowed_are_mapped() {
        // Every page lacks a different item, so the template shrinks with each page.
        let page = |number: usize| {
            let items = (0..60).filter(|item| item != &number).map(|item| format!("<li id=i{item}>item {item}"));
            format!("<body><ul>{}</ul><p>x{number}", items.collect::<String>())
        };
        let found = find(&pages(40, page));
        assert_eq!((found.len(), found[0].mapped, found[0].support), (1, 24, 40));
        assert_eq!(found[0].visible, 60 - 24);
        // An item that some pages lack is an alternative.
        assert!(found[0].alternatives.len() >= 24);
    }

    #[test]
    fn outliers_do_not_spoil_a_template() {
        let page = |number: usize| match number % 4 {
            3 => format!("<body><div class=maintenance><b>Back soon</b><i>Sorry</i><p>{number}</div>"),
            _ => plain(number),
        };
        let found = find(&pages(24, page));
        assert_eq!(
            found.iter().map(|template| (template.support, template.visible)).collect::<Vec<_>>(),
            [(18, 3), (6, 2)]
        );
    }

    /// The tree of a random small page: nested elements of three names, with one of three texts each.
    fn random_tree(random: &mut SplitMix64) -> PageTree {
        let mut page = String::from("<body>");
        let mut open: Vec<&str> = Vec::new();
        for _ in 0..random.below(10) {
            for _ in 0..random.below(open.len() + 1) {
                page += &format!("</{}>", open.pop().unwrap_or_default());
            }
            let name = ["div", "section", "ul"][random.below(3)];
            page += &format!("<{name}>{}", ["one", "two", "three"][random.below(3)]);
            open.push(name);
        }
        tree(&page)
    }

    fn children(tree: &PageTree, at: u32) -> Vec<u32> {
        let mut list = Vec::new();
        tree.list_children(at, &mut list);
        list
    }

    /// Whether a tree can be obtained from another by removing subtrees: compared from the leaves up, by definition.
    fn is_contained(part: &PageTree, whole: &PageTree) -> bool {
        let mut fits = vec![vec![false; whole.len()]; part.len()];
        for at in (0..part.len() as u32).rev() {
            for there in (0..whole.len() as u32).rev() {
                let mut wanted = children(part, at).into_iter().peekable();
                for child in children(whole, there) {
                    // Taking the first child that fits leaves the most for the rest.
                    let is_next = wanted.peek().is_some_and(|want| fits[*want as usize][child as usize]);
                    wanted.next_if(|_| is_next);
                }
                let are_alike = part.label_of(at) == whole.label_of(there);
                fits[at as usize][there as usize] = are_alike && wanted.peek().is_none();
            }
        }
        part.is_empty() || fits[0][0]
    }

    #[test]
    fn what_is_matched_is_in_the_page() {
        let mut random = SplitMix64::new(9);
        let mut proper = 0;
        for _ in 0..1_000 {
            let (template, page) = (random_tree(&mut random), random_tree(&mut random));
            let matched = match_template(&template, &page);
            if matched[0] {
                let part = page.pruned(&matched);
                assert!(is_contained(&part, &page) && is_contained(&part, &template));
                proper += usize::from(part.len() > 1 && part.len() < page.len());
            }
            assert!(match_template(&page, &page).iter().all(|matched| *matched));
        }
        assert!(proper > 100, "{proper} pages share something with another, but not all");
    }

    #[test]
    fn copies_are_no_template() {
        let page = |number: usize| format!("<body><p>{0}</p><div>{0} more</div>", number / 2);
        assert!(find(&pages(10, page)).is_empty());
    }
}
