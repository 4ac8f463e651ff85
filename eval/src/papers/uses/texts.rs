//! The texts of `graft` and `dup` by every way of removing the template.

use crate::Stop;
use crate::papers::held_out::Method;
use crate::quality::known_content::outputs::{Pages, Way};
use crate::shared::corpus::{Data, read_records};
use crate::shared::methods::extractor;
use crate::shared::site_pages::Page;
use crate::shared::site_pages::name_of;
use dehusk::dom::Parser;
use dehusk::{Options, OutputFormat, PageSegmenter, Scratch, SegmentedPage};
use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A page whose text is known.
pub(super) struct KnownPage {
    /// The text it shows; pages of other sites show the same.
    pub(super) doc: String,
    pub(super) site: String,
    /// The category of the text.
    pub(super) class: String,
    pub(super) title: String,
    html: String,
    content: String,
    page: Page,
}

/// A way to get the text of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cleaning {
    /// The text that was put into the page.
    Exact,
    FullText,
    Site(Method),
    /// A site-level method with as many pages as given.
    SiteOf(Method, usize),
    Page(&'static str),
    Largest(SegmentMethod),
    /// The segment that `best` takes for the main one.
    Main,
    Extract,
    Clean,
}

impl Cleaning {
    /// All ways, in the order of tables.
    pub(super) const ALL: [Cleaning; 16] = [
        Cleaning::Exact,
        Cleaning::FullText,
        Cleaning::Site(Method::SiteLevel),
        Cleaning::Site(Method::TreeMapPaper),
        Cleaning::Site(Method::TreeMap),
        Cleaning::Site(Method::AlignPaper),
        Cleaning::Site(Method::Align),
        Cleaning::Site(Method::AlignFifth),
        Cleaning::Page("pagelevel-basic"),
        Cleaning::Page("pagelevel"),
        Cleaning::Page("block"),
        Cleaning::Largest(SegmentMethod::Gcuts),
        Cleaning::Largest(SegmentMethod::Cclus),
        Cleaning::Main,
        Cleaning::Extract,
        Cleaning::Clean,
    ];

    pub(super) fn name(self) -> String {
        match self {
            Cleaning::Exact => "exact content".into(),
            Cleaning::FullText => "full text".into(),
            Cleaning::Site(method) => method.name().into(),
            Cleaning::SiteOf(method, pages) => format!("{}, {pages} pages", method.name()),
            Cleaning::Page("pagelevel-basic") => "PageLevel Basic".into(),
            Cleaning::Page("pagelevel") => "PageLevel Smooth".into(),
            Cleaning::Page(_) => "Block".into(),
            Cleaning::Largest(SegmentMethod::Gcuts) => "GCUTS, largest segment".into(),
            Cleaning::Largest(_) => "CCLUS, largest segment".into(),
            Cleaning::Main => "`segment`, main segment".into(),
            Cleaning::Extract => "`extract`".into(),
            Cleaning::Clean => "`clean`".into(),
        }
    }
}

/// The pages of a corpus.
pub(super) struct KnownCorpus {
    pub(super) name: &'static str,
    pub(super) pages: Vec<KnownPage>,
    files: Vec<PathBuf>,
}

impl KnownCorpus {
    pub(super) fn read(data: &Data, name: &'static str) -> Result<KnownCorpus, Stop> {
        let files = data.list(name, ".jsonl.zst")?;
        let mut pages = Vec::new();
        let mut parser = Parser::default();
        for file in &files {
            let mut records = Vec::new();
            read_records(file, |record| records.push(record))?;
            for record in records {
                let text = |key: &str| record[key].as_str().unwrap_or_default().to_string();
                let class = if record["group"].is_string() { text("group") } else { text("category") };
                let html = text("html");
                let page = Page::read(&mut parser, &html)?;
                let (doc, title, content) = (text("doc"), text("title"), text("content"));
                pages.push(KnownPage { doc, site: name_of(file), class, title, html, content, page });
            }
        }
        Ok(KnownCorpus { name, pages, files })
    }

    /// The text of each page, without lines that are its title: some ways keep the title and some do not, and it counts neither way.
    pub(super) fn texts(&self, cleaning: Cleaning) -> Result<Vec<String>, Stop> {
        let mut texts = self.with_titles(cleaning)?;
        for (text, page) in texts.iter_mut().zip(&self.pages) {
            let title = page.title.trim();
            let lines: Vec<&str> = text.lines().filter(|line| line.trim() != title).collect();
            *text = lines.join("\n");
        }
        Ok(texts)
    }

    /// The text of each page as it comes.
    pub(super) fn with_titles(&self, cleaning: Cleaning) -> Result<Vec<String>, Stop> {
        let pages = || self.pages.par_iter();
        match cleaning {
            Cleaning::Exact => Ok(pages().map(|page| page.content.clone()).collect()),
            Cleaning::FullText => self.by_detector("none"),
            Cleaning::Page(detector) => self.by_detector(detector),
            Cleaning::Site(method) => self.by_site(method, None),
            Cleaning::SiteOf(method, count) => self.by_site(method, Some(count)),
            Cleaning::Largest(method) => Ok(self.by_segment(method, |found| found.segmentation.largest())),
            Cleaning::Main => Ok(self.by_segment(SegmentMethod::Best, |found| found.segmentation.main())),
            Cleaning::Extract => self.by_program(Way::Extract),
            Cleaning::Clean => self.by_program(Way::Clean),
        }
    }

    fn by_segment(
        &self,
        method: SegmentMethod,
        choose: impl Fn(&SegmentedPage) -> Option<usize> + Sync,
    ) -> Vec<String> {
        let segmenter = PageSegmenter::new(Arc::new(ModelSegmenter::new(method)));
        let text = |page: &KnownPage| {
            let found = segmenter.segment(dehusk::Page::new(&page.html)).ok()?;
            choose(&found).map(|segment| found.text(segment))
        };
        self.pages.par_iter().map(|page| text(page).unwrap_or_default()).collect()
    }

    fn by_detector(&self, detector: &str) -> Result<Vec<String>, Stop> {
        let extractor = extractor(detector, Options::new())?;
        let text = |scratch: &mut Scratch, page: &KnownPage| {
            extractor.extract(dehusk::Page::new(&page.html), scratch).map_or(String::new(), |found| found.text())
        };
        Ok(self.pages.par_iter().map_init(Scratch::default, text).collect())
    }

    /// A method learns each site from its pages, `most` of them if given.
    fn by_site(&self, method: Method, most: Option<usize>) -> Result<Vec<String>, Stop> {
        let sites: Vec<&[KnownPage]> = self.pages.chunk_by(|one, two| one.site == two.site).collect();
        let of_site = |pages: &&[KnownPage]| -> Result<Vec<String>, Stop> {
            let known = pages.iter().map(|known| (format!("{}/{}", known.site, known.doc), &known.page));
            let learned = method.learn(known, most)?;
            Ok(pages.iter().map(|known| learned.kept_text(&known.page)).collect())
        };
        let texts: Vec<Vec<String>> = sites.par_iter().map(of_site).collect::<Result<_, Stop>>()?;
        Ok(texts.into_iter().flatten().collect())
    }

    /// By the program's own job.
    fn by_program(&self, way: Way) -> Result<Vec<String>, Stop> {
        let pages = Pages::read(self.files.clone())?;
        let work = std::env::temp_dir().join(format!("dehusk-papers-{}", std::process::id()));
        std::fs::create_dir_all(&work)?;
        let texts = pages.run(way, OutputFormat::Text, Options::new(), &work);
        std::fs::remove_dir_all(&work)?;
        texts
    }
}
