//! Writes Markdown blocks inside quotes and list items.
//!
//! Takes finished paragraphs, headings, code and table rows and writes the right prefix before each of their lines. It
//! does not depend on elements and inline markup.

use super::escape;
use crate::dom::NodeId;

/// Maximum nesting of quotes and list items; deeper ones get no prefix. Every line repeats the prefixes, so the depth of
/// the page must not determine their length.
const MAX_NESTED: usize = 16;
/// Maximum number of bytes of the prefixes of a line, for the same reason: 16 items of lists with up to 99 items have as many.
const MAX_PREFIX: usize = 64;

/// The line prefix of a quote, list item or indented list.
#[derive(Debug)]
enum Prefix {
    Quote,
    /// A list item: its marker is written before its first line.
    Item {
        marker: String,
        written: bool,
    },
    /// A definition: it begins with a colon if its first block is a paragraph. CommonMark has no definitions: for it, the colon is text,
    /// behind which no other block can start, and more than three spaces would make the rest code.
    Definition {
        written: bool,
    },
    Indent(usize),
}

impl Prefix {
    /// The number of bytes before each line.
    fn width(&self) -> usize {
        match self {
            Prefix::Quote | Prefix::Definition { .. } => 2,
            Prefix::Item { marker, .. } => marker.len(),
            Prefix::Indent(width) => *width,
        }
    }
}

#[derive(Debug)]
struct Container {
    node: NodeId,
    prefix: Prefix,
}

/// Writes blocks one after the other.
pub(super) struct BlockWriter<'a> {
    out: &'a mut String,
    base: usize,
    containers: Vec<Container>,
    /// The number of containers shared by the last block and the next one.
    common: usize,
    /// Whether the next line interrupts a paragraph: only the marker of an item shows that it is over.
    interrupts: bool,
    /// The number of containers of the last block.
    last_depth: usize,
    /// Line ends before the next block: two make a blank line.
    ends: usize,
    /// Depth and marker of the list that ended last, until something follows it. A list right after it needs another
    /// marker, or both would be read as one.
    after_list: Option<(usize, char)>,
    /// The number of containers of the last block if it was a paragraph, which the next line may continue.
    after_paragraph: Option<usize>,
}

