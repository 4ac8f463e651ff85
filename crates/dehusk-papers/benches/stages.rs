//! The time of each stage on the pages of a made-up site: `cargo bench -p dehusk-papers`, or one stage by name: `cargo bench -p dehusk-papers -- parse`.

#[path = "../../dehusk/tests/support/made.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod made;

use dehusk::Focus;
use dehusk::detect::fusion::{FusionModel, FusionPage, detect_fusion};
use dehusk::dom::decode;
use dehusk::dom::tokens::{State, tokenize};
use dehusk::dom::{Document, Fingerprints, Parser, Stats};
use dehusk::fallback::fallback_from;
use dehusk::metadata::metadata;
use dehusk::render::{
    RenderOptions, render_explanation, render_html, render_json, render_markdown, render_text, strip,
};
use dehusk::site::SiteLevelSettings;
use dehusk::{Detection, Extractor, Limits, Options, ParsedPage, Scratch, SiteLearner, SiteTemplates, extract};
use dehusk_papers::block::{BlockModel, BlockSettings, detect_block};
use dehusk_papers::pagelevel::features::{DescribeOptions, describe};
use dehusk_papers::pagelevel::{PageLevelModel, PageLevelSettings, detect_page_level, score_page};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::sync::LazyLock;

fn main() {
    divan::main();
}

/// A site of three kinds of pages.
static PAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let recipe = made::Recipe {
        seed: 7,
        pages: [16, 10, 6],
        junk: 2,
        paragraphs: 25,
        shared_frame: true,
        volatile: true,
        bare: false,
    };
    made::made_site(&recipe).into_iter().map(|page| page.html).collect()
});
static DOCUMENTS: LazyLock<Vec<Document>> =
    LazyLock::new(|| PAGES.iter().map(|page| Parser::default().parse(page.as_str()).unwrap()).collect());
static COUNTED: LazyLock<Vec<(Stats, Fingerprints)>> =
    LazyLock::new(|| DOCUMENTS.iter().map(|document| (Stats::of(document), Fingerprints::of(document))).collect());

fn parsed() -> impl Iterator<Item = ParsedPage<'static>> {
    DOCUMENTS.iter().zip(COUNTED.iter()).map(|(document, (stats, prints))| ParsedPage::new(document, stats, prints))
}

/// Times a function on all pages; the figure is bytes of source per second.
fn on_pages<T>(bencher: Bencher<'_, '_>, each: impl Fn(&str) -> T + Sync) {
    let bytes: usize = PAGES.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        for page in PAGES.iter() {
            black_box(each(black_box(page)));
        }
    });
}

fn on_documents<T>(bencher: Bencher<'_, '_>, each: impl Fn(&ParsedPage<'static>) -> T + Sync) {
    let bytes: usize = PAGES.iter().map(String::len).sum();
    LazyLock::force(&COUNTED);
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        for page in parsed() {
            black_box(each(black_box(&page)));
        }
    });
}

mod reading {
    use super::*;

    #[divan::bench]
    fn decode_bytes(bencher: Bencher<'_, '_>) {
        on_pages(bencher, |page| decode(page.as_bytes(), None, &Limits::default()).unwrap().text.len());
    }

    #[divan::bench]
    fn tokens(bencher: Bencher<'_, '_>) {
        on_pages(bencher, |page| tokenize(page, State::Data, None));
    }

    #[divan::bench]
    fn parse(bencher: Bencher<'_, '_>) {
        on_pages(bencher, |page| Parser::default().parse(page).unwrap());
    }
}

mod describing {
    use super::*;

    #[divan::bench]
    fn stats(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| Stats::of(page.document));
    }

    #[divan::bench]
    fn fingerprints(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| Fingerprints::of(page.document));
    }

    #[divan::bench]
    fn layout_estimate(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| dehusk_papers::layout::estimate(page.document));
    }

    #[divan::bench]
    fn node_features(bencher: Bencher<'_, '_>) {
        let layouts: Vec<_> = DOCUMENTS.iter().map(dehusk_papers::layout::estimate).collect();
        bencher.bench(|| {
            for (document, layout) in DOCUMENTS.iter().zip(&layouts) {
                black_box(describe(document, layout, DescribeOptions { min_area: 2_000.0, host: None }));
            }
        });
    }

    #[divan::bench]
    fn fusion_features(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| {
            let mut fusion = FusionPage::default();
            fusion.prepare(page.document, &FusionModel::builtin().odds);
            fusion.len()
        });
    }

    #[divan::bench]
    fn page_metadata(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| metadata(page.document));
    }

    #[divan::bench]
    fn hidden(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| dehusk::FallbackSource::ALL.map(|source| fallback_from(page.document, source)));
    }
}

