//! The whole library in one call: the bytes of a page in, its content out.
//!
//! For work on many pages an [`Extractor`] with a [`Scratch`] does the same and uses its memory again.

use crate::detection::PageVerdict;
use crate::error::Error;
use crate::extractor::{Detector, Extractor, OutputFormat, Scratch};
use crate::fusion::{Focus, PageType};
use crate::hidden::HiddenSource;
use crate::metadata::Metadata;
use crate::options::{KnownSite, LonePage, Options};
use crate::output::{self, RenderOptions};
use std::fmt;

/// The content of a page.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Extraction {
    /// The content, as plain text or in the format asked for. Empty where the page has none.
    pub text: String,
    /// The page's `<title>`.
    pub title: Option<String>,
    /// How good the result is guessed to be, as an F measure, 0 to 1; nothing where no model judged.
    pub confidence: Option<f32>,
    /// What kind of page it is, where that can be told.
    pub page_type: Option<PageType>,
    /// Where the text is from, if it is not from what the page shows.
    pub fallback: Option<HiddenSource>,
    /// What the page says about itself, if asked for.
    pub metadata: Option<Metadata>,
    /// What is out of the ordinary: `no_content`, `evidence_disputed`.
    pub flags: Vec<&'static str>,
}

/// How [`extract_with`] works.
#[derive(Clone, Copy, Default)]
pub struct ExtractOptions<'a> {
    options: Options,
    format: OutputFormat,
    render: RenderOptions,
    metadata: bool,
    content_type: Option<&'a str>,
    site: Option<&'a dyn Detector>,
}

impl<'a> ExtractOptions<'a> {
    /// What [`extract`] does.
    pub fn new() -> ExtractOptions<'a> {
        ExtractOptions::default()
    }

    /// How pages are read and judged.
    pub fn with_options(mut self, options: Options) -> ExtractOptions<'a> {
        self.options = options;
        self
    }

    /// From precision to recall.
    pub fn with_focus(mut self, focus: Focus) -> ExtractOptions<'a> {
        self.options = self.options.with_lone_pages(LonePage::Fusion(focus)).with_known_sites(KnownSite::Fused(focus));
        self
    }

    /// The form of the result.
    pub fn with_format(mut self, format: OutputFormat) -> ExtractOptions<'a> {
        self.format = format;
        self
    }

    /// Details of that form.
    pub fn with_render(mut self, render: RenderOptions) -> ExtractOptions<'a> {
        self.render = render;
        self
    }

    /// Also says what the page says about itself.
    pub fn with_metadata(mut self, metadata: bool) -> ExtractOptions<'a> {
        self.metadata = metadata;
        self
    }

    /// The HTTP header of that name, where it is known.
    pub fn with_content_type(mut self, content_type: &'a str) -> ExtractOptions<'a> {
        self.content_type = Some(content_type);
        self
    }

    /// What is known of the page's site: its templates.
    pub fn with_site(mut self, site: &'a dyn Detector) -> ExtractOptions<'a> {
        self.site = Some(site);
        self
    }
}

impl fmt::Debug for ExtractOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractOptions")
            .field("options", &self.options)
            .field("format", &self.format)
            .field("render", &self.render)
            .field("metadata", &self.metadata)
            .field("content_type", &self.content_type)
            .field("site", &self.site.is_some())
            .finish()
    }
}

/// The content of a page as plain text.
///
/// Takes the bytes as they came; the encoding is found out. A page without content is no error: its text is empty and
/// [`Extraction::flags`] has `no_content`.
///
/// ```
/// let page = "<title>Nets</title><nav><a href=/>Home</a> <a href=/all>All posts</a></nav>
///     <main><h1>Nets</h1><p>Nets are mended in May, when the boats come home and the nights are short. Whoever has
///     hands to spare sits on the quay, and the old ones tell how it was done before.</p></main>
///     <footer>© Harbour Notes. <a href=/privacy>Privacy</a></footer>";
/// let found = dehusk::extract(page)?;
/// assert!(found.text.contains("Nets are mended in May"));
/// assert!(!found.text.contains("Privacy"));
/// assert_eq!(found.title.as_deref(), Some("Nets"));
/// # Ok::<(), dehusk::Error>(())
/// ```
///
/// # Errors
/// Where the bytes are no page, such as a picture, or exceed a limit.
pub fn extract(page: impl AsRef<[u8]>) -> Result<Extraction, Error> {
    extract_with(page, &ExtractOptions::new())
}

/// The content of a page, as the options say.
///
/// ```
/// use dehusk::fusion::Focus;
/// use dehusk::{ExtractOptions, OutputFormat};
///
/// let options = ExtractOptions::new().with_format(OutputFormat::Markdown).with_focus(Focus::RECALL).with_metadata(true);
/// let found = dehusk::extract_with("<html lang=en><h1>Nets</h1><p>They are mended in <b>May</b>.</p>", &options)?;
/// assert!(found.text.contains("mended in **May**"));
/// # Ok::<(), dehusk::Error>(())
/// ```
///
/// # Errors
/// As [`extract`], and where an option is out of its range.
pub fn extract_with(page: impl AsRef<[u8]>, options: &ExtractOptions<'_>) -> Result<Extraction, Error> {
    let mut scratch = Scratch::default();
    let extractor = Extractor::new(options.options)?;
    let analysis = extractor.analyze(page.as_ref(), options.content_type, options.site, &mut scratch)?;
    let result = analysis.result(options.format, options.render, options.metadata);
    let verdict = analysis.detection.page;
    // What stands in for the visible text is content, too.
    let empty = |flag: &&str| *flag != "no_content" || result.fallback.is_none();
    let flags = verdict.into_iter().flat_map(PageVerdict::flags).filter(empty).collect();
    Ok(Extraction {
        text: result.content,
        title: output::title(analysis.page.document),
        confidence: verdict.map(|page| page.confidence),
        page_type: verdict.and_then(|page| page.page_type),
        fallback: result.fallback,
        metadata: result.metadata,
        flags,
    })
}
