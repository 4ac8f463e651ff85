//! Where the boxes of a page come from: estimated, from Chromium, or from a file.

use crate::args::LayoutFrom;
use crate::chromium::{self, Allowed};
use crate::commands::Failure;
use crate::files;
use dehusk::dom::Document;
use dehusk::layout::{Display, ElementBox, Layout, NodeBox, Supplied, estimate};
use serde_json::Value;
use std::path::Path;

/// No file of boxes is larger.
const MOST_BYTES: usize = 1 << 28;

/// The layout of a page, as asked for.
pub(crate) fn of(document: &Document, from: &LayoutFrom, url: Option<&str>) -> Result<Layout, Failure> {
    let failure = |error: dehusk::Error| Failure::new(format!("--layout {}: {error}", from.layout.display()));
    match from.layout.to_str() {
        Some("estimate") => Ok(estimate(document)),
        Some("chromium") => {
            let allowed = Allowed { scripts: from.layout_scripts, network: from.layout_network, url };
            chromium::lay_out(document.source(), allowed)?.layout(document).map_err(failure)
        }
        _ => read_boxes(&from.layout)?.layout(document).map_err(failure),
    }
}

/// Boxes from a file: `{"elements": [{"name", "x", "y", "width", "height", …}, …]}`.
fn read_boxes(path: &Path) -> Result<Supplied, Failure> {
    let fail = |what: String| Failure::new(format!("--layout {}: {what}", path.display()));
    let bytes = files::read(path, MOST_BYTES)?;
    let file: Value = serde_json::from_slice(&bytes).map_err(|error| fail(error.to_string()))?;
    let elements = file["elements"].as_array().ok_or_else(|| fail("it has no list `elements`".into()))?;
    Ok(Supplied { elements: elements.iter().map(element).collect(), texts: Vec::new() })
}

fn element(value: &Value) -> ElementBox {
    let number = |key: &str| value[key].as_f64().map(|number| number as f32);
    let hidden = value["visible"] == Value::Bool(false);
    ElementBox {
        name: value["name"].as_str().unwrap_or_default().to_string(),
        at: NodeBox {
            x: number("x").unwrap_or(0.0),
            y: number("y").unwrap_or(0.0),
            width: number("width").unwrap_or(0.0),
            height: number("height").unwrap_or(0.0),
            font_size: number("font_size").unwrap_or(16.0),
            font_weight: number("font_weight").unwrap_or(400.0) as u16,
            visible: !hidden,
            display: if hidden { Display::None } else { Display::Block },
        },
    }
}
