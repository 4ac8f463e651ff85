//! Automatic labels: what appears on many pages of a site is template there.
//!
//! A crawl is read twice. The first pass counts, on a sample of each site's pages, what its pages share; the second gives
//! every page of the sample with those counts, from which labels of nodes (PageLevel §5.1) or of blocks (Block §4.1) follow.
//! Memory grows with the number of sites, not of pages.

use dehusk::dom::{Document, Fingerprints, Name, NodeId, NodeKind};
use dehusk::site::{SiteLevelLearner, SiteLevelTemplate, page_evidence};
use dehusk::{Extractor, Options, Page, ParsedPage, Scratch};
use dehusk_io::crawl::{PageEvidence, PageOutcome, Progress, Sampler, SiteBy, TrackedSource};
use dehusk_io::{
    Error, Fault, InputPage, Inputs, InputsSnapshot, RawPage, ReadOptions, RunOptions, Source as _, run_ordered,
};
use dehusk_papers::block::elements::{BlockNames, blocks};
use dehusk_papers::block::page_words::PageWords;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of evidence held in memory while counting; the rest goes to temporary files.
const SAMPLE_BYTES: usize = 256 << 20;
/// A node with a larger share of its bytes in template nodes is template, too (PageLevel §5.1).
const TEMPLATE_BYTES: f64 = 0.85;

/// What is counted on the pages of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Flavour {
    /// Exact fingerprints of nodes, for labels of nodes.
    Nodes,
    /// Text fingerprints of blocks, for labels of blocks.
    Blocks(BlockNames),
}

/// What is labelled, and how.
#[derive(Clone, Debug)]
pub struct LabelOptions {
    /// Files and folders to read.
    pub inputs: Vec<PathBuf>,
    /// How inputs are read.
    pub read: ReadOptions,
    /// How pages are parsed.
    pub options: Options,
    /// Which pages are one site.
    pub site_by: SiteBy,
    /// What is counted.
    pub flavour: Flavour,
    /// What appears on at least this share of a site's pages is template.
    pub threshold: f64,
    /// Sites with fewer pages are left out: what they share says little.
    pub min_pages: u32,
    /// Chooses the sample of each site's pages.
    pub seed: u64,
    /// Threads to use; 0 is one for each core. The result does not depend on it.
    pub threads: usize,
}

impl LabelOptions {
    /// The usual labels.
    #[must_use]
    pub fn new(inputs: Vec<PathBuf>, flavour: Flavour) -> LabelOptions {
        LabelOptions {
            inputs,
            read: ReadOptions::default(),
            options: Options::new(),
            site_by: SiteBy::Host,
            flavour,
            threshold: 0.1,
            min_pages: 8,
            seed: 0,
            threads: 0,
        }
    }

    fn run_options(&self) -> RunOptions {
        RunOptions::default().with_threads(self.threads)
    }

    fn extractor(&self) -> Result<Extractor, Error> {
        Extractor::new(self.options).map_err(Error::other)
    }

    /// Opens a record, or says why it is left out.
    fn open(&self, raw: Result<RawPage, Fault>) -> Result<InputPage, LeftOut> {
        raw.and_then(|raw| raw.open(&self.read)).map_err(|fault| match fault.kind.is_skip() {
            true => LeftOut::NotWanted,
            false => LeftOut::Failed(fault.kind.name()),
        })
    }

    /// What a page tells about its site, sorted, each once.
    fn evidence(&self, page: &ParsedPage<'_>, texts: &mut Fingerprints) -> Vec<u64> {
        let Flavour::Blocks(names) = self.flavour else { return page_evidence(page) };
        texts.compute_text(page.document);
        let words = PageWords::of(page.document);
        let blocks = blocks(page.document, page.stats(), &words, names);
        let mut evidence: Vec<u64> = blocks.iter().map(|id| texts.text[id.index()]).filter(|text| *text != 0).collect();
        evidence.sort_unstable();
        evidence.dedup();
        evidence
    }
}

