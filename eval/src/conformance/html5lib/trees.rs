//! The tree-construction suite: pages and their expected trees.

use super::Case;
use crate::Stop;
use crate::shared::corpus::Data;
use crate::shared::support::dump::{self, Order};
use crate::shared::support::reference;
use dehusk::Limits;
use dehusk::dom::Parser;
use typed_arena::Arena;

/// A test as written in its file.
#[derive(Default)]
struct Test {
    input: String,
    context: Option<String>,
    scripting: Option<bool>,
    tree: String,
}

pub(super) fn run(data: &Data) -> Result<Vec<Case>, Stop> {
    let mut cases = Vec::new();
    for (folder, prefix) in
        [("html5lib-tests/tree-construction", ""), ("html5lib-tests/tree-construction/scripted", "scripted/")]
    {
        for path in data.list(folder, ".dat")? {
            let file = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
            let text = std::fs::read_to_string(&path)?;
            for (number, test) in read_tests(&text).into_iter().enumerate() {
                for scripting in [false, true] {
                    if test.scripting.is_none_or(|wanted| wanted == scripting) {
                        cases.push(run_case(&file, number, &test, scripting));
                    }
                }
            }
        }
    }
    Ok(cases)
}

fn run_case(file: &str, number: usize, test: &Test, scripting: bool) -> Case {
    let context = test.context.as_deref();
    let mut parser = Parser::new(Limits::default()).with_scripting(scripting);
    let document = match context {
        None => parser.parse(test.input.as_str()),
        Some(context) => parser.parse_fragment(test.input.as_str(), context),
    };
    let mut actual = String::new();
    match document {
        Ok(document) => dump::document(&document, context.is_some(), Order::Sorted, &mut actual),
        Err(error) => actual = error.to_string(),
    }
    let arena = Arena::new();
    let mut expected_by_html5ever = String::new();
    let tree = reference::parse(&arena, &test.input, context, scripting);
    dump::reference(tree, context.is_some(), Order::Sorted, &mut expected_by_html5ever);
    Case {
        file: file.to_string(),
        number,
        mode: format!(
            "{}scripting {}",
            context.map_or(String::new(), |context| format!("in {context}, ")),
            if scripting { "on" } else { "off" }
        ),
        input: test.input.clone(),
        expected: test.tree.clone(),
        actual,
        reference: Some(expected_by_html5ever),
    }
}

/// Whether another run of the same case does not pass, so that the case belongs on the list.
pub(super) fn differs_by_mode(cases: &[Case], case: &Case) -> bool {
    cases.iter().any(|other| other.file == case.file && other.number == case.number && other.actual != other.expected)
}

/// Reads the tests of a file. A section starts with a line such as `#data`; the tree ends with an empty line before the
/// next `#data`.
fn read_tests(text: &str) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    let mut section = "";
    for line in text.split_inclusive('\n') {
        let name = line.trim_end_matches('\n');
        let starts_test = name == "#data" && (section.is_empty() || section == "#document");
        let known = ["#errors", "#new-errors", "#document-fragment", "#document", "#script-on", "#script-off"];
        if starts_test {
            tests.push(Test::default());
            section = "#data";
            continue;
        }
        let Some(test) = tests.last_mut() else { continue };
        if known.contains(&name) && section != "#document" {
            section = known[known.iter().position(|one| *one == name).unwrap_or(0)];
            match name {
                "#script-on" => test.scripting = Some(true),
                "#script-off" => test.scripting = Some(false),
                _ => {}
            }
            continue;
        }
        match section {
            "#data" => test.input.push_str(line),
            "#document-fragment" => test.context = Some(name.to_string()),
            "#document" => test.tree.push_str(line),
            _ => {}
        }
    }
    for test in &mut tests {
        if test.input.ends_with('\n') {
            test.input.pop();
        }
        // The empty line between tests is not part of the tree; one inside a text is.
        let tree = test.tree.trim_end_matches('\n').len();
        test.tree.truncate(tree);
        test.tree.push('\n');
    }
    tests
}
