//! Rows of a table as records: a column for each cell, named by the head of the table.

use super::column_names::ColumnNames;
use super::fields::{Draft, FieldReader, GroupFields, RecordFields, in_order};
use crate::dom::{Document, Name, NodeId};

impl FieldReader<'_> {
    /// Rows of a table: a column for each cell, named by the head of the table.
    pub(crate) fn read_rows(&mut self, drafts: &[Draft]) -> GroupFields {
        let mut names = ColumnNames::new(self.document, self.texts);
        let head = self.table_head(drafts[0].root);
        let mut records = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let mut own = RecordFields::new();
            let cells = self.document.children(draft.root).filter(|cell| is_cell(self.document, *cell));
            let mut atoms = draft.atoms.iter().copied().peekable();
            for (number, cell) in cells.enumerate() {
                let mut text = String::new();
                let mut inside = Vec::new();
                while let Some(atom) = atoms.next_if(|atom| self.texts.atoms[*atom].node < self.document.end(cell)) {
                    inside.push(atom);
                }
                self.texts.append(self.document, inside.into_iter(), &mut text);
                if !text.is_empty() {
                    let name = head.get(number).cloned().unwrap_or_default();
                    own.extend(names.cell(number, name).map(|column| (column, vec![text])));
                }
            }
            records.push(own);
        }
        let is_cut = names.is_cut;
        let (columns, records) = in_order(names, records);
        GroupFields { is_cut, columns, records, ..GroupFields::default() }
    }

    /// The texts of the first row of a table, if all its cells are heads.
    fn table_head(&self, row: NodeId) -> Vec<String> {
        let document = self.document;
        let Some(table) = document.ancestors(row).take(3).find(|outer| document.html_name(*outer) == Name::TABLE)
        else {
            return Vec::new();
        };
        let first = document.descendants(table).find(|id| document.html_name(*id) == Name::TR);
        let Some(first) = first.filter(|first| is_head_row(document, *first)) else { return Vec::new() };
        let cells = document.children(first).filter(|cell| is_cell(document, *cell));
        cells
            .map(|cell| {
                let mut text = String::new();
                self.texts.append(document, self.texts.atoms_of(document, cell), &mut text);
                text
            })
            .collect()
    }
}

fn is_cell(document: &Document, id: NodeId) -> bool {
    matches!(document.html_name(id), Name::TD | Name::TH)
}

/// Whether all cells of a row are heads.
pub(crate) fn is_head_row(document: &Document, row: NodeId) -> bool {
    if document.html_name(row) != Name::TR {
        return false;
    }
    let mut cells = document.children(row).filter(|cell| is_cell(document, *cell)).peekable();
    let in_head = document.parent(row).is_some_and(|parent| document.html_name(parent) == Name::THEAD);
    cells.peek().is_some() && (in_head || cells.all(|cell| document.html_name(cell) == Name::TH))
}
