//! Interned names of elements and attributes.
//!
//! A [`Name`] is a number. Names of HTML, SVG and MathML have the same number in every document and, if code
//! matches on them, a constant here. Each document numbers its other names in order of appearance.

use html5ever::LocalName;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::LazyLock;
use typed_arena::Arena;

/// The interned name of an element or an attribute.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Name(pub(crate) u32);

macro_rules! known_names {
    ($($constant:ident = $text:literal,)* ; $($other:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum Number { $($constant,)* }
        #[allow(missing_docs)]
        impl Name { $(pub const $constant: Name = Name(Number::$constant as u32);)* }
        pub(crate) static KNOWN_NAMES: &[&str] = &[$($text,)* $($other,)*];
    };
}

known_names! {
    NONE = "",
    // Elements.
    A = "a", ABBR = "abbr", ACRONYM = "acronym", ADDRESS = "address", APPLET = "applet", AREA = "area",
    ARTICLE = "article", ASIDE = "aside", AUDIO = "audio", B = "b", BASE = "base", BASEFONT = "basefont",
    BDI = "bdi", BDO = "bdo", BGSOUND = "bgsound", BIG = "big", BLINK = "blink", BLOCKQUOTE = "blockquote",
    BODY = "body", BR = "br", BUTTON = "button", CANVAS = "canvas", CAPTION = "caption", CENTER = "center",
    CITE = "cite", CODE = "code", COL = "col", COLGROUP = "colgroup", DATA = "data", DATALIST = "datalist",
    DD = "dd", DEL = "del", DETAILS = "details", DFN = "dfn", DIALOG = "dialog", DIR = "dir", DIV = "div",
    DL = "dl", DT = "dt", EM = "em", EMBED = "embed", FIELDSET = "fieldset", FIGCAPTION = "figcaption",
    FIGURE = "figure", FONT = "font", FOOTER = "footer", FORM = "form", FRAME = "frame",
    FRAMESET = "frameset", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", HEAD = "head",
    HEADER = "header", HGROUP = "hgroup", HR = "hr", HTML = "html", I = "i", IFRAME = "iframe",
    IMAGE = "image", IMG = "img", INPUT = "input", INS = "ins", KBD = "kbd", KEYGEN = "keygen",
    LABEL = "label", LEGEND = "legend", LI = "li", LINK = "link", LISTING = "listing", MAIN = "main",
    MAP = "map", MARK = "mark", MARQUEE = "marquee", MENU = "menu", META = "meta", METER = "meter",
    NAV = "nav", NOBR = "nobr", NOEMBED = "noembed", NOFRAMES = "noframes", NOSCRIPT = "noscript",
    OBJECT = "object", OL = "ol", OPTGROUP = "optgroup", OPTION = "option", OUTPUT = "output", P = "p",
    PARAM = "param", PICTURE = "picture", PLAINTEXT = "plaintext", PRE = "pre", PROGRESS = "progress",
    Q = "q", RB = "rb", RP = "rp", RT = "rt", RTC = "rtc", RUBY = "ruby", S = "s", SAMP = "samp",
    SCRIPT = "script", SEARCH = "search", SECTION = "section", SELECT = "select",
    SELECTEDCONTENT = "selectedcontent", SLOT = "slot", SMALL = "small", SOURCE = "source", SPAN = "span",
    STRIKE = "strike", STRONG = "strong", STYLE = "style", SUB = "sub", SUMMARY = "summary", SUP = "sup",
    TABLE = "table", TBODY = "tbody", TD = "td", TEMPLATE = "template", TEXTAREA = "textarea",
    TFOOT = "tfoot", TH = "th", THEAD = "thead", TIME = "time", TITLE = "title", TR = "tr", TRACK = "track",
    TT = "tt", U = "u", UL = "ul", VAR = "var", VIDEO = "video", WBR = "wbr", XMP = "xmp",
    SVG = "svg", PATH = "path", G = "g", USE = "use", RECT = "rect", CIRCLE = "circle", DEFS = "defs",
    POLYGON = "polygon", FOREIGN_OBJECT = "foreignObject", DESC = "desc", MATH = "math",
    SEMANTICS = "semantics", ANNOTATION = "annotation", ANNOTATION_XML = "annotation-xml", MI = "mi",
    MN = "mn", MO = "mo", MROW = "mrow", MFRAC = "mfrac", MSUP = "msup", MSUB = "msub",
    // Attributes.
    ACTION = "action", ALIGN = "align", ALT = "alt", ARIA_CURRENT = "aria-current",
    ARIA_EXPANDED = "aria-expanded", ARIA_HIDDEN = "aria-hidden", ARIA_LABEL = "aria-label",
    ARIA_LABELLEDBY = "aria-labelledby", AUTHOR = "author", AUTOCOMPLETE = "autocomplete",
    BGCOLOR = "bgcolor", BORDER = "border", CELLPADDING = "cellpadding", CELLSPACING = "cellspacing",
    CHARSET = "charset", CHECKED = "checked", CLASS = "class", COLOR = "color", COLSPAN = "colspan",
    CONTENT = "content", CROSSORIGIN = "crossorigin", D = "d", DATETIME = "datetime", DEFER = "defer",
    ASYNC = "async", DIRECTION = "direction", DISABLED = "disabled", ENCODING = "encoding", FACE = "face",
    FILL = "fill", FOR = "for", HEIGHT = "height", HIDDEN = "hidden", HREF = "href", HTTP_EQUIV = "http-equiv",
    ID = "id", INTEGRITY = "integrity", ITEMPROP = "itemprop", ITEMSCOPE = "itemscope",
    ITEMTYPE = "itemtype", LANG = "lang", LOADING = "loading", MEDIA = "media", METHOD = "method",
    NAME = "name", NONCE = "nonce", ONCLICK = "onclick", PLACEHOLDER = "placeholder",
    PROPERTY = "property", REL = "rel", REQUIRED = "required", ROLE = "role", ROWSPAN = "rowspan",
    SHADOWROOTMODE = "shadowrootmode", SIZE = "size", SIZES = "sizes", SRC = "src", SRCSET = "srcset",
    START = "start", STROKE = "stroke", TABINDEX = "tabindex", TARGET = "target", TYPE = "type",
    VALIGN = "valign", VALUE = "value", VIEW_BOX = "viewBox", WIDTH = "width", XMLNS = "xmlns",
    ;
    // Attributes of SVG and MathML that `foreign.rs` renames.
    "attributename", "attributeName", "attributetype", "attributeType", "basefrequency", "baseFrequency",
    "baseprofile", "baseProfile", "calcmode", "calcMode", "clippathunits", "clipPathUnits", "diffuseconstant",
    "diffuseConstant", "edgemode", "edgeMode", "filterunits", "filterUnits", "glyphref", "glyphRef",
    "gradienttransform", "gradientTransform", "gradientunits", "gradientUnits", "kernelmatrix", "kernelMatrix",
    "kernelunitlength", "kernelUnitLength", "keypoints", "keyPoints", "keysplines", "keySplines", "keytimes",
    "keyTimes", "lengthadjust", "lengthAdjust", "limitingconeangle", "limitingConeAngle", "markerheight",
    "markerHeight", "markerunits", "markerUnits", "markerwidth", "markerWidth", "maskcontentunits",
    "maskContentUnits", "maskunits", "maskUnits", "numoctaves", "numOctaves", "pathlength", "pathLength",
    "patterncontentunits", "patternContentUnits", "patterntransform", "patternTransform", "patternunits",
    "patternUnits", "pointsatx", "pointsAtX", "pointsaty", "pointsAtY", "pointsatz", "pointsAtZ", "preservealpha",
    "preserveAlpha", "preserveaspectratio", "preserveAspectRatio", "primitiveunits", "primitiveUnits", "refx",
    "refX", "refy", "refY", "repeatcount", "repeatCount", "repeatdur", "repeatDur", "requiredextensions",
    "requiredExtensions", "requiredfeatures", "requiredFeatures", "specularconstant", "specularConstant",
    "specularexponent", "specularExponent", "spreadmethod", "spreadMethod", "startoffset", "startOffset",
    "stddeviation", "stdDeviation", "stitchtiles", "stitchTiles", "surfacescale", "surfaceScale", "systemlanguage",
    "systemLanguage", "tablevalues", "tableValues", "targetx", "targetX", "targety", "targetY", "textlength",
    "textLength", "viewbox", "viewtarget", "viewTarget", "xchannelselector", "xChannelSelector", "ychannelselector",
    "yChannelSelector", "zoomandpan", "zoomAndPan", "definitionurl", "definitionURL", "xlink:actuate",
    "xlink:arcrole", "xlink:href", "xlink:role", "xlink:show", "xlink:title", "xlink:type", "xml:lang", "xml:space",
    "xmlns:xlink", "xlink", "actuate", "arcrole", "show", "space",
}

static KNOWN: LazyLock<FxHashMap<&'static str, Name>> = LazyLock::new(|| {
    let numbered = KNOWN_NAMES.iter().enumerate();
    numbered.map(|(number, text)| (*text, Name(number as u32))).collect()
});

