//! A detector of your own, run through the crawl job that `dehusk clean` runs: it drops blocks that are mostly links.
//!
//!     cargo run -p dehusk-eval --example toy_detector -- examples/sites/harbour-notes.example pages.jsonl

use dehusk::detect::{Buffers, Detector, DetectorInput};
use dehusk::dom::Name;
use dehusk::dom::elements::is_block;
use dehusk::{Detection, Error, Extractor, Options, Reason};
use dehusk_io::crawl::{Crawl, Tally};

/// Drops every block of which at least this share of the characters is in links.
#[derive(Debug)]
struct LinkShare(f32);

impl Detector for LinkShare {
    fn name(&self) -> &'static str {
        "link-share"
    }

    fn detect(&self, input: &DetectorInput<'_>, _: &mut Buffers) -> Result<Detection, Error> {
        let (document, stats) = (input.page.document, input.page.stats());
        let mut detection = Detection::keep_all(self.name(), document);
        let Some(body) = document.find(Name::BODY) else { return Ok(detection) };
        let blocks = document.descendants(body).filter(|id| is_block(document.html_name(*id)));
        for id in blocks {
            let links = document.descendants(id).filter(|inner| document.html_name(*inner) == Name::A);
            let linked: u32 = links.map(|link| stats.subtree(document, link).characters).sum();
            let share = linked as f32 / stats.subtree(document, id).characters.max(1) as f32;
            if share >= self.0 {
                detection.set_evidence(id, share.min(1.0), Reason::Scored { score: share.min(1.0) });
                detection.drop_subtree(document, id);
            }
        }
        Ok(detection)
    }
}

/// Cleans the pages of a folder or file with it.
pub(crate) fn clean(input: &str, output: &str) -> Result<Tally, Box<dyn std::error::Error>> {
    let extractor = Extractor::new(Options::new())?.with_detector(LinkShare(0.5))?;
    Ok(Crawl::new(extractor, vec![input.into()], output).run(&())?)
}

#[allow(clippy::print_stdout, reason = "a program may print")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: toy_detector IN OUT.jsonl".into());
    };
    println!("{} pages are in {output}", clean(&input, &output)?.pages);
    Ok(())
}
