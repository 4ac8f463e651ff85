//! FindTemplate: what the pages of a site have in common, several times over.
//!
//! Takes trees of pages in the order in which they are to be looked at and returns templates, each with the pages that fit. A
//! template is the common tree of its pages, and besides a list of alternatives: what stands at one kind of place
//! on some of its pages only, such as the menu of a part of the site. Vieira et al. 2006, §5; several templates and
//! alternatives are ours.

use super::TreeMap;
use super::align::{Lists, align};
use super::mapping::{CELLS, common_tree};
use super::tree::PageTree;
use rustc_hash::FxHashMap;

/// From so many pages on, a template needs three pages: two may be copies of each other.
const SMALL_SITE: usize = 8;
/// The template is done when so many pages have not changed it.
const STEADY_PAGES: u32 = 5;

/// One template of a site.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template {
    /// What all of its pages share.
    pub(super) tree: PageTree,
    /// Pages that fit.
    pub(super) support: u32,
    /// Pages that were mapped to find it.
    pub(super) mapped: u32,
    /// Places of what some of its pages share, sorted.
    pub(super) alternatives: Vec<u64>,
    /// What a reader sees of the tree.
    seen: u32,
}

impl Template {
    fn new(tree: PageTree, mapped: u32) -> Template {
        let seen = tree.seen_len() as u32;
        Template { tree, support: 0, mapped, alternatives: Vec::new(), seen }
    }

    /// Whether a page with so much of the template has enough of it: half.
    fn has_enough(&self, seen: u32) -> bool {
        seen > 0 && 2 * seen >= self.seen
    }

    /// Whether a page fits.
    pub(super) fn fits(&self, page: &PageTree) -> bool {
        self.has_enough(seen_of(page, &find_again(&self.tree, page)))
    }

    /// Which nodes of a page are template, or none if the page does not fit. One pass from the root down.
    pub(super) fn matched(&self, page: &PageTree) -> Option<Vec<bool>> {
        let mut matched = find_again(&self.tree, page);
        if !self.has_enough(seen_of(page, &matched)) {
            return None;
        }
        for (at, place) in page.places().into_iter().enumerate() {
            if page.is_seen(at as u32) && self.alternatives.binary_search(&place).is_ok() {
                matched[at] = true;
            }
        }
        Some(matched)
    }
}

/// How many pages make a template.
fn least_support(pages: usize) -> usize {
    if pages < SMALL_SITE { 2 } else { 3 }
}

/// Finds the templates of pages, the one most pages fit first.
pub(super) fn find_templates(pages: &[&PageTree], settings: &TreeMap) -> Vec<Template> {
    let least = least_support(pages.len());
    let mut left = pages.to_vec();
    let mut templates = Vec::new();
    while left.len() >= least {
        match find_template(&left, settings) {
            Some((template, others)) if template.support as usize >= least => {
                templates.push(template);
                left = others;
            }
            // The first page is like too few others to tell what of it is template.
            _ => {
                left.remove(0);
            }
        }
    }
    // Stable, and the order of pages is that of the seed.
    templates.sort_by_key(|template: &Template| std::cmp::Reverse(template.support));
    templates
}

/// Finds the template of the first page. Gives the pages back that do not fit.
fn find_template<'a>(pages: &[&'a PageTree], settings: &TreeMap) -> Option<(Template, Vec<&'a PageTree>)> {
    let (first, partner) = (pages[0], partner_of(pages, settings)?);
    let mut template = Template::new(common_tree(first, pages[partner], CELLS), 2);
    let mut steady = 0;
    for (_, page) in pages.iter().enumerate().skip(1).filter(|(number, _)| *number != partner) {
        if template.mapped >= settings.max_pages || steady >= STEADY_PAGES {
            break;
        }
        let common = Template::new(common_tree(&template.tree, page, CELLS), template.mapped + 1);
        // An outlier has less than half of the template.
        if !template.has_enough(common.seen) {
            continue;
        }
        steady = if common.seen == template.seen { steady + 1 } else { 0 };
        template = common;
    }
    // Pages that were outliers while the template was still too large may fit now, and those that were not mapped are judged.
    let (fitting, others): (Vec<&PageTree>, Vec<&PageTree>) = pages.iter().partition(|page| template.fits(page));
    template.support = fitting.len() as u32;
    template.alternatives = alternatives(&template, &fitting, settings.alternatives);
    // The first page always goes, so that the search ends.
    let others = others.into_iter().filter(|page| !std::ptr::eq(*page, first)).collect();
    (template.seen > 0).then_some((template, others))
}

