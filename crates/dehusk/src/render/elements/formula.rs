//! Finds the TeX of formulas: in the annotation of a `<math>` element or in a `<script type="math/tex">`.
//!
//! Returns slices of the page's own text. Formulas without TeX source are left to the caller.

use crate::dom::elements::has_class;
use crate::dom::{Document, Name, Namespace, NodeId};

/// The TeX of one formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Formula<'a> {
    pub(crate) tex: &'a str,
    /// Whether it is displayed on a line of its own.
    pub(crate) display: bool,
}

/// Whether an element is a `<math>` element.
pub(crate) fn is_math(document: &Document, id: NodeId) -> bool {
    document.namespace(id) == Namespace::MathMl && document.name(id) == Name::MATH
}

/// Whether an element is an annotation: another notation of the formula that contains it, which browsers do not show.
pub(crate) fn is_annotation(document: &Document, id: NodeId) -> bool {
    document.namespace(id) == Namespace::MathMl && matches!(document.name(id), Name::ANNOTATION | Name::ANNOTATION_XML)
}

/// The TeX of an element, if it is a formula with TeX source; `is_kept` returns whether a node may be used.
pub(crate) fn formula(document: &Document, id: NodeId, is_kept: impl FnMut(NodeId) -> bool) -> Option<Formula<'_>> {
    if is_math(document, id) {
        return math_formula(document, id, is_kept);
    }
    script_formula(document, id)
}

/// The formula in a `math/tex` script, which a script such as MathJax would replace.
pub(crate) fn script_formula(document: &Document, id: NodeId) -> Option<Formula<'_>> {
    if document.html_name(id) != Name::SCRIPT {
        return None;
    }
    let mut parts = document.attribute(id, Name::TYPE)?.split(';').map(str::trim);
    if !parts.next()?.eq_ignore_ascii_case("math/tex") {
        return None;
    }
    let display = parts.any(|part| part.eq_ignore_ascii_case("mode=display"));
    Some(Formula { tex: first_text(document, id)?, display })
}

/// The formula of a `<math>` element with TeX source; `is_kept` returns whether a node may be used.
fn math_formula<'a>(
    document: &'a Document,
    id: NodeId,
    mut is_kept: impl FnMut(NodeId) -> bool,
) -> Option<Formula<'a>> {
    let display = document.attributes(id).iter().any(|attribute| {
        document.name_text(attribute.name) == "display" && document.value(attribute).eq_ignore_ascii_case("block")
    });
    let annotation = document.descendants(id).find(|node| is_tex_annotation(document, *node))?;
    let whole = document.subtree(id).all(|at| is_kept(NodeId(at as u32)));
    let tex = if whole { first_text(document, annotation)? } else { return None };
    Some(Formula { tex: without_style(tex), display })
}

/// Whether a script of the page typesets TeX in its text.
pub(crate) fn typesets_tex(document: &Document) -> bool {
    document.ids().filter(|id| document.html_name(*id) == Name::SCRIPT).any(|id| {
        let source = document.attribute(id, Name::SRC).unwrap_or_default().to_ascii_lowercase();
        let kind = document.attribute(id, Name::TYPE).unwrap_or_default();
        source.contains("mathjax") || source.contains("katex") || kind.starts_with("text/x-mathjax-config")
    })
}

/// Splits a text at the first formula between `\\(` and `\\)`, `\\[` and `\\]`, or `$$`: the text before it, the formula, and the rest.
pub(crate) fn split_tex(text: &str) -> Option<(&str, Formula<'_>, &str)> {
    // One search for all three, since a text may have many of one and none of another.
    let is_start = |(at, _): &(usize, &str)| ["\\(", "\\[", "$$"].iter().any(|open| text[*at..].starts_with(open));
    let (start, _) = text.match_indices(['\\', '$']).find(is_start)?;
    let (open, inner) = text[start..].split_at(2);
    let close = match open {
        "\\(" => "\\)",
        "\\[" => "\\]",
        _ => "$$",
    };
    let end = inner.find(close)?;
    let tex = inner[..end].trim();
    let is_formula = !tex.is_empty() && !tex.contains('$');
    is_formula.then_some((&text[..start], Formula { tex, display: open != "\\(" }, &inner[end + 2..]))
}

/// Whether a hidden element is the text version of a formula image, as in encyclopedias. It is written instead of the
/// image.
pub(crate) fn is_hidden_formula(document: &Document, id: NodeId) -> bool {
    document.html_name(id) == Name::SPAN && document.children(id).next().is_some_and(|child| is_math(document, child))
}

/// Whether an element shows the formula of a `<math>` element next to it a second time, as an image or as positioned glyphs.
pub(crate) fn is_formula_duplicate(document: &Document, id: NodeId) -> bool {
    let html_name = document.html_name(id);
    if html_name == Name::IMG {
        let classes = document.attribute(id, Name::CLASS).unwrap_or_default();
        return classes.contains("math-fallback-image") && has_math_sibling(document, id);
    }
    html_name == Name::SPAN && has_class(document, id, "katex-html") && has_math_sibling(document, id)
}

/// Whether the first child of the parent has a `<math>` element as its first child.
fn has_math_sibling(document: &Document, id: NodeId) -> bool {
    let Some(first) = document.parent(id).and_then(|parent| document.children(parent).next()) else { return false };
    first != id && document.children(first).next().is_some_and(|child| is_math(document, child))
}

fn is_tex_annotation(document: &Document, id: NodeId) -> bool {
    document.name(id) == Name::ANNOTATION
        && document.namespace(id) == Namespace::MathMl
        && document.attribute(id, Name::ENCODING).is_some_and(|encoding| {
            let encoding = encoding.trim();
            ["application/x-tex", "tex", "latex", "text/x-tex", "application/x-latex"]
                .iter()
                .any(|known| encoding.eq_ignore_ascii_case(known))
        })
}

fn first_text(document: &Document, id: NodeId) -> Option<&str> {
    let text = document.children(id).find(|child| document.is_text(*child))?;
    let text = document.text(text).trim();
    let text = text.strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>")).unwrap_or(text);
    let text = text.trim_start_matches("% <![CDATA[").trim_end_matches("%]]>").trim();
    (!text.is_empty()).then_some(text)
}

/// The TeX without the `{\displaystyle …}` that only sets the size.
fn without_style(tex: &str) -> &str {
    let inner = tex.strip_prefix("{\\displaystyle").and_then(|inner| inner.strip_suffix('}'));
    inner.map_or(tex, str::trim)
}
