//! The flags that say which detector decides what is dropped, and what it may use.

use crate::outcome::Failure;
use clap::{Args as ClapArgs, ValueEnum};
use dehusk::methods::block::OperatingPoint;
use dehusk::{Detector, Focus, Method, Options};
use std::path::PathBuf;

/// Which detector, and its settings.
#[derive(ClapArgs, Debug, Clone)]
pub(crate) struct DetectorArgs {
    /// The detector that decides what is dropped: fusion, sitelevel, treemap, align, auto, pagelevel, pagelevel-basic, block or none.
    ///
    /// `fusion`, the default, classifies each text block by a model; where the template of the page's site is known, that counts as evidence.
    /// `sitelevel`, `treemap`, `align` and `auto` drop the template of the site and keep everything else. `pagelevel`, `pagelevel-basic`
    /// (without smoothing) and `block` are models of what template looks like. `none` drops nothing.
    #[arg(short, long, value_name = "NAME", default_value = "fusion", value_parser = detector)]
    pub(crate) detector: Detector,
    /// For fusion: from 0 (precision) to 1 (recall), or precision, balanced, recall.
    #[arg(long, value_name = "NUMBER", default_value = "balanced", value_parser = focus)]
    pub(crate) focus: Focus,
    /// For sitelevel, the share of a site's pages a part must appear on to be template [default: 0.1]; for pagelevel, the score at which a
    /// node is template [default: as the model says].
    #[arg(long, value_name = "SHARE")]
    pub(crate) threshold: Option<f64>,
    /// A model from `dehusk train` for this detector, instead of the one in this program.
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// For block: drop as much as keeps this share of the dropped blocks template, as measured on other sites [default: 0.9].
    #[arg(long, value_name = "SHARE", conflicts_with = "recall")]
    pub(crate) precision: Option<f32>,
    /// For block: drop as much as is needed to drop this share of the template blocks, as measured on other sites.
    #[arg(long, value_name = "SHARE")]
    pub(crate) recall: Option<f32>,
    /// For pagelevel: the cost of a new section; a higher cost makes fewer and larger sections.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) penalty: Option<f32>,
}

fn detector(name: &str) -> Result<Detector, String> {
    let names = || Detector::ALL.map(Detector::name).join(", ");
    Detector::from_name(name).ok_or_else(|| format!("the detectors are {}", names()))
}

/// A share of something, not nothing.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "give a number above 0 and at most 1".to_string())
}

fn focus(text: &str) -> Result<Focus, String> {
    let focus = match text {
        "precision" => Some(Focus::PRECISION),
        "balanced" => Some(Focus::BALANCED),
        "recall" => Some(Focus::RECALL),
        number => number.parse().ok().and_then(|number| Focus::new(number).ok()),
    };
    focus.ok_or_else(|| "give precision, balanced, recall or a number from 0 to 1".to_string())
}

impl DetectorArgs {
    /// Adds the detector and its settings to options.
    pub(crate) fn options(&self, options: Options) -> Result<Options, Failure> {
        if self.detector != Detector::Block && (self.precision.is_some() || self.recall.is_some()) {
            return Err(Failure::new("--precision and --recall need --detector block"));
        }
        let point = match (self.precision, self.recall) {
            (Some(share), _) => OperatingPoint::Precision(share),
            (None, Some(share)) => OperatingPoint::Recall(share),
            (None, None) => OperatingPoint::default(),
        };
        let is_page_level = matches!(self.detector, Detector::PageLevel | Detector::PageLevelBasic);
        if let Some(threshold) = self.threshold.filter(|threshold| is_page_level && !(0.0..=1.0).contains(threshold)) {
            return Err(Failure::new(format!("the threshold is {threshold}, it must be from 0 to 1")));
        }
        if let Some(penalty) = self.penalty.filter(|penalty| !(penalty.is_finite() && *penalty >= 0.0)) {
            return Err(Failure::new(format!("the penalty is {penalty}, it must be 0 or more")));
        }
        let page_threshold = self.threshold.filter(|_| is_page_level).map(|threshold| threshold as f32);
        let site_threshold = self.threshold.filter(|_| !is_page_level);
        let options = options
            .with_detector(self.detector)
            .with_focus(self.focus)
            .with_page_threshold(page_threshold)
            .with_section_penalty(self.penalty)
            .with_operating_point(point);
        Ok(match site_threshold {
            Some(threshold) => options.with_site_threshold(threshold),
            None => options,
        })
    }