/// Why a record is left out.
enum LeftOut {
    /// It holds no page, or one whose site is left out.
    NotWanted,
    /// It cannot be read, for a reason of this kind.
    Failed(&'static str),
}

fn cannot_parse(error: dehusk::Error) -> LeftOut {
    LeftOut::Failed(error.kind().name())
}

/// What is known of one site.
#[derive(Clone, Debug)]
struct Site {
    counts: SiteLevelTemplate,
    number: u32,
    /// The largest hash of a page in the sample: pages with larger ones were not counted.
    last: u64,
}

/// What the pages of each site share.
#[derive(Clone, Debug)]
pub struct SiteCounts {
    sites: BTreeMap<String, Site>,
    /// Whether any page could be read.
    has_pages: bool,
    /// Sites with fewer pages were left out.
    min_pages: u32,
    /// The inputs, for the passes that follow: standard input can be read only once.
    inputs: Inputs,
    /// The files of the inputs before the first pass: all passes must read the same.
    snapshot: InputsSnapshot,
}

impl SiteCounts {
    /// The names of the sites, in the order of their numbers.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.sites.keys().cloned().collect()
    }

    /// How many sites there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there is no site.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Checks that some site has enough pages, if there are pages at all.
    ///
    /// # Errors
    /// If there are pages, but no site with enough of them.
    pub fn check_any(&self) -> Result<(), Error> {
        match self.is_empty() && self.has_pages {
            true => Err(Error::other(format!("no site has {} pages or more", self.min_pages))),
            false => Ok(()),
        }
    }

    /// How many pages were counted.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.sites.values().map(|site| u64::from(site.counts.pages())).sum()
    }
}

/// The first pass: counts what the pages of each site share. Pages that cannot be read are left out, and `progress` is told why.
///
/// # Errors
/// If an input cannot be opened, or a temporary file cannot be written.
pub fn count_sites(options: &LabelOptions, progress: &dyn Progress) -> Result<SiteCounts, Error> {
    let extractor = options.extractor()?;
    let inputs = Inputs::new(&options.inputs)?;
    let snapshot = inputs.snapshot(&options.read);
    let position = AtomicU64::new(0);
    let mut source = TrackedSource::new(inputs.open(&options.read), &position);
    progress.pass("counting", source.bytes_total());
    let folder = std::env::temp_dir();
    let mut sampler = Sampler::new(&folder, SAMPLE_BYTES);
    let observe = |(scratch, texts): &mut (Scratch, Fingerprints), raw: Result<RawPage, Fault>| {
        let record = options.open(raw)?;
        let page = Page::new(&record.html).with_content_type(record.content_type.as_deref());
        let page = extractor.parse(page, scratch).map_err(cannot_parse)?;
        let group = options.site_by.site_key(&record.url);
        let evidence = options.evidence(&page, texts);
        Ok(PageEvidence::new(group, &record.name(), options.seed, evidence))
    };
    let mut has_pages = false;
    run_ordered(&mut source, &options.run_options(), Default::default, observe, |evidence| {
        progress.page(position.load(Ordering::Relaxed), outcome(&evidence));
        has_pages |= evidence.is_ok();
        match evidence {
            Ok(evidence) => sampler.add(evidence),
            Err(LeftOut::NotWanted) => Ok(()),
            Err(LeftOut::Failed(kind)) => {
                progress.fault(kind);
                Ok(())
            }
        }
    })?;
    let mut sites = BTreeMap::new();
    let mut groups = sampler.finish()?;
    while let Some((group, sample)) = groups.next_site()? {
        if (sample.len() as u32) < options.min_pages.max(2) {
            continue;
        }
        let mut learner = SiteLevelLearner::new();
        sample.iter().for_each(|page| learner.observe(&page.fingerprints));
        let last = sample.iter().map(|page| page.priority).max().unwrap_or(u64::MAX);
        sites.insert(group, Site { counts: learner.finish(), number: 0, last });
    }
    sites.values_mut().zip(0..).for_each(|(site, number)| site.number = number);
    Ok(SiteCounts { sites, has_pages, min_pages: options.min_pages.max(2), inputs, snapshot })
}

