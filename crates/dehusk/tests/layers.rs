//! Modules import only downwards.
//!
//! Reads the imports of every crate. Two things must hold: the files of a crate import each other without a cycle, and its
//! top-level modules import only modules of lower layers, in the order ARCHITECTURE.md draws.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path such as `crate::dom::Name`, as its segments.
type Segments = Vec<String>;

/// One source file.
struct SourceFile {
    path: PathBuf,
    /// Its module, from the root of the crate; empty for the root.
    module: Segments,
    /// What it imports, as paths from the root of the crate.
    imports: BTreeSet<Segments>,
    /// What it re-exports: a name and the path it stands for.
    exports: BTreeMap<String, Segments>,
}

/// The source without comments, strings and test modules.
fn code_of(source: &str) -> String {
    let mut code = String::new();
    for line in source.lines() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        // Test modules are at the end of a file, or a declaration that `test_modules` reads.
        if line.starts_with("mod tests {") || line.starts_with("pub(crate) mod fixture {") {
            break;
        }
        code.push_str(line.split(" // ").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

/// The files that are compiled for tests only.
fn test_modules(path: &Path, source: &str) -> Vec<PathBuf> {
    let folder = match path.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs" | "mod.rs") => path.parent().unwrap().to_path_buf(),
        _ => path.with_extension(""),
    };
    let mut files = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            continue;
        }
        let mut next = lines.next().unwrap_or_default().trim();
        let mut named = None;
        if let Some(name) = next.strip_prefix("#[path = \"") {
            named = Some(path.parent().unwrap().join(name.trim_end_matches("\"]")));
            next = lines.next().unwrap_or_default().trim();
        }
        if let Some(name) = next.strip_suffix(';').and_then(|next| next.rsplit("mod ").next()) {
            files.push(named.unwrap_or_else(|| folder.join(format!("{name}.rs"))));
        }
    }
    files
}

/// Expands `a::{b, c::{d, e}}` into its paths.
fn expand(tree: &str, prefix: &[String], out: &mut Vec<Segments>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        let mut segments = prefix.to_vec();
        segments.extend(path.split("::").map(|part| part.trim().to_string()).filter(|part| !part.is_empty()));
        out.push(segments);
        return;
    };
    let mut prefix = prefix.to_vec();
    prefix.extend(tree[..open].split("::").map(|part| part.trim().to_string()).filter(|part| !part.is_empty()));
    let (mut depth, mut start) = (0, open + 1);
    for (at, byte) in tree.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' | b',' if depth == 1 => {
                if !tree[start..at].trim().is_empty() {
                    expand(&tree[start..at], &prefix, out);
                }
                start = at + 1;
                depth -= (byte == b'}') as i32;
            }
            b'}' => depth -= 1,
            _ => {}
        }
    }
}

/// A path as written in a module, from the root of the crate; none where it leads out of the crate.
fn absolute(path: &[String], module: &[String], modules: &BTreeSet<Segments>) -> Option<Segments> {
    let mut base: Segments = Vec::new();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => rest = &path[1..],
        "self" => {
            base = module.to_vec();
            rest = &path[1..];
        }
        "super" => {
            base = module.to_vec();
            while rest.first().is_some_and(|part| part == "super") {
                base.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            let mut child = module.to_vec();
            child.push(first.to_string());
            if !modules.contains(&child) {
                return None;
            }
            base = module.to_vec();
        }
    }
    base.extend(rest.iter().filter(|part| *part != "self").cloned());
    Some(base)
}

/// Paths that begin with `crate::` or `super::` anywhere in the code.
fn inline_paths(code: &str) -> Vec<Segments> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::"].iter().flat_map(|word| code.match_indices(word).map(|(at, _)| at)) {
        if code[..start]
            .ends_with(|character: char| character.is_alphanumeric() || character == '_' || character == ':')
        {
            continue;
        }
        let path: String = code[start..]
            .chars()
            .take_while(|character| character.is_alphanumeric() || matches!(character, '_' | ':'))
            .collect();
        paths.push(path.split("::").filter(|part| !part.is_empty()).map(str::to_string).collect());
    }
    paths
}

