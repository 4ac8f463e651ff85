//! Segments as rows and as pictures, with the layout that the methods estimate.

use crate::dom::Parser;
use crate::layout::{ElementBox, NodeBox, SuppliedBoxes, body_elements, estimate};
use crate::segment::LeafTree;
use dehusk::{Segmentation, SegmentedPage};

#[test]
fn a_record_has_every_key() {
    let document = Parser::default()
        .parse("<body style='margin:0'><nav><a href=/>Home</a></nav><p>Nets <b>\"in May\"</b>.</p><p hidden>x")
        .unwrap();
    let layout = estimate(&document);
    let tree = LeafTree::new(&document, &layout);
    let segmentation = Segmentation::from_leaves(&document, &layout, &tree.segment_leaves(), &[0, 1, 1, 2]);
    let page = SegmentedPage { document, layout, segmentation, method: "gcuts" };
    let record: serde_json::Value = serde_json::from_str(&page.to_json()).unwrap();
    assert_eq!((&record["method"], &record["is_complete"]), (&"gcuts".into(), &true.into()));
    assert_eq!(record["page"]["width"], 1280);
    let (first, second, hidden) = (&record["segments"][0], &record["segments"][1], &record["segments"][2]);
    assert_eq!(first["paths"][0], "/html[1]/body[1]/nav[1]");
    assert_eq!(first["box"].as_array().map(Vec::len), Some(4));
    assert_eq!(second["leaves"], serde_json::json!([3, 4]));
    assert_eq!((&second["text"], &second["characters"]), (&"Nets \"in May\".".into(), &12.into()));
    assert_eq!((&second["segment"], &second["role"]), (&1.into(), &"main".into()));
    assert!(hidden["box"].is_null() && hidden["nodes"].as_array().is_some_and(|nodes| nodes.len() == 1));
}

#[test]
fn paths_of_nested_pages_are_bounded() {
    let source = "<blockquote>x<p>y".repeat(2000);
    let document = Parser::default().parse(&*source).unwrap();
    let layout = estimate(&document);
    let tree = LeafTree::new(&document, &layout);
    let labels: Vec<u32> = (0..tree.leaves.len() as u32).collect();
    let segmentation = Segmentation::from_leaves(&document, &layout, &tree.segment_leaves(), &labels);
    let json = SegmentedPage { document, layout, segmentation, method: "best" }.to_json();
    assert!(json.len() < 100 * source.len() && json.contains("null"), "{}", json.len());
}

/// A page with a segment for each leaf, and boxes that are estimated or all the same.
fn page(html: &str, supplied: Option<NodeBox>) -> SegmentedPage {
    let document = Parser::default().parse(html).unwrap();
    let layout = match supplied {
        Some(at) => {
            let element = ElementBox { name: String::new(), at };
            let elements = vec![element; body_elements(&document).len()];
            SuppliedBoxes { elements, texts: Vec::new() }.layout(&document).unwrap()
        }
        None => estimate(&document),
    };
    let tree = LeafTree::new(&document, &layout);
    let labels: Vec<u32> = (0..tree.leaves.len() as u32).collect();
    let segmentation = Segmentation::from_leaves(&document, &layout, &tree.segment_leaves(), &labels);
    SegmentedPage { document, layout, segmentation, method: "best" }
}

/// Checks that every element of a picture is closed in order.
fn check_closed(picture: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in picture.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && !tag.starts_with('!') && name != "meta" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn texts_are_escaped_and_elements_closed() {
    let page = page(
        "<title>\"a\" & <b></title><p>&lt;script>alert('1')&lt;/script> &quot;x&quot; &amp;amp; \u{1}\u{ffff}</p><p>ok <b>b</b> ]]>",
        None,
    );
    for picture in [page.to_svg(), page.to_html()] {
        check_closed(&picture);
        assert!(!picture.contains("<script") && picture.contains("&lt;script&gt;"));
        assert!(picture.contains("&amp;amp;") && picture.contains("Segments of “&quot;a&quot; &amp; &lt;b&gt;”"));
        assert!(!picture.contains('\u{1}') && !picture.contains('\u{ffff}') && !picture.contains("]]>"));
    }
}

#[test]
fn pictures_are_bounded() {
    let words = "<p>Nets are mended in May, when the boats come home.</p>".repeat(30_000);
    let huge = NodeBox::new(-1e7, 1e7, 1e7, f32::INFINITY);
    for page in [page(&words, None), page(&words, Some(huge)), page(&words, Some(NodeBox::new(0.0, 0.0, 1e7, 1e7)))] {
        for picture in [page.to_svg(), page.to_html()] {
            assert!(picture.len() < 3_000_000, "{}", picture.len());
            assert!(!picture.contains("NaN") && !picture.contains("inf"));
            check_closed(&picture);
        }
    }
    let tall = page(&words, None).to_svg();
    assert!(tall.contains("The page continues") && tall.contains("29700 more segments"));
}

#[test]
fn a_page_without_segments_is_drawn() {
    for html in ["", "<body>", "<p hidden>x"] {
        check_closed(&page(html, None).to_svg());
        check_closed(&page(html, None).to_html());
    }
}
