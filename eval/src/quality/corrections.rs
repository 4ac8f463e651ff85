//! What corrections of a few pages change: on those pages, on other pages of the same sites, and everywhere else.
//!
//! The difference between the answer and the reference text of a page is turned into the clicks of a person who wants that text.

use crate::Stop;
use crate::quality::fusion::measure_text;
use crate::shared::corpus::{Data, read_records};
use crate::shared::report::{Results, table};
use dehusk::Decision;
use dehusk::detect::fusion::{FusionModel, FusionPage, FusionSettings, Odds, detect_fusion};
use dehusk::dom::{Document, NodeId, Parser};
use dehusk::render::{RenderOptions, render_text};
use dehusk::settle::settle;
use dehusk_train::{
    Adaptation, CorrectedPage, Correction, CorrectionTally, Example, ReferenceInputs, ReferencePage, adapt_fusion,
};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::time::Instant;

/// A page whose content is known.
struct Known {
    page: ReferencePage,
    site: String,
    /// Lines and blocks equal to it count neither way.
    title: Option<String>,
    base: f64,
}

impl Known {
    fn f1(&self, model: &FusionModel) -> f64 {
        let Ok(document) = Parser::default().parse(&self.page.html) else { return 0.0 };
        let mut detection =
            detect_fusion(&document, model, None, FusionSettings::default(), &mut FusionPage::default());
        settle(&document, &mut detection);
        let mut text = render_text(&document, &detection, RenderOptions::default());
        if let Some(title) = &self.title {
            text = text.lines().filter(|line| line.trim() != title).collect::<Vec<_>>().join("\n");
        }
        measure_text(&text, &self.page.content).f1
    }

    /// The clicks that turn the answer into the reference text, as far as blocks of text can do that.
    fn corrected(&self, model: &FusionModel) -> Option<CorrectedPage> {
        let document = Parser::default().parse(&self.page.html).ok()?;
        let mut page = FusionPage::default();
        let mut detection = detect_fusion(&document, model, None, FusionSettings::default(), &mut page);
        settle(&document, &mut detection);
        let example = Example::of(&self.page)?;
        let mut blocks = FusionPage::default();
        blocks.prepare(&document, &Odds::default());
        let wanted: Vec<Option<bool>> = (0..blocks.len())
            .map(|block| {
                let is_title = self.title.as_ref().is_some_and(|title| blocks.text(&document, block).trim() == title);
                (blocks.words(block) > 0 && !is_title).then(|| example.label(block) >= 0.5)
            })
            .collect();
        let kept = |block: usize| {
            let (first, end) = blocks.span(block);
            (first.0..end.0).map(NodeId).any(|id| document.is_text(id) && !detection.is_dropped(id))
        };
        let mut corrections: Vec<Correction> = Vec::new();
        let mut done = NodeId(0);
        for block in 0..blocks.len() {
            let Some(want) = wanted[block].filter(|want| *want != kept(block)) else { continue };
            let (first, _) = blocks.span(block);
            if first < done {
                continue;
            }
            let node = largest(&document, &blocks, &wanted, first, blocks.span(block).1, want);
            done = document.end(node);
            let decision = if want { Decision::Keep } else { Decision::Drop };
            corrections.push(Correction {
                decision,
                xpath: document.xpath(node),
                span: document.span(node),
                node: Some(node.0),
                text: blocks.text(&document, block).chars().take(200).collect(),
                ..Correction::default()
            });
        }
        (!corrections.is_empty()).then(|| CorrectedPage { page: self.page.clone(), corrections, ..Default::default() })
    }
}

/// The largest node around a block in which the same is wanted of all blocks: what a person would click.
fn largest(
    document: &Document,
    blocks: &FusionPage,
    wanted: &[Option<bool>],
    first: NodeId,
    end: NodeId,
    want: bool,
) -> NodeId {
    let mut node = first;
    for around in document.ancestors(first) {
        let is_whole = document.end(node) >= end;
        let range = around..document.end(around);
        let agrees = (0..blocks.len())
            .filter(|block| range.contains(&blocks.span(*block).0))
            .all(|block| wanted[block].is_none_or(|own| own == want));
        if is_whole && !agrees || !document.is_element(around) {
            break;
        }
        node = around;
    }
    node
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    sum / count.max(1) as f64
}

