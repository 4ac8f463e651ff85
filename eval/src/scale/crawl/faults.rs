//! Damaged and hostile input: the message of the program, that undamaged pages are unaffected, and the cost.

use super::damage::{self, LONG_LINE};
use super::inputs::{Corpus, Page, same_bytes};
use super::{Section, megabytes};
use crate::Stop;
use crate::shared::program::{Outcome, Program};
use crate::shared::report::table;
use dehusk_io::{Column, ColumnType, OutputContainer, OutputSchema, assemble};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Pages around the damage.
const PAGES: usize = 300;
/// Maximum characters of a message in the table.
const SHOWN: usize = 200;
/// Limits for every case: memory and wall-clock seconds. The program allows pages of 64 MiB, lines of 128 MiB, and skipping 4
/// GiB, in each of two passes.
const MOST_MEMORY: u64 = 800_000_000;
const MOST_SECONDS: f64 = 60.0;

/// A damaged input and its undamaged records.
struct Case {
    name: &'static str,
    inputs: Vec<&'static str>,
    /// JSON lines of the pages that must be in the output.
    unharmed: Vec<u8>,
    /// Number of records with an error that must be in the output.
    failed: usize,
    /// What the message must contain.
    names: &'static str,
}

pub(super) fn measure(program: &Program, corpus: &Corpus<'_>) -> Result<Section, Stop> {
    let mut section = Section::default();
    let pages = corpus.first_pages(PAGES)?;
    let mut rows = Vec::new();
    for make in [damaged_members, bombs, odd_files] {
        for case in make(program, &pages)? {
            let mut arguments = vec!["clean"];
            arguments.extend(&case.inputs);
            arguments.extend(["-o", "fault.out.jsonl"]);
            let run = program.run(&arguments)?;
            rows.push(check(program, &case, &run, &mut section)?);
            for input in &case.inputs {
                fs::remove_file(program.at(input))?;
            }
        }
    }
    rows.push(locked_folder(program, &pages, &mut section)?);
    rows.extend(full_disk(program, corpus, &mut section)?);
    let head = ["input", "exit", "pages", "failed", "others unharmed", "peak MB", "seconds", "message"];
    section.text = format!(
        "{} pages in each input. \"Unharmed\": the records without an error are byte for byte those of a run over the undamaged pages \
         alone. Bombs decompress to 10 GiB. Limits: {} MB, {MOST_SECONDS} s.\n\n{}",
        pages.len(),
        megabytes(MOST_MEMORY),
        table(&head, &rows)
    );
    Ok(section)
}

fn lines<'a>(pages: impl IntoIterator<Item = &'a Page>) -> Vec<u8> {
    pages.into_iter().flat_map(Page::line).collect()
}

/// All pages but the one in the middle.
fn beside(pages: &[Page]) -> Vec<u8> {
    let middle = pages.len() / 2;
    lines(pages[..middle].iter().chain(&pages[middle + 1..]))
}

fn damaged_members(program: &Program, pages: &[Page]) -> Result<Vec<Case>, Stop> {
    let case = |name, file: &'static str, unharmed, bytes: Vec<u8>| -> Result<Case, Stop> {
        fs::write(program.at(file), bytes)?;
        Ok(Case { name, inputs: vec![file], unharmed, failed: 1, names: file })
    };
    let cut = damage::damaged_warc(pages, |member| member.truncate(member.len() / 2))?;
    let flipped = damage::damaged_warc(pages, |member| {
        let middle = member.len() / 2;
        member[middle..middle + 8].iter_mut().for_each(|byte| *byte ^= 0x55);
    })?;
    let mut short = damage::damaged_warc(pages, |_| {})?;
    short.truncate(short.len() - 100);
    Ok(vec![
        case("WARC, a gzip member cut in the middle of the file", "cut.warc.gz", beside(pages), cut)?,
        case("WARC, flipped bytes in a gzip member", "flipped.warc.gz", beside(pages), flipped)?,
        case("WARC, the file cut off", "short.warc.gz", lines(&pages[..pages.len() - 1]), short)?,
    ])
}

