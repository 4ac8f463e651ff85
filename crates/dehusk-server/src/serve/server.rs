//! The listening socket, its connections, and how the service stops.

use super::router::router;
use super::service::Service;
use super::settings::Settings;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

/// The maximum size of a request head in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// The pause after a connection could not be accepted, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Workers for each thread that reads and writes connections, which is much less work.
const WORKERS_PER_IO_THREAD: usize = 8;

/// Why the service cannot run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The settings contradict each other.
    Settings(String),
    /// The template store cannot be used.
    Store(dehusk_io::Error),
    /// The address cannot be listened on, or threads cannot be started.
    System(SocketAddr, io::Error),
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServeError::Settings(message) => f.write_str(message),
            ServeError::Store(error) => error.fmt(f),
            ServeError::System(address, error) => write!(f, "cannot listen on {address}: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// How the service ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Requests that were answered, to the last byte.
    pub answered: u64,
    /// Of these, those with status 200.
    pub answered_ok: u64,
    /// Requests that were cut because they took too long after the service was told to stop.
    pub cut: u64,
}

/// The service, listening but not yet running.
pub struct Server {
    service: Arc<Service>,
    listener: TcpListener,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    runtime: Runtime,
}

/// Stops a running service, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Tells the service to stop: it takes no more connections and finishes the requests it has.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Opens the template store and listens.
    ///
    /// # Errors
    /// If the settings, the store or the address cannot be used.
    pub fn bind(settings: Settings) -> Result<Server, ServeError> {
        check(&settings)?;
        let listen = settings.listen;
        let fails = |error| ServeError::System(listen, error);
        let threads = (settings.worker_threads() / WORKERS_PER_IO_THREAD).clamp(1, 8);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
        let runtime = runtime.map_err(fails)?;
        let listener = TcpListener::bind(listen).map_err(fails)?;
        // Tokio takes over only sockets that do not block.
        listener.set_nonblocking(true).map_err(fails)?;
        let address = listener.local_addr().map_err(fails)?;
        let service = Arc::new(Service::new(settings).map_err(ServeError::Store)?);
        Ok(Server { service, listener, address, stop: watch::Sender::new(false), runtime })
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops the service.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers requests until the service is stopped.
    ///
    /// # Errors
    /// If the system does not let it.
    pub fn run(self) -> io::Result<Summary> {
        let Server { service, listener, stop, runtime, .. } = self;
        let cut = runtime.block_on(serve(service.clone(), listener, stop.subscribe()))?;
        // What is still open then is cut.
        runtime.shutdown_timeout(Duration::from_secs(1));
        let (answered_ok, answered) = service.metrics.answered();
        Ok(Summary { answered, answered_ok, cut })
    }
}

fn check(settings: &Settings) -> Result<(), ServeError> {
    let fail = |message: String| Err(ServeError::Settings(message));
    if settings.token.is_none() && !settings.listen.ip().is_loopback() {
        return fail(format!(
            "{} can be reached by other machines, so requests must show a token: give one with --token-file or DEHUSK_TOKEN",
            settings.listen
        ));
    }
    if settings.held_bytes < settings.max_line_bytes() {
        return fail(format!(
            "--held-bytes is less than the {} bytes that one page of --max-bytes can take: raise it, or lower --max-bytes",
            settings.max_line_bytes()
        ));
    }
    if settings.connections == 0 {
        return fail("--connections must be at least 1".to_string());
    }
    Ok(())
}

/// Accepts connections until the service is stopped, then waits for those that are open. Returns how many requests were cut.
async fn serve(service: Arc<Service>, listener: TcpListener, mut stop: watch::Receiver<bool>) -> io::Result<u64> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let router = router(service.clone());
    let places = Arc::new(Semaphore::new(service.settings.connections.min(Semaphore::MAX_PERMITS)));
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(service.settings.read_timeout).max_header_size(MAX_HEAD_BYTES);
    loop {
        let accept = async {
            // Connections beyond the limit wait in the queue of the system.
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accept => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let io = TokioIo::new(timed(stream, service.settings.read_timeout));
        let connection = http.serve_connection(io, TowerToHyperService::new(router.clone()));
        let connection = graceful.watch(connection);
        let service = service.clone();
        tokio::spawn(async move {
            service.metrics.connection_opens();
            // A connection that breaks off concerns its client alone.
            let _ = connection.await;
            service.metrics.connection_closes();
            drop(place);
        });
    }
    // New connections are refused while the open ones are finished.
    drop(listener);
    service.stop();
    let _ = tokio::time::timeout(service.settings.grace, graceful.shutdown()).await;
    Ok(service.metrics.in_flight())
}

/// A connection that is closed if its client does not read what it asked for.
fn timed(stream: TcpStream, patience: Duration) -> std::pin::Pin<Box<TimeoutStream<TcpStream>>> {
    // Answers are written as a whole, so there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let mut timed = TimeoutStream::new(stream);
    timed.set_write_timeout(Some(patience));
    Box::pin(timed)
}
