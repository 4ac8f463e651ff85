//! Every flag, defined once: help and completions derive from here.

use crate::commands::Failure;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use dehusk::features::block_list::BlockNames;
use dehusk::fusion::Focus;
use dehusk::{Limits, Method, OperatingPoint, Options, OutputFormat, output::RenderOptions};
use dehusk_io::ReadOptions;
use dehusk_io::crawl::GroupBy;
use std::path::PathBuf;

/// Removes the template around the content of web pages.
///
/// Pages of one site share a template: navigation, sidebars, footers. Dehusk learns it from a few pages of the
/// site and removes it, so that what is left is what each page has to say.
///
/// Clean a crawl:                  dehusk clean crawl.warc.gz -o pages.jsonl
/// Clean a folder of sites:        dehusk clean crawl/ -o cleaned/
/// Learn one site and use it:      dehusk learn site/*.html -o site.husk
///                                 dehusk extract --template site.husk site/about.html
/// A page of an unknown site:      dehusk extract page.html
/// See why something was removed:  dehusk explain --template site.husk site/about.html
/// Look at a learned template:     dehusk show-template site.husk -o template.html
/// See whether it still fits:      dehusk drift site.husk new/*.html
///
/// Results go to standard output or to -o, everything else to standard error. `-` is standard input.
#[derive(Parser, Debug)]
#[command(name = "dehusk", version, verbatim_doc_comment, max_term_width = 110)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Print the content of a page as text, Markdown, HTML or JSON.
    Extract(Extract),
    /// Print the original HTML of a page without its husk.
    Strip(Strip),
    /// Print what happens to each part of a page, and why.
    Explain(Explain),
    /// Learn the template of one site from its pages.
    Learn(Learn),
    /// Clean pages of one site with its template.
    Apply(Apply),
    /// Learn every site of a crawl and clean its pages.
    Clean(Clean),
    /// Say whether recent pages of a site still fit its templates.
    Drift(Drift),
    /// Draw the templates of a site as a page to look at.
    ShowTemplate(ShowTemplate),
    /// Print the features of a page's nodes as a table.
    Features(Features),
    /// Label the pages of a crawl without people: what its sites share is template.
    Label(Label),
    /// Train a model on a crawl, without labels by hand.
    #[command(subcommand)]
    Train(Train),
    /// Measure a model on the automatic labels of a crawl.
    Eval(Eval),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Print the content of a page as text, Markdown, HTML or JSON, or of all pages of a file or folder, each on its own.
///
/// IN is a page, or with -o anything `dehusk clean` takes: a folder, WARC, JSONL or Parquet. Pages are not compared with each
/// other here; `dehusk clean` does that.
#[derive(ClapArgs, Debug)]
pub(crate) struct Extract {
    /// A page, or - for standard input; with -o also folders, .warc, .jsonl and .parquet files.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) run: Run,
    /// Write here instead of to standard output: for one page a file; otherwise a .jsonl (also .gz, .zst) or .parquet file or a folder.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Go on with a run that was stopped.
    #[arg(long)]
    pub(crate) resume: bool,
}

/// Print the original HTML of a page without its husk.
///
/// What stays is exactly as it was: nothing is rewritten and nothing is made safe. For safe HTML use
/// `dehusk extract --format html`.
#[derive(ClapArgs, Debug)]
pub(crate) struct Strip {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    #[command(flatten)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Explain {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    #[command(flatten)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How deep into the tree to go.
    #[arg(long, default_value_t = 64)]
    pub(crate) depth: usize,
    /// Characters of a line.
    #[arg(long, default_value_t = 120)]
    pub(crate) width: usize,
}

/// Print the features of a page's nodes as a table: what models read, for people to study.
#[derive(ClapArgs, Debug)]
pub(crate) struct Features {
    /// The page: an HTML file, or - for standard input.
    pub(crate) page: PathBuf,
    /// One JSON object per node instead of comma-separated values.
    #[arg(long)]
    pub(crate) json: bool,
    /// Leave out nodes with a smaller area, in square pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 0.0)]
    pub(crate) least_area: f32,
    /// The address of the page, to tell its own links from others.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) layout: LayoutFrom,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Train {
    /// Train the detector Block.
    Block(TrainBlock),
    /// Train the detector PageLevel.
    Pagelevel(TrainPagelevel),
}

/// Train the detector PageLevel on a crawl of many sites.
///
/// What stands on many pages of a site is template there; a model learns what such parts look like. The same inputs and seed give
/// the same bytes.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainPagelevel {
    /// Folders, .warc, .jsonl and .parquet files with at least eight pages of each of many sites.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Pages of each site to use, about.
    #[arg(long, default_value_t = 20)]
    pub(crate) pages: u32,
    /// Chooses samples and folds.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Where the boxes of a page's nodes come from.
