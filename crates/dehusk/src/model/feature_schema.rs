//! The schema of the features a model was fitted on, as recorded in a model file.

use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// A named, versioned list of features. Two are equal if their names, versions and columns, in order, are equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Schema {
    pub(super) name: String,
    pub(super) version: u32,
    pub(super) columns: u32,
    /// A hash of the names of the columns, in order.
    pub(super) hash: u64,
}

impl Schema {
    /// A schema. `name` is what the features describe, such as `block`. `version` is raised whenever a feature is computed
    /// differently. A column that is added, removed, renamed or moved changes the hash of the names.
    pub fn new<N: AsRef<str>>(name: &str, version: u32, columns: impl IntoIterator<Item = N>) -> Schema {
        let (mut count, mut hash) = (0, Xxh3::new());
        for column in columns {
            hash.update(column.as_ref().as_bytes());
            hash.update(b"\n");
            count += 1;
        }
        Schema { name: name.to_string(), version, columns: count, hash: hash.digest() }
    }

    /// Describes how the features of a model differ from those of this program, or returns `None` if they are the same.
    pub(super) fn difference(&self, own: &Schema) -> Option<String> {
        if (&self.name, self.version) != (&own.name, own.version) {
            return Some(format!("it was trained on the features {self:.60}, this program has {own}"));
        }
        if self.columns != own.columns {
            return Some(format!(
                "it was trained on {} features of {own}, this program has {}",
                self.columns, own.columns
            ));
        }
        (self.hash != own.hash).then(|| {
            format!(
                "the names or the order of the features of {own} changed since it was trained (hash {:016x}, in this program {:016x})",
                self.hash, own.hash
            )
        })
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}", self.name, self.version))
    }
}
