//! The view of one page as one file that works from disk, without a server and without a network.

use super::page_view::{ViewedPage, page_view, segment_methods, segments_view};
use super::web_files::{PAGE_SCRIPTS, STYLE};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dehusk::dom::escape::escaped;
use dehusk::{Error, Extractor, Page, SiteTemplates};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Starts the view with the data of the file.
const START: &str = "Dehusk.startSaved();";

/// The view of a page as an HTML file.
///
/// # Errors
/// If the page cannot be read.
pub fn saved_view(
    extractor: &Extractor,
    page: Page<'_>,
    name: &str,
    url: Option<&str>,
    site: Option<&SiteTemplates>,
) -> Result<String, Error> {
    let viewed = ViewedPage { page, url, site, methods: &[], network: false };
    let mut view = page_view(extractor, &viewed)?;
    let nodes = view["nodes"].as_u64().unwrap_or(0) as usize;
    let segments = segment_methods(nodes).iter().map(|method| segments_view(extractor, page, *method));
    view["segments"] = Value::Array(segments.collect::<Result<Vec<_>, _>>()?);
    view["name"] = json!(name);
    Ok(file(&view))
}

fn file(view: &Value) -> String {
    let scripts: String = PAGE_SCRIPTS.iter().flat_map(|file| [file.text, "\n"]).collect();
    let script = scripts + START;
    // The policy names the script by its hash, so that a script that gets into the page cannot run.
    let hash = STANDARD.encode(Sha256::digest(&script));
    // Only this script runs, and nothing is loaded. The frame with the page has the same policy, and a sandbox.
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
         base-uri 'none'; form-action 'none'"
    );
    // Inside a script element, only `<` can end it.
    let data = view.to_string().replace('<', "\\u003c");
    let style = STYLE.text;
    let title = escaped(view["title"].as_str().or(view["name"].as_str()).unwrap_or("Page"));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – Dehusk</title>\n<style>\n{style}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n\
         <noscript>This view needs JavaScript. It loads nothing from the network.</noscript>\n\
         <script type=\"application/json\" id=\"view\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n"
    )
}
