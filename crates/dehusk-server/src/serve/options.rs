//! The options of requests: those of the program that concern pages and name no file.

use super::problem::Problem;
use dehusk::{Detector, Extractor, Limits, Method, OutputFormat, Page, Scratch};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::{Crawl, PageCleaner};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

/// What the options of `dehusk extract` ask for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExtractOptions {
    /// Does it.
    pub extractor: Extractor,
    /// The formats of the content, each once.
    pub formats: Vec<OutputFormat>,
    /// The method to use a site's templates with, if one is named.
    pub method: Option<Method>,
}

impl ExtractOptions {
    /// The options of an extractor.
    pub fn new(extractor: Extractor, formats: Vec<OutputFormat>, method: Option<Method>) -> ExtractOptions {
        ExtractOptions { extractor, formats, method }
    }
}

/// What the options of `dehusk learn` ask for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LearnOptions {
    /// How templates are learned.
    pub method: Method,
    /// The share of pages for [`Method::Align`].
    pub align_share: Option<f64>,
    /// The seed of the sample.
    pub seed: u64,
}

impl LearnOptions {
    /// The options of a learner.
    pub fn new(method: Method, align_share: Option<f64>, seed: u64) -> LearnOptions {
        LearnOptions { method, align_share, seed }
    }
}

/// Why options cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// A short name for code, such as `bad_options`.
    pub kind: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl Refused {
    /// Options that cannot be used.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Refused {
        Refused { kind, message: message.into() }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Problem {
        Problem::bad_options(refused.message)
    }
}

/// The options of the program, which knows their names, checks and messages. They are given as on its command line, without inputs.
pub trait ProgramOptions: Send + Sync {
    /// Those of `dehusk extract`.
    ///
    /// # Errors
    /// If they cannot be used.
    fn extract(&self, arguments: &[OsString]) -> Result<ExtractOptions, Refused>;

    /// Those of `dehusk learn`.
    ///
    /// # Errors
    /// If they cannot be used.
    fn learn(&self, arguments: &[OsString]) -> Result<LearnOptions, Refused>;

    /// The day, for templates.
    fn today(&self) -> String;
}

/// How the value of an option is written.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A text or a number, as the program takes it.
    Value,
    /// True or false: the flag is there or not.
    Flag,
    /// Several values.
    List,
    /// A whole number of at most the service's own limit.
    Limit(fn(&Limits) -> usize),
}

/// The options of a page. `docs/serve.md` and the OpenAPI file list the same.
const PAGE_OPTIONS: [(&str, Kind); 18] = [
    ("detector", Kind::Value),
    ("focus", Kind::Value),
    ("threshold", Kind::Value),
    ("precision", Kind::Value),
    ("recall", Kind::Value),
    ("penalty", Kind::Value),
    ("method", Kind::Value),
    ("format", Kind::List),
    ("heading", Kind::Value),
    ("comments", Kind::Value),
    ("no_links", Kind::Flag),
    ("no_images", Kind::Flag),
    ("include_hidden", Kind::Flag),
    ("absolute_urls", Kind::Flag),
    ("metadata", Kind::Flag),
    ("scripting", Kind::Flag),
    ("max_nodes", Kind::Limit(|limits| limits.nodes)),
    ("max_depth", Kind::Limit(|limits| limits.depth)),
];

/// The options of reading pages.
const READ_OPTIONS: [(&str, Kind); 3] = [
    ("scripting", Kind::Flag),
    ("max_nodes", Kind::Limit(|limits| limits.nodes)),
    ("max_depth", Kind::Limit(|limits| limits.depth)),
];

/// The options of learning a site.
const LEARN_OPTIONS: [(&str, Kind); 6] = [
    ("method", Kind::Value),
    ("align_share", Kind::Value),
    ("seed", Kind::Value),
    ("scripting", Kind::Flag),
    ("max_nodes", Kind::Limit(|limits| limits.nodes)),
    ("max_depth", Kind::Limit(|limits| limits.depth)),
];

/// Options of the program that name files, or are about files and runs. No request can reach the files of this machine.
const REFUSED_OPTIONS: [&str; 21] = [
    "model",
    "template",
    "templates",
    "pages",
    "layout",
    "layout_scripts",
    "layout_network",
    "output",
    "report",
    "resume",
    "overwrite",
    "threads",
    "strict",
    "progress",
    "max_bytes",
    "content_type",
    "url_column",
    "html_column",
    "id_column",
    "carry",
    "partial",
];

/// The names of the options of pages.
pub fn page_option_names() -> impl Iterator<Item = &'static str> {
    PAGE_OPTIONS.iter().map(|(name, _)| *name)
}

