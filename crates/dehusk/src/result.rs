//! The whole answer for one page: its content, or what stands in for it, and what it says about itself.
//!
//! Takes an [`Analysis`] and adds to its rendering the hidden content where the visible is nearly empty, and metadata where asked for.

use crate::dom::stats::{count_text, is_unseen};
use crate::dom::{NodeId, NodeKind};
use crate::extractor::{Analysis, OutputFormat};
use crate::hidden::{HiddenSource, NEARLY_EMPTY, fallback};
use crate::metadata::{Metadata, metadata};
use crate::output::{JsonWriter, RenderOptions};

/// The answer for one page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PageResult {
    /// The content in the format asked for.
    pub content: String,
    /// What the page says about itself, if asked for.
    pub metadata: Option<Metadata>,
    /// Where the content is from, if it is not from the visible text.
    pub fallback: Option<HiddenSource>,
}

impl Analysis<'_> {
    /// The words of what is kept; each character of a script written without spaces counts as one.
    pub fn kept_words(&self) -> usize {
        let (document, stats) = (self.page.document, self.page.stats());
        let all = stats.subtree(document, NodeId::DOCUMENT).words as usize;
        let dropped = self.detection.dropped_roots(document).map(|id| stats.subtree(document, id).words as usize);
        all.saturating_sub(dropped.sum())
    }

    /// The words of what is kept, up to a number that is enough: mostly the first few texts tell.
    fn kept_words_up_to(&self, enough: usize) -> usize {
        let document = self.page.document;
        let (mut words, mut at) = (0, 0);
        while at < document.len() && words < enough {
            let id = NodeId(at as u32);
            let unseen = match document.kind(id) {
                NodeKind::Element => is_unseen(document.html_name(id)),
                kind => kind == NodeKind::Fragment,
            };
            if unseen || self.detection.is_dropped(id) {
                at = document.end(id).index();
                continue;
            }
            if document.is_text(id) {
                words += count_text(document.text(id)).1 as usize;
            }
            at += 1;
        }
        words.min(enough)
    }

    /// The page in a format, from hidden content where the visible is nearly empty ([`fallback`]).
    ///
    /// As JSON the record of the page stays as it is and gets the members `fallback` and `metadata`.
    pub fn result(&self, format: OutputFormat, options: RenderOptions, with_metadata: bool) -> PageResult {
        let document = self.page.document;
        let metadata = with_metadata.then(|| metadata(document));
        let hidden = fallback(document, self.kept_words_up_to(NEARLY_EMPTY));
        let content = match (&hidden, format) {
            (Some(hidden), OutputFormat::Text | OutputFormat::Markdown | OutputFormat::Html) => {
                hidden.render(format, options)
            }
            (_, OutputFormat::Json) => {
                let mut record = self.render(format, options);
                if let Some(hidden) = &hidden {
                    let mut value = String::new();
                    let mut json = JsonWriter::new(&mut value);
                    json.open('{');
                    json.key("source").string(hidden.source.flag());
                    json.key("text").string(&hidden.text);
                    json.close('}');
                    append_member(&mut record, "fallback", &value);
                }
                if let Some(metadata) = &metadata {
                    append_member(&mut record, "metadata", &metadata.to_json());
                }
                record
            }
            _ => self.render(format, options),
        };
        PageResult { content, metadata, fallback: hidden.map(|hidden| hidden.source) }
    }
}

impl PageResult {
    /// The content as a file of its own: text and Markdown start with the metadata as a front matter, if there is any.
    pub fn with_front_matter(mut self, format: OutputFormat) -> PageResult {
        if let (Some(metadata), OutputFormat::Text | OutputFormat::Markdown) = (&self.metadata, format) {
            self.content.insert_str(0, &metadata.front_matter());
        }
        self
    }
}

/// Adds a member to the end of an object that has one already.
fn append_member(object: &mut String, key: &str, value: &str) {
    object.truncate(object.trim_end().len().saturating_sub(1));
    object.push_str(&format!(",\"{key}\":{value}}}"));
}

#[cfg(test)]
mod tests {
    use crate::{Extractor, HiddenSource, LonePage, Options, OutputFormat, Scratch};

    fn result(source: &str, format: OutputFormat, metadata: bool) -> super::PageResult {
        let mut scratch = Scratch::default();
        let extractor = Extractor::new(Options::new().with_lone_pages(LonePage::Keep)).unwrap();
        let analysis = extractor.analyze(source.as_bytes(), None, None, &mut scratch).unwrap();
        analysis.result(format, Default::default(), metadata)
    }

    #[test]
    fn nearly_empty_pages_are_filled_and_say_so() {
        let body = "Nets are mended in May. ".repeat(20);
        let page =
            format!("<p>Please wait</p><script type='application/ld+json'>{{\"articleBody\":\"{body}\"}}</script>");
        for format in [OutputFormat::Text, OutputFormat::Markdown, OutputFormat::Html, OutputFormat::Json] {
            let result = result(&page, format, false);
            assert_eq!(result.fallback, Some(HiddenSource::JsonLd));
            assert!(result.content.contains(body.trim()), "{format:?}");
            assert_eq!(result.content.contains("Please wait"), format == OutputFormat::Json);
        }
        let full = result(&format!("<p>{body}</p>{page}"), OutputFormat::Text, false);
        assert_eq!(full.fallback, None);
    }

    #[test]
    fn words_are_counted_as_far_as_is_enough() {
        let source = "<title>no</title><nav>drop two</nav><p>one <b>two</b></p><script>var x</script><p>漢字 end</p>";
        let mut scratch = Scratch::default();
        let extractor = Extractor::new(Options::new().with_lone_pages(LonePage::Keep)).unwrap();
        let mut analysis = extractor.analyze(source.as_bytes(), None, None, &mut scratch).unwrap();
        let document = analysis.page.document;
        analysis.detection.drop_subtree(document, document.find(crate::dom::Name::NAV).unwrap());
        assert_eq!(analysis.kept_words(), 5);
        for enough in 0..8 {
            assert_eq!(analysis.kept_words_up_to(enough), enough.min(5));
        }
    }

    #[test]
    fn metadata_only_where_asked_for() {
        let page = "<html lang=en><title>Nets</title><p>x";
        assert_eq!(
            result(page, OutputFormat::Markdown, false).with_front_matter(OutputFormat::Markdown).content.trim(),
            "x"
        );
        let with = result(page, OutputFormat::Markdown, true).with_front_matter(OutputFormat::Markdown);
        assert_eq!(with.content.trim_end(), "---\ntitle: \"Nets\"\nlanguage: \"en\"\n---\n\nx");
        let json: serde_json::Value = serde_json::from_str(&result(page, OutputFormat::Json, true).content).unwrap();
        assert_eq!(json["metadata"]["title"], "Nets");
        assert_eq!(json["blocks"][0]["text"], "x");
    }
}
