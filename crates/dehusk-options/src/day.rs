//! The day, for template files.

/// The day as `2026-11-17`. `SOURCE_DATE_EPOCH` sets it, as for other builds that must be the same twice.
pub fn today() -> String {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = fixed.and_then(|seconds| time::OffsetDateTime::from_unix_timestamp(seconds).ok());
    now.unwrap_or_else(time::OffsetDateTime::now_utc).date().to_string()
}
