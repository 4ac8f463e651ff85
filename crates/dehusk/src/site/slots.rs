//! Slots that a template fills differently from page to page: "Popular in Poems" with its list, a line with the date.
//!
//! Input: the texts of pages, marked if all pages share them. Output: the slots that the template fills. A slot is
//! the path of elements from the root of the page to a text. TreeMap and Align cannot find such texts by comparing
//! pages, since no two sections of a site have the same ones. Does not depend on trees, tokens or decisions.

use crate::dom::elements::is_media_or_control;
use crate::dom::hash::mix;
use crate::dom::{Document, Name, NodeId, Stats};
use std::collections::HashMap;

/// A slot counts if at least this share of the pages has it.
const MIN_SLOT_PAGES: f64 = 0.8;
/// At least this many links per page are a list.
const MIN_LIST_LINKS: usize = 4;
/// Two lists with at least this many links are the same if all of their links but one are: the link to the page
/// itself may be missing.
const MIN_LONG_LIST: usize = 8;
/// The share of the lists in a slot that must be repeated on other pages. Lists of a page's own content differ.
const MIN_REPEATED_LISTS: f64 = 0.5;
/// In a slot that is filled from a closed set of texts, at most this many pages may have a text that no other page
/// has there, and at least this many pages are needed to decide. For a closed set that number falls as more pages are
/// seen; otherwise it rises.
const MAX_UNIQUE_PAGES: usize = 4;
const MIN_CLOSED_SET_PAGES: usize = 8;
/// Maximum length of a label, a name or a date in characters, and of a date in words. Chosen by hand.
const MAX_SHORT_CHARACTERS: usize = 60;
const MAX_DATE_WORDS: usize = 10;
/// Separates slots of dates from slots of any short text.
const DATED: u64 = 0xda7e_0f0a_1ace_0001;
/// The same for slots of lists of links.
const LISTED: u64 = 0x1157_0f0a_1ace_0002;

/// The form of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum TextForm {
    /// Longer than a label, or not a text.
    #[default]
    Long,
    /// At most as long as a label.
    Short,
    /// Short, with one year and the numbers of a day.
    Date,
    /// Short, in a `<time>` element.
    Time,
}

/// Whether the template put a text into its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filled {
    /// Unknown.
    No,
    /// Only if everything around it is template: it may also be a value that many pages share, such as a genre.
    Perhaps,
    /// Decided by the slot alone.
    Yes,
}

impl TextForm {
    /// Determines the form of a text. A date has a year of four digits from 1900 to 2099, one to five numbers of one
    /// or two digits (day, month, time) and no other number, in any language.
    pub fn of(document: &Document, id: NodeId) -> TextForm {
        let text = document.text(id).trim();
        if text.len() > MAX_SHORT_CHARACTERS && text.chars().nth(MAX_SHORT_CHARACTERS).is_some() {
            return TextForm::Long;
        }
        if document.parent(id).is_some_and(|parent| document.html_name(parent) == Name::TIME) {
            return TextForm::Time;
        }
        let (mut years, mut small) = (0, 0);
        for number in text.split(|character: char| !character.is_ascii_digit()).filter(|number| !number.is_empty()) {
            match (number.len(), &number[..number.len().min(2)]) {
                (1 | 2, _) => small += 1,
                (4, "19" | "20") => years += 1,
                _ => return TextForm::Short,
            }
        }
        let dated = years == 1 && (1..=5).contains(&small) && text.split_whitespace().count() <= MAX_DATE_WORDS;
        if dated { TextForm::Date } else { TextForm::Short }
    }
}

/// A text of a page and its slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SlotText {
    /// The slot: a hash of the path of elements above the text.
    pub slot: u64,
    /// The text: a hash of its words.
    pub text: u64,
    /// Whether it is the text of a link.
    pub linked: bool,
    /// Its form.
    pub form: TextForm,
    /// Whether the template contains the text itself.
    pub in_template: bool,
}

impl SlotText {
    /// Whether the text is in one of the given slots that the template fills.
    pub fn filled(&self, slots: &[u64]) -> Filled {
        let holds = |slot: u64| slots.binary_search(&slot).is_ok();
        let dated = || holds(mix(self.slot, DATED));
        match self.form {
            _ if self.linked && holds(mix(self.slot, LISTED)) => Filled::Yes,
            TextForm::Time if dated() => Filled::Yes,
            TextForm::Date if dated() => Filled::Perhaps,
            TextForm::Long => Filled::No,
            _ if holds(self.slot) => Filled::Perhaps,
            _ => Filled::No,
        }
    }
}

/// A text of a page that the template may have put into a slot.
#[derive(Clone, Copy, Debug)]
pub struct FilledText {
    /// The text.
    pub node: NodeId,
    /// Its slot.
    pub slot: u64,
}

