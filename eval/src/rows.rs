//! Research dump.
use crate::corpus::{Data, read_records};
use crate::Stop;
use dehusk::dom::{NodeId, Parser};
use std::collections::HashMap;
use std::io::Write;

fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' { word.extend(c.to_lowercase()); }
        else if !word.is_empty() { out.push(std::mem::take(&mut word)); }
    }
    if !word.is_empty() { out.push(word); }
    out
}

pub(crate) fn run(data: &Data, out: &std::path::Path) -> Result<(), Stop> {
    std::fs::create_dir_all(out)?;
    let file = |name: &str| std::fs::File::create(out.join(name)).map(|f| std::io::BufWriter::with_capacity(1 << 20, f));
    let (mut rows, mut labels, mut tokens, mut pages, mut ranges, mut texts, mut roles) = (file("rows.f32")?, file("labels.f32")?, file("tokens.i32")?, file("pages.jsonl")?, file("ranges.i32")?, file("texts.txt")?, file("roles.i32")?);
    let mut names_written = false;
    read_records(&data.find("wcxb-dev.jsonl.zst")?, |record| {
        let html = record["html"].as_str().unwrap_or_default();
        let reference = record["main_content"].as_str().unwrap_or_default();
        let Ok(document) = Parser::default().parse(html) else { return };
        let page = dehusk::fusion::page_rows(&document);
        if !names_written && !page.names.is_empty() {
            std::fs::write(out.join("names.txt"), page.names.join("\n")).unwrap();
            names_written = true;
        }
        let mut ids: HashMap<String, u32> = HashMap::new();
        let mut id = |w: String| { let n = ids.len() as u32; *ids.entry(w).or_insert(n) };
        let wanted: Vec<u32> = words(reference).into_iter().map(&mut id).collect();
        let mut own: Vec<u32> = Vec::new();
        let mut starts = Vec::new();
        for (first, end) in &page.spans {
            starts.push(own.len());
            let mut text = String::new();
            for at in first.0..end.0 { if document.is_text(NodeId(at)) { text.push_str(document.text(NodeId(at))); } }
            own.extend(words(&text).into_iter().map(&mut id));
            let short: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
            writeln!(texts, "{short}").unwrap();
        }
        starts.push(own.len());
        let matched = dehusk_match(&own, &wanted, &starts);
        for w in starts.windows(2) {
            let n = w[1] - w[0];
            let m = matched[w[0]..w[1]].iter().filter(|m| **m).count();
            let label = if n == 0 { -1.0f32 } else { m as f32 / n as f32 };
            labels.write_all(&label.to_le_bytes()).unwrap();
            labels.write_all(&(n as f32).to_le_bytes()).unwrap();
        }
        for v in &page.values { rows.write_all(&v.to_le_bytes()).unwrap(); }
        for r in &page.ranges { for (a, b) in r { ranges.write_all(&(*a as i32).to_le_bytes()).unwrap(); ranges.write_all(&(*b as i32).to_le_bytes()).unwrap(); } }
        for r in &page.roles { for a in r { roles.write_all(&(*a as i32).to_le_bytes()).unwrap(); } }
        for t in &own { tokens.write_all(&(*t as i32).to_le_bytes()).unwrap(); }
        for t in &wanted { tokens.write_all(&(*t as i32).to_le_bytes()).unwrap(); }
        writeln!(pages, "{}", serde_json::json!({"id": record["id"], "url": record["url"], "type": record["page_type"], "blocks": page.spans.len(), "own": own.len(), "wanted": wanted.len(), "vocabulary": ids.len()})).unwrap();
    })
}

/// Which words of the page are in the reference, in order.
fn dehusk_match(own: &[u32], wanted: &[u32], starts: &[usize]) -> Vec<bool> {
    let mut matched = vec![false; own.len()];
    let _ = starts;
    let (mut one, mut _two) = (0, 0);
    for step in dehusk::align::align(own, wanted).steps {
        use dehusk::align::Step;
        if step == Step::Match { matched[one] = true; }
        one += (step != Step::Second) as usize;
        _two += (step != Step::First) as usize;
    }
    matched
}
