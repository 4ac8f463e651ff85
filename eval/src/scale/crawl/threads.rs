//! One, two and eight threads: identical output, and the speedup.

use super::inputs::{Corpus, same_bytes};
use super::{Section, megabytes};
use crate::Stop;
use crate::shared::program::Program;
use crate::shared::report::table;

const THREADS: [usize; 3] = [1, 2, 8];
const ROUNDS: usize = 3;
/// Minimum speedup of two threads on a machine with two free cores.
const LEAST_GAIN: f64 = 1.8;

#[derive(Clone)]
struct Best {
    seconds: f64,
    processor: f64,
    peak: u64,
    /// Cores used by other programs meanwhile.
    others: f64,
}

pub(super) fn measure(program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let mut section = Section::default();
    corpus.jsonl()?;
    let mut best: Vec<Option<Best>> = vec![None; THREADS.len()];
    for round in 0..ROUNDS {
        for (threads, best) in THREADS.into_iter().zip(&mut best) {
            let output = format!("threads-{threads}.out.jsonl");
            let before = busy_seconds();
            let run =
                program.run(&["clean", "crawl.jsonl", "-o", &output, "--threads", &threads.to_string()])?.done()?;
            let others = (busy_seconds() - before - run.processor).max(0.0) / run.seconds;
            if round == 0 {
                let same = same_bytes(&program.at(&output), &program.at("threads-1.out.jsonl"))?;
                section.expect(same, || format!("{threads} threads give different bytes than one"));
            }
            if best.as_ref().is_none_or(|best| run.seconds < best.seconds) {
                *best = Some(Best { seconds: run.seconds, processor: run.processor, peak: run.peak, others });
            }
        }
    }
    let best: Vec<Best> = best.into_iter().flatten().collect();
    let gain = best[0].seconds / best[1].seconds;
    section.expect(gain >= LEAST_GAIN, || {
        let others = best[1].others;
        format!(
            "two threads are {gain:.2} times as fast as one, not {LEAST_GAIN}, with {others:.2} cores used by others"
        )
    });
    let rows: Vec<Vec<String>> = THREADS
        .into_iter()
        .zip(&best)
        .map(|(threads, run)| {
            vec![
                threads.to_string(),
                format!("{:.1}", run.seconds),
                format!("{:.2}", best[0].seconds / run.seconds),
                format!("{:.1}", run.processor),
                megabytes(run.peak),
                format!("{:.2}", run.others),
            ]
        })
        .collect();
    let head = ["threads", "seconds", "speedup", "CPU s", "peak MB", "cores used by others"];
    section.text = format!(
        "The whole crawl from JSONL, {ROUNDS} rounds, interleaved, the best of each.\n\n{}",
        table(&head, &rows)
    );
    Ok(section)
}

/// CPU seconds used on all cores since the machine started (Linux; elsewhere 0, and the load of others is unknown).
fn busy_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks = |line: &str| -> Vec<f64> { line.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
    let ticks = text.lines().next().map(ticks).unwrap_or_default();
    // All but idle and waiting for disks, in hundredths of a second; guests are counted twice and come last.
    ticks.iter().take(8).enumerate().filter(|(at, _)| !matches!(at, 3 | 4)).map(|(_, ticks)| ticks / 100.0).sum()
}
