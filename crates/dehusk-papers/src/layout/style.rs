//! Computes the style of every node from the defaults of browsers, attributes such as `width`, the style sheets in the page, and
//! the `style` attribute. Later ones take precedence.

use super::declaration::{Declaration, Keyword, Property, Value, append_declarations, length};
use super::selector_matching::Matcher;
use super::style_sheet::StyleSheet;
use crate::dom::elements::{heading_level, is_block, is_list, is_never_shown, is_preformatted};
use crate::dom::{Document, Name, NodeId, NodeKind};
use dehusk::layout::{Color, Display, FontFamily, GenericFamily};

/// A length that may depend on the width of the parent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) enum Length {
    #[default]
    Auto,
    Px(f32),
    Share(f32),
}

impl Length {
    /// The length in pixels, given the width of the parent; `None` if it is automatic.
    pub(super) fn resolve(self, whole: f32) -> Option<f32> {
        match self {
            Length::Auto => None,
            Length::Px(pixels) => Some(pixels),
            Length::Share(share) => Some(share * whole),
        }
    }

    pub(super) fn is_auto(self) -> bool {
        self == Length::Auto
    }
}

/// The side that a node floats to, or the floats that it clears.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Side {
    #[default]
    None,
    Left,
    Right,
    Both,
}

/// The style of a node, as far as the layout uses it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Style {
    pub(super) display: Display,
    pub(super) visible: bool,
    pub(super) float: Side,
    pub(super) clear: Side,
    pub(super) out_of_flow: bool,
    pub(super) centered: bool,
    pub(super) column: bool,
    pub(super) grow: f32,
    pub(super) width: Length,
    pub(super) max_width: Length,
    pub(super) min_width: Length,
    pub(super) height: Length,
    pub(super) min_height: Length,
    pub(super) left: Length,
    pub(super) top: Length,
    /// Top, right, bottom, left.
    pub(super) margin: [Length; 4],
    /// Top, right, bottom, left, in pixels.
    pub(super) padding: [f32; 4],
    pub(super) font_size: f32,
    pub(super) font_weight: u16,
    pub(super) italic: bool,
    pub(super) font_family: FontFamily,
    pub(super) color: Color,
    /// Of the nearest of the node and its ancestors that has one.
    pub(super) background: Color,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            display: Display::Inline,
            visible: true,
            float: Side::None,
            clear: Side::None,
            out_of_flow: false,
            centered: false,
            column: false,
            grow: 0.0,
            width: Length::Auto,
            max_width: Length::Auto,
            min_width: Length::Auto,
            height: Length::Auto,
            min_height: Length::Auto,
            left: Length::Auto,
            top: Length::Auto,
            margin: [Length::Px(0.0); 4],
            padding: [0.0; 4],
            font_size: ROOT_FONT,
            font_weight: 400,
            italic: false,
            font_family: FontFamily::from_generic(GenericFamily::Serif),
            color: Color::BLACK,
            background: Color::WHITE,
        }
    }
}

/// The font size of unstyled text.
const ROOT_FONT: f32 = 16.0;
/// The colour of links.
const LINK_COLOR: Color = Color { r: 0, g: 0, b: 0xee, a: 255 };
/// The background of buttons.
const BUTTON_BACKGROUND: Color = Color { r: 0xef, g: 0xef, b: 0xef, a: 255 };

impl Style {
    /// The padding and margins at the left and right, in pixels; automatic margins count as 0.
    pub(super) fn edges(&self, whole: f32) -> f32 {
        self.padding[1] + self.padding[3] + self.margin(1, whole) + self.margin(3, whole)
    }

    pub(super) fn margin(&self, side: usize, whole: f32) -> f32 {
        self.margin[side].resolve(whole).unwrap_or(0.0)
    }

    /// Returns whether it is part of a line of text.
    pub(super) fn is_inline(&self) -> bool {
        matches!(self.display, Display::Inline | Display::InlineBlock)
    }
}

