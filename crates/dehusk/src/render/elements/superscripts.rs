//! Writes superscripts and subscripts in plain text, so that they do not run into the word before them.
//!
//! As pandoc does, digits and signs become the characters Unicode has for them: `x²`, `CO₂`. Footnote marks become `[1]`,
//! other scripts `x^k` and `x_k`. Ordinals (`1st`) and symbols (`®`) continue the word.

use crate::dom::{Document, Name, NodeId};

/// Longer superscripts and subscripts are text in another size, such as the cents of a price or a label.
const MAX_CHARACTERS: usize = 12;

/// A kind of raised or lowered text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Script {
    Superscript,
    Subscript,
    /// A superscript with a link: the mark of a footnote.
    Note,
}

impl Script {
    pub(crate) fn new(document: &Document, id: NodeId, name: Name) -> Script {
        let is_link =
            |node: NodeId| document.html_name(node) == Name::A && document.attribute(node, Name::HREF).is_some();
        let linked = || {
            let inside = document.descendants(id).take(8).any(is_link);
            inside || document.ancestors(id).take(1).any(is_link)
        };
        match name {
            Name::SUB => Script::Subscript,
            _ if linked() => Script::Note,
            _ => Script::Superscript,
        }
    }

    /// The text to write for a script after the character `before`, if one touches it.
    pub(crate) fn written(self, text: &str, before: Option<char>) -> String {
        let trimmed = text.trim();
        let is_short = trimmed.chars().count() <= MAX_CHARACTERS && !trimmed.contains(char::is_whitespace);
        let touches = before.is_some_and(char::is_alphanumeric);
        let mark = match self {
            Script::Note if is_short && trimmed.chars().all(|c| c.is_alphanumeric() || "*†‡§".contains(c)) => {
                return format!("[{trimmed}]");
            }
            Script::Subscript => '_',
            _ => '^',
        };
        if let Some(raised) = trimmed.chars().map(|c| raised_or_lowered(self, c)).collect::<Option<String>>() {
            return raised;
        }
        let is_ordinal = before.is_some_and(|c| c.is_ascii_digit()) && trimmed.chars().all(char::is_alphabetic);
        match trimmed {
            "TM" | "tm" => "™".to_owned(),
            "SM" | "sm" => "℠".to_owned(),
            _ if !touches || (is_ordinal && mark == '^') || !trimmed.starts_with(char::is_alphanumeric) => {
                text.to_owned()
            }
            _ if !is_short => format!(" {text}"),
            _ if trimmed.chars().all(char::is_alphanumeric) => format!("{mark}{trimmed}"),
            _ => format!("{mark}({trimmed})"),
        }
    }
}

fn raised_or_lowered(script: Script, c: char) -> Option<char> {
    let at = "0123456789+-=()".find(if c == '−' { '-' } else { c });
    match script {
        Script::Subscript => at.and_then(|at| "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎".chars().nth(at)),
        _ if c == 'n' => Some('ⁿ'),
        _ => at.and_then(|at| "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾".chars().nth(at)),
    }
}