/// The names of the options of learning.
pub fn learn_option_names() -> impl Iterator<Item = &'static str> {
    LEARN_OPTIONS.iter().map(|(name, _)| *name)
}

/// The names of the options of comparing pages with templates.
pub fn drift_option_names() -> impl Iterator<Item = &'static str> {
    READ_OPTIONS.iter().map(|(name, _)| *name)
}

/// The longest value of an option.
const MAX_VALUE: usize = 200;

/// Options as a request gives them: for each name its values.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestOptions {
    given: Vec<(String, Vec<String>)>,
}

impl RequestOptions {
    /// The options of a query, without those that the route takes for itself.
    pub(super) fn of_query(pairs: Vec<(String, String)>) -> RequestOptions {
        let mut options = RequestOptions::default();
        for (name, value) in pairs {
            match options.given.iter_mut().find(|(other, _)| *other == name) {
                Some((_, values)) => values.push(value),
                None => options.given.push((name, vec![value])),
            }
        }
        options
    }

    /// The options of a JSON object.
    pub(super) fn of_json(value: &Value) -> Result<RequestOptions, Problem> {
        let map = match value {
            Value::Null => return Ok(RequestOptions::default()),
            Value::Object(map) => map,
            _ => return Err(Problem::bad_options("options is an object of names and values")),
        };
        let mut options = RequestOptions::default();
        for (name, value) in map {
            let unusable = || Problem::bad_options(format!("the option {name} is a text, a number, true or false"));
            let text = |value: &Value| match value {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                Value::Bool(flag) => Some(flag.to_string()),
                _ => None,
            };
            let values = match value {
                // As in Python, nothing is the default.
                Value::Null => continue,
                Value::Array(values) => values.iter().map(text).collect(),
                value => text(value).map(|text| vec![text]),
            };
            options.given.push((name.clone(), values.ok_or_else(unusable)?));
        }
        Ok(options)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Adds an option.
    pub(super) fn push(&mut self, name: &str, value: &str) {
        self.given.push((name.to_string(), vec![value.to_string()]));
    }

    /// Takes an option that is not the program's.
    pub(super) fn take(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let Some(place) = self.given.iter().position(|(other, _)| other == name) else { return Ok(None) };
        let mut values = self.given.remove(place).1;
        match values.len() {
            1 => Ok(values.pop()),
            _ => Err(Problem::bad_options(format!("{name} is given more than once"))),
        }
    }

    /// Takes an option that is not the program's and is true unless it is given.
    pub(super) fn take_flag(&mut self, name: &str) -> Result<bool, Problem> {
        self.take(name)?.map_or(Ok(true), |value| flag(name, &value))
    }

    /// Whether a format is named.
    pub(super) fn format(&self) -> Option<&[String]> {
        self.given.iter().find(|(name, _)| name == "format").map(|(_, values)| &**values)
    }

    /// The options as arguments of the program, in the order of their names.
    fn arguments(&self, known: &[(&str, Kind)], limits: &Limits) -> Result<Vec<String>, Problem> {
        let mut arguments = vec![format!("--max-bytes={}", limits.bytes)];
        for (name, kind) in known {
            let option = name.replace('_', "-");
            let given = self.given.iter().find(|(other, _)| other == name);
            if let Kind::Limit(limit) = kind {
                let most = limit(limits);
                let value = match given {
                    None => most.to_string(),
                    Some((_, values)) => match &values[..] {
                        [value] if value.parse::<usize>().is_ok_and(|value| value > most) => {
                            let message = format!("{name} is at most {most}, the limit of this service");
                            return Err(Problem::bad_options(message));
                        }
                        values => values.join(","),
                    },
                };
                arguments.push(format!("--{option}={value}"));
                continue;
            }
            let Some((_, values)) = given else { continue };
            if values.len() > 1 && !matches!(kind, Kind::List) {
                return Err(Problem::bad_options(format!("{name} is given more than once")));
            }
            for value in values {
                match kind {
                    Kind::Flag if flag(name, value)? => arguments.push(format!("--{option}")),
                    Kind::Flag => {}
                    // The value is part of the argument, so that none can be taken for another option.
                    _ => arguments.push(format!("--{option}={value}")),
                }
            }
        }
        Ok(arguments)
    }

    /// Refuses options that are not among those known.
    fn check_names(&self, known: &[(&str, Kind)]) -> Result<(), Problem> {
        for (name, values) in &self.given {
            if REFUSED_OPTIONS.contains(&&*name.replace('-', "_")) {
                let message = format!(
                    "the option {} is about files or the run itself, and requests cannot set it",
                    name.replace('-', "_")
                );
                return Err(Problem::bad_options(message));
            }
            if !known.iter().any(|(other, _)| other == name) {
                let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
                let name: String = name.chars().take(MAX_VALUE).collect();
                let message = format!("there is no option {name:?}; the options are {}", names.join(", "));
                return Err(Problem::bad_options(message));
            }
            if values.iter().any(|value| value.len() > MAX_VALUE) {
                return Err(Problem::bad_options(format!("the value of {name} is longer than {MAX_VALUE} characters")));
            }
        }
        Ok(())
    }
}

fn flag(name: &str, value: &str) -> Result<bool, Problem> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Problem::bad_options(format!("{name} is true or false"))),
    }
}