/// The styles of all nodes.
pub(super) fn styles(document: &Document) -> Vec<Style> {
    let sheet = StyleSheet::of(document);
    let mut matcher = (!sheet.selectors.is_empty()).then(|| Matcher::new(document, &sheet));
    let mut styles = vec![Style::default(); document.len()];
    let mut rules: Vec<&[Declaration]> = Vec::new();
    let mut own: Vec<Declaration> = Vec::new();
    let link_color = link_color(document);
    for id in document.ids() {
        let above = document.parent(id).map_or(Style::default(), |parent| styles[parent.index()]);
        let mut style = inherited(&above);
        match document.kind(id) {
            NodeKind::Element => {
                set_defaults(document, id, &above, link_color, &mut style);
                rules.clear();
                own.clear();
                if let Some(matcher) = &mut matcher {
                    rules.extend(matcher.selectors(id).map(|selector| sheet.declarations(selector)));
                }
                if let Some(text) = document.attribute(id, Name::STYLE) {
                    append_declarations(text, &mut own);
                }
                apply(rules.iter().copied().chain([own.as_slice()]).flatten(), &above, &mut style);
                if matches!(document.attribute(id, Name::HIDDEN), Some(value) if !value.eq_ignore_ascii_case("until-found"))
                {
                    style.display = Display::None;
                }
                resolve_conflicts(&mut style);
            }
            NodeKind::Text => style.display = Display::Inline,
            NodeKind::Document => style.display = Display::Block,
            _ => style.display = Display::None,
        }
        if let Some(parent) = document.parent(id)
            && (above.display == Display::None || replaced_size(document, parent, 0.0).is_some())
        {
            style.display = Display::None;
        }
        styles[id.index()] = style;
    }
    styles
}

fn inherited(above: &Style) -> Style {
    Style {
        visible: above.visible,
        centered: above.centered,
        font_size: above.font_size,
        font_weight: above.font_weight,
        italic: above.italic,
        font_family: above.font_family,
        color: above.color,
        background: above.background,
        ..Style::default()
    }
}

/// Makes floats and out-of-flow elements boxes, and limits the font size.
fn resolve_conflicts(style: &mut Style) {
    if (style.float != Side::None || style.out_of_flow) && style.display == Display::Inline {
        style.display = Display::Block;
    }
    if style.out_of_flow {
        style.float = Side::None;
    }
    style.font_size = style.font_size.clamp(0.0, 400.0);
}

/// The colour of links, which the `link` attribute of `<body>` sets.
fn link_color(document: &Document) -> Color {
    let attribute = document.find(Name::BODY).and_then(|body| document.attribute(body, Name::LINK));
    attribute.and_then(attribute_color).unwrap_or(LINK_COLOR)
}

fn set_defaults(document: &Document, id: NodeId, above: &Style, link_color: Color, style: &mut Style) {
    let name = document.html_name(id);
    style.display = match name {
        _ if is_never_shown(name) => Display::None,
        Name::TABLE => Display::Table,
        Name::TBODY | Name::THEAD | Name::TFOOT => Display::RowGroup,
        Name::TR => Display::Row,
        Name::TD | Name::TH => Display::Cell,
        Name::COL | Name::COLGROUP => Display::None,
        Name::INPUT | Name::BUTTON | Name::SELECT | Name::TEXTAREA | Name::IMG | Name::IFRAME | Name::VIDEO => {
            Display::InlineBlock
        }
        Name::OPTION | Name::OPTGROUP => Display::Block,
        _ if is_block(name) => Display::Block,
        _ => Display::Inline,
    };
    let em = |count: f32| Length::Px(count * above.font_size);
    match name {
        Name::BODY => style.margin = [Length::Px(8.0); 4],
        Name::P | Name::DL | Name::FIGURE | Name::BLOCKQUOTE | Name::FIELDSET => {
            (style.margin[0], style.margin[2]) = (em(1.0), em(1.0));
            if matches!(name, Name::BLOCKQUOTE | Name::FIGURE) {
                (style.margin[1], style.margin[3]) = (Length::Px(40.0), Length::Px(40.0));
            }
        }
        Name::DD => style.margin[3] = Length::Px(40.0),
        Name::B | Name::STRONG => style.font_weight = 700,
        Name::TH => (style.font_weight, style.centered) = (700, true),
        Name::SMALL | Name::SUB | Name::SUP => style.font_size *= 0.83,
        Name::BIG => style.font_size *= 1.2,
        Name::CENTER => style.centered = true,
        Name::TABLE => style.centered = false,
        _ if is_list(name) => {
            let nested = document.ancestors(id).take(2).any(|outer| is_list(document.html_name(outer)));
            if !nested {
                (style.margin[0], style.margin[2]) = (em(1.0), em(1.0));
            }
            style.padding[3] = 40.0;
        }
        _ if is_preformatted(name) => (style.margin[0], style.margin[2]) = (em(1.0), em(1.0)),
        _ => {}
    }
    if matches!(name, Name::PRE | Name::CODE | Name::TT | Name::KBD | Name::SAMP | Name::TEXTAREA)
        && above.font_size == ROOT_FONT
    {
        style.font_size = 13.0;
    }
    match name {
        Name::A if document.attribute(id, Name::HREF).is_some() => style.color = link_color,
        Name::EM | Name::I | Name::CITE | Name::ADDRESS | Name::DFN | Name::VAR => style.italic = true,
        Name::PRE | Name::CODE | Name::TT | Name::KBD | Name::SAMP => {
            style.font_family = FontFamily::from_generic(GenericFamily::Monospace);
        }
        Name::INPUT | Name::BUTTON | Name::SELECT | Name::TEXTAREA => {
            let is_code = name == Name::TEXTAREA;
            let family = if is_code { GenericFamily::Monospace } else { GenericFamily::SansSerif };
            style.font_family = FontFamily::from_generic(family);
            (style.italic, style.color) = (false, Color::BLACK);
            style.background = control_background(document, id, name).unwrap_or(above.background);
        }
        Name::MARK => (style.color, style.background) = (Color::BLACK, Color { r: 255, g: 255, b: 0, a: 255 }),
        _ => {}
    }
    if let Some(level) = heading_level(name) {
        let (size, margin) =
            [(2.0, 0.67), (1.5, 0.83), (1.17, 1.0), (1.0, 1.33), (0.83, 1.67), (0.67, 2.33)][level as usize - 1];
        style.font_size *= size;
        style.font_weight = 700;
        let margin = Length::Px(margin * style.font_size);
        (style.margin[0], style.margin[2]) = (margin, margin);
    }
    if matches!(style.display, Display::Cell) {
        style.padding = [1.0; 4];
    }
    set_presentational_hints(document, id, name, style);
}

