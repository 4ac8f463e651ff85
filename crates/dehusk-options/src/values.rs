//! The options that were given: checked, typed, each once. What was not given has its default.

use crate::definition::{Command, Definition, Surface};
use crate::definitions::{find, options_of};
use crate::error::OptionError;
use crate::value::{Given, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The values of a command's options, as they were given on a surface.
///
/// They are of bounded size and can be compared, so that they can be the key of what was made of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Values {
    command: Command,
    surface: Surface,
    given: BTreeMap<&'static str, Value>,
}

impl Values {
    /// The defaults.
    #[must_use]
    pub fn new(command: Command, surface: Surface) -> Values {
        Values { command, surface, given: BTreeMap::new() }
    }

    /// Where they were given.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// Whether the command has an option.
    pub fn has(&self, definition: &Definition) -> bool {
        definition.commands.contains(&self.command)
    }

    /// Sets an option by its name.
    ///
    /// # Errors
    /// If there is no such option on this surface, it is given already, or the value is none that it takes.
    pub fn set(&mut self, name: &str, given: Given) -> Result<(), OptionError> {
        let definition = self.definition(name)?;
        let value = match (definition.opposite, &given) {
            (Some(opposite), Given::Flag(flag)) if opposite == name => Ok(Value::Flag(!flag)),
            (Some(opposite), _) if opposite == name => Err("give true or false".to_string()),
            _ => definition.kind.read(&given),
        };
        let value = value.map_err(|advice| OptionError::new(format!("{name} cannot be {given}: {advice}")))?;
        match self.given.insert(definition.name, value) {
            None => Ok(()),
            Some(_) => Err(OptionError::new(format!("{name} is given more than once"))),
        }
    }

    /// The definition of a name on this surface.
    fn definition(&self, name: &str) -> Result<&'static Definition, OptionError> {
        let mut offered = options_of(self.command, self.surface);
        if let Some(definition) = offered.find(|definition| definition.name_on(self.surface) == name) {
            return Ok(definition);
        }
        let plain = name.replace('-', "_");
        if self.surface == Surface::Service && find(self.command, &plain).is_some() {
            let message = format!("the option {plain} is about files or the run itself, and requests cannot set it");
            return Err(OptionError::new(message));
        }
        let known: Vec<_> =
            options_of(self.command, self.surface).map(|definition| definition.name_on(self.surface)).collect();
        let name = Given::Text(name.to_string());
        Err(OptionError::new(format!("there is no option {name}; the options are {}", known.join(", "))))
    }

    /// Sets an option to a value that was read already.
    pub fn insert(&mut self, definition: &'static Definition, value: Value) {
        self.given.insert(definition.name, value);
    }

    /// The same options without those that have their default: two sets that ask for the same are equal.
    #[must_use]
    pub fn normalized(&self) -> Values {
        let mut values = self.clone();
        values.given.retain(|name, value| {
            find(self.command, name).and_then(Definition::default_value).as_ref() != Some(value)
                && *value != Value::Flag(false)
        });
        values
    }

    /// Whether an option was given.
    pub fn is_given(&self, definition: &Definition) -> bool {
        self.given.contains_key(definition.name)
    }

    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// An option as the messages of this surface name it.
    pub fn spelled(&self, definition: &Definition) -> String {
        definition.spelled_on(self.surface)
    }

    /// Refuses options that go only without, or only with others.
    ///
    /// # Errors
    /// If two of them contradict each other, or one needs another.
    pub fn check_together(&self) -> Result<(), OptionError> {
        let is_set = |name: &str| self.given.get(name).is_some_and(|value| *value != Value::Flag(false));
        let spelled = |name: &str| find(self.command, name).map_or(name.to_string(), |other| self.spelled(other));
        for definition in options_of(self.command, Surface::Program).filter(|definition| is_set(definition.name)) {
            if let Some(other) = definition.conflicts_with.filter(|other| is_set(other)) {
                let message = format!("{} cannot be used with {}", self.spelled(definition), spelled(other));
                return Err(OptionError::new(message));
            }
            if let Some(other) = definition.requires.filter(|other| !is_set(other)) {
                return Err(OptionError::new(format!("{} needs {}", self.spelled(definition), spelled(other))));
            }
        }
        Ok(())
    }

    /// The value of an option that this command has: the one given, or its default.
    fn get(&self, definition: &Definition) -> Option<Value> {
        let given = self.given.get(definition.name).filter(|_| self.has(definition));
        given.cloned().or_else(|| definition.default_value())
    }

    /// Whether a flag is set.
    pub fn flag(&self, definition: &Definition) -> bool {
        self.get(definition) == Some(Value::Flag(true))
    }

    /// A text.
    pub fn text(&self, definition: &Definition) -> Option<String> {
        match self.get(definition) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A path that was given.
    pub fn path(&self, definition: &Definition) -> Option<&Path> {
        match self.given.get(definition.name) {
            Some(Value::Path(path)) if self.has(definition) => Some(path),
            _ => None,
        }
    }

    /// Paths that were given.
    pub fn paths(&self, definition: &Definition) -> Vec<PathBuf> {
        self.given_paths(definition).map(Path::to_path_buf).collect()
    }

    /// Paths that were given, where they are.
    pub fn given_paths(&self, definition: &Definition) -> impl Iterator<Item = &Path> {
        let given = match self.given.get(definition.name) {
            Some(Value::List(values)) if self.has(definition) => values.as_slice(),
            _ => &[],
        };
        given.iter().filter_map(|value| match value {
            Value::Path(path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// Texts.
    pub fn texts(&self, definition: &Definition) -> Vec<String> {
        self.list(definition)
            .into_iter()
            .filter_map(|value| match value {
                Value::Text(text) => Some(text),
                _ => None,
            })
            .collect()
    }

    fn list(&self, definition: &Definition) -> Vec<Value> {
        match self.get(definition) {
            Some(Value::List(values)) => values,
            _ => Vec::new(),
        }
    }

    /// A whole number; 0 if there is none.
    pub fn whole(&self, definition: &Definition) -> u64 {
        match self.get(definition) {
            Some(Value::Whole(number)) => number,
            _ => 0,
        }
    }

    /// A whole number as a size; 0 if there is none.
    pub fn size(&self, definition: &Definition) -> usize {
        usize::try_from(self.whole(definition)).unwrap_or(usize::MAX)
    }

    /// A number.
    pub fn number(&self, definition: &Definition) -> Option<f64> {
        match self.get(definition) {
            Some(Value::Number(number)) => Some(number.get()),
            _ => None,
        }
    }

    /// One of the names of an enum of the library.
    pub fn choice<T: FromStr>(&self, definition: &Definition) -> Option<T> {
        self.text(definition).and_then(|name| name.parse().ok())
    }
}
