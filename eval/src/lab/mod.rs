#![allow(missing_docs, dead_code)]

use crate::Stop;
use crate::corpus::{Data, read_pages};
use crate::segments::pages::{HandLabelled, Truth, read_part};
use dehusk::dom::{Document, Fingerprints, Name, NodeId, NodeKind, Parser, Stats};
use dehusk::features::nodes::{COLUMNS, DescribeOptions, column_names, describe, host_of};
use dehusk::layout::{Layout, estimate};
use dehusk::model::{Discretizer, Logistic};
use dehusk_train::{Bins, BoostOptions, fit_boosted, GrowOptions, LogisticOptions, Sparse, fit_logistic_columns};
use dehusk::{LEAST_AREA, PageLevelModel, SiteLevelLearner, page_evidence, JudgedPage};
use rayon::prelude::*;
use std::collections::BTreeMap;

static CONFIG: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());

fn text_env(name: &str) -> Option<String> {
    let config = CONFIG.lock().unwrap().clone();
    for word in config.split_whitespace() {
        if let Some((key, value)) = word.split_once('=') {
            if key == name {
                return Some(value.to_string());
            }
        }
    }
    std::env::var(name).ok()
}

pub(crate) fn env(name: &str, default: f64) -> f64 {
    text_env(name).and_then(|v| v.parse().ok()).unwrap_or(default)
}

pub(crate) struct TrainPage {
    pub(crate) document: Document,
    pub(crate) layout: Layout,
    pub(crate) template: Vec<Option<bool>>,
    pub(crate) text_template: Vec<bool>,
    pub(crate) host: String,
    pub(crate) rows: Vec<f32>,
    pub(crate) labels: Vec<f32>,
    pub(crate) areas: Vec<f32>,
    pub(crate) words: Vec<f32>,
    pub(crate) crumb: Vec<bool>,
}

pub(crate) struct Site {
    pub(crate) name: String,
    pub(crate) pages: Vec<TrainPage>,
}

fn own_bytes(document: &Document, id: NodeId) -> u32 {
    let parent = document.parent(id).map_or(Name::NONE, |parent| document.html_name(parent));
    match document.kind(id) {
        NodeKind::Text if matches!(parent, Name::SCRIPT | Name::STYLE) => 0,
        NodeKind::Text => document.text(id).len() as u32,
        NodeKind::Element if !matches!(document.html_name(id), Name::SCRIPT | Name::STYLE) => {
            let outer = document.span(id).map_or(0, |span| span.len());
            let inner = document.inner_span(id).map_or(0, |span| span.len());
            outer.saturating_sub(inner) as u32
        }
        _ => 0,
    }
}

