//! How a run ended, and why one failed.

use dehusk_options::OptionError;
use std::path::Path;

/// How a run ended that did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Everything was done.
    Done,
    /// Pages were skipped, and the user asked for strictness.
    Skipped,
    /// Templates no longer fit.
    Drifted,
}

impl Outcome {
    /// How a run over pages ended: `done` of them, while `failed` could not be read. A run that has done nothing has failed.
    pub(crate) fn of_pages(done: u64, failed: u64, strict: bool) -> Result<Outcome, Failure> {
        let no_page = |message: String| Err(Failure::new(message));
        match (done, failed) {
            (0, 0) => no_page("no page was found in the inputs".into()),
            (0, 1) => no_page("the only page could not be read".into()),
            (0, _) => no_page(format!("none of the {failed} pages could be read")),
            _ => Ok(Outcome::of_failed(failed, strict)),
        }
    }

    /// How a run ended that did something, while `failed` pages could not be read.
    pub(crate) fn of_failed(failed: u64, strict: bool) -> Outcome {
        if failed > 0 && strict { Outcome::Skipped } else { Outcome::Done }
    }

    /// 0 done, 1 done with skipped pages under `--strict` or with drift; 2 is for runs that could not start or found no page they could
    /// read.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Skipped | Outcome::Drifted => 1,
        }
    }
}

/// Why a run failed. The text names the input, what is wrong and what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    closed_pipe: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), closed_pipe: false }
    }

    /// What is wrong with a file.
    pub(crate) fn about(path: &Path, error: impl std::fmt::Display) -> Failure {
        Failure::new(format!("{}: {error}", path.display()))
    }

    /// A failure to write to standard output.
    pub(crate) fn output(error: std::io::Error) -> Failure {
        let closed_pipe = error.kind() == std::io::ErrorKind::BrokenPipe;
        Failure { message: format!("standard output: {error}"), closed_pipe }
    }

    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.closed_pipe
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<OptionError> for Failure {
    fn from(error: OptionError) -> Failure {
        Failure::new(error.message())
    }
}

impl From<dehusk_io::Error> for Failure {
    fn from(error: dehusk_io::Error) -> Failure {
        Failure::new(error.to_string())
    }
}

impl From<dehusk::Error> for Failure {
    fn from(error: dehusk::Error) -> Failure {
        Failure::new(error.to_string())
    }
}
