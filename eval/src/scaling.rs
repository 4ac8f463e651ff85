//! How the cost of each stage grows with a page that repeats a small pattern.
//!
//! Hostile pages are repetitive: a rule of the HTML standard, or a stage of ours, that searches what came before takes quadratic
//! time on them. Patterns are random, and a list of known shapes; each is repeated to pages of growing size, and the CPU time of
//! each stage is compared from one size to the next.

use crate::Stop;
use crate::report::{Results, table};
use clap::Args;
use dehusk::details::LimitsHit;
use dehusk::{
    Detector, Extraction, Extractor, Method, Options, OutputFormat, Page, Scratch, SegmentMethod, Segmenter,
    SiteLearner, SiteTemplates,
};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Random patterns
    #[arg(long, default_value_t = 6000)]
    patterns: u64,
    /// Seed of the first pattern
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Begin no pattern after this many minutes; the results say how many were tried
    #[arg(long, default_value_t = 600)]
    minutes: u64,
    /// Only stages whose names contain this; prints, and writes no results
    #[arg(long)]
    only: Option<String>,
    /// Only this pattern, as printed in the results; prints each time, and writes no results
    #[arg(long)]
    pattern: Option<String>,
}

/// Bytes of the pages on which all patterns are tried: far enough apart that even a small quadratic part shows, and that noise does not.
const SMALL: [usize; 2] = [32 << 10, 512 << 10];
/// Bytes of the pages on which the suspicious ones are measured again.
const LARGE: [usize; 2] = [1 << 20, 4 << 20];
/// The cost may grow by at most the size to this power.
const MAX_EXPONENT: f64 = 1.2;
/// On small pages, caches and noise add to the exponent; this much is measured again.
const SUSPICIOUS_EXPONENT: f64 = 1.15;
/// Seconds on the largest small page beyond which a stage is measured again, whatever its exponent.
const SUSPICIOUS_SECONDS: f64 = 2.0;
/// Stages that take less time than this are not compared.
const MIN_SECONDS: f64 = 0.004;
/// A page is not tried if the stage would take longer than this on it, in quadratic time.
const MAX_SECONDS: f64 = 200.0;

/// One in how many random patterns a stage is tried on. Parsing, the default detector and the outputs are tried on all; the methods
/// of the segmentation paper take longest, up to their limits of work.
fn turns(stage: &str) -> usize {
    match stage {
        "segment gcuts" | "segment cclus" => 64,
        _ if stage.starts_with("segment") || stage.starts_with("learn") => 16,
        _ if stage.starts_with("extract") && stage != "extract fusion" => 16,
        _ if stage.ends_with("of fusion") => 16,
        _ => 1,
    }
}

