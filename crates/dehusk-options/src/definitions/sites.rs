//! Options that say what makes a site, how its template is learned, and where templates are.

use super::{EVERYWHERE, OWN_MACHINE, options};
use crate::definition::Command::{
    Apply, Clean, Corpus, Explain, Extract, Inspect, Label, Learn, Records, Segment, Strip,
};
use crate::definition::Topic::Sites as Topic;
use crate::definition::{Choice, Definition, Kind, Range, Surface};
use dehusk_io::crawl::SiteBy;
use dehusk_papers::segment::SegmentMethod;

options! {
    /// The template of the site of a page.
    TEMPLATE = Definition::new(
        Topic, "template", Kind::Path, &[Extract, Strip, Explain, Records, Inspect],
        "The template of the page's site, from `dehusk learn`. Without it, the page alone is looked at.",
    ).short('t').value("FILE");
    /// Other pages of the site of a page.
    PAGES = Definition::new(
        Topic, "pages", Kind::List(&Kind::Path), &[Extract, Strip, Explain, Records],
        "Other pages of the page's site, or folders of them, to learn from for this page; can be repeated.",
    ).value("PATH").conflicts_with("template");
    /// The store of templates of a crawl.
    TEMPLATES = Definition::new(
        Topic, "templates", Kind::Path, &[Clean],
        "Template store, kept from crawl to crawl: this run starts from what it contains and adds to it.",
    ).value("FILE").on(&[Surface::Python]);
    /// The store of templates that pages of a crawl are read with.
    KNOWN_TEMPLATES = Definition::new(
        Topic, "templates", Kind::Path, &[Records],
        "Template store from `dehusk clean --templates`: what it knows of the site of each page counts as evidence. Without it, each page \
         is looked at by itself.",
    ).value("FILE").conflicts_with("template");
    /// Whether templates stay as they are.
    NO_LEARN = Definition::new(
        Topic, "no_learn", Kind::Flag, &[Clean], "Use the templates of --templates as they are, and read the crawl only once.",
    ).opposite("learn").requires("templates").on(&[Surface::Python]);
    /// How a template is used.
    METHOD_USED = Definition::new(
        Topic, "method", Kind::Choice(methods), &[Extract, Strip, Explain, Records, Apply],
        "Find the template by this method; without it, by the one it was learned with.",
    ).value("METHOD").on(&[Surface::Service]);
    /// How a template is learned.
    METHOD = Definition::new(
        Topic, "method", Kind::Choice(methods), &[Learn, Clean, Inspect], "Method that finds what the pages of a site share.",
    ).value("METHOD").default("sitelevel").on(EVERYWHERE);
    /// How a page is split.
    SEGMENT_METHOD = Definition::new(Topic, "method", Kind::Choice(segment_methods), &[Segment], "How the page is split.")
        .value("NAME").default("best").on(&[Surface::Python]);
    /// What share of pages Align needs.
    ALIGN_SHARE = Definition::new(
        Topic, "align_share", Kind::Number(Range::Share), &[Learn, Clean, Inspect],
        "For align and auto: the share of the pages that must have a tag or text for it to be template [default: 0.2].",
    ).value("SHARE").on(EVERYWHERE);
    /// What makes a site.
    SITE_BY = Definition::new(
        Topic, "site_by", Kind::Choice(ways_to_make_a_site), &[Records, Clean, Inspect, Corpus, Label], "Which pages form one site.",
    ).value("WHAT").default("host").on(OWN_MACHINE);
    /// What chance depends on.
    SEED = Definition::new(
        Topic, "seed", Kind::Whole, &[Learn, Clean, Inspect, Label],
        "Seed for what is chosen at random, such as the sample of pages each site is learned from.",
    ).value("SEED").default("0").on(EVERYWHERE);
}

/// Site methods in the order of the help, with whether they are published variants, which are for comparisons and not for everyday use. A
/// test compares them with all that there are.
const METHODS: [(&str, &str, bool); 6] = [
    ("sitelevel", "Count on how many pages each part appears. Fast; reliable with many pages.", false),
    ("treemap", "The common tree of pages of one kind. Finds much from few pages.", false),
    (
        "align",
        "The common sequence of tags and texts of pages of one kind: what a fifth of them have (see --align-share). Makes the \
         fewest mistakes.",
        false,
    ),
    (
        "auto",
        "Whichever of these, or of their combinations, agrees best with held-out pages. The most expensive.",
        false,
    ),
    ("treemap-paper", "`treemap` exactly as published, to compare with: one template for all pages.", true),
    (
        "align-paper",
        "`align` exactly as published, to compare with: one template for all pages, of what half of them have.",
        true,
    ),
];

fn methods() -> Vec<Choice> {
    METHODS.map(|(name, help, is_hidden)| Choice { name, help, is_hidden }).into()
}

fn segment_methods() -> Vec<Choice> {
    let help = |method: SegmentMethod| match method {
        SegmentMethod::Best => "Cut the tree of the page by a model.",
        SegmentMethod::Gcuts => "Graph cuts: put texts and images together by how alike and how near they are.",
        SegmentMethod::Cclus => "Correlation clustering: the same by another search.",
        SegmentMethod::Sections => "The parts with equal scores of PageLevel.",
        _ => "",
    };
    SegmentMethod::ALL.map(|method| Choice { name: method.name(), help: help(method), is_hidden: false }).into()
}

fn ways_to_make_a_site() -> Vec<Choice> {
    let help = |site_by: SiteBy| match site_by {
        SiteBy::Host => "Pages of one host: blog.a.example.",
        SiteBy::Domain => "Pages of one registered domain: a.example.",
        SiteBy::Path => "Pages of one host and first path segment: a.example/blog.",
        _ => "",
    };
    SiteBy::ALL.map(|site_by| Choice { name: site_by.name(), help: help(site_by), is_hidden: false }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_site_method_can_be_chosen() {
        let known = dehusk_papers::methods();
        let known: Vec<&str> = known.site_methods().iter().map(|method| method.name()).collect();
        assert_eq!(methods().iter().map(|choice| choice.name).collect::<Vec<_>>(), known);
    }
}
