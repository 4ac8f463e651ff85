//! The two passes of a crawl job.

use super::job::{Crawl, TemplateMode};
use super::page_ref::PageRef;
use super::progress::{PageOutcome, Progress, TrackedSource};
use super::run_state::{ChunkWriter, RunState};
use crate::atomic_file::temporary_names;
use crate::containers::{Inputs, OutputContainer, RawPage, Source, assemble};
use crate::crawl::counts::tally::{RankedPage, SiteTally, Tally};
use crate::crawl::learn::evidence::PageEvidence;
use crate::crawl::learn::learn_settings::LearnSettings;
use crate::crawl::learn::sample::{Sampler, SourceFilter};
use crate::crawl::learn::template_store::{StoreWriter, TemplateStore};
use crate::crawl::rows::output_row::{CountedRow, RowBuilder, fault_row};
use crate::crawl::rows::row_columns::{InputColumns, RowColumns};
use crate::error::{Error, ErrorKind};
use crate::fault::Fault;
use crate::page_guard::{PagesAtWork, guarded};
use crate::parallel::{run_ordered, run_ordered_sized};
use dehusk::site::page_evidence;
use dehusk::site::{DriftCounter, page_source};
use dehusk::{Page, Scratch, SiteMethod, SiteTemplates};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Bytes of evidence held in memory while learning; the rest goes to temporary files.
const SAMPLE_BYTES: usize = 96 << 20;

impl Crawl {
    /// Runs the job.
    ///
    /// # Errors
    /// If the inputs, the output or the template store cannot be used, an input changes meanwhile, or `progress` stops the run. A page that
    /// cannot be read is no error: its row says why.
    pub fn run(&self, progress: &dyn Progress) -> Result<Tally, Error> {
        let inputs = match &self.opened {
            Some(inputs) => inputs.clone(),
            None => Inputs::new(&self.inputs)?,
        };
        let snapshot = inputs.snapshot(&self.read);
        self.check_output(&inputs)?;
        // A resumed run can check what it reads from standard input only by its hash, so it needs the same data again.
        let from_stream = self.inputs.iter().any(|path| path.as_os_str() == "-");
        let needs = if from_stream { " and the same data on standard input" } else { "" };
        let state = RunState::open(&self.output, &self.plan(&inputs), needs, self.resume)?;
        let advice = format!(": delete {} and run again", state.folder().display());
        let unusable = [ErrorKind::TemplateStore, ErrorKind::InUse, ErrorKind::CannotRead];
        let store = match self.learn(&inputs, &state, progress) {
            // Without its store the run has not begun: there is nothing to resume.
            Err(error) if !self.resume && unusable.contains(&error.kind()) => {
                state.remove()?;
                return Err(error);
            }
            learned => learned?,
        };
        // Checked between the passes, too, so that the second one is not run in vain.
        if store.is_some() {
            inputs.check_unchanged(&snapshot, &advice)?;
        }
        let taken = self.input_columns(&inputs);
        let columns = match (&self.segmenter, self.records) {
            (Some((_, output)), _) => RowColumns::of_segments(*output, self.writes_folder(), taken),
            (None, Some(records)) => RowColumns::of_records(records.format, self.writes_folder(), taken),
            (None, None) => RowColumns::new(&self.formats, self.extractor.options().metadata(), taken),
        };
        let slowest = self.clean(&columns, &inputs, &state, store.as_ref(), progress)?;
        inputs.check_unchanged(&snapshot, &advice)?;
        let mut tally = state.tally_of_chunks(|name, site| match &store {
            Some(store) => find_drift(name, site, store),
            None => Ok(()),
        })?;
        tally.slowest = slowest;
        // A chunk may have been damaged since it was written, and nothing in the output would show it.
        state.check_chunks()?;
        assemble(&state.chunks(), &self.output, self.container(), &columns.schema())?;
        // Its file may be in the folder that is removed next, and Windows does not remove open files.
        drop(store);
        state.remove()?;
        Ok(tally)
    }

