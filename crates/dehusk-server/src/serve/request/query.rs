//! The query of an address.

use crate::problem::Problem;
use axum::http::Uri;

/// The maximum number of names with values in a query.
const MAX_PAIRS: usize = 100;

/// The names and values of a query, in their order.
pub(crate) fn query(uri: &Uri) -> Result<Vec<(String, String)>, Problem> {
    let query = uri.query().unwrap_or_default();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).into_owned().take(MAX_PAIRS + 1).collect();
    match pairs.len() > MAX_PAIRS {
        true => Err(Problem::bad_options(format!("the query has more than {MAX_PAIRS} options"))),
        false => Ok(pairs),
    }
}
