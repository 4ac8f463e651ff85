//! The pages with reference texts, and the fusion models that have not seen a fifth of their sites each, kept in a folder: fitting them
//! takes a quarter of an hour.

use crate::Stop;
use crate::shared::corpus::Data;
use dehusk::detect::fusion::FusionModel;
use dehusk_train::{FusionFolds, ReferenceInputs, ReferencePage, data_pages, replaced_content_pages};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// As for the model in the program (docs/training.md).
const SEED: u64 = 0;
const RENAMED: f64 = 0.3;
const GRAFTS_PER_SITE: usize = 8;
const RECORDS_PER_SITE: usize = 10;

/// The corpora with reference texts, their files, and the keys of these texts.
const CORPORA: [(&str, &str, &str); 5] = [
    ("wcxb-dev", "wcxb-dev.jsonl.zst", "main_content"),
    ("cleaneval", "articles/cleaneval.jsonl.zst", "main_content"),
    ("dragnet", "articles/dragnet.jsonl.zst", "main_content"),
    ("l3s-gn1", "articles/l3s-gn1.jsonl.zst", "main_content"),
    ("news", "metadata/news.jsonl.zst", "articleBody"),
];

/// Pages of sites with made-up content, and pages of records with automatic references.
pub(crate) const GRAFTED: &str = "grafted";
pub(crate) const RECORDS: &str = "records";

/// The pages of all corpora, and for each a model fitted without its site.
pub(crate) struct Folds {
    pub(crate) pages: Vec<ReferencePage>,
    corpora: Vec<(&'static str, Range<usize>)>,
    folds: FusionFolds,
}

impl Folds {
    /// Reads the models from a folder, and fits those that are missing or have other features.
    pub(crate) fn of(data: &Data, folder: &Path) -> Result<Folds, Stop> {
        let start = Instant::now();
        let step = |what: &str| eprintln!("{:6.0} s  {what}", start.elapsed().as_secs_f64());
        let (mut pages, mut corpora) = (Vec::new(), Vec::new());
        for (name, file, content) in CORPORA {
            let before = pages.len();
            pages.extend(read(data, file, content)?);
            corpora.push((name, before..pages.len()));
        }
        let skipped = |fault: &dehusk_io::Fault| eprintln!("{fault}");
        let (record_sites, graft_sites) = training_sites(data)?;
        let grafted = replaced_content_pages(&graft_sites, &pages, GRAFTS_PER_SITE, SEED, skipped).map_err(broken)?;
        corpora.push((GRAFTED, pages.len()..pages.len() + grafted.len()));
        pages.extend(grafted);
        let records = data_pages(&record_sites, RECORDS_PER_SITE, SEED, skipped).map_err(broken)?;
        corpora.push((RECORDS, pages.len()..pages.len() + records.len()));
        pages.extend(records);
        let folds = FusionFolds::fit(&pages, RENAMED, SEED, Some(folder), &step).map_err(broken)?;
        Ok(Folds { pages, corpora, folds })
    }

    /// The names of the corpora.
    pub(crate) fn corpora(&self) -> impl Iterator<Item = &'static str> {
        self.corpora.iter().map(|(name, _)| *name)
    }

    /// The numbers of the pages of a corpus.
    pub(crate) fn corpus(&self, name: &str) -> Range<usize> {
        self.corpora.iter().find(|(own, _)| *own == name).map_or(0..0, |(_, range)| range.clone())
    }

    /// The model fitted without the site of a page.
    pub(crate) fn model(&self, page: usize) -> &FusionModel {
        self.folds.model(page)
    }

    /// The fold of a page.
    pub(crate) fn fold(&self, page: usize) -> usize {
        self.folds.fold(page)
    }
}

fn read(data: &Data, file: &str, content: &str) -> Result<Vec<ReferencePage>, Stop> {
    let inputs = ReferenceInputs { content_column: content.into(), ..ReferenceInputs::new(vec![data.find(file)?]) };
    inputs.pages(|fault| eprintln!("{fault}")).map_err(broken)
}

/// The sites that training pages are made of: those with pages of records, and those whose pages get other texts. The sites of `graft` and
/// `rich` are for measuring.
fn training_sites(data: &Data) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Stop> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let measured: Vec<String> = data.list("graft", ".jsonl.zst")?.iter().map(|path| name(path)).collect();
    let mut sites = data.list("sites", ".jsonl.zst")?;
    sites.retain(|path| !measured.contains(&name(path)));
    Ok(sites.into_iter().partition(|path| name(path).starts_with("swde-")))
}

fn broken(error: dehusk_io::Error) -> Stop {
    Stop::Broken(error.to_string())
}
