//! Names of keys and columns in messages.

/// Names in quotes, at most `max` of them.
pub(crate) fn name_list<'a>(names: impl Iterator<Item = &'a str>, max: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.enumerate() {
        if index == max {
            text.push_str(", ...");
            break;
        }
        let comma = if index == 0 { "" } else { ", " };
        let short: String = name.chars().take(60).collect();
        text.push_str(&format!("{comma}\"{short}\""));
    }
    text
}
