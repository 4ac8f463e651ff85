//! One page in, one line of JSON out.

use super::progress::RecordOutcome;
use super::record_columns::{PageFields, RecordColumns, Row};
use super::tally::PageTally;
use crate::fault::Fault;
use crate::record::Record;
use dehusk::output::{self, RenderOptions};
use dehusk::{Analysis, Cut, Detector, Extractor, OutputFormat, PageVerdict, Scratch, SiteTemplates};

/// Characters of a sample of what was dropped.
const SAMPLE_CHARACTERS: usize = 240;

/// A line of output and its counts.
pub(super) struct Line {
    pub(super) json: Vec<u8>,
    pub(super) tally: PageTally,
}

impl Line {
    /// Nothing to write: the record does not hold a page.
    pub(super) fn skip() -> Line {
        Line { json: Vec::new(), tally: PageTally::default() }
    }

    pub(super) fn outcome(&self) -> RecordOutcome {
        match (&self.tally.error, self.json.is_empty()) {
            (_, true) => RecordOutcome::Skipped,
            (Some(_), _) => RecordOutcome::Failed,
            (None, _) => RecordOutcome::Done,
        }
    }
}

/// How records are made.
pub(super) struct Recorder<'a> {
    pub(super) extractor: &'a Extractor,
    pub(super) columns: &'a RecordColumns,
    pub(super) format: OutputFormat,
    pub(super) render: RenderOptions,
    /// Whether records include what pages say about themselves.
    pub(super) metadata: bool,
    /// Whether contents become files of their own.
    pub(super) front_matter: bool,
}

impl Recorder<'_> {
    /// Cleans a page.
    pub(super) fn clean(
        &self,
        record: &Record,
        group: String,
        template: Option<&SiteTemplates>,
        scratch: &mut Scratch,
    ) -> Line {
        let tally =
            PageTally { group, address: record.name(), bytes: record.html.len() as u64, ..PageTally::default() };
        match self.extractor.analyze(
            &record.html,
            record.content_type.as_deref(),
            template.map(|site| site as &dyn Detector),
            scratch,
        ) {
            Ok(analysis) => self.cleaned(record, template, &analysis, tally),
            Err(error) => self.failed(record, tally, error.kind().name(), &error.to_string()),
        }
    }

    /// The record of a page on which the extractor panicked.
    pub(super) fn panicked(&self, record: &Record, group: String) -> Line {
        let tally =
            PageTally { group, address: record.name(), bytes: record.html.len() as u64, ..PageTally::default() };
        self.failed(record, tally, "internal", "the extractor failed on this page; please report it")
    }

    fn failed(&self, record: &Record, tally: PageTally, kind: &str, message: &str) -> Line {
        let tally = PageTally { error: Some(kind.to_string()), ..tally };
        let json = self.columns.line(&Row {
            id: record.id.as_ref(),
            url: &record.url,
            tally: &tally,
            page: PageFields::default(),
            error_message: Some(message),
            carried: &record.carried,
        });
        Line { json, tally }
    }

    fn cleaned(
        &self,
        record: &Record,
        template: Option<&SiteTemplates>,
        analysis: &Analysis<'_>,
        mut tally: PageTally,
    ) -> Line {
        (tally.characters, tally.dropped) = analysis.characters();
        tally.template_pages = template.map_or(0, |template| template.pages() as u64);
        tally.fit = analysis.detection.fit;
        tally.flags = flags(template.is_some(), record, analysis);
        tally.sample = sample(analysis);
        let mut result = analysis.result(self.format, self.render, self.metadata);
        if let Some(source) = result.fallback {
            // What replaces the visible text is content, too.
            tally.flags.retain(|flag| *flag != "no_content");
            tally.flags.push(source.flag());
        }
        if self.front_matter {
            result = result.with_front_matter(self.format);
        }
        let verdict = analysis.detection.page;
        let page = PageFields {
            title: if self.metadata { None } else { output::title(analysis.page.document) },
            metadata: result.metadata,
            content: Some(result.content),
            confidence: verdict.map(|verdict| verdict.confidence),
            page_type: verdict.and_then(|verdict| verdict.page_type).map(|kind| kind.name()),
            encoding: Some(analysis.page.encoding),
        };
        let json = self.columns.line(&Row {
            id: record.id.as_ref(),
            url: &record.url,
            tally: &tally,
            page,
            error_message: None,
            carried: &record.carried,
        });
        Line { json, tally }
    }
}

/// The record of something that could not be read.
pub(super) fn fault_line(fault: &Fault, columns: &RecordColumns) -> Line {
    let tally = PageTally {
        address: fault.location.to_string(),
        error: Some(fault.kind.name().to_string()),
        ..PageTally::default()
    };
    let json = columns.line(&Row {
        id: None,
        url: "",
        tally: &tally,
        page: PageFields::default(),
        error_message: Some(&fault.to_string()),
        carried: &[],
    });
    Line { json, tally }
}

fn flags(has_template: bool, record: &Record, analysis: &Analysis<'_>) -> Vec<&'static str> {
    let mut flags = Vec::new();
    if record.truncated {
        flags.push("truncated");
    }
    if !has_template {
        flags.push("no_template");
    }
    if analysis.detection.fit.is_some_and(|fit| fit.template.is_none()) {
        flags.push("no_template_fits");
    }
    flags.extend(analysis.detection.page.into_iter().flat_map(PageVerdict::flags));
    if analysis.page.replaced {
        flags.push("replaced_bytes");
    }
    flags.extend(analysis.page.document.cuts().iter().map(|cut| match cut {
        Cut::Nodes => "cut_nodes",
        Cut::Depth => "cut_depth",
        Cut::Formatting => "cut_formatting",
        Cut::Attributes => "cut_attributes",
        Cut::Work => "cut_work",
        _ => "cut",
    }));
    flags
}

/// The first words of the largest things that were dropped.
fn sample(analysis: &Analysis<'_>) -> String {
    let (document, stats) = (analysis.page.document, analysis.page.stats());
    let roots = analysis.detection.dropped_roots(document);
    let Some(largest) = roots.max_by_key(|id| (stats.subtree(document, *id).characters, std::cmp::Reverse(*id))) else {
        return String::new();
    };
    let mut sample = String::new();
    for id in document.descendants(largest) {
        if document.is_text(id) && stats.subtree(document, id).characters > 0 {
            for word in document.text(id).split_whitespace() {
                sample.push_str(word);
                sample.push(' ');
            }
        }
        if sample.len() > SAMPLE_CHARACTERS {
            break;
        }
    }
    sample.chars().take(SAMPLE_CHARACTERS).collect::<String>().trim_end().to_string()
}
