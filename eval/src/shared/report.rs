//! Results as Markdown: printed, and written to a file per measurement. Also tables, and the median of figures.

use crate::Stop;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

/// The folder of the results, and the suite that writes to it.
pub(crate) struct Results {
    folder: PathBuf,
    suite: &'static str,
}

impl Results {
    pub(crate) fn new(folder: PathBuf, suite: &'static str) -> Results {
        Results { folder, suite }
    }

    /// Prints a report and writes it to its file, which is named as the measurement.
    pub(crate) fn publish(&self, name: &str, title: &str, corpus: &str, body: &str) -> Result<(), Stop> {
        print!("{body}");
        std::fs::create_dir_all(&self.folder)?;
        let command = self.command(name);
        let text = format!("# {title}\n\n- Date: {}\n- Command: `{command}`\n- Corpus: {corpus}\n\n{body}", today());
        std::fs::write(self.folder.join(format!("{name}.md")), text)?;
        Ok(())
    }

    /// The command that runs a measurement.
    pub(crate) fn command(&self, name: &str) -> String {
        let suite = self.suite;
        let only = if name == suite { String::new() } else { format!(" --only {name}") };
        format!("cargo run --release -p dehusk-eval -- {suite}{only}")
    }

    /// Writes another file next to the reports.
    pub(crate) fn publish_file(&self, name: &str, text: &str) -> Result<(), Stop> {
        std::fs::create_dir_all(&self.folder)?;
        std::fs::write(self.folder.join(name), text)?;
        Ok(())
    }

    /// The last published version of a report, or an empty text.
    pub(crate) fn last(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(format!("{name}.md"))).unwrap_or_default()
    }
}

/// The current date.
fn today() -> String {
    let output = Command::new("date").arg("+%Y-%m-%d").output().ok();
    output.map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// A Markdown table: a header and rows, padded so that it is readable as text.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        for (cell, width) in cells.zip(&widths) {
            let _ = write!(out, "| {cell:width$} ");
        }
        out.push_str("|\n");
    };
    line(&mut head.iter().copied());
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    line(&mut rules.iter().map(String::as_str));
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
    out
}

/// The median of figures, the upper one of an even number; not a number if there are none.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
