//! The peers, pinned, with the options they run with.

/// How a peer is installed and called.
pub(super) enum Kind {
    /// A package of PyPI, and the function of `extract.py` that calls it.
    Python { package: &'static str, function: &'static str },
    /// A crate of crates.io: the lines of its manifest, and the module that calls it.
    Rust { dependencies: &'static str, module: &'static str },
}

pub(super) struct Peer {
    /// Its name in tables and for `--only`.
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// How it is called, for the results page.
    pub(super) call: &'static str,
    pub(super) kind: Kind,
}

pub(super) const PEERS: &[Peer] = &[
    Peer {
        name: "rs-trafilatura",
        version: "0.2.2",
        call: "Rust, `extract_with_options` with the URL, `content_text`",
        kind: Kind::Rust {
            dependencies: "rs-trafilatura = \"=0.2.2\"",
            module: include_str!("../../peers/rust/rs_trafilatura.rs"),
        },
    },
    Peer {
        name: "trafilatura-crate",
        version: "0.6.0",
        call: "Rust, crate `trafilatura`, fallback on (as in trafilatura by default), `content_text`",
        kind: Kind::Rust {
            dependencies: "trafilatura = \"=0.6.0\"",
            module: include_str!("../../peers/rust/trafilatura.rs"),
        },
    },
    Peer {
        name: "trafilatura",
        version: "2.3.1",
        call: "Python, `extract(html, url=url)`",
        kind: Kind::Python { package: "trafilatura==2.3.1", function: "trafilatura" },
    },
    Peer {
        name: "resiliparse",
        version: "1.1.0",
        call: "Python, `extract_plain_text(html, main_content=True)`",
        kind: Kind::Python { package: "resiliparse==1.1.0", function: "resiliparse" },
    },
    Peer {
        name: "dom_smoothie",
        version: "0.19.0",
        call: "Rust, `Readability::parse` with `TextMode::Formatted`, `text_content`",
        kind: Kind::Rust {
            dependencies: "dom_smoothie = \"=0.19.0\"",
            module: include_str!("../../peers/rust/dom_smoothie.rs"),
        },
    },
    Peer {
        name: "readability-lxml",
        version: "0.9",
        call: "Python, `Document(html).summary()`, its blocks converted to lines of text",
        kind: Kind::Python { package: "readability-lxml==0.9", function: "readability" },
    },
    Peer {
        name: "readability-crate",
        version: "0.3.0",
        call: "Rust, crate `readability`, `extractor::extract`, `text`",
        kind: Kind::Rust {
            dependencies: "readability = { version = \"=0.3.0\", default-features = false }\nurl = \"2\"",
            module: include_str!("../../peers/rust/readability.rs"),
        },
    },
    Peer {
        name: "llm_readability",
        version: "0.0.17",
        call: "Rust, `extractor::extract`, `text`",
        kind: Kind::Rust {
            dependencies: "llm_readability = \"=0.0.17\"\nurl = \"2\"",
            module: include_str!("../../peers/rust/llm_readability.rs"),
        },
    },
    Peer {
        name: "jusText",
        version: "3.0.2",
        call: "Python, English stop words, paragraphs that are not boilerplate",
        kind: Kind::Python { package: "jusText==3.0.2", function: "justext" },
    },
    Peer {
        name: "boilerpy3",
        version: "1.0.7",
        call: "Python, `ArticleExtractor().get_content`",
        kind: Kind::Python { package: "boilerpy3==1.0.7", function: "boilerpy3" },
    },
    Peer {
        name: "selectolax",
        version: "1.0.2",
        call: "Python, all text of `body` without scripts and styles: a baseline without extraction",
        kind: Kind::Python { package: "selectolax==1.0.2", function: "selectolax" },
    },
];
