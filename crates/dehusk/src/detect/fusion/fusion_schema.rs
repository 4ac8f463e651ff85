//! The names of the columns of fusion's models, in order, and their schemas.

use crate::detect::fusion::choose::thresholds::threshold_names;
use crate::detect::fusion::describe::describe_block::Describer;
use crate::detect::fusion::describe::page_facts::PageFacts;
use crate::detect::fusion::describe::second_pass::second_names;
use crate::dom::{NodeId, Parser};
use crate::model::Schema;
use crate::read::text_blocks::PageBlocks;
use crate::read::words::hashed_odds::Odds;
use crate::records::columns::{RecordColumns, Steps, Unit};
use std::sync::LazyLock;

/// The versions of the features of blocks and of thresholds. Raised when one is computed differently.
const VERSION: u32 = 6;
const THRESHOLD_VERSION: u32 = 5;

/// The names of the columns of the three ensembles of trees. They are unique within a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnNames {
    /// First pass: features of a block and its surroundings.
    pub first: Vec<String>,
    /// Second pass: the first scores around a block.
    pub second: Vec<String>,
    /// Choice of the threshold: what a threshold would keep. The page-type model has the same columns.
    pub threshold: Vec<String>,
}

static NAMES: LazyLock<ColumnNames> = LazyLock::new(|| {
    // Features are added by name, so describing a page of one block lists all names.
    let document = Parser::default().parse("<p>one</p>").unwrap_or_default();
    let (mut page, mut facts, mut describer) = (PageBlocks::default(), PageFacts::default(), Describer::default());
    facts.read_head(&document, &mut page.words);
    page.split(&document, &Odds::default());
    facts.measure(&page);
    let mut records = RecordColumns::default();
    records.find(&document, &[Unit { node: NodeId::DOCUMENT, weight: 1 }], Steps::Blocks, |_| true);
    describer.prepare(&page, &records);
    let mut first = Vec::new();
    describer.describe(&page, &facts, 0, &mut first);
    ColumnNames { first, second: second_names(), threshold: threshold_names(&facts) }
});

pub(crate) fn column_names() -> &'static ColumnNames {
    &NAMES
}

/// The schema of the fusion model: the columns of its three ensembles.
pub(crate) fn fusion_schema() -> Schema {
    let list = |name: &'static str, columns: &'static [String]| columns.iter().map(move |own| format!("{name}.{own}"));
    let names = column_names();
    let all =
        list("first", &names.first).chain(list("second", &names.second)).chain(list("threshold", &names.threshold));
    Schema::new("fusion", VERSION, all)
}

/// The schema of the page-type model: the columns of the chosen threshold.
pub(crate) fn page_type_schema() -> Schema {
    Schema::new("page-type", THRESHOLD_VERSION, &column_names().threshold)
}

#[cfg(test)]
mod tests {
    use super::super::fusion_page::FusionPage;
    use super::*;

    #[test]
    fn rows_have_a_value_for_each_name() {
        let document = Parser::default().parse("<h1>One</h1><p>two three</p><ul><li>four</ul>").unwrap();
        let mut page = FusionPage::default();
        page.describe(&document, &Odds::default());
        let (names, scores) = (column_names(), vec![0.5; page.len()]);
        assert_eq!(page.rows().len(), page.len() * names.first.len());
        assert_eq!(page.second_rows(&scores).len(), page.len() * names.second.len());
        assert_eq!(page.threshold_rows(&scores).len(), FusionPage::thresholds().len() * names.threshold.len());
    }
}