/// Marks texts in slots that the template fills as matched, if they are in a block with at least two such slots and
/// nothing of the page's own: a line with date and author, a heading with its list. A single one may be a value with
/// its label.
pub fn match_filled_blocks(document: &Document, stats: &Stats, filled: &[FilledText], is_matched: &mut [bool]) {
    if filled.is_empty() {
        return;
    }
    // For each subtree, whether it has visible content of the page's own, and the minimum and the maximum of its
    // slots.
    let mut sums = vec![(false, u64::MAX, 0u64); document.len()];
    for text in filled {
        sums[text.node.index()] = (false, text.slot, text.slot);
    }
    for id in document.ids().rev() {
        let at = id.index();
        let counts = stats.range(id, NodeId(id.0 + 1));
        let shows = counts.characters > 0
            || (counts.pictures > 0 && is_media_or_control(document.html_name(id), document.name(id)));
        sums[at].0 |= shows && !is_matched[at] && sums[at].1 == u64::MAX;
        if let Some(parent) = document.parent(id) {
            let (own, min_slot, max_slot) = sums[at];
            let sum = &mut sums[parent.index()];
            *sum = (sum.0 | own, sum.1.min(min_slot), sum.2.max(max_slot));
        }
    }
    let mut until = NodeId(0);
    let mut texts = filled.iter().peekable();
    for id in document.ids() {
        let (own, min_slot, max_slot) = sums[id.index()];
        if !own && min_slot < max_slot {
            until = until.max(document.end(id));
        }
        if texts.next_if(|text| text.node == id).is_some() && id < until {
            is_matched[id.index()] = true;
        }
    }
}

/// Counts for one slot.
#[derive(Clone, Copy, Default)]
struct SlotCounts {
    /// Pages with a text in the slot.
    pages: usize,
    /// Pages with a text in the slot that is not in the template, and the number of these texts. The fields below
    /// count only such texts.
    varying: usize,
    texts: usize,
    /// Pages whose texts are on other pages as well.
    repeated: usize,
    linked: bool,
    /// Pages on which all texts are short.
    short: usize,
    /// Pages on which all texts are dates.
    dated: usize,
}

impl SlotCounts {
    fn count(&mut self, list: &[SlotText], is_repeated: bool) {
        self.pages += 1;
        let varying = || list.iter().filter(|shown| !shown.in_template);
        let texts = varying().count();
        if texts == 0 {
            return;
        }
        self.varying += 1;
        self.texts += texts;
        self.repeated += is_repeated as usize;
        self.linked = list[0].linked;
        self.short += varying().all(|shown| shown.form != TextForm::Long) as usize;
        self.dated += varying().all(|shown| matches!(shown.form, TextForm::Date | TextForm::Time)) as usize;
    }

    /// Whether the slot has lists of links that pages share with others.
    fn is_list(&self, pages: usize) -> bool {
        self.linked
            && self.texts >= MIN_LIST_LINKS * self.varying
            && reaches(MIN_SLOT_PAGES, self.varying, pages)
            && reaches(MIN_REPEATED_LISTS, self.repeated, self.varying)
    }

    /// Whether the slot is filled with one or two short texts from a closed set.
    fn is_closed_set(&self, pages: usize) -> bool {
        reaches(MIN_SLOT_PAGES, self.pages, pages)
            && self.varying - self.repeated <= MAX_UNIQUE_PAGES
            && self.texts < MIN_LIST_LINKS * self.varying
            && self.short == self.varying
            && pages >= MIN_CLOSED_SET_PAGES
    }

    /// Whether the slot has one date per page, on most pages.
    fn is_dated(&self, pages: usize) -> bool {
        reaches(MIN_SLOT_PAGES, self.dated, pages) && self.texts < 2 * self.varying
    }
}

fn reaches(share: f64, part: usize, whole: usize) -> bool {
    part as f64 >= share * whole as f64
}

/// Returns keys of the texts of a list that are not in the template; two lists that share a key are the same. The
/// hashes of the texts are added up, so the key of the list without one of them takes one subtraction.
fn list_keys(list: &[SlotText]) -> Vec<u64> {
    let slot = list[0].slot;
    let texts: Vec<u64> = list.iter().filter(|shown| !shown.in_template).map(|shown| mix(shown.text, LISTED)).collect();
    let sum = texts.iter().fold(0u64, |sum, text| sum.wrapping_add(*text));
    let shorter: &[u64] = if texts.len() >= MIN_LONG_LIST { &texts } else { &[] };
    let keys = shorter.iter().map(|text| sum.wrapping_sub(*text)).chain((!texts.is_empty()).then_some(sum));
    keys.map(|key| mix(slot, key)).collect()
}

