//! Modules import only downwards.
//!
//! Reads what the files of every crate use (`support/imports.rs`). Two things must hold: the files of a crate import each other without a cycle, and its
//! top-level modules import only modules of lower layers, in the order ARCHITECTURE.md draws.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "support/imports.rs"]
mod imports;

use imports::Sources;

/// The crates, with the folders of their sources.
fn crates() -> Vec<(&'static str, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let names = [
        "dehusk-dom",
        "dehusk",
        "dehusk-papers",
        "dehusk-io",
        "dehusk-options",
        "dehusk-train",
        "dehusk-corpus",
        "dehusk-server",
        "dehusk-cli",
        "dehusk-python",
    ];
    let eval = ("eval", folder.parent().unwrap().join("eval/src"));
    names.into_iter().map(|name| (name, folder.join(name).join("src"))).chain([eval]).collect()
}

/// Files that import each other in a circle: each is shown with the others of its circle.
fn cycles(edges: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let reach = |start: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(at) = open.pop() {
            open.extend(edges[at].iter().filter(|to| seen.insert(**to)));
        }
        seen
    };
    let reached: Vec<BTreeSet<usize>> = (0..edges.len()).map(reach).collect();
    let mut found = BTreeSet::new();
    for (at, from) in reached.iter().enumerate() {
        let circle: BTreeSet<usize> = from.iter().copied().filter(|other| reached[*other].contains(&at)).collect();
        if from.contains(&at) {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

#[test]
fn files_import_each_other_without_a_cycle() {
    let mut wrong = Vec::new();
    for (name, folder) in crates() {
        let sources = Sources::read(&folder);
        let (edges, files) = (sources.uses(), &sources.files);
        assert!(edges.iter().any(|edges| !edges.is_empty()), "{name}: no import was found");
        for circle in cycles(&edges) {
            let show = |at: &usize| {
                let to: Vec<String> = edges[*at].intersection(&circle).map(|to| files[*to].module.join("::")).collect();
                format!("    {} -> {}", files[*at].path.display(), to.join(", "))
            };
            wrong.push(format!("  a circle in {name}:\n{}", circle.iter().map(show).collect::<Vec<_>>().join("\n")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The layers of a crate as ARCHITECTURE.md draws them, the highest first: lines of modules, then `|` and what they do.
fn drawn_layers(drawing: &str, name: &str) -> Vec<Vec<String>> {
    let start = format!("```layers {name}\n");
    let (_, block) = drawing.split_once(&start).unwrap_or_else(|| panic!("ARCHITECTURE.md has no block {start:?}"));
    let (block, _) = block.split_once("```").expect("the block ends");
    block
        .lines()
        .map(|line| line.split('|').next().unwrap_or_default().split_whitespace().map(str::to_string).collect())
        .collect()
}

#[test]
fn modules_import_lower_layers_only() {
    let drawing = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md")).unwrap();
    let mut wrong = BTreeSet::new();
    for (name, folder) in crates() {
        let layers = drawn_layers(&drawing, name);
        let layer_of = |module: &str| layers.iter().position(|layer| layer.iter().any(|known| known == module));
        let sources = Sources::read(&folder);
        let files = &sources.files;
        let modules: BTreeSet<&str> = files.iter().filter_map(|file| file.module.first()).map(String::as_str).collect();
        let missing = |module: &&str| layer_of(module).is_none();
        wrong.extend(modules.iter().copied().filter(missing).map(|module| format!("{name}: {module} is in no layer")));
        let drawn: BTreeSet<&str> = layers.iter().flatten().map(String::as_str).collect();
        wrong.extend(drawn.difference(&modules).map(|module| format!("{name}: {module} is drawn but not there")));
        for (file, edges) in files.iter().zip(sources.uses()) {
            let Some(from) = file.module.first() else { continue };
            for to in edges.iter().filter_map(|to| files[*to].module.first()).filter(|to| *to != from) {
                if layer_of(to) <= layer_of(from) {
                    wrong.insert(format!("{name}: {from} imports {to}, which is not in a lower layer"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

/// The keys of maps whose hash everyone can compute: numbers and names that the program gives, words of a list or a model, and the first 200
/// words of a title. Pages choose none of them freely.
const FORESEEABLE: [(&str, &str); 6] = [
    ("names.rs", "&'static str"),
    ("records.rs", "(NodeId, KnownField)"),
    ("records.rs", "NodeId"),
    ("selector_matching.rs", "Name"),
    ("token_filter.rs", "Name"),
    ("tree_sink.rs", "u32"),
];

/// The source without comments, strings and test modules.
fn code_of(source: &str) -> String {
    let mut code = String::new();
    for line in source.lines() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        // Test modules are at the end of a file.
        if line.starts_with("mod tests {") || line.starts_with("pub(crate) mod fixture {") {
            break;
        }
        code.push_str(line.split(" // ").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

/// A page can hold as many colliding keys as it likes if their hash is known: one megabyte of names took two seconds, and four times as long at
/// twice the size. The maps of the standard library and `NumberMap` have a random hash.
#[test]
fn keys_that_pages_choose_have_no_foreseeable_hash() {
    let mut found = BTreeSet::new();
    // Training and measuring read pages that we choose.
    for (_, folder) in crates().into_iter().filter(|(name, _)| !matches!(*name, "dehusk-train" | "eval")) {
        for file in Sources::read(&folder).files {
            let code = code_of(&fs::read_to_string(&file.path).unwrap());
            let file_name = file.path.file_name().unwrap().to_str().unwrap().to_string();
            for start in ["FxHashMap<", "FxHashSet<"].iter().flat_map(|word| code.split(word).skip(1)) {
                let mut depth = 0;
                let end = start.find(|character| {
                    depth += matches!(character, '(' | '<') as i32 - matches!(character, ')' | '>') as i32;
                    depth < 0 || (depth == 0 && character == ',')
                });
                found.insert((file_name.clone(), start[..end.unwrap()].to_string()));
            }
            let untyped = code.matches("FxHashMap::").count() + code.matches("FxHashSet::").count();
            assert!(untyped == 0 || code.contains("FxHashMap<") || code.contains("FxHashSet<"), "{file_name}");
        }
    }
    let known: BTreeSet<(String, String)> =
        FORESEEABLE.iter().map(|(file, key)| (file.to_string(), key.to_string())).collect();
    assert_eq!(found, known);
}
