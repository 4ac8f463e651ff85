//! The program has every option of the table, with its help.

use dehusk_options::definitions::options_of;
use dehusk_options::{Command, Surface};
use std::process::Command as Process;

#[test]
fn every_option_of_the_table_is_a_flag() {
    for (command, names) in [
        (Command::Extract, &["extract"][..]),
        (Command::Strip, &["strip"]),
        (Command::Explain, &["explain"]),
        (Command::Segment, &["segment"]),
        (Command::Records, &["records"]),
        (Command::Learn, &["learn"]),
        (Command::Apply, &["apply"]),
        (Command::Clean, &["clean"]),
        (Command::Drift, &["drift"]),
        (Command::Inspect, &["inspect"]),
        (Command::Serve, &["serve"]),
        (Command::Features, &["features"]),
        (Command::Corpus, &["duplicates"]),
        (Command::Corpus, &["classify", "apply"]),
        (Command::Label, &["label"]),
        (Command::Label, &["train", "pagelevel"]),
    ] {
        let output = Process::new(env!("CARGO_BIN_EXE_dehusk")).args(names).arg("--help").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        for option in options_of(command, Surface::Program) {
            let flag = format!("--{}", option.name.replace('_', "-"));
            let is_flag = |line: &str| line.trim_start().split([' ', ',']).any(|word| word == flag);
            assert!(help.lines().any(is_flag), "`dehusk {}` has no {flag}", names.join(" "));
        }
    }
}

#[test]
fn published_variants_are_accepted_but_not_in_the_help() {
    let run = |arguments: &[&str]| Process::new(env!("CARGO_BIN_EXE_dehusk")).args(arguments).output().unwrap();
    let help = run(&["clean", "--help"]).stdout;
    let help = String::from_utf8(help).unwrap();
    assert!(!help.contains("align-paper") && !help.contains("treemap-paper"), "{help}");
    let message = String::from_utf8(run(&["learn", "--method", "align-paper", "missing", "-o", "-"]).stderr).unwrap();
    assert!(message.contains("missing: No such file"), "{message}");
    let message = String::from_utf8(run(&["label", "--classic-blocks", "missing"]).stderr).unwrap();
    assert!(message.contains("missing") && !message.contains("classic-blocks"), "{message}");
}