/// The atoms that html5ever's tree builder needs, indexed by the number of the known name.
static KNOWN_LOCALS: LazyLock<Vec<LocalName>> =
    LazyLock::new(|| KNOWN_NAMES.iter().map(|text| LocalName::from(*text)).collect());

/// A hash table of the known names of up to 16 bytes. It is hand-made for speed, because every tag and attribute of a
/// page is looked up: such a name fits into two integers, so a lookup takes one multiplication and rarely more than one
/// comparison.
struct ShortNames {
    slots: Vec<(ShortKey, Name)>,
}

type ShortKey = (u64, u64, usize);

impl ShortNames {
    /// Four times the number of known names, rounded up to a power of two.
    const SLOTS: usize = 2048;

    /// The first and the last bytes of a name. Together with the length they determine the name.
    fn key(text: &[u8]) -> Option<ShortKey> {
        let length = text.len();
        let (first, last) = match length {
            1..4 => (u64::from(text[0]) | u64::from(text[length / 2]) << 8, u64::from(text[length - 1])),
            4..8 => (
                u64::from(u32::from_le_bytes(*text.first_chunk()?)),
                u64::from(u32::from_le_bytes(*text.last_chunk()?)),
            ),
            8..=16 => (u64::from_le_bytes(*text.first_chunk()?), u64::from_le_bytes(*text.last_chunk()?)),
            _ => return None,
        };
        Some((first, last, length))
    }