pub(crate) fn load(data: &Data, per_site: usize) -> Result<Vec<Site>, Stop> {
    let files = data.list("sites", ".jsonl.zst")?;
    let theta = env("THETA", 0.1);
    let share = env("SHARE", 0.85);
    Ok(files
        .par_iter()
        .map(|file| {
            let name = file.file_name().unwrap().to_string_lossy().replace(".jsonl.zst", "");
            let mut sources = Vec::new();
            let _ = read_pages(file, |url, html| sources.push((url.to_string(), html)));
            let mut parser = Parser::default();
            let mut learner = SiteLevelLearner::new();
            let order = crate::sitelevel::shuffled(sources.len());
            let mut pages = Vec::new();
            let mut kept = Vec::new();
            for number in order {
                let (url, html) = &sources[number];
                let Ok(document) = parser.parse(html) else { continue };
                let (stats, prints) = (Stats::of(&document), Fingerprints::of(&document));
                learner.observe(&page_evidence(&document, &stats, &prints));
                if kept.len() < per_site {
                    kept.push((url.clone(), document, stats, prints));
                }
            }
            let template = learner.finish();
            let least = ((theta * template.pages() as f64).ceil() as u32).max(2);
            for (url, document, stats, prints) in kept {
                let Some(body) = document.find(Name::BODY) else { continue };
                let mut labels: Vec<Option<bool>> = vec![None; document.len()];
                let mut all = vec![0u32; document.len()];
                let mut shared = vec![0u32; document.len()];
                let mut rep = vec![false; document.len()];
                for id in std::iter::once(body).chain(document.descendants(body)).rev() {
                    let at = id.index();
                    all[at] += own_bytes(&document, id);
                    let counts = stats.subtree(&document, id);
                    let shows = counts.characters > 0 || counts.pictures > 0;
                    let hash = prints.exact[at];
                    let repeated = shows && hash != 0 && template.support(hash) >= least;
                    rep[at] = repeated;
                    if repeated {
                        shared[at] = all[at];
                    }
                    if shows {
                        let mostly = document.end(id).0 > id.0 + 1 && f64::from(shared[at]) > share * f64::from(all[at]);
                        labels[at] = Some(repeated || mostly);
                    }
                    if let Some(parent) = document.parent(id) {
                        all[parent.index()] += all[at];
                        shared[parent.index()] += shared[at];
                    }
                }
                let mut text_template = vec![false; document.len()];
                for id in document.ids() {
                    let above = document.parent(id).is_some_and(|p| text_template[p.index()]);
                    text_template[id.index()] = above || rep[id.index()];
                }
                let layout = estimate(&document);
                let host = host_of(&url).unwrap_or_default().to_string();
                let table = describe(&document, &layout, DescribeOptions { least_area: LEAST_AREA, host: Some(&host) });
                let (mut rows, mut own, mut areas, mut words) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
                let mut crumbs = Vec::new();
                // share of template characters by subtree
                let mut tchars = vec![0u32; document.len()];
                for id in document.ids().rev() {
                    if document.is_text(id) && text_template[id.index()] {
                        tchars[id.index()] = stats.subtree(&document, id).characters;
                    }
                    if let Some(parent) = document.parent(id) {
                        tchars[parent.index()] += tchars[id.index()];
                    }
                }
                for (id, row) in table.rows() {
                    if id == body {
                        continue;
                    }
                    if let Some(label) = labels[id.index()] {
                        rows.extend_from_slice(row);
                        own.push(label as u8 as f32);
                        areas.push(layout.node(id).area());
                        words.push(stats.subtree(&document, id).words as f32);
                        // a small node whose surroundings say otherwise
                        let mut crumb = false;
                        let own_chars = stats.subtree(&document, id).characters;
                        for outer in document.ancestors(id).take(env("CRUMB_UP", 6.0) as usize) {
                            let all = stats.subtree(&document, outer).characters;
                            if all >= 4 * own_chars.max(10) && outer != body {
                                let share = tchars[outer.index()] as f64 / all as f64;
                                crumb = if label { share < env("CRUMB_LOW", 0.2) } else { share > env("CRUMB_HIGH", 0.9) };
                                break;
                            }
                        }
                        crumbs.push(crumb);
                    }
                }
                pages.push(TrainPage {
                    document,
                    layout,
                    template: labels,
                    text_template,
                    host,
                    rows,
                    labels: own,
                    areas,
                    words,
                    crumb: crumbs,
                });
            }
            Site { name, pages }
        })
        .collect())
}

type Scorer = Box<dyn Fn(&[f32], f32) -> f32 + Sync + Send>;

fn fit_trees(sites: &[&Site]) -> Scorer {
    let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for site in sites {
        for page in &site.pages {
            let total = page.areas.len() as f32;
            for n in 0..page.areas.len() {
                rows.extend_from_slice(&page.rows[n * COLUMNS..(n + 1) * COLUMNS]);
                labels.push(page.labels[n]);
                weights.push(1.0 / total.max(20.0) / site.pages.len() as f32);
            }
        }
    }
    let mean: f32 = weights.iter().sum::<f32>() / weights.len() as f32;
    weights.iter_mut().for_each(|w| *w /= mean);
    let bins = Bins::new(&rows, COLUMNS, env("BINS", 32.0) as usize);
    let options = BoostOptions { rounds: env("ROUNDS", 100.0) as usize, features: 0.5, rows: 0.5, grow: GrowOptions { leaves: env("LEAVES", 15.0) as usize, least_rows: 200, ..GrowOptions::default() }, ..BoostOptions::default() };
    let trees = fit_boosted(&bins, &labels, &weights, options);
    Box::new(move |row, _| trees.score(row))
}

