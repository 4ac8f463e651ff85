//! What the values of a column of JSON have in common, for a column of Parquet that holds them without loss.

use serde_json::value::RawValue;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonKind {
    Bool,
    I64,
    U64,
    F64,
    /// Texts as they are, and the JSON of anything else.
    Text,
}

/// What was seen in a column.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenValues {
    bools: bool,
    negative: bool,
    integers: bool,
    /// Integers beyond the signed ones.
    large: bool,
    /// Integers that no float holds exactly.
    long: bool,
    floats: bool,
    texts: bool,
}

impl SeenValues {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: &RawValue) {
        let text = value.get();
        match text.as_bytes().first() {
            Some(b'n') => {}
            Some(b't' | b'f') => self.bools = true,
            Some(b'-' | b'0'..=b'9') => self.add_number(text),
            _ => self.texts = true,
        }
    }

    fn add_number(&mut self, text: &str) {
        // No integer is negative zero, but a float is.
        let integer = if text == "-0" { None } else { text.parse::<i128>().ok() };
        match integer {
            Some(integer) if i64::try_from(integer).is_ok() || u64::try_from(integer).is_ok() => {
                self.integers = true;
                self.negative |= integer < 0;
                self.large |= integer > i128::from(i64::MAX);
                self.long |= integer.unsigned_abs() > 1 << 53;
            }
            _ => match text.parse::<f64>() {
                Ok(float) if float.is_finite() && decimal(text) == decimal(&format!("{float:e}")) => self.floats = true,
                // A number that only its text holds.
                _ => self.texts = true,
            },
        }
    }

    /// The type that holds all values.
    pub(crate) fn kind(&self) -> JsonKind {
        match (self.texts, self.bools, self.integers, self.floats) {
            (false, true, false, false) => JsonKind::Bool,
            (false, false, true, false) if !self.large => JsonKind::I64,
            (false, false, true, false) if !self.negative => JsonKind::U64,
            (false, false, _, true) if !self.long => JsonKind::F64,
            _ => JsonKind::Text,
        }
    }
}

/// The sign, the digits without zeros at their ends, and the power of ten of the last digit.
fn decimal(text: &str) -> (bool, String, i64) {
    let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let trimmed = digits.trim_end_matches('0');
    let zeros = (digits.len() - trimmed.len()) as i64 - fraction.len() as i64;
    let trimmed = trimmed.trim_start_matches('0').to_string();
    let exponent = exponent.trim_start_matches('+').parse::<i64>().unwrap_or(i64::MAX).saturating_add(zeros);
    if trimmed.is_empty() { (is_negative, trimmed, 0) } else { (is_negative, trimmed, exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(values: &[&str]) -> JsonKind {
        let mut seen = SeenValues::default();
        for value in values {
            seen.add(&RawValue::from_string(value.to_string()).unwrap());
        }
        seen.kind()
    }

    #[test]
    fn a_type_holds_every_value_exactly() {
        assert_eq!(kind(&["1", "null", "-9223372036854775808"]), JsonKind::I64);
        assert_eq!(kind(&["1", "18446744073709551615"]), JsonKind::U64);
        assert_eq!(kind(&["-1", "18446744073709551615"]), JsonKind::Text);
        assert_eq!(kind(&["18446744073709551616"]), JsonKind::Text);
        assert_eq!(kind(&["18446744073709551617"]), JsonKind::Text);
        assert_eq!(kind(&["1", "0.1", "-0", "1.50E+2", "2.5e-1", "0.0"]), JsonKind::F64);
        assert_eq!(kind(&["9007199254740993", "0.5"]), JsonKind::Text);
        assert_eq!(kind(&["0.1000000000000000055"]), JsonKind::Text);
        assert_eq!(kind(&["1e400"]), JsonKind::Text);
        assert_eq!(kind(&["1e99999999999999999999"]), JsonKind::Text);
        assert_eq!(kind(&["true", "false"]), JsonKind::Bool);
        assert_eq!(kind(&["true", "1"]), JsonKind::Text);
        assert_eq!(kind(&["\"1\"", "2", "[3]"]), JsonKind::Text);
        assert_eq!(kind(&[]), JsonKind::Text);
    }
}
