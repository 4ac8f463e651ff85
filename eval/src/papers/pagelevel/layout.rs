//! Estimated boxes compared with those measured by Chromium, and the effect on PageLevel.

use super::pages::{HandLabelled, read_part};
use super::{PARTS, find, score_all};
use crate::Stop;
use crate::shared::corpus::{Data, read_pages};
use crate::shared::report::{Results, median, table};
use dehusk::dom::{Document, NodeId, Parser};
use dehusk::layout::{Color, Layout, body_elements};
use dehusk_papers::layout::estimate;
use dehusk_papers::pagelevel::{MIN_AREA, PageLevelModel};
use std::time::{Duration, Instant};

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let model = PageLevelModel::builtin();
    let (mut agreement, mut colors, mut cost) = (Vec::new(), Vec::new(), Vec::new());
    for part in PARTS {
        let pages = read_part(data, part)?;
        agreement.push(agree(part, &pages, model));
        colors.push(agree_on_colors(part, &pages));
        for (name, measured) in [("estimated", false), ("Chromium's", true)] {
            let scored = score_all(&pages, model.penalty(), measured);
            let mut row = vec![part.to_string(), name.to_string()];
            row.extend(find(&pages, &scored, true, model.threshold()).pooled().iter().map(|f| format!("{f:.3}")));
            cost.push(row);
        }
    }
    let mut body = String::from(
        "## Agreement\n\nElements with a visible area in Chromium; rank correlation (Spearman) within a page, median over pages. Our \
         pages come without their linked style sheets; Chromium had them. Bands are the area bands of the model. Scored nodes have at \
         least 2,000 px².\n\n",
    );
    let head = ["pages", "elements", "area", "top", "left", "width", "same band", "same choice of scored nodes"];
    body += &table(&head, &agreement);
    body += "\n## Colours\n\nThe same elements. Colours are close if their distance in RGB is below 0.1 (black and white: 1). Only elements whose \
         colour is not the default, black on white, count as coloured.\n\n";
    body += &table(
        &[
            "pages",
            "same text colour",
            "close",
            "same background",
            "close",
            "coloured: close text",
            "coloured: close background",
        ],
        &colors,
    );
    body += "\n## Effect on PageLevel\n\nF1 of template words, anchor words and links, with a model trained on estimated boxes.\n\n";
    body += &table(&["pages", "layout", "words", "anchor words", "links"], &cost);
    body += "\n## Time\n\n";
    body += &time(data)?;
    results.publish("layout", "Layout", "segments, sites", &body)
}

/// Agreement of estimated and measured boxes of a set.
fn agree(part: &str, pages: &[HandLabelled], model: &PageLevelModel) -> Vec<String> {
    let mut columns: [Vec<f64>; 4] = Default::default();
    let (mut elements, mut same_band, mut alike, mut compared) = (0, 0, 0, 0);
    for page in pages {
        let estimated = estimate(&page.document);
        let ids = shown_in_both(page, &estimated);
        elements += ids.len();
        let value = |layout: &Layout, id: NodeId, column: usize| {
            let at = layout.node(id);
            [at.area(), at.y, at.x, at.width][column]
        };
        for (column, sums) in columns.iter_mut().enumerate() {
            let one: Vec<f32> = ids.iter().map(|id| value(&estimated, *id, column)).collect();
            let two: Vec<f32> = ids.iter().map(|id| value(&page.measured, *id, column)).collect();
            sums.push(spearman(&one, &two));
        }
        for id in &ids {
            let (one, two) = (estimated.node(*id).area(), page.measured.node(*id).area());
            alike += usize::from((one >= MIN_AREA) == (two >= MIN_AREA));
            if two >= MIN_AREA {
                compared += 1;
                same_band += usize::from(model.band(one) == model.band(two));
            }
        }
    }
    let mut row = vec![part.to_string(), elements.to_string()];
    row.extend(columns.into_iter().map(|column| format!("{:.3}", median(column))));
    row.push(format!("{:.1} %", 100.0 * same_band as f64 / compared.max(1) as f64));
    row.push(format!("{:.1} %", 100.0 * alike as f64 / elements.max(1) as f64));
    row
}

