//! The files that a command reads and those it writes, so that no output replaces an input.

use crate::args::{Classify, Command, CorpusArgs, Train, TrainReferences};
use dehusk_io::Output;
use dehusk_io::OutputKind::{self, Any, File, Kept, Records};
use dehusk_options::definitions::{
    KNOWN_TEMPLATES, LAYOUT, MODEL, NO_LEARN, OUTPUT, OUTPUT_FILE, PAGES, RECORDS_OUTPUT, REPORT, SEGMENT_MODEL,
    TEMPLATE, TEMPLATES,
};
use dehusk_options::{Values, is_model_file};
use std::path::{Path, PathBuf};

/// What a command reads and writes.
#[derive(Default)]
pub(crate) struct Paths<'a> {
    pub(crate) inputs: Vec<&'a Path>,
    pub(crate) outputs: Vec<Output<'a>>,
}

impl<'a> Paths<'a> {
    fn read(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.inputs.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    fn write(mut self, kind: OutputKind, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.outputs.extend(paths.into_iter().map(|path| Output { path, kind }));
        self
    }

    /// The files that options name: models, templates, boxes, the report, the output of single pages.
    fn options(mut self, options: &'a Values) -> Self {
        let is_file = |path: &&Path| !["estimate", "chromium"].iter().any(|name| *path == Path::new(name));
        let models = [&MODEL, &SEGMENT_MODEL].into_iter().filter_map(|option| options.path(option));
        self.inputs.extend(models.filter(|path| is_model_file(path)));
        self.inputs.extend(options.path(&TEMPLATE));
        self.inputs.extend(options.given_paths(&PAGES));
        self.inputs.extend(options.path(&LAYOUT).filter(is_file));
        let written = [(&OUTPUT, Any), (&RECORDS_OUTPUT, Any), (&OUTPUT_FILE, File), (&REPORT, File)];
        for (option, kind) in written {
            self.outputs.extend(options.path(option).map(|path| Output { path, kind }));
        }
        self
    }

    /// A model file; `builtin` is not one.
    fn model(self, model: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.read(model.into_iter().filter(|path| is_model_file(path)))
    }

    fn corpus(self, corpus: &'a CorpusArgs) -> Self {
        self.read(&corpus.inputs).options(&corpus.options)
    }

    fn references(self, args: &'a TrainReferences) -> Self {
        self.read(&args.graft_into).read(&args.records_of).write(File, [&args.output])
    }

    pub(crate) fn of(command: &'a Command) -> Self {
        let paths = Paths::default();
        match command {
            Command::Extract(args) => paths.read(&args.inputs).options(&args.options),
            Command::Strip(args) => paths.read([&args.page]).options(&args.options),
            Command::Explain(args) => paths.read([&args.page]).options(&args.options),
            Command::Segment(args) => paths.read(&args.inputs).options(&args.options),
            Command::Records(args) => {
                let mut paths = paths.read(&args.inputs).options(&args.options);
                paths.inputs.extend(args.options.path(&KNOWN_TEMPLATES));
                paths
            }
            Command::Learn(args) => paths.read(&args.pages).write(File, [&args.output]).options(&args.options),
            Command::Apply(args) => {
                let paths = paths.read(&args.pages).read([&args.template]);
                paths.write(Any, &args.output).options(&args.options)
            }
            Command::Clean(args) => {
                let mut paths = paths.read(&args.inputs).write(Any, [&args.output]).options(&args.options);
                match args.options.flag(&NO_LEARN) {
                    true => paths.inputs.extend(args.options.path(&TEMPLATES)),
                    false => {
                        // Learning reads the store and then replaces it.
                        let store = args.options.path(&TEMPLATES).map(|path| Output { path, kind: Kept });
                        paths.outputs.extend(store);
                    }
                }
                paths
            }
            Command::Duplicates(args) => paths.corpus(&args.corpus).write(Records, &args.output),
            Command::Keywords(args) => {
                paths.corpus(&args.corpus).model([&args.model]).read(&args.queries).write(Records, &args.output)
            }
            Command::Cluster(args) => paths.corpus(&args.corpus).write(Records, &args.output),
            Command::Classify(Classify::Train(args)) => paths.corpus(&args.corpus).write(File, [&args.output]),
            Command::Classify(Classify::Apply(args)) => {
                paths.corpus(&args.corpus).read([&args.model]).write(Records, &args.output)
            }
            Command::Drift(args) => paths.read([&args.template]).read(&args.pages).options(&args.options),
            Command::ShowTemplate(args) => {
                let mut paths = paths.read(&args.templates).write(File, &args.output);
                if args.templates.is_none() {
                    paths.inputs.push(Path::new(&args.site));
                }
                paths
            }
            Command::Inspect(args) => paths
                .read(&args.inputs)
                .read(&args.templates)
                .options(&args.options)
                .write(File, &args.save)
                .write(Kept, [&args.corrections]),
            Command::Serve(args) => paths.read(&args.token_file).write(Kept, &args.templates),
            Command::Features(args) => paths.read([&args.page]).options(&args.options),
            Command::Label(args) => paths.read(&args.inputs).write(File, &args.output).options(&args.labelling.options),
            Command::Train(Train::Fusion(args)) => {
                paths.read(&args.inputs).read(&args.more).read(&args.from).references(&args.references)
            }
            Command::Train(Train::PageType(args)) => paths.read(&args.inputs).references(&args.references),
            Command::Train(Train::Pagelevel(args)) => {
                paths.read(&args.inputs).write(File, [&args.output]).options(&args.options)
            }
            Command::Train(Train::Block(args)) => {
                paths.read(&args.inputs).write(File, [&args.output]).options(&args.labelling.options)
            }
            Command::Train(Train::Segment(args)) => paths.read(&args.inputs).write(File, [&args.output]),
            Command::Train(Train::Keywords(args)) => {
                paths.corpus(&args.corpus).read(&args.queries).write(File, [&args.output])
            }
            Command::Eval(args) => paths.model([&args.model]).read(&args.inputs).options(&args.labelling.options),
            Command::Completions { .. } => paths,
        }
    }
}
