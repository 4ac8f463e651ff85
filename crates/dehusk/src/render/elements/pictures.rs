//! Decides which images are content, and where their files are.
//!
//! Input: a document. Bullets, icons, spacers and tracking pixels are left out: a reader would see them beside the text without noticing, but
//! in Markdown each is a line of noise. Images that scripts load later have their address in another attribute than `src`.

use crate::dom::elements::is_block;
use crate::dom::{Document, Name, NodeId};
use xxhash_rust::xxh3::xxh3_64;

/// Images up to this width or height are invisible: spacers and tracking pixels.
const MAX_PIXEL: u32 = 3;

/// Images up to this width and height are icons.
const MAX_ICON: u32 = 48;

/// An image that a page shows this often is a bullet, an icon or a badge.
const MIN_USES: usize = 3;

/// Maximum number of nodes read around an image.
const MAX_NODES: usize = 64;

/// Where scripts find the address of an image.
const LAZY_SOURCES: [&str; 4] = ["data-src", "data-lazy-src", "data-original", "data-orig-file"];

/// The images of a page.
#[derive(Debug)]
pub(crate) struct Pictures {
    /// Hashes of the addresses of all images outside `<noscript>`, sorted.
    sources: Vec<u64>,
}

impl Pictures {
    pub(crate) fn new(document: &Document) -> Pictures {
        let images = document.descendants(NodeId::DOCUMENT).filter(|id| document.html_name(*id) == Name::IMG);
        let shown = images.filter(|id| noscript(document, *id).is_none());
        let mut sources: Vec<u64> = shown.filter_map(|id| source(document, id)).map(hash).collect();
        sources.sort_unstable();
        Pictures { sources }
    }

    /// The address of an image, unless the image is decoration or a copy for browsers without scripts.
    pub(crate) fn source<'a>(&self, document: &'a Document, id: NodeId) -> Option<&'a str> {
        let source = source(document, id)?;
        let uses = self.uses(source);
        if is_decoration(document, id, uses) || (uses > 0 && noscript(document, id).is_some()) {
            return None;
        }
        // The copy may be of another size.
        let before = noscript(document, id).and_then(|noscript| node_before(document, noscript));
        let is_copy = before.is_some_and(|before| document.html_name(before) == Name::IMG && is_lazy(document, before));
        (!is_copy).then_some(source)
    }

    fn uses(&self, source: &str) -> usize {
        let hash = hash(source);
        let start = self.sources.partition_point(|other| *other < hash);
        self.sources[start..].iter().take(MIN_USES).take_while(|other| **other == hash).count()
    }
}

fn hash(source: &str) -> u64 {
    xxh3_64(source.as_bytes())
}

/// Whether a script loads an image.
fn is_lazy(document: &Document, id: NodeId) -> bool {
    source(document, id).is_some_and(|source| document.attribute(id, Name::SRC) != Some(source))
}

/// The `<noscript>` that an image is in.
fn noscript(document: &Document, id: NodeId) -> Option<NodeId> {
    document.ancestors(id).take(4).find(|above| document.html_name(*above) == Name::NOSCRIPT)
}

/// The node before another one in page order, without regard to white space.
fn node_before(document: &Document, id: NodeId) -> Option<NodeId> {
    let is_blank_text = |node: &NodeId| document.is_text(*node) && is_blank(document.text(*node));
    (0..id.0).rev().map(NodeId).take(2).find(|node| !is_blank_text(node))
}

/// Maximum number of characters of a text that are read: each image beside a long blank text would read it again.
const MAX_BLANK: usize = 256;

fn is_blank(text: &str) -> bool {
    text.chars().take(MAX_BLANK).all(char::is_whitespace)
}

/// The address of the file of an image: what a script would load, or else `src`, or else the first of several sizes.
fn source(document: &Document, id: NodeId) -> Option<&str> {
    let named = |wanted: &str| {
        let mut attributes = document.attributes(id).iter();
        attributes.find(|own| document.name_text(own.name) == wanted).map(|own| document.value(own).trim())
    };
    let is_file = |source: &&str| {
        let is_data = source.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        // Braces are a template that a script fills in.
        !source.is_empty() && !is_data && !source.contains('{') && *source != "about:blank"
    };
    let lazy = || LAZY_SOURCES.iter().filter_map(|name| named(name)).find(is_file);
    let own = || document.attribute(id, Name::SRC).map(str::trim).filter(is_file);
    let sizes = || [named("data-srcset"), named("srcset")].into_iter().flatten();
    let first_size = || {
        sizes().filter_map(|sizes| sizes.split_whitespace().next()).map(|size| size.trim_end_matches(',')).find(is_file)
    };
    lazy().or_else(own).or_else(first_size)
}

