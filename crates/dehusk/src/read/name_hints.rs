//! Hints from the class, id and similar of an element.
//!
//! Names are split into words at hyphens, underscores and changes of case. Words that designers use for the same thing are one
//! hint. Hints are evidence for a model, in addition to text and position; the only rule that depends on them is which of a quote and
//! what it quotes is kept.

use crate::dom::{Document, Name, NodeId};
use crate::read::landmarks::Landmark;
use crate::read::words::hashed_odds::{ElementOdds, HashedOdds};
use crate::read::words::word_hash::WordHash;
use crate::read::words::word_sets::WordSets;
use std::sync::LazyLock;

/// A set of hints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hints(pub u64);

impl Hints {
    /// All hints of both.
    pub fn union(self, other: Hints) -> Hints {
        Hints(self.0 | other.0)
    }
}

/// The hints in the order of their bits: a name and its words.
pub const HINTS: [(&str, &str); 48] = [
    ("content", "content contents maincontent pagecontent textcontent inhalt contenido contenu conteudo"),
    ("main", "main primary center middle hauptinhalt"),
    ("article", "article articles story news artikel articulo hentry newsarticle blogpost"),
    ("post", "post posts entry blog single postcontent entrycontent"),
    ("body", "body text copy prose richtext rte wysiwyg markdown paragraph txt articlebody bodytext"),
    ("title", "title headline heading head titel subject"),
    ("nav", "nav navi navigation navbar menu menus submenu mainmenu topnav subnav dropdown megamenu"),
    ("header", "header masthead topbar top banner site"),
    ("footer", "footer foot bottom fuss colophon"),
    ("sidebar", "sidebar side aside rail secondary right left column col"),
    ("widget", "widget widgets module gadget plugin block box"),
    (
        "related",
        "related recommended recommendation recommendations similar more also suggested suggestions trending popular latest recent upsell crosssell",
    ),
    (
        "share",
        "share sharing social addthis sharethis facebook twitter pinterest linkedin whatsapp follow sns like likes",
    ),
    ("comment", "comment comments commentlist disqus respond kommentar discussion"),
    ("reply", "reply replies message messages msg thread topic forum answer answers question postbody"),
    ("author", "author byline bio writer contributor profile avatar user username member poster"),
    ("date", "date time timestamp published updated pubdate datetime posted"),
    ("meta", "meta info metadata details detail data attributes stats"),
    ("tag", "tag tags category categories label labels topics keywords badge cat"),
    ("breadcrumb", "breadcrumb breadcrumbs crumb crumbs bread pathway"),
    ("pagination", "pagination pager paging page pages next prev previous paginate pagenav"),
    (
        "ad",
        "ad ads adv advert advertisement advertising sponsor sponsored promo promotion dfp gpt adsense banner adslot outbrain taboola",
    ),
    ("cookie", "cookie cookies consent gdpr ccpa privacy notice onetrust"),
    ("modal", "modal popup overlay dialog lightbox popover tooltip drawer offcanvas toast flyout"),
    ("login", "login signin signup register account auth password"),
    ("newsletter", "newsletter subscribe subscription signup mailing email optin"),
    ("search", "search searchform searchbox suche filter filters facet facets sort sorting refine"),
    ("form", "form field input contact checkout select option options"),
    ("product", "product products item sku goods shop store woocommerce"),
    ("price", "price prices pricing cost amount cart basket buy add quantity stock sale discount shipping"),
    ("review", "review reviews rating ratings stars testimonial testimonials"),
    ("description", "description desc summary intro lead excerpt abstract teaser overview subtitle deck standfirst"),
    ("specification", "spec specs specification specifications features feature properties parameter attribute table"),
    ("list", "list listing listings results result items archive feed stream loop"),
    ("card", "card cards tile tiles grid teaser thumb thumbnail thumbnails masonry"),
    ("slider", "slider carousel slide slides swiper slick gallery hero owl flexslider slideshow"),
    ("image", "image images img photo photos picture media video figure wp caption captions"),
    ("caption", "caption credit credits copyright legal disclaimer license terms policy"),
    ("toc", "toc tableofcontents contentslist index anchor anchors onthispage outline"),
    ("code", "code highlight syntax pre snippet codehilite prettyprint gist"),
    ("faq", "faq accordion collapse collapsible panel tab tabs toggle expand"),
    ("hidden", "hidden hide invisible sr visually screenreader offscreen none skip print noprint"),
    ("button", "button btn buttons cta link links action actions toolbar tools tool controls"),
    ("language", "lang language languages locale translate wpml country currency region"),
    ("container", "container wrapper wrap inner outer row layout section page grid flex"),
    ("quote", "quote blockquote pullquote signature sig quoted"),
    ("document", "document doc docs documentation api reference guide tutorial manual section chapter"),
    ("contact", "contact address phone tel map location hours opening about service services team"),
];

/// The words of all hints. The hints of a word are its lists, one bit each.
static WORDS: LazyLock<WordSets> = LazyLock::new(|| WordSets::new(HINTS.iter().map(|hint| hint.1), 2048));

/// The bit of a hint.
pub fn hint_bit(name: &str) -> usize {
    HINTS.iter().position(|hint| hint.0 == name).unwrap_or(0)
}

/// Maximum length of a name that is read. Longer names add nothing, and pages with names of a megabyte exist.
const MAX_NAME_BYTES: usize = 256;

/// The hints and log-odds of the class, id and similar of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementNames {
    pub(crate) hints: Hints,
    pub(crate) odds: ElementOdds,
}