/// A page of a known site.
pub struct LabelledPage<'a> {
    /// The name of its site.
    pub site: &'a str,
    /// The number of its site among all.
    pub site_number: u32,
    /// Its address, or its path.
    pub url: &'a str,
    /// The page.
    pub page: ParsedPage<'a>,
    /// What the pages of the site share.
    pub counts: &'a SiteLevelTemplate,
    /// Text fingerprints, where blocks are labelled.
    pub texts: &'a Fingerprints,
    /// What appears on at least this many pages is template.
    template_pages: u32,
}

/// The second pass: gives each page that was counted to `work`, on many threads, and the results to `take`, in the order of
/// the input. `start` makes the state of one thread.
///
/// # Errors
/// If an input cannot be read or has changed since the first pass, or `take` fails.
pub fn visit_pages<S, T: Send>(
    options: &LabelOptions,
    counts: &SiteCounts,
    progress: &dyn Progress,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &LabelledPage<'_>) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Error>,
) -> Result<(), Error> {
    let extractor = options.extractor()?;
    let position = AtomicU64::new(0);
    let mut source = TrackedSource::new(counts.inputs.open(&options.read), &position);
    progress.pass("labelling", source.bytes_total());
    let label = |(scratch, texts, state): &mut (Scratch, Fingerprints, S), raw: Result<RawPage, Fault>| {
        let record = options.open(raw)?;
        let group = options.site_by.site_key(&record.url);
        let (name, site) = counts.sites.get_key_value(&group).ok_or(LeftOut::NotWanted)?;
        // The same hash as when counting says whether the page is in the sample.
        if PageEvidence::priority_of(&record.name(), options.seed) > site.last {
            return Err(LeftOut::NotWanted);
        }
        let page = Page::new(&record.html).with_content_type(record.content_type.as_deref());
        let page = extractor.parse(page, scratch).map_err(cannot_parse)?;
        if options.flavour != Flavour::Nodes {
            texts.compute_text(page.document);
        }
        let template_pages = (options.threshold * f64::from(site.counts.pages())).ceil() as u32;
        let labelled = LabelledPage {
            site: name,
            site_number: site.number,
            url: &record.url,
            page,
            counts: &site.counts,
            texts,
            template_pages: template_pages.max(2),
        };
        Ok(work(state, &labelled))
    };
    let begin = || (Scratch::default(), Fingerprints::default(), start());
    run_ordered(&mut source, &options.run_options(), begin, label, |result| {
        progress.page(position.load(Ordering::Relaxed), outcome(&result));
        result.map_or(Ok(()), &mut take)
    })?;
    counts.inputs.check_unchanged(&counts.snapshot, ": run again")
}

fn outcome<T>(result: &Result<T, LeftOut>) -> PageOutcome {
    match result {
        Ok(_) => PageOutcome::Done,
        Err(LeftOut::NotWanted) => PageOutcome::Skipped,
        Err(LeftOut::Failed(_)) => PageOutcome::Failed,
    }
}

/// Labels of the nodes of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeLabels {
    /// For each node: template or not, or nothing for nodes that show nothing.
    pub is_template: Vec<Option<bool>>,
}

/// What a block is labelled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockLabel {
    /// Its text appears on enough pages to be template.
    Template,
    /// Its text and that of all blocks in it appears on this page only.
    Content {
        /// Whether it is not inside another content block.
        topmost: bool,
    },
    /// Neither.
    Unknown,
}

/// The blocks of a page with their labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockLabels {
    /// The blocks in page order.
    pub blocks: Vec<NodeId>,
    /// Their labels.
    pub labels: Vec<BlockLabel>,
    /// On how many pages of the site the text of each appears, this page included.
    pub pages: Vec<u32>,
}

