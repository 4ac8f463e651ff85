//! The main job: a crawl in, clean records out.
//!
//! Pass one reads the crawl and learns each site from a sample of its pages; pass two reads it again and writes a record
//! for each page, in the order of the input. Memory is bounded by the sample's budget and by the records in flight, whatever
//! the size of the crawl. A killed run goes on where it was.

mod error;
mod group;
mod record;
mod report;
mod sample;
mod state;
mod store;
mod tally;

pub use error::CrawlError;
pub use group::GroupBy;
pub use report::{report_html, report_json};
pub use sample::{Evidence, Groups, Room, SAMPLE_PAGES, Sampler};
pub use store::{Learned, TemplateStore};
pub use tally::{GroupTally, Tally};

use crate::{
    Column, ColumnType, Fault, Inputs, Layout, OutputKind, RawRecord, ReadOptions, RunOptions, Source, assemble,
    run_ordered,
};
use dehusk::methods::site::{DriftCounter, page_source};
use dehusk::methods::sitelevel::page_evidence;
use dehusk::{Extractor, Metadata, Method, OutputFormat, Page, Scratch};
use record::{Line, Recorder, SOURCES, carried_key, content_key, fault_line, name_of};
use serde_json::json;
use state::{SEGMENT_RECORDS, State};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use store::Learning;

/// Bytes of evidence held in memory while learning; the rest goes to temporary files.
const SAMPLE_BYTES: usize = 96 << 20;

/// What a crawl job does.
#[derive(Clone, Debug)]
pub struct Crawl {
    /// Files and folders to read.
    pub inputs: Vec<PathBuf>,
    /// Where the records go: a JSONL or Parquet file, or a folder.
    pub output: PathBuf,
    /// How inputs are read.
    pub read: ReadOptions,
    /// What pages are extracted with.
    pub extractor: Extractor,
    /// The form of the content in a record.
    pub format: OutputFormat,
    /// Which pages are one site.
    pub group_by: GroupBy,
    /// What is known of sites.
    pub knowledge: Knowledge,
    /// How sites are learned.
    pub method: Method,
    /// Chooses the sample.
    pub seed: u64,
    /// Threads to use; 0 is one for each core.
    pub threads: usize,
    /// Go on with a run that was killed.
    pub resume: bool,
    /// The day, for templates.
    pub day: String,
}

/// Where the knowledge of sites comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Every page is on its own.
    None,
    /// Learned from this crawl, in two passes, and forgotten.
    Crawl,
    /// Learned from this crawl on top of what a store knows, in two passes, and kept in the store.
    Grow(PathBuf),
    /// What a store knows, in one pass.
    Store(PathBuf),
}

/// Told how a run gets on.
pub trait Progress: Sync {
    /// A pass begins; the bytes it will read, where that is known.
    fn pass(&self, name: &str, bytes: Option<u64>);
    /// A record is done; how many bytes of the inputs have been read, and what became of it.
    fn record(&self, position: u64, fate: Fate);
}

/// What became of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It was read.
    Done,
    /// It could not be read, which its record says.
    Failed,
    /// It holds no page.
    Skipped,
}

/// A source that tells how far it is while it is being read.
pub struct Counted<'a> {
    /// The source.
    pub source: Box<dyn Source>,
    /// How many bytes of the inputs have been read.
    pub position: &'a AtomicU64,
}

impl Source for Counted<'_> {
    fn next(&mut self) -> Option<Result<RawRecord, Fault>> {
        let next = self.source.next();
        self.position.store(self.source.bytes_read(), Ordering::Relaxed);
        next
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.source.bytes_total()
    }
}

/// No one is told.
impl Progress for () {
    fn pass(&self, _: &str, _: Option<u64>) {}
    fn record(&self, _: u64, _: Fate) {}
}

impl Crawl {
    /// Runs the job.
    pub fn run(&self, progress: &dyn Progress) -> Result<Tally, CrawlError> {
        let inputs = Inputs::new(&self.inputs).map_err(|fault| CrawlError::new(fault.to_string()))?;
        self.check_output(&inputs)?;
        let from_stream = self.inputs.iter().any(|path| path.as_os_str() == "-");
        let needs = if from_stream { " (standard input has to give the same data again, from its start)" } else { "" };
        let state = State::open(&self.output, &self.plan(&inputs), needs, self.resume)?;
        let store = self.learn(&inputs, &state, progress)?;
        let slowest = self.clean(&inputs, &state, store.as_ref(), progress)?;
        let mut tally = state.tally_of_segments()?;
        tally.slowest = slowest;
        if let Some(store) = &store {
            find_drift(&mut tally, store)?;
        }
        let kind = OutputKind::of(&self.output);
        assemble(&state.segments(), &self.output, kind, &self.layout())
            .map_err(|error| CrawlError::new(error.to_string()))?;
        drop(store);
        state.remove()?;
        Ok(tally)
    }