/// The elements with an area in Chromium that are also shown in the estimate.
fn shown_in_both(page: &HandLabelled, estimated: &Layout) -> Vec<NodeId> {
    body_elements(&page.document)
        .into_iter()
        .filter(|id| page.measured.node(*id).area() > 0.0 && estimated.node(*id).visible)
        .collect()
}

/// The distance below which two colours are close.
const CLOSE: f32 = 0.1;

/// The shares of elements with the same and with close colours.
fn agree_on_colors(part: &str, pages: &[HandLabelled]) -> Vec<String> {
    // For the text and the background: all elements, those that agree, those that are close, and of the coloured ones all and the close.
    let mut counts = [[0_usize; 5]; 2];
    for page in pages {
        let estimated = estimate(&page.document);
        for id in shown_in_both(page, &estimated) {
            let (one, two) = (estimated.node(id), page.measured.node(id));
            let pairs = [(one.color, two.color, Color::BLACK), (one.background, two.background, Color::WHITE)];
            for (count, (one, two, default)) in counts.iter_mut().zip(pairs) {
                let is_close = one.distance(two) < CLOSE;
                let is_colored = two != default;
                for (count, holds) in
                    count.iter_mut().zip([true, one == two, is_close, is_colored, is_colored && is_close])
                {
                    *count += usize::from(holds);
                }
            }
        }
    }
    let [text, background] = counts;
    let share = |count: usize, of: usize| format!("{:.1} %", 100.0 * count as f64 / of.max(1) as f64);
    let mut row = vec![part.to_string()];
    for count in [text, background] {
        row.extend([share(count[1], count[0]), share(count[2], count[0])]);
    }
    row.extend([text, background].map(|count| share(count[4], count[3])));
    row
}

/// The rank correlation of two columns; equal values share their mean rank.
fn spearman(one: &[f32], two: &[f32]) -> f64 {
    let (one, two) = (ranks(one), ranks(two));
    let count = one.len() as f64;
    let mean = (count - 1.0) / 2.0;
    let product: f64 = one.iter().zip(&two).map(|(one, two)| (one - mean) * (two - mean)).sum();
    let square = |ranks: &[f64]| ranks.iter().map(|rank| (rank - mean).powi(2)).sum::<f64>();
    product / (square(&one) * square(&two)).sqrt().max(1e-9)
}

fn ranks(values: &[f32]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, two| values[*one].total_cmp(&values[*two]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let mut end = start;
        while end < order.len() && values[order[end]] == values[order[start]] {
            end += 1;
        }
        for place in &order[start..end] {
            ranks[*place] = (start + end - 1) as f64 / 2.0;
        }
        start = end;
    }
    ranks
}

/// Pages of each site that are timed.
const TIMED_PAGES: usize = 10;

/// Time of parsing and of estimating, one thread.
fn time(data: &Data) -> Result<String, Stop> {
    let mut parser = Parser::default();
    let (mut parsing, mut estimating) = (Duration::ZERO, Duration::ZERO);
    let (mut nodes, mut pages) = (0, 0);
    for file in data.list("sites", ".jsonl.zst")? {
        let mut left = TIMED_PAGES;
        let mut timed = |html: &str| -> Option<()> {
            left = left.checked_sub(1)?;
            let start = Instant::now();
            let document: Document = parser.parse(html).ok()?;
            parsing += start.elapsed();
            let start = Instant::now();
            std::hint::black_box(estimate(&document));
            estimating += start.elapsed();
            nodes += document.len();
            pages += 1;
            Some(())
        };
        read_pages(&file, |_, html| {
            let _ = timed(&html);
        })?;
    }
    let row = vec![
        pages.to_string(),
        nodes.to_string(),
        format!("{:.2}", estimating.as_secs_f64() * 1e6 / nodes.max(1) as f64),
        format!("{:.2}", estimating.as_secs_f64() / parsing.as_secs_f64().max(1e-9)),
    ];
    Ok(table(&["pages", "nodes", "µs per node", "× parsing"], &[row]))
}