#[derive(ClapArgs, Debug)]
pub(crate) struct LayoutFrom {
    /// `estimate` from the page alone, `chromium` as found on the PATH, or a .json file of boxes (docs/layout.md).
    #[arg(long, value_name = "HOW", default_value = "estimate", help_heading = "Layout")]
    pub(crate) layout: PathBuf,
    /// Let Chromium run the scripts of the page.
    #[arg(long, help_heading = "Layout")]
    pub(crate) layout_scripts: bool,
    /// Let Chromium fetch what the page links to.
    #[arg(long, help_heading = "Layout")]
    pub(crate) layout_network: bool,
}

/// Learn the template of one site from its pages.
///
/// Give at least two pages, better twenty; folders are searched for .html and .htm files. Templates learned with
/// --partial can be given beside pages: learning a site in parts gives the same template as learning it at once.
///
/// Pages of different kinds (articles, lists, products) are told apart by their structure, and each kind gets a template of its
/// own. `dehusk show-template` draws them.
#[derive(ClapArgs, Debug)]
pub(crate) struct Learn {
    /// Pages, folders of pages, or partial templates (.husk).
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    /// The template file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The name of the site; without it, that of the folder of the first page.
    #[arg(long, value_name = "NAME")]
    pub(crate) site: Option<String>,
    /// Keep all counts and the pages learned from, so that the template can be merged with others.
    #[arg(long)]
    pub(crate) partial: bool,
    /// How to find what pages share.
    #[arg(long, value_enum, default_value_t = MethodName::Sitelevel, value_name = "METHOD")]
    pub(crate) method: MethodName,
    /// The order in which pages are looked at.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Apply {
    /// Pages or folders of pages of the site.
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    /// The template of their site, from `dehusk learn`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) template: PathBuf,
    /// The folder to write to; one page may also go to standard output.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) used: UsedMethod,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Learn every site of a crawl and clean its pages.
///
/// IN is a folder of pages or of archives, WARC (.warc, .gz, .zst), JSON lines (.jsonl, .gz, .zst) or Parquet. The crawl is read twice:
/// to learn each host from a sample of its pages, and to write a record for each page in the order of the input. Memory does not grow
/// with the crawl. A run that is stopped goes on with --resume and ends with the same bytes.
///
/// A record has: id, url, host, title, text (or markdown, html, page), kept_characters, dropped_characters, template_pages, template,
/// template_fit, encoding, flags, error, error_message, and the columns asked for with --carry. A page that cannot be read has a record with its error.
#[derive(ClapArgs, Debug)]
pub(crate) struct Clean {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// A .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet file; any other name is a folder with one file per page.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// A file that keeps templates from crawl to crawl: this run starts from what it knows and adds to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) templates: Option<PathBuf>,
    /// Use the templates of --templates as they are, and read the crawl once.
    #[arg(long, requires = "templates")]
    pub(crate) no_learn: bool,
    /// How to find what the pages of a site share.
    #[arg(long, value_enum, default_value_t = MethodName::Sitelevel, value_name = "METHOD")]
    pub(crate) method: MethodName,
    /// Which pages are one site.
    #[arg(long, value_enum, default_value_t = Group::Host, value_name = "WHAT")]
    pub(crate) group_by: Group,
    /// Go on with a run that was stopped.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Chooses the sample of pages each site is learned from.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) render: Render,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Say whether recent pages of a site still fit its templates.
///
/// For each template: how many of the pages have it and how well they fit it, beside the pages it was learned from. A template has
/// stopped fitting when none of the pages has it though five should; it is weaker when those that have it fit worse by 0.1.
/// Ends with exit code 1 when the site should be learned again.
#[derive(ClapArgs, Debug)]
pub(crate) struct Drift {
    /// The template of the site, from `dehusk learn`.
    pub(crate) template: PathBuf,
    /// Recent pages, or folders of pages.
    #[arg(required = true)]
    pub(crate) pages: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Draw the templates of a site as a page to look at.
///
/// What is template is shown as it is, the stronger the colour the more pages have it; slots show where pages have something of
/// their own. The page needs nothing else and runs no script.
#[derive(ClapArgs, Debug)]
pub(crate) struct ShowTemplate {
    /// A template file from `dehusk learn`, or with --templates the name of a site.
    #[arg(value_name = "SITE")]
    pub(crate) site: String,
    /// The template store of `dehusk clean --templates` to look in.
    #[arg(long, value_name = "FILE")]
    pub(crate) templates: Option<PathBuf>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A way to find what the pages of a site share.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodName {
    /// Count on how many pages each part stands. Fast, needs many pages to be sure.
    Sitelevel,
    /// The common tree of pages of one kind. Finds much from few pages.
    Treemap,
    /// The common sequence of tags and texts of pages of one kind. Drops least by mistake.
    Align,
    /// Whichever of these, or of their combinations, agrees best with pages it was not learned from. Costs most.
    Auto,
}

/// Which pages are one site.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Those of one host: blog.a.example.
    Host,
    /// Those of one registered domain: a.example.
    Domain,
    /// Those of one host and first folder: a.example/blog.
    Path,
}

/// Label the pages of a crawl without people.
///
/// Writes a JSON line for each page of a site with enough pages. For blocks: those whose text stands on a share of the site's pages
/// (template) and those that stand on one page only (content). For nodes: those that stand on a share of the pages as they are.
#[derive(ClapArgs, Debug)]
pub(crate) struct Label {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input.
    #[arg(required = true, value_name = "CRAWL")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The file to write; without it, standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What is labelled.
    #[arg(long, value_enum, default_value_t = Labelled::Blocks)]
    pub(crate) what: Labelled,
    #[command(flatten)]
    pub(crate) labelling: Labelling,
}

/// What is labelled.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labelled {
    /// Blocks, by their text.
    Blocks,
    /// Nodes, by all they hold.
    Nodes,
}

/// Train the detector Block on a crawl of many sites.
///
/// The same crawl and the same seed give the same bytes, at any number of threads. The card in the model says what it was trained
/// on and how well it does on sites left out of training.
#[derive(ClapArgs, Debug)]
pub(crate) struct TrainBlock {
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input: at least two sites, better a hundred.
    #[arg(required = true, value_name = "CRAWL")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The model file to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The classifier of the block detector.
    #[arg(long, value_enum, default_value_t = Classifier::Boosted)]
    pub(crate) classifier: Classifier,
    /// Folds of sites for cross-validation.
    #[arg(long, default_value_t = 10)]
    pub(crate) folds: usize,
    #[command(flatten)]
    pub(crate) labelling: Labelling,
}

/// The classifier of the block detector.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Classifier {
    /// Logistic regression on intervals.
    Maxent,
    /// A random forest.
    Forest,
    /// Boosted trees.
    Boosted,
}

/// Measure a model on the automatic labels of a crawl it was not trained on.
#[derive(ClapArgs, Debug)]
pub(crate) struct Eval {
    /// The model, from `dehusk train`; `builtin` is the one in this program.
    pub(crate) model: PathBuf,
    /// Folders, .warc, .jsonl and .parquet files, or - for standard input.
    #[arg(required = true, value_name = "CRAWL")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) labelling: Labelling,
}

/// How labels are made.
#[derive(ClapArgs, Debug)]
pub(crate) struct Labelling {
    /// The share of a site's pages a part must stand on to be template.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    pub(crate) threshold: f64,
    /// Leave out sites with fewer pages.
    #[arg(long, default_value_t = 8, value_name = "PAGES")]
    pub(crate) least_pages: u32,
    /// Take the blocks of HTML 4 only: no article, aside, footer, header, main, nav, p, section, figure, details, form.
    #[arg(long)]
    pub(crate) classic_blocks: bool,
    /// Which pages are one site.
    #[arg(long, value_enum, default_value_t = Group::Host, value_name = "WHAT")]
    pub(crate) group_by: Group,
    /// Chooses the sample of each site's pages, the folds and what trees are grown on.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Columns {
    /// The column or key of JSONL and Parquet with the address of a page.
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Columns")]
    pub(crate) url_column: String,
    /// The column or key with the page.
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Columns")]
    pub(crate) html_column: String,
    /// The column or key with the id of a page, kept in the record.
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Columns")]
    pub(crate) id_column: String,
    /// A column, key or WARC header field to copy to the record; give it again for more.
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    pub(crate) carry: Vec<String>,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Template {
    /// The template of the page's site, from `dehusk learn`. Without it the page is judged by itself.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// How the husk is found; without it by --template or --pages where given, else by `fusion`.
    #[arg(short, long, value_enum, value_name = "METHOD")]
    pub(crate) detector: Option<Detector>,
    /// Other pages of the page's site, or folders of them, to learn from for this page; give it again for more.
    #[arg(long, value_name = "PATH")]
    pub(crate) pages: Vec<PathBuf>,
    /// A model from `dehusk train`, instead of the one in this program.
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// For `block`: drop so much that this share of the dropped blocks is template, as measured on sites not seen; 0.9 unless set.
    #[arg(long, value_name = "SHARE", conflicts_with = "recall")]
    pub(crate) precision: Option<f32>,
    /// For `block`: drop so much that this share of the template blocks is dropped, as measured on sites not seen.
    #[arg(long, value_name = "SHARE")]
    pub(crate) recall: Option<f32>,
    /// For `fusion`: from 0 (rather too little than anything wrong) to 1 (rather too much than anything lost), or precision,
    /// balanced, recall.
    #[arg(long, value_name = "NUMBER", default_value = "balanced")]
    pub(crate) focus: String,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) used: UsedMethod,
    /// What a new section costs; more makes fewer and larger sections.
    #[arg(long, value_name = "NUMBER", help_heading = "Detector pagelevel")]
    pub(crate) penalty: Option<f32>,
    /// The address of the page, to tell its own links from others.
    #[arg(long, value_name = "URL", help_heading = "Detector pagelevel")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) layout: LayoutFrom,
}

/// How the husk of a page is found.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detector {
    /// What does not look like content: one model over the text of the page; works on pages of any site.
    Fusion,
    /// What stands on many pages of the site; needs --template or --pages.
    Sitelevel,
    /// What the trees of some pages of the site share; needs --template or --pages.
    Treemap,
    /// What some pages of the site have in the same order; needs --template or --pages.
    Align,
    /// The best of these three; needs --template or --pages.
    Auto,
    /// What looks like template by its place, size and links, smoothed over the page; works on pages of any site.
    Pagelevel,
    /// What looks like a template block; works on pages of any site.
    Block,
    /// Nothing is dropped.
    None,
}