fn read(data: &Data) -> Result<(Vec<Known>, Vec<Known>), Stop> {
    let inputs = ReferenceInputs::new(vec![data.find("wcxb-dev.jsonl.zst")?]);
    let pages = inputs.pages(|fault| eprintln!("{fault}")).map_err(|error| Stop::Broken(error.to_string()))?;
    let host = |url: &str| {
        let host = url.split("://").nth(1).unwrap_or(url).split('/').next().unwrap_or_default();
        host.trim_start_matches("www.").to_string()
    };
    let wcxb: Vec<Known> =
        pages.into_iter().map(|page| Known { site: host(&page.url), page, title: None, base: 0.0 }).collect();
    let mut graft = Vec::new();
    for file in data.list("graft", ".jsonl.zst")? {
        read_records(&file, |record| {
            let text = |key: &str| record[key].as_str().unwrap_or_default().trim().to_string();
            let page = ReferencePage {
                id: text("id"),
                url: text("url"),
                page_type: "article".into(),
                html: text("html"),
                content: text("content"),
                comments: None,
            };
            graft.push(Known { page, site: text("site"), title: Some(text("title")), base: 0.0 });
        })?;
    }
    Ok((wcxb, graft))
}

/// What an adapted model does.
struct Outcome {
    pages: usize,
    clicks: usize,
    followed: usize,
    corrected: [f64; 2],
    same_site: Option<(usize, [f64; 2])>,
    elsewhere: [f64; 2],
    /// Pages elsewhere, and those with another F1 than before.
    others: usize,
    changed: usize,
    seconds: f64,
    bytes: usize,
}

impl Outcome {
    /// Corrects pages, adapts the built-in model and measures it.
    fn of(chosen: &[&Known], same_site: &[&Known], elsewhere: &[&Known]) -> Outcome {
        let base = FusionModel::builtin();
        let pages: Vec<CorrectedPage> = chosen.iter().filter_map(|known| known.corrected(base)).collect();
        let start = Instant::now();
        let adaptation = Adaptation { inputs: Vec::new(), source: None, seed: 0 };
        let model = adapt_fusion(base, &pages, &adaptation, &|_| {});
        let seconds = start.elapsed().as_secs_f64();
        let tally = CorrectionTally::of(&model, &pages);
        let both = |pages: &[&Known]| {
            let after: Vec<f64> = pages.par_iter().map(|known| known.f1(&model)).collect();
            let changed = pages.iter().zip(&after).filter(|(known, after)| known.base != **after).count();
            ([mean(pages.iter().map(|known| known.base)), mean(after.into_iter())], changed)
        };
        let (elsewhere_f1, changed) = both(elsewhere);
        Outcome {
            pages: pages.len(),
            clicks: tally.corrections,
            followed: tally.followed,
            corrected: both(chosen).0,
            same_site: (!same_site.is_empty()).then(|| (same_site.len(), both(same_site).0)),
            elsewhere: elsewhere_f1,
            others: elsewhere.len(),
            changed,
            seconds,
            bytes: model.to_bytes().len(),
        }
    }

    /// Several outcomes as one: means, and for what is worst of them the last cells of a row.
    fn row(name: String, outcomes: &[Outcome]) -> Vec<String> {
        let mean_of = |of: &dyn Fn(&Outcome) -> f64| mean(outcomes.iter().map(of));
        let sum_of = |of: &dyn Fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
        let change = |of: &dyn Fn(&Outcome) -> [f64; 2]| {
            format!("{:.3} → {:.3}", mean_of(&|outcome| of(outcome)[0]), mean_of(&|outcome| of(outcome)[1]))
        };
        let fall = |outcome: &Outcome| outcome.elsewhere[1] - outcome.elsewhere[0];
        let same_site = outcomes.iter().filter_map(|outcome| outcome.same_site).collect::<Vec<_>>();
        let same_site = match same_site.is_empty() {
            true => String::new(),
            false => {
                let of = |at: usize| mean(same_site.iter().map(|(_, f1)| f1[at]));
                format!("{:.3} → {:.3} ({})", of(0), of(1), same_site.iter().map(|(pages, _)| pages).sum::<usize>())
            }
        };
        vec![
            name,
            outcomes.len().to_string(),
            sum_of(&|outcome| outcome.pages).to_string(),
            format!("{} of {}", sum_of(&|outcome| outcome.followed), sum_of(&|outcome| outcome.clicks)),
            change(&|outcome| outcome.corrected),
            same_site,
            format!("{:+.4}", mean_of(&fall)),
            format!("{:+.4}", outcomes.iter().map(fall).fold(f64::INFINITY, f64::min)),
            format!(
                "{:.1} %",
                100.0 * sum_of(&|outcome| outcome.changed) as f64 / sum_of(&|outcome| outcome.others).max(1) as f64
            ),
            format!("{:.1}", outcomes.iter().map(|outcome| outcome.seconds).fold(0.0, f64::max)),
            (outcomes.iter().map(|outcome| outcome.bytes).max().unwrap_or(0) / 1000).to_string(),
        ]
    }
}