/// Applies presentational attributes such as `width` and `align`.
fn set_presentational_hints(document: &Document, id: NodeId, name: Name, style: &mut Style) {
    for attribute in document.attributes(id) {
        let value = document.value(attribute).trim();
        match attribute.name {
            Name::WIDTH if has_size(name) => style.width = attribute_length(value).unwrap_or(style.width),
            Name::HEIGHT if has_size(name) => style.height = attribute_length(value).unwrap_or(style.height),
            Name::ALIGN if name == Name::TABLE || name == Name::IMG => {
                if value.eq_ignore_ascii_case("left") {
                    style.float = Side::Left;
                } else if value.eq_ignore_ascii_case("right") {
                    style.float = Side::Right;
                } else if value.eq_ignore_ascii_case("center") {
                    (style.margin[1], style.margin[3]) = (Length::Auto, Length::Auto);
                }
            }
            Name::ALIGN => style.centered = value.eq_ignore_ascii_case("center"),
            Name::SIZE if name == Name::FONT => {
                const SIZES: [f32; 7] = [10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0];
                let size = match (value.as_bytes().first(), value.trim_start_matches(['+', '-']).parse::<usize>()) {
                    (Some(b'+'), Ok(size)) => size.saturating_add(3),
                    (Some(b'-'), Ok(size)) => 3_usize.saturating_sub(size),
                    (_, Ok(size)) => size,
                    _ => continue,
                };
                style.font_size = SIZES[size.clamp(1, 7) - 1];
            }
            Name::BGCOLOR if has_background(name) => {
                style.background = attribute_color(value).unwrap_or(style.background);
            }
            Name::COLOR if name == Name::FONT => style.color = attribute_color(value).unwrap_or(style.color),
            Name::FACE if name == Name::FONT && !value.is_empty() => style.font_family = FontFamily::from_css(value),
            text if name == Name::BODY && document.name_text(text) == "text" => {
                style.color = attribute_color(value).unwrap_or(style.color);
            }
            Name::TYPE if name == Name::INPUT && value.eq_ignore_ascii_case("hidden") => style.display = Display::None,
            _ => {}
        }
    }
}

