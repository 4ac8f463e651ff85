//! Parses dates as pages write them into ISO 8601: `2024-03-05`.
//!
//! Returns the day a text names, in the time zone it was written in. Ambiguous dates (`03/04/2024`) and texts with more than
//! one date return `None`. The result does not depend on the current time.

/// Valid years, from the first years of print to a limit that catches typing errors.
const YEARS: std::ops::RangeInclusive<u32> = 1450..=2200;

/// Maximum number of characters read. A date is at the start of its text.
const MAX_CHARACTERS: usize = 80;

/// Prefixes of month names, in the languages of most pages that write dates in words. No entry is a prefix of
/// another month's name in any of these languages.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "янв", "sty"],
    &["feb", "fév", "fev", "фев", "lut"],
    &["mar", "mär", "maa", "мар"],
    &["apr", "avr", "abr", "апр", "kwi"],
    &["may", "mai", "mei", "mag", "maj", "мая", "май"],
    &["jun", "juin", "giu", "июн", "cze"],
    &["jul", "juil", "lug", "июл", "lip"],
    &["aug", "aoû", "aou", "ago", "авг", "sie"],
    &["sep", "set", "сен", "wrz"],
    &["oct", "okt", "ott", "out", "окт", "paź"],
    &["nov", "ноя", "lis"],
    &["dec", "dez", "déc", "dic", "дек", "gru"],
];

/// Parses the day, month or year a text names.
pub(crate) fn iso_date(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(MAX_CHARACTERS).flat_map(char::to_lowercase).collect();
    let parts = parts(&text);
    let (year, month, day) = numeric(&text, &parts).or_else(|| in_words(&parts))?;
    if !YEARS.contains(&year) {
        return None;
    }
    match (month, day) {
        (Some(month), Some(day)) if is_day(year, month, day) => Some(format!("{year:04}-{month:02}-{day:02}")),
        (Some(month), None) if (1..=12).contains(&month) => Some(format!("{year:04}-{month:02}")),
        (None, None) => Some(format!("{year:04}")),
        _ => None,
    }
}

type Date = (u32, Option<u32>, Option<u32>);

/// A run of digits or of letters.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    text: &'a str,
    /// Its value, if it is a number.
    number: Option<u32>,
    /// The character right after it.
    next: Option<char>,
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| c.is_ascii_digit() == first.is_ascii_digit() && c.is_alphanumeric();
        let length = rest.find(|c| !same(c)).unwrap_or(rest.len());
        if length > 0 {
            let next = rest[length..].chars().next();
            parts.push(Part { text: &rest[..length], number: rest[..length].parse().ok(), next });
        }
        rest = &rest[length.max(first.len_utf8() * usize::from(length == 0))..];
    }
    parts
}