impl LabelledPage<'_> {
    /// The labels of its nodes (PageLevel §5.1): template is what appears on enough pages, and what mostly consists of such
    /// nodes. Scripts, styles and comments count for nothing.
    #[must_use]
    pub fn node_labels(&self) -> NodeLabels {
        let (document, stats, fingerprints) = (self.page.document, self.page.stats(), self.page.fingerprints());
        let mut is_template = vec![None; document.len()];
        let Some(body) = document.find(Name::BODY) else { return NodeLabels { is_template } };
        let mut all = vec![0u32; document.len()];
        let mut shared = vec![0u32; document.len()];
        for id in std::iter::once(body).chain(document.descendants(body)).rev() {
            let at = id.index();
            all[at] += own_bytes(document, id);
            let counts = stats.subtree(document, id);
            let shows = counts.characters > 0 || counts.pictures > 0;
            let hash = fingerprints.exact[at];
            let repeated = shows && hash != 0 && self.counts.support(hash) >= self.template_pages;
            if repeated {
                shared[at] = all[at];
            }
            if shows {
                let mostly =
                    document.end(id).0 > id.0 + 1 && f64::from(shared[at]) > TEMPLATE_BYTES * f64::from(all[at]);
                is_template[at] = Some(repeated || mostly);
            }
            if let Some(parent) = document.parent(id) {
                all[parent.index()] += all[at];
                shared[parent.index()] += shared[at];
            }
        }
        NodeLabels { is_template }
    }

    /// Its blocks and their labels (Block §4.1).
    #[must_use]
    pub fn block_labels(&self, words: &PageWords, names: BlockNames) -> BlockLabels {
        let (document, stats) = (self.page.document, self.page.stats());
        let blocks = blocks(document, stats, words, names);
        let support = |id: &NodeId| self.counts.support(self.texts.text[id.index()]).max(1);
        let pages: Vec<u32> = blocks.iter().map(support).collect();
        let labels = label_blocks(document, &blocks, &pages, self.template_pages);
        BlockLabels { blocks, labels, pages }
    }
}

/// Labels blocks by the number of pages they appear on. Blocks come in page order.
fn label_blocks(document: &Document, blocks: &[NodeId], pages: &[u32], template_pages: u32) -> Vec<BlockLabel> {
    // How many blocks before each appear on several pages.
    let mut repeated = vec![0u32];
    for pages in pages {
        repeated.push(repeated[repeated.len() - 1] + u32::from(*pages > 1));
    }
    let mut content_until = NodeId(0);
    let label = |number: usize| {
        let id = blocks[number];
        let end = number + blocks[number..].partition_point(|inner| *inner < document.end(id));
        if pages[number] >= template_pages {
            BlockLabel::Template
        } else if repeated[end] == repeated[number] {
            let topmost = id >= content_until;
            content_until = content_until.max(document.end(id));
            BlockLabel::Content { topmost }
        } else {
            BlockLabel::Unknown
        }
    };
    (0..blocks.len()).map(label).collect()
}

/// The bytes of a node's tags or text; nothing for what readers and fingerprints do not see.
fn own_bytes(document: &Document, id: NodeId) -> u32 {
    let parent = document.parent(id).map_or(Name::NONE, |parent| document.html_name(parent));
    match document.kind(id) {
        NodeKind::Text if matches!(parent, Name::SCRIPT | Name::STYLE) => 0,
        NodeKind::Text => document.text(id).len() as u32,
        NodeKind::Element if !matches!(document.html_name(id), Name::SCRIPT | Name::STYLE) => {
            let outer = document.span(id).map_or(0, |span| span.len());
            let inner = document.inner_span(id).map_or(0, |span| span.len());
            outer.saturating_sub(inner) as u32
        }
        _ => 0,
    }
}

#[cfg(test)]
#[path = "site_labels_tests.rs"]
mod tests;
