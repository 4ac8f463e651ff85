//! Pages whose segments were marked by people, with the boxes of a browser where they were measured.
//!
//! A line has `html`, `labels` (a list of `{"i": element, "type": name}`: elements of the body counted in document order, the body is 0) and,
//! if measured, `geometry` (columns `el` and `text`, as docs/segment.md describes them).

use crate::data::read_pages::{id_of, read_pages};
use dehusk::SegmentRole;
use dehusk::dom::{Document, Limits, NodeId, Parser, decode};
use dehusk::layout::{Color, Display, ElementBox, Layout, NodeBox, SuppliedBoxes, body_elements};
use dehusk_io::{Error, Fault, FaultKind, InputPage, ReadOptions};
use dehusk_papers::layout::estimate;
use serde_json::Value;
use std::path::PathBuf;

/// A mark of a person on an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark<'a> {
    /// The number of the element among those of the body, in document order; the body is 0.
    pub element: usize,
    /// What the person called it, such as `Header`.
    pub name: &'a str,
}

/// A page with marked segments.
#[derive(Clone, Debug)]
pub struct MarkedPage {
    /// Its name in the corpus.
    pub id: String,
    /// The tree.
    pub document: Document,
    /// The boxes of a browser, if they were measured.
    pub real: Option<Layout>,
    /// The boxes that were estimated.
    pub estimated: Layout,
    /// The name of the mark on each node.
    pub marks: Vec<Option<String>>,
    /// The innermost marked element around each node, which is its segment.
    pub segments: Vec<Option<NodeId>>,
    /// The role of the innermost mark around each node.
    pub roles: Vec<Option<SegmentRole>>,
}

impl MarkedPage {
    /// A page from its source, its marks, and the boxes of a browser.
    ///
    /// # Errors
    /// If the source is not a page, or the boxes or marks are of another page.
    pub fn new(id: &str, html: &str, marked: &[Mark<'_>], boxes: Option<&SuppliedBoxes>) -> Result<MarkedPage, String> {
        let document = Parser::default().parse(html).map_err(|error| error.to_string())?;
        let ids = body_elements(&document);
        let real = match boxes {
            Some(boxes) => Some(boxes.layout(&document).map_err(|error| error.to_string())?),
            None => None,
        };
        let mut marks: Vec<Option<String>> = vec![None; document.len()];
        for Mark { element, name } in marked {
            let id = ids.get(*element).ok_or_else(|| format!("label {name}: there is no element {element}"))?;
            // If an element has two marks, the first counts.
            marks[id.index()].get_or_insert_with(|| name.to_string());
        }
        let mut segments: Vec<Option<NodeId>> = vec![None; document.len()];
        let mut roles: Vec<Option<SegmentRole>> = vec![None; document.len()];
        for id in document.ids() {
            let outer =
                document.parent(id).map_or((None, None), |parent| (segments[parent.index()], roles[parent.index()]));
            let mark = marks[id.index()].as_deref();
            segments[id.index()] = mark.map(|_| id).or(outer.0);
            roles[id.index()] = mark.map_or(outer.1, |mark| role_of(mark, outer.1));
        }
        let estimated = estimate(&document);
        Ok(MarkedPage { id: id.to_string(), document, real, estimated, marks, segments, roles })
    }
}

/// The role of a mark inside a segment of another role. Content within a header, footer or sidebar belongs to that.
fn role_of(mark: &str, outer: Option<SegmentRole>) -> Option<SegmentRole> {
    use SegmentRole::{Advertisement, Comments, Footer, Form, Header, Main, Navigation, Sidebar};
    Some(match mark {
        "Header" => Header,
        "Footer" => Footer,
        "Menu" => Navigation,
        "Sidebar" => Sidebar,
        "Ad" => Advertisement,
        "Searchbar" => Form,
        "Comments" => Comments,
        "Logo" => outer.unwrap_or(Header),
        "LinkList" => outer.unwrap_or(Navigation),
        _ => outer.unwrap_or(Main),
    })
}

/// Where pages with marked segments are read from.
#[derive(Clone, Debug)]
pub struct MarkedInputs {
    /// JSON lines, or folders of them.
    pub inputs: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadOptions,
}

impl MarkedInputs {
    /// Inputs with the usual columns.
    #[must_use]
    pub fn new(inputs: Vec<PathBuf>) -> MarkedInputs {
        MarkedInputs { inputs, read: ReadOptions::default() }
    }