    /// The keys of a record, for Parquet, and what of it goes into a file, for folders.
    fn layout(&self) -> Layout {
        use ColumnType::{F64, I64, Json, Utf8};
        let content = content_key(self.format);
        let content_type = if self.format == OutputFormat::Json { Json } else { Utf8 };
        let mut columns = vec![
            Column::new("id", Json),
            Column::new("url", Utf8),
            Column::new("host", Utf8),
            Column::new("title", Utf8),
        ];
        if self.extractor.options().metadata() {
            columns.extend(Metadata::NAMES.iter().skip(1).map(|name| Column::new(*name, Utf8)));
            columns.push(Column::new(SOURCES, Json));
        }
        columns.extend([
            Column::new(content, content_type),
            Column::new("confidence", F64),
            Column::new("page_type", Utf8),
            Column::new("kept_characters", I64),
            Column::new("dropped_characters", I64),
            Column::new("template_pages", I64),
            Column::new("template", I64),
            Column::new("template_fit", F64),
            Column::new("encoding", Utf8),
            Column::new("flags", Json),
            Column::new("error", Utf8),
            Column::new("error_message", Utf8),
        ]);
        for name in &self.read.carry {
            let key = carried_key(name, columns.iter().map(|column| column.name.as_str()));
            columns.push(Column::new(key, Json));
        }
        let suffix = match self.format {
            OutputFormat::Markdown => ".md",
            OutputFormat::Html => ".html",
            OutputFormat::Json => ".json",
            _ => ".txt",
        };
        Layout::new(columns).with_contents_key(content).with_suffix(suffix)
    }

    fn run_options(&self) -> RunOptions {
        match self.threads {
            0 => RunOptions::default(),
            threads => RunOptions::default().with_threads(threads),
        }
    }

    /// All that decides the bytes of the output, as text. Threads do not.
    fn plan(&self, inputs: &Inputs) -> String {
        let inputs: Vec<_> =
            self.inputs.iter().zip(inputs.stamps()).map(|(path, stamp)| json!([path, stamp])).collect();
        let plan = json!({
            "inputs": inputs,
            "read": format!("{:?}", self.read),
            "output": self.output,
            "extractor": format!("{:?}", self.extractor),
            "format": format!("{:?}", self.format),
            "group_by": self.group_by.name(),
            "knowledge": format!("{:?}", self.knowledge),
            "method": self.method.name(),
            "seed": self.seed,
            "version": env!("CARGO_PKG_VERSION"),
        });
        format!("{plan:#}\n")
    }

    /// Refuses an output that the next run would read as input, or that would replace an input.
    fn check_output(&self, inputs: &Inputs) -> Result<(), CrawlError> {
        let Some(output) = absolute(&self.output) else { return Ok(()) };
        let refuse = |what: &str, path: &Path| {
            let (output, path) = (self.output.display(), path.display());
            Err(CrawlError::new(format!("{output}: the output {what} {path}; name another output")))
        };
        if let Some(folder) = inputs.folders().find(|path| absolute(path).is_some_and(|path| output.starts_with(path)))
        {
            return refuse("lies inside the input folder", folder);
        }
        match self.inputs.iter().find(|path| absolute(path).is_some_and(|path| path == output)) {
            Some(input) if input.is_file() => refuse("would replace the input", input),
            _ => Ok(()),
        }
    }

    /// The store to clean with. Learning is done once: a run that goes on finds it done.
    fn learn(
        &self,
        inputs: &Inputs,
        state: &State,
        progress: &dyn Progress,
    ) -> Result<Option<TemplateStore>, CrawlError> {
        let store = match &self.knowledge {
            Knowledge::None => return Ok(None),
            Knowledge::Store(path) => return TemplateStore::open_existing(path).map(Some),
            Knowledge::Crawl => TemplateStore::open(&state.folder().join("templates.redb"), false)?,
            Knowledge::Grow(path) => TemplateStore::open(path, true)?,
        };
        if state.is_learned() {
            return Ok(Some(store));
        }
        let position = AtomicU64::new(0);
        let mut source = Counted { source: inputs.open(&self.read), position: &position };
        progress.pass("learning", source.bytes_total());
        let room = Room::default();
        let mut sampler = Sampler::new(state.folder(), SAMPLE_BYTES, &room);
        run_ordered(
            &mut source,
            &self.run_options(),
            Scratch::default,
            |scratch, raw| self.observe(&room, scratch, raw),
            |evidence| {
                progress.record(position.load(Ordering::Relaxed), Fate::Done);
                evidence.map_or(Ok(()), |evidence| sampler.add(evidence))
            },
        )?;
        let threads = self.run_options().threads().max(1);
        let how = Learning { method: self.method, seed: self.seed, day: &self.day, threads };
        store.learn(sampler.finish()?, &how)?;
        state.mark_learned()?;
        Ok(Some(store))
    }

