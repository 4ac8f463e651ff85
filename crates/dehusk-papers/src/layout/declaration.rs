//! Parses CSS declarations: the few properties that matter for the layout, from `property: value` lists.
//!
//! Declarations that are not understood are skipped, as in browsers. Functions such as `calc()` and variables are not understood.

use dehusk::layout::{Color, FontFamily};

/// A property that the layout uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Property {
    Display,
    Visibility,
    Float,
    Clear,
    Position,
    Width,
    MaxWidth,
    MinWidth,
    Height,
    MinHeight,
    Left,
    Top,
    /// Of a side: top, right, bottom, left.
    Margin(u8),
    /// Of a side: top, right, bottom, left.
    Padding(u8),
    FontSize,
    FontWeight,
    TextAlign,
    FlexDirection,
    FlexGrow,
    FontFamily,
    FontStyle,
    Color,
    BackgroundColor,
}

impl Property {
    /// Returns whether it changes only what a box looks like, never its size or position.
    pub(super) fn is_paint_only(self) -> bool {
        matches!(self, Property::FontFamily | Property::FontStyle | Property::Color | Property::BackgroundColor)
    }
}

/// A value. Its meaning depends on the property.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value {
    Auto,
    Px(f32),
    Percent(f32),
    Em(f32),
    Rem(f32),
    Number(f32),
    Keyword(Keyword),
    Color(Color),
    Family(FontFamily),
}

/// The keywords that the layout uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    None,
    Inline,
    InlineBlock,
    Block,
    Flex,
    Table,
    RowGroup,
    Row,
    Cell,
    Hidden,
    Visible,
    Left,
    Right,
    Both,
    Center,
    Column,
    OutOfFlow,
    InFlow,
    Inherit,
    Bold,
    Italic,
    Upright,
    CurrentColor,
}

/// One declaration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Declaration {
    pub(super) property: Property,
    pub(super) value: Value,
    pub(super) important: bool,
}

/// The maximum number of declarations read from one block.
const MAX_DECLARATIONS: usize = 1_000;

/// Appends the declarations of a block or of a style attribute.
pub(super) fn append_declarations(text: &str, out: &mut Vec<Declaration>) {
    for declaration in text.split(';').take(MAX_DECLARATIONS) {
        if let Some((property, value)) = declaration.split_once(':') {
            append_declaration(strip_comments(property), value, out);
        }
    }
}

/// The text after the last comment: `/* note */ width`.
fn strip_comments(text: &str) -> &str {
    text.rsplit("*/").next().unwrap_or(text).trim()
}

fn append_declaration(property: &str, value: &str, out: &mut Vec<Declaration>) {
    let mut name = [0; 16];
    let Some(name) = name.get_mut(..property.len()) else { return };
    name.copy_from_slice(property.as_bytes());
    name.make_ascii_lowercase();
    let (value, important) = match value.split_once('!') {
        Some((value, rest)) => (value, rest.trim().eq_ignore_ascii_case("important")),
        None => (value, false),
    };
    let mut push = |property, value: Option<Value>| {
        out.extend(value.map(|value| Declaration { property, value, important }));
    };
    let value = value.split("/*").next().unwrap_or(value).trim();
    match &*name {
        b"display" => push(Property::Display, display(value)),
        b"visibility" => push(Property::Visibility, keyword(value)),
        b"float" => push(Property::Float, keyword(value)),
        b"clear" => push(Property::Clear, keyword(value)),
        b"position" => push(Property::Position, keyword(value)),
        b"width" => push(Property::Width, length(value)),
        b"max-width" => push(Property::MaxWidth, length(value)),
        b"min-width" => push(Property::MinWidth, length(value)),
        b"height" => push(Property::Height, length(value)),
        b"min-height" => push(Property::MinHeight, length(value)),
        b"left" => push(Property::Left, length(value)),
        b"top" => push(Property::Top, length(value)),
        b"font-size" => push(Property::FontSize, font_size(value)),
        b"font-weight" => push(Property::FontWeight, keyword(value).or_else(|| number(value))),
        b"font" => {
            push(Property::FontSize, value.split_whitespace().find_map(|part| length(part.split('/').next()?)));
            font(value, push);
        }
        b"font-family" => push(Property::FontFamily, font_family(value)),
        b"font-style" => push(Property::FontStyle, font_style(value)),
        b"color" => push(Property::Color, color(value)),
        b"background-color" => push(Property::BackgroundColor, background_color(value)),
        b"background" => push(Property::BackgroundColor, background(value)),
        b"text-align" => push(Property::TextAlign, keyword(value)),
        b"flex-direction" => push(Property::FlexDirection, keyword(value)),
        b"flex-grow" => push(Property::FlexGrow, number(value)),
        b"flex" => push(Property::FlexGrow, value.split_whitespace().next().and_then(number)),
        b"margin" => sides(value, |side, value| push(Property::Margin(side), value)),
        b"padding" => sides(value, |side, value| push(Property::Padding(side), value)),
        b"margin-top" => push(Property::Margin(0), length(value)),
        b"margin-right" => push(Property::Margin(1), length(value)),
        b"margin-bottom" => push(Property::Margin(2), length(value)),
        b"margin-left" => push(Property::Margin(3), length(value)),
        b"padding-top" => push(Property::Padding(0), length(value)),
        b"padding-right" => push(Property::Padding(1), length(value)),
        b"padding-bottom" => push(Property::Padding(2), length(value)),
        b"padding-left" => push(Property::Padding(3), length(value)),
        _ => {}
    }
}

