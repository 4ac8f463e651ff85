//! What the class and id of an element hint at.
//!
//! Names are split into words at hyphens, underscores and changes of case; words that designers use for the same thing are one
//! hint. Hints are evidence for a model next to text and place, never a rule. Takes an element, returns a set. PageLevel and Block
//! look for parts of names instead (`features/nodes/hints.rs`), which is slower and tells fewer things apart; their models were fitted so.

use super::odds::{OwnNames, WordOdds};
use super::word_key::Key;
use crate::dom::{Document, Name, NodeId};
use std::sync::LazyLock;

/// A set of hints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Hints(pub(crate) u64);

impl Hints {
    pub(crate) fn or(self, other: Hints) -> Hints {
        Hints(self.0 | other.0)
    }
}

/// The hints in the order of their bits: a name and the words that give it.
pub(crate) const HINTS: [(&str, &str); 48] = [
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

static WORDS: LazyLock<Vec<(u64, u64)>> = LazyLock::new(|| {
    // An open table; with a quarter of its places filled a look hardly ever takes more than one comparison.
    let mut slots = vec![(0u64, 0u64); SLOTS];
    for (bit, (_, words)) in HINTS.iter().enumerate() {
        for word in words.split(' ') {
            let Some(key) = Key::of(word) else { continue };
            let mut at = place_of(key);
            while slots[at].0 != 0 && slots[at].0 != key.0 {
                at = (at + 1) % SLOTS;
            }
            slots[at].0 = key.0;
            slots[at].1 |= 1 << bit;
        }
    }
    slots
});

const SLOTS: usize = 2048;

/// The place of a word in the table.
fn place_of(key: Key) -> usize {
    (key.0 ^ key.0 >> 32) as usize % SLOTS
}

/// The hints a word gives, as bits.
fn hints_of_word(key: Key) -> u64 {
    let mut at = place_of(key);
    loop {
        let (known, hints) = WORDS[at];
        if known == key.0 {
            return hints;
        }
        if known == 0 {
            return 0;
        }
        at = (at + 1) % SLOTS;
    }
}

/// Longer names say nothing that a shorter one does not, and pages with names of a megabyte exist.
const LONGEST_NAME: usize = 256;

/// What the class, id and role of an element say: what they hint at, and the odds of their words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names {
    pub(crate) hints: Hints,
    pub(crate) odds: OwnNames,
}

impl Names {
    fn read(&mut self, name: &str, odds: &WordOdds) {
        each_name_word(name.as_bytes(), |key, long| {
            self.hints.0 |= hints_of_word(key);
            if long {
                self.odds.add(key, odds);
            }
        });
    }

    fn read_beside_class(&mut self, document: &Document, id: NodeId, odds: &WordOdds) {
        for attribute in document.attributes(id) {
            if is_name_beside_class(attribute.name) {
                self.read(document.value(attribute), odds);
            }
        }
    }
}

fn is_name_beside_class(name: Name) -> bool {
    matches!(name, Name::ID | Name::ROLE | Name::ITEMPROP)
}

/// What the class, id and role of an element hint at.
pub(crate) fn hints_of(document: &Document, id: NodeId) -> Hints {
    let mut hints = 0;
    each_name(document, id, |key, _| hints |= hints_of_word(key));
    Hints(hints)
}

/// Calls for each word of the class, id and role of an element, and says whether it is longer than one letter.
pub(crate) fn each_name(document: &Document, id: NodeId, mut each: impl FnMut(Key, bool)) {
    for attribute in document.attributes(id) {
        if attribute.name == Name::CLASS || is_name_beside_class(attribute.name) {
            each_name_word(document.value(attribute).as_bytes(), &mut each);
        }
    }
}

/// Remembers what classes say: pages use the same few again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameMemory {
    /// Hash of a class and what it says, in the place its hash says.
    seen: Vec<(u64, Names)>,
    /// The odds it was read by.
    odds: u64,
}

impl NameMemory {
    const PLACES: usize = 512;

    /// Gets ready for a page; forgets all where what names say is another matter by other odds.
    pub(crate) fn prepare(&mut self, odds: &WordOdds) {
        if self.seen.is_empty() || self.odds != odds.id() {
            self.odds = odds.id();
            self.seen.clear();
            self.seen.resize(NameMemory::PLACES, (0, Names::default()));
        }
    }

    /// What the names of an element say, whose class has a hash.
    pub(crate) fn names_of(
        &mut self,
        document: &Document,
        id: NodeId,
        (class, hash): (&str, u64),
        odds: &WordOdds,
    ) -> Names {
        let place = &mut self.seen[hash as usize % NameMemory::PLACES];
        if place.0 != hash {
            *place = (hash, Names::default());
            place.1.read(class, odds);
        }
        let mut names = place.1;
        names.read_beside_class(document, id, odds);
        names
    }
}

/// Calls for each word of a name, and for all of them together where there are several.
fn each_name_word(name: &[u8], mut each: impl FnMut(Key, bool)) {
    let name = name.get(..LONGEST_NAME).unwrap_or(name);
    let (mut part, mut length, mut small) = (Key::START, 0u32, false);
    let (mut whole, mut parts) = (Key::START, 0u32);
    for at in 0..=name.len() {
        let byte = name.get(at).copied().unwrap_or(b' ');
        let capital = byte.is_ascii_uppercase();
        if !byte.is_ascii_alphabetic() || (capital && small) {
            if length > 0 {
                each(part, length > 1);
                parts += 1;
            }
            (part, length) = (Key::START, 0);
            if !byte.is_ascii_alphanumeric() && byte != b'-' && byte != b'_' {
                if parts > 1 {
                    // `mainContent` and `main-content` are also `maincontent`.
                    each(whole, true);
                }
                (whole, parts) = (Key::START, 0);
            }
        }
        if byte.is_ascii_alphabetic() {
            let lower = byte.to_ascii_lowercase();
            part.push(lower);
            whole.push(lower);
            length += 1;
        }
        small = byte.is_ascii_lowercase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<&'static str> {
        let mut hints = 0;
        each_name_word(name.as_bytes(), |key, _| hints |= hints_of_word(key));
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
