//! Pages whose content is known because it was put there or marked: short texts and structured documents in the pages of real sites,
//! and marked values of shops and databases. The commands of the program on all of them, page by page and with templates.

mod bag;
mod graft;
pub(crate) mod outputs;
mod rich;
mod swde;

use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::program::Work;
use crate::shared::report::Results;
use dehusk::detect::fusion::FusionModel;

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let work = Work::create(None, "known-content")?;
    let sections = [
        about_model(),
        graft::measure(data, &work.path)?,
        rich::measure(data, &work.path)?,
        swde::measure(data, &work.path)?,
    ];
    results.publish("known-content", "Pages with known content", "graft, rich, sites (swde-*)", &sections.join("\n"))
}

/// What the model has seen of these pages.
fn about_model() -> String {
    let card = &FusionModel::builtin().card;
    let trained = card.lines().find(|line| line.starts_with("Trained on")).unwrap_or("Its card says nothing.");
    format!(
        "`extract` takes every page by itself; `clean` also learns a template from the pages of each host. Both as the program does by \
         default, through the crawl job.\n\n\
         The default model was not trained with the 8 sites of `graft` and `rich`: it is fitted on wcxb-dev, on articles, on their texts \
         put into pages of other sites, and on ten pages of each SWDE site with automatic references, which use no marked value (`eval \
         quality --only fusion` has the values kept on SWDE sites left out of training). These figures were looked at while the program was written. Its \
         card: \
         \"{trained}\"\n"
    )
}
