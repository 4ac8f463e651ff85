//! Buffers reused from page to page.

use crate::detect::Buffers;
use crate::dom::{Document, Fingerprints, Limits, Parser, Stats};
use crate::read::parsed_page::{OnDemand, PageEncoding, ParsedPage};

/// The buffers of a page of more bytes are not kept for the next one. Pages of crawls hardly reach this size, and every thread
/// would hold the memory of its largest page, about twenty times as much, until it ends.
const MAX_KEPT_PAGE: usize = 1 << 20;

/// Reusable buffers for the pages of one thread. They contain the page parsed last.
#[derive(Default)]
pub struct Scratch {
    parser: Option<(ParserOptions, Parser)>,
    pub(crate) document: Document,
    stats: OnDemand<Stats>,
    fingerprints: OnDemand<Fingerprints>,
    buffers: Buffers,
}

/// The options a parser was created with.
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
    /// Frees the buffers if they have grown to a large page. To be called when a page of so many bytes is done.
    pub fn free_if_large(&mut self, page_bytes: usize) {
        if page_bytes > MAX_KEPT_PAGE {
            *self = Scratch::default();
        }
    }

    /// Parses a text into the buffers.
    pub(crate) fn parse(&mut self, text: &str, options: ParserOptions) -> Result<(), crate::dom::Error> {
        let parser = match &mut self.parser {
            Some((parser_options, parser)) if *parser_options == options => parser,
            other => {
                let parser = Parser::new(options.limits).with_scripting(options.scripting);
                &mut other.insert((options, parser)).1
            }
        };
        self.stats.clear();
        self.fingerprints.clear();
        parser.parse_into(text, &mut self.document)
    }

    /// The page parsed last.
    pub(crate) fn page(&self, encoding: PageEncoding) -> ParsedPage<'_> {
        ParsedPage::on_demand(&self.document, &self.stats, &self.fingerprints, encoding)
    }

    /// The page parsed last, and the buffers of detectors.
    pub(crate) fn page_and_buffers(&mut self, encoding: PageEncoding) -> (ParsedPage<'_>, &mut Buffers) {
        (ParsedPage::on_demand(&self.document, &self.stats, &self.fingerprints, encoding), &mut self.buffers)
    }
}
