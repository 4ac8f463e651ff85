//! Several templates per site, on synthetic sites: every page gets its own template and junk gets none; values that
//! change per request do not matter; files, merging and drift.

#[path = "../../dehusk/tests/support/made.rs"]
mod made;

use dehusk::details::TemplateFit;
use dehusk::site::{DriftCounter, Verdict};
use dehusk::site::{SiteLevelLearner, SiteLevelSettings, page_evidence};
use dehusk::site::{TemplateLearner, TemplateMethod};
use dehusk::{ErrorKind, Extractor, Options, Page, Scratch, SiteLearner, SiteMethod, SiteTemplates, render};
use dehusk_papers::align::Align;
use dehusk_papers::treemap::TreeMap;
use dehusk_papers::{methods, methods_with_align_share};
use made::{MadePage, Random, Recipe, made_site};
use std::collections::BTreeMap;

/// All site methods: those of the everyday help, and the variants of the papers.
const ALL: [&str; 6] = ["sitelevel", "treemap", "align", "auto", "treemap-paper", "align-paper"];

fn named(method: &str) -> SiteMethod {
    methods().site_method(method).unwrap().clone()
}

fn read(bytes: &[u8]) -> Result<SiteTemplates, dehusk::Error> {
    SiteTemplates::from_bytes(bytes, methods().site_methods())
}

fn observe<'a>(learner: &mut SiteLearner, pages: impl IntoIterator<Item = &'a MadePage>) {
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    for page in pages {
        learner.observe(&page.url, &extractor.parse(&page.html, &mut scratch).unwrap());
    }
}

fn learn<'a>(method: &str, pages: impl IntoIterator<Item = &'a MadePage>) -> SiteTemplates {
    let mut learner = SiteLearner::new(named(method));
    observe(&mut learner, pages);
    learner.finish(0).with_site("made.example").with_learned("2026-11-15")
}

fn fit(site: &SiteTemplates, page: &MadePage) -> TemplateFit {
    site.fit_source(&page.html).unwrap()
}

fn clean(site: &SiteTemplates, page: &MadePage) -> String {
    let extractor = Extractor::new(Options::new())
        .unwrap()
        .with_shared_detector(methods().detector("auto").unwrap().clone())
        .unwrap();
    let found = extractor.extract_owned(Page::new(&page.html).with_site(site)).unwrap();
    render::render_text(found.document(), found.detection(), Default::default())
}

/// Sites of different sizes, lengths and similarity, with and without values that change per request; a tenth of each
/// is junk.
fn recipes() -> Vec<Recipe> {
    let mut random = Random(77);
    let mut recipes = Vec::new();
    for number in 0..24 {
        let pages = [8 + random.below(20), 6 + random.below(14), 5 + random.below(12)];
        recipes.push(Recipe {
            seed: random.next(),
            pages,
            junk: pages.iter().sum::<usize>().div_ceil(9),
            paragraphs: [2, 6, 25][number % 3],
            shared_frame: number.is_multiple_of(2),
            volatile: number % 4 >= 2,
            bare: number % 8 >= 6,
        });
    }
    recipes
}

#[test]
fn every_page_gets_its_template_and_junk_gets_none() {
    for recipe in recipes() {
        let pages = made_site(&recipe);
        let site = learn("treemap", &pages);
        assert_eq!(site.templates().len(), 3, "{recipe:?}");
        let mut number_of: BTreeMap<usize, u32> = BTreeMap::new();
        for page in &pages {
            let TemplateFit { template, fit } = fit(&site, page);
            match page.template {
                None => assert_eq!(template, None, "junk fits {fit}: {recipe:?}\n{}", page.html),
                Some(wanted) => {
                    let found = template.unwrap_or_else(|| panic!("{} fits nothing, {fit}: {recipe:?}", page.url));
                    assert_eq!(*number_of.entry(wanted).or_insert(found), found, "{}: {recipe:?}", page.url);
                }
            }
        }
        let mut numbers: Vec<u32> = number_of.into_values().collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2], "{recipe:?}");
    }
}

