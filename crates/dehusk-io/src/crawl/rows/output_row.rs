//! One page in, one row out: the line of JSON of a page, and what is counted of it. Does not write it anywhere.

use crate::crawl::counts::tally::PageTally;
use crate::crawl::job::SegmentOutput;
use crate::crawl::page_ref::PageRef;
use crate::crawl::progress::PageOutcome;
use crate::crawl::record_format::RecordOutput;
use crate::crawl::rows::row_columns::{PageFields, RowColumns, RowValues};
use crate::fault::{Fault, PageIdentity};
use crate::location::Location;
use dehusk::{Extraction, Extractor, Flag, OutputFormat, Page, PageSegmenter, Scratch, SegmentedPage, SiteTemplates};

/// Characters of a sample of what was dropped.
const SAMPLE_CHARACTERS: usize = 240;

/// A row and its counts.
pub(crate) struct CountedRow {
    /// The lines of JSON, with their line ends: mostly one. Empty if there is nothing to write.
    pub(crate) json: Vec<u8>,
    pub(crate) tally: PageTally,
    /// Where the page was read, if that is known.
    pub(crate) location: Option<Location>,
    /// Whether it stands for something that could not be read, and nothing is known of its page.
    pub(crate) names_no_page: bool,
    /// Whether it is of a page. One without records may have nothing to write.
    pub(crate) is_page: bool,
}

impl CountedRow {
    fn of_page(page: &PageRef<'_>, json: Vec<u8>, tally: PageTally) -> CountedRow {
        CountedRow { json, tally, location: page.location().cloned(), names_no_page: false, is_page: true }
    }

    /// Nothing to write: the input does not hold a page here.
    pub(crate) fn skip(location: Location) -> CountedRow {
        let (json, tally, location) = (Vec::new(), PageTally::default(), Some(location));
        CountedRow { json, tally, location, names_no_page: false, is_page: false }
    }

    pub(crate) fn outcome(&self) -> PageOutcome {
        match (&self.tally.error, self.is_page) {
            (_, false) => PageOutcome::Skipped,
            (Some(_), _) => PageOutcome::Failed,
            (None, _) => PageOutcome::Done,
        }
    }
}

/// How rows are made.
pub(crate) struct RowBuilder<'a> {
    pub(crate) extractor: &'a Extractor,
    pub(crate) segmenter: Option<(&'a PageSegmenter, SegmentOutput)>,
    pub(crate) records: Option<RecordOutput>,
    pub(crate) columns: &'a RowColumns,
    pub(crate) formats: &'a [OutputFormat],
    /// Whether contents become files of their own.
    pub(crate) front_matter: bool,
    /// Whether the report needs samples of what was dropped.
    pub(crate) samples: bool,
}

impl RowBuilder<'_> {
    /// Cleans a page, splits it into segments, or finds its records.
    pub(crate) fn clean(
        &self,
        page: &PageRef<'_>,
        site: String,
        template: Option<&SiteTemplates>,
        scratch: &mut Scratch,
    ) -> CountedRow {
        let tally = tally_of(page, site);
        let input = Page::new(page.html).with_content_type(page.content_type).with_url(page.url);
        if let Some((segmenter, output)) = self.segmenter {
            return match segmenter.segment(input) {
                Ok(found) => self.segmented(page, &found, output, tally),
                Err(error) => self.failed(page, tally, error.kind().name(), &error.to_string()),
            };
        }
        match self.extractor.extract(input.with_site(template), scratch) {
            Ok(extraction) => self.extracted(page, template, &extraction, tally),
            Err(error) => self.failed(page, tally, error.kind().name(), &error.to_string()),
        }
    }

    /// The row of a page on which the extractor panicked.
    pub(crate) fn panicked(&self, page: &PageRef<'_>, site: String) -> CountedRow {
        let tally = tally_of(page, site);
        self.failed(page, tally, "internal", "the extractor failed on this page; please report it")
    }

    /// The row of a page that could not be read.
    pub(crate) fn unread(&self, page: &PageRef<'_>, site: String, kind: &str, message: &str) -> CountedRow {
        self.failed(page, tally_of(page, site), kind, message)
    }

    fn failed(&self, page: &PageRef<'_>, tally: PageTally, kind: &str, message: &str) -> CountedRow {
        let tally = PageTally { error: Some(kind.to_string()), ..tally };
        let json = self.columns.line(&RowValues {
            id: page.id,
            url: page.url,
            tally: &tally,
            page: PageFields::default(),
            error_message: Some(message),
            carried: page.carried,
        });
        CountedRow::of_page(page, json, tally)
    }

    fn segmented(
        &self,
        page: &PageRef<'_>,
        found: &SegmentedPage,
        output: SegmentOutput,
        mut tally: PageTally,
    ) -> CountedRow {
        tally.characters = found.segmentation.segments.iter().map(|segment| u64::from(segment.characters)).sum();
        let own = page.truncated.then_some(Flag::Truncated);
        tally.flags = own.into_iter().chain(found.flags()).map(Flag::name).collect();
        let picture = match output {
            SegmentOutput::Rows => None,
            SegmentOutput::Html => Some(found.to_html()),
            SegmentOutput::Svg => Some(found.to_svg()),
        };
        let segments = match output {
            SegmentOutput::Rows => serde_json::from_str(&found.to_json()).unwrap_or_default(),
            _ => serde_json::Value::Null,
        };
        let json = self.columns.line(&RowValues {
            id: page.id,
            url: page.url,
            tally: &tally,
            page: PageFields { contents: picture.into_iter().collect(), segments, ..PageFields::default() },
            error_message: None,
            carried: page.carried,
        });
        CountedRow::of_page(page, json, tally)
    }

    fn extracted(
        &self,
        page: &PageRef<'_>,
        template: Option<&SiteTemplates>,
        extraction: &Extraction<'_>,
        mut tally: PageTally,
    ) -> CountedRow {
        (tally.characters, tally.dropped) = extraction.characters();
        tally.template_pages = template.map_or(0, |template| template.pages() as u64);
        tally.confidence = extraction.confidence();
        tally.fit = extraction.template_fit();
        tally.flags = flags(template.is_some(), page, extraction);
        if self.samples {
            tally.sample = sample(extraction);
        }
        let json = match self.records {
            Some(records) => records.lines(self.columns, page, extraction, &mut tally),
            None => self.cleaned(page, extraction, &tally),
        };
        CountedRow::of_page(page, json, tally)
    }

    fn cleaned(&self, page: &PageRef<'_>, extraction: &Extraction<'_>, tally: &PageTally) -> Vec<u8> {
        let render = |format: &OutputFormat| match self.front_matter {
            true => extraction.render_file(*format),
            false => extraction.render(*format),
        };
        let fields = PageFields {
            // With metadata, the title comes from there.
            title: if extraction.metadata().is_some() { None } else { extraction.title() },
            metadata: extraction.metadata().cloned(),
            contents: self.formats.iter().map(render).collect(),
            confidence: extraction.confidence(),
            page_type: extraction.page_type().map(|kind| kind.name()),
            encoding: Some(extraction.encoding().name),
            ..PageFields::default()
        };
        self.columns.line(&RowValues {
            id: page.id,
            url: page.url,
            tally,
            page: fields,
            error_message: None,
            carried: page.carried,
        })
    }
}