#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct Judging {
    /// For sitelevel the share of a site's pages a part must stand on to be template, 0.1 unless set; for pagelevel the score from
    /// which on a part is template, as the model says unless set.
    #[arg(long, value_name = "SHARE")]
    pub(crate) threshold: Option<f64>,
}

impl Judging {
    /// The share of a site's pages a part must stand on.
    pub(crate) fn site_threshold(self) -> f64 {
        self.threshold.unwrap_or(0.1)
    }
}

#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct UsedMethod {
    /// Judge pages by this method; without it, by the one their template was learned with.
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) method: Option<MethodName>,
}

impl MethodName {
    pub(crate) fn method(self) -> Method {
        match self {
            MethodName::Sitelevel => Method::SiteLevel,
            MethodName::Treemap => Method::TreeMap,
            MethodName::Align => Method::Align,
            MethodName::Auto => Method::Auto,
        }
    }
}

/// A format of the result.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Plain text.
    Text,
    /// Markdown with tables, lists, code and links.
    Markdown,
    /// HTML of a small, safe set of elements.
    Html,
    /// A record with every block, its place in the source and the reason for its fate.
    Json,
}

#[derive(ClapArgs, Debug, Clone, Copy)]
pub(crate) struct Render {
    /// The format of the result.
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Write the words of links, but not their addresses.
    #[arg(long)]
    pub(crate) no_links: bool,
    /// Leave pictures out.
    #[arg(long)]
    pub(crate) no_images: bool,
    /// Write what the page hides, too.
    #[arg(long)]
    pub(crate) include_hidden: bool,
    /// Say what the page says about itself: title, author, date, language, site, description, address, kind. In records and JSON these
    /// are fields; text and Markdown of a page start with them between lines of ---; HTML has none.
    #[arg(long, alias = "with-metadata")]
    pub(crate) metadata: bool,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Reading {
    /// The HTTP header of that name, where it is known: its charset goes before what the page says.
    #[arg(long, value_name = "HEADER", help_heading = "Reading")]
    pub(crate) content_type: Option<String>,
    /// Read pages as a browser that runs scripts: do not look into `noscript` elements.
    #[arg(long, help_heading = "Reading")]
    pub(crate) scripting: bool,
    /// Refuse pages of more bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes, help_heading = "Reading")]
    pub(crate) max_bytes: usize,
    /// Stop reading a page after so many nodes.
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes, help_heading = "Reading")]
    pub(crate) max_nodes: usize,
    /// Flatten what is nested deeper.
    #[arg(long, value_name = "ELEMENTS", default_value_t = Limits::default().depth, help_heading = "Reading")]
    pub(crate) max_depth: usize,
}

