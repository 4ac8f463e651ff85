//! Settings of TreeMap.

use crate::rules::Rules;

/// Settings of TreeMap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeMapSettings {
    /// Maximum number of pages in the sample.
    pub sample: usize,
    /// Maximum number of pages to map for one template.
    pub max_pages: u32,
    /// The share of a template's pages that must have the same content in the same slot for it to be template, even
    /// though not all pages have it. More than 1 turns this off.
    pub alternatives: f64,
    /// Which of our rules apply.
    pub rules: Rules,
}

impl Default for TreeMapSettings {
    fn default() -> TreeMapSettings {
        TreeMapSettings { sample: 100, max_pages: 24, alternatives: 0.1, rules: Rules::All }
    }
}

impl TreeMapSettings {
    /// 24 pages and none of our rules.
    pub fn as_in_paper() -> TreeMapSettings {
        TreeMapSettings { rules: Rules::Paper, ..TreeMapSettings::default() }
    }
}

/// The name of the method with these rules.
pub(crate) fn name(rules: Rules) -> &'static str {
    if rules == Rules::Paper { "treemap-paper" } else { "treemap" }
}
