//! Detects the language of a text by its letters and trigrams.

use whatlang::{Lang, detect};

/// Maximum number of bytes read: the language of a page shows in its first paragraphs.
const MAX_BYTES: usize = 8192;

/// Minimum number of letters. Shorter texts are names and labels, which look alike in many languages.
const MIN_LETTERS: usize = 40;

/// The language of a text as a BCP 47 tag. `None` if the text is short or the detection is not reliable.
pub(crate) fn detect_language(text: &str) -> Option<&'static str> {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    if text.chars().filter(|c| c.is_alphabetic()).take(MIN_LETTERS).count() < MIN_LETTERS {
        return None;
    }
    detect(text).filter(|found| found.is_reliable()).map(|found| tag(found.lang()))
}

/// The shortest code of a language, which BCP 47 asks for.
fn tag(language: Lang) -> &'static str {
    match language {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "nb",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_detected() {
        for (text, language) in [
            ("The nets are mended in May, when the boats come home and the nights are short.", "en"),
            ("Die Netze werden im Mai geflickt, wenn die Boote heimkommen und die Nächte kurz sind.", "de"),
            ("Les filets sont réparés en mai, quand les bateaux rentrent et que les nuits sont courtes.", "fr"),
            ("Τα δίχτυα επισκευάζονται τον Μάιο, όταν οι βάρκες γυρίζουν και οι νύχτες είναι μικρές.", "el"),
            ("五月になると船が港に戻り、夜が短くなるころに漁師たちは網を繕います。子どもたちも手伝いに来ます。", "ja"),
        ] {
            assert_eq!(detect_language(text), Some(language), "{text}");
        }
        assert_eq!(detect_language("Home"), None);
        assert_eq!(detect_language(""), None);
    }
}
