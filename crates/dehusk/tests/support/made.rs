//! Synthetic sites: pages of several templates, with or without a common header and footer, junk pages between them,
//! and attributes and texts that change per request. Everything follows from a seed.

#[path = "random.rs"]
mod random;

pub(crate) use random::Random;

/// A page of a synthetic site.
pub(crate) struct MadePage {
    /// Its URL.
    pub(crate) url: String,
    /// Its source.
    pub(crate) html: String,
    /// The number of its template, or `None` for junk.
    pub(crate) template: Option<usize>,
    /// Texts that are on this page only.
    pub(crate) content: Vec<String>,
    /// Texts of its template.
    pub(crate) husk: Vec<String>,
}

/// The parameters of a site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// Everything follows from it.
    pub(crate) seed: u64,
    /// Pages of each template.
    pub(crate) pages: [usize; 3],
    /// Junk pages.
    pub(crate) junk: usize,
    /// Maximum number of paragraphs of a page's own text.
    pub(crate) paragraphs: usize,
    /// Whether the templates share header, menu and footer.
    pub(crate) shared_frame: bool,
    /// Whether values change per request.
    pub(crate) volatile: bool,
    /// Whether no element has a class or an id.
    pub(crate) bare: bool,
}

impl Random {
    fn words(&mut self, count: usize) -> String {
        const SYLLABLES: [&str; 24] = [
            "ka", "lo", "mi", "ren", "tos", "vel", "dra", "shi", "po", "nu", "gar", "el", "fin", "bo", "sta", "qui",
            "ju", "hem", "or", "wes", "tza", "lin", "cor", "ave",
        ];
        let mut text = String::new();
        for number in 0..count {
            if number > 0 {
                text.push(' ');
            }
            for _ in 0..2 + self.below(3) {
                text.push_str(SYLLABLES[self.below(SYLLABLES.len())]);
            }
        }
        text
    }
}

/// A template: names and texts that are the same on all of its pages.
struct Made {
    prefix: String,
    menu: Vec<String>,
    aside: Vec<String>,
    footer: String,
    labels: Vec<String>,
    layout: usize,
}

impl Made {
    fn new(random: &mut Random, layout: usize) -> Made {
        let items = 5 + random.below(8);
        Made {
            prefix: random.words(1),
            menu: (0..items).map(|_| random.words(2)).collect(),
            aside: (0..3 + random.below(4)).map(|_| random.words(3)).collect(),
            footer: random.words(9),
            labels: (0..4).map(|_| random.words(2)).collect(),
            layout,
        }
    }
}

/// Generates the pages of a site, junk last.
pub(crate) fn made_site(recipe: &Recipe) -> Vec<MadePage> {
    let mut random = Random(recipe.seed);
    let frame = Made::new(&mut random, 0);
    let templates: Vec<Made> = (0..3).map(|layout| Made::new(&mut random, layout)).collect();
    let mut pages = Vec::new();
    for (number, template) in templates.iter().enumerate() {
        for _ in 0..recipe.pages[number] {
            let url = format!("https://made.example/{number}/{}", pages.len());
            let frame = if recipe.shared_frame { &frame } else { template };
            pages.push(page(&mut random, recipe, url, number, template, frame));
        }
    }
    for _ in 0..recipe.junk {
        let url = format!("https://made.example/junk/{}", pages.len());
        pages.push(MadePage { url, html: junk(&mut random), template: None, content: Vec::new(), husk: Vec::new() });
    }
    pages
}

fn page(random: &mut Random, recipe: &Recipe, url: String, number: usize, template: &Made, frame: &Made) -> MadePage {
    let volatile = Volatile::new(random, recipe.volatile);
    let (mut content, mut husk) = (Vec::new(), Vec::new());
    let mut own = |random: &mut Random, words: usize| {
        let text = random.words(words);
        content.push(text.clone());
        text
    };
    let p = &frame.prefix;
    let mut html = format!(
        "<!doctype html><html><head><title>{}</title><meta name=csrf content={}></head><body class=\"{}\" data-request={}>\
         <!-- made in {} ms --><header class={p}-head><a href=/ class=logo>{p}</a><nav class={p}-nav{}><ul>",
        own(random, 3),
        volatile.token,
        if volatile.variant { "home exp-a" } else { "home exp-b" },
        volatile.token,
        volatile.number,
        volatile.id("nav"),
    );
    let active = random.below(frame.menu.len());
    for (at, item) in frame.menu.iter().enumerate() {
        let class = if recipe.volatile && at == active { " class=active" } else { "" };
        html += &format!("<li{class}><a href=\"/{item}?sid={}\">{item}</a>", volatile.token);
        husk.push(item.clone());
    }
    html += &format!(
        "</ul></nav><form action=/find><input type=hidden name=token value={}><input name=q placeholder=\"{p}\"></form></header>",
        volatile.token
    );
    if volatile.variant {
        html += &format!("<div class={p}-promo><p>{}</p></div>", template.labels[3]);
    }
    html += &body(random, recipe, template, &volatile, &mut own);
    html += &format!(
        "<footer class={p}-foot><p>{}</p><img src=\"/logo.png?v={}\" alt=logo>",
        frame.footer, volatile.number
    );
    if recipe.volatile {
        html += &format!(
            "<p class=timing>Rendered in {} ms, {} readers</p>",
            volatile.number % 977,
            volatile.number % 10_007
        );
    }
    html += "</footer></body></html>";
    husk.push(frame.footer.clone());
    husk.extend(template.labels[..2].iter().cloned());
    husk.extend(template.aside.iter().cloned());
    if recipe.bare {
        html = without(&without(&html, " class="), " id=");
    }
    MadePage { url, html, template: Some(number), content, husk }
}

