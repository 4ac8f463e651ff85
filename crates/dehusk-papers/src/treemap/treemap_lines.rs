//! Writes TreeMap templates as lines of a template file, and reads them back.

use super::template_search::Template;
use super::treemap_detector::TreeMapTemplates;
use crate::dom::NodeId;
use crate::rules::Rules;
use dehusk::Error;
use dehusk::site::TextForm;
use dehusk::site::{LineReader, append_hashes, damaged, parse_hash};
use dehusk::site::{NO_NODE, PageTree, TreeNode};
use std::fmt::Write as _;

/// Maximum number of templates of a site. A file that claims more is damaged.
const MAX_TEMPLATES: u32 = 100_000;

impl TreeMapTemplates {
    /// Appends the lines of all templates.
    pub(crate) fn append_lines(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "treemap {} {}", self.pages, self.templates.len());
        for template in &self.templates {
            let _ = writeln!(out, "tree {} {}", template.support, template.mapped);
            out.push_str("nodes");
            for at in 0..template.tree.len() as u32 {
                let above = if at == 0 { 0 } else { at - template.tree.parent_of(at) };
                let visible = if template.tree.is_visible(at) { "s" } else { "" };
                let linked = if template.tree.is_linked(at) { "l" } else { "" };
                let _ = write!(out, " {:016x}:{above}{visible}{linked}", template.tree.label_of(at));
            }
            out.push('\n');
            append_hashes("alternatives", &template.alternatives, out);
            append_hashes("slots", &template.slots, out);
        }
    }

    /// Reads the lines of all templates.
    pub(crate) fn read_lines(lines: &mut LineReader<'_>) -> Result<TreeMapTemplates, Error> {
        let [pages, count] = lines.numbers("treemap")?;
        if count > MAX_TEMPLATES {
            return Err(damaged("too many templates"));
        }
        let mut templates = Vec::new();
        for _ in 0..count {
            let [support, mapped] = lines.numbers("tree")?;
            let nodes = lines.expect("nodes")?.split(' ').filter(|word| !word.is_empty()).enumerate();
            let nodes: Option<Vec<TreeNode>> = nodes.map(|(at, word)| node(at as u32, word)).collect();
            let tree = PageTree::assemble(&nodes.ok_or_else(|| damaged("a node cannot be parsed"))?);
            let (mut alternatives, mut slots) = (lines.hashes("alternatives")?, lines.hashes("slots")?);
            alternatives.sort_unstable();
            slots.sort_unstable();
            templates.push(Template::restored(tree, support, mapped, alternatives, slots));
        }
        Ok(TreeMapTemplates { pages, templates, rules: Rules::All })
    }
}

fn node(at: u32, word: &str) -> Option<TreeNode> {
    let (label, rest) = word.split_once(':')?;
    let above: u32 = rest.trim_end_matches(['s', 'l']).parse().ok()?;
    let parent = match at {
        0 => NO_NODE,
        // The parent comes earlier and is not the node itself.
        _ => at.checked_sub(above).filter(|parent| *parent < at)?,
    };
    let (visible, linked) = (rest.contains('s'), rest.contains('l'));
    Some(TreeNode { label: parse_hash(label)?, parent, node: NodeId(0), visible, linked, form: TextForm::Long })
}
