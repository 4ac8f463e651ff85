use dom_smoothie::{Config, Readability, TextMode};

pub(crate) fn extract(_url: &str, html: &str) -> Result<String, String> {
    let config = Config { text_mode: TextMode::Formatted, ..Config::default() };
    let mut readability = Readability::new(html, None, Some(config)).map_err(|error| error.to_string())?;
    let article = readability.parse().map_err(|error| error.to_string())?;
    Ok(article.text_content.to_string())
}