impl ElementNames {
    fn read(&mut self, name: &str, odds: &HashedOdds) {
        each_name_word(name.as_bytes(), |word, long| {
            self.hints.0 |= WORDS.lists_of(word);
            if long {
                self.odds.add(word, odds);
            }
        });
    }

    fn read_other_names(&mut self, document: &Document, id: NodeId, odds: &HashedOdds) {
        for attribute in document.attributes(id) {
            if is_other_name(attribute.name) {
                self.read(document.value(attribute), odds);
            }
        }
    }
}

/// Whether an attribute other than the class is read as a name.
fn is_other_name(name: Name) -> bool {
    matches!(name, Name::ID | Name::ROLE | Name::ITEMPROP)
}

/// The hints of the class, id and similar of an element.
pub fn hints_of(document: &Document, id: NodeId) -> Hints {
    let mut hints = 0;
    each_name(document, id, |word, _| hints |= WORDS.lists_of(word));
    Hints(hints)
}

/// The hints of the names of an element and of the landmark it is.
pub fn all_hints_of(document: &Document, id: NodeId) -> Hints {
    let hint = Landmark::of(document, id).map(|landmark| match landmark {
        Landmark::Navigation => "nav",
        Landmark::Header => "header",
        Landmark::Footer => "footer",
        Landmark::Aside => "sidebar",
        Landmark::Main => "main",
        Landmark::Article => "article",
        Landmark::Search => "search",
    });
    hints_of(document, id).union(Hints(hint.map_or(0, |name| 1 << hint_bit(name))))
}

/// Calls `each` for every word of the class, id and similar of an element, with whether it has more than one letter.
pub fn each_name(document: &Document, id: NodeId, mut each: impl FnMut(WordHash, bool)) {
    for attribute in document.attributes(id) {
        if attribute.name == Name::CLASS || is_other_name(attribute.name) {
            each_name_word(document.value(attribute).as_bytes(), &mut each);
        }
    }
}

/// Caches the hints and log-odds of classes, because a page uses the same few again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassCache {
    /// A direct-mapped cache of fixed size: the hash of a class and its names, in the slot given by the hash.
    slots: Vec<(u64, ElementNames)>,
    /// The id of the log-odds the cache was filled with.
    odds: u64,
}

impl ClassCache {
    const SLOTS: usize = 512;

    /// Clears the cache if it was filled with other log-odds.
    pub(crate) fn prepare(&mut self, odds: &HashedOdds) {
        if self.slots.is_empty() || self.odds != odds.id() {
            self.odds = odds.id();
            self.slots.clear();
            self.slots.resize(ClassCache::SLOTS, (0, ElementNames::default()));
        }
    }

    /// The names of an element, given its class and a hash of its class and tag.
    pub(crate) fn names_of(
        &mut self,
        document: &Document,
        id: NodeId,
        (class, hash): (&str, u64),
        odds: &HashedOdds,
    ) -> ElementNames {
        let slot = &mut self.slots[hash as usize % ClassCache::SLOTS];
        if slot.0 != hash {
            *slot = (hash, ElementNames::default());
            slot.1.read(class, odds);
        }
        let mut names = slot.1;
        names.read_other_names(document, id, odds);
        names
    }
}

/// Letters in lower case, and what other bytes are in a name.
const LOWER: [u8; 256] = {
    let (mut lower, mut byte) = ([OUTSIDE; 256], 0u8);
    while byte < 128 {
        if byte.is_ascii_alphabetic() {
            lower[byte as usize] = byte | 0x20;
        } else if byte.is_ascii_digit() || byte == b'-' || byte == b'_' {
            lower[byte as usize] = BETWEEN;
        }
        byte += 1;
    }
    lower
};
/// Between two words of a name, and between two names. No byte of a text has these values.
const BETWEEN: u8 = 0xfe;
const OUTSIDE: u8 = 0xff;

/// Calls `each` for every word of a name, and for all of them joined if there are several.
fn each_name_word(name: &[u8], mut each: impl FnMut(WordHash, bool)) {
    let name = name.get(..MAX_NAME_BYTES).unwrap_or(name);
    let (mut part, mut length, mut lower_before) = (WordHash::START, 0u32, false);
    let (mut whole, mut parts) = (WordHash::START, 0u32);
    for at in 0..=name.len() {
        let byte = name.get(at).copied().unwrap_or(b' ');
        let lower = LOWER[byte as usize];
        let is_lower = lower == byte;
        if lower == BETWEEN || lower == OUTSIDE || (!is_lower && lower_before) {
            if length > 0 {
                each(part, length > 1);
                parts += 1;
            }
            (part, length) = (WordHash::START, 0);
            if lower == OUTSIDE {
                if parts > 1 {
                    // `mainContent` and `main-content` are also `maincontent`.
                    each(whole, true);
                }
                (whole, parts) = (WordHash::START, 0);
            }
        }
        if lower != BETWEEN && lower != OUTSIDE {
            part.push(lower);
            whole.push(lower);
            length += 1;
        }
        lower_before = is_lower;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<&'static str> {
        let mut hints = 0;
        each_name_word(name.as_bytes(), |word, _| hints |= WORDS.lists_of(word));
        HINTS.iter().enumerate().filter(|(bit, _)| hints >> bit & 1 == 1).map(|(_, hint)| hint.0).collect()
    }

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(names("site-nav"), ["nav", "header"]);
        assert_eq!(names("articleBody__inner"), ["article", "body", "container"]);
        assert_eq!(names("mainContent2"), ["content", "main"]);
        assert_eq!(names("x7f xyz"), Vec::<&str>::new());
    }
}