/// Known hostile shapes: what comes before, the repeated pattern, and what is repeated after it. `#` is the number of the
/// repetition.
const SHAPES: &[[&str; 3]] = &[
    ["", "<div>", ""],
    ["", "<div>x", "</div>"],
    ["", "<ul><li>x", ""],
    ["", "<ol><li>x", "</ol>"],
    ["", "<table><tr><td>x", ""],
    ["", "<blockquote>x", ""],
    ["", "<dl><dt>x<dd>y", ""],
    ["", "<svg><g>", ""],
    ["", "<template>", ""],
    ["", "<span>x", ""],
    ["", "<b>", ""],
    ["", "<b>x", "</b>"],
    ["", "<font color=#>x", ""],
    ["", "<p><b id=#>x", ""],
    ["", "<a href=#>", ""],
    ["", "<a href=#>x", ""],
    ["", "<b id=#><div></b>", ""],
    ["<table>", "<font>", ""],
    ["", "<table><font>", ""],
    ["", "<nobr><b><div>x", ""],
    ["", "<a><i><section>x", ""],
    ["", "<form><div></form>x", ""],
    ["", "<p>x y ", ""],
    ["", "<p>x</p>", ""],
    ["", "<br>", ""],
    ["", "x<br>", ""],
    ["", "<!---->", ""],
    ["<table>", "<tr><td>x", ""],
    ["<table>", "<tr><td colspan=1000 rowspan=1000>x", ""],
    ["<table><tr>", "<td rowspan=65534>x", ""],
    ["<table><tr>", "<td colspan=1000>x", ""],
    ["<table>", "x<tr>", ""],
    ["<select>", "<option>x", ""],
    ["<h1>", "<button></button>", ""],
    ["<p>", "<span>ab</span>", ""],
    ["<ul>", "<li><a href=/#>item #</a>", ""],
    ["<p>", "word ", ""],
    ["<pre>", "line #\n", ""],
    ["<ol start=999999999><li><ol start=999999999><li><ol start=999999999><li><pre>", "x\n", ""],
    ["<pre><code>", "`````", ""],
    ["<p>", "&amp;", ""],
    ["<p>", "\\`*_[]<>", ""],
    ["<p>", "&lt;a ", ""],
    ["<p>", "[x](", ""],
    ["<p>", "[x] ", ""],
    ["<p>", "x* ", ""],
    ["<p>", "`", ""],
    ["<p>", "<code>`</code>", ""],
    ["<p>", "http://a.b/", ""],
    ["<p>", "<em>x</em><strong>y</strong>", ""],
    ["<style>", ".c#{color:red}", "</style>"],
    ["<style>", "div div div .c#{display:none}", "</style><div class=c1>x"],
    ["<style>*{}</style>", "<div class=c#>x", ""],
    ["<style>p,p,p,p,p,p,p,p,p,p,p,p{", "margin:0;", "}</style><p>x y"],
    ["<style>", " ", "x/**/"],
    ["<style>", "p,", "p{width:0}</style><p>x"],
    [
        "<style>.a.b.c.d.e.f.g.h p{width:1px}",
        ".a.b.c.d.e.f.g.h p{color:red}",
        "</style><div class='h g f e d c b a'><p>x</div>",
    ],
    ["<script type=application/ld+json>", "{\"a\":[", ""],
    ["<script type=application/ld+json>[", "{\"@type\":\"Article\",\"articleBody\":\"x y z\"},", "</script>"],
    ["<script>", "<!--<script>", ""],
    ["<title>", "x ", ""],
    ["<title>A|A|A|A|A|A|A|A|A|A|", "b", "</title><h2>head #</h2><p>x y"],
    ["<div id=\"", "a", "!\"><p>x y"],
    ["", "<h1>x #</h1>", ""],
    ["", "<h2>x</h2><p>some text of this part, with words</p>", ""],
    ["", "<title>x</title>", ""],
    ["", "<meta property=og:title content=x#>", ""],
    ["", "<body a#=1>", ""],
    ["<p", " a#=1", ""],
    ["", "<div class=card><h3>Title #</h3><p>Some text of a card.</p><a href=x>more</a></div>", ""],
    ["", "<div class='a b c'><div id=x#>word word word word word word word word word</div>", ""],
    ["", "<math><mfrac><mi>x</mi>", ""],
    ["", "<math><annotation encoding=application/x-tex>x_#</annotation></math>", ""],
    ["", "<details><summary>x</summary>", ""],
    ["", "<noscript><img src=x#>", ""],
    ["", "<time datetime=2020-01-01>x</time> by <a rel=author>y</a>", ""],
    ["", "<iframe></iframe>", ""],
    ["", "<object><embed>", ""],
    ["", "<applet><b>", ""],
    ["", "<table><object><b>x</b>", ""],
    ["", "<table><tr><td><marquee><b>x</b></td>", ""],
    ["", "<ruby>x<rt>y", ""],
    ["", "<input hidden>", ""],
    ["", "<div hidden>x</div>", ""],
    ["", "<div style='display:none'>x", ""],
    ["", "\u{0}", ""],
    ["", "a\r\n", ""],
    ["", "<a", ""],
    ["", "< ", ""],
    ["", "</", ""],
    ["", "</p>", ""],
    ["", "</b>", ""],
    ["", "<p></b>", ""],
    ["<b><i><u><s>", "<p>x</p>", ""],
    ["", "<p id=c#>On # we said that a comment is a comment. <a href=#reply>Reply</a></p>", ""],
];

