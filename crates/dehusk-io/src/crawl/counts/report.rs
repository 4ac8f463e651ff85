//! The report of a run, for programs (JSON) and for people (a page with a bar for each site).

use crate::crawl::counts::tally::{RankedPage, SiteTally, Tally};
use dehusk::dom::escape::escaped;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The maximum number of sites shown on the page; the rest is counted.
const MAX_SHOWN_SITES: usize = 500;
/// The maximum number of sites in the lists of failures and of low confidence.
const MAX_LISTED_SITES: usize = 20;

/// The counts of a run as JSON. Totals are exact; if there are many hosts, only those that a person would look for are listed.
#[must_use]
pub fn report_json(tally: &Tally) -> Value {
    let sites: Vec<_> = tally.sites.iter().map(|(name, site)| site_json(name, site)).collect();
    let named = |pages: &[RankedPage], unit: &str| -> Vec<Value> {
        pages.iter().map(|page| json!({ "page": page.address, unit: page.amount })).collect()
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
        "host_count": tally.site_count,
        "hosts_without_template": tally.sites_without_template,
        "hosts_with_drift": tally.drifted_sites,
        "hosts_not_shown": tally.site_count.saturating_sub(tally.sites.len() as u64),
        "hosts": sites,
    })
}

fn site_json(name: &str, site: &SiteTally) -> Value {
    json!({
        "host": name,
        "pages": site.pages,
        "failed": site.failed,
        "characters": site.characters,
        "dropped_characters": site.dropped,
        "confidence": site.confidence(),
        "template_pages": site.template_pages,
        "without_template": why_without(site),
        "templates": site.fits.iter().map(|(pages, sum)| json!({ "pages": pages, "fit": mean_fit(*pages, *sum) })).collect::<Vec<_>>(),
        "no_template_fits": site.unfit,
        "drift": site.drift,
    })
}

/// The mean fit of pages, 0 to 1, to three digits.
fn mean_fit(pages: u32, sum: u64) -> f64 {
    (sum as f64 / f64::from(pages.max(1))).round() / 1000.0
}

/// Why a site has no template; nothing if it has one.
fn why_without(site: &SiteTally) -> Option<&'static str> {
    match site {
        SiteTally { template_pages: 1.., .. } => None,
        SiteTally { pages, failed, .. } if pages == failed => Some("no page could be read"),
        SiteTally { pages, failed, .. } if pages - failed == 1 => Some("a single page"),
        _ => Some("not known to the template store"),
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The counts of a run as an HTML page without references to other files.
#[must_use]
pub fn report_html(tally: &Tally) -> String {
    let mut out = String::from(HEAD);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<h1>Crawl report</h1><p class=sum><b>{}</b> pages of <b>{}</b> hosts, <b>{:.1} MB</b> of HTML, <b>{:.0} %</b> of the text \
         dropped, <b>{}</b> failed, <b>{}</b> hosts without a template.</p>",
        tally.pages,
        tally.site_count,
        tally.bytes as f64 / 1e6,
        percent(tally.dropped, tally.characters),
        tally.failed,
        tally.sites_without_template
    );
    counts(&mut out, "Failures by kind", &tally.errors);
    counts(&mut out, "Flags", &tally.flags);
    let mut sites: Vec<(&String, &SiteTally)> = tally.sites.iter().collect();
    sites.sort_by_key(|(name, site)| (std::cmp::Reverse(site.pages), *name));
    out.push_str("<h2>Hosts</h2><p>The bar is the text of a host's pages: <i class=kept>kept</i> and <i class=gone>dropped</i>.</p>");
    out.push_str("<table><tr><th>host<th>pages<th>text<th>dropped<th>template<th>a sample of what was dropped");
    for (name, site) in sites.iter().take(MAX_SHOWN_SITES) {
        site_row(&mut out, name, site);
    }
    out.push_str("</table>");
    let more = tally.site_count.saturating_sub(sites.len().min(MAX_SHOWN_SITES) as u64);
    if more > 0 {
        let _ = write!(out, "<p>… and {more} more hosts with as many pages or fewer.</p>");
    }
    let mut failing: Vec<_> = sites.iter().copied().filter(|(_, site)| site.failed > 0).collect();
    failing.sort_by_key(|(name, site)| (std::cmp::Reverse(site.failed), *name));
    host_list(&mut out, "Hosts with the most failures", &failing, |site| site.failed.to_string());
    let mut unsure: Vec<_> = sites.iter().copied().filter(|(_, site)| site.rated > 0).collect();
    unsure.sort_by_key(|(name, site)| (site.confidence_sum * 1000 / site.rated, *name));
    let confidence = |site: &SiteTally| format!("{:.2}", site.confidence().unwrap_or_default());
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
        let _ = write!(out, "<tr><td>{}<td class=n>{count}", escaped(name));
    }
    out.push_str("</table>");
}

