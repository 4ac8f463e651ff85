//! The methods that both servers offer.

use dehusk::Methods;
use std::sync::LazyLock;

/// All methods, by name.
pub(crate) static METHODS: LazyLock<Methods> = LazyLock::new(dehusk_papers::methods);