/// Hostile shapes whose one half is a long value and whose other half makes each part read it again: what comes before, what the value
/// repeats, what comes between, and what is repeated after it.
const LONG_VALUES: &[[&str; 4]] = &[
    ["<p class='", "c ", "'>", "x<br>"],
    ["<div class='", "c ", "'>", "<pre>x</pre>"],
    ["<div class='", "c ", "'>", "<p>some words here</p>"],
    ["<div id='", "a", "!'>", "<p>some words here</p>"],
    ["<base href='http://a.example/", "a", "/'>", "<a href=x>y</a> "],
    ["<p class='", "permalink ", "'>", "."],
    ["<p class='", "ln ", "'>", "1"],
    ["<ul><li class='", "task-list-item ", "'>", "<input type=checkbox disabled>"],
    ["<ul><li>", " ", "\n", "<input type=checkbox disabled>"],
    ["<title>", "x | ", "</title>", "<h2>x y</h2>"],
    ["<p title='", "x ", "'>", "<a href=/y title=z>z</a>"],
    ["<a href='/", "x", "'>", "<p>some words here</p>"],
    ["<img src=/i.png alt='", "x ", "'>", "<img src=/i.png>"],
    ["<p>", " ", "x", "<img src=/i.png width=9 height=9>"],
    ["<p>", " ", "<noscript>", "<img src=/i.png>"],
    ["<style>", " ", "x", "/**/"],
    ["<style>", "p,", "p{margin:0}</style>", "<p>x y"],
    ["<style>p{", "margin:0;", "}</style>", "<p>x y"],
    ["<style>", ".a.b.c.d.e.f.g.h p{color:red}", "</style><div class='a b c d e f g'>", "<p>x y"],
    ["<h1>", "&amp;", "</h1>", "<h2>&amp;</h2>"],
];

/// The tags of random patterns. Those with rules of their own are there more than once.
const TAGS: &str = "\
    a a a abbr address applet article aside b b b base big blockquote body br button caption center code col \
    colgroup dd details dialog dir div div div dl dt em embed fieldset figcaption figure font footer form form \
    frame frameset h1 h2 h3 head header hr html i i iframe image img input li li link listing main marquee math \
    menu meta mi mtext annotation-xml nav nobr nobr noscript object ol ol optgroup option p p p param pre rb rp rt \
    rtc ruby s search section select small source span span strike strong style sub summary sup svg desc \
    foreignObject g title table table table tbody td td template textarea tfoot th thead tr tr tt u ul ul var wbr \
    x-y time video label";
const ATTRIBUTES: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    "",
    " class=c#",
    " id=i#",
    " href=/p#",
    " hidden",
    " style='display:none'",
    " colspan=99",
    " rowspan=99",
    " class='a b'",
    " type=hidden",
    " src=x.png alt='y z'",
    " encoding=text/html",
    " color=red",
    " title='x y'",
    " role=navigation",
    " start=7",
    " aria-hidden=true",
    " itemprop=name",
];
const TEXTS: &[&str] = &[
    "x",
    " ",
    "some words here ",
    "x#",
    "\n",
    "&amp;",
    "<!-- c -->",
    "*",
    "`",
    "|",
    "http://a.b/c#",
    "© 2020 Example. ",
    "A sentence that ends, and another one. ",
    "1.",
    "- ",
    "[x]",
    "2020-01-0# ",
    "\u{a0}",
    "漢字",
    "/",
];

/// What comes before, what is repeated, what comes between, and what is repeated after that.
type Pattern = [String; 4];

/// All known hostile shapes.
fn shapes() -> impl ExactSizeIterator<Item = Pattern> {
    let count = SHAPES.len() + LONG_VALUES.len();
    (0..count).map(|number| match SHAPES.get(number) {
        Some([before, repeated, after]) => [*before, *repeated, "", *after].map(str::to_string),
        None => LONG_VALUES[number - SHAPES.len()].map(str::to_string),
    })
}

