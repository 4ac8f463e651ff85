//! Writes the files that are made of the table of options: the types of the Python package, and the parameters of the HTTP service.
//!
//! ```text
//! cargo run -p dehusk-options --example generate
//! ```

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::write(crates.join("dehusk-python/python/dehusk/_options.py"), dehusk_options::describe::python_types())?;
    let path = crates.join("dehusk-server/openapi.json");
    let file = dehusk_options::describe::openapi(serde_json::from_slice(&fs::read(&path)?)?);
    fs::write(path, serde_json::to_string_pretty(&file)? + "\n")?;
    Ok(())
}
