//! Memory that is reused from page to page.

use crate::dom::{Document, Fingerprints, Limits, Parser, Stats};
use crate::fusion::FusionPage;
use crate::parsed_page::{OnDemand, PageEncoding, ParsedPage};

/// Memory for one thread's pages. It holds the last page that was read.
#[derive(Default)]
pub struct Scratch {
    parser: Option<(ParserOptions, Parser)>,
    pub(crate) document: Document,
    stats: OnDemand<Stats>,
    fingerprints: OnDemand<Fingerprints>,
    pub(crate) fusion: FusionPage,
}

/// What a parser was made for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ParserOptions {
    pub(crate) limits: Limits,
    pub(crate) scripting: bool,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("nodes", &self.document.len()).finish_non_exhaustive()
    }
}

impl Scratch {
    /// Parses a text into the memory.
    pub(crate) fn parse(&mut self, text: &str, options: ParserOptions) -> Result<(), crate::dom::Error> {
        let parser = match &mut self.parser {
            Some((made_for, parser)) if *made_for == options => parser,
            other => {
                let parser = Parser::new(options.limits).with_scripting(options.scripting);
                &mut other.insert((options, parser)).1
            }
        };
        self.stats.clear();
        self.fingerprints.clear();
        parser.parse_into(text, &mut self.document)
    }

    /// The page that was parsed last.
    pub(crate) fn page(&self, encoding: PageEncoding) -> ParsedPage<'_> {
        ParsedPage::on_demand(&self.document, &self.stats, &self.fingerprints, encoding)
    }

    /// The same, and the memory of the fusion detector.
    pub(crate) fn page_and_fusion(&mut self, encoding: PageEncoding) -> (ParsedPage<'_>, &mut FusionPage) {
        (ParsedPage::on_demand(&self.document, &self.stats, &self.fingerprints, encoding), &mut self.fusion)
    }
}
