//! The boxes of task lists, which Markdown writes as `[x]`.

use crate::dom::elements::classes;
use crate::dom::{Document, Name, NodeId};

/// Maximum number of nodes between an item and its box.
const MAX_NODES: usize = 64;

/// Whether an element is the box of a task: a checkbox, not for input, at the start of a list item. Returns whether it is
/// checked.
pub(crate) fn task_box(document: &Document, id: NodeId, name: Name) -> Option<bool> {
    if name != Name::INPUT || document.attribute(id, Name::TYPE)? != "checkbox" {
        return None;
    }
    let has = |wanted: &str| document.attributes(id).iter().any(|own| document.name_text(own.name) == wanted);
    let item = document.ancestors(id).take(3).find(|above| document.html_name(*above) == Name::LI)?;
    // What is further inside is not first, and each of many boxes would read all that is before it.
    if (id.0 - item.0) as usize > MAX_NODES {
        return None;
    }
    let is_task = has("disabled") || classes(document, item).any(|class| class.starts_with("task-list-item"));
    let mut before = document.descendants(item).take_while(|node| *node < id);
    let is_first = before.all(|node| !document.is_text(node) || document.text(node).trim().is_empty());
    (is_task && is_first).then(|| has("checked"))
}

#[cfg(test)]
mod tests {
    use crate::render::fixture::page;
    use crate::render::{RenderOptions, render_markdown};

    fn markdown(source: &str) -> String {
        let (document, detection) = page(source);
        render_markdown(&document, &detection, RenderOptions::default())
    }

    #[test]
    fn tasks_have_boxes() {
        let tasks =
            "<ul><li><input type=checkbox disabled checked> mend<li><p><input type=checkbox disabled>sail</p></ul>";
        assert_eq!(markdown(tasks), "- [x] mend\n- [ ] sail\n");
        assert_eq!(markdown("<ul><li><input type=checkbox> red (12)</ul>"), "- red (12)\n");
    }
}
