//! One page in, one line of JSON out.

use super::job::SegmentOutput;
use super::progress::RecordOutcome;
use super::record_columns::{PageFields, RecordColumns, Row};
use super::tally::PageTally;
use crate::fault::Fault;
use crate::input_value::InputValue;
use crate::record::Record;
use dehusk::{Extraction, Extractor, Flag, OutputFormat, Page, Scratch, SegmentedPage, Segmenter, SiteTemplates};

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

/// A page, wherever it is held.
pub(super) struct PageRef<'a> {
    pub(super) url: &'a str,
    /// Its address, or where it was read.
    pub(super) name: String,
    pub(super) html: &'a [u8],
    pub(super) content_type: Option<&'a str>,
    pub(super) id: Option<&'a InputValue>,
    pub(super) carried: &'a [(String, InputValue)],
    pub(super) truncated: bool,
}

impl<'a> From<&'a Record> for PageRef<'a> {
    fn from(record: &'a Record) -> PageRef<'a> {
        PageRef {
            url: &record.url,
            name: record.name(),
            html: &record.html,
            content_type: record.content_type.as_deref(),
            id: record.id.as_ref(),
            carried: &record.carried,
            truncated: record.truncated,
        }
    }
}

/// How records are made.
pub(super) struct Recorder<'a> {
    pub(super) extractor: &'a Extractor,
    pub(super) segmenter: Option<(&'a Segmenter, SegmentOutput)>,
    pub(super) columns: &'a RecordColumns,
    pub(super) formats: &'a [OutputFormat],
    /// Whether contents become files of their own.
    pub(super) front_matter: bool,
    /// Whether the report needs samples of what was dropped.
    pub(super) samples: bool,
}

impl Recorder<'_> {
    /// Cleans a page, or splits it into segments.
    pub(super) fn clean(
        &self,
        record: &PageRef<'_>,
        group: String,
        template: Option<&SiteTemplates>,
        scratch: &mut Scratch,
    ) -> Line {
        let tally = tally_of(record, group);
        let page = Page::new(record.html).with_content_type(record.content_type).with_url(record.url);
        if let Some((segmenter, output)) = self.segmenter {
            return match segmenter.segment(page) {
                Ok(found) => self.segmented(record, &found, output, tally),
                Err(error) => self.failed(record, tally, error.kind().name(), &error.to_string()),
            };
        }
        match self.extractor.extract(page.with_site(template), scratch) {
            Ok(extraction) => self.cleaned(record, template, &extraction, tally),
            Err(error) => self.failed(record, tally, error.kind().name(), &error.to_string()),
        }
    }

    /// The record of a page on which the extractor panicked.
    pub(super) fn panicked(&self, record: &PageRef<'_>, group: String) -> Line {
        let tally = tally_of(record, group);
        self.failed(record, tally, "internal", "the extractor failed on this page; please report it")
    }

    /// The record of a page that could not be read.
    pub(super) fn unread(&self, record: &PageRef<'_>, group: String, kind: &str, message: &str) -> Line {
        self.failed(record, tally_of(record, group), kind, message)
    }

    fn failed(&self, record: &PageRef<'_>, tally: PageTally, kind: &str, message: &str) -> Line {
        let tally = PageTally { error: Some(kind.to_string()), ..tally };
        let json = self.columns.line(&Row {
            id: record.id,
            url: record.url,
            tally: &tally,
            page: PageFields::default(),
            error_message: Some(message),
            carried: record.carried,
        });
        Line { json, tally }
    }

    fn segmented(
        &self,
        record: &PageRef<'_>,
        found: &SegmentedPage,
        output: SegmentOutput,
        mut tally: PageTally,
    ) -> Line {
        tally.characters = found.segmentation.segments.iter().map(|segment| u64::from(segment.characters)).sum();
        let own = record.truncated.then_some(Flag::Truncated);
        tally.flags = own.into_iter().chain(found.flags()).map(Flag::name).collect();
        let picture = match output {
            SegmentOutput::Records => None,
            SegmentOutput::Html => Some(found.to_html()),
            SegmentOutput::Svg => Some(found.to_svg()),
        };
        let segments = match output {
            SegmentOutput::Records => serde_json::from_str(&found.to_json()).unwrap_or_default(),
            _ => serde_json::Value::Null,
        };
        let json = self.columns.line(&Row {
            id: record.id,
            url: record.url,
            tally: &tally,
            page: PageFields { contents: picture.into_iter().collect(), segments, ..PageFields::default() },
            error_message: None,
            carried: record.carried,
        });
        Line { json, tally }
    }

    fn cleaned(
        &self,
        record: &PageRef<'_>,
        template: Option<&SiteTemplates>,
        extraction: &Extraction<'_>,
        mut tally: PageTally,
    ) -> Line {
        (tally.characters, tally.dropped) = extraction.characters();
        tally.template_pages = template.map_or(0, |template| template.pages() as u64);
        tally.confidence = extraction.confidence();
        tally.fit = extraction.template_fit();
        tally.flags = flags(template.is_some(), record, extraction);
        if self.samples {
            tally.sample = sample(extraction);
        }
        let render = |format: &OutputFormat| match self.front_matter {
            true => extraction.render_file(*format),
            false => extraction.render(*format),
        };
        let page = PageFields {
            title: if extraction.metadata().is_some() { None } else { extraction.title() },
            metadata: extraction.metadata().cloned(),
            contents: self.formats.iter().map(render).collect(),
            confidence: extraction.confidence(),
            page_type: extraction.page_type().map(|kind| kind.name()),
            encoding: Some(extraction.encoding().name),
            segments: serde_json::Value::Null,
        };
        let json = self.columns.line(&Row {
            id: record.id,
            url: record.url,
            tally: &tally,
            page,
            error_message: None,
            carried: record.carried,
        });
        Line { json, tally }
    }
}

/// The counts of a page before anything is done with it.
fn tally_of(record: &PageRef<'_>, group: String) -> PageTally {
    let (bytes, without_url) = (record.html.len() as u64, record.url.is_empty());
    PageTally { group, address: record.name.clone(), without_url, bytes, ..PageTally::default() }
}

/// The record of something that could not be read, with what is known about it. `group` gives the site of an address.
pub(super) fn fault_line(fault: &Fault, columns: &RecordColumns, group: impl Fn(&str) -> String) -> Line {
    let known = fault.known();
    let url = known.map_or("", |known| &known.url);
    let tally = PageTally {
        group: if url.is_empty() { String::new() } else { group(url) },
        address: if url.is_empty() { fault.location.to_string() } else { url.to_string() },
        error: Some(fault.kind.name().to_string()),
        ..PageTally::default()
    };
    let json = columns.line(&Row {
        id: known.and_then(|known| known.id.as_ref()),
        url,
        tally: &tally,
        page: PageFields::default(),
        error_message: Some(&fault.to_string()),
        carried: known.map_or(&[], |known| &known.carried),
    });
    Line { json, tally }
}

fn flags(has_template: bool, record: &PageRef<'_>, extraction: &Extraction<'_>) -> Vec<&'static str> {
    let own = [(record.truncated, Flag::Truncated), (!has_template, Flag::NoTemplate)];
    let own = own.into_iter().filter_map(|(applies, flag)| applies.then_some(flag));
    own.chain(extraction.flags()).map(Flag::name).collect()
}

/// The first words of the largest things that were dropped.
fn sample(extraction: &Extraction<'_>) -> String {
    let page = extraction.page();
    let (document, stats) = (page.document, page.stats());
    let roots = extraction.detection().dropped_roots(document);
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
