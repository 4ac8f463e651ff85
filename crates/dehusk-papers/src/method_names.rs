//! All methods by name: those of the papers beside those of the core.

use crate::align::{Align, AlignSettings};
use crate::block::Block;
use crate::pagelevel::PageLevel;
use crate::segment::{ModelSegmenter, SegmentMethod};
use crate::treemap::{TreeMap, TreeMapSettings};
use dehusk::{Error, Methods, SiteMethod};
use std::sync::Arc;

/// All methods, with those of the core.
///
/// Detectors: `fusion`, `none`; `sitelevel`, `treemap`, `align`, `auto`, `treemap-paper`, `align-paper`, which need the templates of a
/// site; `pagelevel`, `pagelevel-basic`, `block`. Segmenters: `best`, `gcuts`, `cclus`, `sections`.
#[must_use]
pub fn methods() -> Methods {
    with_align(Align::default(), Align::as_in_paper())
}

/// The same with another share for Align: the share of the pages of a kind that must have a tag or text for it to be template. `None`
/// is the method's own.
///
/// # Errors
/// If the share is not above 0 and at most 1.
pub fn methods_with_align_share(share: Option<f64>) -> Result<Methods, Error> {
    let with_share =
        |settings: AlignSettings| Align::new(AlignSettings { share: share.unwrap_or(settings.share), ..settings });
    Ok(with_align(with_share(AlignSettings::sections())?, with_share(AlignSettings::as_in_paper())?))
}

fn with_align(align: Align, align_paper: Align) -> Methods {
    let auto = vec![Arc::new(TreeMap::default()) as _, Arc::new(align) as _];
    let methods = Methods::default()
        .with_site_method(SiteMethod::new(TreeMap::default()))
        .with_site_method(SiteMethod::new(align))
        .with_site_method(SiteMethod::best_of("auto", auto))
        .with_detector(PageLevel::default())
        .with_detector(PageLevel::basic())
        .with_detector(Block::default())
        .with_site_method(SiteMethod::new(TreeMap::new(TreeMapSettings::as_in_paper())).with_one_kind())
        .with_site_method(SiteMethod::new(align_paper).with_one_kind());
    SegmentMethod::ALL.into_iter().fold(methods, |methods, method| methods.with_segmenter(ModelSegmenter::new(method)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_name() {
        let methods = methods();
        let names: Vec<&str> = methods.detectors().iter().map(|detector| detector.name()).collect();
        let expected =
            "fusion sitelevel none treemap align auto pagelevel pagelevel-basic block treemap-paper align-paper";
        assert_eq!(names.join(" "), expected);
        let names: Vec<&str> = methods.site_methods().iter().map(|method| method.name()).collect();
        assert_eq!(names, ["sitelevel", "treemap", "align", "auto", "treemap-paper", "align-paper"]);
        let names: Vec<&str> = methods.segmenters().iter().map(|segmenter| segmenter.name()).collect();
        assert_eq!(names, ["best", "gcuts", "cclus", "sections"]);
        assert!(methods.detector("magic").is_none() && methods.site_method("magic").is_none());
    }
}