    /// The method of a detector that compares the pages of a site.
    pub(crate) fn method(&self) -> Option<Method> {
        match self.detector {
            Detector::SiteLevel => Some(Method::SiteLevel),
            Detector::TreeMap => Some(Method::TreeMap),
            Detector::Align => Some(Method::Align),
            Detector::Auto => Some(Method::Auto),
            _ => None,
        }
    }

    /// The method of the detector, or the one given: `--detector align --method align-paper` is Align as published.
    pub(crate) fn method_or(&self, given: Option<MethodName>) -> Option<Method> {
        let given = given.map(MethodName::method);
        match (self.method(), given) {
            (Some(Method::TreeMap), Some(Method::TreeMapPaper)) | (Some(Method::Align), Some(Method::AlignPaper)) => {
                given
            }
            (own, given) => own.or(given),
        }
    }

    /// Whether the detector can use what is known of a site.
    pub(crate) fn uses_site(&self) -> bool {
        self.detector == Detector::Fusion || self.method().is_some()
    }

    /// Fails where the detector cannot use what is known of a site.
    pub(crate) fn check_uses_site(&self, instead: &str) -> Result<(), Failure> {
        match self.uses_site() {
            true => Ok(()),
            false => Err(Failure::new(format!("the detector {} looks at one page alone: {instead}", self.detector))),
        }
    }
}

/// What is known of the site of a page.
#[derive(ClapArgs, Debug)]
pub(crate) struct SiteArgs {
    /// The template of the page's site, from `dehusk learn`. Without it, the page alone is looked at.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Other pages of the page's site, or folders of them, to learn from for this page; can be repeated.
    #[arg(long, value_name = "PATH", conflicts_with = "template")]
    pub(crate) pages: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) used: MethodArgs,
    /// The address of the page: makes URLs absolute with --absolute-urls, and lets pagelevel tell links within the site from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

impl SiteArgs {
    /// Whether anything is given that is about the page's site.
    pub(crate) fn is_known(&self) -> bool {
        self.template.is_some() || !self.pages.is_empty()
    }
}

#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct MethodArgs {
    /// Find the template by this method; without it, by the one it was learned with.
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) method: Option<MethodName>,
}

/// A way to find what the pages of a site share.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodName {
    /// Count on how many pages each part appears. Fast; reliable with many pages.
    Sitelevel,
    /// The common tree of pages of one kind. Finds much from few pages.
    Treemap,
    /// The common sequence of tags and texts of pages of one kind: what a fifth of them have (see --align-share). Makes the fewest mistakes.
    Align,
    /// Whichever of these, or of their combinations, agrees best with held-out pages. The most expensive.
    Auto,
    /// `treemap` exactly as published, to compare with: one template for all pages.
    TreemapPaper,
    /// `align` exactly as published, to compare with: one template for all pages, of what half of them have.
    AlignPaper,
}

impl MethodName {
    pub(crate) fn method(self) -> Method {
        match self {
            MethodName::Sitelevel => Method::SiteLevel,
            MethodName::Treemap => Method::TreeMap,
            MethodName::Align => Method::Align,
            MethodName::Auto => Method::Auto,
            MethodName::TreemapPaper => Method::TreeMapPaper,
            MethodName::AlignPaper => Method::AlignPaper,
        }
    }
}

/// Settings of the methods, for the commands that learn.
#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct LearnArgs {
    /// For align and auto: the share of the pages that must have a tag or text for it to be template [default: 0.2; 0.5, as published, for
    /// align-paper].
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) align_share: Option<f64>,
}

/// Where the boxes of a page's nodes come from.
#[derive(ClapArgs, Debug)]
pub(crate) struct LayoutArgs {
    /// For pagelevel and `dehusk segment`: boxes by `estimate` from the page alone, `chromium` if it is on the PATH, or a .json file of boxes (docs/layout.md).
    #[arg(long, value_name = "HOW", default_value = "estimate", help_heading = "Layout")]
    pub(crate) layout: PathBuf,
    /// Let Chromium run the scripts of the page.
    #[arg(long, help_heading = "Layout")]
    pub(crate) layout_scripts: bool,
    /// Let Chromium fetch what the page links to.
    #[arg(long, help_heading = "Layout")]
    pub(crate) layout_network: bool,
}
