//! The result for one page: its content and what is known about it.

use crate::detection::PageType;
use crate::detection::{Decision, Detection, PageVerdict, TemplateFit};
use crate::dom::{Document, NodeId};
use crate::fallback::FallbackContent;
use crate::fallback_source::FallbackSource;
use crate::flags::Flag;
use crate::json::JsonWriter;
use crate::metadata::Metadata;
use crate::metadata::detect_language;
use crate::read::parsed_page::{PageEncoding, ParsedPage};
use crate::records::{PageRecords, find_records, render_records_json};
use crate::render;
use crate::render::explain::ExplainOptions;
use crate::render::record_page::content_records;
use crate::render::render_options::{OutputFormat, RenderOptions};
use crate::scratch::Scratch;
use crate::settle::main_heading::{Heading, MainHeading};
use url::Url;

/// The content of a page, and what is known about the page.
///
/// Formats are rendered on request.
#[derive(Debug)]
pub struct Extraction<'a> {
    scratch: ScratchRef<'a>,
    findings: Findings,
}

/// The buffers with the document, borrowed or owned.
#[derive(Debug)]
enum ScratchRef<'a> {
    Borrowed(&'a Scratch),
    Owned(Box<Scratch>),
}

/// What the extractor found on a page.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) encoding: PageEncoding,
    pub(crate) detection: Detection,
    /// The fallback for the visible text, if that is nearly empty.
    pub(crate) fallback: Option<FallbackContent>,
    pub(crate) metadata: Option<Metadata>,
    /// The URL of the page.
    pub(crate) url: Option<String>,
    /// The base of relative URLs, if absolute ones are requested.
    pub(crate) base: Option<Url>,
    pub(crate) render: RenderOptions<'static>,
    pub(crate) heading: Heading,
}

impl<'a> Extraction<'a> {
    pub(crate) fn borrowed(scratch: &'a Scratch, findings: Findings) -> Extraction<'a> {
        Extraction { scratch: ScratchRef::Borrowed(scratch), findings }
    }

    pub(crate) fn owned(scratch: Box<Scratch>, findings: Findings) -> Extraction<'static> {
        Extraction { scratch: ScratchRef::Owned(scratch), findings }
    }

    fn scratch(&self) -> &Scratch {
        match &self.scratch {
            ScratchRef::Borrowed(scratch) => scratch,
            ScratchRef::Owned(scratch) => scratch,
        }
    }

