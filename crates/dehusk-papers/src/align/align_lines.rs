//! Writes an Align template as lines of a template file, and reads it back.

use super::align_learner::AlignTemplate;
use dehusk::Error;
use dehusk::site::{LineReader, append_hashes, damaged, parse_hash};
use std::fmt::Write as _;

impl AlignTemplate {
    /// Appends the lines of the template. The keyword `places` is older than the word slots.
    pub(crate) fn append_lines(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "align {} {}", self.pages(), self.is_partial() as u32);
        out.push_str("tokens");
        for (token, count) in self.tokens().iter().zip(self.counts()) {
            let _ = write!(out, " {token:016x}:{count}");
        }
        out.push('\n');
        append_hashes("places", self.slots(), out);
    }

    /// Reads the lines of a template.
    pub(crate) fn read_lines(lines: &mut LineReader<'_>) -> Result<AlignTemplate, Error> {
        let [pages, partial] = lines.numbers("align")?;
        let (mut tokens, mut counts) = (Vec::new(), Vec::new());
        for word in lines.expect("tokens")?.split(' ').filter(|word| !word.is_empty()) {
            let read = word.split_once(':').and_then(|(token, count)| Some((parse_hash(token)?, count.parse().ok()?)));
            let (token, count): (u64, u32) = read.ok_or_else(|| damaged("a token cannot be parsed"))?;
            tokens.push(token);
            counts.push(count);
        }
        let mut slots = lines.hashes("places")?;
        slots.sort_unstable();
        Ok(AlignTemplate::restored(tokens, counts, pages, partial != 0, slots))
    }
}
