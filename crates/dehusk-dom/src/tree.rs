//! The tree while the page is being read: nodes linked to their neighbours, in the order they were made.

use crate::arena::{Attribute, Namespace, NodeKind, Placement, Quirks, TextRange};
use crate::limits::Limit;
use crate::names::Name;
use html5ever::LocalName;
use rustc_hash::FxHashMap;

/// No node.
pub(super) const NIL: u32 = u32::MAX;

/// A node.
#[derive(Clone, Copy)]
pub(crate) struct Raw {
    pub(crate) kind: NodeKind,
    pub(crate) placement: Placement,
    pub(crate) namespace: Namespace,
    pub(super) integration_point: bool,
    /// Put before a table it stands in, whether or not it has a start tag of its own.
    pub(super) is_fostered: bool,
    pub(crate) depth: u16,
    /// How many formatting elements it stands in, itself included.
    pub(crate) formatting: u16,
    pub(crate) name: Name,
    pub(crate) parent: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) value: TextRange,
    /// Its start tag, or the whole of a comment or document type.
    pub(super) span: TextRange,
    /// Its end tag.
    pub(super) close: TextRange,
    pub(super) first_piece: u32,
    pub(super) last_piece: u32,
}

impl Raw {
    pub(super) fn new(kind: NodeKind) -> Raw {
        Raw {
            kind,
            placement: Placement::Invented,
            namespace: Namespace::Html,
            integration_point: false,
            is_fostered: false,
            depth: 0,
            formatting: 0,
            name: Name::NONE,
            parent: NIL,
            previous: NIL,
            next: NIL,
            first: NIL,
            last: NIL,
            value: TextRange::default(),
            span: TextRange::default(),
            close: TextRange::default(),
            first_piece: NIL,
            last_piece: NIL,
        }
    }
}

/// A part of a text node.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) value: TextRange,
    pub(super) span: TextRange,
    pub(super) next: u32,
}

/// Buffers that are kept from page to page.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(super) raws: Vec<Raw>,
    pub(super) pieces: Vec<Piece>,
    pub(super) queue: Vec<(TextRange, TextRange)>,
}

/// All nodes, and what is known of the token being read.
pub(crate) struct Tree<'a> {
    pub(crate) raws: Vec<Raw>,
    pub(super) pieces: Vec<Piece>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) quirks: Quirks,
    /// Texts given to the tree builder, and how many of them it has put somewhere.
    pub(super) queue: Vec<(TextRange, TextRange)>,
    pub(super) queue_head: usize,
    /// The comment or document type being read.
    pub(super) current: (TextRange, TextRange),
    /// The tag being read.
    pub(super) tag_name: Name,
    pub(super) tag_local: Option<&'a LocalName>,
    /// The attributes of the tag being read, as a range of `attributes`.
    pub(super) tag_attributes: TextRange,
    /// Attributes of formatting elements by the key the tree builder holds for them.
    pub(super) formatting: FxHashMap<FormattingKey, TextRange>,
    pub(super) most_attributes: usize,
    pub(crate) work: u64,
    pub(crate) limit_hit: Option<Limit>,
}

/// The eight bytes under which the tree builder holds the attributes of a formatting element.
pub(super) type FormattingKey = [u8; 8];

/// The elements whose contents are one text.
pub(super) fn is_raw_text(name: Name) -> bool {
    matches!(
        name,
        Name::SCRIPT
            | Name::STYLE
            | Name::TITLE
            | Name::TEXTAREA
            | Name::XMP
            | Name::IFRAME
            | Name::NOEMBED
            | Name::NOFRAMES
            | Name::PLAINTEXT
    )
}

/// The elements the tree builder keeps in its list of active formatting elements.
pub(crate) fn is_formatting(name: Name) -> bool {
    matches!(
        name,
        Name::A
            | Name::B
            | Name::BIG
            | Name::CODE
            | Name::EM
            | Name::FONT
            | Name::I
            | Name::NOBR
            | Name::S
            | Name::SMALL
            | Name::STRIKE
            | Name::STRONG
            | Name::TT
            | Name::U
    )
}