    /// The parsed page.
    pub fn page(&self) -> ParsedPage<'_> {
        self.scratch().page(self.findings.encoding)
    }

    /// The tree of the page.
    pub fn document(&self) -> &Document {
        &self.scratch().document
    }

    /// The decision about every node and the reason for it.
    pub fn detection(&self) -> &Detection {
        &self.findings.detection
    }

    /// The content as plain text; empty if the page has none.
    pub fn text(&self) -> String {
        self.render(OutputFormat::Text)
    }

    /// The content in a format. If hardly any text is visible, it is from a fallback source ([`fallback`](Extraction::fallback)).
    ///
    /// As JSON, the record of the page has every block, and `fallback` and `metadata` if there are any. As records, it is the JSON of those
    /// that are content ([`records`](Extraction::records) has all).
    pub fn render(&self, format: OutputFormat) -> String {
        if format == OutputFormat::Records {
            return render_records_json(self.document(), &content_records(self.records()));
        }
        let Findings { detection, fallback, heading, base, .. } = &self.findings;
        let options = self.findings.render.with_base(base.as_ref());
        let main = MainHeading::wanted(self.document(), detection, options, format, *heading, fallback.is_some());
        let plan = main.as_ref().map(|main| match fallback {
            Some(fallback) if format != OutputFormat::Json => main.plan_for_text(*heading, &fallback.text),
            _ => main.plan(*heading),
        });
        let options = options.with_heading_plan(plan.unwrap_or_default());
        match (fallback, format) {
            (_, OutputFormat::Json) => self.render_json(options),
            (Some(fallback), _) => fallback.render(format, options),
            (None, _) => render::render(self.document(), detection, format, options),
        }
    }

    /// The content as a file: text and Markdown start with the metadata as front matter, if it was collected.
    pub fn render_file(&self, format: OutputFormat) -> String {
        let content = self.render(format);
        match (&self.findings.metadata, format) {
            (Some(metadata), OutputFormat::Text | OutputFormat::Markdown) => metadata.front_matter() + &content,
            _ => content,
        }
    }

    fn render_json(&self, options: RenderOptions<'_>) -> String {
        let mut record = render::render_json(self.document(), &self.findings.detection, options);
        if let Some(fallback) = &self.findings.fallback {
            let mut value = String::new();
            let mut json = JsonWriter::new(&mut value);
            json.open('{');
            json.key("source").string(fallback.source.flag());
            json.key("text").string(&fallback.text);
            json.close('}');
            append_member(&mut record, "fallback", &value);
        }
        if let Some(metadata) = &self.findings.metadata {
            append_member(&mut record, "metadata", &metadata.to_json());
        }
        record
    }

    /// Overrules the decision about a node and all it holds: keeps it, with its ancestors, or drops it. The content is then what is kept, and
    /// never from a fallback source.
    pub fn correct(&mut self, node: NodeId, decision: Decision) {
        // Not by `scratch()`, which would borrow the findings, too.
        let scratch: &Scratch = match &self.scratch {
            ScratchRef::Borrowed(scratch) => scratch,
            ScratchRef::Owned(scratch) => scratch,
        };
        self.findings.detection.correct(&scratch.document, node, decision);
        self.findings.fallback = None;
    }

    /// What the page repeats: posts, cards, rows, links, whether they are content or not. Found at each call. Links are absolute if the URL of
    /// the page is known.
    ///
    /// ```
    /// let card = |name: &str, price: &str| format!("<li><h3>{name}</h3><p>made of hemp, knotted by hand</p><b>{price}</b></li>");
    /// let cards = [card("Cod net", "€ 40"), card("Herring net", "€ 35"), card("Eel trap", "€ 28")].concat();
    /// let found = dehusk::extract(&format!("<h1>Shop</h1><ul>{cards}</ul>"))?.records();
    /// assert_eq!(found.groups[0].records.len(), 3);
    /// # Ok::<(), dehusk::Error>(())
    /// ```
    pub fn records(&self) -> PageRecords {
        find_records(self.document(), &self.findings.detection, self.findings.url.as_deref())
    }

    /// The source without the dropped nodes, otherwise byte for byte. It is not safe to display.
    pub fn strip(&self) -> String {
        render::strip(self.document(), &self.findings.detection)
    }

    /// A report for people: the tree of the page with decisions and reasons.
    pub fn explain(&self, options: ExplainOptions) -> String {
        render::render_explanation(self.document(), &self.findings.detection, options)
    }

    /// The text of the page's `<title>`.
    pub fn title(&self) -> Option<String> {
        render::title(self.document())
    }

    /// Estimated F1 of the result, 0 to 1. `None` if the detector gives no estimate.
    pub fn confidence(&self) -> Option<f32> {
        self.findings.detection.page.map(|page| page.confidence)
    }

    /// The type of the page, if known.
    pub fn page_type(&self) -> Option<PageType> {
        self.findings.detection.page.and_then(|page| page.page_type)
    }

    /// The template of the site that fits the page, if the site has templates per page group.
    pub fn template_fit(&self) -> Option<TemplateFit> {
        self.findings.detection.fit
    }

    /// The source of the content, if it is not the visible text.
    pub fn fallback(&self) -> Option<FallbackSource> {
        self.findings.fallback.as_ref().map(|fallback| fallback.source)
    }

    /// The page's metadata, if it was requested.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.findings.metadata.as_ref()
    }

    /// The language of the content as a BCP 47 tag, detected from its text. `None` if the text is too short to tell. The language
    /// that the page declares is in its metadata.
    pub fn detected_language(&self) -> Option<&'static str> {
        detect_language(&self.render(OutputFormat::Text))
    }

    /// How the bytes of the page were decoded.
    pub fn encoding(&self) -> PageEncoding {
        self.findings.encoding
    }

    /// The flags: unusual facts about the result.
    pub fn flags(&self) -> Vec<Flag> {
        let Findings { detection, fallback, encoding, .. } = &self.findings;
        let mut flags = Vec::new();
        let mut add = |applies: bool, flag: Flag| flags.extend(applies.then_some(flag));
        add(detection.fit.is_some_and(|fit| fit.template.is_none()), Flag::NoTemplateFits);
        // A fallback is content too.
        let applies = |flag: &Flag| *flag != Flag::NoContent || fallback.is_none();
        detection.page.into_iter().flat_map(PageVerdict::flags).filter(applies).for_each(|flag| add(true, flag));
        add(encoding.replaced, Flag::ReplacedBytes);
        flags.extend(self.document().limits_hit().iter().map(Flag::LimitHit));
        flags.extend(self.fallback().map(Flag::Fallback));
        flags
    }

    /// The number of visible characters of the page, and how many of them are dropped.
    pub fn characters(&self) -> (u64, u64) {
        let (document, stats) = (self.document(), self.page().stats());
        let all = stats.subtree(document, NodeId::DOCUMENT).characters;
        let roots = self.findings.detection.dropped_roots(document);
        (all as u64, roots.map(|id| stats.subtree(document, id).characters as u64).sum())
    }

    /// The share of the page's visible text that is dropped, 0 to 1.
    pub fn dropped_share(&self) -> f64 {
        let (all, dropped) = self.characters();
        dropped as f64 / all.max(1) as f64
    }
}

