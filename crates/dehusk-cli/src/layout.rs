//! The boxes of a page's elements, from Chromium or from a file.

#[cfg(unix)]
use crate::chromium::{self, Allowed};
use crate::files;
use crate::outcome::Failure;
use dehusk::layout::{Color, Display, ElementBox, FontFamily, NodeBox, SuppliedBoxes};
#[cfg(unix)]
use dehusk::{Limits, dom::decode};
use dehusk_options::Values;
use dehusk_options::definitions::LAYOUT;
#[cfg(unix)]
use dehusk_options::definitions::{CONTENT_TYPE, LAYOUT_NETWORK, LAYOUT_SCRIPTS};
use serde_json::Value;
use std::path::Path;

/// The maximum size of a file of boxes, in bytes.
const MAX_BYTES: usize = 1 << 28;

/// The boxes of a page by the requested layout, or `None` if it is to be estimated.
pub(crate) fn boxes(page: &[u8], options: &Values, url: Option<&str>) -> Result<Option<SuppliedBoxes>, Failure> {
    match options.path(&LAYOUT).map(|path| (path, path.to_str())) {
        None | Some((_, Some("estimate"))) => Ok(None),
        Some((_, Some("chromium"))) => chromium_boxes(page, options, url).map(Some),
        Some((path, _)) => read_boxes(path).map(Some),
    }
}

#[cfg(unix)]
fn chromium_boxes(page: &[u8], options: &Values, url: Option<&str>) -> Result<SuppliedBoxes, Failure> {
    let (scripts, network) = (options.flag(&LAYOUT_SCRIPTS), options.flag(&LAYOUT_NETWORK));
    let (allowed, content_type) = (Allowed { scripts, network, url }, options.text(&CONTENT_TYPE));
    let decoded = decode(page, content_type.as_deref(), &Limits::default()).map_err(dehusk::Error::from)?;
    chromium::lay_out(&decoded.text, allowed)
}

/// Chromium is driven over inherited pipes, which are only set up for Unix.
#[cfg(not(unix))]
fn chromium_boxes(_page: &[u8], _options: &Values, _url: Option<&str>) -> Result<SuppliedBoxes, Failure> {
    Err(Failure::new("--layout chromium is only available on Unix; use --layout estimate or a .json file of boxes"))
}

/// Reads boxes from a file: `{"elements": [{"name", "x", "y", "width", "height", …}, …]}`.
fn read_boxes(path: &Path) -> Result<SuppliedBoxes, Failure> {
    let fail = |what: String| Failure::new(format!("--layout {}: {what}", path.display()));
    let bytes = files::read(path, MAX_BYTES)?;
    let file: Value = serde_json::from_slice(&bytes).map_err(|error| fail(error.to_string()))?;
    let elements = file["elements"].as_array().ok_or_else(|| fail("it has no list `elements`".into()))?;
    Ok(SuppliedBoxes { elements: elements.iter().map(element).collect(), texts: Vec::new() })
}

fn element(value: &Value) -> ElementBox {
    let number = |key: &str| value[key].as_f64().map(|number| number as f32);
    let length = |key: &str| number(key).unwrap_or(0.0);
    let text = |key: &str| value[key].as_str();
    let color = |key: &str| text(key).and_then(Color::from_css);
    let hidden = value["visible"] == Value::Bool(false);
    ElementBox {
        name: text("name").unwrap_or_default().to_string(),
        at: NodeBox::new(length("x"), length("y"), length("width"), length("height"))
            .with_font(number("font_size").unwrap_or(16.0), number("font_weight").unwrap_or(400.0) as u16)
            .with_font_family(text("font_family").map_or(FontFamily::default(), FontFamily::from_css))
            .with_italic(
                text("font_style").is_some_and(|style| style.starts_with("italic") || style.starts_with("oblique")),
            )
            .with_colors(color("color").unwrap_or(Color::BLACK), color("background").unwrap_or(Color::TRANSPARENT))
            .with_visible(!hidden)
            .with_display(if hidden { Display::None } else { Display::Block }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn colors_and_fonts_are_optional() {
        let plain = element(&json!({"name": "p", "x": 1, "y": 2, "width": 3, "height": 4})).at;
        assert_eq!(plain, NodeBox::new(1.0, 2.0, 3.0, 4.0).with_colors(Color::BLACK, Color::TRANSPARENT));
        let styled = element(&json!({
            "color": "#f00", "background": "rgb(0, 0, 255)", "font_family": "Arial, sans-serif", "font_style": "italic"
        }));
        assert_eq!((styled.at.color.r, styled.at.background.b, styled.at.italic), (255, 255, true));
        assert_eq!(styled.at.font_family, FontFamily::from_css("arial"));
        let damaged = element(&json!({"color": 7, "background": "é", "font_family": [], "font_style": null})).at;
        assert_eq!((damaged.color, damaged.background), (Color::BLACK, Color::TRANSPARENT));
    }
}
