//! An HTML preview of a site's templates: the template's content as it is, and slots for the pages' own content.
//!
//! Input: the templates of a site. Output: a self-contained page without scripts. All texts are escaped.

use super::site_templates::{KindTemplate, SiteTemplates};
use crate::dom::escape::escaped;
use crate::site::learn::skeleton::{SkeletonLine, SkeletonLineKind};
use std::fmt::Write as _;

/// Renders an HTML preview of all templates of a site.
pub fn render_templates(site: &SiteTemplates) -> String {
    let mut out = String::from(HEAD);
    let name = if site.site().is_empty() { "a site" } else { site.site() };
    // Writing to a string cannot fail.
    let _ = write!(out, "<title>Templates of {0}</title></head><body><header><h1>{0}</h1><p>", escaped(name));
    let (sampled, of_no_kind) = (site.sampled_pages(), site.pages_of_no_kind());
    let _ = write!(out, "Learned from <b>{}</b> pages", site.pages());
    if !site.learned().is_empty() {
        let _ = write!(out, " on {}", escaped(site.learned()));
    }
    let _ = write!(out, " with <b>{}</b>", site.method().name());
    if site.combination().to_string() != site.method().name() {
        let _ = write!(out, ", which chose <b>{}</b>", escaped(&site.combination().to_string()));
    }
    let _ = write!(out, ". {} parts appear on at least two pages.", site.counts().len());
    if sampled > 0 {
        let _ = write!(out, " {sampled} pages were compared by structure; {of_no_kind} of them are of no kind.");
    }
    out.push_str("</p>");
    agreement(site, &mut out);
    out.push_str("</header>");
    if site.templates().is_empty() {
        out.push_str("<p class=none>This file has counts only, which cannot be drawn: learn the site with <code>dehusk learn</code>.</p>");
    } else {
        out.push_str(LEGEND);
        for (number, kind) in site.templates().iter().enumerate() {
            let checked = if number == 0 { " checked" } else { "" };
            let _ = write!(
                out,
                "<input type=radio name=t id=t{number}{checked}><label for=t{number}>Template {number} <small>{} pages</small></label>",
                kind.pages()
            );
            template(number, kind, site, &mut out);
        }
    }
    out.push_str("</body></html>\n");
    out
}

/// Appends the agreement of each combination with held-out pages, as bars.
fn agreement(site: &SiteTemplates, out: &mut String) {
    if site.agreement().next().is_none() {
        return;
    }
    out.push_str("<details><summary>Agreement with held-out pages</summary><table>");
    for (combination, value) in site.agreement() {
        let chosen = if combination == site.combination() { " class=chosen" } else { "" };
        let _ = write!(
            out,
            "<tr{chosen}><td>{}<td class=n>{value:.3}<td><div class=bar style=\"width:{:.1}rem\"></div>",
            escaped(&combination.to_string()),
            value * 16.0
        );
    }
    out.push_str("</table></details>");
}

fn template(number: usize, kind: &KindTemplate, site: &SiteTemplates, out: &mut String) {
    let lines = &kind.skeleton().lines;
    let words = |wanted: fn(SkeletonLineKind) -> bool| -> usize {
        lines.iter().filter(|line| wanted(line.kind)).map(|line| line.text.split_whitespace().count()).sum()
    };
    let constant =
        words(|kind| matches!(kind, SkeletonLineKind::Text | SkeletonLineKind::Link | SkeletonLineKind::Heading));
    let own: usize = lines
        .iter()
        .filter(|line| line.kind == SkeletonLineKind::Slot)
        .filter_map(|line| line.text.parse::<usize>().ok())
        .sum();
    let slots = lines.iter().filter(|line| line.kind == SkeletonLineKind::Slot).count();
    let share = 100.0 * kind.pages() as f32 / site.sampled_pages().max(1) as f32;
    let _ = write!(
        out,
        "<section id=s{number}><dl><div><dt>pages<dd>{} <small>{share:.0} %</small></div><div><dt>usual fit<dd>{:.2}</div>\
         <div><dt>least fit<dd>{:.2}</div><div><dt>template words<dd>{constant}</div><div><dt>slots<dd>{slots}</div>\
         <div><dt>own words here<dd>{own}</div></dl><div class=page>",
        kind.pages(),
        kind.usual_fit(),
        kind.min_fit(),
    );
    draw(lines, out);
    if kind.skeleton().truncated {
        out.push_str("<p class=cut>… the page continues</p>");
    }
    out.push_str("</div></section>");
}