    /// Everything that determines the bytes of the output, as text. The number of threads does not.
    fn plan(&self, inputs: &Inputs) -> String {
        let inputs: Vec<_> =
            self.inputs.iter().zip(inputs.stamps()).map(|(path, stamp)| json!([format!("{path:?}"), stamp])).collect();
        let plan = json!({
            "inputs": inputs,
            "read": format!("{:?}", self.read),
            "output": format!("{:?}", self.output),
            "extractor": format!("{:?}", self.extractor),
            "format": format!("{:?}", self.formats),
            "segmenter": format!("{:?}", self.segmenter),
            "records": format!("{:?}", self.records),
            "site_by": self.site_by.name(),
            "templates": format!("{:?}", self.templates),
            "method": format!("{:?}", self.method),
            "page_kinds": self.page_kinds,
            "names": self.names,
            "seed": self.seed,
            // Another version may write other bytes for the same pages.
            "version": env!("CARGO_PKG_VERSION"),
        });
        format!("{plan:#}\n")
    }

    /// What rows take from the inputs. From Parquet to Parquet, columns keep their types.
    fn input_columns(&self, inputs: &Inputs) -> InputColumns<'_> {
        let mut typed = match self.container() {
            OutputContainer::Parquet => inputs.typed_columns(&self.read),
            _ => Vec::new(),
        }
        .into_iter()
        .map(|column| column.map(Arc::new));
        let id = typed.next().flatten();
        let carry = self.read.carry.iter().map(|name| (&**name, typed.next().flatten())).collect();
        InputColumns { id, names: self.names, carry }
    }

    /// The keys of the carried columns in the rows of content, in the order of the options: a column whose name is one of the row's
    /// own keys gets another one.
    #[must_use]
    pub fn carried_keys(&self) -> Vec<String> {
        let carry: Vec<_> = self.read.carry.iter().map(|name| (&**name, None)).collect();
        let taken = InputColumns { id: None, names: self.names, carry };
        let columns = RowColumns::new(&self.formats, self.extractor.options().metadata(), taken);
        let own = columns.keys().len() - self.read.carry.len();
        columns.keys().skip(own).map(str::to_string).collect()
    }

    /// Whether every page becomes a file of its own.
    fn writes_folder(&self) -> bool {
        self.container() == OutputContainer::Folder
    }

    /// Rejects an output that the next run would read as input, or that would replace an input.
    fn check_output(&self, inputs: &Inputs) -> Result<(), Error> {
        let Some(output) = absolute(&self.output) else { return Ok(()) };
        let reject = |what: &str, path: &Path| {
            let message = format!("the output {what} {}; choose another output", path.display());
            Err(Error::new(ErrorKind::OutputIsInput, message).at(&self.output))
        };
        if let Some(folder) = inputs.folders().find(|path| absolute(path).is_some_and(|path| output.starts_with(path)))
        {
            return reject("is inside the input folder", folder);
        }
        // While it is being written, the output has another name.
        let is_written = |path: &Path| path == output || temporary_names(&output).any(|name| path == name);
        match self.inputs.iter().find(|path| absolute(path).is_some_and(|path| is_written(&path))) {
            Some(input) if input.is_file() => reject("would replace the input", input),
            _ => Ok(()),
        }
    }

    /// The templates to clean with. A resumed run does not learn again.
    fn learn(
        &self,
        inputs: &Inputs,
        state: &RunState,
        progress: &dyn Progress,
    ) -> Result<Option<TemplateStore>, Error> {
        let own = state.folder().join("templates.store");
        let path = match &self.templates {
            TemplateMode::None => return Ok(None),
            TemplateMode::Learn => &own,
            TemplateMode::LearnInto(path) | TemplateMode::Use(path) => path,
        };
        if let Some(identity) = state.learned()? {
            return reopen(path, &self.all_methods(), &identity, state).map(Some);
        }
        if let TemplateMode::Use(_) = &self.templates {
            let store = TemplateStore::open(path, &self.all_methods())?;
            state.mark_learned(&store.identity())?;
            return Ok(Some(store));
        }
        // Opened before the crawl is read, so that a store that cannot be used fails at once.
        let writer = StoreWriter::open(path, self.templates != TemplateMode::Learn)?;
        let position = AtomicU64::new(0);
        let mut source = TrackedSource::new(inputs.open(&self.read), &position);
        progress.pass("learning", source.bytes_total());
        let mut sampler = Sampler::new(state.folder(), SAMPLE_BYTES);
        let filter = sampler.source_filter();
        let at_work = PagesAtWork::default();
        run_ordered(
            &mut source,
            &self.run_options(),
            Scratch::default,
            |scratch, raw| self.observe(&filter, &at_work, scratch, raw),
            |evidence| {
                progress.page(position.load(Ordering::Relaxed), PageOutcome::Done);
                check_stop(progress)?;
                evidence.map_or(Ok(()), |evidence| sampler.add(evidence))
            },
        )?;
        let threads = self.run_options().threads().max(1);
        let known_methods = &self.all_methods();
        let settings = LearnSettings { method: &self.method, known_methods, seed: self.seed, day: &self.day, threads };
        writer.learn(sampler.finish()?, &settings)?;
        let store = TemplateStore::open(path, &self.all_methods())?;
        state.mark_learned(&store.identity())?;
        Ok(Some(store))
    }

    /// The evidence of a page about its site. Pages that cannot be read give none; the second pass reports them.
    fn observe(
        &self,
        filter: &SourceFilter,
        at_work: &PagesAtWork,
        scratch: &mut Scratch,
        raw: Result<RawPage, Fault>,
    ) -> Option<PageEvidence> {
        let page = raw.and_then(|raw| raw.open(&self.read)).ok()?;
        let _at_work = at_work.begin(page.html.len());
        self.page_evidence(&PageRef::from(&page), scratch, |site, priority| filter.accepts(site, priority))
    }

    /// The evidence of a page about its site, with its source if the method needs it and `wants_source` says so. Nothing if the page cannot be read.
    pub(super) fn page_evidence(
        &self,
        page: &PageRef<'_>,
        scratch: &mut Scratch,
        wants_source: impl FnOnce(&str, u64) -> bool,
    ) -> Option<PageEvidence> {
        // Pages without an address belong to no site, since nothing says that they belong together.
        if page.url.is_empty() {
            return None;
        }
        let site = self.site_by.site_key(page.url);
        let name = page.name();
        let priority = PageEvidence::priority_of(&name, self.seed);
        let needs_source = (!self.method.is_counts() || self.page_kinds) && wants_source(&site, priority);
        let (fingerprints, source) = guarded(scratch, page.html.len(), |scratch| {
            let page = Page::new(page.html).with_content_type(page.content_type);
            let page = self.extractor.parse(page, scratch).ok()?;
            Some((page_evidence(&page), if needs_source { page_source(page.document) } else { None }))
        })??;
        let evidence = PageEvidence::new(site, &name, self.seed, fingerprints);
        Some(match source {
            Some(source) => evidence.with_source(&source),
            None => evidence,
        })
    }

    /// Writes the chunks that are missing. Returns the slowest pages.
    fn clean(
        &self,
        columns: &RowColumns,
        inputs: &Inputs,
        state: &RunState,
        store: Option<&TemplateStore>,
        progress: &dyn Progress,
    ) -> Result<Vec<RankedPage>, Error> {
        let position = AtomicU64::new(0);
        let mut source = TrackedSource::new(inputs.open(&self.read), &position);
        let pass = match (&self.segmenter, self.records) {
            (Some(_), _) => "segmenting",
            (None, Some(_)) => "finding records",
            (None, None) => "cleaning",
        };
        progress.pass(pass, source.bytes_total());
        let builder = RowBuilder {
            extractor: &self.extractor,
            segmenter: self.segmenter.as_ref().map(|(segmenter, output)| (segmenter, *output)),
            records: self.records,
            columns,
            formats: &self.formats,
            front_matter: self.writes_folder(),
            samples: true,
        };
        let mut chunks = ChunkWriter::new(state)?;
        let mut slowest = Tally::default();
        // Input pages are counted as the container gives them, before any of them is opened.
        for _ in 0..state.pages_done()? {
            if source.next().is_none() {
                break;
            }
        }
        let mut keep_slowest = |tally: Option<Tally>| {
            slowest.add(Tally { slowest: tally.unwrap_or_default().slowest, ..Tally::default() })
        };
        let at_work = PagesAtWork::default();
        run_ordered_sized(
            &mut source,
            &self.run_options(),
            Scratch::default,
            |scratch, raw| self.row(&builder, store, &at_work, scratch, raw),
            |row| row.as_ref().map_or(0, |row| row.json.len()),
            |row| {
                let row = row?;
                let outcome = row.outcome();
                progress.page(position.load(Ordering::Relaxed), outcome);
                check_stop(progress)?;
                if let Some(line) = chunks.limits.left_out_row(Some(&row), columns) {
                    keep_slowest(chunks.add(&line, |_| ())?);
                }
                let is_written = chunks.limits.count(&row, self.max_output_ratio, |file| inputs.bytes_of(file))?;
                let (line, tally) = (if is_written { &*row.json } else { &[] }, row.tally);
                keep_slowest(chunks.add(line, |counts| match outcome {
                    PageOutcome::Skipped => counts.skipped += 1,
                    PageOutcome::Done | PageOutcome::Failed => counts.add_page(tally),
                })?);
                Ok::<(), Error>(())
            },
        )?;
        if let Some(line) = chunks.limits.left_out_row(None, columns) {
            keep_slowest(chunks.add(&line, |_| ())?);
        }
        keep_slowest(chunks.finish()?);
        Ok(slowest.slowest)
    }

    /// The row of a page, or of what could not be read.
    fn row(
        &self,
        builder: &RowBuilder<'_>,
        store: Option<&TemplateStore>,
        at_work: &PagesAtWork,
        scratch: &mut Scratch,
        raw: Result<RawPage, Fault>,
    ) -> Result<CountedRow, Error> {
        let start = Instant::now();
        let page = match raw.and_then(|raw| raw.open(&self.read)) {
            Ok(page) => page,
            Err(fault) if fault.kind.is_skip() => return Ok(CountedRow::skip(fault.location)),
            Err(fault) => return Ok(fault_row(&fault, builder.columns, |url| self.site_by.site_key(url))),
        };
        let site = self.site_by.site_key(&page.url);
        let template = match store {
            Some(store) => store.template(&site)?,
            None => None,
        };
        // Last, because nothing else may be waited for until the page is done.
        let _at_work = at_work.begin(page.html.len());
        let mut row = clean_guarded(builder, &PageRef::from(&page), site, template.as_deref(), scratch);
        row.tally.micros = start.elapsed().as_micros() as u64;
        Ok(row)
    }
}

