//! Runs the stages on a page in their order: decode, parse, count, fingerprint, detect.
//!
//! An [`Extractor`] is shared between threads and never changes; a [`Scratch`] belongs to one thread and holds the
//! memory that is used again for each page.

use crate::detection::Detection;
use crate::dom::{Document, Fingerprints, NodeId, Parser, Stats};
use crate::error::Error;
use crate::fusion::{FusionPage, detect_fused, detect_fusion};
use crate::input::{Rule, decode};
use crate::options::{KnownSite, LonePage, Options};
use crate::output::{self, RenderOptions};
use crate::page::{Block, BlockModel, detect_block};
use crate::site::page_evidence;
use std::cell::{Cell, OnceCell};

/// Turns pages into what is worth keeping of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractor {
    options: Options,
}

/// Memory for one thread's pages.
#[derive(Default)]
pub struct Scratch {
    parser: Option<(Options, Parser)>,
    document: Document,
    stats: Later<Stats>,
    fingerprints: Later<Fingerprints>,
    fusion: FusionPage,
}

/// What is worked out when it is first asked for, in memory that is used again.
#[derive(Default)]
struct Later<T> {
    value: OnceCell<T>,
    spare: Cell<Option<T>>,
}

impl<T> std::fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.value.get().is_some() { "worked out" } else { "not asked for" })
    }
}

impl<T: Default> Later<T> {
    /// Forgets the value, for the next page.
    fn forget(&mut self) {
        if let Some(value) = self.value.take() {
            self.spare.set(Some(value));
        }
    }

    fn get(&self, work_out: impl FnOnce(&mut T)) -> &T {
        self.value.get_or_init(|| {
            let mut value = self.spare.take().unwrap_or_default();
            work_out(&mut value);
            value
        })
    }
}

/// A parsed page, its statistics and its fingerprints: what learning needs.
#[derive(Clone, Copy, Debug)]
pub struct ParsedPage<'a> {
    /// The tree.
    pub document: &'a Document,
    counted: Counted<'a>,
    /// The encoding the page was in.
    pub encoding: &'static str,
    /// The rule that decided the encoding.
    pub rule: Rule,
    /// Whether bytes that mean nothing in that encoding were replaced.
    pub replaced: bool,
}

/// Where statistics and fingerprints are.
#[derive(Clone, Copy, Debug)]
enum Counted<'a> {
    Known(&'a Stats, &'a Fingerprints),
    Later(&'a Later<Stats>, &'a Later<Fingerprints>),
}

/// The results of all stages for one page.
#[derive(Clone, Debug)]
pub struct Analysis<'a> {
    /// The page.
    pub page: ParsedPage<'a>,
    /// What is kept and dropped, and why.
    pub detection: Detection,
}

/// Finds the husk of a page by what is known of its site: a template, or all templates of the site.
pub trait Detector: Sync {
    /// What of a page is dropped, and why.
    fn detect(&self, page: &ParsedPage<'_>, options: &Options) -> Detection;
}

/// A form of the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Plain text.
    #[default]
    Text,
    /// Markdown with tables, lists, code and links.
    Markdown,
    /// HTML of a small, safe set of elements.
    Html,
    /// A record with every block, its place in the source and the reason for its fate.
    Json,
}

impl Extractor {
    /// An extractor with these options.
    pub fn new(options: Options) -> Result<Extractor, Error> {
        options.check()?;
        Ok(Extractor { options })
    }

