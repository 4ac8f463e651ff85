//! One thread, two and eight: the same bytes, and how much sooner.

use super::child::Program;
use super::inputs::{Corpus, same_bytes};
use super::{Section, load, megabytes};
use crate::Stop;
use crate::report::table;

const THREADS: [usize; 3] = [1, 2, 8];
const ROUNDS: usize = 3;
/// How much sooner two threads must be done than one, on a machine with two free processors.
const LEAST_GAIN: f64 = 1.8;

#[derive(Clone)]
struct Best {
    seconds: f64,
    processor: f64,
    peak: u64,
    load: String,
}

pub(super) fn measure(program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let mut section = Section::default();
    corpus.jsonl()?;
    let mut best: Vec<Option<Best>> = vec![None; THREADS.len()];
    for round in 0..ROUNDS {
        for (threads, best) in THREADS.into_iter().zip(&mut best) {
            let (load, output) = (load(), format!("threads-{threads}.out.jsonl"));
            let run =
                program.run(&["clean", "crawl.jsonl", "-o", &output, "--threads", &threads.to_string()])?.done()?;
            if round == 0 {
                let same = same_bytes(&program.at(&output), &program.at("threads-1.out.jsonl"))?;
                section.expect(same, || format!("{threads} threads give other bytes than one"));
            }
            if best.as_ref().is_none_or(|best| run.seconds < best.seconds) {
                *best = Some(Best { seconds: run.seconds, processor: run.processor, peak: run.peak, load });
            }
        }
    }
    let best: Vec<Best> = best.into_iter().flatten().collect();
    let gain = best[0].seconds / best[1].seconds;
    section.expect(gain >= LEAST_GAIN, || format!("two threads are {gain:.2} times as fast as one, not {LEAST_GAIN}"));
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
                run.load.clone(),
            ]
        })
        .collect();
    let head = ["threads", "seconds", "times one thread", "processor s", "peak MB", "load before"];
    section.text = format!(
        "The whole crawl from JSONL, {ROUNDS} rounds in turns, the best of each. The load before counts our own last run too.\n\n{}",
        table(&head, &rows)
    );
    Ok(section)
}