    fn slot((first, last, length): ShortKey) -> usize {
        let mixed = (first ^ last.rotate_left(29)).wrapping_add(length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The highest 11 bits: a number below `SLOTS`.
        (mixed >> 53) as usize
    }

    fn find(&self, key: ShortKey) -> Option<Name> {
        let mut slot = Self::slot(key);
        loop {
            let (found, name) = self.slots[slot % Self::SLOTS];
            if found == key {
                return Some(name);
            }
            // Three quarters of the slots are empty, so the search ends soon.
            if name == Name::NONE {
                return None;
            }
            slot += 1;
        }
    }
}

static SHORT_NAMES: LazyLock<ShortNames> = LazyLock::new(|| {
    let mut slots = vec![(ShortKey::default(), Name::NONE); ShortNames::SLOTS];
    for (number, text) in KNOWN_NAMES.iter().enumerate() {
        let Some(key) = ShortNames::key(text.as_bytes()) else { continue };
        let mut slot = ShortNames::slot(key);
        while slots[slot % ShortNames::SLOTS].1 != Name::NONE {
            slot += 1;
        }
        slots[slot % ShortNames::SLOTS] = (key, Name(number as u32));
    }
    ShortNames { slots }
});

/// Numbers the names of one document.
pub(crate) struct Interner<'a> {
    short: &'static ShortNames,
    known_locals: &'static [LocalName],
    /// A page chooses its names, so their hash must be one that it cannot foresee. Only unknown names get here, so it does not matter that
    /// this hash is slower.
    numbers: HashMap<Box<str>, Name>,
    names: Vec<Box<str>>,
    /// Atoms of the document's own names, created on first use.
    locals: Vec<Option<&'a LocalName>>,
    arena: &'a Arena<LocalName>,
}

