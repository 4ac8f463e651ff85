//! The answer for one page: what is kept of it, and what is known about it.

use crate::detection::{Detection, PageVerdict, TemplateFit};
use crate::dom::{Document, NodeId};
use crate::flags::Flag;
use crate::fallback::FallbackContent;
use crate::fallback_source::FallbackSource;
use crate::json::JsonWriter;
use crate::metadata::Metadata;
use crate::output::{self, ExplainOptions, OutputFormat, RenderOptions};
use crate::page_type::PageType;
use crate::parsed_page::{PageEncoding, ParsedPage};
use crate::scratch::Scratch;
use url::Url;

/// The content of a page, and what is known about the page.
///
/// Formats are rendered when they are asked for.
#[derive(Debug)]
pub struct Extraction<'a> {
    memory: Memory<'a>,
    findings: Findings,
}

/// Where the document is.
#[derive(Debug)]
enum Memory<'a> {
    Borrowed(&'a Scratch),
    Owned(Box<Scratch>),
}

/// What was found out about a page.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) encoding: PageEncoding,
    pub(crate) detection: Detection,
    /// What is used instead of the visible text, where that is nearly empty.
    pub(crate) fallback: Option<FallbackContent>,
    pub(crate) metadata: Option<Metadata>,
    /// What relative URLs are relative to, where absolute ones are wanted.
    pub(crate) base: Option<Url>,
    pub(crate) render: RenderOptions<'static>,
}

impl<'a> Extraction<'a> {
    pub(crate) fn borrowed(scratch: &'a Scratch, findings: Findings) -> Extraction<'a> {
        Extraction { memory: Memory::Borrowed(scratch), findings }
    }

    pub(crate) fn owned(scratch: Box<Scratch>, findings: Findings) -> Extraction<'static> {
        Extraction { memory: Memory::Owned(scratch), findings }
    }

    fn scratch(&self) -> &Scratch {
        match &self.memory {
            Memory::Borrowed(scratch) => scratch,
            Memory::Owned(scratch) => scratch,
        }
    }

    /// The page, parsed.
    pub fn page(&self) -> ParsedPage<'_> {
        self.scratch().page(self.findings.encoding)
    }

    /// The tree of the page.
    pub fn document(&self) -> &Document {
        &self.scratch().document
    }

    /// The decision about every node, and the reason for it.
    pub fn detection(&self) -> &Detection {
        &self.findings.detection
    }

    /// The content as plain text. Empty where the page has none.
    pub fn text(&self) -> String {
        self.render(OutputFormat::Text)
    }

    /// The content in a format; from elsewhere on the page where hardly any text is visible ([`fallback`](Extraction::fallback)).
    ///
    /// As JSON, the record of the page has every block, and `fallback` and `metadata` where there are any.
    pub fn render(&self, format: OutputFormat) -> String {
        let options = self.findings.render.with_base(self.findings.base.as_ref());
        match (&self.findings.fallback, format) {
            (_, OutputFormat::Json) => self.render_json(options),
            (Some(hidden), _) => hidden.render(format, options),
            (None, _) => output::render(self.document(), &self.findings.detection, format, options),
        }
    }

    /// The content as a file of its own: text and Markdown begin with the metadata as front matter, if it was collected.
    pub fn render_file(&self, format: OutputFormat) -> String {
        let content = self.render(format);
        match (&self.findings.metadata, format) {
            (Some(metadata), OutputFormat::Text | OutputFormat::Markdown) => metadata.front_matter() + &content,
            _ => content,
        }
    }

    fn render_json(&self, options: RenderOptions<'_>) -> String {
        let mut record = output::render_json(self.document(), &self.findings.detection, options);
        if let Some(hidden) = &self.findings.fallback {
            let mut value = String::new();
            let mut json = JsonWriter::new(&mut value);
            json.open('{');
            json.key("source").string(hidden.source.flag());
            json.key("text").string(&hidden.text);
            json.close('}');
            append_member(&mut record, "fallback", &value);
        }
        if let Some(metadata) = &self.findings.metadata {
            append_member(&mut record, "metadata", &metadata.to_json());
        }
        record
    }

    /// The source without the dropped nodes; what stays is exactly as it was. It is not safe to show.
    pub fn strip(&self) -> String {
        output::strip(self.document(), &self.findings.detection)
    }

    /// The decision about each part of the page and the reason for it, as a tree for people to read.
    pub fn explain(&self, options: ExplainOptions) -> String {
        output::render_explanation(self.document(), &self.findings.detection, options)
    }

    /// The text of the page's `<title>`.
    pub fn title(&self) -> Option<String> {
        output::title(self.document())
    }

    /// An estimate of how good the result is, as an F measure from 0 to 1; none where the detector gives no estimate.
    pub fn confidence(&self) -> Option<f32> {
        self.findings.detection.page.map(|page| page.confidence)
    }

    /// What kind of page it is, where that can be told.
    pub fn page_type(&self) -> Option<PageType> {
        self.findings.detection.page.and_then(|page| page.page_type)
    }

    /// Which of its site's templates the page has, where the site's pages were grouped by kind.
    pub fn template_fit(&self) -> Option<TemplateFit> {
        self.findings.detection.fit
    }

    /// Where the content comes from, if not from the visible text.
    pub fn fallback(&self) -> Option<FallbackSource> {
        self.findings.fallback.as_ref().map(|hidden| hidden.source)
    }

    /// What the page says about itself, if it was asked for.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.findings.metadata.as_ref()
    }

    /// How the bytes of the page were read.
    pub fn encoding(&self) -> PageEncoding {
        self.findings.encoding
    }

    /// What is out of the ordinary.
    pub fn flags(&self) -> Vec<Flag> {
        let Findings { detection, fallback, encoding, .. } = &self.findings;
        let mut flags = Vec::new();
        let mut add = |applies: bool, flag: Flag| flags.extend(applies.then_some(flag));
        add(detection.fit.is_some_and(|fit| fit.template.is_none()), Flag::NoTemplateFits);
        // What is used instead of the visible text is content, too.
        let is_so = |flag: &Flag| *flag != Flag::NoContent || fallback.is_none();
        detection.page.into_iter().flat_map(PageVerdict::flags).filter(is_so).for_each(|flag| add(true, flag));
        add(encoding.replaced, Flag::ReplacedBytes);
        flags.extend(self.document().limits_hit().iter().map(Flag::LimitHit));
        flags.extend(self.fallback().map(Flag::Fallback));
        flags
    }

    /// How many characters of text the page shows, and how many of them are dropped.
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

