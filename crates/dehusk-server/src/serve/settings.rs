//! What the service is started with.

use crate::access::Token;
use dehusk::Limits;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The port if none is named.
const PORT: u16 = 8632;

/// How the service runs. The defaults suit one machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// What requests must show. Required unless the address is a loopback one.
    pub token: Option<Token>,
    /// The template store. Without one, sites are forgotten when the service stops.
    pub templates: Option<PathBuf>,
    /// Worker threads; 0 is one for each processor.
    pub threads: usize,
    /// Requests that may wait for a worker.
    pub queue: usize,
    /// Limits on pages. Requests can lower those on nodes and depth, not raise them.
    pub limits: Limits,
    /// Bytes of request bodies held at the same time.
    pub held_bytes: usize,
    /// Connections open at the same time. Further ones wait until one closes.
    pub connections: usize,
    /// How long a request head may take, and how far a body may fall behind [`MIN_BYTES_PER_SECOND`]; also how long an answer may be
    /// stalled because the client does not read it.
    pub read_timeout: Duration,
    /// How long a page may wait and be worked on.
    pub timeout: Duration,
    /// How long the service waits for requests in flight when it is stopped.
    pub grace: Duration,
    /// Called by a worker before it works on a page.
    pub before_page: Option<PageHook>,
}

/// A function that is called with the address of each page before a worker works on it, on the worker's thread. Tests use it
/// to hold up workers.
#[derive(Clone)]
pub struct PageHook(Arc<dyn Fn(&str) + Send + Sync>);

impl PageHook {
    /// A hook that calls a function.
    pub fn new(function: impl Fn(&str) + Send + Sync + 'static) -> PageHook {
        PageHook(Arc::new(function))
    }

    pub(super) fn call(&self, url: &str) {
        self.0(url);
    }
}

impl fmt::Debug for PageHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageHook")
    }
}

/// The rate at which a body must arrive in the long run.
pub const MIN_BYTES_PER_SECOND: u32 = 4096;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)),
            token: None,
            templates: None,
            threads: 0,
            queue: 64,
            limits: Limits::default(),
            held_bytes: 256 << 20,
            connections: 512,
            read_timeout: Duration::from_secs(20),
            timeout: Duration::from_secs(60),
            grace: Duration::from_secs(30),
            before_page: None,
        }
    }
}

impl Settings {
    /// The number of worker threads.
    pub(super) fn worker_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// The longest line of JSON lines: escapes make a page longer.
    pub(super) fn max_line_bytes(&self) -> usize {
        self.limits.bytes.saturating_mul(2).saturating_add(64 << 10)
    }
}
