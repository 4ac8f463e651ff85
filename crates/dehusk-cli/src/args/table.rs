//! The options of a command that the table of `dehusk-options` defines, as flags.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args as ClapArgs, Command as ClapCommand, FromArgMatches};
use dehusk_options::definitions::options_of;
use dehusk_options::{Command, Definition, Given, Kind, Surface, Value, Values};
use std::ops::Deref;
use std::path::PathBuf;

/// The options that the table has for the command with a number.
#[derive(Clone, Debug)]
pub(crate) struct TableOptions<const COMMAND: usize>(Values);

/// The options of `dehusk extract`.
pub(crate) type ExtractOptions = TableOptions<{ Command::Extract as usize }>;
/// The options of `dehusk strip`.
pub(crate) type StripOptions = TableOptions<{ Command::Strip as usize }>;
/// The options of `dehusk explain`.
pub(crate) type ExplainOptions = TableOptions<{ Command::Explain as usize }>;
/// The options of `dehusk segment`.
pub(crate) type SegmentOptions = TableOptions<{ Command::Segment as usize }>;
/// The options of `dehusk records`.
pub(crate) type RecordsOptions = TableOptions<{ Command::Records as usize }>;
/// The options of `dehusk learn`.
pub(crate) type LearnOptions = TableOptions<{ Command::Learn as usize }>;
/// The options of `dehusk apply`.
pub(crate) type ApplyOptions = TableOptions<{ Command::Apply as usize }>;
/// The options of `dehusk clean`.
pub(crate) type CleanOptions = TableOptions<{ Command::Clean as usize }>;
/// The options of `dehusk drift`.
pub(crate) type DriftOptions = TableOptions<{ Command::Drift as usize }>;
/// The options of `dehusk inspect`.
pub(crate) type InspectOptions = TableOptions<{ Command::Inspect as usize }>;
/// The options of `dehusk serve`.
pub(crate) type ServeOptions = TableOptions<{ Command::Serve as usize }>;
/// The options of `dehusk features`.
pub(crate) type FeaturesOptions = TableOptions<{ Command::Features as usize }>;
/// The options of the commands that use clean text.
pub(crate) type CorpusOptions = TableOptions<{ Command::Corpus as usize }>;
/// The options of the commands that label the pages of a crawl.
pub(crate) type LabelOptions = TableOptions<{ Command::Label as usize }>;

impl<const COMMAND: usize> Deref for TableOptions<COMMAND> {
    type Target = Values;

    fn deref(&self) -> &Values {
        &self.0
    }
}

impl<const COMMAND: usize> TableOptions<COMMAND> {
    fn definitions() -> impl Iterator<Item = &'static Definition> {
        options_of(Command::ALL[COMMAND], Surface::Program)
    }
}

impl<const COMMAND: usize> ClapArgs for TableOptions<COMMAND> {
    fn augment_args(command: ClapCommand) -> ClapCommand {
        Self::definitions().fold(command, |command, definition| command.arg(flag(definition)))
    }

    fn augment_args_for_update(command: ClapCommand) -> ClapCommand {
        Self::augment_args(command)
    }
}

impl<const COMMAND: usize> FromArgMatches for TableOptions<COMMAND> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut values = Values::new(Command::ALL[COMMAND], Surface::Program);
        for definition in Self::definitions() {
            if let Some(value) = given(matches, definition)? {
                values.insert(definition, value);
            }
        }
        Ok(TableOptions(values))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag of an option.
fn flag(definition: &'static Definition) -> Arg {
    let hyphened = |name: &str| name.replace('_', "-");
    let mut arg = Arg::new(definition.name).long(hyphened(definition.name)).help(without_stop(definition.help));
    if let Some(letter) = definition.short {
        arg = arg.short(letter);
    }
    if let Some(alias) = definition.alias {
        arg = arg.alias(hyphened(alias));
    }
    // Where results go is what people look for first.
    if let Some(heading) = definition.topic.heading().filter(|_| definition.name != "output") {
        arg = arg.help_heading(heading);
    }
    if let Some(other) = definition.conflicts_with {
        arg = arg.conflicts_with(other);
    }
    if let Some(other) = definition.requires {
        arg = arg.requires(other);
    }
    if matches!(definition.kind, Kind::Flag) {
        return arg.action(ArgAction::SetTrue);
    }
    arg = arg.value_name(definition.value_name).value_parser(parser(definition.kind));
    arg = match definition.kind {
        Kind::List(_) => arg.action(ArgAction::Append),
        _ => arg.action(ArgAction::Set),
    };
    if definition.kind.has_commas() {
        arg = arg.value_delimiter(',');
    }
    match definition.default_text() {
        Some(text) => arg.default_value(text),
        None => arg,
    }
}

/// Help in one sentence ends without a full stop, as that of clap does.
fn without_stop(help: &str) -> &str {
    help.strip_suffix('.').unwrap_or(help)
}

/// Reads one value of a flag.
fn parser(kind: Kind) -> ValueParser {
    match kind {
        Kind::List(item) => parser(*item),
        Kind::Choice(choices) => {
            let values = choices()
                .into_iter()
                .map(|choice| PossibleValue::new(choice.name).help(without_stop(choice.help)).hide(choice.is_hidden));
            ValueParser::new(PossibleValuesParser::new(values).map(Value::Text))
        }
        Kind::Path => ValueParser::new(clap::builder::PathBufValueParser::new().map(Value::Path)),
        kind => ValueParser::from(move |text: &str| kind.read(&Given::Text(text.to_string()))),
    }
}

/// The value of an option on the command line; nothing where it has its default.
fn given(matches: &ArgMatches, definition: &Definition) -> Result<Option<Value>, clap::Error> {
    // The table has the defaults; clap only shows them in the help.
    if matches.value_source(definition.name) != Some(clap::parser::ValueSource::CommandLine) {
        return Ok(None);
    }
    let Kind::List(kind) = definition.kind else {
        return Ok(match definition.kind {
            Kind::Flag => Some(Value::Flag(matches.get_flag(definition.name))),
            _ => matches.get_one::<Value>(definition.name).cloned(),
        });
    };
    let values = matches.get_many::<Value>(definition.name).into_iter().flatten();
    let items = values.map(|value| match value {
        Value::Path(path) => Given::Path(PathBuf::clone(path)),
        Value::Text(text) => Given::Text(text.clone()),
        _ => Given::Other("a value".into()),
    });
    let list = Kind::List(kind).read(&Given::List(items.collect()));
    list.map(Some).map_err(|advice| {
        let flag = definition.spelled_on(Surface::Program);
        clap::Error::raw(ErrorKind::ValueValidation, format!("{flag}: {advice}\n"))
    })
}
