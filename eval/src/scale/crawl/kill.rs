//! Runs that are killed at any moment and resumed: the same bytes as an uninterrupted run, and no files left behind.

use super::Section;
use super::inputs::{Corpus, same_bytes};
use crate::Stop;
use crate::shared::program::Program;
use crate::shared::report::table;
use std::io::Write;
use std::time::{Duration, Instant};

const PAGES: usize = 4000;
const KILLS: u32 = 20;
/// How often a kill that came too late is repeated.
const TRIES: usize = 5;
/// Chains of kills, all but the first of a resumed run, as fractions of the time of an uninterrupted run.
const CHAINS: [[f64; 5]; 3] = [[0.3, 0.4, 0.7, 0.15, 0.1], [0.7, 0.15, 0.1, 0.2, 0.1], [0.6, 0.2, 0.2, 0.2, 0.2]];
const OUTPUT: &str = "kill.out.jsonl";
const STORE: &str = "kill.store";

/// The results of the kills of one kind of run.
#[derive(Default)]
struct Count {
    runs: u32,
    killed: u32,
    /// Of these, while learning, according to the files left by the run.
    learning: u32,
    same: u32,
    clean: u32,
}

pub(super) fn measure(program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let mut section = Section::default();
    let pages = corpus.first_pages(PAGES)?;
    let mut input = std::io::BufWriter::new(std::fs::File::create(program.at("kill.jsonl"))?);
    for page in &pages {
        input.write_all(&page.line())?;
    }
    input.flush()?;
    let (count, mut rows) = (pages.len(), Vec::new());
    drop(pages);
    for (name, store) in [("forgets its templates", false), ("keeps them in a store", true)] {
        let mut arguments = vec!["clean", "kill.jsonl", "-o", OUTPUT];
        if store {
            arguments.extend(["--templates", STORE]);
        }
        // The fastest of three: kills spread over a slowed-down run would come after the end.
        let mut seconds = f64::INFINITY;
        for _ in 0..3 {
            let _ = std::fs::remove_file(program.at(STORE));
            seconds = seconds.min(program.run(&arguments)?.done()?.seconds);
        }
        std::fs::rename(program.at(OUTPUT), program.at("kill.wanted.jsonl"))?;
        let single = |number: u32| vec![0.02 + 0.96 * (f64::from(number) + fraction(number)) / f64::from(KILLS)];
        let kinds: [(&str, Vec<Vec<f64>>); 2] =
            [("one kill", (0..KILLS).map(single).collect()), ("five kills", CHAINS.map(Vec::from).into())];
        for (kind, runs) in kinds {
            let mut found = Count::default();
            for shares in runs {
                // A run that ended before the kill shows that the machine is faster now: repeat with its time.
                for _ in 0..TRIES {
                    let (hits, took) = kill_and_go_on(program, &arguments, &shares, seconds, &mut found)?;
                    if hits > 0 {
                        break;
                    }
                    seconds = seconds.min(took);
                }
            }
            section.expect(found.same == found.runs, || format!("{name}, {kind}: different bytes after a kill"));
            section.expect(found.clean == found.runs, || format!("{name}, {kind}: files are left behind"));
            rows.push(vec![
                format!("{name}, {kind}"),
                format!("{seconds:.1}"),
                found.runs.to_string(),
                found.killed.to_string(),
                found.learning.to_string(),
                found.same.to_string(),
                found.clean.to_string(),
            ]);
        }
    }
    let head = [
        "run",
        "seconds, uninterrupted",
        "runs",
        "kills",
        "of these, while learning",
        "same bytes",
        "no files left behind",
    ];
    section.text = format!(
        "{count} pages. SIGKILL at {KILLS} moments from 2 % to 98 % of an uninterrupted run, then --resume; and chains of five kills, \
         all but the first of a resumed run. A kill after the end of the run does not count; such a run is repeated with an earlier \
         kill, and counts as a run too.\n\n{}",
        table(&head, &rows)
    );
    Ok(section)
}

/// Starts a new run, kills it and its resumed runs at fractions of some seconds, and lets it finish. Returns the number of
/// kills that hit, and the time of a run that ended before its kill.
fn kill_and_go_on(
    program: &Program,
    arguments: &[&str],
    shares: &[f64],
    seconds: f64,
    found: &mut Count,
) -> Result<(u32, f64), Stop> {
    let (mut hits, mut took) = (0, seconds);
    let state = program.at(&format!("{OUTPUT}.dehusk-run"));
    let _ = std::fs::remove_file(program.at(OUTPUT));
    let _ = std::fs::remove_file(program.at(STORE));
    let going_on = [arguments, &["--resume"]].concat();
    for (time, share) in shares.iter().enumerate() {
        let moment = Duration::from_secs_f64(share * seconds);
        let start = Instant::now();
        let mut child = program.start(if time == 0 { arguments } else { &going_on })?;
        while start.elapsed() < moment && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(1).min(moment.saturating_sub(start.elapsed())));
        }
        if child.try_wait()?.is_some() {
            took = start.elapsed().as_secs_f64();
        }
        child.kill()?;
        let hit = child.wait()?.code().is_none();
        hits += u32::from(hit);
        found.killed += u32::from(hit);
        found.learning += u32::from(hit && !state.join("learned").exists() && !program.at(OUTPUT).exists());
    }
    program.run(&going_on)?.done()?;
    found.runs += 1;
    found.same += u32::from(same_bytes(&program.at(OUTPUT), &program.at("kill.wanted.jsonl"))?);
    let part = program.at(&format!(".{OUTPUT}.part"));
    found.clean += u32::from(!state.exists() && !part.exists());
    Ok((hits, took))
}

/// A reproducible pseudo-random number from 0 to 1.
fn fraction(seed: u32) -> f64 {
    let mixed = (u64::from(seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / (1_u64 << 24) as f64
}
