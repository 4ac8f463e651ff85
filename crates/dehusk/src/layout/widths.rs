//! How wide nodes are: from the root down, each gets what its surroundings leave it and what its style asks for.

use super::intrinsic::Wish;
use super::style::{Length, Side, Style, replaced_size};
use super::{Display, VIEWPORT_WIDTH};
use crate::dom::{Document, Name, NodeId};

/// More columns of a table share what the last one gets.
const MOST_COLUMNS: usize = 256;

/// The widths of all nodes without margins, padding included.
pub(super) fn widths(document: &Document, styles: &[Style], wishes: &[Wish]) -> Vec<f32> {
    // Negative: not known yet. Tables set the widths of their cells, rows of boxes those of the boxes.
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
            widths[at] = own_width(document, id, style, wishes[at], room);
        }
        match style.display {
            Display::Table => set_cells(document, styles, wishes, id, &mut columns, &mut widths),
            Display::Flex if !style.column => set_boxes(document, styles, wishes, id, &mut widths),
            _ => {}
        }
    }
    widths
}

/// The width inside of the padding.
pub(super) fn content_width(style: &Style, width: f32) -> f32 {
    (width - style.padding[1] - style.padding[3]).max(0.0)
}

fn own_width(document: &Document, id: NodeId, style: &Style, wish: Wish, room: f32) -> f32 {
    let margins = style.margin(1, room) + style.margin(3, room);
    let padding = style.padding[1] + style.padding[3];
    let fill = (room - margins).max(0.0);
    let shrink = (wish.most - margins).min(fill).max((wish.least - margins).min(fill));
    let wanted = match style.display {
        Display::Inline => None,
        _ => style.width.resolve(room),
    };
    let width = match (style.display, wanted) {
        (Display::Table, Some(width)) => width.max((wish.least - margins).min(fill)),
        (Display::Row | Display::RowGroup, _) => room,
        (_, Some(width)) => width + padding,
        _ if replaced_size(document, id, style.font_size).is_some() => wish.most - margins,
        (Display::Table, None) => shrink,
        (Display::Inline | Display::InlineBlock, None) => shrink,
        _ if style.float != Side::None || style.out_of_flow => shrink,
        _ => fill,
    };
    let most = style.max_width.resolve(room).map_or(f32::INFINITY, |most| most + padding);
    let least = style.min_width.resolve(room).map_or(0.0, |least| least + padding);
    width.min(most).max(least).clamp(0.0, 100_000.0)
}

/// Shares the width of a row of boxes between them.
fn set_boxes(document: &Document, styles: &[Style], wishes: &[Wish], id: NodeId, widths: &mut [f32]) {
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
        wanted += style.width.resolve(room).unwrap_or(wishes[child.index()].most);
        grow += style.grow;
    }
    let shrink = if wanted > room { room / wanted.max(1.0) } else { 1.0 };
    for child in boxes() {
        let style = &styles[child.index()];
        let own = style.width.resolve(room).unwrap_or(wishes[child.index()].most) * shrink;
        let extra = if grow > 0.0 { (room - wanted).max(0.0) * style.grow / grow } else { 0.0 };
        widths[child.index()] = (own + extra - style.margin(1, room) - style.margin(3, room)).max(0.0);
    }
}

/// One column of a table.
#[derive(Clone, Copy, Default)]
struct Column {
    wish: Wish,
    fixed: Option<f32>,
    share: f32,
    width: f32,
}

/// The rows of a table, whether or not they stand in a group.
fn rows<'a>(document: &'a Document, styles: &'a [Style], table: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    document.children(table).flat_map(move |child| {
        let is_group = styles[child.index()].display == Display::RowGroup;
        let inner = is_group.then(|| document.children(child)).into_iter().flatten();
        let own = (!is_group).then_some(child);
        own.into_iter().chain(inner).filter(move |row| styles[row.index()].display == Display::Row)
    })
}

/// The cells of a row with the columns they begin at and how many they take.
fn cells<'a>(
    document: &'a Document,
    styles: &'a [Style],
    row: NodeId,
) -> impl Iterator<Item = (NodeId, usize, usize)> + 'a {
    let mut next = 0;
    document.children(row).filter(move |cell| styles[cell.index()].display == Display::Cell).map(move |cell| {
        let span = document.attribute(cell, Name::COLSPAN).and_then(|span| span.trim().parse::<usize>().ok());
        let start = next.min(MOST_COLUMNS - 1);
        let span = span.unwrap_or(1).clamp(1, MOST_COLUMNS - start);
        next = (start + span).min(MOST_COLUMNS);
        (cell, start, span)
    })
}

/// Gives the columns of a table their widths, and its cells those of their columns.
fn set_cells(
    document: &Document,
    styles: &[Style],
    wishes: &[Wish],
    table: NodeId,
    columns: &mut Vec<Column>,
    widths: &mut [f32],
) {
    columns.clear();
    for row in rows(document, styles, table) {
        for (cell, start, span) in cells(document, styles, row) {
            columns.resize(columns.len().max(start + span), Column::default());
            let (style, wish) = (&styles[cell.index()], wishes[cell.index()]);
            for column in &mut columns[start..start + span] {
                // What spans columns asks each of them for its part.
                let part = 1.0 / span as f32;
                column.wish.most = column.wish.most.max(wish.most * part);
                column.wish.least = column.wish.least.max(wish.least * part);
                match style.width {
                    Length::Px(width) if span == 1 => {
                        let width = (width + style.padding[1] + style.padding[3]).max(wish.least);
                        column.fixed = Some(column.fixed.unwrap_or(0.0).max(width));
                    }
                    Length::Share(share) if span == 1 => column.share = column.share.max(share),
                    _ => {}
                }
            }
        }
    }
    let width = share_out(columns, widths[table.index()]);
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

/// Shares a width out among columns as browsers do: fixed ones and shares first, then by what is in them. Returns the sum.
fn share_out(columns: &mut [Column], room: f32) -> f32 {
    let mut left = room;
    for column in columns.iter_mut().filter(|column| column.share > 0.0) {
        column.width = (column.share * room).max(column.wish.least);
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
    let most: f32 = free().map(|column| column.wish.most).sum();
    let least: f32 = free().map(|column| column.wish.least).sum();
    let left = left.max(least);
    for column in columns.iter_mut().filter(|column| is_free(column)) {
        column.width = if left >= most {
            // More than all want: in proportion to what they want.
            if most > 0.0 { column.wish.most * left / most } else { 0.0 }
        } else {
            let stretch = (left - least) / (most - least).max(1.0);
            column.wish.least + (column.wish.most - column.wish.least) * stretch
        };
    }
    let sum: f32 = columns.iter().map(|column| column.width).sum();
    if sum > 0.0 && most == 0.0 && sum < room {
        // Nothing is free, so that all grow.
        columns.iter_mut().for_each(|column| column.width *= room / sum);
        return room;
    }
    sum
}