    /// What a page tells about its site. Pages that cannot be read tell nothing; cleaning reports them.
    fn observe(&self, room: &Room, scratch: &mut Scratch, raw: Result<RawRecord, Fault>) -> Option<Evidence> {
        let record = raw.and_then(|raw| raw.open(&self.read)).ok()?;
        let (group, name) = (self.group_by.group(&record.url), name_of(&record));
        let wants_source = self.method != Method::SiteLevel && room.is_for(&group, &name, self.seed);
        let (fingerprints, source) = guarded(scratch, |scratch| {
            let page = Page::new(&record.html).with_content_type(record.content_type.as_deref());
            let page = self.extractor.parse(page, scratch).ok()?;
            let evidence = page_evidence(&page);
            Some((evidence, if wants_source { page_source(page.document) } else { None }))
        })??;
        let evidence = Evidence::new(group, &name, self.seed, fingerprints);
        Some(match source {
            Some(source) => evidence.with_source(&source),
            None => evidence,
        })
    }

    /// Writes the segments that are not there yet. Returns the pages that took longest.
    fn clean(
        &self,
        inputs: &Inputs,
        state: &State,
        store: Option<&TemplateStore>,
        progress: &dyn Progress,
    ) -> Result<Vec<(u64, String)>, CrawlError> {
        let position = AtomicU64::new(0);
        let mut source = Counted { source: inputs.open(&self.read), position: &position };
        progress.pass("cleaning", source.bytes_total());
        let done = state.segments().len();
        let front_matter = OutputKind::of(&self.output) == OutputKind::Folder;
        let recorder = Recorder { extractor: &self.extractor, format: self.format, front_matter };
        let mut segment =
            Segment { state, number: done, lines: Vec::new(), tally: Tally::default(), slowest: Tally::default() };
        // Records are counted as they come out of the container, before any of them is opened.
        let mut to_skip = done * SEGMENT_RECORDS;
        while to_skip > 0 {
            match source.next() {
                None => break,
                Some(_) => to_skip -= 1,
            }
        }
        run_ordered(
            &mut source,
            &self.run_options(),
            Scratch::default,
            |scratch, raw| self.record(&recorder, store, scratch, raw),
            |outcome| {
                let line = outcome?;
                progress.record(position.load(Ordering::Relaxed), line.fate());
                segment.add(line)
            },
        )?;
        segment.finish()?;
        Ok(segment.slowest.slowest)
    }

    fn record(
        &self,
        recorder: &Recorder<'_>,
        store: Option<&TemplateStore>,
        scratch: &mut Scratch,
        raw: Result<RawRecord, Fault>,
    ) -> Result<Line, CrawlError> {
        let start = Instant::now();
        let record = match raw.and_then(|raw| raw.open(&self.read)) {
            Ok(record) => record,
            Err(fault) if fault.kind.is_skip() => return Ok(Line::skip()),
            Err(fault) => return Ok(fault_line(&fault, &self.read, self.format, self.extractor.options().metadata())),
        };
        let group = self.group_by.group(&record.url);
        let template = match store {
            Some(store) => store.template(&group)?,
            None => None,
        };
        let cleaned = guarded(scratch, |scratch| recorder.clean(&record, group.clone(), template.as_deref(), scratch));
        let mut line = cleaned.unwrap_or_else(|| recorder.broken(&record, group));
        line.tally.micros = start.elapsed().as_micros() as u64;
        Ok(line)
    }
}

/// Says of each site whether its pages still fit its templates.
fn find_drift(tally: &mut Tally, store: &TemplateStore) -> Result<(), CrawlError> {
    for (name, group) in tally.groups.iter_mut().filter(|(_, group)| !group.fits.is_empty() || group.unfit > 0) {
        if let Some(site) = store.template(name)? {
            group.drift = DriftCounter::of_counts(&group.fits, group.unfit).finish(&site).findings();
        }
    }
    Ok(())
}

/// Runs a stage on a page. Should it panic on some page nobody has thought of, that page fails and the run goes on.
fn guarded<T>(scratch: &mut Scratch, stage: impl FnOnce(&mut Scratch) -> T) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(|| stage(scratch))).ok();
    if outcome.is_none() {
        *scratch = Scratch::default();
    }
    outcome
}

/// The segment being filled.
struct Segment<'a> {
    state: &'a State,
    number: usize,
    lines: Vec<u8>,
    tally: Tally,
    slowest: Tally,
}

impl Segment<'_> {
    fn add(&mut self, line: Line) -> Result<(), CrawlError> {
        match line.fate() {
            Fate::Skipped => self.tally.skipped += 1,
            Fate::Done | Fate::Failed => self.tally.add_page(line.tally),
        }
        self.lines.extend_from_slice(&line.json);
        if self.tally.pages + self.tally.skipped >= SEGMENT_RECORDS as u64 { self.finish() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), CrawlError> {
        if self.tally.pages + self.tally.skipped == 0 {
            return Ok(());
        }
        self.state.write_segment(self.number, &self.lines, &self.tally)?;
        self.number += 1;
        self.lines.clear();
        let tally = std::mem::take(&mut self.tally);
        self.slowest.add(Tally { slowest: tally.slowest, ..Tally::default() });
        Ok(())
    }
}

/// A path without links and dots, though its last parts need not be there yet.
fn absolute(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let there = path.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    let (there, real) = there?;
    Some(real.join(path.strip_prefix(there).ok()?))
}
