//! The columns of fusion's models by name, in their order, and the schemas made of them.

use super::{FusionPage, Odds, cuts, second};
use crate::dom::Parser;
use crate::model::Schema;
use std::sync::LazyLock;

/// The version of the features. Raised when one is computed differently.
const VERSION: u32 = 3;

/// The names of the numbers in the rows of the three sets of trees. Within a list each name is there once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnNames {
    /// What a block and its surroundings look like.
    pub first: Vec<String>,
    /// The first scores around a block.
    pub second: Vec<String>,
    /// What a cut would keep. The page type is told by the same columns.
    pub cut: Vec<String>,
}

static NAMES: LazyLock<ColumnNames> = LazyLock::new(|| {
    // The describing code names each number it gives, so a page of one block gives all names.
    let document = Parser::default().parse("<p>one</p>").unwrap_or_default();
    let mut page = FusionPage::default();
    page.prepare(&document, &Odds::default());
    let mut first = Vec::new();
    page.describer.describe(&page.page, &page.facts, 0, &mut first);
    ColumnNames { first, second: second::second_names(), cut: cuts::cut_names(&page.facts) }
});

pub(super) fn column_names() -> &'static ColumnNames {
    &NAMES
}

/// The schema of the fusion model: the columns of its three sets of trees.
pub(super) fn fusion_schema() -> Schema {
    let list = |name: &'static str, columns: &'static [String]| columns.iter().map(move |own| format!("{name}.{own}"));
    let names = column_names();
    let all = list("first", &names.first).chain(list("second", &names.second)).chain(list("cut", &names.cut));
    Schema::new("fusion", VERSION, all)
}

/// The schema of the page-type model: the columns of the cut that was chosen.
pub(super) fn page_type_schema() -> Schema {
    Schema::new("page-type", VERSION, &column_names().cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_a_number_for_each_name() {
        let document = Parser::default().parse("<h1>One</h1><p>two three</p><ul><li>four</ul>").unwrap();
        let mut page = FusionPage::default();
        page.describe(&document, &Odds::default());
        let (names, scores) = (column_names(), vec![0.5; page.len()]);
        assert_eq!(page.rows().len(), page.len() * names.first.len());
        assert_eq!(page.second_rows(&scores).len(), page.len() * names.second.len());
        assert_eq!(page.cut_rows(&scores).len(), FusionPage::cuts().len() * names.cut.len());
    }
}
