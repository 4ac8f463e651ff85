//! What each fuzz target of crate `dehusk-io` checks. Its tests replay `fuzz/regressions` through the same functions.
//!
//! Each function returns whether a page was read, so that the replay notices a corpus that is rejected as a whole.

use dehusk_io::crawl::{Crawl, TemplateMode, TemplateStore};
use dehusk_io::{InputValue, ReadOptions, Source, open, warc_from_reader};
use std::io::Cursor;
use std::path::Path;

const MAX_PAGE: usize = 5000;

fn options() -> ReadOptions {
    ReadOptions::default()
        .with_max_bytes(MAX_PAGE as u64)
        .with_max_line_bytes(2 * MAX_PAGE as u64)
        .with_max_skip_bytes(1 << 20)
        .with_carry(vec!["date".into(), "warc-date".into()])
}

/// Reads to the end: no page exceeds the limit, and there are no more items than the input can hold.
fn read_all(mut source: Box<dyn Source>, length: usize, options: &ReadOptions) -> bool {
    let (mut items, mut pages) = (0, 0);
    while let Some(item) = source.next() {
        items += 1;
        // Zstandard makes at most 128 KiB of a block, which takes at least four bytes.
        assert!(items <= length * (32 << 10) + 1, "{items} items from {length} bytes");
        if let Ok(record) = item.and_then(|raw| raw.open(options)) {
            pages += 1;
            assert!(record.html.len() <= MAX_PAGE);
            assert_eq!(record.carried.len(), 2);
        }
    }
    pages > 0
}

/// Any bytes are read as a WARC file to its end.
#[allow(dead_code)]
pub(crate) fn warc(data: &[u8]) -> bool {
    let options = options();
    let Ok(source) = warc_from_reader(Cursor::new(data.to_vec()), Path::new("x.warc"), &options) else { return false };
    read_all(source, data.len(), &options)
}

/// Any bytes are read as JSON lines to their end.
#[allow(dead_code)]
pub(crate) fn jsonl(data: &[u8]) -> bool {
    let options = options();
    let Ok(folder) = tempfile::tempdir() else { return false };
    let path = folder.path().join("x.jsonl");
    if std::fs::write(&path, data).is_err() {
        return false;
    }
    let Ok(source) = open(&[path], &options) else { return false };
    read_all(source, data.len(), &options)
}

/// Any bytes are read as Parquet to their end. The limit of items is that of the rows which the file itself claims, so there is none here.
#[allow(dead_code)]
pub(crate) fn parquet(data: &[u8]) -> bool {
    let options = options().with_texts(true).with_id_column("v").with_carry(vec!["v".into(), "url".into()]);
    let Ok(folder) = tempfile::tempdir() else { return false };
    let path = folder.path().join("x.parquet");
    if std::fs::write(&path, data).is_err() {
        return false;
    }
    let Ok(mut source) = open(&[path], &options) else { return false };
    let mut pages = 0;
    // Nulls take no bytes: a small file may have many rows.
    for _ in 0..10_000 {
        let Some(item) = source.next() else { break };
        if let Ok(record) = item.and_then(|raw| raw.open(&options)) {
            pages += 1;
            assert!(record.html.len() <= MAX_PAGE);
            assert_eq!(record.carried.len(), 2);
            let json = record.carried[0].1.json().into_owned();
            assert!(InputValue::from_json(&json).is_some(), "{json}");
        }
    }
    pages > 0
}

/// A store of templates of two sites, with what reading it and learning once more from the same pages gives.
struct Store {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
    /// Where something is stored: the rest of the file is empty.
    used: Vec<usize>,
    templates: Vec<u8>,
    /// Held while the damaged file is used.
    lock: std::sync::Mutex<()>,
}

const HOSTS: [&str; 2] = ["a.example", "b.example"];

impl Store {
    fn get() -> &'static Store {
        static STORE: std::sync::OnceLock<Store> = std::sync::OnceLock::new();
        STORE.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let mut lines = String::new();
            for (number, host) in (0..12).flat_map(|number| HOSTS.map(|host| (number, host))) {
                let html = format!("<ul><li>Home<li>About {host}</ul><p>Text {number} of a page</p><div>Foot</div>");
                lines.push_str(&format!("{{\"url\":\"http://{host}/{number}\",\"html\":\"{html}\"}}\n"));
            }
            std::fs::write(folder.path().join("pages.jsonl"), lines).unwrap();
            let path = folder.path().join("store");
            learn(folder.path(), &path).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let used = (0..bytes.len()).filter(|at| bytes[at & !15..].iter().take(16).any(|byte| *byte != 0)).collect();
            let templates = read_store(&path).unwrap();
            Store { folder, bytes, used, templates, lock: std::sync::Mutex::default() }
        })
    }
}

/// Learns the pages of a folder into a store.
fn learn(folder: &Path, store: &Path) -> Result<(), dehusk_io::Error> {
    let output = folder.join("out.jsonl");
    let _ = std::fs::remove_dir_all(folder.join("out.jsonl.dehusk-run"));
    let extractor = dehusk::Extractor::new(dehusk::Options::new()).map_err(dehusk_io::Error::other)?;
    let job = Crawl::new(extractor, vec![folder.join("pages.jsonl")], output);
    job.with_templates(TemplateMode::LearnInto(store.into()))
        .with_method(dehusk::SiteMethod::new(dehusk_papers::treemap::TreeMap::default()))
        .run(&())
        .map(|_| ())
}

/// Everything a store holds.
fn read_store(path: &Path) -> Result<Vec<u8>, dehusk_io::Error> {
    let store = TemplateStore::open(path, dehusk_papers::methods().site_methods())?;
    let mut all = store.export()?;
    for host in HOSTS.into_iter().chain(["c.example"]) {
        let template = store.template(host)?;
        all.extend_from_slice(&template.map_or(Vec::new(), |template| template.to_bytes()));
    }
    Ok(all)
}

/// A damaged template store gives an error that names it, or what was stored, never something else; reading changes
/// nothing. Six bytes are a damage: where, what is put there, and how many bytes are damaged or whether the file ends there.
#[allow(dead_code)]
pub(crate) fn store(data: &[u8]) -> bool {
    let store = Store::get();
    let _one = store.lock.lock();
    let mut bytes = store.bytes.clone();
    for damage in data.chunks_exact(6).take(8) {
        let at = u32::from_le_bytes([damage[0], damage[1], damage[2], damage[3]]) as usize;
        let (value, extent) = (damage[4], damage[5]);
        let at = store.used[at % store.used.len()].min(bytes.len());
        match extent {
            0 => bytes.truncate(at),
            1..=127 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= value),
            _ => bytes.iter_mut().skip(at).take(usize::from(extent - 127) * 16).for_each(|byte| *byte = value),
        }
    }
    let path = store.folder.path().join("damaged");
    std::fs::write(&path, &bytes).unwrap();
    let named = |error: &dehusk_io::Error| assert_eq!(error.path(), Some(&*path), "{error}");
    let read = read_store(&path);
    match &read {
        Ok(templates) => assert!(*templates == store.templates, "other templates"),
        Err(error) => named(error),
    }
    assert!(std::fs::read(&path).unwrap() == bytes, "reading changed the file");
    match learn(store.folder.path(), &path) {
        Ok(()) => assert!(read_store(&path).unwrap() == store.templates, "other templates learned"),
        Err(error) => named(&error),
    }
    read.is_ok()
}