fn bombs(program: &Program, pages: &[Page]) -> Result<Vec<Case>, Stop> {
    let case = |name, file: &'static str, unharmed: &dyn Fn() -> Vec<u8>, bytes: Vec<u8>| -> Result<Case, Stop> {
        fs::write(program.at(file), bytes)?;
        Ok(Case { name, inputs: vec![file], unharmed: unharmed(), failed: 1, names: file })
    };
    let middle = pages.len() / 2;
    let (all_beside, before) = (|| beside(pages), || lines(&pages[..middle]));
    let (start, end) = (b"{\"url\":\"http://a.example/bomb\",\"html\":\"".as_slice(), b"\"}\n".as_slice());
    let first = [lines(&pages[..middle]).as_slice(), start].concat();
    let last = [end, lines(&pages[middle..]).as_slice()].concat();
    let warc = |encoding: &str, body: Vec<u8>| damage::warc_with_encoded(pages, encoding, &body);
    Ok(vec![
        case(
            "WARC, a page that is a gzip bomb",
            "bomb-page.warc.gz",
            &all_beside,
            warc("gzip", damage::gzip_bomb(b"", b"")?)?,
        )?,
        case(
            "WARC, a page that is a zstd bomb",
            "zbomb-page.warc.gz",
            &all_beside,
            warc("zstd", damage::zstd_bomb(b"", b"")?)?,
        )?,
        case("WARC, a gzip member that is a bomb", "bomb.warc.gz", &all_beside, damage::warc_with_bomb_member(pages)?)?,
        case("JSONL, gzip, a line that is a bomb", "bomb.jsonl.gz", &before, damage::gzip_bomb(&first, &last)?)?,
        case("JSONL, zstd, a line that is a bomb", "bomb.jsonl.zst", &before, damage::zstd_bomb(&first, &last)?)?,
    ])
}

fn odd_files(program: &Program, pages: &[Page]) -> Result<Vec<Case>, Stop> {
    damage::sparse_warc(&program.at("large.warc"), pages)?;
    let good = lines(pages);
    fs::write(program.at("no.warc"), "This is a letter, not an archive.\n".repeat(1000))?;
    fs::write(program.at("good-1.jsonl"), &good)?;
    let mut long = b"{\"url\":\"http://a.example/long\",\"html\":\"".to_vec();
    long.resize(LONG_LINE, b'a');
    long.extend_from_slice(b"\"}\n");
    fs::write(program.at("long.jsonl"), damage::lines_with(pages, &long))?;
    let schema = OutputSchema::new(vec![Column::new("url", ColumnType::Utf8), Column::new("id", ColumnType::Utf8)]);
    fs::write(program.at("good-2.jsonl"), &good)?;
    assemble(&[program.at("good-2.jsonl")], &program.at("other.parquet"), OutputContainer::Parquet, &schema)
        .map_err(|error| Stop::Broken(error.to_string()))?;
    let case = |name, inputs: &[&'static str], unharmed| Case {
        name,
        inputs: inputs.to_vec(),
        unharmed,
        failed: 1,
        names: inputs[0],
    };
    Ok(vec![
        case("WARC, a record of 3 GiB", &["large.warc"], beside(pages)),
        case("no WARC, named .warc, before a good file", &["no.warc", "good-1.jsonl"], good.clone()),
        case("JSONL, a line of 200 MiB", &["long.jsonl"], beside(pages)),
        case("Parquet without the column html, before a good file", &["other.parquet", "good-2.jsonl"], good),
    ])
}

/// Compares a run with a run over the undamaged pages.
fn check(program: &Program, case: &Case, run: &Outcome, section: &mut Section) -> Result<Vec<String>, Stop> {
    let output = program.at("fault.out.jsonl");
    let (mut whole, mut failed) = (Vec::new(), Vec::new());
    if run.code == 0 {
        for line in fs::read_to_string(&output)?.lines() {
            let record: Value = serde_json::from_str(line).map_err(|error| Stop::Broken(error.to_string()))?;
            match record["error_message"].as_str() {
                Some(message) => failed.push(message.to_string()),
                None => whole.push(line.to_string() + "\n"),
            }
        }
        fs::remove_file(&output)?;
    }
    fs::write(program.at("unharmed.jsonl"), &case.unharmed)?;
    program.run(&["clean", "unharmed.jsonl", "-o", "unharmed.out.jsonl"])?.done()?;
    let same = whole.concat().as_bytes() == fs::read(program.at("unharmed.out.jsonl"))?;
    let message = failed.first().map_or(run.messages.trim_end(), String::as_str);
    section.expect(run.code == 0, || format!("{}: ended with {}", case.name, run.code));
    section.expect(same, || format!("{}: other pages were affected", case.name));
    section.expect(failed.len() == case.failed, || format!("{}: {} records failed", case.name, failed.len()));
    section.expect(message.contains(case.names), || format!("{}: the message does not name the input", case.name));
    Ok(row(case.name, run, &[whole.len().to_string(), failed.len().to_string()], same, message, section))
}

