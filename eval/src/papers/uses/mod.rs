//! What removing the template is worth for the tasks the papers test it with.

mod classification;
mod clustering;
mod duplicates;
mod keywords;
mod paired;
mod texts;

use crate::Stop;
use crate::papers::section::Section;
use crate::shared::corpus::Data;
use texts::KnownCorpus;

pub(super) fn report(data: &Data, section: &mut Section) -> Result<(), Stop> {
    let corpora = [KnownCorpus::read(data, "graft")?, KnownCorpus::read(data, "dup")?];
    duplicates::report(&corpora, section)?;
    classification::report(&corpora[0], section)?;
    clustering::report(&corpora, section)?;
    keywords::report(data, section)
}
