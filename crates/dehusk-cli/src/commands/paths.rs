//! The files that a command reads and those it writes, so that no output replaces an input.

use crate::args::{Classify, Command, CorpusArgs, Run, SiteArgs, Train, TrainReferences};
use std::path::{Path, PathBuf};

/// What a command reads and writes.
#[derive(Default)]
pub(crate) struct Paths<'a> {
    pub(crate) inputs: Vec<&'a Path>,
    pub(crate) outputs: Vec<&'a Path>,
}

impl<'a> Paths<'a> {
    fn read(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.inputs.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    fn write(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.outputs.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    fn run(self, run: &'a Run) -> Self {
        self.write(&run.report)
    }

    fn site(self, site: &'a SiteArgs) -> Self {
        self.read(&site.template).read(&site.pages)
    }

    fn corpus(self, corpus: &'a CorpusArgs) -> Self {
        self.read(&corpus.inputs).run(&corpus.run)
    }

    fn references(self, args: &'a TrainReferences) -> Self {
        self.read(&args.inputs).read(&args.graft_into).read(&args.records_of).write([&args.output])
    }

    pub(crate) fn of(command: &'a Command) -> Self {
        let paths = Paths::default();
        match command {
            Command::Extract(args) => paths.read(&args.inputs).site(&args.site).write(&args.output).run(&args.run),
            Command::Strip(args) => paths.read([&args.page]).site(&args.site).write(&args.output),
            Command::Explain(args) => paths.read([&args.page]).site(&args.site).write(&args.output),
            Command::Segment(args) => paths.read(&args.inputs).read(&args.model).write(&args.output).run(&args.run),
            Command::Learn(args) => paths.read(&args.pages).write([&args.output]).run(&args.run),
            Command::Apply(args) => paths.read(&args.pages).read([&args.template]).write(&args.output).run(&args.run),
            Command::Clean(args) => {
                // The template store is both, and no other output.
                let paths = paths.read(&args.inputs).write([&args.output]).run(&args.run);
                if args.no_learn { paths.read(&args.templates) } else { paths.write(&args.templates) }
            }
            Command::Duplicates(args) => paths.corpus(&args.corpus).write(&args.output),
            Command::Keywords(args) => {
                paths.corpus(&args.corpus).read([&args.model]).read(&args.queries).write(&args.output)
            }
            Command::Cluster(args) => paths.corpus(&args.corpus).write(&args.output),
            Command::Classify(Classify::Train(args)) => paths.corpus(&args.corpus).write([&args.output]),
            Command::Classify(Classify::Apply(args)) => {
                paths.corpus(&args.corpus).read([&args.model]).write(&args.output)
            }
            Command::Drift(args) => paths.read([&args.template]).read(&args.pages).run(&args.run),
            Command::ShowTemplate(args) => paths.read(&args.templates).write(&args.output),
            Command::Inspect(args) => paths
                .read(&args.inputs)
                .read(&args.template)
                .read(&args.templates)
                .write(&args.save)
                .write([&args.corrections]),
            Command::Serve(args) => paths.read(&args.token_file).write(&args.templates),
            Command::Features(args) => paths.read([&args.page]).write(&args.output),
            Command::Label(args) => paths.read(&args.inputs).write(&args.output).run(&args.labelling.run),
            Command::Train(Train::Fusion(args)) => paths.read(&args.more).read(&args.from).references(&args.references),
            Command::Train(Train::PageType(args)) => paths.references(&args.references),
            Command::Train(Train::Pagelevel(args)) => paths.read(&args.inputs).write([&args.output]).run(&args.run),
            Command::Train(Train::Block(args)) => {
                paths.read(&args.inputs).write([&args.output]).run(&args.labelling.run)
            }
            Command::Train(Train::Segment(args)) => paths.read(&args.inputs).write([&args.output]),
            Command::Train(Train::Keywords(args)) => {
                paths.corpus(&args.corpus).read(&args.queries).write([&args.output])
            }
            Command::Eval(args) => paths.read([&args.model]).read(&args.inputs).run(&args.labelling.run),
            Command::Completions { .. } => paths,
        }
    }
}
