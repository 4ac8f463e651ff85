//! A field of similar records is kept in all of them or in none.

use super::revision::Revision;
use crate::detection::Reason;
use crate::dom::{Name, NodeId};
use crate::records::columns::{Place, RecordColumns, Steps, Unit};

/// Decides the columns of similar records as most of the records have them. A record has a field if most of the field's text is kept. Returns
/// the texts of the columns that are kept, in page order.
pub(super) fn decide_columns(page: &mut Revision<'_>) -> Vec<NodeId> {
    let document = page.document;
    let units: Vec<Unit> = page.units().collect();
    let mut columns = RecordColumns::default();
    // Columns of what is kept as a whole or not at all are not torn.
    let is_decided = |id: NodeId| matches!(page.kept_text(id), kept if kept == 0 || kept == page.text(id));
    columns.find(document, &units, Steps::All, is_decided);
    // Copies are dropped because their text is there already, whatever they are a part of. Rows of tables have rules of their own, which
    // also keep their cells in place.
    let is_row = |place: &Place| document.html_name(place.record) == Name::TR;
    let place = |at: usize| columns.place(at).filter(|place| !is_row(place) && !is_copy(page, units[at].node));
    let mut places: Vec<(Place, usize)> = (0..units.len()).filter_map(|at| Some((place(at)?, at))).collect();
    places.sort_unstable();
    let mut kept_fields = Vec::new();
    for column in places.chunk_by(|one, two| one.0.column == two.0.column) {
        let texts = || column.iter().map(|(_, at)| units[*at]);
        let dropped = texts().filter(|unit| page.is_dropped(unit.node)).count();
        if dropped == 0 {
            kept_fields.extend(texts().map(|unit| unit.node));
        }
        if dropped == 0 || dropped == column.len() {
            continue;
        }
        let (mut records, mut kept_records) = (0u32, 0u32);
        for record in column.chunk_by(|one, two| one.0.record == two.0.record) {
            let (mut kept, mut all) = (0, 0);
            for unit in record.iter().map(|(_, at)| units[*at]) {
                all += unit.weight;
                kept += if page.is_dropped(unit.node) { 0 } else { unit.weight };
            }
            records += 1;
            kept_records += u32::from(2 * kept > all);
        }
        if 2 * kept_records >= records {
            let region = columns.region(column[0].0.column);
            texts().for_each(|unit| page.keep_empty(unit.node, region));
            kept_fields.extend(texts().map(|unit| unit.node));
        } else {
            let reason = Reason::MostlyTemplate { share: 1.0 - kept_records as f32 / records as f32 };
            for unit in texts().filter(|unit| !page.is_dropped(unit.node)).collect::<Vec<_>>() {
                page.drop(unit.node, reason);
            }
        }
    }
    kept_fields.sort_unstable();
    kept_fields
}

/// Whether a text is dropped because another one says the same.
fn is_copy(page: &Revision<'_>, text: NodeId) -> bool {
    let reason = match page.reason(text) {
        Reason::Inside(outer) => page.reason(outer),
        reason => reason,
    };
    matches!(reason, Reason::CopyOf(_))
}
