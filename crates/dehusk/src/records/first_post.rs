//! A post that is marked in another way than the others of its thread: its author and date by what elements say, and its text.

use super::field_hints::FieldHints;
use super::fields::{Draft, FieldReader, GroupFields, MAX_BODY_DEPTH};
use super::text_shapes::{is_date, is_name};
use crate::dom::NodeId;

impl FieldReader<'_> {
    /// The element with the text of each record that has one.
    pub(crate) fn bodies(&self, drafts: &[Draft]) -> Vec<NodeId> {
        let Some(body) = self.body_path(drafts) else { return Vec::new() };
        let body_of = |draft: &Draft| {
            let around = |atom: &usize| {
                let node = self.texts.atoms[*atom].node;
                let mut outer =
                    self.document.ancestors(node).take_while(|outer| *outer > draft.root).take(MAX_BODY_DEPTH);
                outer.find(|outer| self.paths.between(draft.root, *outer) == body)
            };
            draft.atoms.iter().find_map(around)
        };
        drafts.iter().filter_map(body_of).collect()
    }

    /// Whether elements say that a text outside of the body is the author.
    pub(crate) fn has_author(&mut self, draft: &Draft, body: NodeId) -> bool {
        self.best_hinted(draft, body, is_name, |hints| hints.author).is_some()
    }

    fn best_hinted(
        &mut self,
        draft: &Draft,
        body: NodeId,
        fits: impl Fn(&str) -> bool,
        hint: impl Fn(FieldHints) -> i8,
    ) -> Option<usize> {
        let mut best: Option<(i8, usize)> = None;
        for atom in draft.atoms.iter().copied() {
            if self.document.contains(body, self.texts.atoms[atom].node) {
                continue;
            }
            let score = hint(self.atom_hints(atom, draft.root));
            if score >= 2 && best.is_none_or(|best| score > best.0) && fits(&self.texts.text(self.document, atom)) {
                best = Some((score, atom));
            }
        }
        best.map(|best| best.1)
    }

    /// The author, date and text of single posts, given the elements with their text.
    pub(crate) fn read_alone(&mut self, posts: &[(Draft, NodeId)]) -> GroupFields {
        let columns = ["author", "date", "text"].map(String::from).to_vec();
        let mut fields = GroupFields { columns, ..GroupFields::default() };
        for (draft, body) in posts {
            let author = self.best_hinted(draft, *body, is_name, |hints| hints.author);
            let date = self.best_hinted(draft, *body, |_| true, |hints| hints.date);
            let date = date.or_else(|| {
                let is_outside = |atom: &usize| !self.document.contains(*body, self.texts.atoms[*atom].node);
                draft
                    .atoms
                    .iter()
                    .copied()
                    .filter(is_outside)
                    .find(|atom| is_date(&self.texts.text(self.document, *atom)))
            });
            let mut own = Vec::new();
            for (column, atom) in [author, date].into_iter().enumerate() {
                own.extend(atom.map(|atom| (column, vec![self.texts.text(self.document, atom)])));
            }
            let mut text = String::new();
            self.texts.append(self.document, self.texts.atoms_of(self.document, *body), &mut text);
            own.push((2, vec![text]));
            fields.records.push(own);
        }
        fields
    }
}
