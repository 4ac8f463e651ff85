//! Boxes of a page's elements, from Chromium or from a file.

use crate::args::LayoutArgs;
use crate::chromium::{self, Allowed};
use crate::files;
use crate::outcome::Failure;
use dehusk::Limits;
use dehusk::dom::decode;
use dehusk::layout::{Display, ElementBox, NodeBox, Supplied};
use serde_json::Value;
use std::path::Path;

/// No file of boxes is larger.
const MAX_BYTES: usize = 1 << 28;

/// The boxes of a page, as asked for; none where they are to be estimated.
pub(crate) fn boxes(
    page: &[u8],
    content_type: Option<&str>,
    from: &LayoutArgs,
    url: Option<&str>,
) -> Result<Option<Supplied>, Failure> {
    match from.layout.to_str() {
        Some("estimate") => Ok(None),
        Some("chromium") => {
            let allowed = Allowed { scripts: from.layout_scripts, network: from.layout_network, url };
            let decoded = decode(page, content_type, &Limits::default()).map_err(dehusk::Error::from)?;
            chromium::lay_out(&decoded.text, allowed).map(Some)
        }
        _ => read_boxes(&from.layout).map(Some),
    }
}

/// Boxes from a file: `{"elements": [{"name", "x", "y", "width", "height", …}, …]}`.
fn read_boxes(path: &Path) -> Result<Supplied, Failure> {
    let fail = |what: String| Failure::new(format!("--layout {}: {what}", path.display()));
    let bytes = files::read(path, MAX_BYTES)?;
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
