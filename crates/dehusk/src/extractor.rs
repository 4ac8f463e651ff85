//! The main entry point: an [`Extractor`] runs a page through all stages and returns an [`Extraction`].
//!
//! The stages are decode, parse and detect; the [`Extraction`] renders. An extractor is immutable and can be shared between
//! threads; a [`Scratch`] belongs to one thread and has buffers that are reused for each page.

use crate::comments::Comments;
use crate::detect::{Detector, DetectorInput, Fusion};
use crate::detection::Detection;
use crate::detection::shown_words_up_to;
use crate::dom::{Document, Name, decode};
use crate::error::{Error, ErrorKind};
use crate::extraction::{Extraction, Findings};
use crate::fallback::{FallbackContent, MAX_SHOWN_WORDS, MIN_VISIBLE_WORDS, fallback_content};
use crate::metadata::detect_language;
use crate::metadata::{Metadata, MetadataField, MetadataSource, metadata};
use crate::options::Options;
use crate::page::Page;
use crate::read::{PageEncoding, ParsedPage};
use crate::render::render_text;
use crate::scratch::{ParserOptions, Scratch};
use crate::settle::settle;
use std::sync::Arc;
use url::Url;

/// Extracts the content of pages.
///
/// It owns the options and the detector with its model, is cheap to clone, and can be shared between threads. Its `Debug` output
/// shows everything the result depends on.
#[derive(Clone, Debug)]
pub struct Extractor {
    options: Options,
    detector: Arc<dyn Detector>,
}

impl Default for Extractor {
    fn default() -> Extractor {
        Extractor { options: Options::default(), detector: Arc::new(Fusion::default()) }
    }
}

impl Extractor {
    /// Creates an extractor with these options and the default detector, Fusion.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: Options) -> Result<Extractor, Error> {
        Extractor::default().with_options(options)
    }

    /// Uses this detector.
    ///
    /// # Errors
    /// If the detector cannot do what the options say.
    pub fn with_detector(self, detector: impl Detector + 'static) -> Result<Extractor, Error> {
        self.with_shared_detector(Arc::new(detector))
    }

    /// Uses this detector, which others use, too.
    ///
    /// # Errors
    /// As [`with_detector`](Extractor::with_detector).
    pub fn with_shared_detector(mut self, detector: Arc<dyn Detector>) -> Result<Extractor, Error> {
        check(&*detector, &self.options)?;
        self.detector = detector;
        Ok(self)
    }

    /// The same extractor with other options.
    ///
    /// # Errors
    /// If an option is out of range, or the detector cannot do what they say.
    pub fn with_options(&self, options: Options) -> Result<Extractor, Error> {
        options.check()?;
        check(&*self.detector, &options)?;
        Ok(Extractor { options, detector: self.detector.clone() })
    }

    /// The detector.
    #[must_use]
    pub fn detector(&self) -> &Arc<dyn Detector> {
        &self.detector
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Decodes and parses a page, for learning. [`extract`](Extractor::extract) does this itself.
    ///
    /// # Errors
    /// If the bytes are not a page, such as an image, or exceed a limit.
    pub fn parse<'a, 'p>(&self, page: impl Into<Page<'p>>, scratch: &'a mut Scratch) -> Result<ParsedPage<'a>, Error> {
        let encoding = self.read(&page.into(), scratch)?;
        Ok(scratch.page(encoding))
    }

    /// Extracts the content of a page. The result borrows the buffers.
    ///
    /// # Errors
    /// As [`parse`](Extractor::parse), and if boxes were given that do not belong to the page.
    pub fn extract<'a, 'p>(
        &self,
        page: impl Into<Page<'p>>,
        scratch: &'a mut Scratch,
    ) -> Result<Extraction<'a>, Error> {
        let findings = self.find(&page.into(), scratch)?;
        Ok(Extraction::borrowed(scratch, findings))
    }

    /// Extracts the content of a page into its own buffers. For many pages, [`extract`](Extractor::extract) is faster.
    ///
    /// # Errors
    /// As [`extract`](Extractor::extract).
    pub fn extract_owned<'p>(&self, page: impl Into<Page<'p>>) -> Result<Extraction<'static>, Error> {
        let mut scratch = Box::<Scratch>::default();
        let findings = self.find(&page.into(), &mut scratch)?;
        Ok(Extraction::owned(scratch, findings))
    }

    fn read(&self, page: &Page<'_>, scratch: &mut Scratch) -> Result<PageEncoding, Error> {
        let Options { limits, scripting, .. } = self.options;
        let decoded = decode(page.bytes, page.content_type, &limits)?;
        scratch.parse(&decoded.text, ParserOptions { limits, scripting })?;
        Ok(PageEncoding::new(decoded.encoding, decoded.rule, decoded.replaced))
    }

    fn find(&self, page: &Page<'_>, scratch: &mut Scratch) -> Result<Findings, Error> {
        let encoding = self.read(page, scratch)?;
        let (parsed, buffers) = scratch.page_and_buffers(encoding);
        let document = parsed.document;
        let input =
            DetectorInput { page: parsed, url: page.url, site: page.site, boxes: page.boxes, options: &self.options };
        let mut detection = self.detector.detect(&input, buffers)?;
        settle(document, &mut detection);
        let kept_words = detection.kept_words_up_to(document, MIN_VISIBLE_WORDS);
        let fallback = match kept_words < MIN_VISIBLE_WORDS {
            true => fallback_content(document, kept_words, shown_words_up_to(document, MAX_SHOWN_WORDS)),
            false => None,
        };
        Ok(Findings {
            encoding,
            metadata: self.options.metadata.then(|| self.metadata(document, &detection, fallback.as_ref())),
            fallback,
            url: page.url.map(str::to_string),
            base: base_url(page, &parsed, self.options.absolute_urls),
            render: self.options.render,
            heading: self.options.heading,
            detection,
        })
    }

    /// The metadata of a page and the language of its content.
    fn metadata(&self, document: &Document, detection: &Detection, fallback: Option<&FallbackContent>) -> Metadata {
        let language = match fallback {
            Some(fallback) => detect_language(&fallback.text),
            None => detect_language(&render_text(document, detection, self.options.render)),
        };
        let field = |tag: &str| MetadataField { value: tag.to_string(), source: MetadataSource::Text };
        let mut found = metadata(document);
        found.detected_language = language.map(field);
        found
    }
}

/// Whether a detector can do what the options say.
fn check(detector: &dyn Detector, options: &Options) -> Result<(), Error> {
    if options.comments != Comments::Auto && !detector.knows_comments() {
        let message = format!("only the detector fusion knows comments, not {}", detector.name());
        return Err(Error::new(ErrorKind::BadOptions, message));
    }
    detector.check(options)
}

/// The base of the relative URLs of a page: its `<base>`, or if absolute URLs are requested its own URL. Without its `<base>`, a
/// relative URL would mean something else.
fn base_url(page: &Page<'_>, parsed: &ParsedPage<'_>, absolute: bool) -> Option<Url> {
    let own = page.url.and_then(|url| Url::parse(url).ok());
    let document = parsed.document;
    let declared = document.find(Name::BASE).and_then(|base| document.attribute(base, Name::HREF));
    let declared = declared.and_then(|href| Url::options().base_url(own.as_ref()).parse(href.trim()).ok());
    declared.or(own.filter(|_| absolute)).filter(|url| matches!(url.scheme(), "http" | "https"))
}
