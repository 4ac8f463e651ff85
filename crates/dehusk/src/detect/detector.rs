//! The contract of a detector, and the detector that drops nothing.
//!
//! A detector takes a parsed page, and what is known of its site, and returns a [`Detection`]. All that comes after it (making
//! decisions consistent, rendering, rows of crawls) knows no methods, so a detector from any crate has the same rights as ours.

use super::fusion::FusionPage;
use crate::detection::{Detection, Detectors};
use crate::error::{Error, ErrorKind};
use crate::layout::SuppliedBoxes;
use crate::model::ModelFile;
use crate::options::Options;
use crate::read::ParsedPage;
use crate::site::SiteTemplates;
use std::fmt;
use std::sync::Arc;

/// A method that decides which nodes of a page are template.
///
/// It is shared between threads and used for millions of pages. Its `Debug` output shows everything its decisions depend on
/// (settings, and a hash of the model): a crawl that is resumed compares it.
///
/// ```
/// use dehusk::detect::{Buffers, Detector, DetectorInput};
/// use dehusk::dom::Name;
/// use dehusk::{Detection, Error, Extractor, Options};
///
/// /// Drops `<nav>` elements.
/// #[derive(Debug)]
/// struct NoMenus;
///
/// impl Detector for NoMenus {
///     fn name(&self) -> &'static str {
///         "no-menus"
///     }
///
///     fn detect(&self, input: &DetectorInput<'_>, _: &mut Buffers) -> Result<Detection, Error> {
///         let document = input.page.document;
///         let mut detection = Detection::keep_all(self.name(), document);
///         for id in document.ids().filter(|id| document.html_name(*id) == Name::NAV) {
///             detection.drop_subtree(document, id);
///         }
///         Ok(detection)
///     }
/// }
///
/// let extractor = Extractor::new(Options::new())?.with_detector(NoMenus)?;
/// let found = extractor.extract_owned("<nav>Home</nav><p>Nets are mended in May.</p>")?;
/// assert_eq!(found.text().trim(), "Nets are mended in May.");
/// # Ok::<(), dehusk::Error>(())
/// ```
pub trait Detector: Send + Sync + fmt::Debug {
    /// The name in flags and rows, such as `fusion`.
    fn name(&self) -> &'static str;

    /// Decides which nodes of a page are template.
    ///
    /// # Errors
    /// If something that was given with the page does not belong to it, such as boxes of another page.
    fn detect(&self, input: &DetectorInput<'_>, buffers: &mut Buffers) -> Result<Detection, Error>;

    /// How the detector uses what is known of a page's site.
    fn site_use(&self) -> SiteUse {
        SiteUse::None
    }

    /// Whether the detector keeps more or less by the focus ([`Options::with_focus`]).
    fn follows_focus(&self) -> bool {
        false
    }

    /// Whether the detector can tell the comments of readers apart ([`Options::with_comments`]).
    fn knows_comments(&self) -> bool {
        false
    }

    /// Checks whether the detector can do what the options say.
    ///
    /// # Errors
    /// If it cannot, or if one of its own settings is out of range.
    fn check(&self, _: &Options) -> Result<(), Error> {
        Ok(())
    }

    /// The same detector with the model of a file instead of its own.
    ///
    /// # Errors
    /// If the file holds a model of another kind, or the detector has no model.
    fn with_model(&self, file: &ModelFile) -> Result<Arc<dyn Detector>, Error> {
        Err(other_model(file, self.name()))
    }
}

/// The error for a model that is not one of this detector.
#[must_use]
pub fn other_model(file: &ModelFile, detector: &str) -> Error {
    let message = format!("this is a model for {}, the detector is {detector}", file.kind);
    Error::new(ErrorKind::BadOptions, message)
}

/// How a detector uses what is known of a page's site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SiteUse {
    /// Not at all: it looks at one page alone.
    None,
    /// As evidence beside the page.
    Evidence,
    /// It needs the templates of the site, and keeps everything without them.
    Required,
}

/// What a detector is given: a page and what is known of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DetectorInput<'a> {
    /// The parsed page.
    pub page: ParsedPage<'a>,
    /// Its URL.
    pub url: Option<&'a str>,
    /// The templates of its site.
    pub site: Option<&'a SiteTemplates>,
    /// The boxes of its elements, as measured by a browser.
    pub boxes: Option<&'a SuppliedBoxes>,
    /// The options of the extractor.
    pub options: &'a Options,
}

impl<'a> DetectorInput<'a> {
    /// A page of which nothing else is known.
    #[must_use]
    pub fn new(page: ParsedPage<'a>, options: &'a Options) -> DetectorInput<'a> {
        DetectorInput { page, url: None, site: None, boxes: None, options }
    }
}

/// Memory that detectors reuse from page to page. Only ours use it.
#[derive(Debug, Default)]
pub struct Buffers {
    pub(crate) fusion: FusionPage,
}

/// Drops nothing: `none`.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeepAll;

impl Detector for KeepAll {
    fn name(&self) -> &'static str {
        "none"
    }

    fn detect(&self, input: &DetectorInput<'_>, _: &mut Buffers) -> Result<Detection, Error> {
        Ok(Detection::keep_all(Detectors::NONE, input.page.document))
    }
}
