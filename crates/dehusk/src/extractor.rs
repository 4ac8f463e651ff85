//! The main entry point: an [`Extractor`] runs a page through all stages and returns an [`Extraction`].
//!
//! The stages are decode, parse and detect; the [`Extraction`] renders. An extractor is immutable and can be shared between
//! threads; a [`Scratch`] belongs to one thread and has buffers that are reused for each page.

use crate::coherence::make_coherent;
use crate::comments::Comments;
use crate::detection::{Detection, shown_words_up_to};
use crate::detector::Detector;
use crate::dom::{Document, Name, decode};
use crate::error::{Error, ErrorKind};
use crate::extraction::{Extraction, Findings};
use crate::fallback::{FallbackContent, MAX_SHOWN_WORDS, MIN_VISIBLE_WORDS, fallback_content};
use crate::fusion::{FusionModel, FusionSettings, append_fusion_details, detect_fusion};
use crate::layout::estimate;
use crate::metadata::{Metadata, MetadataField, MetadataSource, detect_language, metadata};
use crate::models::Model;
use crate::options::Options;
use crate::output::render_text;
use crate::page::{
    Block, BlockModel, PageLevel, PageLevelModel, append_contributions, detect_block, detect_page_level, host_of,
    score_page,
};
use crate::page_input::Page;
use crate::parsed_page::{PageEncoding, ParsedPage};
use crate::scratch::{ParserOptions, Scratch};
use std::fmt;
use std::sync::Arc;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Extracts the content of pages.
///
/// It owns the options, the detector and its model, is cheap to clone, and can be shared between threads.
#[derive(Clone, Default)]
pub struct Extractor {
    options: Options,
    /// The model of the detector, if it is not the built-in one.
    model: Option<Arc<Model>>,
}

/// Shows everything the result depends on: the options, and a hash of the model.
impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_ref().map(|model| format!("{} {:016x}", model.kind(), xxh3_64(&model.to_bytes())));
        f.debug_struct("Extractor").field("options", &self.options).field("model", &model).finish()
    }
}

impl Extractor {
    /// Creates an extractor with these options and the built-in models.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: Options) -> Result<Extractor, Error> {
        options.check()?;
        Ok(Extractor { options, model: None })
    }

    /// Uses this model instead of the built-in one.
    ///
    /// # Errors
    /// If the model was trained for another detector.
    pub fn with_model(mut self, model: Model) -> Result<Extractor, Error> {
        self.check_model(&model)?;
        self.model = Some(Arc::new(model));
        Ok(self)
    }

    fn check_model(&self, model: &Model) -> Result<(), Error> {
        let detector = self.options.detector;
        let fits = match model {
            Model::Fusion(_) => detector == Detector::Fusion,
            Model::PageLevel(_) => matches!(detector, Detector::PageLevel | Detector::PageLevelBasic),
            Model::Block(_) => detector == Detector::Block,
            _ => false,
        };
        if !fits {
            let message = format!("this is a model for {}, the detector is {detector}", model.kind());
            return Err(Error::new(ErrorKind::BadOptions, message));
        }
        if let Model::Fusion(fusion) = model
            && fusion.comments.is_none()
            && self.options.comments != Comments::Auto
        {
            let message = "this model does not tell comments apart: it was trained on pages without marked comments";
            return Err(Error::new(ErrorKind::BadOptions, message));
        }
        Ok(())
    }

    /// The same extractor with other options. Its model stays if it is one for their detector.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn with_options(&self, options: Options) -> Result<Extractor, Error> {
        let mut other = Extractor::new(options)?;
        if let Some(model) = &self.model
            && options.detector == self.options.detector
        {
            other.check_model(model)?;
            other.model = Some(model.clone());
        }
        Ok(other)
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
        let mut detection = self.detect(page, encoding, scratch)?;
        let parsed = scratch.page(encoding);
        let document = parsed.document;
        // Fusion does this itself.
        if self.options.detector != Detector::Fusion {
            make_coherent(document, &mut detection);
        }
        let kept_words = detection.kept_words_up_to(document, MIN_VISIBLE_WORDS);
        let fallback = match kept_words < MIN_VISIBLE_WORDS {
            true => fallback_content(document, kept_words, shown_words_up_to(document, MAX_SHOWN_WORDS)),
            false => None,
        };
        Ok(Findings {
            encoding,
            metadata: self.options.metadata.then(|| self.metadata(document, &detection, fallback.as_ref())),
            fallback,
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

    /// Runs the detector. This is the only place where one is chosen.
    fn detect(&self, page: &Page<'_>, encoding: PageEncoding, scratch: &mut Scratch) -> Result<Detection, Error> {
        let Options { detector, focus, comments, site_level, details, .. } = self.options;
        let (parsed, fusion) = scratch.page_and_fusion(encoding);
        let document = parsed.document;
        let on_site = || page.site.map(|site| site.detect(&parsed, self.options.site_method(), site_level));
        Ok(match detector {
            Detector::None => Detection::keep_all(Detector::None, document),
            Detector::Fusion => {
                let model = match self.model.as_deref() {
                    Some(Model::Fusion(model)) => model,
                    _ => FusionModel::builtin(),
                };
                let mut detection =
                    detect_fusion(document, model, on_site().as_ref(), FusionSettings { focus, comments }, fusion);
                if details {
                    append_fusion_details(document, model, fusion, &mut detection);
                }
                detection
            }
            Detector::SiteLevel | Detector::TreeMap | Detector::Align | Detector::Auto => {
                on_site().unwrap_or_else(|| Detection::keep_all(Detector::None, document))
            }
            Detector::PageLevel | Detector::PageLevelBasic => {
                let model = match self.model.as_deref() {
                    Some(Model::PageLevel(model)) => model,
                    _ => PageLevelModel::builtin(),
                };
                let layout = match page.boxes {
                    Some(boxes) => boxes.layout(document)?,
                    None => estimate(document),
                };
                let settings = PageLevel {
                    penalty: self.options.page_level.penalty,
                    threshold: self.options.page_level.threshold,
                    host: page.url.and_then(host_of),
                    basic: detector == Detector::PageLevelBasic,
                };
                let scores = score_page(document, &layout, model, settings);
                let mut detection = detect_page_level(document, parsed.stats(), &scores, model, settings);
                if details {
                    append_contributions(&scores, model, &mut detection);
                }
                detection
            }
            Detector::Block => {
                let model = match self.model.as_deref() {
                    Some(Model::Block(model)) => model,
                    _ => BlockModel::builtin(),
                };
                let settings = Block { point: self.options.block, details };
                detect_block(document, parsed.stats(), parsed.fingerprints(), model, settings)?
            }
        })
    }
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
