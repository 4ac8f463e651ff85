//! The font family of a node: enough to compare two of them, and to know what kind of font it is.

use xxhash_rust::xxh3::xxh3_64;

/// The kind of a font.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum GenericFamily {
    /// Unknown.
    #[default]
    Other,
    /// Letters with small strokes at their ends, such as Times.
    Serif,
    /// Letters without them, such as Arial.
    SansSerif,
    /// All letters have the same width, as in Courier.
    Monospace,
    /// Like handwriting.
    Cursive,
    /// Decorative.
    Fantasy,
}

/// A list of font families, by the name of the first and by its kind.
///
/// ```
/// use dehusk::layout::{FontFamily, GenericFamily};
///
/// let body = FontFamily::from_css("'Droid Sans', Arial, sans-serif");
/// assert_eq!(body.generic, GenericFamily::SansSerif);
/// assert_eq!(body, FontFamily::from_css("droid sans, sans-serif"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct FontFamily {
    /// The kind of the first family whose kind is known.
    pub generic: GenericFamily,
    /// The hash of the first name without case; 0 if it is the name of a kind, such as `serif`, or unknown.
    pub name: u32,
}

/// The names of the kinds.
const GENERIC_NAMES: [(&str, GenericFamily); 9] = [
    ("serif", GenericFamily::Serif),
    ("sans-serif", GenericFamily::SansSerif),
    ("monospace", GenericFamily::Monospace),
    ("cursive", GenericFamily::Cursive),
    ("fantasy", GenericFamily::Fantasy),
    ("system-ui", GenericFamily::SansSerif),
    ("ui-serif", GenericFamily::Serif),
    ("ui-sans-serif", GenericFamily::SansSerif),
    ("ui-monospace", GenericFamily::Monospace),
];

/// The kinds of the fonts that most pages use.
const FONTS: [(&str, GenericFamily); 18] = [
    ("arial", GenericFamily::SansSerif),
    ("helvetica", GenericFamily::SansSerif),
    ("helvetica neue", GenericFamily::SansSerif),
    ("verdana", GenericFamily::SansSerif),
    ("tahoma", GenericFamily::SansSerif),
    ("trebuchet ms", GenericFamily::SansSerif),
    ("lucida grande", GenericFamily::SansSerif),
    ("segoe ui", GenericFamily::SansSerif),
    ("roboto", GenericFamily::SansSerif),
    ("open sans", GenericFamily::SansSerif),
    ("georgia", GenericFamily::Serif),
    ("times", GenericFamily::Serif),
    ("times new roman", GenericFamily::Serif),
    ("garamond", GenericFamily::Serif),
    ("courier", GenericFamily::Monospace),
    ("courier new", GenericFamily::Monospace),
    ("consolas", GenericFamily::Monospace),
    ("comic sans ms", GenericFamily::Cursive),
];

/// The maximum number of families read from a list, and of bytes of a name.
const MAX_FAMILIES: usize = 16;
const MAX_NAME: usize = 64;

impl FontFamily {
    /// A family known only by its kind.
    pub const fn from_generic(generic: GenericFamily) -> FontFamily {
        FontFamily { generic, name: 0 }
    }

    /// Reads a list such as `Georgia, "Times New Roman", serif`. An empty list has an unknown family.
    pub fn from_css(list: &str) -> FontFamily {
        let mut families = list.split(',').map(unquote).filter(|name| !name.is_empty()).take(MAX_FAMILIES);
        let Some(first) = families.next() else { return FontFamily::default() };
        if let Some(generic) = find(&GENERIC_NAMES, first) {
            return FontFamily::from_generic(generic);
        }
        let kind = |name| find(&FONTS, name).or_else(|| find(&GENERIC_NAMES, name));
        let generic = kind(first).or_else(|| families.find_map(kind)).unwrap_or_default();
        FontFamily { generic, name: name_hash(first) }
    }
}

fn unquote(name: &str) -> &str {
    name.trim().trim_matches(['"', '\'']).trim()
}

fn find(table: &[(&str, GenericFamily)], name: &str) -> Option<GenericFamily> {
    table.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, generic)| *generic)
}

/// The hash of the start of a name, without case; never 0.
fn name_hash(name: &str) -> u32 {
    let mut lower = [0; MAX_NAME];
    let length = name.len().min(MAX_NAME);
    lower[..length].copy_from_slice(&name.as_bytes()[..length]);
    lower.make_ascii_lowercase();
    xxh3_64(&lower[..length]) as u32 | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_compared_by_their_first_name() {
        let read = FontFamily::from_css;
        assert_eq!(read("Arial, Helvetica"), read("'ARIAL' , sans-serif"));
        assert_ne!(read("Arial"), read("Helvetica"));
        assert_eq!(read("Serif"), FontFamily::from_generic(GenericFamily::Serif));
        assert_eq!(read("Unknown One, Courier, serif").generic, GenericFamily::Monospace);
        assert_eq!(read("Unknown One").generic, GenericFamily::Other);
    }

    #[test]
    fn damaged_lists_are_read() {
        for list in ["", ",,", "'", "\"'\"", " , ' '"] {
            assert_eq!(FontFamily::from_css(list), FontFamily::default(), "{list}");
        }
        assert_ne!(FontFamily::from_css(&"é".repeat(1_000)).name, 0);
        assert_eq!(FontFamily::from_css(", 'Arial").generic, GenericFamily::SansSerif);
    }
}
