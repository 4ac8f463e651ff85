//! Strings by number, each once.

use std::collections::HashMap;

/// Strings in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct StringTable {
    strings: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl StringTable {
    /// The number of a string.
    pub(crate) fn number(&mut self, text: String) -> usize {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = self.strings.len();
        self.numbers.insert(text.clone(), number);
        self.strings.push(text);
        number
    }

    /// All strings.
    pub(crate) fn into_strings(self) -> Vec<String> {
        self.strings
    }
}
