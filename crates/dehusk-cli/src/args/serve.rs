//! The flags of `dehusk serve`.

use super::table::ServeOptions;
use clap::Args as ClapArgs;
use dehusk_options::definitions::THREADS;
use dehusk_server::serve::Settings;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Answer requests over HTTP: extract pages, learn sites.
///
/// Extract a page:         curl -T page.html -X POST localhost:8632/v1/extract
///   as Markdown:          curl -T page.html -X POST -H 'Accept: text/markdown' \
///                           localhost:8632/v1/extract
///   with options:         curl -T page.html -X POST \
///                           'localhost:8632/v1/extract?url=http://a.example/1&metadata=true'
///   in JSON:              curl --json '{"url": "http://a.example/1", "html": "…"}' \
///                           localhost:8632/v1/extract
/// Extract many pages:     curl -T pages.jsonl -X POST localhost:8632/v1/batch
/// Learn a site:           curl -T pages.jsonl localhost:8632/v1/sites/a.example
/// Look at it:             curl localhost:8632/v1/sites/a.example
/// Check that it fits:     curl -T recent.jsonl -X POST localhost:8632/v1/sites/a.example/drift
/// Is it up, is it busy?   curl localhost:8632/healthz; curl localhost:8632/metrics
///
/// A page whose url belongs to a learned site is extracted with its templates. Options are
/// those of `dehusk extract` that name no file, with underscores: no_links=true, max_nodes=1000.
/// docs/serve.md and /v1/openapi.json have the rest.
///
/// The service listens on this machine alone. Any other address needs a token, which requests
/// show as `Authorization: Bearer TOKEN`. It speaks HTTP without encryption: put a proxy that
/// encrypts in front of it.
///
/// It stops at SIGTERM and SIGINT when the requests it took are answered; a second signal stops
/// it at once.
#[derive(ClapArgs, Debug)]
#[command(verbatim_doc_comment, about = "Answer requests over HTTP: extract pages, learn sites")]
pub(crate) struct Serve {
    /// Address and port to listen on; port 0 takes a free one, which is printed.
    #[arg(long, value_name = "ADDRESS", default_value_t = Settings::default().listen)]
    pub(crate) listen: SocketAddr,
    /// File with the token that requests must show. The environment variable DEHUSK_TOKEN can have it instead.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Template store for sites, shared with `dehusk clean`; created if there is none. Without it, sites are forgotten at the end.
    #[arg(long, value_name = "FILE")]
    pub(crate) templates: Option<PathBuf>,
    /// Requests that may wait for a thread; further ones are answered with status 429 at once.
    #[arg(long, value_name = "REQUESTS", default_value_t = Settings::default().queue, help_heading = "Limits")]
    pub(crate) queue: usize,
    /// Bytes of request bodies in memory at the same time; further ones are answered with status 429.
    #[arg(long, value_name = "BYTES", default_value_t = Settings::default().held_bytes, help_heading = "Limits")]
    pub(crate) held_bytes: usize,
    /// Connections open at the same time; further ones wait.
    #[arg(long, value_name = "NUMBER", default_value_t = Settings::default().connections, help_heading = "Limits")]
    pub(crate) connections: usize,
    /// Seconds that a client may take for the head of a request, fall behind 4096 bytes a second with its body, or stop reading the answer.
    #[arg(long, value_name = "SECONDS", default_value_t = Settings::default().read_timeout.as_secs_f64(), value_parser = seconds, help_heading = "Limits")]
    pub(crate) read_timeout: f64,
    /// Seconds that a page may wait and be worked on.
    #[arg(long, value_name = "SECONDS", default_value_t = Settings::default().timeout.as_secs_f64(), value_parser = seconds, help_heading = "Limits")]
    pub(crate) timeout: f64,
    /// Seconds to wait for requests when the service is told to stop.
    #[arg(long, value_name = "SECONDS", default_value_t = Settings::default().grace.as_secs_f64(), value_parser = seconds, help_heading = "Limits")]
    pub(crate) grace: f64,
    #[command(flatten)]
    pub(crate) options: ServeOptions,
}

/// The longest time that can be set, in seconds: a week. Far longer ones would overflow when they are added to the time of a request.
const MAX_SECONDS: f64 = 604_800.0;

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= MAX_SECONDS);
    seconds.ok_or_else(|| format!("give a number above 0 and at most {MAX_SECONDS}"))
}

impl Serve {
    /// The settings, without the token.
    pub(crate) fn settings(&self) -> Settings {
        // `Settings` is non-exhaustive, so it cannot be written as a literal here.
        let mut settings = Settings::default();
        settings.listen = self.listen;
        settings.templates = self.templates.clone();
        settings.threads = self.options.size(&THREADS);
        settings.queue = self.queue;
        settings.limits = self.options.limits();
        settings.held_bytes = self.held_bytes;
        settings.connections = self.connections;
        settings.read_timeout = Duration::from_secs_f64(self.read_timeout);
        settings.timeout = Duration::from_secs_f64(self.timeout);
        settings.grace = Duration::from_secs_f64(self.grace);
        settings
    }
}
