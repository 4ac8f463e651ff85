//! What the crates are built from: permissive licences, crates.io, and nothing that needs a newer compiler than they promise.
//!
//! The allowed licences are those of `deny.toml`, which `cargo deny check licenses bans sources` reads as well.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What cargo knows of the workspace and what it depends on, on every platform.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().unwrap()
}

/// The published crates and all they depend on, for tests and benches as well.
fn published(metadata: &Value) -> Vec<&Value> {
    let is_published = |package: &&Value| package["source"].is_null() && package["publish"].is_null();
    let mut found: Vec<&str> =
        packages(metadata).iter().filter(is_published).map(|package| package["id"].as_str().unwrap()).collect();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let mut next = 0;
    while let Some(id) = found.get(next) {
        let node = nodes.iter().find(|node| node["id"] == *id).unwrap();
        for dependency in node["dependencies"].as_array().unwrap() {
            let dependency = dependency.as_str().unwrap();
            if !found.contains(&dependency) {
                found.push(dependency);
            }
        }
        next += 1;
    }
    assert!(found.len() > 50, "only {} packages were found", found.len());
    packages(metadata).iter().filter(|package| found.contains(&package["id"].as_str().unwrap())).collect()
}

fn name(package: &Value) -> String {
    format!("{} {}", package["name"].as_str().unwrap(), package["version"].as_str().unwrap())
}

/// The licences `deny.toml` allows.
fn allowed() -> Vec<spdx::Licensee> {
    let file = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let list = file.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
    let quoted = list.split('"').skip(1).step_by(2);
    let allowed: Vec<_> = quoted.map(|name| spdx::Licensee::parse(name).unwrap()).collect();
    assert!(allowed.len() > 3, "deny.toml allows {allowed:?}");
    allowed
}

#[test]
fn licences_are_permissive() {
    let (allowed, metadata) = (allowed(), metadata());
    let mut refused = Vec::new();
    for package in published(&metadata) {
        let licence = package["license"].as_str().unwrap_or_default();
        let expression = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX);
        let is_allowed = expression.is_ok_and(|expression| {
            expression.evaluate(|required| allowed.iter().any(|licensee| licensee.satisfies(required)))
        });
        if !is_allowed {
            refused.push(format!("{}: {licence:?}", name(package)));
        }
    }
    assert!(refused.is_empty(), "deny.toml does not allow: {refused:#?}");
}

#[test]
fn everything_is_from_the_registry() {
    for package in packages(&metadata()) {
        match package["source"].as_str() {
            Some(source) => assert!(source.starts_with("registry+"), "{} is from {source}", name(package)),
            None => assert!(name(package).starts_with("dehusk"), "{} is a path outside the workspace", name(package)),
        }
    }
}

#[test]
fn no_dependency_needs_a_newer_compiler() {
    let version = |text: &str| -> Vec<u32> { text.split('.').map(|part| part.parse().unwrap()).collect() };
    let metadata = metadata();
    let packages = packages(&metadata);
    let ours = packages.iter().find(|package| package["name"] == "dehusk").unwrap()["rust_version"].as_str().unwrap();
    for package in packages {
        if let Some(needed) = package["rust_version"].as_str() {
            assert!(
                version(needed) <= version(ours),
                "{} needs Rust {needed}, the workspace promises {ours}",
                name(package)
            );
        }
    }
}

#[test]
fn the_python_module_does_not_link_the_program() {
    let metadata = metadata();
    let id_of = |name: &str| packages(&metadata).iter().find(|package| package["name"] == name).unwrap()["id"].clone();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let mut linked = vec![id_of("dehusk-python")];
    let mut next = 0;
    while let Some(id) = linked.get(next).cloned() {
        let node = nodes.iter().find(|node| node["id"] == id).unwrap();
        for dependency in node["deps"].as_array().unwrap() {
            // Those for tests and for building are not linked.
            let is_linked = dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null());
            if is_linked && !linked.contains(&dependency["pkg"]) {
                linked.push(dependency["pkg"].clone());
            }
        }
        next += 1;
    }
    assert!(linked.contains(&id_of("dehusk-options")));
    for name in ["dehusk-cli", "dehusk-server", "axum", "clap", "indicatif", "ctrlc"] {
        assert!(!linked.contains(&id_of(name)), "the Python module links {name}");
    }
}