fn row(
    name: &str,
    run: &Outcome,
    counts: &[String; 2],
    same: bool,
    message: &str,
    section: &mut Section,
) -> Vec<String> {
    section.expect(run.peak < MOST_MEMORY, || format!("{name}: {} MB", megabytes(run.peak)));
    section.expect(run.seconds < MOST_SECONDS, || format!("{name}: {:.0} s", run.seconds));
    let mut shown: String = message.chars().take(SHOWN).collect();
    if shown.len() < message.len() {
        shown.push_str(" ...");
    }
    vec![
        name.to_string(),
        run.code.to_string(),
        counts[0].clone(),
        counts[1].clone(),
        if same { "yes" } else { "NO" }.to_string(),
        megabytes(run.peak),
        format!("{:.1}", run.seconds),
        shown.replace('|', "\\|").replace('\n', "; "),
    ]
}

fn skipped(name: &str, why: &str) -> Vec<String> {
    let mut row = vec![name.to_string()];
    row.extend(["", "", "", "", "", ""].map(String::from));
    row.push(format!("not measured: {why}"));
    row
}

/// An unreadable folder, as a user other than root.
fn locked_folder(program: &Program, pages: &[Page], section: &mut Section) -> Result<Vec<String>, Stop> {
    const NAME: &str = "a folder without permission, next to a good file";
    const USER: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let allowed = Command::new(USER[0]).args(&USER[1..]).arg("true").status().is_ok_and(|status| status.success());
    if !allowed {
        return Ok(skipped(NAME, "setpriv is absent or not allowed"));
    }
    for folder in ["locked", "locked/a", "open"] {
        fs::create_dir_all(program.at(folder))?;
    }
    fs::write(program.at("locked/b.jsonl"), lines(pages))?;
    set_mode(&program.work, 0o755)?;
    set_mode(&program.at("locked/a"), 0)?;
    set_mode(&program.at("open"), 0o777)?;
    let run = program.run_behind(&USER, &["clean", "locked", "-o", "open/out.jsonl"])?;
    let output = program.at("fault.out.jsonl");
    if run.code == 0 {
        fs::rename(program.at("open/out.jsonl"), &output)?;
    }
    let case = Case { name: NAME, inputs: Vec::new(), unharmed: lines(pages), failed: 1, names: "locked/a" };
    check(program, &case, &run, section)
}

fn set_mode(path: &Path, mode: u32) -> Result<(), Stop> {
    Ok(fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))?)
}

/// A disk that fills up during a run; the run is resumed after the disk is enlarged.
fn full_disk(program: &Program, corpus: &Corpus<'_>, section: &mut Section) -> Result<Vec<Vec<String>>, Stop> {
    fs::write(program.at("disk.jsonl"), lines(&corpus.first_pages(3000)?))?;
    program.run(&["clean", "disk.jsonl", "-o", "disk.wanted.jsonl"])?.done()?;
    let output = program.at("disk.wanted.jsonl").metadata()?.len();
    // Too small for learning, for the segments, or for the output next to them.
    let sizes = [1 << 20, 8 << 20, output * 5 / 3];
    sizes.into_iter().map(|size| disk_of(size, program, section)).collect()
}

fn disk_of(size: u64, program: &Program, section: &mut Section) -> Result<Vec<String>, Stop> {
    let name = format!("a disk of {} MB that gets full; room, --resume", megabytes(size));
    let small = program.at("small");
    fs::create_dir_all(&small)?;
    let mount = |options: &str| {
        let status = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&small).output();
        status.is_ok_and(|output| output.status.success())
    };
    if !mount(&format!("size={size}")) {
        return Ok(skipped(&name, "mounting a small disk is not allowed"));
    }
    let full = program.run(&["clean", "disk.jsonl", "-o", "small/out.jsonl"]);
    let went_on =
        mount("remount,size=400m").then(|| program.run(&["clean", "disk.jsonl", "-o", "small/out.jsonl", "--resume"]));
    let same = match &went_on {
        Some(Ok(run)) if run.code == 0 => same_bytes(&small.join("out.jsonl"), &program.at("disk.wanted.jsonl")),
        _ => Ok(false),
    };
    let left = fs::read_dir(&small)?.count() != 1;
    let unmounted = Command::new("umount").arg(&small).status()?.success();
    let (full, same) = (full?, same?);
    let after = went_on.transpose()?.map_or(-1, |run| run.code);
    section.expect(unmounted, || "the small disk cannot be unmounted".into());
    section.expect(full.code == 2, || format!("{name}: ended with {}", full.code));
    section.expect(full.messages.contains("--resume"), || format!("{name}: the message does not say what to do"));
    section.expect(after == 0 && same && !left, || format!("{name}: resuming ended with {after}"));
    let mut row = row(&name, &full, &["".into(), "".into()], same, full.messages.trim_end(), section);
    row[1] = format!("{}, then {after}", full.code);
    Ok(row)
}