/// The values of the four sides of a shorthand such as `margin: 0 auto`.
fn sides(value: &str, mut push: impl FnMut(u8, Option<Value>)) {
    let mut parts = [None; 4];
    let mut count = 0;
    for part in value.split_ascii_whitespace() {
        if count == 4 {
            return;
        }
        parts[count] = length(part);
        count += 1;
    }
    let indexes = match count {
        1 => [0, 0, 0, 0],
        2 => [0, 1, 0, 1],
        3 => [0, 1, 2, 1],
        4 => [0, 1, 2, 3],
        _ => return,
    };
    for (side, index) in indexes.into_iter().enumerate() {
        push(side as u8, parts[index]);
    }
}

fn display(value: &str) -> Option<Value> {
    let is = |name: &str| value.eq_ignore_ascii_case(name);
    let word = match value.as_bytes().first()?.to_ascii_lowercase() {
        b'n' if is("none") => Keyword::None,
        b'b' if is("block") => Keyword::Block,
        b'l' if is("list-item") => Keyword::Block,
        b'i' if is("inline") => Keyword::Inline,
        b'i' if is("inline-block") || is("inline-flex") || is("inline-table") || is("inline-grid") => {
            Keyword::InlineBlock
        }
        b'f' if is("flex") => Keyword::Flex,
        b'f' if is("flow-root") => Keyword::Block,
        b'g' if is("grid") => Keyword::Block,
        b't' if is("table") => Keyword::Table,
        b't' if is("table-row-group") || is("table-header-group") || is("table-footer-group") => Keyword::RowGroup,
        b't' if is("table-row") => Keyword::Row,
        b't' if is("table-cell") => Keyword::Cell,
        b't' if is("table-caption") => Keyword::Block,
        b'c' if is("contents") => Keyword::Inline,
        _ => return None,
    };
    Some(Value::Keyword(word))
}

fn keyword(value: &str) -> Option<Value> {
    const KEYWORDS: [(&str, Keyword); 17] = [
        ("none", Keyword::None),
        ("hidden", Keyword::Hidden),
        ("collapse", Keyword::Hidden),
        ("visible", Keyword::Visible),
        ("left", Keyword::Left),
        ("right", Keyword::Right),
        ("both", Keyword::Both),
        ("center", Keyword::Center),
        ("column", Keyword::Column),
        ("column-reverse", Keyword::Column),
        ("absolute", Keyword::OutOfFlow),
        ("fixed", Keyword::OutOfFlow),
        ("static", Keyword::InFlow),
        ("relative", Keyword::InFlow),
        ("inherit", Keyword::Inherit),
        ("bold", Keyword::Bold),
        ("bolder", Keyword::Bold),
    ];
    KEYWORDS.iter().find(|(name, _)| value.eq_ignore_ascii_case(name)).map(|(_, word)| Value::Keyword(*word))
}

fn number(value: &str) -> Option<Value> {
    value.parse().ok().filter(|number: &f32| number.is_finite()).map(Value::Number)
}

fn font_size(value: &str) -> Option<Value> {
    const SIZES: [(&str, Value); 9] = [
        ("xx-small", Value::Px(9.0)),
        ("x-small", Value::Px(10.0)),
        ("small", Value::Px(13.0)),
        ("medium", Value::Px(16.0)),
        ("large", Value::Px(18.0)),
        ("x-large", Value::Px(24.0)),
        ("xx-large", Value::Px(32.0)),
        ("smaller", Value::Em(0.83)),
        ("larger", Value::Em(1.2)),
    ];
    match SIZES.iter().find(|(name, _)| value.eq_ignore_ascii_case(name)) {
        Some((_, size)) => Some(*size),
        None => length(value),
    }
}