    /// Reads all pages into memory. Those that cannot be read or have no labels are left out and given to `skipped`.
    ///
    /// # Errors
    /// If an input cannot be opened, or no page is left.
    pub fn pages(&self, skipped: impl FnMut(&Fault)) -> Result<Vec<MarkedPage>, Error> {
        let read = self.read.clone().with_carry(vec!["labels".into(), "geometry".into()]);
        read_pages(&self.inputs, &read, skipped, marked_page)
    }
}

fn marked_page(record: InputPage) -> Result<MarkedPage, Fault> {
    let carried = |name: &str| record.carried.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_value());
    let labels = carried("labels").unwrap_or_default();
    let Some(labels) = labels.as_array() else {
        let message = "no list of marked elements under the key \"labels\"";
        return Err(Fault::new(record.location, FaultKind::MissingColumn, message));
    };
    let labels: Vec<Mark<'_>> = labels.iter().filter_map(read_label).collect();
    let boxes = carried("geometry").filter(|geometry| !geometry.is_null()).map(|geometry| boxes_of_geometry(&geometry));
    let id = id_of(&record);
    let html = match decode(&record.html, record.content_type.as_deref(), &Limits::default()) {
        Ok(decoded) => decoded.text.into_owned(),
        Err(error) => return Err(Fault::new(record.location, FaultKind::NotHtml, error.to_string())),
    };
    MarkedPage::new(&id, &html, &labels, boxes.as_ref())
        .map_err(|message| Fault::new(record.location, FaultKind::NotHtml, message))
}

fn read_label(label: &Value) -> Option<Mark<'_>> {
    Some(Mark { element: label["i"].as_u64()? as usize, name: label["type"].as_str()? })
}

/// The boxes of a measured page, from its `geometry`.
#[must_use]
pub fn boxes_of_geometry(geometry: &Value) -> SuppliedBoxes {
    let column = |part: &str, key: &str| geometry[part][key].as_array().map_or(&[][..], Vec::as_slice);
    let numbers = |part: &str, key: &str| -> Vec<f32> {
        column(part, key).iter().map(|value| value.as_f64().unwrap_or(0.0) as f32).collect()
    };
    let names = column("el", "tag");
    let [x, y, width, height, hidden, font_size, weight, color, background] =
        ["x", "y", "w", "h", "vis", "fs", "fw", "fg", "bg"].map(|key| {
            let mut numbers = numbers("el", key);
            numbers.resize(names.len(), 0.0);
            numbers
        });
    let palette = geometry["palette"].as_array();
    let palette_color = |at: f32| {
        let entry = palette.and_then(|palette| palette.get(at as usize)).and_then(Value::as_str);
        entry.and_then(Color::from_hex).unwrap_or(Color::TRANSPARENT)
    };
    let element = |at: usize| ElementBox {
        name: names[at].as_str().unwrap_or_default().to_string(),
        at: NodeBox::new(x[at], y[at], width[at], height[at])
            .with_font(font_size[at], weight[at] as u16)
            .with_colors(palette_color(color[at]), palette_color(background[at]))
            .with_visible(hidden[at] < 2.0)
            .with_display(if hidden[at] == 2.0 { Display::None } else { Display::Block }),
    };
    let [x, y, width, height] = ["x", "y", "w", "h"].map(|key| numbers("text", key));
    let count = x.len().min(y.len()).min(width.len()).min(height.len());
    let text = |at: usize| NodeBox::new(x[at], y[at], width[at], height[at]);
    SuppliedBoxes { elements: (0..names.len()).map(element).collect(), texts: (0..count).map(text).collect() }
}