/// Renders lines as nested boxes. A block whose only child is one block is merged with it into one box.
fn draw(lines: &[SkeletonLine], out: &mut String) {
    let mut open: Vec<u32> = Vec::new();
    let mut joined = String::new();
    for (at, line) in lines.iter().enumerate() {
        while open.last().is_some_and(|depth| *depth >= line.depth) {
            open.pop();
            out.push_str("</div>");
        }
        match line.kind {
            SkeletonLineKind::Block => {
                let name = format!("{joined}{}", escaped(&line.name));
                if is_wrapper(lines, at) {
                    joined = name + " › ";
                    continue;
                }
                joined.clear();
                let _ = match is_leaf(lines, at) {
                    true if line.name == "li" || line.name.starts_with("li.") => {
                        write!(out, "<div class=\"leaf item\" title=\"{name}\">")
                    }
                    true => write!(out, "<div class=leaf title=\"{name}\">"),
                    false => write!(out, "<div class=b><i>{name}</i>"),
                };
                open.push(line.depth);
            }
            SkeletonLineKind::Slot => {
                let what = match line.text.as_str() {
                    "0" => "images".to_string(),
                    "1" => "1 word".to_string(),
                    words => format!("{} words", escaped(words)),
                };
                let _ = write!(out, "<div class=slot><b>{what} of its own</b> <i>{}</i></div>", escaped(&line.name));
            }
            kind => {
                let text = match (kind, line.text.is_empty()) {
                    (SkeletonLineKind::Picture, true) => format!("▣ {}", escaped(&line.name)),
                    (SkeletonLineKind::Picture, false) => format!("▣ {}", escaped(&line.text)),
                    _ => escaped(&line.text),
                };
                let share = line.support as f32 / 1000.0;
                let _ = write!(
                    out,
                    "<span class={} style=\"--s:{share:.2}\" title=\"on {:.0} % of the pages\">{text}</span> ",
                    kind.name(),
                    share * 100.0
                );
            }
        }
    }
    open.iter().for_each(|_| out.push_str("</div>"));
}

/// Whether a block has one child, which is a block.
fn is_wrapper(lines: &[SkeletonLine], at: usize) -> bool {
    let depth = lines[at].depth;
    let mut inside = lines[at + 1..].iter().take_while(|line| line.depth > depth);
    let first = inside.next();
    first.is_some_and(|line| line.kind == SkeletonLineKind::Block && line.depth == depth + 1)
        && inside.all(|line| line.depth > depth + 1)
}

/// Whether a block has texts and images only.
fn is_leaf(lines: &[SkeletonLine], at: usize) -> bool {
    let inside = lines[at + 1..].iter().take_while(|line| line.depth > lines[at].depth);
    inside.clone().next().is_some()
        && inside.clone().all(|line| !matches!(line.kind, SkeletonLineKind::Block | SkeletonLineKind::Slot))
}

const LEGEND: &str = "<p class=legend><span class=text style=\"--s:1\">on all pages</span> <span class=text style=\"--s:.5\">on half of them</span> \
<span class=text style=\"--s:.1\">on some</span> <span class=slotkey>content of the page itself</span></p>";

