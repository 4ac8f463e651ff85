//! Methods that learn the template of a site: the contract that a method of any crate implements, and how methods are put together.
//!
//! [`SiteLearner`](crate::site::SiteLearner) counts pages, keeps a sample of them and finds their kinds. A [`TemplateMethod`]
//! is then shown the sample pages of one kind at a time.

use super::line_format::LineReader;
use crate::detection::{Detection, Detectors};
use crate::error::{Error, ErrorKind};
use crate::read::ParsedPage;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The name of the method that counts.
pub(crate) const COUNTS: &str = "sitelevel";

/// A method that finds what the pages of one kind have in common.
///
/// Its `Debug` output shows its settings.
pub trait TemplateMethod: Send + Sync + fmt::Debug {
    /// The name in files, flags and rows, such as `treemap`. It has no spaces and no plus sign.
    fn name(&self) -> &'static str;

    /// A learner that has seen no page.
    fn learner(&self) -> Box<dyn TemplateLearner>;

    /// Reads a template that [`Template::append_lines`] wrote.
    ///
    /// # Errors
    /// If it is damaged.
    fn read(&self, lines: &mut LineReader<'_>) -> Result<Arc<dyn Template>, Error>;
}

/// Learns what pages have in common: a fold over pages.
///
/// The result depends neither on the order of the pages nor on how they were divided among learners.
pub trait TemplateLearner: Send + Any {
    /// Adds a page. `key` identifies it within its site, usually by its URL.
    fn observe(&mut self, key: &str, page: &ParsedPage<'_>);

    /// Adds the pages of another learner of the same method.
    ///
    /// # Errors
    /// If it is of another method or has other settings.
    fn merge(&mut self, other: Box<dyn TemplateLearner>) -> Result<(), Error>;

    /// Returns what the pages have in common. The seed decides the order in which pages are compared.
    fn finish(self: Box<Self>, seed: u64) -> Arc<dyn Template>;
}

impl dyn TemplateLearner {
    /// The learner as what it is, for [`merge`](TemplateLearner::merge).
    ///
    /// # Errors
    /// If it is of another method.
    pub fn downcast<T: TemplateLearner>(self: Box<Self>) -> Result<Box<T>, Error> {
        let any: Box<dyn Any> = self;
        any.downcast()
            .map_err(|_| Error::new(ErrorKind::Incompatible, "learners of different methods cannot be merged"))
    }
}

/// What pages of one kind have in common.
pub trait Template: Send + Sync + fmt::Debug {
    /// Finds the template on a page of its kind.
    fn detect(&self, page: &ParsedPage<'_>) -> Detection;

    /// Appends the template as lines of text. None of them begins with the word `drawing` or `method`.
    fn append_lines(&self, out: &mut String);
}

/// How a site is learned: which methods find its templates.
#[derive(Clone, Debug)]
pub struct SiteMethod {
    name: &'static str,
    /// Whether the counts of all pages are used.
    counts: bool,
    templates: Vec<Arc<dyn TemplateMethod>>,
    /// Whether held-out pages decide which of these are used.
    chooses: bool,
    /// Whether all pages are taken to be of one kind.
    one_kind: bool,
}

impl SiteMethod {
    /// Counts the pages that contain each part: `sitelevel`.
    #[must_use]
    pub fn counts() -> SiteMethod {
        SiteMethod { name: COUNTS, counts: true, templates: Vec::new(), chooses: false, one_kind: false }
    }

    /// One template for each kind of page, by one method; its name is that of the method.
    #[must_use]
    pub fn new(method: impl TemplateMethod + 'static) -> SiteMethod {
        let (name, method): (_, Arc<dyn TemplateMethod>) = (method.name(), Arc::new(method));
        SiteMethod { name, counts: false, templates: vec![method], chooses: false, one_kind: false }
    }

    /// The counts, alone or together with some of these methods, whichever agrees best with held-out pages. The cheaper method
    /// comes first.
    #[must_use]
    pub fn best_of(name: &'static str, templates: Vec<Arc<dyn TemplateMethod>>) -> SiteMethod {
        SiteMethod { name, counts: true, templates, chooses: true, one_kind: false }
    }

    /// Takes all pages of a site to be of one kind, as papers do.
    #[must_use]
    pub fn with_one_kind(mut self) -> SiteMethod {
        self.one_kind = true;
        self
    }

    /// The name in files, flags and rows.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether only the counts are used. Sample pages are then needed for kinds alone.
    #[must_use]
    pub fn is_counts(&self) -> bool {
        self.templates.is_empty()
    }

    pub(crate) fn chooses(&self) -> bool {
        self.chooses
    }

    pub(crate) fn has_one_kind(&self) -> bool {
        self.one_kind
    }

    pub(crate) fn templates(&self) -> &[Arc<dyn TemplateMethod>] {
        &self.templates
    }

    /// All that the method may use.
    pub(crate) fn all(&self) -> Combination {
        let counts = self.counts.then_some(COUNTS);
        Combination(counts.into_iter().chain(self.templates.iter().map(|method| method.name())).collect())
    }

    /// The combinations to choose from, cheapest first. All of them include the counts: on the sites of `eval quality --only methods`,
    /// combinations without them, or with two of three detectors deciding, lost more on sites with misleading evidence than they
    /// won on others (mean F 0.882 with them, 0.888 without).
    pub(crate) fn candidates(&self) -> Vec<Combination> {
        // There are two methods; a choice among all subsets of many would take too long.
        let methods = self.templates.len().min(4);
        let subset = |bits: u32| {
            let chosen = (0..methods).filter(move |at| bits >> at & 1 == 1).map(|at| self.templates[at].name());
            Combination(std::iter::once(COUNTS).chain(chosen).collect())
        };
        (0..1 << methods).map(subset).collect()
    }

    /// What to use without evidence: the counts and the first method.
    pub(crate) fn without_evidence(&self) -> Combination {
        Combination(std::iter::once(COUNTS).chain(self.templates.first().map(|method| method.name())).collect())
    }

    /// What a method uses that chooses nothing; for one that chooses, the counts.
    pub(crate) fn combination(&self) -> Combination {
        if self.chooses { Combination::default() } else { self.all() }
    }

    /// The combination with a name, such as `sitelevel+treemap`.
    pub(crate) fn combination_named(&self, name: &str) -> Option<Combination> {
        let known = |one: &str| self.all().0.into_iter().find(|own| *own == one);
        name.split('+').map(known).collect::<Option<Vec<_>>>().map(Combination)
    }
}

impl PartialEq for SiteMethod {
    /// By name: settings that were used for learning do not matter afterwards.
    fn eq(&self, other: &SiteMethod) -> bool {
        self.name == other.name
    }
}

impl Default for SiteMethod {
    fn default() -> SiteMethod {
        SiteMethod::counts()
    }
}

impl fmt::Display for SiteMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The site methods that run on a page, by name. A node is dropped if any of them drops it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Combination(Vec<&'static str>);

impl Combination {
    /// Whether a method is among them.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Whether templates learned for this combination are sufficient for another.
    pub(crate) fn covers(&self, other: &Combination) -> bool {
        other.0.iter().all(|name| self.contains(name))
    }

    /// The names.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.0
    }

    /// A combination of one.
    pub(crate) fn of(name: &'static str) -> Combination {
        Combination(vec![name])
    }

    pub(crate) fn detectors(&self) -> Detectors {
        self.0.iter().fold(Detectors::NONE, |all, name| all.and(*name))
    }
}

impl Default for Combination {
    /// The counts.
    fn default() -> Combination {
        Combination::of(COUNTS)
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("+"))
    }
}
