//! The flags that say how a page is judged.

use crate::commands::Failure;
use clap::{Args as ClapArgs, ValueEnum};
use dehusk::fusion::Focus;
use dehusk::{KnownSite, Method, OperatingPoint};
use std::path::PathBuf;

#[derive(ClapArgs, Debug)]
pub(crate) struct Template {
    /// The template of the page's site, from `dehusk learn`. Without it the page is judged by itself.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Other pages of the page's site, or folders of them, to learn from for this page; give it again for more.
    #[arg(long, value_name = "PATH")]
    pub(crate) pages: Vec<PathBuf>,
    /// A model from `dehusk train`, instead of the one in this program.
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// For `block`: drop so much that this share of the dropped blocks is template, as measured on sites not seen; 0.9 unless set.
    #[arg(long, value_name = "SHARE", conflicts_with = "recall")]
    pub(crate) precision: Option<f32>,
    /// For `block`: drop so much that this share of the template blocks is dropped, as measured on sites not seen.
    #[arg(long, value_name = "SHARE")]
    pub(crate) recall: Option<f32>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) used: UsedMethod,
    /// What a new section costs; more makes fewer and larger sections.
    #[arg(long, value_name = "NUMBER", help_heading = "Detector pagelevel")]
    pub(crate) penalty: Option<f32>,
    /// The address of the page, to tell its own links from others.
    #[arg(long, value_name = "URL", help_heading = "Detector pagelevel")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) layout: LayoutFrom,
}

impl Template {
    /// The method the page's site is judged or learned by, if one was named; else it is the one the template was learned with.
    pub(crate) fn method_asked(&self) -> Option<Method> {
        self.judging.method().or(self.used.method.map(MethodName::method))
    }

    /// Whether something is given that tells about the page's site.
    pub(crate) fn knows_site(&self) -> bool {
        self.template.is_some() || !self.pages.is_empty()
    }

    pub(crate) fn point(&self) -> OperatingPoint {
        match (self.precision, self.recall) {
            (Some(share), _) => OperatingPoint::Precision(share),
            (None, Some(share)) => OperatingPoint::Recall(share),
            (None, None) => OperatingPoint::default(),
        }
    }
}

/// How the husk of a page is found.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detector {
    /// What does not look like content: one model over the text of the page, with what is known of its site as evidence.
    Fusion,
    /// What stands on many pages of the site; needs --template or --pages.
    Sitelevel,
    /// What the trees of some pages of the site share; needs --template or --pages.
    Treemap,
    /// What some pages of the site have in the same order; needs --template or --pages.
    Align,
    /// The best of these three; needs --template or --pages.
    Auto,
    /// What looks like template by its place, size and links, smoothed over the page; works on pages of any site.
    Pagelevel,
    /// What looks like a template block; works on pages of any site.
    Block,
    /// Nothing is dropped.
    None,
}

impl Detector {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

#[derive(ClapArgs, Debug, Clone)]
pub(crate) struct Judging {
    /// Who judges. `fusion`, the default, takes what is known of the page's site as evidence; `sitelevel`, `treemap`, `align` and `auto`
    /// drop what is template and keep all else.
    #[arg(short, long, value_enum, default_value_t = Detector::Fusion, value_name = "METHOD", hide_possible_values = true)]
    pub(crate) detector: Detector,
    /// For `fusion`: from 0 (rather too little than anything wrong) to 1 (rather too much than anything lost), or precision,
    /// balanced, recall.
    #[arg(long, value_name = "NUMBER", default_value = "balanced")]
    pub(crate) focus: String,
    /// For sitelevel the share of a site's pages a part must stand on to be template, 0.1 unless set; for pagelevel the score from
    /// which on a part is template, as the model says unless set.
    #[arg(long, value_name = "SHARE")]
    pub(crate) threshold: Option<f64>,
}

impl Judging {
    /// The share of a site's pages a part must stand on.
    pub(crate) fn site_threshold(&self) -> f64 {
        self.threshold.unwrap_or(0.1)
    }

    /// The method of the detector, if it is one that compares pages of a site.
    pub(crate) fn method(&self) -> Option<Method> {
        match self.detector {
            Detector::Sitelevel => Some(Method::SiteLevel),
            Detector::Treemap => Some(Method::TreeMap),
            Detector::Align => Some(Method::Align),
            Detector::Auto => Some(Method::Auto),
            Detector::Fusion | Detector::Pagelevel | Detector::Block | Detector::None => None,
        }
    }

    /// How pages of known sites are judged, for commands that take templates only.
    pub(crate) fn known_sites(&self) -> Result<KnownSite, Failure> {
        match (self.detector, self.method()) {
            (Detector::Fusion, _) => Ok(KnownSite::Fused(self.focus()?)),
            (_, Some(_)) => Ok(KnownSite::Template),
            (_, None) => Err(Failure::new(format!(
                "the detector `{}` looks at one page alone: use it with `dehusk extract`",
                self.detector.name()
            ))),
        }
    }

    /// The focus of `fusion`.
    pub(crate) fn focus(&self) -> Result<Focus, Failure> {
        let number = match self.focus.as_str() {
            "precision" => return Ok(Focus::PRECISION),
            "balanced" => return Ok(Focus::BALANCED),
            "recall" => return Ok(Focus::RECALL),
            number => number.parse().ok(),
        };
        let focus = number.and_then(|number| Focus::new(number).ok());
        focus.ok_or_else(|| {
            Failure::new(format!("--focus {}: name precision, balanced, recall or a number from 0 to 1", self.focus))
        })
    }
}

#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct UsedMethod {
    /// Find what is template by this method; without it, by the one the template was learned with.
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) method: Option<MethodName>,
}

/// A way to find what the pages of a site share.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodName {
    /// Count on how many pages each part stands. Fast, needs many pages to be sure.
    Sitelevel,
    /// The common tree of pages of one kind. Finds much from few pages.
    Treemap,
    /// The common sequence of tags and texts of pages of one kind. Drops least by mistake.
    Align,
    /// Whichever of these, or of their combinations, agrees best with pages it was not learned from. Costs most.
    Auto,
}

impl MethodName {
    pub(crate) fn method(self) -> Method {
        match self {
            MethodName::Sitelevel => Method::SiteLevel,
            MethodName::Treemap => Method::TreeMap,
            MethodName::Align => Method::Align,
            MethodName::Auto => Method::Auto,
        }
    }
}

/// Where the boxes of a page's nodes come from.
#[derive(ClapArgs, Debug)]
pub(crate) struct LayoutFrom {
    /// `estimate` from the page alone, `chromium` as found on the PATH, or a .json file of boxes (docs/layout.md).
    #[arg(long, value_name = "HOW", default_value = "estimate", help_heading = "Layout")]
    pub(crate) layout: PathBuf,
    /// Let Chromium run the scripts of the page.
    #[arg(long, help_heading = "Layout")]
    pub(crate) layout_scripts: bool,
    /// Let Chromium fetch what the page links to.
    #[arg(long, help_heading = "Layout")]
    pub(crate) layout_network: bool,
}