fn check_stop(progress: &dyn Progress) -> Result<(), Error> {
    match progress.should_stop() {
        false => Ok(()),
        true => Err(Error::new(ErrorKind::Interrupted, "the run was interrupted, and can be resumed")),
    }
}

/// The store that a resumed run has begun to clean with.
fn reopen(path: &Path, methods: &[SiteMethod], identity: &str, state: &RunState) -> Result<TemplateStore, Error> {
    let folder = state.folder().display();
    let other = |what: &str| {
        let message = format!(
            "this template store {what} since the run to resume was interrupted: put it back, or delete {folder} and start again"
        );
        Error::new(ErrorKind::DifferentRun, message).at(path)
    };
    if !path.exists() {
        return Err(other("was deleted"));
    }
    let store = TemplateStore::open(path, methods)?;
    if store.identity() == identity { Ok(store) } else { Err(other("was changed")) }
}

/// Finds out whether the pages of a site still fit its templates.
fn find_drift(name: &str, site: &mut SiteTally, store: &TemplateStore) -> Result<(), Error> {
    if (!site.fits.is_empty() || site.unfit > 0)
        && let Some(templates) = store.template(name)?
    {
        site.drift = DriftCounter::of_counts(&site.fits, site.unfit).finish(&templates).findings();
    }
    Ok(())
}

/// The row of a page, also if the extractor panics on it.
pub(super) fn clean_guarded(
    builder: &RowBuilder<'_>,
    page: &PageRef<'_>,
    site: String,
    template: Option<&SiteTemplates>,
    scratch: &mut Scratch,
) -> CountedRow {
    let cleaned = guarded(scratch, page.html.len(), |scratch| builder.clean(page, site.clone(), template, scratch));
    cleaned.unwrap_or_else(|| builder.panicked(page, site))
}

/// A path without links and dots. Its last parts need not exist yet.
fn absolute(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let existing = path.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    let (ancestor, real) = existing?;
    Some(real.join(path.strip_prefix(ancestor).ok()?))
}
