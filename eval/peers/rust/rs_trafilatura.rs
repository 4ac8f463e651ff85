use rs_trafilatura::{Options, extract_with_options};

pub(crate) fn extract(url: &str, html: &str) -> Result<String, String> {
    let options = Options { url: Some(url.to_string()), ..Options::default() };
    let result = extract_with_options(html, &options).map_err(|error| error.to_string())?;
    Ok(result.content_text)
}