#[derive(ClapArgs, Debug)]
pub(crate) struct Run {
    /// Threads to use; 0 is one for each core. The result does not depend on it.
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    pub(crate) threads: usize,
    /// End with exit code 1 when a page could not be read.
    #[arg(long, help_heading = "Run")]
    pub(crate) strict: bool,
    /// Show progress even when standard error is no terminal.
    #[arg(long, help_heading = "Run")]
    pub(crate) progress: bool,
    /// Write what happened to this file: JSON, or for `clean` a page to look at where the name ends in .html.
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub(crate) report: Option<PathBuf>,
}

impl Template {
    /// The detector asked for, or the one that what is given is for.
    pub(crate) fn detector(&self) -> Detector {
        let known = self.template.is_some() || !self.pages.is_empty();
        match (self.detector, self.used.method) {
            (Some(detector), _) => detector,
            (None, Some(MethodName::Treemap)) => Detector::Treemap,
            (None, Some(MethodName::Align)) => Detector::Align,
            (None, Some(MethodName::Auto)) => Detector::Auto,
            (None, Some(MethodName::Sitelevel)) => Detector::Sitelevel,
            (None, None) => {
                if known {
                    Detector::Sitelevel
                } else {
                    Detector::Fusion
                }
            }
        }
    }

    /// The method of the detector, if it compares pages of a site.
    pub(crate) fn method(&self) -> Option<Method> {
        match self.detector() {
            Detector::Sitelevel => Some(Method::SiteLevel),
            Detector::Treemap => Some(Method::TreeMap),
            Detector::Align => Some(Method::Align),
            Detector::Auto => Some(Method::Auto),
            Detector::Fusion | Detector::Pagelevel | Detector::Block | Detector::None => None,
        }
    }

