//! The template file of a site.
//!
//! Version 1 has the counts of SITELEVEL only (`sitelevel_template.rs`). Version 2 begins in the same way and
//! continues with a block of lines for each page kind and, if learning is to continue later, the sample pages. Both
//! are plain text, sorted, with a checksum; the same pages give the same bytes. Some keywords are older than the
//! names in the code: `rule` is the combination of detectors, `grouped` the number of sample pages, `single` that of pages of no kind, `parts` the
//! elements of a shape, `drawing` the skeleton.

use super::line_format::{LineReader, append_hashes, damaged, escape_line, parse_hash, unescape_line};
use super::site_method::SiteMethod;
use super::site_templates::{KindTemplate, NamedTemplate, SiteTemplates};
use super::sitelevel_template::{CheckedFile, SiteLevelTemplate};
use crate::error::{Error, ErrorKind};
use crate::site::learn::page_shape::Shape;
use crate::site::learn::skeleton::{Skeleton, SkeletonLine, SkeletonLineKind};
use std::fmt::Write as _;

/// Version 3 has a line `method NAME` before the lines of each template, and only those that were learned.
const VERSION: u32 = 3;
/// Version 2 has lines for these two methods in every kind, in this order, also where nothing was learned.
const VERSION_2: u32 = 2;
const METHODS_OF_VERSION_2: [&str; 2] = ["treemap", "align"];

impl SiteTemplates {
    /// Returns the bytes of a template file.
    pub fn to_bytes(&self) -> Vec<u8> {
        if self.method.is_counts() && self.kinds.is_empty() && self.sample.is_empty() {
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
            self.in_sample,
            self.of_no_kind,
            self.kinds.len(),
            self.sample.len()
        );
        let agreement: Vec<String> = self.agreement.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let _ = write!(out, "agreement: {}\n\n", agreement.join(", "));
        self.counts.append_entries(&mut out);
        for kind in &self.kinds {
            kind.append_lines(&mut out);
        }
        for (key, source) in &self.sample {
            let _ = write!(out, "page {key:016x} ");
            escape_line(source, &mut out);
            out.push('\n');
        }
        SiteLevelTemplate::append_checksum(&mut out);
        out.into_bytes()
    }

    /// Reads a template file of any version that was learned with one of these methods.
    ///
    /// # Errors
    /// If the file is damaged, or was learned with a method that is not among these.
    pub fn from_bytes(bytes: &[u8], methods: &[SiteMethod]) -> Result<SiteTemplates, Error> {
        let checked = CheckedFile::read(bytes, &[1, VERSION_2, VERSION])?;
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
        let method = methods
            .iter()
            .find(|method| method.name() == checked.field("method"))
            .ok_or_else(|| unknown("method"))?
            .clone();
        // The older version wrote `treemap` for `treemap-paper`.
        let combination = match method.chooses() {
            true => method.combination_named(checked.field("rule")).ok_or_else(|| unknown("rule"))?,
            false => method.combination(),
        };
        let mut site = SiteTemplates {
            counts,
            combination,
            method,
            in_sample: checked.number("grouped")?,
            of_no_kind: checked.number("single")?,
            ..SiteTemplates::default()
        };
        for part in checked.field("agreement").split(", ").filter(|part| !part.is_empty()) {
            let read = part
                .rsplit_once(' ')
                .and_then(|(name, value)| Some((site.method.combination_named(name)?, value.parse().ok()?)));
            site.agreement.push(read.ok_or_else(|| damaged("`agreement` is damaged"))?);
        }
        for _ in 0..checked.number("templates")? {
            let kind = KindTemplate::read_lines(&mut lines, &site.method, checked.version)?;
            site.kinds.push(kind);
        }
        for _ in 0..checked.number("sample")? {
            let page = lines.expect("page")?.split_once(' ');
            let page = page.and_then(|(key, source)| Some((parse_hash(key)?, unescape_line(source))));
            site.sample.push(page.ok_or_else(|| damaged("a page is damaged"))?);
        }
        match lines.next_line() {
            None => Ok(site),
            Some(_) => Err(damaged("it has more entries than its header says")),
        }
    }
}

impl KindTemplate {
    fn append_lines(&self, out: &mut String) {
        let _ = writeln!(out, "template {} {} {}", self.pages, self.usual_fit, self.min_fit);
        out.push_str("parts");
        for (part, weight) in &self.core.elements {
            let _ = write!(out, " {part:016x}:{weight}");
        }
        out.push('\n');
        append_hashes("texts", &self.core.texts, out);
        for NamedTemplate { method, template } in &self.templates {
            let _ = writeln!(out, "method {method}");
            template.append_lines(out);
        }
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

    fn read_lines(lines: &mut LineReader<'_>, method: &SiteMethod, version: u32) -> Result<KindTemplate, Error> {
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
        let templates = match version {
            VERSION_2 => read_templates_of_version_2(lines, method)?,
            _ => read_templates(lines, method)?,
        };
        let [count, truncated] = lines.numbers("drawing")?;
        let mut skeleton = Skeleton { lines: Vec::new(), truncated: truncated != 0 };
        for _ in 0..count {
            let part = parse_skeleton_line(lines.expect("draw")?);
            skeleton.lines.push(part.ok_or_else(|| damaged("a drawing is damaged"))?);
        }
        Ok(KindTemplate { pages, core, usual_fit, min_fit, templates, skeleton })
    }
}

/// Reads the templates of one kind, each after a line with its method.
fn read_templates(lines: &mut LineReader<'_>, method: &SiteMethod) -> Result<Vec<NamedTemplate>, Error> {
    let mut templates = Vec::new();
    while let Some(name) = lines.next_if("method") {
        let known = method.templates().iter().find(|method| method.name() == name);
        let known = known.ok_or_else(|| damaged("it has templates of a method that it was not learned with"))?;
        templates.push(NamedTemplate { method: known.name(), template: known.read(lines)? });
    }
    Ok(templates)
}

/// Reads the templates of one kind as version 2 has them, and skips those that were not learned.
fn read_templates_of_version_2(lines: &mut LineReader<'_>, method: &SiteMethod) -> Result<Vec<NamedTemplate>, Error> {
    let mut templates = Vec::new();
    for keyword in METHODS_OF_VERSION_2 {
        // The variants of the papers have the same lines.
        let is_known = |name: &str| name.strip_suffix("-paper").unwrap_or(name) == keyword;
        match method.templates().iter().find(|method| is_known(method.name())) {
            Some(known) => templates.push(NamedTemplate { method: known.name(), template: known.read(lines)? }),
            None => {
                lines.skip_until(&METHODS_OF_VERSION_2.map(|other| if other == keyword { "drawing" } else { other }))
            }
        }
    }
    Ok(templates)
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
