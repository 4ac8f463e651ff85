//! Folders of pages and containers, and inputs that do not exist.

mod common;

use std::fs;
use std::path::Path;

use common::*;
use dehusk_io::{ErrorKind, Inputs, ReadOptions, open};

fn write(root: &Path, name: &str, bytes: &[u8]) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_folder_gives_pages_and_containers_in_the_order_of_paths() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "b.example/z.html", b"<p>z");
    write(root, "b.example/a/x.htm.gz", &gzip(b"<p>x"));
    write(root, "b.example/a/y.xhtml.zst", &zstd(b"<p>y"));
    write(root, "b.example/style.css", b"p {}");
    write(root, "b.example/notes.json", b"{}");
    write(root, "a.jsonl", b"{\"url\":\"http://j/1\",\"html\":\"<p>j\"}\n");
    write(root, "c/crawl.warc.gz", &gzip(&page(7)));
    write(root, "c/plain.html", b"{not json");
    let options = ReadOptions::default();
    let items = read_paths(&[root.to_path_buf()], &options);
    let urls: Vec<_> = items.iter().map(|item| item.as_ref().unwrap().url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "http://j/1",
            "http://b.example/a/x.htm",
            "http://b.example/a/y.xhtml",
            "http://b.example/z.html",
            "http://a.example/7",
            "c/plain.html"
        ]
    );
    assert_eq!(items[1].as_ref().unwrap().html, b"<p>x");
    assert_eq!(items[2].as_ref().unwrap().html, b"<p>y");
}

#[test]
fn named_inputs_keep_their_order_and_can_be_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "b.jsonl", b"{\"url\":\"http://j/b\",\"html\":\"<p>\"}\n");
    write(folder.path(), "a.jsonl", b"{\"url\":\"http://j/a\",\"html\":\"<p>\"}\n");
    let options = ReadOptions::default();
    let inputs = Inputs::new(&[folder.path().join("b.jsonl"), folder.path().join("a.jsonl")]).unwrap();
    for _ in 0..2 {
        let mut source = inputs.open(&options);
        let total = source.bytes_total().unwrap();
        let mut count = 0;
        while source.next().is_some() {
            count += 1;
        }
        assert_eq!((count, source.bytes_read()), (2, total));
        assert_eq!(words(&drain(inputs.open(&options), &options)), ["b", "a"]);
    }
}

#[test]
fn a_named_input_that_does_not_exist_is_an_error() {
    let error = open(&["/no/such/file.warc".into()], &ReadOptions::default()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::CannotRead);
    assert!(error.to_string().starts_with("/no/such/file.warc: cannot be read"), "{error}");
    assert!(std::error::Error::source(&error).unwrap().is::<std::io::Error>());
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_a_fault_and_the_rest_is_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "a.html", b"<p>a");
    write(root, "closed/x.html", b"<p>x");
    write(root, "z.html", b"<p>z");
    symlink(root, root.join("loop")).unwrap();
    symlink("nowhere", root.join("m.html")).unwrap();
    let closed = root.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything, so the middle of the result depends on who runs the test.
    let is_root = fs::read_dir(&closed).is_ok();
    let items = read_paths(&[root.to_path_buf()], &ReadOptions::default());
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    let middle = if is_root { "x.html" } else { "cannot_read" };
    assert_eq!(words(&items), ["a.html", middle, "cannot_read", "cannot_read", "z.html"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_copied_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let writer = {
        let path = path.clone();
        std::thread::spawn(move || fs::write(path, gzip(&page(5))).unwrap())
    };
    assert_eq!(words(&read_paths(&[path], &ReadOptions::default())), ["5"]);
    writer.join().unwrap();
}
