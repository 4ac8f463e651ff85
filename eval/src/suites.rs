//! The five suites: what each measures, by name. A new measurement is a row here.

use crate::conformance::{self, html5lib, oracles, properties, spans, trees};
use crate::papers::{self, align, block, experiments, pagelevel, segmentation, treemap};
use crate::peers;
use crate::quality::{
    self, corrections, duplicates, evidence, fallback, fusion, known_content, metadata, methods, records, sitelevel,
    structure, templates,
};
use crate::scale::{self, crawl, detectors, fusion_speed, memory, parse_speed, scaling};
use crate::suite::{Measurement, Suite};

/// What is right or wrong.
pub(crate) const CONFORMANCE: Suite<conformance::Options> = Suite {
    name: "conformance",
    measurements: &[
        Measurement {
            name: "html5lib",
            help: "The tokenizer and tree-construction tests of html5lib",
            options: &["verbose"],
            run: |at, options| html5lib::run(&at.data, &at.results, options.verbose),
        },
        Measurement {
            name: "trees",
            help: "Our trees compared with html5ever's, on the pages of all corpora",
            options: &["verbose"],
            run: |at, options| trees::run(&at.data, &at.results, options.verbose),
        },
        Measurement {
            name: "spans",
            help: "The source spans of all nodes of wcxb-dev",
            options: &["verbose"],
            run: |at, options| spans::run(&at.data, &at.results, options.verbose),
        },
        Measurement {
            name: "properties",
            help: "Every page of all corpora: no panic, and kept text is text of the page in page order",
            options: &[],
            run: |at, _| properties::run(&at.data, &at.results),
        },
        Measurement {
            name: "oracles",
            help: "Mappings of TreeMap and alignments of Align against the simplest possible implementations",
            options: &[],
            run: |at, _| oracles::run(&at.data, &at.results),
        },
    ],
};

/// How much of the content is kept and of the template dropped.
pub(crate) const QUALITY: Suite<quality::Options> = Suite {
    name: "quality",
    measurements: &[
        Measurement {
            name: "fusion",
            help: "The default extractor on held-out pages of wcxb-dev",
            options: &["folds", "predictions"],
            run: |at, options| fusion::run(&at.data, &at.results, &options.folds, &options.predictions),
        },
        Measurement {
            name: "fusion-calibration",
            help: "Calibration of the default extractor's confidence, and its page types",
            options: &["folds"],
            run: |at, options| fusion::calibration::run(&at.data, &at.results, &options.folds),
        },
        Measurement {
            name: "evidence",
            help: "Fusion with and without site evidence",
            options: &["folds"],
            run: |at, options| evidence::run(&at.data, &at.results, &options.folds),
        },
        Measurement {
            name: "corrections",
            help: "What corrections of a few pages change there, on the same sites and everywhere else",
            options: &[],
            run: |at, _| corrections::run(&at.data, &at.results),
        },
        Measurement {
            name: "known-content",
            help: "Pages whose content is known because it was put there or marked: short texts, structured documents, values",
            options: &[],
            run: |at, _| known_content::run(&at.data, &at.results),
        },
        Measurement {
            name: "records",
            help: "Fields of repeated records that are kept in some records and dropped in others, on held-out pages of wcxb-dev",
            options: &["folds", "verbose"],
            run: |at, options| records::run(&at.data, &at.results, &options.folds, options.verbose),
        },
        Measurement {
            name: "structure",
            help: "Shifted cells, lost code, titles, empty headings and posts without author on wcxb-dev and sites",
            options: &[],
            run: |at, _| structure::run(&at.data, &at.results),
        },
        Measurement {
            name: "metadata",
            help: "Title, author and date of wcxb-dev against the reference values",
            options: &["python", "verbose"],
            run: |at, options| metadata::run(&at.data, &at.results, options.python.as_deref(), options.verbose),
        },
        Measurement {
            name: "fallback",
            help: "Content of wcxb-dev that is not in the visible text",
            options: &["verbose"],
            run: |at, options| fallback::run(&at.data, &at.results, options.verbose),
        },
        Measurement {
            name: "sitelevel",
            help: "SITELEVEL on sites whose template or content is known",
            options: &[],
            run: |at, _| sitelevel::run(&at.data, &at.results),
        },
        Measurement {
            name: "methods",
            help: "All site methods and `auto` compared, on themes and on held-out pages of sites",
            options: &["site"],
            run: |at, options| methods::run(&at.data, &at.results, options.site.as_deref()),
        },
        Measurement {
            name: "templates",
            help: "Several templates per site, and values that change per request, on synthetic sites",
            options: &[],
            run: |at, _| templates::run(&at.results),
        },
        Measurement {
            name: "duplicates",
            help: "`dehusk duplicates` on made-up pages: growth to a million, recall and precision, beside datasketch",
            options: &["dehusk", "pages", "compared", "work", "installed"],
            run: |at, options| duplicates::run(&at.results, &options.duplicates),
        },
    ],
};