pub(crate) fn fit(sites: &[&Site], penalty: f32) -> PageLevelModel {
    let mut areas: Vec<f32> = sites.iter().flat_map(|s| &s.pages).flat_map(|p| p.areas.iter().copied()).collect();
    areas.sort_by(f32::total_cmp);
    let quart = |q: usize| areas[areas.len() * q / 4];
    let limits = [quart(1), quart(2), quart(3)];
    let wmode = env("WMODE", 1.0) as i32;
    let l2 = env("L2", 1e-3);
    let steps = env("STEPS", 60.0) as usize;
    let drop = text_env("DROP").unwrap_or_default();
    let dropped: Vec<bool> = column_names().map(|n| drop.split(',').any(|d| !d.is_empty() && n.contains(d))).collect();
    let bins = env("BINS", 8.0) as usize;
    let mut columns: Vec<Vec<f32>> = vec![Vec::new(); COLUMNS];
    let mut k = 0;
    for page in sites.iter().flat_map(|s| &s.pages) {
        for row in page.rows.chunks(COLUMNS) {
            k += 1;
            if k % 7 == 0 {
                for (c, v) in columns.iter_mut().zip(row) {
                    c.push(*v);
                }
            }
        }
    }
    let cuts: Vec<Vec<f32>> = columns.into_par_iter().zip(&dropped).map(|(mut c, drop)| {
        if *drop { return Vec::new(); }
        c.sort_by(f32::total_cmp);
        let mut cuts: Vec<f32> = Vec::new();
        for q in 1..bins {
            let at = c.len() * q / bins;
            let v = c[at];
            if v > c[0] { cuts.push(v); } else if let Some(next) = c.iter().find(|x| **x > v) { cuts.push(*next); }
        }
        cuts.dedup();
        cuts
    }).collect();
    let cuts = Discretizer::new(&cuts);
    let bands: Vec<Logistic> = (0..4usize)
        .into_par_iter()
        .map(|band| {
            let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            for site in sites {
                let site_pages = site.pages.len() as f32;
                for page in &site.pages {
                    let total: f32 = page.areas.len() as f32;
                    for (n, area) in page.areas.iter().enumerate() {
                        if limits.iter().filter(|l| *area >= **l).count() != band || page.crumb[n] && env("CRUMBS", 0.0) > 0.0 {
                            continue;
                        }
                        rows.extend_from_slice(&page.rows[n * COLUMNS..(n + 1) * COLUMNS]);
                        labels.push(page.labels[n]);
                        weights.push(match wmode {
                            0 => 1.0,
                            1 => 1.0 / total.max(20.0) / site_pages,
                            2 => (1.0 + page.words[n]).ln() / total.max(20.0) / site_pages,
                            4 => 1.0 / total.max(20.0).sqrt() / site_pages,
                            _ => (1.0 + page.words[n]).sqrt() / total.max(20.0) / site_pages,
                        });
                    }
                }
            }
            let sparse = Sparse::of(&cuts, &rows);
            fit_logistic_columns(&sparse, &labels, &weights, LogisticOptions { l2, steps, tolerance: 1e-5 })
        })
        .collect();
    let bands: [Logistic; 4] = bands.try_into().map_err(|_| ()).unwrap();
    PageLevelModel::new(limits, cuts, bands, 0.5, penalty, String::new()).unwrap()
}

#[derive(Default, Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub(crate) tp: f64,
    pub(crate) fp: f64,
    pub(crate) miss: f64,
}

impl Tally {
    pub(crate) fn add(&mut self, truth: bool, said: bool, weight: f64) {
        match (truth, said) {
            (true, true) => self.tp += weight,
            (false, true) => self.fp += weight,
            (true, false) => self.miss += weight,
            _ => {}
        }
    }
    pub(crate) fn f(&self) -> f64 {
        2.0 * self.tp / (2.0 * self.tp + self.fp + self.miss).max(1e-9)
    }
    pub(crate) fn sum(&mut self, other: &Tally) {
        self.tp += other.tp;
        self.fp += other.fp;
        self.miss += other.miss;
    }
}

/// words, anchor words, links
pub(crate) fn judge(page: &HandLabelled, said: &dyn Fn(NodeId) -> bool) -> [Tally; 3] {
    let mut t = [Tally::default(); 3];
    for (id, words, in_link) in page.texts() {
        let truth = match page.truth[id.index()] {
            Truth::Template => true,
            Truth::Content => false,
            _ => continue,
        };
        t[0].add(truth, said(id), words as f64);
        if in_link {
            t[1].add(truth, said(id), words as f64);
        }
    }
    for id in page.links() {
        let truth = match page.truth[id.index()] {
            Truth::Template => true,
            Truth::Content => false,
            _ => continue,
        };
        t[2].add(truth, said(id), 1.0);
    }
    t
}