impl Tree<'_> {
    pub(super) fn push(&mut self, raw: Raw) -> u32 {
        self.work += 1;
        self.raws.push(raw);
        self.raws.len() as u32 - 1
    }

    pub(super) fn drop_tag_attributes(&mut self) {
        // Nothing refers to them: they are the last ones.
        if self.attributes.len() == self.tag_attributes.end as usize {
            self.attributes.truncate(self.tag_attributes.start as usize);
        }
        self.tag_attributes = TextRange::default();
    }

    pub(super) fn set_depth(&mut self, id: u32, parent: u32) {
        let Raw { depth, formatting, .. } = self.raws[parent as usize];
        let raw = &mut self.raws[id as usize];
        raw.depth = depth.saturating_add(1);
        raw.formatting = formatting + (raw.kind == NodeKind::Element && is_formatting(raw.name)) as u16;
        // The contents of a template are there before it has a place.
        let (first, depth) = (raw.first, raw.depth);
        if raw.name == Name::TEMPLATE && first != NIL && self.raws[first as usize].kind == NodeKind::Fragment {
            self.raws[first as usize].depth = depth.saturating_add(1);
        }
    }

    pub(super) fn append(&mut self, parent: u32, child: u32) {
        let last = self.raws[parent as usize].last;
        let raw = &mut self.raws[child as usize];
        raw.parent = parent;
        raw.previous = last;
        raw.next = NIL;
        match last {
            NIL => self.raws[parent as usize].first = child,
            last => self.raws[last as usize].next = child,
        }
        self.raws[parent as usize].last = child;
        self.set_depth(child, parent);
        self.work += 1;
    }

    pub(super) fn insert_before(&mut self, sibling: u32, child: u32) {
        let Raw { parent, previous, .. } = self.raws[sibling as usize];
        let raw = &mut self.raws[child as usize];
        raw.parent = parent;
        raw.previous = previous;
        raw.next = sibling;
        self.raws[sibling as usize].previous = child;
        match previous {
            NIL => self.raws[parent as usize].first = child,
            previous => self.raws[previous as usize].next = child,
        }
        self.set_depth(child, parent);
        self.work += 1;
    }

    pub(super) fn detach(&mut self, id: u32) {
        let Raw { parent, previous, next, .. } = self.raws[id as usize];
        if parent == NIL {
            return;
        }
        match previous {
            NIL => self.raws[parent as usize].first = next,
            previous => self.raws[previous as usize].next = next,
        }
        match next {
            NIL => self.raws[parent as usize].last = previous,
            next => self.raws[next as usize].previous = previous,
        }
        let raw = &mut self.raws[id as usize];
        raw.parent = NIL;
        raw.previous = NIL;
        raw.next = NIL;
        self.work += 1;
    }

    /// The text behind the stand-in the tree builder hands out: it hands them out in the order it got them.
    pub(super) fn next_text(&mut self) -> (TextRange, TextRange) {
        debug_assert!(self.queue_head < self.queue.len(), "the tree builder made up a text");
        let next = self.queue.get(self.queue_head).copied().unwrap_or_default();
        self.queue_head += 1;
        next
    }

    pub(super) fn append_text(&mut self, existing: u32, value: TextRange, span: TextRange, moved: bool) -> u32 {
        let piece = self.pieces.len() as u32;
        let extend = match existing {
            NIL => None,
            id => Some(self.raws[id as usize].last_piece),
        };
        if let Some(last) = extend {
            let before = &mut self.pieces[last as usize];
            if before.value.end == value.start && before.span.end == span.start {
                before.value.end = value.end;
                before.span.end = span.end;
                return existing;
            }
            before.next = piece;
            self.pieces.push(Piece { value, span, next: NIL });
            self.raws[existing as usize].last_piece = piece;
            return existing;
        }
        self.pieces.push(Piece { value, span, next: NIL });
        let mut raw = Raw::new(NodeKind::Text);
        raw.placement = if moved { Placement::Moved } else { Placement::Source };
        raw.first_piece = piece;
        raw.last_piece = piece;
        self.push(raw)
    }
}