/// A short list of hosts with a figure for each.
fn host_list(out: &mut String, title: &str, hosts: &[(&String, &SiteTally)], figure: impl Fn(&SiteTally) -> String) {
    if hosts.is_empty() {
        return;
    }
    let _ = write!(out, "<h2>{title}</h2><table>");
    for (name, site) in hosts.iter().take(MAX_LISTED_SITES) {
        let _ = write!(out, "<tr><td>{}<td class=n>{}<td class=n>of {} pages", shown(name), figure(site), site.pages);
    }
    out.push_str("</table>");
}

/// The name of a host.
fn shown(name: &str) -> String {
    escaped(if name.is_empty() { "(no host)" } else { name })
}

fn named(out: &mut String, title: &str, pages: &[RankedPage], amount: impl Fn(u64) -> String) {
    if pages.is_empty() {
        return;
    }
    let _ = write!(out, "<h2>{title}</h2><table>");
    for page in pages {
        let _ = write!(out, "<tr><td class=n>{}<td>{}", amount(page.amount), link(&page.address));
    }
    out.push_str("</table>");
}

/// An address, as a link if it is one for browsers.
fn link(address: &str) -> String {
    let text = escaped(address);
    match address.starts_with("http://") || address.starts_with("https://") {
        true => format!("<a href=\"{text}\" rel=noreferrer>{text}</a>"),
        false => text,
    }
}

fn site_row(out: &mut String, name: &str, site: &SiteTally) {
    let gone = percent(site.dropped, site.characters);
    let template = match why_without(site) {
        None => templates_of(site),
        Some(why) => format!("<em>none: {why}</em>"),
    };
    let sample = match &site.sample {
        None => String::new(),
        Some(sample) => {
            format!("<details><summary>{}</summary>{}</details>", escaped(&sample.text), link(&sample.address))
        }
    };
    let _ = write!(
        out,
        "<tr><td>{}<td class=n>{}<td><div class=bar><div style=\"width:{:.1}%\"></div></div><td class=n>{gone:.0} %<td>{template}<td>{sample}",
        shown(name),
        site.pages,
        100.0 - gone,
    );
}

/// The description of the templates of a site.
fn templates_of(site: &SiteTally) -> String {
    let mut text = format!("from {} pages", site.template_pages);
    if !site.fits.is_empty() || site.unfit > 0 {
        let fits: Vec<String> = site.fits.iter().map(|(pages, _)| pages.to_string()).collect();
        let _ = write!(text, "; by template: {} pages, {} fit none", fits.join(" + "), site.unfit);
    }
    for finding in &site.drift {
        let _ = write!(text, "<br><em>{}</em>", escaped(finding));
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
    use crate::crawl::counts::tally::DroppedSample;

    #[test]
    fn the_page_escapes_what_it_shows() {
        let mut tally = Tally { pages: 2, ..Tally::default() };
        let sample = Some(DroppedSample {
            address: "https://a.example/?a=1&b=\"2\"".to_string(),
            text: "<script>alert(1)</script>".to_string(),
        });
        let site =
            SiteTally { pages: 2, characters: 100, dropped: 25, template_pages: 2, sample, ..SiteTally::default() };
        tally.sites.insert("<b>".into(), site);
        tally.sites.insert("one.example".into(), SiteTally { pages: 1, ..SiteTally::default() });
        let page = report_html(&tally);
        assert!(!page.contains("<script") && !page.contains("<b>.."));
        assert!(page.contains("&lt;b&gt;") && page.contains("width:75.0%") && page.contains("none: a single page"));
        assert_eq!(report_json(&tally)["hosts"][1]["without_template"], "a single page");
    }
}