#[test]
fn held_out_pages_get_their_template_too() {
    for recipe in recipes() {
        let more = Recipe { pages: recipe.pages.map(|pages| 2 * pages), junk: 2 * recipe.junk, ..recipe };
        let pages = made_site(&more);
        let site = learn("treemap", pages.iter().step_by(2));
        let learned: Vec<(Option<usize>, Option<u32>)> =
            pages.iter().step_by(2).map(|page| (page.template, fit(&site, page).template)).collect();
        for page in pages.iter().skip(1).step_by(2) {
            let found = fit(&site, page);
            assert!(learned.contains(&(page.template, found.template)), "{}: {found:?}, {recipe:?}", page.url);
        }
    }
}

#[test]
fn values_that_change_per_request_do_not_break_a_template() {
    for method in &ALL[..4] {
        let (mut husks, mut left) = (0, Vec::new());
        for seed in 0..6 {
            let recipe = Recipe {
                seed,
                pages: [16, 12, 10],
                junk: 0,
                paragraphs: 6,
                shared_frame: seed.is_multiple_of(2),
                volatile: true,
                bare: false,
            };
            let pages = made_site(&recipe);
            let site = learn(method, &pages);
            for page in &pages {
                let text = clean(&site, page);
                // The title is in the head only.
                for content in &page.content[1..] {
                    assert!(text.contains(content), "{} lost {content:?} by {}", page.url, method);
                }
                for husk in &page.husk {
                    husks += 1;
                    if text.contains(husk) {
                        left.push(format!("{seed} {}: {husk}", page.url));
                    }
                }
            }
        }
        assert!(
            left.len() * 50 <= husks,
            "{}: {} of {husks} are left: {:#?}",
            method,
            left.len(),
            left.iter().take(9).collect::<Vec<_>>()
        );
    }
}

#[test]
fn halves_merge_to_the_whole_through_files() {
    let pages = made_site(&recipes()[2]);
    for method in ALL {
        let whole = learn(method, &pages).to_bytes();
        let half = |odd: usize| {
            let mut learner = SiteLearner::new(named(method));
            observe(&mut learner, pages.iter().skip(odd).step_by(2));
            learner.finish_complete(0).to_bytes()
        };
        let (one, two) = (half(0), half(1));
        for (first, second) in [(&one, &two), (&two, &one)] {
            let read = |bytes: &[u8]| SiteLearner::from_templates(self::read(bytes).unwrap()).unwrap();
            let mut merged = read(first);
            merged.merge(read(second));
            let merged = merged.finish(0).with_site("made.example").with_learned("2026-11-15").to_bytes();
            assert!(merged == whole, "{}", method);
        }
        let mut backwards = SiteLearner::new(named(method));
        observe(&mut backwards, pages.iter().rev());
        let backwards = backwards.finish(0).with_site("made.example").with_learned("2026-11-15").to_bytes();
        assert!(backwards == whole, "{}", method);
    }
}

#[test]
fn templates_read_from_a_file_give_the_same_detections() {
    let pages = made_site(&recipes()[4]);
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    for method in ALL {
        let site = learn(method, &pages);
        let bytes = site.to_bytes();
        let read = self::read(&bytes).unwrap();
        assert!(read.to_bytes() == bytes);
        assert!(bytes.starts_with(b"dehusk-template 3\n"));
        assert_eq!(
            (read.method(), read.combination(), read.sampled_pages(), read.pages_of_no_kind()),
            (site.method(), site.combination(), site.sampled_pages(), site.pages_of_no_kind())
        );
        for page in &pages {
            let parsed = extractor.parse(&page.html, &mut scratch).unwrap();
            let (one, two) = (
                site.detect(&parsed, None, SiteLevelSettings::default()),
                read.detect(&parsed, None, SiteLevelSettings::default()),
            );
            assert_eq!(one, two, "{}", page.url);
        }
        let learned: Vec<_> = site.templates().iter().map(|kind| kind.skeleton()).collect();
        let again: Vec<_> = read.templates().iter().map(|kind| kind.skeleton()).collect();
        assert_eq!(learned, again);
    }
}