/// Appends a member to a JSON object that is not empty.
fn append_member(object: &mut String, key: &str, value: &str) {
    object.truncate(object.trim_end().len().saturating_sub(1));
    object.push_str(&format!(",\"{key}\":{value}}}"));
}

#[cfg(test)]
mod tests {
    use crate::detect::KeepAll;
    use crate::extractor::Extractor;
    use crate::fallback_source::FallbackSource;
    use crate::options::Options;
    use crate::render::render_options::OutputFormat;

    fn extraction(source: &str, metadata: bool) -> super::Extraction<'static> {
        let options = Options::new().with_metadata(metadata);
        Extractor::new(options).unwrap().with_detector(KeepAll).unwrap().extract_owned(source).unwrap()
    }

    #[test]
    fn nearly_empty_pages_use_a_fallback() {
        let body = "Nets are mended in May. ".repeat(20);
        let page =
            format!("<p>Please wait</p><script type='application/ld+json'>{{\"articleBody\":\"{body}\"}}</script>");
        let found = extraction(&page, false);
        assert_eq!(found.fallback(), Some(FallbackSource::JsonLd));
        for format in [OutputFormat::Text, OutputFormat::Markdown, OutputFormat::Html, OutputFormat::Json] {
            let content = found.render(format);
            assert!(content.contains(body.trim()), "{format:?}");
            assert_eq!(content.contains("Please wait"), format == OutputFormat::Json);
        }
        let full = extraction(&format!("<p>{body}</p>{page}"), false);
        assert_eq!(full.fallback(), None);
    }

    #[test]
    fn metadata_is_collected_on_request_only() {
        let page = "<html lang=en><title>Nets</title><p>x";
        assert_eq!(extraction(page, false).render_file(OutputFormat::Text).trim(), "x");
        let with = extraction(page, true);
        let file = with.render_file(OutputFormat::Markdown);
        assert_eq!(file.trim_end(), "---\ntitle: \"Nets\"\nlanguage: \"en\"\n---\n\n# Nets\n\nx");
        let json: serde_json::Value = serde_json::from_str(&with.render(OutputFormat::Json)).unwrap();
        assert_eq!(json["metadata"]["title"], "Nets");
        assert_eq!(json["blocks"][0]["text"], "x");
    }

    #[test]
    fn urls_are_absolute_on_request() {
        let page = "<p><a href='../b'>b</a><img src=c.png>";
        let options = Options::new().with_absolute_urls(true);
        let markdown = |options: Options, page: &str, url: Option<&str>| {
            let page = crate::page::Page::new(page).with_url(url);
            Extractor::new(options)
                .unwrap()
                .with_detector(KeepAll)
                .unwrap()
                .extract_owned(page)
                .unwrap()
                .render(OutputFormat::Markdown)
        };
        let url = Some("https://a.example/x/y/");
        let absolute = markdown(options, page, url);
        assert!(absolute.contains("(https://a.example/x/b)") && absolute.contains("(https://a.example/x/y/c.png)"));
        assert_eq!(markdown(options, page, None), markdown(Options::new(), page, url));
        let based = markdown(options, &format!("<base href='/z/'>{page}"), url);
        assert!(based.contains("(https://a.example/b)") && based.contains("(https://a.example/z/c.png)"));
    }
}
