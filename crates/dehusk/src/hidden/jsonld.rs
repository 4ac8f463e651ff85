//! The bodies of articles, posts and answers in the JSON-LD of a page.

use super::prose::append_html;
use crate::dom::Document;
use crate::json::{Json, ValueId};
use crate::metadata::jsonld::{MOST_BYTES, scripts};

/// Keys whose text is a body. `text` is that of posts, comments, answers and steps of recipes.
const BODIES: [&str; 3] = ["articleBody", "text", "reviewBody"];

/// All bodies in order as HTML, each once. The name of a question or step stands before its text.
pub(super) fn bodies(document: &Document) -> String {
    gather(document, |json, id| BODIES.contains(&json.key(id)))
}

/// The longest description.
pub(super) fn descriptions(document: &Document) -> String {
    let mut longest = String::new();
    each_script(document, |json| {
        for id in json.ids().filter(|id| json.key(*id) == "description") {
            if let Some(text) = json.text(id).filter(|text| text.len() > longest.len()) {
                longest = text.to_string();
            }
        }
    });
    let mut out = String::new();
    append_html(&longest, &mut out);
    out
}

fn gather(document: &Document, is_body: impl Fn(&Json, ValueId) -> bool) -> String {
    let mut out = String::new();
    let mut known = rustc_hash::FxHashSet::default();
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
            // Names of questions end in a mark in nearly all scripts; other names are those of authors and firms.
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
    let mut room = MOST_BYTES;
    for script in scripts(document) {
        if script.len() <= room {
            room -= script.len();
            each(&Json::read(script));
        }
    }
}