/// Removes an attribute from all elements of a page.
fn without(html: &str, attribute: &str) -> String {
    let mut parts = html.split(attribute);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = match part.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map(|at| at + 2),
            None => part.find([' ', '>']),
        };
        out.push_str(&part[end.unwrap_or(part.len())..]);
    }
    out
}

/// Generates the part of a page between header and footer, in one of three layouts.
fn body(
    random: &mut Random,
    recipe: &Recipe,
    template: &Made,
    volatile: &Volatile,
    own: &mut dyn FnMut(&mut Random, usize) -> String,
) -> String {
    let p = &template.prefix;
    let label = |number: usize| &template.labels[number];
    let aside: String = template.aside.iter().map(|text| format!("<li><a href=/x>{text}</a>")).collect();
    // List pages have no text of their own except that of their items.
    let paragraphs = if template.layout == 1 { String::new() } else { text_of(random, recipe.paragraphs, own) };
    match template.layout {
        0 => format!(
            "<main class={p}-post{}><article><h1>{}</h1><p class=meta>{}</p><div class=text>{paragraphs}</div>\
             <div class=share><h4>{}</h4></div></article><aside class={p}-side><h4>{}</h4><ul>{aside}</ul></aside></main>",
            volatile.id("post"),
            own(random, 4),
            label(2),
            label(0),
            label(1),
        ),
        1 => {
            let items: String = (0..3 + random.below(9))
                .map(|_| {
                    format!(
                        "<div class=card><h2><a href=/p>{}</a></h2><p>{}</p></div>",
                        own(random, 3),
                        own(random, 14)
                    )
                })
                .collect();
            format!(
                "<div class={p}-list><h4 class=lead>{}</h4><div class=grid>{items}</div><div class=pager><span>{}</span></div>\
                 <div class={p}-cats><ul>{aside}</ul></div></div>",
                label(0),
                label(1),
            )
        }
        _ => format!(
            "<section class={p}-product{}><div class=gallery><img src=/{}.jpg></div><div class=info><h1>{}</h1>\
             <span class=price>{}</span><button class=buy>{}</button></div><div class=about>{paragraphs}</div>\
             <div class=delivery><h4>{}</h4><ul>{aside}</ul></div></section>",
            volatile.id("product"),
            random.next(),
            own(random, 3),
            random.below(900),
            label(0),
            label(1),
        ),
    }
}

/// Generates the own text of a page.
fn text_of(random: &mut Random, most: usize, own: &mut dyn FnMut(&mut Random, usize) -> String) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(most) {
        let words = 12 + random.below(60);
        text += &match random.below(6) {
            0 => format!("<h3>{}</h3><p>{}</p>", own(random, 3), own(random, words)),
            1 => format!("<blockquote><p>{}</p></blockquote>", own(random, words)),
            2 => format!("<ul><li>{}<li>{}</ul>", own(random, 6), own(random, 7)),
            _ => format!("<p>{} <b>{}</b></p>", own(random, words), own(random, 2)),
        };
    }
    text
}

/// The values that change per request, or are the same on all pages if they should be.
struct Volatile {
    on: bool,
    token: String,
    number: u64,
    variant: bool,
}

impl Volatile {
    fn new(random: &mut Random, on: bool) -> Volatile {
        let (token, number, coin) = (random.next(), random.next(), random.below(2));
        match on {
            true => Volatile {
                on,
                token: format!("{token:016x}"),
                number: 1_600_000_000 + number % 99_999_999,
                variant: coin == 0,
            },
            false => Volatile { on, token: "0".into(), number: 0, variant: false },
        }
    }

    /// A random id on an element, as frameworks generate them.
    fn id(&self, name: &str) -> String {
        if self.on { format!(" id={name}-{} data-time={}", self.number, self.number) } else { String::new() }
    }
}

/// Generates a junk page: an error page, a page of another generator, a bare text, a redirect notice.
fn junk(random: &mut Random) -> String {
    let names: Vec<String> = (0..4).map(|_| random.words(1)).collect();
    match random.below(4) {
        0 => format!(
            "<html><body><h1>{} {}</h1><hr><address>{}</address></body></html>",
            random.below(600),
            random.words(2),
            random.words(3)
        ),
        1 => format!("<html><body><pre>{}</pre></body></html>", random.words(80)),
        2 => format!(
            "<body><table class={0} width=100%><tr><td id={1}><font size=2>{4}</font><td class={2}>{5}<tr><td colspan=2>{6}</table><center class={3}>{7}</center>",
            names[0],
            names[1],
            names[2],
            names[3],
            random.words(20),
            random.words(15),
            random.words(30),
            random.words(4)
        ),
        _ => format!(
            "<body><div id={0}><div class={1}><h2>{3}</h2><div class={2}>{4}</div></div></div><script>var x={5}</script>",
            names[0],
            names[1],
            names[2],
            random.words(4),
            random.words(40),
            random.next()
        ),
    }
}