fn read_crate(source_folder: &Path) -> Vec<SourceFile> {
    let mut paths = Vec::new();
    let mut folders = vec![source_folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => folders.push(entry),
                false if entry.extension().is_some_and(|ending| ending == "rs") => paths.push(entry),
                false => {}
            }
        }
    }
    paths.sort();
    let sources: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let tests: BTreeSet<PathBuf> =
        paths.iter().zip(&sources).flat_map(|(path, source)| test_modules(path, source)).collect();
    let module_of = |path: &Path| -> Segments {
        let mut module: Segments = path
            .strip_prefix(source_folder)
            .unwrap()
            .with_extension("")
            .iter()
            .map(|part| part.to_str().unwrap().to_string())
            .collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
            module.pop();
        }
        module
    };
    let kept: Vec<(PathBuf, String)> =
        paths.into_iter().zip(sources).filter(|(path, _)| !tests.contains(path)).collect();
    let modules: BTreeSet<Segments> = kept.iter().map(|(path, _)| module_of(path)).collect();
    kept.into_iter()
        .map(|(path, source)| {
            let module = module_of(&path);
            let code = code_of(&source);
            let (mut imports, mut exports) = (BTreeSet::new(), BTreeMap::new());
            let mut rest = String::new();
            for statement in code.split_inclusive(';') {
                let item = statement.rsplit_once('}').map_or(statement, |(_, _)| statement).trim();
                let at_use = item.lines().map(str::trim_start).position(|line| {
                    line.starts_with("use ")
                        || line.starts_with("pub use ")
                        || line.starts_with("pub(crate) use ")
                        || line.starts_with("pub(super) use ")
                });
                let Some(at_use) = at_use else {
                    rest.push_str(statement);
                    continue;
                };
                let item: String = item.lines().skip(at_use).collect::<Vec<_>>().join(" ");
                let is_export = item.starts_with("pub");
                let tree = item.split_once("use ").unwrap().1.trim_end_matches(';');
                let mut trees = Vec::new();
                expand(tree, &[], &mut trees);
                for path in trees {
                    let Some(path) = absolute(&path, &module, &modules) else { continue };
                    if is_export {
                        exports.insert(path.last().cloned().unwrap_or_default(), path);
                    } else {
                        imports.insert(path);
                    }
                }
            }
            imports.extend(inline_paths(&rest).iter().filter_map(|path| absolute(path, &module, &modules)));
            SourceFile { path, module, imports, exports }
        })
        .collect()
}

/// The file that a path leads to, through re-exports.
fn resolve(path: &[String], files: &[SourceFile]) -> Option<usize> {
    let mut path = path.to_vec();
    for _ in 0..16 {
        let length = (0..=path.len()).rev().find(|length| files.iter().any(|file| file.module == path[..*length]))?;
        let at = files.iter().position(|file| file.module == path[..length])?;
        match path.get(length).and_then(|name| files[at].exports.get(name)) {
            Some(export) => {
                let mut next = export.clone();
                next.extend_from_slice(&path[length + 1..]);
                path = next;
            }
            None => return Some(at),
        }
    }
    None
}

fn edges(files: &[SourceFile]) -> Vec<BTreeSet<usize>> {
    files
        .iter()
        .enumerate()
        .map(|(from, file)| {
            // The root of a crate only declares and re-exports.
            let is_module = |to: &usize| *to != from && !files[*to].module.is_empty();
            file.imports.iter().filter_map(|path| resolve(path, files)).filter(is_module).collect()
        })
        .collect()
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
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut wrong = Vec::new();
    for name in [
        "dehusk-dom",
        "dehusk",
        "dehusk-io",
        "dehusk-options",
        "dehusk-train",
        "dehusk-corpus",
        "dehusk-server",
        "dehusk-cli",
    ] {
        let files = read_crate(&crates.join(name).join("src"));
        let edges = edges(&files);
        assert!(edges.iter().any(|edges| !edges.is_empty()), "{name}: no import was found");
        for circle in cycles(&edges) {
            let show = |at: &usize| {
                let to: Vec<String> = edges[*at].intersection(&circle).map(|to| files[*to].module.join("::")).collect();
                format!("    {} -> {}", files[*at].path.strip_prefix(crates).unwrap().display(), to.join(", "))
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
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let drawing = fs::read_to_string(crates.parent().unwrap().join("ARCHITECTURE.md")).unwrap();
    let mut wrong = BTreeSet::new();
    for name in [
        "dehusk-dom",
        "dehusk",
        "dehusk-io",
        "dehusk-options",
        "dehusk-train",
        "dehusk-corpus",
        "dehusk-server",
        "dehusk-cli",
    ] {
        let layers = drawn_layers(&drawing, name);
        let layer_of = |module: &str| layers.iter().position(|layer| layer.iter().any(|known| known == module));
        let files = read_crate(&crates.join(name).join("src"));
        let modules: BTreeSet<&str> = files.iter().filter_map(|file| file.module.first()).map(String::as_str).collect();
        let missing = |module: &&str| layer_of(module).is_none();
        wrong.extend(modules.iter().copied().filter(missing).map(|module| format!("{name}: {module} is in no layer")));
        let drawn: BTreeSet<&str> = layers.iter().flatten().map(String::as_str).collect();
        wrong.extend(drawn.difference(&modules).map(|module| format!("{name}: {module} is drawn but not there")));
        for (file, edges) in files.iter().zip(edges(&files)) {
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
const FORESEEABLE: [(&str, &str); 10] = [
    ("names.rs", "&'static str"),
    ("page_counts.rs", "u64"),
    ("records.rs", "(NodeId, Field)"),
    ("records.rs", "NodeId"),
    ("selector_matching.rs", "Name"),
    ("stop_words.rs", "&str"),
    ("text_tokens.rs", "u64"),
    ("token_filter.rs", "Name"),
    ("tree_sink.rs", "u32"),
    ("word_odds.rs", "u32"),
];

/// A page can hold as many colliding keys as it likes if their hash is known: one megabyte of names took two seconds, and four times as long at
/// twice the size. The maps of the standard library and `NumberMap` have a random hash.
#[test]
fn keys_that_pages_choose_have_no_foreseeable_hash() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = BTreeSet::new();
    for name in ["dehusk-dom", "dehusk", "dehusk-io", "dehusk-options", "dehusk-corpus", "dehusk-server", "dehusk-cli"]
    {
        for file in read_crate(&crates.join(name).join("src")) {
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