#[test]
fn as_in_the_papers_all_pages_have_one_template() {
    let pages = made_site(&recipes()[4]);
    for (ours, paper) in [("treemap", "treemap-paper"), ("align", "align-paper")] {
        let (site, site_paper) = (learn(ours, &pages), learn(paper, &pages));
        assert_eq!((site.templates().len(), site_paper.templates().len()), (3, 1));
        assert!(pages.iter().all(|page| fit(&site_paper, page).template == Some(0)));
        assert!(pages.iter().any(|page| clean(&site, page) != clean(&site_paper, page)));
        assert!(site_paper.check_method(&named(paper)).is_ok());
        let message = site.check_method(&named(paper)).unwrap_err().to_string();
        assert!(message.contains(&format!("learn it again with {paper}")), "{message}");
    }
}

#[test]
fn the_share_of_align_is_a_setting() {
    let pages = made_site(&recipes()[4]);
    let with = |method: &str, share: Option<f64>| {
        let methods = methods_with_align_share(share).unwrap();
        let mut learner = SiteLearner::new(methods.site_method(method).unwrap().clone());
        observe(&mut learner, &pages);
        learner.finish(0).to_bytes()
    };
    assert!(with("align", None) == with("align", Some(0.2)));
    assert!(with("align", None) != with("align", Some(0.5)));
    assert!(with("align-paper", None) == with("align-paper", Some(0.5)));
    assert!(with("align-paper", None) != with("align-paper", Some(0.2)));
    for share in [0.0, 1.1, f64::NAN] {
        assert!(methods_with_align_share(Some(share)).is_err());
    }
}

#[test]
fn damage_is_named() {
    let pages = made_site(&Recipe { pages: [4, 0, 0], junk: 0, paragraphs: 1, ..recipes()[0] });
    let bytes = learn("auto", &pages).to_bytes();
    let mut random = Random(5);
    for _ in 0..400 {
        let cut = random.below(bytes.len() - 1);
        assert!(read(&bytes[..cut]).is_err(), "cut at {cut}");
        let mut damaged = bytes.clone();
        let at = random.below(bytes.len() - 1);
        damaged[at] ^= 1;
        assert!(read(&damaged).is_err(), "flipped at {at}");
    }
    let newer = String::from_utf8(bytes).unwrap().replacen("template 3", "template 9", 1);
    let error = read(newer.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incompatible);
    assert!(error.to_string().contains("version 9"));
}

#[test]
fn files_of_version_1_are_read() {
    let bytes = include_bytes!("formats/harbour-notes-v1.husk");
    let site = read(bytes).unwrap();
    assert_eq!((site.site(), site.pages(), site.templates().len()), ("harbour-notes.example", 14, 0));
    assert_eq!(site.to_bytes(), bytes);
    assert_eq!(site.method().name(), "sitelevel");
    assert!(site.check_method(&named("treemap")).unwrap_err().to_string().contains("learn it again with treemap"));
    let page = include_bytes!("../../../examples/sites/harbour-notes.example/about.html");
    let extractor = Extractor::new(Options::new()).unwrap();
    let found = extractor.extract_owned(Page::new(page).with_site(&site)).unwrap();
    assert!(found.dropped_share() > 0.2 && found.template_fit().is_none());
}

#[test]
fn files_of_version_2_are_read() {
    let files: [(&str, &[u8]); 2] = [
        ("auto", include_bytes!("formats/harbour-notes-v2-auto.husk")),
        ("treemap-paper", include_bytes!("formats/harbour-notes-v2-treemap-paper.husk")),
    ];
    let page = include_bytes!("../../../examples/sites/harbour-notes.example/about.html");
    for (method, bytes) in files {
        let site = read(bytes).unwrap();
        assert_eq!((site.site(), site.pages(), site.method().name()), ("harbour-notes.example", 14, method));
        // What was read is written in the new version, and that reads back to the same.
        let again = site.to_bytes();
        assert!(again.starts_with(b"dehusk-template 3\n") && read(&again).unwrap() == site);
        let detector = methods().detector(method).unwrap().clone();
        let extractor = Extractor::new(Options::new()).unwrap().with_shared_detector(detector).unwrap();
        let found = extractor.extract_owned(Page::new(page).with_site(&site)).unwrap();
        assert!(found.dropped_share() > 0.2, "{method}");
    }
    let unknown = SiteTemplates::from_bytes(files[0].1, dehusk::Methods::default().site_methods()).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Incompatible);
    assert!(unknown.to_string().contains("method auto"), "{unknown}");
}

