//! What an option is: its name, what values it takes, its default, its help, and where it is offered.
//!
//! [`definitions`](crate::definitions) is the table. Nothing here reads a value or knows what an option does.

/// A command of the program, or a set of options that several of its commands share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Command {
    /// `dehusk extract`, and single pages elsewhere.
    Extract,
    /// `dehusk strip`.
    Strip,
    /// `dehusk explain`.
    Explain,
    /// `dehusk segment`.
    Segment,
    /// `dehusk records`.
    Records,
    /// `dehusk learn`.
    Learn,
    /// `dehusk apply`.
    Apply,
    /// `dehusk clean`, and the parts of its work on Spark and in datatrove.
    Clean,
    /// `dehusk drift`.
    Drift,
    /// `dehusk inspect`.
    Inspect,
    /// `dehusk serve`.
    Serve,
    /// `dehusk features`.
    Features,
    /// The commands that use clean text: `duplicates`, `keywords`, `cluster`, `classify`.
    Corpus,
    /// The commands that label the pages of a crawl: `label`, `eval`, `train block`, `train pagelevel`.
    Label,
}

impl Command {
    /// All of them, by their number.
    pub const ALL: [Command; 14] = [
        Command::Extract,
        Command::Strip,
        Command::Explain,
        Command::Segment,
        Command::Records,
        Command::Learn,
        Command::Apply,
        Command::Clean,
        Command::Drift,
        Command::Inspect,
        Command::Serve,
        Command::Features,
        Command::Corpus,
        Command::Label,
    ];
}

/// A place where options are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Surface {
    /// The command line, which has every option of its commands.
    Program,
    /// The functions of the Python package.
    Python,
    /// `dehusk.spark`, its functions and its program.
    Spark,
    /// The steps for datatrove.
    Datatrove,
    /// The HTTP service. It has no option that names a file or says how the machine works.
    Service,
}

/// What an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// Which detector decides, and how.
    Detector,
    /// What is written of a page.
    Content,
    /// How a page is read.
    Reading,
    /// What makes a site, and how it is learned.
    Sites,
    /// The columns of the input.
    Columns,
    /// How a job runs, and what it does with files of an earlier one.
    Run,
    /// Where the boxes of nodes come from.
    Layout,
}

impl Topic {
    /// The heading of its options in the help. Those that most people look for have none, and come first.
    pub fn heading(self) -> Option<&'static str> {
        match self {
            Topic::Detector | Topic::Content | Topic::Sites => None,
            Topic::Reading => Some("Reading"),
            Topic::Columns => Some("Columns"),
            Topic::Run => Some("Run"),
            Topic::Layout => Some("Layout"),
        }
    }
}

/// The numbers that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Any number that is finite.
    Any,
    /// A share of something that is not nothing: above 0, at most 1.
    Share,
    /// 0 or more.
    NotNegative,
}

/// A value of an option that takes one of a few names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value.
    pub name: &'static str,
    /// What it means, in a line.
    pub help: &'static str,
    /// Whether everyday help leaves it out. It is accepted all the same.
    pub is_hidden: bool,
}

/// What values an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// True or false; on the command line it is there or not.
    Flag,
    /// A text.
    Text,
    /// A file or folder of this machine.
    Path,
    /// A whole number, 0 or more.
    Whole,
    /// A number.
    Number(Range),
    /// `precision`, `balanced`, `recall`, or a number from 0 to 1.
    Focus,
    /// One of these names.
    Choice(fn() -> Vec<Choice>),
    /// Several values, each of this kind.
    List(&'static Kind),
}

impl Kind {
    /// The names that it takes, if these are all.
    pub fn choices(self) -> Option<Vec<Choice>> {
        match self {
            Kind::Choice(choices) => Some(choices()),
            Kind::List(item) => item.choices(),
            _ => None,
        }
    }

    /// Whether several values can be given as one text with commas: names have none, other texts can.
    pub fn has_commas(self) -> bool {
        matches!(self, Kind::List(Kind::Choice(_)))
    }
}

