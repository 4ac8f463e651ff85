//! What a page is judged by: the template of its site, other pages of it, or a model.

use super::learn::learn_pages;
use super::{Failure, read_template_for};
use crate::args::{Detector, Reading, Template};
use crate::{files, layout};
use dehusk::features::nodes::host_of;
use dehusk::fusion::{FusionPage, detect_fused, detect_fusion};
use dehusk::{
    Block, BlockModel, Detection, Detector as _, Error, Extractor, Options, PageLevel, PageLevelModel, ParsedPage,
    SiteTemplates, append_weighed, detect_block, detect_page_level, score_page,
};
use indicatif::ProgressBar;
use std::path::Path;

/// No model file is larger.
const MOST_MODEL_BYTES: usize = 1 << 30;

/// What is known of a page's site, or of pages at large.
pub(super) enum Knowledge {
    None,
    Fusion,
    Site(Box<SiteTemplates>),
    Fused(Box<SiteTemplates>),
    Block(Box<BlockModel>),
    PageLevel(Option<Box<PageLevelModel>>),
}

impl Knowledge {
    /// Reads or learns what the detector that was asked for needs.
    pub(super) fn of(args: &Template, reading: &Reading, extractor: &Extractor) -> Result<Knowledge, Failure> {
        let detector = args.judging.detector;
        if matches!(detector, Detector::Block | Detector::Pagelevel | Detector::None) && args.knows_site() {
            return Err(Failure::new(format!(
                "the detector `{}` looks at one page alone: leave --template and --pages out",
                detector.name()
            )));
        }
        if !matches!(detector, Detector::Block | Detector::Pagelevel) && args.model.is_some() {
            return Err(Failure::new("--model needs --detector block or --detector pagelevel"));
        }
        if detector != Detector::Block && (args.precision.is_some() || args.recall.is_some()) {
            return Err(Failure::new("--precision and --recall need --detector block"));
        }
        match detector {
            Detector::None => Ok(Knowledge::None),
            Detector::Fusion if args.knows_site() => {
                site(args, reading, extractor).map(|site| Knowledge::Fused(Box::new(site)))
            }
            Detector::Fusion => Ok(Knowledge::Fusion),
            Detector::Block => read_block_model(args.model.as_deref()).map(Knowledge::Block),
            Detector::Pagelevel => read_page_level_model(args.model.as_deref()).map(Knowledge::PageLevel),
            Detector::Sitelevel | Detector::Treemap | Detector::Align | Detector::Auto => {
                site(args, reading, extractor).map(|site| Knowledge::Site(Box::new(site)))
            }
        }
    }

    /// Judges a page. With `details`, says what weighed most where a model judges.
    pub(super) fn detect(
        &self,
        page: &ParsedPage<'_>,
        args: &Template,
        options: &Options,
        details: bool,
    ) -> Result<Detection, Failure> {
        let document = page.document;
        let fail = |error: Error| Failure::new(error.to_string());
        Ok(match self {
            Knowledge::None => Detection::keep_all("none", document),
            Knowledge::Fusion => detect_fusion(document, args.judging.focus()?, &mut FusionPage::default()).detection,
            Knowledge::Fused(site) => {
                let told = site.detect(page, options);
                detect_fused(document, &told, args.judging.focus()?, &mut FusionPage::default()).detection
            }
            Knowledge::Site(site) => site.detect(page, options),
            Knowledge::Block(model) => {
                detect_block(document, page.stats(), page.fingerprints(), model, Block { point: args.point(), details })
                    .map_err(fail)?
            }
            Knowledge::PageLevel(own) => {
                page_level(page, args, own.as_deref().unwrap_or_else(|| PageLevelModel::builtin()))?
            }
        })
    }
}

/// The templates of a page's site, from a file or learned from other pages.
fn site(args: &Template, reading: &Reading, extractor: &Extractor) -> Result<SiteTemplates, Failure> {
    match &args.template {
        Some(path) if args.pages.is_empty() => read_template_for(path, args.method_asked()),
        Some(_) => Err(Failure::new("--template and --pages say the same twice: leave one out")),
        None => {
            let pages = if args.pages.is_empty() { Vec::new() } else { files::pages(&args.pages)? };
            let (learner, skipped) = learn_pages(
                args.method_asked().unwrap_or_default(),
                extractor,
                &pages,
                reading,
                &ProgressBar::hidden(),
            );
            if let Some((path, message)) = skipped.first() {
                return Err(Failure::new(format!("{}: {message}", path.display())));
            }
            if learner.pages() < 2 {
                let message = "this detector compares pages: name at least two pages of the site, or a folder of them, \
                               with --pages, or what was learned from them with --template";
                return Err(Failure::new(message));
            }
            Ok(learner.finish(0))
        }
    }
}

/// The block model of a file, or the one in this program.
pub(super) fn read_block_model(path: Option<&Path>) -> Result<Box<BlockModel>, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("builtin")) else {
        return Ok(Box::new(BlockModel::builtin().clone()));
    };
    let bytes = files::read(path, MOST_MODEL_BYTES)?;
    let model = BlockModel::from_bytes(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(Box::new(model))
}

fn read_page_level_model(path: Option<&Path>) -> Result<Option<Box<PageLevelModel>>, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("builtin")) else { return Ok(None) };
    let bytes = files::read(path, MOST_MODEL_BYTES)?;
    let model = PageLevelModel::from_bytes(&bytes);
    model.map(|model| Some(Box::new(model))).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// What PageLevel finds on a page.
fn page_level(page: &ParsedPage<'_>, args: &Template, model: &PageLevelModel) -> Result<Detection, Failure> {
    let url = args.url.as_deref();
    let layout = layout::of(page.document, &args.layout, url)?;
    let settings = PageLevel {
        penalty: args.penalty,
        threshold: args.judging.threshold.map(|threshold| threshold as f32),
        host: url.and_then(host_of),
    };
    let scores = score_page(page.document, &layout, model, settings);
    let mut detection = detect_page_level(page.document, page.stats(), &scores, model, settings);
    append_weighed(&scores, model, &mut detection);
    Ok(detection)
}