/// The counts of a page before anything is done with it.
fn tally_of(page: &PageRef<'_>, site: String) -> PageTally {
    let (bytes, without_url) = (page.html.len() as u64, page.url.is_empty());
    PageTally { site, address: page.name(), without_url, bytes, ..PageTally::default() }
}

/// The row of something that could not be read, with what is known about it. `site` gives the site of an address.
pub(crate) fn fault_row(fault: &Fault, columns: &RowColumns, site: impl Fn(&str) -> String) -> CountedRow {
    let page = fault.page();
    let url = page.map_or("", |page| &page.url);
    let tally = PageTally {
        site: if url.is_empty() { String::new() } else { site(url) },
        address: if url.is_empty() { fault.location.to_string() } else { url.to_string() },
        error: Some(fault.kind.name().to_string()),
        ..PageTally::default()
    };
    let json = columns.line(&RowValues {
        id: page.and_then(|page| page.id.as_ref()),
        url,
        tally: &tally,
        page: PageFields::default(),
        error_message: Some(&fault.to_string()),
        carried: page.map_or(&[], |page| &page.carried),
    });
    let is_known = |page: &PageIdentity| {
        !page.url.is_empty() || page.id.is_some() || page.carried.iter().any(|(_, value)| !value.is_null())
    };
    let location = Some(fault.location.clone());
    CountedRow { json, tally, location, names_no_page: !page.is_some_and(is_known), is_page: true }
}

fn flags(has_template: bool, page: &PageRef<'_>, extraction: &Extraction<'_>) -> Vec<&'static str> {
    let own = [(page.truncated, Flag::Truncated), (!has_template, Flag::NoTemplate)];
    let own = own.into_iter().filter_map(|(applies, flag)| applies.then_some(flag));
    own.chain(extraction.flags()).map(Flag::name).collect()
}

/// The first words of the largest part that was dropped.
fn sample(extraction: &Extraction<'_>) -> String {
    let page = extraction.page();
    let (document, stats) = (page.document, page.stats());
    let roots = extraction.detection().dropped_roots(document);
    let Some(largest) = roots.max_by_key(|id| (stats.subtree(document, *id).characters, std::cmp::Reverse(*id))) else {
        return String::new();
    };
    let texts = document.descendants(largest).filter(|id| document.is_text(*id));
    let visible = texts.filter(|id| stats.subtree(document, *id).characters > 0);
    let words = visible.flat_map(|id| document.text(id).split_whitespace());
    first_characters(words, SAMPLE_CHARACTERS)
}

/// Words with a space between them, cut after `limit` characters. Does not read on from there, since a text may have megabytes.
fn first_characters<'a>(words: impl Iterator<Item = &'a str>, limit: usize) -> String {
    let spaced = words.flat_map(|word| std::iter::once(' ').chain(word.chars()));
    let text: String = spaced.skip(1).take(limit).collect();
    text.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::first_characters;

    #[test]
    fn a_sample_is_cut_by_characters_and_not_by_bytes() {
        assert_eq!(first_characters(["日本", "語の", "文章"].into_iter(), 6), "日本 語の");
        assert_eq!(first_characters(["日本", "語の", "文章"].into_iter(), 7), "日本 語の 文");
        assert_eq!(first_characters(["ab", "c"].into_iter(), 240), "ab c");
        assert_eq!(first_characters(std::iter::repeat("long"), 9), "long long");
        assert_eq!(first_characters([].into_iter(), 9), "");
    }
}
