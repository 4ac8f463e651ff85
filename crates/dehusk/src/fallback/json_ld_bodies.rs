//! The bodies of articles, posts and answers in the JSON-LD of a page, and the descriptions of the page.

use super::prose::append_html;
use crate::dom::{Document, Name};
use crate::json::{Json, ValueId};
use crate::metadata::json_ld::{MAX_BYTES, scripts};

/// Keys whose text is a body. `text` is used by posts, comments, answers and recipe steps.
const BODIES: [&str; 3] = ["articleBody", "text", "reviewBody"];

/// All bodies in order as HTML, each once. The name of a question precedes its text.
pub(super) fn bodies(document: &Document) -> String {
    gather(document, |json, id| BODIES.contains(&json.key(id)))
}

/// The longest description in JSON-LD or `<meta>`.
pub(super) fn description(document: &Document) -> String {
    let mut longest = String::new();
    let mut offer = |text: &str| {
        if text.len() > longest.len() {
            longest = text.to_string();
        }
    };
    each_script(document, |json| {
        let descriptions = json.ids().filter(|id| json.key(*id) == "description");
        descriptions.filter_map(|id| json.text(id)).for_each(&mut offer);
    });
    for id in document.ids().filter(|id| document.html_name(*id) == Name::META) {
        let key = document.attribute(id, Name::PROPERTY).or(document.attribute(id, Name::NAME)).unwrap_or_default();
        if matches!(key, "description" | "og:description" | "twitter:description") {
            offer(document.attribute(id, Name::CONTENT).unwrap_or_default());
        }
    }
    let mut out = String::new();
    append_html(&longest, &mut out);
    out
}

fn gather(document: &Document, is_body: impl Fn(&Json, ValueId) -> bool) -> String {
    let mut out = String::new();
    let mut known = std::collections::HashSet::new();
    each_script(document, |json| {
        let mut question: Option<ValueId> = None;
        for id in json.ids() {
            if json.key(id) == "name" {
                question = Some(id);
            }
            let Some(text) = json.text(id).filter(|_| is_body(json, id)) else { continue };
            if !known.insert(xxhash_rust::xxh3::xxh3_64(text.as_bytes())) {
                continue;
            }
            // Names of questions end with a question mark in nearly all scripts; other names are those of authors and organizations.
            if let Some(name) =
                question.take().and_then(|name| json.text(name)).filter(|name| name.ends_with(['?', '？', '؟']))
            {
                append_html(name, &mut out);
            }
            append_html(text, &mut out);
        }
    });
    out
}

fn each_script(document: &Document, mut each: impl FnMut(&Json)) {
    let mut room = MAX_BYTES;
    for script in scripts(document) {
        if script.len() <= room {
            room -= script.len();
            each(&Json::read(script));
        }
    }
}
