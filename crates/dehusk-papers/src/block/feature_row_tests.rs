use crate::block::elements::{BlockNames, blocks};
use crate::block::features::{FEATURES, describe_blocks};
use crate::block::page_words::PageWords;
use crate::block::scratch::{BlockOdds, BlockScratch};
use crate::dom::{Document, Fingerprints, Name, Parser, Stats};

struct Described {
    document: Document,
    rows: Vec<(Name, Vec<f32>)>,
}

impl Described {
    fn of(html: &str) -> Described {
        let document = Parser::default().parse(html).unwrap();
        let (stats, mut fingerprints) = (Stats::of(&document), Fingerprints::default());
        fingerprints.compute(&document);
        let words = PageWords::of(&document);
        let found = blocks(&document, &stats, &words, BlockNames::default());
        let mut rows = Vec::new();
        let (odds, mut scratch) = (BlockOdds::default(), BlockScratch::default());
        describe_blocks(&document, &stats, &fingerprints, &words, &found, &odds, &mut scratch, &mut rows);
        let rows =
            found.iter().zip(rows.chunks(FEATURES.len())).map(|(id, row)| (document.html_name(*id), row.to_vec()));
        Described { rows: rows.collect(), document }
    }

    /// A feature of the first block with this element name.
    fn value(&self, element: Name, feature: &str) -> f32 {
        let column = FEATURES.iter().position(|name| *name == feature).unwrap();
        let row = self.rows.iter().find(|(name, _)| *name == element);
        row.unwrap_or_else(|| panic!("no block {} in {}", self.document.name_text(element), self.document.source())).1
            [column]
    }
}

const PAGE: &str = "<title>Nets in May</title><body><nav><ul><li><a href=/>Home port and the islands</a><li><a href=https://a.example/>All posts of other harbours</a></ul></nav>
<main><h1>Nets in May</h1><p>Nets are mended in May, when the boats come home. Whoever has hands sits on the quay.</p></main>
<footer><p>© 2024 Harbour notes</p></footer>";

#[test]
fn rows_are_finite_and_complete() {
    let page = Described::of(PAGE);
    assert!(!page.rows.is_empty());
    for (_, row) in &page.rows {
        assert_eq!(row.len(), FEATURES.len());
        assert!(row.iter().all(|value| value.is_finite()), "{row:?}");
    }
}

#[test]
fn features_say_what_their_names_say() {
    let page = Described::of(PAGE);
    assert_eq!(page.value(Name::UL, "link share"), 1.0);
    assert_eq!(page.value(Name::P, "link share"), 0.0);
    assert_eq!((page.value(Name::UL, "in nav"), page.value(Name::P, "in nav")), (1.0, 0.0));
    assert_eq!((page.value(Name::P, "in main"), page.value(Name::UL, "in main")), (1.0, 0.0));
    assert!(page.value(Name::P, "sentence ends per word") > page.value(Name::UL, "sentence ends per word"));
    assert!(page.value(Name::P, "words") > page.value(Name::UL, "words"));
    assert_eq!((page.value(Name::UL, "hidden"), page.value(Name::UL, "legal signs")), (0.0, 0.0));
    assert!(page.value(Name::UL, "outer links share") > 0.0);
}

#[test]
fn a_page_without_blocks_has_no_rows() {
    assert!(Described::of("<body><script>x</script>").rows.is_empty());
}
