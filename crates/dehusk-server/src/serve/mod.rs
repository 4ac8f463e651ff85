//! The HTTP service: pages in, records out.
//!
//! A request is read by the threads of the runtime ([`Server`]), worked on by a fixed number of worker threads, and answered. What bounds it:
//! places in front of the workers, bytes of bodies in memory, connections, and time. `docs/serve.md` describes it for those who use it.
//!
//! - `server`: the socket, its connections, stopping. `router`: the routes, and what every request needs.
//! - `extract`, `batch`, `sites`: one file for each kind of request.
//! - `service`: what they share. `pool`: the workers. `options`: what the options of requests ask for. `site_store`: templates of sites. `metrics`: counters.
//! - `request_body`, `lines`, `held_bytes`: bodies in bounded memory and time.
//! - `media`, `query`, `settings`: headers, queries, and what the service is started with.

mod batch;
mod extract;
mod held_bytes;
mod lines;
mod media;
mod metrics;
mod options;
mod pool;
mod query;
mod request_body;
mod router;
mod server;
mod service;
mod settings;
mod site_store;
mod sites;

pub use crate::access::Token;
pub use router::routes;
pub use server::{ServeError, Server, Stopper, Summary};
pub use settings::{MIN_BYTES_PER_SECOND, PageHook, Settings};