    /// Reads a page. `content_type` is the HTTP header of that name, where it is known.
    pub fn parse<'a>(
        &self,
        bytes: &[u8],
        content_type: Option<&str>,
        scratch: &'a mut Scratch,
    ) -> Result<ParsedPage<'a>, Error> {
        self.parse_parts(bytes, content_type, scratch).map(|(page, _)| page)
    }

    /// Reads a page, and gives the memory that judging it may use.
    fn parse_parts<'a>(
        &self,
        bytes: &[u8],
        content_type: Option<&str>,
        scratch: &'a mut Scratch,
    ) -> Result<(ParsedPage<'a>, &'a mut FusionPage), Error> {
        let decoded = decode(bytes, content_type, &self.options.limits)?;
        let parser = match &mut scratch.parser {
            Some((options, parser)) if *options == self.options => parser,
            other => {
                let parser = Parser::new(self.options.limits).with_scripting(self.options.scripting);
                &mut other.insert((self.options, parser)).1
            }
        };
        parser.parse_into(&decoded.text, &mut scratch.document)?;
        scratch.stats.forget();
        scratch.fingerprints.forget();
        let page = ParsedPage {
            document: &scratch.document,
            counted: Counted::Later(&scratch.stats, &scratch.fingerprints),
            encoding: decoded.encoding,
            rule: decoded.rule,
            replaced: decoded.replaced,
        };
        Ok((page, &mut scratch.fusion))
    }

    /// Reads a page and finds its husk, as the options say: by default by the fusion model, with what is known of the site as
    /// evidence where something is known.
    pub fn analyze<'a>(
        &self,
        bytes: &[u8],
        content_type: Option<&str>,
        site: Option<&dyn Detector>,
        scratch: &'a mut Scratch,
    ) -> Result<Analysis<'a>, Error> {
        let (page, fusion) = self.parse_parts(bytes, content_type, scratch)?;
        let detection = match (site, self.options.lone) {
            (Some(site), _) => match self.options.known {
                KnownSite::Template => site.detect(&page, &self.options),
                KnownSite::Fused(focus) => {
                    let told = site.detect(&page, &self.options);
                    detect_fused(page.document, &told, focus, &mut FusionPage::default()).detection
                }
            },
            (None, LonePage::Keep) => Detection::keep_all("none", page.document),
            (None, LonePage::Fusion(focus)) => detect_fusion(page.document, focus, fusion).detection,
            (None, LonePage::Block(point)) => {
                let settings = Block { point, ..Block::default() };
                detect_block(page.document, page.stats(), page.fingerprints(), BlockModel::builtin(), settings)?
            }
        };
        Ok(Analysis { page, detection })
    }
}

impl<'a> ParsedPage<'a> {
    /// A page in UTF-8 that was parsed, counted and fingerprinted before.
    pub fn new(document: &'a Document, stats: &'a Stats, fingerprints: &'a Fingerprints) -> ParsedPage<'a> {
        let counted = Counted::Known(stats, fingerprints);
        ParsedPage { document, counted, encoding: "UTF-8", rule: Rule::Utf8, replaced: false }
    }

    /// Counts of text by subtree. Worked out when they are first asked for.
    pub fn stats(&self) -> &'a Stats {
        match self.counted {
            Counted::Known(stats, _) => stats,
            Counted::Later(stats, _) => stats.get(|stats| stats.count(self.document)),
        }
    }

    /// Hashes by subtree, without the `text` flavour. Worked out when they are first asked for.
    pub fn fingerprints(&self) -> &'a Fingerprints {
        match self.counted {
            Counted::Known(_, fingerprints) => fingerprints,
            Counted::Later(_, fingerprints) => fingerprints.get(|fingerprints| fingerprints.take(self.document)),
        }
    }

    /// What the page tells about its site, for [`SiteLevelLearner::observe`](crate::SiteLevelLearner::observe).
    pub fn evidence(&self) -> Vec<u64> {
        page_evidence(self.document, self.stats(), self.fingerprints())
    }
}

impl Analysis<'_> {
    /// The kept part of the page in a format.
    pub fn render(&self, format: OutputFormat, options: RenderOptions) -> String {
        let (document, detection) = (self.page.document, &self.detection);
        match format {
            OutputFormat::Text => output::render_text(document, detection, options),
            OutputFormat::Markdown => output::render_markdown(document, detection, options),
            OutputFormat::Html => output::render_html(document, detection, options),
            OutputFormat::Json => output::render_json(document, detection, options),
        }
    }

    /// The source without the dropped nodes.
    pub fn strip(&self) -> String {
        output::strip(self.page.document, &self.detection)
    }

    /// How many characters of text a reader sees on the page, and how many of them are dropped.
    pub fn characters(&self) -> (u64, u64) {
        let (document, stats) = (self.page.document, self.page.stats());
        let all = stats.subtree(document, NodeId::DOCUMENT).characters;
        let dropped = self.detection.dropped_roots(document).map(|id| stats.subtree(document, id).characters as u64);
        (all as u64, dropped.sum())
    }

    /// The share of the page's visible text that is dropped, 0 to 1.
    pub fn dropped_share(&self) -> f64 {
        let (all, dropped) = self.characters();
        dropped as f64 / all.max(1) as f64
    }
}