impl<'a> Interner<'a> {
    pub(crate) fn new(arena: &'a Arena<LocalName>) -> Interner<'a> {
        Interner {
            short: &SHORT_NAMES,
            known_locals: &KNOWN_LOCALS,
            numbers: HashMap::new(),
            names: Vec::new(),
            locals: Vec::new(),
            arena,
        }
    }

    pub(crate) fn intern(&mut self, text: &str) -> Name {
        let found = match ShortNames::key(text.as_bytes()) {
            // All known names this short are in the table, so a miss needs no second search.
            Some(key) => self.short.find(key),
            None => KNOWN.get(text).copied(),
        };
        if let Some(name) = found {
            return name;
        }
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let name = Name((KNOWN_NAMES.len() + self.names.len()) as u32);
        self.numbers.insert(text.into(), name);
        self.names.push(text.into());
        name
    }

    /// The atom of a name. The tree builder only compares names, so one that no rule mentions gets a short stand-in. Its own
    /// atom would go into the table of atoms that the whole process shares, where a page could put as many as it likes into one bucket.
    pub(crate) fn local(&mut self, name: Name) -> &'a LocalName {
        let number = name.0 as usize;
        if let Some(local) = self.known_locals.get(number) {
            return local;
        }
        let own = number - KNOWN_NAMES.len();
        if self.locals.len() <= own {
            self.locals.resize(self.names.len(), None);
        }
        self.locals[own].get_or_insert_with(|| {
            let text = &*self.names[own];
            // Atoms of up to seven bytes are in no table.
            let atom = if text.len() <= 7 { Some(LocalName::from(text)) } else { LocalName::try_static(text) };
            self.arena.alloc(atom.unwrap_or_else(|| LocalName::from(stand_in(own))))
        })
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        let number = name.0 as usize;
        match KNOWN_NAMES.get(number) {
            Some(text) => text,
            None => &self.names[number - KNOWN_NAMES.len()],
        }
    }

    /// The number of names, including known ones.
    pub(crate) fn len(&self) -> usize {
        KNOWN_NAMES.len() + self.names.len()
    }

    /// Takes the document's own names, ordered by number.
    pub(crate) fn take_names(&mut self) -> Vec<Box<str>> {
        std::mem::take(&mut self.names)
    }
}

/// A name that no tag can have, because it does not begin with a letter. Some comparisons ignore case, so all its letters are lower-case.
fn stand_in(mut number: usize) -> String {
    let mut text = String::from("~");
    while number > 0 {
        text.extend(char::from_digit((number % 36) as u32, 36));
        number /= 36;
    }
    text
}

impl Name {
    /// The known name with this text, if any.
    pub fn known(text: &str) -> Option<Name> {
        KNOWN.get(text).copied()
    }

    /// The number of the name. It is the same in every document for known names and specific to the document for others.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Whether this name has the same number in every document.
    pub fn is_known(self) -> bool {
        (self.0 as usize) < KNOWN_NAMES.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_distinct_and_numbered_in_order() {
        assert_eq!(KNOWN.len(), KNOWN_NAMES.len());
        assert_eq!(Name::known("div"), Some(Name::DIV));
        assert_eq!(Name::known("class"), Some(Name::CLASS));
        assert_eq!(Name::known("x-nothing"), None);
        assert!(Name::WIDTH.is_known());
    }

    #[test]
    fn names_of_pages_stay_out_of_the_table_of_all_atoms() {
        let arena = Arena::new();
        let mut names = Interner::new(&arena);
        let mut atom = |text: &str| {
            let name = names.intern(text);
            names.local(name).to_string()
        };
        assert_eq!(
            ["div", "annotation-xml", "lineargradient", "x-y"].map(&mut atom),
            ["div", "annotation-xml", "lineargradient", "x-y"]
        );
        let all: Vec<String> = (0..2_000).map(|number| atom(&format!("my-element-{number}"))).collect();
        assert!(all.iter().all(|text| text.starts_with('~') && text.len() <= 7));
        assert!(all.iter().enumerate().all(|(number, text)| atom(&format!("my-element-{number}")) == *text));
        assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), all.len());
    }

    #[test]
    fn every_known_name_is_found_and_no_other() {
        let arena = Arena::new();
        let mut names = Interner::new(&arena);
        for (number, text) in KNOWN_NAMES.iter().enumerate() {
            assert_eq!(names.intern(text), Name(number as u32), "{text}");
        }
        // Lengths that share their first or last bytes with a known name.
        for text in ["x", "bb", "brr", "tttt", "abbrr", "classs", "articlee", "data-", "viewbo", "preserveaspectratioo"]
        {
            let name = names.intern(text);
            assert!(!name.is_known(), "{text}");
            assert_eq!(names.text(name), text);
            assert_eq!(names.intern(text), name);
        }
    }
}
