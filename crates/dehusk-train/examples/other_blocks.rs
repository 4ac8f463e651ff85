//! Makes `crates/dehusk-train/models/other-blocks.model`: some blocks of each of some sites, a file per site.
//!
//!     cargo run --release -p dehusk-train --example other_blocks -- OUTPUT sites/*.jsonl.zst

use dehusk::methods::fusion::FusionModel;
use dehusk_io::{Inputs, ReadOptions};
use dehusk_train::OtherBlocks;
use std::path::PathBuf;

/// Pages of each site, every so many, and blocks of each page.
const PAGES: usize = 5;
const STEP: usize = 7;
const BLOCKS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let output = paths.next().ok_or("name the file to write, then the sites")?;
    let sites: Vec<PathBuf> = paths.collect();
    let model = FusionModel::builtin();
    let card = format!(
        "{BLOCKS} text blocks of each of up to {PAGES} pages of {} sites: the intervals of their features, and whether the built-in \
         model keeps them. No text of any page.\n",
        sites.len()
    );
    let mut blocks = OtherBlocks::new(model, card);
    let read = ReadOptions::default();
    for site in &sites {
        let inputs = Inputs::new(std::slice::from_ref(site))?;
        let mut source = inputs.open(&read);
        let mut page = 0;
        while let Some(item) = source.next() {
            let Ok(record) = item.and_then(|raw| raw.open(&read)) else { continue };
            page += 1;
            if page % STEP == 3 {
                let html = String::from_utf8_lossy(&record.html);
                blocks.add(model, &html, BLOCKS, page as u64);
            }
            if page >= PAGES * STEP {
                break;
            }
        }
    }
    std::fs::write(output, blocks.to_bytes())?;
    Ok(())
}