/// What counts where an option is not given.
#[derive(Clone, Copy, Debug)]
pub enum DefaultValue {
    /// Nothing: the help says what happens then.
    Nothing,
    /// A value as people write it.
    Text(&'static str),
    /// A number of the library.
    Whole(fn() -> u64),
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Its name, with underscores; flags have hyphens.
    pub name: &'static str,
    /// One letter for the command line.
    pub short: Option<char>,
    /// Another name on the command line, which help does not show.
    pub alias: Option<&'static str>,
    /// The name of its opposite, which Python has instead: `links` for `no_links`.
    pub opposite: Option<&'static str>,
    /// What it is about.
    pub topic: Topic,
    /// The values it takes.
    pub kind: Kind,
    /// The word for its value in help.
    pub value_name: &'static str,
    /// What counts where it is not given.
    pub default: DefaultValue,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    /// The commands that have it.
    pub commands: &'static [Command],
    /// Where it is offered beside the command line.
    pub surfaces: &'static [Surface],
    /// An option of the same command that must not be given with it.
    pub conflicts_with: Option<&'static str>,
    /// An option of the same command that must be given with it.
    pub requires: Option<&'static str>,
}

impl Definition {
    /// An option of the command line alone.
    #[must_use]
    pub(crate) const fn new(
        topic: Topic,
        name: &'static str,
        kind: Kind,
        commands: &'static [Command],
        help: &'static str,
    ) -> Definition {
        Definition {
            name,
            short: None,
            alias: None,
            opposite: None,
            topic,
            kind,
            value_name: "",
            default: DefaultValue::Nothing,
            help,
            commands,
            surfaces: &[],
            conflicts_with: None,
            requires: None,
        }
    }

    /// Also offered elsewhere.
    #[must_use]
    pub(crate) const fn on(mut self, surfaces: &'static [Surface]) -> Definition {
        self.surfaces = surfaces;
        self
    }

    #[must_use]
    pub(crate) const fn short(mut self, letter: char) -> Definition {
        self.short = Some(letter);
        self
    }

    #[must_use]
    pub(crate) const fn alias(mut self, name: &'static str) -> Definition {
        self.alias = Some(name);
        self
    }

    #[must_use]
    pub(crate) const fn opposite(mut self, name: &'static str) -> Definition {
        self.opposite = Some(name);
        self
    }

    #[must_use]
    pub(crate) const fn value(mut self, name: &'static str) -> Definition {
        self.value_name = name;
        self
    }

    #[must_use]
    pub(crate) const fn default(mut self, value: &'static str) -> Definition {
        self.default = DefaultValue::Text(value);
        self
    }

    #[must_use]
    pub(crate) const fn default_whole(mut self, value: fn() -> u64) -> Definition {
        self.default = DefaultValue::Whole(value);
        self
    }

    #[must_use]
    pub(crate) const fn conflicts_with(mut self, name: &'static str) -> Definition {
        self.conflicts_with = Some(name);
        self
    }

    #[must_use]
    pub(crate) const fn requires(mut self, name: &'static str) -> Definition {
        self.requires = Some(name);
        self
    }

    /// Whether an option is offered by a command on a surface.
    pub fn is_on(&self, command: Command, surface: Surface) -> bool {
        self.commands.contains(&command) && (surface == Surface::Program || self.surfaces.contains(&surface))
    }

    /// The name on a surface.
    pub fn name_on(&self, surface: Surface) -> &'static str {
        match (surface, self.opposite) {
            (Surface::Python | Surface::Datatrove, Some(opposite)) => opposite,
            _ => self.name,
        }
    }

    /// The option as the messages of a surface name it: `--no-links`, `no_links` or `links=False`.
    pub fn spelled_on(&self, surface: Surface) -> String {
        match surface {
            Surface::Program | Surface::Spark => format!("--{}", self.name.replace('_', "-")),
            Surface::Python | Surface::Datatrove => match self.opposite {
                Some(opposite) => format!("{opposite}=False"),
                None => self.name.to_string(),
            },
            Surface::Service => self.name.to_string(),
        }
    }

    /// The default as people write it, if there is one.
    pub fn default_text(&self) -> Option<String> {
        match self.default {
            DefaultValue::Nothing => None,
            DefaultValue::Text(text) => Some(text.to_string()),
            DefaultValue::Whole(number) => Some(number().to_string()),
        }
    }
}