impl<'a> BlockWriter<'a> {
    pub(super) fn new(out: &'a mut String) -> BlockWriter<'a> {
        BlockWriter {
            base: out.len(),
            out,
            containers: Vec::new(),
            common: 0,
            last_depth: 0,
            interrupts: false,
            ends: 2,
            after_list: None,
            after_paragraph: None,
        }
    }

    pub(super) fn enter_quote(&mut self, node: NodeId) {
        self.push(node, Prefix::Quote);
    }

    /// Enters an item of a list. A tight one is on the next line, without a blank line in between. It may follow an item, and a
    /// paragraph only with a bullet or the number 1: any other marker would be read as its text, and with it whatever is in the item.
    /// In the same line, micromark reads another number as text even behind such a marker.
    pub(super) fn enter_item(&mut self, node: NodeId, marker: String, tight: bool) {
        let may_interrupt = marker == "1. " || marker == "1) " || !marker.starts_with(|c: char| c.is_ascii_digit());
        let after_item = self.last_depth > self.containers.len();
        if !may_interrupt && self.ends == 1 && self.interrupts {
            self.ends = 2;
        }
        let is_entered = self.push(node, Prefix::Item { marker, written: false });
        if tight && is_entered && (after_item || (may_interrupt && self.after_paragraph.is_some())) {
            (self.ends, self.interrupts) = (1, !after_item);
        }
    }

    pub(super) fn enter_definition(&mut self, node: NodeId) {
        self.push(node, Prefix::Definition { written: false });
    }

    /// Continues the item before it. Where something else came last, it has ended, and the indent could make code of what follows.
    pub(super) fn enter_indent(&mut self, node: NodeId, width: usize) {
        if self.last_depth > self.containers.len() {
            self.push(node, Prefix::Indent(width));
        }
    }

    /// Returns whether there was room for it.
    fn push(&mut self, node: NodeId, prefix: Prefix) -> bool {
        let width: usize = self.containers.iter().map(|container| container.prefix.width()).sum();
        let has_room = self.containers.len() < MAX_NESTED && width + prefix.width() <= MAX_PREFIX;
        if has_room {
            self.containers.push(Container { node, prefix });
        }
        has_room
    }

    /// Leaves a container, if this node is one. Returns whether anything was written in it.
    pub(super) fn leave(&mut self, node: NodeId) -> bool {
        let Some(container) = self.containers.pop_if(|container| container.node == node) else { return false };
        self.common = self.common.min(self.containers.len());
        self.ends = 2;
        !matches!(container.prefix, Prefix::Item { written: false, .. } | Prefix::Definition { written: false })
    }

    /// Whether nothing was written yet in one of the open items.
    pub(super) fn is_item_start(&self) -> bool {
        self.containers.iter().any(|container| matches!(container.prefix, Prefix::Item { written: false, .. }))
    }

    /// Puts the next block on the next line, without a blank line in between.
    pub(super) fn tighten(&mut self) {
        self.ends = 1;
    }

    pub(super) fn end_list(&mut self, marker: char) {
        self.after_list = Some((self.containers.len(), marker));
        self.ends = 2;
    }

    /// Whether a list that starts now would be read as part of the one before it.
    pub(super) fn continues_list(&self, marker: char) -> bool {
        self.after_list == Some((self.containers.len(), marker))
    }

    /// The number of bytes written so far.
    pub(super) fn written(&self) -> usize {
        self.out.len() - self.base
    }

    /// Starts a block other than a paragraph.
    pub(super) fn begin(&mut self) -> &mut String {
        for container in &mut self.containers {
            if let Prefix::Definition { written: written @ false } = &mut container.prefix {
                *written = true;
                self.ends = 2;
            }
        }
        self.after_paragraph = None;
        self.append_first_prefix()
    }

    fn begin_paragraph(&mut self) -> &mut String {
        let depth = self.containers.len();
        for (at, container) in self.containers.iter_mut().enumerate() {
            if let Prefix::Definition { written: written @ false } = &mut container.prefix {
                *written = at + 1 < depth;
                // The colon belongs on the line after its term, but not after a list, a table or the like.
                if *written || self.after_paragraph.is_none_or(|before| before > depth) {
                    self.ends = 2;
                }
            }
        }
        self.after_paragraph = Some(depth);
        self.append_first_prefix()
    }

    /// Ends the block before and writes the prefix of the first line.
    fn append_first_prefix(&mut self) -> &mut String {
        if self.out.len() > self.base {
            self.out.push('\n');
            if self.ends > 1 {
                self.append_prefix(self.common);
                self.trim_line();
                self.out.push('\n');
            }
        }
        if self.after_list.is_some_and(|(depth, _)| self.containers.len() <= depth) {
            self.after_list = None;
        }
        self.append_prefix(self.containers.len());
        (self.common, self.last_depth) = (self.containers.len(), self.containers.len());
        self.interrupts = false;
        self.ends = 2;
        self.out
    }

    /// Starts another line of the block.
    pub(super) fn next_line(&mut self) -> &mut String {
        self.out.push('\n');
        self.append_prefix(self.containers.len());
        self.out
    }

    fn append_prefix(&mut self, depth: usize) {
        let mut in_definition = false;
        for container in &mut self.containers[..depth] {
            match &mut container.prefix {
                Prefix::Definition { written: written @ false } => {
                    *written = true;
                    self.out.push_str(": ");
                }
                Prefix::Definition { .. } if in_definition => {}
                Prefix::Definition { .. } => self.out.push_str("  "),
                Prefix::Quote => self.out.push_str("> "),
                Prefix::Item { marker, written: false } => {
                    self.out.push_str(marker);
                    container.prefix = Prefix::Item { marker: std::mem::take(marker), written: true };
                }
                Prefix::Item { marker, .. } => self.out.extend(std::iter::repeat_n(' ', marker.len())),
                Prefix::Indent(width) => self.out.extend(std::iter::repeat_n(' ', *width)),
            }
            in_definition = matches!(container.prefix, Prefix::Definition { .. });
        }
    }

    fn trim_line(&mut self) {
        let end = self.out[self.base..].trim_end_matches(' ').len();
        self.out.truncate(self.base + end);
    }

    /// Writes a paragraph or, with a level, a heading.
    pub(super) fn paragraph(&mut self, text: &str, level: Option<u8>) {
        if let Some(level) = level {
            let out = self.begin();
            out.extend(std::iter::repeat_n('#', level as usize));
            out.push(' ');
            return append_with_backslash(text, escape::heading_end(text), out);
        }
        self.begin_paragraph();
        for (number, line) in text.split('\n').enumerate() {
            let out = if number == 0 { &mut *self.out } else { self.next_line() };
            append_with_backslash(line, escape::line_start(line), out);
        }
    }

    /// Writes a fenced code block.
    pub(super) fn code(&mut self, text: &str, language: &str) {
        let text = text.trim_end_matches(['\n', ' ', '\t', '\r']);
        let text = text.trim_start_matches(['\n', '\r']);
        if text.is_empty() {
            return;
        }
        let fence = "`".repeat(escape::longest_run(text, '`').max(2) + 1);
        self.begin().extend([fence.as_str(), language]);
        // A carriage return, which only a character reference gives, ends a line too.
        for line in text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r')) {
            self.next_line();
            if line.is_empty() {
                self.trim_line();
            }
            self.out.push_str(line);
        }
        self.next_line().push_str(&fence);
    }

    /// Writes a formula on lines of its own.
    pub(super) fn formula(&mut self, tex: &str) {
        self.begin().push_str("$$");
        for line in tex.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
            escape::append_tex_line(line, self.next_line());
        }
        self.next_line().push_str("$$");
    }
}

fn append_with_backslash(line: &str, at: Option<usize>, out: &mut String) {
    let at = at.unwrap_or(line.len());
    out.push_str(&line[..at]);
    if at < line.len() {
        out.push('\\');
        out.push_str(&line[at..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefixes_of_a_line_have_a_limit() {
        let mut out = String::new();
        let mut writer = BlockWriter::new(&mut out);
        for node in 1..=16 {
            writer.enter_item(NodeId(node), "999999999. ".into(), false);
        }
        writer.begin().push('x');
        writer.next_line().push('y');
        assert!((1..=16).rev().filter(|node| writer.leave(NodeId(*node))).count() == MAX_PREFIX / 11);
        let markers = "999999999. ".repeat(MAX_PREFIX / 11);
        assert_eq!(out, format!("{markers}x\n{}y", " ".repeat(markers.len())));
    }
}