/// The background of a form control, or `None` if it has none.
fn control_background(document: &Document, id: NodeId, name: Name) -> Option<Color> {
    let kind = match name {
        Name::INPUT => document.attribute(id, Name::TYPE).unwrap_or_default(),
        Name::BUTTON => return Some(BUTTON_BACKGROUND),
        _ => return Some(Color::WHITE),
    };
    let is = |names: &[&str]| names.iter().any(|name| kind.eq_ignore_ascii_case(name));
    match kind {
        _ if is(&["submit", "button", "reset"]) => Some(BUTTON_BACKGROUND),
        _ if is(&["checkbox", "radio", "image"]) => None,
        _ => Some(Color::WHITE),
    }
}

/// Parses the colour of an attribute, in which the `#` may be missing.
fn attribute_color(value: &str) -> Option<Color> {
    let value = value.trim();
    Color::from_hex(value).or_else(|| Color::from_css(value)).filter(|color| !color.is_transparent())
}

/// Returns whether the `width` and `height` attributes of an element apply.
fn has_size(name: Name) -> bool {
    matches!(
        name,
        Name::TABLE
            | Name::TD
            | Name::TH
            | Name::TR
            | Name::IMG
            | Name::IFRAME
            | Name::VIDEO
            | Name::OBJECT
            | Name::EMBED
            | Name::CANVAS
            | Name::INPUT
            | Name::HR
            | Name::APPLET
            | Name::NONE
    )
}

/// Returns whether the `bgcolor` attribute of an element applies.
fn has_background(name: Name) -> bool {
    matches!(name, Name::BODY | Name::TABLE | Name::THEAD | Name::TBODY | Name::TFOOT | Name::TR | Name::TD | Name::TH)
}

/// Parses a number of pixels or a percentage, such as `100` or `50%`.
fn attribute_length(value: &str) -> Option<Length> {
    let digits = value.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let number: f32 = value[..digits].parse().ok()?;
    let number = number.clamp(0.0, 10_000.0);
    Some(if value[digits..].starts_with('%') { Length::Share(number / 100.0) } else { Length::Px(number) })
}

/// Applies declarations from the weakest to the strongest, important ones last.
fn apply<'a>(declarations: impl Iterator<Item = &'a Declaration> + Clone, above: &Style, style: &mut Style) {
    // The font size comes first, because other lengths may be multiples of it; so does the colour, which backgrounds may refer to.
    for important in [false, true] {
        for declaration in declarations.clone().filter(|one| one.important == important) {
            match (declaration.property, declaration.value) {
                (Property::FontSize, value) => {
                    style.font_size = match value {
                        Value::Px(pixels) => pixels,
                        Value::Em(count) => count * above.font_size,
                        Value::Percent(share) => share * above.font_size,
                        Value::Rem(count) => count * ROOT_FONT,
                        _ => style.font_size,
                    }
                }
                (Property::Color, Value::Color(color)) => style.color = color,
                (Property::Color, _) => style.color = above.color,
                _ => {}
            }
        }
    }
    for important in [false, true] {
        for declaration in declarations.clone().filter(|one| one.important == important) {
            apply_one(*declaration, above, style);
        }
    }
}

fn apply_one(Declaration { property, value, .. }: Declaration, above: &Style, style: &mut Style) {
    let length = match value {
        Value::Px(pixels) => Length::Px(pixels),
        Value::Percent(share) => Length::Share(share),
        Value::Em(count) => Length::Px(count * style.font_size),
        Value::Rem(count) => Length::Px(count * ROOT_FONT),
        _ => Length::Auto,
    };
    let word = match value {
        Value::Keyword(word) => Some(word),
        _ => None,
    };
    let side = match word {
        Some(Keyword::Left) => Side::Left,
        Some(Keyword::Right) => Side::Right,
        Some(Keyword::Both) => Side::Both,
        _ => Side::None,
    };
    match property {
        Property::Display => style.display = display(word, style.display),
        Property::Visibility => {
            style.visible = match word {
                Some(Keyword::Hidden) => false,
                Some(Keyword::Visible) => true,
                _ => above.visible,
            }
        }
        Property::Float => style.float = side,
        Property::Clear => style.clear = side,
        Property::Position => style.out_of_flow = word == Some(Keyword::OutOfFlow),
        Property::Width => style.width = length,
        Property::MaxWidth => style.max_width = length,
        Property::MinWidth => style.min_width = length,
        Property::Height => style.height = length,
        Property::MinHeight => style.min_height = length,
        Property::Left => style.left = length,
        Property::Top => style.top = length,
        Property::Margin(side) => style.margin[side as usize] = length,
        // Percentages count as 0: hardly any page has them here.
        Property::Padding(side) => style.padding[side as usize] = length.resolve(0.0).unwrap_or(0.0).max(0.0),
        Property::FontSize | Property::Color => {}
        Property::FontWeight => {
            style.font_weight = match value {
                Value::Keyword(Keyword::Bold) => 700,
                Value::Keyword(Keyword::Inherit) => above.font_weight,
                Value::Number(weight) => weight.clamp(1.0, 1_000.0) as u16,
                _ => style.font_weight,
            }
        }
        Property::FontStyle => {
            style.italic = match word {
                Some(Keyword::Inherit) => above.italic,
                _ => word == Some(Keyword::Italic),
            }
        }
        Property::FontFamily => {
            style.font_family = match value {
                Value::Family(family) => family,
                _ => above.font_family,
            }
        }
        Property::BackgroundColor => {
            let own = match value {
                Value::Color(color) => color,
                _ => style.color,
            };
            style.background = if own.is_transparent() { above.background } else { own };
        }
        Property::TextAlign => style.centered = word == Some(Keyword::Center),
        Property::FlexDirection => style.column = word == Some(Keyword::Column),
        Property::FlexGrow => {
            if let Value::Number(grow) = value {
                style.grow = grow.clamp(0.0, 1_000.0);
            }
        }
    }
}

