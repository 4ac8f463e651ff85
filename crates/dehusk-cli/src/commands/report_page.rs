//! The frame of reports as HTML: one file, no script, nothing from elsewhere.

pub(super) use dehusk::dom::escape::escaped as escape;

/// A page with a title and a body, which is HTML already.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n{body}</html>\n"
    )
}

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\
    table{border-collapse:collapse;margin:1rem 0}th,td{border:1px solid #8886;padding:.25rem .6rem;text-align:right}\
    th:first-child,td:first-child,.left th,.left td{text-align:left}.left td{vertical-align:top}td ul{margin:0;padding-left:1.2rem}";
