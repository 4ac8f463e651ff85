//! Computes the widths of nodes from the root down: by the width that is available, their style and their intrinsic width.

use super::intrinsic_widths::IntrinsicWidth;
use super::style::{Length, Side, Style, replaced_size};
use crate::dom::{Document, Name, NodeId};
use dehusk::layout::{Display, VIEWPORT_WIDTH};

/// The maximum number of columns of a table. Cells beyond it are put into the last one.
const MAX_COLUMNS: usize = 256;

/// The widths of all nodes, without margins, with padding.
pub(super) fn widths(document: &Document, styles: &[Style], intrinsic: &[IntrinsicWidth]) -> Vec<f32> {
    // A negative width is not yet known. Tables set the widths of their cells, flex containers those of their children.
    let mut widths = vec![-1.0; document.len()];
    let mut columns = Vec::new();
    for id in document.ids() {
        let at = id.index();
        let style = &styles[at];
        if style.display == Display::None {
            widths[at] = 0.0;
            continue;
        }
        let room = match document.parent(id) {
            Some(parent) => content_width(&styles[parent.index()], widths[parent.index()]),
            None => VIEWPORT_WIDTH,
        };
        if widths[at] < 0.0 {
            widths[at] = own_width(document, id, style, intrinsic[at], room);
        }
        match style.display {
            Display::Table => set_cells(document, styles, intrinsic, id, &mut columns, &mut widths),
            Display::Flex if !style.column => set_flex_children(document, styles, intrinsic, id, &mut widths),
            _ => {}
        }
    }
    widths
}

/// The width inside the padding.
pub(super) fn content_width(style: &Style, width: f32) -> f32 {
    (width - style.padding[1] - style.padding[3]).max(0.0)
}

fn own_width(document: &Document, id: NodeId, style: &Style, natural: IntrinsicWidth, room: f32) -> f32 {
    let margins = style.margin(1, room) + style.margin(3, room);
    let padding = style.padding[1] + style.padding[3];
    let fill = (room - margins).max(0.0);
    let shrink = (natural.max_content - margins).min(fill).max((natural.min_content - margins).min(fill));
    let wanted = match style.display {
        Display::Inline => None,
        _ => style.width.resolve(room),
    };
    let width = match (style.display, wanted) {
        (Display::Table, Some(width)) => width.max((natural.min_content - margins).min(fill)),
        (Display::Row | Display::RowGroup, _) => room,
        (_, Some(width)) => width + padding,
        _ if replaced_size(document, id, style.font_size).is_some() => natural.max_content - margins,
        (Display::Table, None) => shrink,
        (Display::Inline | Display::InlineBlock, None) => shrink,
        _ if style.float != Side::None || style.out_of_flow => shrink,
        _ => fill,
    };
    let max = style.max_width.resolve(room).map_or(f32::INFINITY, |max| max + padding);
    let min = style.min_width.resolve(room).map_or(0.0, |min| min + padding);
    width.min(max).max(min).clamp(0.0, 100_000.0)
}

/// Distributes the width of a flex container among its children.
fn set_flex_children(
    document: &Document,
    styles: &[Style],
    intrinsic: &[IntrinsicWidth],
    id: NodeId,
    widths: &mut [f32],
) {
    let room = content_width(&styles[id.index()], widths[id.index()]);
    let boxes = || {
        document.children(id).filter(|child| {
            let style = &styles[child.index()];
            style.display != Display::None && !style.out_of_flow
        })
    };
    let (mut wanted, mut grow) = (0.0, 0.0);
    for child in boxes() {
        let style = &styles[child.index()];
        wanted += style.width.resolve(room).unwrap_or(intrinsic[child.index()].max_content);
        grow += style.grow;
    }
    let shrink = if wanted > room { room / wanted.max(1.0) } else { 1.0 };
    for child in boxes() {
        let style = &styles[child.index()];
        let own = style.width.resolve(room).unwrap_or(intrinsic[child.index()].max_content) * shrink;
        let extra = if grow > 0.0 { (room - wanted).max(0.0) * style.grow / grow } else { 0.0 };
        widths[child.index()] = (own + extra - style.margin(1, room) - style.margin(3, room)).max(0.0);
    }
}

/// One column of a table.
#[derive(Clone, Copy, Default)]
struct Column {
    intrinsic: IntrinsicWidth,
    fixed: Option<f32>,
    share: f32,
    width: f32,
}

