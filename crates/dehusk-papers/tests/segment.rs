//! Segments of the example pages: each leaf in one segment, nodes that agree with leaves, and pictures that are sound.

use dehusk::dom::NodeId;
use dehusk::{Page, PageSegmenter, SegmentedPage};
use dehusk_papers::segment::LeafTree;
use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The pages of the example sites.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "html") {
                pages.push(entry);
            }
        }
    }
    pages.sort();
    // Pages of one kind are alike.
    pages.into_iter().step_by(5).collect()
}

fn check(found: &SegmentedPage) {
    let SegmentedPage { document, layout, segmentation, .. } = found;
    let tree = LeafTree::new(document, layout);
    let mut seen = BTreeSet::new();
    for (number, segment) in segmentation.segments.iter().enumerate() {
        assert!(!segment.leaves.is_empty() && segment.leaves.len() == segment.leaf_elements.len());
        for leaf in &segment.leaves {
            assert!(seen.insert(*leaf), "leaf {leaf:?} is in two segments");
            // The leaf is inside a node of its segment, or its own text is such a node.
            let is_held = |id: NodeId| segment.nodes.iter().any(|node| document.contains(*node, id) || *node == id);
            let has_text = document.children(*leaf).any(|child| document.is_text(child) && is_held(child));
            assert!(is_held(*leaf) || has_text, "leaf {leaf:?} of segment {number} is in none of its nodes");
        }
        assert!(segment.nodes.iter().all(|id| segmentation.segment_of(*id) == Some(number)));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), tree.leaves.iter().map(|leaf| leaf.node).collect::<Vec<_>>());
    let elements: BTreeSet<u32> =
        segmentation.segments.iter().flat_map(|segment| &segment.leaf_elements).copied().collect();
    assert_eq!(
        elements.into_iter().collect::<Vec<_>>(),
        tree.leaves.iter().map(|leaf| leaf.element).collect::<Vec<_>>()
    );
}

#[test]
fn every_leaf_is_in_one_segment() {
    for path in pages() {
        let bytes = fs::read(&path).unwrap();
        for method in SegmentMethod::ALL {
            let found = PageSegmenter::new(Arc::new(ModelSegmenter::new(method))).segment(Page::new(&bytes)).unwrap();
            assert!(!found.segmentation.segments.is_empty(), "{}", path.display());
            check(&found);
        }
    }
}

#[test]
fn records_and_pictures_show_the_segments() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites/harbour-notes.example/about.html");
    let found = PageSegmenter::new(Arc::new(ModelSegmenter::default())).segment(&fs::read(path).unwrap()).unwrap();
    let record: serde_json::Value = serde_json::from_str(&found.to_json()).unwrap();
    let segments = record["segments"].as_array().unwrap();
    assert_eq!(segments.len(), found.segmentation.segments.len());
    let characters = |text: &serde_json::Value| {
        text.as_str().unwrap().chars().filter(|character| !character.is_whitespace()).count() as u64
    };
    assert!(segments.iter().all(|segment| segment["characters"].as_u64() == Some(characters(&segment["text"]))));
    for picture in [found.to_svg(), found.to_html()] {
        for number in 0..segments.len() {
            assert!(picture.contains(&format!("id=\"s{number}\"")), "segment {number} is not drawn");
        }
    }
}
