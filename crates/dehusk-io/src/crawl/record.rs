//! One page in, one line of JSON out.

use super::Fate;
use super::tally::PageTally;
use crate::{Fault, ReadOptions, Record};
use dehusk::{Extraction, Extractor, Flag, Metadata, OutputFormat, Page, Scratch, SiteTemplates};
use serde::Serialize;
use serde_json::Value;

/// The key under which a record says where its metadata was found.
pub(super) const SOURCES: &str = "metadata_sources";

/// Characters of a sample of what was dropped.
const SAMPLE_CHARACTERS: usize = 240;

/// The key under which a format's result stands in a record.
pub(super) fn content_key(format: OutputFormat) -> &'static str {
    match format {
        OutputFormat::Markdown => "markdown",
        OutputFormat::Html => "html",
        OutputFormat::Json => "page",
        _ => "text",
    }
}

/// A line of output and what it says, for the counts.
pub(super) struct Line {
    pub(super) json: Vec<u8>,
    pub(super) tally: PageTally,
}

impl Line {
    /// Nothing to write: the container holds something that is no page here.
    pub(super) fn skip() -> Line {
        Line { json: Vec::new(), tally: PageTally::default() }
    }

    pub(super) fn fate(&self) -> Fate {
        match (&self.tally.error, self.json.is_empty()) {
            (_, true) => Fate::Skipped,
            (Some(_), _) => Fate::Failed,
            (None, _) => Fate::Done,
        }
    }
}

/// How records are made.
pub(super) struct Recorder<'a> {
    pub(super) extractor: &'a Extractor,
    pub(super) format: OutputFormat,
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
        let mut tally =
            PageTally { group, address: name_of(record), bytes: record.html.len() as u64, ..PageTally::default() };
        let page = Page::new(&record.html).with_content_type(record.content_type.as_deref());
        match self.extractor.extract(page.with_url(record.url.as_str()).with_site(template), scratch) {
            Ok(extraction) => self.written(record, template, &extraction, tally),
            Err(error) => {
                tally.error = Some(error.kind().name().to_string());
                self.failed(record, tally, &error.to_string())
            }
        }
    }

    /// The record of a page that broke a stage, which is our fault and not the page's.
    pub(super) fn broken(&self, record: &Record, group: String) -> Line {
        let bytes = record.html.len() as u64;
        let error = Some("internal".to_string());
        let tally = PageTally { group, address: name_of(record), bytes, error, ..PageTally::default() };
        self.failed(record, tally, "this page broke the extractor; please report it")
    }

    fn failed(&self, record: &Record, tally: PageTally, message: &str) -> Line {
        let json = failed_line(
            &record.url,
            record.id.as_ref(),
            (self.format, self.extractor.options().metadata()),
            &tally,
            message,
            &record.carried,
        );
        Line { json, tally }
    }

    fn written(
        &self,
        record: &Record,
        template: Option<&SiteTemplates>,
        extraction: &Extraction<'_>,
        mut tally: PageTally,
    ) -> Line {
        (tally.characters, tally.dropped) = extraction.characters();
        tally.template_pages = template.map_or(0, |template| template.pages() as u64);
        tally.fit = extraction.template_fit();
        tally.flags = flags(template.is_some(), record, extraction);
        tally.sample = sample(extraction);
        let content =
            if self.front_matter { extraction.render_file(self.format) } else { extraction.render(self.format) };
        let mut line = Writer::new(&record.url, record.id.as_ref(), &tally.group);
        match extraction.metadata() {
            None => line.field("title", &extraction.title()),
            Some(metadata) => line.metadata(metadata),
        }
        if self.format == OutputFormat::Json {
            line.raw_field(content_key(self.format), content.trim_end());
        } else {
            line.field(content_key(self.format), &content);
        }
        line.field("confidence", &extraction.confidence().map(rounded));
        line.field("page_type", &extraction.page_type().map(|kind| kind.name()));
        line.field("kept_characters", &(tally.characters - tally.dropped));
        line.field("dropped_characters", &tally.dropped);
        line.field("template_pages", &tally.template_pages);
        line.field("template", &tally.fit.and_then(|fit| fit.template));
        line.field("template_fit", &tally.fit.map(|fit| rounded(fit.fit)));
        line.field("encoding", extraction.encoding().name);
        line.field("flags", &tally.flags);
        line.field("error", &Value::Null);
        line.field("error_message", &Value::Null);
        let json = line.finish(&record.carried);
        Line { json, tally }
    }
}

