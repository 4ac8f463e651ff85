//! The file of all that is known of a site.
//!
//! Version 1 holds counts only and is what SITELEVEL writes (`template.rs`). Version 2 begins in the same way and goes
//! on with a block of lines for each kind of page and, where learning is to go on, the pages kept for it. Both are plain
//! text, sorted, with a checksum, and the same pages give the same bytes.

use super::align::AlignTemplate;
use super::lines::{Lines, append_hashes, damaged, escape, hash, unescape};
use super::method::{Method, Rule};
use super::shape::Shape;
use super::skeleton::{Part, PartKind, Skeleton};
use super::template::{Checked, SiteTemplate};
use super::templates::{KindTemplate, SiteTemplates};
use super::treemap::TreeMapTemplates;
use crate::error::{Error, ErrorKind};
use std::fmt::Write as _;

const VERSION: u32 = 2;

impl SiteTemplates {
    /// The bytes of a template file.
    pub fn to_bytes(&self) -> Vec<u8> {
        if self.method == Method::SiteLevel && self.kinds.is_empty() && self.sample.is_empty() {
            return self.counts.to_bytes();
        }
        let mut out = String::new();
        self.counts.append_head(VERSION, &mut out);
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "method: {}\nrule: {}\ngrouped: {}\nsingle: {}\ntemplates: {}\nsample: {}\n",
            self.method.name(),
            self.rule,
            self.grouped,
            self.single,
            self.kinds.len(),
            self.sample.len()
        );
        let agreement: Vec<String> = self.agreement.iter().map(|(rule, value)| format!("{rule} {value}")).collect();
        let _ = write!(out, "agreement: {}\n\n", agreement.join(", "));
        self.counts.append_entries(&mut out);
        for kind in &self.kinds {
            kind.append_lines(&mut out);
        }
        for (key, source) in &self.sample {
            let _ = write!(out, "page {key:016x} ");
            escape(source, &mut out);
            out.push('\n');
        }
        SiteTemplate::append_checksum(&mut out);
        out.into_bytes()
    }

    /// Reads a template file of any version.
    pub fn from_bytes(bytes: &[u8]) -> Result<SiteTemplates, Error> {
        let checked = Checked::read(bytes, &[1, VERSION])?;
        if checked.version == 1 {
            return SiteTemplate::from_bytes(bytes).map(SiteTemplates::from);
        }
        let mut lines = Lines::new(checked.body);
        let counts = SiteTemplate::read_entries(&checked, &mut lines)?;
        let unknown = |what: &str| {
            let message =
                format!("template learned with {what} {:.40}, which this program does not know", checked.field(what));
            Error::new(ErrorKind::Incompatible, message)
        };
        let mut site = SiteTemplates {
            counts,
            method: Method::of_name(checked.field("method")).ok_or_else(|| unknown("method"))?,
            rule: Rule::of_name(checked.field("rule")).ok_or_else(|| unknown("rule"))?,
            grouped: checked.number("grouped")?,
            single: checked.number("single")?,
            ..SiteTemplates::default()
        };
        for part in checked.field("agreement").split(", ").filter(|part| !part.is_empty()) {
            let read =
                part.rsplit_once(' ').and_then(|(rule, value)| Some((Rule::of_name(rule)?, value.parse().ok()?)));
            site.agreement.push(read.ok_or_else(|| damaged("`agreement` is damaged"))?);
        }
        for _ in 0..checked.number("templates")? {
            site.kinds.push(KindTemplate::read_lines(&mut lines)?);
        }
        for _ in 0..checked.number("sample")? {
            let page = lines.expect("page")?.split_once(' ');
            let page = page.and_then(|(key, source)| Some((hash(key)?, unescape(source))));
            site.sample.push(page.ok_or_else(|| damaged("a page is damaged"))?);
        }
        match lines.next() {
            None => Ok(site),
            Some(_) => Err(damaged("it holds more than it says")),
        }
    }
}

impl KindTemplate {
    fn append_lines(&self, out: &mut String) {
        let _ = writeln!(out, "template {} {} {}", self.pages, self.usual_fit, self.least_fit);
        out.push_str("parts");
        for (part, weight) in &self.core.parts {
            let _ = write!(out, " {part:016x}:{weight}");
        }
        out.push('\n');
        append_hashes("texts", &self.core.texts, out);
        self.trees.append_lines(out);
        self.tokens.append_lines(out);
        let _ = writeln!(out, "drawing {} {}", self.skeleton.parts.len(), self.skeleton.cut as u32);
        for part in &self.skeleton.parts {
            let Part { depth, kind, support, name, text } = part;
            // Names of elements hold no white space.
            let name = if name.is_empty() { "-".to_string() } else { name.replace(char::is_whitespace, "_") };
            let _ = write!(out, "draw {depth} {} {support} {name} ", kind.name());
            escape(text, out);
            out.push('\n');
        }
    }

    fn read_lines(lines: &mut Lines<'_>) -> Result<KindTemplate, Error> {
        let [pages, usual_fit, least_fit] = lines.numbers("template")?;
        let mut core = Shape::default();
        for word in lines.expect("parts")?.split(' ').filter(|word| !word.is_empty()) {
            let part = word.split_once(':').and_then(|(part, weight)| Some((hash(part)?, weight.parse().ok()?)));
            core.parts.push(part.ok_or_else(|| damaged("a part is damaged"))?);
        }
        core.texts = lines.hashes("texts")?;
        if !core.parts.is_sorted() || !core.texts.is_sorted() {
            return Err(damaged("parts are not in order"));
        }
        let trees = TreeMapTemplates::read_lines(lines)?;
        let tokens = AlignTemplate::read_lines(lines)?;
        let [count, cut] = lines.numbers("drawing")?;
        let mut skeleton = Skeleton { parts: Vec::new(), cut: cut != 0 };
        for _ in 0..count {
            let part = drawn(lines.expect("draw")?);
            skeleton.parts.push(part.ok_or_else(|| damaged("a drawing is damaged"))?);
        }
        Ok(KindTemplate { pages, core, usual_fit, least_fit, trees, tokens, skeleton })
    }
}

fn drawn(line: &str) -> Option<Part> {
    let mut words = line.splitn(5, ' ');
    let depth = words.next()?.parse().ok()?;
    let kind = words.next()?;
    let kind = PartKind::ALL.iter().find(|(_, name)| *name == kind)?.0;
    let support = words.next()?.parse().ok()?;
    let name = match words.next()? {
        "-" => String::new(),
        name => name.to_string(),
    };
    Some(Part { depth, kind, support, name, text: unescape(words.next()?) })
}