mod detecting {
    use super::*;

    #[divan::bench]
    fn fusion_scores(bencher: Bencher<'_, '_>) {
        let model = FusionModel::builtin();
        let mut pages: Vec<FusionPage> = Vec::new();
        for document in DOCUMENTS.iter() {
            let mut page = FusionPage::default();
            page.prepare(document, &model.odds);
            pages.push(page);
        }
        bencher.bench_local(|| pages.iter_mut().map(|page| model.score(page).blocks.len()).sum::<usize>());
    }

    #[divan::bench]
    fn fusion(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| {
            detect_fusion(page.document, FusionModel::builtin(), None, Focus::BALANCED, &mut FusionPage::default())
        });
    }

    #[divan::bench]
    fn block(bencher: Bencher<'_, '_>) {
        let model = BlockModel::builtin();
        on_documents(bencher, |page| {
            detect_block(page.document, page.stats(), page.fingerprints(), model, BlockSettings::default()).unwrap()
        });
    }

    #[divan::bench]
    fn pagelevel(bencher: Bencher<'_, '_>) {
        let (model, settings) = (PageLevelModel::builtin(), PageLevelSettings::default());
        on_documents(bencher, |page| {
            let scores = score_page(page.document, &dehusk_papers::layout::estimate(page.document), model, settings);
            detect_page_level(page.document, page.stats(), &scores, model, settings)
        });
    }

    #[divan::bench(args = ["sitelevel", "treemap", "align", "auto"])]
    fn site(bencher: Bencher<'_, '_>, method: &str) {
        let templates = learn(method);
        on_documents(bencher, |page| templates.detect(page, None, SiteLevelSettings::default()));
    }

    #[divan::bench]
    fn fusion_with_site(bencher: Bencher<'_, '_>) {
        let templates = learn("sitelevel");
        on_documents(bencher, |page| {
            let evidence = templates.detect(page, None, SiteLevelSettings::default());
            detect_fusion(
                page.document,
                FusionModel::builtin(),
                Some(&evidence),
                Focus::BALANCED,
                &mut FusionPage::default(),
            )
        });
    }
}

fn learn(method: &str) -> SiteTemplates {
    let mut learner = SiteLearner::new(dehusk_papers::methods().site_method(method).expect("a method").clone());
    for (number, page) in parsed().enumerate() {
        learner.observe(&number.to_string(), &page);
    }
    learner.finish(0)
}

mod learning {
    use super::*;

    #[divan::bench(args = ["sitelevel", "treemap", "align", "auto"], sample_count = 10)]
    fn site(method: &str) -> usize {
        learn(method).to_bytes().len()
    }
}

mod rendering {
    use super::*;

    fn all(page: &ParsedPage<'_>) -> Detection {
        Detection::keep_all(dehusk::detection::Detectors::NONE, page.document)
    }

    #[divan::bench]
    fn text(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| render_text(page.document, &all(page), RenderOptions::default()));
    }

    #[divan::bench]
    fn markdown(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| render_markdown(page.document, &all(page), RenderOptions::default()));
    }

    #[divan::bench]
    fn html(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| render_html(page.document, &all(page), RenderOptions::default()));
    }

    #[divan::bench]
    fn json(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| render_json(page.document, &all(page), RenderOptions::default()));
    }

    #[divan::bench]
    fn explanation(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| render_explanation(page.document, &all(page), Default::default()));
    }

    #[divan::bench]
    fn stripped(bencher: Bencher<'_, '_>) {
        on_documents(bencher, |page| strip(page.document, &all(page)));
    }
}

mod whole {
    use super::*;

    #[divan::bench]
    fn extract_once(bencher: Bencher<'_, '_>) {
        on_pages(bencher, |page| extract(page).unwrap());
    }

    #[divan::bench]
    fn extract_with_scratch(bencher: Bencher<'_, '_>) {
        let extractor = Extractor::new(Options::new()).unwrap();
        let bytes: usize = PAGES.iter().map(String::len).sum();
        let mut scratch = Scratch::default();
        bencher.counter(BytesCount::new(bytes)).bench_local(|| {
            for page in PAGES.iter() {
                black_box(extractor.extract(page, &mut scratch).unwrap().detection());
            }
        });
    }
}
