//! `dehusk inspect` without a browser: the file of a saved view, and what it refuses.

use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = "<!doctype html><title>Nets &lt;b&gt;</title><script>alert(1)</script><nav><a href=/>Home</a></nav><main><h1>Nets</h1>\
    <p onclick=alert(2)>Nets are mended in May, when the boats come home and the nights are short. </script> Whoever has hands to \
    spare sits on the quay.</p></main>";

fn dehusk(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dehusk")).current_dir(folder).args(arguments).output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_saved_view_is_one_file_that_loads_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.html"), PAGE).unwrap();
    let saved = dehusk(folder.path(), &["inspect", "page.html", "--save", "view.html"]);
    assert!(saved.status.success(), "{}", message(&saved));
    let view = std::fs::read_to_string(folder.path().join("view.html")).unwrap();
    assert!(view.contains("script-src 'sha256-") && view.contains("default-src 'none'"));
    assert!(view.contains("<title>Nets &lt;b&gt; – Dehusk</title>"), "the title is text");
    // What the page holds is data: it cannot end the element it is in, and its scripts are left out.
    assert_eq!(view.matches("</script>").count(), 2);
    assert!(!view.contains("alert("));
    assert!(!view.contains("src=\"http") && !view.contains("href=\"http"));
    let again = dehusk(folder.path(), &["inspect", "page.html", "--save", "again.html"]);
    assert!(again.status.success());
    assert_eq!(view, std::fs::read_to_string(folder.path().join("again.html")).unwrap());
}

#[test]
fn what_cannot_be_shown_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.html"), PAGE).unwrap();
    std::fs::write(folder.path().join("picture.html"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    let refused = |arguments: &[&str], what: &str| {
        let output = dehusk(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(message(&output).contains(what), "{arguments:?}: {}", message(&output));
    };
    refused(&["inspect", ".", "--save", "view"], "single page");
    refused(&["inspect", "page.html", "page.html", "--url", "https://a.example/"], "single page");
    refused(&["inspect", "picture.html", "--save", "view.html"], "picture.html");
    refused(&["inspect", "page.html", "--save", "page.html"], "page.html");
    refused(&["inspect", "page.html", "--template", "page.html", "--save", "view.html"], "page.html");
    refused(&["inspect", "missing.html", "--no-open"], "missing.html");
    assert!(!folder.path().join("view.html").exists());
    assert_eq!(std::fs::read_to_string(folder.path().join("page.html")).unwrap(), PAGE);
}