/// A stage by name, and the seconds it took on pages of increasing size.
type Times = BTreeMap<String, Vec<(usize, f64)>>;

pub(crate) fn run(results: &Results, arguments: &Arguments) -> Result<(), Stop> {
    let only = arguments.only.as_deref();
    if let Some(pattern) = &arguments.pattern {
        let parts = parse_pattern(pattern)?;
        let times = climb(&parts, &[SMALL.as_slice(), LARGE.as_slice()].concat(), &|stage| {
            only.is_none_or(|only| stage.contains(only))
        });
        for (stage, times) in &times.0 {
            let times: Vec<String> =
                times.iter().map(|(size, time)| format!("{} KB {time:.3} s", size >> 10)).collect();
            println!("{stage:32} {}", times.join(", "));
        }
        println!("limits hit: {}", times.1);
        return Ok(());
    }
    let mut patterns: Vec<Pattern> = shapes().collect();
    patterns.extend((arguments.seed..arguments.seed + arguments.patterns).map(random_pattern));
    let found: Mutex<Vec<(usize, Finding)>> = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let end = Instant::now() + Duration::from_secs(arguments.minutes * 60);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(pattern) = patterns.get(number).filter(|_| Instant::now() < end) else { return };
                    let finding = measure(number, pattern, only);
                    if let Some((stage, exponent)) = finding.worst(MAX_EXPONENT) {
                        eprintln!("{stage}: exponent {exponent:.2}: {}", show(pattern));
                    }
                    if number % 200 == 199 {
                        eprintln!("{} of {} patterns", number + 1, patterns.len());
                    }
                    found.lock().unwrap_or_else(|error| error.into_inner()).push((number, finding));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(|error| error.into_inner());
    found.sort_by_key(|(number, _)| *number);
    let (body, failures) = report(&patterns, &found);
    match only {
        Some(_) => print!("{body}"),
        None => results.publish("scaling", "Growth of the cost of a page", "made-up pages", &body)?,
    }
    if failures > 0 {
        return Err(Stop::Failed(format!(
            "{failures} patterns grow faster than the size to the power of {MAX_EXPONENT}"
        )));
    }
    Ok(())
}

/// What is known of one pattern.
struct Finding {
    small: Times,
    /// Only suspicious stages.
    large: Times,
    limits_hit: LimitsHit,
}

impl Finding {
    /// How a suspicious stage grows: between the large pages, and from the small ones to the largest, since what a detector decides
    /// may change between two sizes. The smaller exponent counts.
    fn exponent(&self, stage: &str) -> f64 {
        let (Some(small), Some(large)) = (self.small.get(stage), self.large.get(stage)) else { return 0.0 };
        let Some(between) = last_exponent(large) else { return f64::INFINITY };
        let ends: Vec<(usize, f64)> = small.last().into_iter().chain(large.last()).copied().collect();
        last_exponent(&ends).map_or(between, |overall| between.min(overall))
    }

    /// The stage that grows fastest, if faster than this.
    fn worst(&self, exponent: f64) -> Option<(&str, f64)> {
        let growth = self.large.keys().map(|stage| (stage.as_str(), self.exponent(stage)));
        growth.filter(|(_, found)| *found > exponent).max_by(|one, two| one.1.total_cmp(&two.1))
    }
}

fn measure(number: usize, pattern: &Pattern, only: Option<&str>) -> Finding {
    let is_turn = |stage: &str| number < shapes().len() || number.is_multiple_of(turns(stage));
    let (mut small, limits_hit) =
        climb(pattern, &SMALL, &|stage| is_turn(stage) && only.is_none_or(|only| stage.contains(only)));
    // Other work on the machine only ever adds time, so what is suspicious is measured again and the fastest run counts.
    if small.values().any(|times| is_suspicious(times)) {
        let again = climb(pattern, &SMALL, &|stage| small.get(stage).is_some_and(|times| is_suspicious(times))).0;
        keep_fastest(&mut small, again);
    }
    let suspicious = |stage: &str| small.get(stage).is_some_and(|times| is_suspicious(times));
    let mut large = Times::new();
    if small.keys().any(|stage| suspicious(stage)) {
        large = climb(pattern, &LARGE, &suspicious).0;
        for _ in 0..3 {
            let too_steep = |stage: &str| {
                large.get(stage).is_some_and(|times| last_exponent(times).is_none_or(|found| found > MAX_EXPONENT))
            };
            if !large.keys().any(|stage| too_steep(stage)) {
                break;
            }
            let again = climb(pattern, &LARGE, &too_steep).0;
            keep_fastest(&mut large, again);
        }
    }
    Finding { small, large, limits_hit }
}

