//! Names of attributes in SVG and MathML.
//!
//! The HTML standard reads tags in lower case and then restores the names that SVG and MathML write with upper-case letters
//! or a prefix. The tree builder renames elements. It does not see most attributes, so they are renamed here.

use crate::document::Namespace;
use crate::names::{KNOWN_NAMES, Name};
use std::sync::LazyLock;

/// "Adjust SVG attributes" of the standard: the names with their upper-case letters.
const SVG: &[&str] = &[
    "attributeName",
    "attributeType",
    "baseFrequency",
    "baseProfile",
    "calcMode",
    "clipPathUnits",
    "diffuseConstant",
    "edgeMode",
    "filterUnits",
    "glyphRef",
    "gradientTransform",
    "gradientUnits",
    "kernelMatrix",
    "kernelUnitLength",
    "keyPoints",
    "keySplines",
    "keyTimes",
    "lengthAdjust",
    "limitingConeAngle",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "numOctaves",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "pointsAtX",
    "pointsAtY",
    "pointsAtZ",
    "preserveAlpha",
    "preserveAspectRatio",
    "primitiveUnits",
    "refX",
    "refY",
    "repeatCount",
    "repeatDur",
    "requiredExtensions",
    "requiredFeatures",
    "specularConstant",
    "specularExponent",
    "spreadMethod",
    "startOffset",
    "stdDeviation",
    "stitchTiles",
    "surfaceScale",
    "systemLanguage",
    "tableValues",
    "targetX",
    "targetY",
    "textLength",
    "viewBox",
    "viewTarget",
    "xChannelSelector",
    "yChannelSelector",
    "zoomAndPan",
];

/// "Adjust foreign attributes" of the standard: the name in the source, the local name, its namespace.
const PREFIXED: &[(&str, &str, Namespace)] = &[
    ("xlink:actuate", "actuate", Namespace::XLink),
    ("xlink:arcrole", "arcrole", Namespace::XLink),
    ("xlink:href", "href", Namespace::XLink),
    ("xlink:role", "role", Namespace::XLink),
    ("xlink:show", "show", Namespace::XLink),
    ("xlink:title", "title", Namespace::XLink),
    ("xlink:type", "type", Namespace::XLink),
    ("xml:lang", "lang", Namespace::Xml),
    ("xml:space", "space", Namespace::Xml),
    ("xmlns", "xmlns", Namespace::XmlNs),
    ("xmlns:xlink", "xlink", Namespace::XmlNs),
];

/// Attribute names in SVG and in MathML, indexed by the number of the known name.
struct Adjusted {
    svg: Vec<(Name, Namespace)>,
    mathml: Vec<(Name, Namespace)>,
}

static ADJUSTED: LazyLock<Adjusted> = LazyLock::new(|| {
    let same: Vec<_> = (0..KNOWN_NAMES.len() as u32).map(|number| (Name(number), Namespace::Html)).collect();
    let mut adjusted = Adjusted { svg: same.clone(), mathml: same };
    let known = |text: &str| Name::known(text).unwrap_or_default();
    let number = |text: &str| known(text).0 as usize;
    for name in SVG {
        adjusted.svg[number(&name.to_ascii_lowercase())].0 = known(name);
    }
    adjusted.mathml[number("definitionurl")].0 = known("definitionURL");
    for (source, local, namespace) in PREFIXED {
        adjusted.svg[number(source)] = (known(local), *namespace);
        adjusted.mathml[number(source)] = (known(local), *namespace);
    }
    adjusted
});

/// The name and namespace of an attribute of an element in SVG or MathML.
pub(crate) fn adjust(name: Name, element: Namespace) -> (Name, Namespace) {
    let table = match element {
        Namespace::Svg => &ADJUSTED.svg,
        _ => &ADJUSTED.mathml,
    };
    table.get(name.0 as usize).copied().unwrap_or((name, Namespace::Html))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_tables_is_known() {
        let names = SVG.iter().flat_map(|name| [name.to_string(), name.to_ascii_lowercase()]);
        let prefixed = PREFIXED.iter().flat_map(|(source, local, _)| [source.to_string(), local.to_string()]);
        for name in names.chain(prefixed).chain(["definitionurl".into(), "definitionURL".into()]) {
            assert!(Name::known(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn names_are_adjusted_by_namespace() {
        let known = |text: &str| Name::known(text).unwrap();
        assert_eq!(adjust(known("viewbox"), Namespace::Svg), (Name::VIEW_BOX, Namespace::Html));
        assert_eq!(adjust(known("viewbox"), Namespace::MathMl), (known("viewbox"), Namespace::Html));
        assert_eq!(adjust(known("xlink:href"), Namespace::MathMl), (Name::HREF, Namespace::XLink));
        assert_eq!(adjust(Name::CLASS, Namespace::Svg), (Name::CLASS, Namespace::Html));
    }
}
