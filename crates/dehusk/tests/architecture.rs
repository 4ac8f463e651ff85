//! ARCHITECTURE.md names files and functions that exist.

use std::fs;
use std::path::Path;

/// The lines of the walks: a file, a function, what it does.
fn walks(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```walk" => inside = true,
            _ if line.starts_with("```") => inside = false,
            _ if inside => {
                let mut words = line.split_whitespace();
                lines.push((words.next().expect("a file"), words.next().expect("a function")));
            }
            _ => {}
        }
    }
    lines
}

#[test]
fn every_step_of_the_walks_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let walks = walks(&text);
    assert!(walks.len() > 20, "{} steps", walks.len());
    for (file, function) in walks {
        let source = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let is_there = ["(", "<"].iter().any(|after| source.contains(&format!("fn {function}{after}")));
        assert!(is_there, "{file} has no function {function}");
    }
}
