//! The block detector with the built-in model, on pages of sites that are in no corpus.

use dehusk::render::{RenderOptions, render_explanation, render_text};
use dehusk::{Detection, ErrorKind, Extractor, Options, ParsedPage, Scratch};
use dehusk_papers::block::{Block, BlockModel, BlockSettings, OperatingPoint, detect_block, score_blocks};

const PAGE: &str = "<!doctype html><html><head><title>The ferry is late - Harbour notes</title></head><body>
<header><nav class=menu><ul><li><a href=/>Home</a></li><li><a href=/news>News</a></li><li><a href=/boats>Boats</a></li>
<li><a href=/tides>Tides</a></li><li><a href=/about>About us</a></li><li><a href=/contact>Contact</a></li></ul></nav></header>
<main><article><h1>The ferry is late</h1>
<p>On Monday the ferry left the island two hours after it should have, because the captain had overslept and nobody on board
dared to wake him. The passengers, most of whom had been waiting since six in the morning, took it with good humour.</p>
<p>When the boat came in at last, the baker stood at the pier with warm rolls for everyone. He said that he had baked them for
the hotel, but that the hotel could wait, since its guests had not arrived either.</p>
<p>The company has promised that it will not happen again, at least not this week, and that the captain has bought a second
alarm clock. The islanders have heard such promises before, and they still take the early boat.</p></article></main>
<footer><div class=footer-links><a href=/privacy>Privacy policy</a> | <a href=/terms>Terms of use</a> | <a href=/imprint>Imprint</a>
| <a href=/rss>Subscribe to our newsletter</a></div><p class=copyright>Copyright © 2024 Harbour notes. All rights reserved.</p>
</footer></body></html>";

fn with_page<T>(html: &str, then: impl FnOnce(ParsedPage<'_>) -> T) -> T {
    let extractor = Extractor::new(Options::new()).unwrap();
    let mut scratch = Scratch::default();
    then(extractor.parse(html, &mut scratch).unwrap())
}

fn detect(page: &ParsedPage<'_>, settings: BlockSettings) -> Detection {
    let model = BlockModel::builtin();
    detect_block(page.document, page.stats(), page.fingerprints(), model, settings).unwrap()
}

#[test]
fn an_article_is_kept_and_menus_and_footers_are_dropped() {
    with_page(PAGE, |page| {
        let detection = detect(&page, BlockSettings::default());
        let text = render_text(page.document, &detection, RenderOptions::default().with_marks(false));
        assert!(text.contains("warm rolls") && text.contains("alarm clock"), "{text}");
        assert!(!text.contains("Privacy policy") && !text.contains("All rights reserved"), "{text}");
    });
}

#[test]
fn the_extractor_uses_it() {
    let extractor = Extractor::new(Options::new()).unwrap().with_detector(Block::default()).unwrap();
    let found = extractor.extract_owned(PAGE).unwrap();
    assert_eq!(found.detection().detectors, "block".into());
    assert!(!found.text().contains("Privacy policy"));
}

/// A higher precision may only drop less.
#[test]
fn a_higher_precision_drops_less() {
    let model = BlockModel::builtin();
    let thresholds: Vec<f32> =
        (50..100).map(|share| model.threshold(OperatingPoint::Precision(share as f32 / 100.0))).collect();
    assert!(thresholds.is_sorted());
    let recalls: Vec<f32> =
        (1..100).map(|share| model.threshold(OperatingPoint::Recall(share as f32 / 100.0))).collect();
    assert!(recalls.iter().rev().is_sorted());
    with_page(PAGE, |page| {
        let mut before = 0;
        for score in [1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.0] {
            let detection =
                detect(&page, BlockSettings { point: OperatingPoint::Score(score), ..BlockSettings::default() });
            let dropped = page.document.ids().filter(|id| detection.is_dropped(*id)).count();
            assert!(dropped >= before, "{score}");
            before = dropped;
        }
        assert!(before > 0);
    });
}

#[test]
fn details_name_the_features_with_the_largest_contributions() {
    with_page(PAGE, |page| {
        let detection = detect(&page, BlockSettings { details: true, ..BlockSettings::default() });
        let report = render_explanation(page.document, &detection, Default::default());
        assert!(report.contains("a model scores it"), "{report}");
        let found = score_blocks(page.document, page.stats(), page.fingerprints(), BlockModel::builtin());
        assert!(found.blocks.len() > 5);
        assert!(found.blocks.iter().all(|id| detection.detail(*id).is_some_and(|detail| detail.contains(", "))));
        let plain = detect(&page, BlockSettings::default());
        assert!(found.blocks.iter().all(|id| plain.detail(*id).is_none()));
    });
}

#[test]
fn invalid_settings_are_errors() {
    with_page(PAGE, |page| {
        let model = BlockModel::builtin();
        let settings = BlockSettings { point: OperatingPoint::Precision(1.5), ..BlockSettings::default() };
        let error = detect_block(page.document, page.stats(), page.fingerprints(), model, settings).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadOptions);
    });
}

/// Odd pages: each block gets a score, and the text that is kept is the page's own.
#[test]
fn odd_pages_get_scores_and_keep_only_their_own_text() {
    let text = "some words that are long enough to be a block of their own ";
    let words = text.split_whitespace().count();
    let pages = [
        (String::new(), 0),
        ("<body>".into(), 0),
        (format!("<p>{text}"), words),
        (format!("{}{text}", "<div>".repeat(2000)), words),
        (format!("<ul>{}</ul>", format!("<li>{text}</li>").repeat(5000)), 5000 * words),
        (format!("<div>{}<p>{text}</p></div>", "<!-- x -->".repeat(20_000)), words),
        (format!("<table><tr>{}</table>", format!("<td>{text}").repeat(3000)), 3000 * words),
        ("漢字仮名交じり文を長く書くとこうなります。".repeat(50), 1),
    ];
    for (html, words) in pages {
        with_page(&html, |page| {
            let all = Detection::keep_all(dehusk::detection::Detectors::NONE, page.document);
            let whole = render_text(page.document, &all, RenderOptions::default().with_marks(false));
            assert_eq!(whole.split_whitespace().filter(|word| *word != "|").count(), words, "{:.40}", html);
            let model = BlockModel::builtin();
            let found = score_blocks(page.document, page.stats(), page.fingerprints(), model);
            assert_eq!(found.scores.len(), found.blocks.len());
            assert!(found.scores.iter().all(|score| (0.0..=1.0).contains(score)));
            let detection = detect(&page, BlockSettings { details: true, ..BlockSettings::default() });
            let kept = render_text(page.document, &detection, RenderOptions::default().with_marks(false));
            assert!(kept.is_empty() || whole.contains(kept.trim()), "{:.40}", html);
        });
    }
}
