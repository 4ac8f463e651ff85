//! What short texts look like: dates as pages show them, prices, names of people, labels.
//!
//! A shape is a hint, and weaker than what elements and class names say. Dates are known in the languages of `metadata/dates.rs`.

use crate::metadata::dates::month;

/// Maximum length of a date, a price and a name, in bytes.
const MAX_DATE: usize = 64;
const MAX_PRICE: usize = 48;
const MAX_NAME: usize = 48;
/// Maximum number of words of a date and of a name.
const MAX_DATE_WORDS: usize = 9;
const MAX_NAME_WORDS: usize = 5;

/// Words of dates that are told from today: beside a number, and alone.
const RELATIVE: [&str; 13] =
    ["ago", "vor", "hace", "atrás", "há", "fa", "geleden", "sedan", "siden", "temu", "назад", "il", "prije"];
const DAYS: [&str; 22] = [
    "yesterday",
    "today",
    "gestern",
    "heute",
    "hier",
    "aujourd",
    "ayer",
    "hoy",
    "ontem",
    "hoje",
    "ieri",
    "oggi",
    "gisteren",
    "vandaag",
    "igår",
    "idag",
    "wczoraj",
    "dzisiaj",
    "вчера",
    "сегодня",
    "昨天",
    "今天",
];

/// Whether a text is a date or time as pages show it: `March 5, 2024`, `05/03/24 10:20`, `3 years ago`, `Jul 9`.
pub(crate) fn is_date(text: &str) -> bool {
    let text = text.trim();
    if text.len() > MAX_DATE || text.len() < 2 {
        return false;
    }
    // Most texts have no digit, and need no more than this.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return text.len() <= MAX_DAY && DAYS.contains(&text.to_lowercase().as_str());
    }
    let lower = text.to_lowercase();
    let parts = || lower.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    if parts().count() > MAX_DATE_WORDS {
        return false;
    }
    let mut numbers = lower.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    numbers.any(|part| part.len() <= 4)
        && (parts().any(|part| RELATIVE.contains(&part) || DAYS.contains(&part) || is_month(part))
            || lower.ends_with(['前', '전'])
            || has_numeric_date(&lower))
}

/// Longest name of a day, in bytes.
const MAX_DAY: usize = 20;

/// A month by its name, also with the day glued to it: `5may`.
fn is_month(part: &str) -> bool {
    month(part.trim_matches(|c: char| c.is_ascii_digit())).is_some()
}

/// Whether three numbers are joined as in `2024-03-05`, `5.3.24` and `03/04/2024`, or by the characters for year and month.
fn has_numeric_date(text: &str) -> bool {
    if text.contains(['年', '년']) && text.contains(['月', '월']) {
        return true;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let Some((one, next)) = number(bytes, at) else {
            at += 1;
            continue;
        };
        at = next;
        let Some(separator) = bytes.get(next).filter(|byte| matches!(byte, b'-' | b'/' | b'.')) else { continue };
        let Some((two, next)) = number(bytes, next + 1) else { continue };
        if bytes.get(next) != Some(separator) || two > 2 {
            continue;
        }
        let Some((three, _)) = number(bytes, next + 1) else { continue };
        // A version number such as 1.2.3 is none.
        if matches!((one, three), (4, 1..=2) | (1..=2, 4)) || (one <= 2 && two <= 2 && three == 2) {
            return true;
        }
    }
    false
}

/// The number of digits at a position, and the position after them.
fn number(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let digits = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some((digits, at + digits))
}

/// Codes and words of currencies that are written with letters.
const CURRENCIES: [&str; 22] = [
    "usd", "eur", "gbp", "chf", "cad", "aud", "jpy", "cny", "inr", "rub", "pln", "sek", "nok", "dkk", "czk", "huf",
    "brl", "kr", "zł", "руб", "rs", "lei",
];

/// Whether a text is a price: a number beside a currency, and little else.
pub(crate) fn is_price(text: &str) -> bool {
    let text = text.trim();
    if text.len() > MAX_PRICE || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let has_symbol = text.contains(['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '฿', '₫', '₪']);
    let has_code = words.clone().any(|word| CURRENCIES.contains(&word));
    // "from $5 per month" is a price, a sentence about money is none.
    (has_symbol || has_code) && words.by_ref().take(5).count() <= 4
}

/// Whether a text may be the name of a person: short, with a letter, and not a date or a label.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME
        && text.split_whitespace().take(MAX_NAME_WORDS + 1).count() <= MAX_NAME_WORDS
        && text.chars().any(char::is_alphanumeric)
        && !text.ends_with(':')
        && !is_date(text)
}

/// Longest label, in bytes.
pub(crate) const MAX_LABEL: usize = 40;

/// A text such as `Breed: Labrador` as label and value.
pub(crate) fn split_label(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.split_once(':')?;
    let (label, rest) = (label.trim(), rest.trim());
    let is_label = (2..=MAX_LABEL).contains(&label.len()) && label.chars().any(char::is_alphabetic);
    (is_label && !rest.is_empty() && !rest.starts_with('/')).then_some((label, rest))
}

/// Words of later changes of a record.
pub(crate) fn is_about_editing(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "edited",
        "modified",
        "updated",
        "bearbeitet",
        "geändert",
        "modifié",
        "editado",
        "modificato",
        "gewijzigd",
        "edytowan",
        "redigerad",
        "измен",
    ];
    let is_short = text.len() <= 80;
    is_short && WORDS.iter().any(|word| text.to_lowercase().contains(word))
}

/// Words of when a user joined, which is not the date of a record.
pub(crate) fn is_about_joining(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "join",
        "registered",
        "member since",
        "mitglied",
        "dabei seit",
        "registriert",
        "inscrit",
        "membre depuis",
        "registrado",
        "miembro",
        "iscritto",
        "регистрация",
        "geregistreerd",
        "lid sinds",
    ];
    if text.len() > 80 {
        return false;
    }
    let lower = text.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_pages_show_them() {
        for text in [
            "March 5, 2024",
            "Jul 9, 2022",
            "Jul 9",
            "5. März 2024",
            "11-29-2024, 09:03 AM",
            "03/04/24",
            "2024-03-05",
            "2024年3月5日",
            "3 years ago",
            "12 years, 1 month ago",
            "vor 3 Tagen",
            "il y a 2 jours",
            "Yesterday",
            "3日前",
            "September 22, 2024, 11:24pm",
            "Posted March 5, 2024",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "",
            "5",
            "Windows 10",
            "version 1.2.3",
            "May I ask",
            "12:30",
            "410 posts",
            "a long sentence about what people did on March 5",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn prices() {
        for text in ["$ 12", "€40", "1.299,00 €", "from $5 per month", "CHF 20.-", "120 kr", "Rs. 500"] {
            assert!(is_price(text), "{text}");
        }
        for text in ["12", "the dollar", "It costs $5 and that is a lot for it", "Track 5"] {
            assert!(!is_price(text), "{text}");
        }
    }
}
