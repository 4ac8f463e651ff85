//! The colours of text and backgrounds.

/// A colour.
///
/// ```
/// use dehusk::layout::Color;
///
/// assert_eq!(Color::from_css("rgb(255 255 255)"), Some(Color::WHITE));
/// assert_eq!(Color::BLACK.distance(Color::WHITE), 1.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Color {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// Opacity: 0 is transparent, 255 is opaque.
    pub a: u8,
}

/// The maximum length of a colour in bytes. Longer ones are not read, so that a page cannot make one declaration expensive.
const MAX_BYTES: usize = 64;

impl Color {
    /// The default colour of text.
    pub const BLACK: Color = Color { r: 0, g: 0, b: 0, a: 255 };
    /// The default background of a page.
    pub const WHITE: Color = Color { r: 255, g: 255, b: 255, a: 255 };
    /// No colour: what is behind it is visible.
    pub const TRANSPARENT: Color = Color { r: 0, g: 0, b: 0, a: 0 };

    /// Parses 3, 4, 6 or 8 hexadecimal digits, with or without `#` before them.
    pub fn from_hex(text: &str) -> Option<Color> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| parse(digits))?
    }

    /// Parses a colour of CSS: a name, `#` with hexadecimal digits, or a function such as `rgb()` or `hsl()`.
    pub fn from_css(text: &str) -> Option<Color> {
        // The parser also reads digits without `#`. Browsers do not, except for some properties in quirks mode.
        let is_bare_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_bare_hex { None } else { parse(text) }
    }

    /// Returns whether it is not visible at all.
    pub fn is_transparent(self) -> bool {
        self.a == 0
    }

    /// The distance from another colour in RGB, 0 to 1. Translucent colours count as they are on white.
    pub fn distance(self, other: Color) -> f32 {
        let (one, two) = (self.on_white(), other.on_white());
        let sum: f32 = one.iter().zip(two).map(|(one, two)| (one - two).powi(2)).sum();
        (sum / 3.0).sqrt() / 255.0
    }

    fn on_white(self) -> [f32; 3] {
        let opacity = f32::from(self.a) / 255.0;
        [self.r, self.g, self.b].map(|part| 255.0 - opacity * (255.0 - f32::from(part)))
    }
}

fn parse(text: &str) -> Option<Color> {
    if text.len() > MAX_BYTES || !text.is_ascii() {
        return None;
    }
    let [r, g, b, a] = csscolorparser::parse(text).ok()?.to_rgba8();
    Some(Color { r, g, b, a })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Option<Color> {
        Some(Color::from_hex(text).unwrap())
    }

    #[test]
    fn all_notations_are_read() {
        for (text, expected) in [
            ("#f00", "ff0000"),
            ("#F00a", "ff0000aa"),
            ("#ff0000", "ff0000"),
            ("#ff000080", "ff000080"),
            ("rgb(255, 0,0)", "ff0000"),
            ("rgb(100% 0% 0%)", "ff0000"),
            ("rgb(300, -5, 0)", "ff0000"),
            ("RGBA(255,0,0,0.5)", "ff000080"),
            ("rgb(255 0 0 / 50%)", "ff000080"),
            ("hsl(120, 100%, 50%)", "00ff00"),
            ("hsla(240deg 100% 50% / 1)", "0000ff"),
            ("Red", "ff0000"),
            ("rebeccapurple", "663399"),
            ("lightgoldenrodyellow", "fafad2"),
            ("DarkGrey", "a9a9a9"),
            ("transparent", "0000"),
        ] {
            assert_eq!(Color::from_css(text), hex(expected), "{text}");
        }
    }

    #[test]
    fn malformed_colors_are_rejected() {
        let long = format!("rgb({}1,1,1)", " ".repeat(100));
        for text in [
            "", "#", "#12", "#12345", "#ggg", "fff", "rgb(", "rgb()", "rgb(1,2", "rgb(1,2)", "reddish", "é", "#é1",
            ")(", &long,
        ] {
            assert_eq!(Color::from_css(text), None, "{text}");
        }
        assert_eq!(Color::from_hex("red"), None);
        assert_eq!(Color::from_hex(""), None);
    }

    #[test]
    fn distances_are_between_0_and_1() {
        assert_eq!(Color::WHITE.distance(Color::TRANSPARENT), 0.0);
        let red = Color::from_hex("ff0000").unwrap();
        assert!((red.distance(Color::BLACK) - 0.577).abs() < 0.001);
        assert_eq!(red.distance(Color::BLACK), Color::BLACK.distance(red));
    }
}