/// Dates in digits only: year first, or with a day that cannot be a month.
fn numeric(text: &str, parts: &[Part<'_>]) -> Option<Date> {
    let first = parts.first().filter(|part| text.starts_with(part.text))?;
    let number = |at: usize| parts.get(at).and_then(|part| part.number);
    let joined = |at: usize| {
        parts.get(at).is_some_and(|part| matches!(part.next, Some('-' | '/' | '.' | '年' | '月' | '년' | '월')))
    };
    match first.text.len() {
        // 20240305 and 20240305T101112.
        8 => {
            let all = first.number?;
            Some((all / 10_000, Some(all / 100 % 100), Some(all % 100)))
        }
        4 => match (number(1), number(2)) {
            (Some(month), Some(day)) if joined(0) && joined(1) && parts[2].text.len() <= 2 => {
                Some((first.number?, Some(month), Some(day)))
            }
            // 2024-03, but not 2024-03:10.
            (Some(month), None) if joined(0) && parts.len() == 2 => Some((first.number?, Some(month), None)),
            _ if parts.len() == 1 && text.len() == 4 => Some((first.number?, None, None)),
            _ => asian(text, parts),
        },
        1 | 2 => {
            let (one, two, year) = (first.number?, number(1)?, number(2)?);
            if !joined(0) || !joined(1) || parts[2].text.len() != 4 {
                return None;
            }
            match (one > 12, two > 12) {
                (true, false) => Some((year, Some(two), Some(one))),
                (false, true) => Some((year, Some(one), Some(two))),
                (false, false) if one == two => Some((year, Some(one), Some(one))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// 2024年3月5日, with or without spaces. The year, month and day characters are letters, so they are parts of their own.
fn asian(text: &str, parts: &[Part<'_>]) -> Option<Date> {
    let [year, year_unit, month, month_unit, day, day_unit, ..] = parts else { return None };
    let units = [year_unit, month_unit, day_unit].map(|part| part.text.chars().next().unwrap_or_default());
    let known = matches!(units, ['年', '月', '日'] | ['년', '월', '일']) && text.starts_with(year.text);
    known.then_some(())?;
    Some((year.number?, Some(month.number?), Some(day.number?)))
}

/// Dates with the name of a month: `March 5, 2024`, `5. März 2024`, `Tue, 05 Mar 2024 10:00 GMT`, `5 de marzo de 2024`.
fn in_words(parts: &[Part<'_>]) -> Option<Date> {
    let mut months = parts.iter().enumerate().filter_map(|(at, part)| Some((at, month(part.text)?)));
    let (at, month) = months.next()?;
    // Two months are a time span, or not dates at all.
    if months.next().is_some() {
        return None;
    }
    let near = |part: &&Part<'_>| {
        part.number.is_some() || matches!(part.text, "st" | "nd" | "rd" | "th" | "de" | "del" | "of" | "er" | "º")
    };
    let mut after = parts[at + 1..].iter().take_while(near).filter(|part| part.number.is_some());
    let before = parts[..at].iter().rev().take_while(near).find(|part| part.number.is_some());
    let next = after.next()?;
    if next.text.len() == 4 {
        // 5 March 2024, or March 2024.
        return match before {
            Some(day) if day.text.len() <= 2 => Some((next.number?, Some(month), day.number)),
            Some(_) => None,
            None => Some((next.number?, Some(month), None)),
        };
    }
    // March 5, 2024.
    let year = after.next().filter(|year| year.text.len() == 4)?;
    (next.text.len() <= 2).then_some((year.number?, Some(month), next.number))
}

/// The number of the month that a word in lower case names.
pub(crate) fn month(word: &str) -> Option<u32> {
    if word.chars().count() < 3 || !word.starts_with(char::is_alphabetic) {
        return None;
    }
    let listed = MONTHS.iter().position(|names| names.iter().any(|name| word.starts_with(name)))?;
    // Other words start like a month: "marketing", "mayor", "second", "decide".
    is_month_word(word).then_some(listed as u32 + 1)
}

/// Whether a word is an abbreviated or full name of a month.
fn is_month_word(word: &str) -> bool {
    const WHOLE: &str = " january february march april may june july august september october november december \
        sept januar februar märz mai juni juli oktober dezember jänner janvier février fevrier mars avril juin juillet août aout \
        septembre octobre novembre décembre decembre enero febrero marzo abril mayo junio julio agosto septiembre setiembre \
        octubre noviembre diciembre janeiro fevereiro março marco maio junho julho setembro outubro novembro dezembro \
        gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre januari februari maart mei augustus \
        mars maj juni juli augusti januar februar marts april juni juli august desember stycznia lutego marca kwietnia maja czerwca \
        lipca sierpnia września października listopada grudnia января февраля марта апреля мая июня июля августа \
        сентября октября ноября декабря ";
    let letters = word.chars().count();
    letters <= 4 && MONTHS.iter().any(|names| names.contains(&word))
        || WHOLE.split_whitespace().any(|whole| whole == word)
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unambiguous_dates_are_parsed() {
        for text in [
            "2024-03-05",
            "2024-03-05T23:59:59+09:00",
            "2024-03-05 10:00",
            " 2024/3/5 ",
            "20240305",
            "20240305T101112Z",
            "2024年3月5日",
            "2024년 3월 5일",
            "March 5, 2024",
            "Published on March 5th, 2024 by Ann",
            "Mar 5, 2024 10:20 AM",
            "5 March 2024",
            "5. März 2024",
            "5 de marzo de 2024",
            "le 5 mars 2024 à 10:00",
            "Tue, 05 Mar 2024 10:00:00 GMT",
            "Tuesday, March 05, 2024",
            "5 марта 2024",
        ] {
            assert_eq!(iso_date(text).as_deref(), Some("2024-03-05"), "{text}");
        }
        assert_eq!(iso_date("25/12/2024").as_deref(), Some("2024-12-25"));
        assert_eq!(iso_date("12-25-2024").as_deref(), Some("2024-12-25"));
        assert_eq!(iso_date("05.05.2024").as_deref(), Some("2024-05-05"));
        assert_eq!(iso_date("2024").as_deref(), Some("2024"));
        assert_eq!(iso_date("2024-03").as_deref(), Some("2024-03"));
        assert_eq!(iso_date("May 2024").as_deref(), Some("2024-05"));
    }

    #[test]
    fn ambiguous_and_invalid_dates_are_not() {
        for text in [
            "",
            "03/04/2024",
            "2024-13-05",
            "2023-02-29",
            "0000-00-00",
            "0001-01-01T00:00:00",
            "1709596800",
            "3 days ago",
            "May I ask 2024 questions",
            "March 5",
            "marketing 5, 2024",
            "from March 5, 2024 to April 6, 2024",
            "99999999999999999999",
            "5-3-24",
            "{{date}}",
        ] {
            assert_eq!(iso_date(text), None, "{text}");
        }
    }

    #[test]
    fn no_prefix_matches_two_months() {
        for (at, names) in MONTHS.iter().enumerate() {
            for name in *names {
                let first = MONTHS.iter().position(|names| names.iter().any(|other| name.starts_with(other)));
                assert_eq!(first, Some(at), "{name}");
            }
        }
    }
}