/// Whether the times of a stage on small pages make it worth to be measured on large ones.
fn is_suspicious(times: &[(usize, f64)]) -> bool {
    times.len() < SMALL.len()
        || last_exponent(times).is_some_and(|exponent| exponent > SUSPICIOUS_EXPONENT)
        || times.last().is_some_and(|last| last.1 > SUSPICIOUS_SECONDS)
}

fn keep_fastest(times: &mut Times, again: Times) {
    for (stage, again) in again {
        for (old, new) in times.entry(stage).or_default().iter_mut().zip(again) {
            old.1 = old.1.min(new.1);
        }
    }
}

/// The exponent between the last two sizes. None if a size is missing because it would have taken too long.
fn last_exponent(times: &[(usize, f64)]) -> Option<f64> {
    let [.., (small, before), (large, after)] = times else { return None };
    if *after < MIN_SECONDS {
        return Some(0.0);
    }
    Some((after / before.max(1e-6)).ln() / (*large as f64 / *small as f64).ln())
}

/// The times of the wanted stages on pages of increasing size.
fn climb(pattern: &Pattern, sizes: &[usize], wanted: &dyn Fn(&str) -> bool) -> (Times, LimitsHit) {
    let mut times = Times::new();
    let mut limits_hit = LimitsHit::default();
    for (number, size) in sizes.iter().enumerate() {
        let in_time = |times: &Times, stage: &str| {
            let Some((before, time)) = times.get(stage).and_then(|times| times.last()) else { return number == 0 };
            // Stages that begin to be slow only after the first size are rare; they show at the next size.
            number == 0
                || (*before == sizes[number - 1] && time * (*size as f64 / *before as f64).powi(2) < MAX_SECONDS)
        };
        let page = page(pattern, *size);
        let mut once = BTreeMap::new();
        limits_hit = stages(page.as_bytes(), &|stage| wanted(stage) && in_time(&times, stage), &mut once);
        for (stage, time) in once {
            times.entry(stage).or_default().push((*size, time));
        }
    }
    (times, limits_hit)
}

