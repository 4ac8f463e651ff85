//! The files of the inspector itself, which are compiled into the program.

/// A file by its name.
pub(crate) struct WebFile {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! web_file {
    ($name:literal) => {
        WebFile { name: $name, text: include_str!(concat!("../../web/", $name)) }
    };
}

/// The document that loads the others.
pub(crate) const SHELL: &str = include_str!("../../web/index.html");
pub(crate) const STYLE: WebFile = web_file!("inspect.css");
/// The scripts of the view of a page, in the order in which they need each other.
pub(crate) const PAGE_SCRIPTS: [WebFile; 7] = [
    web_file!("base.js"),
    web_file!("page.js"),
    web_file!("page_tree.js"),
    web_file!("page_frame.js"),
    web_file!("page_details.js"),
    web_file!("page_output.js"),
    web_file!("page_records.js"),
];
/// What the views of crawls and sites need besides these.
const CRAWL_FILES: [WebFile; 5] =
    [web_file!("crawl.css"), web_file!("rows.js"), web_file!("crawl.js"), web_file!("site.js"), web_file!("app.js")];

/// The text of a file and its type.
pub(crate) fn web_file(name: &str) -> Option<(&'static str, &'static str)> {
    let file = [&STYLE].into_iter().chain(&PAGE_SCRIPTS).chain(&CRAWL_FILES).find(|file| file.name == name)?;
    let kind = if name.ends_with(".css") { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
    Some((file.text, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_names_files_that_are_there() {
        let named: Vec<&str> = SHELL.split("\"web/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(named.len(), 1 + PAGE_SCRIPTS.len() + CRAWL_FILES.len());
        assert!(named.iter().all(|name| web_file(name).is_some()), "{named:?}");
        assert!(web_file("../Cargo.toml").is_none());
    }
}