const HEAD: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\"><style>\
:root{--ink:#1f2328;--soft:#6b7280;--line:#d8dee4;--blue:28,100,180}\
*{box-sizing:border-box}body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);max-width:72rem;margin:2rem auto;padding:0 1.2rem;background:#fafbfc}\
h1{margin:0;font-size:1.6rem}header p{margin:.3rem 0 .8rem}summary{cursor:pointer;color:var(--soft)}table{border-spacing:.6rem .15rem}\
.n{text-align:right;font-variant-numeric:tabular-nums}.bar{height:.6rem;background:rgba(var(--blue),.35)}.chosen .bar{background:rgb(var(--blue))}.chosen td{font-weight:600}\
.legend{margin:1.2rem 0;color:var(--soft)}.legend span{margin-right:.6rem}\
input[name=t]{position:absolute;opacity:0}label{display:inline-block;padding:.45rem .9rem;border:1px solid var(--line);border-bottom:0;border-radius:.5rem .5rem 0 0;\
background:#eef1f4;cursor:pointer;margin-right:.3rem}label small,dd small{color:var(--soft)}input:checked+label{background:#fff;font-weight:600}\
input:focus-visible+label{outline:2px solid rgb(var(--blue))}body{display:flex;flex-wrap:wrap;align-items:flex-end}header,.legend,.none{width:100%}\
section{display:none;order:9;width:100%;background:#fff;border:1px solid var(--line);border-radius:0 .5rem .5rem .5rem;padding:1rem 1.2rem}\
input:checked+label+section{display:block}dl{display:flex;flex-wrap:wrap;gap:.4rem 2rem;margin:0 0 1rem}dt{color:var(--soft);font-size:.8rem}dd{margin:0;font-size:1.15rem}\
.page{display:flex;flex-direction:column;gap:.35rem}.b{border:1px solid var(--line);border-left:3px solid #b6c2cf;border-radius:.35rem;padding:.3rem .5rem .4rem;margin:.3rem 0;overflow-wrap:anywhere}\
.b>i,.slot i{display:block;color:#8a94a0;font:11px/1.3 ui-monospace,monospace}.slot i{display:inline;margin-left:.5rem}\
.text,.link,.heading,.picture{background:rgba(var(--blue),calc(.05 + .27*var(--s)));border-radius:.2rem;padding:0 .3rem;box-decoration-break:clone;-webkit-box-decoration-break:clone}\
.link{text-decoration:underline;text-decoration-color:rgba(var(--blue),.5)}.heading{font-weight:700}.picture{color:var(--soft)}\
.slot,.slotkey{border:2px dashed #d9a441;border-radius:.35rem;background:repeating-linear-gradient(135deg,#fffaf0,#fffaf0 9px,#fff3da 9px,#fff3da 18px);padding:.45rem .6rem;margin:.3rem 0;color:#7a5410}\
.leaf{margin:.25rem 0}.item{display:inline-block;margin-right:.4rem}.slotkey{padding:.05rem .5rem}.cut{color:var(--soft)}@media print{section{display:block}}</style>";

#[cfg(test)]
mod tests {
    use super::*;

    fn line(depth: u32, kind: SkeletonLineKind, name: &str, text: &str) -> SkeletonLine {
        SkeletonLine { depth, kind, support: 900, name: name.into(), text: text.into() }
    }

    #[test]
    fn boxes_close_and_texts_are_escaped() {
        let lines = [
            line(0, SkeletonLineKind::Block, "div.a", ""),
            line(1, SkeletonLineKind::Block, "nav", ""),
            line(2, SkeletonLineKind::Link, "a", "<script>alert(1)</script>"),
            line(0, SkeletonLineKind::Slot, "p", "12"),
            line(0, SkeletonLineKind::Block, "footer", ""),
            line(1, SkeletonLineKind::Picture, "img", ""),
        ];
        let mut out = String::new();
        draw(&lines, &mut out);
        assert_eq!(out.matches("<div").count(), out.matches("</div>").count());
        assert!(!out.contains("<script"));
        assert!(out.contains("title=\"div.a › nav\"") && out.contains("12 words of its own"));
    }

    #[test]
    fn counts_alone_cannot_be_drawn() {
        let page = render_templates(&SiteTemplates::default().with_site("<b>"));
        assert!(page.contains("counts only") && page.contains("&lt;b&gt;"));
    }
}