pub(crate) fn validate(sites: &[&Site], model: &Scorer, penalty: f32, thresholds: &[f32]) -> Vec<(f64, f64, f64, f64)> {
    let parts: Vec<Vec<(Tally, Tally, f64, f64)>> = sites
        .par_iter()
        .map(|site| {
            let mut tallies = vec![(Tally::default(), Tally::default()); thresholds.len()];
            let mut macros = vec![(0.0, 0.0); thresholds.len()];
            for page in &site.pages {
                let scores = JudgedPage::of(&page.document, &page.layout, Some(&page.host)).score_by(penalty, |r, a| model(r, a));
                let stats = Stats::of(&page.document);
                let mut own = vec![(Tally::default(), Tally::default()); thresholds.len()];
                for id in page.document.ids().filter(|id| page.document.is_text(*id)) {
                    let words = stats.subtree(&page.document, id).words as f64;
                    let Some(ride) = scores.ride(id) else { continue };
                    for (k, t) in thresholds.iter().enumerate() {
                        own[k].0.add(page.text_template[id.index()], scores.smooth()[ride] >= *t, words);
                        own[k].1.add(page.text_template[id.index()], scores.raw()[ride] >= *t, words);
                    }
                }
                for k in 0..thresholds.len() {
                    tallies[k].0.sum(&own[k].0);
                    tallies[k].1.sum(&own[k].1);
                    macros[k].0 += own[k].0.f() / site.pages.len() as f64;
                    macros[k].1 += own[k].1.f() / site.pages.len() as f64;
                }
            }
            tallies.into_iter().zip(macros).map(|((a, b), (c, d))| (a, b, c, d)).collect()
        })
        .collect();
    (0..thresholds.len())
        .map(|k| {
            let n = parts.len() as f64;
            let smooth = parts.iter().map(|p| p[k].0.f()).sum::<f64>() / n;
            let basic = parts.iter().map(|p| p[k].1.f()).sum::<f64>() / n;
            let ms = parts.iter().map(|p| p[k].2).sum::<f64>() / n;
            let mb = parts.iter().map(|p| p[k].3).sum::<f64>() / n;
            (smooth, basic, ms, mb)
        })
        .collect()
}


fn row(pages: &[HandLabelled], scored: &[dehusk::PageScores], smooth: bool, threshold: f32) -> ([Tally; 3], [f64; 3]) {
    let mut micro = [Tally::default(); 3];
    let mut mac = [0.0; 3];
    let mut n = [0.0; 3];
    for (p, s) in pages.iter().zip(scored) {
        let values = if smooth { s.smooth() } else { s.raw() };
        let t = judge(p, &|id| s.ride(id).is_some_and(|r| values[r] >= threshold));
        for k in 0..3 {
            micro[k].sum(&t[k]);
            if t[k].tp + t[k].miss > 0.0 {
                mac[k] += t[k].f();
                n[k] += 1.0;
            }
        }
    }
    for k in 0..3 {
        mac[k] /= n[k];
    }
    (micro, mac)
}

fn show(m: &([Tally; 3], [f64; 3])) -> String {
    let (a, b) = m;
    format!("{:.3} {:.3} {:.3} (P{:.2} R{:.2}) m {:.3} {:.3} {:.3}", a[0].f(), a[1].f(), a[2].f(),
        a[0].tp / (a[0].tp + a[0].fp).max(1.0), a[0].tp / (a[0].tp + a[0].miss).max(1.0), b[0], b[1], b[2])
}