/// A number between 0 and 1 as records show it.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}

/// The record of something that could not be read.
pub(super) fn fault_line(fault: &Fault, options: &ReadOptions, format: OutputFormat, metadata: bool) -> Line {
    let tally = PageTally {
        address: fault.place.to_string(),
        error: Some(fault.kind.name().to_string()),
        ..PageTally::default()
    };
    let carried: Vec<_> = options.carry.iter().map(|name| (name.clone(), Value::Null)).collect();
    let json = failed_line("", None, (format, metadata), &tally, &fault.to_string(), &carried);
    Line { json, tally }
}

fn failed_line(
    url: &str,
    id: Option<&Value>,
    (format, metadata): (OutputFormat, bool),
    tally: &PageTally,
    message: &str,
    carried: &[(String, Value)],
) -> Vec<u8> {
    let mut line = Writer::new(url, id, &tally.group);
    match metadata {
        true => line.metadata(&Metadata::default()),
        false => line.field("title", &Value::Null),
    }
    line.field(content_key(format), &Value::Null);
    line.field("confidence", &Value::Null);
    line.field("page_type", &Value::Null);
    for count in ["kept_characters", "dropped_characters", "template_pages"] {
        line.field(count, &0);
    }
    line.field("template", &Value::Null);
    line.field("template_fit", &Value::Null);
    line.field("encoding", &Value::Null);
    line.field("flags", &tally.flags);
    line.field("error", &tally.error);
    line.field("error_message", message);
    line.finish(carried)
}

/// The address of a page, or where it stands when it has none.
pub(super) fn name_of(record: &Record) -> String {
    if record.url.is_empty() { record.place.to_string() } else { record.url.clone() }
}

fn flags(has_template: bool, record: &Record, extraction: &Extraction<'_>) -> Vec<&'static str> {
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

/// The key of a carried column: its own name, unless the record has a key of that name already.
pub(super) fn carried_key<'a>(name: &str, mut keys: impl Iterator<Item = &'a str>) -> String {
    if keys.any(|key| key == name) { format!("carried_{name}") } else { name.to_string() }
}

/// Writes one JSON object with its keys in a fixed order.
struct Writer {
    json: Vec<u8>,
    keys: Vec<String>,
}

impl Writer {
    fn new(url: &str, id: Option<&Value>, group: &str) -> Writer {
        let mut line = Writer { json: vec![b'{'], keys: Vec::new() };
        line.field("id", &id);
        line.field("url", url);
        line.field("host", group);
        line
    }

    fn key(&mut self, key: &str) {
        if self.json.len() > 1 {
            self.json.push(b',');
        }
        self.keys.push(key.to_string());
        // Writing strings and numbers to memory cannot fail.
        let _ = serde_json::to_writer(&mut self.json, key);
        self.json.push(b':');
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        self.key(key);
        let _ = serde_json::to_writer(&mut self.json, value);
    }

    /// What a page says about itself, its title being the first, and where that was found.
    fn metadata(&mut self, metadata: &Metadata) {
        for (name, field) in metadata.fields() {
            self.field(name, &field.map(|field| &field.value));
        }
        let sources = metadata.fields().into_iter().filter_map(|(name, field)| Some((name, field?.source.name())));
        self.field(SOURCES, &sources.collect::<std::collections::BTreeMap<_, _>>());
    }

    fn raw_field(&mut self, key: &str, json: &str) {
        self.key(key);
        self.json.extend_from_slice(json.as_bytes());
    }

    fn finish(mut self, carried: &[(String, Value)]) -> Vec<u8> {
        for (key, value) in carried {
            let key = carried_key(key, self.keys.iter().map(String::as_str));
            self.field(&key, value);
        }
        self.json.extend_from_slice(b"}\n");
        self.json
    }
}
