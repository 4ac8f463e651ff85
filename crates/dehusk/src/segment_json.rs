//! The JSON record of a segmented page.
//!
//! Keys are in a fixed order. Paths are null once the limit on their total length is used up.

use crate::dom::Paths;
use crate::flags::Flag;
use crate::json::JsonWriter;
use crate::segment::Segment;
use crate::segmenter::SegmentedPage;

/// Maximum number of bytes of paths per byte of the page, since every path names all ancestors.
const PATH_BYTES_PER_BYTE: usize = 64;

impl SegmentedPage {
    /// The record of the page on one line: `method`, `is_complete`, `flags`, `page` and `segments`.
    ///
    /// ```
    /// let page = "<nav><a href=/>Home</a></nav><p>Nets are mended in May.</p>";
    /// let found = dehusk::Segmenter::default().segment(page)?;
    /// assert!(found.to_json().starts_with("{\"method\":\"best\",\"is_complete\":true,"));
    /// # Ok::<(), dehusk::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut json = JsonWriter::new(&mut out);
        json.open('{');
        json.key("method").string(self.method.name());
        json.key("is_complete").boolean(self.segmentation.is_complete);
        json.key("flags").open('[');
        self.flags().into_iter().map(Flag::name).for_each(|name| json.string(name));
        json.close(']');
        json.key("page").open('{');
        json.key("width").rounded(self.layout.width, 1);
        json.key("height").rounded(self.layout.height, 1);
        json.close('}');
        json.key("segments").open('[');
        let room = PATH_BYTES_PER_BYTE * self.document.source().len();
        let mut writer = SegmentWriter { page: self, paths: Paths::new(&self.document), buffer: String::new(), room };
        for (number, segment) in self.segmentation.segments.iter().enumerate() {
            writer.append(number, segment, &mut json);
        }
        json.close(']');
        json.close('}');
        out
    }
}

struct SegmentWriter<'a> {
    page: &'a SegmentedPage,
    paths: Paths<'a>,
    buffer: String,
    /// Number of bytes of paths that may still be written.
    room: usize,
}

impl SegmentWriter<'_> {
    fn append(&mut self, number: usize, segment: &Segment, json: &mut JsonWriter<'_>) {
        json.open('{');
        json.key("segment").integer(number);
        json.key("role").string(segment.role.name());
        json.key("box");
        match segment.bounds {
            Some(bounds) => {
                json.open('[');
                bounds.into_iter().for_each(|length| json.rounded(length, 1));
                json.close(']');
            }
            None => json.null(),
        }
        json.key("nodes").open('[');
        segment.nodes.iter().for_each(|id| json.integer(id.index()));
        json.close(']');
        json.key("paths").open('[');
        for id in &segment.nodes {
            // A step has at least four bytes; a path that cannot fit is not built.
            if 4 * self.page.document.depth(*id) > self.room {
                json.null();
                continue;
            }
            self.buffer.clear();
            self.paths.append_xpath(*id, &mut self.buffer);
            self.room = self.room.saturating_sub(self.buffer.len());
            json.string(&self.buffer);
        }
        json.close(']');
        json.key("leaves").open('[');
        segment.leaf_elements.iter().for_each(|element| json.integer(*element as usize));
        json.close(']');
        json.key("characters").integer(segment.characters as usize);
        json.key("content").rounded(segment.content_characters / segment.characters.max(1) as f32, 3);
        json.key("text").string(&self.page.text(number));
        json.close('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;
    use crate::layout::estimate;
    use crate::segment::{LeafTree, Segmentation};
    use crate::segmenter::SegmentMethod;

    #[test]
    fn a_record_has_every_key() {
        let document = Parser::default()
            .parse("<body style='margin:0'><nav><a href=/>Home</a></nav><p>Nets <b>\"in May\"</b>.</p><p hidden>x")
            .unwrap();
        let layout = estimate(&document);
        let tree = LeafTree::new(&document, &layout);
        let segmentation = Segmentation::from_leaves(&document, &layout, &tree, &[0, 1, 1, 2]);
        let page = SegmentedPage { document, layout, segmentation, method: SegmentMethod::Gcuts };
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
        let segmentation = Segmentation::from_leaves(&document, &layout, &tree, &labels);
        let json = SegmentedPage { document, layout, segmentation, method: SegmentMethod::Best }.to_json();
        assert!(json.len() < 100 * source.len() && json.contains("null"), "{}", json.len());
    }
}