/// Runs every wanted stage on a page and notes its CPU time.
fn stages(page: &[u8], wanted: &dyn Fn(&str) -> bool, times: &mut BTreeMap<String, f64>) -> LimitsHit {
    let mut timed = |stage: &str, work: &mut dyn FnMut()| {
        if wanted(stage) {
            let start = processor_seconds();
            work();
            times.insert(stage.to_string(), processor_seconds() - start);
        }
    };
    let mut scratch = Scratch::default();
    let options = |detector| Options::new().with_detector(detector).with_metadata(true);
    let with = |detector| Extractor::new(options(detector)).ok();
    let mut limits_hit = LimitsHit::default();
    let Some(plain) = with(Detector::None) else { return limits_hit };
    timed("parse", &mut || {
        limits_hit = plain.parse(page, &mut scratch).map_or(limits_hit, |page| page.document.limits_hit())
    });
    for detector in [Detector::None, Detector::Fusion, Detector::PageLevel, Detector::PageLevelBasic, Detector::Block] {
        let Some(extractor) = with(detector) else { continue };
        timed(&format!("extract {detector}"), &mut || {
            let _ = extractor.extract(page, &mut scratch);
        });
        if matches!(detector, Detector::None | Detector::Fusion)
            && OUTPUTS.iter().any(|output| wanted(&format!("{output} of {detector}")))
            && let Ok(found) = extractor.extract(page, &mut scratch)
        {
            outputs(detector.name(), &found, &mut timed);
        }
    }
    // Other pages of the site, partly different.
    let half = &page[..page.len() / 2];
    let pages =
        [page, &[b"<p>another page</p>", page, b"<p>with another end</p>"].concat(), &[half, b"<p>short</p>"].concat()];
    let on_site = [Detector::SiteLevel, Detector::TreeMap, Detector::Align, Detector::Auto, Detector::Fusion];
    let named =
        |detector| format!("extract {detector}{}", if detector == Detector::Fusion { " with site" } else { "" });
    if wanted("learn auto") || on_site.iter().any(|detector| wanted(&named(*detector))) {
        let mut site = SiteTemplates::default();
        // `auto` learns by all methods.
        let mut learn = || {
            let mut learner = SiteLearner::new(Method::Auto);
            for (number, page) in pages.iter().enumerate() {
                if let Ok(page) = plain.parse(*page, &mut scratch) {
                    learner.observe(&number.to_string(), &page);
                }
            }
            site = learner.finish(0);
        };
        match wanted("learn auto") {
            true => timed("learn auto", &mut learn),
            false => learn(),
        }
        for detector in on_site {
            let Some(extractor) = with(detector) else { continue };
            timed(&named(detector), &mut || {
                let _ = extractor.extract(Page::new(page).with_site(&site), &mut scratch);
            });
        }
    }
    for method in SegmentMethod::ALL {
        timed(&format!("segment {}", method.name()), &mut || {
            if let Ok(found) = Segmenter::new(method).segment(page) {
                found.to_json();
                found.to_svg();
            }
        });
    }
    limits_hit
}

const OUTPUTS: [&str; 6] = ["text", "markdown", "html", "json", "strip", "explain"];

fn outputs(detector: &str, found: &Extraction<'_>, timed: &mut impl FnMut(&str, &mut dyn FnMut())) {
    for output in OUTPUTS {
        timed(&format!("{output} of {detector}"), &mut || {
            match output {
                "text" => found.render_file(OutputFormat::Text),
                "markdown" => found.render_file(OutputFormat::Markdown),
                "html" => found.render_file(OutputFormat::Html),
                "json" => found.render_file(OutputFormat::Json),
                "strip" => found.strip(),
                _ => found.explain(Default::default()),
            };
        });
    }
}

/// A page of about this size.
fn page([before, repeated, between, after]: &Pattern, size: usize) -> String {
    // A long value takes half of the page, however short what it repeats.
    let counts = match between.is_empty() {
        true => [size / (repeated.len() + after.len()).max(1); 2],
        false => [size / 2 / repeated.len().max(1), size / 2 / after.len().max(1)],
    };
    let mut page = before.clone();
    for (part, count) in [repeated, after].into_iter().zip(counts) {
        let numbered = part.contains('#');
        for number in 0..count {
            match numbered {
                true => page += &part.replace('#', &number.to_string()),
                false => page += part,
            }
        }
        if std::ptr::eq(part, repeated) {
            page += between;
        }
    }
    page
}

/// A random pattern of three to six tags and texts, sometimes with another repeated after it, sometimes within an element.
fn random_pattern(seed: u64) -> Pattern {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5ca1_ab1e;
    let mut below = |count: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        xxhash_rust::xxh3::xxh3_64(&state.to_le_bytes()) as usize % count
    };
    let tags: Vec<&str> = TAGS.split_whitespace().collect();
    let mut part = |count: usize| {
        let mut part = String::new();
        for _ in 0..count {
            let tag = tags[below(tags.len())];
            match below(10) {
                0..6 => part += &format!("<{tag}{}>", ATTRIBUTES[below(ATTRIBUTES.len())]),
                6..9 => part += &format!("</{tag}>"),
                _ => part += &format!("<{tag}>x</{tag}>"),
            }
            if below(3) == 0 {
                part += TEXTS[below(TEXTS.len())];
            }
        }
        part
    };
    let (count, kind) = (seed as usize % 4 + 3, seed as usize / 4 % 8);
    let repeated = part(count);
    match kind {
        0..4 => [String::new(), repeated, String::new(), String::new()],
        4 | 5 => [part(2), repeated, String::new(), String::new()],
        6 => [String::new(), repeated, String::new(), part(2)],
        _ => [part(1), repeated, String::new(), part(1)],
    }
}

