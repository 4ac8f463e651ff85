//! Installs a peer in the work folder: a separate Python environment or cargo project for each.
//!
//! None of them becomes part of this workspace. Existing installations are reused.

use super::list::{Kind, Peer};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SCRIPT: &str = include_str!("../../peers/extract.py");
const HARNESS: &str = include_str!("../../peers/harness.rs");
const MAIN: &str = include_str!("../../peers/rust/main.rs");

/// Installs a peer and returns the program with its leading arguments, or why it is not available.
pub(super) fn install(peer: &Peer, work: &Path) -> Result<Vec<OsString>, String> {
    let folder = work.join("installed").join(peer.name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    match &peer.kind {
        Kind::Python { package, function } => install_python(&folder, package, function),
        Kind::Rust { dependencies, module } => install_rust(&folder, &work.join("target"), dependencies, module),
    }
}

fn install_python(folder: &Path, package: &str, function: &str) -> Result<Vec<OsString>, String> {
    let (python, mark) = (folder.join("bin").join("python"), folder.join("installed"));
    if fs::read_to_string(&mark).ok().as_deref() != Some(package) {
        complete(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
        let pip = |arguments: &[&str]| {
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            complete(Command::new(&python).args(pip).args(arguments))
        };
        // The pip that comes with older Pythons cannot read the names of some extras.
        pip(&["--upgrade", "pip"]).or_else(|_| pip(&["pip"]))?;
        pip(&[package])?;
        fs::write(&mark, package).map_err(|error| error.to_string())?;
    }
    let script = folder.join("extract.py");
    fs::write(&script, SCRIPT).map_err(|error| error.to_string())?;
    Ok(vec![python.into(), script.into(), function.into()])
}

fn install_rust(folder: &Path, target: &Path, dependencies: &str, module: &str) -> Result<Vec<OsString>, String> {
    let name = format!("peer-{}", folder.file_name().unwrap_or_default().to_string_lossy());
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[[bin]]\nname = \"{name}\"\npath = \"src/main.rs\"\n\n\
         [dependencies]\n{dependencies}\nrustix = {{ version = \"1\", features = [\"time\"] }}\nserde_json = \"1\"\n\n\
         [profile.release]\nlto = \"thin\"\ncodegen-units = 1\n\n[workspace]\n"
    );
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/main.rs", MAIN),
        ("src/harness.rs", HARNESS),
        ("src/peer.rs", module),
    ];
    fs::create_dir_all(folder.join("src")).map_err(|error| error.to_string())?;
    for (file, text) in files {
        // An unchanged file keeps its date, so cargo does not rebuild.
        let path = folder.join(file);
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(&path, text).map_err(|error| error.to_string())?;
        }
    }
    complete(
        Command::new("cargo")
            .args(["build", "--release", "--quiet"])
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", target)
            // The environment that `cargo run` sets for this program must not reach that build.
            .env_remove("RUSTFLAGS"),
    )?;
    let program: PathBuf = target.join("release").join(name);
    Ok(vec![program.into()])
}

/// Runs a command and waits for it; an error is the most informative line of its messages.
fn complete(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let telling = |line: &&str| line.to_ascii_lowercase().starts_with("error");
    let line = messages.lines().find(telling).or(messages.lines().next_back()).unwrap_or("no message");
    Err(line.trim().to_string())
}
