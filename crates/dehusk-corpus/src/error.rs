//! Why a corpus could not be used.

use std::fmt;

/// Why something could not be computed from a corpus, or a model file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// No document has a term that counts.
    NoTerms,
    /// There are fewer documents with terms than clusters.
    TooFewDocuments {
        /// Documents that have terms.
        documents: usize,
        /// Clusters that were asked for.
        clusters: usize,
    },
    /// All documents have the same label, or there are none.
    TooFewClasses(Option<String>),
    /// There is nothing to learn keywords from.
    NoKeywords,
    /// A file is damaged, of another version, or not a model file.
    Model(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoTerms => f.write_str("no term is in two documents, but not in most: there is nothing to compare"),
            Error::TooFewDocuments { documents, clusters } => {
                write!(f, "{clusters} clusters of {documents} documents with terms: choose fewer clusters")
            }
            Error::TooFewClasses(None) => f.write_str("no document has a label"),
            Error::TooFewClasses(Some(label)) => {
                write!(f, "every labelled document is `{label:.80}`: at least two classes are needed")
            }
            Error::NoKeywords => f.write_str("no document has keywords that are in its text"),
            Error::Model(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<dehusk::Error> for Error {
    fn from(error: dehusk::Error) -> Error {
        Error::Model(error.to_string())
    }
}
