//! Makes `crates/dehusk-train/models/block-sample.model`: a few text blocks of each site, one file per site.
//!
//!     cargo run --release -p dehusk-train --example block_sample -- OUTPUT sites/*.jsonl.zst

use dehusk::detect::fusion::FusionModel;
use dehusk_io::{Inputs, ReadOptions};
use dehusk_train::BlockSample;
use std::path::PathBuf;

/// Pages of each site.
const PAGES: usize = 5;
/// Every seventh page is taken: pages next to each other in a crawl are often alike.
const STEP: usize = 7;
/// Blocks of each page.
const BLOCKS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let output = paths.next().ok_or("usage: block_sample OUTPUT SITE...")?;
    let sites: Vec<PathBuf> = paths.collect();
    let model = FusionModel::builtin();
    let card = format!(
        "{BLOCKS} text blocks of each of up to {PAGES} pages of {} sites: the intervals of their features, and whether the built-in \
         model keeps them. No text of any page.\n",
        sites.len()
    );
    let mut blocks = BlockSample::new(model, card);
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
