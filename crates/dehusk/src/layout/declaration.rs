//! Parses CSS declarations: the few properties that matter for the layout, from `property: value` lists.
//!
//! Declarations that are not understood are skipped, as in browsers. Functions such as `calc()` and variables are not understood.

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
        b"font" => push(Property::FontSize, value.split_whitespace().find_map(|part| length(part.split('/').next()?))),
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
        _ if is("vw") => Value::Px(number / 100.0 * super::VIEWPORT_WIDTH),
        _ if is("vh") => Value::Px(number / 100.0 * super::VIEWPORT_HEIGHT),
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
        let text = "/* a */ WIDTH: 12px !important; color: red; float:left;width:calc(1px);Display : none;;x";
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
        assert_eq!(read("font: bold 12px/1.5 Arial"), [(Property::FontSize, Value::Px(12.0))]);
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