/// Adds a member to the end of an object that has one already.
fn append_member(object: &mut String, key: &str, value: &str) {
    object.truncate(object.trim_end().len().saturating_sub(1));
    object.push_str(&format!(",\"{key}\":{value}}}"));
}

#[cfg(test)]
mod tests {
    use crate::detector::Detector;
    use crate::extractor::Extractor;
    use crate::fallback_source::FallbackSource;
    use crate::options::Options;
    use crate::output::OutputFormat;

    fn extraction(source: &str, metadata: bool) -> super::Extraction<'static> {
        let options = Options::new().with_detector(Detector::None).with_metadata(metadata);
        Extractor::new(options).unwrap().extract_owned(source).unwrap()
    }

    #[test]
    fn nearly_empty_pages_are_filled_and_say_so() {
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
    fn metadata_only_where_asked_for() {
        let page = "<html lang=en><title>Nets</title><p>x";
        assert_eq!(extraction(page, false).render_file(OutputFormat::Markdown).trim(), "x");
        let with = extraction(page, true);
        let file = with.render_file(OutputFormat::Markdown);
        assert_eq!(file.trim_end(), "---\ntitle: \"Nets\"\nlanguage: \"en\"\n---\n\nx");
        let json: serde_json::Value = serde_json::from_str(&with.render(OutputFormat::Json)).unwrap();
        assert_eq!(json["metadata"]["title"], "Nets");
        assert_eq!(json["blocks"][0]["text"], "x");
    }

    #[test]
    fn urls_are_absolute_on_request() {
        let page = "<p><a href='../b'>b</a><img src=c.png>";
        let options = Options::new().with_detector(Detector::None).with_absolute_urls(true);
        let markdown = |options: Options, page: &str, url: Option<&str>| {
            let page = crate::Page::new(page).with_url(url);
            Extractor::new(options).unwrap().extract_owned(page).unwrap().render(OutputFormat::Markdown)
        };
        let url = Some("https://a.example/x/y/");
        let absolute = markdown(options, page, url);
        assert!(absolute.contains("(https://a.example/x/b)") && absolute.contains("(https://a.example/x/y/c.png)"));
        assert_eq!(markdown(options, page, None), markdown(Options::new().with_detector(Detector::None), page, url));
        let based = markdown(options, &format!("<base href='/z/'>{page}"), url);
        assert!(based.contains("(https://a.example/b)") && based.contains("(https://a.example/z/c.png)"));
    }
}
