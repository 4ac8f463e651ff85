use url::Url;

pub(crate) fn extract(url: &str, html: &str) -> Result<String, String> {
    let url = Url::parse(url).map_err(|error| error.to_string())?;
    let product = llm_readability::extractor::extract(&mut html.as_bytes(), &url).map_err(|error| error.to_string())?;
    Ok(product.text)
}
