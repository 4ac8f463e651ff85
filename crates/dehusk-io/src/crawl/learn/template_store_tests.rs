use super::*;
use std::sync::LazyLock;

static METHODS: LazyLock<Vec<SiteMethod>> = LazyLock::new(|| vec![SiteMethod::counts()]);

fn how() -> LearnSettings<'static> {
    LearnSettings { method: &METHODS[0], known_methods: &METHODS, seed: 0, day: "2026-01-01", threads: 1 }
}

/// Some pages of a site, which share a fingerprint.
fn sample(site: &str, pages: std::ops::Range<u64>) -> Vec<PageEvidence> {
    let mut pages: Vec<_> = pages
        .map(|number| PageEvidence::new(site.into(), &format!("{site}/{number}"), 0, vec![1, 100 + number]))
        .collect();
    pages.sort_unstable();
    pages
}

fn store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sites.store");
    TemplateStore::open_or_create(&path, &METHODS).unwrap();
    (folder, path)
}

fn learn(path: &Path, site: &str, pages: std::ops::Range<u64>, with_known: bool) -> bool {
    StoreWriter::open_existing(path).unwrap().learn_site(site, sample(site, pages), with_known, &how()).unwrap()
}

#[test]
fn sites_are_learned_replaced_and_removed() {
    let (_folder, path) = store();
    assert!(learn(&path, "a.example", 0..3, true) && learn(&path, "b.example", 0..5, true));
    // A single page shares nothing with others.
    assert!(!learn(&path, "c.example", 0..1, true));
    let pages = |site: &str| {
        TemplateStore::open(&path, &METHODS).unwrap().template(site).unwrap().map(|template| template.pages())
    };
    assert_eq!((pages("a.example"), pages("b.example"), pages("c.example")), (Some(3), Some(5), None));
    assert!(learn(&path, "a.example", 3..5, true));
    assert_eq!(pages("a.example"), Some(5));
    assert!(learn(&path, "a.example", 3..5, false));
    assert_eq!(pages("a.example"), Some(2));
    assert!(TemplateStore::remove_site(&path, "a.example").unwrap());
    assert!(!TemplateStore::remove_site(&path, "a.example").unwrap());
    assert_eq!((pages("a.example"), pages("b.example")), (None, Some(5)));
    assert_eq!(TemplateStore::open(&path, &METHODS).unwrap().site_count(), 1);
}

#[test]
fn learning_in_parts_gives_the_template_of_the_whole() {
    let (_one, whole) = store();
    learn(&whole, "a.example", 0..6, true);
    let (_two, parts) = store();
    learn(&parts, "a.example", 0..2, true);
    learn(&parts, "a.example", 2..6, true);
    let export = |path: &Path| TemplateStore::open(path, &METHODS).unwrap().export().unwrap();
    assert_eq!(export(&whole), export(&parts));
}

#[test]
fn one_writer_at_a_time_and_damage_is_found() {
    let (_folder, path) = store();
    learn(&path, "a.example", 0..3, true);
    let writer = StoreWriter::open_existing(&path).unwrap();
    assert_eq!(StoreWriter::open_existing(&path).map(drop).unwrap_err().kind(), ErrorKind::InUse);
    drop(writer);
    let sound = std::fs::read(&path).unwrap();
    // Every byte is covered by a checksum, a mark or a length.
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let opened = StoreWriter::open_existing(&path)
            .and_then(|writer| writer.learn_site("a.example", sample("a.example", 3..5), true, &how()));
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::TemplateStore, "byte {at} of {}", sound.len());
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(StoreWriter::open_existing(&path).map(drop).unwrap_err().kind(), ErrorKind::TemplateStore);
    assert_eq!(TemplateStore::open(&path, &METHODS).map(drop).unwrap_err().kind(), ErrorKind::CannotRead);
}