/// What a request needs to work on its pages.
pub(super) struct Prepared {
    pub(super) extractor: Extractor,
    pub(super) cleaner: PageCleaner,
    /// The method to use a site's templates with, if one is named.
    pub(super) method: Option<Method>,
}

impl Prepared {
    /// Whether the detector can use what is known of a site.
    pub(super) fn uses_site(&self) -> bool {
        self.extractor.options().detector() == Detector::Fusion || self.needs_site()
    }

    /// Whether the detector compares pages of a site, and says nothing of a page alone.
    pub(super) fn needs_site(&self) -> bool {
        let detector = self.extractor.options().detector();
        matches!(detector, Detector::SiteLevel | Detector::TreeMap | Detector::Align | Detector::Auto)
    }
}

/// What learns a site.
pub(super) struct Learning {
    extractor: Extractor,
    pub(super) cleaner: PageCleaner,
}

impl Learning {
    /// Why a page cannot be read.
    pub(super) fn read_error(&self, html: &[u8], content_type: Option<&str>, scratch: &mut Scratch) -> Problem {
        let page = Page::new(html).with_content_type(content_type);
        self.extractor.parse(page, scratch).err().map_or_else(Problem::internal, Problem::from)
    }
}

/// What requests ask for, made once for all that ask for the same.
pub(super) struct OptionCache {
    program: Arc<dyn ProgramOptions>,
    limits: Limits,
    prepared: Mutex<BTreeMap<Vec<String>, Arc<Prepared>>>,
}

/// The number of different options that are remembered. Clients have few; those that have many start over.
const MAX_PREPARED: usize = 256;

impl OptionCache {
    pub(super) fn new(program: Arc<dyn ProgramOptions>, limits: Limits) -> OptionCache {
        OptionCache { program, limits, prepared: Mutex::default() }
    }

    /// What the options of a request ask for.
    pub(super) fn prepare(&self, options: &RequestOptions) -> Result<Arc<Prepared>, Problem> {
        options.check_names(&PAGE_OPTIONS)?;
        let arguments = options.arguments(&PAGE_OPTIONS, &self.limits)?;
        let lock = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = lock().get(&arguments) {
            return Ok(prepared.clone());
        }
        let ExtractOptions { extractor, formats, method } = self.program.extract(&to_os(&arguments))?;
        let job = Crawl::new(extractor.clone(), Vec::new(), "").with_formats(formats);
        let prepared = Arc::new(Prepared { extractor, cleaner: PageCleaner::new(job), method });
        let mut known = lock();
        if known.len() >= MAX_PREPARED {
            known.clear();
        }
        known.insert(arguments, prepared.clone());
        Ok(prepared)
    }

    /// What learns a site.
    pub(super) fn prepare_learning(&self, options: &RequestOptions) -> Result<Learning, Problem> {
        options.check_names(&LEARN_OPTIONS)?;
        let arguments = options.arguments(&LEARN_OPTIONS, &self.limits)?;
        let LearnOptions { method, align_share, seed } = self.program.learn(&to_os(&arguments))?;
        let is_reading = |argument: &&String| argument.starts_with("--max-") || *argument == "--scripting";
        let reading: Vec<String> = arguments.iter().filter(is_reading).cloned().collect();
        let extractor = self.program.extract(&to_os(&reading))?.extractor;
        let job = Crawl::new(extractor.clone(), Vec::new(), "").with_method(method).with_align_share(align_share);
        let cleaner = PageCleaner::new(job.with_seed(seed).with_page_kinds(true).with_day(self.program.today()));
        Ok(Learning { extractor, cleaner })
    }

    /// What reads pages to compare them.
    pub(super) fn prepare_reading(&self, options: &RequestOptions) -> Result<Arc<Prepared>, Problem> {
        options.check_names(&READ_OPTIONS)?;
        self.prepare(options)
    }

    /// How lines of JSON are read.
    pub(super) fn read_options(&self) -> ReadOptions {
        ReadOptions::default().with_max_bytes(self.limits.bytes as u64)
    }
}

fn to_os(arguments: &[String]) -> Vec<OsString> {
    arguments.iter().map(OsString::from).collect()
}
