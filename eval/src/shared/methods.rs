//! Detectors and site methods by name.

use crate::Stop;
use dehusk::{Extractor, Options, SiteMethod};

/// The site methods of the everyday help.
pub(crate) const SITE_METHODS: [&str; 4] = ["sitelevel", "treemap", "align", "auto"];

/// The site method of a name.
pub(crate) fn site_method(name: &str) -> Result<SiteMethod, Stop> {
    let found = dehusk_papers::methods().site_method(name).cloned();
    found.ok_or_else(|| Stop::Broken(format!("there is no site method {name}")))
}

/// An extractor with the detector of a name.
pub(crate) fn extractor(detector: &str, options: Options) -> Result<Extractor, Stop> {
    let found = dehusk_papers::methods().detector(detector).cloned();
    let found = found.ok_or_else(|| Stop::Broken(format!("there is no detector {detector}")))?;
    let extractor = Extractor::new(options).and_then(|extractor| extractor.with_shared_detector(found));
    extractor.map_err(|error| Stop::Broken(error.to_string()))
}
