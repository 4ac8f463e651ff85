//! What the experiments of a paper write: Markdown and pictures.

use std::fmt::Write as _;

/// What a paper's experiments write to.
#[derive(Default)]
pub(crate) struct Section {
    pub(super) text: String,
    /// File name and SVG.
    pub(super) plots: Vec<(String, String)>,
}

impl Section {
    /// Appends Markdown, followed by an empty line.
    pub(crate) fn write(&mut self, markdown: &str) {
        let _ = writeln!(self.text, "{}\n", markdown.trim_end());
    }

    /// Appends a heading, usually the number of a table or figure and what it shows.
    pub(crate) fn heading(&mut self, heading: &str) {
        self.write(&format!("### {heading}"));
    }

    /// Appends a picture. `name` is unique among all papers, in lower case with hyphens.
    pub(crate) fn plot(&mut self, name: &str, caption: &str, svg: String) {
        let file = format!("papers-{name}.svg");
        self.write(&format!("![{caption}]({file})"));
        self.plots.push((file, svg));
    }
}
