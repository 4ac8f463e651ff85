//! The HTTP service: pages in, records out.
//!
//! A request is read by the threads of the runtime ([`Server`]), worked on by a fixed number of worker threads, and answered. What bounds it:
//! places in front of the workers, bytes of bodies in memory, connections, and time. `docs/serve.md` describes it for those who use it.
//!
//! - `server`: the socket, its connections, stopping. `router`: the routes, and what every request needs.
//! - `answers`: one file for each kind of request. `request`: what a request says, its body in bounded memory and time.
//! - `service`: what answers share. `pool`: the workers. `site_store`: templates of sites. `metrics`: counters. `settings`: what the service is started with.

mod answers;
mod metrics;
mod pool;
mod request;
mod router;
mod server;
mod service;
mod settings;
mod site_store;

pub use crate::access::Token;
pub use router::routes;
pub use server::{ServeError, Server, Stopper, Summary};
pub use settings::{MIN_BYTES_PER_SECOND, PageHook, Settings};