/// The page to start with. Of the pages that have at least half as much in common with the first as the one that has most, it is the
/// middle one: the first may be a copy, and the last of another kind.
fn partner_of(pages: &[&PageTree], settings: &TreeMap) -> Option<usize> {
    let mut alike: Vec<(u32, usize)> = pages
        .iter()
        .enumerate()
        .skip(1)
        // A site where no page is like another must not cost the square of its pages.
        .take(settings.max_pages as usize)
        .filter(|(_, page)| page.class() != pages[0].class())
        .map(|(number, page)| (seen_of(page, &find_again(pages[0], page)), number))
        .collect();
    alike.sort_unstable_by(|one, two| two.cmp(one));
    let most = alike.first().map_or(0, |(seen, _)| *seen);
    let group = alike.iter().take_while(|(seen, _)| *seen > 0 && 2 * seen >= most).count();
    (group > 0).then(|| alike[group / 2].1)
}

/// Places of what stands on some of the pages that fit, if there are at least a share and as many as make a template.
fn alternatives(template: &Template, pages: &[&PageTree], share: f64) -> Vec<u64> {
    let least = ((share * pages.len() as f64).ceil() as usize).max(least_support(pages.len()));
    let mut count: FxHashMap<u64, usize> = FxHashMap::default();
    for page in pages {
        let matched = find_again(&template.tree, page);
        let places = page.places().into_iter().enumerate();
        let open = places.filter(|(at, _)| page.is_seen(*at as u32) && !matched[*at]);
        let mut places: Vec<u64> = open.map(|(_, place)| place).collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            *count.entry(place).or_default() += 1;
        }
    }
    let mut places: Vec<u64> = count.into_iter().filter(|(_, pages)| *pages >= least).map(|(place, _)| place).collect();
    places.sort_unstable();
    places
}

/// Texts and pictures of a page that are matched.
fn seen_of(page: &PageTree, matched: &[bool]) -> u32 {
    (0..page.len() as u32).filter(|at| matched[*at as usize] && page.is_seen(*at)).count() as u32
}

/// Finds a template again in a page: which nodes of the page are in it. Linear but for the sorting of unequal lists.
fn find_again(template: &PageTree, page: &PageTree) -> Vec<bool> {
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
        let pairs = align(Lists { one: template, first: &first, two: page, second: &second });
        open.extend(pairs.into_iter().map(|(one, two)| (first[one], second[two])));
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{is_contained, random_tree};
    use super::*;
    use crate::dom::Parser;

    fn tree(page: &str) -> PageTree {
        PageTree::of(&Parser::default().parse(page).unwrap())
    }

    fn pages(count: usize, page: impl Fn(usize) -> String) -> Vec<PageTree> {
        (0..count).map(|number| tree(&page(number))).collect()
    }

    fn find(pages: &[PageTree]) -> Vec<Template> {
        find_templates(&pages.iter().collect::<Vec<_>>(), &TreeMap::default())
    }

    fn plain(number: usize) -> String {
        format!("<body><nav><a>Home</a><a>News</a></nav><h1>T{number}</h1><p>x{number}<footer>By us</footer>")
    }

    #[test]
    fn a_steady_template_stops_the_search() {
        let found = find(&pages(60, plain));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].support, found[0].mapped, found[0].seen), (60, 2 + STEADY_PAGES, 3));
    }

    #[test]
    fn no_more_pages_than_allowed_are_mapped() {
        // Every page lacks an item of its own, so that the template shrinks all the time.
        let page = |number: usize| {
            let items = (0..60).filter(|item| item != &number).map(|item| format!("<li id=i{item}>item {item}"));
            format!("<body><ul>{}</ul><p>x{number}", items.collect::<String>())
        };
        let found = find(&pages(40, page));
        assert_eq!((found.len(), found[0].mapped, found[0].support), (1, 24, 40));
        assert_eq!(found[0].seen, 60 - 24);
        // What is left out by some of the pages is an alternative.
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
            found.iter().map(|template| (template.support, template.seen)).collect::<Vec<_>>(),
            [(18, 3), (6, 2)]
        );
    }

    #[test]
    fn what_is_found_again_is_in_the_page() {
        let mut seed = 9;
        for _ in 0..3_000 {
            let (template, page) = (random_tree(&mut seed, 10, 3), random_tree(&mut seed, 10, 3));
            let matched = find_again(&template, &page);
            if matched[0] {
                let part = page.pruned(&matched);
                assert!(is_contained(&part, &page) && is_contained(&part, &template));
            }
            assert!(find_again(&page, &page).iter().all(|matched| *matched));
        }
    }

    #[test]
    fn copies_are_no_template() {
        let page = |number: usize| format!("<body><p>{0}</p><div>{0} more</div>", number / 2);
        assert!(find(&pages(10, page)).is_empty());
    }
}
