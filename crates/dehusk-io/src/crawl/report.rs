//! The report of a run, for programs (JSON) and for people (a page with a bar for each site).

use super::tally::{GroupTally, Tally};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The maximum number of sites shown on the page; the rest is counted.
const MAX_SHOWN_GROUPS: usize = 500;
/// The maximum number of sites in the lists of failures and of low confidence.
const MAX_LISTED_GROUPS: usize = 20;

/// The counts of a run as JSON. Totals are exact; of many hosts it shows those that a person would look for.
pub fn report_json(tally: &Tally) -> Value {
    let groups: Vec<_> = tally.groups.iter().map(|(name, group)| group_json(name, group)).collect();
    let named = |pages: &[(u64, String)], unit: &str| -> Vec<Value> {
        pages.iter().map(|(amount, page)| json!({ "page": page, unit: amount })).collect()
    };
    json!({
        "pages": tally.pages,
        "failed": tally.failed,
        "skipped": tally.skipped,
        "bytes": tally.bytes,
        "characters": tally.characters,
        "dropped_characters": tally.dropped,
        "errors": tally.errors,
        "flags": tally.flags,
        "largest": named(&tally.largest, "bytes"),
        "slowest": named(&tally.slowest, "microseconds"),
        "host_count": tally.group_count,
        "hosts_without_template": tally.groups_without_template,
        "hosts_with_drift": tally.drifted_groups,
        "hosts_not_shown": tally.group_count.saturating_sub(tally.groups.len() as u64),
        "hosts": groups,
    })
}

fn group_json(name: &str, group: &GroupTally) -> Value {
    json!({
        "host": name,
        "pages": group.pages,
        "failed": group.failed,
        "characters": group.characters,
        "dropped_characters": group.dropped,
        "confidence": group.confidence(),
        "template_pages": group.template_pages,
        "without_template": why_without(group),
        "templates": group.fits.iter().map(|(pages, sum)| json!({ "pages": pages, "fit": mean_fit(*pages, *sum) })).collect::<Vec<_>>(),
        "no_template_fits": group.unfit,
        "drift": group.drift,
    })
}

/// The mean fit of pages, 0 to 1, to three digits.
fn mean_fit(pages: u32, sum: u64) -> f64 {
    (sum as f64 / f64::from(pages.max(1))).round() / 1000.0
}

