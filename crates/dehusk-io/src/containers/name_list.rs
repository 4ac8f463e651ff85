//! Names of keys and columns in messages.

use crate::shortened::shortened;

/// Names in quotes, at most `max` of them.
pub(crate) fn name_list<'a>(names: impl Iterator<Item = &'a str>, max: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.enumerate() {
        if index == max {
            text.push_str(", ...");
            break;
        }
        let comma = if index == 0 { "" } else { ", " };
        text.push_str(&format!("{comma}\"{}\"", shortened(name, 60)));
    }
    text
}