/// Time and memory.
pub(crate) const SCALE: Suite<scale::Options> = Suite {
    name: "scale",
    measurements: &[
        Measurement {
            name: "parse-speed",
            help: "The speed of parsing wcxb-dev, compared with other parsers",
            options: &["only-ours"],
            run: |at, options| parse_speed::run(&at.data, &at.results, options.only_ours),
        },
        Measurement {
            name: "fusion-speed",
            help: "The default extractor compared with parsing alone on wcxb-dev: time on one core, memory, threads",
            options: &["dehusk", "work", "only-stages"],
            run: |at, options| fusion_speed::run(&at.data, &at.results, options),
        },
        Measurement {
            name: "detectors",
            help: "The time of each detector compared with parsing, on wcxb-dev",
            options: &[],
            run: |at, _| detectors::run(&at.data, &at.results),
        },
        Measurement {
            name: "crawl",
            help: "The crawl job, through the program: containers, growth, threads, kills, damaged input",
            options: &["dehusk", "work", "part"],
            run: |at, options| crawl::run(&at.data, &at.results, options),
        },
        Measurement {
            name: "memory",
            help: "The memory of the program on large pages and many hosts, which it makes itself",
            options: &["dehusk", "work"],
            run: |at, options| memory::run(&at.results, options),
        },
        Measurement {
            name: "scaling",
            help: "Growth of the cost of every stage on pages that repeat a pattern: known hostile shapes and random ones",
            options: &["patterns", "seed", "minutes", "stage", "pattern"],
            run: |at, options| scaling::run(&at.results, &options.scaling),
        },
    ],
};

/// Other extractors.
pub(crate) const PEERS: Suite<peers::Options> = Suite {
    name: "peers",
    measurements: &[Measurement {
        name: "peers",
        help: "Dehusk and other extractors on wcxb-dev: quality, speed and memory in one run",
        options: &["work", "dehusk", "extractor", "pages", "others", "predictions"],
        run: |at, options| peers::run(&at.data, &at.results, options),
    }],
};

/// The five papers.
pub(crate) const PAPERS: Suite<papers::Options> = Suite {
    name: "papers",
    measurements: &[
        Measurement {
            name: "experiments",
            help: "Every table and figure of the five papers, on our data: docs/results/papers.md",
            options: &["paper"],
            run: |at, options| experiments::run(&at.data, &at.results, options.paper.as_deref()),
        },
        Measurement {
            name: "pagelevel",
            help: "PageLevel on hand-labelled pages",
            options: &[],
            run: |at, _| pagelevel::run(&at.data, &at.results),
        },
        Measurement {
            name: "isotonic",
            help: "The cost of tree isotonic regression",
            options: &[],
            run: |at, _| pagelevel::isotonic::run(&at.results),
        },
        Measurement {
            name: "layout",
            help: "Estimated layout compared with Chromium's",
            options: &[],
            run: |at, _| pagelevel::layout::run(&at.data, &at.results),
        },
        Measurement {
            name: "align",
            help: "Align on sites whose template is known, and its speed",
            options: &[],
            run: |at, _| align::run(&at.data, &at.results),
        },
        Measurement {
            name: "treemap",
            help: "TreeMap on sites whose template is known, by the number of pages, and its speed",
            options: &[],
            run: |at, _| treemap::run(&at.data, &at.results),
        },
        Measurement {
            name: "segmentation",
            help: "Segmentation on hand-marked pages: GCUTS, CCLUS, `best`, roles, time, duplicates",
            options: &["part", "splits", "folds"],
            run: |at, options| segmentation::run(&at.data, &at.results, &options.segmentation),
        },
        Measurement {
            name: "block",
            help: "The block detector on held-out sites",
            options: &["dump", "classic-blocks", "quick", "only-wcxb"],
            run: |at, options| block::run(&at.data, &at.results, &options.block),
        },
    ],
};
