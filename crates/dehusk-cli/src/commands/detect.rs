//! What a page is judged by: the template of its site, other pages of it, or a model.

use super::{Failure, read_template};
use crate::args::{Detector, Reading, Template};
use crate::files;
use dehusk::{
    AlignLearner, AlignTemplate, Block, BlockModel, Detection, Error, Extractor, ParsedPage, Scratch, SiteLevel,
    SiteLevelLearner, SiteTemplate, TreeMap, TreeMapLearner, TreeMapTemplates, align, detect_align, detect_block,
    detect_site_level, detect_tree_map, model,
};
use std::path::Path;

/// No model file is larger.
const MOST_MODEL_BYTES: usize = 1 << 30;

/// What is known of a page's site, or of pages at large.
pub(super) enum Knowledge {
    None,
    SiteLevel(SiteTemplate),
    TreeMap(TreeMapTemplates),
    Align(AlignTemplate),
    Block(Box<BlockModel>),
}

impl Knowledge {
    /// Reads or learns what the detector that was asked for needs.
    pub(super) fn of(args: &Template, reading: &Reading, extractor: &Extractor) -> Result<Knowledge, Failure> {
        let detector = args.detector();
        let name = format!("{detector:?}").to_lowercase();
        if args.template.is_some() && !matches!(detector, Detector::Sitelevel) {
            return Err(Failure::new(format!("--template is for the detector `sitelevel`, not for `{name}`")));
        }
        if !args.pages.is_empty() && matches!(detector, Detector::Block | Detector::None) {
            return Err(Failure::new(format!("the detector `{name}` looks at one page alone: leave --pages out")));
        }
        if detector != Detector::Block && (args.model.is_some() || args.precision.is_some() || args.recall.is_some()) {
            return Err(Failure::new("--model, --precision and --recall need --detector block"));
        }
        match detector {
            Detector::None => Ok(Knowledge::None),
            Detector::Block => read_block_model(args.model.as_deref()).map(Knowledge::Block),
            Detector::Sitelevel => match &args.template {
                Some(path) if args.pages.is_empty() => read_template(path).map(Knowledge::SiteLevel),
                Some(_) => Err(Failure::new("--template and --pages say the same twice: leave one out")),
                None => {
                    let mut learner = SiteLevelLearner::new();
                    each_page(args, reading, extractor, |_, page| learner.observe(&page.evidence()))?;
                    Ok(Knowledge::SiteLevel(learner.finish()))
                }
            },
            Detector::Treemap => {
                let mut learner = TreeMapLearner::new(TreeMap::default());
                each_page(args, reading, extractor, |name, page| learner.observe(name, page.document))?;
                Ok(Knowledge::TreeMap(learner.finish(0)))
            }
            Detector::Align => {
                let settings = align::AlignSettings::sections();
                let mut learner = AlignLearner::new(settings).map_err(|error| Failure::new(error.to_string()))?;
                each_page(args, reading, extractor, |name, page| learner.observe(page.document, name))?;
                Ok(Knowledge::Align(learner.finish(0)))
            }
        }
    }

    /// Judges a page. With `details`, says what weighed most where a model judges.
    pub(super) fn detect(&self, page: &ParsedPage<'_>, args: &Template, details: bool) -> Result<Detection, Error> {
        let ParsedPage { document, stats, fingerprints, .. } = *page;
        Ok(match self {
            Knowledge::None => Detection::keep_all("none", document),
            Knowledge::SiteLevel(template) => {
                let settings = SiteLevel { threshold: args.judging.threshold };
                detect_site_level(document, stats, fingerprints, template, settings)
            }
            Knowledge::TreeMap(templates) => detect_tree_map(document, stats, templates),
            Knowledge::Align(template) => detect_align(document, stats, template),
            Knowledge::Block(model) => {
                detect_block(document, stats, fingerprints, model, Block { point: args.point(), details })?
            }
        })
    }
}

/// The model of a file, or the one in this program.
pub(super) fn read_block_model(path: Option<&Path>) -> Result<Box<BlockModel>, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("builtin")) else {
        return model::builtin_block().cloned().map(Box::new).map_err(|error| Failure::new(error.to_string()));
    };
    let bytes = files::read(path, MOST_MODEL_BYTES)?;
    let model = BlockModel::from_bytes(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(Box::new(model))
}

/// Gives each of the pages to learn from, with its name.
fn each_page(
    args: &Template,
    reading: &Reading,
    extractor: &Extractor,
    mut each: impl FnMut(&str, &ParsedPage<'_>),
) -> Result<(), Failure> {
    let pages = files::pages(&args.pages)?;
    if pages.len() < 2 {
        let message =
            "this detector compares pages: name at least two pages of the site, or a folder of them, with --pages";
        return Err(Failure::new(message));
    }
    let mut scratch = Scratch::default();
    for page in pages {
        let bytes = files::read(&page.path, reading.max_bytes)?;
        let parsed = extractor
            .parse(&bytes, None, &mut scratch)
            .map_err(|error| Failure::new(format!("{}: {error}", page.path.display())))?;
        each(&page.relative.to_string_lossy(), &parsed);
    }
    Ok(())
}
