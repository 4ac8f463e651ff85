use trafilatura::Options;

pub(crate) fn extract(_url: &str, html: &str) -> Result<String, String> {
    // The original falls back to other methods by default, the crate on request.
    let options = Options::default().with_fallback(true);
    let result = trafilatura::extract(html, &options).map_err(|error| error.to_string())?;
    Ok(result.content_text)
}