fn display(word: Option<Keyword>, old: Display) -> Display {
    match word {
        Some(Keyword::None) => Display::None,
        Some(Keyword::Inline) => Display::Inline,
        Some(Keyword::InlineBlock) => Display::InlineBlock,
        Some(Keyword::Block) => Display::Block,
        Some(Keyword::Flex) => Display::Flex,
        Some(Keyword::Table) => Display::Table,
        Some(Keyword::RowGroup) => Display::RowGroup,
        Some(Keyword::Row) => Display::Row,
        Some(Keyword::Cell) => Display::Cell,
        _ => old,
    }
}

/// The default size of an image or a form control, or `None` for other elements. Images without a size are mostly icons and small
/// photographs; half of those in the labelled pages are smaller than this.
pub(super) fn replaced_size(document: &Document, id: NodeId, font_size: f32) -> Option<(f32, f32)> {
    Some(match document.html_name(id) {
        Name::IMG => (100.0, 75.0),
        Name::INPUT => match document.attribute(id, Name::TYPE).unwrap_or("text") {
            kind if kind.eq_ignore_ascii_case("checkbox") || kind.eq_ignore_ascii_case("radio") => (13.0, 13.0),
            kind if kind.eq_ignore_ascii_case("submit") || kind.eq_ignore_ascii_case("button") => {
                let label = document.attribute(id, Name::VALUE).map_or(6, |value| value.chars().take(80).count());
                (label as f32 * 7.0 + 16.0, 22.0)
            }
            kind if kind.eq_ignore_ascii_case("image") => (60.0, 22.0),
            _ => match document.attribute(id, Name::SIZE).and_then(input_size) {
                Some(size) => (size * 0.45 * font_size, 22.0),
                None => (153.0, 22.0),
            },
        },
        Name::SELECT => (120.0, 19.0),
        Name::TEXTAREA => (182.0, 36.0),
        Name::IFRAME | Name::VIDEO | Name::OBJECT | Name::EMBED | Name::CANVAS => (300.0, 150.0),
        _ if document.name(id) == Name::SVG => (24.0, 24.0),
        _ => return None,
    })
}