/// Whether an image is not worth a line of its own to a reader. One that is all there is in a table cell is kept, as is one whose text
/// tells a number or a formula.
fn is_decoration(document: &Document, id: NodeId, uses: usize) -> bool {
    let length = |name: Name| {
        let value = document.attribute(id, name)?.trim();
        value.strip_suffix("px").unwrap_or(value).parse::<f32>().ok().map(|length| length.max(0.0) as u32)
    };
    let (width, height) = (length(Name::WIDTH), length(Name::HEIGHT));
    if [width, height].into_iter().flatten().any(|length| length <= MAX_PIXEL) {
        return true;
    }
    let is_icon = width.zip(height).is_some_and(|(width, height)| width.max(height) <= MAX_ICON);
    if !is_icon && uses < MIN_USES {
        return false;
    }
    let alt = document.attribute(id, Name::ALT).unwrap_or_default();
    let tells = |c: char| c.is_numeric() || matches!(c, '\\' | '=' | '^' | '_' | '$');
    if alt.contains(tells) || document.ancestors(id).take(3).any(|above| document.html_name(above) == Name::FIGURE) {
        return false;
    }
    let Some(block) = document.ancestors(id).find(|above| is_block(document.html_name(*above))) else { return false };
    let mut texts = document.descendants(block).take(MAX_NODES).filter(|node| document.is_text(*node));
    let is_beside_text = texts.any(|text| !is_blank(document.text(text)));
    is_beside_text || (alt.trim().is_empty() && !matches!(document.html_name(block), Name::TD | Name::TH))
}

#[cfg(test)]
mod tests {
    use crate::render::fixture::page;
    use crate::render::html::render_html;
    use crate::render::markdown::render_markdown;
    use crate::render::render_options::RenderOptions;

    fn markdown(source: &str) -> String {
        let (document, detection) = page(source);
        render_markdown(&document, &detection, RenderOptions::default())
    }

    #[test]
    fn decoration_is_left_out() {
        assert_eq!(markdown("<p>Nets<img src=/p.gif width=1 height=1>"), "Nets\n");
        assert_eq!(markdown("<p><img src=/i.png width=16 height='16px' alt=info> Nets"), "Nets\n");
        assert_eq!(markdown(&"<p><img src=/bullet.png>Nets".repeat(3)), "Nets\n\nNets\n\nNets\n");
        assert_eq!(
            markdown(&"<p><img src=/bullet.png>Nets".repeat(2)),
            "![](/bullet.png) Nets\n\n![](/bullet.png) Nets\n"
        );
    }

    #[test]
    fn images_that_tell_something_stay() {
        for image in ["<img src=/i.png width=480 height=16>", "<img src=/i.png width=16 height=16 alt='4 of 5'>"] {
            assert!(markdown(&format!("<p>Nets {image}")).contains("/i.png"), "{image}");
        }
        let check = "<tr><td>Nets<td><img src=/yes.png alt=''>";
        let table = markdown(&format!("<table><tr><th>a<th>b{}</table>", check.repeat(3)));
        assert_eq!(table.matches("![](/yes.png)").count(), 3, "{table}");
        let photo = markdown("<figure><img src=/i.png width=40 height=40><figcaption>Nets</figcaption></figure>");
        assert!(photo.contains("/i.png"), "{photo}");
    }

    #[test]
    fn images_are_found_where_scripts_find_them() {
        let lazy =
            "<p><img src=data:image/gif;base64,R0 data-src=/a.png alt=a><noscript><img src=/a.png alt=a></noscript>";
        assert_eq!(markdown(lazy), "![a](/a.png)\n");
        let (document, detection) = page(lazy);
        assert_eq!(
            render_html(&document, &detection, RenderOptions::default()),
            "<p><img src=\"/a.png\" alt=\"a\"></p>"
        );
        assert_eq!(markdown("<p><img srcset='/s.png 1x, /l.png 2x' alt=a>"), "![a](/s.png)\n");
        assert_eq!(markdown("<p><img data-src='/{width}.png' src=/a.png alt=a>"), "![a](/a.png)\n");
        assert_eq!(markdown("<p><img data-src=/a.png><noscript><img src='/a.png?w=9'></noscript>"), "![](/a.png)\n");
        assert_eq!(markdown("<p><noscript><img src=/a.png alt=a></noscript>"), "![a](/a.png)\n");
        assert_eq!(markdown("<p>x<img data-src='javascript:1'>"), "x\n");
    }
}
