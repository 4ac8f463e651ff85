//! The html5lib tests: the tokenizer and tree-construction suites.

mod tokens;
mod tolerated;
mod trees;

use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::report::{Results, table};
use std::collections::BTreeMap;
use tolerated::{Tolerance, tolerance};

/// One test case that was run.
pub(crate) struct Case {
    pub(crate) file: String,
    /// What `tolerated.rs` calls it: the number of the case in its file, from 0.
    pub(crate) number: usize,
    /// What distinguishes runs of one case: state or scripting mode.
    pub(crate) mode: String,
    pub(crate) input: String,
    pub(crate) expected: String,
    pub(crate) actual: String,
    /// The result of html5ever with its own tokenizer.
    pub(crate) reference: Option<String>,
}

#[derive(Default)]
struct Count {
    runs: usize,
    passed: usize,
    tolerated: usize,
    failed: usize,
}

pub(crate) fn run(data: &Data, results: &Results, verbose: bool) -> Result<(), Stop> {
    data.find("html5lib-tests")?;
    let mut cases = tokens::run(data)?;
    cases.extend(trees::run(data)?);
    let mut files: BTreeMap<(&str, String), Count> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in &cases {
        let suite = if case.file.ends_with(".test") { "tokenizer" } else { "tree-construction" };
        let count = files.entry((suite, case.file.clone())).or_default();
        count.runs += 1;
        let passes = case.actual == case.expected;
        let tolerance = tolerance(&case.file, case.number);
        // A reason that names html5ever is valid only while html5ever gives the same tree.
        let excused = match tolerance {
            Some(Tolerance::TreeBuilder(_)) => case.reference.as_ref() == Some(&case.actual),
            other => other.is_some(),
        };
        match (passes, tolerance) {
            (true, None) => count.passed += 1,
            (true, Some(tolerance)) if tolerance.is_by_case() && !trees::differs_by_mode(&cases, case) => {
                count.failed += 1;
                wrong.push(format!(
                    "{} {} ({}) passes but is on the list of tolerated cases",
                    case.file, case.number, case.mode
                ));
            }
            (true, Some(_)) => count.passed += 1,
            (false, Some(tolerance)) if excused => {
                count.tolerated += 1;
                *reasons.entry(tolerance.reason()).or_default() += 1;
            }
            (false, _) => {
                count.failed += 1;
                wrong.push(describe(case));
            }
        }
    }
    if verbose {
        wrong.iter().for_each(|case| println!("{case}"));
    }
    let body = format_report(&files, &reasons);
    if !wrong.is_empty() {
        print!("{body}");
        return Err(Stop::Failed(format!("{} cases; --verbose shows them", wrong.len())));
    }
    results.publish("html5lib", "html5lib tests", "html5lib-tests (tokenizer, tree-construction)", &body)
}

fn describe(case: &Case) -> String {
    let same = match &case.reference {
        Some(reference) if *reference == case.actual => "html5ever gives the same",
        Some(_) => "html5ever differs",
        None => "",
    };
    format!(
        "== {} {} ({}) {same}\n-- input\n{}\n-- expected\n{}\n-- actual\n{}",
        case.file, case.number, case.mode, case.input, case.expected, case.actual
    )
}

fn format_report(files: &BTreeMap<(&str, String), Count>, reasons: &BTreeMap<&str, usize>) -> String {
    let mut rows = Vec::new();
    let row = |suite: &str, file: &str, count: &Count| {
        let numbers = [count.runs, count.passed, count.tolerated, count.failed];
        [suite.to_string(), file.to_string()].into_iter().chain(numbers.map(|number| number.to_string())).collect()
    };
    for suite in ["tokenizer", "tree-construction"] {
        let mut total = Count::default();
        for ((_, file), count) in files.iter().filter(|((of, _), _)| *of == suite) {
            total.runs += count.runs;
            total.passed += count.passed;
            total.tolerated += count.tolerated;
            total.failed += count.failed;
            rows.push(row(suite, file, count));
        }
        rows.push(row(suite, "all", &total));
    }
    let mut body = table(&["suite", "file", "runs", "passed", "tolerated", "failed"], &rows);
    let rows: Vec<Vec<String>> =
        reasons.iter().map(|(reason, count)| vec![count.to_string(), reason.to_string()]).collect();
    body.push_str(
        "\nUnpaired surrogates, which UTF-8 cannot represent, are replaced by U+FFFD in both input and output.\n",
    );
    body.push_str("\nTolerated runs by reason (the list is `eval/src/conformance/html5lib/tolerated.rs`):\n\n");
    body.push_str(&table(&["runs", "reason"], &rows));
    body
}
