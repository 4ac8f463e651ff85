//! The sites of `examples/sites` with the texts that must be kept and dropped.

use std::collections::BTreeMap;
use std::path::Path;

/// An example site. Pages are by their path.
pub(crate) struct Site {
    pub(crate) name: String,
    pub(crate) pages: BTreeMap<String, Vec<u8>>,
    /// For some pages, the texts that must be kept (`content`) and dropped (`husk`).
    pub(crate) truth: serde_json::Value,
}

/// Reads the example sites, sorted by name.
pub(crate) fn sites() -> Vec<Site> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sites");
    let mut sites = Vec::new();
    for entry in std::fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            let truth = std::fs::read_to_string(root.join(format!("{name}.truth.json"))).unwrap();
            let mut pages = BTreeMap::new();
            gather(&path, &path, &mut pages);
            sites.push(Site { name, pages, truth: serde_json::from_str(&truth).unwrap() });
        }
    }
    sites.sort_by(|one, two| one.name.cmp(&two.name));
    assert!(sites.len() >= 3 && sites.iter().all(|site| site.pages.len() >= 12));
    sites
}

fn gather(root: &Path, folder: &Path, pages: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(root, &path, pages);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            pages.insert(name, std::fs::read(&path).unwrap());
        }
    }
}
