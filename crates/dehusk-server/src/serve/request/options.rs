//! The options of requests: those of the table that the service offers, and what they ask for.

use crate::problem::Problem;
use dehusk::detect::SiteUse;
use dehusk::{Extractor, Limits, Page, Scratch, SiteMethod};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::PageCleaner;
use dehusk_options::definitions::{MAX_BYTES, MAX_DEPTH, MAX_NODES};
use dehusk_options::{Command, Definition, Given, OptionError, Surface, Value, Values};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest value of an option, in bytes.
const MAX_VALUE: usize = 200;

impl From<OptionError> for Problem {
    fn from(error: OptionError) -> Problem {
        Problem::bad_options(error.message())
    }
}

/// Options as a request gives them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestOptions {
    given: Vec<(String, Given)>,
}

impl RequestOptions {
    /// The options of a query. A name that is given several times has several values.
    pub(crate) fn of_query(pairs: Vec<(String, String)>) -> RequestOptions {
        let mut options = RequestOptions::default();
        for (name, value) in pairs {
            let value = Given::Text(value);
            match options.given.iter_mut().find(|(other, _)| *other == name) {
                Some((_, Given::List(values))) => values.push(value),
                Some((_, first)) => *first = Given::List(vec![first.clone(), value]),
                None => options.given.push((name, value)),
            }
        }
        options
    }

    /// The options of a JSON object.
    pub(crate) fn of_json(value: &Json) -> Result<RequestOptions, Problem> {
        let map = match value {
            Json::Null => return Ok(RequestOptions::default()),
            Json::Object(map) => map,
            _ => return Err(Problem::bad_options("options is an object of names and values")),
        };
        let given = map.iter().filter_map(|(name, value)| Some((name.clone(), Given::from_json(value)?)));
        Ok(RequestOptions { given: given.collect() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Adds an option.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.given.push((name.to_string(), Given::Text(value.to_string())));
    }

    /// Takes a parameter of the route, which is not an option.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let Some(place) = self.given.iter().position(|(other, _)| other == name) else { return Ok(None) };
        match self.given.remove(place).1 {
            Given::Text(text) => Ok(Some(text)),
            Given::Flag(flag) => Ok(Some(flag.to_string())),
            Given::List(_) => Err(Problem::bad_options(format!("{name} is given more than once"))),
            other => Err(Problem::bad_options(format!("{name} cannot be {other}"))),
        }
    }

    /// Takes a parameter of the route that is true unless it is given.
    pub(crate) fn take_flag(&mut self, name: &str) -> Result<bool, Problem> {
        match self.take(name)?.as_deref() {
            None | Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(Problem::bad_options(format!("{name} is true or false"))),
        }
    }

    /// The formats that are named, if any.
    pub(crate) fn format(&self) -> Option<&Given> {
        self.given.iter().find(|(name, _)| name == "format").map(|(_, given)| given)
    }

    /// The options of a command, checked, with the limits of the service.
    fn values(&self, command: Command, limits: &Limits) -> Result<Values, Problem> {
        let mut values = Values::new(command, Surface::Service);
        for (name, given) in &self.given {
            if has_long_text(given) {
                return Err(Problem::bad_options(format!("the value of {name} is longer than {MAX_VALUE} characters")));
            }
            values.set(name, given.clone())?;
        }
        set_limit(&mut values, &MAX_NODES, limits.nodes)?;
        set_limit(&mut values, &MAX_DEPTH, limits.depth)?;
        values.insert(&MAX_BYTES, Value::Whole(limits.bytes as u64));
        Ok(values)
    }
}

/// Whether a text is longer than a value of an option can be.
fn has_long_text(given: &Given) -> bool {
    match given {
        Given::Text(text) => text.len() > MAX_VALUE,
        Given::List(values) => values.iter().any(has_long_text),
        _ => false,
    }
}

/// Requests can lower the limits of the service, not raise them.
fn set_limit(values: &mut Values, option: &'static Definition, most: usize) -> Result<(), Problem> {
    if values.is_given(option) && values.size(option) > most {
        let message = format!("{} is at most {most}, the limit of this service", option.name);
        return Err(Problem::bad_options(message));
    }
    if !values.is_given(option) {
        values.insert(option, Value::Whole(most as u64));
    }
    Ok(())
}

/// What a request needs to work on its pages.
pub(crate) struct Prepared {
    pub(crate) extractor: Extractor,
    pub(crate) cleaner: PageCleaner,
    /// The method to use a site's templates with, if one is named.
    pub(crate) method: Option<SiteMethod>,
}

impl Prepared {
    fn new(values: &Values) -> Result<Prepared, Problem> {
        let extractor = values.extractor()?;
        let job = values.crawl_with(extractor.clone(), Vec::new(), Path::new(""))?;
        Ok(Prepared { extractor, cleaner: PageCleaner::new(job), method: values.site_method()? })
    }