/// Returns the slots that the template fills, sorted. Each page is a list of its texts, in any order.
pub fn filled_slots(mut pages: Vec<Vec<SlotText>>) -> Vec<u64> {
    for page in &mut pages {
        page.sort_unstable();
        page.dedup();
    }
    let lists = || pages.iter().flat_map(|page| page.chunk_by(|one, two| one.slot == two.slot));
    let mut lists_with: HashMap<u64, u32> = HashMap::default();
    for key in lists().flat_map(list_keys) {
        *lists_with.entry(key).or_default() += 1;
    }
    let mut slots: HashMap<u64, SlotCounts> = HashMap::default();
    for list in lists() {
        let is_repeated = list_keys(list).iter().any(|key| lists_with[key] > 1);
        slots.entry(list[0].slot).or_default().count(list, is_repeated);
    }
    let mut filled = Vec::new();
    #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
    for (key, slot) in slots {
        let fills = [(slot.is_closed_set(pages.len()), key), (slot.is_dated(pages.len()), mix(key, DATED))];
        let list = (slot.is_list(pages.len()), mix(key, LISTED));
        filled.extend(fills.into_iter().chain([list]).filter(|(is, _)| *is).map(|(_, key)| key));
    }
    filled.sort_unstable();
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn form(html: &str) -> TextForm {
        let document = Parser::default().parse(html).unwrap();
        let text = document.ids().find(|id| document.is_text(*id)).unwrap();
        TextForm::of(&document, text)
    }

    #[test]
    fn dates_are_separated_from_other_numbers() {
        for date in
            ["Published: Thu 22 August 2013", "2013-08-22 10:19", "22.08.2013", "2013年8月22日", "Aug 22, 2013 by"]
        {
            assert_eq!(form(&format!("<p>{date}</p>")), TextForm::Date, "{date}");
        }
        for other in
            ["$ 12.99", "ISBN 9780140449136", "(555) 123-4567", "August 2013", "Chapter 12", "1 of 2013 or 2014"]
        {
            assert_eq!(form(&format!("<p>{other}</p>")), TextForm::Short, "{other}");
        }
        assert_eq!(form("<time>three days ago</time>"), TextForm::Time);
        assert_eq!(form(&format!("<p>{} 22 August 2013</p>", "word ".repeat(20))), TextForm::Long);
    }

    fn link(slot: u64, text: u64) -> SlotText {
        SlotText { slot, text, linked: true, form: TextForm::Short, in_template: false }
    }

    fn name(slot: u64, text: u64) -> SlotText {
        SlotText { linked: false, ..link(slot, text) }
    }

    #[test]
    fn lists_that_pages_share_fill_a_place() {
        let page = |group: u64, missing: u64| -> Vec<SlotText> {
            (0..10).filter(|item| *item != missing).map(|item| link(7, 100 * group + item)).collect()
        };
        // Three groups; each page lacks the link to itself.
        let slots = filled_slots((0..12).map(|number| page(number % 3, number / 3)).collect());
        assert_eq!(link(7, 999).filled(&slots), Filled::Yes);
        assert_eq!(link(8, 999).filled(&slots), Filled::No);
        assert_eq!(name(7, 999).filled(&slots), Filled::No);
        // Every page has a different list.
        assert_eq!(filled_slots((0..12).map(|number| page(number, 99)).collect()), [0u64; 0]);
    }

    #[test]
    fn a_few_texts_again_and_again_fill_a_place_perhaps() {
        let pages = |texts: u64| (0..16).map(|number| vec![name(3, number % texts)]).collect();
        assert_eq!(name(3, 99).filled(&filled_slots(pages(5))), Filled::Perhaps);
        assert_eq!(filled_slots(pages(14)), [0u64; 0]);
        // Too few pages to decide.
        assert_eq!(filled_slots((0..4).map(|number| vec![name(3, number % 2)]).collect()), [0u64; 0]);
        let long = SlotText { form: TextForm::Long, ..name(3, 99) };
        assert_eq!(long.filled(&filled_slots(pages(5))), Filled::No);
    }

    #[test]
    fn possibly_filled_texts_match_if_nothing_else_is_beside_them() {
        let html = "<div><i>a</i> <b>b</b></div><div><i>c</i> <b>d</b> own</div><div><i>e</i></div>";
        let document = Parser::default().parse(html).unwrap();
        let stats = Stats::of(&document);
        let slot = |id: NodeId| document.name(document.parent(id).unwrap()).number() as u64;
        let texts = document.ids().filter(|id| document.is_text(*id) && document.text(*id).trim().len() == 1);
        let filled: Vec<FilledText> = texts.map(|node| FilledText { node, slot: slot(node) }).collect();
        let mut is_matched = vec![false; document.len()];
        match_filled_blocks(&document, &stats, &filled, &mut is_matched);
        let matched: Vec<&str> =
            document.ids().filter(|id| is_matched[id.index()]).map(|id| document.text(id)).collect();
        assert_eq!(matched, ["a", "b"]);
    }
}
