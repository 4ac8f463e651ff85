//! What was found, as the results page.

use super::patterns::{Pattern, shapes, show};
use super::{Finding, LARGE, MAX_EXPONENT, SMALL, SUSPICIOUS_EXPONENT, SUSPICIOUS_SECONDS};
use crate::shared::report::table;
use std::collections::BTreeMap;

/// The text of the page, and how many patterns grow too fast.
pub(super) fn report(patterns: &[Pattern], found: &[(usize, Finding)]) -> (String, usize) {
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
