//! The template file of a site.
//!
//! Version 1 has the counts of SITELEVEL only (`sitelevel_template.rs`). Version 2 begins in the same way and
//! continues with a block of lines for each page group and, if learning is to continue later, the sample pages. Both
//! are plain text, sorted, with a checksum; the same pages give the same bytes. Some keywords are older than the
//! names in the code: `rule` is the combination of detectors, `single` the number of ungrouped pages, `parts` the
//! elements of a shape, `drawing` the skeleton.

use super::align::AlignTemplate;
use super::line_format::{LineReader, append_hashes, damaged, escape_line, parse_hash, unescape_line};
use super::method::{Combination, Method};
use super::page_shape::Shape;
use super::site_templates::{GroupTemplate, SiteTemplates};
use super::sitelevel_template::{CheckedFile, SiteLevelTemplate};
use super::skeleton::{Skeleton, SkeletonLine, SkeletonLineKind};
use super::treemap::TreeMapTemplates;
use crate::error::{Error, ErrorKind};
use std::fmt::Write as _;

const VERSION: u32 = 2;

impl SiteTemplates {
    /// Returns the bytes of a template file.
    pub fn to_bytes(&self) -> Vec<u8> {
        if self.method == Method::SiteLevel && self.groups.is_empty() && self.sample.is_empty() {
            return self.counts.to_bytes();
        }
        let mut out = String::new();
        self.counts.append_header(VERSION, &mut out);
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "method: {}\nrule: {}\ngrouped: {}\nsingle: {}\ntemplates: {}\nsample: {}\n",
            self.method.name(),
            self.combination,
            self.grouped,
            self.single,
            self.groups.len(),
            self.sample.len()
        );
        let agreement: Vec<String> = self.agreement.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let _ = write!(out, "agreement: {}\n\n", agreement.join(", "));
        self.counts.append_entries(&mut out);
        for group in &self.groups {
            group.append_lines(&mut out);
        }
        for (key, source) in &self.sample {
            let _ = write!(out, "page {key:016x} ");
            escape_line(source, &mut out);
            out.push('\n');
        }
        SiteLevelTemplate::append_checksum(&mut out);
        out.into_bytes()
    }

    /// Reads a template file of any version.
    pub fn from_bytes(bytes: &[u8]) -> Result<SiteTemplates, Error> {
        let checked = CheckedFile::read(bytes, &[1, VERSION])?;
        if checked.version == 1 {
            return SiteLevelTemplate::from_bytes(bytes).map(SiteTemplates::from);
        }
        let mut lines = LineReader::new(checked.body);
        let counts = SiteLevelTemplate::read_entries(&checked, &mut lines)?;
        let unknown = |what: &str| {
            let message =
                format!("template learned with {what} {:.40}, which this program does not know", checked.field(what));
            Error::new(ErrorKind::Incompatible, message)
        };
        let mut site = SiteTemplates {
            counts,
            method: checked.field("method").parse().map_err(|_| unknown("method"))?,
            combination: Combination::of_name(checked.field("rule")).ok_or_else(|| unknown("rule"))?,
            grouped: checked.number("grouped")?,
            single: checked.number("single")?,
            ..SiteTemplates::default()
        };
        for part in checked.field("agreement").split(", ").filter(|part| !part.is_empty()) {
            let read = part
                .rsplit_once(' ')
                .and_then(|(name, value)| Some((Combination::of_name(name)?, value.parse().ok()?)));
            site.agreement.push(read.ok_or_else(|| damaged("`agreement` is damaged"))?);
        }
        for _ in 0..checked.number("templates")? {
            let mut group = GroupTemplate::read_lines(&mut lines)?;
            (group.trees.rules, group.tokens.rules) = (site.method.rules(), site.method.rules());
            site.groups.push(group);
        }
        for _ in 0..checked.number("sample")? {
            let page = lines.expect("page")?.split_once(' ');
            let page = page.and_then(|(key, source)| Some((parse_hash(key)?, unescape_line(source))));
            site.sample.push(page.ok_or_else(|| damaged("a page is damaged"))?);
        }
        match lines.next() {
            None => Ok(site),
            Some(_) => Err(damaged("it has more entries than its header says")),
        }
    }
}

impl GroupTemplate {
    fn append_lines(&self, out: &mut String) {
        let _ = writeln!(out, "template {} {} {}", self.pages, self.usual_fit, self.min_fit);
        out.push_str("parts");
        for (part, weight) in &self.core.elements {
            let _ = write!(out, " {part:016x}:{weight}");
        }
        out.push('\n');
        append_hashes("texts", &self.core.texts, out);
        self.trees.append_lines(out);
        self.tokens.append_lines(out);
        let _ = writeln!(out, "drawing {} {}", self.skeleton.lines.len(), self.skeleton.truncated as u32);
        for part in &self.skeleton.lines {
            let SkeletonLine { depth, kind, support, name, text } = part;
            // Names of elements contain no white space.
            let name = if name.is_empty() { "-".to_string() } else { name.replace(char::is_whitespace, "_") };
            let _ = write!(out, "draw {depth} {} {support} {name} ", kind.name());
            escape_line(text, out);
            out.push('\n');
        }
    }

    fn read_lines(lines: &mut LineReader<'_>) -> Result<GroupTemplate, Error> {
        let [pages, usual_fit, min_fit] = lines.numbers("template")?;
        let mut core = Shape::default();
        for word in lines.expect("parts")?.split(' ').filter(|word| !word.is_empty()) {
            let part = word.split_once(':').and_then(|(part, weight)| Some((parse_hash(part)?, weight.parse().ok()?)));
            core.elements.push(part.ok_or_else(|| damaged("a part is damaged"))?);
        }
        core.texts = lines.hashes("texts")?;
        if !core.elements.is_sorted() || !core.texts.is_sorted() {
            return Err(damaged("parts are not sorted"));
        }
        let trees = TreeMapTemplates::read_lines(lines)?;
        let tokens = AlignTemplate::read_lines(lines)?;
        let [count, truncated] = lines.numbers("drawing")?;
        let mut skeleton = Skeleton { lines: Vec::new(), truncated: truncated != 0 };
        for _ in 0..count {
            let part = parse_skeleton_line(lines.expect("draw")?);
            skeleton.lines.push(part.ok_or_else(|| damaged("a drawing is damaged"))?);
        }
        Ok(GroupTemplate { pages, core, usual_fit, min_fit, trees, tokens, skeleton })
    }
}

fn parse_skeleton_line(line: &str) -> Option<SkeletonLine> {
    let mut words = line.splitn(5, ' ');
    let depth = words.next()?.parse().ok()?;
    let kind = words.next()?;
    let kind = SkeletonLineKind::ALL.iter().find(|(_, name)| *name == kind)?.0;
    let support = words.next()?.parse().ok()?;
    let name = match words.next()? {
        "-" => String::new(),
        name => name.to_string(),
    };
    Some(SkeletonLine { depth, kind, support, name, text: unescape_line(words.next()?) })
}
