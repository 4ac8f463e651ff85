//! Near-duplicates after removal: table 2 of PageLevel and table 2 of Segment.

use super::paired::{gain, mean};
use super::texts::{Cleaning, KnownCorpus};
use crate::Stop;
use crate::papers::section::Section;
use crate::shared::report::table;
use dehusk_corpus::duplicates::{DuplicateOptions, Signature, Signer};
use std::collections::BTreeMap;

/// For each text, the share of its pairs of pages that are found, and that of its other pairs that are told apart.
struct Shares {
    found: Vec<f64>,
    apart: Vec<f64>,
    pairs: [usize; 2],
}

pub(super) fn report(corpora: &[KnownCorpus], section: &mut Section) -> Result<(), Stop> {
    section.heading("PageLevel table 2, Segment table 2: near-duplicates");
    section.write(
        "Two pages are near-duplicates if at least 4 of the 8 smallest hashes of their 6-word shingles are equal (`dehusk_corpus::duplicates`, as \
         the program does it). Found: of the pairs of pages with the same text on different sites. Told apart: of the pairs of pages with different \
         texts of one site and category. Lines that are the title are left out. Of the models only that of Block has seen pages of these sites. Gains are over the full text; the test is a randomization \
         test over texts.",
    );
    for corpus in corpora {
        let mut rows = Vec::new();
        let full = shares(corpus, Cleaning::FullText)?;
        for cleaning in Cleaning::ALL {
            let shares = shares(corpus, cleaning)?;
            rows.push(vec![
                cleaning.name(),
                format!("{:.3}", mean(&shares.found)),
                gain(&shares.found, &full.found),
                format!("{:.3}", mean(&shares.apart)),
                gain(&shares.apart, &full.apart),
            ]);
        }
        section.write(&format!(
            "`{}`: {} pairs with the same text, {} other pairs.",
            corpus.name, full.pairs[0], full.pairs[1]
        ));
        section.write(&table(&["text", "found", "gain", "told apart", "gain"], &rows));
    }
    section.write(
        "The papers, on song lyrics of three sites (1,711 and 2,058 pairs; in Segment 1,707): full text .309 and .865 (.887 in Segment), SITELEVEL .427 \
         and .832, PageLevel .760 and .916, GCUTS .617 and .999, CCLUS .343 and .949. `graft` is harder for the full text and for the largest segment \
         (short texts in pages that are mostly template) and easier for what finds the content; the lists of `dup` that repeat only within a group are \
         the papers' \"popular lyrics by this artist\". A few texts of `graft` resemble each other, so that not even the exact content tells all \
         apart.",
    );
    Ok(())
}

fn shares(corpus: &KnownCorpus, cleaning: Cleaning) -> Result<Shares, Stop> {
    let mut signer = Signer::new(DuplicateOptions::default());
    let signatures: Vec<Signature> = corpus.texts(cleaning)?.iter().map(|text| signer.sign(text)).collect();
    // Hits and pairs of each text.
    let mut found: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut apart: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut pairs = [0; 2];
    for (at, one) in corpus.pages.iter().enumerate() {
        for (other, two) in corpus.pages.iter().enumerate().take(at) {
            let is_found = signer.compare(&signatures[at], &signatures[other]).is_some();
            if one.doc == two.doc {
                pairs[0] += 1;
                let share = found.entry(&one.doc).or_default();
                *share = (share.0 + f64::from(u8::from(is_found)), share.1 + 1.0);
            } else if one.site == two.site && one.class == two.class {
                pairs[1] += 1;
                for doc in [&one.doc, &two.doc] {
                    let share = apart.entry(doc).or_default();
                    *share = (share.0 + f64::from(u8::from(!is_found)), share.1 + 1.0);
                }
            }
        }
    }
    let shares = |of: BTreeMap<&str, (f64, f64)>| of.into_values().map(|(hits, all)| hits / all).collect();
    Ok(Shares { found: shares(found), apart: shares(apart), pairs })
}
