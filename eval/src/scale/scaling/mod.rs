//! How the cost of each stage grows with a page that repeats a small pattern.
//!
//! Hostile pages are repetitive: a rule of the HTML standard, or a stage of ours, that searches what came before takes quadratic
//! time on them. Patterns are random, and a list of known shapes; each is repeated to pages of growing size, and the CPU time of
//! each stage is compared from one size to the next.

mod patterns;
mod table;

use crate::Stop;
use crate::shared::machine::processor_seconds;
use crate::shared::methods::{extractor, site_method};
use crate::shared::report::Results;
use clap::Args;
use dehusk::details::LimitsHit;
use dehusk::{Extraction, Options, OutputFormat, Page, PageSegmenter, Scratch, SiteLearner, SiteTemplates};
use dehusk_papers::segment::{ModelSegmenter, SegmentMethod};
use patterns::{Pattern, page, parse_pattern, random_pattern, shapes, show};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(Args)]
pub(crate) struct ScalingOptions {
    /// scaling: random patterns
    #[arg(long, default_value_t = 6000)]
    patterns: u64,
    /// scaling: seed of the first pattern
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// scaling: begin no pattern after this many minutes; the results say how many were tried
    #[arg(long, default_value_t = 600)]
    minutes: u64,
    /// scaling: only stages whose names contain this; prints, and writes no results
    #[arg(long)]
    stage: Option<String>,
    /// scaling: only this pattern, as printed in the results; prints each time, and writes no results
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

/// A stage by name, and the seconds it took on pages of increasing size.
type Times = BTreeMap<String, Vec<(usize, f64)>>;

pub(crate) fn run(results: &Results, options: &ScalingOptions) -> Result<(), Stop> {
    let only = options.stage.as_deref();
    if let Some(pattern) = &options.pattern {
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
    patterns.extend((options.seed..options.seed + options.patterns).map(random_pattern));
    let found: Mutex<Vec<(usize, Finding)>> = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let end = Instant::now() + Duration::from_secs(options.minutes * 60);
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
    let (body, failures) = table::report(&patterns, &found);
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
    let with = |detector: &str| extractor(detector, Options::new().with_metadata(true)).ok();
    let mut limits_hit = LimitsHit::default();
    let Some(plain) = with("none") else { return limits_hit };
    timed("parse", &mut || {
        limits_hit = plain.parse(page, &mut scratch).map_or(limits_hit, |page| page.document.limits_hit())
    });
    for detector in ["none", "fusion", "pagelevel", "pagelevel-basic", "block"] {
        let Some(extractor) = with(detector) else { continue };
        timed(&format!("extract {detector}"), &mut || {
            let _ = extractor.extract(page, &mut scratch);
        });
        if matches!(detector, "none" | "fusion")
            && OUTPUTS.iter().any(|output| wanted(&format!("{output} of {detector}")))
            && let Ok(found) = extractor.extract(page, &mut scratch)
        {
            outputs(detector, &found, &mut timed);
        }
    }
    // Other pages of the site, partly different.
    let half = &page[..page.len() / 2];
    let pages =
        [page, &[b"<p>another page</p>", page, b"<p>with another end</p>"].concat(), &[half, b"<p>short</p>"].concat()];
    let on_site = ["sitelevel", "treemap", "align", "auto", "fusion"];
    let named = |detector: &str| format!("extract {detector}{}", if detector == "fusion" { " with site" } else { "" });
    if wanted("learn auto") || on_site.iter().any(|detector| wanted(&named(detector))) {
        let mut site = SiteTemplates::default();
        // `auto` learns by all methods.
        let Ok(auto) = site_method("auto") else { return limits_hit };
        let mut learn = || {
            let mut learner = SiteLearner::new(auto.clone());
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
            if let Ok(found) = PageSegmenter::new(Arc::new(ModelSegmenter::new(method))).segment(page) {
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