/// Parses the `size` attribute of an input, in characters.
fn input_size(text: &str) -> Option<f32> {
    match length(text).or_else(|| text.trim().parse().ok().map(Value::Number)) {
        Some(Value::Number(number)) if number.is_finite() => Some(number.clamp(1.0, 200.0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Parser;

    fn style(page: &str) -> Style {
        let document = Parser::default().parse(page).unwrap();
        let wanted = document.ids().find(|id| document.attribute(*id, Name::ID) == Some("x")).unwrap();
        styles(&document)[wanted.index()]
    }

    #[test]
    fn the_stronger_rule_wins() {
        let page = "<style>p{width:1px;font-size:2em;height:1em} .a{width:2px!important} #x{width:3px}</style>
            <div style='font-size:10px'><p id=x class=a style='width:4px'>";
        let style = style(page);
        assert_eq!((style.width, style.height, style.font_size), (Length::Px(2.0), Length::Px(20.0), 20.0));
    }

    #[test]
    fn hidden_elements_hide_their_descendants() {
        assert_eq!(style("<div style='display:none'><p><b id=x>").display, Display::None);
        assert_eq!(style("<div hidden><b id=x>").display, Display::None);
        assert!(!style("<div style='visibility:hidden'><p><b id=x>").visible);
        assert!(style("<div style='visibility:hidden'><p style='visibility:visible'><b id=x>").visible);
    }

    #[test]
    fn attributes_set_sizes() {
        let style = style("<table><tr><td id=x width='20%' height=30 align=center>");
        assert_eq!((style.width, style.height, style.centered), (Length::Share(0.2), Length::Px(30.0), true));
    }

    /// The colour of the text and of the background, as hexadecimal digits.
    fn colors(page: &str) -> [String; 2] {
        let style = style(page);
        [style.color, style.background].map(|color| format!("{:02x}{:02x}{:02x}", color.r, color.g, color.b))
    }

    #[test]
    fn text_colors_are_inherited() {
        assert_eq!(colors("<p id=x>"), ["000000", "ffffff"]);
        assert_eq!(colors("<style>div{color:red}</style><div><p><b id=x>")[0], "ff0000");
        assert_eq!(
            colors("<style>div{color:red} #x{color:lime}</style><div><p id=x style='color:inherit'>")[0],
            "ff0000"
        );
        assert_eq!(colors("<style>p{color:red!important}</style><p id=x style='color:blue'>")[0], "ff0000");
        assert_eq!(colors("<div style='color:red'><p id=x style='color:nonsense'>")[0], "ff0000");
        assert_eq!(colors("<div style='color:red'><a id=x>")[0], "ff0000");
        assert_eq!(colors("<div style='color:red'><a id=x href=y>")[0], "0000ee");
        assert_eq!(colors("<body link=teal><a href=y><b id=x>")[0], "008080");
    }

    #[test]
    fn backgrounds_are_those_of_the_nearest_element_that_has_one() {
        assert_eq!(colors("<div style='background:red'><p><b id=x>")[1], "ff0000");
        for none in ["transparent", "rgba(9,9,9,0)", "inherit", "none", "#0000", "url(x.png)"] {
            let page = format!(
                "<style>#x{{background:lime}}</style><div style='background:red'><p id=x style='background:{none}'>"
            );
            assert_eq!(colors(&page)[1], "ff0000", "{none}");
        }
        assert_eq!(colors("<p id=x style='background-color:currentcolor;color:navy'>"), ["000080", "000080"]);
        assert_eq!(colors("<div style='background:red'><input id=x type=submit>")[1], "efefef");
        assert_eq!(colors("<div style='background:red'><input id=x type=radio>")[1], "ff0000");
    }

    #[test]
    fn attributes_set_colors_and_fonts() {
        assert_eq!(colors("<body bgcolor=ffeecc text='#333'><p id=x>"), ["333333", "ffeecc"]);
        assert_eq!(colors("<table bgcolor=red><tr bgcolor='#0f0'><td id=x>")[1], "00ff00");
        assert_eq!(colors("<table bgcolor=red><tr><td id=x bgcolor=''>")[1], "ff0000");
        assert_eq!(colors("<p bgcolor=red color=red id=x>"), ["000000", "ffffff"]);
        assert_eq!(colors("<style>td{background:#fff}</style><table><tr><td id=x bgcolor=red>")[1], "ffffff");
        let font = style("<font color=green face='Arial, Helvetica'><b id=x>");
        assert_eq!((font.color.g, font.font_family), (128, FontFamily::from_css("Arial")));
    }

    #[test]
    fn font_families_and_styles_are_inherited() {
        let family = FontFamily::from_css;
        assert_eq!(style("<p id=x>").font_family, family("serif"));
        assert_eq!(style("<pre><b id=x>").font_family, family("monospace"));
        let page = "<div style='font:italic 12px Georgia'><p><b id=x>";
        assert_eq!((style(page).font_family, style(page).italic), (family("Georgia"), true));
        assert!(!style("<em><span id=x style='font-style:normal'>").italic);
        assert!(style("<em style='font-style:normal'><i><b id=x style='font-style:inherit'>").italic);
        assert_eq!(style("<code id=x style='font-family:inherit'>").font_family, family("serif"));
        assert!(style("<address id=x>").italic);
    }
}
