//! Calls of parquet-rs and Arrow: what they panic on, because a file is damaged, is a reason like any other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::errors::ParquetError;

/// The outcome of a step, or what is wrong with the file.
pub(crate) fn guarded<T>(step: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(format!("damaged Parquet: {error}")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
            Err(format!("damaged Parquet: the decoder gave up: {text}"))
        }
    }
}
