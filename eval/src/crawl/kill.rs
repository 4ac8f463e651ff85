//! Runs that are killed at any moment and go on: the bytes of an undisturbed run, and nothing left behind.

use super::Section;
use super::child::Program;
use super::inputs::{Corpus, same_bytes};
use crate::Stop;
use crate::report::table;
use std::io::Write;
use std::time::{Duration, Instant};

const PAGES: usize = 4000;
const KILLS: u32 = 20;
const CHAIN: u32 = 5;
const OUTPUT: &str = "kill.out.jsonl";
const STORE: &str = "kill.store";

/// What the kills of one kind of run found.
#[derive(Default)]
struct Count {
    runs: u32,
    killed: u32,
    /// Of these, while learning, by what the run left.
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
        let whole = program.run(&arguments)?.done()?;
        std::fs::rename(program.at(OUTPUT), program.at("kill.wanted.jsonl"))?;
        for (kind, kills, times) in [("one kill", KILLS, 1), ("a chain of kills", 2, CHAIN)] {
            let mut found = Count::default();
            for number in 0..kills {
                kill_and_go_on(program, &arguments, whole.seconds, number, kills, times, &mut found)?;
            }
            section.expect(found.same == found.runs, || format!("{name}, {kind}: other bytes after a kill"));
            section.expect(found.clean == found.runs, || format!("{name}, {kind}: something is left behind"));
            rows.push(vec![
                format!("{name}, {kind}"),
                format!("{:.1}", whole.seconds),
                found.runs.to_string(),
                found.killed.to_string(),
                found.learning.to_string(),
                found.same.to_string(),
                found.clean.to_string(),
            ]);
        }
    }
    let head = [
        "the run",
        "seconds undisturbed",
        "runs",
        "kills that hit",
        "while learning",
        "same bytes",
        "nothing left behind",
    ];
    section.text = format!(
        "{count} pages. SIGKILL at {KILLS} moments from 2 % to 98 % of an undisturbed run, then --resume; and chains of {CHAIN} kills, each \
         but the first of a run that went on. A kill that comes after the end of the run does not hit.\n\n{}",
        table(&head, &rows)
    );
    Ok(section)
}

/// Starts a run anew, kills it `times` times and lets it finish.
fn kill_and_go_on(
    program: &Program,
    arguments: &[&str],
    seconds: f64,
    number: u32,
    numbers: u32,
    times: u32,
    found: &mut Count,
) -> Result<(), Stop> {
    let state = program.at(&format!("{OUTPUT}.dehusk-run"));
    let _ = std::fs::remove_file(program.at(OUTPUT));
    let _ = std::fs::remove_file(program.at(STORE));
    let going_on = [arguments, &["--resume"]].concat();
    for time in 0..times {
        // Even steps with a seeded shift within each, so that every stretch of the run is hit.
        let step = (number * times + time) % (numbers * times).max(2);
        let share = (f64::from(step) + fraction(number * 31 + time)) / f64::from((numbers * times).max(2));
        let moment = Duration::from_secs_f64(seconds * (0.02 + 0.96 * share) / if times > 1 { 3.0 } else { 1.0 });
        let start = Instant::now();
        let mut child = program.start(if time == 0 { arguments } else { &going_on })?;
        std::thread::sleep(moment.saturating_sub(start.elapsed()));
        child.kill()?;
        let hit = child.wait()?.code().is_none();
        found.killed += u32::from(hit);
        found.learning += u32::from(hit && !state.join("learned").exists() && !program.at(OUTPUT).exists());
    }
    program.run(&going_on)?.done()?;
    found.runs += 1;
    found.same += u32::from(same_bytes(&program.at(OUTPUT), &program.at("kill.wanted.jsonl"))?);
    let part = program.at(&format!(".{OUTPUT}.part"));
    found.clean += u32::from(!state.exists() && !part.exists());
    Ok(())
}

/// A number from 0 to 1 that looks random and is always the same.
fn fraction(seed: u32) -> f64 {
    let mixed = (u64::from(seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / (1_u64 << 24) as f64
}