    /// The method a template is to be used by, if one was named; else it is the one the template was learned with.
    pub(crate) fn method_asked(&self) -> Option<Method> {
        (self.used.method.is_some() || self.detector.is_some()).then(|| self.method()).flatten()
    }

    /// The focus of `fusion`.
    pub(crate) fn focus(&self) -> Result<Focus, Failure> {
        let number = match self.focus.as_str() {
            "precision" => return Ok(Focus::PRECISION),
            "balanced" => return Ok(Focus::BALANCED),
            "recall" => return Ok(Focus::RECALL),
            number => number.parse().ok(),
        };
        let focus = number.and_then(|number| Focus::new(number).ok());
        focus.ok_or_else(|| {
            Failure::new(format!("--focus {}: name precision, balanced, recall or a number from 0 to 1", self.focus))
        })
    }

    pub(crate) fn point(&self) -> OperatingPoint {
        match (self.precision, self.recall) {
            (Some(share), _) => OperatingPoint::Precision(share),
            (None, Some(share)) => OperatingPoint::Recall(share),
            (None, None) => OperatingPoint::default(),
        }
    }
}

impl Labelling {
    pub(crate) fn names(&self) -> BlockNames {
        if self.classic_blocks { BlockNames::Classic } else { BlockNames::Html5 }
    }
}

impl Reading {
    pub(crate) fn options(&self) -> Options {
        let limits =
            Limits { bytes: self.max_bytes, nodes: self.max_nodes, depth: self.max_depth, ..Limits::default() };
        Options::new().with_limits(limits).with_scripting(self.scripting)
    }
}

impl Columns {
    pub(crate) fn options(&self, reading: &Reading) -> ReadOptions {
        ReadOptions::default()
            .with_url_column(&self.url_column)
            .with_html_column(&self.html_column)
            .with_id_column(&self.id_column)
            .with_carry(self.carry.clone())
            .with_max_bytes(reading.max_bytes as u64)
    }
}

impl Group {
    pub(crate) fn group_by(self) -> GroupBy {
        match self {
            Group::Host => GroupBy::Host,
            Group::Domain => GroupBy::Domain,
            Group::Path => GroupBy::Path,
        }
    }
}

impl Render {
    pub(crate) fn options(self) -> RenderOptions {
        RenderOptions::default()
            .with_links(!self.no_links)
            .with_images(!self.no_images)
            .with_hidden(self.include_hidden)
    }
}

impl Format {
    pub(crate) fn output_format(self) -> OutputFormat {
        match self {
            Format::Text => OutputFormat::Text,
            Format::Markdown => OutputFormat::Markdown,
            Format::Html => OutputFormat::Html,
            Format::Json => OutputFormat::Json,
        }
    }

    /// The ending of files in this format.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Text => "txt",
            Format::Markdown => "md",
            Format::Html => "html",
            Format::Json => "json",
        }
    }
}