pub(crate) fn run(data: &Data) -> Result<(), Stop> {
    let t = std::time::Instant::now();
    let sites = load(data, env("PAGES", 20.0) as usize)?;
    eprintln!("loaded {} sites {:?}", sites.len(), t.elapsed());
    let (mut valid, mut train) = (Vec::new(), Vec::new());
    for (k, s) in sites.iter().enumerate() {
        if k % 5 == 2 { valid.push(s) } else { train.push(s) }
    }
    let parts = [("random", read_part(data, "random")?), ("popular", read_part(data, "popular")?)];
    let configs = std::env::var("CONFIGS").ok().map(|f| std::fs::read_to_string(f).unwrap()).unwrap_or("\n".into());
    for config in configs.lines() {
        *CONFIG.lock().unwrap() = config.to_string();
        let penalty = env("PENALTY", 0.01) as f32;
        let trees = env("TREES", 0.0) > 0.0;
        let make = |sites: &[&Site]| -> Scorer {
            if trees { fit_trees(sites) } else { let m = fit(sites, penalty); Box::new(move |r, a| m.score(r, a)) }
        };
        let mut model = make(&train);
        let thresholds: Vec<f32> = (4..18).map(|k| k as f32 / 20.0).collect();
        let v = validate(&valid, &model, penalty, &thresholds);
        let best = |f: &dyn Fn(&(f64, f64, f64, f64)) -> f64| {
            let k = (0..v.len()).max_by(|a, b| f(&v[*a]).total_cmp(&f(&v[*b]))).unwrap();
            (thresholds[k], f(&v[k]))
        };
        let (ts, vs) = best(&|r| r.0 + r.2);
        let (tb, vb) = best(&|r| r.1 + r.3);
        println!("## {config}  valid smooth {:.3}@{ts} basic {:.3}@{tb}", vs / 2.0, vb / 2.0);
        if env("ALL", 0.0) > 0.0 {
            let all: Vec<&Site> = sites.iter().collect();
            model = make(&all);
        }
        for (part, pages) in &parts {
            for measured in [false, true] {
                if measured && env("MEASURED", 0.0) == 0.0 {
                    continue;
                }
                let scored: Vec<_> = pages
                    .par_iter()
                    .map(|p| {
                        let layout = if measured { p.measured.clone() } else { estimate(&p.document) };
                        JudgedPage::of(&p.document, &layout, host_of(&p.url)).score_by(penalty, |r, a| model(r, a))
                    })
                    .collect();
                let name = if measured { "measured" } else { "" };
                println!("{part:8}{name} Basic  {}", show(&row(pages, &scored, false, tb)));
                println!("{part:8}{name} Smooth {}", show(&row(pages, &scored, true, ts)));
                let grid: Vec<f32> = (2..19).map(|k| k as f32 / 20.0).collect();
                let (t, f) = grid.iter().map(|t| { let r = row(pages, &scored, true, *t); (*t, r.0.iter().map(|x| x.f()).sum::<f64>() + r.1.iter().sum::<f64>()) })
                    .max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                println!("{part:8}{name} best Smooth @{t} mean {:.3}: {}", f / 6.0, show(&row(pages, &scored, true, t)));
                if let Some(wanted) = text_env("PAGE") {
                    for (p, s) in pages.iter().zip(&scored).filter(|(p, _)| p.id.contains(&wanted)) {
                        dump(p, s);
                    }
                }
                if env("VERBOSE", 0.0) > 0.0 {
                    for (p, s) in pages.iter().zip(&scored) {
                        let t = judge(p, &|id| s.ride(id).is_some_and(|r| s.smooth()[r] >= ts));
                        let b = judge(p, &|id| s.ride(id).is_some_and(|r| s.raw()[r] >= ts));
                        println!("   {} tp {} fp {} miss {}  F {:.2} links F {:.2} basic fp {} miss {}", p.id, t[0].tp, t[0].fp, t[0].miss, t[0].f(), t[2].f(), b[0].fp, b[0].miss);
                    }
                }
            }
        }
    }
    Ok(())
}

fn dump(p: &HandLabelled, s: &dehusk::PageScores) {
    for (n, id) in s.nodes().iter().enumerate() {
        let d = p.document.depth(*id);
        let counts = p.stats.subtree(&p.document, *id);
        let at = p.measured.node(*id);
        let class = p.document.attribute(*id, Name::CLASS).unwrap_or_default();
        let idn = p.document.attribute(*id, Name::ID).unwrap_or_default();
        let top: Vec<String> = Vec::new();
        println!("{}{}#{idn}.{class} raw {:.2} y {:.2} {:?} words {} links {} [{:.0},{:.0} {:.0}x{:.0}] {}", " ".repeat(d), p.document.name_text(p.document.name(*id)),
            s.raw()[n], s.smooth()[n], p.truth[id.index()], counts.words, counts.links, at.x, at.y, at.width, at.height, top.join(" "));
    }
}