/// A pattern as it is printed, and read by `--pattern`.
fn show(pattern: &Pattern) -> String {
    format!("{pattern:?}")
}

fn parse_pattern(text: &str) -> Result<Pattern, Stop> {
    serde_json::from_str(text)
        .map_err(|error| Stop::Broken(format!("a pattern is a JSON array of four texts: {error}")))
}

fn report(patterns: &[Pattern], found: &[(usize, Finding)]) -> (String, usize) {
    #[derive(Default)]
    struct Stage {
        seconds_per_megabyte: Vec<f64>,
        measured_again: usize,
        worst: Option<(f64, usize)>,
    }
    let mut stages: BTreeMap<&str, Stage> = BTreeMap::new();
    for (number, finding) in found {
        for (stage, times) in &finding.small {
            let Some((size, time)) = times.last() else { continue };
            stages.entry(stage).or_default().seconds_per_megabyte.push(time / (*size as f64 / (1 << 20) as f64));
        }
        for stage in finding.large.keys() {
            let entry = stages.entry(stage).or_default();
            entry.measured_again += 1;
            let exponent = finding.exponent(stage);
            if entry.worst.is_none_or(|(worst, _)| exponent > worst) {
                entry.worst = Some((exponent, *number));
            }
        }
    }
    let rows: Vec<Vec<String>> = stages
        .iter_mut()
        .map(|(stage, figures)| {
            let times = &mut figures.seconds_per_megabyte;
            times.sort_by(f64::total_cmp);
            let (worst, pattern) = match figures.worst {
                Some((worst, number)) => {
                    (format!("{worst:.2}"), format!("`{}`", show(&patterns[number]).replace('|', "¦")))
                }
                None => ("–".into(), "–".into()),
            };
            vec![
                stage.to_string(),
                format!("{:.3}", times[times.len() / 2]),
                format!("{:.2}", times[times.len() - 1]),
                figures.measured_again.to_string(),
                worst,
                pattern,
            ]
        })
        .collect();
    let failures: Vec<&(usize, Finding)> =
        found.iter().filter(|(_, found)| found.worst(MAX_EXPONENT).is_some()).collect();
    let mut body = format!(
        "{} known shapes and {} random patterns, each repeated to pages of {} KB, all stages and methods. Of the random patterns, stages \
         beside parsing, the default detector and the outputs are tried on one in 16, GCUTS and CCLUS on one in 64. Stages that grow by more than \
         the size to the power of {SUSPICIOUS_EXPONENT} there, or take more than {SUSPICIOUS_SECONDS} s, are measured again on pages of {} MB \
         and {} MB; the exponents are of those. {} pages hit a limit of the parser, and say so. Patterns with an exponent above \
         {MAX_EXPONENT}: {}.\n\n",
        shapes().len().min(found.len()),
        found.len().saturating_sub(shapes().len()),
        SMALL.map(|size| (size >> 10).to_string()).join(", "),
        LARGE[0] >> 20,
        LARGE[1] >> 20,
        found.iter().filter(|(_, finding)| !finding.limits_hit.is_empty()).count(),
        failures.len(),
    );
    let head = ["stage", "median s/MB", "largest s/MB", "measured again", "largest exponent", "its pattern"];
    body += &table(&head, &rows);
    if !failures.is_empty() {
        body += "\nToo fast growth:\n\n";
        for (number, finding) in &failures {
            if let Some((stage, exponent)) = finding.worst(MAX_EXPONENT) {
                body += &format!("- {stage}, {exponent:.2}: `{}`\n", show(&patterns[*number]));
            }
        }
    }
    (body, failures.len())
}

/// CPU time of this thread.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