/// The rows of a table, inside or outside row groups.
fn rows<'a>(document: &'a Document, styles: &'a [Style], table: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    document.children(table).flat_map(move |child| {
        let is_group = styles[child.index()].display == Display::RowGroup;
        let inner = is_group.then(|| document.children(child)).into_iter().flatten();
        let own = (!is_group).then_some(child);
        own.into_iter().chain(inner).filter(move |row| styles[row.index()].display == Display::Row)
    })
}

/// The cells of a row, each with its first column and its number of columns.
fn cells<'a>(
    document: &'a Document,
    styles: &'a [Style],
    row: NodeId,
) -> impl Iterator<Item = (NodeId, usize, usize)> + 'a {
    let mut next = 0;
    document.children(row).filter(move |cell| styles[cell.index()].display == Display::Cell).map(move |cell| {
        let span = document.attribute(cell, Name::COLSPAN).and_then(|span| span.trim().parse::<usize>().ok());
        let start = next.min(MAX_COLUMNS - 1);
        let span = span.unwrap_or(1).clamp(1, MAX_COLUMNS - start);
        next = (start + span).min(MAX_COLUMNS);
        (cell, start, span)
    })
}

/// Sets the widths of the cells of a table to those of their columns.
fn set_cells(
    document: &Document,
    styles: &[Style],
    intrinsic: &[IntrinsicWidth],
    table: NodeId,
    columns: &mut Vec<Column>,
    widths: &mut [f32],
) {
    columns.clear();
    for row in rows(document, styles, table) {
        for (cell, start, span) in cells(document, styles, row) {
            columns.resize(columns.len().max(start + span), Column::default());
            let (style, natural) = (&styles[cell.index()], intrinsic[cell.index()]);
            for column in &mut columns[start..start + span] {
                // A cell that spans columns needs an equal part of its width from each.
                let part = 1.0 / span as f32;
                column.intrinsic.max_content = column.intrinsic.max_content.max(natural.max_content * part);
                column.intrinsic.min_content = column.intrinsic.min_content.max(natural.min_content * part);
                match style.width {
                    Length::Px(width) if span == 1 => {
                        let width = (width + style.padding[1] + style.padding[3]).max(natural.min_content);
                        column.fixed = Some(column.fixed.unwrap_or(0.0).max(width));
                    }
                    Length::Share(share) if span == 1 => column.share = column.share.max(share),
                    _ => {}
                }
            }
        }
    }
    let width = distribute(columns, widths[table.index()]);
    let is_wider = styles[table.index()].width.is_auto() && styles[table.index()].display == Display::Table;
    if is_wider && width < widths[table.index()] {
        widths[table.index()] = width;
    }
    for row in rows(document, styles, table) {
        for (cell, start, span) in cells(document, styles, row) {
            widths[cell.index()] = columns[start..start + span].iter().map(|column| column.width).sum();
        }
    }
}

/// Distributes a width among columns as browsers do: percentages and fixed widths first, then by content. Returns the sum.
fn distribute(columns: &mut [Column], room: f32) -> f32 {
    let mut left = room;
    for column in columns.iter_mut().filter(|column| column.share > 0.0) {
        column.width = (column.share * room).max(column.intrinsic.min_content);
        left -= column.width;
    }
    for column in columns.iter_mut().filter(|column| column.share == 0.0) {
        if let Some(fixed) = column.fixed {
            column.width = fixed;
            left -= fixed;
        }
    }
    let is_free = |column: &Column| column.share == 0.0 && column.fixed.is_none();
    let free = || columns.iter().filter(|column| is_free(column));
    let max_content: f32 = free().map(|column| column.intrinsic.max_content).sum();
    let min_content: f32 = free().map(|column| column.intrinsic.min_content).sum();
    let left = left.max(min_content);
    for column in columns.iter_mut().filter(|column| is_free(column)) {
        column.width = if left >= max_content {
            // More than all need: in proportion to their max-content widths.
            if max_content > 0.0 { column.intrinsic.max_content * left / max_content } else { 0.0 }
        } else {
            let stretch = (left - min_content) / (max_content - min_content).max(1.0);
            column.intrinsic.min_content + (column.intrinsic.max_content - column.intrinsic.min_content) * stretch
        };
    }
    let sum: f32 = columns.iter().map(|column| column.width).sum();
    if sum > 0.0 && max_content == 0.0 && sum < room {
        // No column is free, so all grow.
        columns.iter_mut().for_each(|column| column.width *= room / sum);
        return room;
    }
    sum
}