/// The family and style of a `font` shorthand: `italic bold 12px/1.5 Georgia, serif`. Without a size or a family it is invalid.
fn font(value: &str, mut push: impl FnMut(Property, Option<Value>)) {
    if is_inherited(value) {
        push(Property::FontFamily, Some(Value::Keyword(Keyword::Inherit)));
        push(Property::FontStyle, Some(Value::Keyword(Keyword::Inherit)));
        return;
    }
    let mut style = Keyword::Upright;
    let mut rest = value;
    while let Some((word, after)) = rest.split_once(|character: char| character.is_ascii_whitespace()) {
        let after = after.trim_start();
        let size = word.split('/').next().unwrap_or(word);
        if font_size(size).is_none() {
            if let Some(Value::Keyword(Keyword::Italic)) = font_style(word) {
                style = Keyword::Italic;
            }
            rest = after;
            continue;
        }
        // The line height may be apart from its slash.
        let has_line_height = after.starts_with('/') || word.ends_with('/');
        let family = match after.trim_start_matches('/').trim_start().split_once(|c: char| c.is_ascii_whitespace()) {
            _ if !has_line_height => after,
            Some((_line_height, family)) => family,
            None => return,
        };
        push(Property::FontFamily, font_family(family));
        push(Property::FontStyle, Some(Value::Keyword(style)));
        return;
    }
}

fn font_family(value: &str) -> Option<Value> {
    if is_inherited(value) {
        return Some(Value::Keyword(Keyword::Inherit));
    }
    Some(FontFamily::from_css(value)).filter(|family| *family != FontFamily::default()).map(Value::Family)
}

fn font_style(value: &str) -> Option<Value> {
    let word = value.split_ascii_whitespace().next()?;
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    Some(Value::Keyword(match word {
        _ if is("italic") || is("oblique") => Keyword::Italic,
        _ if is("normal") || is("initial") => Keyword::Upright,
        _ if is_inherited(word) => Keyword::Inherit,
        _ => return None,
    }))
}

fn is_inherited(value: &str) -> bool {
    value.eq_ignore_ascii_case("inherit") || value.eq_ignore_ascii_case("unset")
}

fn color(value: &str) -> Option<Value> {
    match value {
        _ if is_inherited(value) || value.eq_ignore_ascii_case("currentcolor") => {
            Some(Value::Keyword(Keyword::Inherit))
        }
        _ if value.eq_ignore_ascii_case("initial") => Some(Value::Color(Color::BLACK)),
        _ => Color::from_css(value).map(Value::Color),
    }
}

/// A node reports the background behind it, so an inherited background is the same as none.
fn background_color(value: &str) -> Option<Value> {
    match value {
        _ if value.eq_ignore_ascii_case("currentcolor") => Some(Value::Keyword(Keyword::CurrentColor)),
        _ if is_inherited(value) || value.eq_ignore_ascii_case("initial") => Some(Value::Color(Color::TRANSPARENT)),
        _ => Color::from_css(value).map(Value::Color),
    }
}

/// The colour of a `background` shorthand. A shorthand without one removes the colour of weaker rules.
fn background(value: &str) -> Option<Value> {
    let mut found = Value::Color(Color::TRANSPARENT);
    let mut rest = value;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(word_length(rest));
        match background_color(word) {
            Some(color) => found = color,
            // Browsers reject the whole declaration.
            None if word.starts_with('#') => return None,
            // What a variable contains is not known.
            None if word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("var(")) => return None,
            None => {}
        }
        rest = after.trim_start_matches(|character: char| character.is_ascii_whitespace() || character == ',');
    }
    (!value.is_empty()).then_some(found)
}

