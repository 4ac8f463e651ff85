//! Scratch tool: which template words are left.
use crate::Stop;
use crate::corpus::{Data, read_records};
use crate::sitelevel::{Page, Words, shuffled, text_of};
use dehusk::align::AlignSettings;
use dehusk::dom::Parser;
use dehusk::{AlignLearner, TreeMap, TreeMapLearner, detect_align, detect_tree_map};
use std::collections::BTreeMap;

pub(crate) fn run(data: &Data, method: &str, count: usize) -> Result<(), Stop> {
    if method == "swde" {
        for row in crate::sitelevel::measure_survival(data, &[0.1, 0.3], Some(0.1), |pages, alternatives| {
            let mut learner = TreeMapLearner::new(TreeMap { alternatives, ..TreeMap::default() });
            pages.iter().for_each(|(page, address)| learner.observe(address, &page.document));
            let templates = learner.finish(0);
            Ok(pages.iter().map(|(page, _)| detect_tree_map(&page.document, &page.stats, &templates)).collect())
        })? { println!("treemap {row:?}"); }
        for row in crate::sitelevel::measure_survival(data, &[0.5, 0.2], Some(0.1), |pages, share| {
            let mut learner = AlignLearner::new(AlignSettings { pages: 16, share }).ok().unwrap();
            pages.iter().for_each(|(page, address)| learner.observe(&page.document, address));
            let templates = learner.finish(0);
            Ok(pages.iter().map(|(page, _)| detect_align(&page.document, &page.stats, &templates)).collect())
        })? { println!("align {row:?}"); }
        return Ok(());
    }
    for file in data.list("dup", ".jsonl.zst")? {
        println!("== {} {method} {count}", file.file_name().unwrap().to_string_lossy());
        let mut records = Vec::new();
        read_records(&file, |record| records.push(record))?;
        let order = shuffled(records.len());
        let mut parser = Parser::default();
        let mut aligner = AlignLearner::new(AlignSettings { pages: count, ..AlignSettings::default() }).ok().unwrap();
        let mut mapper = TreeMapLearner::new(TreeMap::default());
        for number in order.iter().take(count) {
            let page = Page::read(&mut parser, &text_of(&records[*number], "html"))?;
            aligner.observe(&page.document, &text_of(&records[*number], "url"));
            mapper.observe(&text_of(&records[*number], "url"), &page.document);
        }
        let (aligned, mapped) = (aligner.finish(0), mapper.finish(0));
        let mut left: BTreeMap<String, usize> = BTreeMap::new();
        let mut sum = Words::default();
        for number in order.iter().skip(count).take(200) {
            let record = &records[*number];
            let page = Page::read(&mut parser, &text_of(record, "html"))?;
            let detection = match method {
                "align" => detect_align(&page.document, &page.stats, &aligned),
                _ => detect_tree_map(&page.document, &page.stats, &mapped),
            };
            sum.add(&page, record, &detection);
            let content = text_of(record, "content").to_lowercase();
            for id in page.texts() {
                let text = page.document.text(id).trim().to_lowercase();
                let inside = content.contains(&text) || text.len() > 60;
                if !detection.is_dropped(id) && !inside {
                    *left.entry(text).or_default() += 1;
                } else if detection.is_dropped(id) && inside && text.len() > 10 {
                    *left.entry(format!("LOST {text}")).or_default() += 1;
                }
            }
        }
        println!("recall {:.4} lost {}", sum.dropped_template as f64 / sum.template as f64, sum.dropped_content);
        let mut left: Vec<_> = left.into_iter().collect();
        left.sort_by_key(|(text, count)| std::cmp::Reverse(count * text.split_whitespace().count()));
        for (text, count) in left.iter().take(25) {
            println!("  {count} {text:?}");
        }
    }
    Ok(())
}
