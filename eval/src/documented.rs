//! Checks that the commands quoted in the documentation and in comments are commands of this program.

use super::*;
use std::fs;
use std::path::Path;

/// The folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The texts that quote commands: the documentation, and the sources.
fn texts() -> Vec<(PathBuf, String)> {
    fn add(path: PathBuf, out: &mut Vec<(PathBuf, String)>) {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            entries.filter(|entry| !entry.ends_with("target")).for_each(|entry| add(entry, out));
        } else if path.extension().is_some_and(|ending| ["md", "rs", "py"].iter().any(|known| ending == *known))
            && !path.ends_with("documented.rs")
        {
            out.push((path.clone(), fs::read_to_string(path).unwrap()));
        }
    }
    let mut out = Vec::new();
    let places =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md", "docs", "crates", "eval"];
    places.iter().for_each(|place| add(root().join(place), &mut out));
    out
}

/// The arguments of each command in a text, as `cargo run … -p dehusk-eval -- ARGUMENTS` and as `` `eval ARGUMENTS` ``.
fn commands(text: &str) -> Vec<Vec<String>> {
    let full = text.split("-p dehusk-eval -- ").skip(1).map(|rest| (rest, ['`', '\n']));
    let short = text.split("`eval ").skip(1).map(|rest| (rest, ['`', '`']));
    let words = full.chain(short).map(|(rest, ends)| {
        let command = rest.split(ends).next().unwrap_or_default();
        // A quoted command may go on in the next line of a comment or of a text in the source.
        command
            .split_whitespace()
            .filter(|word| !["///", "//!", "//", "\\"].contains(word))
            .map(str::to_string)
            .collect()
    });
    // What a program writes is quoted where it is put together.
    words.filter(|words: &Vec<String>| !words.iter().any(|word| word.contains('{'))).collect()
}

/// Whether the program takes these arguments.
fn check(arguments: &[String]) -> Result<(), clap::Error> {
    let given = std::iter::once("eval").chain(arguments.iter().map(String::as_str));
    let matches = match CommandLine::command().try_get_matches_from(given) {
        Err(error) if !error.use_stderr() => return Ok(()),
        matches => matches?,
    };
    let given = matches.subcommand().map_or(&matches, |(_, given)| given);
    match CommandLine::from_arg_matches(&matches)?.command {
        Command::Conformance(arguments) => CONFORMANCE.select(&arguments, given).map(drop),
        Command::Quality(arguments) => QUALITY.select(&arguments, given).map(drop),
        Command::Scale(arguments) => SCALE.select(&arguments, given).map(drop),
        Command::Peers(arguments) => PEERS.select(&arguments, given).map(drop),
        Command::Papers(arguments) => PAPERS.select(&arguments, given).map(drop),
        Command::Child(_) => Ok(()),
    }
}

fn is_taken(command: &str) -> bool {
    check(&command.split(' ').map(str::to_string).collect::<Vec<_>>()).is_ok()
}

#[test]
fn documented_commands_are_commands() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, text) in texts() {
        for arguments in commands(&text) {
            count += 1;
            if let Err(error) = check(&arguments) {
                wrong.push(format!("{}: {}: {error}", path.display(), arguments.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "only {count} commands were found");
}

#[test]
fn an_option_of_one_measurement_needs_its_name() {
    for taken in [
        "papers",
        "papers --list",
        "papers --only block --dump table",
        "papers --only align,block --quick",
        "scale --dehusk program",
        "scale --only crawl --part kill --part warc",
        "quality --folds models",
        "peers --pages 20",
        "--data elsewhere conformance --only spans --verbose",
        "conformance --data elsewhere",
    ] {
        assert!(is_taken(taken), "{taken}");
    }
    for refused in [
        "papers --dump table",
        "papers --only align --dump table",
        "papers --only blocks",
        "scale --only detectors --dehusk program",
        "quality --part kill",
        "block",
    ] {
        assert!(!is_taken(refused), "{refused}");
    }
    let error = check(&["papers".into(), "--dump".into(), "table".into()]).unwrap_err().to_string();
    assert!(error.contains("--dump is an option of block; give it with `--only block`"), "{error}");
}

/// The options that a suite has and the options that its measurements say they read.
fn check_table<O: clap::Args>(suite: &suite::Suite<O>) {
    let command = O::augment_args(clap::Command::new("options"));
    let defined: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    for option in &defined {
        let is_read = suite.measurements.iter().any(|measurement| measurement.options.contains(option));
        assert!(is_read, "no measurement of {} reads --{option}", suite.name);
    }
    for measurement in suite.measurements {
        for option in measurement.options {
            assert!(defined.contains(option), "{} has no option --{option}", suite.name);
        }
    }
    let mut names: Vec<&str> = suite.measurements.iter().map(|measurement| measurement.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), suite.measurements.len(), "two measurements of {} have one name", suite.name);
}

#[test]
fn every_option_is_read() {
    CommandLine::command().debug_assert();
    check_table(&CONFORMANCE);
    check_table(&QUALITY);
    check_table(&SCALE);
    check_table(&PEERS);
    check_table(&PAPERS);
}