/// Why a site has no template; nothing if it has one.
fn why_without(group: &GroupTally) -> Option<&'static str> {
    match group {
        GroupTally { template_pages: 1.., .. } => None,
        GroupTally { pages, failed, .. } if pages == failed => Some("no page could be read"),
        GroupTally { pages, failed, .. } if pages - failed == 1 => Some("a single page"),
        _ => Some("not known to the template store"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The counts of a run as an HTML page without references to other files.
pub fn report_html(tally: &Tally) -> String {
    let mut out = String::from(HEAD);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<h1>Crawl report</h1><p class=sum><b>{}</b> pages of <b>{}</b> hosts, <b>{:.1} MB</b> of HTML, <b>{:.0} %</b> of the text \
         dropped, <b>{}</b> failed, <b>{}</b> hosts without a template.</p>",
        tally.pages,
        tally.group_count,
        tally.bytes as f64 / 1e6,
        percent(tally.dropped, tally.characters),
        tally.failed,
        tally.groups_without_template
    );
    counts(&mut out, "Failures by kind", &tally.errors);
    counts(&mut out, "Flags", &tally.flags);
    let mut groups: Vec<(&String, &GroupTally)> = tally.groups.iter().collect();
    groups.sort_by_key(|(name, group)| (std::cmp::Reverse(group.pages), *name));
    out.push_str("<h2>Hosts</h2><p>The bar is the text of a host's pages: <i class=kept>kept</i> and <i class=gone>dropped</i>.</p>");
    out.push_str("<table><tr><th>host<th>pages<th>text<th>dropped<th>template<th>a sample of what was dropped");
    for (name, group) in groups.iter().take(MAX_SHOWN_GROUPS) {
        group_row(&mut out, name, group);
    }
    out.push_str("</table>");
    let more = tally.group_count.saturating_sub(groups.len().min(MAX_SHOWN_GROUPS) as u64);
    if more > 0 {
        let _ = write!(out, "<p>… and {more} more hosts with as many pages or fewer.</p>");
    }
    let mut failing: Vec<_> = groups.iter().copied().filter(|(_, group)| group.failed > 0).collect();
    failing.sort_by_key(|(name, group)| (std::cmp::Reverse(group.failed), *name));
    host_list(&mut out, "Hosts with the most failures", &failing, |group| group.failed.to_string());
    let mut unsure: Vec<_> = groups.iter().copied().filter(|(_, group)| group.rated > 0).collect();
    unsure.sort_by_key(|(name, group)| (group.confidence_sum * 1000 / group.rated, *name));
    let confidence = |group: &GroupTally| format!("{:.2}", group.confidence().unwrap_or_default());
    host_list(&mut out, "Hosts with the lowest confidence", &unsure, confidence);
    named(&mut out, "Largest pages", &tally.largest, |bytes| format!("{:.2} MB", bytes as f64 / 1e6));
    named(&mut out, "Slowest pages", &tally.slowest, |micros| format!("{:.1} ms", micros as f64 / 1e3));
    out
}

fn counts(out: &mut String, title: &str, counts: &std::collections::BTreeMap<String, u64>) {
    if counts.is_empty() {
        return;
    }
    let _ = write!(out, "<h2>{title}</h2><table>");
    for (name, count) in counts {
        let _ = write!(out, "<tr><td>{}<td class=n>{count}", escape(name));
    }
    out.push_str("</table>");
}

/// A short list of hosts with a figure for each.
fn host_list(out: &mut String, title: &str, hosts: &[(&String, &GroupTally)], figure: impl Fn(&GroupTally) -> String) {
    if hosts.is_empty() {
        return;
    }
    let _ = write!(out, "<h2>{title}</h2><table>");
    for (name, group) in hosts.iter().take(MAX_LISTED_GROUPS) {
        let _ = write!(out, "<tr><td>{}<td class=n>{}<td class=n>of {} pages", shown(name), figure(group), group.pages);
    }
    out.push_str("</table>");
}

/// The name of a host.
fn shown(name: &str) -> String {
    escape(if name.is_empty() { "(no host)" } else { name })
}

fn named(out: &mut String, title: &str, pages: &[(u64, String)], amount: impl Fn(u64) -> String) {
    if pages.is_empty() {
        return;
    }
    let _ = write!(out, "<h2>{title}</h2><table>");
    for (number, page) in pages {
        let _ = write!(out, "<tr><td class=n>{}<td>{}", amount(*number), link(page));
    }
    out.push_str("</table>");
}

/// An address, as a link if it is one for browsers.
fn link(address: &str) -> String {
    let text = escape(address);
    match address.starts_with("http://") || address.starts_with("https://") {
        true => format!("<a href=\"{text}\" rel=noreferrer>{text}</a>"),
        false => text,
    }
}

fn group_row(out: &mut String, name: &str, group: &GroupTally) {
    let gone = percent(group.dropped, group.characters);
    let template = match why_without(group) {
        None => templates_of(group),
        Some(why) => format!("<em>none: {why}</em>"),
    };
    let sample = match &group.sample {
        None => String::new(),
        Some((page, text)) => format!("<details><summary>{}</summary>{}</details>", escape(text), link(page)),
    };
    let _ = write!(
        out,
        "<tr><td>{}<td class=n>{}<td><div class=bar><div style=\"width:{:.1}%\"></div></div><td class=n>{gone:.0} %<td>{template}<td>{sample}",
        shown(name),
        group.pages,
        100.0 - gone,
    );
}

/// The description of the templates of a site.
fn templates_of(group: &GroupTally) -> String {
    let mut text = format!("from {} pages", group.template_pages);
    if !group.fits.is_empty() || group.unfit > 0 {
        let fits: Vec<String> = group.fits.iter().map(|(pages, _)| pages.to_string()).collect();
        let _ = write!(text, "; by template: {} pages, {} fit none", fits.join(" + "), group.unfit);
    }
    for finding in &group.drift {
        let _ = write!(text, "<br><em>{}</em>", escape(finding));
    }
    text
}

const HEAD: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Crawl report</title><style>\
body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#222}\
h1{margin-bottom:0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}.sum{font-size:1.1rem}\
table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:600;border-bottom:2px solid #ccc}\
td,th{padding:.2rem .6rem;vertical-align:top}tr+tr td{border-top:1px solid #eee}.n{text-align:right;white-space:nowrap}\
.bar{background:#e3a34b;width:12rem;height:.9rem;margin-top:.25rem}.bar div{background:#4b8f6b;height:100%}\
.kept{color:#4b8f6b}.gone{color:#b9771b}summary{max-width:28rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;cursor:pointer}\
</style>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_escapes_what_it_shows() {
        let mut tally = Tally { pages: 2, ..Tally::default() };
        let sample = Some(("https://a.example/?a=1&b=\"2\"".to_string(), "<script>alert(1)</script>".to_string()));
        let group =
            GroupTally { pages: 2, characters: 100, dropped: 25, template_pages: 2, sample, ..GroupTally::default() };
        tally.groups.insert("<b>".into(), group);
        tally.groups.insert("one.example".into(), GroupTally { pages: 1, ..GroupTally::default() });
        let page = report_html(&tally);
        assert!(!page.contains("<script") && !page.contains("<b>.."));
        assert!(page.contains("&lt;b&gt;") && page.contains("width:75.0%") && page.contains("none: a single page"));
        assert_eq!(report_json(&tally)["hosts"][1]["without_template"], "a single page");
    }
}
