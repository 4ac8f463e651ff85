//! The files that a command reads and those it writes, so that no output replaces an input.

use crate::args::{Classify, Command, CorpusArgs, DetectorArgs, LayoutArgs, Run, SiteArgs, Train, TrainReferences};
use crate::outputs::Output;
use crate::outputs::OutputKind::{self, Any, File, Kept, Records};
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

    fn run(self, run: &'a Run) -> Self {
        self.write(File, &run.report)
    }

    /// A model file; `builtin` is none.
    fn model(self, model: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.read(model.into_iter().filter(|path| *path != Path::new("builtin")))
    }

    fn detector(self, detector: &'a DetectorArgs) -> Self {
        self.model(&detector.model)
    }

    fn layout(self, layout: &'a LayoutArgs) -> Self {
        let is_file = |path: &&PathBuf| !["estimate", "chromium"].iter().any(|name| *path == Path::new(name));
        self.read([&layout.layout].into_iter().filter(is_file))
    }

    fn site(self, site: &'a SiteArgs) -> Self {
        self.read(&site.template).read(&site.pages).layout(&site.layout)
    }

    fn corpus(self, corpus: &'a CorpusArgs) -> Self {
        self.read(&corpus.inputs).run(&corpus.run)
    }

    fn references(self, args: &'a TrainReferences) -> Self {
        self.read(&args.inputs).read(&args.graft_into).read(&args.records_of).write(File, [&args.output])
    }

    pub(crate) fn of(command: &'a Command) -> Self {
        let paths = Paths::default();
        match command {
            Command::Extract(args) => {
                let paths = paths.read(&args.inputs).detector(&args.detector).site(&args.site);
                paths.write(Any, &args.output).run(&args.run)
            }
            Command::Strip(args) => {
                paths.read([&args.page]).detector(&args.detector).site(&args.site).write(File, &args.output)
            }
            Command::Explain(args) => {
                paths.read([&args.page]).detector(&args.detector).site(&args.site).write(File, &args.output)
            }
            Command::Segment(args) => {
                let paths = paths.read(&args.inputs).model(&args.model).layout(&args.layout);
                paths.write(Any, &args.output).run(&args.run)
            }
            Command::Learn(args) => paths.read(&args.pages).write(File, [&args.output]).run(&args.run),
            Command::Apply(args) => {
                let paths = paths.read(&args.pages).read([&args.template]).detector(&args.detector);
                paths.write(Any, &args.output).run(&args.run)
            }
            Command::Clean(args) => {
                let paths = paths.read(&args.inputs).detector(&args.detector);
                let paths = paths.write(Any, [&args.output]).run(&args.run);
                if args.no_learn { paths.read(&args.templates) } else { paths.write(Kept, &args.templates) }
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
            Command::Drift(args) => paths.read([&args.template]).read(&args.pages).run(&args.run),
            Command::ShowTemplate(args) => {
                let mut paths = paths.read(&args.templates).write(File, &args.output);
                if args.templates.is_none() {
                    paths.inputs.push(Path::new(&args.site));
                }
                paths
            }
            Command::Inspect(args) => paths
                .read(&args.inputs)
                .read(&args.template)
                .read(&args.templates)
                .detector(&args.detector)
                .write(File, &args.save)
                .write(Kept, [&args.corrections]),
            Command::Serve(args) => paths.read(&args.token_file).write(Kept, &args.templates),
            Command::Features(args) => paths.read([&args.page]).layout(&args.layout).write(File, &args.output),
            Command::Label(args) => paths.read(&args.inputs).write(File, &args.output).run(&args.labelling.run),
            Command::Train(Train::Fusion(args)) => paths.read(&args.more).read(&args.from).references(&args.references),
            Command::Train(Train::PageType(args)) => paths.references(&args.references),
            Command::Train(Train::Pagelevel(args)) => {
                paths.read(&args.inputs).write(File, [&args.output]).run(&args.run)
            }
            Command::Train(Train::Block(args)) => {
                paths.read(&args.inputs).write(File, [&args.output]).run(&args.labelling.run)
            }
            Command::Train(Train::Segment(args)) => paths.read(&args.inputs).write(File, [&args.output]),
            Command::Train(Train::Keywords(args)) => {
                paths.corpus(&args.corpus).read(&args.queries).write(File, [&args.output])
            }
            Command::Eval(args) => paths.model([&args.model]).read(&args.inputs).run(&args.labelling.run),
            Command::Completions { .. } => paths,
        }
    }
}
