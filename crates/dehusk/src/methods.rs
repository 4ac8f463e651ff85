//! The methods that a program offers, by name: detectors, site methods and segmenters.
//!
//! [`Methods::default`] has those of this crate. Other crates add theirs; files of templates are read with the methods that are
//! known.

use crate::detect::{Detector, Fusion, KeepAll, SiteDetector};
use crate::segmentation::Segmenter;
use crate::site::SiteMethod;
use std::sync::Arc;

/// The methods that a program offers.
#[derive(Clone, Debug)]
pub struct Methods {
    detectors: Vec<Arc<dyn Detector>>,
    site_methods: Vec<SiteMethod>,
    segmenters: Vec<Arc<dyn Segmenter>>,
}

impl Default for Methods {
    /// Fusion, the counts of a site, and the detector that drops nothing.
    fn default() -> Methods {
        Methods { detectors: vec![Arc::new(Fusion::default())], site_methods: Vec::new(), segmenters: Vec::new() }
            .with_site_method(SiteMethod::counts())
            .with_detector(KeepAll)
    }
}

impl Methods {
    /// Adds a detector, or replaces the one of its name.
    #[must_use]
    pub fn with_detector(mut self, detector: impl Detector + 'static) -> Methods {
        let detector: Arc<dyn Detector> = Arc::new(detector);
        match self.detectors.iter_mut().find(|own| own.name() == detector.name()) {
            Some(own) => *own = detector,
            None => self.detectors.push(detector),
        }
        self
    }

    /// Adds a site method, or replaces the one of its name, and the detector that drops what it finds.
    #[must_use]
    pub fn with_site_method(mut self, method: SiteMethod) -> Methods {
        match self.site_methods.iter_mut().find(|own| own.name() == method.name()) {
            Some(own) => *own = method.clone(),
            None => self.site_methods.push(method.clone()),
        }
        self.with_detector(SiteDetector::new(method))
    }

    /// Adds a segmenter, or replaces the one of its name.
    #[must_use]
    pub fn with_segmenter(mut self, segmenter: impl Segmenter + 'static) -> Methods {
        let segmenter: Arc<dyn Segmenter> = Arc::new(segmenter);
        match self.segmenters.iter_mut().find(|own| own.name() == segmenter.name()) {
            Some(own) => *own = segmenter,
            None => self.segmenters.push(segmenter),
        }
        self
    }

    /// The detector with a name.
    #[must_use]
    pub fn detector(&self, name: &str) -> Option<&Arc<dyn Detector>> {
        self.detectors.iter().find(|detector| detector.name() == name)
    }

    /// The site method with a name.
    #[must_use]
    pub fn site_method(&self, name: &str) -> Option<&SiteMethod> {
        self.site_methods.iter().find(|method| method.name() == name)
    }

    /// The segmenter with a name.
    #[must_use]
    pub fn segmenter(&self, name: &str) -> Option<&Arc<dyn Segmenter>> {
        self.segmenters.iter().find(|segmenter| segmenter.name() == name)
    }

    /// All detectors, the default first.
    #[must_use]
    pub fn detectors(&self) -> &[Arc<dyn Detector>] {
        &self.detectors
    }

    /// All site methods, the default first.
    #[must_use]
    pub fn site_methods(&self) -> &[SiteMethod] {
        &self.site_methods
    }

    /// All segmenters.
    #[must_use]
    pub fn segmenters(&self) -> &[Arc<dyn Segmenter>] {
        &self.segmenters
    }
}