/// The length of the first word. Functions such as `rgb(0, 0, 0)` are one word. It is at least 1.
fn word_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b',' if depth == 0 && at > 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// Parses a length such as `12px`, `50%`, `1.5em` or `auto`. Plain numbers other than 0 are not lengths.
pub(super) fn length(value: &str) -> Option<Value> {
    if value.eq_ignore_ascii_case("auto") || value.eq_ignore_ascii_case("none") {
        return Some(Value::Auto);
    }
    let digits = value.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+')).count();
    let number: f32 = value[..digits].parse().ok()?;
    // Positions far outside any page would cost all others their precision.
    let number = number.clamp(-100_000.0, 100_000.0);
    let unit = value[digits..].trim();
    let is = |name: &str| unit.eq_ignore_ascii_case(name);
    Some(match unit {
        "%" => Value::Percent(number / 100.0),
        "" if number == 0.0 => Value::Px(0.0),
        _ if is("px") => Value::Px(number),
        _ if is("em") => Value::Em(number),
        _ if is("rem") => Value::Rem(number),
        _ if is("pt") => Value::Px(number * 4.0 / 3.0),
        _ if is("ex") || is("ch") => Value::Em(number * 0.5),
        _ if is("vw") => Value::Px(number / 100.0 * dehusk::layout::VIEWPORT_WIDTH),
        _ if is("vh") => Value::Px(number / 100.0 * dehusk::layout::VIEWPORT_HEIGHT),
        _ if is("pc") => Value::Px(number * 16.0),
        _ if is("in") => Value::Px(number * 96.0),
        _ if is("cm") => Value::Px(number * 37.8),
        _ if is("mm") => Value::Px(number * 3.78),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Property, Value)> {
        let mut out = Vec::new();
        append_declarations(text, &mut out);
        out.into_iter().map(|declaration| (declaration.property, declaration.value)).collect()
    }

    #[test]
    fn known_properties_are_read_and_others_skipped() {
        let text = "/* a */ WIDTH: 12px !important; zoom: 2; float:left;width:calc(1px);Display : none;;x";
        let expected = [
            (Property::Width, Value::Px(12.0)),
            (Property::Float, Value::Keyword(Keyword::Left)),
            (Property::Display, Value::Keyword(Keyword::None)),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn shorthands_set_all_sides() {
        let margins: Vec<Value> = read("margin: 0 auto 1em").into_iter().map(|pair| pair.1).collect();
        assert_eq!(margins, [Value::Px(0.0), Value::Auto, Value::Em(1.0), Value::Auto]);
    }

    #[test]
    fn font_shorthands_set_size_family_and_style() {
        let family = |list| (Property::FontFamily, Value::Family(FontFamily::from_css(list)));
        let style = |word| (Property::FontStyle, Value::Keyword(word));
        let size = (Property::FontSize, Value::Px(12.0));
        for (text, list, word) in [
            ("font: bold 12px/1.5 Arial", "Arial", Keyword::Upright),
            ("font: italic small-caps bold 12px/30px Georgia, serif", "Georgia, serif", Keyword::Italic),
            ("font:12px / 2 'Courier New',monospace", "'Courier New'", Keyword::Upright),
            ("font: OBLIQUE 12px/ 2 Arial", "Arial", Keyword::Italic),
        ] {
            assert_eq!(read(text), [size, family(list), style(word)], "{text}");
        }
        assert_eq!(read("font: small Arial"), [family("Arial"), style(Keyword::Upright)]);
        let inherit = Value::Keyword(Keyword::Inherit);
        assert_eq!(read("font: inherit"), [(Property::FontFamily, inherit), (Property::FontStyle, inherit)]);
        for text in ["font: 12px", "font: 12px/", "font:12px /2", "font: 12px/ 2"] {
            assert_eq!(read(text), [size], "{text}");
        }
        for text in ["font: caption", "font:", "font: Arial", "font-style: é", "font-family: ''", "font-family:"] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn the_color_of_a_background_is_read() {
        let background = |color| [(Property::BackgroundColor, Value::Color(color))];
        let red = Color::from_hex("f00").unwrap();
        for text in [
            "background: red",
            "background: url(a.png) no-repeat 0 50% #F00",
            "background:#f00 url('a b, c.png')",
            "background: linear-gradient(#000, #fff 50%), url(x), rgb( 255 , 0, 0 )",
            "background-color: hsl(0 100% 50%) !important",
        ] {
            assert_eq!(read(text), background(red), "{text}");
        }
        for text in [
            "background: none",
            "background: url(a.png)",
            "background:inherit",
            "background: url(red",
            "background-color:transparent",
        ] {
            assert_eq!(read(text), background(Color::TRANSPARENT), "{text}");
        }
        for text in [
            "background:",
            "background: #ggg",
            "background: var(--x)",
            "background-color: url(x)",
            "background-color: red blue",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
        assert_eq!(read("color: initial"), [(Property::Color, Value::Color(Color::BLACK))]);
        assert_eq!(read("color: currentColor"), [(Property::Color, Value::Keyword(Keyword::Inherit))]);
        for text in ["color: ", "color: #12", "color: rgb(1,2", "color: é", "color: red red", "color: )("] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn malformed_lengths_are_rejected() {
        for text in ["12", "px", "1e9px", "--5px", "12 px px", "", "é", "0.0.1px"] {
            assert_eq!(length(text), None, "{text}");
        }
        assert_eq!(length("-9999999px"), Some(Value::Px(-100_000.0)));
        assert_eq!(length("0"), Some(Value::Px(0.0)));
    }
}