/// Of pages with an answer this good, there is nothing to correct.
const GOOD: f64 = 0.95;

pub(crate) fn run(data: &Data, results: &Results) -> Result<(), Stop> {
    let (mut wcxb, mut graft) = read(data)?;
    let base = FusionModel::builtin();
    for pages in [&mut wcxb, &mut graft] {
        pages.par_iter_mut().for_each(|known| known.base = known.f1(base));
    }
    let mut rows = Vec::new();
    let mut add = |name: String, outcomes: &[Outcome]| {
        let row = Outcome::row(name, outcomes);
        eprintln!("{}", row.join(" | "));
        rows.push(row);
    };
    // Everything in wcxb-dev but the sites of the corrected pages.
    let elsewhere = |chosen: &[&Known]| -> Vec<&Known> {
        wcxb.iter().filter(|known| chosen.iter().all(|chosen| chosen.site != known.site)).collect()
    };
    let mut worst: Vec<&Known> =
        wcxb.iter().filter(|known| known.base < GOOD && !known.page.content.is_empty()).collect();
    worst.sort_by(|one, two| one.base.total_cmp(&two.base).then(one.page.id.cmp(&two.page.id)));
    worst.retain(|known| known.corrected(base).is_some());
    for (count, groups) in [(1, 10), (5, 4), (20, 3), (100, 1), (200, 1)] {
        let outcomes: Vec<Outcome> =
            worst.chunks(count).take(groups).map(|chosen| Outcome::of(chosen, &[], &elsewhere(chosen))).collect();
        add(format!("the worst of wcxb-dev, {count} at a time"), &outcomes);
    }
    // The worst page of each site with several pages.
    let mut outcomes = Vec::new();
    for (at, known) in worst.iter().enumerate() {
        let same_site: Vec<&Known> =
            wcxb.iter().filter(|other| other.site == known.site && other.page.id != known.page.id).collect();
        let is_first = worst[..at].iter().all(|other| other.site != known.site);
        if !same_site.is_empty() && is_first {
            // Elsewhere is measured on a tenth of the pages: there are many sites.
            let others: Vec<&Known> = elsewhere(&[*known]).into_iter().step_by(10).collect();
            outcomes.push(Outcome::of(&[*known], &same_site, &others));
        }
    }
    add("one page of a site of wcxb-dev".into(), &outcomes);
    let sites: BTreeSet<&str> = graft.iter().map(|known| known.site.as_str()).collect();
    for site in sites {
        let own: Vec<&Known> = graft.iter().filter(|known| known.site == site).collect();
        let wrong: Vec<&Known> = own.iter().copied().filter(|known| known.corrected(base).is_some()).collect();
        for count in [1, 5, 20] {
            let chosen: Vec<&Known> = wrong.iter().copied().take(count).collect();
            if chosen.len() < count {
                continue;
            }
            let is_chosen = |known: &Known| chosen.iter().any(|chosen| chosen.page.id == known.page.id);
            let rest: Vec<&Known> = own.iter().copied().filter(|known| !is_chosen(known)).collect();
            add(format!("{site}, {count}"), &[Outcome::of(&chosen, &rest, &elsewhere(&[]))]);
        }
    }
    let head = [
        "corrected",
        "times",
        "pages",
        "clicks followed",
        "F1 of these pages",
        "F1 of others of their sites (pages)",
        "change elsewhere",
        "the worst",
        "pages elsewhere that change",
        "seconds",
        "kB of the model",
    ];
    let body = format!(
        "{}\nThe built-in model was adapted as `dehusk train fusion --more` does it. Clicks are made of the differences between its answer \
         and the reference text: on the largest element in which the same is wanted of all text. A click counts as followed if all text \
         blocks in it are decided as asked. Elsewhere are the pages of wcxb-dev of other sites: the change of their mean F1, and the \
         share whose F1 is another than before. F1 of words, mean over pages, text as `dehusk extract` renders it, without the fallback \
         to content outside the visible text. The built-in model was trained on wcxb-dev, so that its worst pages are those whose \
         reference contradicts what it learned; it has not seen the sites of `graft`. Seconds are those of the slowest, on two shared \
         cores; the built-in model has {} kB.\n",
        table(&head, &rows),
        base.to_bytes().len() / 1000
    );
    results.publish("corrections", "Learning from corrections", "wcxb-dev and graft", &body)
}