    /// Whether the detector can use what is known of a site.
    pub(crate) fn uses_site(&self) -> bool {
        self.extractor.detector().site_use() != SiteUse::None
    }

    /// Whether the detector compares pages of a site, and says nothing of a page alone.
    pub(crate) fn needs_site(&self) -> bool {
        self.extractor.detector().site_use() == SiteUse::Required
    }
}

/// What learns a site.
pub(crate) struct Learning {
    extractor: Extractor,
    pub(crate) cleaner: PageCleaner,
}

impl Learning {
    /// Why a page cannot be read.
    pub(crate) fn read_error(&self, html: &[u8], content_type: Option<&str>, scratch: &mut Scratch) -> Problem {
        let page = Page::new(html).with_content_type(content_type);
        self.extractor.parse(page, scratch).err().map_or_else(Problem::internal, Problem::from)
    }
}

/// What requests ask for, made once for all that ask for the same.
pub(crate) struct OptionCache {
    limits: Limits,
    prepared: Mutex<BTreeMap<Values, Arc<Prepared>>>,
}

/// The number of different options that are remembered. Clients use few; with more, the cache starts over.
const MAX_PREPARED: usize = 256;

impl OptionCache {
    pub(crate) fn new(limits: Limits) -> OptionCache {
        OptionCache { limits, prepared: Mutex::default() }
    }

    /// What the options of a request ask for.
    pub(crate) fn prepare(&self, options: &RequestOptions) -> Result<Arc<Prepared>, Problem> {
        self.prepare_for(Command::Extract, options)
    }

    /// What reads pages to compare them.
    pub(crate) fn prepare_reading(&self, options: &RequestOptions) -> Result<Arc<Prepared>, Problem> {
        self.prepare_for(Command::Drift, options)
    }

    fn prepare_for(&self, command: Command, options: &RequestOptions) -> Result<Arc<Prepared>, Problem> {
        let values = options.values(command, &self.limits)?.normalized();
        let lock = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = lock().get(&values) {
            return Ok(prepared.clone());
        }
        // Made without the lock, so that requests whose options are known do not wait.
        let prepared = Arc::new(Prepared::new(&values)?);
        let mut known = lock();
        if known.len() >= MAX_PREPARED {
            known.clear();
        }
        known.insert(values, prepared.clone());
        Ok(prepared)
    }

    /// What learns a site. It is not remembered: it contains the date, and learning takes longer than making it.
    pub(crate) fn prepare_learning(&self, options: &RequestOptions) -> Result<Learning, Problem> {
        let values = options.values(Command::Learn, &self.limits)?;
        let extractor = values.extractor()?;
        let job = values.crawl_with(extractor.clone(), Vec::new(), Path::new(""))?.with_page_kinds(true);
        Ok(Learning { extractor, cleaner: PageCleaner::new(job) })
    }

    /// How lines of JSON are read.
    pub(crate) fn read_options(&self) -> ReadOptions {
        ReadOptions::default().with_max_bytes(self.limits.bytes as u64)
    }
}
