//! Plots as SVG: lines over two axes, and bars.

use std::fmt::Write as _;

/// A line of a plot: its name and its points.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// An axis: its name, where it starts and ends.
pub(crate) struct Axis {
    pub(crate) name: &'static str,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 20.0;
/// Colours for colour-blind readers (Okabe and Ito), each with its own dashes.
const STROKES: [(&str, &str); 6] = [
    ("#0072b2", ""),
    ("#d55e00", "7 3"),
    ("#009e73", "2 2"),
    ("#cc79a7", "9 3 2 3"),
    ("#000000", "4 4"),
    ("#e69f00", "1 3"),
];

/// The width of the legend beside the plot.
const LEGEND: f64 = 230.0;

/// A plot of lines.
pub(crate) fn plot(title: &str, x: &Axis, y: &Axis, lines: &[Line]) -> String {
    let ticks: Vec<(f64, String)> = (0..=5)
        .map(|step| x.from + f64::from(step) / 5.0 * (x.to - x.from))
        .map(|value| (value, format!("{value:.*}", decimals(x))))
        .collect();
    plot_with_ticks(title, x, &ticks, y, lines)
}

/// Shares have two decimals, counts none.
fn decimals(axis: &Axis) -> usize {
    if axis.to - axis.from > 10.0 { 0 } else { 2 }
}

/// The same with marks on the x axis: where they are, and what is written there.
pub(crate) fn plot_with_ticks(title: &str, x: &Axis, ticks: &[(f64, String)], y: &Axis, lines: &[Line]) -> String {
    let right = RIGHT + LEGEND;
    let to_x = |value: f64| LEFT + (value - x.from) / (x.to - x.from) * (WIDTH - LEFT - right);
    let to_y = |value: f64| HEIGHT - BOTTOM - (value - y.from) / (y.to - y.from) * (HEIGHT - BOTTOM - TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"22\" text-anchor=\"middle\" font-size=\"14\">{title}</text>\n",
        WIDTH / 2.0
    );
    for (value, label) in ticks {
        let _ = writeln!(
            out,
            "<path d=\"M{0:.1} {TOP:.1}V{1:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{0:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">{label}</text>",
            to_x(*value),
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 16.0,
        );
    }
    let decimals = decimals(y);
    for step in 0..=5 {
        let value = y.from + f64::from(step) / 5.0 * (y.to - y.from);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT:.1} {0:.1}H{1:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{2:.1}\" y=\"{3:.1}\" text-anchor=\"end\">{value:.decimals$}</text>",
            to_y(value),
            WIDTH - right,
            LEFT - 6.0,
            to_y(value) + 4.0,
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (LEFT + WIDTH - right) / 2.0,
        HEIGHT - 12.0,
        x.name,
        (TOP + HEIGHT - BOTTOM) / 2.0,
        y.name
    );
    for (number, line) in lines.iter().enumerate() {
        // Beyond the colours there are, each comes again with the dashes of the next.
        let round = number / STROKES.len();
        let (color, dashes) = (STROKES[number % STROKES.len()].0, STROKES[(number + round) % STROKES.len()].1);
        let inside = |point: &&(f64, f64)| (x.from..=x.to).contains(&point.0) && (y.from..=y.to).contains(&point.1);
        let points: Vec<String> =
            line.points.iter().filter(inside).map(|(x, y)| format!("{:.1},{:.1}", to_x(*x), to_y(*y))).collect();
        let (legend, legend_x) = (TOP + 8.0 + 18.0 * number as f64, WIDTH - right + 12.0);
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\" stroke-dasharray=\"{dashes}\"/>\n\
             <path d=\"M{:.1} {legend:.1}h26\" stroke=\"{color}\" stroke-width=\"1.8\" stroke-dasharray=\"{dashes}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            points.join(" "),
            legend_x,
            legend_x + 32.0,
            legend + 4.0,
            line.name
        );
    }
    out + "</svg>\n"
}

/// A plot of bars from 0 to 1: groups of one bar for each of the names.
pub(crate) fn bars(title: &str, y_name: &str, names: &[&str], groups: &[(&str, Vec<f64>)]) -> String {
    let to_y = |value: f64| HEIGHT - BOTTOM - value.clamp(0.0, 1.0) * (HEIGHT - BOTTOM - TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{:.1}\" y=\"22\" text-anchor=\"middle\" font-size=\"14\">{title}</text>\n\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{y_name}</text>\n",
        WIDTH / 2.0,
        (TOP + HEIGHT - BOTTOM) / 2.0
    );
    for step in 0..=5 {
        let value = f64::from(step) / 5.0;
        let at = to_y(value);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#ddd\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.1}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    let group_width = (WIDTH - LEFT - RIGHT) / groups.len().max(1) as f64;
    let bar_width = group_width * 0.8 / names.len().max(1) as f64;
    for (place, (group, values)) in groups.iter().enumerate() {
        let left = LEFT + group_width * (place as f64 + 0.1);
        for (number, value) in values.iter().enumerate() {
            let (x, top) = (left + bar_width * number as f64, to_y(*value));
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value:.2}</text>",
                bar_width * 0.9,
                HEIGHT - BOTTOM - top,
                STROKES[number % STROKES.len()].0,
                x + bar_width * 0.45,
                top - 4.0
            );
        }
        let middle = left + group_width * 0.4;
        let _ = writeln!(
            out,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{group}</text>",
            HEIGHT - BOTTOM + 16.0
        );
    }
    for (number, name) in names.iter().enumerate() {
        let x = LEFT + (WIDTH - LEFT - RIGHT) / names.len() as f64 * number as f64;
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n<text x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            HEIGHT - 22.0,
            STROKES[number % STROKES.len()].0,
            x + 18.0,
            HEIGHT - 12.0
        );
    }
    out + "</svg>\n"
}