#[test]
fn counts_alone_still_write_version_1() {
    let pages = made_site(&recipes()[1]);
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let mut counts = SiteLevelLearner::new();
    for page in &pages {
        counts.observe(&page_evidence(&extractor.parse(&page.html, &mut scratch).unwrap()));
    }
    let counts = counts.finish();
    assert_eq!(SiteTemplates::from(counts.clone()).to_bytes(), counts.to_bytes());
}

#[test]
fn drift_is_noticed() {
    let recipe = Recipe { volatile: true, shared_frame: false, pages: [20, 16, 12], ..recipes()[0] };
    let more = Recipe { pages: recipe.pages.map(|pages| 2 * pages), junk: 0, ..recipe };
    let pages = made_site(&more);
    let site = learn("sitelevel", pages.iter().step_by(2));
    let count = |pages: &mut dyn Iterator<Item = &MadePage>| {
        let mut counter = DriftCounter::default();
        pages.for_each(|page| counter.observe(fit(&site, page)));
        counter
    };
    let later = || pages.iter().skip(1).step_by(2);
    let same = count(&mut later()).finish(&site);
    assert!(!same.has_drifted() && same.findings().is_empty(), "{:?}", same.findings());
    // One of three templates is gone.
    let gone = count(&mut later().filter(|page| page.template != Some(1))).finish(&site);
    let stopped = gone.templates.iter().filter(|template| template.verdict == Verdict::Stopped).count();
    assert_eq!((stopped, gone.has_drifted()), (1, true));
    // A new design: nothing fits.
    let other = made_site(&Recipe { seed: 4711, ..more });
    let new = count(&mut other.iter()).finish(&site);
    assert_eq!((new.unfit, new.pages), (other.len() as u32, other.len() as u32));
    assert!(new.templates.iter().all(|template| template.verdict == Verdict::Stopped));
    assert!(new.findings().iter().any(|finding| finding.contains("fit no template")));
    // Too few pages to decide.
    let few = count(&mut later().take(2)).finish(&site);
    assert!(few.templates.iter().all(|template| template.verdict != Verdict::Stopped));
    // Counts add up.
    let mut halves = count(&mut later().take(9));
    halves.merge(count(&mut later().skip(9)));
    assert_eq!(halves, count(&mut later()));
}

#[test]
fn a_preview_shows_the_template_and_no_content() {
    let pages = made_site(&recipes()[2]);
    let site = learn("treemap", &pages);
    let preview = dehusk::site::render_templates(&site);
    assert_eq!(preview.matches("<section id=s").count(), 3);
    assert_eq!(preview.matches("<div").count(), preview.matches("</div>").count());
    assert!(!preview.contains("<script"));
    let of = |number: usize| pages.iter().find(|page| page.template == Some(number)).unwrap();
    for number in 0..3 {
        let shown = of(number).husk.iter().filter(|husk| preview.contains(husk.as_str())).count();
        assert!(shown * 10 >= of(number).husk.len() * 9, "{shown} of {}", of(number).husk.len());
        assert!(of(number).content.iter().all(|content| !preview.contains(content.as_str())));
    }
}

#[test]
fn learners_merge_through_the_trait_and_those_of_different_methods_do_not() {
    let pages = made_site(&recipes()[2]);
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    let methods: [Box<dyn TemplateMethod>; 2] = [Box::new(TreeMap::default()), Box::new(Align::default())];
    let mut learn = |method: &dyn TemplateMethod, first: usize, step: usize| {
        let mut learner = method.learner();
        for page in pages.iter().skip(first).step_by(step) {
            learner.observe(&page.url, &extractor.parse(&page.html, &mut scratch).unwrap());
        }
        learner
    };
    let lines = |learner: Box<dyn TemplateLearner>| {
        let mut out = String::new();
        learner.finish(0).append_lines(&mut out);
        out
    };
    for method in &methods {
        let whole = lines(learn(&**method, 0, 1));
        let mut half = learn(&**method, 0, 2);
        half.merge(learn(&**method, 1, 2)).unwrap();
        assert!(lines(half) == whole, "{}", method.name());
        assert!(lines(learn(&**method, 0, 2)) != whole, "{}: half of the pages give another template", method.name());
    }
    let mut one = learn(&*methods[0], 0, 2);
    let error = one.merge(learn(&*methods[1], 1, 2)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incompatible);
}
