//! The results as tables.

use super::pages::Pages;
use super::score::Score;
use super::{LIBRARY, PROGRAM, Row, System};
use crate::shared::report::table;
use std::fmt::Write;

/// All tables of a run.
pub(super) fn render(systems: &[System], pages: &Pages) -> String {
    let rows: Vec<&Row> = systems.iter().filter_map(|system| system.row.as_ref().ok()).collect();
    let mut out = overall(systems);
    if systems.iter().any(is_fitted_here) {
        out.push_str(FITTED_HERE);
    }
    for (title, figure) in [
        ("F1", (|score| score.f1) as fn(&Score) -> f64),
        ("Precision", |score| score.precision),
        ("Recall", |score| score.recall),
    ] {
        let _ = write!(out, "\n## {title} by page type\n\n{}", by_type(systems, pages, figure));
    }
    let _ = write!(out, "\n## Speed and memory\n\n{}", speed(systems, pages));
    if rows.iter().any(|row| !row.failed.is_empty()) {
        let _ = write!(out, "\n## Pages without a text\n\n{}", failures(systems));
    }
    out
}

const FITTED_HERE: &str = "\n\\* The shipped model was fitted on these very pages, so its figures here say nothing about other pages. \
                           Compare the row given with `--predictions`: texts of models that had not seen the site of the page.\n";

/// Whether the model of an extractor was fitted on these pages.
fn is_fitted_here(system: &System) -> bool {
    system.gives_text && [LIBRARY, PROGRAM].contains(&system.name.as_str())
}

/// The name of an extractor, with a star if it was fitted on these pages.
fn marked(system: &System) -> String {
    if is_fitted_here(system) { format!("{} \\*", system.name) } else { system.name.clone() }
}

fn overall(systems: &[System]) -> String {
    let rows: Vec<Vec<String>> = systems
        .iter()
        .filter(|system| system.gives_text)
        .map(|system| {
            let mut cells = vec![marked(system), system.version.clone()];
            match &system.row {
                Ok(row) => {
                    let mean = Score::mean(row.scores.iter());
                    let figures = [mean.f1, mean.precision, mean.recall, mean.with, mean.without];
                    cells.extend(figures.map(|figure| format!("{figure:.4}")));
                    cells.push(row.failed.len().to_string());
                }
                Err(reason) => cells.push(format!("absent: {}", reason.replace('|', "/"))),
            }
            cells.resize(8, String::new());
            cells
        })
        .collect();
    let head = ["extractor", "version", "F1", "precision", "recall", "with", "without", "pages without text"];
    table(&head, &rows)
}

pub(super) fn by_type(systems: &[System], pages: &Pages, figure: fn(&Score) -> f64) -> String {
    let types = pages.types();
    let mut head = vec!["extractor".to_string()];
    head.extend(types.iter().map(|(name, count)| format!("{name} ({count})")));
    let mut rows = Vec::new();
    for system in systems.iter().filter(|system| system.gives_text) {
        let Ok(row) = &system.row else { continue };
        let mut cells = vec![marked(system)];
        for (name, _) in &types {
            let of_type = row.scores.iter().zip(&pages.truths).filter(|(_, truth)| truth.page_type == *name);
            cells.push(format!("{:.3}", figure(&Score::mean(of_type.map(|(score, _)| score)))));
        }
        rows.push(cells);
    }
    table(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows)
}

fn speed(systems: &[System], pages: &Pages) -> String {
    let (count, megabytes) = (pages.truths.len() as f64, pages.bytes as f64 / 1e6);
    let parse = systems.iter().find(|system| !system.gives_text).and_then(|system| system.row.as_ref().ok());
    let parse = parse.map(Row::median_seconds);
    let mut rows = Vec::new();
    for system in systems {
        let Ok(row) = &system.row else { continue };
        if row.seconds.is_empty() {
            continue;
        }
        let seconds = row.median_seconds();
        let least = row.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = row.seconds.iter().copied().fold(0.0, f64::max);
        rows.push(vec![
            system.name.clone(),
            format!("{seconds:.2}"),
            if row.seconds.len() > 1 { format!("{least:.2} to {most:.2}") } else { "one round".into() },
            format!("{:.0}", count / seconds),
            format!("{:.1}", megabytes / seconds),
            parse.map_or_else(String::new, |parse| format!("{:.2}", seconds / parse)),
            row.peak.map_or_else(String::new, |peak| format!("{:.0}", peak as f64 / 1e6)),
        ]);
    }
    let head = ["extractor", "CPU s", "range", "pages/s", "MB/s", "× our parsing", "peak MB"];
    table(&head, &rows)
}

/// How many pages have no text, and the reasons, the most frequent first.
fn failures(systems: &[System]) -> String {
    let mut rows = Vec::new();
    for system in systems {
        let Ok(row) = &system.row else { continue };
        let mut reasons: Vec<(String, usize)> = Vec::new();
        for (_, reason) in &row.failed {
            let reason: String = reason.replace(['|', '\n'], " ").chars().take(90).collect();
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason, 1)),
            }
        }
        reasons.sort_by(|one, two| two.1.cmp(&one.1).then(one.0.cmp(&two.0)));
        for (reason, count) in reasons {
            rows.push(vec![system.name.clone(), count.to_string(), reason]);
        }
    }
    table(&["extractor", "pages", "reason given"], &rows)
}
