//! The JSON record of a segmented page.
//!
//! Keys are in a fixed order. Paths are null once the limit on their total length is used up.

use super::page_segmenter::SegmentedPage;
use super::page_segments::Segment;
use crate::dom::Paths;
use crate::flags::Flag;
use crate::json::JsonWriter;

/// Maximum number of bytes of paths per byte of the page, since every path names all ancestors.
const PATH_BYTES_PER_BYTE: usize = 64;

impl SegmentedPage {
    /// The row of the page on one line: `method`, `is_complete`, `flags`, `page` and `segments`.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut json = JsonWriter::new(&mut out);
        json.open('{');
        json.key("method").string(self.method);
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
