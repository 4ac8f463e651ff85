//! `dehusk serve`: the HTTP service.

use crate::args::Serve;
use crate::outcome::{Failure, Outcome};
use crate::temporary::INTERRUPTED;
use crate::{files, printer};
use dehusk_server::serve::{Server, Token};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The environment variable with the token. Arguments are shown to everybody on the machine.
const TOKEN_VARIABLE: &str = "DEHUSK_TOKEN";

pub(super) fn serve(args: &Serve) -> Result<Outcome, Failure> {
    let mut settings = args.settings();
    settings.token = token(args.token_file.as_deref())?;
    let server = Server::bind(settings).map_err(|error| Failure::new(error.to_string()))?;
    let (stopper, is_stopping) = (server.stopper(), AtomicBool::new(false));
    let handler = move || {
        if is_stopping.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        printer::note("dehusk: stopping when all requests are answered; a second signal stops at once");
        stopper.stop();
    };
    // Before the line that scripts wait for: a signal sent after it must be handled.
    ctrlc::set_handler(handler).map_err(|error| Failure::new(format!("cannot listen to signals: {error}")))?;
    // Scripts wait for this line.
    printer::note(&format!("dehusk: listening on http://{}", server.address()));
    let summary = server.run().map_err(|error| Failure::new(format!("the service stopped: {error}")))?;
    printer::note(&format!(
        "dehusk: stopped: {} requests answered, {} of them with status 200, {} cut",
        summary.answered, summary.answered_ok, summary.cut
    ));
    Ok(if summary.cut == 0 { Outcome::Done } else { Outcome::Skipped })
}

/// The longest file of a token.
const MAX_TOKEN_BYTES: usize = 8192;

/// The token of a file or of the environment.
fn token(path: Option<&Path>) -> Result<Option<Token>, Failure> {
    if let Some(path) = path {
        let bytes = files::read(path, MAX_TOKEN_BYTES)?;
        let token = Token::new(&String::from_utf8_lossy(&bytes)).map_err(|message| Failure::about(path, message))?;
        return Ok(Some(token));
    }
    let Some(value) = std::env::var_os(TOKEN_VARIABLE) else { return Ok(None) };
    let token = Token::new(&value.to_string_lossy());
    Ok(Some(token.map_err(|message| Failure::new(format!("{TOKEN_VARIABLE}: {message}")))?))
}
