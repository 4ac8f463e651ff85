//! What goes to standard error: warnings, notes, progress.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};

/// Says that something went wrong.
pub(crate) fn warn(message: &str) {
    note(&format!("dehusk: {message}"));
}

/// Says something.
pub(crate) fn note(message: &str) {
    // Nothing is left to do where even standard error is closed.
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// A progress bar that shows only on a terminal or when asked for.
pub(crate) fn progress(pages: usize, wanted: bool) -> ProgressBar {
    if !(wanted || std::io::stderr().is_terminal()) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(pages as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} pages, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// A progress bar over the bytes of a crawl.
pub(crate) fn byte_progress(bytes: Option<u64>, wanted: bool) -> ProgressBar {
    let bar = progress(0, wanted);
    let template = match bytes {
        Some(bytes) => {
            bar.set_length(bytes);
            "{prefix} {bar:24} {percent} %, {msg}, {eta} left"
        }
        None => "{prefix} {spinner} {msg}, {elapsed}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
